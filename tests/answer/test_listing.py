"""Items against places: the best matching, each place used once."""

from __future__ import annotations

import pytest

from ragdiag.answer.listing import _best, asks_several, match_items


@pytest.mark.parametrize(
    ("edges", "chosen"),
    [
        ([], []),
        ([[0], [1]], [0, 1]),
        ([[0, 1], [0]], [1, 0]),  # the first gives way
        ([[0, 1], [0, 2], [0]], [1, 2, 0]),
        ([[0], [0]], [0, None]),
        ([[], [0]], [None, 0]),
    ],
)
def test_as_many_items_as_can_be(edges: list[list[int]], chosen: list[int | None]) -> None:
    assert _best(edges) == chosen


@pytest.mark.parametrize(
    ("items", "answer", "found", "crossed"),
    [
        (["Hull", "Leeds"], "Leeds; Hull", (True, True), False),
        (["Hull", "Leeds"], "Leeds, not Hull", (False, True), False),
        (["$5", "$5"], "It was $5.", (True, False), False),
        (["$5", "$5"], "$5 and $5", (True, True), False),
        (["rent $5", "heat $6"], "Rent is $5 and heat is $6.", (True, True), False),
        (["rent $5", "heat $6"], "Rent is $6 and heat is $5.", (True, True), True),
        (["rent $5", "heat $6"], "$5, $6", (True, True), False),
        (["王芳", "李雷"], "李雷和王芳", (True, True), False),
        (["a: Hull", "b: Leeds"], "Hull is a, York is b.", (True, False), False),
    ],
)
def test_items(items: list[str], answer: str, found: tuple[bool, ...], crossed: bool) -> None:
    told = match_items("Which?", items, answer)
    assert (told.found, told.crossed) == (found, crossed)


@pytest.mark.parametrize(
    ("query", "several"),
    [
        ("Who founded it, and when?", True),
        ("What was rent and how much was heat?", True),
        ("Is it listed, and since when?", True),
        ("Wer hat es gegründet, und wann?", True),
        ("Who founded Marks and Spencer?", False),
        ("Is it listed?", False),
        ("", False),
    ],
)
def test_questions_for_several_things(query: str, several: bool) -> None:
    assert asks_several(query) is several
