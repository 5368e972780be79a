"""Votes that a reader can count: three jurors, an absolute majority."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.errors import UsageError
from ragdiag.judging.jury import Jury
from ragdiag.judging.repeated import Flips, Repeat
from ragdiag.judging.scripted import ScriptedJudge
from ragdiag.records import (
    ERROR,
    LABELS,
    UNSCORED,
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
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

Q: dict[str, Any] = {"query_id": "q", "query": "?"}
CORRECTNESS = CheckCorrectness(**Q, reference=("r",), answer="a")
PASSAGES = tuple(Passage(passage_id=f"p{n}", text="x") for n in (1, 2))
CLAIMS = tuple(Claim(claim_id=f"c{n}", text="t", start=0, end=1) for n in (1, 2))
SUPPORT = CheckSupport(**Q, answer="a", claims=CLAIMS, passages=PASSAGES)
IDENTITY = CheckIdentity(**Q, target=Target(), passages=PASSAGES)
SUFFICIENCY = CheckSufficiency(**Q, passages=PASSAGES, components=("k",))


def verdict(check: str, label: str | None = None, **more: Any) -> Verdict:
    if label is None and "findings" not in more and "overall" not in more:
        more.setdefault("unscored", "undecided")
    return Verdict(query_id="q", check=check, label=label, **more)


def finding(item_id: str, label: str | None, **more: Any) -> Finding:
    return Finding(item_id=item_id, label=label, unscored=None if label else "undecided", **more)


def failed(check: str, reason: Any = "timeout") -> JudgeFailure:
    return JudgeFailure(query_id="q", check=check, reason=reason, detail="d")


def jurors(check: str, said: Sequence[Any]) -> list[ScriptedJudge]:
    """Jurors a, b, c … that say a label, a failure's reason after "!", None, or a whole reply."""
    judges: list[ScriptedJudge] = []
    for name, what in zip("abcdefg", said, strict=False):
        reply: Reply
        if isinstance(what, str) and what.startswith("!"):
            reply = failed(check, what[1:])
        elif what is None or isinstance(what, str):
            reply = verdict(check, what)
        else:
            reply = what
        one = ScriptedJudge({("q", check): reply}, name=name, usage=Usage(calls=1, input_tokens=2))
        judges.append(one)
    return judges


def ask(judges: Sequence[Any], *questions: Question) -> tuple[Reply, ...]:
    answer = asyncio.run(Jury(judges).ask(questions))
    for judge in judges:
        judge.assert_all_used()
    return answer.replies


def told(question: Question, said: Sequence[Any]) -> Verdict:
    (reply,) = ask(jurors(question.check, said), question)
    assert isinstance(reply, Verdict)
    return reply


@pytest.mark.parametrize(
    ("said", "label", "reason"),
    [
        (["correct", "correct", "correct"], "correct", None),
        (["correct", "correct", "incorrect"], "correct", None),
        (["correct", "correct", None], "correct", None),
        (["correct", "correct", "!timeout"], "correct", None),
        (["correct", "incorrect", "partial"], None, "jury_split"),
        (["correct", "incorrect"], None, "jury_split"),
        # a failure is no vote, and one of three is no majority of the jury
        (["correct", None, None], None, "jury_split"),
        (["correct", "!truncated", "!judge_refused"], None, "jury_split"),
        # a call that broke might have decided it: an error, asked again
        (["correct", "incorrect", "!timeout"], None, "timeout"),
        (["correct", "!timeout", "!quota"], None, "quota"),
        # one that could not have decided it either
        (["correct", "incorrect", None, "!timeout"], None, "jury_split"),
        (["correct", "partial", "incorrect", "incorrect", "!timeout"], None, "timeout"),
        ([None, None, None], None, "undecided"),
        (["!truncated", "!truncated", None], None, "truncated"),
    ],
)
def test_a_label_needs_more_than_half_of_the_jury(
    said: list[Any], label: str | None, reason: str | None
) -> None:
    reply = told(CORRECTNESS, said)
    assert (reply.label, reply.unscored) == (label, reason)
    shown = [what.lstrip("!") if what else "undecided" for what in said]
    assert reply.votes == tuple(zip("abcde", shown, strict=False))
    if label is None:
        assert reply.reason is not None
        assert f"{shown[0]}: a" in reply.reason


