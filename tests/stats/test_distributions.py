from __future__ import annotations

import pytest

from ragdiag.stats.distributions import homogeneity, total_variation


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ({"a": 8, "b": 2}, {"a": 50, "b": 50}, 0.3),  # (.3 + .3) / 2
        ({"a": 1}, {"b": 9}, 1.0),
        ({"a": 1, "b": 2}, {"a": 2, "b": 4}, 0.0),
        ({"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 2}, 0.5),  # (.25 + .25 + .5) / 2
    ],
)
def test_total_variation(left: dict[str, int], right: dict[str, int], distance: float) -> None:
    assert total_variation(left, right) == pytest.approx(distance)
    assert total_variation(right, left) == pytest.approx(distance)


def test_nothing_has_no_distance() -> None:
    with pytest.raises(ValueError, match="nothing"):
        total_variation({}, {"a": 1})


def test_chi_square_by_hand() -> None:
    """[[80, 20], [50, 50]]: expected 65 and 35; 2 · 15² / 65 + 2 · 15² / 35 = 19.780, one degree:
    p = erfc(sqrt(19.780 / 2)) = 8.7e-6."""
    assert homogeneity({"a": 80, "b": 20}, {"a": 50, "b": 50}) == pytest.approx(8.69e-6, rel=2e-3)


def test_two_degrees_of_freedom() -> None:
    """[[30, 40, 30], [40, 20, 40]]: 2 · 5²/35 · 2 + 2 · 10²/30 = 9.524; exp(-9.524 / 2) = .00855."""
    found = homogeneity({"a": 30, "b": 40, "c": 30}, {"a": 40, "b": 20, "c": 40})
    assert found == pytest.approx(0.00855, rel=1e-2)


def test_equal_shares_are_no_difference() -> None:
    assert homogeneity({"a": 10, "b": 10}, {"a": 50, "b": 50}) == pytest.approx(1.0)


def test_rare_values_are_pooled_not_dropped() -> None:
    rare = {f"v{n}": 2 for n in range(30)}
    found = homogeneity({"a": 40, **rare}, {"a": 100})
    assert found is not None
    assert found < 1e-9


@pytest.mark.parametrize(
    ("left", "right"),
    [({"a": 7}, {"a": 9}), ({}, {"a": 9}), ({}, {}), ({"a": 90, "b": 1}, {"a": 90})],
)
def test_where_there_are_no_two_cells_there_is_no_test(
    left: dict[str, int], right: dict[str, int]
) -> None:
    assert homogeneity(left, right) is None
