"""Probes and repeats of judges whose faults are known: what they move is what is reported."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.native import read_samples, samples_from
from ragdiag.errors import UsageError
from ragdiag.evaluation.judge_tests import probes_named, read_source
from ragdiag.evaluation.probes import PROBES, Probe
from ragdiag.evaluation.probing import Asking, ask_again, run_probes
from ragdiag.judging.protocol import Answer
from ragdiag.judging.specs import Judges, parse_repeats
from ragdiag.records import (
    CheckCorrectness,
    CheckSufficiency,
    Claims,
    ExtractClaims,
    JudgeFailure,
    Question,
    Reply,
    Sample,
    Settings,
    Verdict,
)
from ragdiag.report.probed import probe_rows
from ragdiag.report.repeated_checks import repeat_rows

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "annual-report" / "samples.jsonl"
BY_NAME = {one.name: one for one in PROBES}


class Made:
    """A judge by a function of the question: the label of correctness and of sufficiency."""

    name, version = "made", "1"

    def __init__(self, says: Any) -> None:
        self._says = says
        self.asked = 0

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        return Answer(tuple(self._reply(one) for one in questions))

    def _reply(self, question: Question) -> Reply:
        if isinstance(question, ExtractClaims):
            return Claims(query_id=question.query_id, claims=(), judge=self.name)
        if not isinstance(question, CheckCorrectness | CheckSufficiency):
            return JudgeFailure(
                query_id=question.query_id, check=question.check, reason="undecided", detail="",
                judge=self.name,
            )  # fmt: skip
        self.asked += 1
        label = self._says(question)
        unscored = "undecided" if label is None else None
        return Verdict(
            query_id=question.query_id, check=question.check, label=label, unscored=unscored,
            judge=self.name,
        )  # fmt: skip


def samples(n: int = 20, **more: Any) -> list[Sample]:
    rows = [
        {
            "query_id": f"q{i}",
            "query": f"Why did plant {i} stop?",
            "reference": [f"Its boiler number {i} cracked and the crew shut it down at once."],
            "gold": [[{"passage_id": f"p{i}"}]],
            "retrieved": [
                {"passage_id": f"p{i}", "doc_id": f"d{i}", "text": f"Boiler {i} cracked."},
                {"passage_id": f"o{i}", "doc_id": f"e{i}", "text": f"Plant {i} is old."},
            ],
            "answer": f"There was a leak in the east wing of site {i} [1].",
            **more,
        }
        for i in range(n)
    ]
    return list(samples_from(iter(rows), name="rows"))


def rows_of(says: Any, *names: str, given: list[Sample] | None = None) -> list[dict[str, Any]]:
    judges = Judges(None, Made(says))
    probes = [BY_NAME[name] for name in names]
    asked = run_probes(given or samples(), probes, Asking(judges, Settings()))
    return probe_rows(asyncio.run(asked)[0])


def only(rows: list[dict[str, Any]], check: str) -> dict[str, Any]:
    (row,) = (one for one in rows if one["check"] == check)
    return row


def by_length(question: Question) -> str:
    """The longer, the better: from 20 words on."""
    return "correct" if len(getattr(question, "answer", "").split()) >= 20 else "incorrect"


def test_a_judge_that_counts_words_is_found_to_be_lenient() -> None:
    """All 20 answers have 12 words, padded at least 24: all become a pass."""
    row = only(rows_of(by_length, "answer_padded"), "answer_correctness")
    assert (row["n_asked"], row["n"], row["n_to_pass"], row["n_from_pass"]) == (20, 20, 20, 0)
    assert row["delta"] == 1.0
    assert 0 < row["ci_low"] < 1
    assert row["p"] == pytest.approx(2 * 0.5**20)
    assert row["reading"] == "LENIENT"


def test_a_judge_that_reads_what_it_should_moves_nothing() -> None:
    rows = rows_of(lambda _: "incorrect", "passages_reversed", "answer_padded", "confident_tone",
                   "other_model", "citations_removed", "irrelevant_added")  # fmt: skip
    told = [one for one in rows if one["check"] == "answer_correctness"]
    assert [(one["n"], one["delta"], one["reading"]) for one in told] == [
        (20, 0.0, "none moves")
    ] * 6
    # Agresti and Min with no difference: 1 / 22 is the variance of 22 pairs, 1.96 · sqrt(1)/22
    assert told[0]["ci_high"] == pytest.approx(1.959964 / 22, abs=1e-6)
    assert told[0]["p_holm"] == 1.0


def test_several_answers_to_one_question_are_one_cluster() -> None:
    """20 answers to one question that all move are no proof of anything."""
    given = [one.model_copy(update={"query": "Why?"}) for one in samples()]
    row = only(rows_of(by_length, "answer_padded", given=given), "answer_correctness")
    assert (row["n"], row["delta"], row["p"]) == (20, 1.0, 1.0)
    assert row["ci_low"] < 0.5
    assert row["reading"] == "no side shown"


def test_what_is_undecided_on_one_side_is_no_pair() -> None:
    def says(question: Question) -> str | None:
        return None if "hope" in getattr(question, "answer", "") else "correct"

    row = only(rows_of(says, "answer_padded"), "answer_correctness")
    assert (row["n_asked"], row["n"], row["n_silenced"], row["delta"]) == (20, 0, 20, None)
    assert (row["unscored_before"], row["unscored_after"]) == ({}, {"undecided": 20})
    assert (row["p"], row["reading"]) == (None, "all left open")


def test_an_empty_answer_that_passes_is_counted() -> None:
    """Code settles "" (no answer); ":" and "Thought process:" are put to the judge."""
    rows = rows_of(lambda _: "correct", "answer_empty", "answer_colon", "answer_thought")
    told = {one["probe"]: one for one in rows if one["check"] == "answer_correctness"}
    assert told["answer_empty"]["n_passed"] == 0
    assert told["answer_empty"]["ci_high"] == pytest.approx(0.1611, abs=1e-4)  # Wilson, 0 of 20
    assert (told["answer_colon"]["n_passed"], told["answer_colon"]["rate"]) == (20, 1.0)
    assert told["answer_thought"]["reading"] == "20 PASS"
    assert told["answer_colon"].get("p_holm") is None


class Breaks(Made):
    """Says "correct" and "sufficient" of the samples as they are (40 questions); then no call comes
    through."""

    def __init__(self, reason: str = "timeout", *, sound: int = 40) -> None:
        super().__init__(
            lambda one: "correct" if isinstance(one, CheckCorrectness) else "sufficient"
        )
        self._reason, self._sound = reason, sound

    def _reply(self, question: Question) -> Reply:
        if isinstance(question, ExtractClaims) or self.asked < self._sound:
            return super()._reply(question)
        found = {"query_id": question.query_id, "check": question.check, "reason": self._reason}
        return JudgeFailure.model_validate(found)


@pytest.mark.parametrize("reason", ["timeout", "parse_failure"])
def test_a_judge_that_says_nothing_has_failed_nothing(reason: str) -> None:
    """All 20 replies on ":" are lost: 0 of 0, not "0 of 20 pass"."""
    asking = Asking(Judges(None, Breaks(reason)), Settings())
    rows = probe_rows(asyncio.run(run_probes(samples(), [BY_NAME["answer_colon"]], asking))[0])
    row = only(rows, "answer_correctness")
    assert (row["n_asked"], row["n"], row["rate"], row["ci_high"]) == (20, 0, None, None)
    assert (row["lost"], row["reading"]) == ({reason: 20}, "no usable reply")


def test_a_judge_that_says_nothing_has_not_noticed_that_the_gold_is_gone() -> None:
    def moved(sample: Sample, lender: Sample | None) -> Sample | None:
        passages = lender.retrieved if lender is not None else None
        return None if passages is None else sample.model_copy(update={"context": passages})

    given = [one.model_copy(update={"gold": ()}) for one in samples()]
    probe = Probe("gone", "", "worse", ("sufficiency",), moved)
    asking = Asking(Judges(None, Breaks()), Settings())
    (row,) = probe_rows(asyncio.run(run_probes(given, [probe], asking))[0])
    assert (row["n_passed_before"], row["n"], row["n_changed"], row["rate"]) == (20, 0, 0, None)
    assert (row["lost"], row["reading"]) == ({"timeout": 20}, "no usable reply")


def test_what_nobody_can_judge_is_neither_asked_nor_failed() -> None:
    """Without a reference there is no correctness to judge, with or without a probe."""
    given = [one.model_copy(update={"reference": ()}) for one in samples()]
    names = ("answer_padded", "answer_colon")
    for row in rows_of(lambda _: "correct", *names, given=given):
        if row["check"] == "answer_correctness":
            assert (row["n_asked"], row["n"], row["reading"]) == (0, 0, "nothing to judge")
    repeats = [Judges(None, Made(lambda _: "correct"))] * 2
    _, missing, _ = asyncio.run(ask_again(given, Asking(repeats[0], Settings()), repeats))
    assert "answer_correctness" not in missing


def test_many_answers_to_one_question_bound_a_rate_as_one() -> None:
    """Of 20 answers to one question none passes: of other questions next to nothing is known."""
    apart = only(rows_of(lambda _: "incorrect", "answer_colon"), "answer_correctness")
    given = [one.model_copy(update={"query": "Why?"}) for one in samples()]
    row = only(rows_of(lambda _: "incorrect", "answer_colon", given=given), "answer_correctness")
    assert (row["n"], row["rate"]) == (apart["n"], apart["rate"]) == (20, 0.0)
    assert apart["ci_high"] == pytest.approx(0.1611, abs=1e-4)
    assert row["ci_high"] > 0.5


def test_gold_that_is_gone_must_be_noticed() -> None:
    """Without gold labels code leaves sufficiency to the judge; with them, the passages change."""

    def reads(question: Question) -> str | None:
        if not isinstance(question, CheckSufficiency):
            return None
        texts = " ".join(p.text or "" for p in question.passages)
        number = question.query_id[1:]
        return "sufficient" if f"Boiler {number} " in texts else "insufficient"

    def passes_all(question: Question) -> str | None:
        return "sufficient" if isinstance(question, CheckSufficiency) else None

    swapped = BY_NAME["gold_swapped"]

    def change(sample: Sample, lender: Sample | None) -> Sample | None:
        gold = next(one for one in samples() if one.query_id == sample.query_id).gold
        new = swapped.change(sample.model_copy(update={"gold": gold}), lender)
        return None if new is None else new.model_copy(update={"gold": ()})

    probe = Probe("gold_swapped", "", "worse", ("sufficiency",), change)
    given = [one.model_copy(update={"gold": ()}) for one in samples()]
    for says, changed, reading in (
        (reads, 20, "as it must"),
        (passes_all, 0, "20 STILL PASS"),
    ):
        asked = run_probes(given, [probe], Asking(Judges(None, Made(says)), Settings()))
        (row,) = probe_rows(asyncio.run(asked)[0])
        assert (row["n"], row["n_changed"], row["reading"]) == (20, changed, reading)


@pytest.mark.parametrize("probe", PROBES, ids=lambda one: one.name)
def test_a_probe_leaves_the_question_and_its_labels_alone(probe: Probe) -> None:
    given = list(read_samples(EXAMPLE))
    n = 0
    for place, sample in enumerate(given):
        new = probe.change(sample, given[(place + 9) % len(given)])
        if new is None:
            continue
        n += 1
        for name in ("query_id", "query", "gold", "qrels", "reference", "target", "retrieved"):
            assert getattr(new, name) == getattr(sample, name)
        assert new != sample
    assert n > 20


def test_what_each_probe_does_to_one_sample() -> None:
    one, other = samples(2)
    turned = BY_NAME["passages_reversed"].change(one, other)
    assert turned is not None
    assert [p.passage_id for p in turned.context or ()] == ["o0", "p0"]
    assert [c.passage_id for c in turned.citations or ()] == ["p0"]  # [1] is still what it was
    added = BY_NAME["irrelevant_added"].change(one, other)
    assert added is not None
    assert [p.passage_id for p in added.context or ()] == ["p0", "o0", "p1"]
    swapped = BY_NAME["gold_swapped"].change(one, other)
    assert swapped is not None
    assert [p.passage_id for p in swapped.context or ()] == ["p1", "o0"]
    plain = BY_NAME["citations_removed"].change(one, other)
    assert plain is not None
    assert plain.answer == "There was a leak in the east wing of site 0."
    padded = BY_NAME["answer_padded"].change(one, other)
    assert padded is not None
    assert (padded.answer or "").startswith(one.answer or "?")
    assert len(padded.answer or "") > 1.9 * len(one.answer or "")
    assert BY_NAME["gold_swapped"].change(one.model_copy(update={"gold": ()}), other) is None
    assert BY_NAME["irrelevant_added"].change(one, one) is None  # its own passages are no others


def test_repeats_that_differ_are_counted() -> None:
    """Three repeats; the third says otherwise of q0. Of its three pairs two differ: 2/3 of one
    query in four = 1/6. Entropy of (2, 1): .9183 bits, over 4: .2296."""

    def says(number: int) -> Any:
        return lambda q: "correct" if (number, q.query_id) != (3, "q0") else "incorrect"

    repeats = [Judges(None, Made(says(number))) for number in (1, 2, 3)]
    labels, missing, _ = asyncio.run(ask_again(samples(4), Asking(repeats[0], Settings()), repeats))
    row = repeat_rows(labels, missing, n_repeats=3)["answer_correctness"]
    assert (row["n_queries"], row["n"]) == (4, 4)
    assert row["flip_rate"]["value"] == pytest.approx(1 / 6)
    assert row["flip_rate"]["ci_low"] < 1 / 6 < row["flip_rate"]["ci_high"]
    assert (row["flipped"]["n"], row["flipped"]["value"]) == (1, 0.25)
    assert row["entropy"]["value"] == pytest.approx(0.2296, abs=1e-4)
    assert row["missing"] == {}


def test_replies_without_a_label_are_counted_and_no_agreement() -> None:
    repeats = [Judges(None, Made(lambda _: None))] * 2
    labels, missing, _ = asyncio.run(ask_again(samples(3), Asking(repeats[0], Settings()), repeats))
    row = repeat_rows(labels, missing, n_repeats=2)["answer_correctness"]
    assert (row["n"], row["flip_rate"], row["missing"]) == (0, None, {"undecided": 6})


def test_each_repeat_of_a_model_has_replies_of_its_own() -> None:
    first, second = parse_repeats("cascade:screen,llm:m@http://127.0.0.1:9/v1", 2)
    assert [vars(one.llms[0])["_repeat"] for one in (first, second)] == [0, 1]
    assert len(first.closers) + len(second.closers) == 1  # they share one connection
    with pytest.raises(UsageError, match="people's labels are no judge"):
        parse_repeats("file:labels.jsonl", 2)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not there"):
        read_source(tmp_path / "none.jsonl", judge=None, n=None)
    with pytest.raises(UsageError, match="no evaluation directory"):
        read_source(tmp_path, judge=None, n=None)
    with pytest.raises(UsageError, match="no probe swap; there are passages_reversed"):
        probes_named(["swap"])
    drawn = read_source(EXAMPLE, judge=None, n=5)
    assert (len(drawn.samples), drawn.n_given, drawn.judge) == (5, 68, "screen")
