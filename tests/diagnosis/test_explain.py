"""The story of a query: every part is told, none is made up."""

from __future__ import annotations

from typing import Any

from ragdiag.diagnosis.diagnose import diagnose
from ragdiag.diagnosis.explain import STAGE_WORDS, Section, story
from ragdiag.diagnosis.state import REACH
from ragdiag.records import (
    ClaimResult,
    Diagnosis,
    LabelResult,
    Reached,
    Sample,
    SampleResult,
    Settings,
    Unusable,
)
from ragdiag.text.case import Case

SAMPLE: dict[str, Any] = {
    "query_id": "q1",
    "query": "How much power did Norra Energy sell in 2023?",
    "history": [["user", "Hello"], ["assistant", "Hello!"]],
    "reference": ["812 GWh"],
    "answerable": True,
    "gold": [[{"passage_id": "g"}, {"passage_id": "h"}]],
    "target": {"entity": "Norra Energy", "period": "2023"},
    "retrieved": [
        {"passage_id": "g", "page": 4, "text": "Norra Energy sold 812 GWh in 2023. " + "x " * 200},
        {
            "passage_id": "old",
            "text": "In 2021 it sold 640 GWh.",
            "metadata": {"entity": "Norra Energy", "period": "2021"},
        },
        {"passage_id": "noise"},
    ],
    "context": ["g", "old", {"passage_id": "added", "text": "From a cache."}],
    "stages": {"candidates": ["g", "old", "noise", "h"]},
    "answer": "It sold 640 GWh [2]. It is listed [7].",
}
CLAIM = ClaimResult(
    claim_id="c1",
    text="It sold 640 GWh.",
    start=0,
    end=16,
    label="contradicted",
    quote="sold 812 GWh in 2023",
    passage_id="g",
    carries_answer=True,
    cited=("old",),
    citation_label="unsupported",
)
LISTED = ClaimResult(
    claim_id="c2",
    text="It is listed.",
    start=21,
    end=34,
    label=None,
    unscored="quote_not_found",
    cited=(None,),
)


def told(
    sample: dict[str, Any],
    labels: dict[str, LabelResult] | None = None,
    claims: tuple[ClaimResult, ...] = (),
) -> dict[str, tuple[str, ...]]:
    given = Sample.model_validate(sample)
    labels = labels or {}
    found = diagnose(Case(given, settings=Settings()), labels=labels, claims=claims, scores={})
    result = SampleResult(
        query_id=given.query_id, scores={}, labels=labels, claims=claims, diagnosis=found
    )
    return {section.title: section.lines for section in story(given, result)}


def test_the_whole_story() -> None:
    labels = {
        "answer_correctness": LabelResult(label="incorrect", judge="code", basis="deterministic"),
        "faithfulness": LabelResult(label=None, reason="undecided"),
    }
    parts = told(SAMPLE, labels, (CLAIM, LISTED))
    assert list(parts) == [
        "In short", "Asked", "Answered", "Retrieved", "Where the evidence went", "Claims", "Citations",
        "Checks", "Diagnosis", "Next",
    ]  # fmt: skip
    assert parts["Asked"] == (
        "user: Hello",
        "assistant: Hello!",
        "How much power did Norra Energy sell in 2023?",
        "reference: 812 GWh",
        "labelled answerable",
        "asked of: entity Norra Energy, period 2023",
    )
    first, second, third, added = parts["Retrieved"]
    assert first.startswith("1. g, p. 4 (gold): Norra Energy sold")
    assert first.endswith("…")
    assert second == "2. old (near miss: another period): In 2021 it sold 640 GWh."
    assert third == "3. noise (not in the context): no text"
    assert added == "in the context but not retrieved: added"
    assert parts["Where the evidence went"] == (
        "gold passage_id=g: it reached the context (rank 1 of context)",
        "gold passage_id=h: it was found, but ranked below the cut-off (rank 4 of candidates)",
        "near miss (period) at rank 2: old (entity match, period mismatch)",
    )
    assert parts["Claims"] == (
        "[contradicted, judged, carries the answer] It sold 640 GWh. — “sold 812 GWh in 2023” [g]",
        "[undecided (quote_not_found), judged] It is listed.",
    )
    assert parts["Citations"] == (
        "[2]: old",
        "[7]: dangling, no such passage in the context",
        "old for “It sold 640 GWh.”: unsupported",
        "dangling for “It is listed.”: undecided",
    )
    assert parts["Checks"][0] == "answer_correctness: incorrect (deterministic, code)"
    assert parts["Checks"][1] == "faithfulness: undecided (judged)"
    assert parts["Diagnosis"][0] == ("R6 incomplete_multi_evidence (retrieval; rests on: labels)")
    assert "reach: partial_in_context" in parts["Diagnosis"]
    assert "sufficiency: no (gold no complete set is in the context)" in parts["Diagnosis"]
    assert parts["Diagnosis"][-2] == ("flags: R2a wrong_period_retrieved, should_have_abstained")
    assert parts["Next"] == ("fix: retriever", "next experiment: decompose the query")


