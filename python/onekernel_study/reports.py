"""The reports that stand beside a study.json: report.md, and where their packages are installed a page and a paper."""

import importlib
import json
import os
from pathlib import Path

from onekernel_study import report_markdown
from onekernel_study.document import DocumentError

# Each made by the render() of its module, which needs packages that a study does not.
OPTIONAL = {"report.html": "onekernel_study.report.page", "report.pdf": "onekernel_study.report.paper"}
HOW = "pip install 'onekernel[report]', then 'onekernel report'"


def write(study_json: Path, out: Path) -> list[str]:
    """Writes every report it can and returns a line for what it could not.

    Everything is made from the file alone. DocumentError where it is no study, OSError where a file fails.
    """
    try:
        data = json.loads(study_json.read_text(encoding="utf-8"))
        _put(out / "report.md", report_markdown.render(data).encode())
    except DocumentError as error:
        raise DocumentError(f"{study_json}: {error}") from None
    except ValueError as error:
        raise DocumentError(f"{study_json}: not JSON: {error}") from None
    missing: dict[str, list[str]] = {}
    for name, module in OPTIONAL.items():
        try:
            render = importlib.import_module(module).render
        except ImportError as error:
            missing.setdefault(error.name or str(error), []).append(name)
            (out / name).unlink(missing_ok=True)  # one of an earlier study would be taken for this one's
            continue
        made = render(data)
        _put(out / name, made if isinstance(made, bytes) else made.encode())
    if not missing:
        return []
    files = " and ".join(file for files in missing.values() for file in files)
    return [f"no {files}: {', '.join(missing)} not installed ({HOW})"]


def _put(path: Path, content: bytes) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    os.replace(partial, path)
