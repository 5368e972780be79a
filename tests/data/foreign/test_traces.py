"""Spans of five tools, in any order, become one sample a trace."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.foreign.passages import text_id
from ragdiag.data.foreign.reading import Foreign, open_foreign
from ragdiag.data.foreign.spans import seconds
from ragdiag.data.lines import Row
from ragdiag.data.samples import read_sample
from ragdiag.records.problem import Problem


def read(
    tmp_path: Path, given: Any, *, lines: bool = False
) -> tuple[Foreign, list[dict[str, Any]]]:
    path = tmp_path / "spans"
    text = "\n".join(map(json.dumps, given)) if lines else json.dumps(given)
    path.write_text(text, encoding="utf-8")
    found = open_foreign(path)
    assert isinstance(found, Foreign), found
    rows = list(found.rows())
    assert all(isinstance(row, Row) for row in rows), rows
    kept = [row for row in rows if isinstance(row, Row)]
    for row in kept:
        assert read_sample(row).problems == ()
    return found, [row.value for row in kept]


def value(given: Any) -> dict[str, Any]:
    """A value as OTLP writes it in JSON."""
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(one) for one in given]}}
    if isinstance(given, dict):
        pairs = [{"key": key, "value": value(one)} for key, one in given.items()]
        return {"kvlistValue": {"values": pairs}}
    return {"stringValue": given}


def otlp(span_id: str, parent: str | None, start: int, **attributes: Any) -> dict[str, Any]:
    """A span of a second's length."""
    return {
        "traceId": attributes.pop("trace", "t"),
        "spanId": span_id,
        **({"parentSpanId": parent} if parent else {}),
        "name": span_id,
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + start * 1_000_000_000),
        "endTimeUnixNano": str(1_700_000_001_000_000_000 + start * 1_000_000_000),
        "attributes": [
            {"key": key.replace("__", "."), "value": value(one)} for key, one in attributes.items()
        ],
    }


def document(prefix: str, number: int, **fields: Any) -> dict[str, Any]:
    return {f"{prefix}.{number}.document.{key}": one for key, one in fields.items()}


KIND = "openinference.span.kind"
FULL = [
    otlp("root", None, 0, **{KIND: "CHAIN", "input.value": "Q", "output.value": "A"}),
    otlp(
        "search", "root", 1,
        **{KIND: "RETRIEVER", "input.value": "Q"},
        **document("retrieval.documents", 0, id="d1", content="one", score=0.5, metadata='{"source": "f"}'),
        **document("retrieval.documents", 1, id=2, content="two"),
    ),
    otlp("rank", "root", 2, **{KIND: "RERANKER"}, **document("reranker.output_documents", 0, id=2, content="two")),
    otlp(
        "model", "root", 3,
        **{KIND: "LLM", "llm.model_name": "m", "llm.cost.total": 0.25, "llm.output_messages.0.message.role": "assistant",
           "llm.output_messages.0.message.content": "A"},
    ),
]  # fmt: skip
ONE = {
    "passage_id": "d1", "doc_id": "f", "text": "one", "score": 0.5, "metadata": {"source": "f"},
}  # fmt: skip
TWO = {"passage_id": "2", "text": "two"}


def wrapped(spans: list[dict[str, Any]]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": spans}]}]}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lines", [False, True])
def test_openinference_in_any_order(tmp_path: Path, seed: int, lines: bool) -> None:
    spans = random.Random(seed).sample(FULL, len(FULL))
    given: Any = [wrapped([one]) for one in spans] if lines else wrapped(spans)
    found, (sample,) = read(tmp_path, given, lines=lines)
    assert found.title == "OpenInference spans"
    kept = sample.pop("metadata")
    assert sample == {
        "query_id": "t",
        "query": "Q",
        "answer": "A",
        "retrieved": [TWO],
        "stages": {"candidates": [ONE, TWO], "reranked": [TWO]},
        "latency_ms": {"retrieve": 1000.0, "rerank": 1000.0, "generate": 1000.0},
        "cost_usd": 0.25,
    }
    assert [one["span_id"] for one in kept["spans"]] == ["root", "search", "rank", "model"]
    assert kept["spans"][3]["attributes"]["llm.model_name"] == "m"


def phoenix(**attributes: Any) -> dict[str, Any]:
    return {"name": "r", "span_kind": "RETRIEVER", "parent_id": None, **attributes}


