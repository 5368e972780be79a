"""The queue as a whole: exact probabilities, one draw a seed, nothing twice, blind, extended."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.records import LABELS, Diagnosis, Label
from ragdiag.review.items import UNITS
from ragdiag.review.queue import Ask, Told, as_json, make_queue
from ragdiag.review.queue_design import dimension_of, doubled
from ragdiag.review.queue_file import Earlier, read_queue, strata_path, with_probabilities
from ragdiag.review.queue_sizes import sizes
from ragdiag.stats.planning import labels_needed
from tests.growth import grows_linearly
from tests.queued import Pair, reading, result, run, sample

ALL = tuple(UNITS)


def drawn(path: Path, pairs: list[Pair], **ask: Any) -> tuple[Told, list[dict[str, Any]]]:
    told = make_queue(reading(pairs), path, Ask(**ask))
    return told, read_queue(path)


def audit(lines: list[dict[str, Any]], check: str | None = None) -> list[dict[str, Any]]:
    return [line for line in lines if line["queue"] == "audit" and check in (None, line["check"])]


def ids(lines: list[dict[str, Any]]) -> set[str]:
    return {line["item_id"] for line in lines}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "queue.jsonl"


@pytest.mark.parametrize("n", [1, 2, 6, 7, 60, 200, 799, 800, 801, 10_000])
def test_inclusion_probabilities_add_up_to_the_population(path: Path, n: int) -> None:
    """100 queries: 100 each of correctness, faithfulness, citation, sufficiency; 200 claims, 300
    passages. The sum of 1/p is the population, stratum by stratum, exactly."""
    _, lines = drawn(path, run(100), audit=n, fix=0, checks=ALL, dimension="year")
    strata = json.loads(strata_path(path).read_text(encoding="utf-8"))["checks"]
    populations = {"support": 200, "relevance": 300}
    assert len(lines) == min(n, 900)
    for check, design in strata.items():
        assert design["population"] == populations.get(check, 100)
        taken = Counter(line["stratum"]["id"] for line in audit(lines, check))
        assert {name: one["n"] for name, one in design["strata"].items()} == taken
        total = Fraction(0)
        for line in audit(lines, check):
            one = design["strata"][line["stratum"]["id"]]
            p = Fraction(one["n"], one["population"])
            assert line["inclusion_probability"] == one["n"] / one["population"]
            assert 0 < p <= 1
            total += 1 / p
        assert total == design["population"]


def test_a_shared_audit_gives_each_check_its_part(path: Path) -> None:
    told, lines = drawn(path, run(100), audit=100, fix=0)
    by_check = Counter(line["check"] for line in lines)
    assert set(by_check.values()) == {20}
    assert told.designs["support"].n == 20


def test_every_item_has_the_probability_that_is_written(path: Path) -> None:
    """Over 400 seeds, an item of a stratum with p = 0.4 is drawn 160 times, give or take 5 sd."""
    counted: Counter[str] = Counter()
    written: dict[str, float] = {}
    pairs = run(20)
    for seed in range(400):
        _, lines = drawn(
            path, pairs, audit=8, fix=0, checks=("faithfulness",), seed=seed, fresh=True
        )
        for line in lines:
            counted[line["item_id"]] += 1
            written[line["item_id"]] = line["inclusion_probability"]
    assert len(written) == 20
    for item, n in counted.items():
        p = written[item]
        assert abs(n - 400 * p) <= 5 * math.sqrt(400 * p * (1 - p))


def test_a_draw_depends_on_the_seed_alone(path: Path) -> None:
    pairs = run(60)
    _, first = drawn(path, pairs, audit=30, fix=20, checks=ALL, dimension="year")
    text = path.read_bytes()
    shuffled = list(pairs)
    random.Random(7).shuffle(shuffled)
    drawn(path, shuffled, audit=30, fix=20, checks=ALL, dimension="year", fresh=True)
    assert path.read_bytes() == text
    _, other = drawn(
        path, pairs, audit=30, fix=20, checks=ALL, dimension="year", seed=1, fresh=True
    )
    assert ids(audit(other)) != ids(audit(first))


def test_the_file_tells_nobody_what_the_judge_said(path: Path) -> None:
    """Two runs that differ in what the judge says of every answer, each label for another."""
    pairs = run(40)
    drawn(path, pairs, audit=40, fix=0, checks=("answer_correctness",))
    for line in read_queue(path):
        assert set(line) == {
            "item_id", "item_hash", "queue", "unit", "check", "query_id", "double", "stratum",
            "inclusion_probability", "why", "priority",
        }  # fmt: skip
        assert set(line["stratum"]) == {"id"}
    text = path.read_text(encoding="utf-8")
    for label in (*LABELS["answer_correctness"][1:], "undecided", "K1", "G4", "X2"):
        assert label not in text
    flags = [line["stratum"]["id"] for line in read_queue(path)]
    assert flags != sorted(flags)  # not stratum by stratum, which would tell verdicts apart


def test_nothing_stands_twice(path: Path) -> None:
    told, lines = drawn(path, run(50), audit=60, fix=500, checks=ALL)
    assert len(ids(lines)) == len(lines)
    assert told.n_fix == sum(line["queue"] == "fix" for line in lines) > 0
    fix = [line for line in lines if line["queue"] == "fix"]
    assert [line["priority"] for line in fix] == sorted(line["priority"] for line in fix)
    assert not any("inclusion_probability" in line for line in fix)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_enough_is_labelled_twice_and_not_all_in_one_stratum(path: Path, share: float) -> None:
    _, lines = drawn(path, run(100), audit=120, fix=30, checks=ALL, double=share)
    for name in ("audit", "fix"):
        of_queue = [line for line in lines if line["queue"] == name]
        assert sum(line["double"] for line in of_queue) >= share * len(of_queue)
    if share == 0.5:
        strata = {line["stratum"]["id"] for line in audit(lines)}
        assert len({line["stratum"]["id"] for line in audit(lines) if line["double"]}) > (
            len(strata) / 2
        )
    if share == 0.0:
        assert not any(line["double"] for line in lines)


def test_double_ones_stay_double() -> None:
    rows = [(f"i{n}", "s", n == 3) for n in range(10)]
    assert "i3" in doubled(rows, 0.2)
    assert len(doubled(rows, 0.2)) == 2
    assert doubled(rows, 0.05) == {"i3"}
    assert doubled([], 0.2) == set()
    assert len(doubled([(f"i{n}", "s", False) for n in range(5)], 0.2)) == 1  # not 2: 0.2 · 5 = 1


def test_a_larger_audit_holds_the_smaller_one(path: Path) -> None:
    pairs = run(100)
    _, first = drawn(path, pairs, audit=50, fix=10)
    told, second = drawn(path, pairs, audit=200, fix=10)
    assert ids(first) <= ids(second)
    assert {line["item_id"] for line in first if line["double"]} <= {
        line["item_id"] for line in second if line["double"]
    }
    assert sum(told.kept.values()) == 60
    assert (told.changed, told.gone, told.warnings) == (0, 0, [])
    assert sum(line["queue"] == "fix" for line in second) == 10  # some went over to the audit
    for check in ("faithfulness", "answer_correctness"):
        total = sum(1 / line["inclusion_probability"] for line in audit(second, check))
        assert total == pytest.approx(100)
    told, third = drawn(path, pairs, audit=10, fix=0)
    assert ids(third) == ids(second)  # fewer asked: nothing is taken away
    assert sum(told.added.values()) == 0


def test_labels_take_the_probabilities_of_the_larger_audit(path: Path) -> None:
    """A label given of an audit of 10 counts in one of 50 with that one's probability; what was
    labelled in the fix queue, and drawn later, is in the audit."""

    def label(line: dict[str, Any], **more: Any) -> Label:
        told = {name: line[name] for name in ("query_id", "check", "item_id", "item_hash", "queue")}
        return Label.model_validate({**told, "label": "correct", **more})

    checks = ("answer_correctness",)
    _, first = drawn(path, run(100), audit=10, fix=20, checks=checks)
    labels = [label(x, inclusion_probability=x.get("inclusion_probability")) for x in first]
    _, second = drawn(path, run(100), audit=100, fix=20, checks=checks)
    now = with_probabilities(labels, path)
    assert {one.model_extra["inclusion_probability"] for one in now if one.model_extra} == {1.0}
    assert {one.model_extra["queue"] for one in now if one.model_extra} == {"audit"}
    others = [
        label(second[0], item_hash="of another text", inclusion_probability=0.5),
        label(second[0], item_id="x", inclusion_probability=0.5),
        Label(query_id="q1", check="answer_correctness", label="correct"),
    ]
    assert with_probabilities(others, path) == others
    assert with_probabilities(others, path.with_name("none.jsonl")) == others


def test_a_second_call_changes_nothing(path: Path) -> None:
    drawn(path, run(40), half_width=0.2)
    text, strata = path.read_bytes(), strata_path(path).read_bytes()
    drawn(path, run(40), half_width=0.2)
    assert path.read_bytes() == text
    assert strata_path(path).read_bytes() == strata


def test_another_check_is_added_to_what_is_there(path: Path) -> None:
    _, first = drawn(path, run(40), audit=10, fix=0, checks=("support",))
    told, second = drawn(path, run(40), audit=10, fix=0, checks=("sufficiency",))
    assert ids(first) <= ids(second)
    assert Counter(line["check"] for line in second) == {"support": 10, "sufficiency": 10}
    assert (told.kept["audit"], told.added["audit"]) == (10, 10)


def test_another_verdict_leaves_the_audit_as_it_was_drawn(path: Path) -> None:
    """The probabilities are of the draw: a judge that changes its mind later does not change them.
    More cannot be drawn then, as nobody knows which stratum the others were in."""
    pairs = run(50)
    _, first = drawn(path, pairs, audit=10, fix=0, checks=("answer_correctness",))
    changed = [(s, result(s.query_id, correct="partial")) for s, _ in pairs]
    told, second = drawn(path, changed, audit=40, fix=0, checks=("answer_correctness",))
    assert second == first
    (warning,) = told.warnings
    assert "other verdicts or categories" in warning
    assert "--fresh" in warning
    told, _ = drawn(path, pairs, audit=40, fix=0, checks=("answer_correctness",))
    assert told.warnings == []  # as it was: it goes on
    assert told.designs["answer_correctness"].n == 40


def test_more_queries_are_another_population(path: Path) -> None:
    _, first = drawn(path, run(50), audit=10, fix=0, checks=("support",))
    told, second = drawn(path, run(60), audit=40, fix=0, checks=("support",))
    assert second == first
    assert "100 items then, 120 now" in told.warnings[0]
    told, third = drawn(path, run(60), audit=40, fix=0, checks=("support",), fresh=True)
    assert told.warnings == []
    assert len(third) == 40


def test_items_that_changed_and_items_that_are_gone(path: Path) -> None:
    pairs = run(30)
    _, first = drawn(path, pairs, audit=30, fix=0, checks=("sufficiency",))
    query_id = first[0]["query_id"]
    edited = [
        (sample(s.query_id, query="Another question?") if s.query_id == query_id else s, r)
        for s, r in pairs
    ]
    told, second = drawn(path, edited, audit=30, fix=0, checks=("sufficiency",))
    assert told.changed == 1
    assert [a["item_hash"] == b["item_hash"] for a, b in zip(first, second, strict=True)] == [
        line["query_id"] != query_id for line in first
    ]
    told, third = drawn(path, edited[:20], audit=30, fix=0, checks=("sufficiency",))
    assert (told.gone, len(third)) == (10, 20)


def test_one_sample_has_one_seed(path: Path) -> None:
    drawn(path, run(10), audit=5, seed=3)
    with pytest.raises(UsageError, match="drawn with seed 3"):
        drawn(path, run(10), audit=5, seed=4)
    told, _ = drawn(path, run(10), audit=6)
    assert told.seed == 3


def test_the_slice_of_the_first_draw_stays(path: Path) -> None:
    drawn(path, run(40), audit=10, dimension="year")
    told, _ = drawn(path, run(40), audit=20, dimension=None)
    assert (told.dimension, told.warnings) == ("year", [])
    told, _ = drawn(path, run(40), audit=20, dimension="colour")
    assert told.dimension == "year"
    assert told.warnings == [
        "the queue that is there was drawn by year, and stays so; --fresh draws anew by colour"
    ]


BROKEN = [
    ("no json\n", ":1: not a line of a queue"),
    ("[]\n", "a JSON object is needed"),
    ('{"item_id": 1}\n', "item_id must be a text"),
    ('{"item_id":"a","item_hash":"h","check":"c","query_id":"q"}\n', "queue must be"),
    (
        '{"item_id":"a","item_hash":"h","check":"c","query_id":"q","queue":"audit",'
        '"inclusion_probability":0,"stratum":{"id":"s"}}\n',
        "inclusion_probability must lie in",
    ),
    (
        '{"item_id":"a","item_hash":"h","check":"c","query_id":"q","queue":"audit",'
        '"inclusion_probability":1,"stratum":{}}\n',
        "stratum must be",
    ),
    (
        '{"item_id":"a","item_hash":"h","check":"c","query_id":"q","queue":"fix"}\n',
        "a fix item needs why",
    ),
    (
        '{"item_id":"a","item_hash":"h","check":"c","query_id":"q","queue":"fix","why":[],'
        '"priority":9}\n' * 2,
        ":2: not a line of a queue .item a stands there twice",
    ),
]


@pytest.mark.parametrize(("text", "told"), BROKEN)
def test_a_broken_queue_is_named_and_not_written_over(path: Path, text: str, told: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=told):
        drawn(path, run(10))
    assert path.read_text(encoding="utf-8") == text
    drawn(path, run(10), audit=5, fresh=True)
    assert len(audit(read_queue(path))) == 5


@pytest.mark.parametrize("text", [None, "{", "[]", '{"seed": 0, "slice": null, "checks": {}}'])
def test_a_queue_without_its_strata_cannot_go_on(path: Path, text: str | None) -> None:
    drawn(path, run(10), audit=5)
    if text is None:
        strata_path(path).unlink()
    else:
        strata_path(path).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"the strata of queue\.jsonl cannot be read"):
        drawn(path, run(10), audit=5)


def test_sizes_come_from_the_interval(path: Path) -> None:
    """Of 1,000 answers 700 are correct, 200 incorrect, 100 undecided: a rate of 7 in 9."""
    told, _ = drawn(path, run(1000), half_width=0.05, fix=0, checks=("answer_correctness",))
    size = told.sizes["answer_correctness"]
    assert (size.n_decided, size.rate) == (900, pytest.approx(7 / 9))
    assert told.designs["answer_correctness"].n == labels_needed(0.05, rate=7 / 9) == 264
    assert size.for_rarer == 135  # 30 / (2 / 9)
    (row,) = as_json(told)["checks"]
    assert row["needed"] == {"0.05": 264, "0.1": labels_needed(0.1, rate=7 / 9)}
    assert (row["n"], row["needed_for_30_of_rarer"]) == (264, 135)
    told, _ = drawn(path, run(1000), fix=0, checks=("answer_correctness",), fresh=True)
    assert told.designs["answer_correctness"].n == labels_needed(0.1, rate=7 / 9)


@pytest.mark.parametrize(
    ("verdicts", "rate", "assumed", "rarer"),
    [
        ({"faithful": 5}, 1.0, 0.9, None),
        ({"unfaithful": 5}, 0.0, 0.1, None),
        ({"undecided": 5}, None, 0.5, None),
        ({"none": 3, "error": 2}, None, 0.5, None),
        ({"faithful": 3, "unfaithful": 1}, 0.75, 0.75, 120),
        ({}, None, 0.5, None),
    ],
)
def test_a_rate_that_is_not_to_be_trusted(
    verdicts: dict[str, int], rate: float | None, assumed: float, rarer: int | None
) -> None:
    size = sizes("faithfulness", verdicts)
    assert (size.rate, size.for_rarer) == (rate, rarer)
    assert size.needed[0.1] == labels_needed(0.1, rate=assumed)
    assert size.n(0.1) == min(size.population, size.needed[0.1])


def test_the_checks_are_those_that_a_judge_spoke_on(path: Path) -> None:
    told, _ = drawn(path, run(10), audit=50)
    assert "relevance" not in told.designs
    unasked = [(s, result(s.query_id, scores={}, labels={}, claims=())) for s, _ in run(10)]
    told, _ = drawn(path, unasked, audit=50, fix=0, fresh=True)
    assert list(told.designs) == ["answer_correctness", "faithfulness"]
    bare = [
        (sample(f"q{n}", answer=None, reference=None),
         result(f"q{n}", scores={}, labels={}, claims=(), diagnosis=Diagnosis(code=None)))
        for n in range(4)
    ]  # fmt: skip
    told, lines = drawn(path, bare, audit=16, fix=0, fresh=True)
    assert Counter(line["check"] for line in lines) == {"sufficiency": 4, "relevance": 12}
    assert {line["inclusion_probability"] for line in lines} == {1.0}


@pytest.mark.parametrize("pairs", [[], [(sample(error="500"), result())]], ids=["none", "broken"])
def test_nothing_to_label(path: Path, pairs: list[Pair]) -> None:
    told, lines = drawn(path, pairs, checks=("faithfulness",))
    assert (lines, told.n_fix) == ([], 0)
    assert Earlier(path).lines == {}
    drawn(path, run(10), audit=5)
    assert len(audit(read_queue(path))) == 5


def test_a_label_of_an_item_is_a_label_of_the_native_format(path: Path) -> None:
    """What a page adds to a line is a label that all commands read."""
    _, lines = drawn(path, run(10), audit=20, checks=ALL)
    for line in lines:
        claim = line.get("claim")
        label = Label.model_validate(
            {
                "query_id": line["query_id"], "check": line["check"],
                "label": LABELS[line["check"]][0], "passage_id": line.get("passage_id"),
                "claim": claim and claim["text"], "claim_span": claim and [claim["start"], claim["end"]],
            }
        )  # fmt: skip
        assert label.query_id == line["query_id"]


@pytest.mark.parametrize(
    ("slices", "name"),
    [
        ({}, None),
        ({"one": {"a": 9}}, None),
        ({"many": {str(n): 1 for n in range(11)}}, None),
        ({"skew": {"a": 9, "b": 1}, "even": {"a": 5, "b": 5}}, "even"),
        ({"two": {"a": 5, "b": 5}, "three": {"a": 4, "b": 3, "c": 3}}, "three"),
        ({"b": {"x": 5, "y": 5}, "a": {"x": 5, "y": 5}}, "a"),
        ({"empty": {"a": 5, "b": 0}}, None),
    ],
)
def test_the_slice_that_divides_best(slices: dict[str, dict[str, int]], name: str | None) -> None:
    assert dimension_of(slices) == name


def test_time_grows_with_the_queries(path: Path) -> None:
    pairs = run(4000)

    def work(text: str) -> None:
        make_queue(reading(pairs[: len(text)]), path, Ask(fresh=True, audit=200))

    assert grows_linearly(work, "x" * len(pairs))
