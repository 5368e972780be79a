"""Going on in a directory: what still stands is kept, nothing of another judge or data is mixed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.manifest import differences, read_manifest
from ragdiag.evaluation.rescoring import rescore_directory
from ragdiag.records import Finding, JudgeFailure, Judgement, SampleResult, Settings, Verdict
from tests.runs import CountingJudge, row, rows, use, write

DERIVED = (at.RESULTS, at.SCORES, at.QUERIES, at.SAMPLES, at.REPORT)
NEW = [row(f"new{number}") for number in range(3)]


def run(
    source: Path,
    out: Path,
    *,
    on_result: Callable[[SampleResult], None] | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> dict[str, Any]:
    chosen = Options(settings=settings or Settings(k=(1, 3)), **options)
    return evaluate_files(Inputs((source,)), chosen, out=out, on_result=on_result)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "samples.jsonl", rows())


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> CountingJudge:
    return use(CountingJudge(), monkeypatch)


@pytest.fixture
def out(source: Path, tmp_path: Path, judge: CountingJudge) -> Path:
    """An evaluation of the five samples, nothing asked since."""
    run(source, tmp_path / "out")
    judge.asked = []
    return tmp_path / "out"


def derived(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in DERIVED}


def test_three_new_samples_are_three_asked(
    source: Path, out: Path, judge: CountingJudge, tmp_path: Path
) -> None:
    before = derived(out)
    write(source, [*rows(), *NEW])
    with pytest.raises(UsageError, match="the samples have changed since") as caught:
        run(source, out)
    assert "5 are as they were judged, 3 not judged yet, 0 changed; 0 that" in str(caught.value)
    assert "--force: it keeps the verdicts on 5 samples and asks about 3" in str(caught.value)
    assert "--fresh" in str(caught.value)
    assert derived(out) == before
    report = run(source, out, force=True)
    assert judge.asked == ["new0", "new1", "new2"]
    assert report["corpus"]["n_queries"] == 8
    run(source, tmp_path / "whole")
    assert derived(out) == derived(tmp_path / "whole")
    judge.asked = []
    run(source, out)  # now it is the evaluation of these samples
    assert judge.asked == []


def test_changed_and_gone_samples_are_told_and_only_the_changed_are_asked(
    source: Path, out: Path, judge: CountingJudge, tmp_path: Path
) -> None:
    write(source, [row("right", reference=["$1"]), *rows()[1:3], NEW[0]])
    with pytest.raises(
        UsageError, match="2 are as they were judged, 1 not judged yet, 1 changed; 2"
    ):
        run(source, out)
    run(source, out, force=True)
    assert judge.asked == ["right", "new0"]
    run(source, tmp_path / "whole")
    assert derived(out) == derived(tmp_path / "whole")


def test_another_judge_keeps_no_verdict_also_when_it_is_interrupted(
    source: Path, out: Path, judge: CountingJudge
) -> None:
    judge.version = "2"
    with pytest.raises(
        UsageError, match=r"prompts or rules of the judge .* changed: 1 there, 2 now"
    ) as caught:
        run(source, out)
    assert "--force: it puts all samples to the judge again" in str(caught.value)
    assert "as they were judged" not in str(caught.value)
    there = read_manifest(out)
    assert there is not None
    other = there.model_copy(update={"judge_version": "9", "judge_name": "llm:m2"})
    assert differences(there, other) == [f"judge: {there.judge_name} there, llm:m2 now"]

    def interrupt(result: SampleResult) -> None:
        if result.query_id == "wrong":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(source, out, force=True, concurrency=1, on_result=interrupt)
    assert judge.asked == ["right", "wrong"]
    with pytest.raises(DataError, match=r"samples\.jsonl|another judge"):
        rescore_directory(out)  # half of the verdicts are of the judge before
    judge.asked = []
    run(source, out, concurrency=1)  # no --force: the directory is of this judge by now
    assert judge.asked == ["missed", "only"]
    stamps = {j.asked_with for j in at.read_judgements(out / at.VERDICTS).values()}
    assert len(stamps) == 1
    # back to the first: its verdicts stand in the log, but the last record of a query wins
    judge.asked, judge.version = [], "1"
    run(source, out, force=True)
    assert judge.asked == ["right", "wrong", "missed", "only"]


def test_other_settings_that_a_judge_sees_ask_again_and_cutoffs_do_not(
    source: Path, out: Path, judge: CountingJudge
) -> None:
    run(source, out, settings=Settings(k=(2,), gain="linear"))
    assert judge.asked == []
    other = Settings(k=(1, 3), number_tolerance=0.1)
    with pytest.raises(UsageError, match=r"number_tolerance: None there, 0\.1 now"):
        run(source, out, settings=other)
    run(source, out, settings=other, force=True)
    assert judge.asked == ["right", "wrong", "missed", "only"]


def test_force_where_nothing_differs_is_a_plain_resume(
    source: Path, out: Path, judge: CountingJudge
) -> None:
    before = derived(out)
    run(source, out, force=True)
    assert judge.asked == []
    assert derived(out) == before


def test_fresh_and_force_are_two_things(source: Path, out: Path) -> None:
    with pytest.raises(UsageError, match="one of them"):
        run(source, out, fresh=True, force=True)


def test_verdicts_without_a_manifest_are_never_taken_for_ours(source: Path, out: Path) -> None:
    (out / at.MANIFEST).unlink()
    for options in ({}, {"fresh": True}, {"force": True}):
        with pytest.raises(UsageError, match=r"no manifest\.json"):
            run(source, out, **options)


def test_what_a_killed_run_left_half_written_is_no_hindrance(
    source: Path, tmp_path: Path, judge: CountingJudge
) -> None:
    out = tmp_path / "new"
    out.mkdir()
    for name in (at.MANIFEST + ".part", at.CACHE, at.CACHE + "-wal"):
        (out / name).write_text("half")  # killed before its manifest stood
    run(source, out)
    for name in (at.RESULTS + ".part", at.SCORES + ".7.part", at.MANIFEST + ".part"):
        (out / name).write_text("half")  # killed while it wrote
    run(source, out)
    assert list(out.glob("*.part")) == []


@pytest.mark.parametrize(
    ("reply", "again"),
    [
        (JudgeFailure(query_id="right", check="support", reason="timeout"), True),
        (JudgeFailure(query_id="right", check="support", reason="truncated"), False),
        (Verdict(query_id="right", check="correctness", unscored="quota"), True),
        (Verdict(query_id="right", check="correctness", unscored="jury_split"), False),
        (
            Verdict(
                query_id="right",
                check="support",
                findings=(Finding(item_id="c1", label=None, unscored="connection"),),
            ),
            True,
        ),
    ],
)
def test_only_what_broke_is_asked_again_also_inside_a_verdict(
    source: Path, out: Path, judge: CountingJudge, reply: Any, again: bool
) -> None:
    path = out / at.VERDICTS
    first, *others = at.read_judgements(path).values()
    changed = Judgement(**{**dict(first), "replies": (reply,)})
    path.write_bytes(b"".join(map(at.judgement_line, (changed, *others))))
    run(source, out)
    assert judge.asked == (["right"] if again else [])
    told = [result.query_id for result in at.read_results(out)]
    assert told == [line["query_id"] for line in rows()]  # once, whatever the log holds of it