def test_the_order_of_the_members_changes_nothing() -> None:
    said = [
        verdict("correctness", "partial", quote="later", reason="rb"),
        verdict("correctness", "partial", reason="ra"),
        verdict("correctness", "correct"),
        failed("correctness"),
    ]
    judges = jurors("correctness", said)
    found = {
        ask(order, CORRECTNESS)[0].model_dump_json() for order in itertools.permutations(judges)
    }
    assert len(found) == 1
    assert len({Jury(order).version for order in itertools.permutations(judges)}) == 1


def test_all_failed_is_a_failure_and_one_worth_another_try_comes_first() -> None:
    (reply,) = ask(jurors("correctness", ["!truncated", "!truncated", "!server"]), CORRECTNESS)
    assert isinstance(reply, JudgeFailure)
    assert reply.reason == "server"
    assert reply.detail == "a: truncated; b: truncated; c: server; d"
    assert reply.judge == "jury:a,b,c"
    (reply,) = ask(
        jurors("correctness", ["!truncated", "!judge_refused", "!truncated"]), CORRECTNESS
    )
    assert isinstance(reply, JudgeFailure)
    assert reply.reason == "truncated"


def test_a_vote_on_each_claim_with_passages_of_those_who_won() -> None:
    def says(one: Finding, two: Finding) -> Verdict:
        return verdict("support", findings=(two, one))  # by id, not by place

    reply = told(
        SUPPORT,
        [
            says(
                finding("c1", "supported", supporting=("p1", "p2")),
                finding("c2", "not_found"),
            ),
            says(
                finding("c1", "supported", supporting=("p1",), quote="x", passage_id="p1"),
                finding("c2", "contradicted", quote="x", passage_id="p2"),
            ),
            says(finding("c1", "not_found", supporting=("p2",)), finding("c2", "partial")),
        ],
    )
    first, second = reply.findings
    assert (first.item_id, first.label, first.supporting) == ("c1", "supported", ("p1",))
    assert (first.quote, first.passage_id) == ("x", "p1")
    assert first.votes == (("a", "supported"), ("b", "supported"), ("c", "not_found"))
    assert (second.item_id, second.label, second.unscored) == ("c2", None, "jury_split")
    assert second.reason == "the jury is split: not_found: a; contradicted: b; partial: c"
    assert (reply.label, reply.unscored, reply.overall, reply.votes) == (None, None, None, ())


def test_winners_at_odds_about_the_passage_leave_it_open() -> None:
    reply = told(
        SUPPORT,
        [
            verdict("support", findings=(finding("c1", "supported", supporting=(p,), quote="x", passage_id=p),))
            for p in ("p1", "p2")
        ],
    )  # fmt: skip
    (only,) = reply.findings  # nobody spoke of c2
    assert (only.label, only.supporting, only.passage_id, only.quote) == (
        "supported",
        (),
        None,
        None,
    )


def test_passages_needed_together_are_voted_on_together() -> None:
    both, one = ("p1", "p2"), ("p1",)
    said = [
        verdict("support", findings=(finding("c1", "supported", joint=j),))
        for j in (both, both, one)
    ]
    assert told(SUPPORT, said).findings[0].joint == both


def test_a_failed_member_is_no_vote_on_any_claim() -> None:
    half = verdict("support", findings=(finding("c1", "supported"), finding("c2", "supported")))
    other = verdict("support", findings=(finding("c1", "supported"), finding("c2", "not_found")))
    reply = told(SUPPORT, [half, other, failed("support", "connection")])
    assert [(f.label, f.unscored) for f in reply.findings] == [
        ("supported", None),
        (None, "connection"),
    ]
    missing = verdict("support", findings=(finding("c1", "supported"),))
    reply = told(SUPPORT, [half, missing, missing])
    assert reply.findings[1].votes == (("a", "supported"), ("b", "undecided"), ("c", "undecided"))


def test_the_whole_answer_and_its_citations() -> None:
    def says(label: str | None, cited: str | None = None) -> Verdict:
        return verdict("support", overall=Overall(label=label), citation_support=cited)

    reply = told(SUPPORT, [says("faithful", "partial"), says("faithful", "partial"), says(None)])
    assert reply.overall == Overall(label="faithful")
    assert (reply.citation_support, reply.label, reply.unscored) == ("partial", None, None)
    assert reply.votes == (("a", "faithful"), ("b", "faithful"), ("c", "undecided"))
    split = told(SUPPORT, [says("faithful"), says("unfaithful")])
    assert (split.overall, split.unscored) == (Overall(label=None), "jury_split")


