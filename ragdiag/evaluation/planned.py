"""What an evaluation says for a plan: queries, rate, clusters, and how far two runs disagree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.baselines import read_run
from ragdiag.evaluation.belonging import parquet_of, require_one_evaluation
from ragdiag.evaluation.document_clusters import DOCUMENT_COLUMNS, document_column
from ragdiag.report import numbers
from ragdiag.report.baseline_pairs import paired
from ragdiag.report.gate_cells import Absent, find
from ragdiag.report.plan import Clusters
from ragdiag.stats.planning import intraclass_correlation

_PREFERRED = ("answer_correctness", "complete_evidence", "recall")


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one metric: n scored, its mean, the sd of its values where they are not 0/1, clusters.

    disagreement  share of the shared queries on which the two runs differ; sd is then that of the
                  differences. None without a second run.
    """

    metric: str
    n: int
    rate: float
    sd: float | None
    clusters: Clusters | None
    disagreement: float | None
    about: tuple[str, ...]


def measure(directory: Path, *, metric: str | None = None, against: Path | None = None) -> Measured:
    """What is taken from a directory (and a second run over the same queries).

    Raises:
        UsageError: no such metric, nothing of it scored, or no query in common.
    """
    report = at.read_report(directory)
    name = metric or _default(report)
    found = find(report, name)
    if isinstance(found, Absent):
        raise UsageError(f"--metric: {found.why}")
    if found.value is None or found.is_figure or found.is_share:
        raise UsageError(f"--metric {name}: a metric with scored queries is needed")
    groups, values, by = _groups(directory, name)
    require_one_evaluation(directory, report)
    about = [f"{directory}: {name} {numbers.value(found.value)}, {found.n}/{found.n_total} scored"]
    binary = set(values) <= {0.0, 1.0}
    sd = None if binary else _sd(values)
    disagreement = None
    if against is not None:
        disagreement, sd, told = _against(directory, against, name, binary=binary)
        about.append(told)
    elif sd is not None:
        about.append(
            "sd of the differences: taken as that of the values (two runs that correlate by .5); "
            "--against DIR measures it"
        )
    return Measured(
        name, found.n, found.value, sd, _clusters(groups, by), disagreement, tuple(about)
    )


def _default(report: Mapping[str, Any]) -> str:
    """The answers' correctness, else the deepest measure of evidence, else the first scored."""
    scored = [name for name, cell in report["metrics"].items() if cell["value"] is not None]
    for wanted in _PREFERRED:
        near = [name for name in scored if name.partition("@")[0] == wanted]
        if near:
            return near[-1]
    if not scored:
        raise UsageError("no metric of this evaluation is scored; give --n")
    return scored[0]


def _groups(directory: Path, metric: str) -> tuple[dict[str, list[float]], list[float], str]:
    """The values by cluster (else by gold document), all values, and by what."""
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    if not (directory / at.QUERIES).exists():
        raise UsageError(f"{directory / at.QUERIES} is not there; evaluate again")
    with parquet_of(directory):
        scores = pl.scan_parquet(directory / at.SCORES).filter(
            pl.col("metric") == metric, pl.col("status") == "scored"
        )
        scanned = pl.scan_parquet(directory / at.QUERIES)
        known = scanned.collect_schema().names()
        queries = scanned.select(
            "query_id", "cluster", *[one for one in DOCUMENT_COLUMNS if one in known]
        ).collect()
        queries = queries.with_columns(
            pl.Series("document", document_column(queries), dtype=pl.String)
        ).lazy()
        rows = scores.join(queries, on="query_id", how="left").collect()
    by = "cluster" if rows["cluster"].null_count() < rows.height else "document"
    groups: dict[str, list[float]] = {}
    for key, value in rows.select(by, "value").iter_rows():
        if key is not None:
            groups.setdefault(key, []).append(value)
    return groups, rows["value"].to_list(), by


def _clusters(groups: Mapping[str, list[float]], by: str) -> Clusters | None:
    sizes = [len(values) for values in groups.values()]
    icc = intraclass_correlation(list(groups.values()))
    if icc is None or max(sizes, default=1) == 1:
        return None
    size = sum(m * m for m in sizes) / sum(sizes)
    return Clusters(size=size, icc=icc, n_clusters=len(sizes), by=by)


def _sd(values: list[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)) or None


def _against(
    directory: Path, against: Path, metric: str, *, binary: bool
) -> tuple[float | None, float | None, str]:
    runs = [read_run(place, [metric]) for place in (against, directory)]
    tables = [run.scores for run in runs]
    if tables[0] is None or tables[1] is None:
        raise UsageError(f"{against}: no scores of single queries; evaluate again")
    # What only one run scored says nothing of how far they disagree.
    there, now = (
        table.filter(table["status"] == "scored") for table in tables if table is not None
    )
    both = there.join(now, on="query_id", how="semi")
    pairs = paired(both, now, {metric: False}).get(metric)
    if pairs is None or pairs.n < 2:
        raise UsageError(f"{against}: fewer than two queries have {metric} in both runs")
    n = pairs.n
    n_alone = there.height + now.height - 2 * n
    share = (pairs.n_better + pairs.n_worse) / n
    mean = pairs.total / n
    sd = math.sqrt(max(0.0, pairs.squares - n * mean * mean) / (n - 1))
    alone = f", {n_alone} in one only" if n_alone else ""
    told = (
        f"against {against}: {numbers.counted(n, 'query', 'queries')} scored in both{alone}; the "
        f"runs differ on {share:.1%} of those scored in both"
    )
    if not share:
        return None, None, f"{told}: nothing to measure the disagreement by"
    return share, None if binary else sd, told
