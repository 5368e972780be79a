"""What is said of retrieval beside its table of metrics: the same words for terminal and page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragdiag.report import numbers
from ragdiag.report.levels import LEVELS, MEASURES

ABSENT = numbers.ABSENT
_USUAL_K = 5
_MOST_LOSSES = 4
_MOST_IDS = 8
_LONGEST_ID = 24


def _shown(report: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Levels with their titles; the unit of the settings once."""
    unit = str(report["unit"])
    return (*zip(LEVELS, LEVELS, strict=True), *(() if unit in LEVELS else (("unit", unit),)))


def level_columns(report: Mapping[str, Any]) -> list[str]:
    """The titles of `level_rows`, without those of its first and last column."""
    return [f"{what}{title}" for what in ("", "all: ") for _, title in _shown(report)]


def level_rows(report: Mapping[str, Any], *, most: int | None = None) -> list[list[str]]:
    """One row a cut-off: success (a hit, then all of the evidence) at document, page and unit, and
    "12 of 80" queries with the right document on a wrong page; [] where no level could be read.

    most  so many cut-offs only: 5 first, then the largest.
    """
    found = report.get("levels", {})
    if not any(row["n"] for level in LEVELS for row in found.get(level, {}).values()):
        return []
    rows: list[list[str]] = []
    cutoffs = sorted(report["k"], key=lambda k: (k != _USUAL_K, -k))[:most]
    for k in sorted(cutoffs):
        cells = [
            found[level].get(f"{measure}@{k}", {}).get("value")
            for measure in MEASURES
            for level, _ in _shown(report)
        ]
        wrong = report["wrong_page"].get(str(k))
        told = f"{wrong['n']} of {wrong['n_total']}" if wrong and wrong["n_total"] else ABSENT
        if any(cell is not None for cell in cells):
            rows.append([f"@{k}", *map(numbers.value, cells), told])
    return rows


def wrong_page_line(report: Mapping[str, Any]) -> str | None:
    """ "right document, wrong page at 5: 12 of 80 (15.0%) [0.09, 0.24]"; None where not known."""
    rows = {int(k): row for k, row in report.get("wrong_page", {}).items() if row["n_total"]}
    if not rows:
        return None
    k = _USUAL_K if _USUAL_K in rows else max(rows)
    row = rows[k]
    spread = numbers.interval(row["ci_low"], row["ci_high"])
    return (
        f"right document, wrong page at {k}: {row['n']} of {row['n_total']} "
        f"({numbers.share(row['share'])}) {spread}"
    )


def loss_lines(report: Mapping[str, Any], *, most: int = _MOST_LOSSES) -> Iterator[str]:
    """Where evidence is lost: "candidates (50) → reranked (5): 0.920 → 0.610, lost 0.310 …"."""
    for row in report.get("loss", [])[:most]:
        spread = numbers.interval(row["ci_low"], row["ci_high"])
        one, after = (f"{_cut(row[name])} ({row[k]})" for name, k in _ENDS)
        yield (
            f"{one} → {after}: {numbers.value(row['before'])} → {numbers.value(row['after'])}, "
            f"lost {numbers.value(row['lost'])} {spread} in {row['n_lost_any']} of {row['n']}"
        )


_ENDS = (("from", "k_from"), ("to", "k_to"))


def zero_recall_line(report: Mapping[str, Any]) -> str | None:
    """ "12: q1 (near miss: period), q2 …"; long ids are cut, so that several fit."""
    n = report["n_zero_recall"]
    if not n:
        return None
    told: list[str] = []
    for row in report["zero_recall"][:_MOST_IDS]:
        near = row["near_miss"]
        known = near is not None and near != "none"
        told.append(_cut(row["query_id"]) + (f" (near miss: {_plain(near)})" if known else ""))
    return f"{n}: {', '.join(told)}{' …' if n > _MOST_IDS else ''}"


def near_miss_of(row: Mapping[str, Any]) -> str | None:
    """ "another period, rank 3: p17" of a query of zero recall; None where nothing came near."""
    near = row["near_miss"]
    if near is None or near == "none":
        return None
    place = "" if row.get("rank") is None else f", rank {row['rank']}: {row['passage_id']}"
    return f"{_plain(near)}{place}"


def near_duplicates_line(report: Mapping[str, Any]) -> str | None:
    """How many passages repeat the text of another, and what was done; None for none."""
    found = report.get("near_duplicates")
    if not found or not found["n_passages"]:
        return None
    n, queries = found["n_passages"], found["n_queries"]
    done = {
        "report": "reported only",
        "collapse": "each group is one unit",
    }[found["treatment"]]
    return (
        f"{n} {'passage repeats' if n == 1 else 'passages repeat'} another's text in {queries} "
        f"{'query' if queries == 1 else 'queries'}: {done}"
    )


def _plain(near: str) -> str:
    return near.replace("_", " ")


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_ID else f"{name[: _LONGEST_ID - 1]}…"