def test_passages_and_people_s_label_of_the_whole() -> None:
    def says(one: str | None, two: str | None) -> Verdict:
        return verdict("identity", findings=(finding("p1", one), finding("p2", two)))

    reply = told(
        IDENTITY, [says("right", "wrong:period"), says("right", "wrong:entity"), says(None, None)]
    )
    assert [(f.label, f.unscored) for f in reply.findings] == [
        ("right", None),
        (None, "jury_split"),
    ]
    assert (reply.label, reply.unscored, reply.votes) == (None, None, ())
    whole = verdict("identity", "right", basis="labels")
    reply = told(IDENTITY, [whole, whole, says("right", "right")])
    assert (reply.label, reply.basis) == ("right", "judged")
    assert told(IDENTITY, [whole, whole]).basis == "labels"
    assert told(IDENTITY, [None, None, "!timeout"]).unscored == "undecided"
    assert told(IDENTITY, [None, "!timeout", "!timeout"]).unscored == "timeout"
    by_code = Verdict(query_id="q", check="identity", basis="deterministic")
    nothing = told(IDENTITY, [by_code, by_code])
    assert (nothing.unscored, nothing.basis) == (None, "deterministic")


def test_components_are_voted_on_too() -> None:
    said = [verdict("sufficiency", "sufficient", findings=(finding("k", label),), trace=f"t{n}")
            for n, label in enumerate(("found", "found", "missing"))]  # fmt: skip
    reply = told(SUFFICIENCY, said)
    assert (reply.label, reply.findings[0].label, reply.trace) == (
        "sufficient",
        "found",
        "t0,t1,t2",
    )


def scripted(name: str, *replies: Reply) -> ScriptedJudge:
    return ScriptedJudge(
        {(r.query_id, r.check): r for r in replies}, name=name, usage=Usage(calls=1)
    )


def test_claims_come_from_the_first_that_can() -> None:
    claims = Claims(query_id="q", claims=CLAIMS, judge="b")
    question = ExtractClaims(**Q, answer="a")
    judges = [scripted("c"), scripted("b", claims), scripted("a", failed("claims"))]
    answer = asyncio.run(Jury(judges).ask((question,)))
    assert answer.replies == (claims.model_copy(update={"judge": "jury:a,b,c"}),)
    assert answer.usage.calls == 2  # the third was not asked
    (reply,) = ask([scripted("a", failed("claims")), scripted("b", verdict("claims"))], question)
    assert isinstance(reply, JudgeFailure)
    assert (reply.reason, reply.judge) == ("timeout", "jury:a,b")


def test_all_vote_on_the_components_of_the_first_that_lists_any() -> None:
    listing, bare = ListComponents(**Q), SUFFICIENCY.model_copy(update={"components": ()})
    said = verdict("sufficiency", "sufficient", findings=(finding("k", "found"),))
    judges = [
        scripted("a", Components(query_id="q", components=()), said),
        scripted("b", Components(query_id="q", components=("k",)), said),
    ]
    sufficient, components = ask(judges, bare, listing)
    assert components == Components(query_id="q", components=("k",), judge="jury:a,b")
    assert isinstance(sufficient, Verdict)
    assert [f.label for f in sufficient.findings] == ["found"]
    asked = [q for judge in judges for q in judge.asked if isinstance(q, CheckSufficiency)]
    assert [q.components for q in asked] == [("k",), ("k",)]


def test_what_code_decided_is_put_to_nobody_and_usage_adds_up() -> None:
    decided = CORRECTNESS.model_copy(update={"decided": True, "query_id": "other"})
    judges = jurors("correctness", ["correct", "correct", "correct"])
    answer = asyncio.run(Jury(judges).ask((decided, CORRECTNESS)))
    assert [r.query_id for r in answer.replies] == ["other", "q"]
    assert isinstance(answer.replies[0], Verdict)
    assert answer.replies[0].unscored == "undecided"
    assert answer.usage == Usage(calls=3, input_tokens=6)


def test_names() -> None:
    judges = [scripted("x"), scripted("x"), Jury([scripted("b"), scripted("a")])]
    jury = Jury(judges)
    assert jury.name == "jury:(jury:a,b),x,x"
    reply = asyncio.run(Jury(jurors("correctness", ["correct"] * 3)[:2]).ask((CORRECTNESS,)))
    assert reply.replies[0].judge == "jury:a,b"
    with pytest.raises(UsageError, match="two members"):
        Jury(judges[:1])


