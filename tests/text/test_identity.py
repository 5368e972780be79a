from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from ragdiag.records import Passage, Target
from ragdiag.text.identity import (
    compare,
    entity_of_id,
    near_miss,
    shared_fields,
    target_from_question,
    wrong_field,
)
from tests.growth import grows_linearly


def passage(text: str | None = None, **fields: Any) -> Passage:
    return Passage(**{"passage_id": "p", "text": text, **fields})


def meta(**fields: Any) -> Passage:
    return passage(metadata=fields)


TABLE = "Acme Corp.\nYears ended December 31\n2018\n2017\n(in millions)\nNet sales\n5\n4"


@pytest.mark.parametrize(
    ("target", "place", "expected"),
    [
        ({"period": "FY2018"}, meta(period="FY2018"), "match"),
        ({"period": "FY2018"}, meta(Fiscal_Year=2018), "match"),
        ({"period": "FY2018"}, meta(year=2018.0), "match"),
        ({"period": "FY2018"}, passage(TABLE, metadata={"period": "FY2017"}), "mismatch"),
        ({"period": "FY2018"}, meta(period=["FY2017", "FY2018"]), "match"),
        ({"period": "Q3 2018"}, meta(year=2018, quarter=3), "match"),
        ({"period": "Q3 2018"}, meta(year=2018, quarter="Q2"), "mismatch"),
        ({"period": "Q3 2018"}, meta(period="FY2018"), "unknown"),
        ({"period": "FY2018"}, passage(doc_id="ACME_2018_10K"), "match"),
        ({"period": "FY2018"}, passage(doc_id="ACME_2015_10K"), "mismatch"),
        ({"period": "FY2017"}, passage(TABLE, doc_id="ACME_2018_10K"), "match"),
        ({"period": "FY2019"}, passage(TABLE + "\n2019 is", doc_id="ACME_2018_10K"), "mismatch"),
        ({"period": "FY2016"}, passage("In 2016 we grew.", doc_id="ACME_2018_10K"), "mismatch"),
        ({"period": "FY2017"}, passage(TABLE), "match"),
        ({"period": "FY2016"}, passage(TABLE), "mismatch"),
        ({"period": "FY2016"}, passage("Notes are due in 2033."), "unknown"),
        ({"period": "FY2016"}, passage("No years."), "unknown"),
        ({"period": "last year"}, meta(period="Last Year"), "match"),
        ({"entity": "Acme Corporation"}, meta(company="ACME Corp."), "match"),
        ({"entity": "Acme"}, meta(entity="Bolt Inc."), "mismatch"),
        ({"entity": "Advanced Micro Devices"}, meta(company="AMD"), "match"),
        ({"entity": "JnJ"}, meta(company="Johnson & Johnson"), "match"),
        ({"entity": "Best Buy"}, passage(doc_id="BESTBUY_2019_10K"), "match"),
        ({"entity": "Acme"}, passage("Acme sued us.", doc_id="BOLT_2019_10K"), "mismatch"),
        ({"entity": "Acme"}, passage("Acme Inc. grew.", doc_id="doc-17"), "match"),
        ({"entity": "Acme"}, passage("AcmeInc.\nBalance"), "match"),
        ({"entity": "Acme"}, passage("Acmeology grew."), "unknown"),
        ({"entity": "Acme"}, passage("Bolt grew.", doc_id="doc-17"), "unknown"),
        ({"entity": "Acme"}, passage(doc_id="annual/acme.pdf"), "match"),
        ({"metric": "net sales"}, passage(TABLE), "match"),
        ({"metric": "capital expenditure"}, passage(TABLE), "unknown"),
        ({"metric": "net sales"}, meta(metric="Net sales"), "match"),
        ({"metric": "net sales"}, meta(metric="Inventories"), "mismatch"),
        ({"metric": "the"}, passage(TABLE), "unknown"),
        ({"unit": "USD millions"}, passage(TABLE), "match"),
        ({"unit": "thousand barrels"}, passage("(in million barrels)"), "mismatch"),
        ({"unit": "million barrels"}, meta(unit="million barrels"), "match"),
        ({"unit": "USD"}, meta(currency="EUR"), "mismatch"),
        ({"unit": "widgets"}, meta(unit="Widgets"), "match"),
        ({"unit": "USD"}, passage("words"), "unknown"),
        ({"page": 60}, passage(page="60"), "match"),
        ({"page": 60}, passage(page=61), "mismatch"),
        ({"page": 60}, meta(page_number=60), "match"),
        ({"page": 60}, passage(), "unknown"),
        ({"report": "ACME_2018_10K"}, passage(doc_id="acme-2018-10k"), "match"),
        ({"report": "ACME_2018_10K"}, passage(doc_id="ACME_2017_10K"), "mismatch"),
        ({"report": "ACME_2018_10K"}, passage(doc_id="BOLT_2018_10K"), "mismatch"),
        ({"report": "ACME_2018_10K"}, passage(doc_id="17"), "unknown"),
        ({"report": "Acme Annual Report 2018"}, meta(report="Annual Report 2017"), "mismatch"),
        ({"report": "Acme Annual Report 2018"}, meta(title="Annual Report 2018"), "match"),
        ({"report": "Acme Annual Report 2018"}, passage(), "unknown"),
    ],
)  # fmt: skip
def test_compare(target: dict[str, Any], place: Passage, expected: str):
    assert compare(Target(**target), place) == {next(iter(target)): expected}


