"""Sums by cluster, of results that come one by one; where queries stand for themselves, nothing."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

from ragdiag.records import SampleResult, Settings
from ragdiag.report.tally import ClusterTotals, share

CLUSTERS = "clusters:"
"""How a warning about clusters begins."""

NONE, NONE_OF_ALL = "(none)", "(none of all)"
"""Names of the share of no query, among those with a diagnosis and among all: 0, by cluster."""

_MOST = 2000


def cluster_key(result: SampleResult, settings: Settings) -> str | None:
    """The cluster of a result, one of its own where it has none; None without clusters."""
    if settings.cluster is None:
        return None
    return result.cluster if result.cluster is not None else f"\0{result.query_id}"


class ClusterSums:
    """A sum and a number by cluster; bounded: beyond 2,000 clusters they are dealt onto as many
    groups, whole clusters together."""

    __slots__ = ("_by", "_dealt")

    def __init__(self) -> None:
        self._by: dict[str | int, tuple[float, int]] = {}
        self._dealt = False

    def add(self, cluster: str | None, value: float = 1.0, n: int = 1) -> None:
        """Adds a value that counts as n; nothing where `cluster` is None."""
        if cluster is None:
            return
        key = _group(cluster) if self._dealt else cluster
        total, count = self._by.get(key, (0.0, 0))
        self._by[key] = total + value, count + n
        if len(self._by) > _MOST and not self._dealt:
            self._by, self._dealt = self._groups(), True

    def _groups(self) -> dict[str | int, tuple[float, int]]:
        if self._dealt:
            return self._by
        found: dict[str | int, tuple[float, int]] = {}
        for cluster, (value, n) in self._by.items():
            total, count = found.get(_group(str(cluster)), (0.0, 0))
            found[_group(str(cluster))] = total + value, count + n
        return found

    @staticmethod
    def totals(sums: Iterable[ClusterSums], sizes: Iterable[ClusterSums]) -> ClusterTotals | None:
        """Sums of the former, numbers of the latter, by cluster; None where nothing was added."""
        import numpy as np  # noqa: PLC0415 - heavy, and needed here only

        sums, sizes = list(sums), list(sizes)
        dealt = any(one._dealt for one in (*sums, *sizes))
        found: dict[str | int, list[float]] = {}
        for at, those in enumerate((sums, sizes)):
            for one in those:
                for cluster, told in (one._groups() if dealt else one._by).items():
                    found.setdefault(cluster, [0.0, 0.0])[at] += told[at]
        rows = [row for row in found.values() if row[1]]
        if not rows:
            return None
        table = np.array(rows)
        return ClusterTotals(table[:, 0], table[:, 1], None if dealt else len(rows))


def _group(cluster: str) -> int:
    return zlib.crc32(cluster.encode("utf-8", "surrogatepass")) % _MOST


class Cases:
    """A number of queries, by cluster too."""

    __slots__ = ("n", "sums")

    def __init__(self) -> None:
        self.n = 0
        self.sums = ClusterSums()

    def add(self, cluster: str | None) -> None:
        """One more."""
        self.n += 1
        self.sums.add(cluster)


def cases_share(these: Iterable[Cases], total: Iterable[Cases]) -> dict[str, Any]:
    """`tally.share` of cases that exclude each other, among all cases."""
    these, total = list(these), list(total)
    clusters = ClusterSums.totals((one.sums for one in these), (one.sums for one in total))
    n, of = sum(one.n for one in these), sum(one.n for one in total)
    return share(n, of, clusters=clusters)
