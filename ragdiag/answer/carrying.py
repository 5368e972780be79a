"""Which claims of an answer carry it: the ones that say what the question asks for."""

from __future__ import annotations

from ragdiag.answer.correctness import decide
from ragdiag.records import Claim, Sample
from ragdiag.text.numbers import parse
from ragdiag.text.tokens import content_stems

_AMOUNTS = ("number", "money", "percent", "multiple", "count", "percentage_point", "basis_point")


def carrying_claims(sample: Sample, claims: tuple[Claim, ...]) -> frozenset[str]:
    """Ids of the carrying claims; at least one where there are claims.

    The claims that are correct on their own by code; else, where the reference states an amount,
    the claim with an amount that shares most words with the question; else the claim that shares
    most words with question and reference, the earlier one on a tie.
    """
    if len(claims) < 2:  # nothing to choose
        return frozenset(claim.claim_id for claim in claims)
    references = list(sample.reference)
    if references:
        alone = [c for c in claims if decide(sample.query, references, c.text) == "correct"]
        if alone:
            return frozenset(claim.claim_id for claim in alone)
    wanted = set(content_stems(" ".join((sample.query, *references))))
    candidates = claims
    if any(_has_amount(reference) for reference in references):
        candidates = tuple(claim for claim in claims if _has_amount(claim.text)) or claims
    best = max(candidates, key=lambda claim: len(wanted & set(content_stems(claim.text))))
    return frozenset((best.claim_id,))


def _has_amount(text: str) -> bool:
    return any(quantity.kind in _AMOUNTS for quantity in parse(text))
