"""Details inside the page while they fit, else in shards beside it; nothing stale is left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation import page_blocks
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.page import write_page
from ragdiag.evaluation.page_blocks import Blocks
from ragdiag.evaluation.verdict_places import VerdictPlaces
from ragdiag.records import Judgement
from tests.page_data import PageData
from tests.runs import row, write


def record(number: int) -> bytes:
    return json.dumps({"id": f"q{number}"}).encode()


def filled(directory: Path, n: int, *, most: int = 10_000, rest: int = 0) -> tuple[Blocks, int]:
    with Blocks(directory, most=most) as blocks:
        for number in range(n):
            blocks.add(record(number))
        held = blocks.close(rest)
        blocks.commit()
    return blocks, len(held)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in (directory / "report").glob("*"))


def test_what_fits_stands_in_the_page_in_blocks_of_64(tmp_path: Path) -> None:
    blocks, n_held = filled(tmp_path, 130)
    assert blocks.starts == [0, 64, 128]
    assert n_held == 3
    assert blocks.shards == []
    assert not (tmp_path / "report").exists()


def test_no_query_makes_no_block(tmp_path: Path) -> None:
    blocks, n_held = filled(tmp_path, 0)
    assert (blocks.starts, n_held) == ([], 0)


def test_what_does_not_fit_beside_the_rest_of_the_page_stands_in_shards(tmp_path: Path) -> None:
    blocks, n_held = filled(tmp_path, 130, rest=9_999)
    assert n_held == 0
    assert [first for first, _ in blocks.shards] == [0]  # the three blocks fill no more than one
    assert names(tmp_path) == ["cases-00000.js"]


def test_shards_are_closed_when_full_and_stale_ones_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_blocks, "_MOST_SHARD", 1)  # a block each
    blocks, _ = filled(tmp_path, 130, most=1)
    assert [first for first, _ in blocks.shards] == [0, 1, 2]
    assert names(tmp_path) == ["cases-00000.js", "cases-00001.js", "cases-00002.js"]
    (tmp_path / "report" / "cases-00007.js.part").write_text("of a run that was killed")
    (tmp_path / "report" / "mine.txt").write_text("kept")
    filled(tmp_path, 64, most=1)
    assert names(tmp_path) == ["cases-00000.js", "mine.txt"]
    filled(tmp_path, 64)
    assert names(tmp_path) == ["mine.txt"]
    (tmp_path / "report" / "mine.txt").unlink()
    filled(tmp_path, 64)
    assert not (tmp_path / "report").exists()


def test_without_a_commit_the_shards_of_before_stay(tmp_path: Path) -> None:
    filled(tmp_path, 64, most=1)
    before = (tmp_path / "report" / "cases-00000.js").read_bytes()
    with Blocks(tmp_path, most=1) as blocks:
        for number in range(500):
            blocks.add(record(number + 7))
        blocks.close(0)
    assert names(tmp_path) == ["cases-00000.js"]
    assert (tmp_path / "report" / "cases-00000.js").read_bytes() == before


def test_a_large_record_closes_its_block(tmp_path: Path) -> None:
    with Blocks(tmp_path, most=20_000_000) as blocks:
        for number in range(3):
            blocks.add(json.dumps({"id": number, "text": "x" * 4_000_001}).encode())
        blocks.close(0)
    assert blocks.starts == [0, 1, 2]


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("mine")
    with pytest.raises(UsageError, match=r"is a file; .*move the file away"):
        filled(tmp_path, 64, most=1)


# ---- the page of an evaluation ------------------------------------------------------------


def evaluated(tmp_path: Path, n: int) -> Path:
    source = write(tmp_path / "s.jsonl", [row(f"q{i}") for i in range(n)])
    evaluate_files(Inputs((source,)), Options(), out=tmp_path / "out")
    return tmp_path / "out"


def test_the_page_holds_each_query_once_inside_or_in_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = evaluated(tmp_path, 70)
    wanted = [f"q{i}" for i in range(70)]
    inside = PageData(out / at.PAGE)
    assert inside.ids == wanted
    assert [one["id"] for one in inside.records()] == wanted
    assert inside.shards == []
    assert "strict-dynamic" not in (out / at.PAGE).read_text("utf-8")
    monkeypatch.setattr(page_blocks, "_MOST_SHARD", 1)
    write_page(out, most=1)
    beside = PageData(out / at.PAGE)
    assert set(beside.elements) == {"index"}
    assert [first for first, _ in beside.header["shards"]] == [0, 1]
    assert beside.records() == inside.records()
    policy = (out / at.PAGE).read_text("utf-8").partition("trusted-types ragdiag-shards")[0]
    assert "'strict-dynamic'; style-src" in policy.replace("&#39;", "'")


def test_the_page_holds_what_people_say_and_how_the_run_was_set(tmp_path: Path) -> None:
    source = write(tmp_path / "s.jsonl", [row("a"), row("b")])
    label = {"query_id": "b", "check": "answer_correctness", "label": "correct", "annotator": "ann"}
    labels = write(tmp_path / "labels.jsonl", [label])
    out = tmp_path / "out"
    evaluate_files(Inputs((source,), labels=labels), Options(), out=out)
    held = PageData(out / at.PAGE)
    assert [[one["who"] for one in record["people"]] for record in held.records()] == [[], ["ann"]]
    assert held.header["run"]["unread"] == ""
    labels.unlink()
    write_page(out)
    held = PageData(out / at.PAGE)
    assert str(labels) in held.header["run"]["unread"]
    assert [record["people"] for record in held.records()] == [[], []]


def test_a_page_that_cannot_be_written_leaves_the_one_before(tmp_path: Path) -> None:
    out = evaluated(tmp_path, 3)
    before = (out / at.PAGE).read_bytes()
    (out / at.RESULTS).write_bytes(b"{}\n")
    with pytest.raises(DataError):
        write_page(out)
    assert (out / at.PAGE).read_bytes() == before


# ---- verdicts by query --------------------------------------------------------------------


def test_the_last_verdict_of_a_query_is_found_and_a_broken_one_is_none(tmp_path: Path) -> None:
    def line(query_id: str, sample_hash: str) -> bytes:
        made = Judgement(query_id=query_id, sample_hash=sample_hash)
        return made.model_dump_json().encode() + b"\n"

    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(
        line("a", "1") + line("b", "2") + line("a", "3") + b'{"query_id": "c"}\nnot JSON\n{"quer'
    )
    with VerdictPlaces(path) as verdicts:
        found = verdicts.of("a")
        assert found is not None
        assert found.sample_hash == "3"
        assert verdicts.of("c") is None
        assert verdicts.of("d") is None
    with VerdictPlaces(tmp_path / "absent.jsonl") as verdicts:
        assert verdicts.of("a") is None
