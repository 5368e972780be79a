"""One category for a query, with its proof: the inputs are read, the table decides."""

from __future__ import annotations

from collections.abc import Mapping

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.diagnosis.grounding import citations_of, faithfulness_of, identity_of
from ragdiag.diagnosis.inputs import (
    Input,
    Proof,
    answer_of,
    answerable_of,
    behaviour_of,
    carries_by_code,
    decided,
    possible_of,
    run_of,
    sufficiency_of,
    weakest,
)
from ragdiag.diagnosis.mismatch import mismatches_of
from ragdiag.diagnosis.near_miss import near_miss_of
from ragdiag.diagnosis.numeric import numeric_of
from ragdiag.diagnosis.reach import Reach, reach_of
from ragdiag.diagnosis.state import INPUTS
from ragdiag.diagnosis.unknowns import Outcome, resolve
from ragdiag.diagnosis.witness import with_gold_witness
from ragdiag.records import ClaimResult, Diagnosis, LabelResult, Score
from ragdiag.text.case import Case
from ragdiag.text.twins import twins

_NEEDS_GOLD = ("A3", "X3", "X4")
_CODES_OF_STAGE = {
    "not_in_corpus": "D1",
    "lost_in_parse": "D2",
    "split": "D3",
    "below_k": "R3",
    "dropped_rerank": "R4",
    "dropped_context": "R5",
}
_TRACED = ("candidates", "reranked")
_FIELD_TO_ADD = {
    "answerable": "answerable",
    "behaviour": "a label answer_correctness",
    "answer": "reference, or a label answer_correctness",
    "sufficiency": "a label sufficiency",
    "faithfulness": "a label support of the claim that carries the answer",
    "numeric": "gold with the operands' passages",
    "identity": "a label evidence_identity, or metadata of the passages",
    "near_miss": "target",
    "citations": "a label citation_support",
}


def diagnose(
    case: Case,
    *,
    labels: Mapping[str, LabelResult],
    claims: tuple[ClaimResult, ...],
    scores: Mapping[str, Score],
) -> Diagnosis:
    """The category of a sample; X2 with all possible codes where an input stays unknown.

    No code where there is no answer (`no_answer`), or neither gold nor reference
    (`no_reference`); the reach of the gold evidence is still shown. `scores` are not read: a
    score is a view of the same labels.
    """
    reach = reach_of(case)
    run = run_of(case)
    answerable = answerable_of(case, reach)
    correctness = labels.get("answer_correctness")
    reason = _no_code(case, run, answerable, reach, correctness)
    if reason is not None:
        return _without_code(case, reach, reason)
    inputs = _inputs(case, labels, claims, reach, {"run": run, "answerable": answerable})
    not_available = frozenset(() if reach.gold_known else _NEEDS_GOLD)
    outcome = resolve(possible_of(inputs), not_available=not_available)
    if "numeric" in outcome.reads:
        # Searching for the expression behind a number is the dear part: only where a row asks.
        inputs["numeric"] = numeric_of(case)
        outcome = resolve(possible_of(inputs), not_available=not_available)
    return _diagnosis(case, inputs, reach, outcome)


def _no_code(
    case: Case, run: Input, answerable: Input, reach: Reach, correctness: LabelResult | None
) -> str | None:
    """Why there is no code, or None."""
    if run.known == "error":
        return None
    if not case.sample.answer_given and case.sample.answer is None:
        return "no_answer"
    if reach.gold_known or any(text.strip() for text in case.sample.reference):
        return None
    if answerable.known == "no" or (answerable.known == "yes" and decided(correctness)):
        return None
    return "no_reference"


def _inputs(
    case: Case,
    labels: Mapping[str, LabelResult],
    claims: tuple[ClaimResult, ...],
    reach: Reach,
    known: dict[str, Input],
) -> dict[str, Input]:
    """All inputs but `numeric`; near_miss only where evidence may be missing."""
    inputs = dict(known)
    inputs["reach"] = Input(reach.values, proof=reach.proof())
    if reach.values != ("in_context",):
        miss = near_miss_of(case)
        inputs["near_miss"] = Input((miss.kind,), proof=miss.proof())
    if inputs["run"].known == "error":
        return inputs
    correctness = labels.get("answer_correctness")
    inputs["behaviour"] = behaviour_of(case, inputs["answerable"], correctness)
    inputs["answer"] = answer_of(case, correctness)
    correct = inputs["answer"].known == "correct"
    claims = with_gold_witness(
        case, claims, labels.get("faithfulness"), reach=reach, correct=correct
    )
    inputs["sufficiency"] = sufficiency_of(
        case,
        labels.get("sufficiency"),
        reach=reach,
        answerable=inputs["answerable"],
        supported_by_code=correct and bool(carries_by_code(claims)),
    )
    faithfulness = faithfulness_of(case, claims, labels.get("faithfulness"), correct=correct)
    inputs["faithfulness"] = faithfulness
    inputs["identity"] = identity_of(
        case, claims, labels.get("evidence_identity"), faithfulness=faithfulness
    )
    inputs["citations"] = citations_of(case, claims, labels.get("citation_support"))
    return inputs


