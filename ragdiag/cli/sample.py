"""`ragdiag sample`: what people should label of an evaluation."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ragdiag.cli.options import Directory, evaluation_directory
from ragdiag.errors import UsageError


def sample(
    directory: Directory,
    *,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The queue; DIR/queue.jsonl.")
    ] = None,
    audit: Annotated[
        int | None,
        typer.Option(min=0, help="Items drawn at random in all, shared out over the checks."),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(help="Instead: of the 95% interval of each check's rate (0.1)."),
    ] = None,
    fix: Annotated[int, typer.Option(min=0, help="Items to look at first, at most.")] = 50,
    checks: Annotated[
        str | None,
        typer.Option(help="With commas; those that the judge has verdicts on where absent."),
    ] = None,
    double: Annotated[
        float, typer.Option(min=0, max=1, help="Share that two people are to label.")
    ] = 0.2,
    by: Annotated[
        str | None,
        typer.Option("--slice", help="Strata by this slice too; one of 2 to 10 values; none."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the draw; 0, or the queue's own.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Draw anew, whatever queue is there.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was drawn as JSON.")] = False,
) -> None:
    """Write the queue of what to label: an audit at random (it alone feeds estimates), and a fix
    queue, disagreement first.

    The order of the fix queue: jury split, quote not found, undetermined (X2) by its deciding
    input, X3, X4, A3, injection suspected, score near the threshold, unlabelled passage on top.
    Run again, it keeps the items that are there and adds what is asked for.
    """
    from ragdiag.evaluation.directory import read_pairs, to_json  # noqa: PLC0415 - fast --help
    from ragdiag.review.queue import Ask, make_queue  # noqa: PLC0415
    from ragdiag.review.queue import as_json as told_as_json  # noqa: PLC0415
    from ragdiag.review.queue_file import QUEUE  # noqa: PLC0415
    from ragdiag.review.queue_lines import print_told  # noqa: PLC0415

    if audit is not None and half_width is not None:
        raise UsageError("--audit N says how many, --half-width W how exact: give one of them")
    if half_width is not None and not 0 < half_width < 0.5:
        raise UsageError(f"--half-width takes a number over 0 and under 0.5; came {half_width}")
    if not 0 <= double <= 1:
        raise UsageError(f"--double takes a share from 0 to 1; came {double}")
    place = evaluation_directory(directory)
    path = place / QUEUE if output is None else output
    ask = Ask(
        audit=audit,
        half_width=half_width,
        fix=fix,
        checks=_checks(checks),
        double=double,
        seed=seed,
        dimension=_dimension(place, by),
        fresh=fresh,
    )
    told = make_queue(lambda: read_pairs(place), path, ask)
    if as_json:
        sys.stdout.write(to_json({"queue": str(path), **told_as_json(told)}))
    else:
        print_told(told, path)


def _checks(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    from ragdiag.review.items import UNITS  # noqa: PLC0415 - keeps --help fast

    names = {**{unit: check for check, unit in UNITS.items()}, **{check: check for check in UNITS}}
    asked = [part.strip() for part in text.split(",") if part.strip()]
    unknown = [name for name in asked if name not in names]
    if unknown or not asked:
        raise UsageError(
            f"--checks: no check {', '.join(map(repr, unknown)) or repr(text)}; "
            f"known: {', '.join(UNITS)}"
        )
    return tuple(dict.fromkeys(names[name] for name in asked))


def _dimension(directory: Path, name: str | None) -> str | None:
    """The slice that was named, else the one that divides the queries best."""
    from ragdiag.evaluation.directory import read_report  # noqa: PLC0415 - keeps --help fast
    from ragdiag.review.queue_design import dimension_of  # noqa: PLC0415

    slices = {
        dimension: {value: int(told["n"]) for value, told in values.items()}
        for dimension, values in read_report(directory)["slices"].items()
    }
    if name is None:
        return dimension_of(slices)
    if name in slices:
        return name
    if name == "none":
        return None
    known = ", ".join(sorted(slices)[:20]) or "none"
    raise UsageError(f"--slice {name}: no query has a slice of this name; the slices are: {known}")
