"""Who is asked what, in which order, and what follows from it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ragdiag.judging.people import FileJudge
from ragdiag.judging.protocol import Answer
from ragdiag.judging.scripted import ScriptedJudge
from ragdiag.judging.specs import Judges
from ragdiag.pipeline import (
    METRICS,
    Asked,
    judge_sample,
    known_metrics,
    metric_kinds,
    sample_hash,
    score_sample,
)
from ragdiag.records import (
    CheckSupport,
    Claim,
    Claims,
    Finding,
    JudgeFailure,
    Judgement,
    Label,
    Question,
    Sample,
    Settings,
    Usage,
    Verdict,
)
from tests.runs import CountingJudge, row

TEXT = "The revenue grew because of higher prices [1]."


def free_text(**changes: Any) -> Sample:
    """A question that code cannot decide: correctness, support and sufficiency are open."""
    fields = {
        "query": "Why did the revenue grow?",
        "reference": ["Prices rose."],
        "answer": TEXT,
        "retrieved": [{"passage_id": "p1", "text": "Revenue grew as prices rose strongly."}],
        "gold": None,
        "target": None,
        **changes,
    }
    return Sample.model_validate(row("q", **fields))


CLAIM = Claim(claim_id="c1", text=TEXT[:-5], start=0, end=len(TEXT) - 5)


def verdicts() -> dict[tuple[str, str], Any]:
    support = Finding(
        item_id="c1", label="supported", supporting=("p1",), quote="prices rose", passage_id="p1"
    )
    return {
        ("q", "claims"): Claims(query_id="q", claims=(CLAIM,), abstains=False),
        ("q", "support"): Verdict(query_id="q", check="support", findings=(support,)),
        ("q", "sufficiency"): Verdict(query_id="q", check="sufficiency", label="sufficient"),
        ("q", "correctness"): Verdict(query_id="q", check="correctness", label="correct"),
    }


def components() -> dict[tuple[str, str], Any]:
    from ragdiag.records import Components  # noqa: PLC0415

    return {("q", "components"): Components(query_id="q", components=("why revenue grew",))}


def judged(sample: Sample, judges: Judges, **settings: Any) -> Judgement:
    return asyncio.run(judge_sample(sample, judges, settings=Settings(**settings)))


class Rounds:
    """A judge that writes down each call's checks and whether code had decided."""

    name, version = "rounds", "1"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.seen: list[Question] = []
        self._inner = CountingJudge()

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        self.calls.append([question.check for question in questions])
        self.seen += questions
        told = await self._inner.ask(questions)
        return Answer(told.replies, Usage(calls=1))


# --- what is asked


def test_every_reply_of_the_script_is_used_and_gives_k1() -> None:
    judge = ScriptedJudge({**verdicts(), **components()})
    sample = free_text()
    told = judged(sample, Judges(None, judge))
    judge.assert_all_used()
    result = score_sample(sample, told, settings=Settings())
    assert result.scores["answer_correctness"].value == 1
    assert result.scores["faithfulness"].value == 1
    assert result.scores["sufficiency"].value == 1
    assert result.labels["answer_correctness"].label == "correct"


def test_claims_are_asked_first_and_everything_else_together() -> None:
    judge = Rounds()
    told = judged(free_text(), Judges(None, judge))
    assert judge.calls[0] == ["claims"]
    assert len(judge.calls) == 2
    assert set(judge.calls[1]) == {"support", "correctness", "sufficiency", "components"}
    assert told.usage.calls == 2
    assert len([r for r in told.replies]) == len(judge.seen)


def test_only_correctness_sees_the_reference() -> None:
    judge = Rounds()
    sample = free_text(reference=["Zebra prices."], gold=[[{"text": "Zebra"}]])
    judged(sample, Judges(None, judge))
    for question in judge.seen:
        assert ("Zebra" in question.model_dump_json()) == (question.check == "correctness")


@pytest.mark.parametrize(
    ("metrics", "checks"),
    [
        (("recall",), set()),
        (("hit", "ndcg"), set()),
        (("faithfulness",), {"claims", "support"}),
        (("citation_correctness",), {"claims", "support"}),
        (("sufficiency",), {"sufficiency"}),
        (("provenance",), set()),
    ],
)
def test_only_what_a_metric_needs_is_asked(metrics: tuple[str, ...], checks: set[str]) -> None:
    judge = Rounds()
    sample = free_text()
    told = judged(sample, Judges(None, judge), metrics=metrics)
    assert {question.check for question in judge.seen} == checks
    result = score_sample(sample, told, settings=Settings(metrics=metrics))
    assert all(any(name.startswith(m.partition("@")[0]) for m in metrics) for name in result.scores)


def test_a_broken_sample_is_asked_nothing_and_every_score_is_its_error() -> None:
    judge = Rounds()
    sample = Sample.model_validate({**row("q", error="HTTP 500"), "answer": None})
    told = judged(sample, Judges(None, judge))
    assert judge.calls == []
    assert told.replies == ()
    result = score_sample(sample, told, settings=Settings())
    assert result.diagnosis.code == "X1"
    assert {(s.status, s.reason) for s in result.scores.values()} == {("error", "pipeline_error")}


def test_retrieval_only_asks_nothing_about_the_answer() -> None:
    judge = Rounds()
    judged(free_text(answer=None), Judges(None, judge))
    assert not {q.check for q in judge.seen} & {"claims", "support", "correctness"}


