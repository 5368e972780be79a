"""Tables and statements of another period than the wanted, by the text alone."""

from __future__ import annotations

import pytest

from ragdiag.records import Passage, Target
from ragdiag.text.identity import compare, wrong_field
from ragdiag.text.period_finer import finer
from ragdiag.text.period_places import heading_years, own_years
from ragdiag.text.periods import period_of
from tests.growth import grows_linearly


def page(text: str, **fields: object) -> Passage:
    return Passage.model_validate({"passage_id": "p", "text": text, **fields})


@pytest.mark.parametrize(
    ("wanted", "text", "outcome"),
    [
        ("FY2017", "| Product | 2016 |\n|---|---|\n| Oil | 5 |", "mismatch"),
        ("FY2017", "| Product | 2016 | 2015 |\n|---|---|---|\n| Oil | 5 | 4 |", "mismatch"),
        ("FY2017", "| Product | 2017 | 2016 |\n|---|---|---|\n| Oil | 5 | 4 |", "match"),
        ("FY2017", "Production 2016 (thousand barrels)\n| Field | Oil | Gas |\n|---|---|---|\n| Arden | 5 | 4 |", "mismatch"),
        ("FY2017", "Table 4: Oil production by field, 2016\nField       Oil    Gas\nArden       5      4", "mismatch"),
        ("FY2017", "Oil production by field in 2016\nArden       5      4", "mismatch"),
        ("FY2017", "                 2016     2015\nOil               5        4", "mismatch"),
        ("FY2017", "<table><tr><th>Field</th><th>2016</th><th>2015</th></tr><tr><td>Arden</td><td>5</td><td>4</td></tr></table>", "mismatch"),
        ("FY2017", "<table><tr><th>Field</th><th>2017</th><th>2016</th></tr><tr><td>Arden</td><td>5</td><td>4</td></tr></table>", "match"),
        ("FY2017", "<table><caption>Production 2016</caption><tr><td>Arden</td><td>5</td></tr></table>", "mismatch"),
        ("FY2017", "field,2016,2015\nArden,5,4", "mismatch"),
        ("FY2017", "field;2016;2015\nArden;5;4", "mismatch"),
        ("FY2017", "field\t2016\t2015\nArden\t5\t4", "mismatch"),
        ("FY2017", "year,field,oil\n2016,Arden,5\n2016,Brae,4", "mismatch"),
        ("FY2017", "Annual production report 2016\nfield,oil\nArden,5", "mismatch"),
        ("FY2017", "for the fiscal year ended December 31, 2016\nSales 5", "mismatch"),
        ("FY2017", "fiscal year ended June 30, 2017\nSales 5", "match"),
        ("FY2018", "FYE June 30, 2018\nSales 5", "match"),
        ("FY2017", "FYE June 30, 2018\nSales 5", "mismatch"),
        ("FY2017", "FYE 30 June 2016\nSales 5", "mismatch"),
        ("Q3 FY2017", "Q3 FY17 sales 5", "match"),
        ("Q3 FY2017", "Q2 FY17 sales 5", "mismatch"),
        ("Q3 2017", "Three months ended\nSeptember 30,\n2017 2016\nSales 5 4", "match"),
        ("Q3 2017", "Three months ended\nSeptember 30, 2016\nSales 5", "mismatch"),
        ("Q3 2017", "The three months ended June 30, 2017 and 2016\nSales 5", "unknown"),
        ("H1 2019", "1H 2019 sales 5", "match"),
        ("H1 2019", "2H 2019 sales 5", "mismatch"),
        ("H1 2019", "1H 2018 sales 5", "mismatch"),
        ("H1 2019", "Half-year report: six months ended 30 June 2018", "mismatch"),
        ("FY2017", "2016/17 season sales", "match"),
        ("FY2018", "2016/17 sales\nArden 5", "mismatch"),
        ("2016/17", "2016/17 sales\nArden 5", "match"),
        ("2016/17", "2018/19 sales\nArden 5", "mismatch"),
        ("2016/17", "Financial year 2015/16\nArden 5", "mismatch"),
        ("FY2017", "Geschäftsjahr 2016\nUmsatz 5", "mismatch"),
        ("FY2017", "Geschäftsjahr 2017\nUmsatz 5", "match"),
        ("FY2017", "im Geschäftsjahr 2016/17\nUmsatz 5", "match"),
        ('FY2017', "exercice 2016\nChiffre d'affaires 5", 'mismatch'),
        ('FY2017', "exercice clos le 31 décembre 2016\nChiffre d'affaires 5", 'mismatch'),
        ('FY2017', "exercice clos le 31 décembre 2017\nChiffre d'affaires 5", 'match'),
        ("FY2017", "2017年3月期\n売上高 5", "match"),
        ("FY2017", "2016年3月期\n売上高 5", "mismatch"),
        ("2017", "2015年12月期 決算\n売上高 5", "mismatch"),
        ("FY2017", "ejercicio 2016\nVentas 5", "mismatch"),
        ("FY2017", "ejercicio 2017\nVentas 5", "match"),
        ("FY2017", "год 2016\nВыручка 5", "mismatch"),
        ("FY2017", "за 2016 год\nВыручка 5", "mismatch"),
        ("FY2017", "за 2017 год\nВыручка 5", "match"),
        ("FY2017", "2016年度 営業収益 5", "mismatch"),
        ("FY2017", "esercizio 2016\nRicavi 5", "mismatch"),
        ("FY2017", "exercício de 2016\nReceita 5", "mismatch"),
        ("FY2017", "boekjaar 2016\nOmzet 5", "mismatch"),
        ("FY2017", "2016년 매출 5", "mismatch"),
        ("Q3 2017", "3. Quartal 2016\nUmsatz 5", "mismatch"),
        ("Q3 2017", "3. Quartal 2017\nUmsatz 5", "match"),
        ("Q3 2017", "troisième trimestre 2016", "mismatch"),
        ("Q3 2017", "T3 2017 chiffre", "match"),
        ("Q3 2017", "III квартал 2016 года", "mismatch"),
        ("Q3 2017", "3 квартал 2017 года", "match"),
        ("Q3 2017", "tercer trimestre de 2016", "mismatch"),
        ("H1 2017", "Halbjahr 2016: 1. Halbjahr 2016", "mismatch"),
        ("H1 2017", "premier semestre 2017", "match"),
        ("FY2017", "Production in 2016 was 5 million barrels.", "mismatch"),
        ("FY2017", "Oil production was 5 million barrels in 2016, compared with 4 million in 2015.", "mismatch"),
        ("FY2017", "The plant, built in 1998, makes 5 barrels.", "unknown"),
        ("FY2017", "Notes due 2033 were issued.", "unknown"),
        ("FY2017", "Production fell in 2017 from 2016.", "match"),
        ("FY2017", "FY16 results", "mismatch"),
        ("FY2017", "CY2016 results", "mismatch"),
        ("CY2017", "CY2017 results", "match"),
        ("FY2017", "Year to 31 March 2016", "mismatch"),
        ("FY2017", "12 months to December 2016", "mismatch"),
        ("FY2017", "twelve months ended December 31, 2016", "mismatch"),
        ("FY2017", "December 31, 2016 and 2015\nAssets 5 4", "mismatch"),
        ("FY2017", "As of December 31,\n2016 2015\nAssets 5 4", "mismatch"),
        ("FY2017", "Consolidated Balance Sheet as at 31 December 2016\nAssets 5", "mismatch"),
        ("March 2017", "March 2016 production: 5", "mismatch"),
        ("March 2017", "April 2017 production: 5", "mismatch"),
        ("March 2017", "March 2017 production: 5", "match"),
        ("2017-03", "Mar-17 production", "match"),
        ("December 31, 2017", "As of December 31, 2016", "mismatch"),
        ("last year", "2016", "unknown"),
        ("the prior year", "In 2016 sales", "unknown"),
        ("TTM", "In 2016", "unknown"),
        ("current quarter", "Q3 2017", "unknown"),
        ("FY2017", "FY2016A FY2015A\nSales 5 4", "mismatch"),
        ("FY2017", "FY2017E FY2018E\nSales 5 4", "match"),
        ("FY2017", "2016A | 2015A\nSales | 5 | 4", "mismatch"),
        ("FY2017", "Dec-16 Dec-15\nSales 5 4", "mismatch"),
        ("FY2017", "31/12/2016 31/12/2015\nSales 5 4", "mismatch"),
        ("FY2017", "Arden Annual Report 2016\nSales 5", "mismatch"),
        ("FY2017", "５ 2016年12月31日終了", "mismatch"),
        ("FY2017", "السنة المالية 2016", "mismatch"),
        ("FY2017", "वित्त वर्ष 2016-17", "match"),
        ("FY2016-17", "FY 2015-16 revenue", "mismatch"),
    ],
)  # fmt: skip
def test_a_period_by_the_text_alone(wanted: str, text: str, outcome: str) -> None:
    assert compare(Target(period=wanted), page(text)) == {"period": outcome}


