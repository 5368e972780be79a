"""Is every conclusion of the answer supported by the context?"""

from __future__ import annotations

from ragdiag.answer import outcome
from ragdiag.answer.claims import claim_results
from ragdiag.answer.needing import is_silent
from ragdiag.records import ClaimResult, LabelResult, Score, missing, scored
from ragdiag.text.case import Case, Metric


def label(case: Case) -> LabelResult:
    """faithful | unfaithful | None.

    An answer that abstains is faithful. People's label first; then the claims where code and judge
    leave none open and all that state something are supported; then the judge's word on the whole
    answer, where it gives one; else faithful iff every claim is supported (undecided if any is
    undecided and none fails).
    """
    by_people = case.people("support")
    if by_people is not None and by_people.overall and by_people.overall.label is not None:
        return LabelResult(label=by_people.overall.label, basis="labels", judge=by_people.judge)
    if not case.answered:
        return LabelResult(label=None, basis="deterministic", reason="no_answer")
    if case.abstains:
        return LabelResult(label="faithful", basis="deterministic", judge="code")
    verdict = case.verdict("support")
    overall = verdict.overall if verdict is not None else None
    claims = claim_results(case)
    score = overall.score if overall is not None else None
    judge = verdict.judge if verdict is not None else ""
    basis = "judged" if any(c.basis == "judged" for c in claims) else "deterministic"
    told = [claim.label for claim in stating(claims)]
    if told and all(one == "supported" for one in told):
        return LabelResult(label="faithful", score=score, basis=basis, judge=judge)
    if overall is not None and case.context:
        return LabelResult(label=overall.label, score=score, basis="judged", judge=judge)
    if any(one not in (None, "supported") for one in told):
        return LabelResult(label="unfaithful", score=score, basis=basis, judge=judge)
    failed = case.failure("claims") or case.failure("support")
    reason = None if failed is None else failed.reason
    return LabelResult(label=None, score=score, judge=judge, reason=reason)


def stating(claims: tuple[ClaimResult, ...]) -> tuple[ClaimResult, ...]:
    """Without the claims that state nothing of the matter ("There are two reasons:"); where there
    are no others, all of them."""
    return tuple(claim for claim in claims if not is_silent(claim)) or claims


def _scores(case: Case) -> dict[str, Score]:
    """Supported claims / claims that are decided (0-1); partial counts 0, and what states nothing
    (`stating`) does not count.

    People's label of the whole answer sets the score: faithful 1, unfaithful 0. Abstention:
    abstained; no claims: no_claims; unscored where under half are decided.
    """
    return {"faithfulness": _score(case)}


def _score(case: Case) -> Score:
    reason = outcome.unanswered(case)
    if reason is not None:
        return missing(reason)
    if case.context is None:
        return missing("no_context")
    if case.abstains:
        return missing("abstained")
    by_people = case.people("support")
    if by_people is not None and by_people.overall and by_people.overall.label is not None:
        return scored(float(by_people.overall.label == "faithful"))
    extraction = case.failure("claims")
    if extraction is not None:
        return missing(extraction.reason)
    claims = claim_results(case)
    if not claims:
        return missing("no_claims" if case.claims is not None else "undecided")
    claims = stating(claims)
    decided = [claim.label for claim in claims if claim.label is not None]
    if 2 * len(decided) < len(claims) or not decided:
        return missing(next((c.unscored for c in claims if c.unscored), None) or "undecided")
    return scored(decided.count("supported") / len(decided))


METRICS = (Metric("faithfulness", "answer", "higher", ("claims", "support"), _scores),)
