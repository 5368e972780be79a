from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from ragdiag.errors import UsageError
from ragdiag.judging.cascade import Cascade
from ragdiag.judging.scripted import ScriptedJudge
from ragdiag.judging.specs import Judges, parse_spec, split_model
from ragdiag.records import Label

READ: list[str] = []


def read_labels(path: str) -> Sequence[Label]:
    READ.append(path)
    return [Label(query_id=path, check="faithfulness", label="faithful")]


def parse(spec: str, **more: str) -> Judges:
    READ.clear()
    return parse_spec(
        spec,
        read_labels=read_labels,
        load_screen=lambda path: ScriptedJudge({}, name=f"screen:{path}" if path else "screen"),
        **more,
    )


@pytest.mark.parametrize(
    ("text", "model", "url"),
    [
        ("llama3:8b@http://127.0.0.1:8080/v1", "llama3:8b", "http://127.0.0.1:8080/v1"),
        ("org/model:free", "org/model:free", None),
        ("m@localhost:8080", "m", "localhost:8080"),
        ("m@localhost", "m", "localhost"),
        ("m@[::1]:1/v1", "m", "[::1]:1/v1"),
        ("m@10.0.0.5", "m", "10.0.0.5"),
        ("m@api.example.com/v1", "m", "api.example.com/v1"),
        ("claude@20240620", "claude@20240620", None),
        ("claude@20240620@https://h/v1", "claude@20240620", "https://h/v1"),
        ("m@https://u:p@h/v1", "m", "https://u:p@h/v1"),
        ("@http://h", "", "http://h"),
        ("", "", None),
    ],
)
def test_models_may_hold_colons_slashes_and_ats(text: str, model: str, url: str | None) -> None:
    assert split_model(text) == (model, url)


def test_screen_and_file() -> None:
    assert parse("screen").name == "screen"
    assert parse(" screen:w.json ").name == "screen:w.json"
    people = parse("file:a:b.jsonl")
    assert READ == ["a:b.jsonl"]
    assert (people.name, people.machine) == ("people", None)


def test_llm() -> None:
    judges = parse("llm:llama3:8b@http://127.0.0.1:1/v1")
    assert judges.name == "llm:llama3:8b"
    assert judges.abilities == {
        "llm:llama3:8b": {"endpoint": "http://127.0.0.1:1/v1/chat/completions"}
    }
    asyncio.run(judges.aclose())
    filled = parse("llm", model="m", base_url="localhost:5")
    assert filled.llms[0].abilities["endpoint"] == "http://localhost:5/v1/chat/completions"
    at_url = parse("llm:@http://h:7", model="m")
    assert at_url.name == "llm:m"
    assert at_url.version == filled.version
    with pytest.raises(UsageError, match="--model"):
        parse("llm")


def test_cascade_takes_the_files_out() -> None:
    judges = parse("cascade:file:a.jsonl, screen,file:b.jsonl,llm:m@http://h")
    assert READ == ["a.jsonl", "b.jsonl"]
    assert isinstance(judges.machine, Cascade)
    assert judges.name == "people,cascade:screen,llm:m"
    assert judges.version.count(",") == 1
    one = parse("cascade:file:a.jsonl,screen")
    assert one.name == "people,screen"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("jury:a,b", "not built yet.*screen"),
        ("oracle", "what works"),
        ("", "what works"),
        ("file:", "needs a path"),
        ("cascade:", "in order"),
        ("cascade:screen,,llm:m", "in order"),
        ("cascade:screen,cascade:llm:m", "inside a cascade"),
        ("cascade:screen,jury:a,b", "not built yet"),
    ],
)
def test_bad_specs_say_what_works(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse(spec)
