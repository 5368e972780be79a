"""A page of cases alone, as the report's page has them: for tests in a browser."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from ragdiag.evaluation import directory as at
from ragdiag.report.page_case import case_record

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
