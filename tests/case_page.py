"""Cases alone on a page, as the report's page has them, and records to show there: for tests."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.evaluation import directory as at
from ragdiag.records import ClaimResult, Diagnosis, Label, Sample, SampleResult
from ragdiag.report.page_case import case_record
from ragdiag.report.page_judged import Exchange

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPTS = (
    "dom.js", "case_copy.js", "case_number.js", "case_passages.js", "case_answer.js", "case.js",
)  # fmt: skip
_MAIN = """
const records = JSON.parse(document.getElementById("records").textContent);
const show = (id) => document.querySelector("main").replaceChildren(renderCase(records.find((one) => one.id === id)));
window.show = show;
window.run = (given) => { caseRun = { ...caseRun, ...given }; };
document.addEventListener("keydown", (event) => { window.taken = caseKeys(event); });
show(records[0].id);
"""


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page_of(records: Sequence[dict[str, Any]], path: Path) -> str:
    """Writes a page that shows the first record, and others by `show(id)`; returns its address."""
    web = files("ragdiag.report").joinpath("web")
    paper = ":root { color-scheme: light dark; } body { background: light-dark(#fbfaf8, #17191c); }"
    css = paper + web.joinpath("case.css").read_text("utf-8")
    parts = [web.joinpath(name).read_text("utf-8") for name in SCRIPTS]
    script = '"use strict";\n{\n' + "\n".join([*parts, _MAIN]) + "}\n"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(css)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    data = json.dumps(records)
    for character in "<>&":
        data = data.replace(character, f"\\u{ord(character):04x}")
    path.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>cases</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{css}</style></head><body><h1>Cases</h1><main></main>"
        f'<script type="application/json" id="records">{data}</script>'
        f"<script>{script}</script></body></html>",
        encoding="utf-8",
    )
    return path.as_uri()


def records_of(directory: Path) -> list[dict[str, Any]]:
    """The record of each query of an evaluation."""
    verdicts = at.read_judgements(directory / at.VERDICTS)
    return [
        case_record(sample, result, verdicts=verdicts.get(sample.query_id))
        for sample, result in at.read_pairs(directory)
    ]


# ---- records


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


# ---- what a page shows

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


def copied(page: Page, key: str) -> str:
    page.keyboard.press(key)
    page.wait_for_selector(".copied:has-text('Copied: ')")
    page.evaluate("document.querySelector('.copied').textContent = ''")
    return page.evaluate("navigator.clipboard.readText()")
