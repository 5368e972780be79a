"""How fast the report's page of 100,000 queries is in headless Chromium, and how large.

    python benchmarks/page_speed.py FOLDER                  # made-up queries from the example's
    python benchmarks/page_speed.py FOLDER --report DIR     # the page of an evaluation directory

Needs playwright and a chromium ($RAGDIAG_CHROMIUM, else that of the path), as `make browser` has.
FOLDER keeps the page that is made; a page that is there is measured again. The made-up queries have
the details of the example's, ids of their own, questions of random words (which pack worse than
real ones), and random values of the scores that have many.

Times run from the change of the address, or the key, to the next frame that is drawn; loading, from
the navigation to the first frame with rows of the list. Least and median of the tries stand there:
other work on the machine makes all of them larger, and so the time in which the same browser
parses a JSON text of as many bytes as the page has stands beside them. Memory: what is the page's
process's own (private pages), after all of that.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ragdiag.evaluation import directory as at
from ragdiag.evaluation.page_blocks import MOST_PAGE, Blocks
from ragdiag.records import Sample, SampleResult, Score
from ragdiag.report.page import render_page
from ragdiag.report.page_case import case_record
from ragdiag.report.page_index import PageIndex, listed_metrics
from ragdiag.report.web_page import packed

_EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "annual-report"
_MB = 1_000_000
_FINE = ("precision", "ndcg", "ap", "rr", "faithfulness", "citation_completeness", "completeness")
"""Scores that have many values; the others have those of the example's queries."""
_DRAWN = """(act) => new Promise((done) => {
  const began = performance.now();
  const drawn = () => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(performance.now() - began);
    port2.postMessage(0);
  });
  const search = document.getElementById("by-text");
  if (act.hash !== undefined) {
    addEventListener("hashchange", drawn, { once: true });
    location.hash = act.hash;
  } else {
    const shown = document.getElementById("shown");
    const wait = new MutationObserver(() => { wait.disconnect(); drawn(); });
    wait.observe(shown, { childList: true });
    search.value = act.typed;
    search.dispatchEvent(new Event("input"));
  }
})"""
_SCROLL = """async (wheel) => {
  const grid = document.getElementById("grid");
  const frames = [];
  let last = await new Promise(requestAnimationFrame);
  for (let n = 0; n < 150; n++) {
    if (wheel) grid.scrollTop += 400; else grid.scrollTop = Math.random() * grid.scrollHeight;
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  return Math.max(...frames);
}"""
_FIRST_ROWS = """
const noted = () => { window.drawnAt = performance.now(); };
const seen = () => requestAnimationFrame(document.querySelector(".row .query") ? noted : seen);
seen();
"""
_PARSE = """(n) => {
  const rows = Array.from({ length: Math.ceil(n / 24) }, (_, i) => ({ id: 1e6 + i, value: 0.125 }));
  const text = JSON.stringify(rows);
  const began = performance.now();
  JSON.parse(text);
  return (performance.now() - began) * n / text.length;
}"""


def made_up(
    base: Sequence[tuple[Sample, SampleResult]], n: int
) -> Iterator[tuple[int, Sample, SampleResult]]:
    """Queries with the place of the one in `base` whose details they have."""
    dice = random.Random(7)
    random_ones = [
        name for name in base[0][1].scores if name.partition("@")[0] in _FINE and ":" not in name
    ]
    letters = "abcdefghijklmnoprstuvwy"
    words = ["".join(dice.choices(letters, k=dice.randint(3, 10))) for _ in range(5000)]
    for _ in range(n):
        place = dice.randrange(len(base))
        sample, result = base[place]
        name = f"{dice.getrandbits(64):016x}"
        query = " ".join(dice.choices(words, k=dice.randint(8, 22))) + "?"
        scores = dict(result.scores)
        for metric in random_ones:
            if scores[metric].value is not None:
                scores[metric] = Score.model_construct(value=dice.randrange(1000) / 1000)
        slices = {**result.slices, "year": str(dice.randint(1990, 2025))}
        yield (
            place,
            sample.model_copy(update={"query_id": name, "query": query}),
            result.model_copy(update={"query_id": name, "scores": scores, "slices": slices}),
        )


