"""The report in a real browser: from the overview to a case, lists that can be sent, hostile data."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from ragdiag.cli.main import app
from ragdiag.evaluation import directory as at
from ragdiag.evaluation import page_blocks
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.page import write_page
from tests.page_data import PageData
from tests.report.test_page import HOSTILE, hostile_row
from tests.runs import row, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

READY = "[data-ready]"


def evaluated(place: Path, lines: list[dict[str, Any]]) -> Path:
    source = write(place / "s.jsonl", lines)
    aside(lambda: evaluate_files(Inputs((source,)), Options(), out=place / "out"))
    return place / "out"


def aside(work: Callable[[], Any]) -> None:
    """Does it in a thread of its own, where no event loop of a browser runs."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


def address(directory: Path, hash_: str = "") -> str:
    return (directory / at.PAGE).as_uri() + hash_


def hash_of(page: Page) -> str:
    return page.evaluate("location.hash")


def until(holds: Callable[[], bool]) -> None:
    """Waits for what a page's policy lets no script wait for."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end, "it did not come to hold within 10 seconds"
        time.sleep(0.02)


def listed(page: Page) -> list[str]:
    """The ids that the page exports, which are those of its list, in order."""
    with page.expect_download() as found:
        page.locator("#export").click()
    return Path(found.value.path()).read_text("utf-8").splitlines()


def case(page: Page, query: str) -> None:
    page.wait_for_selector(f"#case-body h2:text-is({query!r})")


# ---- from view to view ------------------------------------------------------------------


def test_two_keys_lead_from_the_overview_to_a_case(opened: Any, example: Path) -> None:
    page = opened(address(example))
    page.wait_for_selector(READY)
    report = at.read_report(example)
    first = page.locator("#categories tbody tr").first
    code = first.locator("code").inner_text()
    most = max(row["n"] for row in report["categories"].values() if row["family"] != "success")
    assert report["categories"][code]["n"] == most
    page.keyboard.press("Enter")
    page.wait_for_selector("#list:not([hidden])")
    assert hash_of(page) == f"#/list?code={code}"
    assert page.locator("#shown").inner_text() == f"{most} of 68 queries"
    page.keyboard.press("Enter")
    page.wait_for_selector("#case-body h2")
    held = PageData(example / at.PAGE)
    ids = [name for name, one in zip(held.ids, held.column("code"), strict=True) if one == code]
    assert hash_of(page) == f"#/case/{ids[0]}?code={code}"
    page.keyboard.press("j")
    until(lambda: f"/case/{ids[1]}?" in hash_of(page))
    case(page, held.queries[held.ids.index(ids[1])])
    assert page.locator("#case-place").inner_text() == f"2 of {most}"
    page.keyboard.press("Escape")
    page.wait_for_selector("#list:not([hidden])")
    assert page.locator('[aria-selected="true"] .under bdi').inner_text() == ids[1]
    page.keyboard.press("Escape")
    page.wait_for_selector("#landing:not([hidden])")
    assert hash_of(page) == "#/"


def test_j_and_k_walk_the_categories_and_the_list(opened: Any, example: Path) -> None:
    page = opened(address(example))
    page.wait_for_selector(READY)
    codes = page.locator("#categories code").all_inner_texts()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.locator("tr[aria-current] code").inner_text() == codes[1]
    page.keyboard.press("Enter")
    page.wait_for_selector("#list:not([hidden])")
    assert hash_of(page) == f"#/list?code={codes[1]}"
    page.goto(address(example, "#/list"))
    ids = PageData(example / at.PAGE).ids
    for key, at_row in [
        ("j", 1),
        ("j", 2),
        ("k", 1),
        ("End", 67),
        ("j", 67),
        ("Home", 0),
        ("k", 0),
    ]:
        page.keyboard.press(key)
        assert page.locator('[aria-selected="true"] .under bdi').inner_text() == ids[at_row]
        active = page.locator("#grid").get_attribute("aria-activedescendant")
        assert active == f"row-{at_row}"
        seen = page.locator('[aria-selected="true"]').bounding_box()
        grid = page.locator("#grid").bounding_box()
        assert seen["y"] >= grid["y"] - 1
        assert seen["y"] + seen["height"] <= grid["y"] + grid["height"] + 1


def test_slash_searches_and_question_mark_helps(opened: Any, example: Path) -> None:
    page = opened(address(example))
    page.wait_for_selector(READY)
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Enter")
    assert not page.locator("#keys").is_visible()
    assert hash_of(page) == ""
    page.keyboard.press("/")
    until(lambda: page.evaluate("document.activeElement.id") == "by-text")
    page.keyboard.type("auditor j")
    until(lambda: hash_of(page) == "#/list?q=auditor%20j")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    until(lambda: hash_of(page) == "#/list?q=auditor")
    held = PageData(example / at.PAGE)
    wanted = [i for i, q in zip(held.ids, held.queries, strict=True) if "auditor" in q.lower()]
    assert wanted
    assert listed(page) == wanted
    page.locator("#by-text").focus()
    page.keyboard.press("Escape")  # out of the field, not out of the list
    assert page.evaluate("document.activeElement.id") == "grid"
    assert hash_of(page) == "#/list?q=auditor"


# ---- views that can be sent -------------------------------------------------------------


def wanted(held: PageData, name: str, passes: Any) -> list[str]:
    return [i for i, value in zip(held.ids, held.column(name), strict=True) if passes(value)]


@pytest.mark.parametrize(
    ("asked", "name", "passes"),
    [
        ("code=A1", "code", lambda v: v == "A1"),
        ("family=retrieval", "family", lambda v: v == "retrieval"),
        ("flag=should_have_abstained", "flag", lambda v: "should_have_abstained" in v),
        ("slice=year:2016", "year", lambda v: v == "2016"),
        ("judge=undecided", "judge", lambda v: v == "undecided"),
        ("score=recall@5:0-0.5", "recall@5", lambda v: v is not None and v <= 0.5),
        ("score=recall@5:0.5-", "recall@5", lambda v: v is not None and v >= 0.5),
    ],
)
def test_an_address_restores_the_list(
    opened: Any, example: Path, asked: str, name: str, passes: Any
) -> None:
    held = PageData(example / at.PAGE)
    page = opened(address(example, f"#/list?{asked}"))
    page.wait_for_selector("#list:not([hidden]) #shown:not(:empty)")
    ids = wanted(held, name, passes)
    assert 0 < len(ids) < len(held.ids)
    assert listed(page) == ids
    assert hash_of(page) == f"#/list?{asked}"
    field = asked.partition("=")[0]
    assert page.locator(f"#by-{field}").input_value() != ""
    page.locator("#clear").click()
    assert listed(page) == held.ids
    assert hash_of(page) == "#/list"


def test_filters_that_are_chosen_stand_in_the_address_and_meet(opened: Any, example: Path) -> None:
    held = PageData(example / at.PAGE)
    page = opened(address(example, "#/list"))
    page.wait_for_selector(READY)
    page.locator("#by-family").focus()
    page.locator("#by-family").select_option("generation")
    until(lambda: hash_of(page) == "#/list?family=generation")
    assert page.evaluate("document.activeElement.id") == "by-family"  # which may be changed again
    page.locator("#by-slice").select_option("year:2017")
    page.locator("#by-score").select_option("answer_correctness")
    page.locator("#score-high").fill("0.5")
    page.locator("#score-high").press("Tab")
    told = "#/list?family=generation&slice=year:2017&score=answer_correctness:-0.5"
    assert hash_of(page) == told
    families = set(wanted(held, "family", lambda v: v == "generation"))
    years = set(wanted(held, "year", lambda v: v == "2017"))
    wrong = wanted(held, "answer_correctness", lambda v: v is not None and v <= 0.5)
    assert listed(page) == [name for name in wrong if name in families & years]
    assert listed(page)
    page.locator("#score-status").select_option("error")
    assert hash_of(page).endswith("&score=answer_correctness:error")
    page.locator("#clear").click()
    page.locator("#by-score").select_option("answer_correctness")
    page.locator("#score-status").select_option("error")
    assert listed(page) == wanted(held, "code", lambda v: v == "X1")


@pytest.mark.parametrize("down", [False, True])
def test_lists_are_sorted_by_a_score_and_those_without_one_stand_last(
    opened: Any, example: Path, down: bool
) -> None:
    held = PageData(example / at.PAGE)
    sign = "-" if down else ""
    page = opened(address(example, f"#/list?sort={sign}recall@5"))
    page.wait_for_selector("#list:not([hidden]) #shown:not(:empty)")
    values = dict(zip(held.ids, held.column("recall@5"), strict=True))
    scored = [name for name in held.ids if values[name] is not None]
    scored.sort(key=lambda name: (-1 if down else 1) * values[name])  # stable, as the page's
    rest = [name for name in held.ids if values[name] is None]
    assert rest
    found = listed(page)
    assert found[: len(scored)] == scored
    assert sorted(found[len(scored) :]) == sorted(rest)
    assert "recall@5" in page.locator("#heads").inner_text()


def test_an_address_restores_a_case_within_its_list(opened: Any, example: Path) -> None:
    page = opened(address(example, "#/case/q58?code=G4"))
    case(page, PageData(example / at.PAGE).queries[57])
    assert page.locator("#case-place").inner_text().startswith("2 of ")
    page.locator("#next").click()
    until(lambda: hash_of(page) == "#/case/q59?code=G4")
    page.go_back()
    until(lambda: hash_of(page) == "#/case/q58?code=G4")
    page.goto(address(example, "#/case/nobody"))
    page.wait_for_selector("#alert:not([hidden])")
    assert page.locator("#alert").inner_text() == "No query nobody is in this report."


def test_ids_and_slices_of_any_kind_stand_in_an_address(opened: Any, tmp_path: Path) -> None:
    odd = ["a/b?c#d", "100% & +1", "é ü 文", "../x", "q\"<b>'", "#/list?code=A1", "e\nf"]
    lines = [
        row(name, query=f"Question {i}?", slices={f"k:{name}": name}) for i, name in enumerate(odd)
    ]
    out = evaluated(tmp_path, lines)
    page = opened(address(out, "#/list"))
    page.wait_for_selector("#shown:not(:empty)")
    for i, name in enumerate(odd):
        page.keyboard.press("Enter")
        case(page, f"Question {i}?")
        link = hash_of(page)
        page.goto("about:blank")
        page.goto(address(out, link))
        case(page, f"Question {i}?")
        assert name.replace("\n", " ") in page.locator("#case-body").inner_text().replace("\n", " ")
        page.keyboard.press("Escape")
        page.wait_for_selector("#list:not([hidden])")
        page.keyboard.press("j")
    page.goto(address(out, "#/"))
    details = page.locator("#landing details", has_text=odd[1])
    details.evaluate("e => { e.open = true; }")
    details.locator("a", has_text=odd[1]).click()
    page.wait_for_selector("#list:not([hidden])")
    assert page.locator("#shown").inner_text() == "1 of 7 queries"


def test_the_exported_ids_are_for_only(opened: Any, example: Path, tmp_path: Path) -> None:
    page = opened(address(example, "#/list?code=G4"))
    page.wait_for_selector("#shown:not(:empty)")
    ids = listed(page)
    assert "--only @ragdiag-ids.txt" in page.locator("#exported").inner_text()
    file = tmp_path / "ragdiag-ids.txt"
    file.write_text("".join(f"{name}\n" for name in ids))
    told = CliRunner().invoke(app, ["report", str(example), "--only", f"@{file}", "--json"])
    assert told.exit_code == 0, told.output
    assert f'"n_queries": {len(ids)}' in told.output


# ---- details beside the page ------------------------------------------------------------


@pytest.fixture
def sharded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    out = evaluated(tmp_path, [row(f"q{i}", query=f"Question {i}?") for i in range(130)])
    monkeypatch.setattr(page_blocks, "_MOST_SHARD", 1)
    aside(lambda: write_page(out, most=1))
    assert len(list((out / "report").glob("cases-*.js"))) == 3
    return out


def beside(directory: Path) -> tuple[str]:
    return ((directory / "report").as_uri() + "/cases-",)


def test_details_come_from_shards(opened: Any, sharded: Path) -> None:
    page = opened(address(sharded, "#/case/q129"), also=beside(sharded))
    case(page, "Question 129?")
    page.keyboard.press("k")
    case(page, "Question 128?")
    for number in (127, 64, 63, 0):
        page.goto(address(sharded, f"#/case/q{number}"))
        case(page, f"Question {number}?")
    assert page.locator("script[src]").count() == 0


def test_a_shard_that_is_missing_or_of_another_run_is_said(opened: Any, sharded: Path) -> None:
    (sharded / "report" / "cases-00000.js").unlink()
    other = sharded / "report" / "cases-00001.js"
    other.write_text(other.read_text().replace('ragdiagShard(1,"', 'ragdiagShard(1,"x'))
    (sharded / "report" / "cases-00002.js").write_text("broken(")
    page = opened(address(sharded, "#/case/q1"), also=beside(sharded), expect="ERR_FILE_NOT_FOUND")
    page.wait_for_selector("#alert:not([hidden])")
    assert "report/cases-00000.js is not there" in page.locator("#alert").inner_text()
    assert "“report”, which belongs beside this page" in page.locator("#alert").inner_text()
    page.goto(address(sharded, "#/case/q64"))
    page.wait_for_selector("#alert:has-text('cases-00001.js belongs to another run')")
    page.keyboard.press("Escape")
    page.wait_for_selector("#list:not([hidden])")
    assert page.locator("#alert").is_hidden()


def test_no_other_script_gets_in(browser: Browser, sharded: Path) -> None:
    """What slips through, by whatever way, is blocked by the page's policy."""
    for place in (sharded, sharded / "report"):
        (place / "evil.js").write_text("window.ran = 'evil'")
    page = browser.new_page()
    asked: dict[str, str | None] = {}
    page.on("requestfailed", lambda request: asked.update({request.url: request.failure}))
    page.goto(address(sharded))
    page.wait_for_selector(READY)
    refused = page.evaluate(
        """async () => {
          const refused = [];
          const attempt = async (name, work) => { try { await work(); } catch { refused.push(name); } };
          await attempt("src", () => { document.createElement("script").src = "report/evil.js"; });
          await attempt("text", () => { document.createElement("script").text = "window.ran = 1"; });
          await attempt("html", () => { document.body.innerHTML = "<b>x</b>"; });
          await attempt("policy", () => trustedTypes.createPolicy("own", { createScriptURL: (u) => u }));
          await attempt("again", () => trustedTypes.createPolicy("ragdiag-shards", {}).createScriptURL("evil.js"));
          await attempt("fetch", () => fetch("evil.js"));
          const link = document.createElement("a");
          link.setAttribute("href", "javascript:window.ran = 1");
          const image = document.createElement("img");
          image.setAttribute("src", "evil.png");
          await attempt("onerror", () => image.setAttribute("onerror", "window.ran = 1"));
          document.body.append(link, image);
          link.click();
          await new Promise((done) => setTimeout(done, 300));
          return refused;
        }"""
    )
    assert refused == ["src", "text", "html", "policy", "again", "fetch", "onerror"]
    assert page.evaluate("window.ran ?? null") is None
    assert set(asked.values()) <= {"csp"}, asked
    page.close()


