"""The frame of every chart: its size to the pixel, title, what it is of, background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.report.charts.labels import fitted, wrapped
from ragdiag.report.charts.look import Look, Spec, config

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
"""Names the grammar; nothing is fetched from there."""

_EDGE = 20
_TITLE, _LINE = 22, 16
_LARGE, _SMALL = 16, 12  # sizes of title and subtitle
_SMALLEST = 120  # pixels of the plot itself


@dataclass(frozen=True, slots=True)
class Margins:
    """Pixels around the plot; `top` is between subtitle and plot."""

    left: int
    right: int
    top: int = 24
    bottom: int = 50


class UndrawableError(UsageError):
    """What a chart needs is not in the report; the message says what, and how to get it."""


def plot_width(look: Look, margins: Margins) -> int:
    """Pixels that are left for the plot; UsageError where that is too little to read."""
    left = look.width - margins.left - margins.right
    if left < _SMALLEST:
        raise UsageError(
            f"--width {look.width} is too narrow for this chart: take "
            f"{look.width - left + _SMALLEST} or more"
        )
    return left


def framed(
    layers: Sequence[dict[str, Any]],
    *,
    title: str,
    subtitle: Sequence[str],
    look: Look,
    margins: Margins,
    height: int,
) -> Spec:
    """A whole specification, of `look.width` pixels and as high as its rows need.

    Sizes are fixed (autosize none), so that a label of any length cannot move the plot.
    """
    width = plot_width(look, margins)
    palette = look.palette
    lines = wrapped(subtitle, look.width - 2 * _EDGE, _SMALL)
    above = _EDGE + _TITLE + _LINE * len(lines) + margins.top
    return {
        "$schema": SCHEMA,
        "description": f"{title}. {' '.join(lines)}",
        "width": width,
        "height": height,
        "autosize": {"type": "none"},
        "padding": {
            "left": margins.left, "right": margins.right, "top": above, "bottom": margins.bottom,
        },
        "background": palette.background,
        "config": config(palette),
        "layer": [*layers, *_heading(title, lines, look, x=_EDGE - margins.left, top=-above)],
    }  # fmt: skip


def _heading(title: str, lines: Sequence[str], look: Look, *, x: int, top: int) -> list[Spec]:
    """Title and subtitle as texts at fixed places: a title of the grammar is moved about by
    whatever stands above the plot."""
    palette = look.palette
    cut = fitted(title, look.width - 2 * _EDGE, _LARGE, bold=True)
    rows = [(cut, _EDGE, palette.text, _LARGE, "bold")]
    rows += [
        (line, _EDGE + _TITLE + 4 + at * _LINE, palette.quiet, _SMALL, "normal")
        for at, line in enumerate(lines)
    ]
    return [
        {
            "data": {"values": [{"text": text}]},
            "mark": {
                "type": "text", "align": "left", "baseline": "middle", "color": colour,
                "fontSize": size, "fontWeight": weight, "aria": False,
            },
            "encoding": {
                "x": {"value": x},
                "y": {"value": top + y},
                "text": {"field": "text", "type": "nominal"},
            },
        }
        for text, y, colour, size, weight in rows
    ]  # fmt: skip
