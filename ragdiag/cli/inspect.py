"""`ragdiag rescore`, `report`, `explain`: what an evaluation directory tells without a judge."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from ragdiag.cli.ladder import LadderOf, LadderRepeats, LadderTimeout, climb_one, load_ladder
from ragdiag.cli.options import (
    ClusterBy,
    Directory,
    MinCoverage,
    NumberTolerance,
    evaluation_directory,
    finite,
    parse_cutoffs,
    parse_unit,
    summing_changes,
)
from ragdiag.errors import UsageError


def rescore(
    directory: Directory,
    *,
    k: Annotated[str | None, typer.Option("-k", "--k", help="Other cut-offs.")] = None,
    unit: Annotated[str | None, typer.Option(help="Another unit.")] = None,
    number_tolerance: NumberTolerance = None,
    corpus: Annotated[Path | None, typer.Option(help="The corpus, where it has moved.")] = None,
    cluster: ClusterBy = None,
    min_coverage: MinCoverage = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json, no summary.")] = False,
) -> None:
    """Recompute scores and diagnoses from the verdicts on disk: no judge is called."""
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.rescoring import rescore_directory  # noqa: PLC0415
    from ragdiag.report.terminal import print_summary  # noqa: PLC0415

    directory = evaluation_directory(directory)
    changes = summing_changes(cluster=cluster, min_coverage=min_coverage)
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
    cluster: ClusterBy = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Only these query ids, comma-separated, or @FILE, one a line."),
    ] = None,
    slices: Annotated[
        list[str] | None,
        typer.Option("--slice", help="DIMENSION=VALUE: only these queries; may be repeated."),
    ] = None,
    min_coverage: MinCoverage = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json.")] = False,
) -> None:
    """Print the summary of an evaluation and write its page, report.html, anew.

    With --cluster, --only, --slice or --min-coverage the aggregates are made anew and only printed:
    the directory stays as it is (`rescore --cluster` keeps them).
    """
    from ragdiag.evaluation import directory as at  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.terminal import print_summary  # noqa: PLC0415

    directory = evaluation_directory(directory)
    if cluster is not None or only or slices or min_coverage is not None:
        from ragdiag.evaluation.aggregating import view  # noqa: PLC0415

        found = view(
            directory,
            only=_ids(only or ()),
            slices=[_dimension_value(one) for one in slices or ()],
            cluster=cluster,
            min_coverage=finite("--min-coverage", min_coverage),
        )
    else:
        from ragdiag.evaluation.page import write_page  # noqa: PLC0415

        found = at.read_report(directory)
        write_page(directory)
    if as_json:
        sys.stdout.write(at.to_json(found))
    else:
        print_summary(found, directory=directory)


def _ids(given: Iterable[str]) -> list[str]:
    """ "q1,q2" and "@ids.txt" -> the ids; UsageError for a file that holds none."""
    found: list[str] = []
    for one in given:
        if one.startswith("@"):
            try:
                lines = Path(one[1:]).read_text(encoding="utf-8").splitlines()
            except UnicodeDecodeError:
                raise UsageError(f"--only {one}: is no text in UTF-8") from None
            ids = [line.strip() for line in lines if line.strip()]
        else:
            ids = [part.strip() for part in one.split(",") if part.strip()]
        if not ids:
            raise UsageError(f"--only {one}: names no query")
        found += ids
    return found


def _dimension_value(text: str) -> tuple[str, str]:
    dimension, equals, value = text.partition("=")
    if not equals or not dimension or not value:
        raise UsageError(f"--slice takes DIMENSION=VALUE (year=2017); came {text!r}")
    return dimension, value


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
    flag: Annotated[
        str | None,
        typer.Option("--flag", help="List the queries with a flag (ladder_disagrees), likewise."),
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
    if code is not None and flag is not None:
        raise UsageError("--code and --flag are two lists: ask for one")
    if code is not None or flag is not None:
        _list(query or [], directory, code=code, flag=flag, as_json=as_json)
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


def _list(
    given: list[str], directory: Path, *, code: str | None, flag: str | None, as_json: bool
) -> None:
    """Prints the queries of a category or flag; with --json their results, a JSON list."""
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.explaining import code_named, with_code, with_flag  # noqa: PLC0415
    from ragdiag.report.listing import print_listing  # noqa: PLC0415

    if len(given) > 1:
        raise UsageError(
            f"--code and --flag list all their queries: no query id with it, came {given[-1]!r}"
        )
    place = evaluation_directory(Path(given[0]) if given else directory)
    named = None if code is None else code_named(code)
    found = with_code(place, named) if flag is None else with_flag(place, flag)
    if as_json:
        sys.stdout.write(to_json([result.model_dump(mode="json") for _, result in found]))
    else:
        print_listing(named, found, flag=flag)


def _typed(text: str) -> str:
    """An argument as UTF-8, also where the locale of the terminal knows no more than ASCII."""
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return text
