"""Numbers as other countries and typesetters write them: values that a reader can check by hand."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.text.numbers import Quantity, compare, parse
from ragdiag.text.numbers.foreign_words import find_foreign_words
from tests.growth import grows_linearly


def amounts(text: str) -> list[Quantity]:
    return [found for found in parse(text) if found.is_numeric]


_AMOUNTS = """
TEUR 450 | money | 450000 | EUR
T€ 12 | money | 12000 | EUR
Mio. EUR 12,3 | money | 12300000 | EUR
450 M€ | money | 450000000 | EUR
12 Md€ | money | 12000000000 | EUR
300 kEUR | money | 300000 | EUR
7 M USD | money | 7000000 | USD
3 milliards d'euros | money | 3000000000 | EUR
3 miliardi di euro | money | 3000000000 | EUR
2,5 milhões de reais | money | 2500000 | BRL
R$ 4,2 bi | money | 4200000000 | BRL
₹2.3 L | money | 230000 | INR
5 milionów złotych | money | 5000000 | PLN
3 milliárd Ft | money | 3000000000 | HUF
2 мільярди гривень | money | 2000000000 | UAH
2 miljoonaa | number | 2000000 | None
삼백만 원 | money | 3000000 | KRW
직원 이십오명 | count | 25 | 명
5백만 원 | money | 5000000 | KRW
dreifach | multiple | 3 | None
das Zehnfache | multiple | 10 | None
− 5 % | percent | -5 | None
5 Dutzend | number | 60 | None
50亿日元 | money | 5000000000 | JPY
RM 15 | money | 15 | MYR
10 million Hong Kong dollars | money | 10000000 | HKD
75 pence | money | 0.75 | GBP
12 phần trăm | percent | 12 | None
%12 | percent | 12 | None
٪٥٠ | percent | 50 | None
5割 | percent | 50 | None
百分之五 | percent | 5 | None
3 Prozentpunkten | percentage_point | 3 | None
3个百分点 | percentage_point | 3 | None
3%p | percentage_point | 3 | None
3 points de pourcentage | percentage_point | 3 | None
a 25-basis-point cut | basis_point | 25 | None
25 points de base | basis_point | 25 | None
25 б.п. | basis_point | 25 | None
1.5 x | multiple | 1.5 | None
3 veces | multiple | 3 | None
3배 | multiple | 3 | None
twice the rate | multiple | 2 | None
( 12 ) | number | -12 | None
$ ( 1,234 ) | money | -1234 | USD
$(5.2 million) | money | -5200000 | USD
(15) bps | basis_point | -15 | None
1,234.50- | number | -1234.50 | None
△500 | number | -500 | None
1_000_000 | number | 1000000 | None
1.2*10^6 | number | 1200000 | None
1.2 × 10^{6} | number | 1200000 | None
1.2 × 10<sup>-6</sup> | number | 0.0000012 | None
2 ½ | number | 2.5 | None
half a percent | percent | 0.5 | None
a quarter of a million | number | 250000 | None
two point five million | number | 2500000 | None
seven and three quarters | number | 7.75 | None
"""


@pytest.mark.parametrize("row", _AMOUNTS.strip().splitlines())
def test_an_amount_is_read(row: str) -> None:
    text, kind, value, unit = (part.strip() for part in row.split(" | "))
    (found,) = amounts(text)
    assert (found.kind, found.value, str(found.unit)) == (kind, Decimal(value), unit)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2 x 1000", ["2", "1000"]),
        ("3 × 10", ["3", "10"]),
        ("€10-$20", ["10", "20"]),
        ("of $1.2 and $1.4 million", ["1200000", "1400000"]),
        ("from $5 to $10 million", ["5000000", "10000000"]),
        ("$500 and $1.2 million", ["500", "1200000"]),
        ("(12 employees)", ["12"]),
    ],
)
def test_neighbours_stay_what_they_are(text: str, values: list[str]) -> None:
    assert [found.value for found in amounts(text)] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("$1.2-$1.4bn", "1200000000", "1400000000"),
        ("zwischen 10 und 20 Mio. EUR", "10000000", "20000000"),
        ("entre 10 et 20 %", "10", "20"),
        ("от 10 до 20 млн", "10000000", "20000000"),
        ("1 000–2 000 €", "1000", "2000"),
        ("two to three million", "2000000", "3000000"),
        ("3% ± 0.5%", "2.5", "3.5"),
        ("5 ± 1 kg", "4000", "6000"),
        ("10〜20%", "10", "20"),
    ],
)
def test_ranges(text: str, low: str, high: str) -> None:
    (found,) = amounts(text)
    assert (found.low, found.high) == (Decimal(low), Decimal(high))


_WORDS = """
zwei Millionen=2000000|zwölf=12|einundzwanzig=21|zweihundertfünfzig=250|zweieinhalb=2.5
eine halbe Million=500000|dreihundertfünfundvierzigtausend=345000|fünf Tausend=5000
trois cents=300|vingt et un=21|quatre-vingts=80|quatre-vingt-dix-neuf=99|soixante-dix=70
deux millions et demi=2500000|deux millions trois cent mille=2300000|une douzaine=12
dos mil millones=2000000000|treinta y cinco=35|quinientos=500|cien millones=100000000
cento e vinte e cinco=125|dois milhões=2000000|ventuno=21|duemilacinquecento=2500
twee miljoen=2000000|vijfentwintig=25|två miljoner=2000000|dwa miliony=2000000|двадцать пять=25
два миллиона=2000000|iki milyon=2000000|dua juta=2000000|三点五=3.5|兩百萬=2000000
"""


@pytest.mark.parametrize("row", _WORDS.strip().replace("\n", "|").split("|"))
def test_words_of_other_languages(row: str) -> None:
    text, value = row.split("=")
    assert [found.value for found in amounts(text)] == [Decimal(value)]


@pytest.mark.parametrize(
    "text",
    [
        "The rent is due on the once empty site; six of them came to fire",
        "Der Vorstand hat ein Mitglied",
        "different recent agents, important content, evidenti, santi",
        "million, mille fois merci",
    ],
)
def test_words_that_are_numbers_only_elsewhere(text: str) -> None:
    assert list(find_foreign_words(text)) == []


_NAMES = """
won 3–1|a 5–3 vote|40°26′46″N|37.7749° N|Hauptstraße 12|123 Main St.|5 rue de Rivoli|CA 95014
account 1234567890|Kontonummer 12345|U.S. Patent No. 7,654,321|0001193125-17-123456
DE89 3704 0044 0532 0130 00|550e8400-e29b-41d4-a716-446655440000|HTTP/1.1|09:15 GMT+2|9am-5pm
14.30 Uhr|午後3時|오후 3시|15時30分|제3장|World War 2|SARS-CoV-2|Carbon-14|BMW 320i
ISO/IEC 27001:2013|Items 7 and 7A|slide 12|version 3.5|report-2018.pdf|SIC 3571|49ers
"""


@pytest.mark.parametrize("text", _NAMES.strip().replace("\n", "|").split("|"))
def test_what_is_no_quantity(text: str) -> None:
    assert amounts(text) == []


_SAME = """
3-Mar-2017|2017-03-03T00:00:00Z|3 de marzo de 2017|3 марта 2017|2017년 3월 3일|平成29年3月3日
3 maart 2017|3 Mart 2017|2017. március 3.|٣ مارس ٢٠١٧|ngày 3 tháng 3 năm 2017|03.03.17|3/3/17
"""


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2018, 2017 and 2016", ["2018", "2017", "2016"]),
        ("in 2018, 2017, and 2016", ["2018", "2017", "2016"]),
        ("$2018, 2017", []),
        ("2018 5 2016", []),
    ],
)
def test_a_list_of_years(text: str, read: list[str]) -> None:
    assert [one.norm for one in parse(text) if one.kind == "period"] == read


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("see Eq. (4) and (5)", ["-5"]),
        ("Notes payable (500)", ["-500"]),
        ("(0)20 7946 0958", []),
        ("1.1 Scope\nOf 5 things.", ["5"]),
        ("It is so.\n4.3 Liquidity and capital resources", []),
        ("4.5 Stars", ["4.5"]),
        ("1.1 Revenue 5.3", ["1.1", "5.3"]),
        ("4.3 Million", ["4300000"]),
        ("| - 3 | - 5 % |", ["-3", "-5"]),
        ("- 5 apples", ["5"]),
        ("10 − 5", ["10", "5"]),
        ("einfach", []),
    ],
)
def test_labels_headings_and_signs_apart(text: str, values: list[str]) -> None:
    assert [one.value for one in amounts(text)] == [Decimal(value) for value in values]


@pytest.mark.parametrize("text", _SAME.strip().replace("\n", "|").split("|"))
def test_a_day_is_one_day_in_every_notation(text: str) -> None:
    assert compare(text, "March 3, 2017").relation == "equal"
    assert compare(text, "March 4, 2017").relation == "different"


@pytest.mark.parametrize(
    ("one", "other", "relation", "why"),
    [
        ("2018年第3四半期", "Q3 2018", "equal", "exact"),
        ("3. Quartal 2018", "Q3 2018", "equal", "exact"),
        ("3T18", "Q3 2018", "equal", "exact"),
        ("1S19", "first half 2019", "equal", "exact"),
        ("CY18", "calendar year 2018", "equal", "exact"),
        ("01/2020", "January 2020", "equal", "exact"),
        ("2020-01", "Jan 2020", "equal", "exact"),
        ("2011-12", "2011/12", "equal", "exact"),
        ("21st", "twenty-first", "equal", "exact"),
        ("3ème", "third", "equal", "exact"),
        ("RMB 5", "¥5", "equal", "exact"),
        ("5 yen", "RMB 5", "different", "currency"),
        ("5 lakh", "5 million", "different", "scale"),
        ("Verlust von 3 Mio. EUR", "Gewinn von 3 Mio. EUR", "different", "sign"),
        ("minus three", "three", "different", "sign"),
    ],
)
def test_two_notations_compare(one: str, other: str, relation: str, why: str) -> None:
    found = compare(one, other)
    assert (found.relation, found.why) == (relation, why)


_UNITS = ["", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
_TENS = ["", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]  # fmt: skip


@given(st.integers(2, 9), st.integers(2, 9), st.integers(1, 9), st.integers(2, 9))
def test_a_german_compound_is_read_back(thousands: int, hundreds: int, one: int, ten: int) -> None:
    word = f"{_UNITS[thousands]}tausend{_UNITS[hundreds]}hundert{_UNITS[one]}und{_TENS[ten]}"
    value = 1000 * thousands + 100 * hundreds + one + 10 * ten
    assert [found.value for found in amounts(word)] == [value]


@given(
    st.decimals("0.1", "999.9", places=1),
    st.sampled_from([("Mio. EUR {}", 6), ("{} M€", 6), ("{} Mrd. Euro", 9), ("{} milj. euroa", 6)]),
)
def test_a_scaled_amount_is_read_back(value: Decimal, form: tuple[str, int]) -> None:
    written, power = form
    (found,) = amounts(written.format(str(value).replace(".", ",")))
    assert (found.value, found.unit) == (value.scaleb(power), "EUR")


@pytest.mark.parametrize(
    "unit",
    ["a", "hundert", "zwei ", "quatre-vingt-", "1 000-", "( ", "3 ± ", "won 3-", "1_", "T€ 1 ",
     "DE89 3704 ", "3 x 10^{", "0-0-", "patent ", "1T'", "三点五"],
)  # fmt: skip
def test_hostile_text_takes_linear_time(unit: str) -> None:
    assert grows_linearly(parse, unit * (40_000 // len(unit)))


@pytest.mark.parametrize("text", ["82−%7", "６９१४०५\u202f%6307", "1百\u202f%233", "93−%7 %8"])
def test_a_sign_belongs_to_one_number_only(text: str) -> None:
    """ "82%" takes the sign, so that it does not stand before the next number too."""
    found = parse(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
