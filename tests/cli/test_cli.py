"""The command line as a user meets it: exit codes, streams, messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from ragdiag.cli import main, progress
from ragdiag.cli.options import parse_cutoffs, parse_metrics, parse_unit
from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.report import numbers
from tests.runs import CountingJudge, row, rows, use, write

COMMANDS = ("evaluate", "check", "rescore", "report", "explain")


class Ran:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def ragdiag(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*args: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return Ran(stop.value.code, told.out, told.err)

    return call


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "s.jsonl", rows())


@pytest.fixture
def done(ragdiag, source: Path, tmp_path: Path) -> Path:  # type: ignore[no-untyped-def]
    out = tmp_path / "out"
    assert ragdiag("evaluate", source, "-o", out).code == 0
    return out


# --- help and version


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help(ragdiag, command: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag(*command, "--help")
    assert ran.code == 0
    assert "Usage: ragdiag" in ran.out
    assert ran.err == ""
    if not command:
        assert all(name in ran.out for name in COMMANDS)


def test_version(ragdiag) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag("--version")
    assert (ran.code, ran.out.strip()) == (0, version("ragdiag-eval"))


@pytest.mark.parametrize("args", [("nothing",), ("evaluate", "--nothing"), ("rescore",)])
def test_what_typer_refuses_is_exit_2(ragdiag, args: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag(*args)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err


# --- evaluate


def test_evaluate_prints_a_summary_on_stdout_only(ragdiag, source: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag("evaluate", source, "-o", tmp_path / "out")
    assert ran.code == 0
    assert "5 queries" in ran.out
    assert str(tmp_path / "out" / at.PAGE) in ran.out.replace("\n", "")
    assert ran.err == ""


def test_json_is_the_report_and_nothing_else(ragdiag, source: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag("evaluate", source, "-o", tmp_path / "out", "--json")
    assert ran.code == 0
    assert json.loads(ran.out) == json.loads((tmp_path / "out" / at.REPORT).read_text())
    assert ran.err == ""


def test_options_reach_the_report(ragdiag, source: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag(
        "evaluate", source, "-o", tmp_path / "out", "--json", "-k", "5,2,2", "--unit", "document",
        "--metrics", "recall, hit",
    )  # fmt: skip
    report = json.loads(ran.out)
    assert (report["k"], report["unit"]) == ([2, 5], "document")
    assert set(report["metrics"]) == {"recall@2", "recall@5", "hit@2", "hit@5"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-k", "0"), "-k takes whole numbers from 1"),
        (("-k", "1,x"), "came '1,x'"),
        (("--near-duplicates", "merge"), "--near-duplicates takes one of report, collapse"),
        (("--unit", "chunk"), "--unit takes one of passage, page, document, object"),
        (("--metrics", "recal"), "no metric 'recal'; known: "),
        (("--metrics", ","), "no metric ','"),
        (("--judge", "oracle"), "no judge 'oracle'"),
        (("--queries", "q.jsonl"), "not both"),
        (("--max-errors", "2"), "max-errors"),
        (("--concurrency", "0"), "concurrency"),
    ],
)
def test_options_that_cannot_work_are_exit_2(  # type: ignore[no-untyped-def]
    ragdiag, source: Path, tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    ran = ragdiag("evaluate", source, "-o", tmp_path / "out", *options)
    assert ran.code == 2
    assert told in ran.err
    assert ran.out == ""
    assert not (tmp_path / "out").exists()


def test_near_duplicates_are_reported_or_collapsed_and_never_mixed(  # type: ignore[no-untyped-def]
    ragdiag, tmp_path: Path
) -> None:
    copy = {"passage_id": "copy", "doc_id": "other", "text": "revenue of Alder was $92017 in 2017"}
    retrieved = [copy, *row("x")["retrieved"]]
    source = write(tmp_path / "s.jsonl", [row("q", retrieved=retrieved)])
    out = tmp_path / "out"
    ran = ragdiag("evaluate", source, "-o", out)
    assert "duplicates   1 passage repeats another's text in 1 query: reported only" in ran.out
    report = json.loads((out / at.REPORT).read_text())
    assert report["near_duplicates"] == {"treatment": "report", "n_queries": 1, "n_passages": 1}
    assert report["flags"]["near_duplicates"] == 1
    assert report["metrics"]["hit@1"]["value"] == 0
    refused = ragdiag("evaluate", source, "-o", out, "--near-duplicates", "collapse")
    assert refused.code == 2
    assert "near_duplicates: report there, collapse now" in refused.err
    ragdiag("evaluate", source, "-o", out, "--near-duplicates", "collapse", "--fresh")
    assert json.loads((out / at.MANIFEST).read_text())["settings"]["near_duplicates"] == "collapse"
    collapsed = json.loads((out / at.REPORT).read_text())
    assert collapsed["near_duplicates"]["treatment"] == "collapse"
    assert collapsed["metrics"]["hit@1"]["value"] == 1
    assert json.loads(ragdiag("rescore", out, "--json").out) == collapsed
    assert "one text: copy, p2017" in ragdiag("explain", "q", "-d", out).out


def test_gold_given_as_retrieved_is_a_warning_and_no_score(  # type: ignore[no-untyped-def]
    ragdiag, tmp_path: Path
) -> None:
    copied = [row(name, retrieved=row(name)["retrieved"][2:]) for name in ("a", "b")]
    out = tmp_path / "out"
    source = write(tmp_path / "s.jsonl", copied)
    report = json.loads(ragdiag("evaluate", source, "-o", out, "--json").out)
    recall = report["metrics"]["recall@5"]
    assert (recall["value"], recall["reasons"]) == (None, {"gold_as_retrieved": 2})
    assert any("no retriever is measured" in line for line in report["warnings"])
    assert json.loads((out / at.MANIFEST).read_text())["settings"]["gold_as_retrieved"] is True
    assert json.loads(ragdiag("rescore", out, "--json").out) == report
    more = write(tmp_path / "more.jsonl", [*copied, row("c")])
    report = json.loads(ragdiag("evaluate", more, "-o", tmp_path / "other", "--json").out)
    assert report["metrics"]["recall@5"]["value"] == 1


def test_no_files_are_exit_2(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag("evaluate", "-o", tmp_path / "out")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing to read" in ran.err


def test_bad_data_is_exit_2_with_its_places(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"query_id": "a", "query": "q"}\n{"query_id": "b"}\nnot json\n')
    ran = ragdiag("evaluate", bad, "-o", tmp_path / "out")
    assert (ran.code, ran.out) == (2, "")
    assert "2 problems in the input" in ran.err
    assert "bad.jsonl:2: query: " in ran.err
    assert "bad.jsonl:3: " in ran.err
    assert not (tmp_path / "out").exists()


def test_a_missing_file_is_exit_2(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    absent = tmp_path / "none.jsonl"
    ran = ragdiag("evaluate", absent, "--labels", absent, "-o", tmp_path / "out")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("none.jsonl") == 1
    ran = ragdiag("check", absent)
    assert ran.out.count("none.jsonl") == 1
    assert "What the data allows" not in ran.out


def test_an_absent_labels_file_of_a_judge_is_named_once(
    ragdiag, source: Path, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    judge = f"file:{tmp_path / 'none.jsonl'}"
    ran = ragdiag("evaluate", source, "--judge", judge, "-o", tmp_path / "out")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("none.jsonl") == 1


def test_labels_that_the_judge_has_itself_measure_nothing(
    ragdiag, source: Path, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    label = {"query_id": "right", "check": "answer_correctness", "label": "correct"}
    labels = write(tmp_path / "labels.jsonl", [label])
    given = ("evaluate", source, "--labels", labels, "-o")
    own = ragdiag(*given, tmp_path / "own", "--judge", f"cascade:file:{labels},screen").out
    assert "the labels are the judge's own: no agreement to measure" in own
    assert not any(line.startswith("people ") for line in own.splitlines())
    screen = ragdiag(*given, tmp_path / "screen").out
    why = "answers: 1 positive, 30 needed …"
    assert f"validated on this data: no, on 1 label ({why})\n" in screen
    again = ragdiag("rescore", tmp_path / "own").out
    assert "the labels are the judge's own" in again


def test_too_many_judge_errors_are_exit_3_with_summary_and_page(  # type: ignore[no-untyped-def]
    ragdiag, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = use(CountingJudge(), monkeypatch)
    judge.broken = {"right", "wrong"}
    ran = ragdiag("evaluate", source, "-o", tmp_path / "out")
    assert ran.code == 3
    assert ran.err.startswith("incomplete: ")
    assert "5 queries" in ran.out
    assert (tmp_path / "out" / at.PAGE).exists()
    assert ragdiag("evaluate", source, "-o", tmp_path / "out", "--max-errors", "1").code == 0
    as_json = ragdiag("evaluate", source, "-o", tmp_path / "out", "--json")
    assert as_json.code == 3
    assert json.loads(as_json.out)["corpus"]["n_queries"] == 5


def test_a_systems_own_errors_are_exit_0(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lines = [{**row(f"q{i}"), "answer": None, "error": "HTTP 500"} for i in range(5)]
    source = write(tmp_path / "s.jsonl", lines)
    assert ragdiag("evaluate", source, "-o", tmp_path / "out", "--max-errors", "0").code == 0


def test_an_unknown_fault_is_exit_4_and_not_silent(  # type: ignore[no-untyped-def]
    ragdiag, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: object) -> None:
        raise ZeroDivisionError("boom")

    monkeypatch.setattr("ragdiag.evaluation.files.validate", explode)
    monkeypatch.setattr("ragdiag.evaluation.files.parse_spec", explode)
    ran = ragdiag("evaluate", source, "-o", tmp_path / "out")
    assert (ran.code, ran.out) == (4, "")
    assert "internal error" in ran.err


def test_an_interrupt_is_exit_130_and_says_how_to_go_on(  # type: ignore[no-untyped-def]
    ragdiag, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = use(CountingJudge(), monkeypatch)

    async def interrupt(questions: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judge, "ask", interrupt)
    ran = ragdiag("evaluate", source, "-o", tmp_path / "out")
    assert (ran.code, ran.out) == (130, "")
    assert "the same command goes on" in ran.err
    monkeypatch.undo()


def test_a_second_run_of_other_data_is_exit_2_with_the_difference(  # type: ignore[no-untyped-def]
    ragdiag, done: Path, source: Path
) -> None:
    write(source, rows()[:2])
    ran = ragdiag("evaluate", source, "-o", done)
    assert ran.code == 2
    assert "  the samples have changed since\n" in ran.err
    assert "there, " not in ran.err
    assert ragdiag("evaluate", source, "-o", done, "--fresh").code == 0


# --- check


def test_check_of_good_files(ragdiag, source: Path) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag("check", source)
    assert ran.code == 0
    assert "5 samples read" in ran.out
    assert "What the data allows" in ran.out
    assert "corpus (in 5)" in ran.out
    assert ran.err == ""


def test_check_of_bad_files_is_exit_2_with_the_findings_on_stdout(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"query_id": "b"}\n')
    ran = ragdiag("check", bad)
    assert ran.code == 2
    assert "bad.jsonl:1: query: " in ran.out
    found = ragdiag("check", bad, "--json")
    assert found.code == 2
    told = json.loads(found.out)
    assert told["n_problems"] == 1
    assert sum(told["problem_counts"].values()) == 1


def test_check_as_json(ragdiag, source: Path) -> None:  # type: ignore[no-untyped-def]
    told = json.loads(ragdiag("check", source, "--json").out)
    assert (told["n_samples"], told["n_problems"], told["problems"]) == (5, 0, [])
    by_name = {one["name"]: one for one in told["capabilities"]}
    none = {"name": "provenance", "n": 0, "missing": {"corpus": 5}, "partly": {}}
    assert by_name["provenance"] == none
    assert by_name["answer_correctness"]["n"] == 3


# --- rescore, report, explain


def test_rescore_with_other_cutoffs(ragdiag, done: Path) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag("rescore", done, "-k", "2", "--unit", "document", "--json")
    assert ran.code == 0
    report = json.loads(ran.out)
    assert (report["k"], report["unit"]) == ([2], "document")
    assert report == json.loads((done / at.REPORT).read_text())
    assert "5 queries" in ragdiag("rescore", done).out


@pytest.mark.parametrize("command", ["rescore", "report"])
def test_a_directory_without_an_evaluation_is_exit_2(ragdiag, tmp_path: Path, command: str) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag(command, tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "evaluation directory" in ran.err


def test_a_file_of_the_directory_stands_for_it(ragdiag, done: Path) -> None:  # type: ignore[no-untyped-def]
    for command in ("report", "rescore"):
        told = ragdiag(command, done / at.PAGE, "--json")
        assert told.code == 0
        assert told.out == ragdiag(command, done, "--json").out
    story = ragdiag("explain", "wrong", "-d", done).out
    assert ragdiag("explain", "wrong", "-d", done / at.PAGE).out == story
    assert ragdiag("explain", done / at.RESULTS, "wrong").out == story


@pytest.mark.parametrize("args", [("report",), ("rescore",), ("explain", "q", "-d")])
def test_another_file_is_exit_2(ragdiag, source: Path, args: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag(*args, source)
    assert (ran.code, ran.out) == (2, "")
    assert "is a file, and not one of an evaluation directory" in ran.err
    assert "Traceback" not in ran.err


def test_report_prints_what_evaluate_printed_and_writes_the_page(ragdiag, done: Path) -> None:  # type: ignore[no-untyped-def]
    page = (done / at.PAGE).read_bytes()
    (done / at.PAGE).unlink()
    ran = ragdiag("report", done)
    assert ran.code == 0
    assert "5 queries" in ran.out
    assert (done / at.PAGE).read_bytes() == page
    as_json = ragdiag("report", done, "--json")
    assert json.loads(as_json.out) == json.loads((done / at.REPORT).read_text())


def test_explain_tells_the_story(ragdiag, done: Path) -> None:  # type: ignore[no-untyped-def]
    for args in (("wrong", "--dir", done), (done, "wrong")):
        ran = ragdiag("explain", *args)
        assert ran.code == 0
        assert "What was the revenue of Alder in 2017?" in ran.out
        assert "$1234" in ran.out
        assert "Diagnosis" in ran.out
    told = json.loads(ragdiag("explain", done, "wrong", "--json").out)
    assert told["query_id"] == "wrong"


def test_explain_of_an_unknown_query_names_the_closest(ragdiag, done: Path) -> None:  # type: ignore[no-untyped-def]
    ran = ragdiag("explain", done, "wring")
    assert (ran.code, ran.out) == (2, "")
    assert "no query 'wring'; close to it: wrong" in ran.err
    assert ragdiag("explain", done, "a", "b").code == 2


def test_explain_lists_the_queries_of_a_category(ragdiag, done: Path) -> None:  # type: ignore[no-untyped-def]
    report = json.loads((done / at.REPORT).read_text())
    (code, ids) = next((c, i) for c, i in report["examples"].items() if "wrong" in i)
    for args in ((done, "--code", code), ("-d", done, "--code", code.lower())):
        head, todo, *lines = ragdiag("explain", *args).out.splitlines()
        assert head.startswith(f"{code} {report['categories'][code]['name']} (")
        assert head.endswith(f": {numbers.counted(len(ids), 'query', 'queries')}")
        assert todo.startswith("fix: ")
        assert [line.split()[0] for line in lines] == ids
        assert max(map(len, lines)) <= 100
    told = json.loads(ragdiag("explain", done, "--code", code, "--json").out)
    assert [one["query_id"] for one in told] == ids
    assert ragdiag("explain", done, "--code", "none").out.startswith(
        "no category: 1 query\nonly  What was the revenue"
    )
    assert "U3 suspected_wrong_unanswerable_label (labels): 0 queries" in (
        ragdiag("explain", done, "--code", "U3").out
    )


def test_explain_lists_the_queries_with_a_flag(ragdiag, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    given = [row("silent", answer=""), row("said"), row("blank", answer=" ")]
    out = tmp_path / "out"
    assert ragdiag("evaluate", write(tmp_path / "s.jsonl", given), "-o", out).code == 0
    head, *lines = ragdiag("explain", out, "--flag", "empty_answer").out.splitlines()
    assert head == "flag empty_answer: 2 queries"
    assert [line.split()[:2] for line in lines] == [["silent", "X1"], ["blank", "X1"]]
    ran = ragdiag("explain", out, "--flag", "Z9")
    assert (ran.code, ran.out) == (2, "")
    assert "no query has the flag 'Z9'; there are empty_answer" in ran.err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--code", "Z9"), "no category 'Z9'; known: K1, U1, "),
        (("wrong", "--code", "K1"), "no query id with it, came 'wrong'"),
        (("--flag", "Z9"), "no query has the flag 'Z9'; no query has any"),
        (("--code", "K1", "--flag", "gold_mismatch"), "are two lists: ask for one"),
        ((), "which query? Give its id"),
    ],
)
def test_explain_needs_a_query_or_a_category(  # type: ignore[no-untyped-def]
    ragdiag, done: Path, args: tuple[str, ...], says: str
) -> None:
    ran = ragdiag("explain", *((done,) if {"--code", "--flag"} & {*args} else ("-d", done)), *args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


# --- options


def test_cutoffs() -> None:
    assert parse_cutoffs("5,1, 10,5") == (1, 5, 10)
    for bad in ("", "0", "-1", "1.5", "a", "1,,2"):
        with pytest.raises(UsageError, match="whole numbers"):
            parse_cutoffs(bad)


def test_units_and_metrics() -> None:
    assert parse_unit("page") == "page"
    assert parse_metrics(None) is None
    assert parse_metrics("faithfulness,faithfulness, abstention") == ("faithfulness", "abstention")
    with pytest.raises(UsageError, match="known: "):
        parse_metrics("nothing")


# --- progress and streams


def test_progress_is_silent_where_stderr_is_no_terminal() -> None:
    with progress.progress() as shown:
        assert shown.result is None
        shown.total(3)


def test_a_rate_limit_that_holds_the_work_up_is_said_once_a_minute(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A 429 every 5 s for 150 s: said at 10, at 70 and at 130."""
    now, told = [0.0], list[float]()
    limited = progress.Minutes(lambda _: told.append(now[0]), clock=lambda: now[0])
    for second in range(0, 151, 5):
        now[0] = second
        limited(None)
    assert told == [10, 70, 130]
    with progress.progress() as shown:
        shown.limited(1)  # soon over
        shown.limited(30)
    assert capsys.readouterr().err == "waiting: rate limited, 30 s\n"


