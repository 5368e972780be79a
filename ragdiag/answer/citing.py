"""Does each citation support its claim, and does each claim that needs one have one?"""

from __future__ import annotations

from ragdiag.answer import outcome
from ragdiag.answer.claims import claim_results, knows_passages
from ragdiag.records import ClaimResult, LabelResult, Score, missing, scored
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


def supports(citation: Citation, claims: tuple[ClaimResult, ...]) -> bool | None:
    """Does the citation support a claim that it speaks for, alone or as a needed part?

    Dangling: False. None where no such claim is decided for the cited passage.
    """
    if citation.dangling or citation.passage_id is None:
        return False
    start, end = citation.span
    near = [claim for claim in claims if claim.start < end and start < claim.end]
    if any(citation.passage_id in (*claim.supporting, *claim.joint) for claim in near):
        return True
    open_ones = [claim for claim in near if claim.label is None or not knows_passages(claim)]
    return None if open_ones or not near else False


def _inapplicable(case: Case) -> str | None:
    reason = outcome.unanswered(case)
    if reason is None and case.abstains:
        return "abstained"
    return "no_citations" if reason is None and not case.citations_required else reason


def _correctness_scores(case: Case) -> dict[str, Score]:
    """Citations that support their claim / citations, 0-1; dangling count 0.

    People's label of the sample sets the score: supported 1, partial 0.5, unsupported 0. None
    given: no_citations. Source: ALCE (Gao et al. 2023), per claim.
    """
    reason = _inapplicable(case)
    return {"citation_correctness": missing(reason) if reason else _correctness(case)}


def _completeness_scores(case: Case) -> dict[str, Score]:
    """Claims that need a citation and have one / claims that need one, 0-1.

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
    told = [supports(citation, claims) for citation in case.citations]
    decided = [one for one in told if one is not None]
    if 2 * len(decided) < len(told) or not decided:
        return missing(next((c.unscored for c in claims if c.unscored), None) or "undecided")
    return scored(sum(decided) / len(decided))


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
