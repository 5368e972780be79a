from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from ragdiag.chat.openai_chat import OpenAIChat
from ragdiag.chat.protocol import ChatReply
from ragdiag.chat.scripted import ScriptedChat
from ragdiag.errors import QuotaExceeded, TransientError, Unscored
from ragdiag.judging.llm import LLMJudge, worth_keeping
from ragdiag.judging.protocol import Answer
from ragdiag.judging.reading import align
from ragdiag.records import (
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claim,
    Claims,
    Components,
    ExtractClaims,
    JudgeFailure,
    ListComponents,
    Passage,
    Question,
    Target,
    Verdict,
)
from tests.stub_server import completion, serving

ANSWER = "Sales rose to 40 million in 2021. Costs fell."
Q: dict[str, Any] = {
    "query_id": "q1",
    "query": "How did sales {{answer}} develop?",
    "history": (("user", "Tell me of the north division."), ("assistant", "Gladly.")),
}
PASSAGES = (
    Passage(passage_id="a", doc_id="north-2021", text="Sales were 40 million in 2021 {{query}}."),
    Passage(passage_id="b", doc_id="north-2020", page=3, text="In 2020 sales were 38 million."),
    Passage(passage_id="c", doc_id="x", metadata={"period": "FY2019"}, text="Staff numbers."),
)
CLAIMS = (
    Claim(claim_id="c1", text="Sales rose to 40 million in 2021.", start=0, end=33),
    Claim(claim_id="c2", text="Costs fell.", start=34, end=45),
)
EXTRACT = ExtractClaims(**Q, answer=ANSWER)
SUPPORT = CheckSupport(**Q, answer=ANSWER, claims=CLAIMS, passages=PASSAGES)
SUFFICIENCY = CheckSufficiency(**Q, passages=PASSAGES)
IDENTITY = CheckIdentity(**Q, target=Target(entity="north", period="2021"), passages=PASSAGES)
COMPONENTS = ListComponents(**Q)
CORRECTNESS = CheckCorrectness(**Q, reference=("up to $40m", "rose"), answer=ANSWER)


def finding(claim_id: str, verdict: str, quote: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "claim_id": claim_id, "reason": "so", "quote": quote, "quote_passage": None,
        "supporting": [], "joint": [], "verdict": verdict, **more,
    }  # fmt: skip


def ask(replies: Sequence[Any], *questions: Question) -> tuple[Answer, ScriptedChat]:
    texts = [
        reply if isinstance(reply, (str, ChatReply, Exception)) else json.dumps(reply)
        for reply in replies
    ]
    chat = ScriptedChat(texts)
    answer = asyncio.run(LLMJudge(chat, max_tokens=77).ask(questions))
    chat.assert_all_used()
    assert len(answer.replies) == len(questions)
    for question, reply in zip(questions, answer.replies, strict=True):
        assert (reply.query_id, reply.check) == (question.query_id, question.check)
        assert reply.judge == "llm:scripted-model"
    return answer, chat


def verdict(replies: Sequence[Any], question: Question) -> Verdict:
    (reply,) = ask(replies, question)[0].replies
    assert isinstance(reply, Verdict), reply
    return reply


def support(*findings: dict[str, Any], retry: bool = False) -> list[tuple[str, str | None]]:
    reply = {"findings": findings}
    said = verdict([reply, reply] if retry else [reply], SUPPORT)
    return [(f.label or f"unscored:{f.unscored}", f.passage_id) for f in said.findings]


# claims


def test_claims_are_aligned_and_invented_ones_discarded() -> None:
    reply = {
        "reason": "two facts",
        "abstains": False,
        "claims": [
            {"claim_id": "x", "text": "Sales rose to 40 million in 2021.",
             "quote": "Sales rose to 40 million in 2021", "needs_citation": True},
            {"claim_id": "x", "text": "The firm moved to Oslo.", "quote": "moved to Oslo",
             "needs_citation": True},
            {"claim_id": "y", "text": "Costs fell.", "quote": "", "needs_citation": False},
        ],
    }  # fmt: skip
    (said,) = ask([reply], EXTRACT)[0].replies
    assert isinstance(said, Claims)
    assert [(c.claim_id, ANSWER[c.start : c.end], c.needs_citation) for c in said.claims] == [
        ("c1", "Sales rose to 40 million in 2021", True),
        ("c2", "Costs fell.", False),
    ]
    assert said.discarded == 1
    assert said.abstains is False