def test_other_text_belongs_to_the_passage():
    target = Target(entity="Acme")
    assert compare(target, passage("5"), other_text="Acme Corp.") == {"entity": "match"}


TARGET = Target(entity="Acme", period="FY2018", metric="net sales", page=3)


def test_wrong_field_is_the_first_in_order():
    right = passage(doc_id="ACME_2018_10K", page=3)
    assert wrong_field(TARGET, right) is None
    assert shared_fields(TARGET, right) == {"entity", "period", "page"}
    assert wrong_field(TARGET, passage(doc_id="ACME_2015_10K", page=4)) == "period"
    assert wrong_field(TARGET, passage(doc_id="BOLT_2015_10K")) == "entity"
    assert compare(Target(), right) == {}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (passage(doc_id="ACME_2015_10K"), "period"),
        (passage(doc_id="BOLT_2018_10K"), "entity"),
        (passage(doc_id="ACME_2018_10K", page=4), "metric_or_page"),
        (passage("net sales", doc_id="ACME_2018_10K"), "metric_or_page"),
        (passage("net sales", doc_id="BOLT_2015_10K"), "other"),
        (passage("net sales"), "other"),
        (passage(doc_id="BOLT_2015_10K", page=4), None),
        (passage("words"), None),
    ],
)
def test_near_miss(place: Passage, expected: str | None):
    assert near_miss(TARGET, place) == expected


def test_near_miss_in_another_report_or_unit():
    target = Target(entity="Acme", unit="USD millions")
    assert near_miss(target, passage("Acme (in thousands)")) == "other"


