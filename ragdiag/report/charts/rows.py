"""Charts of rows: a name, a mark with its interval on one axis, the figures beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragdiag.report.charts.frame import Margins, framed, plot_width
from ragdiag.report.charts.labels import fitted, shown
from ragdiag.report.charts.labels import width as text_width
from ragdiag.report.charts.look import Look, Palette, Spec

MOST_ROWS = 40

_STEP, _HEADING_STEP, _NOTE_STEP = 22, 32, 40
_RIGHT, _TOP = 225, 30
_NARROWEST, _WIDEST = 130, 300  # of the labels, with what is beside them
_SIZE, _BESIDE = 12, 26


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a chart. `value`, `low`, `high` are drawn as they are, None not at all.

    `told` and `count` stand beside the plot, `note` under the mark. A heading is bold.
    """

    label: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    told: str = ""
    count: str = ""
    note: str = ""
    colour: str | None = None
    shape: str = "circle"
    filled: bool = True
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """The common axis: its ends, how its labels are written (d3-format), what it measures."""

    title: str
    low: float = 0.0
    high: float = 1.0
    format: str = "%"
    rule: float | None = None
    rule_label: str = ""


@dataclass(frozen=True, slots=True)
class Columns:
    """The heads of the two columns beside the plot."""

    told: str
    count: str = "n"


def capped(rows: Sequence[Row], most: int = MOST_ROWS) -> list[Row]:
    """The first rows, then one that says how many more there are. A heading is never last."""
    if sum(not row.heading for row in rows) <= most:
        return list(rows)
    kept: list[Row] = []
    left = most
    for row in rows:
        if not row.heading:
            if not left:
                break
            left -= 1
        kept.append(row)
    while kept and kept[-1].heading:
        kept.pop()
    n_more = sum(not row.heading for row in rows) - most
    return [*kept, Row(label=f"and {n_more} more")]


def row_chart(
    rows: Iterable[Row],
    *,
    title: str,
    subtitle: Sequence[str],
    axis: Axis,
    columns: Columns,
    mark: Literal["bar", "point"],
    look: Look,
) -> Spec:
    """The specification of a chart of rows, top to bottom as given."""
    placed, height = _placed(list(rows), look.palette)
    margins = Margins(left=_left(placed), right=_RIGHT, top=_TOP)
    width = plot_width(look, margins)
    drawn = [[_marks(placed, axis, mark)], _whiskers(placed, axis, mark, look.palette)]
    below, above = drawn if mark == "bar" else reversed(drawn)
    layers = [
        *_rule(axis, look.palette),
        *below,
        *above,
        *_texts(placed, columns, (margins.left, width), look.palette),
    ]
    return framed(layers, title=title, subtitle=subtitle, look=look, margins=margins, height=height)


def _left(rows: list[dict[str, Any]]) -> int:
    """Room for the labels: as much as the longest takes, within bounds."""
    most = max((text_width(row["label"], _SIZE, bold=row["heading"]) for row in rows), default=0)
    return int(min(max(most + _BESIDE, _NARROWEST), _WIDEST)) + 1


def _placed(rows: list[Row], palette: Palette) -> tuple[list[dict[str, Any]], int]:
    """The rows as data, each with the middle of its mark in pixels from the top."""
    found: list[dict[str, Any]] = []
    top = 0
    for row in rows:
        step = _NOTE_STEP if row.note else _HEADING_STEP if row.heading else _STEP
        middle = top + (step - _STEP / 2 if row.heading and not row.note else _STEP / 2)
        label = shown(row.label)
        figures = ", ".join(part for part in (row.told, row.count and f"n {row.count}") if part)
        found.append(
            {
                "y": middle,
                "label": label,
                "value": row.value,
                "low": row.low,
                "high": row.high,
                "told": row.told,
                "count": row.count,
                "note": row.note,
                "colour": row.colour or palette.quiet,
                "fill": (row.colour or palette.quiet) if row.filled else palette.background,
                "shape": row.shape,
                "heading": row.heading,
                "description": f"{label}: {figures}" if figures else label,
            }
        )
        top += step
    return found, top + 6


def _y(**more: Any) -> dict[str, Any]:
    return {"y": {"field": "y", "type": "quantitative", "scale": None, "axis": None, **more}}


def _x(field: str, axis: Axis) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [axis.low, axis.high], "nice": False, "zero": False},
        "axis": {
            "format": axis.format, "title": axis.title, "tickCount": 5, "domain": False,
            "labelFlush": False,
        },
    }  # fmt: skip