def test_undetermined_names_the_deciding_input() -> None:
    parts = told(SAMPLE | {"reference": ["a lot"]}, {}, (CLAIM,))
    assert parts["Diagnosis"][0] == "X2 undetermined (no one family; rests on: judged)"
    assert parts["Diagnosis"][1] == "possible: A1, A2, R6"
    assert parts["Next"] == (
        "deciding input: answer; add a label answer_correctness",
        "to settle it, put this line into labels.jsonl, with the label "
        "correct | partial | incorrect | abstained:",
        '{"query_id": "q1", "check": "answer_correctness", "label": "…", "annotator": "you"}',
        "then: ragdiag evaluate … --judge cascade:file:labels.jsonl,screen",
        "next experiment: a person settles the deciding input",
    )


def test_a_reference_is_asked_for_where_there_is_none() -> None:
    without = {key: value for key, value in SAMPLE.items() if key != "reference"}
    first = told(without, {}, (CLAIM,))["Next"][0]
    assert first == "deciding input: answer; add reference, or a label answer_correctness"


def test_only_the_stages_that_are_absent_are_asked_for() -> None:
    lists = {"retrieved": ["old", "g"], "context": ["old"], "gold": [[{"passage_id": "g"}]]}
    labels = {"answer_correctness": LabelResult(label="incorrect", basis="labels")}
    for stages, asked in (
        ({}, "stages.candidates, stages.reranked"),
        ({"reranked": ["old", "g"]}, "stages.candidates"),
    ):
        parts = told(SAMPLE | lists | {"stages": stages}, labels, (CLAIM,))
        assert parts["Next"][0] == f"deciding input: reach; add {asked}"
        assert not any("labels.jsonl" in line for line in parts["Next"])


def test_nothing_is_said_twice_or_emptily() -> None:
    labels = {
        "answer_correctness": LabelResult(label="correct", basis="labels"),
        "evidence_identity": LabelResult(label="right", basis="labels", judge=""),
        "sufficiency": LabelResult(label=None, reason="undecided", judge="screen"),
        "faithfulness": LabelResult(label=None, reason="jury_split", judge="screen"),
    }
    open_claim = CLAIM.model_copy(update={"label": None, "unscored": "undecided"})
    parts = told(SAMPLE, labels, (open_claim,))
    assert parts["Claims"][0].startswith("[undecided, judged, carries the answer] It sold")
    assert "sufficiency: undecided (judged, screen)" in parts["Checks"]
    assert "faithfulness: undecided (jury_split) (judged, screen)" in parts["Checks"]
    assert "identity: right (label right)" in parts["Diagnosis"]
    assert "answerable: yes (stated)" in parts["Diagnosis"]
    without = SAMPLE | {"target": {}}
    assert "identity: not tested (no target)" in told(without, labels, (CLAIM,))["Diagnosis"]


