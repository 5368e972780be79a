"""Units and metrics: a conflict only where another is stated and nowhere the wanted."""

from __future__ import annotations

import pytest

from ragdiag.records import Passage, Target
from ragdiag.text.identity import compare
from ragdiag.text.metric_conflict import canonical, metric_in_text
from ragdiag.text.unit_conflict import unit_in_text
from ragdiag.text.units import Unit, units_stated
from tests.growth import grows_linearly


@pytest.mark.parametrize(
    ("wanted", "text", "outcome"),
    [
        ("USD thousands", "(in millions)", "mismatch"),
        ("USD millions", "(in millions, except per share data)", "match"),
        ("USD thousands", "Sales were $5 million.", "mismatch"),
        ("USD millions", "Sales were $5 million.", "match"),
        ("barrels", "Production was 5,000 tons.", "mismatch"),
        ("tons", "Production (barrels)\nArden 5", "mismatch"),
        ("tons", "Production was 5 thousand tons and 6 barrels.", "match"),
        ("million barrels", "Production in million barrels", "match"),
        ("USD per share", "(in millions)\nNet income 5", "mismatch"),
        ("USD per share", "(in millions, except per share)\nNet income 5", "match"),
        ("USD per share", "Net income per share was $5", "match"),
        ("USD per share", "EPS 5", "match"),
        ("USD millions", "Dividends per share 5", "mismatch"),
        ("CAD millions", "Sales were $5 million.", "match"),
        ("EUR", "Sales were $5 million.", "mismatch"),
        ("EUR millions", "€5 million", "match"),
        ("USD millions", "No unit at all", "unknown"),
        ("%", "margin of 5%", "unknown"),
        ("percent", "5 percent", "match"),
        ("USD per barrel", "$50 per ton", "mismatch"),
        ("USD per barrel", "$50/bbl", "match"),
        ("barrels per day", "5,000 barrels per year", "mismatch"),
        ("USD", "Sales of €5 million", "mismatch"),
        ("JPY", "¥5 million", "match"),
        ("CNY", "¥5 million", "match"),
        ("USD thousands", "(in millions) ... then (in thousands)", "match"),
    ],
)
def test_unit_by_the_text(wanted: str, text: str, outcome: str) -> None:
    found = compare(Target(unit=wanted), Passage(passage_id="p", text=text))
    assert found == {"unit": outcome}


@pytest.mark.parametrize(
    ("wanted", "text", "outcome"),
    [
        ("gross margin", "Operating margin was 5%", "mismatch"),
        ("operating margin", "Gross margin was 5%", "mismatch"),
        ("gross margin", "Gross margin 5, operating margin 4", "match"),
        ("gross margin", "Operating margin 5; gross profit 4", "match"),
        ("net sales", "Revenue 5", "match"),
        ("revenue", "Net sales 5", "match"),
        ("capex", "Purchases of property, plant and equipment 5", "match"),
        ("net income", "Operating income 5", "mismatch"),
        ("net income", "Net earnings 5", "match"),
        ("operating income", "Net income 5", "mismatch"),
        ("current ratio", "Quick ratio 5", "mismatch"),
        ("accounts payable", "Accounts receivable 5", "mismatch"),
        ("oil production", "Gas production 5", "mismatch"),
        ("oil production", "Oil and gas production 5", "match"),
        ("diluted EPS", "Basic EPS 5", "mismatch"),
        ("diluted EPS", "Basic and diluted EPS 5", "match"),
        ("cash flow from operating activities", "Cash used in investing activities", "mismatch"),
        ("total assets", "Current assets 5", "mismatch"),
        ("EBITDA margin", "Net margin", "mismatch"),
        ("long-term debt", "Short-term debt 5", "mismatch"),
        ("long term debt", "Long-term debt 5", "match"),
        ("pre-tax profit", "Gross profit 5", "mismatch"),
        ("pretax profit", "Pre-tax profit 5", "match"),
        ("inventory turnover", "Working capital", "unknown"),
    ],
)
def test_metric_by_the_text(wanted: str, text: str, outcome: str) -> None:
    found = compare(Target(metric=wanted), Passage(passage_id="p", text=text))
    assert found == {"metric": outcome}


@pytest.mark.parametrize(
    ("field", "wanted", "named", "outcome"),
    [
        ("metric", "revenue", "Net sales", "match"),
        ("metric", "EPS", "Earnings per share", "match"),
        ("metric", "capex", "Capital expenditures", "match"),
        ("metric", "gross margin", "Operating margin", "mismatch"),
        ("metric", "net income", "Inventories", "mismatch"),
        ("unit", "USD millions", "USD thousands", "mismatch"),
        ("unit", "USD millions", "in millions", "match"),
        ("unit", "widgets", "Widgets", "match"),
        ("unit", "USD", "widgets", "mismatch"),
    ],
)
def test_by_metadata(field: str, wanted: str, named: str, outcome: str) -> None:
    page = Passage(passage_id="p", text="", metadata={field: named})
    assert compare(Target.model_validate({field: wanted}), page) == {field: outcome}


def test_every_unit_of_a_text() -> None:
    told = units_stated("(in thousands) It sold 5 million tons for €6 billion.")
    assert told == [
        Unit(3, None, None), Unit(6, None, "ton"), Unit(9, "EUR", None)
    ]  # fmt: skip
    assert units_stated("words") == []
    assert units_stated("USD millions") == [Unit(6, "USD", None)]


def test_synonyms_have_one_name() -> None:
    assert canonical("Net sales") == canonical("Revenue")
    assert canonical("R&D") == canonical("research and development")


@pytest.mark.parametrize(
    "unit", ["gross ", "non-", "operating x ", "$5 ", "in ", "5 million ", "per "]
)
def test_linear(unit: str) -> None:
    text = unit * 20_000
    assert grows_linearly(lambda part: metric_in_text("gross margin", part), text)
    assert grows_linearly(lambda part: unit_in_text("USD millions", part), text)
    assert grows_linearly(units_stated, text)
