"""`ragdiag plot`: what it reads, which files it writes, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragdiag.cli import main
from ragdiag.evaluation.plotting import plot
from ragdiag.report.charts import draw
from ragdiag.report.charts.look import Look
from tests import charted

needs_plots = pytest.mark.skipif(bool(draw.missing()), reason="the extra `plots` is not installed")
KEYS: dict[str, Any] = {
    "unit": "passage", "zero_recall": [], "examples": {}, "latency": {}, "ledger": {}, "warnings": [],
}  # fmt: skip
COMPARED = charted.comparison(charted.difference("recall@5", 0.03, 0.01, 0.05))


@pytest.fixture
def ragdiag(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*args: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragdiag", "plot", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return stop.value.code, told.out, told.err

    return call


@pytest.fixture
def evaluated(tmp_path: Path) -> Path:
    directory = tmp_path / "evaluation"
    directory.mkdir()
    write(directory / "report.json", charted.report(**KEYS))
    return directory


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content))
    return path


@needs_plots
def test_all_that_can_be_drawn_and_why_the_rest_cannot(ragdiag, evaluated: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, err = ragdiag(evaluated)
    assert (code, err) == (0, "")
    assert sorted(path.name for path in (evaluated / "charts").iterdir()) == [
        "categories.svg", "recall.svg", "slices.svg",
    ]  # fmt: skip
    assert "fixfirst    not drawn: fix_first is not in this report: `ragdiag rescore DIR`" in out
    assert f"recall      {evaluated / 'charts' / 'recall.svg'}" in out
    assert "R3 ranked below cutoff" in charted.texts(
        (evaluated / "charts/categories.svg").read_text()
    )


@needs_plots
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_one_chart_into_a_file_by_its_suffix(
    ragdiag, evaluated: Path, tmp_path: Path, suffix: str
) -> None:  # type: ignore[no-untyped-def]
    to = tmp_path / "new" / f"where.{suffix}"
    code, _, err = ragdiag(
        evaluated / "report.json", "--chart", "recall", "-o", to, "--theme", "dark"
    )
    assert (code, err) == (0, "")
    assert to.read_bytes().startswith(b"<svg" if suffix == "svg" else b"\x89PNG")
    assert [path.name for path in to.parent.iterdir()] == [to.name]


@needs_plots
def test_several_charts_into_a_folder_of_pngs(evaluated: Path, tmp_path: Path) -> None:
    done = plot(
        evaluated,
        output=tmp_path / "out",
        names=["slices", "recall", "slices"],
        form="png",
        scale=1,
    )
    assert list(done.files) == ["slices", "recall"]
    assert done.left_out == {}
    for path in done.files.values():
        assert path.read_bytes()[16:20] == (860).to_bytes(4, "big")


@needs_plots
def test_a_comparison_is_told_by_what_it_holds(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    named = write(tmp_path / "mine.json", COMPARED)
    code, out, _ = ragdiag(named, "-o", tmp_path / "out")
    assert (code, out.split()[::2]) == (0, ["compare", "tradeoff"])
    code, out, _ = ragdiag(write(tmp_path / "compare.json", COMPARED).parent)
    assert (code, out.split()[::2]) == (0, ["compare", "tradeoff"])


@needs_plots
def test_a_directory_with_both(evaluated: Path) -> None:
    write(evaluated / "compare.json", COMPARED)
    assert [*plot(evaluated).files] == ["categories", "recall", "slices", "compare", "tradeoff"]


@needs_plots
def test_characters_that_no_font_has_are_named(evaluated: Path) -> None:
    report = charted.report(**KEYS, run={"name": "\ue123"})
    write(evaluated / "report.json", report)
    done = plot(evaluated, names=["recall"], form="png", scale=1)
    assert [w[:50] for w in done.warnings] == ["no font on this machine shows 1 character of the l"]
    assert plot(evaluated, names=["recall"]).warnings == ()


@needs_plots
@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--chart", "pie"], "--chart takes categories, fixfirst,"),
        (["--chart", "compare"], "the chart compare is drawn from a compare.json"),
        (["--chart", "funnel"], "the chart funnel cannot be drawn: funnel_stages is not in"),
        (["--metric", "recall"], "--metric needs one --chart of recall, slices, compare, tradeoff"),
        (["--metric", "x", "--chart", "categories"], "--metric needs one --chart"),
        (["--slice", "year", "--chart", "recall"], "--slice needs one --chart of slices, compare"),
        (["--slice", "month", "--chart", "slices"], "no slice 'month' here; it has year"),
        (["-o", "all.svg"], "all.svg is one file: name one --chart"),
        (["-o", "a.svg", "--chart", "recall", "--format", "png"], "name two formats"),
        (["-o", "a.pdf"], "-o a.pdf is no .svg, no .png and no folder"),
        (["-o", "evaluation/report.json"], "is no .svg, no .png and no folder"),
        (["--format", "pdf"], "--format takes svg or png; came 'pdf'"),
        (["--theme", "blue"], "--theme takes light or dark; came 'blue'"),
        (["--scale", "0"], "--scale takes 0.1 to 4; came 0"),
        (["--scale", "nan"], "--scale takes a number"),
        (["--width", "400"], "--width 400 is too narrow for this chart"),
    ],
)
def test_what_cannot_work_is_said_and_nothing_written(  # type: ignore[no-untyped-def]
    ragdiag,
    evaluated: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = ragdiag(evaluated, *args)
    assert (code, out) == (2, "")
    assert told in err
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["report.json"]


@needs_plots
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"a": 1}, "is neither an evaluation directory, nor its report.json, nor a compare.json"),
        ({**COMPARED, "schema_version": 2}, "is of another schema_version than 1; compare again"),
        ({"pairs": [], "runs": []}, "lacks baseline, n_shared; compare again"),
        ({**COMPARED, "pairs": [{"rows": []}]}, "no chart can be drawn"),
        ({**COMPARED, "pairs": [{"rows": [{}]}]}, "lacks 'slice', which the chart compare needs"),
    ],
)
def test_a_file_that_is_no_comparison(
    ragdiag, tmp_path: Path, content: dict[str, Any], told: str
) -> None:  # type: ignore[no-untyped-def]
    code, _, err = ragdiag(write(tmp_path / "x.json", content))
    assert (code, told in err) == (2, True), err


@needs_plots
def test_a_place_that_is_not_there(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, err = ragdiag(tmp_path / "nowhere")
    assert (code, f"is {tmp_path / 'nowhere'} an evaluation directory?" in err) == (2, True)
    code, _, err = ragdiag(tmp_path / "compare.json")
    assert (code, "compare.json is not there" in err) == (2, True)


@needs_plots
def test_an_empty_report(ragdiag, evaluated: Path) -> None:  # type: ignore[no-untyped-def]
    empty = charted.report(**KEYS, n_diagnosed=0, slices={}, stages={}, metrics={})
    write(evaluated / "report.json", empty)
    code, _, err = ragdiag(evaluated)
    assert code == 2
    assert "no chart can be drawn (categories: no query has a category" in err
    assert not (evaluated / "charts").exists()


def test_without_the_extra_nothing_is_read(
    ragdiag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(draw, "find_spec", lambda name: None)
    code, _, err = ragdiag(tmp_path / "nowhere")
    assert (code, "pip install 'ragdiag-eval[plots]'" in err) == (2, True)


def test_reading_and_specifying_need_no_drawing_package() -> None:
    script = "import sys, ragdiag.report.charts, ragdiag.evaluation.plotting, ragdiag.cli.plot; "
    script += "print([n for n in ('altair', 'vl_convert', 'narwhals') if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@needs_plots
def test_the_default_look_is_light(evaluated: Path) -> None:
    path = plot(evaluated, names=["recall"]).files["recall"]
    assert f'fill="{Look().palette.background}"' in path.read_text()
