"""Questions that name the answers to choose from: "Is it red or blue?", "X or Y?"."""

from __future__ import annotations

import re

from ragdiag.answer import match
from ragdiag.answer.doubt import OPPOSITES

_OPTION = r"((?:[^\W_][\w'.-]*)(?: [^\W_][\w'.-]*){0,3}?)"
_CHOICE = re.compile(
    rf"(?:^|[,:]|\b(?:it|is|was|are|were|of|between|first|either|the|an?|in|at))\s+(?:the |"
    rf"an? )?{_OPTION}"
    rf"\s+or\s+(?:the |an? )?{_OPTION}(?=\s*[?,.]|\s*$)",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"^\W*(?:the )?(?P<one>[^,.;]{1,40}?) (?:is|was|are|were|has|had|came|comes) "
    r"(?:(?:much|far|a bit|slightly|"
    r"the) )?(?P<how>\w+)(?: \w+)? than (?:the )?(?P<other>[^,.;]{1,40})[.!]?$",
    re.IGNORECASE,
)
_NOT_THE_OTHER = re.compile(
    r"^(?P<one>[^,.;]{1,40}?)(?:,(?: and| but)? not|,? (?:rather than|instead of)) "
    r"(?P<other>[^,.;]{1,40})[.!]?$",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"^(?:it (?:is|was) )?(?:not|nicht|no) (?P<other>[^,.;]{1,40}?),? (?:but|sondern|"
    r"sino)(?: rather)? "
    r"(?P<one>[^,.;]{1,40})[.!]?$",
    re.IGNORECASE,
)
_NEITHER = re.compile(r"\bneither\b|\bnone of\b", re.IGNORECASE)
_BOTH = re.compile(r"^\W*both\b", re.IGNORECASE)
_LONGEST = 160


def decide_choice(query: str, reference: str, answer: str) -> str | None:
    """correct or incorrect where the question names two answers, of which the reference is one, or
    where the answer sets one thing against the reference ("X, not Y"); else None.
    """
    if len(answer) > _LONGEST or len(query) > 5 * _LONGEST:
        return None
    wanted = match.content(reference)
    for pattern in (_NOT_THE_OTHER, _BUT):
        found = pattern.search(answer.strip())
        if found is not None:
            return _against(wanted, match.content(found["one"]), match.content(found["other"]))
    options = _options(query)
    if options is None or wanted not in options:
        return None
    other = options[1] if wanted == options[0] else options[0]
    if _NEITHER.search(answer) and not _NEITHER.search(reference):
        return "incorrect"
    return _of_two(query, wanted, other, answer)


def _against(
    wanted: tuple[str, ...], chosen: tuple[str, ...], rejected: tuple[str, ...]
) -> str | None:
    if not wanted or not chosen:
        return None
    if match.contains(rejected, wanted) == 0 and match.contains(chosen, wanted) < 0:
        return "incorrect" if rejected == wanted else None
    return "correct" if chosen == wanted else None


def _options(query: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    found = _CHOICE.search(query)
    if found is None:
        return None
    first, second = match.content(found[1]), match.content(found[2])
    return (first, second) if first and second and first != second else None


def _reversed(asked: tuple[str, ...], how: str, last: bool) -> str | None:
    """ "Ben is younger than Ann", where the older one is asked for: the last named is it."""
    for one, other in OPPOSITES:
        mine, its = one.split(), other.split()
        if (how in mine and set(its) & set(asked)) or (how in its and set(mine) & set(asked)):
            return "correct" if last else "incorrect"
    return None


def _of_two(query: str, wanted: tuple[str, ...], other: tuple[str, ...], answer: str) -> str | None:
    """Which of the two options a short answer takes."""
    compared = _COMPARED.search(answer.strip())
    if compared is not None:
        how = compared["how"].casefold()
        pair = (match.content(compared["one"]), match.content(compared["other"]))
        asked = match.words(query)
        if set(pair) != {wanted, other}:
            return None
        if how not in asked:
            return _reversed(asked, how, pair[1] == wanted)
        return "correct" if pair[0] == wanted else "incorrect"
    if match.hedges(answer) or match.has_negation(answer) or _BOTH.search(answer):
        return None
    said = match.content(answer)
    if match.contains(said, wanted) < 0 <= match.contains(said, other):
        asked = set(match.words(query))
        rest = [word for word in said if word not in asked]
        return "incorrect" if not rest else None
    return None
