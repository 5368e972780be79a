"""A case in a real browser: what is lit is what the record says, and hostile text stays text."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragdiag.api import evaluate
from ragdiag.data.native import samples_from
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.again import again_record
from ragdiag.evaluation.manifest import manifest_of
from ragdiag.records import ClaimResult, Diagnosis, Label, Sample, SampleResult
from ragdiag.report.page_case import case_record
from ragdiag.report.page_judged import Exchange
from ragdiag.text.quotes import find_quote
from tests.case_page import page_of, records_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

# The characters that elements of a name stand on, within their text: [[before, marked], …], each
# run of neighbours joined; buttons between the texts are no part of them, nor are names of characters.
MARKED = """([box, selector]) => {
  const runs = [];
  let before = "", last = null;
  for (const text of document.querySelectorAll(box)) {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      if (node.parentElement.closest(".tag, .control")) continue;
      if (!node.parentElement.closest(selector)) { before += node.data; last = null; continue; }
      if (last) last[1] += node.data; else runs.push(last = [before, node.data]);
      before += node.data;
    }
  }
  return runs;
}"""


def marked(page: Page, box: str, name: str) -> list[list[str]]:
    return page.evaluate(MARKED, [box, f'mark[data-link="{name}"]'])


def one(sample: dict[str, Any], *claims: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The record of a sample with such claims."""
    made = Sample.model_validate({"query_id": "q", "query": "How much?", **sample})
    found = tuple(
        ClaimResult.model_validate({"claim_id": f"k{n}", **c}) for n, c in enumerate(claims)
    )
    result = SampleResult(
        query_id="q",
        scores={},
        claims=found,
        diagnosis=Diagnosis(code=None),
        **more.pop("result", {}),
    )
    return case_record(made, result, **more)


def claim(answer: str, text: str, **more: Any) -> dict[str, Any]:
    start = answer.index(text)
    return {"text": text, "start": start, "end": start + len(text), "label": "supported", **more}


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


# ---- hostile text -----------------------------------------------------------------------

HOSTILE = (
    "<script>alert('script')</script><img src=x onerror=alert('image')>"
    "<a href=\"javascript:alert('link')\" onclick=alert('click')>x</a></script></title></textarea>"
    "<script>alert('end')</script><svg onload=alert('svg')>\u202etxet sdrawkcab\u202c\u2067x\u200b"
    " {{constructor}} ${alert('template')} <!-- --> ]]> &lt;b&gt; the revenue was $9 million"
)


def hostile() -> dict[str, Any]:
    """A record in which every text is hostile."""
    h = HOSTILE
    passage = {
        "passage_id": h,
        "doc_id": h,
        "page": h,
        "object_id": h,
        "text": h,
        "metadata": {h: h},
    }
    sample = {
        "query": h, "answer": h + " [1]", "history": [[h, h]], "reference": [h], "retrieved": [passage],
        "stages": {h: [passage]}, "slices": {h: h}, "gold": [[{"text": h}]], "error": h,
        "target": {"entity": h},
    }  # fmt: skip
    said = {
        "text": h,
        "start": 0,
        "end": len(h),
        "label": "partial",
        "quote": h,
        "passage_id": h,
        "reason": h,
        "wording": h + ".",
    }
    told = Diagnosis(code="G4", name=h, fix=h, next_experiment=h, flags=(h,), proof={
        "numeric": {"cause": h, "detail": h, "expression": h, "reference_expression": h,
                    "operands": [{"text": h, "row": h, "column": h, "passage_id": h}]},
    })  # fmt: skip
    result = SampleResult.model_validate({
        "query_id": "q", "scores": {}, "claims": [{"claim_id": "k", **said}], "diagnosis": told,
        "citations": [{"marker": "[1]", "start": len(h) + 1, "end": len(h) + 4, "passage_id": None, "status": "dangling"}],
        "components": [{"name": h, "source": "question", "found": False, "quote": h}],
        "unusable": [{"check": "support", "reason": "parse_failure", "detail": h, "raw": h}],
        "suspicions": {"sufficiency": h}, "slices": {h: h},
        "parts": {"number": {"status": "wrong", "reason": h, "wanted": h, "said": h}},
    })  # fmt: skip
    return case_record(
        Sample.model_validate({"query_id": "q", **sample}), result,
        exchanges=[Exchange((h,), h, h, ((h, h),), h)],
        people=[Label(query_id="q", check=h, label=h, annotator=h, claim=h, reason=h)],
    )  # fmt: skip


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


