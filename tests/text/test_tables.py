"""Numbers are read out of tables with their row, column, unit and scale."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ragdiag.text.tables import Operand, operands_of
from tests.growth import grows_linearly

MARKDOWN = """Capital expenditure (USD millions, except per share data)

| | 2018 | 2017 |
|---|---:|---:|
| Capex | $1,577 | $(1,373) |
| Growth | 14.9% | – |
| Dividend per share | 5.44 | 4.70 |
"""

TABS = (
    "(in thousands)\n\tYear ended 30 June\t\tChange\n\t2020\t2019\t%\nSales\t1,200\t1,000\t20.0\n"
)

SPACES = "Item         2020     2019\nOil          10.5     11.5\nGas       $ 7      $ 8\n"

LIST = """Example Company
Statement of Income
(Millions, except per share amounts)
2022
2021
2020
Net sales
$
34,229 $
35,355 $
32,184
Gain on sale
(2,724)
\x20
(389)
Margin
19.1 %
20.8 %
18.0 %
Earnings per share
10.21
10.12
9.36
"""

BLANKS = """\x20
Years ended
\x20
May 31,
\x20
2018
\x20
May 31,
\x20
2017
\x20
Cash
\x20
 $
10 
 $
20 
\x20
\x20
30 
\x20
40 
"""


def shown(operands: list[Operand]) -> list[tuple[str | None, str | None, Decimal]]:
    return [(one.row, one.column, one.value) for one in operands]


def test_markdown_table_has_rows_columns_scale_and_signs() -> None:
    million = Decimal(10**6)
    assert shown(operands_of(MARKDOWN)) == [
        ("Capex", "2018", 1577 * million),
        ("Capex", "2017", -1373 * million),
        ("Growth", "2018", Decimal("14.9")),
        ("Dividend per share", "2018", Decimal("5.44")),
        ("Dividend per share", "2017", Decimal("4.70")),
    ]


def test_an_operand_says_where_it_stands() -> None:
    first = operands_of(MARKDOWN, "p1", "d1")[0]
    assert (first.passage_id, first.doc_id, first.unit) == ("p1", "d1", "USD")
    assert MARKDOWN[first.start : first.end] == first.text == "$1,577"
    assert (first.written, first.scale, first.precision) == (1577, 10**6, 10**6)
    assert (first.table, first.line, first.place) == (0, 0, 0)


def test_tab_table_spreads_headings_and_reads_percent_from_the_header() -> None:
    found = operands_of(TABS)
    assert shown(found) == [
        ("Sales", "Year ended 30 June 2020", Decimal(1_200_000)),
        ("Sales", "Year ended 30 June 2019", Decimal(1_000_000)),
        ("Sales", "Change %", Decimal("20.0")),
    ]
    assert [one.unit for one in found] == [None, None, "%"]


def test_gap_table_joins_currency_signs_that_stand_apart() -> None:
    found = operands_of(SPACES)
    assert shown(found) == [
        ("Oil", "2020", Decimal("10.5")),
        ("Oil", "2019", Decimal("11.5")),
        ("Gas", "2020", Decimal(7)),
        ("Gas", "2019", Decimal(8)),
    ]
    assert [one.unit for one in found] == [None, None, "USD", "USD"]


def test_list_with_a_cell_a_line() -> None:
    found = {(one.row, one.column): one for one in operands_of(LIST)}
    assert found["Net sales", "2021"].value == 35_355 * 10**6
    assert found["Net sales", "2021"].unit == "USD"
    # The blank line between the two values is an empty cell: no value for 2021.
    assert found["Gain on sale", "2022"].value == -2_724 * 10**6
    assert found["Gain on sale", "2020"].value == -389 * 10**6
    assert ("Gain on sale", "2021") not in found
    assert (found["Margin", "2020"].value, found["Margin", "2020"].unit) == (Decimal("18.0"), "%")
    assert found["Earnings per share", "2022"].value == Decimal("10.21")


def test_list_whose_cells_are_parted_by_blank_lines() -> None:
    assert shown(operands_of(BLANKS)) == [
        ("Cash", "May 31, 2018", Decimal(10)),
        ("Cash", "May 31, 2017", Decimal(20)),
        (None, "May 31, 2018", Decimal(30)),  # the total under the row has no label
        (None, "May 31, 2017", Decimal(40)),
    ]


def test_line_with_its_values_at_the_end() -> None:
    text = "($ in thousands)\nYear ended 30 June 2020 2019\nNet sales 34,229 35,355\n"
    assert shown(operands_of(text)) == [
        ("Net sales", "2020", Decimal(34_229_000)),
        ("Net sales", "2019", Decimal(35_355_000)),
    ]


def test_dotted_leaders_and_continued_labels() -> None:
    text = "(In thousands)\n2015\n2014\nCash and\nequivalents............ $\n876\n$\n1,117\n"
    assert shown(operands_of(text)) == [
        ("Cash and equivalents", "2015", Decimal(876_000)),
        ("Cash and equivalents", "2014", Decimal(1_117_000)),
    ]


def test_two_headings_over_four_columns() -> None:
    text = "Three months ended\nTwelve months ended\nMay 31, 2022\nMay 31, 2021\nMay 31, 2022\n"
    text += "May 31, 2021\nResorts\n1\n2\n3\n4\n"
    assert [one.column for one in operands_of(text)] == [
        "Three months ended May 31, 2022",
        "Three months ended May 31, 2021",
        "Twelve months ended May 31, 2022",
        "Twelve months ended May 31, 2021",
    ]


def test_a_column_whose_first_cell_alone_has_the_percent_sign() -> None:
    text = "(in millions)\nNorth\n$\n11,604\n33.9 %\nSouth\n8,902\n26.0\n"
    assert [(one.row, one.value, one.unit) for one in operands_of(text)] == [
        ("North", 11_604 * 10**6, "USD"),
        ("North", Decimal("33.9"), "%"),
        ("South", 8_902 * 10**6, None),
        ("South", Decimal("26.0"), "%"),
    ]


def test_a_second_header_begins_another_table() -> None:
    text = "| | 2018 |\n|---|---|\n| Oil | 1 |\n| | 2019 |\n| Oil | 2 |\n"
    assert [(one.column, one.table, one.value) for one in operands_of(text)] == [
        ("2018", 0, 1),
        ("2019", 1, 2),
    ]


def test_prose_numbers_carry_the_words_before_them() -> None:
    text = "It was mild. Net income was $7.5 billion in 2022, on Form 10-K, up 25%."
    found = operands_of(text)
    assert [(one.row, one.value, one.table) for one in found] == [
        ("Net income was", Decimal("7500000000"), -1),
        ("Net income was $7.5 billion in 2022, on Form 10-K, up", Decimal(25), -1),
    ]
    assert [text[one.start : one.end] for one in found] == ["$7.5 billion", "25%"]


@pytest.mark.parametrize("text", ["", "\n\n", "|", "|||\n|-|-|", "No number here.", "\t\t\n  \n"])
def test_texts_without_numbers(text: str) -> None:
    assert operands_of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "1 " * 100_000,
        "(" * 200_000,
        "$\n" * 100_000,
        "|" * 200_000,
        "1,\n2\n" * 40_000,
        "2018\n" * 40_000,
    ],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    assert grows_linearly(operands_of, text)


def test_every_offset_points_at_its_text() -> None:
    for text in (MARKDOWN, TABS, SPACES, LIST, BLANKS):
        for one in operands_of(text):
            assert text[one.start : one.end] == one.text


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Capital expenditure was $412 million in 2017.", ["$412 million"]),
        ("Norvik produced 41.3 thousand barrels per day.", ["41.3 thousand barrels"]),
        ("(in millions)\n| | 2017 |\n|---|---|\n| Revenue | 412 |", ["412"]),
    ],
)
def test_a_short_sentence_with_an_amount_is_no_caption(text: str, numbers: list[str]) -> None:
    assert [operand.text for operand in operands_of(text)] == numbers


def test_the_number_in_a_row_label_is_no_operand() -> None:
    text = "| Area | 2017 |\n|---|---|\n| Block 15 | 41.3 |\n| Block 17 | 128.6 |"
    assert [operand.text for operand in operands_of(text)] == ["41.3", "128.6"]


@pytest.mark.parametrize(
    "header",
    [
        # the unit in a row of its own, under one of the columns
        "| | 2018 | 2017 | 2016 |\n|-|-|-|-|\n| | | (in millions) | |\n",
        "| | (in millions) | | |\n|-|-|-|-|\n| | 2018 | 2017 | 2016 |\n",
        # the unit at the column of changes alone
        "| | 2018 | 2017 | Increase (in millions) |\n|-|-|-|-|\n",
    ],
)
def test_a_unit_beside_one_column_is_that_of_all_periods(header: str) -> None:
    found = operands_of(f"{header}| Sales | 30,391 | 20,322 | 10,069 |\n")
    assert [(one.column, one.value) for one in found[:2]] == [
        ("2018", Decimal(30_391_000_000)),
        ("2017", Decimal(20_322_000_000)),
    ]


def test_a_heading_alone_in_its_row_stands_over_every_period() -> None:
    found = operands_of(
        "| | | Year ended June 30, | | |\n|-|-|-|-|-|\n| | 2018 | 2017 | 2016 | % Change |\n"
        "| Sales | 5 | 4 | 3 | 25% |\n"
    )
    assert [one.column for one in found] == [
        "Year ended June 30, 2018",
        "Year ended June 30, 2017",
        "Year ended June 30, 2016",
        "% Change",
    ]


def test_a_heading_of_changes_does_not_reach_the_years() -> None:
    found = operands_of(
        "| Year Ended May 31, | | | | |\n|-|-|-|-|-|\n| | | | Percent Change | |\n"
        "| (Dollars in millions) | 2019 | Actual | Constant | 2018 |\n"
        "| By geography: | | | | |\n| EMEA | 11,270 | -1% | 3% | 11,409 |\n"
    )
    assert [(one.column, one.unit) for one in found] == [
        ("2019", "USD"), ("Actual", "%"), ("Percent Change Constant", "%"), ("2018", "USD"),
    ]  # fmt: skip


DASHES = """(in thousands)

