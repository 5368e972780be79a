"""A claim on its own: what kinds of fact it states, and its wording with the pronoun resolved."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragdiag.text.asking import entity_asked
from ragdiag.text.numbers import parse
from ragdiag.text.tokens import fold, names

VERSION = 1
"""Part of an LLM judge's version: raise it whenever a claim is worded otherwise than before."""

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
    r"\s*(?:it|es|il)(?:(?:['’]s| is| was| ist| war| est| follows| seems| appears)\b[^.]{0,40}"
    r"\b(?:that|dass|que|to)\b| (?:seems|appears|looks|sounds) (?:like|as)\b"
    r"|(?:['’]s| is| was) (?:where|when|why|how)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"\s*(?:(?:in|by|during|since|as of|from|at|for|on)\s[^\d,.;:]{0,24}\d[^,.;:]{0,24},"
    r"|(?:however|thus|therefore|hence|instead|moreover|additionally|in addition|then|also),)\s+",
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

    before   the claims ahead of it in the answer; `history` the earlier (role, text)
             turns, oldest first.
    Sought in the subject of the claim before, then in the question, then in earlier turns.
    A period or a linking word may stand ahead of it ("In 2017, it sold …").
    Unchanged where it begins otherwise ("It is said that …"), where the claim before is about
    something that has no name, or where nothing to stand in is found.
    """
    lead = _LEAD.match(text)
    at = lead.end() if lead else 0
    match = _FIRST.match(text, at) or _HAN.match(text, at)
    if match is None or _NOBODY.match(text, at):
        return text
    groups = match.groupdict()
    person = groups.get("person") or (groups.get("owned") or "").lower() in ("his", "her")
    asked = asked_entity(query)
    told = _subject(before[-1], query) if before else None
    earlier = next(filter(None, (asked_entity(turn) for _, turn in reversed(history))), None)
    title = (groups.get("thing") or "").lower().startswith("the ")
    if before and not person and not title and told is None and not _goes_on(before[-1]):
        return text  # "The margin fell. It reflects …": it is the margin
    order = (told, asked, earlier) if person or (told and not title) else (asked, told, earlier)
    name = next(filter(None, order), None)
    if name is None:
        return text
    owned = bool(groups.get("owned") or groups.get("own"))
    return f"{text[:at]}{name}{_genitive(text) if owned else ''}{text[match.end() :]}"


def _goes_on(claim: str) -> bool:
    """Does a claim itself begin with a pronoun, so that both speak of one thing?"""
    return (_FIRST.match(claim) or _HAN.match(claim)) is not None and not _NOBODY.match(claim)


def _genitive(text: str) -> str:
    return "的" if re.search("[\u4e00-\u9fff]", text) else "’s"


def _subject(claim: str, query: str) -> str | None:
    """The name with which a claim begins: of two words, or one that the question has too (any
    sentence begins with a capital)."""
    match = _NAME.match(claim.strip())
    if match is None or _FIRST.match(claim):
        return None
    listed = match.group().rstrip(" .,'’-").split()
    listed = listed[1:] if listed[0] in ("The", "A", "An") else listed
    if not listed:
        return None
    name = " ".join(listed)
    return name if len(listed) > 1 or names(name) or fold(name) in names(query) else None


def asked_entity(turn: str) -> str | None:
    """The entity of a question, unless it is only its first word."""
    entity = entity_asked(turn)
    if entity is None or entity.isupper():
        return entity
    known = names(turn)
    return entity if any(fold(word) in known for word in entity.split()) else None
