"""The layers of a chart of points in a plane: marks with names, intervals, the line of no
difference."""

from __future__ import annotations

from typing import Any

from ragdiag.report.charts.labels import fitted
from ragdiag.report.charts.look import Look

_ROOM = 0.12  # of the span, around the points
_SIZE, _WIDEST = 12, 190  # of the texts beside a point, in pixels


def point_layers(
    rows: list[dict[str, Any]], name: str, title: str, look: Look
) -> list[dict[str, Any]]:
    """Rows hold x, value, low, high (or None), label, told, colour, fill, shape, description."""
    palette = look.palette
    x, y = _x(rows, title), _y(rows, name)
    colour = {"field": "colour", "type": "nominal", "scale": None}
    texts = (("label", -7, palette.text), ("told", 8, palette.quiet))
    whiskers = {"values": [row for row in rows if row["low"] is not None]}
    data = {
        "values": [
            {**row, "label": _fitted(row["label"]), "told": _fitted(row["told"])} for row in rows
        ]
    }
    return [
        {
            "data": {"values": [{"at": 0.0}]},
            "mark": {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.2, "aria": False},
            "encoding": {"y": {**y, "field": "at"}, "color": {"value": palette.text}},
        },
        {
            "data": whiskers,
            "mark": {"type": "rule", "strokeWidth": 1.4, "aria": False},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"},
                         "color": colour},
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
        *(_text(data, x, y, at, edge) for edge in (palette.background, None) for at in texts),
    ]  # fmt: skip


def _fitted(text: str) -> str:
    return fitted(text, _WIDEST, _SIZE)


def _text(
    data: dict[str, Any],
    x: dict[str, Any],
    y: dict[str, Any],
    at: tuple[str, int, str],
    edge: str | None,
) -> dict[str, Any]:
    """A text beside every run; with `edge`, the halo below it, which lines do not cross."""
    field, dy, colour = at
    halo = {"stroke": edge, "strokeWidth": 4, "strokeJoin": "round"} if edge else {}
    return {
        "data": data,
        "mark": {
            "type": "text", "align": "left", "dx": 11, "dy": dy, "baseline": "middle",
            "color": edge or colour, "fontSize": _SIZE, "aria": False, **halo,
        },
        "encoding": {"x": x, "y": y, "text": {"field": field, "type": "nominal"}},
    }  # fmt: skip


def _x(rows: list[dict[str, Any]], title: str) -> dict[str, Any]:
    """From 0, so that twice as far is twice as much; with room for the last run's name."""
    most = max(row["x"] for row in rows) or 1.0
    return {
        "field": "x",
        "type": "quantitative",
        "scale": {"domain": [0, most * (1 + 2 * _ROOM)], "nice": False},
        "axis": {"title": title, "tickCount": 6, "labelFlush": False, "grid": False},
    }


def _y(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    ends = [row[end] for row in rows for end in ("value", "low", "high") if row[end] is not None]
    low, high = min(ends), max(ends)
    room = _ROOM * ((high - low) or 0.1)
    return {
        "field": "value",
        "type": "quantitative",
        "scale": {"domain": [low - room, high + room], "nice": False, "zero": False},
        "axis": {
            "format": "+.0%" if high - low > 0.05 else "+.1%", "tickCount": 5, "domain": False,
            "title": f"{name}: difference to the baseline",
        },
    }  # fmt: skip
