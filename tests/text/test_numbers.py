"""Numbers in texts: what is read, what is no quantity, and how two values compare."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.text.numbers import Quantity, compare, compare_quantities, parse
from tests.growth import grows_linearly


def one(text: str) -> Quantity:
    found = parse(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("0", "number", "0", None),
        ("1,577", "number", "1577", None),
        (".5", "number", "0.5", None),
        ("1'000'000 CHF", "money", "1000000", "CHF"),
        ("12,34,567 rupees", "money", "1234567", "INR"),
        ("1 234,56 EUR", "money", "1234.56", "EUR"),
        ("1.234.567,89", "number", "1234567.89", None),
        ("1\u202f234\u202f567", "number", "1234567", None),
        ("5e-3", "number", "0.005", None),
        ("1.5 x 10^6", "number", "1500000", None),
        ("10^3", "number", "1000", None),
        ("3e8", "number", "300000000", None),
        ("1.234.567", "number", "1234567", None),
        ("1/4", "number", "0.25", None),
        ("2½", "number", "2.5", None),
        ("¾", "number", "0.75", None),
        ("$1.2bn", "money", "1200000000", "USD"),
        ("1.2T dollars", "money", "1200000000000", "USD"),
        ("US$ 5.3 million", "money", "5300000", "USD"),
        ("USD5 million", "money", "5000000", "USD"),
        ("5 m", "measure", "5", "m"),
        ("$5 m", "money", "5000000", "USD"),
        ("HK$7", "money", "7", "HKD"),
        ("150 cents", "money", "1.5", "USD"),
        ("Rs. 5 crore", "money", "50000000", "INR"),
        ("10 lakh", "number", "1000000", None),
        ("1,2 Mrd. EUR", "money", "1200000000", "EUR"),
        ("5 Mio. €", "money", "5000000", "EUR"),
        ("約5億円", "money", "500000000", "JPY"),
        ("3.5万", "number", "35000", None),
        ("1億2000万円", "money", "120000000", "JPY"),
        ("3兆5000億円", "money", "3500000000000", "JPY"),
        ("1억 2천만 원", "money", "120000000", "KRW"),
        ("25万3千人", "count", "253000", "人"),
        ("−1億5000万円", "money", "-150000000", "JPY"),
        ("500万ドル", "money", "5000000", "USD"),
        ("३ करोड़ रुपये", "money", "30000000", "INR"),
        ("5 लाख रुपये", "money", "500000", "INR"),
        ("২ কোটি টাকা", "money", "20000000", "BDT"),
        ("5 ล้านบาท", "money", "5000000", "THB"),
        ("3 מיליון שקל", "money", "3000000", "ILS"),
        ("2 triệu đồng", "money", "2000000", "VND"),
        ("12 εκατ. ευρώ", "money", "12000000", "EUR"),
        ("4 میلیون", "number", "4000000", None),
        ("30 mph", "measure", "13.4112", "m/s"),
        ("三百二十五", "number", "325", None),
        ("二千万", "number", "20000000", None),
        ("١٢٣", "number", "123", None),
        ("٣٫٥", "number", "3.5", None),
        ("१,२३,४५६", "number", "123456", None),
        ("１２３．５％", "percent", "123.5", None),
        ("12 per cent", "percent", "12", None),
        ("3 percentage points", "percentage_point", "3", None),
        ("3 pp", "percentage_point", "3", None),
        ("25bps", "basis_point", "25", None),
        ("2.5x", "multiple", "2.5", None),
        ("2:1", "multiple", "2", None),
        ("20 employees", "count", "20", "employees"),
        ("5 kg", "measure", "5000", "g"),
        ("50 mboe/d", "measure", "50000", "boe/d"),
        ("3.4 million barrels", "measure", "3400000", "bbl"),
        ("2 dozen", "number", "24", None),
        ("twenty-five thousand", "number", "25000", None),
        ("one hundred and five", "number", "105", None),
        ("half a million", "number", "500000", None),
        ("a dozen", "number", "12", None),
        ("-$5.2", "money", "-5.2", "USD"),
        ("$-5.2", "money", "-5.2", "USD"),
        ("−5.13%", "percent", "-5.13", None),
        ("–5.13%", "percent", "-5.13", None),
        ("(5%)", "percent", "-5", None),
        ("$(1,234)", "money", "-1234", "USD"),
        ("(3.4) EUR million", "money", "-3400000", "EUR"),
        ("USD (5.2) million", "money", "-5200000", "USD"),
        ("(USD 5.2 million)", "money", "5200000", "USD"),
        ("6.02×10²³", "number", "602000000000000000000000", None),
        ("10³", "number", "1000", None),
        ("1E-6", "number", "0.000001", None),
        ("10k", "number", "10000", None),
        ("3 1/2", "number", "3.5", None),
        ("2 1/2 years", "measure", "30", "month"),
        ("two and a half million", "number", "2500000", None),
        ("three-quarters", "number", "0.75", None),
        ("a quarter of them", "number", "0.25", None),
        ("half of all", "number", "0.5", None),
        ("one in five", "number", "0.2", None),
        ("4 in 10", "number", "0.4", None),
        ("threefold", "multiple", "3", None),
        ("5‰", "percent", "0.5", None),
        ("nil", "number", "0", None),
        ("1,5 Billionen Euro", "money", "1500000000000", "EUR"),
        ("2 mld EUR", "money", "2000000000", "EUR"),
        ("5 miljoen euro", "money", "5000000", "EUR"),
        ("the 21st", "ordinal", "21", None),
        ("third", "ordinal", "3", None),
    ],
)
def test_a_number_is_read(text: str, kind: str, value: str, unit: str | None) -> None:
    found = one(text)
    assert (found.kind, found.value, found.unit) == (kind, Decimal(value), unit)
    assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("text", "kind", "norm"),
    [
        ("FY2017", "period", "FY2017"),
        ("fiscal year 2017", "period", "FY2017"),
        ("FY22", "period", "FY2022"),
        ("Q3 2018", "period", "2018 Q3"),
        ("third quarter of 2018", "period", "2018 Q3"),
        ("FY2024 Q3", "period", "FY2024 Q3"),
        ("1H 2020", "period", "2020 H1"),
        ("Q3", "period", "Q3"),
        ("2018 Q3", "period", "2018 Q3"),
        ("2018Q3", "period", "2018 Q3"),
        ("first half of 2018", "period", "2018 H1"),
        ("2016–2018", "period", "2016-2018"),
        ("2018-19", "period", "2018-2019"),
        ("1990s", "period", "1990s"),
        ("June 2023", "period", "2023-06"),
        ("2023年6月", "period", "2023-06"),
        ("2023年", "period", "2023"),
        ("2023年6月30日", "date", "2023-06-30"),
        ("December 31, 2017", "date", "2017-12-31"),
        ("30 June 2023", "date", "2023-06-30"),
        ("12/31/2018", "date", "2018-12-31"),
        ("31.12.2018", "date", "2018-12-31"),
        ("2018-12-31", "date", "2018-12-31"),
        ("May 26", "date", "--05-26"),
    ],
)
def test_dates_and_periods_have_one_spelling(text: str, kind: str, norm: str) -> None:
    assert (one(text).kind, one(text).norm) == (kind, norm)


_NO_QUANTITIES = (
    "v1.10|v1.2.3|10.0.0.1|Note 12|page 5|Form 10-K|10-Q|+1 650-555-1234|(650) 555-1234"
    "|ISBN 978-3-16-148410-0|ISO 9001|IFRS 16|COVID-19|S&P 500|Level 3|401(k)|10:30|[1]"
    "|[2, 3]|【1】|1. First things|2) Then this|(1) revenue grew|the 3M Company|5G networks"
    "|A380|rule 10b5-1|10b5-1|a 7-Eleven-style shop|https://example.org/2017/5?x=12"
    "|FY2017|the 1st|#12|13/45/2018|B-52|GPT-4|CVE-2021-44228|W-2|7-Eleven|24/7|9/11"
    "|iPhone 15|Python 3.11|macOS 10.15|Web 2.0|USB 3.0|Item 1A|Rule 144A|Rule 10b-5"
    "|Clause 7.2|Eq. 3|Figs. 3–5|Notes 3 and 4|§ 5|Art. 12|Kapitel 4|статья 7|第3章|第12页"
    "|令和5年|页 12|ID: 12345|SKU 12345|ZIP 90210|SSN 123-45-6789|CAS 50-00-0|DOI 10.1000/182"
    "|arXiv:2101.00001|2001:db8::1|10.0.0.1:8080|+49 30 123456|tel. 030 1234567"
    "|0800 123 456|(020) 7946 0958|007|10am|at 5 p.m.|Unit 4|Building 7|Flight 370"
    "|12 Oak Street|501(c)(3)|1099-K"
    "|注释5|附注12|5ページ|12页|pp 3, 5|pp 3-5|Sections 4.2 and 4.3|Notes 3, 4 and 7|page 12 of 80"
    "|06 12 34 56 78|555-0199|tel: 555-1234|Apt 5B|Room 12A|account no. 12345678|acct # 9981"
    "|account ending in 4321|case 2:19-cv-01234|No. 19-cv-4321|15 U.S.C. § 78|42 U.S.C. 1983"
    "|17 CFR 240.10b-5|410 U.S. 113|EITF 00-21|SAB 104|FIN 46(R)|FSP 157-2|APB 25"
    "|IEEE 802.11|IEEE 802.11ac|DIN 476|DIN EN 10025|ISO 9001:2015|port 8080|localhost:3000|Day 1"
    "|Week 12|error 404|area code 212|SIC code 3571|flight BA 117|Act 3, Scene 2|the Group of 20"
    "|the Big 4|A350-900|x86-64|2024-001|(EU) 2016/679|SW1A 1AA|75008 Paris|прим. 5|гл. 4|sayfa 12"
    "|madde 5|trang 5|Điều 3|المادة 5|עמוד 12|पृष्ठ 12|หน้า 12|rozdz. 5|liite 2"
)


@pytest.mark.parametrize("text", [*_NO_QUANTITIES.split("|"), "9" * 60])
def test_what_is_no_quantity(text: str) -> None:
    assert not [found for found in parse(text) if found.is_numeric and found.kind != "number"]
    assert not [found.text for found in parse(text) if found.is_numeric and "/45" not in text]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Unit 4.50", "4.50"),
        ("Building 523 498", "523"),
        ("Unit 5 million", "5000000"),
        ("build 7 plants", "7"),
        ("EUR-5", "-5"),
        ("Mid-2019", "2019"),
        ("mobile 123 456 789", "123"),
        ("5 shops on Main Street", "5"),
        ("345(a)", "345"),
        ("1 050 000", "1050000"),
        ("fell for three quarters", "3"),
        ("Note 3, 15 plants", "15"),
        ("port 5 million", "5000000"),
        ("Note 5 million", "5000000"),
        ("SAB raised 104 million", "104000000"),
        ("UN 5 million", "5000000"),
        ("12页的报告", "12"),
        ("共12页", "12"),
        ("3成员", "3"),
        ("Sections 4.2 and 4.3 million", "4300000"),
        ("part 3 of 5 million", "5000000"),
    ],
)
def test_a_word_before_it_leaves_an_amount_an_amount(text: str, value: str) -> None:
    assert Decimal(value) in [found.value for found in parse(text) if found.is_numeric]


@pytest.mark.parametrize(
    ("text", "value"), [("(20.7)", "-20.7"), ("(19.8)", "-19.8"), ("(2017.5)", "-2017.5")]
)
def test_an_amount_in_parentheses_is_negative_though_it_begins_like_a_year(
    text: str, value: str
) -> None:
    assert one(text).value == Decimal(value)


def test_a_parenthesis_before_the_sign_may_stay_open() -> None:
    assert parse("356807(−USD 780")[0].value == 356807


def test_a_scale_that_digits_have_taken_is_no_number_of_its_own() -> None:
    found = parse("½千兆149")
    assert [(each.start, each.end) for each in found] == [(0, 3), (3, 6)]


def test_separate_numbers_are_not_joined() -> None:
    assert [str(found.value) for found in parse("2017 234 567")] == ["2017", "234", "567"]
    assert [str(found.value) for found in parse("10,20,30")] == ["10.20", "30"]
    assert [found.kind for found in parse("(2016: $1.2 billion)")] == ["number", "money"]
    assert parse("no figure here, only one of them") == []


def test_precision_and_significant_digits_are_as_stated() -> None:
    found = one("$1.20 million")
    assert (found.precision, found.significant, found.scale) == (10_000, 3, 1_000_000)
    assert one("0.05").significant == 1
    assert one("2 dozen").precision == 1


def test_an_ambiguous_grouping_keeps_both_readings_until_the_text_settles_it() -> None:
    assert one("2,237").candidates == (Decimal("2.237"),)
    assert one("2.237").candidates == (Decimal("2237"),)
    assert one("0.237").candidates == ()
    settled = parse("2.237 und 1,5")
    assert [found.value for found in settled] == [Decimal(2237), Decimal("1.5")]
    assert [found.candidates for found in parse("2,237 and 1.5")] == [(), ()]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("5-10 mg", "0.005", "0.010"),
        ("between 5 and 10 million", "5000000", "10000000"),
        ("3.2 – 3.5 billion", "3200000000", "3500000000"),
        ("5 to 10 percent", "5", "10"),
        ("$5-10", "5", "10"),
    ],
)
def test_ranges(text: str, low: str, high: str) -> None:
    found = one(text)
    assert (found.low, found.high) == (Decimal(low), Decimal(high))


def test_a_change_is_no_range() -> None:
    assert [found.low for found in parse("from $5 to $10 million")] == [None, None]
    assert len(parse("10% to $5")) == 2


@pytest.mark.parametrize(
    ("text", "direction", "approximate"),
    [
        ("a loss of $5", -1, False),
        ("decreased by about 5%", -1, True),
        ("a 12% decrease", -1, False),
        ("rose by 4.3%", 1, False),
        ("5% higher", 1, False),
        ("increased to 5%", 0, False),
        ("approximately $5", 0, True),
        ("~5", 0, True),
    ],
)
def test_words_give_sign_and_vagueness(text: str, direction: int, approximate: bool) -> None:
    found = one(text)
    assert (found.direction, found.approximate) == (direction, approximate)


@pytest.mark.parametrize(
    ("source", "answer", "relation", "why"),
    [
        ("$1,577", "1577.00", "equal", "exact"),
        ("890 million USD", "USD 890,000,000", "equal", "scale"),
        ("$8,738 million", "$8.74 billion", "equal", "rounding"),
        ("12.25", "12.2", "equal", "rounding"),
        ("12.25", "12.3", "equal", "rounding"),
        ("1,000", "1,004", "equal", "tolerance"),
        ("about 1,000", "1,009", "equal", "tolerance"),
        ("1,000", "1,009", "different", "none"),
        ("12%", "0.12", "equal", "percent_fraction"),
        ("12%", "12", "different_kind", "unit_kind"),
        ("12%", "12 percentage points", "different_kind", "unit_kind"),
        ("25 bps", "0.25 percentage points", "equal", "percent_fraction"),
        ("25 bps", "0.25%", "equal", "percent_fraction"),
        ("$1.2bn", "$1.2m", "different", "scale"),
        ("$5 million", "€5 million", "different", "currency"),
        ("5 kg", "5000 g", "equal", "exact"),
        ("5 kg", "5 km", "different_kind", "unit"),
        ("-0.5", "0.5", "different", "sign"),
        ("grew 5%", "-5%", "different", "sign"),
        ("a loss of EUR 3.4 million", "(3.4) EUR million", "equal", "exact"),
        ("0.68", "0.69", "different", "rounding"),
        ("0", "0.4", "different", "rounding"),
        ("5-10 mg", "7 mg", "partial", "range"),
        ("5-10 mg", "5–10 mg", "equal", "exact"),
        ("5-10 mg", "12 mg", "different", "range"),
        ("2,237", "2.237", "ambiguous", "grouping"),
        ("2,237", "2.24", "equal", "grouping"),
        ("2016", "2017", "different", "period"),
        ("in 2016", "2016", "equal", "exact"),
        ("FY2017", "in 2017", "equal", "fiscal"),
        ("FY2017", "FY2018", "different", "period"),
        ("December 31, 2018", "31 December 2018", "equal", "exact"),
        ("December 31, 2018", "in 2018", "partial", "date"),
        ("the 3rd", "3", "different_kind", "unit_kind"),
        ("Note 12", "12", "different_kind", "unit_kind"),
        ("2 dozen", "25", "different", "rounding"),
        ("5 kg", "5", "equal", "exact"),
        ("5 kg", "6", "different", "rounding"),
        ("5 years", "5", "equal", "exact"),
        ("5-10 mg", "8", "partial", "range"),
        ("two thirds", "67%", "equal", "percent_fraction"),
        ("5‰", "0.5%", "equal", "exact"),
        ("Q1 2020", "2020 Q1", "equal", "exact"),
        ("lost $4 million", "-$4 million", "equal", "exact"),
        ("10k", "10,000", "equal", "scale"),
        ("blue", "Blue", "equal", "exact"),
        ("blue", "5", "different_kind", "no_quantity"),
        ("$5", "it was $4, then $5", "equal", "exact"),
    ],
)
def test_the_ladder_names_its_step(source: str, answer: str, relation: str, why: str) -> None:
    found = compare(source, answer)
    assert (found.relation, found.why) == (relation, why)


def test_tolerance_zero_turns_tolerance_off() -> None:
    first, second = one("1000"), one("1004")
    assert compare_quantities(first, second).why == "tolerance"
    assert compare_quantities(first, second, tolerance=0).relation == "different"
    about = one("about 1009")
    assert compare_quantities(first, about, tolerance=0).relation == "different"


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=2, allow_nan=False))
def test_a_written_decimal_is_read_back(value: Decimal) -> None:
    found = one(f"{value:,.2f}")
    assert found.value == value
    assert compare(f"{value:,.2f}", f"{value}").relation == "equal"


@given(st.text(max_size=200))
def test_any_text_is_read_without_overlap(text: str) -> None:
    end = 0
    for found in parse(text):
        assert end <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        end = found.end


@pytest.mark.parametrize(
    "unit", ["1", "1,", "1 ", "(", "-", "one ", "千", "January ", "+1 ", "1-", "1億", "http://a "]
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    assert grows_linearly(parse, unit * (200_000 // len(unit)))


def test_the_shared_number_cases_hold(shared: Path) -> None:
    wrong: list[str] = []
    for line in (shared / "cases" / "numbers.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        found = compare(case["source"], case["answer"])
        relation, _, why = case["relation"].partition(":")
        if found.relation != relation or (why and found.why != why):
            wrong.append(f"{line} -> {found}")
    assert not wrong


def test_the_shared_non_quantities_are_none(shared: Path) -> None:
    lines = (shared / "cases" / "not_quantities.jsonl").read_text("utf-8").splitlines()
    for line in lines:
        assert not [found for found in parse(json.loads(line)["text"]) if found.is_numeric]
