"""Takes the pictures of the README: the report's overview, list and case, and a comparison.

    make browser && .browser/bin/python benchmarks/screenshots.py

Evaluates the annual-report example, and a second run of it whose ranking is turned around for every
third query and which gives up on some, and writes docs/images/*.png.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
EXAMPLE = (
    Path("examples") / "annual-report"
)  # as seen from the checkout: no path of a machine shows
IMAGES = ROOT / "docs" / "images"
WIDE = {"width": 1180, "height": 760}


def ragdiag(*words: str | Path) -> None:
    """Runs a command of this checkout."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-m", "ragdiag", *map(str, words)],
        check=True,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
    )


def other_run() -> Iterator[dict[str, Any]]:
    """The example's samples as another system might have answered them."""
    for place, line in enumerate(
        (ROOT / EXAMPLE / "samples.jsonl").read_text("utf-8").splitlines()
    ):
        sample = json.loads(line)
        if place % 3 == 0 and sample.get("retrieved"):
            sample["retrieved"] = sample["retrieved"][::-1]
        if place % 4 == 1 and sample.get("reference"):
            sample["answer"] = sample["reference"][0]
        if place % 7 == 3:
            sample["answer"] = "I do not know."
        yield sample


def made(place: Path) -> tuple[Path, Path]:
    """The pages: a report and a comparison."""
    corpus = ("--corpus", EXAMPLE / "corpus.jsonl")
    ragdiag("evaluate", EXAMPLE / "samples.jsonl", *corpus, "-o", place / "baseline")
    lines = "".join(json.dumps(sample) + "\n" for sample in other_run())
    (place / "candidate.jsonl").write_text(lines, encoding="utf-8")
    ragdiag("evaluate", place / "candidate.jsonl", *corpus, "-o", place / "candidate")
    ragdiag("compare", place / "baseline", place / "candidate", "-o", place / "compare")
    return place / "baseline" / "report.html", place / "compare" / "compare.html"


def take(page: Page, address: str, waits_for: str, name: str, *, at: str = "") -> None:
    """One picture, of what the window shows; `at`: the part that it begins with."""
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("[data-ready]")
    page.wait_for_selector(waits_for)
    if at:
        page.locator(at).first.evaluate("part => scrollTo(0, part.offsetTop - 60)")
    page.screenshot(path=IMAGES / f"{name}.png")
    print(f"{name}.png: {(IMAGES / f'{name}.png').stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Takes all four."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("RAGDIAG_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as started:
        report, compared = (page.as_uri() for page in made(Path(place)))
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=WIDE)
        take(page, report, "#landing table", "overview")
        take(page, report + "#/list?family=generation", "#grid .row", "list")
        take(page, report + "#/case/q58", "#case-body .case", "case", at="#case-body .answer")
        take(page, compared, ".forest", "compare")
        browser.close()


if __name__ == "__main__":
    main()
