"""Puts the rungs of a ladder to a user's generator, for the queries of an evaluation directory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Protocol

from ragdiag.data.labels import read_labels
from ragdiag.diagnosis.rung_results import rung_sample
from ragdiag.diagnosis.rungs import rungs_of
from ragdiag.errors import IncompleteError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.files import Options, spent_before
from ragdiag.evaluation.ladder_choice import Climb, Climbed, chosen
from ragdiag.evaluation.ladder_log import (
    LadderLog,
    given_hash,
    ladder_line,
    read_ladder,
    write_facts,
)
from ragdiag.evaluation.manifest import manifest_of
from ragdiag.executors import in_order
from ragdiag.judging.specs import Judges, parse_spec
from ragdiag.pipeline import judge_sample, sample_hash
from ragdiag.records import (
    ERROR,
    Corpus,
    JudgeFailure,
    LadderRecord,
    Passage,
    Rung,
    Said,
    Sample,
    SampleResult,
    Settings,
)
from ragdiag.text.case import Case

_HOPELESS = 20
"""So many failures before the first answer: the generator is broken, not its queries."""
_ALONE = ("answer_correctness",)


class Generator(Protocol):
    """What answers from given passages."""

    @property
    def name(self) -> str:
        """As it stands in the records."""
        ...

    @property
    def source_hash(self) -> str | None:
        """Of the file that defines it; None where that is not known."""
        ...

    @property
    def at_once(self) -> int:
        """Queries at once that it bears."""
        ...

    async def ask(
        self, sample: Sample, passages: tuple[Passage, ...], *, timeout: float | None
    ) -> Said:
        """Its answer, or its error; never raises for one query's sake."""
        ...


@dataclass
class _Work:
    """All that one query's rungs need."""

    generator: Generator
    climb: Climb
    judges: Judges
    settings: Settings
    corpus: Corpus | None
    log: LadderLog
    asked_with: str = ""
    tally: Climbed = field(default_factory=Climbed)
    file: IO[bytes] | None = None
    on_said: Callable[[LadderRecord], object] | None = None

    def case(self, sample: Sample) -> Case:
        """For the rungs alone: no verdicts."""
        return Case(sample, settings=self.settings, corpus=self.corpus)

    def plan(self, sample: Sample) -> Iterator[tuple[Rung, LadderRecord, LadderRecord | None]]:
        """Each rung (and repeat) as a record without an answer, and what is known of it."""
        known = {
            (one.rung, one.repeat, one.given): one
            for one in self.log.of(sample, self.generator.name, self.generator.source_hash)
        }
        seen = sample_hash(sample)
        for rung in rungs_of(self.case(sample)):
            asked = rung.passages is not None and rung.same_as is None
            for repeat in range(1, self.climb.repeats + 1 if asked else 2):
                record = LadderRecord(
                    query_id=sample.query_id,
                    sample_hash=seen,
                    given=given_hash(sample, rung.passages or ()),
                    generator=self.generator.name,
                    generator_hash=self.generator.source_hash,
                    rung=rung.name,
                    repeat=repeat,
                    passages=tuple(one.passage_id for one in rung.passages or ()),
                    same_as=rung.same_as,
                    not_available=rung.not_available,
                )
                yield rung, record, known.get((rung.name, repeat, record.given))

    def write(self, record: LadderRecord) -> None:
        """Into the log, at once; where there is a file, into that too."""
        if self.file is not None:
            self.file.write(ladder_line(record))
            self.file.flush()
        self.log.add(record)


async def climb_directory(
    directory: Path,
    generator: Generator,
    climb: Climb,
    judges: Judges,
    *,
    corpus: Corpus | None = None,
    on_plan: Callable[[Climbed], object] | None = None,
    on_said: Callable[[LadderRecord], object] | None = None,
) -> Climbed:
    """Asks the generator what is not in the log yet; what stands there costs no call, but for
    errors, which are asked again. Rescoring then puts all into results and report.

    Raises:
        UsageError: another process writes into the directory, or it is none; there is no such
            query, or no ladder for it.
        IncompleteError: the generator failed on each of its first 20 calls.
    """
    manifest = manifest_of(directory)
    with at.sole_writer(directory):
        at.cut_torn_line(directory / at.LADDER)
        log = read_ladder(directory)
        work = _Work(generator, climb, judges, manifest.settings, corpus, log, manifest.asked_with)
        work.on_said = on_said
        ids = chosen(at.read_pairs(directory), climb, work.tally, work.case)
        _count_calls(at.read_samples_copy(directory), work, ids)
        if on_plan is not None:
            on_plan(work.tally)
        if work.tally.n_calls and judges.llms:
            await judges.preflight()
        if climb.only is None or not log.facts:
            write_facts(directory, _facts(work))
        with (directory / at.LADDER).open("ab") as work.file:
            await _climb_all(at.read_samples_copy(directory), work, ids)
    return work.tally


