"""Two texts that give a figure to different companies; what may be one company is no conflict."""

from __future__ import annotations

import pytest

from ragdiag.text.entity_conflict import entity_conflict, owners
from tests.growth import grows_linearly


@pytest.mark.parametrize(
    ("said", "given", "found"),
    [
        ("Arden's revenue was $5m in 2017.", "Brae's revenue was $5m in 2017.", ("Arden", "Brae")),
        ("Arden’s net sales were 5.", "Revenue of Brae was $5m.", ("Arden", "Brae")),
        ("Arden reported revenue of 5.", "Brae posted revenue of 5.", ("Arden", "Brae")),
        ("In 2017 Arden Mills produced 5 barrels.", "In 2017 Brae produced 5 barrels.",
         ("Arden Mills", "Brae")),
        ("The Arden Company had 5 employees.", "Brae had 5 employees.", ("Arden", "Brae")),
        ("Johnson & Johnson's sales were 5.", "Pfizer's sales were 5.",
         ("Johnson & Johnson", "Pfizer")),
        ("Germany's exports were $5bn.", "France's exports were $5bn.", ("Germany", "France")),
        # one company under two names
        ("Arden Inc. reported sales of 5.", "Arden Corporation posted sales of 5.", None),
        ("AMD's revenue was 5.", "Advanced Micro Devices' revenue was 5.", None),
        ("P&G's sales were 5.", "Procter & Gamble's sales were 5.", None),
        ("Google's revenue was 5.", "Alphabet's revenue was 5.", None),
        ("Samsung's sales were 5.", "Samsung Electronics posted sales of 5.", None),
        ("Arden Foods' sales were 5.", "Arden Mills' sales were 5.", None),
        # the other is named as well
        ("Arden's sales were 5.", "Brae, which Arden owns, had sales of 5.", None),
        ("Arden's sales were 5, Brae's sales 4.", "Brae's sales were 4.", None),
        # nobody, or nobody in particular
        ("Arden's sales were 5.", "Its sales were 5.", None),
        ("Arden's sales were 5.", "The company's sales were 5.", None),
        ("Total sales were 5.", "Brae's sales were 5.", None),
        ("Last year's revenue was 5.", "Brae's revenue was 5.", None),
        ("North America's sales were 5.", "Europe's sales were 5.", None),
        ("Toyota's sales were 5.", "トヨタの売上は5だった。", None),
        ("", "", None),
    ],
)  # fmt: skip
def test_which_owners_conflict(said: str, given: str, found: tuple[str, str] | None) -> None:
    assert entity_conflict(said, given) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Arden's adjusted net income rose.", ("Arden",)),
        ("Production of Brae fell.", ("Brae",)),
        ("Arden met Brae in May.", ()),
        ("Chief Officer reported 5.", ()),
    ],
)
def test_owners(text: str, found: tuple[str, ...]) -> None:
    assert owners(text) == found


@pytest.mark.parametrize("unit", ["Arden Mills ", "A & ", "A's ", "revenue of ", "iA", "A.B."])
def test_linear(unit: str) -> None:
    assert grows_linearly(owners.__wrapped__, unit * 20_000)
