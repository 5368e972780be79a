"""Where a passage's text stands: layout may differ, no number may."""

from __future__ import annotations

import pytest

from ragdiag.text.placing import compact, likeness, lines_missing, place
from tests.growth import grows_linearly

PAGE = (
    "Annual Report 2017\n"
    "USD millions 2017 2016\nRevenue 1,512 1,412\nNet loss (12.5) (12.1)\n"
    "The company’s equity pro-\nduction was 70 – 75 thou­sand barrels, well-known to ﬁnance.\n"
    "See note 4 . . . . . . . 31"
)


@pytest.mark.parametrize(
    ("text", "tier", "found"),
    [
        ("Revenue 1,512", "exact", "Revenue 1,512"),
        (" Revenue 1,512\n", "exact", "Revenue 1,512"),
        ("company's equity production was 70 - 75 thousand", "typographic",
         "company’s equity pro-\nduction was 70 – 75 thou­sand"),
        ("to finance.", "typographic", "to ﬁnance."),
        ("| Revenue | 1,512 | 1,412 |", "fuzzy", "Revenue 1,512 1,412"),
        ("| USD millions | 2017 | 2016 |\n|---|:---|---|\n| **Revenue** | 1,512 | 1,412 |", "fuzzy",
         "USD millions 2017 2016\nRevenue 1,512 1,412"),
        ("<tr><td>Net loss</td><td>(12.5)</td><td>(12.1)</td></tr>", "fuzzy", "Net loss (12.5) (12.1)"),
        ("Revenue1,512   1,412 Net loss(12.5)", "fuzzy", "Revenue 1,512 1,412\nNet loss (12.5)"),
        ("REVENUE 1,512 1,412", "fuzzy", "Revenue 1,512 1,412"),
        ("See note 4 31", "fuzzy", "See note 4 . . . . . . . 31"),
        ("Net loss (12.5) (12.1)\nRevenue 1,512 1,412", "fuzzy",
         "Revenue 1,512 1,412\nNet loss (12.5) (12.1)"),
    ],
)  # fmt: skip
def test_found(text: str, tier: str, found: str) -> None:
    placed = place(text, PAGE)
    assert placed is not None
    assert (placed.tier, PAGE[placed.start : placed.end]) == (tier, found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "| Revenue | 1,512 | 1,411 |",
        "| Revenue | 1,412 | 1,512 |",
        "Net loss 12.5 12.1",
        "Revenue 1,51 21,412",
        "Net loss (12.5) (12.1)\nRevenue 1,512 1,413",
        "Revenue 1,512\nNet profit 12.5",
        "equity production was 70 - 76 thousand barrels, well-known to finance.",
        "|---|---|",
    ],
)
def test_not_there(text: str) -> None:
    assert place(text, PAGE) is None


@pytest.mark.parametrize(
    ("text", "source", "there"),
    [
        ("12 3", "1 23", False),
        ("123", "1 23", False),
        ("12 million dollars in all", "412 million  dollars in all", False),
        ("dollars in all: 12", "dollars  in all: 124", False),
        ("- 12 million dollars", "12 million  dollars", False),
        (
            "total of 12 and 34 barrels",
            "total of 1 2 and 34 barrels",
            True,
        ),  # a page may part digits
        ("total of 12 and 3 4 barrels", "total of 1 2 and 34 barrels", False),
    ],
)
def test_numbers_stay_whole(text: str, source: str, there: bool) -> None:
    assert (place(text, source) is not None) == there


SCRIPTS = [
    ("Выручка выросла на 5 % в 2017 году.", "Выручка\nвыросла на\n5 % в 2017 году.", "5", "6"),
    ("بلغت الإيرادات ٤١٢ مليون دولار في عام ٢٠١٧", "بلغت الإيـــرادات ٤١٢ مليون\nدولار في عام ٢٠١٧", "٤١٢", "٤١٣"),
    ("ההכנסות היו 412 מיליון דולר בשנת 2017", "ההכנסות היו 412\nמיליון דולר בשנת 2017", "412", "413"),
    ("२०१७ में राजस्व ४१२ करोड़ रुपये था।", "२०१७ में राजस्व ४१२\nकरोड\u093c रुपये था।", "४१२", "४१३"),
    ("รายได้เพิ่มขึ้นเป็น 412 ล้านบาทในปี 2560", "รายได้เพิ่มขึ้น\nเป็น 412 ล้านบาท\nในปี 2560", "412", "413"),
    ("2017年公司收入为412百万美元，增长了5%。", "2017 年公司收入\n为412百万美元,增长了5%。", "412", "413"),
    ("2017年の売上高は412億ドルで、前年より増加した。", "2017年の売上高\nは 412 億ドルで、前年より増加した。", "412", "413"),
    ("2017년 매출은 412억 달러로 증가했다.", "2017년 매출은\n412억 달러로 증가했다.", "412", "413"),
    ("Τα έσοδα ήταν 412 εκατομμύρια το 2017.", "Τα έσοδα\nήταν 412 εκατομμύρια το 2017.", "412", "413"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "page", "number", "other"), SCRIPTS)
def test_scripts(text: str, page: str, number: str, other: str) -> None:
    placed = place(text, f"1\n{page}\n2")
    assert placed is not None
    assert placed.tier in ("typographic", "fuzzy")
    assert place(text.replace(number, other), f"1\n{page}\n2") is None


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("用水", "⽤⽔"),  # radicals in the place of characters
        ("ガス", "ｶﾞｽ"),
        ("が", "か\u3099"),
        ("매출", "\u1106\u1162\u110e\u116e\u11af"),
        ("الإيرادات", "ﺍﻹﻳﺮﺍﺩﺍﺕ"),
        ("é", "e\u0301"),
        ("й", "и\u0306"),
        ("१५ करो\u095c", "१५ करो\u0921\u093c"),
    ],
)
def test_forms_of_one_letter(text: str, page: str) -> None:
    placed = place(text, page)
    assert placed is not None
    assert (placed.tier, placed.start, placed.end) == ("typographic", 0, len(page))


def test_lines_and_likeness() -> None:
    assert lines_missing("Revenue 1,512 1,412\nCosts 3\n---", PAGE) == (2, ["Costs 3"])
    assert lines_missing("", PAGE) == (0, [])
    assert likeness("Revenue 1,512 1,412", [PAGE, "", "Revenue"]) == [1.0, 0.0, 0.5]
    assert likeness(" ", [PAGE]) == [0.0]


def test_offsets_are_those_of_the_text() -> None:
    text = "| A-\nb  İC |"
    shown, places = compact(text)
    assert [text[at] for at in places] == ["A", "b", "İ", "C"]
    assert shown == "abİc"


@pytest.mark.parametrize("piece", ["a", "1 ", "- ", "|", "a b ", "\n1", "<a "])
def test_time_grows_with_the_text(piece: str) -> None:
    assert grows_linearly(lambda text: place("x" + text[:3000] + "y", text), piece * 100_000)
    assert grows_linearly(lambda text: place(text + "x", text[:5000]), piece * 20_000)
