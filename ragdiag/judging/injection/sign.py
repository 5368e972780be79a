"""One sign: a pattern with its weight; and the words that judges' menus hold."""

from __future__ import annotations

import re
from dataclasses import dataclass

LABEL = (
    r"(?:(?:un|in)?correct|(?:un)?supported|(?:in)?sufficient|(?:un)?faithful|not[_ -]found"
    r"|contradicted|abstain(?:ed|s)|fully[ -]grounded|entailed)"
)
"""Words of the judge's menus that text seldom uses by itself."""
# An adjective before its noun ("the correct answer") or a verb with its agent ("supported by") is
# no label.
_FREE = (
    r"(?![a-z0-9]|['’][a-z]|[-_ ]{1,2}(?!(?:for|and|in|with|without|regardless|no|even|on|as|because|since|to|now"
    r"|here|every|each|whatever|whenever|if|when|or|irrespective|only|immediately|please|then|but"
    r"|this|all|any|always|would|will|can|could|here|yourself|myself|instead|verdict|label|labels|is|must|should|,)\b)[^\W_])"
)
VERDICT = r"(?<!not )(?<![a-z])" + LABEL + _FREE
LABEL_ANCHORS = (
    "supported", "sufficient", "correct", "faithful", "not found", "not_found", "not-found",
    "contradicted", "abstain", "fully grounded", "fully-grounded", "entailed",
)  # fmt: skip
"""One of these stands wherever LABEL matches."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern, its weight, and in words what it shows.

    anchors  the pattern matches only where each of these groups has one member in the text: a
             search that costs next to nothing. () = it never decides which text is looked at.
    """

    name: str
    weight: int
    pattern: re.Pattern[str]
    anchors: tuple[tuple[str, ...], ...] = ()

    def may_be_in(self, text: str) -> bool:
        """Can the pattern match at all? Only of a sign with anchors."""
        return all(any(anchor in text for anchor in group) for group in self.anchors)


def sign(name: str, weight: int, pattern: str, *anchors: tuple[str, ...]) -> Sign:
    """A sign whose pattern is read line by line."""
    return Sign(name, weight, re.compile(pattern, re.MULTILINE), anchors)
