from __future__ import annotations

import asyncio

import pytest

from ragdiag.errors import DataError
from ragdiag.judging.people import FileJudge
from ragdiag.records import (
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claim,
    ExtractClaims,
    Label,
    Overall,
    Passage,
    Question,
    Reply,
    Target,
    Verdict,
)

Q = {"query_id": "q", "query": "?"}
CORRECTNESS = CheckCorrectness(**Q, reference=("r",), answer="a")
PASSAGES = (Passage(passage_id="p1", text="x"), Passage(passage_id="p2", text="y"))
IDENTITY = CheckIdentity(**Q, target=Target(period="2020"), passages=PASSAGES)
CLAIMS = (
    Claim(claim_id="c1", text="Sales rose.", start=0, end=10),
    Claim(claim_id="c2", text="Costs fell.", start=12, end=22),
)
SUPPORT = CheckSupport(**Q, answer="a", claims=CLAIMS, passages=PASSAGES)


def label(check: str, value: str, **more: object) -> Label:
    return Label.model_validate({"query_id": "q", "check": check, "label": value, **more})


def reply(question: Question, *labels: Label) -> Reply:
    (said,) = asyncio.run(FileJudge(labels).ask((question,))).replies
    return said


def verdict(question: Question, *labels: Label) -> Verdict:
    said = reply(question, *labels)
    assert isinstance(said, Verdict)
    assert (said.query_id, said.check, said.judge) == ("q", question.check, "people")
    return said


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ("correct", "correct"),
        ("correct correct partial", "correct"),
        ("correct partial", None),
        ("correct partial partial correct incorrect", None),
        ("Correct", "correct"),
    ],
)
def test_majority_and_ties(votes: str, expected: str | None) -> None:
    labels = [
        label("answer_correctness", vote, annotator=str(n)) for n, vote in enumerate(votes.split())
    ]
    said = verdict(CORRECTNESS, *labels)
    assert (said.label, said.basis) == (expected, "labels")
    assert said.unscored == (None if expected else "undecided")
    assert FileJudge(labels).covers(CORRECTNESS)


def test_the_same_annotator_twice() -> None:
    same = label("answer_correctness", "correct", annotator="ann")
    other = label("answer_correctness", "partial", annotator="bob")
    assert verdict(CORRECTNESS, same, same, other).label is None  # one vote each
    with pytest.raises(DataError, match=r"'ann'.*both"):
        FileJudge([same, label("answer_correctness", "partial", annotator="ann")])


def test_nothing_for_the_question() -> None:
    judge = FileJudge([label("faithfulness", "faithful")])
    said = verdict(CORRECTNESS, label("faithfulness", "faithful"))
    assert (said.label, said.unscored, said.basis) == (None, "undecided", "judged")
    assert not judge.covers(CORRECTNESS)
    assert not judge.covers(ExtractClaims(**Q, answer="a"))
    assert not judge.covers(SUPPORT.model_copy(update={"query_id": "other"}))


def test_people_answer_what_code_decided_too() -> None:
    decided = CORRECTNESS.model_copy(update={"decided": True})
    assert verdict(decided, label("answer_correctness", "partial")).label == "partial"


def test_sufficiency() -> None:
    question = CheckSufficiency(**Q, passages=PASSAGES)
    assert verdict(question, label("sufficiency", "insufficient")).label == "insufficient"


def test_faithfulness_and_citations_are_of_the_whole_answer() -> None:
    said = verdict(SUPPORT, label("faithfulness", "unfaithful"))
    assert (said.overall, said.findings) == (Overall(label="unfaithful"), ())
    cited = verdict(SUPPORT, label("citation_support", "partial"))
    assert (cited.overall, cited.citation_support) == (None, "partial")


def test_a_tie_on_faithfulness() -> None:
    said = verdict(
        SUPPORT,
        label("faithfulness", "faithful", annotator="a"),
        label("faithfulness", "unfaithful", annotator="b"),
    )
    assert (said.overall, said.unscored) == (Overall(label=None), "undecided")


def test_claims_by_text_and_by_span() -> None:
    said = verdict(
        SUPPORT,
        label("support", "supported", claim="sales  rose"),
        label("support", "partial", claim_span=(11, 18)),
        label("support", "contradicted", claim_span=(15, 23)),
        label("support", "not_found", claim_span=(40, 50)),
    )
    found = {finding.item_id: finding.label for finding in said.findings}
    assert found == {"c1": "supported", "c2": "contradicted"}  # the worst of what overlaps
    tied = verdict(
        SUPPORT,
        label("support", "supported", claim="Sales rose.", annotator="a"),
        label("support", "partial", claim="Sales rose.", annotator="b"),
    )
    assert [(f.item_id, f.label, f.unscored) for f in tied.findings] == [("c1", None, "undecided")]


def test_identity_of_a_passage_and_of_the_whole() -> None:
    by_passage = verdict(IDENTITY, label("evidence_identity", "wrong:period", passage_id="p2"))
    assert [(f.item_id, f.label) for f in by_passage.findings] == [("p2", "wrong:period")]
    assert by_passage.label is None
    whole = verdict(IDENTITY, label("evidence_identity", "right"))
    assert (whole.label, whole.findings) == ("right", ())


@pytest.mark.parametrize(
    ("check", "value"),
    [("answer_correctness", "good"), ("evidence_identity", "wrong"),
     ("evidence_identity", "wrong:colour"), ("faithfulness", "supported")],
)  # fmt: skip
def test_unknown_labels_are_refused(check: str, value: str) -> None:
    with pytest.raises(DataError, match=value):
        FileJudge([label(check, value)])


def test_the_version_follows_the_labels_not_their_order() -> None:
    one, two = label("faithfulness", "faithful"), label("sufficiency", "sufficient")
    assert FileJudge([one, two]).version == FileJudge([two, one]).version
    assert FileJudge([one]).version != FileJudge([one, two]).version
    own = FileJudge([label("my_check", "Anything")])
    assert not own.covers(CORRECTNESS)
