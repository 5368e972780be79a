"""`ragdiag review` from an evaluation to labels: queue, static page, import, export, server."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag.cli import main
from ragdiag.data.labels import read_labels
from ragdiag.evaluation.reviewing import read_board
from tests.runs import rows, write

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


@pytest.fixture
def evaluated(ragdiag: Call, tmp_path: Path) -> Path:
    """Four queries, evaluated by the embedded screen, and a queue of them."""
    samples = write(tmp_path / "samples.jsonl", [one for one in rows() if "error" not in one])
    assert ragdiag("evaluate", samples, "-o", tmp_path / "run")[0] == 0
    assert ragdiag("sample", tmp_path / "run", "--audit", "12", "--slice", "none")[0] == 0
    return tmp_path / "run"


def queue_of(directory: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (directory / "queue.jsonl").read_text("utf-8").splitlines()
    ]


def static_lines(page: Path, annotator: str) -> list[dict[str, Any]]:
    """What a download of a static page holds, each item given its first label."""
    data = json.loads(page.read_text("utf-8").partition('id="data">')[2].partition("</script>")[0])
    units = data["guideline"]["units"]
    return [
        {**item["line"], "label": units[item["unit"]]["labels"][0][0], "annotator": annotator,
         "item_id": item["item_id"], "entry_id": f"entry-{annotator}-{item['item_id']}",
         "time": "2026-11-30T10:00:00Z"}
        for item in data["items"]
    ]  # fmt: skip


def test_a_static_page_comes_back_as_labels(ragdiag: Call, evaluated: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, err = ragdiag("review", evaluated, "--static", page)
    assert (code, err) == (0, "")
    download = write(tmp_path / "ann.jsonl", static_lines(page, "ann"))
    n = len(download.read_text().splitlines())
    assert f"{n} items" in out
    code, out, err = ragdiag(
        "review", evaluated, "--import", download, "--export", tmp_path / "o.jsonl"
    )
    assert (code, err) == (0, "")
    assert f"{n} labels added, 0 were there, 0 left out" in out
    labels = read_labels(tmp_path / "o.jsonl")
    assert len(labels) == n
    queue = {one["item_id"]: one for one in queue_of(evaluated)}
    for one in labels:
        extra = one.model_extra or {}
        item = queue[extra["item_id"]]
        assert extra.get("inclusion_probability") == item.get("inclusion_probability")
        assert (one.query_id, one.check, extra["queue"]) == (
            item["query_id"],
            item["check"],
            item["queue"],
        )
    other = [
        {**line, "label": "0"} for line in static_lines(page, "ann") if line["check"] == "relevance"
    ]
    again = write(
        tmp_path / "again.jsonl", [{**one, "entry_id": "again-" + one["item_id"]} for one in other]
    )
    code, out, err = ragdiag("review", evaluated, "--import", again)
    assert (code, out) == (0, f"0 labels added, 0 were there, {len(other)} left out\n")
    assert err.count("the latter is kept") == len(other) > 0


def test_no_queue_no_labels_no_name(ragdiag: Call, evaluated: Path, tmp_path: Path) -> None:
    code, _, err = ragdiag("review", evaluated, "--queue", tmp_path / "none.jsonl")
    assert code == 2
    assert "ragdiag sample" in err
    code, _, err = ragdiag("review", evaluated, "--export", tmp_path / "o.jsonl")
    assert code == 2
    assert "nobody has labelled yet" in err
    code, _, err = ragdiag("review", evaluated, "--annotator", " ")
    assert code == 2
    assert "--annotator" in err
    code, _, err = ragdiag("review", evaluated, "--import", tmp_path / "none.jsonl")
    assert code == 2
    assert "no such file" in err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"item_hash": None}, "item_hash must be a string"),
        ({"unit": "support", "check": "sufficiency"}, "do not belong together"),
        ({"unit": "support", "check": "support", "claim": None}, "claim must be"),
        ({"unit": "poetry"}, "do not belong together"),
    ],
)
def test_a_queue_that_is_none_is_told_line_by_line(
    ragdiag: Call, evaluated: Path, change: dict[str, Any], says: str
) -> None:
    lines = queue_of(evaluated)
    lines[1] |= change
    queue = write(evaluated / "other.jsonl", [*lines, lines[0]])
    code, _, err = ragdiag("review", evaluated, "--queue", queue)
    assert code == 2
    assert f"{queue}:2" in err
    assert says in err
    assert "is there twice" in err


def test_an_edited_sample_refuses_its_items(ragdiag: Call, evaluated: Path, tmp_path: Path) -> None:
    changed = [{**one, "query": "And what was the revenue of Alder?"} if one["query_id"] == "wrong" else one
               for one in rows() if "error" not in one and one["query_id"] != "missed"]  # fmt: skip
    samples = write(tmp_path / "samples.jsonl", changed)
    queue = (evaluated / "queue.jsonl").read_bytes()
    assert ragdiag("evaluate", samples, "-o", evaluated, "--fresh")[0] == 0
    (evaluated / "queue.jsonl").write_bytes(queue)
    by_query: dict[str, set[str | None]] = {}
    for item in read_board(evaluated).items.values():
        by_query.setdefault(item.line["query_id"], set()).add(
            item.refusal and item.refusal.partition(";")[0]
        )
    assert by_query.pop("wrong") == {"its sample has changed since the queue was drawn"}
    assert by_query.pop("missed") == {"its query is not in this evaluation"}
    assert set().union(*by_query.values()) == {None}


def test_it_serves_on_loopback_with_a_token_until_interrupted(evaluated: Path) -> None:
    started = subprocess.Popen(
        [sys.executable, "-m", "ragdiag", "review", str(evaluated), "--no-browser", "--annotator", "Zoë"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    try:
        assert started.stdout is not None
        first, second = started.stdout.readline(), started.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", second)
        assert address is not None
        assert first.startswith("Zoë: ")
        with urllib.request.urlopen(address[0]) as reply:
            assert "ragdiag review" in reply.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            urllib.request.urlopen(address[0][:-1])
        refused.value.close()
    finally:
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=30)
    assert (started.returncode, "Traceback" in err) == (130, False)
