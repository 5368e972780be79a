"""`ragdiag plot`: charts of an evaluation or a comparison, as SVG or PNG."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, cast, get_args

import typer

from ragdiag.cli.options import evaluation_directory, finite
from ragdiag.errors import UsageError

Theme = Literal["light", "dark"]
Format = Literal["svg", "png"]

_SMALLEST, _LARGEST = 0.1, 4.0  # of the scale: beyond, a picture takes gigabytes


def plot(
    source: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="An evaluation directory, or a compare.json."),
    ],
    *,
    chart: Annotated[
        list[str] | None,
        typer.Option(
            "--chart",
            help="categories, fixfirst, funnel, recall, slices; of a comparison: compare, "
            "tradeoff. Several: repeat. Default: all that can be drawn.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="FILE.svg, FILE.png or a folder [default: DIR/charts]"),
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="svg or png; else by the file's suffix, else svg")
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="Another metric, of recall, slices, compare or tradeoff.")
    ] = None,
    dimension: Annotated[
        str | None, typer.Option("--slice", help="One dimension, of slices or compare.")
    ] = None,
    width: Annotated[
        int, typer.Option(min=400, max=4000, help="Of the picture, in pixels at scale 1.")
    ] = 860,
    scale: Annotated[float, typer.Option(help="Of a PNG: pixels for each pixel of --width.")] = 2.0,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
) -> None:
    """Draw charts: where it fails, where evidence is lost, slices, what changed. No network."""
    from ragdiag.evaluation.plotting import plot as draw  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.charts.look import Look  # noqa: PLC0415
    from ragdiag.report.visible import one_line  # noqa: PLC0415

    if theme not in get_args(Theme):
        raise UsageError(f"--theme takes light or dark; came {theme!r}")
    if form is not None and form not in get_args(Format):
        raise UsageError(f"--format takes svg or png; came {form!r}")
    finite("--scale", scale)
    if not _SMALLEST <= scale <= _LARGEST:
        raise UsageError(f"--scale takes {_SMALLEST:g} to {_LARGEST:g}; came {scale:g}")
    look = Look(theme=cast("Theme", theme), width=width, metric=metric, dimension=dimension)
    plotted = draw(
        source if source.suffix == ".json" else evaluation_directory(source),
        output=output,
        names=chart or (),
        look=look,
        form=cast("Format | None", form),
        scale=scale,
    )
    for name, path in plotted.files.items():
        print(f"{name:11} {path}")
    for name, why in plotted.left_out.items():
        print(f"{name:11} not drawn: {one_line(why)}")
    for warning in plotted.warnings:
        print(f"warning: {one_line(warning)}", file=sys.stderr)