def test_failed_and_empty_samples() -> None:
    bare = {"query_id": "q", "query": "?"}
    parts = told(bare | {"error": "no index", "answer": None, "answerable": False})
    assert parts["Asked"] == ("?", "labelled unanswerable")
    assert parts["Answered"] == ("the pipeline failed: no index", "the system gave no answer")
    assert "Retrieved" not in parts
    assert told(bare | {"answer": ""})["Answered"] == ("the answer is empty",)
    parts = told(bare | {"retrieved": []})
    assert parts["Retrieved"] == ("nothing was retrieved",)
    assert parts["Diagnosis"][0] == "no category: the sample has no answer (retrieval only)"
    assert parts["Where the evidence went"] == (
        "no gold evidence is known: where it was lost cannot be told",
    )
    assert "Next" not in parts


def test_given_citations_and_text_items() -> None:
    given = {
        "citations": [{"start": 0, "end": 15, "passage_id": "g"}],
        "gold": [[{"text": "Norra Energy sold 812 GWh in 2023."}]],
        "answer": "It sold 812 GWh.",
    }
    parts = told(SAMPLE | given)
    assert parts["Citations"][0].endswith(": g")
    assert parts["Where the evidence went"][0].startswith("gold text=Norra Energy sold 812 GWh")


def test_a_stage_that_is_open_is_told_as_such() -> None:
    lists = {"retrieved": ["old", "g"], "context": ["old"], "stages": {}, "answer": "?"}
    parts = told(SAMPLE | lists | {"gold": [[{"passage_id": "g"}]]})
    assert parts["Where the evidence went"][0] == (
        "gold passage_id=g: it was found, but ranked below the cut-off, "
        "or the reranker dropped it (rank 2 of retrieved)"
    )


def test_odd_proofs_are_left_out() -> None:
    found = Diagnosis(code="K1", name="fully_correct", family="success", proof={"reach": 3})
    result = SampleResult(query_id="q", scores={}, diagnosis=found)
    parts = story(Sample(query_id="q", query="?"), result)
    assert parts[0].title == "In short"
    assert parts[1] == Section("Asked", ("?",))
    assert [part.title for part in parts] == ["In short", "Asked", "Diagnosis"]


def test_every_stage_has_words() -> None:
    assert set(STAGE_WORDS) | {"partial_in_context"} == set(REACH)


def test_what_each_list_held_and_what_is_wrong_with_the_data() -> None:
    wrong = {"item": {"passage_id": "g", "page": 3}, "passage_id": "g", "fields": ["page"]}
    result = SampleResult(
        query_id="q1",
        scores={},
        diagnosis=Diagnosis(code=None, proof={"gold_mismatch": [wrong]}),
        reached=(
            Reached(name="candidates", n=50, share=1),
            Reached(name="retrieved", n=5, share=0.5),
            Reached(name="context", n=3, share=0.5),
        ),
        near_duplicates=(("a", "b"), tuple("cdefghijklm")),
    )
    sections = {section.title: section.lines for section in story(Sample(**SAMPLE), result)}
    assert sections["Where the evidence went"] == (
        "evidence held: candidates (50) 1.00 → retrieved (5) 0.50 → context (3) 0.50; "
        "lost: candidates → retrieved",
        "gold passage_id=g page=3 is found in g, which differs in: page",
        "one text: a, b",
        "one text: c, d, e, f, g, h, i, j …",
    )


def test_a_reply_that_was_of_no_use_is_told_with_its_beginning() -> None:
    broken = Unusable(
        check="support", reason="parse_failure", detail="no JSON object", raw="Sure! I think so."
    )
    result = SampleResult(
        query_id="q1", scores={}, diagnosis=Diagnosis(code=None), unusable=(broken,)
    )
    checks = next(s for s in story(Sample.model_validate(SAMPLE), result) if s.title == "Checks")
    assert checks.lines == (
        "support: the judge's reply is unusable, parse_failure (no JSON object): "
        "“Sure! I think so.”",
    )
