"""The parts of an answer apart: number, unit, year, entity, calculation; each with its reason.

The number is the figure as written; scale, currency and kind are the unit's: "$412 billion" for
"$412 million" has the right number and the wrong unit. The year and the entity are those that the
reference gives, else those that the question or its target asks of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from ragdiag.answer import match
from ragdiag.answer.calculated import calculation
from ragdiag.answer.correctness import kind_of
from ragdiag.answer.dates import decide_date
from ragdiag.answer.listing import match_items
from ragdiag.answer.numeric import amounts, decide_number, judge_value, results
from ragdiag.answer.phrase import decide_phrase
from ragdiag.records import LabelResult, PartResult
from ragdiag.text.case import Case
from ragdiag.text.entities import mentions, same_entity
from ragdiag.text.numbers import TOLERANCE, Quantity, compare_quantities
from ragdiag.text.period_conflict import period_beside, period_conflict
from ragdiag.text.periods import period_of
from ragdiag.text.wording import asked_entity

PARTS = ("number", "unit", "year", "entity", "calculation")
_BEST_FIRST = ("ok", "partial", "unscored", "wrong", "not_applicable")
_LONGEST = 20_000
_MOST = 60  # amounts of a long answer that each amount of a long reference is compared with
_SHORT = 40  # words of an answer, or of a list, that says one thing
_NOT_ASKED = PartResult(status="not_applicable", reason="not asked for")
_UNITS = {
    "scale": "another scale",
    "currency": "another currency",
    "unit": "another unit",
    "unit_kind": "another kind of unit",
}


def part_results(case: Case, label: LabelResult) -> dict[str, PartResult]:
    """Every part by name, in the order of `PARTS`; {} without an answer or a reference.

    Of several references the one that the answer meets best counts, part by part. A part that stays
    open is ok where the whole answer is labelled correct; an abstention has no parts.
    """
    sample = case.sample
    if not case.answered or sample.error is not None or not sample.reference:
        return {}
    if case.abstains:
        none = PartResult(status="not_applicable", reason="the answer abstains")
        return dict.fromkeys(PARTS, none)
    answer = case.plain_answer[:_LONGEST]
    correct = label.label == "correct"
    within = case.settings.number_tolerance
    told = [_against(sample.query, match.repaired(one), answer, within) for one in sample.reference]
    found = {name: _best(one[name] for one in told) for name in ("number", "unit")}
    found["year"] = _best(one["year"] for one in told)
    found["entity"] = _best(one["entity"] for one in told)
    if found["year"].status == "not_applicable":
        weighed = found["number"].status in ("ok", "partial", "wrong")
        found["year"] = _year_asked(case, answer, weighed=weighed)
    if found["entity"].status == "not_applicable":
        found["entity"] = _entity_asked(case, answer)
    found["calculation"] = _calculation(case, correct=correct)
    if correct:
        found = {name: _with_whole(name, part, label) for name, part in found.items()}
    return {name: found[name] for name in PARTS}


def _best(told: Iterator[PartResult]) -> PartResult:
    return min(told, key=lambda one: _BEST_FIRST.index(one.status))


def _with_whole(name: str, part: PartResult, label: LabelResult) -> PartResult:
    """A year that is not the one asked for stays open: the label may rest on the number alone."""
    other_year = name == "year" and part.said is not None
    if part.status != "unscored" or other_year:
        return part
    by = label.judge or label.basis
    return part.model_copy(
        update={"status": "ok", "reason": f"the answer as a whole is correct ({by})"}
    )


def _against(
    query: str, reference: str, answer: str, tolerance: float | None
) -> dict[str, PartResult]:
    """number, unit, year, entity against one reference."""
    found: dict[str, PartResult] = dict.fromkeys(PARTS, _NOT_ASKED)
    kind, value = kind_of(query, reference)
    if kind == "amount" and value is not None:
        found["number"] = _number(query, value, answer, tolerance)
        found["unit"] = _unit(query, value, answer, tolerance)
    elif kind == "date" and value is not None:
        label = decide_date(query, value, answer)
        found["year"] = _of_label(label, reference, "no other date of the answer is plain")
    elif amounts(reference):
        found["number"] = _numbers(query, reference, answer, tolerance)
    elif kind == "phrase":
        label = decide_phrase(query, reference, answer, tolerance=tolerance)
        found["entity"] = _of_label(label, reference, "no name of the answer is plainly it")
    return found


def _of_label(label: str | None, wanted: str, still_open: str) -> PartResult:
    status, reason = {
        "correct": ("ok", "as in the reference"),
        "partial": ("partial", "some of it is there"),
        "incorrect": ("wrong", "the answer gives another one"),
    }.get(label or "", ("unscored", still_open))
    return PartResult.model_validate({"status": status, "reason": reason, "wanted": wanted})


def _number(query: str, reference: Quantity, answer: str, tolerance: float | None) -> PartResult:
    said = results(query, answer)
    label = decide_number(query, reference, answer, tolerance=tolerance)
    known = {"wanted": reference.text, "said": _listed(said)}
    right = _equal(query, reference, said, tolerance)
    if label == "correct":
        shown = right.text if right is not None else known["said"]
        reason = "the same value"
        if right is not None and _only_within(query, reference, right, tolerance):
            reason = f"within the tolerance of {tolerance:.3g}"
        return PartResult(status="ok", reason=reason, wanted=reference.text, said=shown)
    if label == "partial":
        return PartResult(status="partial", reason="within the range", **known)
    named = next((why for one in said if (why := _unit_amiss(reference, one))), None)
    if named is not None:
        return PartResult(status="ok", reason=f"the same figure, in {_UNITS[named]}", **known)
    if label == "incorrect":
        whys = {compare_quantities(reference, one).why for one in said}
        slip = next((why for why in ("sign", "rounding") if why in whys), None)
        reason = f"differs by its {slip}" if slip else "another value"
        return PartResult(status="wrong", reason=reason, **known)
    reason = "no figure is plainly the result" if said else "the answer states no figure"
    return PartResult(status="unscored", reason=reason, **known)


def _equal(
    query: str, reference: Quantity, said: list[Quantity], tolerance: float | None
) -> Quantity | None:
    """The first amount that is the reference's."""
    for one in said:
        if judge_value(query, reference, one, tolerance=tolerance) == "equal":
            return one
    return None


