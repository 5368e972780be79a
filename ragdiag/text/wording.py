"""A claim on its own: what kinds of fact it states, and its wording with the pronoun resolved."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragdiag.text.asking import target_from_question
from ragdiag.text.numbers import parse
from ragdiag.text.tokens import names

KINDS = ("number", "unit", "period", "entity")

_CAPITAL = "[A-ZÀ-ÞΑ-ΩА-Я]"
_NAME = re.compile(
    rf"(?<!\w){_CAPITAL}[\w&.'’-]*(?: (?:of |de |von |& )?{_CAPITAL}[\w&'’-]*){{0,4}}"
)
_THINGS = (
    "it|they|the (?:company|firm|bank|group|corporation|organi[sz]ation|issuer)|"
    "она|оно|они|он|elle|elles|ils|sie|er|es"
)
_PERSONS = "he|she"
_OWNED = "its|their|his|her|seine?|ihre?|его|её|их"
_FIRST = re.compile(
    rf"\s*(?:(?P<thing>{_THINGS})|(?P<person>{_PERSONS})|(?P<owned>{_OWNED}))(?!\w)(?P<own>['’]s)?",
    re.IGNORECASE,
)
_HAN = re.compile(r"\s*(?P<thing>该公司|該公司|本公司|它们|它|同社|当社|他们|他|她)(?P<own>的|の)?")
_NOBODY = re.compile(
    r"\s*(?:it|es|il) (?:is|was|ist|war|est|follows|seems|appears)\b[^.]{0,40}"
    r"\b(?:that|dass|que|to)\b",
    re.IGNORECASE,
)
_LONGEST = 2000


def kinds_of(text: str) -> tuple[str, ...]:
    """Which of `KINDS` a claim states, in their order; () for a plain statement.

    number: an amount; unit: a currency, percent or measure beside it; period: a date, year or
    quarter; entity: a name.
    """
    read = parse(text[:_LONGEST])
    amounts = [one for one in read if one.is_numeric and not one.year_like]
    found = {
        "number": bool(amounts),
        "unit": any(one.unit or one.kind not in ("number", "count") for one in amounts),
        "period": any(one.kind in ("date", "period") or one.year_like for one in read),
        "entity": bool(names(text[:_LONGEST])),
    }
    return tuple(kind for kind in KINDS if found[kind])


def self_contained(
    text: str,
    *,
    query: str,
    before: Sequence[str] = (),
    history: Sequence[tuple[str, str]] = (),
) -> str:
    """The claim with the pronoun or "the company" at its beginning replaced by what it stands for.

    before   the claims that stand ahead of it in the answer; `history` the earlier (role, text)
             turns, oldest first. A person is sought in the claims first, a thing in the question.
    Unchanged where it begins otherwise ("It is said that …") or nothing to stand in is found.
    """
    match = _FIRST.match(text) or _HAN.match(text)
    if match is None or _NOBODY.match(text):
        return text
    groups = match.groupdict()
    person = groups.get("person") or (groups.get("owned") or "").lower() in ("his", "her")
    asked = target_from_question(query).entity
    told = next(filter(None, (_subject(one) for one in reversed(before))), None)
    earlier = next(filter(None, (_named(turn) for _, turn in reversed(history))), None)
    order = (told, asked, earlier) if person else (asked, told, earlier)
    name = next(filter(None, order), None)
    if name is None:
        return text
    owned = bool(groups.get("owned") or groups.get("own"))
    return f"{name}{_genitive(text) if owned else ''}{text[match.end() :]}"


def _genitive(text: str) -> str:
    return "的" if re.search("[\u4e00-\u9fff]", text) else "’s"


def _subject(claim: str) -> str | None:
    """The name with which a claim begins, unless that is a pronoun of its own."""
    match = _NAME.match(claim.strip())
    if match is None or _FIRST.match(claim):
        return None
    name = match.group().rstrip(" .,'’-")
    known = names(f"x {claim}")
    return name if any(word.casefold() in known for word in name.split()) else None


def _named(turn: str) -> str | None:
    return target_from_question(turn).entity
