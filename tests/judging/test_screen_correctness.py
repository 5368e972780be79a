"""The embedded judge on answers that say nothing of what the reference says."""

from __future__ import annotations

import pytest

from ragdiag.judging.screen.judge import Screen
from ragdiag.records import CheckCorrectness, Verdict

REFERENCE = ("Kassai: Mirador Oil; Lumo: Fjellvik Energy; Tembe: Costa Leste",)


def label(answer: str, *reference: str) -> str | None:
    asked = CheckCorrectness(
        query_id="q", query="Who operates each of the three blocks?", answer=answer,
        reference=reference or REFERENCE,
    )  # fmt: skip
    told = Screen().reply(asked)
    assert isinstance(told, Verdict)
    return told.label


@pytest.mark.parametrize("answer", [":", "...", "—", "“”", "?!", "。", "\u200b:", "( )"])
def test_punctuation_alone_is_incorrect(answer: str) -> None:
    assert label(answer) == "incorrect"


@pytest.mark.parametrize("answer", ["✓", "∞", "Thought process:", "It is so."])
def test_what_shares_no_word_is_never_correct(answer: str) -> None:
    assert label(answer) in (None, "incorrect")


def test_a_right_one_still_is() -> None:
    assert label("Mirador Oil runs Kassai, Fjellvik Energy runs Lumo, Costa Leste runs Tembe.") in (
        None, "correct",
    )  # fmt: skip
    assert label("The dam burst.", "The dam burst.") == "correct"
