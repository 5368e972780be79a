"""Which claims of an answer need a citation, and of one that needs none, why it does not.

A claim that states something needs one: a number, a unit, a period, a name, or plainly a fact. None
is needed by what states nothing of the matter (a greeting, a question, a repetition of what was
asked, an abstention, a lead-in) and by what follows from claims that have one: a computed result
whose operands stand in cited claims, a summing-up, the answer's own inference. A figure, a date or
a name that stands neither in a cited claim nor in the question always needs one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from decimal import Decimal
from functools import cached_property

from ragdiag.answer.polarity import is_polar
from ragdiag.answer.worked import (
    FACTORS,
    SCALES,
    SMALL,
    amounts_of,
    operands_at,
    worked_numbers,
)
from ragdiag.records import ClaimResult
from ragdiag.text import phrases
from ragdiag.text.abstention import abstains
from ragdiag.text.calculation import derive
from ragdiag.text.calculation.expressions import Expr, shown_work
from ragdiag.text.case import Case
from ragdiag.text.negation import negations
from ragdiag.text.numbers import Quantity, compare_quantities, parse
from ragdiag.text.periods import period_of
from ragdiag.text.tables import Operand
from ragdiag.text.tokens import content_stems, language, names

EXEMPT = (
    "greeting",
    "question",
    "abstention",
    "restates_question",
    "lead_in",
    "computed",
    "summary",
    "inference",
    "glue",
)
"""Why a claim needs no citation, in the order in which it is asked. glue: whoever extracted the
claims says that it needs none, and it states nothing of its own."""

SILENT = frozenset(EXEMPT[:5])
"""Of these, those that state nothing of the matter: no passage can bear them out."""

_LONGEST = 2_000
_MOST_AMOUNTS = 8
_MOST_OPERANDS = 24
_MOST_WORKED_OUT = 40
_MOST_ALIKE = 8
_TOP = 99


def with_needs(case: Case, claims: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
    """The claims with `needs_citation`, and `exempt` where they need none. Linear in the claims."""
    cited = [claim for claim in claims if any(name is not None for name in claim.cited)]
    known = _Known(case, cited)
    found: list[ClaimResult] = []
    # A text of endless results is no answer: beyond the first ones each needs its citation.
    left = iter(range(_MOST_WORKED_OUT))
    for claim in claims:
        why = _exempt(case, claim, known, others=len(claims) > 1, left=left)
        found.append(claim.model_copy(update={"needs_citation": why is None, "exempt": why}))
    return tuple(found)


class _Amounts:
    """Amounts that others are looked up in by value: equal ones begin with the same two digits, or
    with the next ones, so that few are compared."""

    def __init__(self, amounts: Sequence[Quantity]) -> None:
        self.values = frozenset(abs(one.value) for one in amounts)
        self._by_digits: dict[int, list[Quantity]] = defaultdict(list)
        for one in amounts:
            held = self._by_digits[_two_digits(one.value)]
            if len(held) < _MOST_ALIKE:
                held.append(one)

    def __contains__(self, one: object) -> bool:
        if not isinstance(one, Quantity):
            return False
        first = _two_digits(one.value)
        near = (first, first + 1 if first < _TOP else 10, first - 1 if first > 10 else _TOP)
        return any(
            compare_quantities(other, one).relation == "equal"
            for digits in near
            for other in self._by_digits.get(digits, ())
        )


def _two_digits(value: Decimal) -> int:
    """The first two digits: 41 of 0.412, 40 of 4; 0 of 0."""
    digits = "".join(map(str, value.as_tuple().digits)).lstrip("0")
    return int(digits[:2].ljust(2, "0")) if digits else 0


class _Known:
    """What the question and the cited claims state already, worked out where it is asked for."""

    def __init__(self, case: Case, cited: Sequence[ClaimResult]) -> None:
        self.cited = bool(cited)
        self.query = case.sample.query
        self.text = "\n".join(claim.text[:_LONGEST] for claim in cited)
        self.passage_ids = {c.passage_id for c in case.citations if c.passage_id is not None}
        self._case = case
        self._first = _first_names(cited)
        self._turns = " ".join((self.query, *(turn for _, turn in case.sample.history)))

    @cached_property
    def amounts(self) -> _Amounts:
        """Of the cited claims."""
        return _Amounts(amounts_of(self.text))

    @cached_property
    def asked(self) -> _Amounts:
        """Of the question."""
        return _Amounts(amounts_of(self.query))

    @cached_property
    def periods(self) -> Set[str]:
        """Of question, history and cited claims."""
        return period_of(f"{self._turns}\n{self.text}")

    @cached_property
    def names(self) -> Set[str]:
        """Of question, history and cited claims."""
        return names(f"{self._turns}\n{self.text}") | self._first

    @cached_property
    def german(self) -> bool:
        """Is the answer in German, where every noun has a capital?"""
        return language(self._case.plain_answer[:_LONGEST]) == "de"

    @cached_property
    def open_question(self) -> bool:
        """Does the question ask for something else than yes or no?"""
        return phrases.asks_openly(self.query) and not is_polar(self.query)

    @cached_property
    def stems(self) -> Set[str]:
        """Of the question."""
        return set(content_stems(self.query))


def _first_names(claims: Sequence[ClaimResult]) -> set[str]:
    """The words at the beginning of the claims, where a capital tells nothing."""
    return {
        stem for claim in claims for stem in map(str.casefold, claim.text[:_LONGEST].split()[:2])
    }


def is_silent(claim: ClaimResult) -> bool:
    """Does a claim that is not supported state nothing that a passage could support?"""
    return claim.exempt in SILENT and claim.label in (None, "not_found")


def _exempt(
    case: Case, claim: ClaimResult, known: _Known, *, others: bool, left: Iterator[int]
) -> str | None:
    text = claim.text[:_LONGEST]
    if phrases.asks(text):
        return "question"
    if phrases.greets(text) and not _own(text, known):
        return "greeting"
    if abstains(known.query, text) is True and phrases.of_sources_alone(text):
        return "abstention"
    if _restates(text, known) and not _own(text, known):
        return "restates_question"
    if phrases.leads_in(text) and not _own(text, known, counts=False):
        return "lead_in"
    if phrases.plans(text) and not _figures(text, known):
        return "lead_in"
    if _computed(case, text, known, left):
        return "computed"
    why = "glue" if not claim.needs_citation and others else None
    if known.cited and phrases.sums_up(text):
        why = "summary"
    elif known.cited and phrases.infers(text):
        why = "inference"
    return None if why is None or _own(text, known) else why


def _own(text: str, known: _Known, *, counts: bool = True) -> bool:
    """Does it state a figure, a period or a name that no cited claim and no question has?

    Without `counts` a small whole number ("three reasons:") is none.
    """
    if _figures(text, known, counts=counts) or period_of(text) - known.periods:
        return True
    # In German every noun has a capital, and one sentence may be too short to tell the language.
    told = {one for one in names(text) if not known.german or any(map(str.isdigit, one))}
    return bool(told - known.names)


def _figures(text: str, known: _Known, *, counts: bool = False) -> bool:
    """Does it state a figure that no cited claim and no question has?"""
    return any(
        (counts or not _is_count(one)) and one not in known.amounts and one not in known.asked
        for one in amounts_of(text)
    )


def _is_count(one: Quantity) -> bool:
    return one.kind in ("number", "count") and one.value in SMALL


def _restates(text: str, known: _Known) -> bool:
    """All of its words are the question's, and the question does not ask for yes or no."""
    if not known.open_question or negations(text):
        return False
    said = set(content_stems(text))
    if not said or not said <= known.stems:
        return False
    asked = {one.text for one in parse(known.query)}
    return all(one.text in asked for one in parse(text))


