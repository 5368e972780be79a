"""Conditions on a report that a change has to keep: `recall@10>=0.8`, `A1.share<=0.05`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ragdiag.diagnosis.catalogue import UNDETERMINED
from ragdiag.errors import UsageError
from ragdiag.records import SampleResult
from ragdiag.report import numbers
from ragdiag.report.gate_cells import COST, FLAG, LATENCY, SHARE, Absent, Cell, find, n_undetermined
from ragdiag.report.gate_queries import Against, Told, told_of

On = Literal["bound", "value"]
Finding = Literal["worse", "not shown to be no worse"]
"""Of a comparison that fails: the whole interval is on the wrong side; or it holds both."""
WORSE: Finding = "worse"
NOT_SHOWN: Finding = "not shown to be no worse"
AGAINST = " vs baseline"
MIN_COVERAGE = 0.8

_OPERATOR = re.compile(r">=|<=|>|<")
_NUMBER = re.compile(r"([0-9.eE+-]+)(\s*%)?")
_LONGEST = 1000  # characters of a condition


@dataclass(frozen=True, slots=True)
class Condition:
    """What is asked: a metric's mean, or the share of the queries in a category or family.

    name      a metric of the report (`recall@10`, `candidates:recall@10`), `CODE.share`,
              `FAMILY.share`, `flags.NAME.share`, `latency.STAGE.p95` (ms), `cost.usd` (judging).
    of_slice  (dimension, value): of the queries of this slice alone.
    """

    name: str
    operator: str
    limit: float
    of_slice: tuple[str, str] | None = None

    def __str__(self) -> str:
        return f"{self.subject}{self.operator}{self.limit:.12g}"

    @property
    def subject(self) -> str:
        """The name, with its slice: `recall@10[year=2017]`."""
        return self.name + ("" if self.of_slice is None else f"[{'='.join(self.of_slice)}]")

    @property
    def at_least(self) -> bool:
        """Is a large value wanted?"""
        return self.operator in (">=", ">")

    @property
    def group(self) -> str | None:
        """The code or family (or flag) of a share; None of a metric."""
        group = self.name.removeprefix(FLAG).removesuffix(SHARE)
        return None if not self.name.endswith(SHARE) else group

    def holds(self, number: float) -> bool:
        """The comparison itself."""
        return {
            ">=": number >= self.limit,
            "<=": number <= self.limit,
            ">": number > self.limit,
            "<": number < self.limit,
        }[self.operator]


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition and how it is decided.

    on            "bound": the whole 95% interval keeps it, so that luck does not pass a gate;
                  "value": the mean alone.
    min_coverage  share (0-1) of the applicable queries that must be scored; a metric without any
                  score, or under-covered, fails.
    name, message what people call it, and what they want to read where it fails.
    """

    condition: Condition
    on: On = "bound"
    min_coverage: float = MIN_COVERAGE
    name: str = ""
    message: str = ""

    def __post_init__(self) -> None:
        check_options(self.on, self.min_coverage)


