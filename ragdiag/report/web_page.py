"""A self-contained page: style and scripts inline and allowed by hash, data only as data."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable
from typing import Any


def one_scope(files: Iterable[Traversable]) -> str:
    """The scripts as one strict script in one scope: nothing of it is global."""
    return '"use strict";\n{\n' + "\n".join(one.read_text("utf-8") for one in files) + "}\n"


def one_style(files: Iterable[Traversable]) -> str:
    """The style sheets, one after the other."""
    return "\n".join(one.read_text("utf-8") for one in files)


def policy(
    script: str,
    style: str,
    *,
    asks: bool = False,
    script_policy: str | None = None,
    header: bool = False,
) -> str:
    """A Content-Security-Policy: this script and this style, nothing else.

    asks           may it send requests to the server that it came from?
    script_policy  the name of the one trusted-types policy that may name further scripts; None:
                   there are none.
    header         with what only a header may say.
    """
    more = "" if script_policy is None else " 'strict-dynamic'"
    asked = "'self'" if asks else "'none'"
    named = script_policy or "'none'"
    rules = [
        "default-src 'none'",
        f"script-src '{_hash(script)}'{more}",
        f"style-src '{_hash(style)}'",
        f"connect-src {asked}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        f"trusted-types {named}",
    ]
    if header:
        rules.append("frame-ancestors 'none'")
    return "; ".join(rules)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def json_data(data: Any) -> str:
    """JSON for an element of a page, which it cannot end: it holds no <, > and &."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def packed(data: bytes) -> str:
    """Bytes as base64 of their raw deflate, as DecompressionStream("deflate-raw") reads them."""
    made = zlib.compressobj(level=6, wbits=-zlib.MAX_WBITS)
    return base64.b64encode(made.compress(data) + made.flush()).decode()


def filled(template: str, places: Mapping[str, str]) -> str:
    """The template with each {{name}} replaced once: what is put in is not read again."""
    before, *rest = template.split("{{")
    found = [before]
    for piece in rest:
        name, _, after = piece.partition("}}")
        found += (places[name], after)
    return "".join(found)
