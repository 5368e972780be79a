from __future__ import annotations

import pytest

from ragdiag.text.units import Unit, unit_of, unit_words, units_agree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(in millions, except per share)", Unit(6, None, None)),
        ("$ in thousands", Unit(3, "USD", None)),
        ("Millions of dollars", Unit(6, "USD", None)),
        ("in EUR millions", Unit(6, "EUR", None)),
        ("(Millions)", Unit(6, None, None)),
        (
            "production in million barrels a year of the long year 2018 in sum",
            Unit(6, None, "barrel"),
        ),
        ("thousand barrels", Unit(3, None, "barrel")),
        ("USD", Unit(None, "USD", None)),
        ("%", Unit(None, None, "percent")),
        ("words without", None),
        ("a long text that is about millions and does not say what they are of", None),
    ],
)
def test_unit_of(text: str, expected: Unit | None):
    assert unit_of(text) == expected


def test_units_agree():
    million = Unit(6, None, "barrel")
    assert units_agree(million, Unit(6, "USD", None)) is True
    assert units_agree(million, Unit(3, None, "barrel")) is False
    assert units_agree(Unit(6, "USD", None), Unit(6, "EUR", None)) is False
    assert units_agree(Unit(None, None, "percent"), Unit(6, None, None)) is None


def test_unit_words():
    assert unit_words("answer in USD millions, please") == "USD millions"
    assert unit_words("answer in words") is None
