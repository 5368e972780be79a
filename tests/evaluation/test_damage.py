"""Evaluation directories that were damaged, or that two processes want: said, never guessed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.aggregating import view
from ragdiag.evaluation.comparable import Asked
from ragdiag.evaluation.comparing import compare_directories
from ragdiag.evaluation.explaining import find
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.gating import read_finished
from ragdiag.evaluation.page import write_page
from ragdiag.evaluation.planned import measure
from ragdiag.evaluation.rescoring import rescore_directory
from tests.runs import row, write

IDS = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("whole")
    source = write(place / "samples.jsonl", [row(name) for name in IDS])
    evaluate_files(Inputs((source,)), Options(), out=place / "out")
    return place / "out"


@pytest.fixture
def out(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "out"))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def replaced(path: Path) -> None:
    path.write_bytes(b'{"a": 1}\n')


def without_the_first_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().split(b"\n", 1)[1])


DAMAGES = [
    (at.RESULTS, emptied),
    (at.RESULTS, cut),
    (at.RESULTS, replaced),
    (at.RESULTS, without_the_first_line),
    (at.SAMPLES, emptied),
    (at.SAMPLES, cut),
    (at.SAMPLES, replaced),
    (at.REPORT, emptied),
    (at.REPORT, cut),
    (at.REPORT, replaced),
]


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_a_damaged_file_is_named(out: Path, name: str, damage: Callable[[Path], None]) -> None:
    damage(out / name)
    with pytest.raises(DataError, match=r"out"):
        write_page(out)


@pytest.mark.parametrize("damage", [emptied, cut, replaced])
def test_samples_that_are_not_all_there_are_not_rescored(
    out: Path, damage: Callable[[Path], None]
) -> None:
    damage(out / at.SAMPLES)
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    with pytest.raises(DataError, match=at.SAMPLES):
        rescore_directory(out)
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_a_broken_result_is_named_with_its_line(out: Path) -> None:
    lines = (out / at.RESULTS).read_bytes().split(b"\n")
    lines[2] = lines[2][:30]
    (out / at.RESULTS).write_bytes(b"\n".join(lines))
    with pytest.raises(DataError, match=r"results\.jsonl:3: cannot be read"):
        find(out, "d")


def test_a_broken_verdict_says_how_to_go_on(out: Path) -> None:
    lines = (out / at.VERDICTS).read_bytes().split(b"\n")
    lines[1] = lines[1][:30]
    (out / at.VERDICTS).write_bytes(b"\n".join(lines))
    with pytest.raises(DataError, match=r"verdicts\.jsonl:2: .*take .* out"):
        rescore_directory(out)


def test_no_manifest_is_no_evaluation(out: Path) -> None:
    (out / at.MANIFEST).unlink()
    with pytest.raises(UsageError, match="manifest"):
        rescore_directory(out)


def test_a_report_of_another_version_is_refused(out: Path) -> None:
    report = json.loads((out / at.REPORT).read_text(encoding="utf-8"))
    (out / at.REPORT).write_text(json.dumps(report | {"schema_version": 2}), encoding="utf-8")
    with pytest.raises(DataError, match="schema_version"):
        write_page(out)


@pytest.mark.parametrize(
    ("where", "value", "told"),
    [
        (("metrics", "hit@1", "n"), "3", r"metrics\.hit@1\.n: .*integer, not '3'"),
        (("metrics", "hit@1", "value"), [], r"metrics\.hit@1\.value: .*number, not \[\]"),
        (("metrics", "hit@1"), None, r"metrics\.hit@1: "),
        (("corpus", "n_queries"), -1, r"corpus\.n_queries: .*greater than or equal to 0, not -1"),
        (("slices",), [1], r"slices: .*dictionary, not \[1\]"),
        (("categories", "A1", "share"), "a", r"categories\.A1\.share: .*number, not 'a'"),
        (("warnings",), "late", r"warnings: .*list, not 'late'"),
        (("k",), [], r"k: .*at least 1 item.*, not \[\]"),
    ],
)
def test_a_report_of_the_wrong_types_says_which(
    out: Path, where: tuple[str, ...], value: object, told: str
) -> None:
    report = json.loads((out / at.REPORT).read_text(encoding="utf-8"))
    part = report
    for name in where[:-1]:
        part = part[name]
    part[where[-1]] = value
    (out / at.REPORT).write_text(json.dumps(report), encoding="utf-8")
    for read in (write_page, view, measure, read_finished):
        with pytest.raises(DataError, match=told):
            read(out)


def test_columns_of_another_evaluation_of_the_same_queries_are_refused(
    out: Path, tmp_path: Path
) -> None:
    others = [row(name, gold=[[{"passage_id": "p2016"}]]) for name in IDS]
    source = write(tmp_path / "others.jsonl", others)
    evaluate_files(Inputs((source,)), Options(), out=tmp_path / "other")
    for name in (at.SCORES, at.QUERIES):
        shutil.copy(tmp_path / "other" / name, out / name)
    shutil.copytree(tmp_path / "other", tmp_path / "third")
    asked = Asked(allow=frozenset(("corpus", "queries", "settings")))
    for read in (
        view,
        measure,
        read_finished,
        lambda place: compare_directories([place, tmp_path / "third"], asked=asked),
    ):
        with pytest.raises(
            DataError, match=r"are not of the evaluation in report\.json: .*rescore"
        ):
            read(out)
    rescore_directory(out)
    assert view(out)["corpus"]["n_queries"] == len(IDS)


def test_only_one_process_writes(whole: Path, out: Path) -> None:
    pytest.importorskip("fcntl")
    source = whole.parent / "samples.jsonl"
    with at.sole_writer(out):
        before = {p.name: p.read_bytes() for p in out.iterdir()}
        for fresh in (False, True):
            with pytest.raises(UsageError, match="another process"):
                evaluate_files(Inputs((source,)), Options(fresh=fresh), out=out)
        with pytest.raises(UsageError, match="another process"):
            rescore_directory(out)
        assert {p.name: p.read_bytes() for p in out.iterdir()} == before
    rescore_directory(out)


def test_a_directory_that_was_made_for_nothing_goes_again(tmp_path: Path) -> None:
    with at.sole_writer(tmp_path / "a"):
        pass
    assert not (tmp_path / "a").exists()
    with at.sole_writer(tmp_path / "b"):
        (tmp_path / "b" / "file").write_text("x")
    assert (tmp_path / "b" / "file").exists()
