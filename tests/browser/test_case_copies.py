"""What is copied from a case is the sample, and a test that runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.api import evaluate
from ragdiag.data.native import samples_from
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.again import again_record
from ragdiag.evaluation.manifest import manifest_of
from ragdiag.records import Sample
from ragdiag.report.page_case import case_record
from tests.case_page import copied, one, page_of, records_of


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
