from __future__ import annotations

import asyncio

import pytest

from ragdiag.errors import UsageError
from ragdiag.judging.cascade import Cascade, merge, open_part
from ragdiag.judging.protocol import Answer
from ragdiag.judging.scripted import ScriptedJudge
from ragdiag.judging.usage import total
from ragdiag.records import (
    CheckCorrectness,
    CheckIdentity,
    CheckSupport,
    Claim,
    Claims,
    Components,
    ExtractClaims,
    Finding,
    JudgeFailure,
    ListComponents,
    Overall,
    Passage,
    Question,
    Reply,
    Target,
    Usage,
    Verdict,
)

Q = {"query_id": "q", "query": "?"}
CORRECTNESS = CheckCorrectness(**Q, reference=("r",), answer="a")
PASSAGES = tuple(Passage(passage_id=f"p{n}", text="x") for n in (1, 2))
CLAIMS = tuple(Claim(claim_id=f"c{n}", text="t", start=0, end=1) for n in (1, 2))
SUPPORT = CheckSupport(**Q, answer="a", claims=CLAIMS, passages=PASSAGES)
IDENTITY = CheckIdentity(**Q, target=Target(), passages=PASSAGES)


def says(check: str, label: str | None = None, **more: object) -> Verdict:
    told = {"query_id": "q", "check": check, "label": label, **more}
    if label is None and not more:
        told["unscored"] = "undecided"
    return Verdict.model_validate(told)


def finding(item_id: str, label: str | None) -> Finding:
    return Finding(item_id=item_id, label=label, unscored=None if label else "undecided")


def failed(check: str) -> JudgeFailure:
    return JudgeFailure(query_id="q", check=check, reason="timeout", judge="llm:m")


def judge(*replies: Reply, name: str = "s") -> ScriptedJudge:
    return ScriptedJudge(
        {(r.query_id, r.check): r for r in replies}, name=name, usage=Usage(calls=1)
    )


def run(question: Question, *judges: ScriptedJudge) -> tuple[Reply, Answer, Cascade]:
    cascade = Cascade(judges)
    answer = asyncio.run(cascade.ask((question,)))
    for each in judges:
        each.assert_all_used()
    return answer.replies[0], answer, cascade


def test_a_decision_ends_it() -> None:
    first, second = judge(says("correctness", "correct")), judge()
    reply, answer, cascade = run(CORRECTNESS, first, second)
    assert reply == says("correctness", "correct")
    assert second.asked == []
    assert answer.usage.calls == 1
    assert (cascade.n_questions, cascade.n_saved) == (1, 1)


@pytest.mark.parametrize("open_reply", [says("correctness"), failed("correctness")])
def test_undecided_and_failure_go_on(open_reply: Reply) -> None:
    reply, answer, cascade = run(
        CORRECTNESS, judge(open_reply), judge(says("correctness", "partial"))
    )
    assert reply == says("correctness", "partial")
    assert answer.usage.calls == 2
    assert cascade.n_saved == 0


def test_a_failure_is_not_hidden_where_nobody_decides() -> None:
    reply, _, _ = run(CORRECTNESS, judge(says("correctness")), judge(failed("correctness")))
    assert reply == failed("correctness")
    reply, _, _ = run(CORRECTNESS, judge(failed("correctness")), judge(says("correctness")))
    assert reply == failed("correctness")


def test_only_open_claims_are_asked_and_decided_ones_stay() -> None:
    first = judge(says("support", findings=(finding("c1", "supported"), finding("c2", None))))
    second = judge(says("support", findings=(finding("c2", "not_found"),)))
    reply, _, _ = run(SUPPORT, first, second)
    assert isinstance(reply, Verdict)
    assert [(f.item_id, f.label) for f in reply.findings] == [
        ("c1", "supported"), ("c2", "not_found"),
    ]  # fmt: skip
    (asked,) = second.asked
    assert isinstance(asked, CheckSupport)
    assert [claim.claim_id for claim in asked.claims] == ["c2"]


def test_a_failure_beside_decided_findings_is_named() -> None:
    first = judge(says("support", findings=(finding("c1", "supported"), finding("c2", None))))
    reply, _, _ = run(SUPPORT, first, judge(failed("support")))
    assert isinstance(reply, Verdict)
    assert reply.reason == "llm:m: timeout"
    assert reply.findings[0].label == "supported"


def test_the_overall_of_one_who_saw_only_the_rest_does_not_count() -> None:
    whole, rest = Overall(label="faithful"), Overall(label="unfaithful")
    partly = says("support", findings=(finding("c1", "supported"),))
    by_rest = says("support", findings=(finding("c2", "not_found"),), overall=rest)
    merged = merge(partly, by_rest)
    assert isinstance(merged, Verdict)
    assert merged.overall is None
    by_people = says("support", overall=whole, basis="labels", judge="people")
    merged = merge(by_people, says("support", findings=(finding("c1", "partial"),), judge="s"))
    assert isinstance(merged, Verdict)
    assert (merged.overall, merged.findings[0].label) == (whole, "partial")
    assert (merged.basis, merged.judge) == ("judged", "people+s")


def test_passages_left_open() -> None:
    part = open_part(IDENTITY, says("identity", findings=(finding("p1", "right"),)))
    assert isinstance(part, CheckIdentity)
    assert [passage.passage_id for passage in part.passages] == ["p2"]
    assert open_part(IDENTITY, says("identity", "right")) is None
    both = (finding("p1", "right"), finding("p2", "right"))
    assert open_part(IDENTITY, says("identity", findings=both)) is None


