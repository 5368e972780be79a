"""From results, one by one, to report.json: all aggregates, and nothing that grows with the run.

Renderers, gates and comparisons read what `Summary.report` gives; no other place averages.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE, FAMILIES
from ragdiag.records import SampleResult, Settings, Usage
from ragdiag.report.apart import Apart
from ragdiag.report.cluster_sums import CLUSTERS, cluster_key
from ragdiag.report.fix_first import FixFirst
from ragdiag.report.funnel import Funnel
from ragdiag.report.kinds import Kinds, sliced_names
from ragdiag.report.laddered import Laddered
from ragdiag.report.levels import WrongPage, levels
from ragdiag.report.loss import Loss
from ragdiag.report.tally import Tally, share
from ragdiag.report.traced import PAGES, Traced

SCHEMA_VERSION = 1
MOST_EXAMPLES = 3
MOST_ZERO_RECALL = 1000
MOST_SLICE_VALUES = 50
MOST_DIMENSIONS = 100
OTHER, MISSING = "(other)", "(missing)"
_DIMENSIONS, _MISMATCH, _TALKS = "slices:", "gold: an item of", "text that talks to the judge"
_UNUSABLE = "judge: its replies on"
_OWN_WARNINGS = (_DIMENSIONS, _MISMATCH, _TALKS, _UNUSABLE, PAGES, CLUSTERS)
_SHOWN_REPLY = 60


class Summary:
    """Counts results as they come; `report` may be called at any time."""

    def __init__(
        self,
        *,
        settings: Settings,
        metrics: Mapping[str, tuple[str, str]],
        judge: Mapping[str, Any],
        corpus: Mapping[str, Any],
        run: Mapping[str, Any] | None = None,
        external: Mapping[str, Any] | None = None,
    ) -> None:
        """`metrics` maps a metric's name to (layer, direction); `external`: by tool, the
        facts of other tools whose scores stand among them."""
        self._settings = settings
        self._kinds = Kinds(metrics, min_coverage=settings.min_coverage)
        self._judge = dict(judge)
        self._corpus = dict(corpus)
        self._run = dict(run or {})
        self._external = dict(external or {})
        self._n = 0
        self._tallies: dict[str, Tally] = {}
        self._slices: dict[str, dict[str, dict[str, Tally]]] = defaultdict(dict)
        self._slice_codes: dict[str, dict[str, Counter[str]]] = defaultdict(dict)
        self._codes: Counter[str] = Counter()
        self._families: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._first_error: dict[str, str] | None = None
        self._flags: Counter[str] = Counter()
        self._no_code: Counter[str] = Counter()
        self._not_available: Counter[str] = Counter()
        self._deciding: Counter[str] = Counter()
        self._reach: Counter[str] = Counter()
        self._more_dimensions = False
        self._examples: dict[str, list[str]] = defaultdict(list)
        self._zero_recall: list[dict[str, Any]] = []
        self._n_zero_recall = 0
        self._wrong_page = WrongPage(settings.k)
        self._loss = Loss()
        self._traced = Traced()
        self._apart = Apart()
        self._fix_first = FixFirst(gold_as_retrieved=settings.gold_as_retrieved)
        self._funnel = Funnel()
        self._ladder = Laddered()
        self._n_repeated = 0
        self._latency: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self._usages = Usage()
        self._n_claims = 0
        self._n_discarded = 0
        self._unusable: Counter[str] = Counter()
        self._unusable_reply = ""
        self._sliced = sliced_names(max(settings.k))

    @property
    def n_queries(self) -> int:
        """How many were counted so far."""
        return self._n

    def add(self, result: SampleResult) -> None:
        """Counts one query's result."""
        self._n += 1
        for name, score in result.scores.items():
            tally = self._tallies.get(name)
            if tally is None:
                tally = self._tallies[name] = Tally()
            tally.add(score)
        self._add_diagnosis(result)
        self._add_slices(result)
        self._add_zero_recall(result)
        self._wrong_page.add(result)
        cluster = cluster_key(result, self._settings)
        self._loss.add(result, cluster=cluster)
        self._traced.add(result)
        self._apart.add(result)
        self._fix_first.add(result, cluster=cluster)
        self._funnel.add(result, cluster=cluster)
        self._ladder.add(result)
        self._n_repeated += sum(len(group) - 1 for group in result.near_duplicates)
        self._flags.update({*result.flags, *result.diagnosis.flags})  # a query once
        self._n_claims += len(result.claims)
        self._n_discarded += result.n_discarded_claims
        for one in result.unusable:
            self._unusable[one.reason] += 1
            self._unusable_reply = self._unusable_reply or one.raw or ""
        for stage, milliseconds in result.latency_ms.items():
            self._latency[stage].append(milliseconds)
        self._usages = self._usages + result.cost

    def _add_diagnosis(self, result: SampleResult) -> None:
        told = result.diagnosis
        self._not_available.update(told.not_available)
        reach = told.state.get("reach", ())
        if len(reach) == 1:
            self._reach[reach[0]] += 1
        if told.code is None:
            self._no_code[told.status_reason or "no_answer"] += 1
            return
        self._codes[told.code] += 1
        if told.code == "X1":
            self._add_error(result)
        if told.family is not None and told.code != "X1":
            self._families[told.family] += 1
        if told.deciding_input is not None:
            self._deciding[told.deciding_input] += 1
        examples = self._examples[told.code]
        if len(examples) < MOST_EXAMPLES:
            examples.append(result.query_id)

    def _add_error(self, result: SampleResult) -> None:
        run: Mapping[str, Any] = result.diagnosis.proof.get("run", {})
        error = str(run.get("error") or "the answer is empty or null")
        self._errors[error.partition(":")[0][:_SHOWN_REPLY]] += 1
        self._first_error = self._first_error or {"query_id": result.query_id, "error": error[:500]}

    def _add_slices(self, result: SampleResult) -> None:
        for dimension, value in result.slices.items():
            if value == MISSING:  # as if not given, so that both are counted in one row
                continue
            if dimension not in self._slices and len(self._slices) >= MOST_DIMENSIONS:
                self._more_dimensions = True
                continue
            values = self._slices[dimension]
            name = value if value in values or len(values) < MOST_SLICE_VALUES else OTHER
            tallies = values.get(name)
            if tallies is None:
                tallies = values[name] = {n: Tally() for n in self._sliced}
            for metric in self._sliced:
                if metric in result.scores:
                    tallies[metric].add(result.scores[metric])
            codes = self._slice_codes[dimension].setdefault(name, Counter())
            codes[result.diagnosis.code or "none"] += 1

    def _add_zero_recall(self, result: SampleResult) -> None:
        if not result.zero_recall:
            return
        self._n_zero_recall += 1
        if len(self._zero_recall) < MOST_ZERO_RECALL:
            near = result.diagnosis.state.get("near_miss", ())
            proof: Mapping[str, Any] = result.diagnosis.proof.get("near_miss", {})
            self._zero_recall.append(
                {
                    "query_id": result.query_id,
                    "near_miss": near[0] if len(near) == 1 else None,
                    **{key: proof[key] for key in ("passage_id", "rank") if key in proof},
                }
            )

    def report(self, *, warnings: Sequence[str] = ()) -> dict[str, Any]:
        """The content of report.json (schema_version 1); raises if the ledger does not add up."""
        for name, tally in self._tallies.items():
            if self._kinds.is_stage(name):  # listed on the samples that have it
                tally.fill_up(self._n, "no_context")
        self._check_ledger()
        cells = {name: self._kinds.cell(name, tally) for name, tally in self._tallies.items()}
        metrics = {name: c for name, c in cells.items() if not self._kinds.is_stage(name)}
        n_coded = sum(n for code, n in self._codes.items() if code != "X1")
        return {
            "schema_version": SCHEMA_VERSION,
            "corpus": {"n_queries": self._n, **self._corpus},
            "run": self._run,
            "unit": self._settings.unit,
            "k": list(self._settings.k),
            "gain": self._settings.gain,
            "judge": self._judge,
            "metrics": metrics,
            "levels": levels(metrics, self._settings.k),
            "wrong_page": self._wrong_page.report(),
            "stages": self._kinds.stages(cells),
            "loss": self._loss.report(),
            "categories": categories(
                {c: share(self._codes[c], n_coded if c != "X1" else 0) for c in CATALOGUE}
            ),
            "families": {f: share(self._families[f], n_coded) for f in FAMILIES},
            "n_diagnosed": n_coded,
            "fix_first": self._fix_first.report(),
            "pipeline_errors": {
                "by_kind": dict(self._errors.most_common(20)),
                "first": self._first_error,
            },
            "no_code": dict(sorted(self._no_code.items())),
            "not_available": dict(sorted(self._not_available.items())),
            "deciding_inputs": dict(self._deciding.most_common()),
            "flags": dict(sorted(self._flags.items())),
            **self._apart.report(rule=self._settings.citation_rule),
            "claims": {"n": self._n_claims, "n_discarded": self._n_discarded},
            "ladder": self._ladder.report(),
            "slices": self._report_slices(),
            "ann": None,
            "external": self._external,
            "funnel": dict(sorted(self._reach.items())),
            "funnel_stages": self._funnel.report(),
            "zero_recall": self._zero_recall,
            "n_zero_recall": self._n_zero_recall,
            "near_duplicates": {
                "treatment": self._settings.near_duplicates,
                "n_queries": self._flags["near_duplicates"],
                "n_passages": self._n_repeated,
            },
            "provenance": self._traced.section(),
            "examples": {code: list(ids) for code, ids in sorted(self._examples.items())},
            "latency": {stage: percentiles(v) for stage, v in sorted(self._latency.items())},
            "cost": _cost(self._usages),
            "ledger": {name: tally.ledger() for name, tally in self._tallies.items()},
            "warnings": self._all_warnings(warnings),
        }

    def _all_warnings(self, given: Sequence[str]) -> list[str]:
        """What was said before, and what only the count of results shows. Rescoring hands in the
        latter too, as of then: it is said anew."""
        kept = [line for line in given if not line.startswith(_OWN_WARNINGS)]
        return list(dict.fromkeys((*self._of_judge(), *kept, *self._own_warnings())))

    def _of_judge(self) -> Iterator[str]:
        """First of all, since figures of a judge that could not be read say little."""
        if not self._unusable:
            return
        n = self._unusable.total()
        counts = ", ".join(f"{reason} {count}" for reason, count in self._unusable.most_common())
        shown = self._unusable_reply
        if len(shown) > _SHOWN_REPLY:
            shown = shown[: _SHOWN_REPLY - 1].rstrip() + "…"
        example = f", e.g. “{shown}”" if shown else ""
        yield f"{_UNUSABLE} {n} {'check' if n == 1 else 'checks'} are unusable: {counts}{example}"

    def _own_warnings(self) -> Iterator[str]:
        if self._more_dimensions:
            yield (
                f"{_DIMENSIONS} only the first {MOST_DIMENSIONS} names are counted; is one an id?"
            )
        n = self._flags["gold_mismatch"]
        if n:
            noun = "query" if n == 1 else "queries"
            yield (
                f"{_MISMATCH} {n} {noun} is found by one field while another differs (flag "
                "gold_mismatch; `ragdiag explain` names both): check the labels"
            )
        n = self._flags["injection_suspected"]
        if n:
            yield (
                f"{_TALKS} in {n} of {self._n} queries: their checks are unscored and left to "
                "people (suspicions in results.jsonl)"
            )

        pages = self._traced.warning()
        if pages is not None:
            yield pages

    def _check_ledger(self) -> None:
        for name, tally in self._tallies.items():
            total = sum(tally.status.values())
            if total != self._n:
                raise AssertionError(
                    f"the ledger of {name} adds up to {total}, not to {self._n} queries"
                )

    def _report_slices(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for dimension, values in sorted(self._slices.items()):
            codes = self._slice_codes[dimension]
            rows = {v: self._kinds.slice_row(t, codes[v]) for v, t in sorted(values.items())}
            n_missing = self._n - sum(row["n"] for row in rows.values())
            if n_missing:
                left = {
                    metric: self._tallies[metric].without([t[metric] for t in values.values()])
                    for metric in self._sliced
                    if metric in self._tallies
                }
                counts = Counter(self._codes)
                counts["none"] = sum(self._no_code.values())
                for counted in codes.values():
                    counts.subtract(counted)
                rows[MISSING] = self._kinds.slice_row(left, +counts)
            found[dimension] = rows
        return found


def _cost(usage: Usage) -> dict[str, Any]:
    """What was spent, in total and by check; the rows of `by_check` hold the same keys."""
    checks = sorted(usage.by_check.items())
    rows = {name: spent.model_dump(exclude={"by_check"}) for name, spent in checks}
    return {**usage.model_dump(exclude={"by_check"}), "by_check": rows}


def categories(shares: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Every code with its name, family, fix and next experiment, and its share."""
    return {
        code: {
            "name": CATALOGUE[code].name,
            "family": CATALOGUE[code].family,
            "fix": CATALOGUE[code].fix,
            "next_experiment": CATALOGUE[code].next_experiment,
            **told,
        }
        for code, told in shares.items()
    }


def percentiles(values: array[float] | list[float]) -> dict[str, float]:
    """{p50, p95, n} of milliseconds."""
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    p50, p95 = np.quantile(np.asarray(values), (0.5, 0.95))
    return {"p50": float(p50), "p95": float(p95), "n": len(values)}
