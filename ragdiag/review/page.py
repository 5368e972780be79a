"""The labelling page: one file, for a server or from disk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ragdiag.report import web_page
from ragdiag.review.board import Board
from ragdiag.review.guidelines import as_json

_SCRIPTS = ("places.js", "text.js", "review.js")
"""Behind dom.js, which the report's page has too, as it has base.css."""


@cache
def _parts() -> tuple[str, str, str]:
    at = files("ragdiag.review").joinpath("templates")
    web = files("ragdiag.report").joinpath("web")
    script = web_page.one_scope([web / "dom.js", *(at.joinpath(name) for name in _SCRIPTS)])
    style = web_page.one_style([web / "base.css", at / "review.css"])
    return at.joinpath("review.html").read_text("utf-8"), style, script


def policy(*, served: bool, header: bool = False) -> str:
    """The page's Content-Security-Policy; `served`: with requests to the server that it came from;
    `header`: with what only a header may say."""
    _, style, script = _parts()
    return web_page.policy(script, style, asks=served, header=header)


def render(data: Mapping[str, Any], *, served: bool) -> str:
    """The page with its data. What stands in the data cannot end the element that it stands in."""
    html, style, script = _parts()
    places = {"policy": policy(served=served), "css": style, "script": script}
    return web_page.filled(html, {**places, "data": web_page.json_data(data)})


def served_page(annotator: str) -> str:
    """The page that asks its server for the items."""
    return render({"mode": "served", "annotator": annotator, "guideline": as_json()}, served=True)


def static_page(board: Board, annotator: str) -> str:
    """The page that works from disk: all items, blind; labels stay in the browser until they are
    downloaded. No verdict and nobody's label is in it."""
    items = [
        {
            "item_id": item.item_id,
            "unit": item.unit,
            "refusal": item.refusal,
            "blind": item.blind,
            "line": {k: v for k, v in item.line.items() if k not in _UNBLIND},
        }
        for item in board.items.values()
    ]
    data = {"mode": "static", "annotator": annotator, "guideline": as_json(), "items": items}
    return render(data, served=False)


_UNBLIND = ("queue", "inclusion_probability")  # they hint at the verdict; the merge adds them
