"""What a metric's name says: its layer and direction, and whether it is that of a stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragdiag.report.tally import ClusterTotals, Tally

SLICED = (
    "precision", "recall", "hit", "rr", "ap", "ndcg", "judged", "any_evidence", "complete_evidence",
    "evidence_coverage", "hit.document", "hit.page", "evidence_correctness", "sufficiency",
    "completeness", "provenance", "answer_correctness", "faithfulness", "citation_correctness",
    "citation_completeness", "abstention",
)  # fmt: skip
"""Metrics that are shown by slice; those with a cut-off at the largest k."""


class Kinds:
    """Layer and direction of metrics by name, and the cells of a report that they stand in."""

    def __init__(self, known: Mapping[str, tuple[str, str]], *, min_coverage: float) -> None:
        self._known = known
        self._min_coverage = min_coverage

    def is_stage(self, name: str) -> bool:
        """ "candidates:recall@5", but not "ragas:faithfulness", which is a metric by its name."""
        return ":" in name and name not in self._known

    def cell(
        self, name: str, tally: Tally, clusters: ClusterTotals | None = None
    ) -> dict[str, Any]:
        """The metric as report.json shows it."""
        layer, direction = self._known[self._base(name)]
        found = tally.aggregate(min_coverage=self._min_coverage, clusters=clusters)
        return {**found, "layer": layer, "direction": direction}

    def slice_row(
        self,
        tallies: Mapping[str, Tally],
        codes: Mapping[str, int],
        clusters: Mapping[str, ClusterTotals] | None = None,
    ) -> dict[str, Any]:
        """A value of a slice dimension: its queries, metrics, and queries by code ("none")."""
        return {
            "n": sum(codes.values()),
            "metrics": {
                name: tally.aggregate(
                    min_coverage=self._min_coverage, clusters=(clusters or {}).get(name)
                )
                for name, tally in tallies.items()
                if tally.status
            },
            "categories": dict(sorted(codes.items())),
        }

    def stages(self, cells: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The cells of stages, by stage and metric."""
        found: dict[str, dict[str, Any]] = {}
        for name, cell in cells.items():
            stage, _, metric = name.partition(":")
            if self.is_stage(name):
                found.setdefault(stage, {})[metric] = cell
        return found

    def _base(self, name: str) -> str:
        """The metric that a name belongs to: "candidates:recall@5" to recall, "x.period" to x."""
        plain = name.rpartition(":")[2]
        shorter = (name, plain, plain.partition(".")[0], plain.partition("@")[0])
        return next(one for one in shorter if one in self._known)


def sliced_names(deepest: int) -> tuple[str, ...]:
    """The names under which `SLICED` may stand, of the largest cut-off."""
    return tuple(name for f in SLICED for name in (f, f"{f}@{deepest}"))
