"""How far the labels of an evaluation agree with people's, check by check."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ragdiag.records import LABELS, Label, SampleResult
from ragdiag.report.judged_checks import comparable, judged_checks, validated
from ragdiag.report.labelled_items import LabelledItems
from ragdiag.stats.intervals import wilson


class Agreement:
    """Compares the labels of results with people's, by majority; ties are left out."""

    def __init__(self, labels: Sequence[Label]) -> None:
        self._labelled = LabelledItems(labels)

    def forget(self, query_id: str, checks: Iterable[str]) -> Counter[str]:
        """Drops labels of checks on a query, before it is added; returns how many."""
        return self._labelled.forget(query_id, checks)

    def add(self, result: SampleResult) -> None:
        """Counts one query's labels against people's."""
        self._labelled.add(result)

    def report(self) -> dict[str, Any]:
        """By check on whole answers: n labelled, n decided, agreement with its interval, balanced
        accuracy, table.

        n counts the labels that the judge has not from people itself: 0 where it has all of them.

        balanced_accuracy is the mean over people's labels of the share that was given the same
        one, over decided rows; null where fewer than two labels occur.
        """
        found: dict[str, Any] = {}
        for row, items in self._labelled.items().items():
            known = [one for one in items if one.matched and one.people is not None]
            if row in LABELS and row not in ("support", "relevance") and known:
                asked = comparable(known)
                found[row] = _aggregate(Counter((str(one.people), one.judge) for one in asked))
        return found

    def validated(self) -> dict[str, dict[str, Any]]:
        """What `judge.validated` says, of parts of answers too."""
        return validated(judged_checks(self._labelled, slices=False))


def _aggregate(table: Counter[tuple[str, str | None]]) -> dict[str, Any]:
    decided = {pair: n for pair, n in table.items() if pair[1] is not None}
    n_decided = sum(decided.values())
    same = sum(n for (people, told), n in decided.items() if people == told)
    low, high = wilson(same, n_decided)
    return {
        "n": sum(table.values()),
        "n_decided": n_decided,
        "agreement": same / n_decided if n_decided else None,
        "ci_low": low if n_decided else None,
        "ci_high": high if n_decided else None,
        "balanced_accuracy": _balanced(decided),
        "table": [
            {"people": people, "ragdiag": told, "n": n}
            for (people, told), n in sorted(
                table.items(), key=lambda row: (row[0][0], str(row[0][1]))
            )
        ],
    }


def _balanced(decided: dict[tuple[str, str | None], int]) -> float | None:
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.stats.binary_agreement import balanced_accuracy  # noqa: PLC0415 - loads numpy

    labels = sorted({str(label) for pair in decided for label in pair})
    table = np.zeros((len(labels), len(labels)))
    for (people, told), n in decided.items():
        table[labels.index(people), labels.index(str(told))] = n
    found = float(balanced_accuracy(table)) if labels else float("nan")
    return None if math.isnan(found) else found
