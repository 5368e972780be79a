"""`ragdiag check`: what is wrong with the files, and what they allow to be measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ragdiag.cli.options import CorpusFile, QueriesFiles, RunFiles, SampleFiles


def check(
    samples: SampleFiles = None,
    *,
    queries: QueriesFiles = None,
    run: RunFiles = None,
    corpus: CorpusFile = None,
    labels: Annotated[Path | None, typer.Option(help="People's labels.")] = None,
    dev: Annotated[
        Path | None,
        typer.Option(help="The development split: what the samples share with it is no test."),
    ] = None,
    traffic: Annotated[
        Path | None,
        typer.Option(help="Real queries (JSONL, Parquet, CSV, or one a line) to compare with."),
    ] = None,
    run_info: Annotated[
        Path | None, typer.Option(help='Run facts; "guideline" names the labelling guideline.')
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Validate files without evaluating, and say how far the set can be concluded from.

    Exit 2 where anything is wrong with the files; findings about the set change no exit code.
    """
    from ragdiag.evaluation.checking import check_files  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415
    from ragdiag.evaluation.files import Inputs  # noqa: PLC0415
    from ragdiag.report.check import print_check  # noqa: PLC0415

    found = check_files(
        Inputs(
            samples=tuple(samples or ()),
            queries=tuple(queries or ()),
            run=tuple(run or ()),
            corpus=corpus,
            labels=labels,
            run_info=run_info,
        ),
        dev=dev,
        traffic=traffic,
    )
    if as_json:
        sys.stdout.write(to_json(found))
    else:
        print_check(found)
    if found["n_problems"]:
        raise typer.Exit(2)
