"""Which claims of an answer carry it: the ones that say what the question asks for."""

from __future__ import annotations

from ragdiag.answer.correctness import decide
from ragdiag.answer.worked import amounts_of
from ragdiag.records import Claim, Sample
from ragdiag.text.numbers import Quantity, compare_quantities
from ragdiag.text.tokens import content_stems

_YES_NO = frozenset(("yes", "no"))


def carrying_claims(sample: Sample, claims: tuple[Claim, ...], *, correct: bool) -> frozenset[str]:
    """Ids of the carrying claims; at least one where there are claims.

    The claims that state an amount of the reference that is not the question's; else, in a
    `correct` answer, those that are correct on their own by code and say more than yes or no; else,
    where the reference states an amount, the claim with an amount that shares most words with the
    question; else the claim that shares most words with what the reference adds to the question,
    the earlier one on a tie.
    """
    if len(claims) < 2:  # nothing to choose
        return frozenset(claim.claim_id for claim in claims)
    references = list(sample.reference)
    asking = amounts_of(sample.query)
    amounts = [
        amount
        for reference in references
        for amount in amounts_of(reference)
        if not _is_among(amount, asking)
    ]
    stating = [claim for claim in claims if _states(claim.text, amounts)]
    if stating:
        return frozenset(claim.claim_id for claim in stating)
    asked = set(content_stems(sample.query))
    added = set(content_stems(" ".join(references))) - asked - _YES_NO
    if references and correct:
        telling = [c for c in claims if not added or added & set(content_stems(c.text))]
        alone = [c for c in telling if decide(sample.query, references, c.text) == "correct"]
        if alone:
            return frozenset(claim.claim_id for claim in alone)
    candidates = claims
    if amounts:
        candidates = tuple(claim for claim in claims if amounts_of(claim.text)) or claims
        added = asked
    best = max(candidates, key=lambda claim: _shared(claim, added, asked))
    return frozenset((best.claim_id,))


def _states(text: str, wanted: list[Quantity]) -> bool:
    stated = amounts_of(text) if wanted else []
    return any(_is_among(one, stated) for one in wanted)


def _is_among(one: Quantity, others: list[Quantity]) -> bool:
    return any(compare_quantities(one, other).relation == "equal" for other in others)


def _shared(claim: Claim, first: set[str], then: set[str]) -> tuple[int, int]:
    stems = set(content_stems(claim.text))
    return len(first & stems), len(then & stems)
