"""A stage proven by counterfactual answers: from a ladder's rungs to what they say of the code.

The first rung that turns the answer right names the stage. What the rungs leave open stays a set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Literal

from ragdiag.answer.polarity import is_polar
from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.diagnosis.diagnose import field_to_add
from ragdiag.diagnosis.reach import reach_of
from ragdiag.diagnosis.rung_results import RungResult, rightness, rung_results
from ragdiag.diagnosis.state import VALUES
from ragdiag.diagnosis.unknowns import resolve
from ragdiag.records import (
    RUNGS,
    Diagnosis,
    LabelResult,
    LadderRecord,
    RungName,
    Sample,
    SampleResult,
    Settings,
)
from ragdiag.text.case import Case

Reading = Literal["memory", "context", "retrieval", "distraction", "generator", "unstable"]
READINGS: tuple[Reading, ...] = (
    "retrieval", "distraction", "generator", "memory", "context", "unstable",
)  # fmt: skip
UNDECIDED = "undecided"
"""The name of several readings that remain possible."""
DISAGREES, VARIES = "ladder_disagrees", "ladder_varies"

_BLAMED: dict[str, dict[str | None, bool | None]] = {
    "retrieval": {"retrieval": True, "pipeline": None},
    "distraction": {"generation": True, "labels": None, "pipeline": None},
    "generator": {"generation": True, "labels": True, "pipeline": None},
}
"""The families that a reading bears out (None: says nothing of); it contradicts the others."""
_NAMES: tuple[tuple[RungName, Reading], ...] = (
    ("closed_book", "memory"),
    ("retrieved", "context"),
    ("gold_appended", "retrieval"),
    ("gold_only", "distraction"),
)


def with_ladder(
    result: SampleResult, sample: Sample, records: Sequence[LadderRecord], *, settings: Settings
) -> SampleResult:
    """The result with what the records of one generator say: `proof["ladder"]`, flags, and fewer
    codes where the diagnosis was undetermined and the ladder settles an input.

    A code that the ladder contradicts is kept, with the flag `ladder_disagrees`. No records, or no
    code: the result as it is.
    """
    diagnosis = result.diagnosis
    if not records or diagnosis.code is None:
        return result
    recorded = result.labels.get("answer_correctness")
    rungs = rung_results(records, sample, settings=settings, recorded=recorded)
    readings = _readings(rungs, rightness(recorded))
    told = _settled(diagnosis, rungs, readings, sample, settings)
    fits = _fits(told, readings)
    flags = [f"ladder:{readings[0] if len(readings) == 1 else UNDECIDED}"]
    flags += [DISAGREES] if fits is False else []
    flags += [VARIES] if any(_varies(one) for one in rungs) else []
    proof = {
        "generator": records[0].generator,
        "reading": readings[0] if len(readings) == 1 else None,
        "readings": list(readings),
        "confirms": fits,
        "control": _control(rungs, recorded),
        **_settled_proof(diagnosis, told),
        "n_calls": sum(one.n_asked for one in rungs),
        "rungs": [dict(one.proof or {}) for one in rungs],
    }
    told = told.model_copy(
        update={"flags": (*told.flags, *flags), "proof": {**told.proof, "ladder": proof}}
    )
    return result.model_copy(update={"diagnosis": told})


def read_rungs(
    right: Mapping[RungName, tuple[bool, ...]],
    recorded: bool | None,
    *,
    same_as: Mapping[RungName, RungName] | None = None,
) -> tuple[Reading, ...]:
    """The readings that remain possible, in the order of READINGS.

    right     by rung: one value, or both where it is not known.
    recorded  is the sample's own answer right; None: not known, then there is no control.
    same_as   rungs that share the answer of an earlier one.
    """
    shared = same_as or {}
    free: list[RungName] = [name for name in RUNGS if name not in shared]
    found: set[Reading] = set()
    for values in product(*(right[name] for name in free)):
        known: dict[RungName, bool] = dict(zip(free, values, strict=True))
        for name in RUNGS:
            known.setdefault(name, known[shared.get(name, name)])
        found.add(_reading(known, recorded))
    return tuple(one for one in READINGS if one in found)


def _reading(right: Mapping[RungName, bool], recorded: bool | None) -> Reading:
    if recorded is not None and right["retrieved"] != recorded:
        return "unstable"
    for rung, reading in _NAMES:
        if right[rung]:
            return reading
    return "generator"


def _varies(rung: RungResult) -> bool:
    """Was the same question answered rightly once and wrongly another time?"""
    told = {one == "correct" for one in rung.labels if one is not None}
    return rung.same_as is None and len(told) > 1


def _readings(rungs: Sequence[RungResult], recorded: bool | None) -> tuple[Reading, ...]:
    same: dict[RungName, RungName] = {o.name: o.same_as for o in rungs if o.same_as is not None}
    right: dict[RungName, tuple[bool, ...]] = {one.name: one.right for one in rungs}
    return read_rungs(right, recorded, same_as=same)


def _control(rungs: Sequence[RungResult], recorded: LabelResult | None) -> str | None:
    """Does the generator of today do on the retrieved context as the recorded answer did?"""
    again = next(one for one in rungs if one.name == "retrieved")
    before = rightness(recorded)
    if before is None or again.state not in ("right", "wrong"):
        return None
    return "same" if again.right == (before,) else "differs"


def _settled(
    diagnosis: Diagnosis,
    rungs: Sequence[RungResult],
    readings: Sequence[Reading],
    sample: Sample,
    settings: Settings,
) -> Diagnosis:
    """The diagnosis with fewer codes where it was X2 and the ladder tells whether the context was
    sufficient; else as it is. A yes or no may be right by chance, and settles nothing."""
    value = _sufficiency(rungs, readings)
    before = diagnosis.state.get("sufficiency", ())
    if diagnosis.code != UNDETERMINED or value not in before or len(before) < 2:
        return diagnosis
    if is_polar(sample.query):
        return diagnosis
    state = {**diagnosis.state, "sufficiency": (value,)}
    possible = {name: state.get(name, values) for name, values in VALUES.items()}
    absent = frozenset(diagnosis.not_available) & {"A3", "X3", "X4"}
    found = resolve(possible, not_available=absent)
    if not set(found.codes) < set(diagnosis.codes):
        return diagnosis
    category = CATALOGUE[found.code]
    proof = {name: told for name, told in diagnosis.proof.items() if name != "deciding"}
    proof["sufficiency"] = {"ladder": readings[0] if len(readings) == 1 else UNDECIDED}
    if found.deciding is not None:
        case = Case(sample, settings=settings)
        proof["deciding"] = {
            "input": found.deciding,
            "values": list(state[found.deciding]),
            "add": field_to_add(found.deciding, case, reach_of(case)),
        }
    return diagnosis.model_copy(
        update={
            "code": found.code,
            "name": category.name,
            "family": found.family if found.code == UNDETERMINED else category.family,
            "codes": found.codes,
            "flags": tuple(dict.fromkeys((*diagnosis.flags, *found.flags))),
            "basis": "counterfactual",
            "proof": proof,
            "deciding_input": found.deciding,
            "fix": category.fix,
            "next_experiment": category.next_experiment,
            "state": state,
        }
    )


def _sufficiency(rungs: Sequence[RungResult], readings: Sequence[Reading]) -> str | None:
    """What every reading that remains says of the context: sufficient ("yes"), "no", or nothing.

    Right only with the gold added: the context lacked it. Right with the context and not without:
    it was enough; so is a context that holds the gold, where the gold alone is.
    """
    held = any(one.name == "gold_appended" and one.same_as == "retrieved" for one in rungs)
    says = {"retrieval": "no", "context": "yes", **({"distraction": "yes"} if held else {})}
    told = {says.get(one) for one in readings}
    return told.pop() if len(told) == 1 else None


def _settled_proof(before: Diagnosis, after: Diagnosis) -> dict[str, Any]:
    """The code before the ladder, and what it settled, where it did."""
    proof: dict[str, Any] = {"before": {"code": before.code, "codes": list(before.codes)}}
    if after is not before:
        proof["settled"] = {"sufficiency": after.state["sufficiency"][0]}
    return proof


def _fits(diagnosis: Diagnosis, readings: Sequence[Reading]) -> bool | None:
    """Does what the ladder says bear the codes out, or contradict them all? None: neither."""
    told = {_fits_one(code, reading) for code in diagnosis.codes for reading in readings}
    return told.pop() if len(told) == 1 else None


def _fits_one(code: str, reading: Reading) -> bool | None:
    if reading in _BLAMED:
        return _BLAMED[reading].get(CATALOGUE[code].family, False)
    if code == "A2" and reading in ("memory", "context"):
        return reading == "memory"
    return None
