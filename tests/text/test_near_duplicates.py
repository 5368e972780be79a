from __future__ import annotations

import random

import pytest

from ragdiag.records import Passage
from ragdiag.text.near_duplicates import declared_by, groups

LONG = (
    "The Company files annual, quarterly and current reports with the commission, and each of "
    "them is available free of charge on the investor site soon after it was furnished. "
    "Revenue of 2017 was $1,577 million and the margin did not fall below 12.5%."
)


def changed(old: str, new: str) -> str:
    assert LONG.count(old) == 1
    return LONG.replace(old, new)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Rent is 5.", "Rent is 5."),
        ("Rent is 5.", "  RENT\nis\u00a05 "),
        ("The “rent” – in short – is 5", "The 'rent' - in short - is 5."),
        ("Ｒｅｎｔ ｉｓ ５", "rent is 5"),
        ("الإيجار ١٢٣", "الإيجار 123"),
        ("caf\u00e9 1", "cafe\u0301 1"),
        ("合同租金是五百元。", "合同租金是五百元"),
        ("Minus −5 in all", "Minus -5 in all"),
        (LONG, changed("available", "avialable")),
        (LONG, changed("furnished", "furnishhed")),
        (LONG, changed("on the investor", "on investor")),
        (LONG, LONG + " see also"),
        (LONG, "continued " + LONG),
    ],
)
def test_one_text(left: str, right: str) -> None:
    assert groups([("a", left), ("b", right)]) == {"a": "a", "b": "a"}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Rent is 5.", "Rent is 55."),
        ("Rent is 1.5", "Rent is 15"),
        ("Rent is 1,5", "Rent is 1.5"),
        ("Rent is -5", "Rent is 5"),
        ("Loss of (5)", "Loss of 5"),
        ("Rent is 5%", "Rent is 5"),
        ("Rent is $5", "Rent is €5"),
        ("it is .5", "it is 5"),
        ("x² is 4", "x2 is 4"),
        ("½ of 4", "1/2 of 4"),
        ("a < 5", "a > 5"),
        ("किताब", "कीताब"),
        ("合同租金是五百元，由张三支付。" * 9, "合同租金是五百元，由李四支付。" * 9),
        ("", ""),
        (" \n", "…"),
        (LONG, changed("2017", "2018")),
        (LONG, changed("1,577", "1,571")),
        (LONG, changed("did not fall", "did fall")),
        (LONG, changed("fall below", "fall above")),
        (LONG, changed("million", "billion")),
        (LONG, changed("million", "millions")),
        (LONG, changed("The Company", "The Corporation")),
        (LONG, changed("Company", "Compamy")),  # a name, as far as can be told
        (LONG, changed("free of charge", "free of all charge")),
        (LONG, changed("available", "unavailable")),
        (LONG, changed("furnished", "destroyed")),
        (LONG, "Acme Ltd: " + LONG),
        (LONG, LONG + " 3"),
        (LONG, LONG + " and many more words were put behind it than could be overlooked"),
        ("the employer pays all of the costs of the case in court", 
         "the employee pays all of the costs of the case in court"),
    ],
)  # fmt: skip
def test_another_text(left: str, right: str) -> None:
    assert groups([("a", left), ("b", right)]) == {}


def test_the_first_stands_for_its_group_and_an_id_counts_once() -> None:
    texts = [("x", "one"), ("a", "Two!"), ("b", "two"), ("a", "other"), ("c", "TWO"), ("y", "ones")]
    assert groups(texts) == {"a": "a", "b": "a", "c": "a"}


def test_declared_twins_need_no_text() -> None:
    declared = {"b": ("a",), "c": ("b",), "d": ("nowhere",), "e": ("nowhere",), "f": ("f",)}
    texts = [(key, f"text of {key}") for key in "abcdef"]
    assert groups(texts, declared=declared) == {
        "a": "a", "b": "a", "c": "a", "d": "d", "e": "d", "nowhere": "d",
    }  # fmt: skip
    assert groups([], declared={"a": ("b",), "b": ("a",)}) == {"a": "a", "b": "a"}


def test_what_a_passage_declares() -> None:
    def passage(key: str, told: object) -> Passage:
        return Passage(passage_id=key, metadata={"duplicate_of": told})

    passages = [
        passage("a", "b"), passage("c", 7), passage("d", 7.0), passage("e", ["a", 8]),
        passage("f", None), passage("g", True), passage("h", {"id": 1}), Passage(passage_id="i"),
    ]  # fmt: skip
    assert declared_by(passages) == {
        "a": ("b",), "c": ("7",), "d": ("7",), "e": ("a", "8"), "g": (), "h": (),
    }  # fmt: skip


def test_many_texts_without_a_number() -> None:
    """Among thousands, each text finds its one misspelled twin, and no other."""
    draw = random.Random(5)
    words = ["".join(draw.choices("abcdefghij", k=8)) for _ in range(600)]
    texts: list[tuple[str, str]] = []
    for number in range(1500):
        text = draw.choices(words, k=40)
        texts.append((f"{number}", " ".join(text)))
        text[20] = text[20][:3] + "z" + text[20][4:]
        texts.append((f"{number}-twin", " ".join(text)))
    draw.shuffle(texts)
    found = groups(texts)
    assert len(found) >= 2990
    assert all(key.split("-")[0] == first.split("-")[0] for key, first in found.items())


def test_a_passage_of_two_megabytes_is_compared_as_a_whole() -> None:
    text = "lorem ipsum dolor " * 120_000
    assert groups([("a", text), ("b", text.upper()), ("c", text + "amet")]) == {"a": "a", "b": "a"}
