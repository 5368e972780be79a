"""What went wrong with a query, by its category: one or two plain sentences, with what shows it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.diagnosis.rules import STAGE_CODES
from ragdiag.diagnosis.showing import mapping, sequence, short
from ragdiag.records import ClaimResult, SampleResult

NUMBER_CODES = ("G3a", "G3b", "G3c", "G4", "G5", "G6")
_MOST_CLAIMS = 2
_LOOKED_UP = re.compile(r"^-?[\d.,]+ = ")
_NEAR = {
    "period": "another period",
    "entity": "another entity",
    "metric_or_page": "another place or metric of the right report",
}
_FAILED = {
    "no_answer": "the system gave no answer (null)",
    "empty_answer": "the system's answer is empty",
}
_NO_CODE = {
    "no_answer": "There is no answer to judge (retrieval only), so there is no category.",
    "no_reference": "There is neither a reference nor gold evidence to judge the answer by, so "
    "there is no category.",
}
_PLAIN = {
    "K1": "The answer is right, and the evidence carries it.",
    "U1": "There is no answer to be had, and the system said so: right.",
    "U2": "There is no answer to be had, yet the system gave one.",
    "U3": "The question is labelled unanswerable, yet the context is judged to hold an answer: "
    "the label may be wrong.",
    "X3": "All of the gold evidence was in the context, yet it is judged not to suffice: the gold "
    "or the judge is wrong.",
    "G1": "The context sufficed for an answer, yet the system declined to give one.",
    "A2": "The answer is right, but the context does not carry it: it may be from the model's "
    "memory, or chance.",
    "A3": "The answer is right and supported by passages that are not labelled as gold: the "
    "labels seem to be incomplete.",
    "A5": "The answer is right, but a citation that it needs is missing.",
    "G7": "What the answer says is right as far as it goes, but it is not complete.",
    "G8": "The evidence was there, and no slip in a number or claim explains the wrong answer: "
    "the question was probably misread.",
    "X4": "The answer is wrong by the reference, yet the context supports it, without the gold: "
    "the sources conflict, or the gold is wrong.",
}


def what_happened(result: SampleResult) -> str:
    """The sentences on the category of a result; never empty."""
    told = result.diagnosis
    if told.code is None:
        reason = told.status_reason or ""
        return _NO_CODE.get(reason, f"There is no category: {reason.replace('_', ' ')}.")
    if told.code == UNDETERMINED:
        return _undetermined(result)
    if told.code in STAGE_CODES:
        return _lost(result)
    by_code = _TELLERS.get(told.code)
    return by_code(result) if by_code is not None else _PLAIN[told.code]


def _undetermined(result: SampleResult) -> str:
    codes = result.diagnosis.codes
    told = [f"{code} ({CATALOGUE[code].name.replace('_', ' ')})" for code in codes]
    family = result.diagnosis.family
    within = f", {family} in any case" if family else ""
    return f"Which category it is cannot be told yet{within}: {_either(told)}."


def _either(told: list[str]) -> str:
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} or {told[-1]}"


def _lost(result: SampleResult) -> str:
    """A stage code: the generator could not know; what came instead; how the system behaved."""
    told = result.diagnosis
    sentences = ["Without this evidence the generator could not give a right answer."]
    near = mapping(told.proof.get("near_miss"))
    kind = _NEAR.get("".join(told.state.get("near_miss", ())))
    if near and kind:
        sentences.append(
            f"In its place came, at rank {near.get('rank')}, {kind} ({near.get('passage_id')})."
        )
    if "safe_abstention" in told.flags:
        sentences.append("The system declined to answer, which was safe.")
    if "should_have_abstained" in told.flags:
        sentences.append("The system answered nevertheless; it should have declined.")
    return " ".join(sentences)


def _failed(result: SampleResult) -> str:
    error = str(mapping(result.diagnosis.proof.get("run")).get("error", ""))
    why = short(_FAILED.get(error, error)) or "no reason is given"
    return f"The pipeline failed on this query: {why}."


def _wrong_evidence(result: SampleResult) -> str:
    identity = mapping(result.diagnosis.proof.get("identity"))
    field = str(identity.get("label", "")).partition(":")[2]
    if not field:
        wrong = [n for n, how in mapping(identity.get("fields")).items() if how == "mismatch"]
        field = " and ".join(wrong)
    passage = identity.get("passage_id") or identity.get("reason")
    named = f"another {field}" if field else "what was not asked for"
    place = f" ({short(str(passage), 80)})" if passage else ""
    return (
        f"The answer is right, but it rests on evidence of {named}{place}, and the gold evidence "
        "was not in the context: right by coincidence, or from memory."
    )


def _wrong_citation(result: SampleResult) -> str:
    proof = mapping(result.diagnosis.proof.get("citations"))
    dangling = [str(marker) for marker in sequence(proof.get("dangling"))]
    if dangling:
        what = f"it cites what was not given ({short(', '.join(dangling), 80)})"
    elif result.diagnosis.state.get("identity") == ("wrong_identity",):
        what = "what it cites is not of what was asked for"
    else:
        cited = [
            str(name)
            for one in sequence(proof.get("wrong"))
            for name in sequence(mapping(one).get("cited"))
            if name is not None
        ]
        named = f" ({short(', '.join(dict.fromkeys(cited)), 80)})" if cited else ""
        what = f"what it cites{named} does not support it"
    return f"The answer is right, but {what}."


def _extras(result: SampleResult) -> str:
    extra = [
        f"“{_claim(claim)}”"
        for claim in result.claims
        if claim.label in ("not_found", "contradicted", "partial")
    ][:_MOST_CLAIMS]
    told = f": {', '.join(extra)}" if extra else ""
    return f"The answer is right, but says more than the evidence supports{told}."


def _contradicted(result: SampleResult) -> str:
    claim = _carrying(result, "contradicted")
    told = _quoted(claim) if claim is not None else ""
    return f"The evidence was there and says otherwise{told}."


def _fabricated(result: SampleResult) -> str:
    claim = _carrying(result, "not_found")
    told = f": “{_claim(claim)}”" if claim is not None else ""
    return f"The evidence was there, but what the answer says stands nowhere in the context{told}."


def _carrying(result: SampleResult, label: str) -> ClaimResult | None:
    found = [claim for claim in result.claims if claim.label == label]
    return next(iter(sorted(found, key=lambda claim: not claim.carries_answer)), None)


def _quoted(claim: ClaimResult) -> str:
    return f": “{short(claim.quote, 120)}” [{claim.passage_id}]" if claim.quote else ""


def _claim(claim: ClaimResult) -> str:
    return short(claim.text, 100).rstrip(".")


def _number(lead: str) -> Callable[[SampleResult], str]:
    """A cause in a number: the answer's expression beside the reference's."""

    def told(result: SampleResult) -> str:
        proof: dict[str, Any] = dict(mapping(result.diagnosis.proof.get("numeric")))
        said, meant = map(_shown, (proof.get("expression"), proof.get("reference_expression")))
        detail = f" ({proof['detail']})" if proof.get("detail") else ""
        shown = f": {said}" if said else ""
        right = f", where {meant} is right" if said and meant else ""
        cells = [one for one in map(_cell, sequence(proof.get("operands"))) if one]
        where = f" It stands in {cells[0]}." if len(cells) == 1 and right else ""
        return f"{lead}{detail}{shown}{right}.{where}"

    return told


def _shown(expression: object) -> str:
    """ "412.5 / 1043.7 = 35.9 percent"; of a number that is only looked up, its value."""
    text = short(str(expression or ""), 120)
    return _LOOKED_UP.sub("", text)


def _cell(operand: object) -> str:
    one = mapping(operand)
    place = [f"{name} “{short(str(one[name]), 60)}”" for name in ("row", "column") if name in one]
    return ", ".join([*place, *([str(one["passage_id"])] if place and "passage_id" in one else ())])


_TELLERS: dict[str, Callable[[SampleResult], str]] = {
    "X1": _failed,
    "A1": _wrong_evidence,
    "A4": _wrong_citation,
    "A6": _extras,
    "G2": _contradicted,
    "G9": _fabricated,
    "G3a": _number("The evidence was there, but the number is of another period"),
    "G3b": _number("The evidence was there, but the number is of another entity"),
    "G3c": _number("The evidence was there, but the number is of another metric"),
    "G4": _number("The evidence was there, but the calculation is wrong"),
    "G5": _number("The evidence was there, but the unit or scale of the number is wrong"),
    "G6": _number("The evidence was there, but sign, rounding or format of the number is wrong"),
}
