"""Dataclasses to JSON documents and back, checked: a wrong document is refused with the place and the reason."""

import dataclasses
import json
import math
import os
import types
import typing
from pathlib import Path

from onekernel_study.schema import SCHEMA, Study

if typing.TYPE_CHECKING:
    from _typeshed import DataclassInstance


class DocumentError(ValueError):
    """A document does not follow the schema; the message says where and why."""


def write(study: "DataclassInstance", path: Path) -> None:
    """Writes a study, or another document of dataclasses, as JSON; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    # allow_nan=False: NaN and Infinity are not JSON, and other readers would refuse the file.
    partial.write_text(json.dumps(dataclasses.asdict(study), indent=2, allow_nan=False) + "\n", encoding="utf-8")
    os.replace(partial, path)


def read(path: Path) -> Study:
    """Reads and checks a study; DocumentError where it is not one, OSError where it cannot be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DocumentError(f"{path}: not JSON: {error}") from None
    try:
        return parse(data)
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from None


def parse(data: object) -> Study:
    """Checks a decoded JSON document against the schema."""
    if isinstance(data, dict) and data.get("schema") != SCHEMA:
        raise DocumentError(f"schema is {data.get('schema')!r}, this program reads {SCHEMA!r}")
    return typing.cast(Study, _value(Study, data, "study"))


def _value(kind: typing.Any, data: object, where: str) -> object:
    if dataclasses.is_dataclass(kind):
        return _record(typing.cast(type, kind), data, where)
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return _optional(kind, data, where)
    if origin is tuple:
        if not isinstance(data, list | tuple):
            raise DocumentError(f"{where}: expected a list, got {_name(data)}")
        element = typing.get_args(kind)[0]
        return tuple(_value(element, item, f"{where}[{i}]") for i, item in enumerate(data))
    return _scalar(kind, data, where)


def _record(kind: type, data: object, where: str) -> object:
    if not isinstance(data, dict):
        raise DocumentError(f"{where}: expected an object, got {_name(data)}")
    hints = typing.get_type_hints(kind)
    missing, unknown = hints.keys() - data.keys(), data.keys() - hints.keys()
    if missing:
        raise DocumentError(f"{where}: {', '.join(sorted(missing))} missing")
    if unknown:
        raise DocumentError(f"{where}: unknown {', '.join(sorted(unknown))}")
    return kind(**{name: _value(hint, data[name], f"{where}.{name}") for name, hint in hints.items()})


def _optional(kind: typing.Any, data: object, where: str) -> object:
    present = [arm for arm in typing.get_args(kind) if arm is not types.NoneType]
    return None if data is None else _value(present[0], data, where)


def _scalar(kind: type, data: object, where: str) -> object:
    # bool is an int in Python, and a whole float is written as an int by other programs.
    if kind is float and isinstance(data, int | float) and not isinstance(data, bool) and math.isfinite(data):
        return float(data)
    if kind is not float and type(data) is kind:
        return data
    raise DocumentError(f"{where}: expected {kind.__name__}, got {_name(data)}")


def _name(data: object) -> str:
    return "null" if data is None else f"{type(data).__name__} {str(data)[:40]!r}"
