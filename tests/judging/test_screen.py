"""The embedded judge on texts whose right answer a reader sees at once."""

from __future__ import annotations

import asyncio

import pytest

from ragdiag.judging.screen import Screen
from ragdiag.records import (
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    ExtractClaims,
    ListComponents,
    Target,
    Verdict,
)
from tests.plant import COOKING, PLANT, finding, passages, support


@pytest.fixture(scope="module")
def screen() -> Screen:
    return Screen()


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("The Norvik plant opened in 1987 on the east bank of the river Sund.", "supported"),
        ("The plant produced 120 million barrels of refined oil in 2017.", "supported"),
        ("The Norvik plant opened in 1991 on the east bank of the river Sund.", "contradicted"),
        ("The plant was closed after the flood of 2019.", "contradicted"),
        ("Whales migrate through the Atlantic every autumn to feed on krill.", "not_found"),
    ],
)
def test_support_labels(screen: Screen, claim: str, label: str) -> None:
    assert finding(screen, claim, PLANT).label == label


CAPEX = "Norvik's capital expenditure was $398 million in 2016 and $350 million in 2015."
NEXT = "Norvik's revenue was $2,310 million in 2017. Its 28 ports were sold in 2011."


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Norvik's capital expenditure was $398 million in 2016.", "supported"),
        ("Norvik's capital expenditure was $350 million in 2015.", "supported"),
        # The year stands in the passages, but not with this number.
        ("Norvik's capital expenditure was $398 million in 2017.", "contradicted"),
        ("Norvik's capital expenditure was $398 million in 2015.", "contradicted"),
        ("In 2017 Norvik spent $398 million on trucks.", None),
        ("Norvik's capital expenditure was $398 million.", "supported"),
    ],
)
def test_a_number_of_another_period_is_no_support(
    screen: Screen, claim: str, label: str | None
) -> None:
    assert finding(screen, claim, CAPEX, NEXT).label == label


@pytest.mark.parametrize(
    ("claim", "told", "whole"),
    [
        ("Norvik's capital expenditure was $398 million in 2016.", "supported", "faithful"),
        # Looks faithful by its words, but a number or a period is amiss.
        ("In 2018, Norvik's capital expenditure was $398 million.", "contradicted", "unfaithful"),
        ("In 2017, Norvik's capital expenditure was $398 million.", "contradicted", "unfaithful"),
        ("Norvik's capital expenditure was $398 million in 2016, of 1,234.", None, None),
    ],
)
def test_the_whole_answer_and_its_claims_say_the_same(
    screen: Screen, claim: str, told: str | None, whole: str | None
) -> None:
    verdict = support(screen, claim, CAPEX, NEXT)
    assert verdict.overall is not None
    assert (verdict.findings[0].label, verdict.overall.label) == (told, whole)


@pytest.mark.parametrize(("said", "missing"), [("passage 7", False), ("7 trucks", True)])
def test_the_number_of_a_passage_is_none_that_a_claim_states(
    screen: Screen, said: str, missing: bool
) -> None:
    claim = f"Based on {said}, Norvik's capital expenditure was $398 million in 2016."
    reason = finding(screen, claim, CAPEX, NEXT).reason
    assert ("numbers that stand nowhere: 7" in (reason or "")) is missing


def test_a_number_in_a_sentence_about_something_else_tells_no_period(screen: Screen) -> None:
    claim = "Norvik's capital expenditure of $398 million in 2016 bought 28 trucks."
    reason = finding(screen, claim, CAPEX, NEXT).reason  # 28 stands in a sentence of 2011
    assert reason is not None
    assert "is of" not in reason


@pytest.mark.parametrize(
    "claim",
    [
        "It produced 12 million barrels of refined oil in 2017.",
        "It employed 45 people in 2017 and produced 120 million barrels of refined oil.",
        "It produced 120 million barrels of refined oil in 2018.",
    ],
)
def test_a_number_that_stands_nowhere_is_never_supported(screen: Screen, claim: str) -> None:
    found = finding(screen, claim, PLANT)
    assert found.label != "supported"
    assert found.reason is not None
    assert "numbers that stand nowhere" in found.reason or "stands where" in found.reason


def test_the_verdict_names_the_numbers_that_stand_nowhere(screen: Screen) -> None:
    reason = support(screen, "It employed 777 people at the Norvik plant.", PLANT).reason
    assert reason == "numbers that stand nowhere in the passages: 777"
    assert support(screen, "It employed 450 people at the Norvik plant.", PLANT).reason is None


def test_a_claim_without_content_words_is_undecided(screen: Screen) -> None:
    found = finding(screen, "Yes.", PLANT)
    assert (found.label, found.unscored) == (None, "undecided")


def test_a_number_at_another_scale_is_not_missing(screen: Screen) -> None:
    found = finding(screen, "It produced 120,000,000 barrels of refined oil in 2017.", PLANT)
    assert found.reason is not None
    assert "nowhere" not in found.reason


def test_quote_is_verbatim_and_from_the_named_passage(screen: Screen) -> None:
    found = finding(screen, "The plant employed 450 people.", COOKING, PLANT)
    assert found.passage_id == "p2"
    assert found.quote == (
        "It produced 120 million barrels of refined oil in 2017 and employed 450 people."
    )


