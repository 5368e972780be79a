"""An evaluation directory held to its gates, and to a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.errors import DataError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.baselines import read_baseline, read_run
from ragdiag.evaluation.belonging import parquet_of, require_one_evaluation
from ragdiag.evaluation.compared_runs import SUCCESS
from ragdiag.evaluation.comparing import HEADLINE, at_largest_k
from ragdiag.evaluation.manifest import read_manifest
from ragdiag.report.baseline import Rule, compare, metrics_of, named_in, with_value
from ragdiag.report.gate_cells import SHARE
from ragdiag.report.gate_queries import Told, told_of
from ragdiag.report.gates import Gate, Outcome, decide_all

if TYPE_CHECKING:
    from ragdiag.report.baseline import Run

MOST_SHOWN = 5
"""Queries that are named for a gate that fails."""


@dataclass(frozen=True)
class Gated:
    """What came of it.

    outcomes  of the gates, then of the comparisons, in order.
    queries   of those that are named, what is told of each, by id.
    notes     what a reader should know besides: facts that differ from the baseline's.
    """

    directory: Path
    report: dict[str, Any]
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    queries: dict[str, Told] = field(default_factory=dict[str, Told])
    notes: list[str] = field(default_factory=list[str])

    @property
    def failed(self) -> list[Outcome]:
        """The gates that do not hold."""
        return [one for one in self.outcomes if not one.passed]


def gate_directory(
    directory: Path,
    gates: Sequence[Gate],
    *,
    against: Path | None = None,
    rules: Sequence[Rule] = (),
    every: Rule | None = None,
    all_metrics: bool = False,
) -> Gated:
    """Decides every gate, and every rule against a baseline; where no rule is given, `every` is
    taken for those that the baseline was saved for by name, else for the headline metrics, and with
    `all_metrics` for each figure of it.

    Raises:
        UsageError: no evaluation directory, or no such baseline.
        DataError: one of them cannot be read, or is unfinished.
    """
    report = read_finished(directory)
    names = [gate.condition.name for gate in gates]
    outcomes = decide_all(report, gates, told_queries(directory, names)) if gates else []
    notes: list[str] = []
    if against is not None:
        baseline = read_baseline(against, [rule.name for rule in rules] or None)
        if all_metrics or not rules:
            names_there = _held(baseline, all_metrics=all_metrics)
            given = {rule.name for rule in rules}
            if not all_metrics and not named_in(baseline):
                notes.append(
                    "the headline metrics are held; --all-metrics holds all "
                    f"{len(_held(baseline, all_metrics=True))} figures of {against}"
                )
            added = [name for name in names_there if name not in given]
            rules = [*rules, *(replace(every or Rule(""), name=name) for name in added)]
        if not rules:
            raise DataError(f"{against}: no figure of it has a value: nothing to compare with")
        compared = compare(*_both(baseline, directory, against, rules), rules)
        outcomes += compared.outcomes
        notes += compared.notes
        names += [rule.name for rule in rules]
    shown = {key for one in outcomes if not one.passed for key in one.query_ids[:MOST_SHOWN]}
    queries = {one.query_id: one for one in told_queries(directory, names, only=shown)}
    return Gated(directory, report, outcomes, queries if shown else {}, notes)


def _held(baseline: Run, *, all_metrics: bool) -> list[str]:
    """The figures that are held against a baseline where none is named."""
    every = list(dict.fromkeys((*named_in(baseline), *metrics_of(baseline))))
    return every if all_metrics else named_in(baseline) or headline_of(baseline) or every


def headline_of(run: Run) -> list[str]:
    """The metrics that `ragdiag compare` compares where none is named, so far as a run has them:
    of many figures, that repeat each other, some fail by chance."""
    known = list(run.report["metrics"])
    names = [
        f"{one}{SHARE}" if one == SUCCESS else at_largest_k(one, known)
        for one in HEADLINE
        if one != SUCCESS or run.scores is None or _tells_shares(run)
    ]
    return with_value(run, names)


def _tells_shares(run: Run) -> bool:
    """Can shares be compared query by query? A directory's, or those that were saved."""
    share = f"{SUCCESS}{SHARE}"
    place = Path(run.name)
    if place.is_dir():
        return (place / at.QUERIES).exists()
    return run.scores is not None and share in run.scores["metric"].unique()


def _both(baseline: Run, directory: Path, against: Path, rules: Sequence[Rule]) -> tuple[Run, Run]:
    """The baseline with the scores of shares that its own default names, and the run."""
    names = [rule.name for rule in rules]
    if against.is_dir() and any(name.endswith(".share") for name in names):
        baseline = read_run(against, names)
    return baseline, read_run(directory, names)


def read_finished(directory: Path) -> dict[str, Any]:
    """report.json, unless the manifest says that it is of other samples than were given last."""
    report = at.read_report(directory)
    manifest = read_manifest(directory)
    n_queries = report["corpus"]["n_queries"]
    if manifest is not None and manifest.n_samples != n_queries:
        raise DataError(
            f"{directory}: its report is on {n_queries} queries, its manifest on "
            f"{manifest.n_samples}: an evaluation that did not end; the same command ends it"
        )
    if all((directory / name).exists() for name in (at.SCORES, at.QUERIES)):
        require_one_evaluation(directory, report)
    return report


def told_queries(
    directory: Path, names: Iterable[str], *, only: set[str] | None = None
) -> Iterator[Told]:
    """What gates on these names ask of each query, in input order; `only`: of these ids."""
    if only is not None and not only:
        return
    if not (directory / at.QUERIES).exists():
        for result in at.read_results(directory):
            if only is None or result.query_id in only:
                yield told_of(result)
        return
    import polars as pl  # noqa: PLC0415 - heavy, and needed here only

    wanted = set(names)
    scores = pl.scan_parquet(directory / at.SCORES).filter(
        pl.col("metric").is_in(list(wanted)), pl.col("status") != "not_applicable"
    )
    queries = pl.scan_parquet(directory / at.QUERIES)
    if only is not None:
        scores = scores.filter(pl.col("query_id").is_in(list(only)))
        queries = queries.filter(pl.col("query_id").is_in(list(only)))
    by_query: dict[str, dict[str, float | None]] = {}
    columns = ("query_id", "code", "family", "codes", "flags", "slices")
    with parquet_of(directory):
        rows = scores.select("query_id", "metric", "value").collect().rows()
        table = queries.select(columns).collect()
    for query_id, metric, value in rows:
        by_query.setdefault(query_id, {})[metric] = value
    for query_id, code, family, codes, flags, slices in table.iter_rows():
        told = {one["dimension"]: one["value"] for one in slices}
        yield Told(query_id, code, family, codes, flags, told, by_query.get(query_id, {}))
