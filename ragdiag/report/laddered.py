"""What the ladders say of all queries: the section `ladder` of report.json, and its line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from ragdiag.diagnosis.ladder import DISAGREES, READINGS, UNDECIDED, VARIES
from ragdiag.records import RUNGS, SampleResult
from ragdiag.report.tally import share

_MOST_EXAMPLES = 3
_STATES = ("undecided", "error", "not_available", "not_asked")


class Laddered:
    """Counts results one by one; `report` gives the section, None where there is no ladder."""

    def __init__(self) -> None:
        self._generator = ""
        self._n = self._n_calls = 0
        self._counts: Counter[str] = Counter()
        self._readings: Counter[str] = Counter()
        self._rungs: dict[str, Counter[str]] = defaultdict(Counter)
        self._controls: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = defaultdict(list)

    def add(self, result: SampleResult) -> None:
        """Counts one query."""
        told: Mapping[str, Any] | None = result.diagnosis.proof.get("ladder")
        if told is None:
            return
        self._n += 1
        self._generator = told["generator"]
        self._n_calls += told["n_calls"]
        reading = told["reading"] or UNDECIDED
        self._readings[reading] += 1
        self._counts["settled"] += "settled" in told
        self._counts["confirmed"] += told["confirms"] is True
        self._counts["disagrees"] += DISAGREES in result.diagnosis.flags
        self._counts["varies"] += VARIES in result.diagnosis.flags
        if told["control"] is not None:
            self._controls[told["control"]] += 1
        for rung in told["rungs"]:
            self._rungs[rung["rung"]][rung["state"]] += 1
        ids = self._examples[reading]
        if len(ids) < _MOST_EXAMPLES:
            ids.append(result.query_id)

    def report(self) -> dict[str, Any] | None:
        """Readings as shares of the queries with a ladder; rungs as the share that is right of
        those decided."""
        if not self._n:
            return None
        n_controlled = self._controls.total()
        return {
            "generator": self._generator,
            "n": self._n,
            "n_calls": self._n_calls,
            "readings": {
                name: share(self._readings[name], self._n) for name in (*READINGS, UNDECIDED)
            },
            "rungs": {name: _rung(self._rungs[name]) for name in RUNGS},
            "reproduced": {**share(self._controls["same"], n_controlled), "n_total": n_controlled},
            **{
                f"n_{name}": self._counts[name]
                for name in ("settled", "confirmed", "disagrees", "varies")
            },
            "examples": {name: list(ids) for name, ids in sorted(self._examples.items())},
        }


def _rung(states: Counter[str]) -> dict[str, Any]:
    n_total = states["right"] + states["wrong"]
    return {
        **share(states["right"], n_total),
        "n_total": n_total,
        **{f"n_{state}": states[state] for state in _STATES},
    }


def ladder_line(report: Mapping[str, Any]) -> str | None:
    """ "of 12: retrieval 8, generator 4; 1 disagree"; None without any."""
    told: Mapping[str, Any] | None = report.get("ladder")
    if not told:
        return None
    readings = sorted(told["readings"].items(), key=lambda one: -one[1]["n"])
    parts = [f"{name} {row['n']}" for name, row in readings if row["n"]]
    more = {"disagree": "n_disagrees", "settled": "n_settled", "vary": "n_varies"}
    extra = [f"{told[key]} {name}" for name, key in more.items() if told[key]]
    return "; ".join([f"of {told['n']}: {', '.join(parts)}", *extra])


def rungs_line(report: Mapping[str, Any]) -> str | None:
    """ "closed book 1/12 · retrieved 0/12 · gold appended 9/12": right of decided; None without."""
    told: Mapping[str, Any] | None = report.get("ladder")
    if not told:
        return None
    rows = ((name, row) for name, row in told["rungs"].items() if row["n_total"])
    return " · ".join(f"{name.replace('_', ' ')} {row['n']}/{row['n_total']}" for name, row in rows)