# ---- hostile data, other ways to look ---------------------------------------------------


def test_hostile_content_runs_nothing(opened: Any, tmp_path: Path) -> None:
    out = evaluated(tmp_path, [hostile_row(i, text) for i, text in enumerate(HOSTILE)])
    page = opened(address(out))
    page.wait_for_selector(READY)
    ids = PageData(out / at.PAGE).ids
    page.goto(address(out, "#/list"))
    page.wait_for_selector("#shown:not(:empty)")
    for i in range(len(ids)):
        page.keyboard.press("Enter")
        page.wait_for_selector("#case-body h2")
        page.locator("#case-body").evaluate(
            "e => { for (const one of e.querySelectorAll('details')) one.open = true; }"
        )
        page.keyboard.press("p")
        named = HOSTILE[i].replace("\u202e", "RLO").replace("\u2066", "LRI")
        assert named in page.locator("#case-body h2").inner_text()
        page.keyboard.press("Escape")
        page.wait_for_selector("#list:not([hidden])")
        page.keyboard.press("j")
    # the elements are the page's own, and none has a handler
    assert page.locator("img, iframe, object, embed").count() == 0
    handlers = "[...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames()).filter((n) => n.startsWith('on'))"
    assert page.evaluate(handlers) == []
    links = page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.protocol)")
    assert set(links) == {"file:"}


