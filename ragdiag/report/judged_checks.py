"""The judge against people, check by check: is it to be trusted, where does it miss."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ragdiag.report.label_scales import has_between, say_two, two_valued
from ragdiag.report.labelled_items import Item, LabelledItems, facts
from ragdiag.report.two_raters import Pair, two_raters

MOST_SLICE_VALUES = 20
"""A slice dimension of more values is left out."""

DECIDED_BY = "decided_by"
_SMALLEST_SLICE = 5
_DECIDERS = {"deterministic": "code", "judged": "judge", "labels": "gold",
             "counterfactual": "experiment"}  # fmt: skip
_CERTAIN = 0.5


def judged_checks(
    labelled: LabelledItems, *, slices: bool = True, most_misses: int = 50
) -> dict[str, dict[str, Any]]:
    """By row (`labelled_items`): counts, `two_raters` on the items that both decided, `trusted`
    and `why` not, slices, and the misses, most confident first.

    What is compared are the labels as they stand in the report: code and gold decide some of them
    before the judge is asked (`judge_alone`: those that it decided itself).

    Where labels say with which probability their item was drawn (`ragdiag sample`), each item
    stands for 1 / that many, and items that do not say it are left out.
    Left out, and counted: labels of the fix queue, and of people who were unsure; items on which
    annotators tie, that the evaluation does not hold, whose label it has from people itself, and
    that it leaves undecided.
    """
    return {
        row: {
            "n_unsure": labelled.unsure[row],
            "n_fix": labelled.fix[row],
            **_row(items, slices=slices, most_misses=most_misses),
        }
        for row, items in labelled.items().items()
        if row != "relevance"  # the judge grades no passages
    }


def comparable(items: Sequence[Item]) -> list[Item]:
    """Those that people and the evaluation both labelled, apart from each other."""
    return [one for one in items if one.people is not None and one.matched and not one.copied]


def _row(items: Sequence[Item], *, slices: bool, most_misses: int) -> dict[str, Any]:
    check = items[0].check
    asked = comparable(items)
    weighted = any(one.weight is not None for one in asked)
    n_comparable = len(asked)
    asked = [one for one in asked if one.weight is not None] if weighted else asked
    decided = [one for one in asked if one.judge is not None]
    told = two_raters(check, _pairs(decided))
    why = _why(told, own=bool(items) and all(one.copied for one in items))
    found = {
        "n_labelled": len(items),
        "n_tied": sum(1 for one in items if one.people is None),
        "n_unmatched": sum(1 for one in items if not one.matched),
        "n_of_people": sum(1 for one in items if one.copied),
        "weighted": weighted,
        "n_unweighted": n_comparable - len(asked),
        "n_undecided": len(asked) - len(decided),
        **told,
        "trusted": not why,
        "why": "; ".join(why) or None,
        "judge_alone": _judge_alone(check, decided),
    }
    missed = _misses(check, decided)
    found["n_misses"] = len(missed)
    if slices:
        found["slices"] = _slices(check, decided)
        found["misses"] = [_miss(one) for one in missed[:most_misses]]
    return found


def _judge_alone(check: str, items: Sequence[Item]) -> dict[str, Any] | None:
    """The same counts of the items that the judge itself decided, not code or gold; None where
    those are all of them, or none."""
    own = [one for one in items if one.basis == "judged"]
    if not own or len(own) == len(items):
        return None
    told = two_raters(check, _pairs(own), short=True)
    why = _why(told, own=False)
    return {**told, "trusted": not why, "why": "; ".join(why) or None}


def _why(told: Mapping[str, Any], *, own: bool) -> list[str]:
    from ragdiag.stats.binary_agreement import mistrust  # noqa: PLC0415 - loads numpy

    if own:
        return ["the labels are the judge's own"]
    return mistrust(
        n_positive=told["n_positive"],
        n_negative=told["n_negative"],
        tpr_low=told["tpr"]["ci_low"],
        tnr_low=told["tnr"]["ci_low"],
    )


def _pairs(items: Sequence[Item]) -> list[Pair]:
    return [Pair(str(one.people), str(one.judge), one.drawn, one.weight or 1.0) for one in items]


def _slices(check: str, items: Sequence[Item]) -> dict[str, dict[str, Any]]:
    """By dimension and value, of five items at least; and by who decided: code, judge, gold."""
    groups: dict[str, dict[str, list[Item]]] = defaultdict(lambda: defaultdict(list))
    for one in items:
        for dimension, value in one.slices.items():
            groups[dimension][value].append(one)
        groups[DECIDED_BY][_DECIDERS.get(one.basis or "", "judge")].append(one)
    found: dict[str, dict[str, Any]] = {}
    for dimension, values in sorted(groups.items()):
        if not 1 < len(values) <= MOST_SLICE_VALUES:
            continue
        rows = {
            value: two_raters(check, _pairs(some), short=True)
            for value, some in sorted(values.items())
            if len(some) >= _SMALLEST_SLICE
        }
        if rows:
            found[dimension] = rows
    return found


def _misses(check: str, items: Sequence[Item]) -> list[Item]:
    """Most confident first: what code decided, then by the distance of the score from one half."""
    used = {str(one.people) for one in items}
    two, between = say_two(check, used), has_between(used)

    def wrong(one: Item) -> bool:
        if two:
            first, second = two_valued(check, str(one.people), str(one.judge), between=between)
            return first != second
        return one.people != one.judge

    return sorted(filter(wrong, items), key=lambda one: (-_confidence(one), one.query_id))


def _confidence(one: Item) -> float:
    if one.score is not None:
        return abs(one.score - _CERTAIN)
    return _CERTAIN if one.basis == "deterministic" else -1.0


def _miss(one: Item) -> dict[str, Any]:
    return {
        **facts(one),
        "people": one.people,
        "votes": dict(sorted(Counter(one.votes.values()).items())),
        "ragdiag": one.judge,
        "score": one.score,
        "decided_by": _DECIDERS.get(one.basis or "", "judge"),
    }


def validated(checks: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What a report keeps of it: {check: {n, tpr, tnr, trusted, why}}, of checks with any label to
    compare with."""
    return {
        name: {
            "n": row["n"],
            "tpr": row["tpr"]["value"],
            "tnr": row["tnr"]["value"],
            "trusted": row["trusted"],
            "why": row["why"],
        }
        for name, row in checks.items()
        if row["n"] + row["n_undecided"]
    }
