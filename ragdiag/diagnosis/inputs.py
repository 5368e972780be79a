"""The inputs of a diagnosis that the sample and its labels decide, each with basis and proof."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragdiag.diagnosis.reach import Reach
from ragdiag.diagnosis.state import VALUES
from ragdiag.records import Basis, ClaimResult, LabelResult
from ragdiag.text.abstention import abstains, is_abstention_reference
from ragdiag.text.case import Case

Proof = dict[str, Any]

_MOST_SAID = 200
"""Characters of an abstention that are kept as its proof."""

_WEAKNESS: dict[Basis, int] = {
    "deterministic": 0,
    "labels": 1,
    "judged": 2,
    "counterfactual": 3,
}


@dataclass(frozen=True, slots=True)
class Input:
    """The values that an input may have (one = known), what that rests on, and the proof."""

    values: tuple[str, ...]
    basis: Basis = "deterministic"
    proof: Proof = field(default_factory=dict[str, Any])

    @property
    def known(self) -> str | None:
        """The value, or None while several are possible."""
        return self.values[0] if len(self.values) == 1 else None


def weakest(bases: Iterable[Basis]) -> Basis:
    """The weakest basis of several; of none: deterministic."""
    found: Basis = "deterministic"
    for basis in bases:
        if _WEAKNESS[basis] > _WEAKNESS[found]:
            found = basis
    return found


def decided(label: LabelResult | None) -> str | None:
    """The label, None where there is none or it is undecided."""
    return None if label is None else label.label


def may_override_gold(label: LabelResult) -> bool:
    """May this label speak against a gold witness: an LLM, a jury or a person, not the screen?

    A label that the evidence layer itself read off the gold ("gold") is no second witness.
    """
    return label.judge.partition(":")[0] not in ("screen", "gold")


def run_of(case: Case) -> Input:
    """error: the sample's `error` is set, or its answer is null or empty."""
    sample = case.sample
    if sample.error is not None:
        return Input(("error",), proof={"error": sample.error})
    if sample.answer_given and not case.answered:
        why = "no_answer" if sample.answer is None else "empty_answer"
        return Input(("error",), proof={"error": why})
    return Input(("ok",))


def answerable_of(case: Case, reach: Reach) -> Input:
    """As stated; else no for a reference that abstains, yes for a reference or gold."""
    stated = case.sample.answerable
    references = tuple(text for text in case.sample.reference if text.strip())
    if stated is not None:
        given = bool(references) or reach.gold_known
        basis: Basis = "deterministic" if stated and given else "labels"
        return Input(("yes" if stated else "no",), basis, {"stated": stated})
    if references and is_abstention_reference(references):
        return Input(("no",), "labels", {"reference": references[0]})
    if references or reach.gold_known:
        return Input(("yes",))
    return Input(VALUES["answerable"], "labels")


def behaviour_of(case: Case, answerable: Input, label: LabelResult | None) -> Input:
    """Answered or abstained: people first, then code, then the judge's label."""
    correctness = decided(label)
    if (
        label is not None
        and label.basis == "labels"
        and correctness == "correct"
        and answerable.known == "yes"
    ):
        return Input(("answered",), "labels", {"label": correctness})
    told = case.abstains
    if told is not None:
        said: Proof = {"says": (case.sample.answer or "")[:_MOST_SAID]} if told else {}
        return Input(("abstained" if told else "answered",), _abstention_basis(case, label), said)
    if label is None or correctness is None:
        return Input(VALUES["behaviour"], "judged")
    proof = {"label": correctness, "judge": label.judge}
    if correctness == "correct":
        # An abstention is right only where the question has no answer.
        value = {"yes": "answered", "no": "abstained"}.get(answerable.known or "")
        values = VALUES["behaviour"] if value is None else (value,)
        return Input(values, label.basis, proof)
    return Input(("abstained" if correctness == "abstained" else "answered",), label.basis, proof)


def _abstention_basis(case: Case, label: LabelResult | None) -> Basis:
    if label is not None and label.basis == "labels":
        return "labels"
    by_code = abstains(case.sample.query, case.sample.answer or "")
    return "judged" if by_code is None else "deterministic"


def answer_of(case: Case, label: LabelResult | None) -> Input:
    """Is the answer correct? Unknown without a label."""
    value = {"correct": "correct", "partial": "partial", "incorrect": "wrong"}.get(
        decided(label) or ""
    )
    if label is None or value is None:
        return Input(VALUES["answer"], "judged" if label is None else label.basis)
    proof: Proof = {"label": label.label, "reference": list(case.sample.reference[:3])}
    if label.reason:
        proof["reason"] = label.reason
    return Input((value,), label.basis, proof)


def sufficiency_of(
    case: Case,
    label: LabelResult | None,
    *,
    reach: Reach,
    answerable: Input,
    supported_by_code: bool,
) -> Input:
    """Does the context allow a definite answer?

    An empty context never does. Then the judge (the screen only where there is no gold witness),
    then the gold witness: a complete set in the context suffices, no complete set does not, unless
    code supports the claim that carries a correct answer (`supported_by_code`): unknown. That a
    question is labelled unanswerable is a witness too: no passage can suffice.
    """
    if case.context == ():
        return Input(("no",), "deterministic", {"context": "empty"})
    witness = reach.gold_known or answerable.known == "no"
    if label is not None and label.label is not None and (may_override_gold(label) or not witness):
        proof: Proof = {"label": label.label, "judge": label.judge}
        if label.reason:
            proof["reason"] = label.reason
        return Input(("yes" if label.label == "sufficient" else "no",), label.basis, proof)
    settled = reach.in_context or "in_context" not in reach.values
    if reach.gold_known and case.context is not None and settled:
        if reach.in_context:
            return Input(("yes",), "labels", {"gold": "a complete set is in the context"})
        proof = {"gold": "no complete set is in the context"}
        if supported_by_code:
            proof["but"] = "other passages support the claim that carries the answer"
            return Input(VALUES["sufficiency"], "labels", proof)
        return Input(("no",), "labels", proof)
    if answerable.known == "no":
        return Input(("no",), "labels", {"gold": "labelled unanswerable"})
    return Input(VALUES["sufficiency"], "judged" if label is None else label.basis)


def carries_by_code(claims: tuple[ClaimResult, ...]) -> tuple[ClaimResult, ...]:
    """The claims that carry the answer and that code found supported."""
    return tuple(
        claim
        for claim in claims
        if claim.carries_answer and claim.label == "supported" and claim.basis == "deterministic"
    )


def possible_of(inputs: Mapping[str, Input]) -> dict[str, tuple[str, ...]]:
    """The values of every input; one that was not worked out may have any."""
    return {
        name: inputs[name].values if name in inputs else values for name, values in VALUES.items()
    }
