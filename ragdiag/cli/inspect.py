"""`ragdiag rescore`, `report`, `explain`: what an evaluation directory tells without a judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ragdiag.cli.ladder import LadderOf, LadderRepeats, LadderTimeout, climb_one, load_ladder
from ragdiag.cli.options import (
    Directory,
    NumberTolerance,
    evaluation_directory,
    parse_cutoffs,
    parse_unit,
)
from ragdiag.errors import UsageError


def rescore(
    directory: Directory,
    *,
    k: Annotated[str | None, typer.Option("-k", "--k", help="Other cut-offs.")] = None,
    unit: Annotated[str | None, typer.Option(help="Another unit.")] = None,
    number_tolerance: NumberTolerance = None,
    corpus: Annotated[Path | None, typer.Option(help="The corpus, where it has moved.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json, no summary.")] = False,
) -> None:
    """Recompute scores and diagnoses from the verdicts on disk: no judge is called."""
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.rescoring import rescore_directory  # noqa: PLC0415
    from ragdiag.report.terminal import print_summary  # noqa: PLC0415

    directory = evaluation_directory(directory)
    changes: dict[str, object] = {}
    if k is not None:
        changes["k"] = parse_cutoffs(k)
    if unit is not None:
        changes["unit"] = parse_unit(unit)
    if number_tolerance is not None:
        changes["number_tolerance"] = number_tolerance
    found = rescore_directory(directory, changes=changes, corpus=corpus)
    if as_json:
        sys.stdout.write(to_json(found))
    else:
        print_summary(found, directory=directory)


def report(
    directory: Directory,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json.")] = False,
) -> None:
    """Print the summary of an evaluation and write its page, report.html, anew."""
    from ragdiag.evaluation import directory as at  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.page import write_page  # noqa: PLC0415
    from ragdiag.report.terminal import print_summary  # noqa: PLC0415

    directory = evaluation_directory(directory)
    found = at.read_report(directory)
    write_page(directory)
    if as_json:
        sys.stdout.write(at.to_json(found))
    else:
        print_summary(found, directory=directory)


def explain(
    query: Annotated[
        list[str] | None,
        typer.Argument(help="The id of a query; or an evaluation directory and the id."),
    ] = None,
    *,
    directory: Annotated[
        Path, typer.Option("-d", "--dir", help="The evaluation directory.")
    ] = Path("ragdiag-out"),
    code: Annotated[
        str | None,
        typer.Option("--code", help="List the queries of a category (G4, X2, none), a line each."),
    ] = None,
    ladder: LadderOf = None,
    ladder_repeats: LadderRepeats = 1,
    ladder_timeout: LadderTimeout = 120.0,
    judge: Annotated[
        str | None,
        typer.Option(
            help="With --ladder: the evaluation's judge, where its name does not suffice."
        ),
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="With --ladder: the corpus, where it has moved.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Tell one query's whole story: what was retrieved, where it failed, and the proof."""
    if code is not None:
        _list(query or [], directory, code=code, as_json=as_json)
        return
    if not query:
        raise UsageError("which query? Give its id, or list those of a category: --code G4")
    from ragdiag.diagnosis.explain import story  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415
    from ragdiag.evaluation.explaining import find  # noqa: PLC0415
    from ragdiag.report.terminal import print_story  # noqa: PLC0415

    if len(query) > 2:
        raise UsageError(f"explain takes one query id, came {len(query)} arguments")
    place = evaluation_directory(Path(query[0]) if len(query) > 1 else directory)
    if ladder is None and (judge, corpus) != (None, None):
        raise UsageError("--judge and --corpus go with --ladder: explain asks nobody else")
    climb = load_ladder(ladder, repeats=ladder_repeats, timeout=ladder_timeout)
    sample, result = find(place, _typed(query[-1]))
    if climb is not None:
        from ragdiag.evaluation.files import Options  # noqa: PLC0415

        options = Options(judge=judge or "")
        sample, result, _ = climb_one(climb, place, sample.query_id, options, corpus=corpus)
    if as_json:
        sys.stdout.write(to_json(result.model_dump(mode="json")))
    else:
        print_story(story(sample, result))


def _list(given: list[str], directory: Path, *, code: str, as_json: bool) -> None:
    """Prints the queries of a category; with --json their results, a JSON list."""
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.explaining import code_named, with_code  # noqa: PLC0415
    from ragdiag.report.listing import print_listing  # noqa: PLC0415

    if len(given) > 1:
        raise UsageError(
            f"--code lists all queries of a category: no query id with it, came {given[-1]!r}"
        )
    place = evaluation_directory(Path(given[0]) if given else directory)
    named = code_named(code)
    found = with_code(place, named)
    if as_json:
        sys.stdout.write(to_json([result.model_dump(mode="json") for _, result in found]))
    else:
        print_listing(named, found)


def _typed(text: str) -> str:
    """An argument as UTF-8, also where the locale of the terminal knows no more than ASCII."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return text
