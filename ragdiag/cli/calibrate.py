"""`ragdiag calibrate`: the embedded judge fitted on people's labels of the user's own data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ragdiag.errors import UsageError


def calibrate(
    samples: Annotated[
        list[Path],
        typer.Argument(help="The samples that were labelled (several are shards), or DIR."),
    ],
    *,
    labels: Annotated[list[Path], typer.Option("--labels", help="People's labels; repeatable.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The model: --judge screen:FILE.")],
    check: Annotated[
        list[str] | None,
        typer.Option("--check", help="Only this check, may be repeated; absent: all that can be."),
    ] = None,
    precision: Annotated[
        float, typer.Option(help="Wanted of each label among those that are decided.")
    ] = 0.9,
    folds: Annotated[int, typer.Option(help="Of the cross-validation, by question.")] = 5,
    by: Annotated[
        str,
        typer.Option(
            help="What never stands in two folds: document (the gold's), or slices, with commas; "
            "the same query and conversation never do; query: nothing else."
        ),
    ] = "document",
    as_json: Annotated[bool, typer.Option("--json", help="Print the model's file.")] = False,
) -> None:
    """Fit the screen's weights and thresholds on labels, and say whether that is any better.

    Of three ways (thresholds alone, slope and intercept too, every weight drawn towards the shipped
    one) cross-validation chooses. Figures are of questions that neither weights nor thresholds saw.
    """
    from ragdiag.evaluation.calibrating import Ask, calibrate_files  # noqa: PLC0415 - fast --help
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415
    from ragdiag.report.calibration_lines import print_calibration  # noqa: PLC0415

    names = tuple(dict.fromkeys(part.strip() for part in by.split(",") if part.strip()))
    if not names:
        raise UsageError(f"--by takes document, query, or the name of a slice; came {by!r}")
    ask = Ask(
        checks=tuple(dict.fromkeys(check)) if check else None,
        precision=precision,
        folds=folds,
        by=names,
    )
    found = calibrate_files(samples, labels, out, ask)
    if as_json:
        sys.stdout.write(to_json(found))
    else:
        print_calibration(found, str(out))
