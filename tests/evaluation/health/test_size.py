from __future__ import annotations

import pytest

from ragdiag.evaluation.health.size import (
    MOST_VALUES,
    Slices,
    cluster_findings,
    power_of,
    size_findings,
)


def test_the_set_says_which_differences_it_shows() -> None:
    """2.8016 · sqrt(.5 / 50) = .280; 393 are needed for .10."""
    (found,) = size_findings(50)
    assert found.severity == "weak"
    assert "50 queries show only differences of 0.28" in found.message
    assert "393" in found.todo
    assert [f.severity for f in size_findings(200)] == ["note"]
    assert list(size_findings(393)) == list(size_findings(0)) == []
    (tiny,) = size_findings(1)
    assert "1 query shows" in tiny.message
    assert "no difference" in tiny.message


def test_power_section() -> None:
    assert power_of(50) == {
        "n": 50,
        "rate": 0.5,
        "smallest_difference": pytest.approx(0.2801585, abs=1e-6),
        "aim": 0.1,
        "needed": 393,
    }


def test_small_slices_are_one_finding_smallest_first() -> None:
    slices = Slices()
    for number in range(100):
        slices.add({"year": "2017" if number < 90 else "2016"}, number)
    (found,) = slices.findings()
    assert found.message.startswith("1 of 2 slices have under 44 queries")
    assert "year=2016 (10)" in found.message
    assert slices.to_dict()["year"]["2016"]["n"] == 10


def test_rows_of_one_query_count_once() -> None:
    slices = Slices()
    for row in range(200):
        slices.add({"system": "ab"[row % 2], "all": "one"}, number=row // 20)
    assert slices.to_dict()["system"]["a"]["n"] == 10
    assert "all" not in slices.to_dict()  # one value is no slice


def test_enough_queries_are_counted_no_further() -> None:
    slices = Slices()
    for number in range(1000):
        slices.add({"year": "2017" if number else "2016"}, number)
    assert slices.to_dict()["year"]["2017"]["n"] == 393


def test_ids_are_no_slices() -> None:
    slices = Slices()
    for number in range(MOST_VALUES + 1):
        slices.add({"id": str(number), **{f"d{number}-{i}": "x" for i in range(5)}}, number)
    assert "id" not in slices.to_dict()
    assert not list(slices.findings())


def test_many_queries_on_few_documents() -> None:
    (found,) = cluster_findings(64, 7)
    assert "64 queries have their evidence in 7 documents" in found.message
    assert not list(cluster_findings(64, 20))
    assert not list(cluster_findings(7, 7))
    assert not list(cluster_findings(0, 0))
