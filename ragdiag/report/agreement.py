"""How far the labels of an evaluation agree with people's, check by check."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from ragdiag.records import LABELS, Label, SampleResult
from ragdiag.stats.intervals import wilson


class Agreement:
    """Compares the labels of results with people's, by majority; ties are left out."""

    def __init__(self, labels: Sequence[Label]) -> None:
        votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for label in labels:
            whole = label.claim is None and label.claim_span is None and label.passage_id is None
            if whole and label.check in LABELS:
                votes[label.query_id, label.check][label.label] += 1
        self._people: dict[str, dict[str, str]] = defaultdict(dict)
        for (query_id, check), counted in votes.items():
            told = counted.most_common(2)
            if len(told) == 1 or told[0][1] > told[1][1]:
                self._people[query_id][check] = told[0][0]
        self._tables: dict[str, Counter[tuple[str, str | None]]] = defaultdict(Counter)

    def add(self, result: SampleResult) -> None:
        """Counts one query's labels against people's."""
        for check, people in self._people.get(result.query_id, {}).items():
            told = result.labels.get(check)
            table = self._tables[check]  # of a check that only people decided, it stays empty
            if told is None or told.basis != "labels" or told.judge != "people":
                table[people, None if told is None else told.label] += 1

    def report(self) -> dict[str, Any]:
        """By check: n labelled, n decided, agreement with its interval, balanced accuracy, table.

        n counts the labels that the judge has not from people itself: 0 where it has all of them.

        balanced_accuracy is the mean over people's labels of the share that was given the same
        one, over decided rows; null where fewer than two labels occur.
        """
        return {check: _aggregate(table) for check, table in sorted(self._tables.items())}


def _aggregate(table: Counter[tuple[str, str | None]]) -> dict[str, Any]:
    decided = {pair: n for pair, n in table.items() if pair[1] is not None}
    n_decided = sum(decided.values())
    same = sum(n for (people, told), n in decided.items() if people == told)
    of_people: Counter[str] = Counter()
    for (people, _), n in decided.items():
        of_people[people] += n
    recalls = [decided.get((label, label), 0) / n for label, n in sorted(of_people.items())]
    low, high = wilson(same, n_decided)
    return {
        "n": sum(table.values()),
        "n_decided": n_decided,
        "agreement": same / n_decided if n_decided else None,
        "ci_low": low if n_decided else None,
        "ci_high": high if n_decided else None,
        "balanced_accuracy": sum(recalls) / len(recalls) if len(recalls) > 1 else None,
        "table": [
            {"people": people, "ragdiag": told, "n": n}
            for (people, told), n in sorted(
                table.items(), key=lambda row: (row[0][0], str(row[0][1]))
            )
        ],
    }
