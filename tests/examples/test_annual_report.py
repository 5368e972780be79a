"""The example set is whole: it is large enough, its ids resolve and its numbers agree."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragdiag.records import Item, Label, Passage, Sample

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "annual-report"
CODES = {
    "X1", "U1", "U2", "U3", "X3", "G1", "A1", "A2", "A3", "A4", "A5", "A6", "K1", "D1", "D2", "D3",
    "R3", "R4", "R5", "R6", "R2a", "R2b", "R2c", "R1", "G7", "G3a", "G3b", "G3c", "G4", "G5", "G6",
    "G2", "G9", "X4", "G8", "X2",
}  # fmt: skip
DANGLING = "q28"
NOT_IN_CORPUS = {"q39", "q40"}
NOT_IN_A_PASSAGE = {"q41", "q42"}


def lines(name: str) -> list[dict[str, Any]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


CORPUS = {row["passage_id"]: row for row in lines("corpus.jsonl")}
SAMPLES = [Sample.model_validate_json(json.dumps(row)) for row in lines("samples.jsonl")]
EXPECTED = {row["query_id"]: row for row in lines("expected.jsonl")}
LABELS = [Label.model_validate(row) for row in lines("labels.jsonl")]


each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.query_id)


def sentence_count(answer: str) -> int:
    return len(re.findall(r"\.(?:\s+(?=[A-Z])|$)", answer))


# --- size and range


def test_the_set_is_large_enough_and_small_enough() -> None:
    assert len(SAMPLES) >= 44
    assert len(CORPUS) >= 60
    assert len({sample.query_id for sample in SAMPLES}) == len(SAMPLES)
    assert (FOLDER / "corpus.jsonl").stat().st_size < 150_000
    assert (FOLDER / "samples.jsonl").stat().st_size < 400_000


def test_the_corpus_has_two_companies_two_years_tables_and_units() -> None:
    metadata = [row["metadata"] for row in CORPUS.values()]
    assert {m["entity"] for m in metadata if "entity" in m} == {
        "Fjellvik Energy",
        "Torsund Petroleum",
    }
    assert {m["period"] for m in metadata if "period" in m} == {"FY2016", "FY2017"}
    assert {"thousand barrels per day", "USD million", "percent", "thousand tonnes CO2"} <= {
        m.get("unit") for m in metadata
    }
    assert sum("|---|" in row["text"] for row in CORPUS.values()) >= 15


def test_every_code_was_meant_at_least_once_and_a_third_is_right() -> None:
    codes = Counter(row["code"] for row in EXPECTED.values())
    assert set(codes) == CODES
    assert codes["G4"] >= 3
    assert codes["A1"] >= 2
    assert codes["X2"] >= 2
    assert 0.25 <= codes["K1"] / len(SAMPLES) <= 0.4
    assert any(row.get("flags") == ["safe_abstention"] for row in EXPECTED.values())
    assert list(EXPECTED) == [sample.query_id for sample in SAMPLES]


# --- ids


@each_sample
def test_passages_are_those_of_the_corpus(sample: Sample) -> None:
    assert 8 <= len(sample.retrieved or ()) <= 10
    for passage in sample.retrieved or ():
        row = CORPUS[passage.passage_id]
        for field in ("doc_id", "page", "start", "end", "text", "metadata"):
            assert getattr(passage, field) == row[field], passage.passage_id
    scores = [passage.score or 0 for passage in sample.retrieved or ()]
    assert scores == sorted(scores, reverse=True)
    for ids in (*sample.stages.values(), sample.context or ()):
        assert all(passage.passage_id in CORPUS for passage in ids)


@each_sample
def test_a_later_list_is_drawn_from_the_one_before(sample: Sample) -> None:
    ids = {name: [p.passage_id for p in found] for name, found in sample.stages.items()}
    retrieved = [passage.passage_id for passage in sample.retrieved or ()]
    assert len(set(retrieved)) == len(retrieved)
    assert {p.passage_id for p in sample.context or ()} <= set(retrieved)
    if ids:
        assert ids["reranked"] == retrieved
        assert set(retrieved) <= set(ids["candidates"])
        assert 12 <= len(set(ids["candidates"])) == len(ids["candidates"]) <= 20
    if sample.context is not None:
        assert 3 <= len(sample.context) <= 5


def holds(item: Item, row: dict[str, Any]) -> bool:
    if item.passage_id is not None:
        return item.passage_id == row["passage_id"]
    return item.doc_id == row["doc_id"] and item.page == row["page"]


@each_sample
def test_gold_resolves_except_where_it_is_meant_to_be_lost(sample: Sample) -> None:
    documents = {row["doc_id"] for row in CORPUS.values()}
    objects = {(p.doc_id, p.object_id) for s in SAMPLES for p in s.retrieved or () if p.object_id}
    for item in (item for items in sample.gold for item in items):
        if sample.query_id in NOT_IN_CORPUS:
            assert item.doc_id not in documents
        elif sample.query_id in NOT_IN_A_PASSAGE:
            assert item.doc_id in documents
            assert item.text
            assert not any(item.text in row["text"] for row in CORPUS.values())
        elif item.passage_id is None and item.object_id is not None:
            assert (item.doc_id, item.object_id) in objects
        else:
            assert any(holds(item, row) for row in CORPUS.values()), item


def test_the_split_sentence_stands_across_two_adjacent_passages() -> None:
    sample = next(s for s in SAMPLES if EXPECTED[s.query_id]["code"] == "D3")
    item = sample.gold[0][0]
    first, second = (CORPUS["fv17-p52-a"], CORPUS["fv17-p52-b"])
    assert first["end"] == second["start"]
    joined = first["text"] + second["text"]
    assert item.start is not None
    assert item.end is not None
    assert joined[item.start - first["start"] : item.end - first["start"]] == item.text
    for half in (first, second):
        covered = min(item.end, half["end"]) - max(item.start, half["start"])
        assert covered / (item.end - item.start) < 0.8


def test_spans_of_a_document_do_not_overlap() -> None:
    last: dict[str, Passage] = {}
    for row in CORPUS.values():
        passage = Passage.model_validate(row)
        assert passage.start is not None
        assert passage.end is not None
        assert passage.end - passage.start == len(passage.text or "")
        before = last.get(passage.doc_id or "")
        assert before is None or (before.end or 0) <= passage.start
        last[passage.doc_id or ""] = passage


# --- answers and labels


@each_sample
def test_citation_markers_resolve_but_for_the_one_that_dangles(sample: Sample) -> None:
    context = sample.retrieved if sample.context is None else sample.context
    for marker in re.findall(r"\[(\d+)\]", sample.answer or ""):
        assert (int(marker) > len(context or ())) == (sample.query_id == DANGLING), marker
    for cited in sample.citations or ():
        assert cited.passage_id in {passage.passage_id for passage in context or ()}


@each_sample
def test_every_answer_is_labelled_and_every_claim_stands_in_it(sample: Sample) -> None:
    labels = [label for label in LABELS if label.query_id == sample.query_id]
    if EXPECTED[sample.query_id]["code"] == "X1":
        assert sample.error
        assert not labels
        return
    answer = sample.answer or ""
    checks = Counter(label.check for label in labels)
    assert checks["answer_correctness"] >= 1
    assert checks["sufficiency"] == 1
    support = [label for label in labels if label.check == "support"]
    assert len(support) in (0, sentence_count(answer))
    for label in support:
        assert label.claim_span is not None
        start, end = label.claim_span
        assert re.sub(r"\s*\[\d+\]", "", answer[start:end]) == label.claim
    if re.search(r"\[\d+\]", answer) or sample.citations:
        assert checks["citation_support"] == 1


# --- numbers


def table(passage_id: str) -> dict[str, list[float]]:
    """Rows of a markdown table by their label; numbers in brackets are negative."""
    rows: dict[str, list[float]] = {}
    for line in CORPUS[passage_id]["text"].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        found = [cell.replace(",", "") for cell in cells[1:]]
        numbers = [c for c in found if re.fullmatch(r"\(?\d+(\.\d+)?\)?", c)]
        if numbers and cells[0]:
            rows[cells[0]] = [-float(c[1:-1]) if c[0] == "(" else float(c) for c in numbers]
    return rows


TOTALS = {
    "fv17-p29-a": "Total", "fv16-p28-a": "Total", "fv17-p34-a": "Total", "ts17-p21-a": "Total",
    "ts16-p20-a": "Total", "fv17-p30-a": "Total outside Norway", "fv17-p39-a": "Total",
    "fv16-p29-a": "Total outside Norway", "fv16-p37-a": "Total", "fv17-p41-a": "Total",
    "fv16-p39-a": "Total", "ts17-p31-a": "Total", "ts16-p29-a": "Total", "fs17-p8-a": "Total",
    "fv17-p35-a": "Entitlement production", "fv17-p42-a": "Free cash flow",
}  # fmt: skip


@pytest.mark.parametrize(("passage_id", "total"), TOTALS.items())
def test_totals_add_up(passage_id: str, total: str) -> None:
    rows = table(passage_id)
    expected = rows.pop(total)
    for column, value in enumerate(expected):
        assert sum(row[column] for row in rows.values()) == pytest.approx(value, abs=0.01)


@pytest.mark.parametrize("passage_id", ["fv17-p38-a", "fv16-p36-a"])
def test_the_statements_of_income_add_up(passage_id: str) -> None:
    rows = table(passage_id)
    lines_of = list(rows)
    for column in (0, 1):
        value = {name: rows[name][column] for name in lines_of}
        above = sum(value[name] for name in lines_of[: lines_of.index("Net operating income")])
        assert above == value["Net operating income"]
        before_tax = value["Net operating income"] + value["Net financial items"]
        assert before_tax == value["Income before tax"]
        assert before_tax + value["Income tax"] == value["Net income"]


@pytest.mark.parametrize(
    ("report_2017", "report_2016"),
    [
        ("fv17-p29-a", "fv16-p28-a"), ("fv17-p30-a", "fv16-p29-a"), ("fv17-p31-a", "fv16-p30-a"),
        ("fv17-p38-a", "fv16-p36-a"), ("fv17-p39-a", "fv16-p37-a"), ("fv17-p40-a", "fv16-p38-a"),
        ("fv17-p41-a", "fv16-p39-a"), ("fv17-p47-a", "fv16-p45-a"), ("ts17-p21-a", "ts16-p20-a"),
        ("ts17-p30-a", "ts16-p28-a"), ("ts17-p31-a", "ts16-p29-a"),
    ],
)  # fmt: skip
def test_both_reports_give_the_same_figures_for_2016(report_2017: str, report_2016: str) -> None:
    later, earlier = table(report_2017), table(report_2016)
    assert later
    assert {name: row[1] for name, row in later.items()} == {
        name: row[0] for name, row in earlier.items()
    }


def test_the_three_blocks_make_up_tamboa_and_their_share_is_the_reference() -> None:
    blocks, areas = table("fv17-p31-a"), table("fv17-p30-a")
    assert len(blocks) == 3
    together = sum(row[0] for row in blocks.values())
    assert together == pytest.approx(areas["Tamboa"][0])
    outside = table("fv17-p29-a")["Outside Norway"][0]
    assert areas["Total outside Norway"][0] == outside == 412.5
    assert SAMPLES[0].reference[0] == f"{100 * together / outside:.1f} percent"


@pytest.mark.parametrize(
    ("query_id", "value"),
    [
        ("q04", 1043.7 + 899.1), ("q06", 100 * 5209 / 7945), ("q11", 10604 - 10274),
        ("q17", 5438 / 709), ("q19", 2864 + 2183 + 1274), ("q22", 55.1 - 48.6),
        ("q48", 100 * 153.8 / 1043.7), ("q57", 100 * 150.5 / 387.4), ("q58", 100 * 412.5 / 1043.7),
        ("q59", 100 * (2183 - 1274) / 2183), ("q60", 1596 - 1524), ("q61", 48.6 + 71.3 + 33.9),
    ],
)  # fmt: skip
def test_computed_references_are_right(query_id: str, value: float) -> None:
    sample = next(s for s in SAMPLES if s.query_id == query_id)
    number = re.search(r"\d[\d,]*(\.\d+)?", sample.reference[0])
    assert number is not None
    decimals = len(number.group().partition(".")[2])
    assert float(number.group().replace(",", "")) == pytest.approx(
        value, abs=0.5 * 10**-decimals + 1e-9
    )
