"""Evaluates validated samples into an evaluation directory, resuming what is there already."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragdiag.chat.deadlines import sample_deadline
from ragdiag.errors import IncompleteError, RagdiagError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.manifest import Manifest, read_manifest, refuse_other
from ragdiag.executors import in_order
from ragdiag.judging.specs import Judges
from ragdiag.pipeline import (
    broken_judgement,
    broken_result,
    judge_sample,
    metric_kinds,
    sample_hash,
    score_sample,
)
from ragdiag.records import Corpus, Judgement, Label, Sample, SampleResult, Settings
from ragdiag.report.agreement import Agreement
from ragdiag.report.summary import Summary

log = logging.getLogger(__name__)

Flagged = tuple[Sample, tuple[str, ...]]
"""A sample, and what the reader noticed about it (missing_in_run)."""


@dataclass(frozen=True)
class Plan:
    """All that an evaluation needs besides its samples.

    sample_deadline  seconds for all calls of one sample; None = as long as they take.
    """

    settings: Settings
    judges: Judges
    corpus: Corpus | None = None
    labels: Sequence[Label] = ()
    run: dict[str, Any] = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()
    concurrency: int = 8
    max_errors: float = 0.01
    on_result: Callable[[SampleResult], None] | None = None
    sample_deadline: float | None = None

    def summary(self) -> Summary:
        """An empty summary that knows the judge, the corpus and the run facts."""
        corpus: dict[str, Any] = {"n_documents": None, "n_passages": None, "data_hash": None}
        if self.corpus is not None:
            corpus = {name: getattr(self.corpus, name) for name in corpus}
        return Summary(
            settings=self.settings,
            metrics=metric_kinds(self.settings),
            judge=judge_facts(self.judges),
            corpus=corpus,
            run=self.run,
        )


def judge_facts(judges: Judges) -> dict[str, Any]:
    """Who judged, and how far people agreed with the embedded screen where it was measured."""
    facts: dict[str, Any] = {"name": judges.name, "version": judges.version, "validated": {}}
    measured = getattr(judges.machine, "measured", None)
    if measured:
        facts["measured"] = measured
    return facts


Judged = tuple[Sample, SampleResult, Judgement, bool]
"""A sample, its result, what was said of it, and whether that is still to be recorded."""

Engine = Callable[[Iterable[Flagged], Mapping[str, Judgement]], AsyncIterator[Judged]]
"""How samples are worked on, given what is known already; in input order."""


def in_process(plan: Plan, record: Callable[[Judgement], None] | None = None) -> Engine:
    """The engine of one process: as many samples at once as the plan says.

    `record` is called as soon as a sample is judged, not when its turn in the input order comes, so
    that an interrupt loses no more than what is under way.
    """

    def engine(samples: Iterable[Flagged], known: Mapping[str, Judgement]) -> AsyncIterator[Judged]:
        async def work(one: Flagged) -> Judged:
            sample, result, judgement, new = await judged(one, plan, known.get(one[0].query_id))
            if new and record is not None:
                record(judgement)
                new = False
            return sample, result, judgement, new

        return in_order(samples, work, concurrency=plan.concurrency)

    return engine


class _Totals:
    """All that an evaluation adds up over its samples."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._summary = plan.summary()
        self._agreement = Agreement(plan.labels)
        self._calls_saved: int | None = None

    def add(self, result: SampleResult, judgement: Judgement) -> None:
        """One more sample."""
        self._summary.add(result)
        self._agreement.add(result)
        saved = self._plan.judges.calls_saved(judgement.replies)
        if saved is not None:
            self._calls_saved = saved + (self._calls_saved or 0)

    def report(self, warnings: Sequence[str]) -> dict[str, Any]:
        """The report, with the judge's agreement with people where labels were given."""
        report = self._summary.report(warnings=tuple(warnings))
        if self._calls_saved is not None:
            report["judge"]["calls_saved"] = self._calls_saved
        if self._plan.judges.stopped is not None:
            report["judge"]["stopped"] = self._plan.judges.stopped
        found = self._agreement.report()
        if found:
            report["agreement"] = found
        return report


async def evaluate_in_memory(
    samples: Iterable[Flagged], plan: Plan
) -> tuple[list[SampleResult], dict[str, Any]]:
    """The results in input order and the report, with nothing written."""
    totals, results = _Totals(plan), list[SampleResult]()
    hints = await plan.judges.preflight()
    async for _, result, judgement, _ in in_process(plan)(samples, {}):
        totals.add(result, judgement)
        results.append(result)
    return results, totals.report((*plan.warnings, *hints))


async def evaluate_into(
    samples: Iterable[Flagged],
    plan: Plan,
    out: Path,
    manifest: Manifest,
    *,
    fresh: bool = False,
    engine: Engine | None = None,
) -> dict[str, Any]:
    """Evaluates into `out` and returns the report; `engine` None works in this process.

    Where a judge that has something to do cannot be reached, nothing is written (UsageError).
    A directory of the same settings and data is resumed: what was judged is not asked again. One of
    other settings is refused (UsageError with the differences) unless `fresh`. Whether too many
    judges' errors are in it is for the caller to ask, when all is written: `refuse_errors`.
    While it is worked on, the directory is closed to other processes (UsageError there).
    """
    check_place(out)
    with at.sole_writer(out):
        return await _evaluated(samples, plan, out, manifest, fresh=fresh, engine=engine)


