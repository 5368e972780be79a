"""A scored run -> the JSON of `ragdiag retrieval`: means with intervals, slices, and the counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ragdiag.retrieval.columns import Floats
from ragdiag.retrieval.evaluating import Evaluated
from ragdiag.retrieval.files import RunScores
from ragdiag.retrieval.measures import COUNTS, parse_name
from ragdiag.retrieval.slicing import Slices, by_value
from ragdiag.retrieval.wanted import MOST_ZERO_RECALL, ByUnit
from ragdiag.stats.intervals import mean_interval, wilson

_FEW = 3
_SHOWN = 20  # examples of a kind of query
_SMALL = 30  # queries: a slice with fewer says little


def run_section(scores: RunScores, metrics: Sequence[str], slices: Slices | None) -> dict[str, Any]:
    """All of one run: `metrics` by name as asked, `counts`, `unjudged`, `ceiling`, `slices`,
    `zero_recall`; where more than grades of ids was asked also `unit`, `levels`, `wrong_page`."""
    found = scores.evaluated
    counts = found.counts
    section: dict[str, Any] = {
        "run": scores.name,
        "file": scores.file,
        "metrics": {name: summary(found.values[name], name) for name in metrics},
        "counts": {
            "n_queries": len(found.query_ids),
            "n_rows": None if found.partial else counts.n_rows,
            "missing_in_run": int(found.missing.sum()),
            "unlabelled": len(counts.unlabelled),
            "no_relevant": int((found.n_relevant == 0).sum()),
            "retrieval_empty": int(((found.n_retrieved == 0) & ~found.missing).sum()),
            "duplicates": counts.duplicates,
            "tied": counts.tied,
            "repeated_labels": found.n_repeated_labels,
        },
        "ties_at": {str(k): n for k, n in counts.tied_at.items()},
        "unjudged": {str(k): share for k, share in found.unjudged.items()},
        "ceiling": {str(k): best for k, best in found.ceiling.items()},
        "examples": {
            "missing_in_run": _first(found, found.missing),
            "unlabelled": sorted(counts.unlabelled)[:_SHOWN],
            "duplicates": [] if counts.repeated is None else [counts.repeated],
            "tied": [] if counts.tie is None else [counts.tie],
        },
        "zero_recall": _zero_recall(scores),
        "n_zero_recall": int(found.nothing_found.sum()),
        "warnings": [str(problem) for problem in scores.warnings],
    }
    if scores.by_unit is not None:
        section |= _levels(scores.by_unit)
    if scores.near_duplicates is not None:
        section["near_duplicates"] = scores.near_duplicates
    if slices is not None:
        section["slices"] = _by_slice(found, metrics, slices)
    return section


def _zero_recall(scores: RunScores) -> list[dict[str, Any]]:
    """The first queries that found nothing, each with its near miss: None = not known."""
    if scores.by_unit is not None:
        return [dict(row) for row in scores.by_unit.zero_recall]
    found = scores.evaluated
    at = np.flatnonzero(found.nothing_found)[:MOST_ZERO_RECALL].tolist()
    return [{"query_id": found.query_ids[row], "near_miss": None} for row in at]


def _levels(found: ByUnit) -> dict[str, Any]:
    """The unit; success at each level, as `evaluate` reports it; right document, wrong page."""
    section: dict[str, Any] = {"unit": found.unit, "levels": {}, "wrong_page": {}}
    for level, scored in found.levels.items():
        told = {name: summary(values, name) for name, values in scored.values.items()}
        section["levels"][level] = told
        if level == found.unit:
            section["levels"]["unit"] = told
    if "document" in found.levels and "page" in found.levels:
        document, page = found.levels["document"], found.levels["page"]
        for name in document.values:
            stem, _, k = name.partition("@")
            if stem == "hit":
                section["wrong_page"][k] = _wrong(document, page, name)
    return section


def _wrong(document: Evaluated, page: Evaluated, name: str) -> dict[str, Any]:
    right, there = document.values[name], page.values[name]
    both = ~np.isnan(right) & ~np.isnan(there)
    wrong = both & (right > there)
    n, n_total = int(wrong.sum()), int(both.sum())
    low, high = wilson(n, n_total) if n_total else (None, None)
    return {
        "n": n,
        "n_total": n_total,
        "share": n / n_total if n_total else None,
        "ci_low": low,
        "ci_high": high,
        "examples": [document.query_ids[at] for at in np.flatnonzero(wrong)[:_FEW].tolist()],
    }


def summary(values: Floats, name: str) -> dict[str, Any]:
    """The mean over the queries that have a value, its 95% interval, and how many they are."""
    known: list[float] = values[~np.isnan(values)].tolist()
    n = len(known)
    is_count = parse_name(name)[0] in COUNTS
    interval = None if is_count or not n else mean_interval(Counter(known))
    return {
        "value": math.fsum(known) / n if n else None,
        "n": n,
        "n_total": len(values),
        "n_not_applicable": len(values) - n,
        "ci_low": None if interval is None else interval[0],
        "ci_high": None if interval is None else interval[1],
    }


def _first(found: Evaluated, flags: np.ndarray[Any, np.dtype[np.bool_]]) -> list[str]:
    return [found.query_ids[at] for at in np.flatnonzero(flags)[:_SHOWN].tolist()]


def _by_slice(found: Evaluated, metrics: Sequence[str], slices: Slices) -> dict[str, Any]:
    """dimension -> value -> n and metrics; the worst value first, by the first metric."""
    section: dict[str, Any] = {}
    for dimension, values in by_value(slices, found.query_ids).items():
        rows = {
            value: {
                "n": len(places),
                "small": len(places) < _SMALL,
                "metrics": {name: summary(found.values[name][places], name) for name in metrics},
            }
            for value, places in values.items()
        }
        section[dimension] = dict(sorted(rows.items(), key=lambda item: _worst(item, metrics[0])))
    return section


def _worst(item: tuple[str, dict[str, Any]], name: str) -> tuple[float, str]:
    mean = item[1]["metrics"][name]["value"]
    return (math.inf if mean is None else mean, item[0])
