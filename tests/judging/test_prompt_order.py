"""Vendors bill a long common beginning of prompts less: what is alike in all calls comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import takewhile
from typing import Any

import pytest

from ragdiag.chat.scripted import ScriptedChat
from ragdiag.judging.asking import (
    Call,
    EvidencePlan,
    claims_call,
    correctness_call,
    evidence_call,
    support_call,
)
from ragdiag.judging.llm import LLMJudge
from ragdiag.records import (
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claim,
    ExtractClaims,
    ListComponents,
    Passage,
    Target,
)

SECRET = b"of the cache file"


def asked(number: int) -> dict[str, Any]:
    return {"query_id": f"q{number}", "query": f"QUERY{number}?"}


def passages(number: int) -> tuple[Passage, ...]:
    return tuple(Passage(passage_id=f"p{i}", text=f"PASSAGE{i} of {number}") for i in range(3))


def claims(number: int) -> Call:
    return claims_call(ExtractClaims(**asked(number), answer=f"ANSWER{number}"), SECRET)


def support(number: int) -> Call:
    told = (Claim(claim_id="c1", text=f"CLAIM{number}", start=0, end=3),)
    return support_call(
        CheckSupport(
            **asked(number), answer=f"ANSWER{number}", claims=told, passages=passages(number)
        ),
        SECRET,
    )


def correctness(number: int) -> Call:
    return correctness_call(
        CheckCorrectness(**asked(number), reference=(f"REF{number}",), answer=f"ANSWER{number}"),
        SECRET,
    )


def evidence(number: int) -> Call:
    seen = passages(number)
    return evidence_call(
        EvidencePlan.of(
            (
                ListComponents(**asked(number)),
                CheckSufficiency(**asked(number), passages=seen),
                CheckIdentity(**asked(number), target=Target(period="TARGET"), passages=seen),
            )
        ),
        SECRET,
    )


CALLS = (claims, support, correctness, evidence)


@pytest.mark.parametrize("call", CALLS)
def test_calls_of_one_prompt_share_all_up_to_the_first_data(call: Callable[[int], Call]) -> None:
    one, other = call(1).messages, call(2).messages
    assert one[0] == other[0]
    assert one[0][0] == "system"
    assert not any(word in one[0][1] for word in ("QUERY1", "PASSAGE0", "ANSWER1"))
    user = one[1][1]
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(user, other[1][1], strict=False))
    n_shared = sum(1 for _ in alike)
    first_data = min(user.index(word) for word in ("QUERY1", "PASSAGE0", "REF1") if word in user)
    # only the line that opens the first fence may differ before the data
    assert "\n" not in user[n_shared:first_data].rstrip("\n")


@pytest.mark.parametrize("call", [support, evidence])
def test_the_passages_come_before_what_is_asked_of_them(call: Callable[[int], Call]) -> None:
    user = call(1).messages[1][1]
    asked_of_them = [w for w in ("QUERY1", "ANSWER1", "CLAIM1", "TARGET") if w in user]
    assert len(asked_of_them) >= 2
    assert user.index("PASSAGE2") < min(map(user.index, asked_of_them))


def test_a_second_asking_begins_as_the_first() -> None:
    chat = ScriptedChat(["no JSON", '{"reason": "r", "abstains": true, "claims": []}'])
    asyncio.run(LLMJudge(chat).ask((ExtractClaims(**asked(1), answer="ANSWER1"),)))
    first, second = (request.messages for request in chat.requests)
    assert second[: len(first)] == first
