"""Hostile text in a case stays text: nothing runs, nothing leaves, nothing is hidden or turned."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.case_page import hostile, one, page_of


def test_hostile_text_runs_nothing_and_is_shown_as_it_is(opened: Any, tmp_path: Path) -> None:
    page = opened(page_of([hostile()], tmp_path / "cases.html"))
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.wait_for_timeout(200)
    assert page.locator(".passage").count() == 1
    assert page.locator(".exchanges pre").count() == 2
    shown = page.locator("main").inner_text()
    assert shown.count("<img src=x onerror=alert('image')>") > 30
    assert all(name in shown for name in ("RLO", "PDF", "RLI", "ZWSP"))
    assert not set("\u202e\u202c\u2067\u200b") & set(shown)
    assert page.locator("main :is(script, img, a, svg, title, iframe)").count() == 0
    for key in "pct":
        page.keyboard.press(key)
    page.wait_for_selector(".copied:not(:empty)")
    assert page.evaluate("window.ran") == []


def test_what_slips_through_is_stopped_by_the_policy(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context()
    left: list[str] = []
    context.route("http*://**", lambda route: (left.append(route.request.url), route.abort()))
    context.add_init_script("window.ran = []; window.alert = (t) => window.ran.push(t)")
    page = context.new_page()
    page.goto(page_of([hostile()], tmp_path / "cases.html"))
    # In a task of the page's own: what a debugger evaluates may do more than the page.
    slipped = page.evaluate("""() => new Promise((resolve) => setTimeout(async () => {
      const found = [], main = document.querySelector("main");
      const attempt = (name, act) => { try { act(); found.push(name); } catch { } };
      attempt("innerHTML", () => { main.innerHTML = "<img src=x onerror=alert(1)>"; });
      attempt("script text", () => { const s = document.createElement("script"); s.textContent = "alert(2)"; main.append(s); });
      attempt("script address", () => { const s = document.createElement("script"); s.src = "x.js"; main.append(s); });
      attempt("eval", () => window.eval("alert(3)"));
      attempt("a handler as text", () => main.setAttribute("onclick", "alert(4)"));
      try { await fetch("https://example.org/"); found.push("fetch"); } catch { }
      const image = new Image();
      await new Promise((done) => { image.onload = () => { found.push("image"); done(); }; image.onerror = done; image.src = "https://example.org/x.png"; });
      const link = Object.assign(document.createElement("a"), { href: "javascript:alert(5)" });
      main.append(link);
      link.click();
      main.click();
      setTimeout(() => resolve(found), 100);
    }))""")
    assert slipped == []
    assert page.evaluate("window.ran") == []
    assert left == []
    context.close()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\ud800b", "aU+D800b"),  # a lone surrogate
        ("a\u202eb\u202cc", "aRLObPDFc"),
        ("a\u2066b\u2069", "aLRIbPDI"),
        ("a\u200bb\u00adc\ufeff", "aZWSPbSHYcBOM"),
        ("a\u200db", "aZWJb"),  # joins nothing: hidden
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),  # an astronaut stays one
        ("می\u200cخواهم", "می\u200cخواهم"),  # Persian needs it
        ("a\U000e0041b", "aU+E0041b"),  # a tag character
        ("a\ufe0fb", "aU+FE0Fb"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("a\x00b\x1bc", "aNULbESCc"),
        ("a\u200fb", "aRLM\u200fb"),  # named and kept: the order beside it rests on it
        ("a\r\nb\rc", "a\nbCRc"),
    ],
)  # fmt: skip
def test_characters_that_are_not_seen_are_named(
    opened: Any, tmp_path: Path, text: str, shown: str
) -> None:
    record = one({"answer": "x"})
    record["answer"]["text"] = text
    page = opened(page_of([record], tmp_path / "cases.html"))
    found = page.locator(".answer > .text").evaluate(
        "one => one.textContent.replaceAll('\\r\\n', '\\n')"
    )
    assert found == shown


def test_no_character_that_is_not_seen_goes_unnamed(opened: Any, tmp_path: Path) -> None:
    hidden = [
        one for one in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp") and one not in "\t\n"
    ]  # fmt: skip
    record = one({"answer": "x"})
    record["answer"]["text"] = "".join(f"a{one}b" for one in hidden)
    page = opened(page_of([record], tmp_path / "cases.html"))
    left = set(
        page.evaluate("""() => {
      const walker = document.createTreeWalker(document.querySelector(".answer"), NodeFilter.SHOW_TEXT);
      let found = "";
      for (let node; (node = walker.nextNode());) if (node.parentElement.closest(".text, .long")) found += node.data;
      return found;
    }""")
    ) - set(map(chr, range(0x21, 0x7F)))
    drawn = {  # number signs, ends of verses and the like, which have a shape
        *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440),
    }  # fmt: skip
    named_and_kept = {0x61C, 0x200E, 0x200F}
    assert set(map(ord, left)) <= drawn | named_and_kept
    assert named_and_kept <= set(map(ord, left))