def test_without_a_judge_nothing_is_invented() -> None:
    sample = free_text()
    told = judged(sample, Judges(None, None))
    assert told.replies == ()
    result = score_sample(sample, told, settings=Settings())
    assert result.scores["faithfulness"].status == "unscored"
    assert result.scores["answer_correctness"].status == "unscored"
    assert result.diagnosis.code == "X2"


# --- people first, code second, machine third


def people(*labels: tuple[str, str], **more: Any) -> FileJudge:
    return FileJudge(
        [Label(query_id="q", check=check, label=label, **more) for check, label in labels]
    )


def test_people_overrule_code_and_the_machine_is_not_asked() -> None:
    judge = Rounds()
    sample = Sample.model_validate(row("q"))  # code says: correct
    told = judged(sample, Judges(people(("answer_correctness", "incorrect")), judge))
    assert "correctness" not in {question.check for question in judge.seen}
    result = score_sample(sample, told, settings=Settings())
    label = result.labels["answer_correctness"]
    assert (label.label, label.basis) == ("incorrect", "labels")
    assert result.scores["answer_correctness"].value == 0


def test_what_code_decides_the_machine_is_not_asked() -> None:
    judge = Rounds()
    sample = Sample.model_validate(row("q"))
    told = judged(sample, Judges(None, judge))
    assert "correctness" not in {question.check for question in judge.seen}
    assert not any(question.decided for question in judge.seen)
    label = score_sample(sample, told, settings=Settings()).labels["answer_correctness"]
    assert (label.label, label.basis) == ("correct", "deterministic")


def test_the_machine_gets_what_neither_settled() -> None:
    judge = Rounds()
    told = judged(free_text(), Judges(people(("sufficiency", "insufficient")), judge))
    asked = {question.check for question in judge.seen}
    assert "sufficiency" not in asked
    assert {"claims", "support", "correctness"} <= asked
    label = score_sample(free_text(), told, settings=Settings()).labels["sufficiency"]
    assert (label.label, label.basis) == ("insufficient", "labels")


def test_a_tie_of_people_goes_on_to_the_machine() -> None:
    tied = FileJudge(
        [
            Label(query_id="q", check="sufficiency", label=label, annotator=label)
            for label in ("sufficient", "insufficient")
        ]
    )
    judge = Rounds()
    judged(free_text(), Judges(tied, judge))
    assert "sufficiency" in {question.check for question in judge.seen}


def test_a_word_of_people_on_the_whole_answer_leaves_its_claims_to_the_machine() -> None:
    judge = Rounds()
    told = judged(free_text(), Judges(people(("faithfulness", "unfaithful")), judge))
    support = [question for question in judge.seen if isinstance(question, CheckSupport)]
    assert support
    assert support[0].claims
    result = score_sample(free_text(), told, settings=Settings())
    assert result.labels["faithfulness"].label == "unfaithful"
    assert result.labels["faithfulness"].basis == "labels"


# --- what follows


def test_scores_are_a_pure_function_of_sample_and_verdicts() -> None:
    sample = free_text()
    told = judged(sample, Judges(None, ScriptedJudge({**verdicts(), **components()})))
    first, second = (score_sample(sample, told, settings=Settings()) for _ in range(2))
    assert first == second
    assert first.cost == told.usage
    assert score_sample(sample, told, settings=Settings(), flags=("f",)).flags == ("f",)


def test_the_hash_of_a_sample_changes_with_anything_that_a_judge_can_see() -> None:
    base = free_text()
    assert sample_hash(base) == sample_hash(free_text())
    for changes in (
        {"answer": "No."},
        {"reference": ["x"]},
        {"query": "?"},
        {"retrieved": [{"passage_id": "p1", "text": "other"}]},
        {"history": [["user", "x"]]},
        {"target": {"page": 1}},
    ):
        assert sample_hash(free_text(**changes)) != sample_hash(base), changes


def test_metric_names_are_known_and_have_a_layer() -> None:
    assert len(set(known_metrics())) == len(known_metrics())
    kinds = metric_kinds(Settings())
    assert kinds["faithfulness"] == ("answer", "higher")
    assert kinds["abstention"] == ("answer", "none")
    assert Asked(None).chosen() == METRICS
    assert [metric.name for metric in Asked(("faithfulness",)).chosen()] == ["faithfulness"]
    assert Asked(("nothing",)).chosen() == ()
    assert Asked(("recall",)).needs() == frozenset()
    assert "support" in Asked(None).needs()


def test_what_the_judge_said_unusably_is_kept() -> None:
    sample = free_text()
    broken = {"query_id": "q", "check": "support", "detail": "parse_failure: no JSON object"}
    replies = (
        Claims(query_id="q", claims=(), discarded=2),
        JudgeFailure(**broken, reason="parse_failure", raw="Sure!\nI think " + "x" * 900),
        JudgeFailure(query_id="q", check="correctness", reason="rate_limited"),  # no reply at all
        Verdict(query_id="q", check="sufficiency", unscored="undecided"),
    )
    judgement = Judgement(query_id="q", sample_hash=sample_hash(sample), replies=replies)
    found = score_sample(sample, judgement, settings=Settings()).unusable
    assert [(one.check, one.reason) for one in found] == [
        ("claims", "claim_not_in_answer"),
        ("support", "parse_failure"),
    ]
    assert found[0].detail == "none of 2 claims stands in the answer"
    assert found[1].detail == "no JSON object"
    assert found[1].raw is not None
    assert found[1].raw.startswith("Sure! I think x")
    assert len(found[1].raw) == 200
