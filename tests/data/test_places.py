from __future__ import annotations

from ragdiag.data.native import Places


def test_an_id_is_known_by_its_first_place() -> None:
    places = Places()
    assert places.add("a", "one.jsonl", 1) is None
    assert places.add("b", "two.jsonl", 7) is None
    assert places.add("a", "two.jsonl", 9) == "one.jsonl:1"
    assert places.add("b", "one.jsonl", 2) == "two.jsonl:7"
    assert (len(places), "a" in places, "c" in places) == (2, True, False)


def test_many_ids_are_told_apart() -> None:
    places = Places()
    ids = [str(number) for number in range(100_000)]
    assert all(places.add(one, "f.jsonl", n) is None for n, one in enumerate(ids, start=1))
    assert len(places) == 100_000
    assert places.add("99999", "f.jsonl", 1) == "f.jsonl:100000"
    assert "100000" not in places