async def _evaluated(
    samples: Iterable[Flagged],
    plan: Plan,
    out: Path,
    manifest: Manifest,
    *,
    fresh: bool,
    engine: Engine | None,
) -> dict[str, Any]:
    previous = _previous(out, manifest, fresh=fresh)
    known = {} if fresh else at.read_judgements(out / at.VERDICTS)
    all_judged = len(known) >= manifest.n_samples and not any(map(_broke, known.values()))
    hints = () if all_judged else await plan.judges.preflight()
    manifest = manifest.model_copy(update={"warnings": [*manifest.warnings, *hints]})
    _prepare(out, manifest, fresh=fresh)
    totals = _Totals(plan)
    with at.Writer(out) as writer, (out / at.VERDICTS).open("ab") as verdicts:

        def record(judgement: Judgement) -> None:
            verdicts.write(at.judgement_line(judgement))
            verdicts.flush()

        work = engine or in_process(plan, record)
        async for sample, result, judgement, new in work(samples, known):
            if new:
                record(judgement)
            writer.add(sample, result)
            totals.add(result, judgement)
            if plan.on_result is not None:
                plan.on_result(result)
        writer.commit()
    report = totals.report((*plan.warnings, *hints))
    at.write_atomically(out / at.REPORT, at.to_json(report))
    abilities = _abilities(plan.judges, previous)
    at.write_atomically(out / at.MANIFEST, manifest.with_abilities(abilities).to_json())
    return report


def _abilities(judges: Judges, previous: Manifest | None) -> dict[str, Any]:
    """What each endpoint accepts; where all came from the cache, what was found out before."""
    before = {} if previous is None else previous.abilities
    return {name: {**before.get(name, {}), **told} for name, told in judges.abilities.items()}


def refuse_errors(report: dict[str, Any], most: float) -> None:
    """IncompleteError where judges failed on more than a share `most` of the scores, or where they
    were called no more because every call would have failed.

    A sample's own pipeline error is a finding about the system, and never counts here.
    """
    ledger = report["ledger"].values()
    total = sum(sum(row.values()) for row in ledger)
    errors = sum(row["error"] for row in ledger)
    errors -= sum(
        metric["reasons"].get("pipeline_error", 0)
        for group in (report["metrics"], *report["stages"].values())
        for metric in group.values()
    )
    stopped = report["judge"].get("stopped")
    if stopped and errors and stopped.startswith("budget:"):
        raise IncompleteError(
            f"the {stopped}\n{errors} of {total} scores were not asked for; what was judged is "
            "kept, and the same command with a larger --budget goes on"
        )
    if stopped and errors:
        raise IncompleteError(
            f"the judge was called no more after this failure: {stopped}\n{errors} of {total} "
            "scores are errors; what was judged is kept, and the same command tries the rest again"
        )
    if total and errors / total > most:
        raise IncompleteError(
            f"{errors} of {total} scores are errors of the judge ({errors / total:.1%}, more than "
            f"--max-errors {most:g}): see the ledger in report.json; what was judged is kept, and "
            "the same command tries the rest again"
        )


async def judged(one: Flagged, plan: Plan, known: Judgement | None) -> Judged:
    """One sample: judged, unless what is known of it still stands, and scored."""
    sample, flags = one
    judgement = known
    try:
        same = known is not None and known.sample_hash == sample_hash(sample)
        if judgement is None or not is_settled(known, sample):
            with sample_deadline(plan.sample_deadline):
                judgement = await judge_sample(
                    sample, plan.judges, settings=plan.settings, corpus=plan.corpus
                )
            if known is not None and same:  # what the broken attempt cost was paid all the same
                total = known.usage + judgement.usage
                judgement = judgement.model_copy(update={"usage": total})
        result = score_sample(
            sample, judgement, settings=plan.settings, corpus=plan.corpus, flags=flags
        )
    except RagdiagError:  # meant for the user: the whole run cannot go on
        raise
    except Exception as fault:
        log.exception("query %r: an internal error; its scores are errors", sample.query_id)
        judgement = broken_judgement(sample, fault)
        result = broken_result(sample, plan.settings, flags=flags)
    return sample, result, judgement, judgement is not known


def is_settled(known: Judgement | None, sample: Sample) -> bool:
    """Does what is known of a sample stand, so that nobody is asked again?"""
    return known is not None and known.sample_hash == sample_hash(sample) and not _broke(known)


def _broke(judgement: Judgement) -> bool:
    """Did a call break, so that it is worth asking again? Unusable replies are not."""
    from ragdiag.records import ERROR, JudgeFailure  # noqa: PLC0415

    return any(isinstance(r, JudgeFailure) and r.reason in ERROR for r in judgement.replies)


def check_place(out: Path) -> None:
    """UsageError where `out` is a file, or a directory of something else than an evaluation."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"-o {out}: is a file; name a directory")
    if not out.exists() or (out / at.MANIFEST).exists():
        return
    if any(not path.name.startswith(at.CACHE) for path in out.iterdir()):
        raise UsageError(
            f"-o {out}: the directory holds other files and no {at.MANIFEST}; name another one"
        )


def _previous(out: Path, manifest: Manifest, *, fresh: bool) -> Manifest | None:
    """The manifest of what is resumed; UsageError where it is of another judge or data."""
    check_place(out)
    previous = None if fresh else read_manifest(out)
    if previous is not None:
        refuse_other(previous, manifest, out)
    return previous


def _prepare(out: Path, manifest: Manifest, *, fresh: bool) -> None:
    """Makes the directory ready: the manifest, and a resume log that ends with a whole line."""
    out.mkdir(parents=True, exist_ok=True)
    if fresh:
        for name in (at.VERDICTS, at.RESULTS, at.SCORES, at.SAMPLES, at.REPORT, at.PAGE):
            (out / name).unlink(missing_ok=True)
    at.write_atomically(out / at.MANIFEST, manifest.to_json())
    at.cut_torn_line(out / at.VERDICTS)