# --- repeats


def repeats(*labels: str | None) -> list[Repeat]:
    judges = jurors("correctness", labels)
    for judge in judges:
        judge.name = "llm:m"
    return [Repeat(judge, number) for number, judge in enumerate(judges, 1)]


def flips(*of_queries: Sequence[Reply]) -> dict[str, Any] | None:
    counted = Flips()
    for replies in of_queries:
        counted.add(replies)
    return counted.report()


def test_flips_are_counted_where_two_repeats_gave_a_label() -> None:
    def vote(*labels: str | None) -> tuple[Reply, ...]:
        return asyncio.run(Jury(repeats(*labels)).ask((CORRECTNESS,))).replies

    equal, differing = vote("correct", "correct", "correct"), vote("correct", "partial", None)
    alone = vote("correct", None, None)
    assert [who for who, _ in equal[0].votes] == ["llm:m#1", "llm:m#2", "llm:m#3"]  # type: ignore[union-attr]
    found = flips(equal, differing, alone, (failed("support"),))
    assert found is not None
    assert (found["n_questions"], found["n_flipped"], found["share"]) == (2, 1, 0.5)
    assert found["n_queries"] == 2
    # Wilson of 1 in 2: (0.5 + z²/4 ± z·√(0.25/2 + z²/16)) / (1 + z²/2)
    assert found["ci_low"] == pytest.approx(0.0945, abs=1e-4)
    assert found["ci_high"] == pytest.approx(0.9055, abs=1e-4)
    assert flips(alone) is None
    assert flips() is None


def test_many_claims_of_one_answer_are_one_query() -> None:
    votes = (("m#1", "supported"), ("m#2", "supported"), ("other", "not_found"))
    findings = tuple(finding(f"c{n}", "supported", votes=votes) for n in range(50))
    found = flips((verdict("support", findings=findings),))
    assert found is not None
    assert (found["n_questions"], found["n_flipped"], found["n_queries"]) == (50, 0, 1)
    assert found["ci_high"] > 0.79  # Wilson of 0 in 1


# --- whatever is said


ITEMS = ("c1", "c2")
NO_LABEL = st.sampled_from(("undecided", "truncated", "quote_not_found"))
SAID = st.sampled_from(LABELS["support"]).map(lambda label: (label, None)) | NO_LABEL.map(
    lambda reason: (None, reason)
)
FINDINGS = st.lists(
    st.builds(
        lambda item, said, passages: Finding(
            item_id=item, label=said[0], unscored=said[1], supporting=tuple(passages)
        ),
        st.sampled_from(ITEMS),
        SAID,
        st.lists(st.sampled_from(("p1", "p2")), unique=True),
    ),
    max_size=2,
    unique_by=lambda finding: finding.item_id,
)
REPLIES: st.SearchStrategy[Reply] = st.builds(
    lambda findings, overall: verdict("support", findings=tuple(findings), overall=overall),
    FINDINGS,
    st.none() | st.builds(Overall, label=st.none() | st.sampled_from(LABELS["faithfulness"])),
) | st.sampled_from(("timeout", "truncated", "quota")).map(lambda reason: failed("support", reason))


@given(st.lists(REPLIES, min_size=2, max_size=5), st.randoms())
def test_no_label_without_an_absolute_majority_and_no_order(
    said: list[Reply], chance: random.Random
) -> None:
    judges = jurors("support", said)
    (reply,) = ask(judges, SUPPORT)
    shuffled = list(judges)
    chance.shuffle(shuffled)
    assert ask(shuffled, SUPPORT) == (reply,)
    if isinstance(reply, JudgeFailure):
        assert all(isinstance(one, JudgeFailure) for one in said)
        return
    assert isinstance(reply, Verdict)
    told = [
        {f.item_id: f.label for f in one.findings} if isinstance(one, Verdict) else {}
        for one in said
    ]
    for item in reply.findings:
        given_labels = [labels.get(item.item_id) for labels in told]
        most = max(given_labels.count(label) for label in LABELS["support"])
        if item.label is not None:
            assert 2 * given_labels.count(item.label) > len(said)
            assert item.unscored is None
        else:
            assert 2 * most <= len(said)
            assert item.unscored in UNSCORED | ERROR
    assert {f.item_id for f in reply.findings} == {i for labels in told for i in labels}
