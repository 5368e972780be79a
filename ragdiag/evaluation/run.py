"""Evaluates validated samples into an evaluation directory, resuming what is there already."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragdiag.chat.deadlines import sample_deadline
from ragdiag.errors import RagdiagError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.aggregating import by_cluster, by_cluster_of
from ragdiag.evaluation.document_clusters import DocumentClusters
from ragdiag.evaluation.external import External, read_external
from ragdiag.evaluation.ladder_log import read_ladder
from ragdiag.evaluation.manifest import Counted, Manifest, differences, read_manifest, refusal
from ragdiag.evaluation.totals import Totals
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
from ragdiag.records import (
    ERROR,
    Corpus,
    JudgeFailure,
    Judgement,
    Label,
    Reply,
    Sample,
    SampleResult,
    Settings,
    Verdict,
)
from ragdiag.report.summary import Summary
from ragdiag.text.clusters import DOCUMENT

log = logging.getLogger(__name__)

Flagged = tuple[Sample, tuple[str, ...]]
"""A sample, and what the reader noticed about it (missing_in_run)."""


@dataclass(frozen=True)
class Plan:
    """All that an evaluation needs besides its samples.

    sample_deadline  seconds for all calls of one sample; None = as long as they take.
    documents        the clusters of all samples, where results are counted by document.
    """

    settings: Settings
    judges: Judges
    corpus: Corpus | None = None
    labels: Sequence[Label] = ()
    run: dict[str, Any] = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()
    ann: dict[str, Any] | None = None
    concurrency: int = 8
    max_errors: float = 0.01
    on_result: Callable[[SampleResult], None] | None = None
    sample_deadline: float | None = None
    documents: DocumentClusters | None = None

    def kinds(self, external: External) -> dict[str, tuple[str, str]]:
        """(layer, direction) of every metric, those of other tools too."""
        return {**metric_kinds(self.settings), **external.kinds()}

    def summary(self, external: External) -> Summary:
        """An empty summary that knows the judge, the corpus, the run facts, and other tools."""
        corpus: dict[str, Any] = {"n_documents": None, "n_passages": None, "data_hash": None}
        if self.corpus is not None:
            corpus = {name: getattr(self.corpus, name) for name in corpus}
        return Summary(
            settings=self.settings,
            metrics=self.kinds(external),
            judge=judge_facts(self.judges),
            corpus=corpus,
            run=self.run,
            external=external.tools,
        )


def judge_facts(judges: Judges) -> dict[str, Any]:
    """Who judged, and how far people agreed with the embedded screen where it was measured."""
    facts: dict[str, Any] = {"name": judges.name, "version": judges.version, "validated": {}}
    measured = getattr(judges.machine, "measured", None)
    if measured:
        facts["measured"] = measured
    if judges.trained_on:
        facts["trained_on"] = {check: sorted(keys) for check, keys in judges.trained_on.items()}
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


def _placed(plan: Plan, sample: Sample, result: SampleResult) -> SampleResult:
    return result if plan.documents is None else plan.documents.placed(sample, result)


async def evaluate_in_memory(
    samples: Iterable[Flagged],
    plan: Plan,
    *,
    after: Callable[[list[tuple[Sample, SampleResult]]], Awaitable[list[SampleResult]]]
    | None = None,
) -> tuple[list[SampleResult], dict[str, Any]]:
    """The results in input order and the report, with nothing written; `after` may add to the
    results when all are there, before they are counted."""
    by_document = plan.settings.cluster == DOCUMENT  # clusters are known when all samples are
    totals, results = Totals(plan), list[SampleResult]()
    kept: list[tuple[Sample, Judgement]] = []
    hints = await plan.judges.preflight()
    async for sample, result, judgement, _ in in_process(plan)(samples, {}):
        results.append(result)
        if after is None and not by_document:
            totals.add(sample, result, judgement)
        else:
            kept.append((sample, judgement))
    if kept:
        pairs = [(sample, result) for (sample, _), result in zip(kept, results, strict=True)]
        if after is not None:
            results = await after(pairs)
        if by_document:
            clusters = DocumentClusters.of(sample for sample, _ in kept)
            results = [
                clusters.placed(sample, result)
                for (sample, _), result in zip(kept, results, strict=True)
            ]
        for result, (sample, judgement) in zip(results, kept, strict=True):
            totals.add(sample, result, judgement)
    report = totals.report((*plan.warnings, *hints))
    by_cluster_of(report, results, plan.settings, plan.kinds(External()))
    return results, report


async def evaluate_into(
    samples: Iterable[Flagged],
    plan: Plan,
    out: Path,
    manifest: Manifest,
    *,
    fresh: bool = False,
    force: bool = False,
    engine: Engine | None = None,
) -> dict[str, Any]:
    """Evaluates into `out` and returns the report; `engine` None works in this process.

    Where a judge that has something to do cannot be reached, nothing is written (UsageError).
    A directory of the same settings and data is resumed: what was judged is not asked again. One of
    another judge, other settings or data is refused (UsageError with the differences), unless
    `fresh` begins anew, or `force` goes on in it: verdicts on samples that are as they were judged,
    by the same judge under the same settings, are kept; the rest is asked. Whether too many
    judges' errors are in it is for the caller to ask, when all is written: `refuse_errors`.
    While it is worked on, the directory is closed to other processes (UsageError there).
    """
    check_place(out)
    with at.sole_writer(out):
        return await _evaluated(
            samples, plan, out, manifest, fresh=fresh, force=force, engine=engine
        )


async def _evaluated(
    samples: Iterable[Flagged],
    plan: Plan,
    out: Path,
    manifest: Manifest,
    *,
    fresh: bool,
    force: bool,
    engine: Engine | None,
) -> dict[str, Any]:
    check_place(out)
    previous = None if fresh else read_manifest(out)
    known = {} if fresh else _known(out, manifest if force or previous is None else previous)
    differs = previous is not None and bool(differences(previous, manifest))
    if previous is not None and differs and not force:
        raise refusal(previous, manifest, out=out, counted=_counted(samples, known))
    all_judged = (
        not differs and len(known) >= manifest.n_samples and not any(map(_broke, known.values()))
    )
    if previous is not None and all_judged:  # what the models' servers said then stands
        hints = tuple(told for told in previous.warnings if told not in manifest.warnings)
    else:
        hints = await plan.judges.preflight()
    manifest = manifest.model_copy(update={"warnings": [*manifest.warnings, *hints]})
    abilities = _abilities(plan.judges, previous)
    _prepare(out, manifest.with_abilities(abilities), fresh=fresh)
    external, ladder = read_external(out), read_ladder(out)
    totals = Totals(plan, external)
    with at.Writer(out) as writer, (out / at.VERDICTS).open("ab") as verdicts:

        def record(judgement: Judgement) -> None:
            stamped = judgement.model_copy(update={"asked_with": manifest.asked_with})
            verdicts.write(at.judgement_line(stamped))
            verdicts.flush()

        work = engine or in_process(plan, record)
        async for sample, result, judgement, new in work(samples, known):
            if new:
                record(judgement)
            result = external.merged(sample, result)  # noqa: PLW2901 - as it is written
            result = ladder.merged(sample, result, plan.settings)  # noqa: PLW2901
            result = _placed(plan, sample, result)  # noqa: PLW2901
            writer.add(sample, result)
            totals.add(sample, result, judgement)
            if plan.on_result is not None:
                plan.on_result(result)
        writer.commit()
    report = totals.report((*plan.warnings, *hints))
    by_cluster(report, out, plan.settings, plan.kinds(external))
    at.write_atomically(out / at.REPORT, at.to_json(report))
    abilities = _abilities(plan.judges, previous)
    at.write_atomically(out / at.MANIFEST, manifest.with_abilities(abilities).to_json())
    return report


def _abilities(judges: Judges, previous: Manifest | None) -> dict[str, Any]:
    """What each endpoint accepts; where all came from the cache, what was found out before."""
    before = {} if previous is None else previous.abilities
    return {name: {**before.get(name, {}), **told} for name, told in judges.abilities.items()}


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
    return any(map(_call_broke, judgement.replies))


def _call_broke(reply: Reply) -> bool:
    if isinstance(reply, JudgeFailure):
        return reply.reason in ERROR
    if not isinstance(reply, Verdict):
        return False
    return reply.unscored in ERROR or any(f.unscored in ERROR for f in reply.findings)


def check_place(out: Path) -> None:
    """UsageError where `out` is a file, or a directory of something else than an evaluation."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"-o {out}: is a file; name a directory")
    if not out.exists() or (out / at.MANIFEST).exists():
        return
    # a run killed before its manifest stood leaves the half of one
    ours = (at.CACHE, at.MANIFEST + ".part")
    if any(not path.name.startswith(ours) for path in out.iterdir()):
        raise UsageError(
            f"-o {out}: the directory holds other files and no {at.MANIFEST}; name another one"
        )


