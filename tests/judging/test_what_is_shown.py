"""What a judge gets to read of one sample: claims that stand alone, and no right answer."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.judging.llm import LLMJudge
from ragdiag.judging.specs import Judges
from ragdiag.pipeline import judge_sample, score_sample
from ragdiag.records import Judgement, Sample, Settings, Usage

ANSWER = "It opened in 1911 [1]. Its first branch was in Leeds [1]. Ada Brook led it."
QUOTES = ("It opened in 1911", "Its first branch was in Leeds", "Ada Brook led it.")
SAMPLE: dict[str, Any] = {
    "query_id": "ID-OF-THE-QUERY",
    "query": "When did Arden Bank open?",
    "history": [["user", "Tell me of banks."]],
    "reference": ["REFERENCE-ONE of 1911", "REFERENCE-TWO"],
    "answerable": True,
    "gold": [
        [
            {"passage_id": "GOLD-PASSAGE", "text": "GOLD-TEXT"},
            {"doc_id": "GOLD-DOCUMENT", "object_id": "GOLD-OBJECT"},
        ]
    ],
    "qrels": {"GRADED-PASSAGE": 2},
    "slices": {"topic": "VALUE-OF-A-SLICE"},
    "filter": "FILTER-OF-THE-SEARCH",
    "target": {"entity": "Arden Bank"},
    "retrieved": [
        {"passage_id": "p1", "text": "Arden Bank opened its doors in 1911, in Leeds."},
        {"passage_id": "p2", "text": "A bank lends money."},
    ],
    "stages": {"candidates": ["p1", "p2", {"passage_id": "c", "text": "TEXT-OF-A-CANDIDATE"}]},
    "answer": ANSWER,
}
HIDDEN = (
    "REFERENCE", "GOLD", "GRADED-PASSAGE", "VALUE-OF-A-SLICE", "FILTER-OF-THE-SEARCH",
    "TEXT-OF-A-CANDIDATE", "ID-OF-THE-QUERY",
)  # fmt: skip


class Recorder:
    """A chat that keeps what it is sent, and replies as a willing model would."""

    model = "recorder"
    endpoint = "http://recorder.invalid/v1"
    stopped = None

    def __init__(self) -> None:
        self.abilities: dict[str, Any] = {}
        self.sent: list[tuple[str, str]] = []

    async def preflight(self) -> None:
        return None

    async def aclose(self) -> None:
        return None

    async def complete(self, request: ChatRequest) -> ChatReply:
        text = "\n".join(content for _, content in request.messages)
        schema = json.dumps(request.schema)
        self.sent.append((request.schema_name, f"{text}\n{schema}"))
        reply = json.dumps(_replies()[request.schema_name])
        return ChatReply(reply, "stop", Usage(calls=1))


def _replies() -> dict[str, Any]:
    claims = [
        {"claim_id": f"c{n}", "text": quote, "quote": quote, "needs_citation": True}
        for n, quote in enumerate(QUOTES, 1)
    ]
    proof = {"reason": "r", "quote": "opened its doors in 1911, in Leeds", "quote_passage": 1}
    findings = [
        {"claim_id": f"c{n}", **proof, "supporting": [1], "joint": [], "verdict": "supported"}
        for n in (1, 2, 3)
    ]
    return {
        "claims": {"reason": "r", "abstains": False, "claims": claims},
        "support": {"findings": findings},
        "correctness": {"reason": "r", "quote": "opened in 1911", "verdict": "correct"},
        "evidence": {
            "components": [{"component_id": "k1", "component": "the year", "found": True, **proof}],
            "passages": [
                {"passage": n, "reason": "r", "quote": None, "field": None, "verdict": "right"}
                for n in (1, 2)
            ],
            "sufficiency": {**proof, "verdict": "sufficient"},
        },
    }


def judged(**changes: Any) -> tuple[Sample, Judgement, list[tuple[str, str]]]:
    sample = Sample.model_validate({k: v for k, v in {**SAMPLE, **changes}.items() if v})
    chat = Recorder()
    judges = Judges(None, LLMJudge(chat))
    told = asyncio.run(judge_sample(sample, judges, settings=Settings()))
    return sample, told, chat.sent


FREE: dict[str, Any] = {"query": "Why did Arden Bank open?", "reference": ["REFERENCE of a reason"]}


@pytest.mark.parametrize("changes", [FREE, {**FREE, "gold": None}, {**FREE, "qrels": None}])
def test_only_correctness_reads_the_reference_and_nobody_the_gold(changes: dict[str, Any]) -> None:
    _, _, sent = judged(**changes)
    assert sorted(name for name, _ in sent) == ["claims", "correctness", "evidence", "support"]
    for name, text in sent:
        found = {word for word in HIDDEN if word in text}
        assert found == ({"REFERENCE"} if name == "correctness" else set()), name
        shown = name in ("support", "evidence")
        assert ("A bank lends money." in text) == shown, name


def test_the_judge_of_support_is_asked_of_claims_that_stand_alone() -> None:
    sample, told, sent = judged()
    asked = dict(sent)["support"]
    block = asked[asked.index("[BEGIN claims") :]
    assert "c1: Arden Bank opened in 1911\n" in block
    assert "c2: Arden Bank’s first branch was in Leeds\n" in block
    assert "c3: Ada Brook led it.\n" in block
    assert ANSWER in asked  # as it was said

    claims = score_sample(sample, told, settings=Settings()).claims
    assert [ANSWER[c.start : c.end] for c in claims] == list(QUOTES)
    assert [c.text for c in claims] == list(QUOTES)
    assert [c.wording for c in claims] == [
        "Arden Bank opened in 1911",
        "Arden Bank’s first branch was in Leeds",
        None,
    ]
    assert [c.cited for c in claims] == [("p1",), ("p1",), ()]


def test_the_name_may_come_from_an_earlier_turn() -> None:
    stranger = {
        "query": "What happened?",
        "history": [["user", "What did Quentin Ferrero Holdings do in 2016?"]],
        "retrieved": [{"passage_id": "p1", "text": "Doors opened in 1911, in Leeds."}],
    }
    _, _, sent = judged(**stranger)
    block = dict(sent)["support"]
    assert "c1: Quentin Ferrero Holdings opened in 1911\n" in block[block.index("[BEGIN claims") :]


def test_another_wording_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = LLMJudge(Recorder()).version
    monkeypatch.setattr("ragdiag.judging.llm.WORDING", 2)
    assert LLMJudge(Recorder()).version != before
