"""Points in a plane, each with a letter, and the table under it that says what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragdiag.report.charts.labels import fitted, width
from ragdiag.report.charts.look import Look

ROW = 19
"""Pixels of a row of the table."""

_HEAD = 78  # from the plot to the first row: axis, its title, the heads
_SIZE = 12
_ROOM = 0.12  # of the span, around the points
_GAP = 18  # between columns


@dataclass(frozen=True, slots=True)
class Point:
    """A point with its interval; `cells` are its row of the table, by column."""

    x: float
    value: float
    low: float | None
    high: float | None
    cells: Sequence[str]
    filled: bool
    shape: str


def table_height(n: int) -> int:
    """Pixels under the plot that axis and table of n points take."""
    return _HEAD + ROW * n + 10


def plane(
    points: Sequence[Point],
    *,
    look: Look,
    titles: tuple[str, str],
    heads: Sequence[str],
    size: tuple[int, int],
) -> list[dict[str, Any]]:
    """The layers: `titles` of the axes, `heads` of the columns, `size` of the plot in pixels."""
    palette = look.palette
    rows = [_data(at, point, heads, look) for at, point in enumerate(points)]
    data = {"values": rows}
    x, y = _x(rows, titles[0]), _y(rows, titles[1])
    colour = {"field": "colour", "type": "nominal", "scale": None}
    letter = {"field": "letter", "type": "nominal"}
    whiskers = {"values": [row for row in rows if row["low"] is not None]}
    edge = {"stroke": palette.background, "strokeWidth": 4, "strokeJoin": "round"}
    beside: dict[str, Any] = {
        "type": "text", "align": "left", "dx": 9, "dy": -9, "fontWeight": "bold", "aria": False,
    }  # fmt: skip
    return [
        {
            "data": {"values": [{"at": 0.0}]},
            "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.2, "aria": False},
            "encoding": {"y": {**y, "field": "at"}, "color": {"value": palette.text}},
        },
        {
            "data": whiskers,
            "mark": {"type": "rule", "strokeWidth": 1.4, "opacity": 1, "aria": False},
            "encoding": {
                "x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour,
            },
        },
        {
            "data": data,
            "mark": {"type": "point", "size": 95, "strokeWidth": 1.8, "opacity": 1},
            "encoding": {
                "x": x, "y": y, "stroke": colour, "fill": {**colour, "field": "fill"},
                "shape": {"field": "shape", "type": "nominal", "scale": None},
                "description": {"field": "description", "type": "nominal"},
            },
        },
        {"data": data, "mark": {**beside, **edge, "color": palette.background},
         "encoding": {"x": x, "y": y, "text": letter}},
        {"data": data, "mark": {**beside, "color": palette.text},
         "encoding": {"x": x, "y": y, "text": letter}},
        *_table(rows, points, heads, look, size),
    ]  # fmt: skip


def _data(at: int, point: Point, heads: Sequence[str], look: Look) -> dict[str, Any]:
    colour = look.palette.better if point.filled else look.palette.quiet
    named = [f"{head} {cell}" for head, cell in zip(heads[1:], point.cells[1:], strict=True)]
    return {
        "letter": chr(ord("a") + at),
        "x": point.x,
        "value": point.value,
        "low": point.low,
        "high": point.high,
        "colour": colour,
        "fill": colour if point.filled else look.palette.background,
        "shape": point.shape,
        "description": f"{point.cells[0]}: {', '.join(named)}",
    }


def _table(
    rows: list[dict[str, Any]],
    points: Sequence[Point],
    heads: Sequence[str],
    look: Look,
    size: tuple[int, int],
) -> list[dict[str, Any]]:
    """Columns as wide as their texts; the first, the names, takes no more than the others leave."""
    columns = [[point.cells[at] for point in points] for at in range(len(heads))]
    needed = [
        int(max(width(text, _SIZE) for text in (head, *cells))) + _GAP
        for head, cells in zip(heads, columns, strict=True)
    ]
    room = min(needed[0], size[0] - _GAP - sum(needed[1:]))
    starts = [_GAP, *(_GAP + room + sum(needed[1:at]) for at in range(1, len(heads)))]
    top = size[1] + _HEAD
    head: list[dict[str, Any]] = []
    names: list[dict[str, Any]] = [
        {"x": 0, "y": top + ROW * at, "text": row["letter"]} for at, row in enumerate(rows)
    ]
    body: list[dict[str, Any]] = []
    for start, told, cells, own in zip(starts, heads, columns, [room, *needed[1:]], strict=True):
        head.append({"x": start, "y": top - ROW, "text": told})
        body += [
            {"x": start, "y": top + ROW * at, "text": fitted(cell, own - _GAP / 2, _SIZE)}
            for at, cell in enumerate(cells)
        ]
    quiet = look.palette.quiet
    return [_texts(head, color=quiet), _texts(body), _texts(names, fontWeight="bold")]


def _texts(values: list[dict[str, Any]], **mark: Any) -> dict[str, Any]:
    place: dict[str, Any] = {"type": "quantitative", "scale": None, "axis": None}
    return {
        "data": {"values": values},
        "mark": {
            "type": "text", "align": "left", "baseline": "middle", "fontSize": _SIZE,
            "aria": False, **mark,
        },
        "encoding": {
            "x": {"field": "x", **place}, "y": {"field": "y", **place},
            "text": {"field": "text", "type": "nominal"},
        },
    }  # fmt: skip


def _x(rows: list[dict[str, Any]], title: str) -> dict[str, Any]:
    """From 0, so that twice as far is twice as much."""
    most = max(row["x"] for row in rows) or 1.0
    return {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [0, most * (1 + _ROOM)], "nice": False},
        "axis": {"title": title, "tickCount": 6, "labelFlush": False, "grid": False},
    }


def _y(rows: list[dict[str, Any]], title: str) -> dict[str, Any]:
    ends = [row[end] for row in rows for end in ("value", "low", "high") if row[end] is not None]
    low, high = min(ends), max(ends)
    room = _ROOM * ((high - low) or 0.1)
    return {
        "field": "value",
        "type": "quantitative",
        "scale": {"domain": [low - room, high + room], "nice": False, "zero": False},
        "axis": {
            "format": "+.0%" if high - low > 0.05 else "+.1%", "tickCount": 5, "domain": False,
            "title": title,
        },
    }  # fmt: skip
