"""The inputs on what the answer rests on: faithfulness, identity of the evidence, citations."""

from __future__ import annotations

from typing import Any

from ragdiag.diagnosis.inputs import Input, Proof, carries_by_code, decided, weakest
from ragdiag.diagnosis.reach import gold_sets
from ragdiag.diagnosis.state import VALUES
from ragdiag.records import Basis, ClaimResult, LabelResult
from ragdiag.text.case import Case
from ragdiag.text.identity import compare
from ragdiag.text.locate import matches

_CARRIED: dict[str | None, tuple[str, ...]] = {
    "supported": ("supported",),
    "not_found": ("unsupported",),
    "contradicted": ("contradicted",),
    # Its supported part may be the one that carries the answer.
    "partial": ("supported", "unsupported"),
    None: ("supported", "unsupported", "contradicted"),
}
_SEVERITY = ("supported", "unsupported", "contradicted")
_UNFAITHFUL = ("extra", "unsupported", "contradicted")


def faithfulness_of(
    case: Case, claims: tuple[ClaimResult, ...], label: LabelResult | None, *, correct: bool
) -> Input:
    """faithful | extra | unsupported | contradicted, as the set that claims and label leave.

    The carrying claims decide; where none is marked, each claim may be it. For a correct answer a
    carrying claim that code found supported settles that it is supported. People's label of the
    whole answer goes before the claims, another label only narrows what claims leave open.
    """
    if case.context == ():
        return Input(("unsupported",), "deterministic", {"context": "empty"})
    by_code = carries_by_code(claims) if correct else ()
    values = _by_claims(claims, by_code)
    proof = _claims_proof(claims)
    bases: list[Basis] = [_claims_basis(claims, by_code, values)]
    whole = decided(label)
    if label is not None and whole is not None:
        allowed = ("faithful",) if whole == "faithful" else _UNFAITHFUL
        narrowed = tuple(value for value in values if value in allowed)
        people = label.basis == "labels"
        if people and not narrowed:
            narrowed = ("extra",) if by_code and whole != "faithful" else allowed
        if narrowed and narrowed != values and (people or len(values) > 1):
            values = narrowed
            bases = [label.basis] if people or not claims else [*bases, label.basis]
            proof["label"] = {"label": whole, "judge": label.judge}
    return Input(values, weakest(bases), proof)


def _by_claims(
    claims: tuple[ClaimResult, ...], by_code: tuple[ClaimResult, ...]
) -> tuple[str, ...]:
    if not claims:
        return VALUES["faithfulness"]
    if by_code:
        return _with_carrying(claims, by_code)
    carrying = tuple(claim for claim in claims if claim.carries_answer)
    if carrying:
        return _with_carrying(claims, carrying)
    found = {value for claim in claims for value in _with_carrying(claims, (claim,))}
    return tuple(value for value in VALUES["faithfulness"] if value in found)


def _with_carrying(
    claims: tuple[ClaimResult, ...], carrying: tuple[ClaimResult, ...]
) -> tuple[str, ...]:
    """The values where these claims carry the answer: the worst of them counts."""
    worst = {0}
    for claim in carrying:
        severities = [_SEVERITY.index(value) for value in _CARRIED[claim.label]]
        worst = {max(a, b) for a in worst for b in severities}
    others = [claim.label for claim in claims if claim not in carrying]
    fails = any(label in ("not_found", "contradicted", "partial") for label in others) or any(
        claim.label == "partial" for claim in carrying
    )
    found: set[str] = {_SEVERITY[index] for index in worst if index}
    if 0 in worst:
        found.update(("extra",) if fails else ("faithful",))
        if None in others:
            found.add("extra")
    return tuple(value for value in VALUES["faithfulness"] if value in found)


def _claims_basis(
    claims: tuple[ClaimResult, ...], by_code: tuple[ClaimResult, ...], values: tuple[str, ...]
) -> Basis:
    """Unsupported and contradicted rest on the carrying claims, the others on all claims."""
    if not claims:
        return "judged"
    carrying = by_code or tuple(claim for claim in claims if claim.carries_answer)
    settled = carrying and not {"faithful", "extra"} & set(values)
    return weakest(claim.basis for claim in (carrying if settled else claims))


def _claims_proof(claims: tuple[ClaimResult, ...]) -> Proof:
    """The carrying claims and those that are not supported, with their quotes."""
    shown = [claim for claim in claims if claim.carries_answer or claim.label != "supported"]
    return {"claims": [_claim_proof(claim) for claim in shown]} if shown else {}