def test_what_code_said_of_abstention_stays() -> None:
    reply = {"reason": "r", "abstains": True, "claims": []}
    (said,) = ask([reply], EXTRACT.model_copy(update={"abstains": False}))[0].replies
    assert isinstance(said, Claims)
    assert said.abstains is False
    (asked,) = ask([reply], EXTRACT)[0].replies
    assert isinstance(asked, Claims)
    assert asked.abstains is True


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("Costs fell", "", "Costs fell"),
        ("  Costs fell. ", "", "Costs fell."),
        ("sales rose to 40 million in 2021", "", "Sales rose to 40 million in 2021"),
        ("", "Costs fell.", "Costs fell."),
        ("Sales rose to 41 million in 2021", "", None),  # another digit
        ("The chief executive resigned", "The chief executive resigned.", None),
        ("", "", None),
    ],
)
def test_align(quote: str, text: str, expected: str | None) -> None:
    span = align(quote, text, ANSWER)
    assert (None if span is None else ANSWER[span[0] : span[1]]) == expected


# support


def test_support_with_passages_by_number() -> None:
    said = verdict(
        [
            {
                "findings": [
                    finding("c2", "not_found"),
                    finding("C1", "Supported", "Sales were 40 million in 2021",
                            quote_passage=1, supporting=[1], joint=[1, 2]),
                ]
            }
        ],
        SUPPORT,
    )  # fmt: skip
    first, second = said.findings  # in the order of the claims, by id
    assert (first.item_id, first.label, first.passage_id) == ("c1", "supported", "a")
    assert (first.supporting, first.joint) == (("a",), ("a", "b"))
    assert (second.item_id, second.label, second.quote) == ("c2", "not_found", None)
    assert said.basis == "judged"


def test_a_missing_claim_is_unscored_and_nothing_slides() -> None:
    assert support(finding("c2", "contradicted", "Staff numbers"), retry=True) == [
        ("unscored:missing_field", None),
        ("contradicted", "c"),
    ]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (finding("c1", "supported", "Sales were 41 million in 2021"), "unscored:quote_not_found"),
        (finding("c1", "supported"), "unscored:quote_not_found"),
        (finding("c1", "contradicted", "not there at all"), "unscored:quote_not_found"),
        (finding("c1", "contradicted"), "contradicted"),
        (finding("c1", "not_found", "not there at all"), "not_found"),
        (finding("c1", "supported", "In 2020 sales were 38 million", quote_passage=1), "supported"),
    ],
)
def test_quotes_must_be_there(told: dict[str, Any], expected: str) -> None:
    assert support(told, finding("c2", "not_found"))[0][0] == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (finding("c1", "unsupported"), "unscored:unknown_label"),
        (finding("c1", "supported", "x", supporting=[4]), "unscored:out_of_range"),
        (finding("c1", "supported", "x", supporting=[0]), "unscored:out_of_range"),
        (finding("c1", "supported", "x", joint="1"), "unscored:parse_failure"),
        ({"claim_id": "c1", "reason": "no verdict"}, "unscored:missing_field"),
    ],
)
def test_a_bad_item_costs_only_itself(told: dict[str, Any], expected: str) -> None:
    found = support(told, finding("c2", "not_found"), retry=True)
    assert [label for label, _ in found] == [expected, "not_found"]


def test_an_id_that_occurs_twice() -> None:
    twice = (finding("c1", "not_found"), finding("c1", "supported"), finding("c2", "not_found"))
    assert support(*twice, retry=True)[0][0] == "unscored:duplicate_key"


def test_a_quote_names_the_passage_where_numbers_are_left_out() -> None:
    told = finding("c1", "supported", "Sales were 40 million in 2021", supporting=None)
    said = verdict([{"findings": [told, finding("c2", "not_found")]}], SUPPORT)
    assert said.findings[0].supporting == ("a",)


# evidence


def evidence(**sections: Any) -> dict[str, Any]:
    return sections


