"""What came of each rung of a ladder: is its answer right, by the checks of any other answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragdiag.answer.outcome import label as correctness
from ragdiag.records import (
    RUNGS,
    LabelResult,
    LadderRecord,
    Passage,
    RungName,
    Sample,
    Settings,
)
from ragdiag.text.case import Case

_LONGEST = 400  # characters of an answer that the proof keeps; ladder.jsonl has all of it


@dataclass(frozen=True, slots=True)
class RungResult:
    """What came of one rung.

    right     is its answer right: one value, or both where that is not known.
    state     right | wrong | undecided | error | not_available | not_asked.
    labels    of each repeat, in order (None = undecided).
    """

    name: RungName
    right: tuple[bool, ...]
    state: str
    labels: tuple[str | None, ...] = ()
    proof: Mapping[str, Any] | None = None
    same_as: RungName | None = None
    n_asked: int = 0


def rung_results(
    records: Sequence[LadderRecord],
    sample: Sample,
    *,
    settings: Settings,
    recorded: LabelResult | None,
) -> list[RungResult]:
    """One for each of RUNGS, in order, from the records of one query and one generator.

    `recorded` is the label of the sample's own answer: the same words again have the same label.
    """
    found: dict[RungName, RungResult] = {}
    for name in RUNGS:
        own = sorted((one for one in records if one.rung == name), key=lambda one: one.repeat)
        shared = next((one.same_as for one in own if one.same_as is not None), None)
        if shared is not None and shared in found:
            found[name] = _shared(name, found[shared], own[0])
        else:
            found[name] = _rung(name, own, sample, settings, recorded)
    return list(found.values())


def _shared(name: RungName, other: RungResult, record: LadderRecord) -> RungResult:
    proof = {
        "rung": name,
        "state": other.state,
        "same_as": other.name,
        "passages": list(record.passages),
    }
    return RungResult(name, other.right, other.state, other.labels, proof, same_as=other.name)


def _rung(
    name: RungName,
    records: Sequence[LadderRecord],
    sample: Sample,
    settings: Settings,
    recorded: LabelResult | None,
) -> RungResult:
    absent = next((one.not_available for one in records if one.not_available), None)
    asked = [one for one in records if one.said is not None]
    if not asked:
        state = "not_asked" if absent is None else "not_available"
        proof = {"rung": name, "state": state, **({"why": absent} if absent else {})}
        right = (True, False)
        if name == "retrieved" and absent is not None and rightness(recorded) is False:
            right = (False,)  # the sample's own answer is of this rung, whatever it gave
        return RungResult(name, right, state, proof=proof)
    labels = [_label(one, sample, settings, recorded) for one in asked]
    n_right = sum(one is not None and one.label == "correct" for one in labels)
    n_wrong = sum(one is not None and one.label not in ("correct", None) for one in labels)
    right, state = (True, False), "undecided"
    if 2 * n_right > len(asked):
        right, state = (True,), "right"
    elif 2 * n_wrong > len(asked):
        right, state = (False,), "wrong"
    elif all(one is None for one in labels):
        state = "error"
    told = tuple(None if one is None else one.label for one in labels)
    proof = {"rung": name, "state": state, **_rung_proof(asked, labels)}
    return RungResult(name, right, state, told, proof, n_asked=len(asked))


def _rung_proof(
    asked: Sequence[LadderRecord], labels: Sequence[LabelResult | None]
) -> dict[str, Any]:
    """The first answer with its label; of several repeats how many were right."""
    at = next((n for n, one in enumerate(labels) if one is not None), None)
    found: dict[str, Any] = {"passages": list(asked[0].passages)}
    if len(asked) > 1:
        n_right = sum(one is not None and one.label == "correct" for one in labels)
        found["n_right"], found["n"] = n_right, len(asked)
    if at is not None:
        said, told = asked[at].said, labels[at]
        assert said is not None
        assert told is not None
        found["answer"] = (said.answer or "")[:_LONGEST]
        found["label"], found["basis"], found["judge"] = told.label, told.basis, told.judge
    error = next((one.said.error for one in asked if one.said and one.said.error), None)
    return found if error is None else {**found, "error": error}


def _label(
    record: LadderRecord, sample: Sample, settings: Settings, recorded: LabelResult | None
) -> LabelResult | None:
    """Is the answer of a rung right? None: it broke. The recorded answer again: its own label."""
    said = record.said
    if said is None or said.error is not None or said.answer is None:
        return None
    answer = said.answer.strip()
    if not answer:
        return LabelResult(label="no_answer", basis="deterministic", judge="code")
    if (
        recorded is not None
        and recorded.label is not None
        and answer == (sample.answer or "").strip()
    ):
        return recorded
    case = Case(rung_sample(sample, record, answer), settings=settings, replies=record.replies)
    return correctness(case)


def rung_sample(sample: Sample, record: LadderRecord, answer: str) -> Sample:
    """The sample as if the rung's answer had been its own, for whoever decides on it.

    The id is another one: people's labels are of the recorded answer.
    """
    return sample.model_copy(
        update={
            "query_id": f"{sample.query_id}\x1fladder:{record.rung}",
            "context": tuple(Passage(passage_id=one) for one in dict.fromkeys(record.passages)),
            "retrieved": None,
            "stages": {},
            "answer": answer,
            "answer_given": True,
            "citations": None,
            "error": None,
        }
    )


def rightness(recorded: LabelResult | None) -> bool | None:
    """Is the recorded answer right? None: not known."""
    if recorded is None or recorded.label is None:
        return None
    return recorded.label == "correct"
