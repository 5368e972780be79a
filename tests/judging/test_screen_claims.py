"""Which sentences of an answer are claims, and how the screen reads a text."""

from __future__ import annotations

import pytest

from ragdiag.judging.screen import Screen
from ragdiag.judging.screen.claims import claims_of
from ragdiag.judging.screen.features import (
    Evidence,
    Support,
    mean,
    quantile,
    read_claim,
)
from ragdiag.judging.screen.model import (
    Idf,
    load_idf,
)
from ragdiag.judging.screen.reading import Shelf, content_of, plain_number, read, read_span
from ragdiag.records import (
    ExtractClaims,
)

PLANT = (
    "The Norvik plant opened in 1987 on the east bank of the river Sund. "
    "It produced 120 million barrels of refined oil in 2017 and employed 450 people. "
    "The plant was not closed after the flood of 2019."
)
COOKING = "Knead the dough for ten minutes. Let it rise under a damp cloth until it has doubled."


@pytest.fixture(scope="module")
def screen() -> Screen:
    return Screen()


def test_claims_are_sentences_with_offsets_in_the_answer_as_given() -> None:
    answer = "Sure! The plant opened in 1987 [1]. It employs **450 people** [2]. Anything else?"
    claims = claims_of("When did it open?", answer)
    assert [claim.claim_id for claim in claims] == ["c1", "c2"]
    assert claims[0].text.startswith("The plant opened in 1987")
    assert "[" not in claims[0].text
    assert answer[claims[0].start : claims[0].end].startswith("The plant opened in 1987")
    assert answer[claims[1].start :].startswith("It employs **450 people")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Hello!",
        "I'm sorry, I could not find that.",
        "The documents do not mention the plant's owner.",
        "Would you like to know more?",
        "***",
        "Here it is:",
    ],
)
def test_what_states_nothing_is_no_claim(answer: str) -> None:
    assert claims_of("Who owns the plant?", answer) == ()


def test_short_answers_and_list_items_are_claims() -> None:
    assert [c.text for c in claims_of("Is it open?", "Yes.")] == ["Yes."]
    listed = claims_of("What was sold?", "1. Refined oil was sold.\n2. Gas was sold.")
    assert [claim.text for claim in listed] == ["Refined oil was sold.", "Gas was sold."]


def test_lead_ins_and_summaries_need_no_citation() -> None:
    claims = claims_of(
        "What changed?",
        "Three refineries in Norway and Denmark changed owners:\nOverall, output grew strongly.\n"
        "The Norvik plant was sold.",
    )
    assert [claim.needs_citation for claim in claims] == [False, False, True]


def test_extract_claims_keeps_what_code_said_of_abstention(screen: Screen) -> None:
    for abstains in (True, False, None):
        asked = ExtractClaims(
            query_id="q", query="?", answer="The plant is open.", abstains=abstains
        )
        assert screen.reply(asked).abstains is abstains  # pyright: ignore


@pytest.mark.parametrize(
    ("written", "plain"),
    [("1,577.00", "1577"), ("0.50", ".5"), ("007", "7"), ("0", "0"), ("3.14", "3.14")],
)
def test_plain_number(written: str, plain: str) -> None:
    assert plain_number(written) == plain


def test_a_span_holds_stems_pairs_numbers_names_and_negations() -> None:
    span = read_span("Plants in Norvik didn't produce 1,200 barrels or three tons.", lang="en")
    assert span.stems[:2] == ("plant", "norvik")
    assert ("plant", "norvik") in span.pairs
    assert (span.numbers, span.spelled) == ({"1200"}, {"3"})
    assert span.names == {"norvik"}
    assert (span.negations, span.negated) == (1, {"produc"})


def test_german_nouns_are_no_names() -> None:
    assert read_span("Die Anlage wurde nicht in der Stadt gebaut.", lang="de").names == frozenset()
    assert read_span("Die Anlage wurde nicht gebaut.", lang="de").negated == {"gebaut"}


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("橋は1932年に完成した。", "この橋は1932年に完成した。長さは503mです。"),
        ("Мост был построен в 1932 году.", "Мост был построен в 1932 году. Длина 503 м."),
        ("पुल 1932 में बना था।", "पुल 1932 में बना था। लंबाई 503 मीटर है।"),
    ],
)
def test_other_scripts_are_compared_too(claim: str, passage: str) -> None:
    idf = load_idf()
    evidence = Evidence([read(passage)])
    same = Support(evidence, "?", idf).claim(claim)
    assert same.features["recall"] == pytest.approx(1)
    other = Support(Evidence([read(COOKING)]), "?", idf).claim(claim)
    assert other.features["recall"] == 0


def test_recall_is_the_share_of_idf_weight() -> None:
    # ln(4/4) = 0, ln(4/2) = ln 2, unknown ln 4 = 2 ln 2: of 0 + 1 + 2 parts, 1 part is found.
    idf = Idf(3, {"plant": 3, "oil": 1})
    evidence = Evidence([read("Plant oil.")])
    found = read_claim(read_span("plant oil zebra", lang="en"), evidence, frozenset(), idf)
    assert found.features["recall"] == pytest.approx(1 / 3)
    assert found.features["rarest_missing"] == 1
    assert found.features["missing_share"] == pytest.approx(1 / 3)


def test_mean_and_quantile() -> None:
    assert mean([1.0, 2.0, 6.0]) == 3
    assert quantile([0.0, 1.0, 2.0], 0.25) == 0.5
    assert quantile([7.0], 0.25) == 7


def test_the_shelf_forgets_what_was_read_first() -> None:
    shelf = Shelf(characters=30)
    first = shelf.read("The plant opened.")
    assert shelf.read("The plant opened.") is first
    shelf.read("It was closed again.")
    assert shelf.read("The plant opened.") is not first
    assert shelf.read("The plant opened.") == first


def test_content_of_leaves_function_words_out() -> None:
    assert content_of("The plant and its river are there") == ("plant", "river")