def _without_code(case: Case, reach: Reach, reason: str) -> Diagnosis:
    proof: Proof = {"reach": reach.proof()}
    state = {"reach": reach.values}
    if reach.gold_known and not reach.in_context:
        miss = near_miss_of(case)
        state["near_miss"] = (miss.kind,)
        if miss.proof():
            proof["near_miss"] = miss.proof()
    proof.update(_mismatch_proof(case))
    return Diagnosis(
        code=None,
        flags=_data_flags(case, reach),
        proof=proof,
        state=state,
        not_available=_not_available(reach),
        status_reason=reason,
    )


def _diagnosis(
    case: Case, inputs: Mapping[str, Input], reach: Reach, outcome: Outcome
) -> Diagnosis:
    category = CATALOGUE[outcome.code]
    read = [name for name in inputs if name in outcome.reads]
    proof: Proof = {
        name: inputs[name].proof
        for name in INPUTS
        if name in inputs
        and inputs[name].proof
        and (name in outcome.reads or name in ("reach", "near_miss"))
    }
    proof.update(_mismatch_proof(case))
    if outcome.deciding is not None:
        proof["deciding"] = {
            "input": outcome.deciding,
            "values": list(inputs[outcome.deciding].values),
            "add": _to_add(outcome.deciding, case, reach),
        }
    untested = ("identity_not_tested",) if case.target is None else ("target_from_question",)
    if case.target is not None and case.target_given:
        untested = ()
    return Diagnosis(
        code=outcome.code,
        name=category.name,
        family=outcome.family if outcome.code == UNDETERMINED else category.family,
        codes=outcome.codes,
        flags=(
            *_data_flags(case, reach),
            *outcome.flags,
            *(untested if "identity" in outcome.reads else ()),
        ),
        basis=weakest(inputs[name].basis for name in read),
        proof=proof,
        deciding_input=outcome.deciding,
        fix=category.fix,
        next_experiment=category.next_experiment,
        state={name: inputs[name].values for name in INPUTS if name in inputs},
        not_available=_not_available(reach),
    )


def _mismatch_proof(case: Case) -> Proof:
    """What is wrong with the gold itself; {} for nothing."""
    found = mismatches_of(case)
    return {"gold_mismatch": [one.proof() for one in found]} if found else {}


def _data_flags(case: Case, reach: Reach) -> tuple[str, ...]:
    """What the data itself says; an empty retrieval is named before all else."""
    flags = {
        "retrieval_empty": case.sample.retrieved == (),
        "gold_from_qrels": reach.from_qrels,
        "gold_mismatch": bool(mismatches_of(case)),
        "near_duplicates": bool(twins(case)),
    }
    return tuple(flag for flag, holds in flags.items() if holds)


def _not_available(reach: Reach) -> tuple[str, ...]:
    """The codes that the data cannot tell, whatever a judge says."""
    codes = tuple(_CODES_OF_STAGE[stage] for stage in reach.not_available)
    return codes if reach.gold_known else (*codes, *_NEEDS_GOLD, "stage_split")


def _to_add(deciding: str, case: Case, reach: Reach) -> str:
    """The field of the input that would settle the deciding input."""
    if deciding == "answer" and any(text.strip() for text in case.sample.reference):
        return "a label answer_correctness"
    if deciding == "numeric" and reach.gold_known:
        return "the text of the gold passages that hold the operands"
    if deciding != "reach":
        return _FIELD_TO_ADD[deciding]
    if not reach.gold_known:
        return "gold"
    if case.context is None:
        return "retrieved, context"
    stages = [f"stages.{name}" for name in _TRACED if name not in case.sample.stages]
    absent = stages if case.context_given else ["context", *stages]
    return ", ".join(absent or [f"stages.{name}" for name in _TRACED])
