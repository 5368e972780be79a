"""`ragdiag rescore`, `report`, `explain`: what an evaluation directory tells without a judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

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
        list[str], typer.Argument(help="The id of a query; or an evaluation directory and the id.")
    ],
    *,
    directory: Annotated[
        Path, typer.Option("-d", "--dir", help="The evaluation directory.")
    ] = Path("ragdiag-out"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Tell one query's whole story: what was retrieved, where it failed, and the proof."""
    from ragdiag.diagnosis.explain import story  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415
    from ragdiag.evaluation.explaining import find  # noqa: PLC0415
    from ragdiag.report.terminal import print_story  # noqa: PLC0415

    if len(query) > 2:
        raise UsageError(f"explain takes one query id, came {len(query)} arguments")
    place = evaluation_directory(Path(query[0]) if len(query) > 1 else directory)
    sample, result = find(place, _typed(query[-1]))
    if as_json:
        sys.stdout.write(to_json(result.model_dump(mode="json")))
    else:
        print_story(story(sample, result))


def _typed(text: str) -> str:
    """An argument as UTF-8, also where the locale of the terminal knows no more than ASCII."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return text
