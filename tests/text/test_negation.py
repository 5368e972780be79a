"""Negations in many scripts: counted, and never passed over by a near quotation."""

from __future__ import annotations

import pytest

from ragdiag.answer.correctness import decide
from ragdiag.text.near_duplicates import groups
from ragdiag.text.negation import differ, negations
from ragdiag.text.placing import place
from tests.growth import grows_linearly
from tests.scripts import POLAR


@pytest.mark.parametrize("name", POLAR)
def test_a_sentence_and_its_negation(name: str) -> None:
    _, says, denies, _, _ = POLAR[name]
    assert (negations(says), negations(denies)) == (0, 1)
    assert differ(says, denies)
    assert not differ(says, says)
    assert place(f"{says} ", f"x {denies}") is None
    assert place(denies, f"x {says}") is None


@pytest.mark.parametrize("name", POLAR)
def test_twins_are_of_one_mind(name: str) -> None:
    _, says, denies, _, _ = POLAR[name]
    other_year = says.replace("2017", "2016")
    found = groups([("a", says), ("b", denies), ("c", other_year), ("d", f" {says}\n")])
    assert found == {"a": "a", "d": "a"}


@pytest.mark.parametrize("name", POLAR)
def test_yes_and_no(name: str) -> None:
    query, says, denies, yes, no = POLAR[name]
    assert decide(query, [yes], f"{yes}.") == "correct"
    assert decide(query, [yes], f"{yes}, {says}") == "correct"
    assert decide(query, [yes], f"{no}.") == "incorrect"
    assert decide(query, [yes], f"{no}, {denies}") == "incorrect"
    assert decide(query, [yes], denies) in ("incorrect", None)
    assert decide(query, [yes], says) in ("correct", None)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("It isn't here and never was.", 2),
        ("บริษัทจ่ายเงินปันผลหรือไม่", 0),  # "or not" asks
        ("Şirket bu yıl için temettü ödemedi.", None),  # an ending that is not told
    ],
)
def test_counts(text: str, count: int | None) -> None:
    assert negations(text) == count


def test_time_grows_with_the_text() -> None:
    assert grows_linearly(negations, "не " * 100_000)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("Da 2017 zahlte sie.", None),  # German "since", no Slavic yes
        ("Si la empresa paga.", None),
        ("Да, выплатила.", "correct"),
        ("ไม่มีข้อมูล", "abstained"),
        ("Όχι.", "incorrect"),
    ],
)
def test_words_that_are_a_yes_in_one_language_only(answer: str, label: str | None) -> None:
    assert decide("Did it pay?", ["Yes"], answer) == label
