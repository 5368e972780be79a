"""How often a judge that is asked the same again says something else."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragdiag.records import Label
from ragdiag.report.labelled_items import LabelledItems
from ragdiag.report.people_checks import people_checks
from ragdiag.stats.intervals import interval_of_mean, wilson

_DECIMALS = 10
_COEFFICIENTS = ("agreement", "alpha", "ac1")


def repeat_rows(
    labels: Sequence[Label], missing: Mapping[str, Sequence[str]], *, n_repeats: int
) -> dict[str, dict[str, Any]]:
    """By check, over the queries with a label from two repeats or more:

    flip_rate  the chance that two repeats say something else of one query (1 − agreement);
    flipped    the share of queries on which not all repeats say the same (Wilson);
    entropy    of the labels of one query, in bits, its mean over queries: 0 where all are alike, at
               most log2 of the number of labels;
    alpha      Krippendorff's, and Gwet's AC1; a query is drawn anew in their intervals.

    n_missing counts the replies without a label, by reason.
    """
    together = people_checks(LabelledItems(labels))
    votes: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for one in labels:
        votes[one.check][one.query_id][one.label] += 1
    checks = sorted({*votes, *missing})
    return {
        check: {
            "n_repeats": n_repeats,
            "n_queries": len(votes[check]),
            **_row(votes[check].values(), together.get(check)),
            "missing": dict(Counter(missing.get(check, ())).most_common()),
        }
        for check in checks
    }


def _row(votes: Iterable[Counter[str]], told: Mapping[str, Any] | None) -> dict[str, Any]:
    several = [one for one in votes if one.total() > 1]
    n, n_flipped = len(several), sum(len(one) > 1 for one in several)
    if told is None or not n:
        return {"n": 0, "flip_rate": None, "flipped": None, "entropy": None}
    agreement = told["agreement"]
    low, high = wilson(n_flipped, n)
    bits = [round(_entropy(one), _DECIMALS) for one in several]
    most = math.log2(max(2, len({label for one in several for label in one})))
    spread = interval_of_mean(Counter(bits), bounds=(0.0, most))
    assert spread is not None  # there is a query
    return {
        "n": n,
        "flip_rate": {
            "value": 1 - agreement["value"],
            "ci_low": 1 - agreement["ci_high"],
            "ci_high": 1 - agreement["ci_low"],
        },
        "flipped": {"n": n_flipped, "value": n_flipped / n, "ci_low": low, "ci_high": high},
        "entropy": {
            "value": sum(bits) / n,
            "ci_low": spread.low,
            "ci_high": spread.high,
        },
        **{name: told[name] for name in _COEFFICIENTS},
    }


def _entropy(votes: Counter[str]) -> float:
    n = votes.total()
    return -sum(k / n * math.log2(k / n) for k in votes.values() if k)