def test_without_scripts_the_overview_is_there(opened: Any, example: Path) -> None:
    page = opened(address(example), java_script_enabled=False)
    assert page.locator("#landing h2").first.inner_text() == "Is this run valid?"
    assert "ragdiag explain --code CODE" in page.locator("noscript").inner_text()
    assert page.locator("#list").is_hidden()


@pytest.mark.parametrize("width", [360, 768, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_is_wider_than_the_window(
    opened: Any, example: Path, width: int, scheme: str
) -> None:
    page = opened(address(example), viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.wait_for_selector(READY)
    for view in ("#/", "#/list?sort=recall@5", "#/case/q57"):
        page.goto(address(example, view))
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    page.goto(address(example, "#/list"))
    assert page.locator(".row:visible").count() > 3


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["#/", "#/list?code=G4", "#/case/q57"])
def test_axe_finds_no_barrier(
    opened: Any, example: Path, barriers: Any, view: str, scheme: str, width: int
) -> None:
    page = opened(
        address(example, view), viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    page.wait_for_selector(READY)
    if view.startswith("#/case"):
        page.wait_for_selector("#case-body h2")
    assert barriers(page) == []


def test_of_many_queries_only_those_seen_are_drawn(opened: Any, tmp_path: Path) -> None:
    out = evaluated(tmp_path, [row(f"q{i}") for i in range(1500)])
    page = opened(address(out, "#/list"))
    page.wait_for_selector(".row")
    assert page.locator(".row").count() < 60
    page.keyboard.press("End")
    page.wait_for_selector('[aria-selected="true"] .under bdi:text-is("q1499")')
    page.locator("#grid").evaluate("e => { e.scrollTop = e.scrollHeight / 2; }")
    page.wait_for_selector('.under bdi:text-is("q750")')
    assert page.locator(".row").count() < 60
    assert page.locator("#grid").get_attribute("aria-rowcount") == "1500"