def _only_within(query: str, reference: Quantity, said: Quantity, tolerance: float | None) -> bool:
    """Is it the reference's by the tolerance that the user set, and not without?"""
    return bool(tolerance) and judge_value(query, reference, said, tolerance=0) != "equal"


def _listed(said: list[Quantity]) -> str | None:
    return ", ".join(dict.fromkeys(one.text for one in said[:4])) or None


def _unit_amiss(reference: Quantity, said: Quantity) -> str | None:
    """The name of a mismatch of the unit alone, the figures being the same; None for any other."""
    # "41,275 billion" is no other reading of "41,275 million" in which a comma is a point.
    reference, said = replace(reference, candidates=()), replace(said, candidates=())
    why = compare_quantities(reference, said).why
    if why == "scale":
        return why if _thousands_apart(reference.signed, said.signed) else None
    if why not in _UNITS:
        return None
    same = replace(reference, kind=said.kind, unit=said.unit)
    return why if compare_quantities(same, said).relation == "equal" else None


def _thousands_apart(one: Decimal, other: Decimal) -> bool:
    """By a whole power of a thousand, or by a hundred (percent), of one sign?"""
    if not one or not other or (one < 0) != (other < 0):
        return False
    power = (one / other).log10()
    near = power.to_integral_value()
    return abs(power - near) < Decimal("0.01") and (near % 3 == 0 or abs(near) == 2)


def _unit(query: str, reference: Quantity, answer: str, tolerance: float | None) -> PartResult:
    """The unit of the result: the reference's own, or one that comes to the same value, is right;
    without a result any amount of the reference's unit is. A bare figure states none."""
    if reference.kind == "number" and reference.unit is None:
        return _NOT_ASKED
    said = results(query, answer) or amounts(answer)
    known = {"wanted": reference.text, "said": _listed(said)}
    equal = _equal(query, reference, said, tolerance)
    told = [equal] if equal is not None else [one for one in said if one.kind != "number"]
    if not told or all(one.kind == "number" for one in told):
        return PartResult(status="unscored", reason="the answer states no unit", **known)
    if equal is not None:
        return PartResult(status="ok", reason="the same unit, or one of the same value", **known)
    amiss = next((why for one in told if (why := _unit_amiss(reference, one))), None)
    if amiss is not None:
        return PartResult(status="wrong", reason=_UNITS[amiss], **known)
    if any((one.kind, one.unit) == (reference.kind, reference.unit) for one in told):
        return PartResult(status="ok", reason="the same unit", **known)
    if decide_number(query, reference, answer, tolerance=tolerance) is None:
        reason = "no figure is plainly the result"
        return PartResult(status="unscored", reason=reason, **known)
    return PartResult(status="wrong", reason="another unit", **known)


