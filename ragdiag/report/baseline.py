"""Is a run no worse than a baseline? Decided on the differences of the same queries, where known.

With g the gain of a query over the baseline (negative = worse; of a share of failures, a query that
leaves the category gains), a figure passes if the lower end of the 95% interval of the mean gain is
at least -margin (non-inferiority), or if no query is worse. A query that the baseline scored and
the run did not (unscored, error, not in it) counts as the worst value. Without scores of single
queries: the run's own interval has to reach the baseline's value, less the margin. All figures have
to pass, so no correction for their number is due (intersection-union).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.errors import DataError, UsageError
from ragdiag.report import numbers
from ragdiag.report.baseline_pairs import Pairs, paired
from ragdiag.report.gate_cells import SHARE, Absent, Cell, find
from ragdiag.report.gates import (
    AGAINST,
    MIN_COVERAGE,
    NOT_SHOWN,
    WORSE,
    Condition,
    On,
    Outcome,
    check_options,
    unscored,
)
from ragdiag.report.run_facts import FREE_SETTINGS
from ragdiag.stats.paired import difference_interval

if TYPE_CHECKING:
    import polars as pl

MARGIN = 0.02
NONE_WORSE = "passed: no query is worse"
_NAMED = 5
_OF_LABELS = ("unit", "gain")
_OF_ANSWERS = ("number_tolerance", "require_citations", "citation_rule")
"""Settings that no figure of the ranking rests on."""
_FREE = (*FREE_SETTINGS, "min_coverage", *_OF_LABELS)  # those of labels are told by themselves
_OF_THE_DAY = ("started_at", "finished_at")
_SHOWN = 60
_ROUNDING = 1e-9  # of .48 - .5


@dataclass(frozen=True, slots=True)
class Run:
    """A report with the scores of its queries: a baseline, or the run that is held against it.

    name    a directory or file, for people.
    scores  (query_id, metric, value, status), status scored | not_applicable | unscored; None
            where only the aggregates are known.
    hashes  of the queries' texts, by id; None where not known; labels: of what is expected of the
            answer (reference, gold, qrels …).
    settings  of the scores; None where not known.
    clusters  (query_id, cluster) of queries that are not independent; None where they are.
    """

    name: str
    report: Mapping[str, Any]
    scores: pl.DataFrame | None = None
    hashes: Mapping[str, str] | None = None
    clusters: pl.DataFrame | None = None
    labels: Mapping[str, str] | None = None
    settings: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """How a figure is held against its baseline; see the module's docstring.

    margin  how much worse is accepted (0-1); on: "value" decides on the mean difference alone.
    """

    name: str
    margin: float = MARGIN
    on: On = "bound"
    min_coverage: float = MIN_COVERAGE
    title: str = ""
    message: str = ""

    def __post_init__(self) -> None:
        check_options(self.on, self.min_coverage)
        if not 0 <= self.margin < 1:  # NaN too
            raise UsageError(f"margin is between 0 and 1 (0.02); came {self.margin!r}")


@dataclass(frozen=True)
class Comparison:
    """What came of it; `notes`: what else differs between the two, for people."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    notes: list[str] = field(default_factory=list[str])


def metrics_of(baseline: Run) -> list[str]:
    """The figures of a baseline that can be better or worse, in its order."""
    return [
        name
        for name, cell in baseline.report["metrics"].items()
        if cell.get("direction") in ("higher", "lower") and _has_value(baseline, name)
    ]


def named_in(baseline: Run) -> list[str]:
    """The figures that a baseline was saved for by name; none of another one."""
    return list(baseline.report.get("held") or ())


def _has_value(baseline: Run, name: str) -> bool:
    found = find(baseline.report, name)
    return isinstance(found, Cell) and found.value is not None


def with_value(baseline: Run, names: Sequence[str]) -> list[str]:
    """Those of these figures that a baseline has a value of."""
    return [name for name in names if _has_value(baseline, name)]


def lower_is_better(report: Mapping[str, Any], name: str) -> bool:
    """Is a small value wanted? Of shares: of all but those of success."""
    group = name.removesuffix(SHARE)
    if group != name:
        category = CATALOGUE.get(group)
        return (category.family if category else group) != "success"
    return report["metrics"].get(name, {}).get("direction") == "lower"


def compare(baseline: Run, run: Run, rules: Sequence[Rule]) -> Comparison:
    """An outcome a rule, in order.

    Raises:
        DataError: queries of one id have other texts, or other labels, in the two.
    """
    _check_texts(baseline, run)
    pairs = _pairs(baseline, run, rules)
    notes = [*_notes(baseline, run)]
    if pairs is None:
        notes.append(
            f"{baseline.name} has no scores of single queries: each figure's own interval has to "
            "reach the baseline (a file of `ragdiag gate DIR --save-baseline FILE`, or a "
            "directory, is compared query by query, which needs far fewer queries)"
        )
    else:
        apart = [rule.name for rule in rules if rule.name not in pairs]
        apart = [name for name in with_value(baseline, apart) if name.endswith(SHARE)]
        if apart:
            notes.append(
                f"{baseline.name} has no scores of single queries of {', '.join(apart)}: held on "
                "their own interval; save the baseline with these names, or compare with the "
                "directory"
            )
    outcomes = [
        _outcome(baseline, run, rule, None if pairs is None else pairs.get(rule.name))
        for rule in rules
    ]
    return Comparison(outcomes, notes)