def _marks(rows: list[dict[str, Any]], axis: Axis, mark: str) -> dict[str, Any]:
    look: dict[str, Any] = {
        "color": {"field": "colour", "type": "nominal", "scale": None},
        "description": {"field": "description", "type": "nominal"},
    }
    drawn: dict[str, Any] = {"type": "bar", "orient": "horizontal", "height": 11}
    if mark == "point":
        drawn = {"type": "point", "size": 75, "strokeWidth": 1.8, "opacity": 1}
        look = {
            "stroke": look["color"],
            "fill": {"field": "fill", "type": "nominal", "scale": None},
            "shape": {"field": "shape", "type": "nominal", "scale": None},
            "description": look["description"],
        }
    else:
        look["opacity"] = {
            "condition": {"test": "datum.heading", "value": 1}, "value": 0.78,
        }  # fmt: skip
    return {
        "data": {"values": [row for row in rows if row["value"] is not None]},
        "mark": drawn,
        "encoding": {"x": _x("value", axis), **_y(), **look},
    }


def _whiskers(
    rows: list[dict[str, Any]], axis: Axis, mark: str, palette: Palette
) -> list[dict[str, Any]]:
    """Intervals; under points in their own colour, over bars in the colour of text, with an edge
    of the background so that they are seen on any bar."""
    colour: dict[str, Any] = (
        {"value": palette.whisker}
        if mark == "bar"
        else {"field": "colour", "type": "nominal", "scale": None}
    )
    data = {"values": [row for row in rows if row["low"] is not None and row["high"] is not None]}

    def line(width: float, colour: dict[str, Any]) -> dict[str, Any]:
        return {
            "data": data,
            "mark": {"type": "rule", "strokeWidth": width, "opacity": 1, "aria": False},
            "encoding": {"x": _x("low", axis), "x2": {"field": "high"}, **_y(), "color": colour},
        }

    halo = [line(3, {"value": palette.background})] if mark == "bar" else []
    found = [*halo, line(1.4, colour)]
    found += [
        {
            "data": data,
            "mark": {
                "type": "tick", "orient": "vertical", "thickness": 1.4, "size": 7, "opacity": 1,
                "aria": False,
            },
            "encoding": {"x": _x(end, axis), **_y(), "color": colour},
        }
        for end in ("low", "high")
    ]  # fmt: skip
    return found


def _rule(axis: Axis, palette: Palette) -> list[dict[str, Any]]:
    if axis.rule is None:
        return []
    data = {"values": [{"at": axis.rule, "label": axis.rule_label}]}
    x = _x("at", axis)
    return [
        {
            "data": data,
            "mark": {"type": "rule", "strokeWidth": 1.2, "strokeDash": [4, 3], "aria": False},
            "encoding": {"x": x, "color": {"value": palette.text}},
        },
        {
            "data": data,
            "mark": {"type": "text", "dy": -8, "fontSize": 11, "color": palette.quiet},
            "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "label"}},
        },
    ]


def _texts(
    rows: list[dict[str, Any]], columns: Columns, sizes: tuple[int, int], palette: Palette
) -> list[dict[str, Any]]:
    """Labels left of the plot, figures right of it, notes inside; each cut to its place. `sizes`:
    pixels left of the plot, and of the plot."""
    left, width = sizes

    def text(field: str, x: int, room: int, *, bold: bool = False, **mark: Any) -> dict[str, Any]:
        size = mark.setdefault("fontSize", _SIZE)
        values = [
            {"y": row["y"], "text": fitted(row[field], room, size, bold=bold)}
            for row in rows
            if row[field] and (field != "label" or row["heading"] is bold)
        ]
        return {
            "data": {"values": values},
            "mark": {
                "type": "text", "baseline": "middle", "aria": False, "color": palette.text,
                "fontWeight": "bold" if bold else "normal", **mark,
            },
            "encoding": {
                "x": {"value": x}, **_y(), "text": {"field": "text", "type": "nominal"},
            },
        }  # fmt: skip

    def head(told: str, x: int, align: str) -> dict[str, Any]:
        return {
            "data": {"values": [{"text": told}]},
            "mark": {
                "type": "text", "align": align, "dy": -8, "fontSize": 11, "color": palette.quiet,
            },
            "encoding": {
                "x": {"value": x}, "y": {"value": 0}, "text": {"field": "text", "type": "nominal"},
            },
        }  # fmt: skip

    end, right = width + _RIGHT - 16, _RIGHT - 30
    return [
        text("label", -10, left - _BESIDE + 1, align="right"),
        text("label", -10, left - _BESIDE + 1, align="right", bold=True),
        text("told", width + 14, right, align="left"),
        text("count", end, right, align="right", color=palette.quiet),
        text("note", 6, width + right, align="left", dy=19, color=palette.quiet, fontSize=11),
        head(columns.told, width + 14, "left"),
        head(columns.count, end, "right"),
    ]
