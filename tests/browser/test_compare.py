"""A comparison in a real browser: from a query that flipped to both of its cases, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragdiag.evaluation.compare_page import write_comparison_page
from ragdiag.evaluation.comparing import compare_directories
from tests.browser.test_report import READY, aside, evaluated, hash_of, until
from tests.report.test_page import HOSTILE, hostile_row
from tests.runs import row

if TYPE_CHECKING:
    from playwright.sync_api import Page

WRONG = "The revenue of Alder was $1234 in 2017 [3]."


@pytest.fixture(scope="module")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Query a is broken by the second run, b mended."""
    place = tmp_path_factory.mktemp("compared")
    runs: list[Path] = []
    for name, wrong in (("before", "b"), ("after", "a")):
        lines = [row(one, **({"answer": WRONG} if one == wrong else {})) for one in ("a", "b")]
        (place / name).mkdir()
        runs.append(evaluated(place / name, lines))
    made = place / "compare.html"
    found: list[dict[str, Any]] = []
    aside(lambda: found.append(compare_directories(runs)))
    aside(lambda: write_comparison_page(found[0], made))
    return made.as_uri()


def sides(page: Page) -> list[str]:
    return page.locator("#sides .case .answer").all_inner_texts()


def test_from_a_flip_to_both_cases_and_back_by_keys(opened: Any, page_of: str) -> None:
    page = opened(page_of)
    page.wait_for_selector(READY)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sides .case >> nth=1")
    assert hash_of(page) == "#/case/0/a"
    before, after = sides(page)
    assert "$92017" in before
    assert "$1234" in after
    page.keyboard.press("j")
    until(lambda: hash_of(page) == "#/case/0/b" and "$1234" in (sides(page) or [""])[0])
    page.keyboard.press("Escape")
    until(lambda: page.locator("#overview").is_visible())
    assert page.evaluate("document.activeElement.textContent") == "b"


def test_an_address_opens_its_query_and_an_unknown_one_says_so(opened: Any, page_of: str) -> None:
    page = opened(page_of + "#/case/0/b")
    page.wait_for_selector("#sides .case >> nth=1")
    assert len(set(page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)"))) == (
        page.locator("[id]").count()
    )
    page.evaluate("location.hash = '#/case/0/nobody'")
    until(lambda: "did not flip" in page.locator("#alert").inner_text())


def test_a_claim_lights_up_the_quote_of_its_own_run(opened: Any, page_of: str) -> None:
    page = opened(page_of + "#/case/0/a")
    page.wait_for_selector("#sides .case >> nth=1")
    page.locator("#sides > section >> nth=0 >> .answer mark").first.hover()
    lit = [page.locator(f"#sides > section >> nth={n} >> .lit").count() for n in (0, 1)]
    assert lit[0] > 0
    assert lit[1] == 0


def test_a_narrow_window_stacks_the_sides(opened: Any, page_of: str) -> None:
    page = opened(page_of + "#/case/0/a", viewport={"width": 360, "height": 700})
    page.wait_for_selector("#sides .case >> nth=1")
    boxes = [page.locator(f"#sides > section >> nth={n}").bounding_box() for n in (0, 1)]
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_a_screen_reader_meets_no_serious_barrier(
    opened: Any, barriers: Any, page_of: str, scheme: str, width: int
) -> None:
    page = opened(page_of, color_scheme=scheme, viewport={"width": width, "height": 800})
    page.wait_for_selector(READY)
    assert barriers(page) == []
    page.evaluate("location.hash = '#/case/0/a'")
    page.wait_for_selector("#sides .case >> nth=1")
    assert barriers(page) == []


def test_hostile_runs_run_nothing(opened: Any, tmp_path: Path) -> None:
    runs: list[Path] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        lines = [hostile_row(i, text) for i, text in enumerate(HOSTILE)]
        if name == "two":
            lines = [one | {"answer": "I do not know."} for one in lines]
        runs.append(evaluated(tmp_path / name, lines))
    found: list[dict[str, Any]] = []
    aside(lambda: found.append(compare_directories(runs)))
    aside(lambda: write_comparison_page(found[0], tmp_path / "compare.html"))
    page = opened((tmp_path / "compare.html").as_uri())
    page.wait_for_selector(READY)
    links = page.locator(".flips a")
    assert links.count() == len(HOSTILE)
    for at in range(len(HOSTILE)):
        page.evaluate(
            "at => { location.hash = document.querySelectorAll('.flips tr')[at + 1].dataset.go }",
            at,
        )
        until(
            lambda at=at: page.locator("#case-place").inner_text() == f"{at + 1} of {len(HOSTILE)}"
        )
        page.wait_for_selector("#sides .case >> nth=1")
    assert page.evaluate("window.ran") == []