def check_options(on: str, min_coverage: float) -> None:
    """UsageError where one is out of its range."""
    if on not in get_args(On):
        raise UsageError(f"on is one of {', '.join(get_args(On))}; came {on!r}")
    if not 0 <= min_coverage <= 1:  # NaN too
        raise UsageError(f"min_coverage is a share between 0 and 1; came {min_coverage!r}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a condition holds, and on what that rests.

    value      the mean, share or figure; None where nothing was scored.
    bound      the end of the 95% interval that has to keep the condition.
    why        in one line, for people.
    query_ids  the queries that speak against it, worst first.
    low, high  the 95% interval; None where there is none.
    told       how many queries tell, of how many should, for a table.
    against    where it is held against a baseline: the condition as text; before: the value there;
               is_gain: condition, bound and interval are of the mean gain of the shared queries;
               finding: how it fails there.
    """

    condition: Condition
    passed: bool
    value: float | None
    bound: float | None
    why: str
    query_ids: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    told: str = ""
    name: str = ""
    message: str = ""
    against: str = ""
    is_gain: bool = False
    before: float | None = None
    finding: Finding | None = None

    @property
    def title(self) -> str:
        """What it is called: its name, else the condition."""
        return self.name or self.asked

    @property
    def asked(self) -> str:
        """The condition as text; for a comparison, with what it is compared."""
        return self.against or str(self.condition)


def parse_condition(text: str) -> Condition:
    """ "recall@10>=0.8", "A1.share <= 5%", "recall@10[year=2017] >= 0.7".

    Raises:
        UsageError: not of this form, a limit that is no finite number, or one that no share or
            metric can break or keep.
    """
    operators = list(_OPERATOR.finditer(text[:_LONGEST]))
    number = _NUMBER.fullmatch(text[operators[0].end() :].strip()) if len(operators) == 1 else None
    name = text[: operators[0].start()].strip() if operators else ""
    try:
        limit = float(number[1]) / (100 if number[2] else 1) if number else math.nan
    except ValueError:
        limit = math.nan
    if number is None or not name or name.endswith("=") or not math.isfinite(limit):
        raise UsageError(
            f"a condition is a name, >=, <=, > or <, and a number (recall@10>=0.8, "
            f"A1.share<=0.05); came {text[:_LONGEST]!r}"
        )
    name, of_slice = _sliced(name)
    free = name.startswith((LATENCY, COST))
    if free and number[2]:
        raise UsageError(f"{text!r}: a time (ms) or a cost (USD) is no share; leave the % out")
    if not free and not 0 <= limit <= 1 and (name.endswith(SHARE) or ":" not in name):
        what = "a share" if name.endswith(SHARE) else "a metric"
        meant = f"; write {limit:g}% or {limit / 100:g}" if 2 <= limit <= 100 else ""
        raise UsageError(f"{text!r}: {what} is between 0 and 1{meant}")
    return Condition(name, operators[0][0], limit, of_slice)


def _sliced(name: str) -> tuple[str, tuple[str, str] | None]:
    """ "recall@10[year=2017]" -> the name, and the slice."""
    if not name.endswith("]") or "[" not in name:
        return name, None
    plain, _, inside = name[:-1].partition("[")
    return plain.strip(), parse_slice(inside)


def parse_slice(text: str) -> tuple[str, str]:
    """ "question_type=lookup" -> (dimension, value); UsageError for anything else."""
    dimension, equals, value = (part.strip() for part in text.partition("="))
    if not dimension or not equals or not value:
        raise UsageError(f"a slice is DIMENSION=VALUE (question_type=lookup); came {text!r}")
    return dimension, value


def decide(
    report: Mapping[str, Any],
    condition: Condition,
    results: Iterable[SampleResult] = (),
    *,
    on: On = "bound",
    min_coverage: float = MIN_COVERAGE,
) -> Outcome:
    """Does the condition hold? See `Gate` for the options; `results` name the queries against it.

    Raises:
        UsageError: the report has no such metric, category or family; an option out of range.
    """
    gate = Gate(condition, on, min_coverage)
    found = find(report, condition.name, of_slice=condition.of_slice)
    if isinstance(found, Absent):
        raise UsageError(found.why)
    return decide_all(report, [gate], map(told_of, results))[0]


def decide_all(
    report: Mapping[str, Any], gates: Sequence[Gate], queries: Iterable[Told] = ()
) -> list[Outcome]:
    """Every gate's outcome, in order; the queries are gone through once. What the report does not
    have fails its gate, with what is near."""
    against = [Against(gate.condition) for gate in gates]
    any_told = False
    for query in queries:
        any_told = True
        for one in against:
            one.add(query)
    outcomes: list[Outcome] = []
    for gate, one in zip(gates, against, strict=True):
        n_open = one.n_open if any_told else n_undetermined(report)
        outcomes.append(_decided(report, gate, one.query_ids(), n_open))
    return outcomes


def _decided(
    report: Mapping[str, Any], gate: Gate, against: tuple[str, ...], n_open: int
) -> Outcome:
    condition = gate.condition
    found = find(report, condition.name, of_slice=condition.of_slice)
    named: dict[str, Any] = {"name": gate.name, "message": gate.message}
    if isinstance(found, Absent):
        why = f"{condition}: {found.why}"
        return Outcome(condition, False, None, None, why, against, told="absent", **named)
    why = unscored(found) if found.value is None else _uncovered(found, gate, n_open)
    if found.value is None or why:
        why = f"{condition}: {why}"
        told = _told(found)
        return Outcome(condition, False, found.value, None, why, against, told=told, **named)
    end = found.low if condition.at_least else found.high
    bound = found.value if found.is_figure or gate.on == "value" else end
    passed = bound is not None and condition.holds(bound)
    why = f"{condition}: {_shown(found, condition, bound)}"
    if not passed and condition.holds(found.value):
        side = "lower" if condition.at_least else "upper"
        why += (
            f"; the {side} end of the interval does not keep it: more queries, or a better margin"
        )
    return Outcome(
        condition,
        passed,
        found.value,
        bound,
        why,
        () if passed else against,
        low=found.low,
        high=found.high,
        told=_told(found),
        **named,
    )


def _shown(found: Cell, condition: Condition, bound: float | None) -> str:
    if found.is_figure:
        return f"{found.value:.6g} (a figure of this run: no interval, decided on the value)"
    count = f"{found.n} of {found.n_total}" if found.is_share else f"{_told(found)} scored"
    digits = numbers.telling_digits(found.value, condition.holds, least=3)
    value = numbers.value(found.value, digits=digits)
    digits = numbers.telling_digits(bound, condition.holds, least=2)
    return f"{value} {numbers.interval(found.low, found.high, digits=digits)}, {count}"


def _told(found: Cell) -> str:
    if found.is_figure and not found.n_total:
        return ""
    if found.is_share:
        return f"{found.n_known}/{found.n_applicable}"
    return f"{found.n}/{found.n_total}"


def unscored(found: Cell) -> str:
    """Why a figure has no value, in words."""
    if found.is_share or found.is_figure:
        return found.reasons or "no query is diagnosed"
    if not found.n_applicable:
        return f"it applies to none of {found.n_total} queries ({found.reasons})"
    if found.n:
        return (
            f"only {found.n} of {found.n_applicable} queries that it applies to are scored "
            f"({found.reasons}): the report gives no mean"
        )
    return f"no query is scored ({found.reasons})" if found.reasons else "no query is scored"


def _uncovered(found: Cell, gate: Gate, n_open: int) -> str:
    """Why too few queries tell; "" where enough do.

    An upper limit on a share would be flattered by queries whose category is open and may be of the
    group, and any share by those whose pipeline broke: both count as not told.
    """
    if not found.n_applicable:
        if found.is_share or found.is_figure:
            return ""
        return f"it applies to none of {found.n_total} queries ({found.reasons})"
    group, n_known, reasons = gate.condition.group, found.n_known, found.reasons
    if found.is_share and not gate.condition.at_least and group != UNDETERMINED and n_open:
        n_known -= n_open
        reasons = ", ".join(filter(None, (f"may be of it, undetermined {n_open}", reasons)))
    if n_known / found.n_applicable >= gate.min_coverage:
        return ""
    verb = "have it" if found.is_figure else "are told" if found.is_share else "are scored"
    return (
        f"only {n_known} of {found.n_applicable} queries that it applies to {verb} "
        f"({reasons}); {gate.min_coverage:.0%} are needed"
    )
