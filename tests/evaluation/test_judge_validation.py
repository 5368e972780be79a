"""The outcome of people's labels is kept, and stands in later reports of the same judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation.correcting import corrections_of
from ragdiag.evaluation.directory import read_samples_copy
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.judge_validation import VALIDATION, measure, read_validation, save
from ragdiag.evaluation.people_labels import standing_labels
from ragdiag.evaluation.rescoring import rescore_directory
from ragdiag.records import Settings
from ragdiag.text.clusters import trained_keys
from tests.runs import row, write

CHECK = "answer_correctness"
WRONG = "The revenue of Alder was $1234 in 2017 [3]."


def samples(n: int = 80, **changes: Any) -> list[dict[str, Any]]:
    """Every second answer is wrong; two queries a document."""
    return [
        row(
            f"q{i}",
            slices={"half": "ab"[i % 2], "doc": f"d{i // 2}"},
            **({"answer": WRONG} if i % 2 else {}),
            **changes,
        )
        for i in range(n)
    ]


def labels(n: int = 80) -> list[dict[str, Any]]:
    told = ("correct", "incorrect")
    return [{"query_id": f"q{i}", "check": CHECK, "label": told[i % 2]} for i in range(n)]


def evaluated(tmp_path: Path, name: str = "out", **how: Any) -> tuple[Path, dict[str, Any]]:
    source = write(tmp_path / f"{name}.jsonl", how.pop("rows", None) or samples())
    given = how.pop("labels", None)
    report = evaluate_files(
        Inputs((source,), labels=given), Options(Settings(), **how), out=tmp_path / name
    )
    return tmp_path / name, report


def validated(directory: Path) -> dict[str, Any]:
    judge: dict[str, Any] = json.loads((directory / "report.json").read_text())["judge"]
    return judge


def test_the_outcome_is_kept_and_survives_a_rescore(tmp_path: Path) -> None:
    out, report = evaluated(tmp_path)
    assert report["judge"]["validated"] == {}
    people = write(tmp_path / "people.jsonl", labels())
    before = (out / "report.json").read_bytes()
    found = measure(out, [people])
    assert (out / "report.json").read_bytes() == before
    save(out, found)
    told = {CHECK: {"n": 80, "tpr": 1.0, "tnr": 1.0, "trusted": True, "why": None}}
    assert validated(out)["validated"] == told
    assert "validated on this data: yes, on 80 labels" in (out / "report.html").read_text()
    kept = read_validation(out / VALIDATION)
    assert kept == json.loads(json.dumps(found))
    assert kept["judge"]["name"] == "screen"
    assert (kept["labels"]["n"], kept["n_queries"]) == (80, 80)
    rescore_directory(out, changes={"k": (1,)})
    assert validated(out)["validated"] == told


def test_the_same_judge_finds_it_again(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    save(out, measure(out, [write(tmp_path / "people.jsonl", labels())]))
    _, again = evaluated(tmp_path)  # the same command: its report is written anew
    assert again["judge"]["validated"][CHECK]["trusted"]
    assert again["judge"]["validated_elsewhere"] is False
    for given in (out, out / VALIDATION):
        _, other = evaluated(tmp_path, f"of-{given.name}", rows=samples(4), judge_validation=given)
        assert other["judge"]["validated"][CHECK]["n"] == 80
        assert other["judge"]["validated_elsewhere"] is True


def test_another_judge_or_version_is_left_out_aloud(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    save(out, measure(out, [write(tmp_path / "people.jsonl", labels())]))
    kept = json.loads((out / VALIDATION).read_text())
    kept["judge"]["version"] = "0"
    (out / VALIDATION).write_text(json.dumps(kept))
    other, report = evaluated(tmp_path, "other", judge_validation=out)
    assert report["judge"]["validated"] == {}
    (told,) = (line for line in report["warnings"] if "validates judge screen" in line)
    assert "(version 0)" in told
    assert "left out" in told
    (other / VALIDATION).write_text("{")
    _, again = evaluated(tmp_path, "other")
    assert any(VALIDATION in line for line in again["warnings"])
    assert again["judge"]["validated"] == {}


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", '{"schema_version": 1, "judge": {}, "checks": {"a": {}}}',
     '{"schema_version": 1, "judge": {}, "checks": {"a": 1}}'],
)  # fmt: skip
def test_a_file_that_is_no_validation(tmp_path: Path, text: str) -> None:
    path = tmp_path / "v.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"v\.json"):
        read_validation(path)
    with pytest.raises(UsageError, match="ragdiag agreement"):
        read_validation(tmp_path / "none.json")
    with pytest.raises(DataError):
        evaluated(tmp_path, judge_validation=path)
    assert not (tmp_path / "out").exists()


def test_labels_of_the_evaluation_validate_at_once(tmp_path: Path) -> None:
    people = write(tmp_path / "people.jsonl", labels(20))
    out, report = evaluated(tmp_path, labels=people)
    told = report["judge"]["validated"][CHECK]
    assert (told["n"], told["trusted"]) == (20, False)
    assert told["why"] == "10 positive, 30 needed; 10 negative, 30 needed"
    assert read_validation(out / VALIDATION)["checks"][CHECK]["n"] == 20
    assert measure(out)["checks"][CHECK]["n"] == 20  # the labels of the evaluation
    write(out / "labels.jsonl", labels(8))
    assert measure(out)["checks"][CHECK]["n"] == 8  # those in the directory go before


def test_of_a_log_of_the_review_page_only_what_stands_counts(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    log = [
        {**one, "annotator": "ada", "item_id": f"i{n}", "entry_id": f"e{n}"}
        for n, one in enumerate(labels(4))
    ]
    events = [
        {"retracts": "i1", "entry_id": "e1", "annotator": "ada"},
        {"skips": "i7", "annotator": "ada"},
    ]
    write(out / "labels.jsonl", [*log, *events])
    assert measure(out)["checks"][CHECK]["n"] == 3


def test_clusters(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path)
    people = write(tmp_path / "people.jsonl", labels())
    alone = measure(out, [people])["checks"][CHECK]
    by_doc = measure(out, [people], cluster="doc")
    assert by_doc["cluster"] == "doc"
    wide = by_doc["checks"][CHECK]
    assert wide["agreement"]["ci_low"] < alone["agreement"]["ci_low"]
    assert measure(out, [people], cluster="none")["checks"][CHECK] == alone
    as_one = measure(out, [people], cluster="document")["checks"][CHECK]  # no query names any
    assert as_one == alone
    with pytest.raises(UsageError, match="--cluster year"):
        measure(out, [people], cluster="year")


def test_labels_of_nothing_here(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path, rows=samples(2))
    with pytest.raises(UsageError, match="whose labels"):
        measure(out)
    other = write(tmp_path / "o.jsonl", [{"query_id": "z", "check": CHECK, "label": "correct"}])
    with pytest.raises(UsageError, match="another data set"):
        measure(out, [other])


def test_labels_given_later_correct_the_rates_as_those_given_at_once(tmp_path: Path) -> None:
    """20 of 80 answers labelled, one of them otherwise than the judge: the same corrected rate from
    `evaluate --labels` and from `agreement` afterwards; a second look adds no second warning."""
    some = labels(20)
    some[1]["label"] = "correct"  # the judge says incorrect of q1
    people = write(tmp_path / "people.jsonl", some)
    _, at_once = evaluated(tmp_path, "at_once", labels=people)
    out, before = evaluated(tmp_path)
    assert "corrected" not in before["metrics"][CHECK]
    corrections, warning = corrections_of(out, standing_labels([people]))
    assert warning is None
    save(out, measure(out, [people]), corrections)
    after = save(out, measure(out, [people]), corrections)
    cell = after["metrics"][CHECK]["corrected"]
    assert cell == at_once["metrics"][CHECK]["corrected"]
    assert (cell["n_labelled"], cell["table"]) == (20, {"tp": 10, "fn": 1, "tn": 9, "fp": 0})
    assert after["codes_by_people"] == at_once["codes_by_people"]
    assert sum("inclusion_probability" in one for one in after["warnings"]) == 1
    none, _ = corrections_of(out, [])
    assert "corrected" not in save(out, measure(out, [people]), none)["metrics"][CHECK]


def test_a_label_counts_as_likely_as_its_queue_says_now(tmp_path: Path) -> None:
    """Drawn with a chance of .1 then, of .5 now: it stands for 2 queries, not for 10."""
    out, _ = evaluated(tmp_path)
    line = {"query_id": "q0", "check": CHECK, "item_id": "i0", "item_hash": "h", "queue": "audit"}
    label = {**line, "label": "correct", "inclusion_probability": 0.1, "annotator": "ada"}
    people = write(out / "labels.jsonl", [label])
    queued = {**line, "unit": "correctness", "inclusion_probability": 0.5, "stratum": {"id": "s"}}
    assert standing_labels([people])[0].model_extra == {
        "item_id": "i0", "item_hash": "h", "queue": "audit", "inclusion_probability": 0.1,
    }  # fmt: skip
    write(out / "queue.jsonl", [queued])
    assert standing_labels([people])[0].model_extra["inclusion_probability"] == 0.5  # type: ignore[index]


def test_without_its_corpus_only_metrics_are_corrected(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.jsonl", [{"doc_id": "d", "passage_id": "p", "text": "x"}])
    source = write(tmp_path / "samples.jsonl", samples())
    evaluate_files(Inputs((source,), corpus=corpus), Options(Settings()), out=tmp_path / "out")
    corpus.unlink()
    people = write(tmp_path / "people.jsonl", labels(20))
    corrections, warning = corrections_of(tmp_path / "out", standing_labels([people]))
    assert warning is not None
    assert "corpus.jsonl of this evaluation is not there" in warning
    assert corrections.categories() == {}
    assert corrections.report()[CHECK]["n_labelled"] == 20


def test_labels_that_it_was_calibrated_on_correct_nothing_later_either(tmp_path: Path) -> None:
    """20 labelled answers, 8 of which trained the judge: 12 correct its rate."""
    out, report = evaluated(tmp_path)
    people = write(tmp_path / "people.jsonl", labels(20))
    keys = [trained_keys(one)[0] for one in read_samples_copy(out) if int(one.query_id[1:]) < 8]
    report["judge"]["trained_on"] = {CHECK: keys}
    (out / "report.json").write_text(json.dumps(report))
    corrections, _ = corrections_of(out, standing_labels([people]))
    assert corrections.report()[CHECK]["n_labelled"] == 12
    assert measure(out, [people])["trained_on"] == {CHECK: 8}