def _known(out: Path, manifest: Manifest) -> dict[str, Judgement]:
    """What was said under the manifest's judge and settings; other verdicts are never mixed in."""
    return {
        query_id: judgement
        for query_id, judgement in at.read_judgements(out / at.VERDICTS).items()
        if judgement.asked_with == manifest.asked_with
    }


def _counted(samples: Iterable[Flagged], known: Mapping[str, Judgement]) -> Counted:
    """The samples beside what was judged."""
    counted, left = Counted(), set(known)
    for sample, _ in samples:
        judgement = known.get(sample.query_id)
        left.discard(sample.query_id)
        if judgement is None:
            counted.new += 1
        elif judgement.sample_hash == sample_hash(sample):
            counted.same += 1
        else:
            counted.changed += 1
    counted.gone = len(left)
    return counted


def _prepare(out: Path, manifest: Manifest, *, fresh: bool) -> None:
    """Makes the directory ready: the manifest, and a resume log that ends with a whole line."""
    out.mkdir(parents=True, exist_ok=True)
    if fresh:
        for name in (
            at.VERDICTS,
            at.RESULTS,
            at.SCORES,
            at.QUERIES,
            at.SAMPLES,
            at.REPORT,
            at.PAGE,
            at.SPENT,
            at.EXTERNAL,
            at.EXTERNAL_FACTS,
            at.LADDER,
            at.LADDER_FACTS,
        ):
            (out / name).unlink(missing_ok=True)
    for left in out.glob("*.part"):  # of a run that was killed
        left.unlink()
    at.write_atomically(out / at.MANIFEST, manifest.to_json())
    at.cut_torn_line(out / at.VERDICTS)
    at.cut_torn_line(out / at.EXTERNAL)
    at.cut_torn_line(out / at.LADDER)