SUFFICIENT = {"reason": "r", "quote": "Sales were 40 million", "quote_passage": 1,
              "verdict": "sufficient"}  # fmt: skip
LISTED = [
    {"component_id": "k1", "component": "sales in 2021", "reason": "r", "found": True,
     "quote": "Sales were 40 million in 2021", "quote_passage": 1},
    {"component_id": "k2", "component": "sales in 2022", "reason": "r", "found": False,
     "quote": None, "quote_passage": None},
]  # fmt: skip
IDENTIFIED = [
    {"passage": 1, "reason": "r", "quote": None, "field": None, "verdict": "right"},
    {"passage": "2", "reason": "r", "quote": "In 2020", "field": "period", "verdict": "wrong"},
    {"passage": 3, "reason": "r", "quote": None, "field": None, "verdict": "unknown"},
]


def test_components_identity_and_sufficiency_share_one_call() -> None:
    reply = evidence(components=LISTED, passages=IDENTIFIED, sufficiency=SUFFICIENT)
    answer, chat = ask([reply], SUFFICIENCY, COMPONENTS, IDENTITY)
    sufficiency, components, identity = answer.replies
    assert isinstance(sufficiency, Verdict)
    assert (sufficiency.label, sufficiency.passage_id) == ("sufficient", "a")
    assert [(f.item_id, f.label) for f in sufficiency.findings] == [
        ("sales in 2021", "found"), ("sales in 2022", "missing"),
    ]  # fmt: skip
    assert isinstance(components, Components)
    assert components.components == ("sales in 2021", "sales in 2022")
    assert isinstance(identity, Verdict)
    assert [(f.item_id, f.label, f.unscored) for f in identity.findings] == [
        ("a", "right", None), ("b", "wrong:period", None), ("c", None, "undecided"),
    ]  # fmt: skip
    assert len(chat.requests) == 1
    assert answer.usage.calls == 1


def test_components_of_gold_are_checked_by_id() -> None:
    question = SUFFICIENCY.model_copy(update={"components": ("gold x", "gold y")})
    reply = evidence(components=[{**LISTED[0], "component_id": "K2"}], sufficiency=SUFFICIENT)
    said = verdict([reply, reply], question)
    assert [(f.item_id, f.label, f.unscored) for f in said.findings] == [
        ("gold x", None, "missing_field"), ("gold y", "found", None),
    ]  # fmt: skip


def test_sufficient_needs_a_quote_that_is_there() -> None:
    for quote in (None, "Sales were 44 million"):
        said = verdict([evidence(sufficiency={**SUFFICIENT, "quote": quote})], SUFFICIENCY)
        assert (said.label, said.unscored) == (None, "quote_not_found")
    insufficient = {**SUFFICIENT, "quote": "nowhere", "verdict": "insufficient"}
    assert verdict([evidence(sufficiency=insufficient)], SUFFICIENCY).label == "insufficient"


def test_wrong_identity_needs_a_quote_of_text_or_heading() -> None:
    wrong = {"reason": "r", "field": "period", "verdict": "wrong"}
    reply = evidence(
        passages=[
            {**wrong, "passage": 1, "quote": None},
            {**wrong, "passage": 2, "quote": "north-2020"},
            {**wrong, "passage": 3, "quote": "period: FY2019"},
        ]
    )
    found = verdict([reply], IDENTITY).findings
    assert [f.label or f.unscored for f in found] == [
        "quote_not_found", "wrong:period", "wrong:period",
    ]  # fmt: skip


def test_a_missing_section_fails_only_its_own_question() -> None:
    reply = evidence(sufficiency=SUFFICIENT, components=[])
    answer, _ = ask([reply, reply], SUFFICIENCY, IDENTITY, COMPONENTS)
    sufficiency, identity, components = answer.replies
    assert isinstance(sufficiency, Verdict)
    assert isinstance(identity, JudgeFailure)
    assert identity.reason == "missing_field"
    assert isinstance(components, JudgeFailure)
    assert components.reason == "missing_field"
    bad = evidence(sufficiency="sufficient")
    (failed,) = ask([bad, bad], SUFFICIENCY)[0].replies
    assert isinstance(failed, JudgeFailure)
    assert failed.reason == "parse_failure"


