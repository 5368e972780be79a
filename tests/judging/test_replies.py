from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.errors import Unscored
from ragdiag.judging.replies import parse_label, parse_object, read
from ragdiag.records import UNSCORED
from tests.growth import grows_linearly

LABELS = ("supported", "partial", "contradicted", "not_found")


def outcome(reply: str, labels: tuple[str, ...] = LABELS) -> str:
    try:
        return parse_label(reply, labels)
    except Unscored as error:
        return f"unscored:{error.reason}"


def test_shared_cases(shared: Path) -> None:
    lines = (shared / "cases" / "judge_replies.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    wrong = [row for row in rows if outcome(row["reply"]) != row["expected"]]
    assert not wrong


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('\ufeff {"verdict": "partial"} \n', "partial"),
        ('{"reason": "a \\" b } ,] c", "verdict": "partial"}', "partial"),
        ('~~~\n```JSON\n{"verdict": "partial"}\n```\nDone.', "partial"),
        ('{"verdict": "partial", /* sure? */ } // yes', "partial"),
        ('{// it\'s {odd}\n"verdict": "partial"}', "partial"),
        ("{'verdict': 'partial', 'reason': 'it\\'s } so', 'x': None, 'y': [True,]}", "partial"),
        ("{'reason': \"it's\", 'verdict': 'partial'}", "partial"),
        ('[{"verdict": "partial"}]', "partial"),
        ('Here: [{"verdict": "partial"},] fine', "partial"),
        ('{"reason": "two\nlines", "verdict": "partial"}', "partial"),
        ('See [1] and {a, b}: {"verdict": "partial"}', "partial"),
        ('{" VERDICT ": "\u200b**Partial**.", "score": 0.5}', "partial"),
        ('{"verdict": "\u201cPARTIAL\u201d"}', "partial"),
        # thinking is never searched
        ('<think>{"verdict": "supported"}</think>{"verdict": "partial"}', "partial"),
        ('<THINK>a<think>{"verdict": "supported"}</think></think>{"verdict":"partial"}', "partial"),
        ('maybe {"verdict": "supported"}</think>\n{"verdict": "partial"}', "partial"),
        ('[THINK]{"verdict": "supported"}[/THINK]{"verdict": "partial"}', "partial"),
        ('<think>so {"verdict": "supported"}', "unscored:truncated"),
        ('<think>{"verdict": "supported"}</think>', "unscored:empty_reply"),
        ('{"reason": "the page says <think>", "verdict": "partial"}', "partial"),
        ('Ok: {"reason": "it says </think> here", "verdict": "partial"}', "partial"),
        # what stands inside a string is not the reply
        (
            'Ok: {"quote": "</think>{\'verdict\': \'supported\'}", "verdict": "partial"}',
            "partial",
        ),
        (
            '{"quote": "{\'verdict\': \'supported\'}" oops, "verdict": "partial"}',
            "unscored:parse_failure",
        ),
        ('\u200b{"verdict": "partial"}\ufeff', "partial"),
        ("\u200b\ufeff", "unscored:empty_reply"),
        ('<!DOCTYPE html><p>{"verdict": "supported"}</p>', "unscored:parse_failure"),
        ('data: {"verdict": "supported"}\n\ndata: [DONE]', "unscored:parse_failure"),
        # reasons
        (" \n\t ", "unscored:empty_reply"),
        ("```json\n```", "unscored:empty_reply"),
        ("{}", "unscored:missing_field"),
        ('{"label": "supported"}', "unscored:missing_field"),
        ('{"result": {"verdict": "supported"}}', "unscored:missing_field"),
        ('{"verdict": ["supported"]}', "unscored:unknown_label"),
        ('{"verdict": true}', "unscored:unknown_label"),
        ('{"verdict": ""}', "unscored:unknown_label"),
        ('{"verdict": "not supported"}', "unscored:unknown_label"),
        ('{"verdict": "supported or partial"}', "unscored:unknown_label"),
        ('{"verdict": "supported", "verdict": "partial"}', "unscored:duplicate_key"),
        ('{"verdict": "supported", "Verdict": "partial"}', "unscored:duplicate_key"),
        ("x {'a': {'b': 1, 'b': 2}, 'verdict': 'partial'}", "unscored:duplicate_key"),
        ('{"verdict": "supported"} {"verdict": "supported"}', "unscored:multiple_objects"),
        ('[{"verdict": "supported"}, {"verdict": "supported"}]', "unscored:multiple_objects"),
        ('x [{"verdict": "a"}, {"verdict": "b"}]', "unscored:multiple_objects"),
        ("[]", "unscored:parse_failure"),
        ('"supported"', "unscored:parse_failure"),
        ("supported", "unscored:parse_failure"),
        ("null", "unscored:parse_failure"),
        ("The claim is supported by passage 1.", "unscored:parse_failure"),
        ("I cannot find the claim in the passages.", "unscored:parse_failure"),
        ('{verdict: "supported"}', "unscored:parse_failure"),
        ('{"verdict" "supported"}', "unscored:parse_failure"),
        ('{"verdict": supported}', "unscored:parse_failure"),
        ('{"verdict": "supported"', "unscored:truncated"),
        ('{"verdict": "supported",', "unscored:truncated"),
        ('```json\n{"verdict":', "unscored:truncated"),
        ('[{"verdict": "supported"}', "unscored:truncated"),
        ('{"verdict": tru', "unscored:truncated"),
        ('{"score": 0.', "unscored:truncated"),
        ('{"verdict": "supported", "score": NaN}', "unscored:out_of_range"),
        ('{"verdict": "supported", "score": 1e999}', "unscored:out_of_range"),
        ('{"verdict": "supported", "score": -Infinity,}', "unscored:out_of_range"),
        ('{"verdict": "supported", "score": 1.7}', "unscored:out_of_range"),
        ('{"verdict": "supported", "score": "high"}', "unscored:parse_failure"),
        ('{"verdict": ' + "9" * 5000 + "}", "unscored:out_of_range"),
        ('{"verdict":' * 60 + "1" + "}" * 60, "unscored:unknown_label"),
        ("x " + '{"verdict":' * 60 + "1" + "}" * 60, "unscored:parse_failure"),
        ('{"verdict": "\\x"}', "unscored:parse_failure"),
        # refusals
        ("I’m sorry, but I can’t assist with that.", "unscored:judge_refused"),
        ("I won't be able to help with that.", "unscored:judge_refused"),
        ("I'm not comfortable answering this.", "unscored:judge_refused"),
        ("Entschuldigung, aber dabei kann ich nicht helfen.", "unscored:judge_refused"),
        ("Ich kann das leider nicht beantworten.", "unscored:judge_refused"),
        ("Não consigo ajudar com isso.", "unscored:judge_refused"),
        ("Не могу помочь с этим.", "unscored:judge_refused"),
        ("As an AI language model, I do not judge.", "unscored:judge_refused"),
        ("Es tut mir leid, dabei kann ich nicht helfen.", "unscored:judge_refused"),
        ("Lo siento, no puedo ayudar con eso.", "unscored:judge_refused"),
        ("Je suis désolé, je ne peux pas répondre.", "unscored:judge_refused"),
        ("抱歉，我无法回答这个问题。", "unscored:judge_refused"),
        ("申し訳ありませんが、お手伝いできません。", "unscored:judge_refused"),
        ("Извините, я не могу помочь.", "unscored:judge_refused"),
        ("عذراً، لا أستطيع المساعدة.", "unscored:judge_refused"),
        ("<think>hm</think>I cannot help with this.", "unscored:judge_refused"),
    ],
)
def test_kinds(reply: str, expected: str) -> None:
    assert outcome(reply) == expected


