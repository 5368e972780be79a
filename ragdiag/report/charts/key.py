"""What tells several lines of a plot apart, and the key above it: colour, sign and dashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_SHAPES = ("circle", "square", "triangle-up", "diamond")
_DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [1, 0])
_STEP = 140  # pixels from name to name


def told_apart(names: Sequence[str], colours: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The channels color, shape and strokeDash of the field `series`, for at most four names."""

    def channel(values: Sequence[Any]) -> dict[str, Any]:
        return {
            "field": "series",
            "type": "nominal",
            "scale": {"domain": list(names), "range": list(values[: len(names)])},
            "legend": None,
        }

    return {
        "color": channel(colours),
        "shape": channel(_SHAPES),
        "strokeDash": channel(_DASHES),
    }


def key(
    names: Sequence[str], channels: Mapping[str, Any], *, without_line: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Line, sign and name of every series, in a row above the plot, in pixels."""
    rows = [
        {
            "series": name, "x": at * _STEP, "end": at * _STEP + 30, "middle": at * _STEP + 15,
            "text": at * _STEP + 38,
        }
        for at, name in enumerate(names)
    ]  # fmt: skip
    data = {"values": rows}

    def at(field: str) -> dict[str, Any]:
        return {
            "x": {"field": field, "type": "quantitative", "scale": None, "axis": None},
            "y": {"value": -20},
        }

    line = {channel: channels[channel] for channel in ("color", "strokeDash")}
    sign = {channel: channels[channel] for channel in ("color", "shape")}
    return [
        {
            "data": {"values": [row for row in rows if row["series"] not in without_line]},
            "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
            "encoding": {**at("x"), "x2": {"field": "end"}, **line},
        },
        {
            "data": data,
            "mark": {"type": "point", "size": 75, "filled": True, "opacity": 1, "aria": False},
            "encoding": {**at("middle"), **sign},
        },
        {
            "data": data,
            "mark": {"type": "text", "align": "left", "baseline": "middle", "aria": False},
            "encoding": {**at("text"), "text": {"field": "series", "type": "nominal"}},
        },
    ]
