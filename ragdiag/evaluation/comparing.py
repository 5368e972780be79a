"""Evaluation directories against each other: compare.json."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragdiag.errors import UsageError
from ragdiag.evaluation.comparable import Asked, fact_warnings, label_warnings, read_all
from ragdiag.evaluation.compared_runs import (
    MISSING,
    SUCCESS,
    Lined,
    ReadRun,
    line_up,
    measured,
    refuse_unknown,
    slices_of,
    spent,
)
from ragdiag.evaluation.document_clusters import document_column
from ragdiag.report.compared import (
    NOT_APPLICABLE,
    SCORED,
    Mask,
    Measured,
    Row,
    compare_metric,
    settle,
)
from ragdiag.report.flips import flips, moved
from ragdiag.report.numbers import counted
from ragdiag.report.run_facts import ALLOWABLE, blame, changed_facts, unstated
from ragdiag.report.trade_off import TOTAL, Standing, paired_section, pareto, spent_section
from ragdiag.text.clusters import DERIVED, DOCUMENT, NO_CLUSTER

if TYPE_CHECKING:
    from ragdiag.stats.comparison import Ints

SCHEMA_VERSION = 1
FEW = 20
HEADLINE = (
    SUCCESS, "recall", "rr", "ndcg", "complete_evidence", "evidence_correctness",
    "answer_correctness", "faithfulness", "citation_correctness",
)  # fmt: skip
"""What is compared where nothing is named, each at the largest k that is known."""
_QUALITY = ("answer_correctness", "ndcg", "recall", "hit")
_LEAST_IN_SLICE = 5
_MANY_OF_A_DOCUMENT = 2
_NAMED = 5
_MOST_TESTS = 2_000


def compare_directories(
    directories: Sequence[Path], *, baseline: str | None = None, asked: Asked | None = None
) -> dict[str, Any]:
    """compare.json of two evaluations or more: each against the baseline (by default the first).

    UsageError or DataError where they cannot be compared: no shared query, another text under one
    id, another corpus, judge, set of queries or settings (unless allowed).
    """
    asked = asked or Asked()
    unknown = sorted(asked.allow - set(ALLOWABLE))
    if unknown:
        raise UsageError(f"--allow takes {', '.join(ALLOWABLE)}; came {', '.join(unknown)}")
    if len(directories) < 2:
        raise UsageError("name two evaluation directories or more, the baseline first")
    runs = read_all(directories, baseline)
    warnings = fact_warnings(runs, asked)
    lined = line_up(runs)
    warnings += label_warnings(runs, lined, asked)
    return _Comparison(runs, lined, asked, warnings).section()


class _Comparison:
    """All runs against the first, over the shared queries."""

    def __init__(
        self, runs: Sequence[ReadRun], lined: Lined, asked: Asked, warnings: list[str]
    ) -> None:
        self._runs, self._lined, self._asked, self._warnings = runs, lined, asked, warnings
        self._base = runs[0]
        self._n = len(lined.query_ids)
        self._frames = lined.frames
        self._values = slices_of(self._frames[self._base.name])
        self._slices = self._masks()
        self._clusters = self._cluster_codes()
        self._metrics, self._scores = self._measure()
        self._spent = {run.name: spent(self._frames[run.name]) for run in runs}
        self._told = {
            name: list(zip(f["code"].to_list(), f["family"].to_list(), strict=True))
            for name, f in self._frames.items()
        }

    def section(self) -> dict[str, Any]:
        """The content of compare.json."""
        by_pair = [self._rows(run) for run in self._runs[1:]]
        n_tests = settle([row for rows in by_pair for row in rows], self._asked.correction)
        main = self._main_metric()
        pairs = [
            self._pair(run, rows, main) for run, rows in zip(self._runs[1:], by_pair, strict=True)
        ]
        self._warn(by_pair)
        one = len(pairs) == 1
        facts = {run.name: run.facts for run in self._runs}
        return {
            "schema_version": SCHEMA_VERSION,
            "baseline": self._base.name,
            "runs": [self._run(run, main) for run in self._runs],
            "n_shared": self._n,
            "only_in": self._lined.only_in,
            "facts_changed": changed_facts(facts, but=("label",)),
            "blame": pairs[0]["blame"]
            if one
            else {"component": None, "why": "several variants: see each pair"},
            "main_metric": main,
            "family": {
                "metrics": list(self._metrics),
                "slices": ["all" if label is None else label for label in self._slices],
                "n_pairs": len(pairs),
                "n_tests": n_tests,
                "correction": self._asked.correction,
            },
            "cluster": self._cluster_told,
            "pairs": pairs,
            "pareto": pareto(self._standings(by_pair, main)),
            "warnings": self._warnings,
        }

    def _masks(self) -> dict[str | None, Mask]:
        dimensions = list(self._values) if "all" in self._asked.slices else self._asked.slices
        refuse_unknown("--slices", dimensions, list(self._values))
        found: dict[str | None, Mask] = {None: np.ones(self._n, dtype=np.bool_)}
        for dimension in dict.fromkeys(dimensions):
            for value, where in self._values[dimension].where():
                found[f"{dimension}={value}"] = where
        return found

    def _cluster_codes(self) -> Ints | None:
        frame, by = self._frames[self._base.name], self._asked.cluster
        self._cluster_told: dict[str, Any] | None = None
        names: list[str | None]
        if by is None:
            names = frame["cluster"].to_list()
            settings: Mapping[str, Any] = self._base.manifest["settings"]
            by = str(settings.get("cluster") or "cluster")
            if not any(name is not None for name in names):
                self._hint_at_documents(document_column(frame))
                return None
        elif by == NO_CLUSTER:
            return None
        elif by in self._values:
            one = self._values[by]
            told = [None if value == MISSING else value for value in one.values]
            names = [told[code] for code in one.codes.tolist()]
        elif by == DOCUMENT:
            names = document_column(frame)
        else:
            refuse_unknown("--cluster", [by], [*DERIVED, *self._values])
            names = frame["query_hash"].to_list()
        keys = [f"\0{place}" if name is None else name for place, name in enumerate(names)]
        codes = np.unique(np.array(keys, dtype=object), return_inverse=True)[1].astype(np.int64)
        n = int(codes.max()) + 1
        self._cluster_told = {"by": by, "n": n, "n_alone": sum(name is None for name in names)}
        if n < FEW:
            self._warnings.append(
                f"only {counted(n, 'cluster')} by {by}: under {FEW}, no test says much"
            )
        return codes

    def _hint_at_documents(self, names: Sequence[str | None]) -> None:
        """Says so where queries share few documents: then they are no independent draws."""
        named = [name for name in names if name is not None]
        n = len(set(named))
        if n < len(named) and (n < FEW or len(named) > _MANY_OF_A_DOCUMENT * n):
            shared = counted(n, "document", "groups of documents")
            self._warnings.append(
                f"{len(named)} queries share {shared}: not independent, so intervals are too "
                f"narrow and p too small; --cluster {DOCUMENT}"
            )

    def _measure(self) -> tuple[list[str], dict[str, dict[str, Measured]]]:
        known = [
            n for n in self._base.metric_names() if all(n in r.metric_names() for r in self._runs)
        ]
        plain = known if self._asked.metrics is not None else ()  # "rr" has a form without a k too
        wanted = self._asked.metrics or HEADLINE
        names = [one if one in plain else at_largest_k(one, known) for one in wanted]
        names = list(dict.fromkeys(names))
        if self._asked.metrics is not None:
            refuse_unknown("--metrics", names, known)
        names = [name for name in names if name in known]
        scores = {run.name: measured(run, self._lined, names) for run in self._runs}
        if self._asked.metrics is None:
            names = [n for n in names if all(self._any(scores[run.name][n]) for run in self._runs)]
        cells = len(names), len(self._slices), len(self._runs) - 1
        n_rows = math.prod(cells)
        if n_rows > _MOST_TESTS:
            raise UsageError(
                f"{cells[0]} metrics × {cells[1]} slices × {cells[2]} variants are {n_rows} tests: "
                f"over {_MOST_TESTS}, hardly any difference can be shown; name fewer with "
                "--metrics and --slices"
            )
        if not names:
            raise UsageError("no metric has scores in all runs: nothing to compare")
        return names, scores

    @staticmethod
    def _any(one: Measured) -> bool:
        return bool((one.status != NOT_APPLICABLE).any())

    def _rows(self, run: ReadRun) -> list[Row]:
        ours, theirs = self._scores[self._base.name], self._scores[run.name]
        return [
            row
            for name in self._metrics
            for row in compare_metric(
                name,
                ours[name],
                theirs[name],
                self._slices,
                direction=self._base.direction(name),
                clusters=self._clusters,
            )
        ]

    def _main_metric(self) -> str:
        """By which runs are set against time and money: the first asked for; else of the answers,
        where all runs have some scored, else of the ranking."""
        if self._asked.metrics is not None:
            return self._metrics[0]
        for family in _QUALITY:
            for name in self._metrics:
                scored = all((s[name].status == SCORED).any() for s in self._scores.values())
                if name.partition("@")[0] == family and scored:
                    return name
        return self._metrics[0]

    def _pair(self, run: ReadRun, rows: Sequence[Row], main: str) -> dict[str, Any]:
        ids, base = self._lined.query_ids, self._base
        before, after = self._told[base.name], self._told[run.name]
        told = blame(base.facts, run.facts)
        lacking = ", ".join(unstated(base.facts, run.facts))
        why = f"{told.why}; only one of the two states {lacking}" if lacking else told.why
        whole = next(row for row in rows if row.metric == main and row.slice is None)
        return {
            "baseline": base.name,
            "variant": run.name,
            "n": self._n,
            "blame": {"component": told.component, "why": why},
            "rows": [row.as_json() for row in rows],
            "flips": flips(ids, before, after),
            "categories_moved": moved(ids, before, after),
            "spent": paired_section(self._spent[base.name], self._spent[run.name]),
            "trade_off": [
                {"metric": row.metric, "difference": row.difference, "verdict": row.verdict}
                for row in (whole, *_shown(rows, but=main))
            ],
            "slices_seen": self._seen(run, main),
        }

    def _seen(self, run: ReadRun, main: str) -> list[dict[str, Any]]:
        """Each slice's difference in the main metric, untested: where to look, no more."""
        a, b = self._scores[self._base.name][main], self._scores[run.name][main]
        both = (a.status == SCORED) & (b.status == SCORED)
        rows: list[dict[str, Any]] = []
        for dimension, sliced in self._values.items():
            for value, inside in sliced.where():
                where = both & inside
                if int(where.sum()) >= _LEAST_IN_SLICE:
                    mean_a, mean_b = float(a.values[where].mean()), float(b.values[where].mean())
                    rows.append(
                        {
                            "slice": f"{dimension}={value}",
                            "metric": main,
                            "n": int(where.sum()),
                            "mean_a": mean_a,
                            "mean_b": mean_b,
                            "difference": mean_b - mean_a,
                        }
                    )
        return sorted(rows, key=lambda row: row["difference"])

    def _run(self, run: ReadRun, main: str) -> dict[str, Any]:
        mine = self._scores[run.name][main]
        common = np.logical_and.reduce([s[main].status == SCORED for s in self._scores.values()])
        n = int(common.sum())
        return {
            "name": run.name,
            "directory": str(run.directory),
            "judge": run.judge,
            "n_queries": run.queries.height,
            "facts": {name: fact.value for name, fact in run.facts.items()},
            "quality": {
                "metric": main,
                "value": float(mine.values[common].mean()) if n else None,
                "n": n,
                "n_scored": int((mine.status == SCORED).sum()),
                "n_total": self._n,
            },
            "spent": spent_section(self._spent[run.name]),
        }

    def _standings(self, by_pair: Sequence[Sequence[Row]], main: str) -> list[Standing]:
        """Quality as the difference to the baseline. A gain that is not shown counts as none, and
        what a run lacks as 0, so that neither chance nor gaps put a run on the front."""
        found = [self._standing(self._base, 0.0)]
        sign = -1.0 if self._base.direction(main) == "lower" else 1.0
        for run, rows in zip(self._runs[1:], by_pair, strict=True):
            whole = next(row for row in rows if row.metric == main and row.slice is None)
            quality = None if whole.difference is None else sign * whole.difference
            if quality is not None and not whole.significant:
                quality = min(quality, 0.0)
            if quality is not None and sign > 0 and whole.filled_difference is not None:
                quality = min(quality, whole.filled_difference)
            found.append(self._standing(run, quality))
        return found

    def _standing(self, run: ReadRun, quality: float | None) -> Standing:
        told = spent_section(self._spent[run.name])
        latency = told["latency_ms"].get(TOTAL, {}).get("p50")
        return Standing(run.name, quality, latency, told["usd"]["mean"])

    def _warn(self, by_pair: Sequence[Sequence[Row]]) -> None:
        for name, ids in self._lined.only_in.items():
            if ids:
                n = counted(len(ids), "query", "queries")
                self._warnings.append(
                    f"{n} of {name} not in all runs, and left out ({_first(ids)})"
                )
        if self._n < FEW:
            n = counted(self._n, "shared query", "shared queries")
            self._warnings.append(f"only {n}: under {FEW}, little can be shown")
        for run, rows in zip(self._runs[1:], by_pair, strict=True):
            for row in rows:
                if row.slice is None and (row.n_not_applicable_a or row.n_not_applicable_b):
                    self._warnings.append(_one_sided(row, self._base.name, run.name))


def _first(ids: Sequence[str]) -> str:
    return ", ".join(map(repr, ids[:_NAMED])) + (", …" if len(ids) > _NAMED else "")


def _one_sided(row: Row, a: str, b: str) -> str:
    told = [
        f"{n} in {name} only"
        for name, n in ((a, row.n_not_applicable_b), (b, row.n_not_applicable_a))
        if n
    ]
    return f"{row.metric} applies to {' and '.join(told)}: outside the difference"


def _shown(rows: Sequence[Row], *, but: str) -> list[Row]:
    """The rows over all queries whose difference is shown."""
    return [row for row in rows if row.slice is None and row.significant and row.metric != but]


def at_largest_k(name: str, known: Sequence[str]) -> str:
    """ "recall" -> "recall@10", where such names are known."""
    cuts = [
        int(cut)
        for one in known
        for family, at, cut in [one.rpartition("@")]
        if at and family == name and cut.isdigit()
    ]
    return f"{name}@{max(cuts)}" if cuts else name
