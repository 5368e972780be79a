"""`ragdiag calibrate` from files: what is counted, refused, kept, and known of it later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation.calibrating import Ask, calibrate_files
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.judge_validation import measure
from ragdiag.evaluation.splitting import keys_of
from ragdiag.judging.screen import Screen, load
from ragdiag.judging.screen.model import load_model
from ragdiag.records import Sample, Settings
from ragdiag.text.clusters import trained_keys
from tests.runs import write

TOWNS = (
    "Alta", "Bergen", "Drammen", "Egersund", "Florø", "Gjøvik", "Hamar", "Ilseng", "Jessheim",
    "Kragerø", "Larvik", "Molde", "Narvik", "Oppdal", "Porsgrunn", "Raufoss", "Sandnes", "Tromsø",
    "Ulsteinvik", "Voss", "Ørsta", "Åndalsnes", "Bodø", "Halden",
)  # fmt: skip
HOLDS, LACKS = (
    "opened its harbour museum in the old granary",
    "never sold cheese to passing sailors",
)
QUERY = Ask(by=("query",))


def samples(n: int = 24) -> list[dict[str, Any]]:
    """The answers of even numbers stand in their passage word by word; the others do not at all."""
    return [
        {
            "query_id": f"q{i}",
            "query": f"What did the council of {TOWNS[i]} do?",
            "retrieved": [
                {"passage_id": f"p{i}", "doc_id": f"d{i}", "text": f"The council of {TOWNS[i]} {HOLDS}."}
            ],
            "answer": f"The council of {TOWNS[i]} {HOLDS if i % 2 == 0 else LACKS}.",
        }
        for i in range(n)
    ]  # fmt: skip


def labels(n: int = 24, *, turned: bool = False, **more: Any) -> list[dict[str, Any]]:
    """As the answers are, or (turned) the other way round: people who want what the screen fears."""
    told = ("unfaithful", "faithful") if turned else ("faithful", "unfaithful")
    return [
        {"query_id": f"q{i}", "check": "faithfulness", "label": told[i % 2], **more}
        for i in range(n)
    ]


def calibrated(place: Path, rows: list[dict[str, Any]], ask: Ask = QUERY, **how: Any) -> Any:
    source = write(place / "samples.jsonl", how.pop("samples", None) or samples())
    people = write(place / "people.jsonl", rows)
    return calibrate_files([source], [people], place / "screen.json", ask)


def test_turned_labels_turn_the_screen(tmp_path: Path) -> None:
    found = calibrated(tmp_path, labels(turned=True))
    row = found["calibration"]["checks"]["faithfulness"]
    assert (row["n"], row["n_first"], row["n_questions"]) == (24, 12, 24)
    assert row["before"]["balanced_accuracy"]["value"] == 0.0
    assert row["after"]["balanced_accuracy"]["value"] == 1.0
    assert row["difference"]["balanced_accuracy"]["value"] == 1.0
    assert row["verdict"] == "better"
    assert json.loads((tmp_path / "screen.json").read_text()) == found
    one, shipped = load(tmp_path / "screen.json"), Screen()
    assert one.version != shipped.version
    assert one.model["sufficiency"] == shipped.model["sufficiency"]
    assert one.model["answer"] != shipped.model["answer"]
    assert one.measured["faithfulness"] == {"n": 24.0, "balanced_accuracy": 1.0}
    assert found["calibration"]["base"] == shipped.model.digest


def test_labels_as_the_screen_has_it_are_no_gain(tmp_path: Path) -> None:
    row = calibrated(tmp_path, labels())["calibration"]["checks"]["faithfulness"]
    assert row["before"]["balanced_accuracy"]["value"] == 1.0
    assert row["after"]["balanced_accuracy"] == row["before"]["balanced_accuracy"]
    assert row["difference"]["balanced_accuracy"]["value"] == 0.0
    assert row["verdict"] == "not_better"


def test_a_majority_counts_and_a_tie_is_left_out(tmp_path: Path) -> None:
    rows = [{**row, "annotator": who} for row in labels() for who in ("ada", "bo", "cy")]
    rows[0]["label"] = "unfaithful"  # q0: one of three
    rows = [row for row in rows if (row["query_id"], row["annotator"]) != ("q1", "cy")]
    rows[3]["label"] = "faithful"  # q1: one of two
    rows.append({**labels()[2], "annotator": "dee", "unsure": True})
    rows.append({**labels()[4], "annotator": "dee", "queue": "fix"})
    told = calibrated(tmp_path, rows)["calibration"]
    assert told["left_out"] == {"faithfulness": {"tied": 1, "unsure": 1, "fix": 1}}
    row = told["checks"]["faithfulness"]
    assert (row["n"], row["n_first"]) == (23, 12)
    assert told["labels"]["n"] == {"faithfulness": {"faithful": 38, "unfaithful": 35}}


def test_too_few_of_a_kind(tmp_path: Path) -> None:
    few = [row for row in labels() if row["label"] == "faithful" or int(row["query_id"][1:]) < 18]
    with pytest.raises(UsageError) as refused:
        calibrated(tmp_path, few)
    assert str(refused.value) == (
        "too few labels: 10 of the rarer kind are needed, on 5 questions or more (faithfulness: 9 "
        "labels are 'not faithful', on 9 questions)"
    )
    assert not (tmp_path / "screen.json").exists()
    assert calibrated(tmp_path, few, Ask(by=("query",), folds=4))  # eight do for four


def test_one_kind_only(tmp_path: Path) -> None:
    rows = [row for row in labels() if row["label"] == "faithful"]
    with pytest.raises(UsageError, match="its 12 labels are all one kind, none is 'not faithful'"):
        calibrated(tmp_path, rows)


def test_labels_on_one_document_are_one_question(tmp_path: Path) -> None:
    rows = samples()
    for i, row in enumerate(rows):
        row["gold"] = [[{"passage_id": f"p{i}", "doc_id": f"doc{i // 8}"}]]
    with pytest.raises(UsageError, match=r"on 3 questions\); --by query joins"):
        calibrated(tmp_path, labels(), Ask(), samples=rows)


def test_other_checks_keep_the_shipped_model(tmp_path: Path) -> None:
    rows = [*labels(turned=True), {"query_id": "q0", "check": "sufficiency", "label": "sufficient"}]
    found = calibrated(tmp_path, rows)
    kept = found["calibration"]["kept_shipped"]
    assert kept["sufficiency"] == "its 1 labels are all one kind, none is 'not sufficient'"
    assert kept["answer_correctness"] == "no labels"
    shipped = load_model()["sufficiency"]
    assert found["models"]["sufficiency"]["coefficients"] == dict(
        zip(shipped.features, shipped.coefficients, strict=True)
    )
    with pytest.raises(UsageError, match="sufficiency: its 1 labels are all one kind"):
        calibrated(tmp_path, rows, Ask(("faithfulness", "sufficiency"), by=("query",)))


def test_labels_of_other_queries(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="labels of 4 queries that are not among the samples"):
        calibrated(tmp_path, labels(), samples=samples(20))


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (Ask(("relevance",)), "--check relevance: the screen does not answer it"),
        (Ask(precision=0.5), "--precision lies over 0.5"),
        (Ask(precision=float("nan")), "--precision lies over 0.5"),
        (Ask(folds=1), "--folds lies between 2 and 20"),
    ],
)
def test_what_cannot_be_asked(tmp_path: Path, ask: Ask, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        calibrated(tmp_path, labels(), ask)


def test_labels_that_the_screen_does_not_answer(tmp_path: Path) -> None:
    rows = [{"query_id": "q0", "check": "relevance", "label": "1", "passage_id": "p0"}]
    with pytest.raises(UsageError, match="labels are of relevance, which the screen does not"):
        calibrated(tmp_path, rows)


def test_another_file_is_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path / "screen.json", labels(2))
    with pytest.raises(UsageError, match="is there already and is no model of the screen"):
        calibrated(tmp_path, labels())
    assert len((tmp_path / "screen.json").read_text().splitlines()) == 2


def test_order_changes_nothing(tmp_path: Path) -> None:
    first = calibrated(tmp_path, labels())
    again = calibrated(tmp_path, labels()[::-1], samples=samples()[::-1])
    assert first["calibration"]["labels"].pop("hash") != again["calibration"]["labels"].pop("hash")
    assert first == again


def test_what_the_screen_would_not_be_asked_is_left_out(tmp_path: Path) -> None:
    """No passages are known, or no answer: there is nothing to compare, whatever else is there."""
    rows = samples()
    del rows[0]["retrieved"]
    rows[0]["reference"] = ["A museum."]
    rows[1]["answer"] = None
    rows[2]["answer"] = "I don't know."
    told = calibrated(tmp_path, labels(), samples=rows)["calibration"]
    assert told["left_out"] == {"faithfulness": {"nothing_to_read": 3}}
    assert told["checks"]["faithfulness"]["n"] == 21


def test_claims_and_citations_share_a_model(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for i in range(24):
        said = ("supported", "not_found")[i % 2]
        claim = samples()[i]["answer"]
        rows.append({"query_id": f"q{i}", "check": "support", "label": said, "claim": claim})
        cited = "supported" if i % 2 == 0 else "unsupported"
        rows.append({"query_id": f"q{i}", "check": "citation_support", "label": cited})
    rows.append({**rows[0], "passage_id": "p0"})
    told = calibrated(tmp_path, rows)["calibration"]
    assert {check: row["n"] for check, row in told["checks"].items()} == {
        "citation_support": 24, "support": 24,
    }  # fmt: skip
    assert told["left_out"]["support"] == {"part": 1}
    assert set(told["trained_on"]) == {"faithfulness", "citation_support", "support"}


def evaluated(place: Path, rows: list[dict[str, Any]], judge: str, **how: Any) -> dict[str, Any]:
    source = write(place / "evaluated.jsonl", rows)
    return evaluate_files(
        Inputs((source,), labels=how.get("labels")), Options(Settings(), judge=judge),
        out=place / "out",
    )  # fmt: skip


def test_labels_that_it_was_trained_on_do_not_validate_it(tmp_path: Path) -> None:
    told = [row for row in labels(turned=True) if int(row["query_id"][1:]) < 20]
    calibrated(tmp_path, told)
    people = write(tmp_path / "people.jsonl", labels(turned=True))
    rows = samples()
    rows[3]["query_id"] = "another"  # the same question under another id
    people = write(
        tmp_path / "people.jsonl",
        [{**one, "query_id": "another"} if one["query_id"] == "q3" else one for one in labels(turned=True)],
    )  # fmt: skip
    report = evaluated(tmp_path, rows, f"screen:{tmp_path / 'screen.json'}", labels=people)
    found = measure(tmp_path / "out", [people])
    assert found["trained_on"] == {"faithfulness": 20}
    assert found["checks"]["faithfulness"]["n_labelled"] == 4
    assert not found["checks"]["faithfulness"]["trusted"]
    assert report["judge"]["validated"]["faithfulness"]["n"] <= 4
    assert report["agreement"]["faithfulness"]["n"] == 4
    assert any("20 labels (faithfulness 20) left out" in line for line in report["warnings"])
    (tmp_path / "b").mkdir()
    shipped = evaluated(tmp_path / "b", rows, "screen", labels=people)
    assert shipped["agreement"]["faithfulness"]["n"] == 24
    assert measure(tmp_path / "b" / "out", [people])["trained_on"] == {}


def test_a_judge_that_holds_it_is_known_to_be_trained(tmp_path: Path) -> None:
    calibrated(tmp_path, labels(turned=True))
    file = write(tmp_path / "first.jsonl", labels(2))
    spec = f"cascade:file:{file},screen:{tmp_path / 'screen.json'}"
    report = evaluated(tmp_path, samples(), spec)
    assert set(trained_keys(Sample.model_validate(samples()[5]))) <= set(
        report["judge"]["trained_on"]["faithfulness"]
    )


def test_turns_of_one_conversation_hang_together() -> None:
    first = Sample(query_id="a", query="Where does it lie?")
    later = Sample(
        query_id="b", query="And how far is that?",
        history=(("user", "where  does it lie?"), ("assistant", "In Alta.")),
    )  # fmt: skip
    other = Sample(query_id="c", query="And how far was that?")
    assert set(keys_of(first, ("query",))) & set(keys_of(later, ("query",)))
    assert not set(keys_of(other, ("query",))) & set(keys_of(later, ("query",)))


def turned_file(place: Path, change: Any) -> Path:
    data = json.loads(json.dumps(calibrated(place, labels())))
    change(data)
    path = place / "changed.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d["models"]["answer"]["coefficients"].pop("weak_share"), "it adds weak_share"),
        (lambda d: d["models"]["claim"]["coefficients"].update(mood=1), "it knows no mood"),
        (lambda d: d["models"].pop("claim"), "is not a screen's model"),
        (lambda d: d["models"]["claim"].update(low=2), "thresholds must satisfy"),
        (lambda d: d.update(calibration=[1]), "is not a screen's model"),
        (lambda d: d.update(measured={"answer:x": {"n": 3}}), "needs n and balanced_accuracy"),
        (lambda d: d.update(measured=[3]), "is not a screen's model"),
        (lambda d: d["models"]["claim"].update(coefficients={}), "is not a screen's model"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, change: Any, told: str) -> None:
    with pytest.raises(DataError, match=told) as refused:
        load(turned_file(tmp_path, change))
    assert "\n" not in str(refused.value)
