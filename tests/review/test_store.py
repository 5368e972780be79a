"""The append-only log of labels: folding, undo, two at once, torn ends."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.label_log import Folded
from ragdiag.review.store import LabelLog, read_current
from tests.growth import grows_linearly


def entry(item: str, value: str = "supported", who: str = "ann", n: int = 1) -> dict[str, Any]:
    return {"query_id": "q", "check": "support", "label": value, "annotator": who,
            "item_id": item, "entry_id": f"{who}-{item}-{n}"}  # fmt: skip


def standing(log: LabelLog, item: str, who: str = "ann") -> str | None:
    with log.reading() as folded:
        last = folded.of(who, item).label
        return None if last is None else last["label"]


def test_labels_survive_a_new_process(tmp_path: Path) -> None:
    log = LabelLog(tmp_path / "labels.jsonl")
    assert log.submit(entry("a")) == ("saved", entry("a"))
    assert log.submit(entry("b", "partial"))[0] == "saved"
    assert read_current(log.path) == [entry("a"), entry("b", "partial")]


def test_the_same_label_sent_again_counts_once(tmp_path: Path) -> None:
    log = LabelLog(tmp_path / "labels.jsonl")
    log.submit(entry("a"))
    assert log.submit(entry("a")) == ("already", entry("a"))
    assert len(log.path.read_bytes().splitlines()) == 1


def test_a_second_tab_that_does_not_know_the_label_is_a_conflict(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    assert LabelLog(path).submit(entry("a"))[0] == "saved"
    other = LabelLog(path)
    assert other.submit(entry("a", "partial", n=2)) == ("conflict", entry("a"))
    assert other.submit(entry("a", "partial", n=2), revises="ann-a-1")[0] == "saved"
    assert standing(LabelLog(path), "a") == "partial"


def test_undo_brings_back_what_stood_before(tmp_path: Path) -> None:
    log = LabelLog(tmp_path / "labels.jsonl")
    log.submit(entry("a"))
    log.submit(entry("a", "partial", n=2), revises="ann-a-1")
    assert log.retract("ann", "a", "ann-a-1", "t")[0] == "conflict"  # not the one that stands
    assert log.retract("ann", "a", "ann-a-2", "t") == ("saved", entry("a"))
    assert log.retract("ann", "a", "ann-a-1", "t") == ("saved", None)
    assert log.retract("ann", "a", None, "t") == ("nothing", None)
    assert read_current(log.path) == []
    assert len(log.path.read_bytes().splitlines()) == 4  # nothing was ever rewritten


def test_a_skip_is_undone_too_and_ends_with_a_label(tmp_path: Path) -> None:
    log = LabelLog(tmp_path / "labels.jsonl")
    log.note("skips", "ann", "a", "t")
    with log.reading() as folded:
        assert folded.of("ann", "a").skipped
        assert list(folded.order) == [("ann", "a")]
    assert log.retract("ann", "a", None, "t")[0] == "saved"
    log.note("skips", "ann", "a", "t")
    log.submit(entry("a"))
    with log.reading() as folded:
        assert not folded.of("ann", "a").skipped


def test_a_label_after_the_verdict_was_shown_is_adjudicated(tmp_path: Path) -> None:
    log = LabelLog(tmp_path / "labels.jsonl")
    log.submit(entry("a"))
    log.note("reveals", "ann", "a", "t")
    log.submit(entry("a", "partial", n=2), revises="ann-a-1")
    (last,) = read_current(log.path)
    assert (last["label"], last["adjudicated"], last["blind_label"]) == (
        "partial",
        True,
        "supported",
    )
    # taken back and given again, it is still no blind label
    log.retract("ann", "a", "ann-a-2", "t")
    log.retract("ann", "a", "ann-a-1", "t")
    log.submit(entry("a", "contradicted", n=3))
    (last,) = read_current(log.path)
    assert last["adjudicated"] is True
    assert "blind_label" not in last


def test_two_people_and_many_threads_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    logs = {who: LabelLog(path) for who in ("ann", "bob")}
    jobs = [(who, f"i{n}") for n in range(50) for who in logs]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda job: logs[job[0]].submit(entry(job[1], who=job[0])), jobs))
    found = {(one["annotator"], one["item_id"]) for one in read_current(path)}
    assert found == set(jobs)
    assert len(path.read_bytes().splitlines()) == 100


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (b'{"query_id": "q", "lab', ["a", "c"]),  # killed in the middle: it was never acknowledged
        (json.dumps(entry("b")).encode(), ["a", "b", "c"]),  # edited by hand, the newline missing
        (b"\xff\xfe", ["a", "c"]),
    ],
)
def test_what_stands_after_the_last_newline(tmp_path: Path, end: bytes, kept: list[str]) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes(json.dumps(entry("a")).encode() + b"\n" + end)
    log = LabelLog(path)
    log.submit(entry("c"))
    assert [one["item_id"] for one in read_current(path)] == kept
    assert standing(log, "c") == "supported"


def test_a_broken_line_in_the_middle_is_told_and_the_rest_kept(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    lines = [json.dumps(entry("a")), "{broken", "[1]", '{"skips": 3}', "", json.dumps(entry("b"))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with LabelLog(path).reading() as folded:
        assert [problem.partition(": ")[0] for problem in folded.problems] == [
            f"{path}:{n}" for n in (2, 3, 4)
        ]
        assert [one["item_id"] for one in folded.labels()] == ["a", "b"]


def test_plain_labels_of_people_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    plain = {"query_id": "q", "check": "sufficiency", "label": "sufficient"}
    path.write_text(json.dumps(plain) + "\n", encoding="utf-8")
    assert read_current(path) == [plain]


def test_a_log_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    log = LabelLog(tmp_path / "labels.jsonl")
    log.submit(entry("a"))
    log.path.unlink()
    assert standing(log, "a") is None
    log.submit(entry("b"))
    assert [one["item_id"] for one in read_current(log.path)] == ["b"]


def test_folding_is_linear() -> None:
    def fold(text: str) -> None:
        folded = Folded()
        for number in range(len(text)):
            folded.take(entry(f"i{number}"), "x")
            folded.take({"retracts": f"i{number}", "annotator": "ann"}, "x")
        folded.labels()

    assert grows_linearly(fold, "x" * 40_000)