@pytest.mark.parametrize(
    "span",
    [
        phoenix(
            context={"trace_id": "T", "span_id": "s"},
            attributes={
                "openinference": {"span": {"kind": "RETRIEVER"}},
                "input": {"value": "Q"},
                "retrieval": {"documents": [{"document": {"id": "d", "content": "c"}}]},
            },
        ),
        phoenix(
            **{
                "context.trace_id": "T",
                "context.span_id": "s",
                "attributes.input.value": '{"query": "Q"}',
                "attributes.retrieval.documents": "[{'document.id': 'd', 'document.content': 'c'}]",
            }
        ),
        phoenix(
            trace_id="T",
            span_id="s",
            attributes={
                KIND: "RETRIEVER",
                "input.value": "Q",
                "output.value": '{"documents": [{"id": "d", "page_content": "c"}]}',
            },
        ),
    ],
)
def test_phoenix_writes_spans_in_three_ways(tmp_path: Path, span: dict[str, Any]) -> None:
    _, (sample,) = read(tmp_path, {"data": [span]})
    assert (sample["query_id"], sample["query"]) == ("T", "Q")
    assert sample["retrieved"] == [{"passage_id": "d", "text": "c"}]
    assert "answer" not in sample


def test_jaegers_tags_are_attributes(tmp_path: Path) -> None:
    def span(span_id: str, parent: list[Any], **tags: Any) -> dict[str, Any]:
        listed = [{"key": key, "type": "string", "value": one} for key, one in tags.items()]
        return {
            "traceID": "t", "spanID": span_id, "operationName": span_id, "references": parent,
            "startTime": 1_700_000_000_000_000, "duration": 2000, "tags": listed,
        }  # fmt: skip

    parent = [{"refType": "CHILD_OF", "traceID": "t", "spanID": "r"}]
    spans = [
        span("s", parent, **{KIND: "RETRIEVER", **document("retrieval.documents", 0, id="d")}),
        span("r", [], **{KIND: "CHAIN", "input.value": "Q", "output.value": "A"}),
    ]
    _, (sample,) = read(tmp_path, {"data": [{"traceID": "t", "spans": spans}]})
    assert (sample["query"], sample["answer"]) == ("Q", "A")
    assert sample["retrieved"] == [{"passage_id": "d"}]
    assert sample["latency_ms"] == {"retrieve": 2.0}


def test_a_broken_line_among_spans_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(json.dumps(wrapped(FULL)) + "\n{broken\n")
    found = open_foreign(path)
    assert isinstance(found, Foreign)
    problem, row = found.rows()
    assert str(problem).startswith(f"{path}:2: not JSON")
    assert isinstance(row, Row)


def test_a_chat_is_a_question_with_its_history(tmp_path: Path) -> None:
    turns = [["user", "Hi"], ["assistant", "Ho"], ["user", "Q"]]
    asked = json.dumps({"messages": [{"role": role, "content": text} for role, text in turns]})
    said = {"messages": [{"role": "assistant", "content": [{"type": "text", "text": "A"}]}]}
    attributes = {KIND: "AGENT", "input.value": asked, "output.value": json.dumps(said)}
    _, (sample,) = read(tmp_path, wrapped([otlp("a", None, 0, **attributes)]))
    assert (sample["query"], sample["answer"]) == ("Q", "A")
    assert sample["history"] == [["user", "Hi"], ["assistant", "Ho"]]


def test_several_traces_and_one_without_a_question(tmp_path: Path) -> None:
    spans = [
        otlp("a", None, 0, trace="t1", **{KIND: "CHAIN", "input.value": "Q", "output.value": "A"}),
        otlp("b", None, 0, trace="t2", **{KIND: "CHAIN", "input.value": "R", "output.value": "B"}),
        otlp("c", None, 0, trace="t3", **{KIND: "EMBEDDING"}),
    ]
    found, samples = read(tmp_path, wrapped(spans))
    assert [(one["query_id"], one["query"], one["answer"]) for one in samples] == [
        ("t1", "Q", "A"),
        ("t2", "R", "B"),
    ]
    assert "1 without a question left out" in found.notice().message


