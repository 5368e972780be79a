from __future__ import annotations

from typing import Any

import pytest

from ragdiag.data.corpus import FileCorpus
from ragdiag.evaluation.health.kind_shares import KindShares
from ragdiag.evaluation.health.kinds import (
    has_identifier,
    is_paraphrase,
    kinds_of,
    overlap_with_gold,
)
from ragdiag.records import Passage, Sample


def sample(query: str = "Which subsidiaries of Alder paid taxes?", **fields: Any) -> Sample:
    return Sample.model_validate({"query_id": "q", "query": query, **fields})


@pytest.mark.parametrize(
    "query",
    [
        'who said "to be or not to be"',
        "who is the ‘father’ of the minicomputer",
        "error E1042 on start",
        "what is CVE-2021-44228",
        "invoice 2023118847 status",
        "difference of 6.15.0 and 6.14.0",
        "where is read_csv defined",
        "open report.pdf",
        "mail of jane@example.com",
        "https://example.com down?",
        "part AB-1200 price",
        "is GPT-4 used",
        "「東京」とは",
    ],
)
def test_exact_identifiers(query: str) -> None:
    assert has_identifier(query)


@pytest.mark.parametrize(
    "query",
    [
        "What was the FY2018 capital expenditure of 3M?",
        "change from mid-2018 to Q3 2019",
        "top-10 holdings in the 10-K",
        "a 16GB laptop for a 5-year-old",
        "the 3rd quarter, 2016-2017, Q3-2019, EU-2018",
        "don't tell me it isn't the company's",
        "revenue of 1,577 million in 2017",
        "session held in1905",
        "",
    ],
)
def test_years_sizes_and_forms_are_none(query: str) -> None:
    assert not has_identifier(query)


GOLD = [[{"passage_id": "p", "text": "The duties were settled by the daughter firms of Alder."}]]


def test_paraphrase_is_told_from_the_words_of_the_gold_text() -> None:
    """Content words: subsidiaries, Alder, paid, taxes; one of four stands in the text."""
    assert overlap_with_gold(sample(gold=GOLD)) == 0.25
    assert is_paraphrase(sample(gold=GOLD)) is True
    assert is_paraphrase(sample("Which duties did daughter firms settle?", gold=GOLD)) is False


def test_gold_text_is_looked_up_by_id() -> None:
    shown = [{"passage_id": "p", "text": "Alder's subsidiaries paid taxes."}]
    named = sample(gold=[[{"passage_id": "p"}]], retrieved=shown)
    graded = sample(qrels={"p": 1, "other": 0}, retrieved=shown)
    assert overlap_with_gold(named) == overlap_with_gold(graded) == 1.0


def test_gold_text_is_looked_up_by_its_place() -> None:
    page = {"passage_id": "p", "doc_id": "d", "page": 3, "text": "Alder's subsidiaries paid taxes."}
    other = {"passage_id": "o", "doc_id": "d", "page": 4, "text": "Nothing of the kind."}
    placed = sample(gold=[[{"doc_id": "d", "page": "p. 3"}]])
    corpus = FileCorpus(
        {one["passage_id"]: Passage.model_validate(one) for one in (page, other)}, ""
    )
    assert overlap_with_gold(placed) is None
    assert overlap_with_gold(placed, corpus) == 1.0
    assert (
        overlap_with_gold(sample(gold=[[{"doc_id": "d", "page": 3}]], retrieved=[other, page]))
        == 1.0
    )
    assert overlap_with_gold(sample(gold=[[{"doc_id": "d"}]]), corpus) is None


def test_where_the_wording_of_the_evidence_is_not_known() -> None:
    assert is_paraphrase(sample(reference=["word " * 40])) is None
    assert is_paraphrase(sample(gold=[[{"doc_id": "a"}]])) is None
    assert is_paraphrase(sample("taxes?", gold=GOLD)) is None  # too few words to compare


@pytest.mark.parametrize(
    ("fields", "kind", "value", "stated"),
    [
        ({"filter": "year == 2017"}, "filtered", True, True),
        ({"filter": " "}, "filtered", False, True),
        ({"gold": [[{"doc_id": "a"}, {"doc_id": "b"}], [{"doc_id": "c"}]]}, "multi_evidence", True, True),
        ({"gold": [[{"doc_id": "a"}], [{"doc_id": "b"}]]}, "multi_evidence", False, True),
        ({"slices": {"hops": "2"}}, "multi_evidence", True, True),
        ({"slices": {"hops": "many"}}, "multi_evidence", None, False),
        ({"slices": {"hops": "²"}}, "multi_evidence", None, False),
        ({"answerable": False}, "no_answer", True, True),
        ({"answerable": True}, "no_answer", False, True),
        ({"gold": [[{"doc_id": "a"}]]}, "no_answer", False, False),
        ({"reference": ["unanswerable"]}, "no_answer", True, False),
        ({}, "no_answer", None, False),
        ({"slices": {"answerability": "UNANSWERABLE"}}, "no_answer", True, True),
        ({"slices": {"answerable": "true"}}, "no_answer", False, True),
        ({"slices": {"paraphrase": "yes"}}, "paraphrase", True, True),
        ({"slices": {"type": "Exact identifier+multi-hop"}}, "exact_identifier", True, True),
        ({"slices": {"type": "Exact identifier+multi-hop"}}, "multi_evidence", True, True),
        ({"slices": {"filtered": "false"}, "filter": "x"}, "filtered", False, True),
    ],
)  # fmt: skip
def test_what_the_data_states_wins(
    fields: dict[str, Any], kind: str, value: bool | None, stated: bool
) -> None:
    found = kinds_of(sample(**fields))
    assert found.found[kind] is value
    assert (kind in found.stated) is stated


def shares(*fields: dict[str, Any]) -> KindShares:
    found = KindShares()
    for one in fields:
        found.add(kinds_of(sample(**one)))
    return found


def test_shares_and_their_source() -> None:
    told = shares({"answerable": False}, {"gold": [[{"doc_id": "a"}]]}, {}).to_dict()
    assert told["no_answer"] == {"n": 1, "of": 2, "share": 0.5, "by": "partly stated"}
    assert told["filtered"] == {"n": 0, "of": 3, "share": 0.0, "by": "stated"}
    assert told["exact_identifier"]["by"] == "detected"
    assert told["paraphrase"] == {"n": 0, "of": 0, "share": None, "by": None}


def test_a_kind_that_is_missing_is_told_with_what_to_add() -> None:
    found = {f.kind: f for f in shares(*[{"answerable": True}] * 40).findings()}
    assert set(found) == {"few_exact_identifier", "few_filtered", "few_no_answer"}
    assert found["few_no_answer"].message == "no queries without an answer in the corpus (of 40)"
    assert "answerable: false" in found["few_no_answer"].todo
    assert found["few_exact_identifier"].message.endswith("(of 40; detected)")


def test_three_per_cent_are_enough_and_few_queries_tell_nothing() -> None:
    one, rest = {"filter": "x"}, [{}] * 39
    assert "few_filtered" in {f.kind for f in shares(one, *rest).findings()}  # 1 of 40 = 2.5%
    assert "few_filtered" not in {f.kind for f in shares(one, one, *rest[1:]).findings()}
    assert not list(shares(*[{}] * 19).findings())


def test_what_cannot_be_told_is_named() -> None:
    assert len(list(shares({}).untold())) == 3
    assert list(shares().untold()) == []
    full = {"gold": GOLD, "answerable": True}
    assert list(shares(full).untold()) == []
