from __future__ import annotations

from typing import Any

from ragdiag.records import Settings
from ragdiag.text.twins import collapsed, first_of, repeated, twins
from tests.cases import case, passage

COLLAPSE = Settings(near_duplicates="collapse")
SAME = "The company files reports with the commission."


class OnePassage:
    """A corpus of one passage."""

    data_hash, n_documents, n_passages = "none", 1, 1

    def passages_of(self, doc_id: str) -> Any:
        return ()

    def has_document(self, doc_id: str) -> bool:
        return False

    def passage(self, passage_id: str) -> Any:
        from ragdiag.records import Passage  # noqa: PLC0415

        return Passage(passage_id="g#1", text=SAME) if passage_id == "g#1" else None


def test_twins_stand_in_any_list_or_in_the_labels() -> None:
    found = case(
        gold=[[{"passage_id": "gold#1", "text": SAME}]],
        retrieved=[passage("a#1", SAME), passage("x#1", "Other words.")],
        stages={"candidates": [passage("b#1", SAME.upper())]},
    )
    assert repeated(found) == (("a#1", "b#1", "gold#1"),)
    assert first_of(found, "b#1") == "b#1"  # only reported
    seen = collapsed(found, found.retrieved or ())
    assert seen.members is seen.passages


def test_the_corpus_knows_the_text_of_a_label() -> None:
    for labels in ({"gold": [[{"passage_id": "g#1"}]]}, {"qrels": {"g#1": 1}}):
        found = case(corpus=OnePassage(), retrieved=[passage("a#1", SAME)], **labels)
        assert twins(found) == {"a#1": "a#1", "g#1": "a#1"}
    assert twins(case(retrieved=[passage("a#1", SAME)], qrels={"g#1": 1})) == {}


def test_the_same_words_of_another_year_are_no_twin() -> None:
    def of(key: str, **metadata: Any) -> dict[str, Any]:
        return passage(key, SAME, metadata=metadata)

    assert twins(case(retrieved=[of("a#1", period="FY2016"), of("b#1", period="FY2017")])) == {}
    assert twins(case(retrieved=[of("a#1", year=2016.0), of("b#1", fiscal_year="2016")]))
    assert twins(case(retrieved=[of("a#1", company="Acme"), of("b#1", company="acme ")]))
    assert twins(case(retrieved=[of("a#1", company="Acme"), of("b#1", period="FY2017")]))
    told = [of("a#1", period="FY2016"), of("b#1", period="FY2017", duplicate_of="a#1")]
    assert twins(case(retrieved=told)) == {"a#1": "a#1", "b#1": "a#1"}


def test_a_collapsed_list_keeps_the_first_and_knows_the_others() -> None:
    listed = [passage("x#1", "Other."), passage("b#1", SAME), passage("a#1", SAME)]
    found = case(settings=COLLAPSE, retrieved=listed, stages={"candidates": [passage("c#1", SAME)]})
    seen = collapsed(found, found.retrieved or ())
    assert [one.passage_id for one in seen.passages] == ["x#1", "b#1"]
    assert [one.passage_id for one in seen.members] == ["x#1", "b#1", "a#1", "c#1"]
    assert list(seen.at) == [0, 1, 1, 1]
    assert first_of(found, "c#1") == "b#1"
    assert first_of(found, "x#1") == "x#1"