def test_graded_labels() -> None:
    grades = ("0", "1", "2")
    assert outcome('{"verdict": 2}', grades) == "2"
    assert outcome('{"verdict": "1"}', grades) == "1"
    assert outcome('{"verdict": 3}', grades) == "unscored:out_of_range"
    assert outcome('{"verdict": true}', grades) == "unscored:unknown_label"


@pytest.mark.parametrize(
    ("reply", "repairs"),
    [
        ('{"a": 1}', ()),
        ('Sure: {"a": 1}', ("prose",)),
        ('```json\n{"a": 1}\n```', ("fence",)),
        ('{"a": 1,}', ("trailing_comma",)),
        ("{'a': 1}", ("single_quotes",)),
        ('{"a": 1 /* one */}', ("comment",)),
        ('[{"a": 1}]', ("one_item_list",)),
        ('<think>x</think> {"a": 1}', ("thinking",)),
        ('{"a": "1\n2"}', ("control_character",)),
    ],
)
def test_repairs_are_flagged(reply: str, repairs: tuple[str, ...]) -> None:
    assert read(reply).repairs == repairs


def test_values_are_kept_as_written() -> None:
    reply = "x {'n': -1.5e3, 'i': 7, 'l': [1, 'a \"b\" c'], 'u': '\\u00e9', 'f': false}"
    assert parse_object(reply) == {
        "n": -1500.0, "i": 7, "l": [1, 'a "b" c'], "u": "é", "f": False,
    }  # fmt: skip


def test_lone_surrogates_can_be_written() -> None:
    value = parse_object('{"a": ["\\ud800x", {"b": "\\udfff"}]}')
    assert value == {"a": ["\ufffdx", {"b": "\ufffd"}]}


HOSTILE = [
    "{" * 200_000, '{"a":' * 40_000, "[" * 200_000, "[{" * 100_000, "{'a " * 50_000,
    "{/*" * 66_000, "<think>" * 28_000, "</think>" * 25_000, '"' * 200_000,
    '{"a":"' * 33_000, '{"a":1}' * 28_000, '{"a":[' + "1," * 95_000, "{'a': '" + "\\'" * 99_000,
    "{" + " " * 200_000, "`" * 200_000, "{'a': '" + "' x" * 66_000, "i am " * 40_000,
    "{'a'" + " " * 199_000 + "x", "{'a': '" + "\\" * 199_000 + "',", "[ " * 100_000,
    '{"a": "' + "\\u0041" * 33_000, "x{\"a\":\"" + "\\" * 199_999,
]  # fmt: skip


@pytest.mark.parametrize("reply", HOSTILE, ids=range(len(HOSTILE)))
def test_linear_on_hostile_text(reply: str) -> None:
    assert outcome(reply).removeprefix("unscored:") in UNSCORED
    assert grows_linearly(outcome, reply)


_PIECES = st.sampled_from(
    ['{"verdict": "supported"}', "{", "}", "[", "]", '"', "'", ",", ":", "\\", "//", "/*", "*/",
     "<think>", "</think>", "```", "null", "NaN", "verdict", " ", "\n", "1", "\ud800", "x"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_any_text_gives_a_label_or_a_reason(reply: str) -> None:
    got = outcome(reply)
    assert got in LABELS or got.removeprefix("unscored:") in UNSCORED


@given(
    st.sampled_from(LABELS),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.text(st.characters(exclude_characters="{}[]<>`\"'", exclude_categories=["Cs"]), max_size=20),
)
def test_a_valid_object_is_read_whatever_stands_in_its_strings(
    label: str, reason: str, around: str
) -> None:
    reply = json.dumps({"reason": reason, "verdict": label}, ensure_ascii=False)
    assert outcome(reply) == label
    assert outcome(f"{around}\n{reply}\n{around}") == label
