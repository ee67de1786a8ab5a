"""The article's claims with everything that a claim says, for where there is room for it."""

from onekernel_study.schema import Study
from onekernel_study.table import Table
from onekernel_study.tables_statistics import HOLDS


def claims(study: Study) -> Table:
    """One claim a row."""
    return Table(
        "Each claim, its figure here and there, and the rule",
        ("claim", "here", "measured", "published", "rule"),
        tuple((each.claim, HOLDS[each.holds], each.measured, each.published, each.basis) for each in study.claims),
        n_left=5,
    )
