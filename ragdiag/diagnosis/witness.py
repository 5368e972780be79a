"""The gold witness beside the embedded screen: what carries a correct answer to whole evidence."""

from __future__ import annotations

from ragdiag.answer.polarity import stated
from ragdiag.diagnosis.reach import Reach, gold_sets
from ragdiag.records import ClaimResult, LabelResult
from ragdiag.text.case import Case
from ragdiag.text.locate import covered
from ragdiag.text.period_conflict import period_conflict

WITNESS = "a complete gold set is in the context, and the answer is correct"


def with_gold_witness(
    case: Case,
    claims: tuple[ClaimResult, ...],
    label: LabelResult | None,
    *,
    reach: Reach,
    correct: bool,
) -> tuple[ClaimResult, ...]:
    """The claims, after the gold witness has spoken for those that carry a correct answer.

    Evidence that suffices for the answer, and an answer that is correct: then the context supports
    the claim that carries it. The screen, which compares words, does not override that; any other
    judge does. A yes or no may be right by luck: there the screen's word only stays open. By the
    same witness the claim is rightly cited where the cited passages hold a whole gold set. A claim
    that states another period than all gold evidence is not the answer that was labelled: silent.
    """
    if not (correct and reach.in_context and _by_screen(case, label)):
        return claims
    polar = any(stated(reference) is not None for reference in case.sample.reference)
    gold = tuple(found.passage_id for found in reach.items if found.passage_id is not None)
    return tuple(
        _cited_as_gold(case, _spoken_for(claim, gold, polar=polar))
        if claim.carries_answer
        and claim.basis == "judged"
        and not _of_another_period(claim, case, gold)
        else claim
        for claim in claims
    )


def _by_screen(case: Case, label: LabelResult | None) -> bool:
    verdict = case.verdict("support")
    judge = verdict.judge if verdict is not None else label.judge if label is not None else ""
    return judge.partition(":")[0] == "screen"


def _of_another_period(claim: ClaimResult, case: Case, gold: tuple[str, ...]) -> bool:
    texts = [p.text for p in case.context or () if p.passage_id in gold and p.text]
    return bool(texts) and all(period_conflict(claim.text, text) for text in texts)


def _spoken_for(claim: ClaimResult, gold: tuple[str, ...], *, polar: bool) -> ClaimResult:
    if claim.label == "supported":
        return claim
    if polar:
        return claim.model_copy(
            update={"label": None, "unscored": "undecided", "citation_label": None}
        )
    return claim.model_copy(
        update={
            "label": "supported",
            "basis": "labels",
            "passage_id": gold[0] if gold else None,
            "supporting": gold if len(set(gold)) == 1 else (),
            "joint": () if len(set(gold)) == 1 else gold,
            "quote": None,
            "unscored": None,
            "citation_label": None,
            "reason": WITNESS,
        }
    )


def _cited_as_gold(case: Case, claim: ClaimResult) -> ClaimResult:
    """The claim as rightly cited, where the passages that it cites hold a whole gold set."""
    cited = [p for p in case.context or () if p.passage_id in claim.cited]
    whole = claim.label == "supported" and any(
        all(covered(item, cited, case.settings.coverage) is not None for item in items)
        for items in gold_sets(case)
    )
    return claim.model_copy(update={"citation_label": "supported"}) if whole else claim
