"""What a pipeline may return, and which fields of a sample that gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel

from ragdiag.collecting.returned import UnreadableResultError, run_fields
from ragdiag.records import Passage


@dataclass
class Document:
    """As LangChain's."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class Message:
    content: str


class Node:
    """As LlamaIndex's text node."""

    def __init__(self, text: str, node_id: str, **metadata: Any) -> None:
        self.text, self.node_id, self.metadata = text, node_id, metadata

    def get_content(self) -> str:
        return self.text


@dataclass
class NodeWithScore:
    node: Node
    score: float


class Response:
    def __init__(self, response: str | None, source_nodes: list[Any]) -> None:
        self.response, self.source_nodes = response, source_nodes


@dataclass
class OwnResult:
    answer: str
    retrieved: list[str]


class OwnModel(BaseModel):
    answer: str
    context: list[dict[str, Any]]


NODE = NodeWithScore(Node("Body", "n1", file_name="a.pdf", page_label="3"), 0.5)
NODE_READ = {
    "passage_id": "n1", "text": "Body", "doc_id": "a.pdf", "page": "3", "score": 0.5,
    "metadata": {"file_name": "a.pdf", "page_label": "3"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("result", "fields"),
    [
        ("an answer", {"answer": "an answer"}),
        ("", {"answer": ""}),
        ([], {"retrieved": []}),
        (["p1", "p2"], {"retrieved": ["p1", "p2"]}),
        ([("p1", 0.5)], {"retrieved": [{"passage_id": "p1", "score": 0.5}]}),
        ({"answer": None}, {"answer": None}),
        ({"answer": "a", "retrieved": ["p1"], "query": "echoed"}, {"answer": "a", "retrieved": ["p1"]}),
        (OwnResult("a", ["p1"]), {"answer": "a", "retrieved": ["p1"]}),
        (
            OwnModel(answer="a", context=[{"passage_id": "p1"}]),
            {"answer": "a", "context": [{"passage_id": "p1"}]},
        ),
        (
            {"retrieved": [{"passage_id": "p", "text": "t", "rank": 1, "metadata": {"year": 2017}}]},
            {"retrieved": [{"passage_id": "p", "text": "t", "metadata": {"rank": 1, "year": 2017}}]},
        ),
        (
            {"stages": {"candidates": ["p1", ("p2", 1.0)]}, "retrieved": []},
            {"stages": {"candidates": ["p1", {"passage_id": "p2", "score": 1.0}]}, "retrieved": []},
        ),
        ([Passage(passage_id="p", page=3)], {"retrieved": [{"passage_id": "p", "page": 3}]}),
        (Message("said"), {"answer": "said"}),
        ({"answer": Message("said"), "context": []}, {"answer": "said", "context": []}),
        ({"result": "a", "source_documents": [Document("t", {}, "d1")]},
         {"answer": "a", "retrieved": [{"passage_id": "d1", "text": "t", "metadata": {}}]}),
        ({"input": "q", "answer": "a", "context": [Document("t", {"source": "a.pdf"}, "d1")]},
         {"answer": "a", "retrieved": [
             {"passage_id": "d1", "text": "t", "doc_id": "a.pdf", "metadata": {"source": "a.pdf"}}]}),
        ({"answer": "a", "context": [{"page_content": "t", "metadata": {"pk": 7}}]},
         {"answer": "a", "retrieved": [{"passage_id": "7", "text": "t", "metadata": {"pk": 7}}]}),
        ([NODE], {"retrieved": [NODE_READ]}),
        (Response("said", [NODE]), {"answer": "said", "retrieved": [NODE_READ]}),
        (Response(None, []), {"answer": None, "retrieved": []}),
    ],
)  # fmt: skip
def test_the_fields_of_a_result(result: Any, fields: dict[str, Any]) -> None:
    assert run_fields(result) == (fields, ())


def test_a_document_without_an_id_gets_one_of_its_text() -> None:
    """The same text has the same id in every run, another text another."""
    (one, same, other) = run_fields([Document("t"), Document("t"), Document("u")])[0]["retrieved"]
    assert one["passage_id"] == same["passage_id"] != other["passage_id"]
    assert one["passage_id"].startswith("text-")


@pytest.mark.parametrize(
    ("metadata", "page"),
    [
        ({"page": 3, "page_label": "4"}, 4),  # a loader that counts from 0
        ({"page": 3, "page_label": "iv"}, 3),
        ({"page": 3}, 3),
        ({"page_label": "iv"}, "iv"),
    ],
)
def test_pages_count_from_one(metadata: dict[str, Any], page: Any) -> None:
    (found,) = run_fields([Document("t", metadata, "d")])[0]["retrieved"]
    assert found["page"] == page


def test_keys_that_no_field_stands_for_are_told() -> None:
    assert run_fields({"answer": "a", "trace": 1, "tokens": 2})[1] == ("trace", "tokens")


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "returned None"),
        (3, "of type int"),
        (b"bytes", "of type bytes"),
        ({"foo": 1, "bar": 2}, "the keys foo, bar: none of them is a field"),
        ({"answer": "a", "docs": ["x"]}, "'docs': no field is called so; did you mean 'retrieved'"),
        ({"answer": "a", "contexts": ["x"]}, "'contexts'"),
    ],
)
def test_what_is_no_result(result: Any, said: str) -> None:
    with pytest.raises(UnreadableResultError, match=said):
        run_fields(result)
