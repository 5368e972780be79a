"""The story in plain words: what it says of every category, and that it never speaks in fields."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.diagnosis.diagnose import diagnose
from ragdiag.diagnosis.ladder_story import ladder_in_short
from ragdiag.diagnosis.plain import in_words
from ragdiag.diagnosis.what import what_happened
from ragdiag.records import (
    ClaimResult,
    Diagnosis,
    LabelResult,
    Passage,
    Sample,
    SampleResult,
    Settings,
)
from ragdiag.text.case import Case
from tests.diagnosis.test_diagnose import (
    BASE,
    CODES,
    CORRECT,
    GOLD,
    MISSED,
    NOISE,
    OLD,
    REFUSAL,
    SUPPORTED,
    TARGETED,
    UNDECIDED,
    UNFOUND,
    WRONG,
    claim,
    corpus_of,
    label,
)


def told(
    sample: dict[str, Any],
    labels: dict[str, Any],
    claims: tuple[ClaimResult, ...] = (),
    *,
    corpus: Any = None,
    **settings: Any,
) -> tuple[Sample, SampleResult]:
    fields = {name: value for name, value in (BASE | sample).items() if value != "absent"}
    given = Sample.model_validate(fields)
    results: dict[str, LabelResult] = {
        name: value if isinstance(value, LabelResult) else label(value)
        for name, value in labels.items()
    }
    case = Case(given, settings=Settings(**settings), corpus=corpus)
    found = diagnose(case, labels=results, claims=claims, scores={})
    return given, SampleResult(
        query_id="q", scores={}, labels=results, claims=claims, diagnosis=found
    )


def paragraphs(*given: Any, **others: Any) -> list[str]:
    return list(in_words(*told(*given, **others)))


SAYS = {
    "X1": "The pipeline failed on this query: ",
    "U1": "the system said so: right",
    "U2": "yet the system gave one",
    "U3": "the label may be wrong",
    "X3": "the gold or the judge is wrong",
    "G1": "declined to give one",
    "A1": "rests on evidence of another period, and the gold evidence was not in the context: right by",
    "A2": "the context does not carry it",
    "A3": "the labels seem to be incomplete",
    "A4": "The answer is right, but ",
    "A5": "a citation that it needs is missing",
    "A6": "says more than the evidence supports: “Revenue was 4,137”",
    "K1": "The answer is right, and the evidence carries it.",
    "D1": "Its document is not in the corpus",
    "D2": "its text stands in no passage of it",
    "D3": "only adjacent passages together hold it",
    "R1": "Without this evidence the generator could not give a right answer.",
    "R2a": "In its place came, at rank 2, another period (old).",
    "R2b": "In its place came, at rank 1, another entity (rival).",
    "R2c": "In its place came, at rank 1, another place or metric of the right report (staff).",
    "R3": "It was found, but ranked below the cut-off: at rank 2 of candidates, while 1 passage "
    "reached the generator.",
    "R4": "The reranker dropped it: at rank 2 of reranked",
    "R5": "left out when the context was built: at rank 1 of retrieved",
    "R6": "1 of 2 were in the context. x: it was not retrieved.",
    "G7": "right in part only: the reference says “4,137 million euros”. What the answer says is "
    "right as far as it goes",
    "G3a": "the number is of another period: 3,652 million euros, where 4,137 million euros is right."
    " It stands in row “Revenue”, column “2022”, g.",
    "G3b": "the number is of another entity: 3,977 million euros",
    "G3c": "the number is of another metric: 3,021 million euros",
    "G4": "the calculation is wrong: (4137 - 3652) / 4137 = 11.72%, where (4137 - 3652) / 3652 = ",
    "G5": "the unit or scale of the number is wrong",
    "G6": "sign, rounding or format of the number is wrong (sign)",
    "G2": "The evidence was there and says otherwise",
    "G9": "stands nowhere in the context: “Revenue was 4,137”",
    "X4": "the sources conflict, or the gold is wrong",
    "G8": "the question was probably misread",
}  # fmt: skip


@pytest.mark.parametrize(("code", "sample", "labels", "claims", "others"), CODES)
def test_every_category(
    code: str,
    sample: dict[str, Any],
    labels: dict[str, Any],
    claims: tuple[ClaimResult, ...],
    others: dict[str, Any],
) -> None:
    found = paragraphs(sample, labels, claims, **others)
    text = " ".join(found)
    assert SAYS[code] in text
    assert not re.search(
        r"None|\{|\[\]|_|  | \.|\.\.|“”", text.replace("Norra_2023_annual", "it")
    ), text
    assert found[0].startswith("Asked: “")
    category = CATALOGUE[code]
    if category.fix is None:
        assert found[-1] == "Nothing to repair: keep it as a regression test."
    else:
        assert found[-1] == f"To repair: {category.fix}. Try next: {category.next_experiment}."


def test_every_code_has_words() -> None:
    assert set(SAYS) == set(CATALOGUE) - {UNDETERMINED}


@pytest.mark.parametrize(("codes", "family", "deciding", "sample", "labels", "claims"), UNDECIDED)
def test_what_stays_open(
    codes: str,
    family: str | None,
    deciding: str,
    sample: dict[str, Any],
    labels: dict[str, Any],
    claims: tuple[ClaimResult, ...],
) -> None:
    if codes == "A2 A6":
        claims = tuple(c.model_copy(update={"carries_answer": False}) for c in claims)
    given, result = told(sample, labels, claims)
    text = " ".join(in_words(given, result))
    assert "Which category it is cannot be told yet" in text
    for code in codes.split():
        assert f"{code} ({CATALOGUE[code].name.replace('_', ' ')})" in text
    assert (f"{family} in any case" in text) == (family is not None)
    assert f"; add {result.diagnosis.proof['deciding']['add']}." in text
    assert "To repair" not in text


@pytest.mark.parametrize(
    ("says", "sample", "labels", "claims"),
    [
        ("Its system gave no answer", {"answer": None}, {}, ()),
        ("the system's answer is empty.", {"answer": " "}, {}, ()),
        ("timeout after 30 s.", {"error": "timeout after 30 s"}, {}, ()),
    ],
)
def test_how_the_pipeline_failed(
    says: str, sample: dict[str, Any], labels: dict[str, Any], claims: tuple[ClaimResult, ...]
) -> None:
    found = paragraphs(sample, labels, claims)
    assert found[1].endswith(says.replace("Its system gave no answer", "no answer (null)."))
    assert not any("Why we say so" in one for one in found)


def test_what_is_needed() -> None:
    assert (
        "Needed: page 12 of Norra_2023_annual. It was in the context."
        in paragraphs({}, CORRECT, SUPPORTED)[0]
    )
    many = {"gold": [[{"passage_id": f"p{i}"} for i in range(5)]]}
    assert "Needed: p0, p1, p2 and 2 more." in paragraphs(many, WRONG, UNFOUND)[0]
    both = {"gold": [[{"passage_id": "g"}, {"passage_id": "noise"}]]}
    assert "All of it was in the context." in paragraphs(both, CORRECT, SUPPORTED)[0]
    table = {"gold": [[{"doc_id": "d", "page": 3, "object_id": "table-2"}]]}
    assert "Needed: page 3 of d (table-2)." in paragraphs(table, WRONG, UNFOUND)[0]
    text = {"gold": [[{"text": "Revenue was high in that year."}]]}
    assert "Needed: “Revenue was high in that year.”" in paragraphs(text, WRONG, UNFOUND)[0]
    assert "not known: no gold is given" in paragraphs({"gold": []}, CORRECT, SUPPORTED)[0]
    unanswerable = {"gold": [], "reference": [], "answerable": False}
    assert paragraphs(unanswerable, {}, UNFOUND)[0].endswith("of euros?”")


def test_what_became_of_several_items() -> None:
    three = [[{"passage_id": name} for name in ("x", "y", "z")]]
    alike = paragraphs({"gold": three}, WRONG, UNFOUND)[0]
    assert alike.endswith("Needed: x, y, z. All of it alike: it was not retrieved.")
    two = [[{"passage_id": name} for name in ("g", "x", "y")]]
    rest = paragraphs({"gold": two}, WRONG, UNFOUND)[0]
    assert rest.endswith("1 of 3 were in the context. The rest alike: it was not retrieved.")
    empty = paragraphs({"gold": three, "retrieved": []}, WRONG, UNFOUND)
    assert empty[0].endswith("Needed: x, y, z. Nothing was retrieved.")
    assert "Without stages" not in " ".join(empty)
    corpus = corpus_of(Passage.model_validate(NOISE))
    gone = paragraphs({"retrieved": []}, WRONG, UNFOUND, corpus=corpus)[0]
    assert gone.endswith("Its document is not in the corpus.")


def test_a_question_without_its_mark_is_a_sentence() -> None:
    assert paragraphs({"query": "revenue 2023"}, CORRECT)[0].startswith("Asked: “revenue 2023.” N")


def test_how_the_system_behaved_without_the_evidence() -> None:
    answered = paragraphs(MISSED, WRONG, UNFOUND)[1]
    assert answered.startswith(
        "The answer, “Revenue was 12 million euros”, is wrong: the reference"
    )
    assert answered.endswith("The system answered nevertheless; it should have declined.")
    declined = paragraphs(MISSED | {"answer": REFUSAL}, {"answer_correctness": "abstained"})[1]
    assert declined.endswith("The system declined to answer, which was safe.")


@pytest.mark.parametrize(
    ("basis", "says"),
    [
        (
            "labels",
            "Why we say so: it rests on labels and on what code decides; no judge had a say.",
        ),
        ("deterministic", "no judge had a say."),  # the gold witness is a label
        ("judged", "Why we say so: it rests in part on the word of a judge (llm:x), which may be"),
    ],
)
def test_why_we_say_so(basis: str, says: str) -> None:
    labels = {"answer_correctness": label("correct", basis=basis)}
    supported = (claim("supported", basis=basis, passage_id="g"),)
    assert says in " ".join(paragraphs({}, labels, supported))


def test_what_changes_nothing_is_said_apart() -> None:
    wrong = {"answer": "Revenue was 4,137 thousand euros."}
    found = paragraphs(wrong, WRONG, (claim(None),))
    assert "Open, but it changes nothing here: whether the evidence supports the answer." in found
    assert not any(one.startswith("First to find out") for one in found)


LOST = {"retrieved": [GOLD, NOISE], "context": ["noise"], "answer": "Revenue was 12."}


def test_absent_traces_are_named_where_they_matter() -> None:
    lost = " ".join(paragraphs(MISSED, WRONG, UNFOUND))
    assert (
        "Without a corpus (--corpus) it cannot be told whether the evidence was ever in it" in lost
    )
    assert "Without stages and context it cannot be told whether the cut-off" in lost
    assert "Without gold" not in lost
    assert "it cannot be told" not in " ".join(paragraphs(LOST, WRONG, UNFOUND))
    traced = MISSED | {"stages": {"candidates": [NOISE, GOLD]}}
    assert "Without stages" not in " ".join(paragraphs(traced, WRONG, UNFOUND))
    right = " ".join(paragraphs({}, CORRECT, SUPPORTED))
    assert "Without" not in right
    plain = " ".join(paragraphs({"query": "What was it?"}, CORRECT, SUPPORTED))
    assert ("not tested: no target" in right, "not tested: no target" in plain) == (False, True)
    no_gold = MISSED | {"gold": []}
    found = " ".join(paragraphs(no_gold, WRONG | {"sufficiency": "insufficient"}, UNFOUND))
    assert "Without gold it cannot be told where evidence was lost" in found


@pytest.mark.parametrize(
    ("sample", "says", "todo"),
    [
        ({"answer": "absent"}, "no answer to judge (retrieval only)", "add answer"),
        ({"gold": [], "reference": []}, "neither a reference nor gold", "add reference or gold"),
    ],
)
def test_no_category(sample: dict[str, Any], says: str, todo: str) -> None:
    found = paragraphs(sample, {})
    assert says in found[1]
    assert found[-1] == f"To get a category, {todo}."


def test_evidence_that_is_lost_is_told_without_an_answer_too() -> None:
    found = paragraphs(TARGETED | {"retrieved": [OLD], "answer": "absent"}, {})
    assert "It was not retrieved." in found[0]


def test_names_of_data_stay_short() -> None:
    long = "x" * 5000
    gold = [[{"passage_id": long, "doc_id": long, "page": 1, "object_id": long}]]
    near = {**OLD, "passage_id": long}
    found = paragraphs(
        TARGETED | {"query": long, "gold": gold, "retrieved": [near], "answer": long}, WRONG
    )
    assert max(map(len, found)) < 800
    assert happened("X1", {"run": {"error": long}}).endswith("….")


def happened(code: str, proof: dict[str, Any], **fields: Any) -> str:
    claims = fields.pop("claims", ())
    found = Diagnosis(code=code, codes=(code,), proof=proof, **fields)
    return what_happened(SampleResult(query_id="q", scores={}, claims=claims, diagnosis=found))


def test_details() -> None:
    fields = {"entity": "match", "period": "mismatch", "unit": "mismatch"}
    says = happened("A1", {"identity": {"passage_id": "old", "fields": fields}})
    assert "evidence of another period and unit (old): right by coincidence" in says
    assert "evidence of what was not asked for: right by" in happened("A1", {})
    assert "what was not given ([7], [9])" in happened(
        "A4", {"citations": {"dangling": ["[7]", "[9]"]}}
    )
    wrong = {"wrong": [{"claim_id": "c1", "cited": ["a", None, "b"]}, {"cited": ["a"]}]}
    assert "what it cites (a, b) does not support it" in happened("A4", {"citations": wrong})
    says = happened("A4", {}, state={"identity": ("wrong_identity",)})
    assert says == "The answer is right, but what it cites is not of what was asked for."
    assert happened("A4", {}) == "The answer is right, but what it cites does not support it."
    assert happened("A6", {}) == "The answer is right, but says more than the evidence supports."
    quoted = claim("contradicted", quote="Revenue was 9.", passage_id="g")
    says = happened("G2", {}, claims=(claim("contradicted", "c2"), quoted))
    assert says == "The evidence was there and says otherwise: “Revenue was 9.” [g]."
    assert happened("G2", {}) == "The evidence was there and says otherwise."
    assert happened("G9", {}).endswith("stands nowhere in the context.")
    assert happened("G4", {"numeric": 3}) == "The evidence was there, but the calculation is wrong."
    assert happened("X1", {}).endswith("no reason is given.")
    worked = {"detail": "arithmetic", "expression": "4 / 2 = 2, stated as 3"}
    says = happened("G4", {"numeric": worked | {"reference_expression": "1 + 1 = 2"}})
    assert says.endswith("the calculation is wrong (arithmetic): 4 / 2 = 2, stated as 3.")
    scale = {"detail": "10^3", "expression": "41275 = USD 41,275 billion"}
    assert happened("G5", {"numeric": scale}).endswith("is wrong (10^3): USD 41,275 billion.")
    odd = SampleResult(query_id="q", scores={}, diagnosis=Diagnosis(code=None, status_reason="a_b"))
    assert what_happened(odd) == "There is no category: a b."


@pytest.mark.parametrize(
    ("ladder", "says"),
    [
        (
            {"reading": "retrieval", "readings": ["retrieval"], "confirms": True, "before": {}},
            "The ladder: the answer turns right once the gold is added: retrieval did not bring "
            "what was needed. It bears out R1.",
        ),
        (
            {"reading": None, "readings": ["memory", "context"], "confirms": None, "before": {}},
            "The ladder: undecided between memory, context.",
        ),
    ],
)
def test_the_ladder_in_short(ladder: dict[str, Any], says: str) -> None:
    assert ladder_in_short({"ladder": ladder}, "R1") == says
    assert ladder_in_short({}, "R1") == ""