def test_lists_are_decided_whatever_they_hold() -> None:
    claims = Claims(query_id="q", claims=())
    components = Components(query_id="q", components=("x",))
    assert open_part(ExtractClaims(**Q, answer="a"), claims) is None
    assert open_part(ListComponents(**Q), components) is None
    assert merge(says("claims"), claims) == claims
    assert merge(claims, says("claims")) == claims
    assert merge(failed("components"), components) == components


def test_support_without_claims() -> None:
    bare = SUPPORT.model_copy(update={"claims": ()})
    assert open_part(bare, says("support")) == bare
    assert open_part(bare, says("support", overall=Overall(label="faithful"))) is None


def test_scores_of_the_undecided_are_kept() -> None:
    unsure = says("correctness", score=0.4, unscored="undecided")
    assert merge(unsure, says("correctness")) == unsure
    assert merge(says("correctness"), unsure) == unsure


def test_what_code_decided_is_asked_of_nobody() -> None:
    decided = CORRECTNESS.model_copy(update={"decided": True})
    reply, _, _ = run(decided, judge(name="a"), judge(name="b"))
    assert isinstance(reply, Verdict)
    assert reply.unscored == "undecided"


def by(who: str, reply: Reply) -> Reply:
    return reply.model_copy(update={"judge": who})


def test_calls_saved_are_counted_of_what_was_said() -> None:
    cascade = Cascade([judge(name="s"), judge(name="llm:m")])
    half = says("support", findings=(finding("c1", "supported"), finding("c2", None)))
    settled = says("support", findings=(finding("c1", "supported"), finding("c2", "not_found")))
    right = says("identity", findings=(finding("p1", "right"),))
    claims = Claims(query_id="q", claims=(), judge="s")
    table: list[tuple[tuple[Reply, ...], int]] = [
        ((), 0),
        ((claims,), 1),
        ((by("llm:m", claims),), 0),
        ((by("s", half),), 0),
        ((by("s", settled),), 1),
        ((by("s+llm:m", settled),), 0),
        ((by("s", says("support", overall=Overall(label="faithful"))),), 1),
        ((by("s", says("correctness", "correct")),), 1),
        ((by("s", says("correctness", score=0.4, unscored="undecided")),), 0),
        ((by("llm:m", failed("correctness")),), 0),
        # one call answers both: it was made for the one
        ((by("s", says("sufficiency", "sufficient")), by("s", right)), 1),
        ((by("s", says("sufficiency", "sufficient")), by("llm:m", right)), 0),
        # what people said is not the cascade's merit, nor its fault
        ((by("people", half), claims), 1),
    ]
    for replies, saved in table:
        assert cascade.calls_saved(replies) == saved, replies


def test_what_a_call_that_broke_left_open_says_so() -> None:
    half = says("support", findings=(finding("c1", "supported"), finding("c2", None)))
    reply, _, _ = run(SUPPORT, judge(half), judge(failed("support")))
    assert isinstance(reply, Verdict)
    assert [(f.label, f.unscored) for f in reply.findings] == [
        ("supported", None), (None, "timeout"),
    ]  # fmt: skip
    unsure = says("sufficiency", unscored="undecided", findings=(finding("k", "found"),))
    merged = merge(unsure, failed("sufficiency"))
    assert isinstance(merged, Verdict)
    assert merged.unscored == "timeout"


def test_where_there_was_nothing_to_judge_no_call_was_saved() -> None:
    cascade = Cascade([judge(name="s"), judge(name="llm:m")])
    abstained = Claims(query_id="q", claims=(), abstains=True, judge="s")
    of_none = Verdict(query_id="q", check="support", basis="deterministic", judge="s")
    assert cascade.calls_saved((abstained, of_none)) == 0


def test_keys_of_all_replies_are_kept() -> None:
    first = says("support", findings=(finding("c1", "supported"),), trace="b")
    second = says("support", findings=(finding("c2", "supported"),), trace="a,b")
    merged = merge(first, second)
    assert isinstance(merged, Verdict)
    assert merged.trace == "a,b"


def test_names_and_versions() -> None:
    cascade = Cascade([judge(name="a"), judge(name="b")])
    assert cascade.name == "cascade:a,b"
    assert Cascade([judge(name="a"), judge(name="jury:b,c")]).name == "cascade:a,(jury:b,c)"
    assert len(cascade.version) == 16
    with pytest.raises(UsageError):
        Cascade([])


def test_the_scripted_judge_is_strict() -> None:
    with pytest.raises(UsageError, match="no scripted reply"):
        run(CORRECTNESS, judge())
    with pytest.raises(AssertionError, match="never asked"):
        judge(says("correctness", "correct")).assert_all_used()
    with pytest.raises(UsageError, match="says that it answers"):
        ScriptedJudge({("other", "correctness"): says("correctness", "correct")})


def test_usage_that_is_unknown_stays_unknown() -> None:
    known = Usage(calls=1, input_tokens=2, output_tokens=3, usd=0.5)
    unknown = Usage(calls=1, cached=1, input_tokens=None, output_tokens=1, usd=None)
    assert total([known, unknown]) == Usage(
        calls=2, cached=1, input_tokens=None, output_tokens=4, usd=None
    )
    assert total([]) == Usage()
