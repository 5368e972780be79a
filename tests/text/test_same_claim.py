from __future__ import annotations

import pytest

from ragdiag.text.same_claim import overlaps, same_text


def test_the_same_words() -> None:
    assert same_text("Revenue  rose.", "revenue rose")
    assert not same_text("Revenue rose", "Revenue fell")


@pytest.mark.parametrize(
    ("other", "told"), [((0, 10), True), ((5, 30), True), ((6, 30), False), ((10, 12), False)]
)
def test_spans_share_half_of_the_shorter_one(other: tuple[int, int], told: bool) -> None:
    assert overlaps((0, 10), other) is told
    assert overlaps(other, (0, 10)) is told
