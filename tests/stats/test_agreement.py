from __future__ import annotations

import pytest

from ragdiag.stats.agreement import nominal_agreement


def items(*labels: str) -> list[dict[str, int]]:
    """ "ab" is an item that one annotator called a and another b."""
    return [{one: text.count(one) for one in text} for text in labels]


def test_krippendorffs_own_example() -> None:
    """Ten items, two observers, 0/1 ("A. Binary data" of Krippendorff 2011): alpha .095."""
    first, second = "0100000010", "1110010000"
    found = nominal_agreement(items(*(a + b for a, b in zip(first, second, strict=True))))
    assert found.alpha == pytest.approx(0.095, abs=5e-4)
    # .6 observed; labels 6 × "1" and 14 × "0": expected (6·5 + 14·13) / (20·19) = .5579
    assert found.observed == pytest.approx(0.6)
    assert (found.n_items, found.n_labels) == (10, 20)


def test_several_annotators_and_missing_labels() -> None:
    """aaa: 3 coincidences of (a, a); ab: 2 of (a, b); the item with one label is left out.

    a 4, b 1: observed 3/5; expected (4·3 + 0) / (5·4) = .6; alpha 0.
    """
    found = nominal_agreement(items("aaa", "ab", "b"))
    assert (found.n_items, found.n_labels) == (2, 5)
    assert found.observed == pytest.approx(0.6)
    assert found.alpha == pytest.approx(0.0)
    assert found.table == {("a", "a"): pytest.approx(3.0), ("a", "b"): pytest.approx(2.0)}


def test_high_agreement_and_alpha_near_0_come_with_the_table() -> None:
    """Nine items aa, one ab: observed .9; a 19, b 1: expected 342 / 380 = .9; alpha 0."""
    found = nominal_agreement(items(*["aa"] * 9, "ba"))
    assert found.observed == pytest.approx(0.9)
    assert found.alpha == pytest.approx(0.0)
    assert found.table == {("a", "a"): 18.0, ("a", "b"): 2.0}


def test_full_agreement_and_full_disagreement() -> None:
    assert nominal_agreement(items("aa", "bb")).alpha == pytest.approx(1.0)
    # a 2, b 2: expected (2 + 2) / 12 = 1/3; 1 - 1 / (2/3) = -.5
    assert nominal_agreement(items("ab", "ab")).alpha == pytest.approx(-0.5)


def test_where_there_is_no_alpha_the_reason_is_given() -> None:
    assert nominal_agreement([]).why_none == "no_pair"
    alone = nominal_agreement(items("a", "b"))
    assert (alone.alpha, alone.observed, alone.why_none) == (None, None, "no_pair")
    same = nominal_agreement(items("aa", "aa"))
    assert (same.alpha, same.observed, same.why_none) == (None, 1.0, "one_label")


def test_the_order_of_items_changes_nothing() -> None:
    many = items("ab", "aab", "bbbb", "abc", "cc", "ca")
    assert nominal_agreement(many) == nominal_agreement(many[::-1])
