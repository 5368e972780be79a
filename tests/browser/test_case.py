"""A case in a real browser: what is lit is what the record says, in its sections, for everybody."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragdiag.api import evaluate
from ragdiag.data.native import samples_from
from ragdiag.evaluation import directory as at
from ragdiag.records import Label
from ragdiag.report.page_case import case_record
from ragdiag.report.page_judged import Exchange
from ragdiag.text.quotes import find_quote
from tests.case_page import claim, copied, hostile, marked, one, page_of, records_of

# ---- what is lit ------------------------------------------------------------------------


def test_every_quote_and_claim_of_the_example_lights_exactly_its_characters(
    opened: Any, example: Path, tmp_path: Path
) -> None:
    page = opened(page_of(records_of(example), tmp_path / "cases.html"))
    n_quotes = n_claims = 0
    for sample, result in at.read_pairs(example):
        page.evaluate("id => show(id)", sample.query_id)
        texts = {one.passage_id: one.text or "" for one in sample.passages_by_id().values()}
        for n, said in enumerate(result.claims):
            answer = sample.answer or ""
            lit = marked(page, ".answer > .text", f"c{n}")
            assert lit == [[answer[: said.start], answer[said.start : said.end]]], sample.query_id
            n_claims += 1
            if said.quote is None:
                assert page.locator(f'.passages mark[data-link="c{n}"]').count() == 0
                continue
            text = texts[said.passage_id or ""]
            at_ = text.index(said.quote)  # the example's quotes are verbatim
            at_box = f'.passage:has(mark[data-link="c{n}"]) .text'
            assert marked(page, at_box, f"c{n}") == [[text[:at_], said.quote]], sample.query_id
            assert (
                page.locator(".passage", has=page.locator(f'mark[data-link="c{n}"]')).count() == 1
            )
            n_quotes += 1
    assert (n_claims, n_quotes) == (64, 50)


def seen(text: str) -> str:
    """Without the characters that the page names."""
    return re.sub("[\ufeff\u200b\xad\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", text)


@pytest.mark.parametrize("name", ["attribution", "financebench", "mtrag", "ragtruth_qa"])
def test_real_answers_and_passages_are_lit_and_copied_as_they_are(
    opened: Any, shared: Path, tmp_path: Path, name: str
) -> None:
    lines = (shared / "real" / f"{name}.samples.jsonl").read_text("utf-8").splitlines()
    samples = list(samples_from(map(json.loads, lines[:: len(lines) // 12])))
    results = list(evaluate(samples))
    records = list(map(case_record, samples, results))
    page = opened(
        page_of(records, tmp_path / "cases.html"), permissions=["clipboard-read", "clipboard-write"]
    )
    n_quotes = 0
    for sample, result in zip(samples, results, strict=True):
        page.evaluate("id => show(id)", sample.query_id)
        assert json.loads(copied(page, "c")) == sample.given()
        texts = {one.passage_id: one.text or "" for one in sample.passages_by_id().values()}
        for n, said in enumerate(result.claims):
            answer = sample.answer or ""
            [[before, lit]] = marked(page, ".answer > .text", f"c{n}")
            assert (before, seen(lit)) == (
                seen(answer[: said.start]),
                seen(answer[said.start : said.end]),
            )
            if said.quote is None:
                continue
            text = texts[said.passage_id or ""]
            found = find_quote(said.quote, text)
            assert found is not None
            lit = marked(page, f'.passage:has(mark[data-link="c{n}"]) .text', f"c{n}")
            assert "".join(seen(run) for _, run in lit) == seen(text[found.start : found.end])
            assert seen(lit[0][0]) == seen(text[: found.start])
            n_quotes += 1
    assert n_quotes > 5


def test_overlapping_claims_and_quotes_keep_their_own_characters(
    opened: Any, tmp_path: Path
) -> None:
    answer = "😀 Revenue rose to 9 in 2017 and fell to 7 in 2018 [1]."
    text = "𝒳. Revenue rose to 9 in 2017 and fell to 7 in 2018."
    first, second = "Revenue rose to 9 in 2017", "9 in 2017 and fell to 7 in 2018"
    record = one(
        {"answer": answer, "retrieved": [{"passage_id": "p", "text": text}]},
        claim(answer, first, quote=first, passage_id="p"),
        claim(answer, second, quote=second, passage_id="p", label="contradicted"),
        claim(answer, "9 in 2017", quote="9 in 2017", passage_id="p", label=None, unscored="undecided"),
    )  # fmt: skip
    page = opened(page_of([record], tmp_path / "cases.html"))
    for n, said in enumerate((first, second, "9 in 2017")):
        for box, whole in ((".answer > .text", answer), (".passage .text", text)):
            assert marked(page, box, f"c{n}") == [[whole[: whole.index(said)], said]]
    styles = page.evaluate(
        "() => [...document.querySelectorAll('.answer > .text mark.claim')]"
        ".map((one) => getComputedStyle(one).textDecorationStyle)"
    )
    assert set(styles) == {"solid", "wavy", "double"}  # no verdict by its colour alone
    assert page.locator(".answer > .text .tag").all_inner_texts() == ["1 ✓", "3 ?", "2 ✗"]


def test_a_claim_lights_its_quote_and_back_by_pointer_and_by_keyboard(
    opened: Any, tmp_path: Path
) -> None:
    answer, text = "It was nine.", "Before. It was 9. After."
    record = one(
        {"answer": answer, "retrieved": [{"passage_id": "a", "text": "No."}, {"passage_id": "p", "text": text}]},
        claim(answer, "It was nine.", quote="It was 9.", passage_id="p"),
    )  # fmt: skip
    page = opened(page_of([record], tmp_path / "cases.html"))
    quote, said = page.locator(".passage mark.of-quote"), page.locator(".answer mark.claim")
    said.first.hover()
    assert "lit" in (quote.get_attribute("class") or "")
    page.locator("h1").hover()
    assert page.locator(".lit").count() == 0
    quote.hover()
    assert "lit" in (said.first.get_attribute("class") or "")
    page.locator("h1").hover()
    page.locator(".answer .tag").focus()
    assert "lit" in (quote.get_attribute("class") or "")
    page.evaluate("document.querySelector('[data-passage=\"1\"]').open = false")
    page.keyboard.press("Enter")  # opens the passage, and stands on the quote's own button
    assert quote.is_visible()
    assert (
        page.evaluate("document.activeElement.closest('.passage mark, .passage').dataset.passage")
        == "1"
    )
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('.answer > .text .tag')")


def test_a_long_passage_in_blocks_and_cut_shows_the_whole_quote(
    opened: Any, tmp_path: Path
) -> None:
    quote = "It was 9 😀 " * 900 + "in all"
    text = "😀" + "x" * 60_000 + " " + quote + " " + "y" * 30_000
    record = one(
        {"answer": "Nine.", "retrieved": [{"passage_id": "p", "text": text}]},
        claim("Nine.", "Nine.", quote=quote, passage_id="p"),
    )
    page = opened(page_of([record], tmp_path / "cases.html"))
    lit = marked(page, ".passage .text", "c0")
    assert [one[1] for one in lit] == [quote]
    assert page.locator(".passage .tag").count() == 1
    start, end, length = record["passages"][0]["cut"]
    assert (length, end - start) == (len(text), 40_000)
    told = page.locator(".passage .missing").all_inner_texts()
    assert told == [f"… {start:,} characters before are left out", f"… {length - end:,} characters after are left out"]  # fmt: skip


# ---- sections, keys, people


def test_the_sections_stand_in_their_order(opened: Any, example: Path, tmp_path: Path) -> None:
    page = opened(page_of(records_of(example), tmp_path / "cases.html"))
    page.evaluate("show('q57')")
    names = page.evaluate(
        "[...document.querySelectorAll('.case > section')].map((one) => one.className)"
    )
    assert names == ["asked", "diagnosis", "answer", "number", "evidence", "lists", "passages", "scores", "judged", "exchanges", "taken"]  # fmt: skip
    said = page.locator(".number math").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    assert said == [
        "((55.1 + 58.7) + 36.7) / (150.5 + 387.4) = 28.0 percent",
        "150.5 / 387.4 = 38.8 percent",
    ]
    assert page.locator(".number math").first.locator("mfrac").count() == 1
    page.evaluate("show('q28')")
    assert "dangling" in page.locator(".answer tr.dangling").inner_text()
    assert marked(page, ".answer > .text", "d0")[0][1] == "[7]"
    rows = page.locator(".lists tbody tr").all_inner_texts()
    assert any("★ gold" in one for one in rows)
    assert any("near miss: another period and metric" in one for one in rows)


def test_the_judges_words_are_one_key_away(opened: Any, tmp_path: Path) -> None:
    text = "It was 9 in all, of which 4 were sold abroad."
    asked = f"Is it so? passage 1: {text} END"
    kept = Exchange(
        ("support",), "llm:m", "m", (("system", "Judge."), ("user", asked)), '{"claims": []}'
    )
    lost = Exchange(("sufficiency",), "llm:m", missing="its reply is not in the cache any more")
    record = one(
        {"answer": "x", "retrieved": [{"passage_id": "p", "text": text}]}, exchanges=[kept, lost]
    )
    page = opened(page_of([record], tmp_path / "cases.html"))
    fold = page.locator(".exchanges details")
    assert not fold.evaluate("one => one.open")
    page.keyboard.press("p")
    assert page.evaluate("window.taken") is True
    assert fold.evaluate("one => one.open")
    assert fold.locator("pre").all_inner_texts() == ["Judge.", asked, '{"claims": []}']
    assert "its reply is not in the cache any more" in fold.inner_text()
    page.keyboard.press("p")
    assert not fold.evaluate("one => one.open")
    page.keyboard.press("x")
    assert page.evaluate("window.taken") is False


def test_what_people_say_stands_there_and_what_cannot_be_read_is_told(
    opened: Any, tmp_path: Path
) -> None:
    said = Label(
        query_id="q", check="answer_correctness", label="partial", annotator="ann", reason="half"
    )
    record = one({"answer": "x"}, people=[said])
    page = opened(page_of([record, {**record, "id": "r", "people": []}], tmp_path / "cases.html"))
    assert page.locator(".people tbody td, .people tbody th").all_inner_texts() == [
        "ann", "answer_correctness", "partial", "the whole", "half",
    ]  # fmt: skip
    page.evaluate("show('r')")
    assert page.locator(".people").count() == 0
    page.evaluate("() => { run({ unread: 'labels.jsonl is not there' }); show('r'); }")
    assert "labels.jsonl is not there" in page.locator(".people").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_small_screen_and_right_to_left_stands_right(
    opened: Any, example: Path, tmp_path: Path, scheme: str
) -> None:
    hebrew = "ההכנסות היו 9 מיליון דולר (Fjellvik Energy)."
    record = one({"query": hebrew, "answer": hebrew, "retrieved": [{"passage_id": "פ1", "text": hebrew}]},
                 claim(hebrew, "9 מיליון", quote="9 מיליון", passage_id="פ1"))  # fmt: skip
    page = opened(
        page_of([record, *records_of(example)], tmp_path / "cases.html"),
        viewport={"width": 360, "height": 740}, color_scheme=scheme,
    )  # fmt: skip
    for box in (".answer > .text", ".passage .text", "h2"):
        assert page.locator(box).first.evaluate("one => getComputedStyle(one).direction") == "rtl"
    assert marked(page, ".passage .text", "c0")[0][1] == "9 מיליון"
    for query_id in ("q", "q01", "q28", "q57", "q67"):
        page.evaluate("id => show(id)", query_id)
        assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_meets_no_serious_barrier(
    opened: Any, barriers: Any, example: Path, tmp_path: Path, scheme: str, width: int
) -> None:
    heard = Exchange(("support",), "llm:m", "m", (("system", "a"), ("user", "b")), "{}")
    people = [Label(query_id="q", check="support", label="partial")]
    text = "ההכנסות היו 9 מיליון דולר"
    record = one(
        {"query": text, "answer": text, "retrieved": [{"passage_id": "p", "text": text}]},
        *(claim(text, "9 מיליון", quote="9 מיליון", passage_id="p", label=label)
          for label in ("supported", "partial", "contradicted", "not_found")),
        exchanges=[heard], people=people,
    )  # fmt: skip
    page = opened(
        page_of([record, {**hostile(), "id": "h"}, *records_of(example)], tmp_path / "cases.html"),
        viewport={"width": width, "height": 800}, color_scheme=scheme,
    )  # fmt: skip
    for query_id in ("q", "h", "q01", "q28", "q39", "q57", "q67"):
        page.evaluate("id => show(id)", query_id)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert barriers(page) == [], query_id
