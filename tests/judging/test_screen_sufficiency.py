"""What a question and its passages, or an answer and its reference, hold of each other."""

from __future__ import annotations

import pytest

from ragdiag.judging.screen import Screen
from ragdiag.judging.screen.correctness import read_correctness
from ragdiag.judging.screen.features import (
    in_context,
)
from ragdiag.judging.screen.model import (
    load_idf,
)
from ragdiag.judging.screen.sufficiency import answer_kind
from ragdiag.records import (
    CheckCorrectness,
    Verdict,
)
from tests.plant import COOKING, PLANT, sufficiency


@pytest.fixture(scope="module")
def screen() -> Screen:
    return Screen()


def test_sufficiency(screen: Screen) -> None:
    good = sufficiency(screen, "When did the Norvik plant open?", PLANT)
    bad = sufficiency(screen, "When did the Norvik plant open?", COOKING)
    assert (good.label, bad.label) == ("sufficient", "insufficient")
    assert good.score is not None
    assert bad.score is not None
    assert good.score > bad.score
    assert good.passage_id == "p1"
    assert good.quote is not None
    assert good.quote in PLANT


def test_no_passages_are_insufficient_with_score_0(screen: Screen) -> None:
    verdict = sufficiency(screen, "When did the Norvik plant open?")
    assert (verdict.label, verdict.score) == ("insufficient", 0.0)


@pytest.mark.parametrize("texts", [(None,), (PLANT, None), ("…",)])
def test_sufficiency_of_what_cannot_be_read_is_undecided(
    screen: Screen, texts: tuple[str | None, ...]
) -> None:
    verdict = sufficiency(screen, "When did the Norvik plant open?", *texts)
    assert (verdict.label, verdict.unscored, verdict.score) == (None, "undecided", None)


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("How many people work there?", "number"),
        ("When did it open?", "date"),
        ("In what year was it sold?", "date"),
        ("Who founded it?", "person"),
        ("Where is it?", "place"),
        ("Is it open?", "yes_no"),
        ("Why was it closed?", "manner"),
        ("Name the river.", "other"),
    ],
)
def test_the_kind_of_answer_that_a_question_expects(query: str, kind: str) -> None:
    assert answer_kind(query) == kind


def test_earlier_turns_lend_names_to_an_open_question_and_nothing_else(screen: Screen) -> None:
    history = (("user", "Tell me about the plant in Norvik."), ("assistant", "It is in Bergen."))
    assert in_context("When did it open?", history) == "When did it open? (norvik)"
    assert in_context("When did the Sund refinery open its doors?", history) == (
        "When did the Sund refinery open its doors?"
    )
    assert in_context("When did it open?", ()) == "When did it open?"
    with_names = sufficiency(screen, "When did it open?", PLANT, history=history)
    without = sufficiency(screen, "When did it open?", PLANT)
    assert with_names.score != without.score


@pytest.mark.parametrize(
    ("query", "reference", "answer", "label"),
    [
        ("Who founded the plant?", "Ingrid Solheim", "It was Ingrid Solheim.", "correct"),
        ("Who founded the plant?", "Ingrid Solheim", "Peder Lund", "not correct"),
        ("When was it founded?", "4 May 1911", "in August 1998", "incorrect"),
        ("Name the two founders.", "Ada Brook and Tom Hale", "Ada Brook", "partial"),
        ("Name the two founders.", "Ada Brook and Tom Hale", "Tom Hale and Ada Brook", "correct"),
        ("Is it open?", "Yes, it is open.", "No, it is not open.", "not correct"),
        ("How did output change?", "output increased", "output decreased", "not correct"),
        ("How long was it closed?", "four years", "15 years", "not correct"),
        ("What was sold?", "120 million barrels", "130 million barrels", "not correct"),
    ],
)
def test_correctness(screen: Screen, query: str, reference: str, answer: str, label: str) -> None:
    reply = screen.reply(
        CheckCorrectness(query_id="q", query=query, reference=(reference,), answer=answer)
    )
    assert isinstance(reply, Verdict)
    assert reply.score is not None
    if label == "not correct":
        assert reply.label in (None, "incorrect")
    else:
        assert reply.label == label


LONGER = (
    "The Norvik plant spent $4,312 million on new pumps and valves in the spring, which the board "
    "had approved at its meeting in Bergen the year before."
)


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        # Nearly the same words, with another figure: never correct.
        (LONGER.replace("4,312", "5,907"), (None, "incorrect")),
        (LONGER, ("correct",)),
        # None of its figures, and next to nothing else of it.
        ("The plant has 450 workers and opened in 1987.", ("incorrect",)),
        ("The board approved new pumps and valves at its meeting in Bergen.", (None, "correct")),
    ],
)
def test_figures_of_a_longer_reference(
    screen: Screen, answer: str, labels: tuple[str | None, ...]
) -> None:
    reply = screen.reply(
        CheckCorrectness(
            query_id="q", query="What did the plant do?", reference=(LONGER,), answer=answer
        )
    )
    assert isinstance(reply, Verdict)
    assert reply.label in labels


def test_the_closest_reference_counts(screen: Screen) -> None:
    reply = screen.reply(
        CheckCorrectness(
            query_id="q", query="Where?", reference=("Bergen", "on the Sund"), answer="on the Sund"
        )
    )
    assert isinstance(reply, Verdict)
    assert reply.label == "correct"


@pytest.mark.parametrize(("reference", "answer"), [((), "x"), (("  ",), "x"), (("x",), " ")])
def test_nothing_to_compare_is_undecided(
    screen: Screen, reference: tuple[str, ...], answer: str
) -> None:
    asked = CheckCorrectness(query_id="q", query="?", reference=reference, answer=answer)
    reply = screen.reply(asked)
    assert isinstance(reply, Verdict)
    assert (reply.label, reply.unscored, reply.score) == (None, "undecided", None)


def test_what_is_lost_added_and_flipped() -> None:
    idf = load_idf()
    found = read_correctness(
        "?", "Yes, sales increased by 12%.", "No, sales decreased by 15%.", idf
    )
    assert (found.lost, found.added) == (("12",), ("15",))
    assert "yes/no" in found.flipped
    assert "increas/decreas" in found.flipped
    rounded = read_correctness("?", "$1,577.4 million", "It was $1.5774 billion.", idf)
    assert rounded.lost == ()


LONG = " ".join(
    f"Branch {chr(97 + n) * 4} sold {chr(97 + n) * 5} and {n}5 boxes." for n in range(20)
)


@pytest.mark.parametrize(
    ("reference", "answer", "flipped"),
    [
        ("Sales declined by 4% while costs increased.", "Sales decreased by 4%.", ()),
        ("Costs increased.", "Costs decreased.", ("increas/decreas",)),
        ("The merger was completed.", "The merger was not completed.", ("negation",)),
        # of a long answer only where it begins or speaks of the matter
        ("The merger was completed.", f"The merger was completed. {LONG} It is not large.", ()),
        ("The merger was completed.", f"It is not known. {LONG} The merger?", ("negation",)),
        ("The merger was completed.", f"Well. {LONG} The merger was not completed.", ("negation",)),
    ],
)
def test_what_is_flipped(reference: str, answer: str, flipped: tuple[str, ...]) -> None:
    assert read_correctness("What happened?", reference, answer, load_idf()).flipped == flipped


def test_a_light_verb_may_be_left_out() -> None:
    read = read_correctness(
        "Why?", "Hale experienced a strong start.", "A strong start.", load_idf()
    )
    assert "experienc" not in read.absent
    assert "hale" in read.absent