def test_bad_items_of_the_evidence() -> None:
    components = [{**LISTED[0], "found": "yes"}, {**LISTED[0], "component": "b", "quote": "no"}]
    passages = [{**IDENTIFIED[1], "field": None}, {**IDENTIFIED[0], "quote": "no"}]
    reply = evidence(components=components, passages=passages, sufficiency=SUFFICIENT)
    answer, _ = ask([reply, reply], SUFFICIENCY, COMPONENTS, IDENTITY)
    sufficiency, _, identity = answer.replies
    assert isinstance(sufficiency, Verdict)
    assert [f.unscored for f in sufficiency.findings] == ["unknown_label", "quote_not_found"]
    assert isinstance(identity, Verdict)
    assert [f.unscored for f in identity.findings] == [
        "quote_not_found", "unknown_label", "missing_field",
    ]  # fmt: skip


# correctness


@pytest.mark.parametrize(
    ("label", "quote", "expected"),
    [
        ("correct", "Sales rose to 40 million", ("correct", None)),
        ("Partial.", "Sales rose", ("partial", None)),
        ("correct", "Sales rose to 4 million", (None, "quote_not_found")),
        ("incorrect", None, (None, "quote_not_found")),
        ("abstained", None, ("abstained", None)),
    ],
)
def test_correctness(
    label: str, quote: str | None, expected: tuple[str | None, str | None]
) -> None:
    said = verdict([{"reason": "r", "quote": quote, "verdict": label}], CORRECTNESS)
    assert (said.label, said.unscored) == expected


# what is asked, and what is not


def test_at_most_four_calls_a_sample_and_only_one_sees_the_reference() -> None:
    chat = ScriptedChat(["{}"] * 8)
    questions = (EXTRACT, SUPPORT, SUFFICIENCY, IDENTITY, COMPONENTS, CORRECTNESS)
    answer = asyncio.run(LLMJudge(chat).ask(questions))
    assert len(chat.requests) == 4 * 2  # each was asked once more
    assert {getattr(reply, "reason", None) for reply in answer.replies} == {"missing_field"}
    texts = ["\n".join(text for _, text in request.messages) for request in chat.requests]
    assert sum("up to $40m" in text for text in texts) == 2
    assert all("north division" in text for text in texts)  # the history
    assert all("How did sales {{answer}} develop?" in text for text in texts)


def test_the_request() -> None:
    _, chat = ask([{"findings": [finding("c1", "not_found"), finding("c2", "not_found")]}], SUPPORT)
    (request,) = chat.requests
    assert (request.model, request.schema_name, request.max_tokens) == (
        "scripted-model", "support", 77,
    )  # fmt: skip
    assert request.temperature == 0
    (_, system), (_, user) = request.messages
    assert "{{" not in system
    assert "Sales were 40 million in 2021 {{query}}." in user
    assert "heading: doc: north-2020; page: 3" in user
    assert user.rstrip().endswith("supported, partial, contradicted, not_found.")


DECIDED = tuple(
    question.model_copy(update={"decided": True})
    for question in (CORRECTNESS, SUPPORT, SUFFICIENCY)
)


def test_what_needs_no_model_costs_no_call() -> None:
    answer, _ = ask([], *DECIDED)
    assert all(isinstance(r, Verdict) and r.unscored == "undecided" for r in answer.replies)
    empty = {"passages": ()}
    said, enough, identity, nothing = ask(
        [],
        SUPPORT.model_copy(update=empty),
        SUFFICIENCY.model_copy(update=empty),
        IDENTITY.model_copy(update=empty),
        SUPPORT.model_copy(update={"claims": ()}),
    )[0].replies
    assert isinstance(said, Verdict)
    assert [f.label for f in said.findings] == ["not_found", "not_found"]
    assert said.basis == "deterministic"
    assert isinstance(enough, Verdict)
    assert enough.label == "insufficient"
    assert isinstance(identity, Verdict)
    assert isinstance(nothing, Verdict)
    assert (identity.findings, nothing.findings) == ((), ())
    (claims,) = ask([], EXTRACT.model_copy(update={"abstains": True}))[0].replies
    assert isinstance(claims, Claims)
    assert (claims.claims, claims.abstains) == ((), True)
    textless = SUFFICIENCY.model_copy(update={"passages": (Passage(passage_id="a"),)})
    assert verdict([], textless).unscored == "undecided"


