"""Pages as people write them."""

from __future__ import annotations

import pytest

from ragdiag.text.pages import page_name, same_page


@pytest.mark.parametrize(
    ("page", "name"),
    [
        (60, "60"), ("060", "60"), (" p. 60 ", "60"), ("PAGE 60", "60"), ("pp. 7", "7"), ("000", "0"),
        ("\uff16\uff10", "60"), ("IV", "iv"), ("p. iv", "p. iv"), ("60.0", "60.0"), ("3-4", "3-4"),
        ("9" * 5000, "9" * 5000),
    ],
)  # fmt: skip
def test_the_one_spelling(page: int | str, name: str) -> None:
    assert page_name(page) == name
    assert same_page(page, name)
