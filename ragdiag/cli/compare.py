"""`ragdiag compare`: evaluations of several systems over the same queries."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from ragdiag.cli.options import evaluation_directory
from ragdiag.errors import UsageError

_FILE = "compare.json"


def compare(
    directories: Annotated[
        list[Path], typer.Argument(help="Evaluation directories; the first is the baseline.")
    ],
    *,
    baseline: Annotated[
        str | None, typer.Option(help="Another baseline: a run's name or directory.")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(help="recall,ndcg@5,success,…; without @k at the largest k of all runs."),
    ] = None,
    slices: Annotated[
        str | None,
        typer.Option(help="Dimensions whose values are tested too, with commas; all: every one."),
    ] = None,
    correction: Annotated[
        str, typer.Option(help="For the number of tests: holm, bh or none.")
    ] = "holm",
    cluster: Annotated[
        str | None,
        typer.Option(
            help="document, question or a slice dimension: what queries share; none for none."
        ),
    ] = None,
    allow: Annotated[
        str | None,
        typer.Option(help="What may differ all the same: corpus, queries, judge, settings."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help=f"Write {_FILE} and its page, compare.html, to this place."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Compare runs query by query: paired tests, flips, time and cost; exit 0 also if worse.

    +/-/= %: queries better, worse, tied. d_z: the mean difference over its standard deviation.
    broad: many queries carry a difference; few: some large ones do. not shown: p adj over .05.
    front: the runs than which none is as good in the first metric, time and cost and better in one.
    """
    from ragdiag.evaluation.comparable import Asked  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.compare_page import write_comparison_page  # noqa: PLC0415
    from ragdiag.evaluation.comparing import compare_directories  # noqa: PLC0415
    from ragdiag.evaluation.directory import (  # noqa: PLC0415
        MANIFEST,
        REPORT,
        to_json,
        write_atomically,
    )
    from ragdiag.report.compare_lines import print_comparison  # noqa: PLC0415
    from ragdiag.stats.multiplicity import Correction  # noqa: PLC0415

    if correction not in get_args(Correction):
        known = ", ".join(get_args(Correction))
        raise UsageError(f"--correction takes one of {known}; came {correction!r}")
    asked = Asked(
        metrics=_parts("--metrics", metrics),
        slices=_parts("--slices", slices) or (),
        correction=cast("Correction", correction),
        cluster=cluster,
        allow=frozenset(_parts("--allow", allow) or ()),
    )
    places = [evaluation_directory(path) for path in directories]
    if output is not None and output.name in (MANIFEST, REPORT):
        raise UsageError(f"-o {output}: that is a file of an evaluation; name another place")
    found = compare_directories(places, baseline=baseline, asked=asked)
    told, place = to_json(found), None
    if output is not None:
        place = output if output.suffix == ".json" and not output.is_dir() else output / _FILE
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, told)
        write_comparison_page(found, place.with_suffix(".html"))
    if as_json:
        sys.stdout.write(told)
    else:
        print_comparison(found, place=place)


def _parts(option: str, text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise UsageError(f"{option} takes names, with commas; came {text!r}")
    return found