def test_two_searches_are_joined_and_kept_apart(tmp_path: Path) -> None:
    def search(span_id: str, start: int, *ids: str) -> dict[str, Any]:
        documents: dict[str, Any] = {}
        for n, one in enumerate(ids):
            documents |= document("retrieval.documents", n, id=one, content=one)
        return otlp(
            span_id, "gone", start, **{KIND: "RETRIEVER", "input.value": span_id}, **documents
        )

    found, (sample,) = read(
        tmp_path, wrapped([search("s2", 2, "b", "c"), search("s1", 1, "a", "b")])
    )
    assert sample["query"] == "s1"  # no root in the file: the first search asked
    assert [one["passage_id"] for one in sample["retrieved"]] == ["a", "b", "c"]
    stages = {name: [one["passage_id"] for one in ones] for name, ones in sample["stages"].items()}
    assert stages == {"search-1": ["a", "b"], "search-2": ["b", "c"]}
    assert "several searches in a trace" in found.notice().message


def test_a_search_inside_a_search_counts_once(tmp_path: Path) -> None:
    inner = otlp(
        "in",
        "out",
        1,
        **{KIND: "RETRIEVER"},
        **document("retrieval.documents", 0, id="x", content="x"),
    )
    outer = otlp("out", None, 0, **{KIND: "RETRIEVER", "input.value": "Q"}, **document("retrieval.documents", 0, id="y", content="y"))  # fmt: skip
    _, (sample,) = read(tmp_path, wrapped([inner, outer]))
    assert [one["passage_id"] for one in sample["retrieved"]] == ["y"]


def test_a_failed_root_is_the_samples_error(tmp_path: Path) -> None:
    span = otlp("a", None, 0, **{KIND: "CHAIN", "input.value": "Q"})
    span["status"] = {"code": 2, "message": "no index"}
    _, (sample,) = read(tmp_path, wrapped([span]))
    assert sample["error"] == "no index"


def test_spans_in_a_circle_end(tmp_path: Path) -> None:
    spans = [
        otlp("a", "b", 0, **{KIND: "CHAIN", "input.value": "Q"}),
        otlp("b", "a", 0, **{KIND: "CHAIN"}),
    ]
    _, (sample,) = read(tmp_path, wrapped(spans))
    assert sample["query"] == "Q"


def messages(role: str, text: str) -> list[dict[str, Any]]:
    return [{"role": role, "parts": [{"type": "text", "content": text}]}]


@pytest.mark.parametrize(
    ("query", "documents"),
    [
        ("gen_ai.retrieval.query.text", "gen_ai.retrieval.documents"),
        ("gen_ai.retrieval.query", "gen_ai.retrieved.documents"),
    ],
)
@pytest.mark.parametrize("as_text", [True, False])
def test_genai_documents_are_ids(tmp_path: Path, query: str, documents: str, as_text: bool) -> None:
    listed: Any = [{"id": "d1", "score": 0.5}, {"id": "d2", "score": 0.25}]
    asked: Any = messages("user", "Q")
    said: Any = messages("assistant", "A")
    if as_text:
        listed, asked, said = json.dumps(listed), json.dumps(asked), json.dumps(said)
    spans = [
        otlp("s", "r", 1, **{"gen_ai.operation.name": "retrieval", query: "q", documents: listed}),
        otlp("r", None, 0, **{"gen_ai.operation.name": "chat", "gen_ai.input.messages": asked, "gen_ai.output.messages": said}),
    ]  # fmt: skip
    found, (sample,) = read(tmp_path, wrapped(spans))
    assert found.title == "OpenTelemetry GenAI spans"
    assert (sample["answer"], sample["retrieved"]) == (
        "A",
        [{"passage_id": "d1", "score": 0.5}, {"passage_id": "d2", "score": 0.25}],
    )


