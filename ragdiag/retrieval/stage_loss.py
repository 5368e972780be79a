"""Runs that are stages of one pipeline -> the evidence that each hands on and loses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ragdiag.errors import UsageError
from ragdiag.retrieval.columns import Floats
from ragdiag.retrieval.evaluating import Evaluated
from ragdiag.retrieval.files import RunScores
from ragdiag.stats.intervals import mean_interval, mean_of

MEASURE = "recall"
"""Of the whole list: what a stage hands on is all of it, whatever its length."""

_MOST_EXAMPLES = 3


def stage_loss(runs: Sequence[RunScores]) -> list[dict[str, Any]]:
    """A row for each two runs that follow each other, over the queries that both have a value of.

    before, after  mean recall of the whole lists, whose largest lengths are k_from and k_to.
    lost           mean of before - after with its 95% interval (below 0: the later list has more).
    n_lost_any, n_lost_all  queries that lost some evidence, and all that they had.

    Raises:
        UsageError: fewer than two runs.
    """
    if len(runs) < 2:
        raise UsageError("--stages compares runs in the order of the pipeline: give two or more")
    return [_pair(one, after) for one, after in pairwise(runs)]


def _pair(one: RunScores, after: RunScores) -> dict[str, Any]:
    before, behind = one.evaluated.values[MEASURE], after.evaluated.values[MEASURE]
    both = ~np.isnan(before) & ~np.isnan(behind)
    lost = before - behind
    some = both & (lost > 0)
    everything = some & (behind == 0)
    query_ids = one.evaluated.query_ids
    low, high = loss_interval(lost[both])
    return {
        "from": one.name,
        "to": after.name,
        "k_from": _longest(one.evaluated),
        "k_to": _longest(after.evaluated),
        "before": mean_of(Counter(before[both].tolist())),
        "after": mean_of(Counter(behind[both].tolist())),
        "lost": mean_of(Counter(lost[both].tolist())),
        "ci_low": low,
        "ci_high": high,
        "n": int(both.sum()),
        "n_lost_any": int(some.sum()),
        "n_lost_all": int(everything.sum()),
        "examples": [query_ids[at] for at in np.flatnonzero(some)[:_MOST_EXAMPLES].tolist()],
    }


def _longest(found: Evaluated) -> int:
    return int(found.n_retrieved.max(initial=0))


def loss_interval(lost: Floats) -> tuple[float | None, float | None]:
    """95% interval of a mean of differences in [-1, 1]; (None, None) for none.

    Where a later list has more, the values are shifted into [0, 1] and back.
    """
    if not len(lost):
        return None, None
    if lost.min() >= 0:
        return mean_interval(Counter(lost.tolist())) or (None, None)
    shifted = mean_interval(Counter(((lost + 1) / 2).tolist()))
    return (None, None) if shifted is None else (2 * shifted[0] - 1, 2 * shifted[1] - 1)