def make_page(folder: Path, n: int) -> float:
    """Writes the page of n made-up queries; the seconds that this took."""
    done = folder / "example"
    command = [sys.executable, "-m", "ragdiag", "evaluate", str(_EXAMPLE / "samples.jsonl")]
    subprocess.run(
        [*command, "--corpus", str(_EXAMPLE / "corpus.jsonl"), "-o", str(done)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    report, base = at.read_report(done), list(at.read_pairs(done))
    records = [case_record(sample, result) for sample, result in base]
    began = time.monotonic()
    index = PageIndex(listed_metrics(report))
    with Blocks(folder, most=MOST_PAGE) as blocks:
        for place, sample, result in made_up(base, n):
            index.add(sample, result)
            record = {**records[place], "id": sample.query_id, "query": sample.query}
            blocks.add(json.dumps(record, ensure_ascii=False).encode())
        held = blocks.close(len(render_page(report, packed(index.to_bytes(report)))))
        told = packed(index.to_bytes(report, blocks=blocks.starts, shards=blocks.shards))
        text = render_page(report, told, held, shards=bool(blocks.shards))
        blocks.commit()
        at.write_atomically(folder / at.PAGE, text)
    return time.monotonic() - began


def chromium() -> str:
    """Where the browser is."""
    found = os.environ.get("RAGDIAG_CHROMIUM") or shutil.which("chromium")
    if found is None:
        sys.exit("no chromium here: apt-get install chromium, or name it in $RAGDIAG_CHROMIUM")
    return found


def private_mb(browser: Any) -> float:
    """Private memory of the largest renderer process."""
    told = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")
    sizes = [0.0]
    for one in told["processInfo"]:
        if one["type"] == "renderer":
            lines = Path(f"/proc/{one['id']}/smaps_rollup").read_text().splitlines()
            kept = [line.split()[1] for line in lines if line.startswith("Private_")]
            sizes.append(sum(map(int, kept)) * 1024 / _MB)
    return max(sizes)


def measured(page_file: Path, tries: int) -> dict[str, list[float]]:
    """Each figure with its tries."""
    api: Any = import_module("playwright.sync_api")

    found: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        found.setdefault(name, []).append(value)

    with api.sync_playwright() as started:
        for _ in range(tries):
            browser = started.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 850})
            page.add_init_script(_FIRST_ROWS)
            page.goto(page_file.as_uri() + "#/list")
            page.wait_for_selector(".row .query")
            page.wait_for_timeout(1000)
            note("interactive [ms]", page.evaluate("window.drawnAt"))
            codes = page.locator("#by-code option").evaluate_all("all => all.map((o) => o.value)")
            for code in codes[1:6]:
                note("filter [ms]", page.evaluate(_DRAWN, {"hash": f"#/list?code={code}"}))
            wide = "#/list?score=recall@5:0.1-0.9&slice=year:2016&family=retrieval"
            note("filter [ms]", page.evaluate(_DRAWN, {"hash": wide}))
            page.evaluate(_DRAWN, {"hash": "#/list"})
            for key in ("ndcg@5", "-recall@10", "code", "-faithfulness", "answer_correctness"):
                note("order [ms]", page.evaluate(_DRAWN, {"hash": f"#/list?sort={key}"}))
            page.evaluate(_DRAWN, {"hash": "#/list"})
            for typed in ("a", "ab", "abr", "e", "nowhere at all", "ka la"):
                note("search [ms]", page.evaluate(_DRAWN, {"typed": typed}))
            page.evaluate(_DRAWN, {"hash": "#/list"})
            note("longest frame, scrolling [ms]", page.evaluate(_SCROLL, True))
            note("longest frame, jumping [ms]", page.evaluate(_SCROLL, False))
            page.keyboard.press("Enter")
            page.wait_for_selector("#case-body h2")
            note("memory [MB]", private_mb(browser))
            note(
                "JSON of the page's bytes, parsed [ms]",
                page.evaluate(_PARSE, page_file.stat().st_size),
            )
            browser.close()
    return found


_BOUNDS = {
    "interactive [ms]": 2000, "filter [ms]": 50, "order [ms]": 100, "search [ms]": 100,
    "longest frame, scrolling [ms]": 100, "longest frame, jumping [ms]": 100, "memory [MB]": 300,
}  # fmt: skip


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--report", type=Path, help="an evaluation directory")
    parser.add_argument("-n", type=int, default=100_000)
    parser.add_argument("--tries", type=int, default=3)
    asked = parser.parse_args()
    page_file = (asked.report or asked.folder).resolve() / at.PAGE
    if asked.report is None and not page_file.exists():
        asked.folder.mkdir(parents=True, exist_ok=True)
        print(f"page made in {make_page(asked.folder.resolve(), asked.n):.1f} s")
    shards = list((page_file.parent / "report").glob("cases-*.js"))
    beside = sum(one.stat().st_size for one in shards) / _MB
    print(f"{'':40} {'least':>9} {'median':>9} {'most':>9} {'bound':>9}")
    print(f"{'file [MB]':40} {page_file.stat().st_size / _MB:9.1f} {'':9} {'':9} {16:9}")
    for name, tries in measured(page_file, asked.tries).items():
        told = (min(tries), statistics.median(tries), max(tries))
        cells = " ".join(f"{value:9.1f}" for value in told)
        print(f"{name:40} {cells} {_BOUNDS.get(name, ''):>9}")
    print(f"{len(shards)} shards beside it, {beside:.1f} MB")


if __name__ == "__main__":
    main()