def test_every_passage_that_alone_supports_is_named(screen: Screen) -> None:
    sentence = "The Norvik plant opened in 1987 on the east bank of the river Sund."
    found = finding(screen, sentence, COOKING, sentence, PLANT)
    assert (found.label, found.supporting, found.joint) == ("supported", ("p2", "p3"), ())


def test_two_passages_that_support_only_together_are_joint(screen: Screen) -> None:
    found = finding(
        screen,
        "The Norvik plant employed 450 people and was founded by Ingrid Solheim of Bergen.",
        COOKING,
        "The Norvik plant employed 450 people.",
        "The Norvik plant was founded by Ingrid Solheim of Bergen.",
    )
    assert found.label == "supported"
    assert found.supporting == ()
    assert found.joint == ("p2", "p3")


def test_score_is_given_whether_decided_or_not(screen: Screen) -> None:
    scores: list[float] = []
    for claim in (
        "The Norvik plant opened in 1987 on the east bank of the river Sund.",
        "The Norvik plant was built by engineers from the east.",
        "Whales migrate through the Atlantic every autumn to feed on krill.",
    ):
        score = finding(screen, claim, PLANT).score
        assert score is not None
        scores.append(score)
    assert scores == sorted(scores, reverse=True)
    undecided = finding(screen, "The Norvik plant was built by engineers from the east.", PLANT)
    assert (undecided.label, undecided.unscored) == (None, "undecided")


def test_no_passages_is_not_found_and_unfaithful(screen: Screen) -> None:
    verdict = support(screen, "The plant opened in 1987.")
    assert verdict.findings[0].label == "not_found"
    assert verdict.findings[0].score == 0
    assert verdict.overall is not None
    assert (verdict.overall.label, verdict.overall.score) == ("unfaithful", 0)


def test_a_passage_without_text_leaves_absence_undecided(screen: Screen) -> None:
    whales = "Whales migrate through the Atlantic every autumn to feed on krill."
    assert finding(screen, whales, PLANT, None).label is None
    assert finding(screen, whales, None).unscored == "undecided"
    overall = support(screen, whales, PLANT, None).overall
    assert overall is not None
    assert overall.label is None


def test_overall_tells_a_copied_answer_from_an_invented_one(screen: Screen) -> None:
    copied = support(screen, PLANT, PLANT).overall
    invented = support(
        screen, "Whales migrate each autumn. They feed on krill near Iceland in 1875.", PLANT
    ).overall
    assert copied is not None
    assert invented is not None
    assert (copied.label, invented.label) == ("faithful", "unfaithful")
    empty = support(screen, "…", PLANT)
    assert empty.overall is None


def test_order_of_passages_changes_no_label_or_score(screen: Screen) -> None:
    claim = "The plant produced 120 million barrels of refined oil in 2017."
    one, other = support(screen, claim, PLANT, COOKING), support(screen, claim, COOKING, PLANT)
    assert one.findings[0].score == other.findings[0].score
    assert one.overall == other.overall


def test_identity_and_components_are_left_undecided(screen: Screen) -> None:
    identity = screen.reply(
        CheckIdentity(query_id="q", query="?", target=Target(period="2017"), passages=())
    )
    assert isinstance(identity, Verdict)
    assert (identity.label, identity.unscored) == (None, "undecided")
    components = screen.reply(ListComponents(query_id="q", query="?"))
    assert components.components == ()  # pyright: ignore


def test_what_code_decided_is_left_to_code(screen: Screen) -> None:
    asked = CheckCorrectness(
        query_id="q", query="?", reference=("1911",), answer="1911", decided=True
    )
    reply = screen.reply(asked)
    assert isinstance(reply, Verdict)
    assert (reply.label, reply.unscored) == (None, "undecided")


def test_ask_keeps_length_and_order(screen: Screen) -> None:
    questions = (
        CheckSufficiency(query_id="a", query="Where is Norvik?", passages=passages(PLANT)),
        ExtractClaims(query_id="b", query="?", answer="The plant is open."),
        ListComponents(query_id="c", query="?"),
    )
    answer = asyncio.run(screen.ask(questions))
    assert [(r.query_id, r.check) for r in answer.replies] == [
        ("a", "sufficiency"),
        ("b", "claims"),
        ("c", "components"),
    ]
    assert answer.usage.calls == 0
    assert {reply.judge for reply in answer.replies} == {"screen"}


@pytest.mark.parametrize(
    ("query", "reference", "answer"),
    [
        ("Who is the harbour master?", "Anna Berg", "The harbour master is Anna Lund."),
        ("When is the fair held?", "in March", "The fair is held in December."),
        ("What did it cost?", "14.2 million crowns", "It cost 14.2 thousand crowns."),
        ("How often is it inspected?", "once a year", "It is inspected every three years."),
    ],
)
def test_a_short_reference_must_be_met_in_every_word_and_number_of_its_own(
    query: str, reference: str, answer: str
) -> None:
    asked = CheckCorrectness(query_id="q", query=query, reference=(reference,), answer=answer)
    assert Screen().reply(asked).label != "correct"
