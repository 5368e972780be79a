"""The screen's verdict on support: each claim with its best sentence, and the answer as a whole."""

from __future__ import annotations

from itertools import combinations

from ragdiag.judging.screen.conflict import (
    NEGATED,
    conflict,
    dated_otherwise,
    owned_otherwise,
    unmatched,
)
from ragdiag.judging.screen.features import ClaimRead, Evidence, Support, in_context
from ragdiag.judging.screen.model import Idf, Logistic, ScreenModel
from ragdiag.records import CheckSupport, Claim, Finding, Overall, Verdict
from ragdiag.text.negation import differ
from ragdiag.text.tokens import language

_WORTH_TRYING = 0.5
_TRIED_TOGETHER = 4
_SHOWN = 8
_SAME_ELSE = 0.75  # share of the best sentence's words that are the claim's


def support_verdict(
    question: CheckSupport,
    evidence: Evidence,
    ids: tuple[str, ...],
    *,
    model: ScreenModel,
    idf: Idf,
    complete: bool,
) -> Verdict:
    """Findings of all claims, in order, and `overall`.

    The whole is unfaithful where a number, a period or a company of a claim is contradicted; an
    answer that looks faithful is undecided where a claim has another defect.
    `ids` name the passages of the evidence. Where the evidence is not `complete` (a passage has no
    text), nothing is called not found.
    """
    query = in_context(question.query, question.history)
    reader = _Reader(query, evidence, ids, model["claim"], idf, complete)
    findings = tuple(reader.finding(claim) for claim in question.claims)
    missing = sorted(reader.missing)
    reason = None
    if missing:
        reason = "numbers that stand nowhere in the passages: " + ", ".join(missing[:_SHOWN])
    overall = _overall(question.answer, reader.support, model["answer"])
    if overall is not None and overall.label == "unfaithful" and not complete:
        overall = Overall(label=None, score=overall.score)
    if overall is not None and reader.n_contradicted:
        overall = Overall(label="unfaithful", score=overall.score)
    if overall is not None and overall.label == "faithful" and reader.n_faulty:
        overall = Overall(label=None, score=overall.score)
    return Verdict(
        query_id=question.query_id,
        check=question.check,
        findings=findings,
        overall=overall,
        reason=reason,
    )


def _overall(answer: str, support: Support, model: Logistic) -> Overall | None:
    """Of the whole answer: None where it has no words."""
    features = support.answer(answer)
    if features is None:
        return None
    if not support.evidence.readings:
        return Overall(label="unfaithful", score=0.0)
    score = model.probability(features)
    decided = model.decide(score)
    label = None if decided is None else "faithful" if decided else "unfaithful"
    return Overall(label=label, score=score)


