"""The page's one file: HTML, style and script inline, allowed by hash; data only as data."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ragdiag.review.board import Board
from ragdiag.review.guidelines import as_json

_SCRIPTS = ("places.js", "text.js", "review.js")  # after dom.js, which the report's page has too


@cache
def _parts() -> tuple[str, str, str]:
    at = files("ragdiag.review").joinpath("templates")
    html, css, *scripts = (
        at.joinpath(name).read_text("utf-8") for name in ("review.html", "review.css", *_SCRIPTS)
    )
    scripts.insert(0, files("ragdiag.report").joinpath("web/dom.js").read_text("utf-8"))
    script = '"use strict";\n{\n' + "\n".join(scripts) + "}\n"  # one scope, nothing global
    return html, css, script


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def policy(*, served: bool, header: bool = False) -> str:
    """The Content-Security-Policy: this script and this style, nothing else; `served`: and requests
    to the server that the page came from; `header`: with what only a header may say."""
    _, css, script = _parts()
    asked = "'self'" if served else "'none'"
    rules = [
        "default-src 'none'",
        f"script-src '{_hash(script)}'",
        f"style-src '{_hash(css)}'",
        f"connect-src {asked}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    if header:
        rules.append("frame-ancestors 'none'")
    return "; ".join(rules)


def render(data: Mapping[str, Any], *, served: bool) -> str:
    """The page with its data. What stands in the data cannot end the element that it stands in."""
    html, css, script = _parts()
    text = json.dumps(data, ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    places = {"policy": policy(served=served), "css": css, "data": text, "script": script}
    before, *rest = html.split("{{")
    pieces = [before]
    for piece in rest:
        name, _, after = piece.partition("}}")
        pieces += (places[name], after)
    return "".join(pieces)


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
