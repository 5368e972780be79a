"""Passages, answers and queries are data: made harmless and fenced before a model reads them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from functools import lru_cache

# zero width, word joiners, soft hyphen; bidi controls; interlinear marks; tag characters.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u180e\u200b\u2060-\u2064\ufeff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# joiners shape Arabic and Indic words and emoji; between Latin letters they only hide
_JOINERS = re.compile("[\u200c\u200d]++")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FENCE_LIKE = re.compile(
    r"[\[［【〔⟦](?=[^\S\n]{0,4}(?:BEGIN|END|ＢＥＧＩＮ|ＥＮＤ)(?![^\W_]))", re.IGNORECASE
)
_TEMPLATE_TOKEN = re.compile(
    r"<(?=[|｜]|/?(?:think|thinking|s|bos|eos)>|(?:start|end)_of_turn>|</?SYS>>)"
    r"|\[(?=/?(?:INST|THINK|SYSTEM_PROMPT)\])",
    re.IGNORECASE,
)
_FENCE_LENGTH = 16
_LONG = 20_000  # longer texts are rare, and not kept in memory
_LATIN_END = "\u024f"
_COMMENT_START, _COMMENT_END = "<!--", "-->"


def clean(text: str) -> str:
    """The text without what a reader cannot see, its look-alikes of fences and tokens broken."""
    return _clean(text) if len(text) > _LONG else _remembered(text)


@lru_cache(maxsize=256)  # the passages of a sample stand in several of its calls
def _remembered(text: str) -> str:
    return _clean(text)


def _clean(text: str) -> str:
    text = _CONTROL.sub("", _JOINERS.sub(_kept_joiner, _HIDDEN.sub("", text)))
    text = _without_comments(text)
    text = _FENCE_LIKE.sub("(", text)
    return _TEMPLATE_TOKEN.sub(lambda found: f"{found.group()} ", text)


def _kept_joiner(found: re.Match[str]) -> str:
    """One joiner beside Arabic, Indic or emoji on both sides; none beside Latin or at an end."""
    text = found.string
    before, after = (
        text[max(0, found.start() - 1) : found.start()],
        text[found.end() : found.end() + 1],
    )
    shapes = before > _LATIN_END and after > _LATIN_END
    return found.group()[0] if shapes else ""


def _without_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find(_COMMENT_START, at)) >= 0:
        end = text.find(_COMMENT_END, start)
        if end < 0:
            break
        kept.append(text[at:start])
        at = end + len(_COMMENT_END)
    # what is left may join to a new beginning around a comment that is gone
    return "".join((*kept, text[at:])).replace(_COMMENT_START, "<! --")


def fence_of(texts: Iterable[str], secret: bytes) -> str:
    """A fence that follows from the content and a secret: who writes the data cannot know it, and
    the same data makes the same prompt again."""
    digest = hmac.new(secret, digestmod=hashlib.sha256)
    for text in texts:
        digest.update(f"{len(text)}:".encode())
        digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:_FENCE_LENGTH]


def fenced(kind: str, text: str, fence: str) -> str:
    """The cleaned text between lines that data cannot forge. `kind` is ours, never data."""
    return f"[BEGIN {kind} {fence}]\n{clean(text)}\n[END {kind} {fence}]"
