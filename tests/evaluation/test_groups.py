"""Connected groups, and which of them go into the test split."""

from __future__ import annotations

import pytest

from ragdiag.evaluation.groups import Groups, assign
from tests.growth import grows_linearly


def grouped(*keys: str) -> dict[int, list[int]]:
    """Samples by the letters that they hold."""
    groups = Groups()
    for one in keys:
        groups.add(("letter", letter) for letter in one)
    return groups.members()


@pytest.mark.parametrize(
    ("keys", "members"),
    [
        (("a", "b", "c"), [[0], [1], [2]]),
        (("a", "a", "b"), [[0, 1], [2]]),
        (("a", "b", "ab"), [[0, 1, 2]]),  # the last joins the others
        (("ab", "cd", "bc", "e"), [[0, 1, 2], [3]]),  # a chain is one group
        (("", "", "a"), [[0], [1], [2]]),  # nothing in common is nothing in common
    ],
)
def test_groups_are_connected_components(keys: tuple[str, ...], members: list[list[int]]) -> None:
    assert list(grouped(*keys).values()) == members


def test_what_joins_most_of_a_group() -> None:
    groups = Groups()
    for keys in ("ab", "b", "b", "c", "c", "c", "c"):
        groups.add(("letter", letter) for letter in keys)
    assert groups.most_shared(0, kind="letter") == ("b", 3)
    assert groups.most_shared(3, kind="letter") == ("c", 4)
    assert groups.most_shared(0, kind="other") is None


def shares(
    sizes: list[int], share: float, strata: list[tuple[str, ...]] | None = None
) -> tuple[float, list[int]]:
    """The share that went to the test, and each group's side."""
    members, at = dict[int, list[int]](), 0
    for size in sizes:
        members[at] = list(range(at, at + size))
        at += size
    found = assign(members, strata or [()] * at, share=share, seed=1)
    sides = [found.in_test[rows[0]] for rows in members.values()]
    for rows in members.values():
        assert len({found.in_test[row] for row in rows}) == 1  # never by row
    return sum(found.in_test) / at, sides


@pytest.mark.parametrize(
    ("sizes", "share", "got"),
    [
        ([1] * 100, 0.3, 0.3),
        ([10] * 10, 0.3, 0.3),
        ([30, 20, 10, 10, 10, 10, 10], 0.3, 0.3),
        ([97, 1, 1, 1], 0.3, 0.03),  # one giant: the rest is all there is
        ([50, 50], 0.3, 0.5),
        ([60, 40], 0.01, 0.4),  # neither side is empty
        ([1, 1], 0.999, 0.5),
        ([5, 5], 0.001, 0.5),
    ],
)
def test_the_share_comes_as_near_as_groups_allow(
    sizes: list[int], share: float, got: float
) -> None:
    assert shares(sizes, share)[0] == pytest.approx(got)


def test_strata_are_balanced() -> None:
    """40 groups of one: 20 easy, 20 hard; a quarter of each."""
    strata = [("easy",)] * 20 + [("hard",)] * 20
    share, sides = shares([1] * 40, 0.25, strata)
    assert share == 0.25
    assert sum(sides[:20]) == sum(sides[20:]) == 5


def test_the_seed_draws_and_nothing_else_does() -> None:
    members = {n: [n] for n in range(50)}
    first, again, other = (
        assign(members, [()] * 50, share=0.3, seed=seed).in_test for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_time_is_linear() -> None:
    def chain(text: str) -> None:
        groups = Groups()
        for number in range(len(text)):
            groups.add([("d", str(number)), ("d", str(number + 1))])
        assert len(groups.members()) == 1  # one long chain

    assert grows_linearly(chain, "x" * 200_000)
