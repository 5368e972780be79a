"""Hostile text: nothing raises, and time grows with its length, not with a power of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragdiag.answer.correctness import decide
from ragdiag.records import Item, Passage, Target
from ragdiag.text import abstention, citations, identity, locate, numbers, quotes, sentences, tokens
from ragdiag.text.calculation import explain
from ragdiag.text.tables import operands_of
from tests.growth import grows_linearly

LENGTH = 24_000
TARGET = Target(entity="Alder Corp", period="FY2017", metric="revenue", unit="USD")
QUOTE = "the revenue of the year was 5 million in total"

FUNCTIONS: dict[str, Callable[[str], object]] = {
    "numbers": numbers.parse,
    "compare": lambda text: numbers.compare(text, "5 million"),
    "citations": lambda text: citations.parse(text, ["a", "1"]),
    "strip_markers": citations.strip_markers,
    "sentences": sentences.split,
    "tokens": tokens.tokens,
    "stems": tokens.content_stems,
    "quotes": lambda text: quotes.find_quote(QUOTE, text),
    "locate": lambda text: locate.matches(Item(text=QUOTE), Passage(passage_id="p", text=text)),
    "identity": lambda text: identity.compare(TARGET, Passage(passage_id="p", text=text)),
    "asked": identity.target_from_question,
    "abstains": lambda text: abstention.abstains("What?", text),
    "operands": lambda text: operands_of(text, "p", None),
    "explain": lambda text: explain(text, "5.3 million", operands_of("Total 5.3 and 2.1", "p")),
    "answer": lambda text: decide("What?", ["$5 million"], text),
    "reference": lambda text: decide("What?", [text], "It was $5 million."),
    "question": lambda text: decide(text, ["Anna Berg"], "Anna Berg."),
}
PARTS = (
    "[", "(", '"', "'", "\\", "[1]", "[1,", "[doc", "- ", "|1", "|a|1|\n", "$", "1", "٣", "1,", "1.",
    "三百", "万", "中", "。", "½", "FY", "Q1 2017 ", "two hundred and ", "hundred ", "1 million ", "Mr. ",
    "I cannot ", "not ", "1 + 1 = ", "1/", "A.", "a ", "\u202e", "e\u0301", "<", "\t", "x²",
)  # fmt: skip
NUMBER_PARTS = (
    "hundert", "zweiundzwanzig", "ventuno", "duemila", "百分之", "½", "1/", "(1", "1 000 ", "$ ", "€",
    "Mio. ", "one hundred and ", "삼백만", "dreifach", "4.3 Liquidity ", "1.1 A", "2018, ", "Eq. (", "- ",
    "(0)20 ", "\u00a0", "0-",
)  # fmt: skip
DIGITS = "7" * 5000
LONG_NUMBERS = tuple(
    form.format(DIGITS, DIGITS)
    for form in (
        "[{}]", "[doc {}]", "[1-{}]", "[^{}]", "1/{} x", "10^{}", "1e{}", "FY{}", "Q{} 2017", "{}%",
        "| {} | 2 |\n|---|---|\n| {} | 3 |", "5 * {} = 5", "page {}", "2017-{}", "{} of 3", "{}万",
    )
)  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_is_linear(name: str) -> None:
    for part in PARTS:
        text = (part * (LENGTH // len(part) + 1))[:LENGTH]
        assert grows_linearly(FUNCTIONS[name], text), part


@pytest.mark.parametrize("part", NUMBER_PARTS)
def test_numbers_of_a_long_run_take_linear_time(part: str) -> None:
    text = (part * (LENGTH // len(part) + 1))[:LENGTH]
    assert grows_linearly(numbers.parse, text)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_of_thousands_of_digits(name: str) -> None:
    for text in LONG_NUMBERS:
        FUNCTIONS[name](f"It was {text}.")  # neither raises nor takes for ever