def test_genai_messages_as_events(tmp_path: Path) -> None:
    span = otlp("a", None, 0, **{"gen_ai.operation.name": "invoke_agent"})
    span["events"] = [
        {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": value("Q")}]},
        {
            "name": "gen_ai.choice",
            "attributes": [{"key": "message", "value": value({"content": "A"})}],
        },
    ]
    _, (sample,) = read(tmp_path, wrapped([span]))
    assert (sample["query"], sample["answer"]) == ("Q", "A")


def test_trulens_events(tmp_path: Path) -> None:
    ours = "ai.observability."
    events = [
        {
            "record": {"name": "retrieve", "parent_span_id": "1"},
            "record_attributes": {
                ours + "record_id": "r", ours + "span_type": "retrieval",
                ours + "retrieval.query_text": "Q", ours + "retrieval.retrieved_contexts": ["c"],
                ours + "call.return": ["c"],
            },
            "record_type": "SPAN", "trace": {"trace_id": "t", "span_id": "2", "parent_id": "1"},
            "start_timestamp": "2025-04-11 10:00:00.5", "timestamp": "2025-04-11 10:00:01",
        },
        {
            "record": {"name": "query"},
            "record_attributes": {
                ours + "record_id": "r", ours + "span_type": "record_root",
                ours + "record_root.input": "Q", ours + "record_root.output": "A",
            },
            "record_type": "SPAN", "trace": {"trace_id": "t", "span_id": "1", "parent_id": ""},
        },
    ]  # fmt: skip
    found, (sample,) = read(tmp_path, events)
    assert found.title == "TruLens spans"
    kept = sample.pop("metadata")
    assert sample == {
        "query_id": "r",
        "query": "Q",
        "answer": "A",
        "retrieved": [{"passage_id": text_id("c"), "text": "c"}],
        "latency_ms": {"retrieve": 500.0},
    }
    assert kept["spans"][0]["timestamp"] == "2025-04-11 10:00:01"


def test_trulens_records(tmp_path: Path) -> None:
    rows = [{"app_id": "a", "record_id": "r", "input": "Q", "output": "A", "Groundedness": 0.5}]
    found, (sample,) = read(tmp_path, rows)
    assert found.title == "TruLens records"
    assert sample == {
        "query_id": "r",
        "query": "Q",
        "answer": "A",
        "metadata": {"app_id": "a", "Groundedness": 0.5},
    }


def test_mlflow_traces(tmp_path: Path) -> None:
    def span(span_id: str, parent: str | None, kind: str, asked: Any, gave: Any) -> dict[str, Any]:
        texts = {"spanType": kind, "spanInputs": asked, "spanOutputs": gave}
        attributes = {f"mlflow.{key}": json.dumps(one) for key, one in texts.items()}
        return {"span_id": span_id, "parent_id": parent, "name": span_id, "attributes": attributes}

    found_document = {"page_content": "c", "metadata": {"doc_uri": "u"}, "id": "d"}
    trace = {
        "info": {"trace_id": "tr-1", "state": "OK"},
        "data": {
            "spans": [
                span("1", None, "CHAIN", {"question": "Q"}, {"answer": "A"}),
                span("2", "1", "RETRIEVER", {"query": "Q"}, [found_document]),
            ]
        },
    }
    found, (sample,) = read(tmp_path, trace)
    assert found.title == "MLflow traces"
    assert (sample["query_id"], sample["query"], sample["answer"]) == ("tr-1", "Q", "A")
    assert sample["retrieved"] == [
        {"passage_id": "d", "doc_id": "u", "text": "c", "metadata": {"doc_uri": "u"}}
    ]


OBSERVATIONS = [
    {"id": "g", "traceId": "T", "parentObservationId": "s", "type": "GENERATION", "name": "llm",
     "input": [{"role": "user", "content": "long prompt"}], "output": {"role": "assistant", "content": "A"}},
    {"id": "r", "traceId": "T", "parentObservationId": "s", "type": "SPAN", "name": "retrieval",
     "input": "Q", "output": {"documents": [{"pageContent": "c", "metadata": {"source": "f"}}]}},
    {"id": "s", "traceId": "T", "parentObservationId": None, "type": "SPAN", "name": "ask",
     "input": {"question": "Q"}, "output": {"answer": "A"}, "metadata": {"user": "u"}},
]  # fmt: skip


def snake(row: dict[str, Any]) -> dict[str, Any]:
    names = {"traceId": "trace_id", "parentObservationId": "parent_observation_id"}
    return {names.get(key, key): one for key, one in row.items()}


@pytest.mark.parametrize(
    "given",
    [
        OBSERVATIONS,
        [snake(one) for one in OBSERVATIONS],
        {
            "id": "T",
            "name": "n",
            "input": {"question": "Q"},
            "output": "A",
            "observations": OBSERVATIONS,
        },
        {"trace": {"id": "T"}, "observations": OBSERVATIONS},
    ],
)
def test_langfuse(tmp_path: Path, given: Any) -> None:
    found, (sample,) = read(tmp_path, given)
    assert found.title == "Langfuse observations"
    assert (sample["query_id"], sample["query"], sample["answer"]) == ("T", "Q", "A")
    assert [one["text"] for one in sample["retrieved"]] == ["c"]
    assert sample["retrieved"][0]["doc_id"] == "f"


RUNS = [
    {"id": "2", "run_type": "retriever", "name": "r", "parent_run_id": "1", "inputs": {"query": "Q"},
     "outputs": {"documents": [{"page_content": "c", "metadata": {"source": "f"}}]}},
    {"id": "1", "run_type": "chain", "name": "c", "inputs": {"input": "Q"}, "outputs": {"answer": "A"},
     "parent_run_id": None},
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "query_id"),
    [
        (RUNS, "1"),
        ([{**one, "trace_id": "T"} for one in RUNS], "T"),
        ({**RUNS[1], "child_runs": [{**RUNS[0], "parent_run_id": None}]}, "1"),
        ({"runs": RUNS}, "1"),
    ],
)
def test_langsmith(tmp_path: Path, given: Any, query_id: str) -> None:
    found, (sample,) = read(tmp_path, given)
    assert found.title == "LangSmith runs"
    assert (sample["query_id"], sample["query"], sample["answer"]) == (query_id, "Q", "A")
    assert [one["text"] for one in sample["retrieved"]] == ["c"]