# ---- sections, keys, copies -------------------------------------------------------------


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


def copied(page: Page, key: str) -> str:
    page.keyboard.press(key)
    page.wait_for_selector(".copied:has-text('Copied: ')")
    page.evaluate("document.querySelector('.copied').textContent = ''")
    return page.evaluate("navigator.clipboard.readText()")


def test_a_copied_line_is_the_sample_that_was_evaluated(
    opened: Any, example: Path, tmp_path: Path
) -> None:
    address = page_of(records_of(example), tmp_path / "cases.html")
    page = opened(address, permissions=["clipboard-read", "clipboard-write"])
    for sample in at.read_samples_copy(example):
        page.evaluate("id => show(id)", sample.query_id)
        line = copied(page, "c")
        assert line.count("\n") == 1
        assert json.loads(line) == sample.given(), sample.query_id


def test_a_copied_test_runs_and_states_the_category_of_the_query(
    opened: Any, example: Path, tmp_path: Path
) -> None:
    address = page_of(records_of(example), tmp_path / "cases.html")
    page = opened(address, permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("given => run(given)", again_record(manifest_of(example)))
    results = {one.query_id: one for one in at.read_results(example)}
    for query_id in ("q01", "q28", "q39", "q57", "q67"):  # K1, A4, D1 (by the corpus), G4, X2
        page.evaluate("id => show(id)", query_id)
        text = copied(page, "t")
        code = results[query_id].diagnosis.code
        assert f'== "{code}"' in text
        module: dict[str, Any] = {}
        exec(compile(text, f"{query_id}.py", "exec"), module)
        module[f"test_{query_id}"]()
        other: dict[str, Any] = {}
        exec(text.replace(f'== "{code}"', '== "R1"'), other)
        with pytest.raises(AssertionError):
            other[f"test_{query_id}"]()


def test_a_copied_test_of_a_hostile_query_is_the_same_sample(opened: Any, tmp_path: Path) -> None:
    text = "\"\"\"\n'''\\ import os; \u202e\x00\u2028 {x} 😀 \\N{DASH} \ud7ff"
    sample = {
        "query_id": text, "query": text, "answer": text, "reference": [text],
        "history": [["user", text]], "answerable": False, "cost_usd": 1e-7,
        "retrieved": [{"passage_id": text, "text": text, "score": -0.5, "metadata": {text: [None, True, 12]}}],
    }  # fmt: skip
    [made] = samples_from([sample])
    record = case_record(made, evaluate([sample])[text])
    page = opened(
        page_of([record], tmp_path / "cases.html"),
        permissions=["clipboard-read", "clipboard-write"],
    )
    source = copied(page, "t")
    assert set(source) - set(map(chr, range(128))) == {"😀"}
    module: dict[str, Any] = {}
    exec(source, module)
    assert Sample.model_validate(module["SAMPLE"]) == made
    [test] = [value for name, value in module.items() if name.startswith("test_")]
    test()


def test_where_the_browser_copies_nothing_the_text_is_there_to_copy_by_hand(
    opened: Any, tmp_path: Path
) -> None:
    sample = {"query_id": "q", "query": "How much?", "answer": None}
    record = one({"answer": None})
    page = opened(page_of([record], tmp_path / "cases.html"))
    page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }"
    )
    page.locator("button", has_text="Copy as JSONL").click()
    page.wait_for_selector(".by-hand")
    assert json.loads(page.locator(".by-hand").input_value()) == sample
    assert page.evaluate("document.activeElement.className") == "by-hand"
    page.keyboard.press("t")  # a field takes its own keys
    assert page.locator(".by-hand").count() == 1


def test_a_case_that_is_cut_says_why_it_is_not_copied(opened: Any, tmp_path: Path) -> None:
    page = opened(page_of([one({"answer": "x" * 50_000})], tmp_path / "cases.html"))
    page.keyboard.press("c")
    told = page.locator(".copied").inner_text()
    assert told.startswith("Not copied: texts or passages of this query are cut for the page.")


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
