"""The queue of what people should label: an audit drawn at random, and what to mend first.

The results are read twice, streamed: once to count, once to take out what was drawn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.records import Sample, SampleResult
from ragdiag.review.items import NO_VERDICT, UNITS, Item, items_of
from ragdiag.review.queue_design import (
    Design,
    Population,
    doubled,
    draw,
    extend,
    random_number,
)
from ragdiag.review.queue_file import Earlier, Line, line_of, write_queue
from ragdiag.review.queue_fix import REASONS, First, Order, Seen, Wanted, wanted
from ragdiag.review.queue_sizes import DEFAULT, Sizes, sizes
from ragdiag.review.strata import Cell, Stratum, share_out

Pairs = Callable[[], Iterator[tuple[Sample, SampleResult]]]
"""Reads the samples of an evaluation with their results, from the first on, whenever called."""

NO_SLICE = "(missing)"
FIX = 50


@dataclass(frozen=True)
class Ask:
    """What the queue should be.

    audit       items in all, shared equally over the checks; None: by `half_width`, each check.
    half_width  of the 95% interval of each check's rate; None with `audit` None: 0.1.
    fix         items of the fix queue in all.
    checks      None: those that the judge gave verdicts on; else passages and whatever there is.
    double      share that two people label.
    dimension   the slice to stratify by; None for none.
    """

    audit: int | None = None
    half_width: float | None = None
    fix: int = FIX
    checks: tuple[str, ...] | None = None
    double: float = 0.2
    seed: int | None = None
    dimension: str | None = None
    fresh: bool = False


@dataclass
class Told:
    """What came of it, for people and for --json."""

    seed: int = 0
    dimension: str | None = None
    sizes: dict[str, Sizes] = field(default_factory=dict[str, Sizes])
    designs: dict[str, Design] = field(default_factory=dict[str, Design])
    n_double: Counter[str] = field(default_factory=Counter[str])
    n_fix: int = 0
    found: Counter[str] = field(default_factory=Counter[str])
    added: Counter[str] = field(default_factory=Counter[str])
    kept: Counter[str] = field(default_factory=Counter[str])
    changed: int = 0
    gone: int = 0
    by_people: Counter[str] = field(default_factory=Counter[str])
    textless: Counter[str] = field(default_factory=Counter[str])
    warnings: list[str] = field(default_factory=list[str])
    n_queries: int = 0


def make_queue(pairs: Pairs, path: Path, ask: Ask) -> Told:
    """Writes the queue and its strata; items of an earlier queue stay where they still exist.

    Raises:
        UsageError: another seed than the queue that is there was drawn with.
        DataError: the queue that is there cannot be read.
    """
    earlier = Earlier(path) if not ask.fresh else None
    told = Told(*_settled(ask, earlier))
    if ask.dimension not in (None, told.dimension):
        told.warnings.append(
            f"the queue that is there was drawn by {told.dimension or 'no slice'}, and stays so; "
            f"--fresh draws anew by {ask.dimension}"
        )
    counted = _Counted(told, ask)
    for sample, result in pairs():
        counted.add(sample, result)
    told.designs = counted.designs(earlier)
    drawn = _Drawn(told, counted, ask, earlier)
    for sample, result in pairs():
        drawn.add(sample, result)
    lines = drawn.lines()
    strata = {
        "seed": told.seed,
        "slice": told.dimension,
        "checks": {check: design.as_json() for check, design in told.designs.items()},
    }
    write_queue(path, lines, strata)
    return told


def _settled(ask: Ask, earlier: Earlier | None) -> tuple[int, str | None]:
    """Seed and slice: as asked, else as they were."""
    if earlier is None or earlier.seed is None:
        return ask.seed or 0, ask.dimension
    if ask.seed is not None and ask.seed != earlier.seed:
        raise UsageError(
            f"--seed {ask.seed}: the queue that is there was drawn with seed {earlier.seed}, and "
            "one sample has one seed; leave it out, or draw anew with --fresh"
        )
    return earlier.seed, earlier.dimension


class _Counted:
    """The first pass: the population of each check, by cell."""

    def __init__(self, told: Told, ask: Ask) -> None:
        self.seen = Seen()
        self._told = told
        self._ask = ask
        self._populations = {check: Population() for check in UNITS}
        self.checks: tuple[str, ...] = ()

    def add(self, sample: Sample, result: SampleResult) -> None:
        """Counts one query."""
        told = self._told
        told.n_queries += 1
        items = items_of(sample, result)
        told.textless.update(items.textless)
        self.seen.add(result, items.items)
        for item in items.items:
            if item.by_people:
                told.by_people[item.check] += 1
                continue
            number = random_number(told.seed, item.item_id)
            self._populations[item.check].add(item, self.cell(item, result), number)

    def cell(self, item: Item, result: SampleResult) -> Cell:
        """Verdict, family, category, and value of the slice."""
        diagnosis, dimension = result.diagnosis, self._told.dimension
        value = NO_SLICE if dimension is None else result.slices.get(dimension, NO_SLICE)
        return item.verdict, diagnosis.family or "", diagnosis.code or "", value

    def designs(self, earlier: Earlier | None) -> dict[str, Design]:
        """What is drawn of each check; those of an earlier queue that are not asked for stay."""
        told, known = self._told, {} if earlier is None else earlier.designs
        self.checks = self._chosen()
        told.sizes = {c: sizes(c, self._populations[c].verdicts) for c in self.checks}
        found: dict[str, Design] = {}
        for check, n in zip(self.checks, self._wanted(), strict=True):
            population = self._populations[check]
            if check not in known:
                if n:
                    found[check] = draw(check, population, n, seed=told.seed)
            elif known[check].fingerprint == f"{population.fingerprint:016x}":
                found[check] = extend(check, population, known[check], n, seed=told.seed)
            else:
                found[check] = known[check]
                told.warnings.append(_another_population(check, known[check], population))
        found.update({check: one for check, one in known.items() if check not in found})
        return {check: found[check] for check in UNITS if check in found}

    def _chosen(self) -> tuple[str, ...]:
        there = [check for check in UNITS if self._populations[check].size]
        if self._ask.checks is not None:
            return tuple(check for check in there if check in self._ask.checks)
        judged = [check for check in there if check != "relevance" and self._judged(check)]
        of_answers = [check for check in there if check not in ("relevance", "sufficiency")]
        if not of_answers:  # retrieval alone: its passages are what there is to label
            return tuple(there)
        return tuple(judged or of_answers)

    def _judged(self, check: str) -> bool:
        return any(n for verdict, n in self._populations[check].verdicts.items()
                   if verdict != NO_VERDICT)  # fmt: skip

    def _wanted(self) -> list[int]:
        ask, all_sizes = self._ask, list(self._told.sizes.values())
        if ask.audit is not None:
            return share_out(ask.audit, [one.population for one in all_sizes])
        return [one.n(ask.half_width or DEFAULT) for one in all_sizes]


def _another_population(check: str, known: Design, population: Population) -> str:
    now, then = population.size, known.population
    what = f"{then} items then, {now} now" if now != then else "other verdicts or categories"
    return (
        f"{check}: the evaluation is not the one that the audit was drawn from ({what}); its items "
        "stay as they were drawn, and none is added; --fresh draws anew"
    )


class _Drawn:
    """The second pass: takes out the items that were drawn, and those to mend first."""

    def __init__(self, told: Told, counted: _Counted, ask: Ask, earlier: Earlier | None) -> None:
        self._told = told
        self._counted = counted
        self._ask = ask
        self._earlier = {} if earlier is None else earlier.lines
        self._audit: list[tuple[str, int, Line]] = []
        self._kept_fix: list[tuple[Order, Line]] = []
        self._first = First(ask.fix)
        self._met: set[str] = set()

    def add(self, sample: Sample, result: SampleResult) -> None:
        """Looks at one query's items."""
        for item in items_of(sample, result).items:
            number = random_number(self._told.seed, item.item_id)
            before = self._earlier.get(item.item_id)
            if not self._for_audit(sample, result, item, number, before):
                self._for_fix(sample, result, item, number, before)

    def _for_audit(
        self, sample: Sample, result: SampleResult, item: Item, number: int, before: Line | None
    ) -> bool:
        design = self._told.designs.get(item.check)
        if design is None:
            return False
        probability: float
        if design.closed:
            if before is None or before["queue"] != "audit":
                return False
            name, probability = before["stratum"]["id"], before["inclusion_probability"]
        else:
            stratum: Stratum | None = None
            if not item.by_people:
                stratum = design.chosen(self._counted.cell(item, result), number)
            if stratum is None:
                return False
            name, probability = design.ids[stratum], design.strata[stratum].probability
        line: Line = self._line(sample, item, before) | {
            "queue": "audit",
            "stratum": {"id": name},
            "inclusion_probability": probability,
            "why": [],
            "priority": 0,
        }
        self._count(line, before)
        self._audit.append((item.check, number, line))
        return True

    def _for_fix(
        self, sample: Sample, result: SampleResult, item: Item, number: int, before: Line | None
    ) -> None:
        checks = self._ask.checks
        if before is None and checks is not None and item.check not in checks:
            return
        told = wanted(item, result, self._counted.seen)
        if told is not None:
            self._told.found.update(why.partition(":")[0] for why in told.why)
        if before is not None and before["queue"] == "fix":
            told = told or Wanted(tuple(before["why"]), before["priority"], math.inf)
            line = self._fix_line(sample, item, before, told)
            self._count(line, before)
            self._kept_fix.append((told.order(number), line))
        elif told is not None and self._first.takes(told.order(number)):
            line = self._fix_line(sample, item, before, told)
            self._first.add(item.item_id, told.order(number), line)

    def _fix_line(self, sample: Sample, item: Item, before: Line | None, told: Wanted) -> Line:
        return self._line(sample, item, before) | {
            "queue": "fix",
            "stratum": {},
            "why": list(told.why),
            "priority": told.priority,
        }

    def _line(self, sample: Sample, item: Item, before: Line | None) -> Line:
        line = line_of(sample, item) | {"double": before is not None and bool(before.get("double"))}
        if before is not None:
            self._met.add(item.item_id)
            self._told.changed += before["item_hash"] != line["item_hash"]
        return line

    def _count(self, line: Line, before: Line | None) -> None:
        (self._told.added if before is None else self._told.kept)[line["queue"]] += 1

    def lines(self) -> Iterator[Line]:
        """The audit check by check, in random order within each; then the fix queue."""
        told = self._told
        told.gone = len(self._earlier.keys() - self._met)
        new = self._first.ranked()[: max(0, self._ask.fix - len(self._kept_fix))]
        told.added["fix"] += len(new)
        fix = [line for _, line in sorted([*self._kept_fix, *new], key=lambda one: one[0])]
        told.n_fix = len(fix)
        order = list(UNITS)
        self._audit.sort(key=lambda one: (order.index(one[0]), one[1]))
        groups = [
            (check, [line for _, _, line in group])
            for check, group in groupby(self._audit, key=lambda one: one[0])
        ]
        for name, group in (*groups, ("fix", fix)):
            self._mark_double(name, group)
            yield from group

    def _mark_double(self, name: str, group: list[Line]) -> None:
        rows = [
            (line["item_id"], line["stratum"].get("id", str(line["priority"])), line["double"])
            for line in group
        ]
        chosen = doubled(rows, self._ask.double)
        for line in group:
            line["double"] = line["item_id"] in chosen
        self._told.n_double[name] = len(chosen)


