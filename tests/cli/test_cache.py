"""`ragdiag cache`: told before anything goes, and only what was named."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragdiag.chat.cache_file import CacheFile
from ragdiag.cli.main import app
from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.records import JudgeFailure, Judgement, Verdict

REPLY = {"text": "{}", "input_tokens": 10, "output_tokens": 3}
DAY = 86_400


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An evaluation directory: four replies of two models, two old, three used."""
    folder = tmp_path / "out"
    file = CacheFile(folder / at.CACHE)
    file.write("k1", model="a", reply=REPLY)
    file.write("k2", model="a", reply=REPLY)
    file.write("k3", model="b", reply=REPLY)
    file.write("k4", model="b", reply={**REPLY, "input_tokens": None})
    file.close()
    with sqlite3.connect(folder / at.CACHE) as raw:
        raw.execute(
            "UPDATE replies SET created = created - ? WHERE key IN ('k1', 'k3')", (10 * DAY,)
        )
    raw.close()
    replies = (
        Verdict(query_id="q", check="support", trace="k1,k2"),
        JudgeFailure(query_id="q", check="correctness", reason="parse_failure", trace="k4"),
        Verdict(query_id="q", check="sufficiency"),
    )
    judgement = Judgement(query_id="q", sample_hash="h", replies=replies)
    (folder / at.VERDICTS).write_bytes(at.judgement_line(judgement))
    return folder


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["cache", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def keys(out: Path) -> set[str]:
    with sqlite3.connect(out / at.CACHE) as file:
        found = {row[0] for row in file.execute("SELECT key FROM replies")}
    file.close()
    return found


def test_stats(out: Path) -> None:
    found = json.loads(run("stats", str(out), "--json"))
    assert found["replies"] == 4
    assert found["models"] == {
        "a": {"replies": 2, "input_tokens": 20, "output_tokens": 6},
        "b": {"replies": 2, "input_tokens": None, "output_tokens": 6},
    }
    assert found["bytes"] > 0
    assert found["oldest"] < found["newest"]
    text = run("stats", str(out / at.CACHE))
    assert "4 replies" in text
    assert "b: 2 replies, tokens unknown in, 6 out" in text


def test_stats_of_an_empty_cache(tmp_path: Path) -> None:
    CacheFile(tmp_path / "c").close()
    found = json.loads(run("stats", str(tmp_path / "c"), "--json"))
    assert (found["replies"], found["oldest"], found["models"]) == (0, None, {})
    assert "0 replies" in run("stats", str(tmp_path / "c"))


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (("--older-than", "5"), {"k2", "k4"}),
        (("--model", "a"), {"k3", "k4"}),
        (("--model", "b", "--older-than", "5"), {"k1", "k2", "k4"}),
        (("--older-than", "100"), {"k1", "k2", "k3", "k4"}),
        (("--keep-used-by", "OUT"), {"k1", "k2", "k4"}),
        (("--keep-used-by", "OUT", "--model", "a"), {"k1", "k2", "k3", "k4"}),
    ],
)
def test_prune_tells_first_and_then_takes_what_all_criteria_name(
    out: Path, options: tuple[str, ...], left: set[str]
) -> None:
    named = [str(out) if option == "OUT" else option for option in options]
    told = json.loads(run("prune", str(out), *named, "--json"))
    assert (told["pruned"], told["dry_run"]) == (4 - len(left), True)
    assert len(keys(out)) == 4
    assert "would be deleted" in run("prune", str(out), *named)
    done = json.loads(run("prune", str(out), *named, "--json", "--yes"))
    assert (done["pruned"], done["replies"], done["dry_run"]) == (4 - len(left), 4, False)
    assert keys(out) == left
    assert "0 of" in run("prune", str(out), *named, "--yes")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("stats", "nowhere"), "no cache is there"),
        (("stats", "."), "no cache is there"),
        (("prune", "OUT"), "say which"),
        (("prune", "OUT", "--keep-used-by", "."), "is it an evaluation"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    out: Path, arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(out.parent)
    given: list[Any] = [str(out) if argument == "OUT" else argument for argument in arguments]
    with pytest.raises(UsageError, match=words):
        run(*given)
    assert len(keys(out)) == 4
    assert os.listdir(out.parent) == ["out"]
