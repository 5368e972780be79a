"""Unknown inputs: all completions, exactly; one code or X2 with its deciding input."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE, CODES, FAMILIES
from ragdiag.diagnosis.rules import code_of, flags_of
from ragdiag.diagnosis.state import INPUTS, VALUES, State, every_state
from ragdiag.diagnosis.unknowns import resolve

KNOWN = {name: (getattr(State(), name),) for name in INPUTS}
STAGES = ("below_k", "dropped_rerank", "dropped_context")


def partly(**values: tuple[str, ...] | str) -> dict[str, tuple[str, ...]]:
    """A fully correct query, but for these inputs."""
    return KNOWN | {k: (v,) if isinstance(v, str) else v for k, v in values.items()}


def wrong(**values: tuple[str, ...] | str) -> dict[str, tuple[str, ...]]:
    """A wrong answer to a sufficient context, but for these inputs."""
    return partly(**{"answer": "wrong", "faithfulness": "contradicted", **values})


@pytest.mark.parametrize(
    ("possible", "codes", "family", "deciding"),
    [
        (partly(), ("K1",), "success", None),
        # Read by no row: it does not matter.
        (partly(near_miss=("period", "none"), numeric=VALUES["numeric"]), ("K1",), "success", None),
        # Code supports the carrying claim by other passages.
        (
            partly(reach="not_retrieved", sufficiency=("yes", "no")),
            ("A2", "A3"), None, "sufficiency",
        ),
        (partly(faithfulness=("extra", "unsupported")), ("A2", "A6"), "grounding", "faithfulness"),
        (partly(faithfulness=("unsupported", "contradicted")), ("A2",), "grounding", None),
        (wrong(sufficiency="no", reach=STAGES), ("R3", "R4", "R5"), "retrieval", "reach"),
        (wrong(numeric=("wrong_formula", "unexplained")), ("G4", "G2"), "generation", "numeric"),
        (
            wrong(faithfulness=VALUES["faithfulness"], numeric="scale"),
            ("G5",), "generation", None,
        ),
        (
            wrong(faithfulness=VALUES["faithfulness"]),
            ("G2", "G9", "G8"), "generation", "faithfulness",
        ),
        (
            partly(answerable="no", sufficiency=("yes", "no")),
            ("U3", "U2"), None, "sufficiency",
        ),
        (
            partly(behaviour=("answered", "abstained"), sufficiency="no", reach="split"),
            ("A2", "D3"), None, "behaviour",
        ),
        # citations leave 1 or 2 codes, faithfulness 2 or 2.
        (
            partly(faithfulness=("faithful", "extra"), citations=("ok", "wrong")),
            ("A4", "A6", "K1"), None, "citations",
        ),
        # near_miss alone matters where the evidence was missed.
        (
            wrong(sufficiency="no", reach="not_retrieved", near_miss=("period", "other", "none")),
            ("R2a", "R1"), "retrieval", "near_miss",
        ),
    ],
)  # fmt: skip
def test_codes(
    possible: dict[str, tuple[str, ...]], codes: tuple[str, ...], family: str, deciding: str
) -> None:
    outcome = resolve(possible)
    assert outcome.codes == codes
    assert outcome.code == (codes[0] if len(codes) == 1 else "X2")
    assert (outcome.family, outcome.deciding) == (family, deciding)


def test_not_available_codes_are_dropped() -> None:
    possible = wrong(reach=("not_retrieved", "in_context"), faithfulness="extra")
    assert resolve(possible).codes == ("X4", "G8")
    without_gold = frozenset(("A3", "X3", "X4"))
    assert resolve(possible, not_available=without_gold).codes == ("G8",)
    disputed = partly(sufficiency="no", reach="in_context")
    assert resolve(disputed, not_available=without_gold).codes == ("X3",)


def test_deciding_input_counts_only_what_is_available() -> None:
    possible = wrong(
        sufficiency=("yes", "no"), reach=("not_retrieved", "in_context"), faithfulness="faithful"
    )
    outcome = resolve(possible, not_available=frozenset(("A3", "X3", "X4")))
    assert outcome.codes == ("R1", "G8")
    assert outcome.deciding == "sufficiency"


def test_an_impossible_value_is_refused() -> None:
    with pytest.raises(ValueError, match="reach must be some of"):
        resolve(partly(reach="nowhere"))
    with pytest.raises(ValueError, match="citations must be some of"):
        resolve(partly(citations=()))


def test_equal_to_listing_all_completions() -> None:
    draw = random.Random(7)
    for _ in range(250):
        possible = {
            name: tuple(sorted(draw.sample(values, draw.choice((1, 1, 1, 2, 2))), key=values.index))
            for name, values in VALUES.items()
        }
        completions = [State(*values) for values in product(*possible.values())]
        codes = {code_of(state) for state in completions}
        held = [{*flags_of(state), code_of(state)} for state in completions]
        outcome = resolve(possible)
        assert set(outcome.codes) == codes
        assert set(outcome.flags) == set.intersection(*held) - codes


def test_reads_are_what_the_code_rests_on() -> None:
    assert resolve(partly(run="error")).reads == {"run"}
    assert resolve(partly(behaviour="abstained")).reads == {
        "run", "answerable", "behaviour", "sufficiency",
    }  # fmt: skip
    assert "numeric" in resolve(wrong()).reads
    assert "numeric" not in resolve(wrong(sufficiency="no")).reads


def test_one_unknown_input() -> None:
    """The share of states whose code (family) stays unique while one input is unknown."""
    shape = tuple(len(values) for values in VALUES.values())
    order = {code: number for number, code in enumerate(CODES)}
    codes = np.fromiter((order[code_of(s)] for s in every_state()), dtype=np.int8).reshape(shape)
    family_of = np.array(
        [FAMILIES.index(CATALOGUE[c].family or "pipeline") for c in CODES], dtype=np.int8
    )
    families = family_of[codes]
    shares: dict[str, tuple[float, float]] = {}
    for axis, name in enumerate(INPUTS[1:]):
        code_ok, family_ok = (
            float((a[0].max(axis=axis) == a[0].min(axis=axis)).mean()) for a in (codes, families)
        )
        shares[name] = (code_ok, family_ok)
        print(f"{name:13} unique code {code_ok:.4f}, unique family {family_ok:.4f}")
    # Of the runs without error half are answerable; there, with the answer known to be correct
    # (1/3), answered (1/2) and grounded in the context, citations matter: in A4, A5, A6 and K1.
    grounded = 2 * 9 * 5  # faithful or extra, any numeric, any near miss; the identity right
    others = codes[0].size // 4
    assert shares["citations"][0] == pytest.approx(1 - grounded / others)
    assert shares["citations"][1] == pytest.approx(1 - grounded / 2 / others)
    # near_miss: not correct or abstained (5 of 6), insufficient, not retrieved.
    missed = 5 * 4 * 9 * 3 * 4
    assert shares["near_miss"][0] == pytest.approx(1 - missed / (codes[0].size // 5))
    assert shares["near_miss"][1] == 1
    # answerable: U against the codes of an answerable question, never one code.
    assert shares["answerable"][0] == 0
