"""`ragdiag split`, and the count of looks at the test split."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag.cli import main
from tests.runs import row, write

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ragdiag(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return call


def sample(n: int, document: str | None, **more: Any) -> dict[str, Any]:
    gold = (
        None
        if document is None
        else [[{"passage_id": "p2017", "doc_id": name} for name in document.split()]]
    )
    return row(f"q{n}", query=f"What was the revenue of Alder in 2017? ({n})", gold=gold, **more)


def ids(path: Path) -> list[str]:
    return [json.loads(line)["query_id"] for line in path.read_text().splitlines()]


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """30 samples on 10 documents, three each."""
    return write(
        tmp_path / "samples.jsonl",
        [sample(n, f"d{n % 10}", slices={"family": f"f{n % 5}"}) for n in range(30)],
    )


def test_no_document_is_on_both_sides(ragdiag: Call, samples: Path, tmp_path: Path) -> None:
    out = tmp_path / "split"
    code, told, err = ragdiag("split", samples, "-o", out, "--test", "0.3")
    assert (code, err) == (0, "")
    assert "30 samples in 10 groups by document" in told
    dev, test = ids(out / "dev.jsonl"), ids(out / "test.jsonl")
    assert (len(dev), len(test)) == (21, 9)
    assert {int(one[1:]) % 10 for one in dev}.isdisjoint({int(one[1:]) % 10 for one in test})
    found = json.loads((out / "split.json").read_text())
    assert (found["looks"], found["seed"], found["by"]) == (0, 0, ["document"])
    assert found["groups"] == {"n": 10, "n_test": 3, "n_dev": 7, "largest": 3}
    text = (out / "test.jsonl").read_bytes()
    assert found["files"]["test"]["sha256"] == hashlib.sha256(text).hexdigest()
    assert found["slices"]["family"]["f0"]["dev"] + found["slices"]["family"]["f0"]["test"] == 6


@pytest.mark.parametrize("by", ["document", "query"])
def test_the_order_of_the_samples_changes_nothing(ragdiag: Call, tmp_path: Path, by: str) -> None:
    rows = [sample(n, f"doc-{n % 13}", slices={"kind": f"k{n % 3}"}) for n in range(40)]
    told: list[list[str]] = []
    for name, order in (("as", rows), ("turned", rows[::-1]), ("mixed", rows[1::2] + rows[::2])):
        file = tmp_path / f"{name}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in order), "utf-8")
        assert ragdiag("split", file, "-o", tmp_path / name, "--by", by, "--test", "0.4")[0] == 0
        told.append(sorted(ids(tmp_path / name / "test.jsonl")))
    assert told[0] == told[1] == told[2]
    assert 12 <= len(told[0]) <= 20


def test_an_empty_file_is_said(ragdiag: Call, tmp_path: Path) -> None:
    file = tmp_path / "e.jsonl"
    file.write_text("", "utf-8")
    code, _, err = ragdiag("split", file, "-o", tmp_path / "out")
    assert (code, "there is no sample to split" in err) == (2, True)
    assert not (tmp_path / "out").exists()


def test_lines_are_kept_as_they_stand(ragdiag: Call, tmp_path: Path) -> None:
    lines = [
        '{"query":  "é \\u00e9 1?", "query_id": "a", "unknown": 1.50, "gold": [[{"doc_id": "x"}]]}',
        '{"query_id":"b","query":"2?","gold":[[{"doc_id":"y"}]]} ',
    ]
    (tmp_path / "s.jsonl").write_text("\ufeff" + "\n\n".join(lines), encoding="utf-8")
    assert ragdiag("split", tmp_path / "s.jsonl", "-o", tmp_path / "out", "--test", "0.5")[0] == 0
    kept = [
        (tmp_path / "out" / name).read_text(encoding="utf-8")
        for name in ("dev.jsonl", "test.jsonl")
    ]
    assert sorted(kept) == sorted(f"{line}\n" for line in lines)


def test_by_a_slice_and_by_several(ragdiag: Call, samples: Path, tmp_path: Path) -> None:
    code, told, _ = ragdiag("split", samples, "-o", tmp_path / "a", "--by", "family", "--json")
    assert code == 0
    assert json.loads(told)["groups"]["n"] == 5
    # documents d0 and d5 are of one family: 10 documents hang together as 5
    code, told, _ = ragdiag(
        "split", samples, "-o", tmp_path / "b", "--by", "document, family", "--json"
    )
    assert json.loads(told)["groups"]["n"] == 5


def test_the_same_query_stays_together(ragdiag: Call, tmp_path: Path) -> None:
    lines = [sample(n, f"d{n}") for n in range(10)]
    lines += [
        {**lines[n], "query_id": f"again{n}", "query": lines[n]["query"].upper() + " "}
        for n in range(10)
    ]
    write(tmp_path / "s.jsonl", lines)
    for by in ("document", "query"):
        code, told, _ = ragdiag(
            "split", tmp_path / "s.jsonl", "-o", tmp_path / by, "--by", by, "--json"
        )
        assert code == 0
        found = json.loads(told)
        assert found["groups"]["n"] == 10
        test = ids(tmp_path / by / "test.jsonl")
        assert {one.removeprefix("again").removeprefix("q") for one in test if one[0] == "q"} == {
            one.removeprefix("again") for one in test if one[0] == "a"
        }


def test_a_giant_group_is_said(ragdiag: Call, tmp_path: Path) -> None:
    lines = [sample(n, "hub other" if n < 18 else f"d{n}") for n in range(20)] + [sample(20, None)]
    write(tmp_path / "s.jsonl", lines)
    code, told, _ = ragdiag("split", tmp_path / "s.jsonl", "-o", tmp_path / "out")
    assert code == 0
    assert "the test split holds 14.3% of the samples, 30% were wanted: 4 groups" in told
    assert (
        "the largest holds 18 of 21 (86%) (document 'hub' alone joins 18)" in told
        or "'other'" in told
    )
    assert "1 of 21 samples have no document" in told
    assert "the dev split has 1 group" in told


@pytest.mark.parametrize(
    ("documents", "args", "told"),
    [
        (["x", "x y", "y"], (), "3 samples hang together by document (document"),
        (["x"], (), "1 samples hang together"),
        ([None, None], (), "no sample says its gold document"),
        (["x", "y"], ("--by", "yeer"), "--by yeer: no sample has this slice; did you mean year?"),
        (["x", "y"], ("--by", ","), "--by takes document"),
        ([], (), "no sample to split"),
        (["x", "y"], ("--test", "1"), "--test lies between 0 and 1"),
        (["x", "y"], ("--test", "nan"), "--test lies between 0 and 1"),
    ],
)
def test_what_cannot_be_split(
    ragdiag: Call, tmp_path: Path, documents: list[str | None], args: tuple[str, ...], told: str
) -> None:
    write(tmp_path / "s.jsonl", [sample(n, one) for n, one in enumerate(documents)])
    code, out, err = ragdiag("split", tmp_path / "s.jsonl", "-o", tmp_path / "out", *args)
    assert (code, out) == (2, "")
    assert told in err
    assert not (tmp_path / "out").exists()


def test_broken_rows_and_repeated_ids_are_named(ragdiag: Call, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(
        '{"query_id": "a", "query": "1"}\n{"query_id": "a", "query": "2"}\n'
    )
    code, _, err = ragdiag("split", tmp_path / "s.jsonl", "-o", tmp_path / "out")
    assert code == 2
    assert "s.jsonl:2" in err
    assert not (tmp_path / "out").exists()


def test_a_split_is_not_made_twice(ragdiag: Call, samples: Path, tmp_path: Path) -> None:
    assert ragdiag("split", samples, "-o", tmp_path / "out")[0] == 0
    code, _, err = ragdiag("split", samples, "-o", tmp_path / "out", "--seed", "1")
    assert code == 2
    assert "a split that was looked at is not made anew" in err


def test_other_formats_become_native_lines(ragdiag: Call, tmp_path: Path) -> None:
    rows = [
        {"question": f"{n}?", "answer": "a", "contexts": ["x"], "ground_truth": "b", "id": str(n)}
        for n in range(8)
    ]
    (tmp_path / "ragas.json").write_text(json.dumps(rows))
    code, _, err = ragdiag(
        "split", tmp_path / "ragas.json", "-o", tmp_path / "out", "--by", "query"
    )
    assert code == 0, err
    assert len(ids(tmp_path / "out" / "dev.jsonl") + ids(tmp_path / "out" / "test.jsonl")) == 8


@pytest.fixture
def split(ragdiag: Call, samples: Path, tmp_path: Path) -> Path:
    assert ragdiag("split", samples, "-o", tmp_path / "split")[0] == 0
    return tmp_path / "split"


def look(ragdiag: Call, out: Path, *args: str | Path) -> dict[str, Any]:
    code, told, err = ragdiag("evaluate", *args, "-o", out, "--json")
    assert code == 0, err
    return json.loads(told)


def looks(split: Path) -> int:
    return json.loads((split / "split.json").read_text())["looks"]


def warned(report: dict[str, Any]) -> list[str]:
    return [one for one in report["warnings"] if one.startswith("test split")]


def test_the_second_look_warns(ragdiag: Call, split: Path, tmp_path: Path) -> None:
    test = split / "test.jsonl"
    (tmp_path / "info.json").write_text('{"name": "bm25"}')
    assert warned(look(ragdiag, tmp_path / "one", test, "--run-info", tmp_path / "info.json")) == []
    found = json.loads((split / "split.json").read_text())
    assert found["looks"] == 1
    assert found["looked"][0]["run"] == "bm25"
    assert found["looked"][0]["evaluation"] == str(tmp_path / "one")
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["test_split"] == {"split": str(split / "split.json"), "look": 1}
    report = look(ragdiag, tmp_path / "two", test)
    (told,) = warned(report)
    assert told.startswith("test split looked at 2 times: its figures flatter")
    assert "flatter" in told
    assert warned(json.loads((tmp_path / "two" / "report.json").read_text())) == [told]
    assert told[:40] in (tmp_path / "two" / "report.html").read_text()
    code, _, _ = ragdiag("rescore", tmp_path / "two", "-k", "1,5")
    assert code == 0
    assert warned(json.loads((tmp_path / "two" / "report.json").read_text())) == [told]
    assert looks(split) == 2


def test_a_resume_is_no_other_look_and_other_settings_are(
    ragdiag: Call, split: Path, tmp_path: Path
) -> None:
    test = split / "test.jsonl"
    for _ in range(3):
        assert warned(look(ragdiag, tmp_path / "one", test)) == []
    assert looks(split) == 1
    assert len(warned(look(ragdiag, tmp_path / "one", test, "--require-citations", "--fresh"))) == 1
    assert looks(split) == 2
    assert len(warned(look(ragdiag, tmp_path / "one", test, "--require-citations"))) == 1
    assert looks(split) == 2


def test_the_development_split_is_not_counted(ragdiag: Call, split: Path, tmp_path: Path) -> None:
    look(ragdiag, tmp_path / "one", split / "dev.jsonl")
    assert looks(split) == 0


def test_the_same_queries_in_another_file_are_a_look(
    ragdiag: Call, split: Path, tmp_path: Path
) -> None:
    lines = [json.loads(line) for line in (split / "test.jsonl").read_text().splitlines()]
    write(split / "run.jsonl", [{**line, "answer": "no"} for line in reversed(lines)])
    look(ragdiag, tmp_path / "one", split / "run.jsonl")
    assert looks(split) == 1
    (split / "test.jsonl.gz").write_bytes(gzip.compress((split / "test.jsonl").read_bytes()))
    look(ragdiag, tmp_path / "two", split / "test.jsonl.gz")
    assert looks(split) == 2
    write(split / "half.jsonl", lines[:3])
    look(ragdiag, tmp_path / "three", split / "half.jsonl")
    assert looks(split) == 2  # other queries than the split's


@pytest.mark.parametrize("place", ["copy.jsonl", "runs/copy.jsonl", "split/deeper/copy.jsonl"])
def test_a_copy_near_the_split_is_a_look(
    ragdiag: Call, split: Path, tmp_path: Path, place: str
) -> None:
    copy = tmp_path / place
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes((split / "test.jsonl").read_bytes())
    look(ragdiag, tmp_path / "one", copy)
    assert looks(split) == 1


def test_a_copy_under_the_working_directory_is_a_look(
    ragdiag: Call, split: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / "far" / "off" / "away"
    far.mkdir(parents=True)
    (far / "copy.jsonl").write_bytes((split / "test.jsonl").read_bytes())
    look(ragdiag, tmp_path / "one", far / "copy.jsonl")
    assert looks(split) == 0
    monkeypatch.chdir(tmp_path)
    look(ragdiag, tmp_path / "two", far / "copy.jsonl")
    assert looks(split) == 1


def test_queries_and_run_in_two_files_are_a_look(
    ragdiag: Call, split: Path, tmp_path: Path
) -> None:
    run = [
        {"query_id": one, "retrieved": ["x"], "answer": "no"} for one in ids(split / "test.jsonl")
    ]
    write(tmp_path / "run.jsonl", run)
    queries = [json.loads(line) for line in (split / "test.jsonl").read_text().splitlines()]
    write(
        split / "queries.jsonl",
        [{k: line[k] for k in ("query_id", "query", "gold")} for line in queries],
    )
    look(
        ragdiag,
        tmp_path / "one",
        "--queries",
        split / "queries.jsonl",
        "--run",
        tmp_path / "run.jsonl",
    )
    assert looks(split) == 1


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"kind": "ragdiag split"}', '{"kind": "ragdiag split", "files": 5}']
)
def test_another_split_json_is_left_alone(
    ragdiag: Call, split: Path, tmp_path: Path, text: str
) -> None:
    (split / "split.json").write_text(text)
    assert warned(look(ragdiag, tmp_path / "one", split / "test.jsonl")) == []
    assert (split / "split.json").read_text() == text


def test_a_look_that_cannot_be_counted_is_said(
    ragdiag: Call, split: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragdiag.evaluation import looks as counting  # noqa: PLC0415

    write_atomically = counting.at.write_atomically

    def refuse(path: Path, text: str) -> None:
        if path.name == "split.json":
            raise OSError(30, "Read-only file system", str(path))
        write_atomically(path, text)

    monkeypatch.setattr(counting.at, "write_atomically", refuse)
    (told,) = warned(look(ragdiag, tmp_path / "one", split / "test.jsonl"))
    assert "could not be counted" in told
    assert "Read-only file system" in told


def test_python_looks_too(split: Path) -> None:
    from ragdiag import Settings, evaluate  # noqa: PLC0415

    assert warned(evaluate(split / "test.jsonl").report) == []
    assert warned(evaluate(split / "test.jsonl").report) == []  # the same figures again
    assert len(warned(evaluate(split / "test.jsonl", settings=Settings(k=(7,))).report)) == 1
    assert looks(split) == 2
    evaluate(split / "dev.jsonl")
    evaluate([row("q1")])
    assert looks(split) == 2


PIPELINE = """
def answer(query):
    return {"answer": "no", "retrieved": ["x"]}
