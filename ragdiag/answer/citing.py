"""Does each citation support its claim, and does each claim that needs one have one?"""

from __future__ import annotations

from collections.abc import Sequence

from ragdiag.answer import outcome
from ragdiag.answer.claims import claim_results, knows_passages
from ragdiag.records import (
    CitationResult,
    ClaimResult,
    LabelResult,
    Score,
    missing,
    scored,
)
from ragdiag.records.result import CitationStatus
from ragdiag.text.case import Case, Metric
from ragdiag.text.citations import Citation

_VALUES = {"supported": 1.0, "partial": 0.5, "unsupported": 0.0}


def label(case: Case) -> LabelResult:
    """supported iff every cited claim is, by its cited passages together; unsupported iff any is;
    else partial; None where undecided or nothing is cited. People's label first."""
    by_people = case.people("support")
    if by_people is not None and by_people.citation_support is not None:
        return LabelResult(label=by_people.citation_support, basis="labels", judge=by_people.judge)
    verdict = case.verdict("support")
    cited = [claim for claim in claim_results(case) if claim.cited]
    judge = verdict.judge if verdict is not None else ""
    score = min((c.score for c in cited if c.score is not None), default=None)
    told = [claim.citation_label for claim in cited]
    dangling = any(c.dangling for c in case.citations)
    if "unsupported" in told or (dangling and not cited):
        return LabelResult(label="unsupported", score=score, judge=judge)
    if not told or None in told:
        failed = case.failure("claims") or case.failure("support") if case.citations else None
        reason = None if failed is None else failed.reason
        return LabelResult(label=None, score=score, judge=judge, reason=reason)
    every = all(one == "supported" for one in told)
    return LabelResult(label="supported" if every else "partial", score=score, judge=judge)


def citation_results(case: Case) -> tuple[CitationResult, ...]:
    """Every citation of the answer in order, with whether it is right; () without any."""
    return case.once("answer.citations", lambda: _citation_results(case))


def _citation_results(case: Case) -> tuple[CitationResult, ...]:
    claims = claim_results(case)
    alce = case.settings.citation_rule == "alce"
    return tuple(
        CitationResult(
            marker=citation.marker,
            start=citation.start,
            end=citation.end,
            passage_id=citation.passage_id,
            status=_status(citation, claims, alce=alce),
            whole=citation.sentence is None,
        )
        for citation in case.citations
    )


def _status(
    citation: Citation, claims: Sequence[ClaimResult], *, alce: bool = False
) -> CitationStatus:
    """right where it supports a claim that it speaks for, alone or as a needed part (also one of
    several citations that only together support it in part).

    By ALCE it is irrelevant where it does not support any such claim alone and the others cited
    for it do. What ALCE counts as wrong besides stays right: a citation is not to blame that the
    rest of a joint support is not cited, nor that its claim is supported in part only.
    """
    passage_id = citation.passage_id
    if citation.dangling or passage_id is None:
        return "dangling"
    start, end = citation.span
    near = [claim for claim in claims if claim.start < end and start < claim.end]
    bearing = [c for c in near if passage_id in (*c.supporting, *c.joint)]
    bearing += [c for c in near if c.label == "partial" and c.passage_id == passage_id]
    if bearing:
        spared = alce and all(_others_suffice(claim, passage_id) for claim in bearing)
        return "irrelevant" if spared else "right"
    open_ones = [claim for claim in near if claim.label is None or not knows_passages(claim)]
    return "undecided" if open_ones or not near else "wrong"


def _others_suffice(claim: ClaimResult, passage_id: str) -> bool:
    """Does it not support the claim alone, while another cited passage does?"""
    if passage_id in claim.supporting:
        return False
    others = {cited for cited in claim.cited if cited not in (None, passage_id)}
    return claim.label == "supported" and bool(others & set(claim.supporting))


def _inapplicable(case: Case) -> str | None:
    reason = outcome.unanswered(case)
    if reason is None and case.abstains:
        return "abstained"
    return "no_citations" if reason is None and not case.citations_required else reason


def _correctness_scores(case: Case) -> dict[str, Score]:
    """Citations that support their claim / citations, 0-1; dangling count 0.

    By `citation_rule` alce an irrelevant one counts 0 too. People's label of the sample sets the
    score: supported 1, partial 0.5, unsupported 0. None
    given: no_citations. Source: ALCE (Gao et al. 2023), per claim.
    """
    reason = _inapplicable(case)
    return {"citation_correctness": missing(reason) if reason else _correctness(case)}


def _completeness_scores(case: Case) -> dict[str, Score]:
    """Claims that need a citation and have one / claims that need one, 0-1.

    Which need one: `ragdiag.answer.needing`.

    Not required: no_citations; no claim that needs one: no_claims.
    """
    reason = _inapplicable(case)
    return {"citation_completeness": missing(reason) if reason else _completeness(case)}


def _correctness(case: Case) -> Score:
    if not case.citations:
        return missing("no_citations")
    by_people = case.people("support")
    if by_people is not None and by_people.citation_support is not None:
        return scored(_VALUES[by_people.citation_support])
    claims = claim_results(case)
    if not claims and not all(c.dangling for c in case.citations):
        failed = case.failure("claims") or case.failure("support")
        if failed is not None:
            return missing(failed.reason)
        return missing("no_context" if case.context is None else "no_claims")
    told = [one.status for one in citation_results(case)]
    decided = [status for status in told if status != "undecided"]
    if 2 * len(decided) < len(told) or not decided:
        return missing(next((c.unscored for c in claims if c.unscored), None) or "undecided")
    return scored(decided.count("right") / len(decided))


def _completeness(case: Case) -> Score:
    extraction = case.failure("claims")
    if extraction is not None:
        return missing(extraction.reason)
    if case.claims is None:
        return missing("undecided")
    need = [claim for claim in claim_results(case) if claim.needs_citation]
    if not need:
        return missing("no_claims")
    return scored(sum(bool(claim.cited) for claim in need) / len(need))


METRICS = (
    Metric("citation_correctness", "answer", "higher", ("claims", "support"), _correctness_scores),
    Metric("citation_completeness", "answer", "higher", ("claims",), _completeness_scores),
)
