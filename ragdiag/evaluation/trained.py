"""Labels that a judge was calibrated on: they say nothing of how far it can be trusted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ragdiag.records import Sample
from ragdiag.report.numbers import counted
from ragdiag.text.clusters import trained_keys


def trained_of(report: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """By check of people, the queries that the judge of a report was calibrated on."""
    told: Mapping[str, Collection[str]] = report["judge"].get("trained_on") or {}
    return {check: frozenset(keys) for check, keys in told.items()}


def trained_checks(sample: Sample, trained_on: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The checks of people on which a judge was calibrated with this query: the same id, or the
    same text under another."""
    if not trained_on:
        return ()
    keys = trained_keys(sample)
    return tuple(check for check, known in trained_on.items() if any(k in known for k in keys))


def trained_warning(dropped: Mapping[str, int]) -> str:
    """What is said of labels that were left out."""
    told = ", ".join(f"{check} {n}" for check, n in sorted(dropped.items()))
    return (
        f"{counted(sum(dropped.values()), 'label')} ({told}) left out: the judge was calibrated on "
        "these queries, so their labels do not validate it, and correct no rate"
    )