def test_langsmith_examples_hold_the_reference(tmp_path: Path) -> None:
    row = {"id": "e", "inputs": {"question": "Q"}, "outputs": {"answer": "R"}, "dataset_id": "d"}
    found, (sample,) = read(tmp_path, [row])
    assert found.title == "LangSmith examples"
    assert (sample["query"], sample["reference"]) == ("Q", ["R"])
    assert "answer" not in sample
    both = {**row, "outputs": {"answer": "A", "documents": ["c"]}, "reference_outputs": "R"}
    _, (sample,) = read(tmp_path, [both])
    assert (sample["answer"], sample["reference"]) == ("A", ["R"])
    assert [one["text"] for one in sample["retrieved"]] == ["c"]


def test_langsmith_messages_and_a_failed_run(tmp_path: Path) -> None:
    message = {"lc": 1, "type": "constructor", "kwargs": {"content": "Q", "type": "human"}}
    run = {
        "id": "2", "run_type": "chain", "inputs": {"messages": [[message]]}, "error": "no index",
        "dotted_order": "20250101T000000Z7.20250101T000001Z2",
    }  # fmt: skip
    _, (sample,) = read(tmp_path, [run])
    assert (sample["query_id"], sample["query"], sample["error"]) == ("7", "Q", "no index")


def test_langfuse_errors_and_searches_by_name(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "traceId": "T", "type": "SPAN", "name": "ask", "input": "Q", "level": "ERROR"},
        {"id": "b", "traceId": "T", "type": "SPAN", "name": "rerank", "parentObservationId": "a",
         "input": {"query": "Q", "documents": ["c", "d"]}, "output": ["d"]},
    ]  # fmt: skip
    _, (sample,) = read(tmp_path, rows)
    assert sample["error"] == "the observation's level is ERROR"
    assert [one["text"] for one in sample["stages"]["candidates"]] == ["c", "d"]
    assert [one["text"] for one in sample["retrieved"]] == ["d"]


def test_mlflow_attributes_as_they_are_held_in_memory(tmp_path: Path) -> None:
    spans = [
        {"name": "ask", "context": {"trace_id": "t", "span_id": "1"}, "parent_id": None,
         "attributes": {"mlflow.spanType": "CHAIN", "mlflow.spanInputs": {"messages": [
             {"role": "user", "content": "Q"}]}, "mlflow.spanOutputs": "A"}},
        {"name": "find", "context": {"trace_id": "t", "span_id": "2"}, "parent_id": "1",
         "attributes": {"mlflow.spanType": "RETRIEVER", "mlflow.spanInputs": {"query": "Q"},
                        "mlflow.spanOutputs": {"documents": ["c"]}}},
    ]  # fmt: skip
    _, (sample,) = read(tmp_path, spans)
    assert (sample["query"], sample["answer"]) == ("Q", "A")
    assert [one["text"] for one in sample["retrieved"]] == ["c"]


def test_trulens_reranking(tmp_path: Path) -> None:
    ours = "ai.observability."
    event = {
        "record_attributes": {
            ours + "span_type": "reranking", ours + "reranking.query_text": "Q",
            ours + "reranking.input_context_texts": ["a", "b"],
            ours + "reranking.output_context_texts": ["b"],
            ours + "cost.cost": 0.5, ours + "cost.cost_currency": "USD",
        },
        "trace": {"trace_id": "t", "span_id": "1", "parent_id": ""},
    }  # fmt: skip
    _, (sample,) = read(tmp_path, [event])
    assert [one["text"] for one in sample["stages"]["candidates"]] == ["a", "b"]
    assert [one["text"] for one in sample["retrieved"]] == ["b"]
    assert sample["cost_usd"] == 0.5


