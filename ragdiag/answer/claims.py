"""The claims of an answer with their verdicts, after code has had its say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragdiag.answer import outcome
from ragdiag.answer.carrying import carrying_claims
from ragdiag.answer.following import with_following
from ragdiag.answer.grounding import Grounding, ground
from ragdiag.answer.needing import with_needs
from ragdiag.records import (
    Basis,
    CheckSupport,
    Claim,
    ClaimResult,
    ExtractClaims,
    Finding,
)
from ragdiag.text.case import Case
from ragdiag.text.citations import Citation
from ragdiag.text.wording import kinds_of, self_contained


def extraction(case: Case) -> ExtractClaims | None:
    """Asked of every answer; decided where code sees that it abstains as a whole."""
    sample = case.sample
    if not case.answered or sample.answer is None:
        return None
    return ExtractClaims(
        query_id=sample.query_id,
        query=sample.query,
        history=sample.history,
        answer=sample.answer,
        abstains=case.abstains,
        decided=case.abstains is True,
    )


def support_question(case: Case) -> CheckSupport | None:
    """All claims against the context; decided where there is nothing to look up, or no context."""
    sample, context = case.sample, case.context
    if not case.answered or sample.answer is None or context is None:
        return None
    claims = worded(case)
    return CheckSupport(
        query_id=sample.query_id,
        query=sample.query,
        history=sample.history,
        answer=sample.answer,
        claims=claims,
        passages=context,
        decided=not claims or not context or case.abstains is True,
    )


def worded(case: Case) -> tuple[Claim, ...]:
    """The claims of the answer, each with its self-contained wording where that differs."""
    return case.once("answer.worded", lambda: tuple(_worded(case)))


_BEFORE = 3


def _worded(case: Case) -> Iterator[Claim]:
    sample, claims = case.sample, case.claims or ()
    for at, claim in enumerate(claims):
        before = [other.text for other in claims[max(0, at - _BEFORE) : at]]
        alone = self_contained(
            claim.text, query=sample.query, before=before, history=sample.history
        )
        wording = None if alone == claim.text else alone
        yield claim if wording is None else claim.model_copy(update={"wording": wording})


def claim_results(case: Case) -> tuple[ClaimResult, ...]:
    """One a claim, in the answer's order; () where none was extracted."""
    return case.once("answer.claims", lambda: _claim_results(case))


def _claim_results(case: Case) -> tuple[ClaimResult, ...]:
    claims = worded(case)
    if not claims or case.abstains:
        return ()
    findings = case.findings("support")
    correct = outcome.label(case).label == "correct"
    carrying = carrying_claims(case.sample, claims, correct=correct)
    found = tuple(
        _one(
            case,
            claim,
            findings.get(claim.claim_id),
            carries=claim.claim_id in carrying,
            correct=correct,
        )
        for claim in claims
    )
    following = with_following(case, found, correct=correct)
    return with_needs(case, tuple(_with_citation_label(claim) for claim in following))


def _with_citation_label(claim: ClaimResult) -> ClaimResult:
    label = _citation_label(claim)
    return claim if label is None else claim.model_copy(update={"citation_label": label})


def _one(
    case: Case,
    claim: Claim,
    found: tuple[Finding, Basis] | None,
    *,
    carries: bool,
    correct: bool,
) -> ClaimResult:
    cited = _cited_for(case, claim)
    told = _told(case, found)
    by_people = told["label"] is not None and told.get("basis") == "labels"
    if not by_people and told["label"] != "supported":
        told |= _grounded(ground(case, claim, carries=carries, correct=correct))
    elif not by_people and carries and correct:
        # What code finds by itself weighs more than what a judge says of the same claim.
        told |= _confirmed(told, ground(case, claim, carries=True, correct=True))
    return ClaimResult(
        kinds=kinds_of(claim.text),
        wording=claim.wording,
        claim_id=claim.claim_id,
        text=claim.text,
        start=claim.start,
        end=claim.end,
        carries_answer=carries,
        needs_citation=claim.needs_citation,
        cited=tuple(None if c.dangling else c.passage_id for c in cited),
        **told,
    )


def _told(case: Case, found: tuple[Finding, Basis] | None) -> dict[str, Any]:
    """The fields of a claim's verdict as judged; without any context nothing supports it."""
    finding = None if found is None else found[0]
    label = None if finding is None else finding.label
    told: dict[str, Any] = {"label": label}
    if label is None:
        told["unscored"] = _why_none(case, finding)
    if found is not None:
        told["basis"] = found[1]
        told |= {name: getattr(found[0], name) for name in _KEPT}
    if not case.context and case.context is not None and label is None:
        told |= {"label": "not_found", "unscored": None, "basis": "deterministic"}
    return told


_KEPT = ("score", "quote", "passage_id", "supporting", "joint", "reason")


def _grounded(found: Grounding | None) -> dict[str, Any]:
    """The claim as supported by code: where its value stands, or the expression that gives it."""
    if found is None:
        return {}
    return {
        "label": "supported",
        "unscored": None,
        "basis": "deterministic",
        "quote": found.quote,
        "passage_id": found.passage_ids[0],
        "supporting": found.passage_ids if found.alone else (),
        "joint": () if found.alone else found.passage_ids,
        "reason": found.proof,
    }


def _confirmed(told: dict[str, Any], found: Grounding | None) -> dict[str, Any]:
    """A judge's "supported" that code confirms; the passages of both support it."""
    if found is None:
        return {}
    alone = found.passage_ids if found.alone else ()
    supporting = dict.fromkeys((*told["supporting"], *alone))
    return {"basis": "deterministic", "reason": found.proof, "supporting": tuple(supporting)}


def _cited_for(case: Case, claim: Claim) -> list[Citation]:
    """The citations of the claim's own sentence; one of the whole answer (a closing list of
    sources) speaks for the claims that have none."""
    near = [citation for citation in case.citations if _speaks_for(citation, claim)]
    own = [citation for citation in near if citation.sentence is not None]
    return own or near


def _speaks_for(citation: Citation, claim: Claim) -> bool:
    start, end = citation.span
    return start < claim.end and claim.start < end


def _citation_label(claim: ClaimResult) -> str | None:
    """By the cited passages together: supported | partial | unsupported | None (undecided)."""
    if not claim.cited:
        return None
    cited = {passage_id for passage_id in claim.cited if passage_id is not None}
    if not cited:
        return "unsupported"
    if claim.label is None or not knows_passages(claim):
        return None
    needed = set(claim.joint)
    if cited & set(claim.supporting) or (needed and needed <= cited):
        return "supported" if claim.label == "supported" else claim.label
    if cited & needed:
        return "partial"
    if claim.label == "partial" and claim.passage_id in cited:
        return "partial"
    return "unsupported"


def knows_passages(claim: ClaimResult) -> bool:
    """Is it known which passages bear on the claim? A supported claim may lack them (people)."""
    named = bool(claim.supporting or claim.joint or claim.passage_id)
    return named or claim.label != "supported"


def _why_none(case: Case, finding: Finding | None) -> str:
    failure, verdict = case.failure("support"), case.verdict("support")
    if failure is not None:
        return failure.reason
    for told in (finding, verdict):
        if told is not None and told.unscored is not None:
            return told.unscored
    return "missing_field" if verdict is not None and verdict.findings else "undecided"
