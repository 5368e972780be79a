"""Claims that say no more than supported claims of the same answer: repeated, or a difference of
their numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragdiag.answer.correctness import decide
from ragdiag.answer.doubt import OPPOSITES
from ragdiag.answer.worked import SMALL, amounts_of, operands_at
from ragdiag.records import ClaimResult
from ragdiag.text import phrases
from ragdiag.text.calculation import derive
from ragdiag.text.case import Case
from ragdiag.text.negation import differ
from ragdiag.text.numbers import Quantity, compare_quantities
from ragdiag.text.periods import period_of
from ragdiag.text.tokens import content_stems, names

_BESIDE = 2
_NEAR = 20
_MOST_OPERANDS = 6
_LONGEST = 600
_FORMS = frozenset(("difference", "sum", "change", "ratio"))
_FRAME = frozenset(
    content_stems(
        "therefore thus hence result results approximately about roughly around rounded rounding "
        "round decimal place places value calculated calculation computed based provided data "
        "information figures given equals equal final answer represents means total year years "
        "evidence text document documents filing excerpt passages context indeed clear "
        "corporation company incorporated limited"
    )
)
_UP = frozenset(content_stems("increase rise rose grow grew growth gain higher up"))
_DOWN = frozenset(content_stems("decrease decline fall fell drop dropped lower reduction down"))
_FROM_TO = re.compile(r"\bfrom\b.{1,80}?\bto\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Read:
    """A claim as it is compared with others."""

    claim: ClaimResult
    amounts: tuple[Quantity, ...]
    stems: frozenset[str]

    @classmethod
    def of(cls, claim: ClaimResult) -> _Read:
        text = claim.text[:_LONGEST]
        amounts = tuple(one for one in amounts_of(text) if not _is_count(one))
        return cls(claim, amounts, frozenset(content_stems(text)))


def with_following(
    case: Case, claims: Sequence[ClaimResult], *, correct: bool
) -> tuple[ClaimResult, ...]:
    """The claims; one that no judge found supported is, where it follows from those that are.

    It repeats one: the same amounts, and no word, name, period or direction that neither that claim
    nor the question has. Or it states one amount that is a difference, sum, change or ratio of
    amounts of a claim just beside it. Or, in a `correct` answer whose carrying claim is
    supported, it is the answer itself in the words of question and reference ("yes, it did rise").
    A contradicted claim stays so, and so does people's word.
    Each claim is compared with its neighbours only: linear in the claims.
    """
    found = list(claims)
    reads: list[_Read | None] = [None] * len(found)
    for at, claim in enumerate(found):
        if claim.label == "supported":
            reads[at] = _Read.of(claim)
    carriers = (c for c in found if c.carries_answer and c.label == "supported")
    carrier = next(carriers, None) if correct else None
    for at, claim in enumerate(found):
        if claim.label not in (None, "not_found") or claim.basis == "labels":
            continue
        mine = _Read.of(claim)
        beside = (*reversed(reads[max(0, at - _BESIDE) : at]), *reads[at + 1 : at + 1 + _BESIDE])
        told = _repeated(case, mine, reads, at) or _worked_out(
            case, mine, [one for one in beside if one is not None]
        )
        if told is None and carrier is not None:
            told = _the_answer(case, mine, carrier)
        if told is not None:
            found[at] = told
            reads[at] = _Read.of(told)
    return tuple(found)


def _repeated(
    case: Case, mine: _Read, reads: Sequence[_Read | None], at: int
) -> ClaimResult | None:
    if not mine.amounts:
        return None
    near = reads[max(0, at - _NEAR) : at + _NEAR]
    for other in near:
        if (
            other is not None
            and other is not mine
            and _says_no_more(case.sample.query, mine, other)
        ):
            return _supported(mine.claim, other.claim, f"as in “{other.claim.text[:80]}”")
    return None


def _says_no_more(query: str, mine: _Read, other: _Read) -> bool:
    if not all(any(_equal(one, two) for two in other.amounts) for one in mine.amounts):
        return False
    asked = frozenset(content_stems(query)) - _direction(query)
    words = {one for one in mine.stems if not one[:1].isdigit()}
    if words - other.stems - asked - _FRAME:
        return False
    text, its = mine.claim.text, other.claim.text
    if differ(text, its) or names(text) - names(its) - names(query):
        return False
    return period_of(text) <= (period_of(its) or period_of(query))


def _direction(query: str) -> frozenset[str]:
    """Words of the question that an answer chooses between: their side is the other claim's."""
    sides = [word for pair in OPPOSITES for side in pair for word in side.split()]
    return frozenset(content_stems(" ".join(sides))) | _UP | _DOWN


def _worked_out(case: Case, mine: _Read, beside: Sequence[_Read]) -> ClaimResult | None:
    text = mine.claim.text
    if len(mine.amounts) != 1 or not beside or not phrases.computes(text):
        return None
    told = " ".join((case.sample.query, *(one.claim.text for one in beside)))
    if names(text) - names(told) or period_of(text) - period_of(told):
        return None
    for other in beside:
        values = {abs(one.value) for one in other.amounts}
        told_by = operands_at(other.claim.text[:_LONGEST], None, None)
        operands = [one for one in told_by if abs(one.value) in values][:_MOST_OPERANDS]
        found = derive(mine.amounts[0], operands, gold=True) if len(operands) > 1 else None
        if found is None or found.form not in _FORMS or not found.unique:
            continue
        first, last = found.operands[0].start, found.operands[-1].start
        if _right_way(mine, other.claim.text, falls=first < last):
            return _supported(mine.claim, other.claim, found.expression)
    return None


def _the_answer(case: Case, mine: _Read, carrier: ClaimResult) -> ClaimResult | None:
    sample, text = case.sample, mine.claim.text
    told = " ".join((sample.query, *sample.reference, carrier.text))[: 4 * _LONGEST]
    words = {one for one in mine.stems if not one[:1].isdigit()}
    if len(text) > _LONGEST or words - frozenset(content_stems(told)) - _FRAME:
        return None
    amounts = amounts_of(told) if mine.amounts else []
    if not all(any(_equal(one, other) for other in amounts) for one in mine.amounts):
        return None
    if names(text) - names(told) or period_of(text) - period_of(told):
        return None
    told_so = decide(
        sample.query, list(sample.reference), text, tolerance=case.settings.number_tolerance
    )
    if told_so != "correct":
        return None
    return _supported(mine.claim, carrier, f"the answer that “{carrier.text[:80]}” carries")


def _right_way(mine: _Read, told: str, *, falls: bool) -> bool:
    """Does a claim that names a direction name that of "from … to …"?"""
    up, down = bool(mine.stems & _UP), bool(mine.stems & _DOWN)
    if up == down:
        return not up
    return _FROM_TO.search(told) is not None and down == falls


def _supported(claim: ClaimResult, source: ClaimResult, reason: str) -> ClaimResult:
    return claim.model_copy(
        update={
            "label": "supported",
            "basis": source.basis,
            "unscored": None,
            "quote": None,
            "passage_id": source.passage_id,
            "supporting": source.supporting,
            "joint": source.joint,
            "reason": reason,
        }
    )


def _equal(one: Quantity, other: Quantity) -> bool:
    return compare_quantities(other, one).relation == "equal"


def _is_count(one: Quantity) -> bool:
    return one.kind in ("number", "count") and abs(one.value) in SMALL
