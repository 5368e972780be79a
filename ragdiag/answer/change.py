"""An answer that gives a change by its size where the reference gives its two ends."""

from __future__ import annotations

import re

from ragdiag.answer import match
from ragdiag.answer.numeric import amounts
from ragdiag.text.tokens import content_stems

_ASKS_CHANGE = re.compile(
    r"\b(?:how much|by what|what (?:is|was) the)\b.*\b(?:chang|increas|decreas|grow|gr[eo]w|declin"
    r"|ris[ei]|rose|fall|fell|drop|differ)",
    re.IGNORECASE | re.DOTALL,
)
_FROM_TO = re.compile(r"\bfrom [^.;]{0,60}?\d[^.;]{0,40}? to [^.;]{0,20}?\d", re.IGNORECASE)
_UP = frozenset(content_stems("increase rise rose grow grew growth gain higher improve up"))
_DOWN = frozenset(content_stems("decrease decline fall fell drop dropped lower reduction worsen"))


def is_change(query: str, reference: str, answer: str) -> bool:
    """The reference gives a change by its ends ("from 20% to 23%"), the answer by their difference
    ("by 3 percentage points", also "3%"), in the right direction, and nothing else."""
    if _ASKS_CHANGE.search(query) is None or _FROM_TO.search(reference) is None:
        return False
    ends, said = amounts(reference), amounts(answer)
    if len(ends) != 2 or len(said) != 1 or match.has_negation(answer) or match.hedges(answer):
        return False
    first, last = ends
    if first.unit != last.unit or first.kind != last.kind:
        return False
    kinds = {"percent", "percentage_point"} if first.kind == "percent" else {first.kind}
    value = last.value - first.value
    if said[0].kind not in kinds or value == 0 or abs(said[0].value) != abs(value):
        return False
    stems = set(content_stems(answer))
    up, down = bool(stems & _UP), bool(stems & _DOWN)
    if up == down:
        return said[0].signed == value
    return up == (value > 0)
