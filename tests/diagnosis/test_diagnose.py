"""Small samples with hand-made labels and claims: one for every code, and the undecided ones."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag import evaluate
from ragdiag.data.corpus import FileCorpus
from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.diagnosis.diagnose import diagnose
from ragdiag.diagnosis.rules import STAGE_CODES
from ragdiag.records import ClaimResult, Diagnosis, LabelResult, Passage, Sample, Settings
from ragdiag.text.case import Case

GOLD = {
    "passage_id": "g",
    "doc_id": "Norra_2023_annual",
    "page": 12,
    "text": "Norra Energy\nIncome statement (in millions of euros)\n\n| | 2023 | 2022 |\n"
    "|---|---|---|\n"
    "| Revenue | 4,137 | 3,652 |\n| Operating costs | 3,021 | 2,874 |\n",
    "metadata": {"entity": "Norra Energy", "period": "2023"},
}
OLD = {
    "passage_id": "old",
    "doc_id": "Norra_2021_annual",
    "page": 9,
    "text": "Norra Energy. Revenue of 2021 was 3,415 million euros.",
    "metadata": {"entity": "Norra Energy", "period": "2021"},
}
RIVAL = {
    "passage_id": "rival",
    "doc_id": "Sudra_2023_annual",
    "page": 4,
    "text": "Sudra Power. Revenue of 2023 was 977 million euros.",
    "metadata": {"entity": "Sudra Power", "period": "2023"},
}
RIVAL_TABLE = RIVAL | {
    "text": "Sudra Power\nIncome statement (in millions of euros)\n\n| | 2023 | 2022 |\n"
    "|---|---|---|\n| Revenue | 3,977 | 3,518 |\n"
}
STAFF = {
    "passage_id": "staff",
    "doc_id": "Norra_2023_annual",
    "page": 40,
    "text": "Norra Energy employed people in four countries in 2023.",
    "metadata": {"entity": "Norra Energy", "period": "2023"},
}
NOISE = {"passage_id": "noise", "doc_id": "notes-1", "text": "The canteen opens at noon."}
TARGET = {"entity": "Norra Energy", "period": "2023"}
TARGETED: dict[str, Any] = {"target": TARGET}
BASE: dict[str, Any] = {
    "query_id": "q",
    "query": "What was the revenue of Norra Energy in 2023, in millions of euros?",
    "reference": ["4,137 million euros"],
    "gold": [[{"passage_id": "g", "doc_id": "Norra_2023_annual", "page": 12}]],
    "retrieved": [GOLD, NOISE],
    "answer": "Revenue was 4,137 million euros.",
}


def corpus_of(*passages: Passage) -> FileCorpus:
    return FileCorpus({passage.passage_id: passage for passage in passages}, "hash")


def label(value: str | None, judge: str = "llm:x", basis: str = "judged") -> LabelResult:
    return LabelResult.model_validate({"label": value, "judge": judge, "basis": basis})


def claim(value: str | None, name: str = "c1", **fields: Any) -> ClaimResult:
    plain = {"claim_id": name, "text": "Revenue was 4,137.", "start": 0, "end": 10, "label": value}
    return ClaimResult.model_validate({"carries_answer": name == "c1", **plain, **fields})


def run(
    sample: dict[str, Any],
    labels: dict[str, LabelResult | str | None],
    claims: tuple[ClaimResult, ...] = (),
    *,
    corpus: FileCorpus | None = None,
    **settings: Any,
) -> Diagnosis:
    given = {name: value for name, value in (BASE | sample).items() if value != "absent"}
    case = Case(Sample.model_validate(given), settings=Settings(**settings), corpus=corpus)
    results = {
        name: value if isinstance(value, LabelResult) else label(value)
        for name, value in labels.items()
    }
    return diagnose(case, labels=results, claims=claims, scores={})


CORRECT = {"answer_correctness": "correct"}
WRONG = {"answer_correctness": "incorrect"}
SUPPORTED = (claim("supported", quote="| Revenue | 4,137 |", passage_id="g"),)
EXTRA = (*SUPPORTED, claim("not_found", "c2"))
UNFOUND = (claim("not_found"),)
MISSED: dict[str, Any] = {"retrieved": [NOISE], "answer": "Revenue was 12 million euros."}
REFUSAL = "The provided documents do not contain this information."
CITED = {"answer": "Revenue was 4,137 million euros [1]."}
CORPUS = corpus_of(Passage.model_validate(GOLD), Passage.model_validate(NOISE))
SPANS = [[{"doc_id": "d", "start": 80, "end": 120}]]
SPLIT = corpus_of(
    Passage(passage_id="d1", doc_id="d", start=0, end=100, text="x"),
    Passage(passage_id="d2", doc_id="d", start=100, end=200, text="y"),
)
GROWTH: dict[str, Any] = {
    "query": "By how much did the revenue of Norra Energy grow from 2022 to 2023, in percent?",
    "reference": ["13.28%"],
}

CODES: list[tuple[str, dict[str, Any], dict[str, Any], tuple[ClaimResult, ...], dict[str, Any]]] = [
    ("X1", {"error": "timeout after 30 s"}, {}, (), {}),
    ("X1", {"answer": None}, {}, (), {}),
    ("X1", {"answer": "  "}, {}, (), {}),
    ("X1", {"error": "no index", "answer": "absent", "gold": [], "reference": []}, {}, (), {}),
    ("U1", {"answerable": False, "answer": REFUSAL, "gold": [], "reference": []}, {}, (), {}),
    (
        "U1",
        {"reference": ["Not stated in the sources."], "answer": REFUSAL, "gold": []},
        {},
        (),
        {},
    ),
    ("U2", {"answerable": False, "gold": [], "reference": []}, {}, UNFOUND, {}),
    ("U3", {"answerable": False, "gold": []}, {"sufficiency": "sufficient"}, SUPPORTED, {}),
    ("X3", {}, CORRECT | {"sufficiency": "insufficient"}, SUPPORTED, {}),
    ("G1", {"answer": REFUSAL}, {"answer_correctness": "abstained"}, (), {}),
    (
        "A1",
        TARGETED | {"retrieved": [OLD]},
        CORRECT | {"evidence_identity": "wrong:period"},
        SUPPORTED,
        {},
    ),
    ("A2", {"retrieved": [NOISE]}, CORRECT, UNFOUND, {}),
    ("A2", {"retrieved": []}, CORRECT, (), {}),
    ("A2", {}, CORRECT, UNFOUND, {}),
    ("A3", {"retrieved": [STAFF]}, CORRECT | {"sufficiency": "sufficient"}, SUPPORTED, {}),
    (
        "A4",
        CITED,
        CORRECT,
        (claim("supported", cited=("noise",), citation_label="unsupported"),),
        {},
    ),
    ("A4", {"answer": "Revenue was 4,137 million euros [7]."}, CORRECT, SUPPORTED, {}),
    ("A5", {}, CORRECT, SUPPORTED, {"require_citations": True}),
    ("A6", {}, CORRECT, EXTRA, {}),
    ("K1", {}, CORRECT, SUPPORTED, {}),
    (
        "K1",
        CITED | TARGETED,
        CORRECT | {"evidence_identity": "right"},
        (claim("supported", cited=("g",), citation_label="supported"),),
        {},
    ),
    ("D1", MISSED, WRONG, UNFOUND, {"corpus": corpus_of(Passage.model_validate(NOISE))}),
    (
        "D2",
        MISSED | {"gold": [[{"doc_id": "Norra_2023_annual", "text": "Dividends paid were 88."}]]},
        WRONG,
        UNFOUND,
        {"corpus": CORPUS},
    ),
    ("D3", MISSED | {"gold": SPANS}, WRONG, UNFOUND, {"corpus": SPLIT}),
    ("R1", MISSED, WRONG, UNFOUND, {}),
    ("R1", MISSED | {"answer": REFUSAL}, {"answer_correctness": "abstained"}, (), {}),
    ("R1", {"retrieved": [], "answer": REFUSAL}, {}, (), {"corpus": CORPUS}),
    ("R2a", TARGETED | MISSED | {"retrieved": [NOISE, OLD, RIVAL]}, WRONG, UNFOUND, {}),
    ("R2b", TARGETED | MISSED | {"retrieved": [RIVAL, OLD]}, WRONG, UNFOUND, {}),
    ("R2c", TARGETED | MISSED | {"retrieved": [STAFF, OLD]}, WRONG, UNFOUND, {}),
    ("R3", MISSED | {"stages": {"candidates": [NOISE, GOLD]}}, WRONG, UNFOUND, {}),
    (
        "R4",
        MISSED | {"stages": {"candidates": [GOLD, NOISE], "reranked": ["noise", "g"]}},
        WRONG,
        UNFOUND,
        {},
    ),
    ("R5", MISSED | {"retrieved": [GOLD, NOISE], "context": ["noise"]}, WRONG, UNFOUND, {}),
    (
        "R6",
        {"gold": [[{"passage_id": "g"}, {"passage_id": "x"}]], "answer": "Revenue was 12."},
        WRONG,
        UNFOUND,
        {},
    ),
    ("G7", {}, {"answer_correctness": "partial"}, SUPPORTED, {}),
    ("G3a", {"answer": "Revenue was 3,652 million euros."}, WRONG, SUPPORTED, {}),
    (
        "G3b",
        {"retrieved": [GOLD, RIVAL_TABLE], "answer": "Revenue was 3,977 million euros."},
        WRONG,
        SUPPORTED,
        {},
    ),
    ("G3c", {"answer": "Revenue was 3,021 million euros."}, WRONG, SUPPORTED, {}),
    (
        "G4",
        GROWTH | {"answer": "Revenue grew by (4,137 - 3,652) / 4,137 = 11.72%."},
        WRONG,
        UNFOUND,
        {},
    ),
    ("G5", {"answer": "Revenue was 4,137 thousand euros."}, WRONG, (claim("contradicted"),), {}),
    ("G6", {"answer": "Revenue was -4,137 million euros."}, WRONG, (claim("contradicted"),), {}),
    ("G2", {"answer": "Revenue was 77,777 million euros."}, WRONG, (claim("contradicted"),), {}),
    ("G9", {"answer": "Revenue was 77,777 million euros."}, WRONG, UNFOUND, {}),
    (
        "X4",
        {"retrieved": [NOISE], "answer": "Revenue was 77,777 million euros."},
        WRONG | {"sufficiency": "sufficient"},
        SUPPORTED,
        {},
    ),
    ("G8", {"answer": "Norra Energy sells power."}, WRONG, SUPPORTED, {}),
]


@pytest.mark.parametrize(("code", "sample", "labels", "claims", "others"), CODES)
def test_code(
    code: str,
    sample: dict[str, Any],
    labels: dict[str, Any],
    claims: tuple[ClaimResult, ...],
    others: dict[str, Any],
) -> None:
    found = run(sample, labels, claims, **others)
    assert (found.code, found.codes, found.deciding_input) == (code, (code,), None), found
    category = CATALOGUE[code]
    assert (found.name, found.family) == (category.name, category.family)
    assert (found.fix, found.next_experiment) == (category.fix, category.next_experiment)
    assert found.basis is not None


def test_every_code_has_a_sample() -> None:
    assert {row[0] for row in CODES} == set(CATALOGUE) - {UNDETERMINED}


UNDECIDED: list[
    tuple[str, str | None, str, dict[str, Any], dict[str, Any], tuple[ClaimResult, ...]]
] = [
    # The judge left the carrying claim open.
    ("A2 K1", None, "faithfulness", {}, CORRECT, (claim(None),)),
    ("A6 K1", None, "faithfulness", {}, CORRECT, (*SUPPORTED, claim(None, "c2"))),
    ("A2 A6", "grounding", "faithfulness", {}, CORRECT, (*UNFOUND, claim("supported", "c2"))[::-1]),
    # Code cannot tell whether the answer is right.
    ("K1 G7 G8", None, "answer", {"reference": ["as before"]}, {}, SUPPORTED),
    # Other passages support the carrying claim by code: the labels may be incomplete.
    (
        "A2 A3",
        None,
        "sufficiency",
        {"retrieved": [STAFF]},
        CORRECT,
        (claim("supported", basis="deterministic"),),
    ),
    # No trace tells the reranker's drop from a rank below the cut-off.
    (
        "R3 R4",
        "retrieval",
        "reach",
        MISSED | {"retrieved": [NOISE, GOLD], "context": ["noise"]},
        WRONG,
        UNFOUND,
    ),
    # Without gold the stage is open, the family is not.
    (
        "R6 R1",
        "retrieval",
        "reach",
        MISSED | {"gold": []},
        WRONG | {"sufficiency": "insufficient"},
        UNFOUND,
    ),
    (
        "R3 R4 R5 R6 R2a",
        "retrieval",
        "reach",
        TARGETED | MISSED | {"gold": [], "retrieved": [OLD], "stages": {"candidates": [OLD]}},
        WRONG | {"sufficiency": "insufficient"},
        UNFOUND,
    ),
    ("A4 K1", None, "citations", CITED, CORRECT, (claim("supported", cited=("g",)),)),
    (
        "A4 K1",
        None,
        "identity",
        TARGETED,
        CORRECT,
        (claim("supported", basis="judged"),),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("codes", "family", "deciding", "sample", "labels", "claims"), UNDECIDED)
def test_undetermined(
    codes: str,
    family: str | None,
    deciding: str,
    sample: dict[str, Any],
    labels: dict[str, Any],
    claims: tuple[ClaimResult, ...],
) -> None:
    if codes == "A2 A6":
        claims = tuple(c.model_copy(update={"carries_answer": False}) for c in claims)
    found = run(sample, labels, claims)
    assert (found.code, found.name) == ("X2", "undetermined")
    assert found.codes == tuple(codes.split())
    assert (found.family, found.deciding_input) == (family, deciding)
    assert found.proof["deciding"]["input"] == deciding
    assert found.proof["deciding"]["add"]


@pytest.mark.parametrize(
    ("sample", "labels", "reason"),
    [
        ({"answer": "absent"}, {}, "no_answer"),
        ({"gold": [], "reference": []}, {}, "no_reference"),
        ({"gold": [], "reference": [""]}, CORRECT, "no_reference"),
        ({"gold": [], "reference": [], "answerable": True}, {}, "no_reference"),
    ],
)
def test_no_code(sample: dict[str, Any], labels: dict[str, Any], reason: str) -> None:
    found = run(TARGETED | {"retrieved": [OLD]} | sample, labels)
    assert (found.code, found.status_reason, found.codes) == (None, reason, ())
    assert "reach" in found.state
    if reason == "no_answer":
        assert found.state == {"reach": ("not_retrieved",), "near_miss": ("period",)}
        assert found.proof["near_miss"]["passage_id"] == "old"


def test_people_may_judge_an_answer_without_reference() -> None:
    found = run(
        {"gold": [], "reference": [], "answerable": True},
        CORRECT | {"sufficiency": "sufficient"},
        SUPPORTED,
    )
    assert found.code == "K1"
    assert found.not_available == (
        "D1", "D2", "D3", "R3", "R4", "R5", "A3", "X3", "X4", "stage_split",
    )  # fmt: skip


@pytest.mark.parametrize("judge", ["screen", "screen:fit.json", "gold"])
def test_the_screen_never_overrides_a_gold_witness(judge: str) -> None:
    held = run({}, CORRECT | {"sufficiency": label("insufficient", judge)}, SUPPORTED)
    assert held.code == "K1"
    lost = run(MISSED, WRONG | {"sufficiency": label("sufficient", judge)}, SUPPORTED)
    assert lost.code == "R1"
    unanswerable = run(
        {"answerable": False, "gold": []}, {"sufficiency": label("sufficient", judge)}, SUPPORTED
    )
    assert unanswerable.code == "U2"


def test_the_screen_speaks_where_no_gold_does() -> None:
    said = label("sufficient", "screen")
    assert run({"gold": []}, CORRECT | {"sufficiency": said}, SUPPORTED).code == "K1"


def test_an_empty_context_is_named_first_and_never_sufficient() -> None:
    found = run({"retrieved": []}, WRONG | {"sufficiency": "sufficient"}, (claim("supported"),))
    assert found.code == "R1"
    assert found.flags == ("retrieval_empty", "should_have_abstained")
    assert found.state["faithfulness"] == ("unsupported",)
    assert found.state["sufficiency"] == ("no",)


def test_flags() -> None:
    found = run(MISSED | {"answer": REFUSAL}, {"answer_correctness": "abstained"})
    assert found.flags == ("safe_abstention",)
    found = run({}, CORRECT, EXTRA, require_citations=True)
    assert (found.code, found.flags) == ("A5", ("A6", "target_from_question"))
    found = run({"gold": [], "qrels": {"g": 1}, "target": {}}, CORRECT, SUPPORTED)
    assert (found.code, found.flags) == ("K1", ("gold_from_qrels", "identity_not_tested"))


@pytest.mark.parametrize(
    ("basis", "sample", "labels", "claims"),
    [
        ("deterministic", {"error": "x"}, {}, ()),
        # An empty context needs no label, and code compared the answer.
        (
            "deterministic",
            {"retrieved": []},
            {"answer_correctness": label("correct", "code", "deterministic")},
            (),
        ),
        # The gold witness stands in for a judge of sufficiency.
        (
            "labels",
            {},
            {"answer_correctness": label("correct", "code", "deterministic")},
            (claim("supported", basis="deterministic"),),
        ),
        ("judged", {}, CORRECT, (claim("supported", basis="deterministic"),)),
        (
            "judged",
            {},
            {"answer_correctness": label("correct", "code", "deterministic")},
            SUPPORTED,
        ),
    ],
)
def test_basis_is_the_weakest(
    basis: str, sample: dict[str, Any], labels: dict[str, Any], claims: tuple[ClaimResult, ...]
) -> None:
    assert run(sample, labels, claims).basis == basis


def test_proof_of_a_calculation() -> None:
    found = run(
        GROWTH | {"answer": "Revenue grew by (4,137 - 3,652) / 4,137 = 11.72%."}, WRONG, UNFOUND
    )
    proof = found.proof["numeric"]
    assert proof["operands_from"] == "gold"
    assert "11.72" in proof["expression"]
    assert found.proof["reach"]["items"][0]["stage"] == "in_context"


def test_numbers_are_searched_only_where_a_row_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_case: Case) -> None:
        raise AssertionError("not needed")

    monkeypatch.setattr("ragdiag.diagnosis.diagnose.numeric_of", never)
    assert run({}, CORRECT, SUPPORTED).code == "K1"
    assert "numeric" not in run(MISSED, WRONG, UNFOUND).state
    with pytest.raises(AssertionError, match="not needed"):
        run({}, WRONG, SUPPORTED)


def test_the_result_is_json() -> None:
    for _, sample, labels, claims, others in CODES:
        found = run(sample, labels, claims, **others)
        assert Diagnosis.model_validate_json(found.model_dump_json()) == found


def test_a_context_of_ids_alone_is_no_insufficient_one() -> None:
    """The gold page may be among them: whether it suffices is not known, and what to add is said."""
    paged = {"gold": [[{"doc_id": "Norra_2023_annual", "page": 12}]]}
    found = run(paged | {"retrieved": ["a", "b"], "answer": "Revenue was 12."}, WRONG, UNFOUND)
    assert found.state["sufficiency"] == ("yes", "no")
    assert found.state["reach"] == ("not_retrieved", "in_context")
    assert set(found.codes) == {"R1", "X3", "G9"}
    traced = MISSED | paged | {"stages": {"candidates": [NOISE, "x"]}}
    found = run(traced, WRONG, UNFOUND)
    assert (found.codes, found.family) == (("R3", "R1"), "retrieval")
    assert found.proof["deciding"]["add"] == (
        "text or doc_id of the passages that stand as ids alone, or a corpus"
    )


@pytest.mark.parametrize(
    ("answer", "flags"), [("", ("empty_answer",)), (" ", ("empty_answer",)), (None, ())]
)
def test_an_empty_answer_is_a_flag(answer: str | None, flags: tuple[str, ...]) -> None:
    found = run({"answer": answer}, {})
    assert (found.code, found.flags) == ("X1", flags)


SHOWN: dict[str, tuple[str, ...]] = {
    "X1": ("run.error",),
    "U1": ("answerable", "behaviour.says"),
    "U2": ("answerable", "sufficiency"),
    "U3": ("answerable", "sufficiency.judge"),
    "X3": ("sufficiency.judge", "reach.items"),
    "G1": ("behaviour.says", "sufficiency"),
    "A1": ("answer.reference", "identity", "reach.items"),
    "A2": ("answer.reference", "sufficiency"),
    "A3": ("answer.reference", "sufficiency.judge", "faithfulness.claims", "reach.items"),
    "A4": ("answer.reference", "citations", "faithfulness.claims"),
    "A5": ("answer.reference", "citations", "faithfulness.claims"),
    "A6": ("answer.reference", "faithfulness.claims"),
    "K1": ("answer.reference", "faithfulness.claims", "reach.items"),
    **{code: ("sufficiency", "reach.items") for code in STAGE_CODES},
    **{code: ("near_miss.passage_id", "near_miss.rank") for code in ("R2a", "R2b", "R2c")},
    **{
        code: ("answer.reference", "numeric.expression", "numeric.operands")
        for code in ("G3a", "G3b", "G3c", "G4", "G5", "G6")
    },
    "G7": ("answer.reference", "faithfulness.claims"),
    "G2": ("answer.reference", "faithfulness.claims"),
    "G9": ("answer.reference", "faithfulness.claims"),
    "X4": ("answer.reference", "sufficiency.judge", "reach.items"),
    "G8": ("answer.reference", "faithfulness.claims"),
}


@pytest.mark.parametrize(("code", "sample", "labels", "claims", "others"), CODES)
def test_every_code_has_its_proof(
    code: str,
    sample: dict[str, Any],
    labels: dict[str, Any],
    claims: tuple[ClaimResult, ...],
    others: dict[str, Any],
) -> None:
    found = run(sample, labels, claims, **others)
    for path in SHOWN[code]:
        name, _, key = path.partition(".")
        assert found.proof[name], path
        if key:
            assert found.proof[name][key], path


def test_an_abstention_is_quoted() -> None:
    found = run({"answer": REFUSAL + " " * 300}, {"answer_correctness": "abstained"})
    assert found.proof["behaviour"]["says"].startswith(REFUSAL)
    assert len(found.proof["behaviour"]["says"]) <= 200


def test_a_context_alone_is_looked_through_for_the_near_miss() -> None:
    only_context = TARGETED | MISSED | {"retrieved": "absent", "context": [NOISE, OLD]}
    found = run(only_context, WRONG, UNFOUND)
    assert (found.code, found.proof["near_miss"]["rank"]) == ("R2a", 2)


def test_right_evidence_on_another_page_is_open_by_code_and_settled_by_a_judge() -> None:
    other = GOLD | {"passage_id": "o", "page": 31}
    elsewhere: dict[str, Any] = {"retrieved": [other, NOISE]}
    cited = elsewhere | {"answer": "Revenue was 4,137 million euros [1]."}
    proven = (claim("supported", passage_id="o", basis="deterministic"),)
    judged_ = (claim("supported", passage_id="o"),)
    for sample in (elsewhere, cited):
        assert run(sample, CORRECT, proven).codes == ("A2", "A3")
        assert run(sample, CORRECT | {"sufficiency": "sufficient"}, proven).code == "A3"
        assert run(sample, CORRECT | {"sufficiency": "insufficient"}, proven).code == "A2"
        # The screen alone is no second witness against the gold.
        assert run(sample, CORRECT, judged_).code == "A2"


def test_the_same_through_the_whole_pipeline() -> None:
    sample = BASE | {
        "retrieved": [GOLD | {"passage_id": "o", "page": 31}, NOISE],
        "answer": "Revenue of Norra Energy in 2023 was 4,137 million euros [1].",
    }
    found = evaluate([sample]).results[0]
    assert found.diagnosis.codes == ("A2", "A3")
    assert found.diagnosis.deciding_input == "sufficiency"
