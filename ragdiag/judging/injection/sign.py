"""One sign of text that talks to a judge: a pattern, with its weight."""

from __future__ import annotations

import re
from dataclasses import dataclass


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
        for group in self.anchors:
            for anchor in group:
                if anchor in text:
                    break
            else:
                return False
        return True


def sign(name: str, weight: int, pattern: str, *anchors: tuple[str, ...]) -> Sign:
    """A sign whose pattern is read line by line."""
    return Sign(name, weight, re.compile(pattern, re.MULTILINE), anchors)
