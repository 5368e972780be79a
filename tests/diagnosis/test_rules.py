"""Every state has exactly one code, every code is reached, and each row says what it should."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE, CODES, FAMILIES, UNDETERMINED, shared_family
from ragdiag.diagnosis.rules import RULES, STAGE_CODES, code_of, flags_of
from ragdiag.diagnosis.state import REACH, VALUES, State, every_state

RIGHT = State()
WRONG = replace(RIGHT, answer="wrong", faithfulness="contradicted")
LOST = replace(RIGHT, answer="wrong", sufficiency="no", reach="not_retrieved")
REFUSED = replace(RIGHT, behaviour="abstained", answer="wrong")
UNANSWERABLE = replace(RIGHT, answerable="no", sufficiency="no", reach="not_retrieved")

# One line a case: the code, the state, what differs from it.
ROWS = [
    ("X1", RIGHT, {"run": "error"}),
    ("X1", UNANSWERABLE, {"run": "error", "behaviour": "abstained"}),
    ("U1", UNANSWERABLE, {"behaviour": "abstained"}),
    ("U1", UNANSWERABLE, {"behaviour": "abstained", "sufficiency": "yes"}),
    ("U3", UNANSWERABLE, {"sufficiency": "yes"}),
    ("U2", UNANSWERABLE, {}),
    ("U2", UNANSWERABLE, {"answer": "wrong", "faithfulness": "unsupported"}),
    ("X3", RIGHT, {"sufficiency": "no"}),
    ("X3", WRONG, {"sufficiency": "no"}),
    ("X3", REFUSED, {"sufficiency": "no"}),
    ("G1", REFUSED, {}),
    ("G1", REFUSED, {"reach": "not_retrieved"}),
    ("R1", REFUSED, {"sufficiency": "no", "reach": "not_retrieved"}),
    ("D3", REFUSED, {"sufficiency": "no", "reach": "split"}),
    ("A1", RIGHT, {"identity": "wrong_identity", "reach": "not_retrieved", "sufficiency": "no"}),
    ("A1", RIGHT, {"identity": "wrong_identity", "reach": "below_k"}),
    ("A2", RIGHT, {"sufficiency": "no", "reach": "not_retrieved"}),
    ("A2", RIGHT, {"identity": "none"}),
    ("A2", RIGHT, {"faithfulness": "unsupported"}),
    ("A2", RIGHT, {"faithfulness": "contradicted", "citations": "wrong"}),
    ("A3", RIGHT, {"reach": "not_retrieved"}),
    ("A3", RIGHT, {"reach": "partial_in_context", "citations": "wrong", "faithfulness": "extra"}),
    ("A4", RIGHT, {"citations": "wrong"}),
    ("A4", RIGHT, {"identity": "wrong_identity"}),
    ("A5", RIGHT, {"citations": "missing", "faithfulness": "extra"}),
    ("A6", RIGHT, {"faithfulness": "extra"}),
    ("K1", RIGHT, {}),
    ("K1", RIGHT, {"citations": "not_required", "numeric": "scale", "near_miss": "period"}),
    ("D1", LOST, {"reach": "not_in_corpus", "near_miss": "period"}),
    ("D2", LOST, {"reach": "lost_in_parse"}),
    ("D3", LOST, {"reach": "split"}),
    ("R3", LOST, {"reach": "below_k"}),
    ("R4", LOST, {"reach": "dropped_rerank"}),
    ("R5", LOST, {"reach": "dropped_context"}),
    ("R6", LOST, {"reach": "partial_in_context", "answer": "partial"}),
    ("R2a", LOST, {"near_miss": "period"}),
    ("R2b", LOST, {"near_miss": "entity"}),
    ("R2c", LOST, {"near_miss": "metric_or_page"}),
    ("R1", LOST, {"near_miss": "other"}),
    ("R1", LOST, {"numeric": "wrong_formula"}),
    ("G7", RIGHT, {"answer": "partial"}),
    ("G7", RIGHT, {"answer": "partial", "numeric": "unexplained", "faithfulness": "extra"}),
    ("G3a", WRONG, {"numeric": "wrong_period"}),
    ("G3a", RIGHT, {"answer": "partial", "numeric": "wrong_period"}),
    ("G3b", WRONG, {"numeric": "wrong_entity"}),
    ("G3c", WRONG, {"numeric": "wrong_metric"}),
    ("G4", WRONG, {"numeric": "wrong_formula"}),
    ("G4", WRONG, {"numeric": "wrong_formula", "reach": "not_retrieved"}),
    ("G5", WRONG, {"numeric": "scale"}),
    ("G6", WRONG, {"numeric": "sign_rounding_format"}),
    ("G2", WRONG, {"numeric": "unexplained"}),
    ("G2", WRONG, {"answer": "partial"}),
    ("G9", WRONG, {"faithfulness": "unsupported", "reach": "not_retrieved"}),
    ("X4", WRONG, {"faithfulness": "faithful", "reach": "not_retrieved"}),
    ("G8", WRONG, {"faithfulness": "extra"}),
    ("G8", WRONG, {"faithfulness": "faithful", "numeric": "ok"}),
]


@pytest.mark.parametrize(("code", "state", "changes"), ROWS)
def test_row(code: str, state: State, changes: dict[str, str]) -> None:
    assert code_of(replace(state, **changes)) == code


def test_rows_show_every_code() -> None:
    assert {code for code, _, _ in ROWS} == {row.code for row in RULES}


def test_every_state_has_one_code_and_every_code_is_reached() -> None:
    counts = Counter(code_of(state) for state in every_state())
    # 2 run x 2 answerable x 2 behaviour x 3 answer x 2 sufficiency x 9 reach x 4 faithfulness
    # x 9 numeric x 3 identity x 5 near_miss x 4 citations
    assert sum(counts.values()) == 2 * 2 * 2 * 3 * 2 * 9 * 4 * 9 * 3 * 5 * 4
    assert set(counts) == set(CODES) - {UNDETERMINED}
    assert counts["X1"] == sum(counts.values()) // 2
    # K1: reach, sufficiency, identity, faithfulness fixed, two kinds of citations; 9 x 5 free.
    assert counts["K1"] == 2 * 9 * 5
    # A4: 9 x 5 free; identity right: 2 faithfulness, wrong citations; wrong: 2 x 4 citations.
    assert counts["A4"] == 9 * 5 * (2 * 1 + 2 * 4)
    # D1 (as every reach row): answered partial or wrong, or abstained (3 answers).
    assert counts["D1"] == 5 * 4 * 9 * 3 * 5 * 4
    assert counts["R2a"] == counts["D1"] // 5
    assert counts["R1"] == 2 * counts["R2a"]


def test_catalogue_knows_every_row() -> None:
    assert set(CODES) == {row.code for row in RULES} | {UNDETERMINED}
    assert len({row.code for row in RULES}) == len(RULES) == 35
    assert {category.family for category in CATALOGUE.values()} == {*FAMILIES, None}
    assert len({category.name for category in CATALOGUE.values()}) == len(CATALOGUE)
    stage = {code for code in CODES if code[0] in "DR"}
    assert stage == STAGE_CODES
    assert {CATALOGUE[code].family for code in stage} == {"retrieval"}


def test_shared_family() -> None:
    assert shared_family(("A2", "A6")) == "grounding"
    assert shared_family(("A2", "A3")) is None
    assert shared_family(()) is None


@pytest.mark.parametrize(
    ("state", "flags"),
    [
        (RIGHT, ()),
        (replace(RIGHT, citations="missing", faithfulness="extra"), ("A6",)),
        (replace(RIGHT, citations="wrong", faithfulness="extra"), ("A6",)),
        (
            replace(RIGHT, identity="wrong_identity", sufficiency="no", reach="not_retrieved"),
            ("A2", "A4"),
        ),
        # Only a sufficient context hints at missing labels.
        (replace(RIGHT, sufficiency="no", reach="not_retrieved"), ()),
        (replace(RIGHT, identity="none", reach="not_retrieved"), ("A3",)),
        (LOST, ("should_have_abstained",)),
        (replace(LOST, answer="partial"), ()),
        (
            replace(LOST, reach="below_k", near_miss="period"),
            ("R2a", "should_have_abstained"),
        ),
        (replace(REFUSED, sufficiency="no", reach="split"), ("safe_abstention",)),
        (replace(REFUSED, sufficiency="no"), ()),
        (replace(UNANSWERABLE, behaviour="abstained", sufficiency="yes"), ("U3",)),
        (replace(WRONG, numeric="scale", reach="not_retrieved"), ("G2", "X4")),
        (replace(LOST, run="error"), ()),
    ],
)
def test_flags(state: State, flags: tuple[str, ...]) -> None:
    assert flags_of(state) == flags


def test_a_stage_code_says_how_the_system_behaved() -> None:
    for reach in REACH[:-1]:
        for near_miss in VALUES["near_miss"]:
            state = replace(LOST, reach=reach, near_miss=near_miss)
            assert code_of(state) in STAGE_CODES
            assert flags_of(state)[-1] == "should_have_abstained"
            refused = replace(state, behaviour="abstained")
            assert code_of(refused) == code_of(state)
            assert flags_of(refused)[-1] == "safe_abstention"
