"""Strata and the items that each gives: right values by hand."""

from __future__ import annotations

import itertools
import random

import pytest

from ragdiag.review.strata import MOST, Drawn, allocate, coarsened, share_out


@pytest.mark.parametrize(
    ("sizes", "n", "given"),
    [
        ([60, 30, 10], 10, [5, 3, 2]),  # 6, 3, 1 in proportion; the last is raised to 2
        ([60, 30, 10], 20, [12, 6, 2]),
        ([97, 1, 1, 1], 10, [7, 1, 1, 1]),  # a stratum of 1 gives its 1
        ([97, 2, 2, 2], 5, [2, 1, 1, 1]),  # 2 each would be 8: at least 1
        ([5, 5], 2, [1, 1]),
        ([5, 3], 8, [5, 3]),
        ([5, 3], 99, [5, 3]),
        ([1], 1, [1]),
        ([], 3, []),
        ([3, 3, 3], 7, [3, 2, 2]),
    ],
)
def test_allocate(sizes: list[int], n: int, given: list[int]) -> None:
    assert allocate(sizes, n) == given


def test_an_allocation_adds_up_and_leaves_nobody_out() -> None:
    chance = random.Random(1)
    for _ in range(500):
        sizes = [chance.choice((1, 2, 3, 50, 1000)) for _ in range(chance.randint(1, 30))]
        n = chance.randint(len(sizes), sum(sizes) + 5)
        given = allocate(sizes, n)
        assert sum(given) == min(n, sum(sizes))
        least = 2 if sum(min(2, size) for size in sizes) <= n else 1
        assert all(min(least, size) <= one <= size for one, size in zip(given, sizes, strict=True))


def test_too_few_for_the_strata_is_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match="1 items for 2 strata"):
        allocate([5, 5], 1)
    with pytest.raises(ValueError, match="n must be 1 or more"):
        coarsened({("a", "b", "c", "d"): 1}, 0)


def test_small_cells_go_together_step_by_step() -> None:
    """100 items, 10 drawn: a stratum has 20 items or more, or is what is left of its verdict."""
    cells = {
        ("correct", "K", "K1", "2017"): 40,
        ("correct", "K", "K1", "2018"): 12,  # with the next: 22 of K1
        ("correct", "K", "K1", "2019"): 10,
        ("correct", "A", "A6", "2017"): 15,  # with the next: 25 of family A
        ("correct", "A", "A2", "2017"): 10,
        ("incorrect", "G", "G1", "2017"): 8,  # 13 of the verdict: kept, so that it is seen
        ("incorrect", "R", "R1", "2018"): 5,
    }
    assert list(coarsened(cells, 10).values()) == [
        ("correct", "K", "K1", "2017"),
        ("correct", "K", "K1"),
        ("correct", "K", "K1"),
        ("correct", "A"),
        ("correct", "A"),
        ("incorrect",),
        ("incorrect",),
    ]


def test_no_more_strata_than_items() -> None:
    cells = {
        (verdict, "", "", ""): size for verdict, size in zip("abcd", (90, 5, 4, 1), strict=True)
    }
    found = coarsened(cells, 2)
    assert list(found.values()) == [("a",), (), (), ()]
    assert set(coarsened(cells, 1).values()) == {()}


def test_many_cells_make_a_bounded_number_of_strata() -> None:
    cells = {
        (verdict, family, code, str(value)): 7
        for verdict, family, code, value in itertools.product("abcd", "fgh", "rstuv", range(200))
    }
    assert len(set(coarsened(cells, 10**6).values())) <= MOST + 4


@pytest.mark.parametrize(
    ("n", "sizes", "given"),
    [
        (10, [100, 100], [5, 5]),
        (11, [100, 100], [6, 5]),
        (10, [2, 100, 100], [2, 4, 4]),
        (10, [1, 2], [1, 2]),
        (0, [1, 2], [0, 0]),
        (3, [], []),
        (1, [5, 5, 5], [1, 0, 0]),
    ],
)
def test_items_are_shared_out_over_checks(n: int, sizes: list[int], given: list[int]) -> None:
    assert share_out(n, sizes) == given


def test_a_probability_is_exact() -> None:
    assert Drawn(population=3, n=3).probability == 1
    assert Drawn(population=8, n=2).probability == 0.25