@pytest.mark.parametrize(
    ("doc_id", "entity"),
    [
        ("3M_2018_10K", "3m"), ("JOHNSON_JOHNSON_2022Q4_EARNINGS", "johnson johnson"),
        ("doc-17", None), ("report_2018", None), ("a3f9e1", None),
        ("reports/Acme-2018.pdf", "acme"),
    ],
)  # fmt: skip
def test_entity_of_id(doc_id: str, entity: str | None):
    assert entity_of_id(doc_id) == entity


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What is the FY2018 capex (in USD millions) for 3M?",
         {"period": "FY2018", "entity": "3M", "unit": "USD millions", "metric": "capex"}),
        ("Did Best Buy's margin rise in Q2 of FY2024?",
         {"period": "Q2 FY2024", "entity": "Best Buy"}),
        ("How did Acme's tax rate change between FY2021 and FY2022?",
         {"period": "FY2022", "entity": "Acme", "metric": "tax rate"}),
        ("What were sales of Johnson & Johnson in 2020? Answer in percent.",
         {"period": "2020", "entity": "Johnson & Johnson", "unit": "percent", "metric": "sales"}),
        ("Is Acme a bank?", {"entity": "Acme"}),
        ("how long is the bridge?", {}),
        ("", {}),
        ("Compare the revenue of Acme and Bolt in 2022.",
         {"period": "2022", "entity": "Acme and Bolt", "metric": "revenue"}),
        ("Which had higher net income in 2020, Acme or Bolt?",
         {"period": "2020", "entity": "Acme and Bolt", "metric": "net income"}),
        ("Among Acme, Bolt Works and Cole, whose backlog was larger?",
         {"entity": "Acme and Bolt Works and Cole", "metric": "backlog"}),
        ("How did revenue change last year at Acme?", {"entity": "Acme", "metric": "revenue"}),
        ("On page 60 of Acme's report, what is the current ratio?",
         {"entity": "Acme", "page": 60, "metric": "current ratio"}),
        ("What was oil production (thousand barrels) in 2016/17?",
         {"period": "2016/17", "unit": "thousand barrels", "metric": "oil production"}),
        ("what was acme's revenue in 2017",
         {"period": "2017", "entity": "acme", "metric": "revenue"}),
        ("Wie hoch war der Umsatz von Siemens im Geschäftsjahr 2017?",
         {"period": "FY2017", "entity": "Siemens"}),
        ("Quel était le chiffre d'affaires de Danone en 2017 ?",
         {"period": "2017", "entity": "Danone"}),
        ("2017年トヨタの売上高は？", {"period": "2017", "entity": "トヨタ"}),
    ],
)  # fmt: skip
def test_target_from_question(query: str, expected: dict[str, Any]):
    assert target_from_question(query) == Target(**expected)


def _gold(shared: Path) -> list[tuple[Target, Passage]]:
    """The gold pages of the annual-report questions, with the metadata of the retrieved ones."""
    lines = (shared / "real" / "financebench.samples.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    known = {p["passage_id"]: p for row in rows for p in row.get("retrieved") or []}
    first = {row["slices"]["question"]: row for row in rows}
    return [
        (Target(**row["target"]), Passage(**known[item["passage_id"]]))
        for row in first.values()
        for gold in row["gold"]
        for item in gold
    ]


def _caught(gold: list[tuple[Target, Passage]], field: str) -> float:
    """Share of swapped targets that are seen; the other target is drawn five times a passage."""
    draw = random.Random(1)
    outcomes: list[bool] = []
    for target, place in gold:
        for other, _ in (draw.choice(gold) for _ in range(5)):
            value = getattr(other, field)
            if value != getattr(target, field):
                swapped = target.model_copy(update={field: value})
                outcomes.append(compare(swapped, place)[field] == "mismatch")
    return sum(outcomes) / len(outcomes)


def test_annual_reports(shared: Path):
    gold = _gold(shared)
    bare = [(t, p.model_copy(update={"metadata": {}})) for t, p in gold]
    for pairs in (gold, bare):
        assert sum(wrong_field(t, p) is not None for t, p in pairs) <= 0.03 * len(pairs)
    assert _caught(gold, "period") >= 0.95
    assert _caught(gold, "entity") >= 0.95
    assert _caught(bare, "period") >= 0.80
    assert _caught(bare, "entity") >= 0.80


@pytest.mark.parametrize(
    "text", ["Acme" + " " * 200_000, "in " * 66_000, "$ " * 100_000, "(in" * 66_000]
)
def test_linear(text: str):
    target = Target(
        report="r", entity="Acme Oil", period="FY2018", metric="net sales", unit="USD m"
    )
    assert grows_linearly(lambda part: compare(target, passage(part, doc_id=part[:50_000])), text)
    assert grows_linearly(target_from_question, text)