def _computed(case: Case, text: str, known: _Known, left: Iterator[int]) -> bool:
    """A result that is worked out: each figure stands in a cited claim, or follows from such ones
    and from what the claim itself shows; one at least follows."""
    amounts = amounts_of(text)
    if not 0 < len(amounts) <= _MOST_AMOUNTS or not known.cited or not phrases.computes(text):
        return False
    new = [one for one in amounts if one not in known.amounts and not _is_count(one)]
    if not new or period_of(text) - known.periods:
        return False
    if steps := shown_work(text):
        return all(one.consistent and _of_known(one.expr, known) for one in steps)
    return next(left, None) is not None and all(_follows(case, one, known) for one in new)


def _of_known(term: Expr | Operand | Decimal, known: _Known) -> bool:
    """Are the numbers of a shown step those of cited claims, up to a scale that it leaves out?"""
    if isinstance(term, Expr):
        return all(_of_known(one, known) for one in term.args)
    value = abs(term if isinstance(term, Decimal) else term.value)
    if value in SMALL or value in FACTORS:
        return True
    return any(value * scale in known.amounts.values for scale in SCALES)


def _follows(case: Case, amount: Quantity, known: _Known) -> bool:
    operands = operands_at(known.text, None, None)[:_MOST_OPERANDS]
    found = derive(amount, operands, gold=True, query=case.sample.query)
    if found is not None and found.form != "lookup":
        return True
    return any(
        one.value == amount.value
        and not one.looked_up
        and bool(one.passage_ids)
        and set(one.passage_ids) <= known.passage_ids
        for one in worked_numbers(case)
    )
