"""What a gate's name points at in a report: a mean, a share, a time or a cost, or why nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.report.cluster_sums import NONE, NONE_OF_ALL
from ragdiag.stats.intervals import wilson

SHARE, FLAG, LATENCY, COST = ".share", "flags.", "latency.", "cost."
PIPELINE_ERROR = "X1"
NO_ANSWER = "no_answer"
"""Why a figure of the answer applies to no query without one; where the pipeline failed to give
one (X1), it does."""

_SPENT = ("usd", "calls", "input_tokens", "output_tokens")
_FLAGS = (
    *CATALOGUE, "safe_abstention", "should_have_abstained", "retrieval_empty", "gold_from_qrels",
    "gold_mismatch", "near_duplicates", "injection_suspected", "dangling_citation",
    "internal_error", "missing_in_run", "identity_not_tested",
)  # fmt: skip
"""Flags that a report without a query of that flag may be asked for: their share is 0."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of a report with what it rests on.

    n, n_total    of a mean: scored, and all queries; of a share: in the group, and the base.
    n_applicable  queries that should tell: n_known of them do. 0 and 0 where nothing is counted.
    low, high     95% interval; None for a figure that has none (times, costs).
    reasons       why the rest does not tell, in words.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    n_total: int = 0
    n_known: int = 0
    n_applicable: int = 0
    reasons: str = ""
    is_share: bool = False
    is_figure: bool = False


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no such figure, and why."""

    why: str


def find(
    report: Mapping[str, Any], name: str, *, of_slice: tuple[str, str] | None = None
) -> Cell | Absent:
    """The figure of a name: a metric (`recall@10`, `candidates:recall@10`, `ann_recall@10`),
    `CODE.share`, `FAMILY.share`, `flags.NAME.share`, `latency.STAGE.p95` or `cost.usd`; in a slice
    (dimension, value) a metric that is kept by slice, a code or a family."""
    if of_slice is not None:
        return _in_slice(report, name, of_slice)
    metric = _metrics(report).get(name)
    if metric is not None:
        return _mean(metric, report["categories"].get(PIPELINE_ERROR, {}).get("n", 0))
    if name.startswith(FLAG) and name.endswith(SHARE):
        return _flag(report, name.removeprefix(FLAG).removesuffix(SHARE))
    if name.startswith((LATENCY, COST)):
        return _figure(report, name)
    group = name.removesuffix(SHARE)
    if group != name:
        for kind in ("categories", "families"):
            if group in report[kind]:
                return _share(report, group, report[kind][group])
    return _no_such(report, name)


def _metrics(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    staged = {
        f"{stage}:{name}": cell
        for stage, cells in report.get("stages", {}).items()
        for name, cell in cells.items()
    }
    ann: Mapping[str, Any] = report["ann"]["metrics"] if report.get("ann") else {}
    return {**ann, **staged, **report["metrics"]}


def _mean(cell: Mapping[str, Any], broken: int) -> Cell:
    """`broken`: queries that the pipeline failed on; those without an answer should tell."""
    n_total = cell.get("n_total", cell["n"])
    reasons: Mapping[str, int] = cell.get("reasons", {})
    told = ", ".join(f"{reason} {n}" for reason, n in reasons.items())
    unanswered = max(0, min(reasons.get(NO_ANSWER, 0), broken - reasons.get("pipeline_error", 0)))
    withheld = cell.get("withheld")
    return Cell(
        value=None if withheld else cell["value"],
        low=cell["ci_low"],
        high=cell["ci_high"],
        n=cell["n"],
        n_total=n_total,
        n_known=cell["n"],
        n_applicable=n_total - cell.get("n_not_applicable", 0) + unanswered,
        reasons=told,
    )


def _share(report: Mapping[str, Any], group: str, row: Mapping[str, Any]) -> Cell:
    """A category in no rate (failures of the pipeline) is a share of all queries."""
    total = report["corpus"]["n_queries"]
    if row.get("share") is None:
        return _counted(row["n"], total, _told(report.get("shares_of_all"), group, NONE_OF_ALL))
    base = report.get("n_diagnosed", total)
    broken = report["categories"].get(PIPELINE_ERROR, {}).get("n", 0)
    return Cell(
        value=row["share"],
        low=row["ci_low"],
        high=row["ci_high"],
        n=row["n"],
        n_total=base,
        n_known=base,
        n_applicable=base + broken,
        reasons=f"pipeline errors {broken}" if broken else "",
        is_share=True,
    )


def _told(
    shares: Mapping[str, Mapping[str, Any]] | None, group: str, otherwise: str
) -> Mapping[str, Any] | None:
    """The share by cluster, which a report has where queries come in clusters."""
    return None if shares is None else shares.get(group, shares.get(otherwise))


def _counted(n: int, total: int, told: Mapping[str, Any] | None) -> Cell:
    """A share of all queries; `told` by cluster, None where queries stand for themselves."""
    if not total:
        return Cell(None, is_share=True, reasons="no query")
    low, high = wilson(n, total) if told is None else (told["ci_low"], told["ci_high"])
    return Cell(
        n / total,
        low,
        high,
        n=n,
        n_total=total,
        n_known=total,
        n_applicable=total,
        is_share=True,
    )


def _flag(report: Mapping[str, Any], flag: str) -> Cell | Absent:
    if flag not in report.get("flags", {}) and flag not in _FLAGS:
        known = [*report.get("flags", {}), *_FLAGS]
        return Absent(
            f"no query has the flag {flag!r}, and no flag is called so{_near(flag, known)}"
        )
    total = report["corpus"]["n_queries"]
    told = _told(report.get("shares_of_all"), FLAG + flag, NONE_OF_ALL)
    return _counted(min(report.get("flags", {}).get(flag, 0), total), total, told)


def _figure(report: Mapping[str, Any], name: str) -> Cell | Absent:
    """A time or a cost: a figure of this run, without an interval."""
    if name.startswith(COST):
        what = name.removeprefix(COST)
        if what not in _SPENT:
            return _no_such(report, name)
        value = report.get("cost", {}).get(what)
        calls = report.get("cost", {}).get("unknown_calls")
        told = f"unknown for {calls} calls" if calls else "unknown"
        why = f"{told}: a price or tokens are missing"
        return Cell(value, is_figure=True, reasons="" if value is not None else why)
    stage, _, percentile = name.removeprefix(LATENCY).rpartition(".")
    row = report.get("latency", {}).get(stage)
    if row is None or percentile not in ("p50", "p95"):
        return _no_such(report, name)
    n = row.get("n", 0)
    total = report["corpus"]["n_queries"]
    missing = f"no latency_ms.{stage} in {total - n} queries" if n < total else ""
    return Cell(
        row[percentile],
        n=n,
        n_total=total,
        n_known=n,
        n_applicable=total,
        is_figure=True,
        reasons=missing,
    )


def _in_slice(report: Mapping[str, Any], name: str, of_slice: tuple[str, str]) -> Cell | Absent:
    dimension, value = of_slice
    values = report.get("slices", {}).get(dimension)
    if values is None:
        return Absent(
            f"no query has the slice dimension {dimension!r}{_near(dimension, report['slices'])}"
        )
    row = values.get(value)
    if row is None:
        return Absent(f"no query has {dimension}={value}{_near(value, values)}")
    if name in row["metrics"]:
        return _mean(row["metrics"][name], row["categories"].get(PIPELINE_ERROR, 0))
    group = name.removesuffix(SHARE)
    families = {one.family for one in CATALOGUE.values()} - {None}
    if group != name and (group in CATALOGUE or group in families):
        return _share_in_slice(row, group)
    kept = [
        *row["metrics"],
        *(f"{one}{SHARE}" for one in (*CATALOGUE, *sorted(map(str, families)))),
    ]
    return Absent(f"{name!r} is not kept by slice{_near(name, kept)}")


def _share_in_slice(row: Mapping[str, Any], group: str) -> Cell:
    codes: Mapping[str, int] = row["categories"]
    n = sum(
        count
        for code, count in codes.items()
        if code in CATALOGUE and group in (code, CATALOGUE[code].family)
    )
    outside = codes.get("none", 0)
    broken = codes.get(PIPELINE_ERROR, 0)
    total = sum(codes.values())
    if CATALOGUE[PIPELINE_ERROR].family == group or group == PIPELINE_ERROR:
        return _counted(n, total, _told(row.get("shares"), group, NONE_OF_ALL))
    base = total - outside - broken
    if not base:
        return Cell(None, is_share=True, reasons="no query of the slice has a diagnosis")
    told = _told(row.get("shares"), group, NONE)
    low, high = wilson(n, base) if told is None else (told["ci_low"], told["ci_high"])
    return Cell(
        n / base,
        low,
        high,
        n=n,
        n_total=base,
        n_known=base,
        n_applicable=base + broken,
        reasons=f"pipeline errors {broken}" if broken else "",
        is_share=True,
    )


def n_undetermined(report: Mapping[str, Any]) -> int:
    """Queries whose category is open (X2)."""
    return report["categories"].get(UNDETERMINED, {}).get("n", 0)


def _no_such(report: Mapping[str, Any], name: str) -> Absent:
    known = list(_known(report))
    base, _, cutoff = name.rpartition("@")
    hint = _near(name, known)
    if cutoff.isdecimal() and any(one.startswith(f"{base}@") for one in known):
        ks = ",".join(map(str, report.get("k", ())))
        hint += f"; the cut-offs are {ks} (`ragdiag rescore DIR -k {ks},{cutoff}` adds one)"
    return Absent(f"the report has no {name!r}{hint}")


def _known(report: Mapping[str, Any]) -> Iterator[str]:
    yield from _metrics(report)
    yield from (f"{one}{SHARE}" for one in (*report["categories"], *report["families"]))
    yield from (f"{FLAG}{one}{SHARE}" for one in report.get("flags", ()))
    yield from (f"{LATENCY}{one}.{p}" for one in report.get("latency", ()) for p in ("p50", "p95"))
    yield from (f"{COST}{one}" for one in _SPENT)


def _near(name: str, known: Iterator[str] | Mapping[str, Any] | list[str]) -> str:
    close = difflib.get_close_matches(name[:200], [one[:200] for one in known], n=3)
    return f"; did you mean {', '.join(close)}?" if close else ""
