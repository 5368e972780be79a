from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ragdiag.cli import main

Call = Callable[..., tuple[int, str, str]]
ROW = {"user_input": "Q", "response": "A", "retrieved_contexts": ["c"]}


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def ragdiag(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return ragdiag


def test_convert_then_check(tmp_path: Path, call: Call) -> None:
    path, out = tmp_path / "in.json", tmp_path / "out.jsonl"
    path.write_text(json.dumps([ROW]))
    code, told, _ = call("convert", path, "-o", out)
    assert code == 0
    assert told.splitlines() == [
        "read as ragas (names of 0.2 and later), JSON list: 1 sample",
        "  query_id made from the row number in 1",
        "  1 passage ids made from the text",
        f"wrote {out}",
        f"next   ragdiag evaluate {out} -o DIR",
    ]
    assert call("check", out)[0] == 0
    code, told, _ = call("convert", out, "-o", tmp_path / "back", "--to", "ragas", "--json")
    assert (code, json.loads(told)["n_samples"]) == (0, 1)


def test_a_file_is_checked_as_it_is_and_the_tool_is_named(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps([ROW]))
    code, told, _ = call("check", path)
    assert code == 0
    assert "read as ragas (names of 0.2 and later)" in told


def test_ids_without_text_and_what_is_lost_are_told(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "in.json"
    path.write_text(json.dumps([{"qid": 1, "query": "Q", "retrieved_ids": ["a"]}]))
    _, told, _ = call("convert", path, "-o", tmp_path / "out")
    assert "1 passages have an id and no text (--corpus FILE joins it)" in told
    _, told, _ = call("convert", path, "-o", tmp_path / "out", "--to", "deepeval")
    assert "not seen by deepeval: passage ids (in 1); kept in the column ragdiag" in told


@pytest.mark.parametrize(
    ("text", "args", "told"),
    [
        ('[{"response": "A", "retrieved_contexts": []}]', (), "it holds no question"),
        ('[{"a": 1}]', (), "not the structure of a known export"),
        ('[{"a": 1}]', ("--from", "x"), "--from takes one of ragas"),
        ('[{"a": 1}]', ("--from", "dial"), "it holds no question"),
        (json.dumps([ROW]), ("--to", "x"), "--to takes one of"),
        (None, (), "cannot be read"),
    ],
)
def test_refusals_are_one_sentence_and_exit_2(
    tmp_path: Path, call: Call, text: str | None, args: tuple[str, ...], told: str
) -> None:
    path = tmp_path / "in"
    if text is not None:
        path.write_text(text)
    code, out, err = call("convert", path, "-o", tmp_path / "out", *args)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "out").exists()
