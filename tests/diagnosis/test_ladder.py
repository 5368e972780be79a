"""What rungs say of a code: every pattern of right and wrong, sets, controls, and what is settled."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.diagnosis.ladder import read_rungs, with_ladder
from ragdiag.diagnosis.ladder_story import ladder_story
from ragdiag.records import (
    RUNGS,
    Diagnosis,
    LabelResult,
    LadderRecord,
    SampleResult,
    Settings,
    Verdict,
)
from tests.ladders import OPEN, RIGHT, SILENT, WRONG, ladder, record, sample

T, F, U = (True,), (False,), (True, False)

READ = [
    # closed book, retrieved, gold appended, gold only; is the recorded answer right; readings
    ((F, F, T, T), False, "retrieval"),
    ((F, F, T, F), False, "retrieval"),
    ((F, F, F, T), False, "distraction"),
    ((F, F, F, F), False, "generator"),
    ((T, F, F, F), False, "memory"),
    ((T, F, T, T), False, "memory"),
    ((T, T, T, T), True, "memory"),
    ((F, T, T, T), True, "context"),
    ((F, T, F, F), True, "context"),
    # The same context gives another result today: nothing is proven.
    ((F, T, T, T), False, "unstable"),
    ((T, T, T, T), False, "unstable"),
    ((F, F, T, T), True, "unstable"),
    ((T, F, T, T), True, "unstable"),
    # Nobody knows whether the recorded answer is right: there is no control.
    ((F, T, T, T), None, "context"),
    ((F, F, T, T), None, "retrieval"),
    ((T, T, T, T), None, "memory"),
    # What is not decided leaves a set.
    ((F, F, U, T), False, "retrieval distraction"),
    ((F, F, F, U), False, "distraction generator"),
    ((F, F, U, F), False, "retrieval generator"),
    ((F, F, U, U), False, "retrieval distraction generator"),
    ((U, F, T, T), False, "retrieval memory"),
    ((F, U, T, T), False, "retrieval unstable"),
    ((F, U, T, T), None, "retrieval context"),
    ((T, F, U, U), False, "memory"),
    ((F, F, T, U), False, "retrieval"),
]


@pytest.mark.parametrize(("right", "recorded", "readings"), READ)
def test_the_first_rung_that_is_right_names_the_stage(
    right: tuple[tuple[bool, ...], ...], recorded: bool | None, readings: str
) -> None:
    told = read_rungs(dict(zip(RUNGS, right, strict=True)), recorded)
    assert told == tuple(readings.split())


def test_rungs_that_share_an_answer_are_right_together() -> None:
    right = {"closed_book": F, "retrieved": U, "gold_appended": U, "gold_only": T}
    apart = read_rungs(right, None)  # type: ignore[arg-type]
    together = read_rungs(right, None, same_as={"gold_appended": "retrieved"})  # type: ignore[arg-type]
    assert apart == ("retrieval", "distraction", "context")
    assert together == ("distraction", "context")


def result(
    code: str, *, label: str | None = "incorrect", codes: str = "", **fields: Any
) -> SampleResult:
    told = {
        "code": code,
        "name": CATALOGUE[code].name,
        "family": CATALOGUE[code].family,
        "codes": tuple(codes.split()) or (code,),
        "basis": "labels",
        "proof": {"reach": {"gold_set": 0}},
    } | fields
    labels = {"answer_correctness": LabelResult(label=label, judge="code")}
    return SampleResult(
        query_id="q1", scores={}, labels=labels, diagnosis=Diagnosis.model_validate(told)
    )


def told(
    code: str, records: list[LadderRecord], *, changes: dict[str, Any] | None = None, **fields: Any
) -> Diagnosis:
    found = with_ladder(
        result(code, **fields), sample(**changes or {}), records, settings=Settings()
    )
    return found.diagnosis


@pytest.mark.parametrize(
    ("code", "label", "answers", "flags", "confirms"),
    [
        ("R1", "incorrect", (SILENT, WRONG, RIGHT, RIGHT), "ladder:retrieval", True),
        ("D1", "incorrect", (SILENT, SILENT, RIGHT, RIGHT), "ladder:retrieval", True),
        ("R1", "incorrect", (WRONG, WRONG, WRONG, RIGHT), "ladder:distraction ladder_disagrees", False),
        ("R6", "incorrect", (WRONG, WRONG, WRONG, WRONG), "ladder:generator ladder_disagrees", False),
        ("G9", "incorrect", (WRONG, WRONG, WRONG, WRONG), "ladder:generator", True),
        ("G9", "incorrect", (WRONG, WRONG, WRONG, RIGHT), "ladder:distraction", True),
        ("G9", "incorrect", (WRONG, WRONG, RIGHT, RIGHT), "ladder:retrieval ladder_disagrees", False),
        ("G1", "abstained", (SILENT, SILENT, SILENT, SILENT), "ladder:generator", True),
        ("X3", "incorrect", (SILENT, WRONG, WRONG, RIGHT), "ladder:distraction", None),
        ("X3", "incorrect", (SILENT, WRONG, WRONG, WRONG), "ladder:generator", True),
        ("X4", "incorrect", (SILENT, WRONG, RIGHT, RIGHT), "ladder:retrieval ladder_disagrees", False),
        ("R1", "incorrect", (RIGHT, WRONG, WRONG, WRONG), "ladder:memory", None),
        ("R1", "incorrect", (SILENT, RIGHT, RIGHT, RIGHT), "ladder:unstable", None),
        # Correct answers: from memory, or from the context after all.
        ("A2", "correct", (RIGHT, RIGHT, RIGHT, RIGHT), "ladder:memory", True),
        ("A2", "correct", (WRONG, RIGHT, RIGHT, RIGHT), "ladder:context ladder_disagrees", False),
        ("K1", "correct", (RIGHT, RIGHT, RIGHT, RIGHT), "ladder:memory", None),
        ("K1", "correct", (SILENT, RIGHT, RIGHT, RIGHT), "ladder:context", None),
        ("X1", "incorrect", (WRONG, WRONG, WRONG, WRONG), "ladder:generator", None),
        ("A4", "correct", (SILENT, WRONG, RIGHT, RIGHT), "ladder:unstable", None),
        # Not decided; both readings that remain speak against the code, or only one does.
        ("R1", "incorrect", (WRONG, WRONG, WRONG, OPEN), "ladder:undecided ladder_disagrees", False),
        ("R1", "incorrect", (WRONG, WRONG, OPEN, RIGHT), "ladder:undecided", None),
    ],
)  # fmt: skip
def test_a_reading_bears_a_code_out_or_contradicts_it_and_the_code_stays(
    code: str, label: str, answers: tuple[str, ...], flags: str, confirms: bool | None
) -> None:
    answer = {"correct": RIGHT, "incorrect": WRONG, "abstained": SILENT}[label]
    found = told(code, ladder(*answers), label=label, changes={"answer": answer})
    assert found.code == code
    assert found.codes == (code,)
    assert found.basis == "labels"
    assert found.flags == tuple(flags.split())
    assert found.proof["ladder"]["confirms"] is confirms
    assert found.proof["reach"] == {"gold_set": 0}


def test_the_proof_holds_what_was_said() -> None:
    proof = told("R1", ladder(SILENT, WRONG, RIGHT, RIGHT)).proof["ladder"]
    assert proof["generator"] == "rag.py:generate"
    assert proof["reading"] == "retrieval"
    assert proof["control"] == "same"
    assert proof["n_calls"] == 4
    assert proof["before"] == {"code": "R1", "codes": ["R1"]}
    assert [(one["rung"], one["state"], one["label"]) for one in proof["rungs"]] == [
        ("closed_book", "wrong", "abstained"),
        ("retrieved", "wrong", "incorrect"),
        ("gold_appended", "right", "correct"),
        ("gold_only", "right", "correct"),
    ]


def test_no_record_and_no_code_leave_the_result_as_it_is() -> None:
    before = result("R1")
    assert with_ladder(before, sample(), [], settings=Settings()) is before
    uncoded = before.model_copy(
        update={"diagnosis": Diagnosis(code=None, status_reason="no_answer")}
    )
    assert (
        with_ladder(uncoded, sample(), ladder(WRONG, WRONG, RIGHT, RIGHT), settings=Settings())
        is uncoded
    )


UNSUPPORTED = {
    "run": ("ok",), "answerable": ("yes",), "behaviour": ("answered",), "answer": ("correct",),
    "reach": ("not_retrieved",), "near_miss": ("none",), "sufficiency": ("yes", "no"),
    "faithfulness": ("faithful",), "identity": ("right",), "citations": ("ok",),
}  # fmt: skip
"""Right, and other passages than the gold support it: A2, or A3 where the context was enough."""
MISSED = UNSUPPORTED | {
    "answer": ("wrong",),
    "numeric": ("none",),
    "faithfulness": ("unsupported",),
}
"""Wrong, and nobody knows whether the context was enough: R1 or G9."""


@pytest.mark.parametrize(
    ("state", "label", "codes", "records", "changes", "code"),
    [
        (MISSED, "incorrect", "R1 G9", ladder(SILENT, WRONG, RIGHT, RIGHT), {}, "R1"),
        (UNSUPPORTED, "correct", "A2 A3", ladder(SILENT, RIGHT, RIGHT, RIGHT), {"answer": RIGHT}, "A3"),
        # The gold stands in the context already, and is enough when it is alone.
        (MISSED | {"reach": ("in_context",)}, "incorrect", "X3 G9",
         [*ladder(SILENT, WRONG, None, RIGHT)[:2], record("gold_appended", same_as="retrieved"),
          record("gold_only", RIGHT)], {}, "G9"),
        # These say nothing of the context.
        (UNSUPPORTED, "correct", "A2 A3", ladder(RIGHT, RIGHT, RIGHT, RIGHT), {"answer": RIGHT}, None),
        (MISSED, "incorrect", "R1 G9", ladder(SILENT, WRONG, WRONG, WRONG), {}, None),
        (MISSED, "incorrect", "R1 G9", ladder(SILENT, WRONG, WRONG, RIGHT), {}, None),
        (MISSED, "incorrect", "R1 G9", ladder(SILENT, RIGHT, RIGHT, RIGHT), {}, None),
        (MISSED, "incorrect", "R1 G9", ladder(SILENT, WRONG, OPEN, RIGHT), {}, None),
        # A yes or no is right half of the time by chance.
        (MISSED, "incorrect", "R1 G9", ladder("No.", "No.", "Yes.", "Yes."),
         {"query": "Did the plant produce oil in 2017?", "reference": ["Yes"], "answer": "No."}, None),
    ],
)  # fmt: skip
def test_an_undetermined_query_is_settled_where_the_ladder_tells_if_the_context_was_enough(
    state: Any, label: str, codes: str, records: list[LadderRecord], changes: Any, code: str | None
) -> None:
    undecided = {"deciding_input": "sufficiency", "state": state, "family": None}
    proof = {"deciding": {"input": "sufficiency"}, "reach": {}}
    found = told("X2", records, label=label, codes=codes, proof=proof, changes=changes, **undecided)
    if code is None:
        assert (found.code, found.basis, found.deciding_input) == ("X2", "labels", "sufficiency")
        assert "settled" not in found.proof["ladder"]
        return
    assert (found.code, found.codes, found.basis) == (code, (code,), "counterfactual")
    assert (found.name, found.family) == (CATALOGUE[code].name, CATALOGUE[code].family)
    assert found.fix == CATALOGUE[code].fix
    assert found.deciding_input is None
    assert "deciding" not in found.proof
    assert len(found.state["sufficiency"]) == 1
    assert found.proof["ladder"]["before"] == {"code": "X2", "codes": codes.split()}
    assert "settles that the context is" in "\n".join(ladder_story(found.proof, found.code))


def test_what_stays_open_after_it_names_its_field() -> None:
    state = MISSED | {
        "faithfulness": ("unsupported", "contradicted"),
        "reach": ("below_k", "dropped_context"),
    }
    undecided = {"deciding_input": "sufficiency", "state": state, "family": None}
    found = told("X2", ladder(SILENT, WRONG, RIGHT, RIGHT), codes="R3 R5 G2 G9", **undecided)
    assert (found.code, found.codes, found.family) == ("X2", ("R3", "R5"), "retrieval")
    assert found.proof["deciding"]["input"] == found.deciding_input == "reach"
    assert "stages.candidates" in found.proof["deciding"]["add"]


def repeated(*answers: str | None) -> list[LadderRecord]:
    """The gold-appended rung several times; None = it broke."""
    rest = ladder(SILENT, WRONG, None, RIGHT)
    return [rest[0], rest[1], rest[3]] + [
        record("gold_appended", one, repeat=n, error=None if one else "ValueError: no")
        for n, one in enumerate(answers, 1)
    ]


@pytest.mark.parametrize(
    ("answers", "flags"),
    [
        ((RIGHT, RIGHT, RIGHT), "ladder:retrieval"),
        ((RIGHT, WRONG, RIGHT), "ladder:retrieval ladder_varies"),
        ((RIGHT, None, RIGHT), "ladder:retrieval"),
        ((WRONG, RIGHT, SILENT), "ladder:distraction ladder_disagrees ladder_varies"),
        ((RIGHT, WRONG), "ladder:undecided ladder_varies"),
        ((RIGHT, None), "ladder:undecided"),
        ((None, None), "ladder:undecided"),
        ((None,), "ladder:undecided"),
    ],
)
def test_the_majority_of_repeats_counts_and_disagreement_is_said(
    answers: tuple[str | None, ...], flags: str
) -> None:
    found = told("R1", repeated(*answers))
    assert found.flags == tuple(flags.split())
    (rung,) = (one for one in found.proof["ladder"]["rungs"] if one["rung"] == "gold_appended")
    if len(answers) > 1:
        assert (rung["n_right"], rung["n"]) == (answers.count(RIGHT), len(answers))
    assert rung.get("error") == ("ValueError: no" if None in answers else None)


def test_a_rung_that_is_not_there_or_was_not_asked_yet_leaves_a_set() -> None:
    bare = [
        *ladder(SILENT, WRONG, None, None)[:2],
        *(record(one, not_available="no gold") for one in RUNGS[2:]),
    ]
    proof = told("G9", bare).proof["ladder"]
    assert proof["readings"] == ["retrieval", "distraction", "generator"]
    assert proof["rungs"][3] == {"rung": "gold_only", "state": "not_available", "why": "no gold"}
    begun = told("G9", ladder(SILENT, None, None, None)[:1]).proof["ladder"]
    assert "retrieval" in begun["readings"]
    assert begun["rungs"][1] == {"rung": "retrieved", "state": "not_asked"}


def test_a_wrong_recorded_answer_stands_for_a_context_that_is_not_known() -> None:
    """A right one does not: that it rests on what nobody knows would be a guess."""
    records = [record("closed_book", SILENT), record("retrieved", not_available="?"),
               record("gold_appended", not_available="?"), record("gold_only", WRONG)]  # fmt: skip
    proof = told("G9", records).proof["ladder"]
    assert proof["readings"] == ["retrieval", "generator"]
    assert proof["control"] is None
    right = told("K1", records, label="correct").proof["ladder"]
    assert right["readings"] == ["context", "unstable"]


def test_the_recorded_answer_again_has_its_own_label() -> None:
    """A person said that it is right, though code says otherwise: of the same words again too."""
    found = told("A2", ladder(SILENT, f" {WRONG}\n", RIGHT, RIGHT), label="correct")
    assert found.proof["ladder"]["reading"] == "context"


def test_a_judge_decides_where_code_does_not_and_only_of_its_own_answer() -> None:
    verdict = Verdict(query_id="?", check="correctness", label="correct", judge="llm:m")
    records = [*ladder(SILENT, WRONG, None, RIGHT)[:2], record("gold_appended", OPEN, replies=(verdict,)),
               record("gold_only", OPEN)]  # fmt: skip
    rungs = told("R1", records).proof["ladder"]["rungs"]
    assert (rungs[2]["state"], rungs[2]["basis"], rungs[2]["judge"]) == ("right", "judged", "llm:m")
    assert rungs[3]["state"] == "undecided"


@pytest.mark.parametrize("answer", ["", "  \n"])
def test_nothing_said_is_not_right(answer: str) -> None:
    rungs = told("R1", ladder(answer, WRONG, RIGHT, RIGHT)).proof["ladder"]["rungs"]
    assert (rungs[0]["state"], rungs[0]["label"]) == ("wrong", "no_answer")


def test_a_marker_of_a_citation_is_no_number_of_the_answer() -> None:
    """Read as a number, the marker would make it 17 million."""
    cited = record("gold_appended", "120 [17] million barrels.", passages=("old", "17"))
    records = [*ladder(SILENT, WRONG, None, None)[:2], cited, record("gold_only", RIGHT)]
    assert told("R1", records).flags == ("ladder:retrieval",)


STORY = """asked of rag.py:generate
without any passage: not right (abstained by code): “I do not know.”
with the retrieved context: not right (incorrect by code), from 2 passages: “It produced 95 million barrels.”
with the gold added to it: right (correct by code), adding gold: “It produced 120 million barrels.”
with the gold alone: error, from gold; TimeoutError: no result within 1 s
retrieval: the answer turns right once the gold is added: retrieval did not bring what was needed
it bears out R1"""


def test_the_story() -> None:
    records = [
        record("closed_book", SILENT),
        record("retrieved", WRONG, passages=("old", "noise")),
        record("gold_appended", RIGHT, passages=("old", "noise", "gold")),
        record("gold_only", error="TimeoutError: no result within 1 s", passages=("gold",)),
    ]
    found = told("R1", records)
    assert "\n".join(ladder_story(found.proof, found.code)) == STORY
    assert list(ladder_story({}, "R1")) == []


def test_the_story_of_what_is_shared_repeated_open_or_against_the_code() -> None:
    records = [
        record("closed_book", SILENT),
        *(record("retrieved", one, repeat=n) for n, one in enumerate((WRONG, RIGHT, WRONG), 1)),
        record("gold_appended", same_as="retrieved"),
        record("gold_only", not_available="no text of the gold page=3"),
    ]
    found = told("R1", records)
    lines = list(ladder_story(found.proof, found.code))
    assert lines[2].startswith(
        "with the retrieved context: not right (incorrect by code), 1 of 3 times right"
    )
    assert (
        lines[3] == "with the gold added to it: not right (the same as with the retrieved context)"
    )
    assert lines[4] == "with the gold alone: not available (no text of the gold page=3)"
    assert lines[5] == "not decided between: distraction, generator"
    assert (
        lines[6]
        == "it disagrees with R1, which is kept: mending that stage alone would not turn this answer right"
    )
