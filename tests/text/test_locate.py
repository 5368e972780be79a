from __future__ import annotations

from typing import Any

import pytest

from ragdiag.records import Item, Passage
from ragdiag.text.locate import covered, covering, find, matches, mismatches


def passage(**fields: Any) -> Passage:
    return Passage(**{"passage_id": "p", **fields})


@pytest.mark.parametrize(
    ("item", "place", "expected"),
    [
        ({"passage_id": "p"}, {}, True),
        ({"passage_id": "q", "doc_id": "d", "text": "a"}, {"doc_id": "d", "text": "a"}, False),
        ({"passage_id": "007"}, {"passage_id": "7"}, False),
        ({"doc_id": "d", "start": 100, "end": 160}, {"doc_id": "d", "start": 0, "end": 999}, True),
        ({"doc_id": "d", "start": 100, "end": 200}, {"doc_id": "d", "start": 0, "end": 180}, True),
        ({"doc_id": "d", "start": 100, "end": 200}, {"doc_id": "d", "start": 0, "end": 179}, False),
        ({"doc_id": "d", "start": 100, "end": 200}, {"doc_id": "e", "start": 0, "end": 999}, False),
        ({"doc_id": "d", "start": 0, "end": 9}, {"doc_id": "d", "start": 9, "end": 20}, False),
        ({"doc_id": "d", "start": 0, "end": 10, "text": "Rent is 5."},
         {"doc_id": "d", "text": "So: Rent is 5. Ok"}, True),
        ({"doc_id": "d", "start": 0, "end": 10}, {"doc_id": "d", "text": "Rent is 5."}, False),
        ({"doc_id": "d", "object_id": "t1"}, {"doc_id": "d", "object_id": "t1"}, True),
        ({"doc_id": "d", "object_id": "t1"}, {"doc_id": "d", "object_id": "t2", "page": 3}, False),
        ({"doc_id": "d", "object_id": "t1", "page": 3}, {"doc_id": "d", "page": 3}, True),
        ({"doc_id": "d", "page": 60}, {"doc_id": "d", "page": "60"}, True),
        ({"doc_id": "d", "page": "p. 60"}, {"doc_id": "d", "page": 60}, True),
        ({"doc_id": "d", "page": "iv"}, {"doc_id": "d", "page": "IV"}, True),
        ({"doc_id": "d", "page": 60}, {"doc_id": "d", "page": 61, "text": "x"}, False),
        ({"doc_id": "d", "page": 60}, {"doc_id": "d"}, False),
        ({"doc_id": "d"}, {"doc_id": "d", "page": 1}, True),
        ({"doc_id": "d", "text": "Rent is 5."}, {"text": "Rent is 5."}, True),
        ({"text": "Rent is 5."}, {"text": "so the\nrent  is 5. ok"}, True),
        ({"text": "Rent is 5"}, {"text": "Rent is 55"}, False),
        ({"text": "Rent is 5."}, {}, False),
        ({"text": "The rent of the flat is five. The heat of the flat is two. Cats."},
         {"text": "The heat of the flat is two. The rent of the flat is five."}, True),
        ({"text": "The rent of the flat is five. The heat of the flat is two."},
         {"text": "The rent of the flat is five."}, False),
    ],
)  # fmt: skip
def test_matches(item: dict[str, Any], place: dict[str, Any], expected: bool):
    assert matches(Item(**item), passage(**place)) is expected


def test_find_and_coverage():
    item = Item(doc_id="d", start=0, end=100)
    passages = [passage(doc_id="d", start=0, end=60), passage(doc_id="d", start=0, end=90)]
    assert find(item, passages) == [1]
    assert find(item, passages, coverage=0.5) == [0, 1]
    assert find(item, []) == []


def test_offsets_accumulate_without_double_counting():
    item = Item(doc_id="d", start=100, end=200)
    spans = [(0, 150), (100, 150), (500, 600), (140, 180), (0, 999)]
    passages = [passage(doc_id="d", start=a, end=b) for a, b in spans]
    assert covering(item, passages) == (0, 3)
    assert covered(item, passages) == 3
    assert covered(item, passages, 0.9) == 4
    assert covered(item, passages[:3]) is None
    other = [passage(doc_id="e", start=0, end=150), passage(start=100, end=180)]
    assert covering(item, other) == ()


def test_text_accumulates_across_passages():
    item = Item(text="The rent of the flat is due on the first day of every month. Heat is extra.")
    halves = [
        passage(text="Intro. The rent of the flat is due on the"),
        passage(text="other words"),
        passage(text="first day of every month. Heat is extra. More"),
    ]
    assert covering(item, halves) == (0, 2)
    assert covered(item, halves[:2]) is None
    assert covering(item, [passage(text=item.text), *halves]) == (0,)


def test_ids_do_not_accumulate():
    assert covering(Item(passage_id="q", text="a b c"), [passage(text="a b c")]) == ()
    assert covering(Item(doc_id="d", page=2), [passage(doc_id="d", page=1)]) == ()
    assert covered(Item(passage_id="p"), [passage(passage_id="x"), passage()]) == 1


def test_mismatches():
    item = Item(
        passage_id="p", doc_id="d", page=1, object_id="t1", start=0, end=9, text="Rent is 5."
    )
    other = passage(doc_id="e", page=2, object_id="t2", start=10, end=19, text="Heat is 2.")
    assert mismatches(item, other) == ("doc_id", "page", "object_id", "start", "text")
    assert mismatches(item, passage()) == ()
    same = passage(doc_id="d", page="1", object_id="t1", start=0, end=99, text="Rent is 5. Ok")
    assert mismatches(item, same) == ()


def test_long_texts_are_not_kept():
    text = "The rent of the flat is five. " * 2000
    assert matches(Item(text="The rent of the flat is five."), passage(text=text))
