"""One sample with all that its scores and diagnosis may read, worked out once for all layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

from ragdiag.records import (
    Basis,
    Claim,
    Claims,
    Components,
    Corpus,
    Finding,
    JudgeFailure,
    Passage,
    Reply,
    Sample,
    Score,
    Settings,
    Target,
    Verdict,
)
from ragdiag.text.abstention import abstains
from ragdiag.text.asking import target_of
from ragdiag.text.citations import Citation, strip_markers
from ragdiag.text.page_citations import citations_of

T = TypeVar("T")


@dataclass(frozen=True)
class Metric:
    """A metric of a layer: its name, and how a case is scored by it.

    name       as printed; `compute` may add names below it ("evidence_correctness.period").
    direction  "higher" is better, or "none" (a description, not a quality).
    needs      the checks of the questions whose verdicts it reads ("support", "sufficiency", ...).
    compute    case -> {metric name: Score}; every name that it can give, on every case.
    """

    name: str
    layer: Literal["retrieval", "evidence", "answer"]
    direction: Literal["higher", "none"]
    needs: tuple[str, ...]
    compute: Callable[[Case], dict[str, Score]]


class Case:
    """A sample, the replies of the judges, the settings and the corpus, with shared derived facts.

    Every property is a pure function of these four; nothing here is judged.
    """

    def __init__(
        self,
        sample: Sample,
        *,
        settings: Settings,
        replies: tuple[Reply, ...] = (),
        corpus: Corpus | None = None,
    ) -> None:
        self.sample = sample
        self.settings = settings
        self.corpus = corpus
        self._people = {r.check: r for r in replies if isinstance(r, Verdict) and _human(r)}
        self._replies = {r.check: r for r in replies if not (isinstance(r, Verdict) and _human(r))}
        self._worked_out: dict[str, Any] = {}

    def once(self, key: str, work_out: Callable[[], T]) -> T:
        """What `work_out` gives, worked out at most once a case: layers share what they derive."""
        if key not in self._worked_out:
            self._worked_out[key] = work_out()
        return self._worked_out[key]

    @cached_property
    def passages(self) -> dict[str, Passage]:
        """Every passage of the sample by id, texts filled from its other lists and the corpus."""
        found = self.sample.passages_by_id()
        if self.corpus is not None:
            for passage_id, passage in found.items():
                if passage.text is None:
                    known = self.corpus.passage(passage_id)
                    if known is not None:
                        found[passage_id] = known.model_copy(update={"score": passage.score})
        return found

    def _filled(self, passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
        """Each once, first kept; an id stands for the passage given elsewhere."""
        seen: dict[str, Passage] = {}
        for passage in passages:
            whole = passage if passage.text is not None else self.passages[passage.passage_id]
            seen.setdefault(passage.passage_id, whole)
        return tuple(seen.values())

    @cached_property
    def retrieved(self) -> tuple[Passage, ...] | None:
        """The ranked list, duplicates closed up; None where the sample has none."""
        retrieved = self.sample.retrieved
        return None if retrieved is None else self._filled(retrieved)

    @cached_property
    def stages(self) -> dict[str, tuple[Passage, ...]]:
        """The earlier ranked lists by name (candidates, reranked), duplicates closed up."""
        return {name: self._filled(found) for name, found in self.sample.stages.items()}

    @cached_property
    def context(self) -> tuple[Passage, ...] | None:
        """What the generator saw, in order; all of `retrieved` where not given; None = unknown."""
        context = self.sample.context
        return self.retrieved if context is None else self._filled(context)

    @cached_property
    def target(self) -> Target | None:
        """The identity that is asked for: as given, else as the question states it."""
        return target_of(self.sample)

    @property
    def target_given(self) -> bool:
        """Does the sample itself state the target?"""
        return self.sample.target is not None

    @property
    def context_given(self) -> bool:
        """Does the sample state its context, apart from `retrieved`?"""
        return self.sample.context is not None

    @property
    def answered(self) -> bool:
        """Is there a non-empty answer?"""
        return bool(self.sample.answer and self.sample.answer.strip())

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """One a cited passage: as given by the sample, else parsed from the answer's markers."""
        sample = self.sample
        if not self.answered or sample.answer is None:
            return ()
        return citations_of(sample.answer, sample.citations, self.context or ())

    @cached_property
    def plain_answer(self) -> str:
        """The answer without its citation markers, whose digits are no numbers; "" for none."""
        ids = [passage.passage_id for passage in self.context or ()]
        return strip_markers(self.sample.answer or "", ids)[0]

    @property
    def citations_required(self) -> bool:
        """The sample has `citations`, or a marker was parsed, or the settings require them."""
        return (
            self.sample.citations is not None
            or bool(self.citations)
            or self.settings.require_citations
        )

    @cached_property
    def abstains(self) -> bool | None:
        """Does the answer abstain? People first, then code, then the judge; None = nobody said."""
        if not self.answered or self.sample.answer is None:
            return None
        correctness = self.people("correctness")
        if correctness is not None and correctness.label in ("abstained", "incorrect", "partial"):
            return correctness.label == "abstained"
        by_code = abstains(self.sample.query, self.sample.answer)
        if by_code is not None:
            return by_code
        extracted = self._replies.get("claims")
        return extracted.abstains if isinstance(extracted, Claims) else None

    @property
    def claims(self) -> tuple[Claim, ...] | None:
        """The claims that a judge extracted; None where none was asked or it failed."""
        extracted = self._replies.get("claims")
        return extracted.claims if isinstance(extracted, Claims) else None

    @property
    def components(self) -> tuple[str, ...]:
        """What must be known to answer, where a judge listed it."""
        listed = self._replies.get("components")
        return listed.components if isinstance(listed, Components) else ()

    def people(self, check: str) -> Verdict | None:
        """People's verdict on a check, or None; its `label` (or `overall`) may still be None."""
        return self._people.get(check)

    def verdict(self, check: str) -> Verdict | None:
        """The verdict of a judge that is no person, or None (not asked, or failed: `failure`)."""
        reply = self._replies.get(check)
        return reply if isinstance(reply, Verdict) else None

    def findings(self, check: str) -> dict[str, tuple[Finding, Basis]]:
        """By item_id: people's finding where they gave a label, else the judge's."""
        found: dict[str, tuple[Finding, Basis]] = {}
        judged = self.verdict(check)
        for finding in judged.findings if judged is not None else ():
            found[finding.item_id] = (finding, judged.basis if judged is not None else "judged")
        by_people = self.people(check)
        for finding in by_people.findings if by_people is not None else ():
            if finding.label is not None:
                known = found.get(finding.item_id)
                found[finding.item_id] = (_with_passages(finding, known), "labels")
        return found

    def failure(self, check: str) -> JudgeFailure | None:
        """Why a check has no verdict, where a judge was asked and failed.

        Claims of which none stands in the answer are such a failure, not an answer without claims.
        """
        reply = self._replies.get(check)
        if isinstance(reply, Claims):
            return none_in_answer(reply)
        return reply if isinstance(reply, JudgeFailure) else None


def none_in_answer(reply: Claims) -> JudgeFailure | None:
    """The failure of a judge all of whose claims were discarded; None where any was kept."""
    if reply.claims or not reply.discarded:
        return None
    return JudgeFailure(
        query_id=reply.query_id,
        check="claims",
        reason="claim_not_in_answer",
        detail=f"none of {reply.discarded} claims stands in the answer",
        judge=reply.judge,
        trace=reply.trace,
    )


def _with_passages(finding: Finding, known: tuple[Finding, Basis] | None) -> Finding:
    """People's label, with the passages of a judge who says the same, where people named none."""
    named = finding.passage_id or finding.supporting or finding.joint
    if named or known is None or known[0].label != finding.label:
        return finding
    return known[0]


def _human(verdict: Verdict) -> bool:
    return verdict.basis == "labels"
