"""Success at document and at page level beside the unit: is it the right document, wrong page?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ragdiag.records import SampleResult
from ragdiag.report.tally import share

LEVELS = ("document", "page")
MEASURES = ("hit", "complete_evidence")
_MOST_EXAMPLES = 3


class WrongPage:
    """Counts, by cut-off, the queries whose document is found and whose page is not."""

    def __init__(self, cutoffs: Sequence[int]) -> None:
        self._names = [(k, f"hit.document@{k}", f"hit.page@{k}") for k in cutoffs]
        self._n_total: Counter[int] = Counter()
        self._n: Counter[int] = Counter()
        self._examples: dict[int, list[str]] = {k: [] for k in cutoffs}

    def add(self, result: SampleResult) -> None:
        """Counts a query where both levels are scored."""
        for k, document, page in self._names:
            found = result.scores.get(document), result.scores.get(page)
            if found[0] is None or found[1] is None:
                continue
            if found[0].value is None or found[1].value is None:
                continue
            self._n_total[k] += 1
            if found[0].value > found[1].value:
                self._n[k] += 1
                if len(self._examples[k]) < _MOST_EXAMPLES:
                    self._examples[k].append(result.query_id)

    def report(self) -> dict[str, dict[str, Any]]:
        """By cut-off, as text: how many of the queries of which both levels are known."""
        return {
            str(k): {
                "n_total": self._n_total[k],
                **share(self._n[k], self._n_total[k]),
                "examples": list(self._examples[k]),
            }
            for k, *_ in self._names
        }


def levels(metrics: Mapping[str, Any], cutoffs: Sequence[int]) -> dict[str, dict[str, Any]]:
    """The metrics of success by level, "unit" standing for the unit of the settings."""
    found: dict[str, dict[str, Any]] = {}
    for level in (*LEVELS, "unit"):
        infix = "" if level == "unit" else f".{level}"
        named = {f"{m}@{k}": f"{m}{infix}@{k}" for m in MEASURES for k in cutoffs}
        found[level] = {short: metrics[name] for short, name in named.items() if name in metrics}
    return found
