"""Cells that a spreadsheet opens: no formula, no cut without a word."""

from __future__ import annotations

import math

import pytest

from ragdiag.report.cells import MOST_CHARACTERS, cell


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None), (math.nan, None), (math.inf, None), (0, 0), (-0.25, -0.25), (True, "true"),
        ("Alder", "Alder"), ("-3.2%", "-3.2%"), ("+1,577", "+1,577"), ("", ""),
        ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("+A1", "'+A1"), ("\t=1", "'\t=1"), ("\r=1", "'\r=1"), ("＝1", "'＝1"), ("a\0b", "ab"), ("\0=1", "'=1"),
        (("A1", "A2"), "A1; A2"), ((), ""), (["=x", "y"], "'=x; y"),
    ],
)  # fmt: skip
def test_cell(value: object, expected: object) -> None:
    assert cell(value) == expected


def test_a_long_text_says_what_was_cut() -> None:
    assert cell("x" * MOST_CHARACTERS) == "x" * MOST_CHARACTERS
    assert cell("x" * (MOST_CHARACTERS + 7)) == "x" * MOST_CHARACTERS + "… (+7 characters)"
