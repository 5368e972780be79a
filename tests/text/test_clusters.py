from __future__ import annotations

from typing import Any

import pytest

from ragdiag.errors import UsageError
from ragdiag.records import Sample
from ragdiag.text.clusters import cluster_of, gold_documents, query_hash, require_cluster


def sample(**fields: Any) -> Sample:
    return Sample.model_validate({"query_id": "q", "query": "What was it?", **fields})


TWO = [[{"doc_id": "b", "page": 1}, {"doc_id": "a"}], [{"text": "it was"}]]


@pytest.mark.parametrize(
    ("name", "fields", "slices", "found"),
    [
        (None, {"gold": TWO}, {"year": "2017"}, None),
        ("year", {}, {"year": "2017"}, "2017"),
        ("year", {}, {}, None),
        ("year", {}, {"year": ""}, None),
        ("document", {"gold": TWO}, {}, "a b"),
        ("document", {"gold": TWO}, {"document": "mine"}, "mine"),
        ("document", {"gold": [[{"text": "it was"}]]}, {}, None),
        ("question", {}, {"question": "7"}, "7"),
    ],
)
def test_the_cluster_of_a_sample(
    name: str | None, fields: dict[str, Any], slices: dict[str, str], found: str | None
) -> None:
    assert cluster_of(sample(**fields), slices, name) == found


@pytest.mark.parametrize("name", ["query", "question"])
def test_one_text_is_one_question_but_not_after_another_history(name: str) -> None:
    first, again = sample(query_id="1"), sample(query_id="2")
    later = sample(history=[["user", "Of Alder?"]])
    assert cluster_of(first, {}, name) == cluster_of(again, {}, name) == query_hash(first)
    assert cluster_of(later, {}, name) != cluster_of(first, {}, name)


def test_documents_are_sorted() -> None:
    assert gold_documents(sample(gold=TWO)) == "a b"
    assert gold_documents(sample()) is None


def test_an_unknown_name_says_which_there_are() -> None:
    for name in ("document", "query", "question"):
        require_cluster(name, [])
    require_cluster("year", [{"hops": "1"}, {"year": "2017"}])
    with pytest.raises(UsageError, match=r"--cluster yaer: no query has .* hops, year; document"):
        require_cluster("yaer", [{"hops": "1"}, {"year": "2017"}])
    with pytest.raises(UsageError, match="the slices are: none"):
        require_cluster("year", [{}])
