"""The quick looks before the grammar of numbers: they may only skip where it would find nothing."""

from __future__ import annotations

import re

import pytest

from ragdiag.text.numbers import parsing

_WRITTEN = (
    "no number here at all.",
    "It often happened; none of them came.",
    "They sold three of them.",
    "A twofold rise, a three-fold fall, tenfold.",
    "half of the cost, two thirds, three-quarters, a quarter of it",
    "one in five, 1 in 10, 3 in 100, one in every four",
    "nil", "a dozen", "half a million", "an hundred", "forty-five thousand",
    "the first quarter", "second half of 2019", "Q3", "FY2018", "in May 2020",
    "see www.example.org or https://example.org", "fe80::ab", "ab::cd",
    "the third, the twelfth", "seventy percent", "“ten” – ‘twenty’…",
    "1,234.50 and 1.234,50", "12.5% of 1,000", "Page four", "\u017fix", "three\u00a0million",
)  # fmt: skip


@pytest.mark.parametrize("text", _WRITTEN)
def test_a_quick_look_changes_nothing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = parsing.parse(text)
    monkeypatch.setattr(parsing, "_PLAIN", re.compile("(?!)"))  # no text passes for a plain one
    assert quick == parsing._Reader(text).read()


def test_a_reader_of_the_list_cannot_change_what_is_remembered() -> None:
    parsing.parse("12 and 13").clear()
    assert [int(found.value) for found in parsing.parse("12 and 13")] == [12, 13]