@pytest.mark.parametrize(
    ("wanted", "metadata", "outcome"),
    [
        ("2016/17", {"period": "2016/17"}, "match"),
        ("2016/17", {"period": "2015/16"}, "mismatch"),
        ("March 2017", {"period": "2017-03"}, "match"),
        ("March 2017", {"period": "April 2017"}, "mismatch"),
        ("March 2017", {"period": "2017"}, "match"),
        ("last year", {"period": "FY2017"}, "unknown"),
        ("last year", {"period": "Last year"}, "match"),
        ("Spring", {"period": "Autumn"}, "mismatch"),
    ],
)
def test_a_period_by_metadata(wanted: str, metadata: dict[str, str], outcome: str) -> None:
    assert compare(Target(period=wanted), page("", metadata=metadata)) == {"period": outcome}


def test_the_field_is_named() -> None:
    target = Target(entity="Arden", period="FY2017", metric="oil production")
    table = "Arden Inc.\nOil production by field, 2016\n| North | 5 |"
    assert wrong_field(target, page(table)) == "period"
    assert wrong_field(target, page(table.replace("2016", "2017"))) is None
    # The wanted year is one of the columns: which column is used is a matter of the calculation.
    assert wrong_field(target, page(table.replace("2016", "2016 and 2017"))) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3. Quartal 2016", {"Q3 2016"}),
        ("troisième trimestre 2016", {"Q3 2016"}),
        ("primer semestre de 2016", {"H1 2016"}),
        ("III квартал 2016 года", {"Q3 2016"}),
        ("tweede halfjaar 2016", {"H2 2016"}),
        ("T3 2017", {"Q3 2017"}),
        ("3T17", {"Q3 2017"}),
        ("1S 2017", {"H1 2017"}),
        ("iPhone 4S 2012", {"2012"}),
        ("Geschäftsjahr 2016", {"FY2016"}),
        ("Geschäftsjahr 2016/17", {"FY2016", "FY2017"}),
        ("exercice clos le 31 décembre 2016", {"FY2016"}),
        ("за 2016 год", {"FY2016"}),
        ("平成29年", {"2017"}),
        ("令和元年", {"2019"}),
        ("CY2016", {"2016"}),
        ("calendar year 2016", {"2016"}),
        ("Dec-16", {"2016"}),
        ("twelve months ended June 30, 2016", {"FY2016"}),
        ("FYE June 30, 2018", {"FY2018"}),
        ("year to 31 March 2016", {"FY2016"}),
        ("2016/17", {"2016", "2017"}),
        ("2016/02", {"2016"}),
        ("first 3. Quartal 2016, then Q1 2015", {"Q3 2016", "Q1 2015"}),
    ],
)
def test_periods_in_other_words(text: str, found: set[str]) -> None:
    assert period_of(text) == found


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Director February 27, 2019\nDirector", set()),
        ("Civil Rights Act of 1964\n5", set()),
        ("2022 Omnibus Incentive Plan\n5", set()),
        ("Notes due 2033\n5", set()),
        ("The plant was built in 1998.", set()),
        ("Balance sheet as at 31 December 2016\n5", {"2016"}),
        ("<tr><th>2016</th><th>2015</th></tr>", {"2016", "2015"}),
        ("It sold 5 million tons in 2016.", {"2016"}),
        ("In 2016 the plant made 5 tons.", {"2016"}),
    ],
)
def test_the_years_of_a_passage(text: str, own: set[str]) -> None:
    assert own_years(text) == own


def test_finer_than_years() -> None:
    assert finer("2016/17", "2016-17 and 2018/19") is True
    assert finer("2016/17", "2015/16") is False
    assert finer("2016/17", "in 2016") is None
    assert finer("FY2017", "2016/17") is None
    assert finer("March 2017", "Mar-17") is True
    assert finer("2017年3月", "2017年4月") is False
    # what ends in a month is not of it
    assert finer("March 2017", "the year ended April 2017") is None


@pytest.mark.parametrize(
    "unit", ["3. Quartal ", "Geschäftsjahr ", "за ", "T3 2", "in 2016 a ", "<tr ", "2016/", "Mar-1"]
)
def test_linear(unit: str) -> None:
    text = unit * 20_000
    assert grows_linearly(period_of, text)
    assert grows_linearly(heading_years, text)
    assert grows_linearly(own_years.__wrapped__, text)
    assert grows_linearly(lambda part: finer("2016/17", part), text)
