"""The example's categories: written beside each query by people who did not write the rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragdiag import evaluate
from ragdiag.api import Evaluation

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "annual-report"
LABELS = FOLDER / "labels.jsonl"


def lines(name: str) -> dict[str, dict]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return {row["query_id"]: row for row in map(json.loads, text.splitlines())}


EXPECTED = lines("expected.jsonl")


def run(judge: str) -> Evaluation:
    return evaluate(FOLDER / "samples.jsonl", judge=judge, corpus=FOLDER / "corpus.jsonl")


@pytest.mark.parametrize("judge", [f"file:{LABELS}", f"cascade:file:{LABELS},screen"])
def test_every_category_with_the_verdicts_of_people(judge):
    found = {result.query_id: result.diagnosis for result in run(judge).results}
    told = {query_id: diagnosis.code for query_id, diagnosis in found.items()}
    assert told == {query_id: row["code"] for query_id, row in EXPECTED.items()}
    for query_id, row in EXPECTED.items():
        assert set(row.get("flags", ())) <= set(found[query_id].flags)
        assert set(row.get("codes", found[query_id].codes)) == set(found[query_id].codes)


def test_families_with_the_screen(capsys):
    found = run("screen")
    codes = {result.query_id: result.diagnosis.code for result in found.results}
    right = sum(r.diagnosis.family == EXPECTED[r.query_id]["family"] for r in found.results)
    undetermined = found.report["categories"]["X2"]
    with capsys.disabled():
        print(
            f"\nexample, screen: family right {right} of {len(found)}, "
            f"X2 {undetermined['n']} ({undetermined['share']:.1%})"
        )
    assert right / len(found) >= 0.70
    for wanted in ("A1", "G4"):  # "correct answer, wrong evidence", "correct evidence, wrong …"
        meant = [query_id for query_id, row in EXPECTED.items() if row["code"] == wanted]
        assert meant
        assert all(codes[query_id] == wanted for query_id in meant)


def test_a_fresh_reader_agrees_but_for_one_query():
    """`reader` is the code of a second person with nothing but the table of categories at hand.

    q24 cites a passage of the wrong year that does not hold the value either: by "what it cites"
    the evidence is of the wrong year (A1), by "nothing supports it" there is none (A2).
    """
    differ = {query_id for query_id, row in EXPECTED.items() if row["reader"] != row["code"]}
    assert differ == {"q24"}
