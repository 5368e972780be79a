"""Scales by which amounts of other numeral systems are mistaken."""

from __future__ import annotations

import pytest

from ragdiag.text.calculation.number_match import direct_relation
from ragdiag.text.numbers import parse


@pytest.mark.parametrize(
    ("given", "reference", "told"),
    [
        ("412兆円", "412億円", ("scale", "10^4")),
        ("4,120,000円", "412億円", ("scale", "10^4")),
        ("412円", "412億円", ("scale", "10^8")),
        ("412 lakh rupees", "412 crore rupees", ("scale", "percent")),
        ("₹4,12,00,000", "₹412 lakh", ("ok", "scale")),
        ("₹412", "₹412 lakh", ("scale", "10^5")),
        ("₹412", "₹412 crore", ("scale", "10^7")),
        ("412 milliard dollars", "412 million dollars", ("scale", "10^3")),
        ("$41,200", "$4.12", None),  # no unit of this amount is 10^4
        ("$60", "$6 dozen", None),
    ],
)
def test_scales(given: str, reference: str, told: tuple[str, str] | None) -> None:
    (one,), (other,) = parse(given), parse(reference)
    assert direct_relation(one, other, (), "") == told