def test_trulens_calls_without_their_own_attributes(tmp_path: Path) -> None:
    ours = "ai.observability."
    event = {
        "record_attributes": {
            ours + "span_type": "retrieval", ours + "call.kwargs.query": "Q",
            ours + "call.return": ["c"],
        },
        "trace": {"trace_id": "t", "span_id": "1"},
    }  # fmt: skip
    _, (sample,) = read(tmp_path, [event])
    assert (sample["query"], [one["text"] for one in sample["retrieved"]]) == ("Q", ["c"])


def test_traces_without_any_question_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(json.dumps(wrapped([otlp("a", None, 0, **{KIND: "EMBEDDING"})])))
    found = open_foreign(path)
    assert isinstance(found, Foreign)
    (problem,) = found.rows()
    assert isinstance(problem, Problem)
    assert "read as OpenInference spans, it holds no question" in str(problem)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (1_700_000_000, 1.7e9),
        (1_700_000_000_000, 1.7e9),
        (1_700_000_000_000_000, 1.7e9),
        ("1700000000000000000", 1.7e9),
        ("2023-11-14T22:13:20Z", 1.7e9),
        ("2023-11-14 22:13:20.000", 1.7e9),
        ("2023-11-14T23:13:20+01:00", 1.7e9),
        ("yesterday", None),
        (None, None),
        (True, None),
    ],
)
def test_times(given: object, wanted: float | None) -> None:
    assert seconds(given) == wanted


def test_a_passage_that_a_search_gave_twice_stays_twice(tmp_path: Path) -> None:
    span = {
        "record_attributes": {
            "ai.observability.span_type": "retrieval",
            "ai.observability.retrieval.query_text": "Q",
            "ai.observability.retrieval.retrieved_contexts": ["c", "d", "c"],
        },
        "trace": {"trace_id": "t", "span_id": "s"},
    }
    _, (found,) = read(tmp_path, span)
    assert [one["text"] for one in found["retrieved"]] == ["c", "d", "c"]


@pytest.mark.parametrize("start", [0, 1_000_000_000, 1_700_000_000_000_000_000])
def test_nanoseconds_are_known_by_their_name_and_not_by_their_size(
    tmp_path: Path, start: int
) -> None:
    spans = [dict(one) for one in FULL]
    for span in spans:
        span["startTimeUnixNano"], span["endTimeUnixNano"] = str(start), str(start + 250_000_000)
    _, (sample,) = read(tmp_path, wrapped(spans))
    assert sample["latency_ms"] == {"retrieve": 250.0, "rerank": 250.0, "generate": 250.0}


@pytest.mark.parametrize(
    ("costs", "total"),
    [
        ({}, None),
        ({"trace": 0}, None),
        ({"trace": 0.5}, 0.5),
        ({"trace": 0.75, "a": 0.5, "b": 0.25}, 0.75),  # the trace's is the sum of the other two
        ({"a": 0.5, "b": 0.25}, 0.75),
        ({"a": "0.5"}, 0.5),
    ],
)
def test_a_cost_is_counted_once(
    tmp_path: Path, costs: dict[str, float | str], total: float | None
) -> None:
    models = [
        {"id": name, "traceId": "T", "type": "GENERATION", "input": "Q", "output": "A",
         "calculatedTotalCost": costs.get(name)}
        for name in ("a", "b")
    ]  # fmt: skip
    trace = {"id": "T", "input": "Q", "output": "A", "totalCost": costs.get("trace")}
    _, (sample,) = read(tmp_path, {**trace, "observations": models})
    assert sample.get("cost_usd") == total
    runs = [
        {"id": name, "run_type": "llm", "parent_run_id": "trace", "inputs": {"input": "Q"},
         "outputs": {"text": "A"}, "total_cost": costs.get(name)}
        for name in ("a", "b")
    ]  # fmt: skip
    top = {"id": "trace", "run_type": "chain", "inputs": {"input": "Q"}, "outputs": {"answer": "A"}}
    _, (sample,) = read(tmp_path, [{**top, "total_cost": costs.get("trace")}, *runs])
    assert sample.get("cost_usd") == total