def support_label(
    read: ClaimRead, score: float, model: Logistic, idf: Idf, evidence: Evidence
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Label (None = undecided), the conflict seen, and the numbers that stand nowhere.

    A claim with a number that stands nowhere, or of another period or company than what holds
    it, is never supported; one without content words ("Yes.") is undecided.
    """
    if not read.span.bag:
        return None, None, ()
    clash = conflict(read, idf)
    missing = unmatched(read)
    if clash is not None:
        return "contradicted", clash, missing
    decided = model.decide(score)
    dated = dated_otherwise(read, evidence, idf) or owned_otherwise(read, evidence, idf)
    if dated is not None and (dated[1] or decided is not False):
        return ("contradicted" if dated[1] else None), dated[0], missing
    if decided is True and not missing and _negated_alone(read):
        # The word on the whole was fitted on English answers, with their negations.
        fitted = language(read.span.text) == "en"
        return None, None if fitted else "a negation on one side only", missing
    if decided is True:
        return (None if missing else "supported"), None, missing
    return ("not_found" if decided is False else None), None, missing


def _negated_alone(read: ClaimRead) -> bool:
    """Does the claim negate where none of its best sentences does, or the other way round, though
    they say the same else?"""
    claim = read.span.text
    if not read.best or read.features["best_precision"] < _SAME_ELSE:
        return False
    return all(differ(claim, hit.sentence.text) for hit in read.best)


class _Reader:
    """Reads the claims of one question, and which passages carry each."""

    def __init__(
        self,
        query: str,
        evidence: Evidence,
        ids: tuple[str, ...],
        model: Logistic,
        idf: Idf,
        complete: bool,
    ) -> None:
        self.support = Support(evidence, query, idf)
        self.missing: set[str] = set()
        self.n_faulty = 0  # claims with a number or a period amiss, or a negation flipped
        self.n_contradicted = 0  # of these, by a number or a period
        self._query = query
        self._ids = ids
        self._model = model
        self._idf = idf
        self._complete = complete
        self._parts: dict[tuple[int, ...], Support] = {}

    def finding(self, claim: Claim) -> Finding:
        """The verdict on one claim."""
        if not self._ids:
            label = "not_found" if self._complete else None
            return Finding(
                item_id=claim.claim_id,
                label=label,
                unscored=None if label else "undecided",
                score=0.0,
                reason="no passages" if self._complete else "no passage has a text",
            )
        # In its own words: a name put in for its pronoun is shared with passages that say nothing
        # of the rest (of 33 such claims in three labelled sets it undid four verdicts, made none).
        read = self.support.claim(claim.text)
        score = self._model.probability(read.features)
        label, clash, missing = support_label(
            read, score, self._model, self._idf, self.support.evidence
        )
        self.missing.update(missing)
        if missing or clash is not None:
            self.n_faulty += 1
        if label == "contradicted" and clash is not None and not clash.startswith(NEGATED):
            self.n_contradicted += 1
        if label == "not_found" and not self._complete:
            label = None
        supporting, joint = self._carriers(claim, read) if label == "supported" else ((), ())
        best = read.best[0] if read.best else None
        return Finding(
            item_id=claim.claim_id,
            label=label,
            unscored=None if label else "undecided",
            score=score,
            reason=_reason(read, clash, missing),
            quote=best.sentence.text if best else None,
            passage_id=self._ids[best.passage] if best else None,
            supporting=supporting,
            joint=joint,
        )

    def _carriers(self, claim: Claim, read: ClaimRead) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Every passage that alone reaches the threshold; else the fewest that do together."""
        readings = self.support.evidence.readings
        if len(readings) == 1:
            return self._ids, ()
        held = read.shares
        worth = [i for i, share in enumerate(held) if share >= _WORTH_TRYING]
        alone = tuple(i for i in worth if self._reaches(claim, (i,)))
        if alone:
            return tuple(self._ids[i] for i in alone), ()
        ranked = sorted(range(len(held)), key=lambda i: (-held[i], i))[:_TRIED_TOGETHER]
        for pair in combinations(ranked, 2):
            if self._reaches(claim, tuple(sorted(pair))):
                return (), tuple(self._ids[i] for i in sorted(pair))
        together = sorted({hit.passage for hit in read.best})
        return (), tuple(self._ids[i] for i in together)

    def _reaches(self, claim: Claim, passages: tuple[int, ...]) -> bool:
        part = self._parts.get(passages)
        if part is None:
            readings = [self.support.evidence.readings[i] for i in passages]
            part = self._parts[passages] = self.support.part(Evidence(readings), self._query)
        read = part.claim(claim.text)
        return self._model.probability(read.features) >= self._model.high


def _reason(read: ClaimRead, clash: str | None, missing: tuple[str, ...]) -> str:
    found = read.features
    text = (
        f"{found['recall']:.0%} of its words by weight stand in the passages, "
        f"{found['recall_three']:.0%} in the best sentences"
    )
    if missing:
        text += "; numbers that stand nowhere: " + ", ".join(missing[:_SHOWN])
    return f"{clash}; {text}" if clash else text
