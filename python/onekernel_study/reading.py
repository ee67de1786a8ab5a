"""What several reports read out of a study in the same way."""

from collections.abc import Mapping

from onekernel_study.names import UNIX
from onekernel_study.schema import Architecture, EchoFit, Study

Rows = Mapping[str, Architecture]


def passed_rows(study: Study) -> Rows:
    """The architectures by name, without those that the gate withheld."""
    return {row.name: row for row in study.architectures if row.withheld is None}


def boundary_share(row: Architecture) -> float:
    """The part of a row's wall time that is not the engine's compute; 0 where it has no crossing."""
    return (row.boundary_s or 0.0) / row.median_s if row.median_s else 0.0


def spread(row: Architecture) -> float:
    """Largest minus smallest run over the median: a generous measure, since there are few runs."""
    return (max(row.runs_s) - min(row.runs_s)) / row.median_s if row.runs_s and row.median_s else 0.0


def unix_fit(study: Study) -> EchoFit | None:
    """The echo fit of the Unix socket, if there is one."""
    return next((fit for fit in study.echo_fits if fit.transport == UNIX), None)
