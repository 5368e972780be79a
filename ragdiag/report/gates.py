"""Conditions on a report that a change has to keep: `recall@10>=0.8`, `A1.share<=0.05`."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ragdiag.errors import UsageError
from ragdiag.records import SampleResult
from ragdiag.report import numbers
from ragdiag.stats.intervals import wilson

On = Literal["bound", "value"]

_CONDITION = re.compile(r"\s*([^\s<>=]+)\s*(>=|<=|>|<)\s*([0-9.eE+-]+)(\s*%)?\s*")
_SHARE = ".share"


@dataclass(frozen=True, slots=True)
class Condition:
    """What is asked: a metric's mean, or the share of the queries in a category or family.

    name  a metric of the report (`recall@10`), `CODE.share` or `FAMILY.share`.
    """

    name: str
    operator: str
    limit: float

    def __str__(self) -> str:
        return f"{self.name}{self.operator}{self.limit:g}"

    @property
    def at_least(self) -> bool:
        """Is a large value wanted?"""
        return self.operator in (">=", ">")

    def holds(self, number: float) -> bool:
        """The comparison itself."""
        return {
            ">=": number >= self.limit,
            "<=": number <= self.limit,
            ">": number > self.limit,
            "<": number < self.limit,
        }[self.operator]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a condition holds, and on what that rests.

    value      the mean or share; None where nothing was scored.
    bound      the end of the 95% interval that has to keep the condition.
    why        in one line, for people.
    query_ids  the queries that speak against it, worst first.
    """

    condition: Condition
    passed: bool
    value: float | None
    bound: float | None
    why: str
    query_ids: tuple[str, ...] = ()


def parse_condition(text: str) -> Condition:
    """ "recall@10>=0.8", "A1.share <= 5%".

    Raises:
        UsageError: not of this form, or a limit that is no finite number.
    """
    parts = _CONDITION.fullmatch(text)
    try:
        limit = float(parts[3]) / (100 if parts[4] else 1) if parts else math.nan
    except ValueError:
        limit = math.nan
    if parts is None or not math.isfinite(limit):
        raise UsageError(
            f"a condition is a name, >=, <=, > or <, and a number (recall@10>=0.8, "
            f"A1.share<=0.05); came {text!r}"
        )
    if parts[1].endswith(_SHARE) and not 0 <= limit <= 1:
        raise UsageError(f"{text!r}: a share is between 0 and 1; write 5% or 0.05")
    return Condition(parts[1], parts[2], limit)


def decide(
    report: Mapping[str, Any],
    condition: Condition,
    results: Iterable[SampleResult] = (),
    *,
    on: On = "bound",
    min_coverage: float = 0.8,
) -> Outcome:
    """Does the condition hold?

    on            "bound": the whole 95% interval keeps it, so that luck does not pass a gate;
                  "value": the mean alone.
    min_coverage  share (0-1) of the applicable queries that must be scored; a metric without any
                  score, or under-covered, fails.
    results       where given, the queries that speak against it are named.

    Raises:
        UsageError: the report has no such metric, category or family; an option out of range.
    """
    if on not in get_args(On):
        raise UsageError(f"on is one of {', '.join(get_args(On))}; came {on!r}")
    if not 0 <= min_coverage <= 1:  # NaN too
        raise UsageError(f"min_coverage is a share between 0 and 1; came {min_coverage!r}")
    found = _cell(report, condition.name)
    value = found.get("value", found.get("share"))
    against = tuple(_against(condition, results))
    reach = _uncovered(found, min_coverage)
    if value is None or reach:
        why = reach or "no query is scored"
        return Outcome(condition, False, value, None, f"{condition}: {why}", against)
    bound = found["ci_low" if condition.at_least else "ci_high"] if on == "bound" else value
    passed = bound is not None and condition.holds(bound)
    interval = numbers.interval(found["ci_low"], found["ci_high"])
    count = f"n {found['n']}" if "share" in found else f"{numbers.of_total(found)} scored"
    why = f"{condition}: {numbers.value(value)} {interval}, {count}"
    if not passed and condition.holds(value):
        end = "lower" if condition.at_least else "upper"
        why += f"; the {end} end of the interval does not keep it: more queries, or a better margin"
    return Outcome(condition, passed, value, bound, why, () if passed else against)


def _cell(report: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    if name in report["metrics"]:
        return report["metrics"][name]
    group = name.removesuffix(_SHARE)
    if group != name:
        for kind in ("categories", "families"):
            if group in report[kind]:
                return _of_all(report[kind][group], report["corpus"]["n_queries"])
    known = [
        *report["metrics"],
        *(f"{one}{_SHARE}" for one in (*report["categories"], *report["families"])),
    ]
    close = difflib.get_close_matches(name, known, n=3)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    raise UsageError(f"the report has no {name!r}{hint}")


def _of_all(row: Mapping[str, Any], n_queries: int) -> Mapping[str, Any]:
    """A category in no rate (failures of the pipeline) as its share of all queries."""
    if row.get("share") is not None or not n_queries:
        return row
    low, high = wilson(row["n"], n_queries)
    return {**row, "share": row["n"] / n_queries, "ci_low": low, "ci_high": high}


def _uncovered(found: Mapping[str, Any], least: float) -> str:
    if "share" in found:
        return ""
    applicable = found["n_total"] - found["n_not_applicable"]
    if not applicable:
        return f"it applies to none of {found['n_total']} queries ({_reasons(found)})"
    if found["n"] / applicable >= least:
        return ""
    return (
        f"only {found['n']} of {applicable} queries that it applies to are scored "
        f"({_reasons(found)}); {least:.0%} are needed"
    )


def _reasons(found: Mapping[str, Any]) -> str:
    return ", ".join(f"{reason} {n}" for reason, n in found.get("reasons", {}).items())


def _against(condition: Condition, results: Iterable[SampleResult]) -> list[str]:
    """Of a share: the queries in the category. Of a metric: those beyond the limit, worst first,
    then those without a score that should have one."""
    group = condition.name.removesuffix(_SHARE)
    if group != condition.name:
        return [
            one.query_id
            for one in results
            if (group in (one.diagnosis.code, one.diagnosis.family)) != condition.at_least
        ]
    beyond: list[tuple[float, str]] = []
    unscored: list[str] = []
    for one in results:
        score = one.scores.get(condition.name)
        if score is None or score.status == "not_applicable":
            continue
        if score.value is None:
            unscored.append(one.query_id)
        elif not condition.holds(score.value):
            beyond.append((score.value if condition.at_least else -score.value, one.query_id))
    return [query_id for _, query_id in sorted(beyond)] + unscored
