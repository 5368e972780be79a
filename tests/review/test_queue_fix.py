"""The fix queue: which item each reason asks about, and in which order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragdiag.records import Diagnosis, LabelResult, missing, scored
from ragdiag.review.items import Item, items_of
from ragdiag.review.queue import Ask, make_queue
from ragdiag.review.queue_file import read_queue
from ragdiag.review.queue_fix import REASONS, First, Seen, wanted
from tests.queued import Pair, claim, claims, reading, result, run, sample


def asked(told: dict[str, Any], **changes: Any) -> dict[str, tuple[str, ...]]:
    """By item (check, and claim or passage): why it is in the queue. No passage is unlabelled
    unless `changes` say so."""
    one = sample(**{"qrels": {"p1": 1, "p2": 0, "p3": 0}, **changes})
    found, seen = result(**told), Seen()
    items = items_of(one, found).items
    seen.add(found, items)
    rows = ((name(item), wanted(item, found, seen)) for item in items)
    return {key: reasons.why for key, reasons in rows if reasons is not None}


def name(item: Item) -> str:
    part = item.claim.claim_id if item.claim is not None else item.passage_id
    return item.check if part is None else f"{item.check} {part}"


def undetermined(deciding: str) -> Diagnosis:
    return Diagnosis(code="X2", codes=("K1", "G4"), deciding_input=deciding)


def unscored(reason: str, *checks: str) -> dict[str, Any]:
    labels = {check: LabelResult(label=None) for check in checks}
    metrics = {"citation_support": "citation_correctness"}
    return {
        "labels": labels,
        "scores": {metrics.get(check, check): missing(reason) for check in checks},
    }


CASES: dict[str, tuple[dict[str, Any], dict[str, tuple[str, ...]]]] = {
    "all is well": ({}, {}),
    "split on correctness": (
        unscored("jury_split", "answer_correctness"),
        {"answer_correctness": ("jury_split",)},
    ),
    "split on a claim, not on the whole": (
        {**unscored("jury_split", "faithfulness"),
         "claims": (claim("c1", "It grew", None, unscored="jury_split"),)},
        {"support c1": ("jury_split",)},
    ),
    "split on faithfulness where there are no claims": (
        {**unscored("jury_split", "faithfulness"), "claims": ()},
        {"faithfulness": ("jury_split",)},
    ),
    "quote of a claim": (
        {"claims": (claim("c1", "It grew", None, unscored="quote_not_found"),)},
        {"support c1": ("quote_failed",)},
    ),
    "quote of sufficiency": (
        unscored("quote_not_found", "sufficiency"),
        {"sufficiency": ("quote_failed",)},
    ),
    "X2 by the answer": (
        {"diagnosis": undetermined("answer")},
        {"answer_correctness": ("undetermined:answer",)},
    ),
    "X2 by an undecided claim": (
        {"diagnosis": undetermined("faithfulness"), "claims": claims("supported", None)},
        {"support c2": ("undetermined:faithfulness",)},
    ),
    "X2 by faithfulness as a whole": (
        {"diagnosis": undetermined("faithfulness")},
        {"faithfulness": ("undetermined:faithfulness",)},
    ),
    "X2 by sufficiency": (
        {"diagnosis": undetermined("sufficiency")},
        {"sufficiency": ("undetermined:sufficiency",)},
    ),
    "X2 by a citation": (
        {"diagnosis": undetermined("citations"),
         "claims": (claim("c1", "It grew", cited=("p1",)),)},
        {"citation_support c1": ("undetermined:citations",)},
    ),
    "X2 by what no unit settles": ({"diagnosis": undetermined("identity")}, {}),
    "X3": ({"diagnosis": Diagnosis(code="X3")}, {"sufficiency": ("X3",)}),
    "X4": ({"diagnosis": Diagnosis(code="X4")}, {"answer_correctness": ("X4",)}),
    "talks to the judge": (
        {"suspicions": {"support": "…", "correctness": "…"}},
        {"faithfulness": ("injection",), "answer_correctness": ("injection",)},
    ),
    "a claim talks to the judge": (
        {"claims": (claim("c1", "It grew", None, unscored="injection_suspected"),)},
        {"support c1": ("injection",)},
    ),
    "near the one threshold": (
        {"labels": {"answer_correctness": LabelResult(label="correct", score=0.54)}},
        {"answer_correctness": ("near_threshold",)},
    ),
    "far from it": (
        {"labels": {"answer_correctness": LabelResult(label="correct", score=0.56)}},
        {},
    ),
    "code has no threshold": (
        {"labels": {"answer_correctness": LabelResult(label="correct", score=0.5,
                                                      basis="deterministic")}},
        {},
    ),
    "undecided with a score": (
        {"claims": (claim("c1", "It grew", None, score=0.9),)},
        {"support c1": ("near_threshold",)},
    ),
    "several reasons": (
        {"diagnosis": undetermined("answer"),
         "labels": {"answer_correctness": LabelResult(label=None, score=0.4)},
         "scores": {"answer_correctness": missing("undecided")}},
        {"answer_correctness": ("undetermined:answer", "near_threshold")},
    ),
    "people have said it": (
        {"diagnosis": Diagnosis(code="X4"),
         "labels": {"answer_correctness": LabelResult(label="incorrect", basis="labels",
                                                      judge="people")}},
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_each_reason_asks_about(case: str) -> None:
    told, expected = CASES[case]
    assert asked(told) == expected


def test_passages_without_label_on_top_of_the_list() -> None:
    long = [{"passage_id": f"p{n}", "text": "t"} for n in range(1, 9)]
    assert asked({}, retrieved=long, qrels={"p1": 1, "p9": 1}) == {
        "relevance p2": ("unlabelled_passage",), "relevance p3": ("unlabelled_passage",),
    }  # fmt: skip


def test_nobody_is_asked_about_passages_where_nothing_is_labelled() -> None:
    assert asked({}, qrels={}) == {}


def test_the_passages_that_support_an_answer_without_gold() -> None:
    supported = (claim("c1", "It grew", supporting=("p7",)),)
    told = {"diagnosis": Diagnosis(code="A3"), "claims": supported}
    long = [{"passage_id": f"p{n}", "text": "t"} for n in range(1, 9)]
    qrels = {"p1": 0, "p2": 0, "p3": 0, "gold": 1}
    assert asked(told, retrieved=long, qrels=qrels) == {"relevance p7": ("A3",)}
    told["claims"] = (claim("c1", "It grew"),)
    assert asked(told, retrieved=long, qrels={"p1": 0, "p2": 0, "gold": 1}) == {
        "relevance p3": ("A3", "unlabelled_passage")
    }


def test_reach_is_settled_by_the_passages_on_top() -> None:
    told = {"diagnosis": undetermined("reach")}
    assert asked(told, qrels={"p2": 1, "p3": 1}) == {
        "relevance p1": ("undetermined:reach", "unlabelled_passage")
    }


def scored_run() -> list[Pair]:
    """20 undecided scores from .30 to .49, and .95, undecided by code; decided ones beside."""
    scores = [(None, 0.30 + n / 100) for n in range(20)] + [(None, 0.95)]
    scores += [("correct", 0.53), ("correct", 0.60), ("incorrect", 0.26), ("incorrect", 0.20)]
    return [
        (
            sample(f"q{n}", qrels={}, retrieved=None),
            result(
                f"q{n}",
                labels={"answer_correctness": LabelResult(label=label, score=score)},
                scores={
                    "answer_correctness": scored(1.0) if label else missing("undecided"),
                },
            ),
        )
        for n, (label, score) in enumerate(scores)
    ]  # fmt: skip


def fix_lines(tmp_path: Path, pairs: list[Pair], n: int) -> list[dict[str, Any]]:
    path = tmp_path / "queue.jsonl"
    make_queue(reading(pairs), path, Ask(audit=0, fix=n, fresh=True))
    return read_queue(path)


def test_the_band_is_that_of_the_run(tmp_path: Path) -> None:
    """From the 5th to the 95th of 100 undecided scores: [.31, .49]; within .05 of it are .53 (by
    .04) and .26 (by .05), and what is undecided itself comes before them."""
    lines = fix_lines(tmp_path, scored_run(), 100)
    assert [line["query_id"] for line in lines[-2:]] == ["q21", "q23"]
    assert {line["query_id"] for line in lines} == {f"q{n}" for n in (*range(22), 23)}


def test_the_order_of_priorities(tmp_path: Path) -> None:
    diagnoses = {
        "X4": {"diagnosis": Diagnosis(code="X4")},
        "X3": {"diagnosis": Diagnosis(code="X3")},
        "near_threshold": {
            "labels": {"answer_correctness": LabelResult(label="correct", score=0.5)}
        },
        "jury_split": unscored("jury_split", "sufficiency"),
        "injection": {"suspicions": {"correctness": "…"}},
        "undetermined:answer": {"diagnosis": undetermined("answer")},
        "quote_failed": unscored("quote_not_found", "sufficiency"),
    }
    full = {"p1": 1, "p2": 0, "p3": 0}
    pairs = [
        (sample(f"q{n}", qrels=full), result(f"q{n}", **told))
        for n, told in enumerate(diagnoses.values())
    ]
    pairs.append(
        (
            sample("a3"),
            result(
                "a3",
                diagnosis=Diagnosis(code="A3"),
                claims=(claim("c1", "It grew", supporting=("p2",)),),
            ),
        )
    )
    lines = fix_lines(tmp_path, pairs, 100)  # fmt: skip
    told = [line["why"][0].partition(":")[0] for line in lines]
    assert told == list(REASONS)
    assert [line["priority"] for line in lines] == list(range(1, 10))
    for n in range(9):
        assert fix_lines(tmp_path, pairs, n) == [
            {**line, "double": short["double"]}
            for line, short in zip(lines, fix_lines(tmp_path, pairs, n), strict=False)
        ]


def test_the_most_frequent_deciding_input_first(tmp_path: Path) -> None:
    deciding = ["sufficiency", "answer", "answer"]
    full = {"p1": 1, "p2": 0, "p3": 0}
    pairs = [
        (sample(f"q{n}", qrels=full), result(f"q{n}", diagnosis=undetermined(one)))
        for n, one in enumerate(deciding)
    ]
    lines = fix_lines(tmp_path, pairs, 10)
    assert [line["check"] for line in lines] == ["answer_correctness"] * 2 + ["sufficiency"]


def test_only_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "queue.jsonl"
    make_queue(reading(run(40)), path, Ask(audit=0, checks=("relevance",)))
    lines = read_queue(path)
    assert {line["check"] for line in lines} == {"relevance"}
    assert len(lines) == 50
    make_queue(reading(run(40)), path, Ask(audit=0, fix=0, checks=("answer_correctness",)))
    assert read_queue(path) == lines  # what is there stays
    settled = [(s, result(s.query_id)) for s, _ in run(40)]
    edited = [(sample(s.query_id, qrels={f"p{n}": 0 for n in (1, 2, 3)}), r) for s, r in settled]
    make_queue(reading(edited), path, Ask(audit=0))
    kept = {line["item_id"] for line in read_queue(path)}
    assert kept == {line["item_id"] for line in lines}  # also what nothing speaks for any more


def test_the_first_of_many() -> None:
    first = First(2)
    for number, priority in enumerate((5, 1, 3, 2)):
        order = (priority, 0.0, -1, number)
        assert first.takes(order) == (priority != 3 or number < 3)
        if first.takes(order):
            first.add(f"i{number}", order, {"n": number})
    assert [line["n"] for _, line in first.ranked()] == [1, 3]
    assert not First(0).takes((1, 0.0, -1, 0))