def _pairs(baseline: Run, run: Run, rules: Sequence[Rule]) -> dict[str, Pairs] | None:
    if baseline.scores is None or run.scores is None:
        return None
    down = {rule.name: lower_is_better(run.report, rule.name) for rule in rules}
    return paired(baseline.scores, run.scores, down, clusters=run.clusters)


def _check_texts(baseline: Run, run: Run) -> None:
    for what, why, there, now in (
        ("another text", "what is asked otherwise is not compared", baseline.hashes, run.hashes),
        (
            "another reference, gold, qrels, answerable or target",
            "a difference may be the labels'",
            baseline.labels,
            run.labels,
        ),
    ):
        if there is None or now is None:
            continue
        other = [key for key, told in now.items() if there.get(key, told) != told]
        if other:
            raise DataError(
                f"{numbers.counted(len(other), 'query has', 'queries have')} {what} in "
                f"{baseline.name} than in {run.name}: {', '.join(map(repr, other[:_NAMED]))}; "
                f"{why}: evaluate the baseline's samples again, or save the baseline anew"
            )


def _notes(baseline: Run, run: Run) -> Iterator[str]:
    """The facts that differ, where the figures can still be compared."""
    there, now = baseline.report, run.report
    for what in ("data_hash", "n_queries"):
        old, new = there["corpus"].get(what), now["corpus"].get(what)
        if old != new:
            name = "corpus" if what == "data_hash" else "number of queries"
            yield f"{_other(name)}: {_short(old)} there, {_short(new)} now"
    if there["corpus"].get("n_queries", 0) > now["corpus"].get("n_queries", 0):
        yield (
            "queries that are not in the run count as the worst value; where they were taken out "
            "on purpose, save the baseline anew"
        )
    facts, facts_now = there.get("run", {}), now.get("run", {})
    changed = [
        f"{key} {_short(facts.get(key))} → {_short(facts_now.get(key))}"
        for key in dict.fromkeys((*facts, *facts_now))
        if facts.get(key) != facts_now.get(key) and key not in _OF_THE_DAY
    ]
    if changed:
        yield f"run facts that changed: {', '.join(changed)}"


def _short(value: object) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _not_comparable(baseline: Run, run: Run, name: str) -> str:
    """Why a figure means another thing in the two; "" where it does not."""
    there, now = baseline.report, run.report
    cell = now["metrics"].get(name, {})
    by_labels = cell.get("layer") == "retrieval" or ":" in name
    other = _other_setting(baseline, run, but=_OF_ANSWERS if by_labels else ())
    if other:
        return other
    if by_labels:
        for what in _OF_LABELS:
            if there.get(what) != now.get(what):
                return f"{_other(what)}: {there.get(what)} there, {now.get(what)} now"
        return ""
    old, new = (one.get("judge", {}) for one in (there, now))
    if cell.get("layer") != "external" and old.get("version") != new.get("version"):
        shown = [_short(one.get("version") or one.get("name")) for one in (old, new)]
        return (
            f"{_other('judge')} ({shown[0]} there, {shown[1]} now): evaluate the baseline's "
            "samples again, or save the baseline anew"
        )
    return ""


def _other_setting(baseline: Run, run: Run, *, but: Sequence[str]) -> str:
    """The first setting that changes what a figure means; "" for none, or where not known."""
    there, now = baseline.settings, run.settings
    for name in () if there is None or now is None else dict.fromkeys((*there, *now)):
        assert there is not None
        assert now is not None
        if name in _FREE or name in but or there.get(name) == now.get(name):
            continue
        shown = [_short(one.get(name)) for one in (there, now)]
        return f"{_other(name)}: {shown[0]} there, {shown[1]} now"
    return ""


def _other(what: str) -> str:
    return f"another {what} than the baseline's"


def _outcome(baseline: Run, run: Run, rule: Rule, pairs: Pairs | None) -> Outcome:
    there, now = find(baseline.report, rule.name), find(run.report, rule.name)
    down = lower_is_better(run.report, rule.name)
    at = there.value if isinstance(there, Cell) else None
    limit = math.nan if at is None else min(1.0, at + rule.margin) if down else at - rule.margin
    condition = Condition(rule.name, "<=" if down else ">=", limit)

    def told(passed: bool, why: str, **more: Any) -> Outcome:
        text = rule.name + AGAINST
        given: dict[str, Any] = {"condition": condition, "bound": None, "before": at, **more}
        value = now.value if isinstance(now, Cell) else None
        why = f"{text}: {why}"
        named: dict[str, Any] = {"name": rule.title, "message": rule.message}
        return Outcome(passed=passed, value=value, why=why, against=text, **named, **given)

    if isinstance(now, Absent):
        return told(False, now.why, told="absent")
    if at is None or isinstance(there, Absent):
        why = "the baseline has no value of it"
        if isinstance(there, Absent):
            why = there.why.replace("the report", "the baseline")
        elif there.n:
            why = f"{why}: {unscored(there)}"
        return told(False, why, told="absent")
    other = _not_comparable(baseline, run, rule.name)
    if other:
        return told(False, other, told="other")
    if now.value is None:
        counts = f"{now.n}/{now.n_applicable}"
        why = unscored(now) if now.n else "nothing of it is scored in the run"
        return told(False, why, told=counts)
    if pairs is None:
        return _unpaired(told, there, now, rule, down=down)
    return _decided(told, there, now, rule, pairs)