def test_progress_on_a_terminal_counts_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.progress() as shown:
        assert shown.result is not None
        shown.total(3)
        shown.result(None)  # type: ignore[arg-type]
        shown.limited(30)
    told = capsys.readouterr()
    assert told.out == ""
    assert "rate limited, 30 s 1 of 3 queries" in told.err


def command(*args: str | Path, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", "from ragdiag.cli.main import run; run()", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,  # type: ignore[call-overload]
    )


def test_a_reader_that_has_gone_is_no_failure(done: Path) -> None:
    process = command("report", done, "--json")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    assert process.wait(60) == 0
    assert err == b""
    process.stderr.close()


def test_a_terminal_without_unicode_gets_replacements(done: Path) -> None:
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    process = command("report", done, env=plain)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.isascii()


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_a_real_interrupt_leaves_a_directory_that_goes_on(tmp_path: Path) -> None:
    lines = [row(f"q{i}") for i in range(4000)]
    source, out = write(tmp_path / "s.jsonl", lines), tmp_path / "out"
    process = command("evaluate", source, "-o", out)
    verdicts = out / at.VERDICTS
    until = time.monotonic() + 60
    while not (verdicts.exists() and verdicts.stat().st_size) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"the same command goes on" in err
    n_judged = len(at.read_judgements(verdicts))
    assert 0 < n_judged < len(lines)
    assert not list(out.glob("*.part"))


@pytest.mark.parametrize("place", ["file/out", "file/a/b"])
def test_a_place_that_cannot_be_written_is_exit_2(  # type: ignore[no-untyped-def]
    ragdiag, source: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_text("x")
    ran = ragdiag("evaluate", source, "-o", tmp_path / place)
    assert ran.code == 2
    assert "file" in ran.err
    assert "Traceback" not in ran.err


def test_closed_streams_are_no_failure(done: Path) -> None:
    command = f'exec "{sys.executable}" -m ragdiag report "{done}" >&- 2>&-'
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0


def test_an_id_is_found_whatever_the_locale(ragdiag, source: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write(source, [row("café")])
    assert ragdiag("evaluate", source, "-o", tmp_path / "accents").code == 0
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = subprocess.run(
        [sys.executable, "-m", "ragdiag", "explain", "café", "-d", tmp_path / "accents"],
        env=os.environ | ascii_only,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
