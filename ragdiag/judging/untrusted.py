"""Passages, answers and queries are data: made harmless and fenced before a model reads them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

# zero width, word joiners, soft hyphen; bidi controls; interlinear marks; tag characters.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u180e\u200b\u2060-\u2064\ufeff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# joiners shape Arabic and Indic words and emoji; between Latin letters they only hide
_JOINER = re.compile("(?<=[\u0000-\u024f])[\u200c\u200d]+|[\u200c\u200d]+(?=[\u0000-\u024f])")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FENCE_LIKE = re.compile(r"\[(?=\s{0,4}(?:BEGIN|END)\b)", re.IGNORECASE)
_TEMPLATE_TOKEN = re.compile(r"<(?=\||/?(?:think|s)>)|\[(?=/?(?:INST|THINK)\])", re.IGNORECASE)
_COMMENT_START, _COMMENT_END = "<!--", "-->"


def clean(text: str) -> str:
    """The text without what a reader cannot see, its look-alikes of fences and tokens broken."""
    text = _without_comments(_CONTROL.sub("", _JOINER.sub("", _HIDDEN.sub("", text))))
    text = _FENCE_LIKE.sub("(", text)
    return _TEMPLATE_TOKEN.sub(lambda found: f"{found.group()} ", text)


def _without_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find(_COMMENT_START, at)) >= 0:
        end = text.find(_COMMENT_END, start)
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(_COMMENT_END)
    rest = text[at:].replace(_COMMENT_START, "<! --")
    return "".join((*kept, rest))


def fence_of(texts: Iterable[str]) -> str:
    """A fence that follows from the content: the same prompt again for the same data."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)}:".encode())
        digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:12]


def fenced(kind: str, text: str, fence: str) -> str:
    """The cleaned text between lines that data cannot forge. `kind` is ours, never data."""
    return f"[BEGIN {kind} {fence}]\n{clean(text)}\n[END {kind} {fence}]"
