"""`ragdiag check` on the health of a set, and `evaluate --ann-exact`, as a user meets them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ragdiag.cli import main
from tests.runs import row, rows, write


@pytest.fixture
def ragdiag(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return call


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    other = row("other", query="Who audits Birch?", reference=["Kestrel"], slices={"year": "2016"})
    labels = [
        {"query_id": "right", "check": "faithfulness", "label": "faithful", "annotator": who}
        for who in "ab"
    ]
    return {
        "test": write(tmp_path / "test.jsonl", [row("right"), row("again"), other]),
        "dev": write(tmp_path / "dev.jsonl", [{"query_id": "d", "query": "who audits birch"}]),
        "labels": write(tmp_path / "labels.jsonl", labels),
        "log": write(tmp_path / "log.jsonl", [{"q": f"question {n}"} for n in range(3)]),
        "info": write(tmp_path / "info.json", [{"guideline": "guide.md"}]),
    }


def test_findings_are_told_worst_first_and_change_no_exit_code(  # type: ignore[no-untyped-def]
    ragdiag, files: dict[str, Path]
) -> None:
    code, out, err = ragdiag(
        "check", files["test"], "--dev", files["dev"], "--labels", files["labels"],
        "--traffic", files["log"], "--run-info", files["info"],
    )  # fmt: skip
    assert (code, err) == (0, "")
    told = out[out.index("Health of the set (2 different queries)") :]
    assert told.index("1 of 2 queries (50%) stand in the development set too: other = d") < (
        told.index("3 samples hold 2 different queries")
    )
    assert "→ take them out of one of the two" in told
    assert "traffic: not compared, 2 queries here and 3 there" in told
    assert "faithfulness 100% of pairs agree, alpha none, one label only (n 1)" in told
    assert "guideline" not in told
    assert all(len(line) <= 100 for line in told.splitlines())


def test_as_json(ragdiag, files: dict[str, Path]) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = ragdiag("check", files["test"], "--dev", files["dev"], "--json")
    assert code == 0
    health = json.loads(out)["health"]
    assert (health["n_samples"], health["n_queries"]) == (3, 2)
    assert [one["severity"] for one in health["findings"]] == sorted(
        (one["severity"] for one in health["findings"]), key=("wrong", "weak", "note").index
    )
    assert health["leakage"]["examples"] == [{"query_id": "other", "other": "d", "exact": True}]
    assert health["traffic"] is health["labels"] is None
    assert health["guideline"] is None
    assert any("--traffic" in one for one in health["not_told"])


@pytest.mark.parametrize("option", ["--dev", "--traffic", "--run-info"])
def test_a_file_that_cannot_be_read_is_exit_2(ragdiag, files: dict[str, Path], option: str) -> None:  # type: ignore[no-untyped-def]
    code, _, err = ragdiag("check", files["test"], option, files["test"].parent / "none.jsonl")
    assert code == 2
    assert "none.jsonl" in err


def test_a_broken_sample_does_not_hide_the_health_of_the_others(  # type: ignore[no-untyped-def]
    ragdiag, tmp_path: Path
) -> None:
    path = write(tmp_path / "s.jsonl", [row("a"), {"query_id": "b"}, row("c")])
    code, out, _ = ragdiag("check", path, "--json")
    assert code == 2
    assert json.loads(out)["health"]["n_samples"] == 2


# --- evaluate --ann-exact


@pytest.fixture
def exact(tmp_path: Path) -> Path:
    """The samples' first list is p2015, p2016, p2017; exact search finds p2017 in place of p2016."""
    names = [one["query_id"] for one in rows()]
    found = [{"query_id": name, "retrieved": ["p2015", "p2017"]} for name in names]
    return write(tmp_path / "exact.jsonl", found)


def report_of(out: Path) -> dict[str, Any]:
    return json.loads((out / "report.json").read_text(encoding="utf-8"))


def test_index_recall_stands_beside_relevance_recall(  # type: ignore[no-untyped-def]
    ragdiag, tmp_path: Path, exact: Path
) -> None:
    source, out = write(tmp_path / "s.jsonl", rows()), tmp_path / "out"
    evaluate = ("evaluate", source, "-o", out, "-k", "1,2", "--workers", "1")
    code, told, _ = ragdiag(*evaluate, "--ann-exact", exact)
    assert code == 0
    # At 1: four of five have p2015 first ("missed" has p2016). At 2: half, and none of "missed".
    assert "ANN recall   @1 0.800 · @2 0.400 (retrieved against exact search, n 5)" in told
    assert "recall       @1 0.000 · @2 0.000 (labelled evidence, same lists)" in told
    section = report_of(out)["ann"]
    assert section["metrics"]["ann_recall@1"]["value"] == 0.8
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["inputs"]["ann_exact"] == [str(exact)]
    assert len(manifest["ann_exact_hash"]) == 64
    assert "Recall of the index" in (out / "report.html").read_text(encoding="utf-8")

    assert ragdiag("rescore", out, "-k", "1")[0] == 0
    assert report_of(out)["ann"] == section

    assert ragdiag(*evaluate)[0] == 0  # resumed without exact lists: no section
    assert report_of(out)["ann"] is None
    assert "Recall of the index" not in (out / "report.html").read_text(encoding="utf-8")


def test_a_bad_exact_file_is_exit_2_and_nothing_is_written(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    source, out = write(tmp_path / "s.jsonl", rows()), tmp_path / "out"
    bad = tmp_path / "bad.trec"
    bad.write_text("q Q0 a 1 nan t\n")
    code, _, err = ragdiag("evaluate", source, "-o", out, "--ann-exact", bad)
    assert code == 2
    assert "bad.trec:1" in err
    assert not out.exists()
