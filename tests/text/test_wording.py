"""Claims by kind, and with their pronoun resolved."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.text.wording import kinds_of, self_contained


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Arden Bank earned $5 million in 2017.", ("number", "unit", "period", "entity")),
        ("Sales rose by 5%.", ("number", "unit")),
        ("There are 12 shops.", ("number",)),
        ("It opened in 1911.", ("period",)),
        ("The head is Ada Brook.", ("entity",)),
        ("It opened.", ()),
        ("売上は5億円です。", ("number", "unit")),
        ("Выручка в 2021 году составила 5 млн руб.", ("number", "unit", "period")),
        ("", ()),
    ],
)
def test_kinds(text: str, kinds: tuple[str, ...]) -> None:
    assert kinds_of(text) == kinds


WHEN = {"query": "When did Arden Bank open?"}


@pytest.mark.parametrize(
    ("text", "known", "wording"),
    [
        ("It opened in 1911.", WHEN, "Arden Bank opened in 1911."),
        ("Its first branch was in Leeds.", WHEN, "Arden Bank’s first branch was in Leeds."),
        ("The company grew.", WHEN, "Arden Bank grew."),
        ("该公司成立于1911年。", WHEN, "Arden Bank成立于1911年。"),
        (
            "She was born in 1911.",
            {"query": "Who founded Arden Bank?", "before": ["Ada Brook founded it."]},
            "Ada Brook was born in 1911.",
        ),
        (
            "They sold five.",
            {"query": "And in 2018?", "history": [("user", "What did Arden Bank sell in 2017?")]},
            "Arden Bank sold five.",
        ),
        (
            "It reflects the profit.",
            {**WHEN, "before": ["The margin is a measure."]},
            "It reflects the profit.",
        ),
        (
            "It sold 5.",
            {**WHEN, "before": ["Beeley Mills bought shops."]},
            "Beeley Mills sold 5.",
        ),
        (
            "The bank sold 5.",
            {**WHEN, "before": ["The margin is a measure."]},
            "Arden Bank sold 5.",
        ),
        ("It's important to know that.", WHEN, "It's important to know that."),
        ("It is known that rent rose.", WHEN, "It is known that rent rose."),
        ("It seems like a typo in your question.", WHEN, "It seems like a typo in your question."),
        ("It is where you live.", WHEN, "It is where you live."),
        ("In 2017, it sold 5.", WHEN, "In 2017, Arden Bank sold 5."),
        ("As of 3 May 1931, its rent was 5.", WHEN, "As of 3 May 1931, Arden Bank’s rent was 5."),
        ("However, it grew.", WHEN, "However, Arden Bank grew."),
        ("However, it is said that it grew.", WHEN, "However, it is said that it grew."),
        ("In the report, it sold 5.", WHEN, "In the report, it sold 5."),
        ("Rent is 5.", WHEN, "Rent is 5."),
        ("Items were sold.", WHEN, "Items were sold."),
        ("It rose.", {"query": "what happened?"}, "It rose."),
        ("", WHEN, ""),
    ],
)
def test_a_claim_stands_alone(text: str, known: dict[str, Any], wording: str) -> None:
    assert self_contained(text, **known) == wording
