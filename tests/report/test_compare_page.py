"""compare.html says what compare.json says, row by row, and nothing of its data is markup."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from ragdiag.evaluation.comparing import compare_directories
from ragdiag.report.compare_page import _round_up, case_link, render_comparison, verdict_of
from tests.compared import evaluation, query


@pytest.fixture
def found(tmp_path: Path) -> dict[str, Any]:
    """Ten queries that the variant gets right where the baseline does not, and ten alike."""
    before = {
        f"q{i}": query(0.0 if i < 10 else 1.0, code="R1" if i < 10 else "K1") for i in range(20)
    }
    after = {f"q{i}": query(1.0, code="K1") for i in range(20)}
    before["q0<b>"], after["q0<b>"] = query(1.0, code="K1"), query(1.0, code="G1")
    runs = [
        evaluation(tmp_path / name, rows) for name, rows in (("a<script>", before), ("b", after))
    ]
    return compare_directories(runs)


def text_of(page: str) -> str:
    body = page.partition("<body>")[2]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_each_row_is_there_with_its_numbers(found: dict[str, Any]) -> None:
    text = text_of(render_comparison(found))
    (pair,) = found["pairs"]
    assert pair["rows"]
    for row in pair["rows"]:
        told = f"{row['n']} {row['mean_a']:.3f} {row['mean_b']:.3f} {row['difference']:+.3f}"
        assert told in text
        assert f"{row['better']} / {row['worse']} / {row['tied']} {verdict_of(row)}" in text
    assert "1 broken · 10 fixed" in text
    assert "q0<b> broken K1 fully correct G1 wrong abstention" in text


def test_a_verdict_has_a_sign_beside_its_colour(found: dict[str, Any]) -> None:
    row = next(one for one in found["pairs"][0]["rows"] if one["metric"] == "recall@10")
    assert (row["significant"], row["verdict"]) == (True, "better")
    assert verdict_of(row).startswith("▲ better")
    assert verdict_of(row | {"significant": False, "verdict": "no difference shown"}) == "not shown"


def test_nothing_of_the_data_is_markup(found: dict[str, Any]) -> None:
    page = render_comparison(found)
    assert "<script>, b" not in page
    assert "a&lt;script&gt;" in page
    assert page.count("<script") == 2  # the cases, and the page's own
    assert "q0&lt;b&gt;" in page


def test_only_queries_with_cases_are_links(found: dict[str, Any]) -> None:
    page = render_comparison(found, "", frozenset(["q3"]))
    assert page.count('data-go="#/case/') == 1
    assert 'data-go="#/case/0/q3"' in page
    assert case_link(1, "a/b é") == "#/case/1/a%2Fb%20%C3%A9"


@pytest.mark.parametrize(
    ("number", "end"),
    [(0.0, 0.001), (0.004, 0.005), (0.31, 0.5), (0.5, 0.5), (1.2, 2.0), (7.0, 10.0)],
)
def test_the_axis_ends_at_a_round_number(number: float, end: float) -> None:
    assert _round_up(number) == pytest.approx(end)