def _unpaired(told: Any, there: Cell, now: Cell, rule: Rule, *, down: bool) -> Outcome:
    assert there.value is not None
    assert now.value is not None
    gain = there.value - now.value if down else now.value - there.value
    edge = now.high if down else now.low
    shown = (
        f"{numbers.value(there.value)} → {numbers.value(now.value)} "
        f"{numbers.interval(now.low, now.high)}, margin {rule.margin:g}"
    )
    counts = f"{now.n}/{now.n_total}"
    same = (there.value, there.n, there.n_total) == (now.value, now.n, now.n_total)
    if not same and now.n_applicable and now.n_known / now.n_applicable < rule.min_coverage:
        why = f"only {now.n_known} of {now.n_applicable} queries that it applies to are scored"
        return told(False, f"{why}; {rule.min_coverage:.0%} are needed", told=counts)
    bound = now.value if rule.on == "value" else edge
    worst = -math.inf if bound is None else (there.value - bound if down else bound - there.value)
    passed = same or worst >= -rule.margin - _ROUNDING
    why = shown if passed else f"{shown}; {_failing(gain, rule.margin)}"
    best = now.low if down else now.high
    is_worse = best is not None and (best > there.value if down else best < there.value)
    finding = None if passed else WORSE if is_worse else NOT_SHOWN
    return told(passed, why, bound=bound, low=now.low, high=now.high, told=counts, finding=finding)


def _failing(gain: float, margin: float) -> str:
    if gain < -margin:
        return "worse by more than the margin"
    return "not shown to be within the margin: more queries, or a larger --margin"


def _decided(told: Any, there: Cell, now: Cell, rule: Rule, pairs: Pairs) -> Outcome:
    n = pairs.n + pairs.n_lost + pairs.n_gone
    counts = f"{pairs.n}/{pairs.n_baseline}"
    ids = pairs.worst
    if not pairs.n_baseline or pairs.n / pairs.n_baseline < rule.min_coverage:
        why = (
            f"only {pairs.n} of {pairs.n_baseline} queries that the baseline scored are scored in "
            f"the run ({_lost(pairs)}); {rule.min_coverage:.0%} are needed"
        )
        return told(False, why, told=counts, query_ids=ids)
    mean = pairs.total / n
    sums = (n, pairs.total, pairs.squares)
    low, high = difference_interval(*(one / pairs.design_effect for one in sums))
    bound = mean if rule.on == "value" else low
    least = 0.0 - rule.margin  # not -0.0
    keeps = bound >= least - _ROUNDING
    passed = keeps or not pairs.n_worse
    why = (
        f"{numbers.value(there.value)} → {numbers.value(now.value)}; on {n} queries "
        f"{'gain' if mean >= 0 else 'loss'} {abs(mean):.3f} {_signed(low, high)}, "
        f"{pairs.n_better} better, {pairs.n_worse} worse"
    )
    if pairs.n_clusters is not None:
        why += f", by {pairs.n_clusters} clusters"
    lost = _lost(pairs)
    if lost:
        why += f" ({lost})"
    if not keeps:
        why += f"; {_told_gain(mean, low, high, rule.margin)}" if not passed else f"; {NONE_WORSE}"
    return told(
        passed,
        why,
        bound=bound,
        low=low,
        high=high,
        told=counts,
        query_ids=() if passed else ids,
        finding=None if passed else WORSE if high < 0 else NOT_SHOWN,
        condition=Condition(rule.name, ">=", least),
        is_gain=True,
    )


def _told_gain(mean: float, low: float, high: float, margin: float) -> str:
    """How a figure fails: worse, or not shown to be no worse."""
    if high < 0:
        return "worse: the whole interval is under 0"
    more = f", or --margin {_up(-low):g}" if mean >= -margin else ""
    return f"not shown to be no worse: the lower end is under {0.0 - margin:g}; more queries{more}"


def _up(number: float) -> float:
    return math.ceil(number * 1000) / 1000


def _signed(low: float, high: float) -> str:
    return f"[{low:+.3f}, {high:+.3f}]"


def _lost(pairs: Pairs) -> str:
    told = {
        "unscored now, counted as the worst value": pairs.n_lost,
        "not in the run, counted as the worst value": pairs.n_gone,
        "not applicable now": pairs.n_left,
    }
    return ", ".join(f"{n} {what}" for what, n in told.items() if n)