def as_json(told: Told) -> Mapping[str, Any]:
    """What --json prints."""
    return {
        "seed": told.seed,
        "slice": told.dimension,
        "n_queries": told.n_queries,
        "checks": [
            {
                "check": check,
                "unit": UNITS[check],
                "population": design.population,
                "n": design.n,
                "n_strata": len(design.strata),
                "n_double": told.n_double[check],
                **_needs(told.sizes.get(check)),
            }
            for check, design in told.designs.items()
        ],
        "fix": {
            "n": told.n_fix,
            "n_double": told.n_double["fix"],
            "found": {reason: told.found[reason] for reason in REASONS if told.found[reason]},
        },
        "added": dict(told.added),
        "kept": dict(told.kept),
        "changed": told.changed,
        "gone": told.gone,
        "labelled_by_people": dict(told.by_people),
        "without_text": dict(told.textless),
        "warnings": list(told.warnings),
    }


def _needs(one: Sizes | None) -> dict[str, Any]:
    if one is None:
        return {"rate": None, "n_decided": None, "needed": None, "needed_for_30_of_rarer": None}
    return {
        "rate": one.rate,
        "n_decided": one.n_decided,
        "needed": {f"{width:g}": n for width, n in one.needed.items()},
        "needed_for_30_of_rarer": one.for_rarer,
    }
