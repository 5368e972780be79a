"""What can be named as a generator, what it is told, and what becomes of what it returns."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag.collecting.generators import generator_of, load_generator
from ragdiag.errors import UsageError
from ragdiag.records import Passage, Said, Sample

SAMPLE = Sample(
    query_id="q1", query="Who?", history=(("user", "Hi"),), reference=("Ann",),
    gold=(({"passage_id": "p1"},),),  # type: ignore[arg-type]
)  # fmt: skip
PASSAGES = (Passage(passage_id="p1", text="Ann did.", page=3, score=0.5), Passage(passage_id="p2"))
TURNS = (("user", "Hi"),)


def said(target: Any, *, timeout: float | None = 30) -> Said:
    return asyncio.run(generator_of(target).ask(SAMPLE, PASSAGES, timeout=timeout))


def ids(passages: list[dict[str, Any]]) -> str:
    return " ".join(one["passage_id"] for one in passages)


def by_name(query, passages):
    return f"{query} {ids(passages)}"


def by_place(question, docs):
    return by_name(question, docs)


def swapped(passages, query):
    return by_name(query, passages)


def half_named(query, docs):
    return by_name(query, docs)


def only_passages_named(question, *, passages, top_k=3):
    return by_name(question, passages)


def a_setting_between(question, top_k=3, passages=()):
    return f"{by_name(question, passages)} {top_k}"


def absent_by_default(question, docs=None):
    return by_name(question, docs)


def positional(query, passages, /):
    return by_name(query, passages)


def any_place(*given):
    return by_name(*given)


def any_keyword(q, **more):
    return f"{by_name(q, more.pop('passages'))} {sorted(more)}"


def with_history(query, passages, history, query_id):
    return f"{by_name(query, passages)} {history} {query_id}"


async def waits(query, passages):
    await asyncio.sleep(0)
    return by_name(query, passages)


def gives_awaitable(query, passages):
    return waits(query, passages)


class Rag:
    async def __call__(self, query, passages):
        return by_name(query, passages)

    def answer(self, query, passages):
        return by_name(query, passages)


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        (by_name, "Who? p1 p2"),
        (by_place, "Who? p1 p2"),
        (swapped, "Who? p1 p2"),
        (half_named, "Who? p1 p2"),
        (only_passages_named, "Who? p1 p2"),
        (a_setting_between, "Who? p1 p2 3"),
        (absent_by_default, "Who? p1 p2"),
        (positional, "Who? p1 p2"),
        (any_place, "Who? p1 p2"),
        (any_keyword, "Who? p1 p2 ['history', 'query_id']"),
        (with_history, f"Who? p1 p2 {TURNS} q1"),
        (waits, "Who? p1 p2"),
        (gives_awaitable, "Who? p1 p2"),
        (Rag(), "Who? p1 p2"),
        (Rag().answer, "Who? p1 p2"),
    ],
)
def test_what_a_generator_is_told(target: Any, answer: str) -> None:
    found = said(target)
    assert (found.answer, found.error, found.kind) == (answer, None, None)
    assert found.latency_ms >= 0


def test_a_passage_has_the_fields_that_one_may_count_on() -> None:
    seen: list[dict[str, Any]] = []
    said(lambda query, passages: seen.extend(passages) or "a")
    assert seen == [
        {"passage_id": "p1", "doc_id": None, "page": 3, "text": "Ann did.", "metadata": {}, "score": 0.5},
        {"passage_id": "p2", "doc_id": None, "page": None, "text": None, "metadata": {}},
    ]  # fmt: skip


def needs_k(query, passages, k):
    return k


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (lambda query: query, "takes no passages: its second parameter is to take the passages"),
        (lambda query, history: query, "takes no passages"),
        (lambda query, top_k=3: query, "takes no passages"),
        (lambda: 1, "takes no query: its first parameter"),
        (needs_k, "needs a parameter 'k', which ragdiag cannot give .it gives query, passages, history"),
        (Rag, "is a class"),
        (3, "cannot be called: a function of a query and passages"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_before_anything_is_asked(
    target: Any, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        generator_of(target)


class Message:
    content = "Ann"


def raising(fault: BaseException) -> Callable[..., Any]:
    def generate(query: str, passages: list[Any]) -> Any:
        raise fault

    return generate


@pytest.mark.parametrize("result", ["Ann", {"answer": "Ann"}, {"result": "Ann"}, Message()])
def test_answers(result: object) -> None:
    assert said(lambda query, passages: result).answer == "Ann"


def test_an_empty_answer_is_one() -> None:
    found = said(lambda query, passages: "")
    assert (found.answer, found.error) == ("", None)


@pytest.mark.parametrize(
    ("target", "kind", "message"),
    [
        (lambda q, p: None, "UnreadableResult", "the generator returned None; return the answer as a"),
        (lambda q, p: 42, "UnreadableResult", "the generator returned something of type int"),
        (lambda q, p: ["a"], "UnreadableResult", "the generator returned something of type list"),
        (lambda q, p: b"a", "UnreadableResult", "the generator returned something of type bytes"),
        (lambda q, p: {}, "UnreadableResult", "the generator returned something of type dict"),
        (lambda q, p: {"answer": 3}, "UnreadableResult", "the generator returned something of type dict"),
        (lambda q, p: "\ud800", "UnreadableResult", "the answer holds half a character"),
        (raising(ValueError("two\nlines")), "ValueError", "two lines"),
        (raising(SystemExit(3)), "SystemExit", "the generator called exit(3)"),
        (raising(StopIteration()), "RuntimeError", "StopIteration"),
        (raising(asyncio.CancelledError()), "CancelledError", ""),
        (raising(MemoryError()), "MemoryError", ""),
    ],
)  # fmt: skip
def test_a_failure_is_an_error_and_never_an_answer(target: Any, kind: str, message: str) -> None:
    found = said(target)
    assert found.answer is None
    assert found.kind == kind
    assert found.error is not None
    assert found.error.startswith(f"{kind}: {message}" if message else kind)


def test_an_interrupt_is_ours() -> None:
    with pytest.raises(KeyboardInterrupt):
        said(raising(KeyboardInterrupt()))


def test_one_that_hangs_is_given_up() -> None:
    released = threading.Event()

    async def never(query, passages):
        await asyncio.Event().wait()

    def blocks(query, passages):
        released.wait(60)

    try:
        for hanging in (never, blocks):
            found = said(hanging, timeout=0.05)
            assert found.error == "TimeoutError: no result within 0.05 s"
    finally:
        released.set()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "gen_of_test.py").write_text(
        "def generate(query, passages): return query\n"
    )
    return tmp_path


def test_a_file_is_one_generator_by_whatever_path_and_another_when_it_changes(place: Path) -> None:
    near, far = (
        load_generator(f"{start}deep/gen_of_test.py:generate") for start in ("", f"{place}/")
    )
    assert near.name == far.name == "gen_of_test.py:generate"
    assert near.source_hash == far.source_hash is not None
    assert (near.asynchronous, near.at_once) == (False, 1)
    (place / "deep" / "gen_of_test.py").write_text(
        "async def generate(query, passages): return 'b'\n"
    )
    changed = load_generator("deep/gen_of_test.py:generate")
    assert changed.source_hash != near.source_hash
    assert (changed.asynchronous, changed.at_once) == (True, 8)


def test_errors_name_the_option(place: Path) -> None:
    for spec, message in (
        ("generate", "--ladder takes module:function"),
        ("deep/gen_of_test.py:no", "--ladder deep/gen_of_test.py:no: .* it defines generate"),
        ("no_such.py:f", "--ladder no_such.py:f: there is no file no_such.py"),
    ):
        with pytest.raises(UsageError, match=message):
            load_generator(spec)
