from __future__ import annotations

from typing import Any

import pytest

from ragdiag.chat.protocol import ChatRequest
from ragdiag.chat.structured import Plan, parameters, weaker

SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}
REQUEST = ChatRequest(
    "m", (("system", "s"), ("user", "u")), schema=SCHEMA, schema_name="n", max_tokens=9, seed=3
)


def test_the_strictest_way_first() -> None:
    assert parameters(REQUEST, Plan()) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "max_tokens": 9,
        "temperature": 0.0,
        "seed": 3,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "n", "schema": SCHEMA, "strict": True},
        },
    }


def test_weaker_ways() -> None:
    loose = parameters(REQUEST, Plan(format="json_schema"))
    assert "strict" not in loose["response_format"]["json_schema"]
    some = parameters(REQUEST, Plan(format="json_object"))
    assert some["response_format"] == {"type": "json_object"}
    assert '{"type":"object","properties":{}}' in some["messages"][-1]["content"]
    none = parameters(REQUEST, Plan("prompt", None, frozenset({"seed", "temperature"})))
    assert set(none) == {"model", "messages"}
    assert "JSON schema" in none["messages"][-1]["content"]
    free = ChatRequest("m", (("user", "u"),), temperature=None)
    assert parameters(free, Plan()) == {
        "model": "m",
        "messages": [{"role": "user", "content": "u"}],
    }


@pytest.mark.parametrize(
    ("refusal", "named_only", "expected"),
    [
        (
            "'response_format' of type 'json_schema' is not supported",
            True,
            {"format": "json_schema"},
        ),
        ("failed to parse grammar", True, {"format": "json_schema"}),
        ("Bad request", False, {"format": "json_schema"}),
        ("internal error", True, None),
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            False,
            {"tokens": "max_completion_tokens"},
        ),
        ("unknown field max_tokens", False, {"tokens": None}),
        ("'temperature' does not support 0", False, {"dropped": frozenset({"temperature"})}),
        ("extra inputs: seed", False, {"dropped": frozenset({"seed"})}),
    ],
)
def test_what_a_refusal_gives_up(
    refusal: str, named_only: bool, expected: dict[str, Any] | None
) -> None:
    got = weaker(Plan(), refusal, asked=REQUEST, named_only=named_only)
    if expected is None:
        assert got is None
    else:
        assert got is not None
        assert {name: getattr(got, name) for name in expected} == expected


def test_nothing_is_given_up_twice() -> None:
    bare = ChatRequest("m", (("user", "u"),), temperature=None)
    assert weaker(Plan(), "temperature max_tokens", asked=bare, named_only=False) is None
    assert weaker(Plan(format="prompt"), "no", asked=REQUEST, named_only=False) is None
    renamed = Plan(tokens="max_completion_tokens")
    gone = weaker(renamed, "max_completion_tokens is unknown", asked=REQUEST, named_only=False)
    assert gone is not None
    assert gone.tokens is None
