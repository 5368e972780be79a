"""`ragdiag agreement`: can the judge be trusted? People's labels beside its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ragdiag.cli.options import ClusterBy, Directory, evaluation_directory


def agreement(
    directory: Directory,
    *,
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            "--labels",
            help="People's labels, may be repeated; absent: DIR/labels.jsonl, else those of the "
            "evaluation.",
        ),
    ] = None,
    cluster: ClusterBy = None,
    misses: Annotated[int, typer.Option(min=0, help="Misses to show of each check.")] = 5,
    save: Annotated[
        bool,
        typer.Option(
            "--save/--no-save",
            help="Keep the outcome in DIR/validation.json and show it in every report.",
        ),
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print validation.json.")] = False,
) -> None:
    """Judge against people and people against people: table, TPR, TNR, kappa, AC1, alpha.

    By check and slice, with 95% intervals by query (or --cluster). A check is trusted with 30
    labels of its rarer class and lower bounds of TPR and TNR of 0.7.
    """
    from ragdiag.evaluation import judge_validation  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.correcting import corrections_of  # noqa: PLC0415
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415
    from ragdiag.evaluation.people_labels import standing_labels  # noqa: PLC0415
    from ragdiag.report.agreement_lines import print_agreement  # noqa: PLC0415
    from ragdiag.report.corrected import corrected_lines  # noqa: PLC0415

    place = evaluation_directory(directory)
    found = judge_validation.measure(place, labels or (), cluster=cluster)
    rates: list[str] = []
    if save:
        files = judge_validation.files_of_labels(place, labels or ())
        corrections, warning = corrections_of(place, standing_labels(files))
        rates += corrected_lines(judge_validation.save(place, found, corrections))
        if warning is not None:
            print(f"warning: {warning}", file=sys.stderr)
    if as_json:
        sys.stdout.write(to_json(found))
    else:
        kept = str(place / judge_validation.VALIDATION) if save else None
        print_agreement(found, misses=misses, corrected=rates, saved=kept)
