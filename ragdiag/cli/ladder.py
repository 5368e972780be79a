"""`--ladder` of `evaluate` and `explain`: a stage proven through a user's generator."""

from __future__ import annotations

import sys
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragdiag.errors import UsageError

if TYPE_CHECKING:
    from ragdiag.collecting.generators import Generator
    from ragdiag.evaluation.files import Options
    from ragdiag.evaluation.ladder_choice import Climb, Climbed
    from ragdiag.records import LadderRecord, Sample, SampleResult

LadderOf = Annotated[
    str | None,
    typer.Option(
        "--ladder",
        help="Proves the stage: module:function, generate(query, passages) -> answer (a passage "
        "is a dict with text), asked without passages, with the retrieved ones, "
        "with the gold added, with the gold alone.",
    ),
]
LadderFor = Annotated[
    str,
    typer.Option("--ladder-for", help="Which queries: failures, all, or codes (R1,R2a,X2)."),
]
LadderLimit = Annotated[
    int | None,
    typer.Option("--ladder-limit", min=1, help="So many queries at most, the same ones each time."),
]
LadderRepeats = Annotated[
    int,
    typer.Option("--ladder-repeats", min=1, help="Ask each rung so often; the majority counts."),
]
LadderConcurrency = Annotated[
    int | None,
    typer.Option(
        "--ladder-concurrency", min=1, help="Queries at once: 8, but 1 for a blocking function."
    ),
]
LadderTimeout = Annotated[
    float, typer.Option("--ladder-timeout", min=0.001, help="Seconds an answer may take.")
]


@dataclass(frozen=True)
class Ladder:
    """A generator that is loaded, and how it is to be asked."""

    generator: Generator
    climb: Climb


def load_ladder(
    spec: str | None,
    *,
    chosen: str = "failures",
    limit: int | None = None,
    repeats: int = 1,
    concurrency: int | None = None,
    timeout: float = 120.0,
) -> Ladder | None:
    """What the options name, before anything else is done; None without `--ladder`."""
    if spec is None:
        return None
    from ragdiag.cli.options import finite  # noqa: PLC0415 - keeps --help fast
    from ragdiag.collecting.generators import load_generator  # noqa: PLC0415
    from ragdiag.evaluation.ladder_choice import Climb  # noqa: PLC0415

    climb = Climb(
        codes=parse_codes(chosen),
        limit=limit,
        repeats=repeats,
        concurrency=concurrency,
        timeout=finite("--ladder-timeout", timeout),
    )
    # What a user's module prints is no part of our output, nor is where it goes our place.
    with redirect_stdout(sys.stderr), chdir(Path.cwd()):
        return Ladder(load_generator(spec), climb)


def parse_codes(text: str) -> frozenset[str] | None:
    """ "failures", "all" (None) or "R1,X2"; UsageError names the codes that there are."""
    from ragdiag.diagnosis.catalogue import CODES  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.ladder_choice import FAILURES  # noqa: PLC0415

    if text in ("failures", "all"):
        return FAILURES if text == "failures" else None
    asked = [part.strip() for part in text.split(",") if part.strip()]
    unknown = [code for code in asked if code not in CODES]
    if unknown or not asked:
        raise UsageError(
            f"--ladder-for: no code {', '.join(map(repr, unknown)) or repr(text)}; known: "
            f"failures, all, {', '.join(CODES)}"
        )
    return frozenset(asked)


def climb_after(
    ladder: Ladder, directory: Path, options: Options
) -> tuple[dict[str, Any], Climbed]:
    """Climbs the queries of an evaluation and rescores it: the new report, and what was asked."""
    from ragdiag.evaluation.rescoring import rescore_directory  # noqa: PLC0415

    corpus, tally = _climb(ladder, directory, options)
    return rescore_directory(directory, opened=corpus), tally


def climb_one(
    ladder: Ladder, directory: Path, query_id: str, options: Options, *, corpus: Path | None
) -> tuple[Sample, SampleResult, Climbed]:
    """One query's ladder, stored; its sample and its result with it.

    The results of the directory hold it too, unless they hold another generator's.
    """
    from ragdiag.evaluation.climbing import counts  # noqa: PLC0415
    from ragdiag.evaluation.explaining import find  # noqa: PLC0415
    from ragdiag.evaluation.ladder_log import read_ladder  # noqa: PLC0415
    from ragdiag.evaluation.rescoring import rescore_directory, rescored_by  # noqa: PLC0415

    only = replace(ladder, climb=replace(ladder.climb, only=query_id))
    opened, tally = _climb(only, directory, options, corpus=corpus)
    if counts(read_ladder(directory), ladder.generator):
        rescore_directory(directory, opened=opened)
        return *find(directory, query_id), tally
    generator = ladder.generator
    print(
        f"warning: the ladder of {directory} is of another generator; {generator.name} is told "
        "here, and kept, but not mixed into the results",
        file=sys.stderr,
    )
    found = rescored_by(directory, query_id, generator.name, generator.source_hash, opened=opened)
    return *found, tally


def _climb(
    ladder: Ladder, directory: Path, options: Options, *, corpus: Path | None = None
) -> tuple[Any, Climbed]:
    import asyncio  # noqa: PLC0415 - keeps --help fast

    from ragdiag.cli.progress import progress  # noqa: PLC0415
    from ragdiag.evaluation.climbing import climb_directory, opened_judges  # noqa: PLC0415
    from ragdiag.evaluation.rescoring import open_corpus_of  # noqa: PLC0415

    opened, place = open_corpus_of(directory, corpus), directory.absolute()

    async def work(step: Any, total: Any) -> Climbed:
        judges = opened_judges(place, options)

        def plan(tally: Climbed) -> None:
            print(f"ladder: {_plan_line(tally, ladder)}", file=sys.stderr)
            total(tally.n_calls)

        try:
            return await climb_directory(
                place,
                ladder.generator,
                ladder.climb,
                judges,
                corpus=opened,
                on_plan=plan,
                on_said=step,
            )
        finally:
            await judges.aclose()

    doing = progress("climbing", of="calls")
    with redirect_stdout(sys.stderr), chdir(Path.cwd()), doing as shown:
        tally = asyncio.run(work(_step_of(shown.step), shown.total))
    print(f"ladder: {_done_line(tally)}", file=sys.stderr)
    return opened, tally


def _step_of(step: Any) -> Any:
    def said(record: LadderRecord) -> None:
        if step is not None:
            step(record)

    return said


def _plan_line(tally: Climbed, ladder: Ladder) -> str:
    from ragdiag.evaluation.ladder_choice import WHY_NOT  # noqa: PLC0415
    from ragdiag.report.numbers import counted  # noqa: PLC0415

    line = (
        f"{counted(tally.n_queries, 'query', 'queries')}, {counted(tally.n_calls, 'call')} of "
        f"{ladder.generator.name} to make"
    )
    if tally.n_kept:
        line += f" ({tally.n_kept} kept from before)"
    more = [f"{n} left out: {WHY_NOT[why]}" for why, n in sorted(tally.left_out.items())]
    if tally.n_over_limit:
        more.append(f"{tally.n_over_limit} over --ladder-limit")
    return "; ".join([line, *more])


def _done_line(tally: Climbed) -> str:
    from ragdiag.report.numbers import counted  # noqa: PLC0415

    line = f"{counted(tally.n_asked, 'call')} made"
    if not tally.n_errors:
        return line
    kinds = ", ".join(f"{kind} {n}" for kind, n in tally.kinds.most_common(5))
    return f"{line}, {tally.n_errors} failed ({kinds}); first {tally.first_error}"
