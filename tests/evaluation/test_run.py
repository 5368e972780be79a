"""A whole evaluation on small files: what is written, resumed, refused, and when it is incomplete."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragdiag.errors import DataError, IncompleteError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation import run as engine
from ragdiag.evaluation import tables
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.incomplete import refuse_errors
from ragdiag.records import Sample, SampleResult, Settings, Usage
from tests.runs import CountingJudge, row, rows, use, write

DERIVED = (at.RESULTS, at.SCORES, at.QUERIES, at.SAMPLES, at.REPORT, at.PAGE)


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"not strict JSON: {word}")

    return json.loads(text, parse_constant=refuse)


def run(
    source: Path,
    out: Path,
    *,
    on_result: Callable[[SampleResult], None] | None = None,
    k: tuple[int, ...] = (1, 3),
    **options: Any,
) -> dict[str, Any]:
    chosen = Options(settings=Settings(k=k), **options)
    return evaluate_files(Inputs(samples=(source,)), chosen, out=out, on_result=on_result)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "samples.jsonl", rows())


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> CountingJudge:
    return use(CountingJudge(), monkeypatch)


def derived(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in DERIVED}


# --- what is written


def test_all_files_are_written_and_are_strict_json(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = run(source, out)
    assert {path.name for path in out.iterdir()} == {at.MANIFEST, at.VERDICTS, *DERIVED}
    assert strict((out / at.REPORT).read_text("utf-8")) == json.loads(json.dumps(report))
    assert strict((out / at.MANIFEST).read_text("utf-8"))["n_samples"] == 5
    for name in (at.RESULTS, at.VERDICTS):
        ids = [strict(line)["query_id"] for line in (out / name).read_text("utf-8").splitlines()]
        assert ids == ["right", "wrong", "missed", "only", "broken"]
    assert [sample.query_id for sample in at.read_samples_copy(out)] == ids


def test_the_score_table_holds_every_score_of_every_query(source: Path, tmp_path: Path) -> None:
    report = run(source, tmp_path / "out")
    table = pl.read_parquet(tmp_path / "out" / at.SCORES)
    assert table.columns == ["query_id", "metric", "value", "status", "reason"]
    for metric, counts in report["ledger"].items():
        found = table.filter(pl.col("metric") == metric)["status"].value_counts()
        told = {status: n for status, n in counts.items() if n}
        assert dict(found.iter_rows()) == told, metric
    scored = table.filter(pl.col("status") == "scored")
    assert scored["value"].null_count() == 0
    assert scored["reason"].null_count() == len(scored)


def test_codes_and_rates(source: Path, tmp_path: Path) -> None:
    report = run(source, tmp_path / "out")
    assert report["categories"]["K1"]["n"] == 1
    assert report["categories"]["X1"]["n"] == 1
    assert report["categories"]["X1"]["share"] is None
    assert report["no_code"] == {"no_answer": 1}
    assert report["n_diagnosed"] == 3
    assert report["metrics"]["answer_correctness"]["n_error"] == 1
    assert report["slices"]["year"].keys() == {"2016", "2017", "(missing)"}
    assert report["corpus"]["n_queries"] == 5


def test_the_samples_are_kept_as_they_came(tmp_path: Path) -> None:
    lines = [
        {"query_id": "absent", "query": "q", "retrieved": []},
        {"query_id": "null", "query": "q", "answer": None},
        {"query_id": "empty", "query": "q", "answer": "", "slices": {"n": 1.0}},
        {"query_id": 7, "query": "ünï 万 \u202e", "context": ["a"], "retrieved": ["a"]},
    ]
    run(write(tmp_path / "s.jsonl", lines), tmp_path / "out")
    kept = list(at.read_samples_copy(tmp_path / "out"))
    assert [(s.query_id, s.answer_given, s.answer) for s in kept] == [
        ("absent", False, None),
        ("null", True, None),
        ("empty", True, ""),
        ("7", False, None),
    ]
    assert kept[0].retrieved == ()
    assert kept[1].retrieved is None
    assert kept[3].query == "ünï 万 \u202e"


def test_derived_files_are_moved_into_place_only_when_whole(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(source, out)
    before = derived(out)

    def stop(result: SampleResult) -> None:
        if result.query_id == "missed":
            raise RuntimeError("full disk")

    with pytest.raises(RuntimeError, match="full disk"):
        run(source, out, k=(1,), on_result=stop)
    assert derived(out) == before
    assert not list(out.glob("*.part"))


def test_a_small_chunk_of_scores_at_a_time_gives_the_same_table(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(source, tmp_path / "one")
    monkeypatch.setattr(tables, "_CHUNK", 10)
    run(source, tmp_path / "many")
    one, many = (pl.read_parquet(tmp_path / name / at.SCORES) for name in ("one", "many"))
    assert one.equals(many)
    assert not list((tmp_path / "many").glob("*.part"))


@pytest.mark.parametrize("concurrency", [1, 16])
def test_concurrency_changes_nothing(source: Path, tmp_path: Path, concurrency: int) -> None:
    run(source, tmp_path / "eight")
    run(source, tmp_path / "other", concurrency=concurrency)
    for name in (at.RESULTS, at.VERDICTS, at.REPORT, at.SAMPLES, at.SCORES):
        assert (tmp_path / "eight" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


# --- bad input


@pytest.mark.parametrize(
    "bad",
    [
        '{"query_id": "a"}\n',
        '{"query_id": "a", "query": "q"}\n{"query_id": "a", "query": "q"}\n',
        "not json\n",
        '{"query_id": "a", "query": "q", "retrieved": [{"passage_id": "x", "score": NaN}]}\n',
        '{"query_id": "a", "query": "\\ud800"}\n',
        '{"query_id": "a", "query": "q", "retrieved": [{"passage_id": "x", '
        '"metadata": {"m": "\\ud800"}}]}\n',
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(tmp_path: Path, bad: str) -> None:
    source = tmp_path / "bad.jsonl"
    source.write_text(bad)
    with pytest.raises(DataError) as caught:
        run(source, tmp_path / "out")
    assert caught.value.n_problems >= 1
    assert "nothing was written" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_files_that_do_not_go_together_are_refused(source: Path, tmp_path: Path) -> None:
    for inputs in (
        Inputs(),
        Inputs(queries=(source,)),
        Inputs(samples=(source,), run=(source,)),
    ):
        with pytest.raises(UsageError):
            evaluate_files(inputs, Options(), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "text",
    ["[1]", "{", "", '{"k": NaN}', '{"k": 1e999}', '{"name": "\\ud800"}', '{"k": 1, "k": 2}',
     "[" * 100_000, '{"a":' * 300 + "1" + "}" * 300],
)  # fmt: skip
def test_run_facts_must_be_an_object(source: Path, tmp_path: Path, text: str) -> None:
    facts = tmp_path / "run.json"
    facts.write_text(text)
    with pytest.raises(DataError, match="run-info"):
        evaluate_files(Inputs((source,), run_info=facts), Options(), out=tmp_path / "out")
    for absent in (tmp_path / "none", tmp_path):
        with pytest.raises(DataError, match=r"run-info .*cannot be read"):
            evaluate_files(Inputs((source,), run_info=absent), Options(), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "out").exists()


def test_run_facts_stand_in_manifest_and_report(source: Path, tmp_path: Path) -> None:
    facts = tmp_path / "run.json"
    facts.write_bytes(b'\xef\xbb\xbf{"name": "bm25", "k": 3}')
    report = evaluate_files(Inputs((source,), run_info=facts), Options(), out=tmp_path / "out")
    assert report["run"] == {"name": "bm25", "k": 3}
    assert json.loads((tmp_path / "out" / at.MANIFEST).read_text())["run"] == report["run"]


# --- queries and run


def test_queries_and_run_give_what_one_file_gives(tmp_path: Path) -> None:
    whole = rows()[:3]
    halves = ("query", "reference", "gold", "target", "slices")
    queries = [{k: r[k] for k in ("query_id", *halves)} for r in whole]
    answers = [{k: v for k, v in r.items() if k not in halves} for r in whole]
    one = run(write(tmp_path / "whole.jsonl", whole), tmp_path / "one")
    inputs = Inputs(
        queries=(write(tmp_path / "q.jsonl", queries),), run=(write(tmp_path / "r.jsonl", answers),)
    )
    two = evaluate_files(inputs, Options(settings=Settings(k=(1, 3))), out=tmp_path / "two")
    assert one["metrics"] == two["metrics"]
    assert one["categories"] == two["categories"]


def test_a_query_that_the_run_lacks_is_flagged_and_scores_0(tmp_path: Path) -> None:
    queries = [{"query_id": q, "query": "?", "gold": [[{"passage_id": "p"}]]} for q in "ab"]
    answers = [{"query_id": "a", "retrieved": ["p"], "answer": "yes"}]
    inputs = Inputs(
        queries=(write(tmp_path / "q.jsonl", queries),), run=(write(tmp_path / "r.jsonl", answers),)
    )
    report = evaluate_files(inputs, Options(), out=tmp_path / "out")
    assert report["flags"]["missing_in_run"] == 1
    assert report["metrics"]["recall@5"]["value"] == 0.5
    assert [r.flags for r in at.read_results(tmp_path / "out")] == [(), ("missing_in_run",)]
    assert report["zero_recall"] == [{"query_id": "b", "near_miss": "none"}]


# --- resuming


def test_the_same_command_again_asks_nothing_and_changes_nothing(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = Usage(calls=2, input_tokens=10, output_tokens=None, usd=None)
    judge = use(CountingJudge(usage=usage), monkeypatch)
    out = tmp_path / "out"
    report = run(source, out)
    assert judge.asked == ["right", "wrong", "missed", "only"]
    assert report["cost"]["calls"] > 0
    assert report["cost"]["output_tokens"] is None
    before, judge.asked = derived(out), []
    run(source, out)
    assert judge.asked == []
    assert derived(out) == before


def test_other_cutoffs_ask_nothing(source: Path, tmp_path: Path, judge: CountingJudge) -> None:
    run(source, tmp_path / "out")
    judge.asked = []
    report = run(source, tmp_path / "out", k=(2,))
    assert judge.asked == []
    assert report["k"] == [2]
    assert "recall@2" in report["metrics"]


@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_interrupted_run_goes_on_as_if_it_had_never_been_stopped(
    source: Path, tmp_path: Path, judge: CountingJudge, concurrency: int
) -> None:
    run(source, tmp_path / "whole")
    judge.asked = []

    def interrupt(result: SampleResult) -> None:
        if result.query_id == "wrong":
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run(source, out, on_result=interrupt, concurrency=concurrency)
    assert {path.name for path in out.iterdir()} == {at.MANIFEST, at.VERDICTS}
    judged = ["right", "wrong"]
    if concurrency > 1:  # what was ahead of its turn is kept too
        judged += ["missed", "only", "broken"]
    assert list(at.read_judgements(out / at.VERDICTS)) == judged
    judge.asked = []
    run(source, out, concurrency=concurrency)
    assert judge.asked == ([] if concurrency > 1 else ["missed", "only"])
    assert derived(out) == derived(tmp_path / "whole")


def test_a_torn_last_line_is_cut_and_asked_again(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    out = tmp_path / "out"
    run(source, out)
    before, whole = derived(out), (out / at.VERDICTS).read_bytes()
    lines = whole.splitlines(keepends=True)
    torn = b"".join(lines[:3]) + lines[3][: len(lines[3]) // 2]
    (out / at.VERDICTS).write_bytes(torn)
    judge.asked = []
    run(source, out)
    assert judge.asked == ["only"]
    assert derived(out) == before
    assert (out / at.VERDICTS).read_bytes() == whole


def test_a_long_torn_line_and_a_file_without_any_newline_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    at.cut_torn_line(path)
    assert at.read_judgements(path) == {}
    path.write_bytes(b"x" * 200_000)
    at.cut_torn_line(path)
    assert path.read_bytes() == b""
    path.write_bytes(b"ab\n" + b"x" * 200_000)
    at.cut_torn_line(path)
    assert path.read_bytes() == b"ab\n"
    at.cut_torn_line(path)
    assert path.read_bytes() == b"ab\n"


def test_a_broken_middle_line_is_named_and_nothing_is_lost(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    out = tmp_path / "out"
    run(source, out)
    before = derived(out)
    lines = (out / at.VERDICTS).read_bytes().splitlines(keepends=True)
    broken = b"".join([lines[0], b"{broken\n", *lines[2:]])
    (out / at.VERDICTS).write_bytes(broken)
    with pytest.raises(DataError, match=r"verdicts\.jsonl:2: not a line of verdicts"):
        run(source, out)
    assert (out / at.VERDICTS).read_bytes() == broken
    assert derived(out) == before


def test_an_empty_line_of_verdicts_is_no_error_and_the_last_record_wins(
    source: Path, tmp_path: Path
) -> None:
    run(source, tmp_path / "out")
    path = tmp_path / "out" / at.VERDICTS
    lines = path.read_bytes().splitlines(keepends=True)
    other = lines[0].replace(b'"sample_hash":"', b'"sample_hash":"x')
    path.write_bytes(b"".join([other, b"\n", *lines]))
    found = at.read_judgements(path)
    assert not found["right"].sample_hash.startswith("x")
    assert len(found) == 5


def test_an_edited_reference_is_never_mixed(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    out = tmp_path / "out"
    run(source, out)
    before = derived(out)
    write(source, [row("right", reference=["$1"]), *rows()[1:]])
    with pytest.raises(UsageError, match="the samples have changed since") as caught:
        run(source, out)
    assert "--fresh" in str(caught.value)
    assert derived(out) == before
    judge.asked = []
    report = run(source, out, fresh=True)
    assert judge.asked == ["right", "wrong", "missed", "only"]
    assert report["categories"]["K1"]["n"] == 0


def test_another_judge_or_tolerance_is_refused_with_the_difference(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    out = tmp_path / "out"
    run(source, out)
    judge.version = "2"
    with pytest.raises(
        UsageError, match=r"prompts or rules of the judge .* changed: 1 there, 2 now"
    ):
        run(source, out)
    judge.version = "1"
    with pytest.raises(UsageError, match=r"number_tolerance: None there, 0\.1 now"):
        evaluate_files(
            Inputs((source,)), Options(Settings(k=(1, 3), number_tolerance=0.1)), out=out
        )


def test_a_verdict_on_another_sample_of_the_same_id_is_not_used(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    out = tmp_path / "out"
    run(source, out)
    path = out / at.VERDICTS
    hashed = next(iter(at.read_judgements(path).values())).sample_hash
    path.write_bytes(path.read_bytes().replace(hashed.encode(), b"0" * len(hashed)))
    judge.asked = []
    run(source, out)
    assert judge.asked == ["right"]


def test_a_directory_of_something_else_is_refused(source: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a file"):
        run(source, source)
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("")
    for fresh in (False, True):
        with pytest.raises(UsageError, match="holds other files"):
            run(source, other, fresh=fresh)
    assert [path.name for path in other.iterdir()] == ["thesis.tex"]


def test_a_judges_cache_is_nothing_else(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for ending in ("", "-wal", "-shm"):
        (out / f"{at.CACHE}{ending}").write_bytes(b"")
    run(source, out)
    assert (out / at.REPORT).exists()
    run(source, out, fresh=True)
    assert (out / at.CACHE).exists()


def test_an_unfit_place_is_refused_before_a_judge_puts_its_cache_there(
    source: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("")
    with pytest.raises(UsageError, match="holds other files"):
        run(source, other, judge="llm:m@http://127.0.0.1:9")
    with pytest.raises(UsageError, match="is a file"):
        run(source, source, judge="llm:m@http://127.0.0.1:9")
    assert [path.name for path in other.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("text", ["{", '{"schema_version": 99}', "[]"])
def test_a_broken_manifest_is_a_data_error_and_fresh_begins_anew(
    source: Path, tmp_path: Path, text: str
) -> None:
    out = tmp_path / "out"
    run(source, out)
    (out / at.MANIFEST).write_text(text)
    with pytest.raises(DataError, match=r"manifest\.json"):
        run(source, out)
    run(source, out, fresh=True)
    assert json.loads((out / at.MANIFEST).read_text())["n_samples"] == 5


# --- judges that fail


def test_too_many_judge_errors_are_incomplete_but_all_is_written(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    judge.broken = {"right", "wrong"}
    report = run(source, tmp_path / "out")
    assert (tmp_path / "out" / at.PAGE).exists()
    with pytest.raises(IncompleteError, match="--max-errors"):
        refuse_errors(report, 0.01)
    refuse_errors(report, 0.9)


def test_what_broke_is_asked_again_and_counts_once(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    run(source, tmp_path / "whole")
    judge.broken = {"wrong"}
    out = tmp_path / "out"
    first = run(source, out)
    assert first["metrics"]["faithfulness"]["n_error"] > 1
    judge.broken, judge.asked = set(), []
    second = run(source, out)
    assert judge.asked == ["wrong"]
    assert derived(out) == derived(tmp_path / "whole")
    refuse_errors(second, 0)


def test_an_unusable_reply_is_unscored_and_not_asked_again(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    judge.broken, judge.reason = {"wrong"}, "parse_failure"
    report = run(source, tmp_path / "out")
    assert report["metrics"]["faithfulness"]["n_unscored"] >= 1
    refuse_errors(report, 0)
    judge.asked = []
    run(source, tmp_path / "out")
    assert judge.asked == []


def test_a_systems_own_error_never_makes_an_evaluation_incomplete(tmp_path: Path) -> None:
    lines = [{**row(f"q{i}"), "answer": None, "error": "HTTP 500"} for i in range(5)]
    report = run(write(tmp_path / "s.jsonl", lines), tmp_path / "out")
    assert report["categories"]["X1"]["n"] == 5
    assert report["metrics"]["faithfulness"]["n_error"] == 5
    refuse_errors(report, 0)


def test_stage_metrics_of_a_broken_sample_do_not_count_either(tmp_path: Path) -> None:
    staged = {"stages": {"candidates": ["p2017"]}, "error": "HTTP 500"}
    lines = [{**row(f"q{i}", **staged), "answer": None} for i in range(3)]
    report = run(write(tmp_path / "s.jsonl", lines), tmp_path / "out")
    assert report["stages"]["candidates"]["recall@1"]["reasons"] == {"pipeline_error": 3}
    refuse_errors(report, 0)


def test_a_fault_of_ragdiag_itself_sticks_to_its_sample(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = evaluate_files(Inputs((source,)), Options(), out=tmp_path / "whole")
    real = engine.score_sample

    def faulty(sample: Sample, *args: Any, **options: Any) -> SampleResult:
        if sample.query_id == "missed":
            raise ZeroDivisionError("a fault of the code")
        return real(sample, *args, **options)

    monkeypatch.setattr(engine, "score_sample", faulty)
    out = tmp_path / "out"
    report = evaluate_files(Inputs((source,)), Options(), out=out)
    results = {result.query_id: result for result in at.read_results(out)}
    assert {score.reason for score in results["missed"].scores.values()} == {"bad_record"}
    assert results["missed"].diagnosis.code is None
    assert results["missed"].flags == ("internal_error",)
    assert results["right"].diagnosis.code == "K1"
    assert all(sum(row.values()) == 5 for row in report["ledger"].values())
    assert set(report["ledger"]) == set(whole["ledger"])
    with pytest.raises(IncompleteError):
        refuse_errors(report, 0.01)

    monkeypatch.setattr(engine, "score_sample", real)  # mended: the same command makes it whole
    assert evaluate_files(Inputs((source,)), Options(), out=out) == whole