| | 2019 | 2018 | 2017 | Change % |
|---|---|---|---|---|
| Senior notes | 1,905 | 79 | {dash} | 20% |
| Options | {dash} | n/a | 30 | {dash} |
| Tax rate | 21% | 35% | {dash} | {dash} |
| Warrants | {dash} | {dash} | {dash} | {dash} |
"""


@pytest.mark.parametrize("dash", ["-", "–", "—", "−", "--", "nil", "Nil", "$ –", "$—"])
def test_a_dash_under_amounts_is_zero(dash: str) -> None:
    found = operands_of(DASHES.format(dash=dash))
    assert [(one.row, one.place, one.written) for one in found] == [
        ("Senior notes", 0, 1905),
        ("Senior notes", 1, 79),
        ("Senior notes", 2, 0),
        ("Senior notes", 3, 20),
        ("Options", 0, 0),  # n/a is no zero, nor is the dash under percents
        ("Options", 2, 30),
        ("Tax rate", 0, 21),  # nor a dash in a row of percents
        ("Tax rate", 1, 35),
        ("Warrants", 0, 0),
        ("Warrants", 1, 0),
        ("Warrants", 2, 0),
    ]
    zero = found[2]
    assert (zero.value, zero.column, zero.scale, zero.kind) == (0, "2017", 1000, "number")
    assert zero.text == dash.removeprefix("$").strip()


def test_a_dash_is_zero_in_a_list_and_between_gaps() -> None:
    listed = "2022\n2021\nNet sales\n34,229\n35,355\nGain on sale\n–\n2,724\nOther\n$\n—\n12\n"
    gaps = "Item         2020     2019\nOil          10.5     11.5\nGas           -        8\n"
    assert [(one.row, one.place, one.value) for one in operands_of(listed)] == [
        ("Net sales", 0, 34229),
        ("Net sales", 1, 35355),
        ("Gain on sale", 0, 0),
        ("Gain on sale", 1, 2724),
        ("Other", 0, 0),
        ("Other", 1, 12),
    ]
    assert [(one.row, one.place, one.value) for one in operands_of(gaps)] == [
        ("Oil", 0, Decimal("10.5")),
        ("Oil", 1, Decimal("11.5")),
        ("Gas", 0, 0),
        ("Gas", 1, 8),
    ]


def test_dashes_before_the_items_of_a_list_are_no_zeros() -> None:
    text = "Risks:\n–\nFire\n–\nFlood of 12 March\n-\nTheft\n"
    assert [one.value for one in operands_of(text) if one.value == 0] == []
