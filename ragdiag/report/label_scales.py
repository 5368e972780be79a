"""The labels of a check in order and in two values: what agreement is counted on."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ragdiag.records import LABELS

LEVELS: dict[str, dict[str, float]] = {
    "answer_correctness": {"correct": 1.0, "partial": 0.5, "incorrect": 0.0, "abstained": 0.0},
    "support": {"supported": 2, "partial": 1, "not_found": 0, "contradicted": 0},
    "citation_support": {"supported": 2, "partial": 1, "unsupported": 0},
    "relevance": {"0": 0, "1": 1, "2": 2},
}
"""Checks whose labels have an order; labels on one level differ in kind, not in degree."""

_BETWEEN = "partial"


def is_positive(check: str, label: str) -> bool:
    """The first label of the check; of relevance, any grade over 0."""
    return label != "0" if check == "relevance" else label == LABELS[check][0]


def say_two(check: str, labels: Collection[str]) -> bool:
    """Do these hold no more than one positive label and one other?"""
    positive = {label for label in labels if is_positive(check, label)}
    return len(positive) < 2 and len(set(labels) - positive) < 2


def two_valued(check: str, people: str, judge: str, *, between: bool) -> tuple[bool, bool]:
    """(people's, the judge's) label as positive or not.

    between  people have a label "partial": it is negative, as all but the first label are. Where
             they have not, the judge's "partial" agrees with neither of their labels.
    """
    told = is_positive(check, people)
    if judge == _BETWEEN and not between:
        return told, not told
    return told, is_positive(check, judge)


def has_between(labels: Collection[str]) -> bool:
    """Is there a "partial" among people's labels?"""
    return _BETWEEN in labels


def in_order(check: str, labels: Iterable[str]) -> list[str]:
    """Labels as the check lists them; others ("wrong:period") behind, by name."""
    known = {label: place for place, label in enumerate(LABELS[check])}
    return sorted(set(labels), key=lambda label: (known.get(label, len(known)), label))
