"""The screen's numbers: coefficients, IDF tables, versions, and what it costs."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from ragdiag.errors import DataError
from ragdiag.judging.screen import Screen, load
from ragdiag.judging.screen.claims import claims_of
from ragdiag.judging.screen.model import (
    Idf,
    Logistic,
    load_idf,
    load_model,
    read_idf,
    read_model,
    write_idf,
)
from ragdiag.records import (
    CheckCorrectness,
)
from tests.growth import grows_linearly
from tests.plant import COOKING, PLANT, finding, passages, sufficiency, support


@pytest.fixture(scope="module")
def screen() -> Screen:
    return Screen()


def test_probability_and_thresholds() -> None:
    model = Logistic(("a", "b"), (2.0, -1.0), 0.5, 0.25, 0.75)
    assert model.probability({"a": 0.5, "b": 1.5}) == pytest.approx(0.5)
    assert model.probability({"a": 1e9, "b": 0}) == pytest.approx(1)
    assert [model.decide(p) for p in (0.25, 0.5, 0.75)] == [False, None, True]


def test_idf_by_hand_and_through_a_file(tmp_path: Path) -> None:
    counted = Idf.counted(["The plant opened.", "The plant closed.", "Oil."])
    assert counted.weight("plant") == pytest.approx(math.log(4 / 3))
    assert counted.weight("zebra") == counted.unknown == pytest.approx(math.log(4))
    assert counted.total(["plant", "zebra"]) == pytest.approx(math.log(4 / 3) + math.log(4))
    write_idf(tmp_path / "idf.tsv", 3, {"plant": 2, "oil": 1})
    again = read_idf((tmp_path / "idf.tsv").read_text(encoding="utf-8"))
    assert again.digest == Idf(3, {"oil": 1, "plant": 2}).digest
    assert again.weight("plant") == counted.weight("plant")


@pytest.mark.parametrize("text", ["", "plant\t3\n", "#\tmany\n", "#\t3\nplant\n", "#\t0\n"])
def test_a_bad_idf_table_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        read_idf(text)


def test_a_corpus_changes_weights_and_version_but_not_by_order(screen: Screen) -> None:
    texts = [PLANT, COOKING, "The plant is large."]
    one = screen.with_corpus(passages(*texts))
    other = screen.with_corpus(passages(*reversed(texts)))
    assert one.version == other.version != screen.version
    assert one.idf.weight("plant") < one.idf.weight("dough")


def test_the_shipped_model_states_its_agreement() -> None:
    model = load_model()
    for name in ("answer:mtrag", "claim:attribution", "sufficiency:sufficiency"):
        assert model.measured[name]["n"] > 100
        assert 0.5 < model.measured[name]["balanced_accuracy"] < 1
        assert 0 < model.measured[name]["decided_share"] <= 1
    assert "cross-validation" in model.provenance
    assert len(load_idf().digest) == 16


def _shipped() -> dict[str, object]:
    path = Path(sys.modules[Screen.__module__].__file__ or "").with_name("screen.json")
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_screen_of_a_file(tmp_path: Path, screen: Screen) -> None:
    data = _shipped()
    data["models"]["claim"]["high"] = 1.0  # pyright: ignore
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    mine = load(path)
    assert mine.version != screen.version
    assert load().version == screen.version
    claim = "The Norvik plant opened in 1987 on the east bank of the river Sund."
    assert finding(mine, claim, PLANT).label is None
    assert finding(screen, claim, PLANT).label == "supported"


@pytest.mark.parametrize(
    ("key", "value"), [("high", math.nan), ("low", 0.99), ("intercept", "much"), ("high", None)]
)
def test_a_bad_model_is_refused(key: str, value: object) -> None:
    data = _shipped()
    data["models"]["claim"][key] = value  # pyright: ignore
    with pytest.raises(DataError, match="mine"):
        read_model(json.dumps(data), where="mine")


def test_a_model_that_is_not_there_or_not_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read"):
        load(tmp_path / "none.json")
    with pytest.raises(DataError, match="not a screen's model"):
        read_model("[]")


@pytest.mark.parametrize(
    "hostile",
    [
        "a " * 100_000,
        "? " * 100_000,
        "1,.," * 50_000,
        " " * 200_000 + "x",
        "no " * 66_000,
        "the plant is open. " * 10_000,
    ],
    ids=["words", "questions", "separators", "blanks", "negations", "sentences"],
)
def test_hostile_texts_take_linear_time(screen: Screen, hostile: str) -> None:
    def work(text: str) -> None:
        assert len(claims_of("q", text)) <= 100_000
        support(screen, text, text)
        sufficiency(screen, "Is the plant open?", text)
        screen.reply(CheckCorrectness(query_id="q", query="?", reference=(text,), answer=text))

    assert grows_linearly(work, hostile)


def test_scores_do_not_depend_on_how_strings_are_hashed() -> None:
    code = (
        "from ragdiag.judging.screen.features import Evidence, Support, ANSWER_FEATURES\n"
        "from ragdiag.judging.screen.model import load_idf\n"
        "from ragdiag.judging.screen.reading import read\n"
        f"support = Support(Evidence([read({PLANT!r})]), 'What?', load_idf())\n"
        f"print(sorted(support.answer({(PLANT + COOKING)!r}).items()))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