def _claim_proof(claim: ClaimResult) -> Proof:
    proof: Proof = {"claim_id": claim.claim_id, "text": claim.text, "label": claim.label}
    if claim.carries_answer:
        proof["carries_answer"] = True
    optional: dict[str, Any] = {
        "quote": claim.quote,
        "passage_id": claim.passage_id,
        "unscored": claim.unscored,
        "reason": claim.reason,
    }
    return proof | {key: value for key, value in optional.items() if value is not None}


def identity_of(
    case: Case, claims: tuple[ClaimResult, ...], label: LabelResult | None, *, faithfulness: Input
) -> Input:
    """Is the evidence that the answer rests on the one asked for?

    Without a target it is not tested and counts as right, as does what a target that was read from
    the question leaves open. Where nothing supports the answer and nothing is cited: none.
    """
    if case.target is None:
        return Input(("right",), "deterministic", {"target": "none: not tested"})
    if case.context == () and case.target_given:
        return Input(("none",), "deterministic", {"context": "empty"})
    found = decided(label)
    if label is not None and found is not None:
        proof: Proof = {"label": found, "judge": label.judge}
        if label.reason:
            proof["reason"] = label.reason
        return Input(("right" if found == "right" else "wrong_identity",), label.basis, proof)
    carrying = _identity_of_support(case, claims)
    if carrying is not None:
        return carrying
    if not case.target_given:
        return Input(("right",), "deterministic", {"target": "of the question: not told apart"})
    cites = any(citation.passage_id is not None for citation in case.citations)
    if not cites and not {"faithful", "extra"} & set(faithfulness.values):
        return Input(("none",), faithfulness.basis, {"supporting": []})
    return Input(("right", "wrong_identity"), "judged" if label is None else label.basis)


def _identity_of_support(case: Case, claims: tuple[ClaimResult, ...]) -> Input | None:
    """The identity of the passage that supports the carrying claim; None where it stays open.

    A passage that holds a gold item is right by its label.
    """
    target = case.target
    by_id = {passage.passage_id: passage for passage in case.context or ()}
    ids = [c.passage_id for c in claims if c.carries_answer and c.label == "supported"]
    passage = next((by_id[name] for name in ids if name in by_id), None)
    if target is None or passage is None or case.citations:
        return None
    proof: Proof = {"passage_id": passage.passage_id}
    gold = (item for items in gold_sets(case) for item in items)
    if any(matches(item, passage, coverage=case.settings.coverage) for item in gold):
        return Input(("right",), "labels", proof | {"gold": True})
    fields = compare(target, passage)
    proof["fields"] = dict(fields)
    if "mismatch" in fields.values():
        return Input(("wrong_identity",), "deterministic", proof)
    return Input(("right",), "deterministic", proof) if "match" in fields.values() else None


_WRONGLY_CITED = ("unsupported", "not_found", "contradicted")


def citations_of(case: Case, claims: tuple[ClaimResult, ...], label: LabelResult | None) -> Input:
    """ok | wrong | missing | not_required; wrong (also dangling) beats missing.

    Missing: a claim that needs a citation has none, or its citations support it only in part
    (another passage is needed beside the cited ones). People's label of the whole sample goes
    before the claims; another label counts only where there are no claims.
    """
    if not case.citations_required:
        return Input(("not_required",))
    dangling = [citation.marker for citation in case.citations if citation.dangling]
    if dangling:
        return Input(("wrong",), "deterministic", {"dangling": dangling})
    if not case.citations:
        return Input(("missing",), "deterministic", {"citations": 0})
    whole = decided(label)
    if label is not None and whole is not None and (label.basis == "labels" or not claims):
        told: list[str | None] = [whole]
        bases: list[Basis] = [label.basis]
    else:
        cited = [claim for claim in claims if claim.cited]
        told = [claim.citation_label for claim in cited] if claims else [None]
        bases = [claim.basis for claim in cited]
    if any(one in _WRONGLY_CITED for one in told):
        return Input(("wrong",), weakest(bases), {"wrong": _cited(claims, _WRONGLY_CITED)})
    uncited = [claim.claim_id for claim in claims if claim.needs_citation and not claim.cited]
    in_part = "partial" in told
    proof: Proof = {"uncited": uncited} if uncited else {}
    if in_part:
        proof["in_part"] = _cited(claims, ("partial",))
    rest = ("missing",) if uncited or in_part else ("ok",) if claims else ("ok", "missing")
    if None in told:
        return Input(tuple(dict.fromkeys(("wrong", *rest))), "judged", proof)
    return Input(rest, weakest(bases), proof)


def _cited(claims: tuple[ClaimResult, ...], labels: tuple[str, ...]) -> list[Proof]:
    return [
        {"claim_id": claim.claim_id, "cited": list(claim.cited), "label": claim.citation_label}
        for claim in claims
        if claim.citation_label in labels
    ]
