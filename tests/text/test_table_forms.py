"""One table in many notations: every cell is read, and mistakes over its cells get their names."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from ragdiag.text.calculation import Operand, derive, explain, operands_of
from tests.growth import grows_linearly

CAPTION = "(in thousands, except per share data)"
HEADS = ["2020", "2019"]
ROWS = [
    ("Net sales", ["58,911", "52,340"]),
    ("Net loss", ["(1,244)", "(980)"]),
    ("Notes, long term", ["–", "7,301"]),
    ("Margin", ["41.7%", "39.2%"]),
    ("Earnings per share", ["1.41", "1.23"]),
]
VALUES = {
    "Net sales": (58911000, 52340000),
    "Net loss": (-1244000, -980000),
    "Notes, long term": (0, 7301000),
    "Margin": ("41.7", "39.2"),
    "Earnings per share": ("1.41", "1.23"),
}


def markdown() -> str:
    lines = [f"| {label} | " + " | ".join(cells) + " |" for label, cells in ROWS]
    return f"{CAPTION}\n\n| | 2020 | 2019 |\n|---|---|---|\n" + "\n".join(lines)


def html() -> str:
    rows = "".join(
        f"<tr><td>{label}<sup>(1)</sup></td>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>"
        for label, cells in ROWS
    )
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    return f"<table><caption>{CAPTION}</caption><tr><th></th>{heads}</tr>{rows}</table> 5 more."


def filed_html() -> str:
    """As filings print it: signs, gaps and closing parentheses in cells of their own."""

    def cell(text: str) -> str:
        end = text[-1] if text[-1] in "%)" else ""
        return f"<td>&nbsp;</td><td>{text.removesuffix(end)}</td><td>{end}</td>"

    heads = "".join(f'<td></td><td colspan="2"><b>{head}</b></td>' for head in HEADS)
    rows = "".join(f"<tr><td>{one}</td>{''.join(map(cell, cells))}</tr>\n" for one, cells in ROWS)
    return f"<p>{CAPTION}</p>\n<table>\n<tr><td></td>{heads}</tr>\n{rows}</table>"


def comma_separated() -> str:
    rows = "".join(f'"{one}","{cells[0]}","{cells[1]}"\n' for one, cells in ROWS)
    return f"{CAPTION}\n,2020,2019\n{rows}The rest is prose, of course, with 5 commas.\n"


def tabs() -> str:
    return f"{CAPTION}\n\t2020\t2019\n" + "".join(f"{o}\t{c[0]}\t{c[1]}\n" for o, c in ROWS)


def columns_of_blanks() -> str:
    rows = "".join(f"{one:<24}{cells[0]:>12}{cells[1]:>12}\n" for one, cells in ROWS)
    return f"{CAPTION}\n{'':<24}{'2020':>12}{'2019':>12}\n{rows}"


FORMS = [markdown, html, filed_html, comma_separated, tabs, columns_of_blanks]


def in_cells(form: Callable[[], str]) -> list[Operand]:
    return [one for one in operands_of(form(), "p") if one.table >= 0]


@pytest.mark.parametrize("form", FORMS)
def test_every_cell_is_read(form: Callable[[], str]) -> None:
    found = {(one.row, one.column): one.value for one in in_cells(form)}
    expected = {
        (label, head): Decimal(value)
        for label, values in VALUES.items()
        for head, value in zip(HEADS, values, strict=True)
    }
    assert found == expected


# 58911 - 52340 = 6571; 6571 / 52340 = 12.554 %; 6571 / 58911 = 11.154 %; 58911 / 52340 = 112.554 %;
# the loss: -1244 / -980 - 1 = 26.939 %.
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("answer", "reference", "cause"),
    [
        ("12.55%", "12.55%", "ok"),
        ("-12.55%", "12.55%", "sign_rounding_format"),
        ("11.15%", "12.55%", "inverted"),
        ("112.55%", "12.55%", "wrong_formula"),
        ("26.94%", "12.55%", "wrong_metric"),
        ("73.21%", "12.55%", "unexplained"),
        ("$6,571 thousand", "$6,571 thousand", "ok"),
        ("6,571,000 thousand", "6,571 thousand", "scale"),
        ("6,571 million", "6,571 thousand", "scale"),
        ("111,251 thousand", "6,571 thousand", "wrong_formula"),
        ("58,911 thousand", "6,571 thousand", "operand_returned"),
        ("27,777 thousand", "6,571 thousand", "unexplained"),
    ],
)
def test_mistakes_are_named(
    form: Callable[[], str], answer: str, reference: str, cause: str
) -> None:
    every = in_cells(form)
    gold = [one for one in every if one.row == "Net sales"]
    assert derive(reference, gold, gold=True) is not None
    assert explain(answer, reference, gold, neighbours=every, gold=True).cause == cause


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        (
            '<table><tr><th rowspan="2">Unit</th><th colspan="2">Sales</th><th>Cost</th></tr>'
            "<tr><th>2020</th><th>2019</th><th>2020</th></tr>"
            "<tr><td>Cloud</td><td>10</td><td>9</td><td>7</td></tr></table>",
            [("Sales 2020", "10"), ("Sales 2019", "9"), ("Cost 2020", "7")],
        ),
        ("<table><tr><td>A<td>5<tr><td>B<td>6", [(None, "5"), (None, "6")]),
        (
            "<TABLE><tr><th>Year</th><th>Sales ($m)</th></tr><tr><td>2019</td><td>5.1</td></tr>",
            [("Sales ($m)", "5100000")],
        ),
        (
            "<table><tr><th></th><th>2020</th></tr><tr><td>R&amp;D</td><td>&#8722;12</td></tr>",
            [("2020", "-12")],
        ),
        ("Position;2020\nUmsatz;1.234,5\n", []),  # two fields are too few to tell
        ("Position;2020;2019\nUmsatz;1.234,5;84.310\n", [("2020", "1234.5"), ("2019", "84310")]),
        ("year,revenue,cost\n2019,1577,1200\n", [("revenue", "1577"), ("cost", "1200")]),
        ("name,city,land\nAnna,Oslo,Norway\n", []),
        ("Revenue 1,577,373\nCost 1,200,111\n", []),
        ("Notes, 5,600, 5,700\nBonds, 5,800, 5,900\n", []),
        ('a,"b\n1,"2\n', []),
    ],
)
def test_forms_of_rows(text: str, cells: list[tuple[str | None, str]]) -> None:
    found = [one for one in operands_of(text) if one.table >= 0]
    assert [(one.column, one.value) for one in found] == [(c, Decimal(v)) for c, v in cells]


@pytest.mark.parametrize(
    "part",
    ["<table>", "<tr>", "<td>1", "<td colspan=99>1", "<sup>", "<", "&nbsp;", "</table>",
     "<tr><td rowspan=99>1<td>2", ",", '"', '"",', "a,1,2\n", "<table><tr><td>1</td></tr></table>"],
)  # fmt: skip
def test_hostile_markup_takes_linear_time(part: str) -> None:
    assert grows_linearly(operands_of, (part * 24_000)[:24_000])
    assert grows_linearly(operands_of, "<table><tr><td>" + (part * 24_000)[:24_000])
