"""One sample through the three layers: questions to the judges, then scores, labels, diagnosis.

`judge_sample` is the only place that asks; `score_sample` is a pure function of what was said.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragdiag.answer import layer as answer
from ragdiag.answer.citing import citation_results
from ragdiag.answer.claims import claim_results
from ragdiag.answer.outcome import parts
from ragdiag.diagnosis.diagnose import diagnose
from ragdiag.evidence import layer as evidence
from ragdiag.evidence.provenance import gold_traces, traces
from ragdiag.evidence.sufficiency import components
from ragdiag.judging.protocol import Judge
from ragdiag.judging.specs import Judges
from ragdiag.records import (
    OPEN,
    UNSCORED,
    CheckSupport,
    Claims,
    Corpus,
    Diagnosis,
    JudgeFailure,
    Judgement,
    Question,
    Reply,
    Sample,
    SampleResult,
    Score,
    Settings,
    Unusable,
    Usage,
    Verdict,
    missing,
)
from ragdiag.retrieval.scores import METRICS as RETRIEVAL_METRICS
from ragdiag.retrieval.scores import reached, zero_recall
from ragdiag.text.case import Case, Metric, none_in_answer
from ragdiag.text.clusters import cluster_of
from ragdiag.text.slices import derived_slices
from ragdiag.text.twins import repeated

SUSPECTED, DANGLING = "injection_suspected", "dangling_citation"
METRICS: tuple[Metric, ...] = (*RETRIEVAL_METRICS, *evidence.METRICS, *answer.METRICS)


@dataclass(frozen=True)
class Asked:
    """Which metrics are asked for, and with them which questions.

    `metrics` None asks for all. A name asks for itself and what lies below it: "precision" for
    "precision@5" too.
    """

    metrics: tuple[str, ...] | None = None

    def chosen(self) -> tuple[Metric, ...]:
        """The metrics to compute."""
        if self.metrics is None:
            return METRICS
        return tuple(m for m in METRICS if any(_names(m.name, name) for name in self.metrics))

    def needs(self) -> frozenset[str]:
        """The checks whose questions are put to a judge."""
        return frozenset(need for metric in self.chosen() for need in metric.needs)


def _names(metric: str, asked: str) -> bool:
    family = metric.partition("@")[0].rpartition(":")[2]
    return asked in (metric, family, metric.partition("@")[0])


def known_metrics() -> tuple[str, ...]:
    """Every name that `--metrics` takes."""
    return tuple(dict.fromkeys(metric.name for metric in METRICS))


def metric_kinds(settings: Settings) -> dict[str, tuple[str, str]]:
    """(layer, direction) of every metric that these settings ask for, by name."""
    return {m.name: (m.layer, m.direction) for m in Asked(settings.metrics).chosen()}


def sample_hash(sample: Sample) -> str:
    """Hash of all that a judge can see of a sample; the resume log is keyed by it."""
    seen = sample.model_dump_json(exclude={"metadata"})
    return hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()[:16]


async def judge_sample(
    sample: Sample,
    judges: Judges,
    *,
    settings: Settings,
    corpus: Corpus | None = None,
) -> Judgement:
    """Puts the questions of one sample to the judges: first the claims, then all else.

    People answer first, whatever code decides; the other judges only what neither settled.
    """
    needs = Asked(settings.metrics).needs()
    replies: list[Reply] = []
    usages: list[Usage] = []
    if sample.error is None:
        case = Case(sample, settings=settings, corpus=corpus)
        await _ask(_wanted(answer.first_questions(case), needs), judges, replies, usages)
        case = Case(sample, settings=settings, corpus=corpus, replies=tuple(replies))
        rest = (*answer.questions(case), *evidence.questions(case))
        await _ask(_wanted(rest, needs), judges, replies, usages)
    return Judgement(
        query_id=sample.query_id,
        sample_hash=sample_hash(sample),
        replies=tuple(replies),
        usage=sum(usages, Usage()),
    )


def _wanted(questions: Iterable[Question], needs: frozenset[str]) -> tuple[Question, ...]:
    return tuple(question for question in questions if question.check in needs)


async def _ask(
    questions: tuple[Question, ...], judges: Judges, replies: list[Reply], usages: list[Usage]
) -> None:
    open_questions = questions
    if judges.people is not None and questions:
        told = await judges.people.ask(questions)
        by_people = list(zip(questions, told.replies, strict=True))
        replies.extend(reply for question, reply in by_people if judges.people.covers(question))
        open_questions = tuple(q for q, reply in by_people if not _settled(q, reply))
    await _ask_machine(
        tuple(q for q in open_questions if not q.decided), judges.machine, replies, usages
    )


def _settled(question: Question, reply: Reply) -> bool:
    """Did people say all that the question asks? A word on the whole answer leaves its claims."""
    if not isinstance(reply, Verdict):
        return False
    if isinstance(question, CheckSupport):
        told = {finding.item_id for finding in reply.findings if finding.label is not None}
        return bool(told) and told >= {claim.claim_id for claim in question.claims}
    return reply.label is not None


async def _ask_machine(
    questions: tuple[Question, ...],
    machine: Judge | None,
    replies: list[Reply],
    usages: list[Usage],
) -> None:
    if machine is None or not questions:
        return
    told = await machine.ask(questions)
    replies.extend(told.replies)
    usages.append(told.usage)


def score_sample(
    sample: Sample,
    judgement: Judgement,
    *,
    settings: Settings,
    corpus: Corpus | None = None,
    flags: tuple[str, ...] = (),
) -> SampleResult:
    """Scores, labels, claims and diagnosis: a pure function of the sample and the verdicts."""
    case = Case(sample, settings=settings, corpus=corpus, replies=judgement.replies)
    scores = _scores(case)
    labels = {**evidence.labels(case), **answer.labels(case)}
    claims = claim_results(case)
    suspicions = _suspicions(judgement.replies)
    slices = derived_slices(sample)
    if suspicions:
        flags = tuple(dict.fromkeys((*flags, SUSPECTED)))
    if any(citation.status == "dangling" for citation in citation_results(case)):
        flags = tuple(dict.fromkeys((*flags, DANGLING)))
    return SampleResult(
        query_id=sample.query_id,
        scores=scores,
        labels=labels,
        components=components(case),
        parts=parts(case),
        claims=claims,
        citations=citation_results(case),
        diagnosis=diagnose(case, labels=labels, claims=claims, scores=scores),
        latency_ms=sample.latency_ms,
        cost=judgement.usage,
        slices=slices,
        flags=flags,
        reached=reached(case),
        zero_recall=zero_recall(case),
        near_duplicates=repeated(case),
        n_discarded_claims=sum(r.discarded for r in judgement.replies if isinstance(r, Claims)),
        unusable=tuple(_unusable(judgement.replies)),
        suspicions=suspicions,
        provenance=traces(case) if "provenance" in scores else (),
        gold_provenance=gold_traces(case) if "provenance" in scores else (),
        cluster=cluster_of(sample, slices, settings.cluster),
    )


_RAW = 200


def _unusable(replies: Iterable[Reply]) -> Iterator[Unusable]:
    """The replies that yield nothing by their form; one that says "undecided" is none of them."""
    for reply in replies:
        told = none_in_answer(reply) if isinstance(reply, Claims) else reply
        if isinstance(told, JudgeFailure) and told.reason in UNSCORED - OPEN:
            raw = None if told.raw is None else " ".join(told.raw[: 4 * _RAW].split())[:_RAW]
            detail = told.detail.removeprefix(told.reason).removeprefix(": ")[:_RAW]
            found = {"check": told.check, "reason": told.reason, "detail": detail}
            yield Unusable.model_validate({**found, "raw": raw})
        elif isinstance(told, Verdict) and told.unscored in UNSCORED - OPEN:
            found = {"check": told.check, "reason": told.unscored}
            yield Unusable.model_validate({**found, "detail": (told.reason or "")[:_RAW]})


def _suspicions(replies: Iterable[Reply]) -> dict[str, str]:
    """By check: where text talks to the judge, so that people must look at it."""
    found: dict[str, str] = {}
    for reply in replies:
        if isinstance(reply, JudgeFailure) and reply.reason == SUSPECTED:
            found[reply.check] = reply.detail
        elif isinstance(reply, Verdict) and reply.unscored == SUSPECTED:
            found[reply.check] = reply.reason or ""
        elif isinstance(reply, Verdict):
            told = (one.reason or "" for one in reply.findings if one.unscored == SUSPECTED)
            found.update((reply.check, why) for why in list(told)[:1])
    return found


def _scores(case: Case) -> dict[str, Score]:
    found: dict[str, Score] = {}
    for metric in Asked(case.settings.metrics).chosen():
        found.update(metric.compute(case))
    if case.sample.error is not None:
        return dict.fromkeys(found, missing("pipeline_error"))
    return found


def broken_judgement(sample: Sample, fault: Exception) -> Judgement:
    """What stands in the resume log for a sample on which ragdiag itself failed: asked again."""
    failure = JudgeFailure(
        query_id=sample.query_id, check="all", reason="bad_record", detail=repr(fault)[:500]
    )
    return Judgement(query_id=sample.query_id, sample_hash=sample_hash(sample), replies=(failure,))


def broken_result(
    sample: Sample, settings: Settings, *, flags: tuple[str, ...] = ()
) -> SampleResult:
    """The result of a sample on which ragdiag itself failed: every score an error, no code."""
    failed = sample.model_copy(update={"error": "bad_record"})
    nothing = Judgement(query_id=sample.query_id, sample_hash="")
    scores = dict.fromkeys(
        score_sample(failed, nothing, settings=settings).scores, missing("bad_record")
    )
    return SampleResult(
        query_id=sample.query_id,
        scores=scores,
        diagnosis=Diagnosis(code=None, status_reason="bad_record"),
        latency_ms=sample.latency_ms,
        slices=sample.slices,
        flags=(*flags, "internal_error"),
        cluster=cluster_of(sample, sample.slices, settings.cluster),
    )
