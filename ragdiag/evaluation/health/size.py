"""Are there queries enough to conclude from: in the set, in its slices, in its documents?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ragdiag.evaluation.health.finding import Finding, counted, some
from ragdiag.stats.planning import WORST_RATE, queries_needed, smallest_difference

AIM = 0.10
"""The difference that a set should be able to show."""
COARSE = 0.30
"""A slice that shows only larger differences than this is too small to conclude from."""
FEWEST_CLUSTERS = 20
MOST_VALUES, MOST_DIMENSIONS = 50, 100
"""A dimension of more values is an id; further dimensions are not counted."""

NEEDED = queries_needed(AIM)
_NEEDED_IN_SLICE = queries_needed(COARSE)
_GOOD_ENOUGH = 0.20
_LONGEST_SLICE = 40


class Slices:
    """How many different queries each value of each slice dimension has."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, set[int]]] = {}

    def add(self, slices: dict[str, str], number: int) -> None:
        """One more sample: its slices, and the number of its query."""
        for dimension, value in slices.items():
            if dimension not in self._found and len(self._found) >= MOST_DIMENSIONS:
                continue
            values = self._found.setdefault(dimension, {})
            if value not in values and len(values) > MOST_VALUES:
                continue
            queries = values.setdefault(value, set())
            if len(queries) < NEEDED:  # more is enough, however many
                queries.add(number)

    def to_dict(self) -> dict[str, Any]:
        """The JSON key `slices`: by dimension and value, n different queries (counted up to 393)
        and the smallest difference that they show. Dimensions of over 50 values are left out."""
        return {
            dimension: {
                value: {"n": len(queries), "smallest_difference": smallest_difference(len(queries))}
                for value, queries in sorted(values.items())
            }
            for dimension, values in sorted(self._found.items())
            if 1 < len(values) <= MOST_VALUES
        }

    def findings(self) -> Iterable[Finding]:
        """One for all slices that are too small."""
        rows = [
            (row["n"], f"{dimension}={value}")
            for dimension, values in self.to_dict().items()
            for value, row in values.items()
        ]
        small = sorted(row for row in rows if row[0] < _NEEDED_IN_SLICE)
        if small:
            named = [f"{name} ({n})" for n, name in small]
            yield Finding(
                "small_slices",
                "weak",
                f"{len(small)} of {counted(len(rows), 'slice')} have under {_NEEDED_IN_SLICE} "
                f"queries, where no difference under {COARSE:.2f} shows: "
                f"{some(named, longest=_LONGEST_SLICE)}",
                f"merge slices or add queries ({NEEDED} in each show {AIM:.2f}); read their means "
                "as hints",
                {"n_small": len(small), "n_slices": len(rows), "fewest": small[0][0]},
            )


def power_of(n: int) -> dict[str, Any]:
    """The JSON key `power`: what n queries show, at 80% power and .05 two-sided."""
    return {
        "n": n,
        "rate": WORST_RATE,
        "smallest_difference": smallest_difference(n),
        "aim": AIM,
        "needed": NEEDED,
    }


def size_findings(n: int) -> Iterable[Finding]:
    """One where the set cannot show a difference of .10 between two runs."""
    found = smallest_difference(n)
    if n == 0 or (found is not None and round(found, 2) <= AIM):
        return
    shown = "no difference" if found is None else f"only differences of {found:.2f} and more"
    yield Finding(
        "small_set",
        "weak" if found is None or found > _GOOD_ENOUGH else "note",
        f"{counted(n, 'query shows', 'queries show')} {shown} between two runs (80% power)",
        f"for {AIM:.2f} have {NEEDED} queries; until then take a smaller difference for no news",
        power_of(n),
    )


def cluster_findings(n_queries: int, n_clusters: int) -> Iterable[Finding]:
    """One where many queries come from few documents."""
    if 0 < n_clusters < FEWEST_CLUSTERS and n_queries > n_clusters:
        yield Finding(
            "few_documents",
            "weak",
            f"{n_queries} queries have their evidence in "
            f"{counted(n_clusters, 'document')} (by the first gold document)",
            f"take queries from {FEWEST_CLUSTERS} documents and more: queries on one document are "
            "not independent, and every interval is too narrow",
            {"n_queries": n_queries, "n_clusters": n_clusters},
        )
