"""The ``onekernel`` command line.

Results go to standard output, progress and messages to standard error. Exit status: 0 done, 1 failed, 2 bad usage or
bad input, 130 interrupted. NumPy, pyarrow and the kernel are loaded by the commands that need them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar

import typer

from .crossing import Over
from .output_format import Format

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .result import SweepResult

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130


class _Form(str, Enum):
    """What the study's commands write."""

    table = "table"
    json = "json"


# Options that several commands have.
_Prices = Annotated[Path, typer.Argument(help="Prices: CSV (also .csv.gz), Parquet, Feather or Arrow, NPY.")]
_Fee = Annotated[float, typer.Option(help="Percent per closed trade, round trip: 0.09 means 0.09 %.")]
_Lengths = Annotated[str, typer.Option(help="Window lengths: start:stop:count, or a list such as 20,50,100.")]
_Column = Annotated[str, typer.Option(help="The column of prices, oldest first.")]
_Best = Annotated[int, typer.Option(min=1, help="How many of the best and of the worst a table shows.")]

app = typer.Typer(
    help="One compiled kernel: sweeps over price files, an engine for other programs, and the study of the boundary.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_PASSED_ON = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def main() -> None:
    """Run the command line."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"onekernel {version('onekernel')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def sweep(
    file: _Prices,
    fee: _Fee,
    lengths: _Lengths = "6:200:80",
    column: _Column = "close",
    timestamp_column: Annotated[
        str | None, typer.Option(help="The column that must ascend; found by its name if not given.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Between the fields of a CSV, or 'tab'; found out if not given.")
    ] = None,
    kernel: Annotated[str | None, typer.Option(help="Which kernel; all give the same bits.")] = None,
    engine: Annotated[
        str | None, typer.Option(help="Run in the engine at this URL: unix:/path, tcp://host:port or shm:/path.")
    ] = None,
    output_format: Annotated[Format, typer.Option("--format", help="What to write on standard output.")] = Format.table,
    best: _Best = 5,
) -> None:
    """Run a grid of parameter sets over a file of prices."""
    with _failures_in_one_line(), _bad_input_in_one_line():
        from .lengths import parse_lengths
        from .output import Report, write
        from .readers import read_prices

        combos = _or_bad_usage("--lengths", lambda: parse_lengths(lengths))
        if engine is None:
            _or_bad_usage("--kernel", lambda: _check_kernel(kernel))
        prices = read_prices(file, column, timestamp_column=timestamp_column, delimiter=delimiter)
        for note in prices.notes:
            print(f"onekernel: note: {note}", file=sys.stderr)
        result = _sweep(prices.close, combos, fee, kernel, engine)
        write(Report(str(file), column, len(prices.close), fee, result.kernel, combos, result), output_format, best)


@app.command()
def live(
    fee: _Fee,
    lengths: _Lengths = "6:200:80",
    history: Annotated[Path | None, typer.Option(help="A file of the closes before the first line.")] = None,
    column: Annotated[str, typer.Option(help="The history's column of prices, oldest first.")] = "close",
    engine: Annotated[
        str | None, typer.Option(help="Keep the session in the engine at this URL: unix:, tcp: or shm:.")
    ] = None,
    output_format: Annotated[
        Format, typer.Option("--format", help="Of the summary at the end; the changes are JSON lines.")
    ] = Format.json,
    best: _Best = 5,
) -> None:
    """Read closes from standard input, one a line, and write each change of a position at once, as a JSON line.

    A line is a number or a JSON object with "close" and perhaps "timestamp". At the end comes what 'onekernel sweep'
    would say of all these prices. A line that is no price ends it with status 2.
    """
    with _failures_in_one_line(), _bad_input_in_one_line():
        from . import live_command
        from .lengths import parse_lengths

        combos = _or_bad_usage("--lengths", lambda: parse_lengths(lengths))
        before = None if history is None else (history, column, _closes(history, column))
        live_command.run(combos, fee, before, engine, output_format, best)


@app.command()
def parity(
    file: _Prices,
    fee: _Fee,
    lengths: _Lengths = "6:200:80",
    column: _Column = "close",
    over: Annotated[
        Over, typer.Option(help="Where the live session is: in this process, or in an engine so reached.")
    ] = Over.inproc,
    chunk: Annotated[int, typer.Option(min=1, help="Bars a call; 1 is bar by bar, as in live trading.")] = 1,
    output_format: Annotated[_Form, typer.Option("--format", help="What to write on standard output.")] = _Form.table,
) -> None:
    """Prove on your own prices that live equals batch: every position at every bar, every trade, the pnl to the bit.

    Exit status 1, and the first difference, if it does not.
    """
    with _failures_in_one_line(), _bad_input_in_one_line():
        from . import parity_command
        from .lengths import parse_lengths

        combos = _or_bad_usage("--lengths", lambda: parse_lengths(lengths))
        same = parity_command.run(
            str(file), _closes(file, column), combos, fee, over, chunk, output_format is _Form.json
        )
    raise typer.Exit(0 if same else FAILED)


@app.command(context_settings=_PASSED_ON, add_help_option=False)
def serve(context: typer.Context) -> None:
    """Run the engine program for other programs; all arguments are its own (see serve --help)."""
    _become_engine("serve", context.args)


@app.command(context_settings=_PASSED_ON, add_help_option=False)
def info(
    context: typer.Context,
    engine: Annotated[
        str | None, typer.Option(help="Ask the engine at this URL what it is and what it has done.")
    ] = None,
) -> None:
    """Show the engine program's version, kernels and limits (see info --help), or with --engine URL a running one's."""
    if engine is None:
        _become_engine("info", context.args)
    if unknown := [argument for argument in context.args if argument != "--json"]:
        _fail(f"{unknown[0]}: info --engine URL takes --json and nothing else", BAD_USAGE)
    with _failures_in_one_line():
        from .engine_report import write_engine
        from .opening import connect

        with _or_bad_usage("--engine", lambda: connect(engine)) as running:
            write_engine(running.hello, running.statistics(), as_json="--json" in context.args)


@app.command()
def study(
    out: Annotated[Path, typer.Option(help="The folder for study.json and the report.")] = Path("out"),
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="Two files study.json: say what changed from the first to the second, and measure nothing."),
    ] = None,
    output_format: Annotated[_Form, typer.Option("--format", help="Of a comparison.")] = _Form.table,
) -> None:
    """Measure every way of calling the kernel on this machine, and prove that all compute the same."""
    with _failures_in_one_line():
        if compare is not None:
            raise typer.Exit(_study_commands().compare(*compare, output_format is _Form.json))
        raise typer.Exit(_study_commands().study(out, quick))


@app.command()
def verdict(
    study_json: Annotated[
        Path | None, typer.Argument(help="A study.json, as written by 'onekernel study'; out/study.json if not given.")
    ] = None,
    compute: Annotated[str | None, typer.Option(help="How long one of your calls computes: 0.2ms, 30us, 1.5s.")] = None,
    calls: Annotated[int, typer.Option(min=1, help="How many calls your workload makes.")] = 1,
    payload: Annotated[str | None, typer.Option(help="What each call ships: 1.2MB, 64KiB, 8B.")] = None,
    python: Annotated[
        str | None, typer.Option(help="Your own function, module:function: it is called here and measured.")
    ] = None,
    args: Annotated[
        str | None, typer.Option(help="Its arguments: Python, evaluated in its module, such as 'prices, 20'.")
    ] = None,
    crossing: Annotated[
        str, typer.Option(help="The crossing that you use or plan, by its name in the table.")
    ] = "unix",
    output_format: Annotated[_Form, typer.Option("--format", help="What to write on standard output.")] = _Form.table,
) -> None:
    """Say whether a service boundary costs anything that matters: for the study, or for your own workload."""
    as_json = output_format is _Form.json
    with _failures_in_one_line():
        commands = _study_commands()
        if compute is None and python is None and payload is None and args is None and calls == 1:
            raise typer.Exit(commands.verdict(study_json or Path("out/study.json"), as_json))
        raise typer.Exit(
            commands.workload_verdict(
                study_json=study_json,
                compute=compute,
                calls=calls,
                payload=payload,
                python=python,
                arguments=args,
                crossing=crossing,
                as_json=as_json,
            )
        )


@app.command()
def echo(
    url: Annotated[str, typer.Argument(help="A running engine: unix:/path, tcp://host:port or shm:/path.")],
    floats: Annotated[
        str, typer.Option(help="Sizes of an echo in floats of 8 bytes, such as 1,1000.")
    ] = "1,1000,150000",
    calls: Annotated[int, typer.Option(min=1, help="Calls per size; fewer where they are large.")] = 2000,
    rate: Annotated[
        float | None, typer.Option(help="Calls a second, each timed from when it was due; without it, back to back.")
    ] = None,
    output_format: Annotated[_Form, typer.Option("--format", help="What to write on standard output.")] = _Form.table,
) -> None:
    """Measure a running engine from outside: what a call that computes nothing takes from here to there and back."""
    with _failures_in_one_line():
        sizes = _or_bad_usage("--floats", lambda: _sizes(floats))
        raise typer.Exit(_study_commands().echo(url, sizes, calls, rate, output_format is _Form.json))


def _sizes(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and int(part) > 0 for part in parts):
        raise ValueError(f"{text!r} is no list of sizes; write whole numbers above zero, such as 1,1000,150000")
    return [int(part) for part in parts]


@app.command()
def report(
    study_json: Annotated[Path, typer.Argument(help="A study.json, as written by 'onekernel study'.")] = Path(
        "out/study.json"
    ),
) -> None:
    """Make report.html, report.pdf and report.md again from a study, beside it."""
    with _failures_in_one_line():
        raise typer.Exit(_study_commands().report(study_json))


def _closes(file: Path, column: str) -> npt.NDArray[np.float64]:
    from .readers import read_prices

    prices = read_prices(file, column)
    for note in prices.notes:
        print(f"onekernel: note: {note}", file=sys.stderr)
    return prices.close


def _sweep(
    close: npt.NDArray[np.float64], combos: npt.NDArray[np.int64], fee: float, kernel: str | None, url: str | None
) -> SweepResult:
    from .chunks import sweep_in_parts

    if url is None:
        from .in_process import sweep as run

        with _progress(len(combos)) as advance:
            return sweep_in_parts(lambda part: run(close, part, fee=fee, kernel=kernel), combos, advance)
    from .opening import connect

    with _or_bad_usage("--engine", lambda: connect(url)) as engine, _progress(len(combos)) as advance:
        series = engine.put(f"onekernel sweep {os.getpid()}", close)
        return sweep_in_parts(lambda part: engine.sweep(series, part, fee=fee, kernel=kernel), combos, advance)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("combos"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("sweep", total=total)
        yield lambda done: progress.advance(task, done)


@contextmanager
def _failures_in_one_line() -> Iterator[None]:
    """Turn what may go wrong in a correct program into a line on standard error and exit status 1 (or 130)."""
    from .errors import OneKernelError

    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except (OneKernelError, ImportError, MemoryError) as error:
        _fail(str(error) or "out of memory", FAILED)


@contextmanager
def _bad_input_in_one_line() -> Iterator[None]:
    """Turn what is wrong with a file or a value (ReadError is a ValueError too) into a line and exit status 2."""
    try:
        yield
    except ValueError as error:
        _fail(str(error), BAD_USAGE)


_Value = TypeVar("_Value")


def _or_bad_usage(option: str, make: Callable[[], _Value]) -> _Value:
    try:
        return make()
    except ValueError as error:
        _fail(f"{option}: {error}", BAD_USAGE)


def _check_kernel(kernel: str | None) -> None:
    from ._native import KERNELS

    if kernel is not None and kernel not in KERNELS:
        raise ValueError(f"there is no kernel '{kernel}'; there are: {', '.join(KERNELS)}")


def _become_engine(command: str, arguments: list[str]) -> NoReturn:
    from .errors import EngineNotFound
    from .locate import engine_path

    try:
        program = str(engine_path())
        sys.stdout.flush()
        os.execv(program, [program, command, *arguments])
    except (EngineNotFound, OSError) as error:
        _fail(str(error), FAILED)


def _study_commands() -> ModuleType:
    try:
        from onekernel_study import commands
    except ImportError as error:
        raise ImportError(f"the study needs more packages ({error}): pip install 'onekernel[study]'") from error
    return commands


def _fail(message: str, status: int) -> NoReturn:
    print(f"onekernel: {message}", file=sys.stderr)
    raise typer.Exit(status)
