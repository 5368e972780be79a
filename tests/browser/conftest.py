"""A Chromium for the tests of pages, and what they must never do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Opener = Callable[..., "Page"]
"""Opens an address in a browser context of its own (another person's); options of the context;
`expect`: what an error that the console is to show holds; `also`: with what other addresses that it
may ask for begin."""


@pytest.fixture(scope="module")  # its event loop must not outlive these tests
def browser() -> Iterator[Browser]:
    """Debian's Chromium ($RAGDIAG_CHROMIUM names another one)."""
    api = pytest.importorskip("playwright.sync_api", reason="NOT TESTED: make browser installs it")
    path = os.environ.get("RAGDIAG_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("NOT TESTED: no chromium here (apt-get install chromium)")
    with api.sync_playwright() as started:
        found = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opener]:
    """Opens pages; at the end, none has left its own host, met an error or run what it was fed."""
    faults: list[str] = []
    contexts: list[Any] = []

    def open_page(
        address: str, *, expect: str | None = None, also: tuple[str, ...] = (), **options: Any
    ) -> Page:
        context = browser.new_context(**options)
        context.add_init_script("window.ran = []; window.alert = (t) => window.ran.push(t)")
        contexts.append(context)
        page = context.new_page()
        own = address.partition("#")[0].partition("?")[0]

        def asked(request: Any) -> None:
            if not request.url.startswith((own, "data:", "blob:", *also)):
                faults.append("asked for " + request.url)

        def said(message: Any) -> None:
            if message.type == "error" and not (expect and expect in message.text):
                faults.append(message.text)

        page.on("request", asked)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", said)
        page.on("dialog", lambda dialog: (faults.append("dialog"), dialog.dismiss()))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            faults += page.evaluate("window.ran")
        context.close()
    assert faults == []


@pytest.fixture
def barriers() -> Callable[[Page], list[str]]:
    """What axe finds serious or critical on a page as it stands: rule, first element, message."""
    made = Path(__file__).resolve().parents[2] / ".browser" / "axe-core" / "axe.min.js"
    path = Path(os.environ.get("RAGDIAG_AXE", made))
    if not path.is_file():
        pytest.skip(
            f"NOT TESTED: axe is not at {path}; make browser fetches it (or set RAGDIAG_AXE)"
        )
    source = path.read_text("utf-8")

    def found(page: Page) -> list[str]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(f"() => {{ {source} }}")
        told = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
        assert len(told["passes"]) > 10  # it looked
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]} ({one['help']})"
            for one in told["violations"]
            if one["impact"] in ("serious", "critical")
        ]

    return found


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evaluation of the annual-report example, in a directory."""
    out = tmp_path_factory.mktemp("example") / "out"
    source = Path(__file__).resolve().parents[2] / "examples" / "annual-report"
    # In a process of its own: what drives the browser has an event loop here.
    done = subprocess.run(
        [
            sys.executable, "-m", "ragdiag", "evaluate", source / "samples.jsonl",
            "--corpus", source / "corpus.jsonl", "--run-info", source / "run-info.json", "-o", out,
        ],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out