async def climb_in_memory(
    pairs: Sequence[tuple[Sample, SampleResult]],
    generator: Generator,
    climb: Climb,
    judges: Judges,
    *,
    settings: Settings,
    corpus: Corpus | None = None,
) -> list[SampleResult]:
    """The results with their ladders, in order, with nothing written; IncompleteError as above."""
    log = LadderLog(facts={"generator": generator.name, "generator_hash": generator.source_hash})
    work = _Work(generator, climb, judges, settings, corpus, log)
    ids = chosen(pairs, climb, work.tally, work.case)
    await _climb_all((sample for sample, _ in pairs), work, ids)
    return [log.merged(sample, result, settings) for sample, result in pairs]


def counts(log: LadderLog, generator: Generator) -> bool:
    """Do the results of a directory hold what this generator says?"""
    told = (log.facts.get("generator"), log.facts.get("generator_hash"))
    return told == (generator.name, generator.source_hash)


def opened_judges(directory: Path, options: Options) -> Judges:
    """The judges of an evaluation again: by the spec in `options`, else by its manifest's.

    Raises:
        UsageError: they cannot be opened so, or they are not those of the evaluation.
    """
    manifest = manifest_of(directory)
    spec = options.judge or manifest.judge_spec
    spent, _ = spent_before(directory, replace(options, fresh=False))
    judges = parse_spec(
        spec,
        read_labels=read_labels,
        model=options.model,
        base_url=options.base_url,
        settings=options.chat_settings(directory, spent=spent),
    )
    if judges.version != manifest.judge_version:
        raise UsageError(
            f"the judge {judges.name} ({judges.version}) is not the one of {directory}: "
            f"{manifest.judge_name} ({manifest.judge_version}); name that one with --judge"
        )
    return judges


def _facts(work: _Work) -> dict[str, Any]:
    return {
        "generator": work.generator.name,
        "generator_hash": work.generator.source_hash,
        "repeats": work.climb.repeats,
        "n_queries": work.tally.n_queries,
    }


def _count_calls(samples: Iterable[Sample], work: _Work, ids: frozenset[str]) -> None:
    for sample in samples:
        for _, record, known in work.plan(sample) if sample.query_id in ids else ():
            if _is_asked(record):
                work.tally.n_calls += not _stands(known)
                work.tally.n_kept += _stands(known)


def _is_asked(record: LadderRecord) -> bool:
    return record.same_as is None and record.not_available is None


def _stands(known: LadderRecord | None) -> bool:
    """Is there an answer, so that the generator is not asked again?"""
    return known is not None and known.said is not None and known.said.error is None


async def _climb_all(samples: Iterable[Sample], work: _Work, ids: frozenset[str]) -> None:
    async def climb_one(sample: Sample) -> None:
        for rung, record, known in work.plan(sample):
            if not _is_asked(record):
                if known is None or known.model_copy(update={"asked_with": ""}) != record:
                    work.write(record)
                continue
            found = known
            if found is None or not _stands(found):
                said = await work.generator.ask(
                    sample, rung.passages or (), timeout=work.climb.timeout
                )
                found = record.model_copy(update={"said": said})
            judged = await _judged(found, sample, work)
            if judged is not known:
                work.write(judged)
            if known is None or not _stands(known):
                work.tally.note(judged)
                _refuse_hopeless(work.tally)
                if work.on_said is not None:
                    work.on_said(judged)

    at_once = work.climb.concurrency or work.generator.at_once
    wanted = (one for one in samples if one.query_id in ids)
    async for _ in in_order(wanted, climb_one, concurrency=at_once):
        pass


def _refuse_hopeless(tally: Climbed) -> None:
    if not tally.n_kept and tally.n_asked == tally.n_errors == _HOPELESS:
        raise IncompleteError(
            f"the generator failed on each of its first {_HOPELESS} calls; first "
            f"{tally.first_error}. Mend it; the same command asks again"
        )


async def _judged(record: LadderRecord, sample: Sample, work: _Work) -> LadderRecord:
    """The record with what the evaluation's judge says of its answer; the same one where that
    stands already, or where nothing is to be judged."""
    asked_with = work.asked_with
    said = record.said
    if said is None or not (said.answer or "").strip():
        return record
    known = record.asked_with == asked_with != "" and not any(map(_broke, record.replies))
    if known:
        return record
    alone = work.settings.model_copy(update={"metrics": _ALONE})
    asked = rung_sample(sample, record, (said.answer or "").strip())
    found = await judge_sample(asked, work.judges, settings=alone)
    told = {"replies": found.replies, "asked_with": asked_with}
    return record.model_copy(update={**told, "usage": record.usage + found.usage})


def _broke(reply: object) -> bool:
    return isinstance(reply, JudgeFailure) and reply.reason in ERROR


def refuse_errors(tally: Climbed, most: float) -> None:
    """IncompleteError where more than this share of the calls failed."""
    total = tally.n_asked + tally.n_kept
    if total and tally.n_errors / total > most:
        raise IncompleteError(
            f"{tally.n_errors} of {total} calls of the generator failed (over --max-errors "
            f"{most:g}); first {tally.first_error}. They stand in {at.LADDER} with their error; "
            "the same command asks them again"
        )
