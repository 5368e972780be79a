"""Ladders in an evaluation directory: readings of scripted generators, resumption, errors, kills."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragdiag.collecting.generators import Generator, generator_of
from ragdiag.errors import DataError, IncompleteError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.climbing import climb_directory, counts, opened_judges, refuse_errors
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.ladder_choice import Climb, Climbed
from ragdiag.evaluation.ladder_log import read_ladder
from ragdiag.evaluation.rescoring import rescore_directory, rescored_by
from ragdiag.judging.specs import Judges
from ragdiag.records import Label, SampleResult, Settings
from tests.ladders import GOLD, NOISE, OLD, OPEN, RIGHT, SILENT, WRONG, row
from tests.runs import CountingJudge, use, write

ROWS = [
    row("retrieval"),
    row("distraction"),
    row("generator"),
    row("memory"),
    row("unstable"),
    row("held", retrieved=[OLD, GOLD]),  # the gold is in the context already
    row("right", answer=RIGHT, retrieved=[GOLD]),
    row("unanswerable", answerable=False),
    row("broken", error="HTTP 500"),
    row("unlabelled", gold=None),
]
FAILING = ("retrieval", "distraction", "generator", "memory", "unstable", "held", "unlabelled")
CALLS = 4 * 5 + 3 + 2
"""Four rungs of five queries; three where the gold is there already; two where there is none."""


def scripted(query: str, passages: list[dict[str, Any]], query_id: str) -> str:
    """What the name of the query asks for."""
    ids = [one["passage_id"] for one in passages]
    right = {
        "retrieval": "gold" in ids,
        "distraction": ids == ["gold"],
        "generator": False,
        "memory": not ids,
        "unstable": True,
        "held": ids == ["gold"],
        "unlabelled": False,
    }
    return RIGHT if right[query_id] else WRONG if ids else SILENT


class Log:
    """A generator that notes its calls; `answer` says what it gives."""

    def __init__(self, answer: Callable[..., Any] = scripted) -> None:
        self.calls: list[tuple[str, str]] = []
        self.answer = answer

    def __call__(self, query: str, passages: list[dict[str, Any]], query_id: str) -> Any:
        self.calls.append((query_id, " ".join(one["passage_id"] for one in passages)))
        return self.answer(query, passages, query_id)


def named(log: Log, name: str = "rag.py:generate", source_hash: str | None = "1") -> Generator:
    return replace(generator_of(log, name=name), source_hash=source_hash)


def climbed(
    out: Path, log: Log | Generator, *, judges: Judges | None = None, **options: Any
) -> Climbed:
    generator = named(log) if isinstance(log, Log) else log
    chosen = judges or opened_judges(out, Options(judge=""))
    found = asyncio.run(climb_directory(out, generator, Climb(**options), chosen))
    rescore_directory(out)
    return found


def evaluated(source: Path, out: Path, **options: Any) -> dict[str, Any]:
    return evaluate_files(Inputs((source,)), Options(**options), out=out)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "samples.jsonl", ROWS)


@pytest.fixture
def out(source: Path, tmp_path: Path) -> Path:
    evaluated(source, tmp_path / "out")
    return tmp_path / "out"


def results(out: Path) -> dict[str, SampleResult]:
    return {one.query_id: one for one in at.read_results(out)}


def readings(out: Path) -> dict[str, str | None]:
    """By query that has a ladder, what it says."""
    told = {name: one.diagnosis.proof.get("ladder") for name, one in results(out).items()}
    return {name: one["reading"] for name, one in told.items() if one is not None}


def derived(out: Path) -> dict[str, bytes]:
    names = (at.RESULTS, at.SCORES, at.QUERIES, at.REPORT)
    return {name: (out / name).read_bytes() for name in names}


WHOLE = {
    "retrieval": "retrieval", "distraction": "distraction", "generator": "generator",
    "memory": "memory", "unstable": "unstable", "held": "distraction", "unlabelled": None,
}  # fmt: skip


def test_each_reading_and_what_it_counts_to(out: Path) -> None:
    before = {name: one.diagnosis.code for name, one in results(out).items()}
    log = Log()
    tally = climbed(out, log)
    assert readings(out) == WHOLE
    assert {name: one.diagnosis.code for name, one in results(out).items()} == before
    assert (tally.n_queries, tally.n_calls, tally.n_asked, tally.n_errors) == (7, CALLS, CALLS, 0)
    assert tally.left_out == {"unanswerable": 1}
    assert len(log.calls) == len(set(log.calls)) == CALLS
    assert [ids for name, ids in log.calls if name == "retrieval"] == [
        "", "old noise", "old noise gold", "gold",
    ]  # fmt: skip
    assert [ids for name, ids in log.calls if name == "held"] == ["", "old gold", "gold"]
    section = at.read_report(out)["ladder"]
    assert (section["generator"], section["n"], section["n_calls"]) == ("rag.py:generate", 7, CALLS)
    assert {name: one["n"] for name, one in section["readings"].items() if one["n"]} == {
        "retrieval": 1, "distraction": 2, "generator": 1, "memory": 1, "unstable": 1, "undecided": 1,
    }  # fmt: skip
    rungs = {name: (one["n"], one["n_total"]) for name, one in section["rungs"].items()}
    assert rungs == {
        "closed_book": (2, 7), "retrieved": (1, 7), "gold_appended": (2, 6), "gold_only": (4, 6),
    }  # fmt: skip
    assert section["rungs"]["gold_only"]["n_not_available"] == 1
    assert (section["reproduced"]["n"], section["reproduced"]["n_total"]) == (6, 7)
    low, high = (
        section["readings"]["distraction"]["ci_low"],
        section["readings"]["distraction"]["ci_high"],
    )
    assert 0 < low < 2 / 7 < high < 1
    assert section["examples"]["distraction"] == ["distraction", "held"]
    assert "ladder:memory" in at.read_report(out)["flags"]


def test_what_stands_costs_no_call_and_changes_nothing(source: Path, out: Path) -> None:
    climbed(out, Log())
    before, log = derived(out), (out / at.LADDER).read_bytes()
    again = Log()
    tally = climbed(out, again)
    assert (again.calls, tally.n_calls, tally.n_kept) == ([], 0, CALLS)
    assert derived(out) == before
    evaluated(source, out)  # an evaluation without a ladder keeps the one that is there
    assert derived(out) == before
    assert (out / at.LADDER).read_bytes() == log


def test_fresh_begins_without_a_ladder(source: Path, out: Path) -> None:
    climbed(out, Log())
    evaluated(source, out, fresh=True)
    assert readings(out) == {}
    assert not (out / at.LADDER).exists()
    assert at.read_report(out)["ladder"] is None


def test_an_error_is_a_record_and_is_asked_again(out: Path) -> None:
    def fails(query: str, passages: Any, query_id: str) -> Any:
        if query_id == "retrieval" and len(passages) == 3:
            raise ConnectionError("the model is down")
        return (
            17
            if query_id == "generator" and len(passages) == 1
            else scripted(query, passages, query_id)
        )

    tally = climbed(out, Log(fails))
    assert tally.kinds == {"ConnectionError": 1, "UnreadableResult": 1}
    assert tally.first_error == "retrieval, gold appended: ConnectionError: the model is down"
    assert readings(out) == {**WHOLE, "retrieval": None, "generator": None}
    told = results(out)["retrieval"].diagnosis.proof["ladder"]
    assert told["readings"] == ["retrieval", "distraction"]
    assert told["rungs"][2]["error"] == "ConnectionError: the model is down"
    with pytest.raises(IncompleteError, match=r"2 of 25 calls .* failed .over --max-errors 0.01"):
        refuse_errors(tally, 0.01)
    refuse_errors(tally, 0.1)
    again = Log()
    climbed(out, again)
    assert again.calls == [("retrieval", "old noise gold"), ("generator", "gold")]
    assert readings(out) == WHOLE


def test_one_that_hangs_is_given_up_and_the_others_are_asked(out: Path) -> None:
    async def hangs(query: str, passages: Any, query_id: str) -> str:
        if query_id == "memory" and not passages:
            await asyncio.Event().wait()
        return scripted(query, passages, query_id)

    generator = generator_of(hangs, name="rag.py:hangs")
    tally = climbed(out, generator, timeout=0.5)
    assert tally.kinds == {"TimeoutError": 1}
    assert readings(out) == {**WHOLE, "memory": None}


def test_a_generator_that_always_fails_is_asked_twenty_times(tmp_path: Path) -> None:
    source = write(tmp_path / "many.jsonl", [row(f"q{n}") for n in range(9)])
    evaluated(source, tmp_path / "out")

    def broken(query: str, passages: Any, query_id: str) -> str:
        raise ValueError("no key")

    log = Log(broken)
    with pytest.raises(
        IncompleteError, match=r"first 20 calls; first q0, closed book: ValueError: no key"
    ):
        climbed(tmp_path / "out", log)
    assert len(log.calls) == 20


def test_another_generator_is_never_mixed_in(out: Path) -> None:
    climbed(out, Log())
    whole = derived(out)
    other = Log(lambda query, passages, query_id: WRONG)
    for generator in (named(other, "other.py:f"), named(other, source_hash="2")):
        other.calls = []
        only = asyncio.run(
            climb_directory(out, generator, Climb(only="retrieval"), Judges(None, None))
        )
        assert (only.n_asked, len(other.calls)) == (4, 4)
        assert not counts(read_ladder(out), generator)
        rescore_directory(out)
        assert derived(out) == whole
        _, told = rescored_by(out, "retrieval", generator.name, generator.source_hash)
        assert told.diagnosis.proof["ladder"]["reading"] == "generator"
    # Asked for all, the other one takes its place; its four answers stand, and so do the first's.
    tally = climbed(out, named(other, source_hash="2"))
    assert (tally.n_kept, readings(out)["memory"]) == (4, "generator")
    back = Log()
    climbed(out, back)
    assert back.calls == []
    assert derived(out) == whole


def test_one_query_alone_counts_where_there_is_no_other_generator(out: Path) -> None:
    tally = climbed(out, Log(), only="right")
    assert (tally.n_queries, tally.n_asked) == (1, 2)  # the gold is all of its context
    assert list(readings(out)) == ["right"]


@pytest.mark.parametrize(
    ("query_id", "message"),
    [
        ("nobody", "no query 'nobody'"),
        ("unanswerable", "no ladder for 'unanswerable': it is labelled unanswerable"),
    ],
)
def test_one_query_that_has_no_ladder_says_why(out: Path, query_id: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        climbed(out, Log(), only=query_id)


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ({"retrieved": [OLD, {**NOISE, "text": "The canteen opens at one."}]}, 4),
        ({"query": "How many barrels of oil did the plant produce in 2017?"}, 4),
        ({"slices": {"year": "2017"}}, 4),
    ],
)
def test_a_changed_sample_is_another_one(source: Path, out: Path, change: Any, asked: int) -> None:
    climbed(out, Log())
    write(source, [{**ROWS[0], **change}, *ROWS[1:]])
    evaluated(source, out, force=True)
    assert "retrieval" not in readings(out)
    assert len(readings(out)) == 6
    log = Log()
    climbed(out, log)
    assert len(log.calls) == asked
    assert {name for name, _ in log.calls} == {"retrieval"}
    assert readings(out) == WHOLE


@pytest.mark.parametrize("torn", [b"", b'{"query_id": "generator", "sample_h'])
def test_killed_midway_and_resumed_it_ends_as_if_it_had_not_been(
    source: Path, out: Path, tmp_path: Path, torn: bytes
) -> None:
    climbed(out, Log())
    killed = tmp_path / "killed"
    evaluated(source, killed)

    def kills(query: str, passages: Any, query_id: str) -> str:
        if query_id == "generator":
            raise KeyboardInterrupt
        return scripted(query, passages, query_id)

    with pytest.raises(KeyboardInterrupt):
        climbed(killed, Log(kills))
    with (killed / at.LADDER).open("ab") as log:
        log.write(torn)
    rescore_directory(killed)
    assert readings(killed) == {"retrieval": "retrieval", "distraction": "distraction"}
    again = Log()
    tally = climbed(killed, again)
    assert (tally.n_kept, len(again.calls)) == (8, CALLS - 8)
    assert derived(killed) == derived(out)
    assert (killed / at.LADDER).read_bytes().count(b"\n") == (out / at.LADDER).read_bytes().count(
        b"\n"
    )


def test_interrupted_within_a_query_its_rungs_so_far_leave_a_set(out: Path) -> None:
    def kills(query: str, passages: Any, query_id: str) -> str:
        if len(passages) == 3:
            raise KeyboardInterrupt
        return scripted(query, passages, query_id)

    with pytest.raises(KeyboardInterrupt):
        climbed(out, Log(kills))
    rescore_directory(out)
    told = results(out)["retrieval"].diagnosis.proof["ladder"]
    assert told["readings"] == ["retrieval", "distraction", "generator"]
    assert [one["state"] for one in told["rungs"]] == ["wrong", "wrong", "not_asked", "not_asked"]


def test_a_damaged_line_is_named(out: Path) -> None:
    climbed(out, Log())
    lines = (out / at.LADDER).read_bytes().splitlines(keepends=True)
    (out / at.LADDER).write_bytes(b"".join([*lines[:2], b'{"rung": 1}\n', *lines[2:]]))
    with pytest.raises(DataError, match=r"ladder.jsonl:3: not a line of a ladder"):
        climbed(out, Log())
    (out / at.LADDER).write_bytes(b"".join([*lines[:2], b"\n", *lines[2:]]))
    climbed(out, Log())
    (out / at.LADDER_FACTS).write_text("{}")
    with pytest.raises(DataError, match=r"ladder.json names no generator"):
        rescore_directory(out)


def test_the_same_queries_each_time_up_to_the_limit(out: Path) -> None:
    chosen: list[set[str]] = []
    for limit in (2, 4):
        log = Log()
        tally = climbed(out, log, limit=limit)
        assert (tally.n_queries, tally.n_over_limit) == (limit, 7 - limit)
        chosen.append({name for name, _ in log.calls} | (chosen[-1] if chosen else set()))
    assert len(chosen[0]) == 2
    assert len(chosen[1]) == 4
    assert set(readings(out)) == chosen[1]


@pytest.mark.parametrize(
    ("codes", "names"),
    [
        (frozenset({"R1", "R2a"}), {"retrieval", "distraction", "generator", "memory", "unstable"}),
        (None, {*FAILING, "right"}),
        (frozenset({"X1"}), {"broken"}),
        (frozenset({"D1"}), set[str]()),
    ],
)
def test_which_queries_are_climbed_goes_by_their_code(
    out: Path, codes: Any, names: set[str]
) -> None:
    always = Log(lambda query, passages, query_id: WRONG)
    climbed(out, always, codes=codes)
    assert {name for name, _ in always.calls} == names
    if "right" in names:  # chosen by the code that it had before, on the second run too
        climbed(out, always, codes=codes)
        assert readings(out)["right"] == "unstable"


def test_what_was_settled_is_chosen_again_by_the_code_that_it_had_before(tmp_path: Path) -> None:
    """Nobody was asked whether the context was sufficient: A2, or right."""
    said = {**GOLD, "text": "In 2017 the Norvik plant produced 120 million barrels of oil."}
    source = write(
        tmp_path / "one.jsonl", [row("right", answer=said["text"], gold=None, retrieved=[said])]
    )
    settings = Settings(metrics=("answer_correctness", "faithfulness"))
    out = tmp_path / "settled"
    evaluated(source, out, settings=settings)
    assert (results(out)["right"].diagnosis.code, results(out)["right"].diagnosis.codes) == (
        "X2",
        ("A2", "K1"),
    )
    log = Log(lambda query, passages, query_id: RIGHT if passages else SILENT)
    for _ in range(2):
        tally = climbed(out, log, codes=frozenset({"X2"}))
        assert tally.n_queries == 1
        told = results(out)["right"].diagnosis
        assert (told.code, told.basis) == ("K1", "counterfactual")
    assert len(log.calls) == 2
    report = at.read_report(out)
    assert (report["categories"]["K1"]["n"], report["ladder"]["n_settled"]) == (1, 1)


def test_each_rung_is_asked_so_often(out: Path) -> None:
    turns = {"n": 0}

    def wavers(query: str, passages: Any, query_id: str) -> str:
        turns["n"] += len(passages) == 3
        return (
            (WRONG if turns["n"] % 3 else RIGHT)
            if len(passages) == 3
            else scripted(query, passages, query_id)
        )

    log = Log(wavers)
    climbed(out, log, codes=frozenset({"R1", "R2a"}), repeats=3, only=None)
    told = results(out)["retrieval"].diagnosis
    assert "ladder_varies" in told.flags
    assert told.proof["ladder"]["rungs"][2]["n_right"] == 1
    assert told.proof["ladder"]["reading"] == "distraction"
    more = Log()
    climbed(out, more, codes=frozenset({"R1", "R2a"}), repeats=4)
    assert len(more.calls) == len(log.calls) / 3


def test_as_many_queries_at_once_as_asked_for(out: Path) -> None:
    running, most = 0, 0

    async def slow(query: str, passages: Any, query_id: str) -> str:
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        await asyncio.sleep(0.001)
        running -= 1
        return scripted(query, passages, query_id)

    generator = generator_of(slow, name="rag.py:slow")
    climbed(out, generator, concurrency=3)
    assert most == 3
    assert readings(out) == WHOLE


# ---- who decides on the answers of rungs ------------------------------------------------------


def judge_of(monkeypatch: pytest.MonkeyPatch) -> CountingJudge:
    judge = CountingJudge()
    use(judge, monkeypatch)
    monkeypatch.setattr(
        "ragdiag.evaluation.climbing.parse_spec", lambda *_, **__: Judges(None, judge)
    )
    return judge


def test_the_judge_decides_only_where_code_does_not_and_only_on_correctness(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, out = judge_of(monkeypatch), tmp_path / "judged"
    evaluated(source, out)
    judge.checks = []
    opens = Log(
        lambda query, passages, query_id: (
            OPEN if len(passages) == 3 else scripted(query, passages, query_id)
        )
    )
    climbed(out, opens, only="retrieval")
    assert judge.checks == [("retrieval\x1fladder:gold_appended", "correctness")]
    judge.checks = []
    climbed(out, Log(), only="retrieval")
    assert judge.checks == []


def test_a_judge_that_broke_is_asked_again_and_the_generator_is_not(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, out = judge_of(monkeypatch), tmp_path / "judged"
    evaluated(source, out)
    judge.broken = {"retrieval\x1fladder:gold_appended"}
    opens = Log(
        lambda query, passages, query_id: (
            OPEN if len(passages) == 3 else scripted(query, passages, query_id)
        )
    )
    climbed(out, opens, only="retrieval")
    judge.broken, judge.checks, opens.calls = set(), [], []
    climbed(out, opens, only="retrieval")
    assert judge.checks == [("retrieval\x1fladder:gold_appended", "correctness")]
    assert opens.calls == []


def test_people_spoke_of_the_recorded_answer_only(tmp_path: Path, source: Path) -> None:
    """A person says that the answer is right: of another answer of the same query that says nothing,
    of the same words again it does."""
    labels = [
        Label(query_id=one, check="answer_correctness", label="correct")
        for one in ("generator", "retrieval")
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(one.model_dump_json(exclude_none=True) + "\n" for one in labels))
    out = tmp_path / "labelled"
    for spec in (f"cascade:file:{path},screen", f"jury:file:{path},screen"):
        evaluated(source, out, judge=spec, fresh=True)
        log = Log(
            lambda query, passages, query_id: (
                WRONG if passages else "It produced 94 million barrels."
            )
        )
        climbed(out, log, codes=None)
        told = results(out)["generator"].diagnosis.proof["ladder"]
        states = [one["state"] for one in told["rungs"]]
        wanted = ["wrong", "right", "right", "right"] if "cascade" in spec else ["wrong"] * 4
        assert states == wanted, spec


def test_a_judge_of_another_evaluation_is_refused(out: Path) -> None:
    with pytest.raises(
        UsageError, match=r"is not the one of .*: screen .*; name that one with --judge"
    ):
        opened_judges(out, Options(judge="cascade:screen,screen"))


def test_a_place_that_is_no_evaluation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"manifest.json is not there"):
        asyncio.run(climb_directory(tmp_path, named(Log()), Climb(), Judges(None, None)))


def test_while_another_writes_nothing_is_asked(out: Path) -> None:
    log = Log()
    with at.sole_writer(out), pytest.raises(UsageError, match="another process is writing"):
        climbed(out, log)
    assert log.calls == []


def test_the_log_holds_what_was_given_and_said(out: Path) -> None:
    climbed(out, Log(), only="held")
    lines = [json.loads(line) for line in (out / at.LADDER).read_text().splitlines()]
    assert [(one["rung"], one.get("passages"), one.get("same_as"), one.get("said", {}).get("answer")) for one in lines] == [
        ("closed_book", None, None, SILENT),
        ("retrieved", ["old", "gold"], None, WRONG),
        ("gold_appended", ["old", "gold"], "retrieved", None),
        ("gold_only", ["gold"], None, RIGHT),
    ]  # fmt: skip
