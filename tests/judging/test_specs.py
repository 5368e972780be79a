from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.errors import TransientError, UsageError
from ragdiag.judging.cascade import Cascade
from ragdiag.judging.jury import Jury
from ragdiag.judging.scripted import ScriptedJudge
from ragdiag.judging.specs import Judges, parse_spec, split_model
from ragdiag.records import CheckCorrectness, Claims, Components, Label, Overall, Verdict

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


def test_a_jury_is_the_same_in_any_order() -> None:
    one = parse("jury:llm:b@http://h,screen,llm:a@http://h")
    other = parse("jury:screen,llm:a@http://h, llm:b@http://h")
    assert isinstance(one.machine, Jury)
    assert one.name == other.name == "jury:llm:a,llm:b,screen"
    assert one.version == other.version
    assert sorted(one.abilities) == ["llm:a", "llm:b"]
    assert parse("jury:screen,llm:a,llm:c", base_url="http://h").version != one.version


def test_lists_in_lists_stand_in_parentheses() -> None:
    judges = parse("cascade:file:a (1).jsonl,screen,(jury:llm:a,2*llm:b)", base_url="http://h")
    assert READ == ["a (1).jsonl"]
    assert judges.name == "people,cascade:screen,(jury:llm:a,llm:b#1,llm:b#2)"
    assert [judge.name for judge in judges.llms] == ["llm:a", "llm:b", "llm:b"]
    assert len(judges.closers) == 2  # a chat a model
    mixed = parse("jury:(cascade:screen,llm:a),llm:b,file:x.jsonl", base_url="http://h")
    assert mixed.people is None  # a vote like any other
    assert mixed.name == "jury:(cascade:screen,llm:a),llm:b,people"
    assert parse("(jury:llm:a, llm:b)", base_url="http://h").name == "jury:llm:a,llm:b"


@pytest.mark.parametrize(
    "spec", ["jury:3*llm:m", "jury:llm:m,llm:m,llm:m", "jury:llm,2*llm:m", "jury:2 * llm, llm:m"]
)
def test_equal_members_are_repeats_with_cache_entries_of_their_own(spec: str) -> None:
    judges = parse(spec, model="m", base_url="http://h")
    assert judges.name == "jury:llm:m#1,llm:m#2,llm:m#3"
    assert (len(judges.llms), len(judges.closers)) == (3, 1)
    assert isinstance(judges.machine, Jury)
    asked = asyncio.run(repeats_asked(judges.machine))
    assert sorted(asked) == [0, 1, 2]


@pytest.mark.parametrize(
    ("last", "saved"),
    [
        ("llm:m", 4),
        ("(jury:llm:m,llm:n)", 6 + 2),  # claims and components are listed by one, each in a call
        ("(jury:2*llm:m,screen)", 6 + 2),
        ("(jury:llm:m,(cascade:screen,llm:n))", 6 + 2),
    ],
)
def test_calls_saved_are_those_that_the_last_would_have_made(last: str, saved: int) -> None:
    judges = parse(f"cascade:screen,{last}", base_url="http://h")
    replies = [
        Claims(query_id="q", claims=(), judge="screen"),
        Components(query_id="q", components=("k",), judge="screen"),
        Verdict(query_id="q", check="support", overall=Overall(label="faithful"), judge="screen"),
        Verdict(query_id="q", check="sufficiency", label="sufficient", judge="screen"),
        Verdict(query_id="q", check="correctness", label="correct", judge="screen"),
    ]
    assert judges.calls_saved(replies) == saved
    assert parse("cascade:llm:m,screen", base_url="http://h").calls_saved(replies) == 0
    assert parse("jury:llm:m,llm:n", base_url="http://h").calls_saved(replies) is None
    assert parse("cascade:screen,screen:f").calls_saved(replies) is None


async def repeats_asked(jury: Jury) -> list[int]:
    """The repeat of each request that one question leads to."""
    found: list[int] = []

    async def complete(request: ChatRequest) -> ChatReply:
        found.append(request.repeat)
        raise TransientError("timeout", "")

    chat = parse_chat(jury)
    chat.complete = complete  # type: ignore[method-assign]
    question = CheckCorrectness(query_id="q", query="?", reference=("r",), answer="a")
    await jury.ask((question,))
    return found


def parse_chat(jury: Jury) -> Any:
    (chat,) = {id(r._judge._chat): r._judge._chat for r in jury._members}.values()  # type: ignore[attr-defined]
    return chat


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("jury:llm:a", "two members"),
        ("jury:", "between two commas"),
        ("jury:screen,screen", "same each time"),
        ("jury:2*screen,llm:a", "same each time"),
        ("jury:2*file:a,llm:a", "same each time"),
        ("jury:1*llm:a", "2 to 99"),
        ("jury:100*llm:a", "2 to 99"),
        ("jury:llm:a,jury:llm:b,llm:c", "parentheses"),
        ("jury:llm:a,3*cascade:screen,llm:c", "parentheses"),
        ("jury:llm:a,(jury:llm:b,llm:c", "not closed"),
        ("jury:llm:a,(jury:llm:b,llm:c)llm:d", "comma or the end"),
        ("(jury:llm:a,llm:b) and more", "after the last parenthesis"),
        ("jury:" + "(jury:" * 50 + "llm:a,llm:b" + "),llm:c" * 50, "in one another"),
        ("jury:" + "(" * 100_000, "not closed"),
        ("3*llm:a", "jury:3\\*llm:a"),
        ("cascade:screen,3*llm:a", "belong into a jury"),
        ("oracle", "what works"),
        ("", "what works"),
        ("file:", "needs a path"),
        ("jury:file:,llm:a", "needs a path"),
        ("cascade:", "between two commas"),
        ("cascade:screen,,llm:m", "between two commas"),
        ("cascade:screen,cascade:llm:m", "parentheses"),
        ("cascade:screen,(cascade:screen,llm:m)", "inside a cascade"),
        ("cascade:screen,jury:a,b", "parentheses"),
    ],
)
def test_bad_specs_say_what_works(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        parse(spec)
    assert len(str(caught.value)) < 600