def test_components_alone_are_read_from_the_question_alone() -> None:
    listed = [{**LISTED[0], "found": False}]
    answer, chat = ask([{"components": listed}], COMPONENTS)
    assert isinstance(answer.replies[0], Components)
    assert "none are shown" in chat.requests[0].messages[1][1]


# failures


def test_one_more_try_with_what_was_wrong() -> None:
    good = {"reason": "r", "quote": "Sales rose", "verdict": "correct"}
    answer, chat = ask(["Correct, I say.", good], CORRECTNESS)
    (said,) = answer.replies
    assert isinstance(said, Verdict)
    assert said.label == "correct"
    assert answer.usage.calls == 2
    again = chat.requests[1].messages
    assert again[:2] == chat.requests[0].messages
    assert again[2] == ("assistant", "Correct, I say.")
    assert "parse_failure" in again[3][1]


def test_a_worse_second_reply_does_not_win() -> None:
    partly = {"findings": [finding("c1", "not_found")]}
    said = verdict([partly, "nonsense"], SUPPORT)
    assert [f.label for f in said.findings] == ["not_found", None]


@pytest.mark.parametrize(
    ("replies", "reason", "raw"),
    [
        (["no json", "still none"], "parse_failure", "still none"),
        (["{}", "{}"], "missing_field", "{}"),
        (["I'm sorry, I can't help with that."], "judge_refused", "I'm sorry"),
        ([ChatReply('{"ver', finish_reason="length")], "truncated", '{"ver'),
        ([ChatReply("x", finish_reason="content_filter")], "content_filter", "x"),
        ([ChatReply("", refusal="No.")], "judge_refused", ""),
        ([Unscored("context_too_long", "9000 of 8192 tokens")], "context_too_long", None),
        ([TransientError("server", "HTTP 500")], "server", None),
        ([QuotaExceeded("no credit")], "quota", None),
    ],
)
def test_failures_are_never_labels(replies: list[Any], reason: str, raw: str | None) -> None:
    (said,) = ask(replies, CORRECTNESS)[0].replies
    assert isinstance(said, JudgeFailure)
    assert said.reason == reason
    assert (said.raw or "").startswith(raw or "")
    assert (said.raw is None) == (raw is None)


def test_a_whole_verdict_counts_however_the_reply_ended() -> None:
    text = json.dumps({"reason": "r", "quote": "Sales rose", "verdict": "correct"})
    assert verdict([ChatReply(text, finish_reason="eos", trace="t1")], CORRECTNESS).trace == "t1"


def test_what_is_worth_keeping() -> None:
    assert worth_keeping(ChatReply('{"verdict": "odd"}'))
    assert worth_keeping(ChatReply("no json"))
    for bad in ("", "I'm sorry, I can't help.", '{"verdict": "sup'):
        assert not worth_keeping(ChatReply(bad))
    assert not worth_keeping(ChatReply("{}", finish_reason="length"))


def test_name_and_version() -> None:
    one, two = LLMJudge(ScriptedChat([])), LLMJudge(ScriptedChat([], model="other"))
    assert (one.name, two.name) == ("llm:scripted-model", "llm:other")
    assert one.version != two.version
    assert one.abilities == {"endpoint": "http://scripted.invalid/v1/chat/completions"}


def test_through_the_real_client() -> None:
    text = json.dumps({"reason": "r", "quote": "Sales rose", "verdict": "correct"})

    async def run(url: str) -> Answer:
        judge = LLMJudge(OpenAIChat("stub", url))
        try:
            return await judge.ask((CORRECTNESS,))
        finally:
            await judge.aclose()

    with serving(completion(text)) as server:
        answer = asyncio.run(run(server.url))
    (said,) = answer.replies
    assert isinstance(said, Verdict)
    assert said.label == "correct"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (11, 7)
    schema = server.seen[0].body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["reason", "quote", "verdict"]
