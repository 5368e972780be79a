"""The command `ragdiag`: its subcommands, and how exceptions become exit codes."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import typer

from ragdiag.cli import (
    agreement,
    ann,
    cache,
    calibrate,
    check,
    collect,
    compare,
    convert,
    estimate,
    evaluate,
    export,
    gate,
    inspect,
    judge_tests,
    plan,
    plot,
    pool,
    ragas,
    retrieval,
    review,
    sample,
    split,
)
from ragdiag.errors import DataError, IncompleteError, RagdiagError

OK, GATE_FAILED, BAD_INPUT, INCOMPLETE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 130
TERMINATED = 143

app = typer.Typer(
    name="ragdiag",
    help="Which layer of a RAG system failed, for every query, with the proof.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("evaluate")(evaluate.evaluate)
app.command("estimate")(estimate.estimate)
app.command("check")(check.check)
app.command("collect")(collect.collect)
app.command("compare")(compare.compare)
app.command("convert")(convert.convert)
app.command("export")(export.export)
app.command("rescore")(inspect.rescore)
app.command("report")(inspect.report)
app.command("explain")(inspect.explain)
app.command("agreement")(agreement.agreement)
app.command("calibrate")(calibrate.calibrate)
app.command("gate")(gate.gate)
app.command("retrieval")(retrieval.retrieval)
app.command("ann")(ann.ann)
app.command("plot")(plot.plot)
app.command("pool")(pool.pool)
app.command("plan")(plan.plan)
app.command("review")(review.review)
app.command("split")(split.split)
app.command("sample")(sample.sample)
app.command("ragas")(ragas.ragas)
app.add_typer(cache.app, name="cache")
app.add_typer(judge_tests.group, name="judge")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version  # noqa: PLC0415 - needed here only

        print(version("ragdiag-eval"))
        raise typer.Exit


@app.callback()
def _main(
    *,
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", callback=_version, is_eager=True
    ),
) -> None:
    """Which layer of a RAG system failed, for every query, with the proof."""


def run() -> NoReturn:
    """Runs the command line and exits with the code of what happened.

    0 ok · 1 gate failed · 2 usage or data error · 3 incomplete · 4 internal · 130 interrupted ·
    143 terminated.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller (">&-"): what is said goes nowhere
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # what the terminal cannot show is replaced, never fatal
            reconfigure(errors="replace")
    with _terminable() as signals:
        code = _code()
    if signals and code in (INTERRUPTED, INTERNAL):
        code = TERMINATED
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone before the last lines: nothing is left to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


@contextmanager
def _terminable() -> Generator[list[int]]:
    """SIGTERM ends as Ctrl-C does: calls are cancelled, half-written files removed. Yields the
    signals that came."""
    came: list[int] = []

    def terminate(number: int, frame: FrameType | None) -> None:
        came.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):  # an event loop that runs has its own, which cancels its work
            interrupt(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, before)


def _code() -> int:
    try:
        app(standalone_mode=True, prog_name="ragdiag")
    except SystemExit as stop:
        return _stopped(stop)
    except IncompleteError as fault:
        print(f"incomplete: {fault}", file=sys.stderr)
        return INCOMPLETE
    except RagdiagError as fault:
        print(f"error: {fault}", file=sys.stderr)
        if isinstance(fault, DataError):
            for problem in fault.problems:
                if str(problem) not in str(fault):
                    print(f"  {problem}", file=sys.stderr)
        return BAD_INPUT
    except OSError as fault:  # a place that cannot be read or written: the user's to mend
        where = f"{fault.filename}: " if fault.filename is not None else ""
        print(f"error: {where}{fault.strerror or fault}", file=sys.stderr)
        return BAD_INPUT
    except Exception:  # noqa: BLE001 - the last guard: an unknown fault is exit 4, never silent
        traceback.print_exc()
        print("internal error: please report this with the lines above", file=sys.stderr)
        return INTERNAL
    return OK


def _stopped(stop: SystemExit) -> int:
    """The code of what typer made of an exception: it maps all to exits, some to the wrong one."""
    if isinstance(stop.__context__, BrokenPipeError):  # our reader has gone, as with `| head`
        return OK
    if stop.code == INTERRUPTED:
        print("interrupted: what was done is kept; the same command goes on", file=sys.stderr)
    return stop.code if isinstance(stop.code, int) else BAD_INPUT
