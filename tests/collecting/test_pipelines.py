"""What can be named as a pipeline, and what it is told."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path
from typing import Any

import pytest

from ragdiag.collecting.pipelines import PipelineInput, load_pipeline, pipeline_of
from ragdiag.errors import UsageError

GIVEN = PipelineInput("q1", "Who?", (("user", "Hi"),), "year == 2017")


def asked(target: Any, given: PipelineInput = GIVEN) -> Any:
    return asyncio.run(pipeline_of(target).ask(given))


def alone(query):
    return [query]


def with_other_name(question, *, top_k=3):
    return [question, top_k]


def with_all(query, history, filter, query_id):
    return [query, history, filter, query_id]


def by_keyword(*, query, filter=None):
    return [query, filter]


def any_keyword(q, **more):
    return [q, more]


def history_first(history, query):
    return [history, query]


async def waits(query, filter):
    await asyncio.sleep(0)
    return [query, filter]


def gives_awaitable(query):
    return waits(query, "lazily")


class Instance:
    async def __call__(self, query):
        return ["object", query]

    def method(self, query, history):
        return [query, history]


TURNS = (("user", "Hi"),)


@pytest.mark.parametrize(
    ("target", "result", "takes"),
    [
        (alone, ["Who?"], {"query"}),
        (with_other_name, ["Who?", 3], {"query"}),
        (
            with_all,
            ["Who?", TURNS, "year == 2017", "q1"],
            {"query", "history", "filter", "query_id"},
        ),
        (by_keyword, ["Who?", "year == 2017"], {"query", "filter"}),
        (
            any_keyword,
            ["Who?", {"history": TURNS, "filter": "year == 2017", "query_id": "q1"}],
            {"query", "history", "filter", "query_id"},
        ),
        (history_first, [TURNS, "Who?"], {"query", "history"}),
        (waits, ["Who?", "year == 2017"], {"query", "filter"}),
        (gives_awaitable, ["Who?", "lazily"], {"query"}),
        (Instance(), ["object", "Who?"], {"query"}),
        (Instance().method, ["Who?", TURNS], {"query", "history"}),
        (functools.partial(with_other_name, top_k=9), ["Who?", 9], {"query"}),
        (lambda q: q.upper(), "WHO?", {"query"}),
        (str.upper, "WHO?", {"query"}),
    ],
)
def test_what_a_function_is_told(target: Any, result: Any, takes: set[str]) -> None:
    assert asked(target) == result
    assert pipeline_of(target).takes == takes


class Retriever:
    """As LangChain's: no schema with keys."""

    def invoke(self, query):
        return [query]


class Chain:
    def __init__(self, *keys: str) -> None:
        self.keys = keys

    def get_input_jsonschema(self):
        return {"properties": {key: {} for key in self.keys}}

    async def ainvoke(self, given):
        return given

    def invoke(self, given):
        raise AssertionError("the asynchronous method is to be used")


class Engine:
    """As LlamaIndex's query engines."""

    async def aquery(self, query):
        return f"answer to {query}"


@pytest.mark.parametrize(
    ("target", "result", "takes"),
    [
        (Retriever(), ["Who?"], {"query"}),
        (Engine(), "answer to Who?", {"query"}),
        (Chain("input"), {"input": "Who?"}, {"query"}),
        (
            Chain("question", "chat_history"),
            {"question": "Who?", "chat_history": [("user", "Hi")]},
            {"query", "history"},
        ),
        (
            Chain("messages"),
            {"messages": [("user", "Hi"), ("user", "Who?")]},
            {"query", "history"},
        ),
        (Chain("something"), "Who?", {"query"}),
    ],
)
def test_retrievers_chains_and_engines(target: Any, result: Any, takes: set[str]) -> None:
    assert asked(target) == result
    assert pipeline_of(target).takes == takes


def needs_k(query, k):
    return k


def takes_none():
    return 1


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (needs_k, "needs a parameter 'k'"),
        (takes_none, "takes no query"),
        (Instance, "is a class"),
        (3, "cannot be called"),
    ],
)
def test_what_cannot_be_called_is_refused_before_anything_is_asked(target: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        pipeline_of(target)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_module_of_the_working_directory_is_found(place: Path) -> None:
    (place / "rag_of_test_a.py").write_text(
        "RUN_INFO = {'k': 5}\nclass Rag:\n    def ask(self, q): return q\nrag = Rag()\n"
    )
    found = load_pipeline("rag_of_test_a:rag.ask")
    assert asyncio.run(found.ask(GIVEN)) == "Who?"
    assert (found.name, found.facts, found.asynchronous) == (
        "rag_of_test_a:rag.ask",
        {"k": 5},
        False,
    )
    assert found.source == place / "rag_of_test_a.py"


def test_a_file_is_found_with_its_neighbours(place: Path) -> None:
    (place / "deep").mkdir()
    (place / "deep" / "beside_of_test.py").write_text("WORD = 'beside'\n")
    (place / "deep" / "rag_of_test_b.py").write_text(
        "from beside_of_test import WORD\ndef answer(q): return WORD + q\n"
    )
    found = load_pipeline("deep/rag_of_test_b.py:answer")
    assert asyncio.run(found.ask(GIVEN)) == "besideWho?"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("rag", "takes module:function"),
        (":f", "takes module:function"),
        ("no_such_module:f", "no module 'no_such_module'"),
        ("no_such_file.py:f", "no_such_file.py"),
        ("rag_of_test_c:nope", "has no 'nope'; it defines answer"),
        ("rag_of_test_d:f", "needs 'no_such_dependency'"),
        ("rag_of_test_e:f", "fails on import: ZeroDivisionError"),
        ("rag_of_test_f:answer", "its run facts are a mapping"),
    ],
)
def test_a_name_that_leads_nowhere_says_why(place: Path, spec: str, said: str) -> None:
    (place / "rag_of_test_c.py").write_text("def answer(q): return q\n")
    (place / "rag_of_test_d.py").write_text("import no_such_dependency\n")
    (place / "rag_of_test_e.py").write_text("1 / 0\n")
    (place / "rag_of_test_f.py").write_text("RUN_INFO = 'k=5'\ndef answer(q): return q\n")
    with pytest.raises(UsageError, match=said):
        load_pipeline(spec)
