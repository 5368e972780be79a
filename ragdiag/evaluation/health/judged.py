"""How much of what is retrieved has a label, over the queries with graded judgements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ragdiag.evaluation.health.finding import Finding, percent
from ragdiag.records import Sample
from ragdiag.retrieval.measures import Table
from ragdiag.retrieval.metrics import Labels, Ranking, columns_of, distinct

JUDGED_AT = 10
_WELL_JUDGED = 0.9
_LONGEST = 10 * JUDGED_AT  # of a list; duplicates beyond that are not looked through
_AT_ONCE = 2000


class JudgedShare:
    """judged@10 of the samples with qrels and a list; worked out in blocks, which is faster."""

    def __init__(self) -> None:
        self._waiting: list[Ranking] = []
        self._total = 0.0
        self._n = 0

    def add(self, sample: Sample) -> None:
        """One more sample; one without qrels, or with an empty list, is in no mean."""
        if sample.qrels and sample.retrieved:
            ids = distinct(passage.passage_id for passage in sample.retrieved[:_LONGEST])
            self._waiting.append(Labels(sample.qrels, gain="linear").seen(ids))
            if len(self._waiting) >= _AT_ONCE:
                self._work_out()

    def _work_out(self) -> None:
        if self._waiting:
            found = Table(columns_of(self._waiting), (JUDGED_AT,), no_relevant="skip")
            column = found.column("judged", JUDGED_AT)
            self._total += float(column.sum())
            self._n += len(self._waiting)
            self._waiting = []

    def to_dict(self) -> dict[str, Any]:
        """The JSON key `judged`; value is None where there is nothing to judge."""
        self._work_out()
        mean = self._total / self._n if self._n else None
        return {"k": JUDGED_AT, "value": mean, "n": self._n}

    def findings(self) -> Iterable[Finding]:
        """One where under 90% of the first ten have a label."""
        told = self.to_dict()
        value = told["value"]
        if value is not None and value < _WELL_JUDGED:
            yield Finding(
                "unlabelled",
                "weak",
                f"{percent(1 - value)} of the first {JUDGED_AT} retrieved have no label "
                f"(judged@{JUDGED_AT} {value:.2f}, n {self._n})",
                f"pool and label them (ragdiag pool RUN… --depth {JUDGED_AT}): unlabelled counts "
                "as irrelevant, which is unfair to systems that find new passages",
                told,
            )