"""


@pytest.fixture
def collected(ragdiag: Call, split: Path, tmp_path: Path) -> Path:
    """What a pipeline answered to the test split, in another directory."""
    (tmp_path / "rag.py").write_text(PIPELINE)
    return collect(ragdiag, tmp_path, split / "test.jsonl", "run.jsonl")


def collect(ragdiag: Call, place: Path, queries: Path, name: str, *args: str | Path) -> Path:
    out = place / "far" / "elsewhere" / name
    code, _, err = ragdiag(
        "collect", queries, "--pipeline", f"{place / 'rag.py'}:answer", "-o", out, *args
    )
    assert code == 0, err
    return out


def test_what_was_collected_from_the_test_split_is_a_look(
    ragdiag: Call, split: Path, collected: Path, tmp_path: Path
) -> None:
    info = collected.with_name("run.run-info.json")
    noted = json.loads(info.read_text())["test_split"]
    test = json.loads((split / "split.json").read_text())["files"]["test"]
    assert noted == {
        "split": str((split / "split.json").resolve()),
        "queries_hash": test["queries_hash"],
    }
    code, _, err = ragdiag("evaluate", collected, "-o", tmp_path / "one")
    assert (code, looks(split)) == (0, 1)
    assert f"look 1 at the test split, counted in {(split / 'split.json').resolve()}" in err
    moved = tmp_path / "far" / "off" / "away" / "moved.jsonl"
    moved.parent.mkdir(parents=True)
    moved.write_bytes(collected.read_bytes())
    assert warned(look(ragdiag, tmp_path / "two", moved)) == []  # nothing says what it is
    report = look(ragdiag, tmp_path / "three", moved, "--run-info", info)
    assert report["warnings"][0].startswith("test split looked at 2 times: its figures flatter")
    assert looks(split) == 2
    assert "test_split" not in report["run"]  # of the samples, no fact of the run


def test_other_queries_note_no_split(
    ragdiag: Call, split: Path, collected: Path, tmp_path: Path
) -> None:
    """Nor do the facts of an earlier run that are handed on."""
    info = collected.with_name("run.run-info.json")
    again = tmp_path / "again.json"
    kept = {
        key: value
        for key, value in json.loads(info.read_text()).items()
        if key in ("test_split", "k")
    }
    again.write_text(json.dumps({**kept, "k": 5}))
    dev = collect(ragdiag, tmp_path, split / "dev.jsonl", "dev.jsonl", "--run-info", again)
    facts = json.loads(dev.with_name("dev.run-info.json").read_text())
    assert ("test_split" in facts, facts["k"]) == (False, 5)
    look(ragdiag, tmp_path / "one", dev, "--run-info", dev.with_name("dev.run-info.json"))
    assert looks(split) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "it is gone"),
        ("{}", "it is no split"),
        ('{"kind": "ragdiag split", "files": {"test": {"queries_hash": "x"}}}', "of another split"),
    ],
)
def test_a_split_that_is_not_there_any_more_is_said(
    ragdiag: Call, split: Path, collected: Path, tmp_path: Path, text: str | None, told: str
) -> None:
    place = split / "split.json"
    place.unlink() if text is None else place.write_text(text)
    (warning,) = warned(look(ragdiag, tmp_path / "one", collected))
    assert "this look could not be counted" in warning
    assert told in warning


@pytest.mark.parametrize(
    "facts", ["", "[]", '{"test_split": "mine"}', '{"test_split": {"split": 5}}']
)
def test_other_run_facts_are_left_alone(
    ragdiag: Call, split: Path, collected: Path, tmp_path: Path, facts: str
) -> None:
    collected.with_name("run.run-info.json").write_text(facts)
    assert warned(look(ragdiag, tmp_path / "one", collected)) == []
    assert looks(split) == 0


def test_python_follows_the_facts_beside(split: Path, collected: Path) -> None:
    from ragdiag import Settings, evaluate  # noqa: PLC0415

    evaluate(collected)
    assert len(warned(evaluate(collected, settings=Settings(k=(7,))).report)) == 1
    assert looks(split) == 2
