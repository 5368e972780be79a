from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ragdiag.chat.protocol import ChatReply
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.errors import PermanentError
from ragdiag.judging.doctor import KNOWN, Examination, examine
from ragdiag.records import CheckCorrectness, CheckSufficiency, CheckSupport, Usage


def right_reply(known: Any) -> dict[str, Any]:
    """What a good judge says, quotes and all."""
    question, label = known.question, known.right[0]
    if isinstance(question, CheckSupport):
        quote = None if label == "not_found" else question.passages[0].text
        numbers = list(range(1, len(question.passages) + 1)) if label == "supported" else []
        return {"findings": [{"claim_id": "c1", "reason": "r", "quote": quote, "quote_passage": None,
                              "supporting": [], "joint": numbers, "verdict": label}]}  # fmt: skip
    if isinstance(question, CheckSufficiency):
        quote = question.passages[0].text if label == "sufficient" else None
        return {
            "sufficiency": {"reason": "r", "quote": quote, "quote_passage": None, "verdict": label}
        }
    if isinstance(question, CheckCorrectness):
        return {"reason": "r", "quote": question.answer, "verdict": label}
    return {"reason": "r", "abstains": True, "claims": []}


def examined(replies: list[Any]) -> Examination:
    return asyncio.run(examine(ScriptedChat(replies)))


def test_a_good_judge_gets_all_right() -> None:
    found = examined([json.dumps(right_reply(known)) for known in KNOWN])
    assert (found.n_right, len(found.given), found.usable) == (12, 12, True)
    told = found.report()
    assert told["n_known"] == 12
    assert told["answers_as"] == ["scripted-model"]
    assert told["usage"]["calls"] == 12
    assert told["estimate"]["calls"] == 4000
    assert told["estimate"]["input_tokens"] == 10 * 4000  # ten tokens a call
    assert told["latency_s"]["most"] >= told["latency_s"]["median"] >= 0
    json.dumps(told, allow_nan=False)


def test_every_check_and_every_label_is_asked() -> None:
    checks = {known.question.check for known in KNOWN}
    assert checks == {"support", "sufficiency", "correctness", "claims"}
    labels = {label for known in KNOWN for label in known.right}
    assert labels >= {"supported", "partial", "contradicted", "not_found", "sufficient",
                      "insufficient", "correct", "incorrect", "abstains"}  # fmt: skip


def test_a_judge_that_always_says_yes_is_found_out() -> None:
    replies = []
    for known in KNOWN:
        told = right_reply(known)
        text = json.dumps(told)
        for label in ("contradicted", "not_found", "partial"):
            text = text.replace(f'"verdict": "{label}"', '"verdict": "supported"')
        text = text.replace('"insufficient"', '"sufficient"').replace('"incorrect"', '"correct"')
        replies.append(text.replace('"abstains": true', '"abstains": false'))
    found = examined(replies)
    assert found.n_right < 0.75 * 12


def test_unknown_tokens_stay_unknown() -> None:
    usage = Usage(calls=1, input_tokens=None, output_tokens=None, usd=None)
    told = examined([ChatReply(json.dumps(right_reply(k)), "stop", usage) for k in KNOWN]).report()
    assert told["tokens_per_second"] is None
    assert (told["estimate"]["input_tokens"], told["estimate"]["usd"]) == (None, None)


def test_nothing_comes_through() -> None:
    found = examined([PermanentError("auth", "HTTP 401")] * 12)
    assert not found.usable
    assert (found.n_right, found.report()["latency_s"]) == (0, None)
    assert {one.said for one in found.given} == {"error:auth"}


@pytest.mark.parametrize("text", ["no json", "{}"])
def test_replies_that_cannot_be_read_are_no_answers(text: str) -> None:
    found = examined([text] * 24)  # each is asked once more
    assert found.usable
    assert found.n_right == 0
    assert all(one.said.startswith("unscored:") for one in found.given)