def _numbers(query: str, reference: str, answer: str, tolerance: float | None) -> PartResult:
    """The amounts of a reference that has several. Those of a longer text are all right where they
    all stand in the answer; what it may leave out code cannot tell."""
    wanted, said = amounts(reference), amounts(answer)
    items = match.items(reference)
    brief = len(match.words(reference)) <= _SHORT
    listed = brief and len(items) == len(wanted) and all(len(amounts(one)) == 1 for one in items)
    known = {"wanted": _listed(wanted), "said": _listed(said)}
    if not brief:
        return _all_there(wanted, said, known, tolerance)
    matched = match_items(
        query, items if listed else [one.text for one in wanted], answer, tolerance=tolerance
    )
    if matched.crossed:
        return PartResult(status="wrong", reason="values stand with each other's names", **known)
    if matched.n == len(matched.found):
        return PartResult(status="ok", reason="all of its values", **known)
    reason = f"{matched.n} of {len(matched.found)} values are plainly there"
    return PartResult(status="partial" if matched.n else "unscored", reason=reason, **known)


def _all_there(
    wanted: list[Quantity],
    said: list[Quantity],
    known: dict[str, str | None],
    tolerance: float | None,
) -> PartResult:
    """All amounts of a text, or open."""
    values = {one.value for one in said}
    others = said[:_MOST]
    for one in wanted:
        if one.value in values:
            continue
        within = TOLERANCE if tolerance is None else tolerance
        told = (compare_quantities(one, other, tolerance=within) for other in others)
        if not any(found.relation == "equal" for found in told):
            reason = f"{one.text} of the reference's text is not plainly there"
            return PartResult(status="unscored", reason=reason, **known)
    return PartResult(status="ok", reason="all of its values", **known)


def _year_asked(case: Case, answer: str, *, weighed: bool) -> PartResult:
    """The period of the sentence that answers, against the one that the question asks of.

    Another one is wrong where it stands right at the amount that was weighed, or is all that a
    short answer names: a longer one names other years for many reasons.
    """
    target, query = case.sample.target, case.sample.query
    asked = (target.period if target else None) or query
    if not period_of(asked):
        return _NOT_ASKED
    both = f"{asked} {query}"
    wanted = (target.period if target else None) or ", ".join(sorted(period_of(query)))
    sentence, beside = _answering(query, answer)
    short = len(match.words(answer)) <= _SHORT
    for text, telling in (
        (beside or sentence, (weighed and bool(beside)) or short),
        (answer, short),
    ):
        said = ", ".join(sorted(period_of(text)))
        known = {"wanted": wanted, "said": said or None}
        if said and period_conflict(text, both) is None:
            return PartResult(status="ok", reason="the period asked for", **known)
        if said and telling:
            return PartResult(status="wrong", reason="another period than asked for", **known)
    reason = "other periods stand there" if said else "the answer states no period"
    return PartResult(status="unscored", reason=reason, **known)


def _answering(query: str, answer: str) -> tuple[str, str | None]:
    """The sentence that answers, and the year right after its amount where one stands there.

    The sentence of the result; without an amount the one that shares most words with the question.
    """
    parts = match.sentences(answer)
    said = results(query, answer)
    if said:
        one = said[0]
        line = next((part for part in parts if one.text in part), answer)
        return line, period_beside(answer, one.end, stop=len(answer))
    asked = set(match.content(query))
    shared = [len(asked & set(match.content(part))) for part in parts]
    return (parts[shared.index(max(shared))] if parts else answer), None


def _entity_asked(case: Case, answer: str) -> PartResult:
    """Does the answer name what is asked of, or only another entity that the passages are of?"""
    sample = case.sample
    wanted = sample.target.entity if sample.target else None
    wanted = wanted or asked_entity(sample.query)
    if wanted is None:
        return _NOT_ASKED
    if mentions(wanted, answer):
        reason = "the entity asked for"
        return PartResult(status="ok", reason=reason, wanted=wanted, said=wanted)
    for other in _entities(case):
        if not same_entity(wanted, other) and mentions(other, answer):
            reason = "another entity than asked for"
            return PartResult(status="wrong", reason=reason, wanted=wanted, said=other)
    reason = "the answer names no entity that is known"
    return PartResult(status="unscored", reason=reason, wanted=wanted)


def _entities(case: Case) -> list[str]:
    """The entities that the passages' metadata name, each once, in their order."""
    told = (passage.metadata.get("entity") for passage in case.context or ())
    return list(dict.fromkeys(one for one in told if isinstance(one, str) and one.strip()))


def _calculation(case: Case, *, correct: bool) -> PartResult:
    told = calculation(case, correct=correct)
    if told.right is not None:
        return PartResult(status="ok" if told.right else "wrong", reason=told.reason)
    return PartResult(status="unscored" if told.asked else "not_applicable", reason=told.reason)
