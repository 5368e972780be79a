"""The review page in a real browser: keys, undo, resume, two people, hostile text."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragdiag.data.labels import read_labels
from ragdiag.evaluation.reviewing import export_labels, import_labels
from ragdiag.review.board import Board
from ragdiag.review.page import static_page
from ragdiag.review.server import make_app
from tests.boards import CLAIM, board, queued

if TYPE_CHECKING:
    from playwright.sync_api import Page

TOKEN = "t" * 43
N = 20


@contextmanager
def serving(desk: Board) -> Iterator[str]:
    """The board's server in a thread; gives its address."""
    import uvicorn  # noqa: PLC0415 - an extra; without it, these tests are skipped

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        app = make_app(desk, annotator="ann", token=TOKEN, port=port)
        config = uvicorn.Config(app, log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{port}/?token={TOKEN}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def desk(tmp_path: Path) -> Board:
    """Twenty items on three claims' support."""
    lines = [queued(f"i{n}", claim={"claim_id": f"c{n}", "text": CLAIM, "start": 0,
                                    "end": len(CLAIM)}) for n in range(1, N + 1)]  # fmt: skip
    return board(tmp_path, *lines)


@pytest.fixture
def address(desk: Board) -> Iterator[str]:
    with serving(desk) as found:
        yield found


def item(page: Page, number: int) -> None:
    """Waits until an item is shown, and takes a label."""
    page.wait_for_function(
        "n => document.getElementById('place').textContent.startsWith(`item ${n} of`)"
        " && document.getElementById('labels').ariaBusy === 'false'",
        arg=number,
    )


def progress(page: Page, text: str) -> None:
    page.wait_for_function(
        "t => document.getElementById('progress').textContent.startsWith(t)", arg=text
    )


def status(page: Page, text: str) -> None:
    page.wait_for_function(
        "t => document.getElementById('status').textContent.includes(t)", arg=text
    )


def test_twenty_items_by_keyboard_with_undo_reload_and_resume(
    opened: Any, address: str, desk: Board, tmp_path: Path
) -> None:
    page = opened(address)
    for number in range(1, 11):
        item(page, number)
        page.keyboard.press(str(1 + number % 4))
        progress(page, f"{number} of {N}")
    item(page, 11)
    page.keyboard.press("z")  # item 10 is taken back, and given another label
    item(page, 10)
    progress(page, f"9 of {N}")
    assert page.locator("#verdict").inner_text() == ""  # it was never compared: still blind
    page.keyboard.press("u")
    page.keyboard.press("1")
    item(page, 11)
    page.keyboard.press("s")
    item(page, 12)
    page.reload()
    item(page, 12)
    assert page.locator("#progress").inner_text() == f"10 of {N} · 1 unsure · 1 skipped"
    page.goto(address)  # opened anew: it goes on with the first open item
    item(page, 12)
    for number in range(12, N + 1):
        item(page, number)
        page.keyboard.press("2")
    item(page, 11)  # the skipped one comes again
    page.keyboard.press("4")
    page.wait_for_selector("text=All items are labelled")
    out = tmp_path / "out.jsonl"
    assert export_labels(tmp_path, out) == N
    labels = read_labels(out)
    by_item = {(one.model_extra or {})["item_id"]: one for one in labels}
    assert len(by_item) == len(labels) == N
    assert by_item["i10"].label == "supported"
    assert (by_item["i10"].model_extra or {})["unsure"] is True
    assert by_item["i1"].label == "partial"  # key 2
    assert by_item["i11"].label == "not_found"
    assert not any("adjudicated" in (one.model_extra or {}) for one in labels)


def test_compared_only_after_the_label_and_lit_both_ways(opened: Any, address: str) -> None:
    page = opened(address)
    item(page, 1)
    assert page.locator("mark.quote").count() == 0
    assert page.locator("#verdict").inner_text() == ""
    page.keyboard.press("1")
    item(page, 2)
    page.keyboard.press("k")
    item(page, 1)
    assert "judge: not found — differs" in page.locator("#verdict").inner_text()
    assert page.locator("mark.quote").inner_text() == "the revenue was $9 million"
    page.locator("#verdict .link").hover()
    assert page.locator("mark.quote.lit").count() == page.locator("mark.said.lit").count() == 1
    page.locator("h1").hover()
    assert page.locator(".lit").count() == 0
    page.locator("mark.quote").hover()
    assert page.locator("#verdict .link.lit").count() == 1
    page.keyboard.press("2")
    status(page, "Saved: partial")
    assert "(after comparing)" in page.locator("#verdict").inner_text()


def test_two_annotators_and_two_tabs_lose_nothing(
    opened: Any, address: str, desk: Board, tmp_path: Path
) -> None:
    ann, bob = opened(address), opened(address)
    bob.click("#who")
    bob.fill("#name", "bob")
    bob.keyboard.press("Enter")
    bob.wait_for_function("() => document.getElementById('who').textContent === 'bob'")
    for number in range(1, 6):
        for page, key in ((ann, "1"), (bob, "2")):
            item(page, number)
            page.keyboard.press(key)
    for page in (ann, bob):
        progress(page, f"5 of {N}")
    tab = ann.context.new_page()
    tab.goto(address)
    item(tab, 6)
    ann.keyboard.press("1")
    item(ann, 7)
    tab.keyboard.press("3")  # this tab has not seen that item 6 is labelled
    status(tab, "you said “supported” of this item elsewhere")
    tab.keyboard.press("3")  # now it revises
    status(tab, "Saved: contradicted")
    out = tmp_path / "out.jsonl"
    export_labels(tmp_path, out)
    said = {
        ((one.model_extra or {})["item_id"], one.annotator): one.label for one in read_labels(out)
    }
    assert len(said) == 11
    assert said["i6", "ann"] == "contradicted"
    assert {label for (_, who), label in said.items() if who == "bob"} == {"partial"}


HOSTILE = (
    "<script>alert('script')</script><img src=x onerror=alert('image')>"
    "<a href=\"javascript:alert('link')\" onclick=alert('click')>x</a></script>"
    "<script>alert('end')</script><svg onload=alert('svg')>\u202etxet sdrawkcab\u202c\u200b "
    "{{constructor}} ${alert('template')} <!-- --> ]]> &lt;b&gt; the revenue was $9 million"
)


@pytest.mark.parametrize("mode", ["served", "static"])
def test_a_hostile_sample_runs_nothing_and_is_shown_as_it_is(
    opened: Any, tmp_path: Path, mode: str
) -> None:
    texts = {
        "query": HOSTILE, "answer": CLAIM + HOSTILE, "history": [[HOSTILE, HOSTILE]],
        "retrieved": [{"passage_id": HOSTILE, "doc_id": HOSTILE, "page": HOSTILE, "text": HOSTILE}],
    }  # fmt: skip
    desk = board(tmp_path, queued("i1"), queued("i2"), **texts)

    def look(page: Page) -> None:
        item(page, 1)
        page.wait_for_timeout(200)
        shown = page.locator(".passage .text").inner_text()
        assert "<img src=x onerror=alert('image')>" in shown
        assert "RLO" in shown  # the override is named, and turns nothing around
        assert "\u202e" not in page.locator("body").inner_text()
        assert page.locator("#body script, #body img, #body a, #body svg").count() == 0
        page.keyboard.press("1")
        item(page, 2)
        page.keyboard.press("k")
        item(page, 1)
        blocked = page.evaluate(  # and what slips through is stopped by the policy
            "() => { const s = document.createElement('script');"
            "try { s.textContent = \"alert('slipped')\"; document.body.append(s) } catch { return true }"
            "return window.ran.length === 0 }"
        )
        assert blocked

    if mode == "static":
        path = tmp_path / "page.html"
        path.write_text(static_page(desk, "ann"), encoding="utf-8")
        look(opened(path.as_uri(), expect="TrustedScript"))
    else:
        with serving(desk) as address:
            look(opened(address, expect="TrustedScript"))


def test_the_static_page_keeps_labels_and_its_download_is_merged(
    opened: Any, desk: Board, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(static_page(desk, ""), encoding="utf-8")
    page = opened(path.as_uri())
    page.fill("#name", "Zoë")
    page.keyboard.press("Enter")
    for number in range(1, 4):
        item(page, number)
        page.keyboard.press(str(number))
    page.keyboard.press("z")
    item(page, 3)
    page.keyboard.press("4")
    item(page, 4)
    page.reload()
    item(page, 4)
    progress(page, f"3 of {N}")
    with page.expect_download() as waiting:
        page.click("#download")
    assert waiting.value.suggested_filename == "labels-Zoë.jsonl"
    saved = tmp_path / "download.jsonl"
    waiting.value.save_as(saved)
    lines = [json.loads(line) for line in saved.read_text("utf-8").splitlines()]
    assert [line["label"] for line in lines] == ["supported", "partial", "not_found"]
    assert import_labels(desk, [saved]) == (3, 0, [])
    assert import_labels(desk, [saved]) == (0, 3, [])
    assert {one.annotator for one in read_labels(desk.log.path)} == {"Zoë"}


def test_a_server_that_has_gone_loses_nothing_unsaid(opened: Any, desk: Board) -> None:
    with serving(desk) as address:
        page = opened(address, expect="DISCONNECTED")
        item(page, 1)
        page.context.set_offline(True)
        page.keyboard.press("1")
        page.wait_for_selector("#alert:not([hidden])")
        assert "does not answer" in page.locator("#alert").inner_text()
        item(page, 1)
        progress(page, f"0 of {N}")
        page.context.set_offline(False)
        page.keyboard.press("1")
        item(page, 2)
        assert page.locator("#alert").is_hidden()


@pytest.mark.parametrize("width", [360, 768, 1360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_every_control_has_a_name(
    opened: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    arabic = "بلغت الإيرادات 9 ملايين دولار في عام 2017 (Alder Corp.)."
    passages = [{"passage_id": "x" * 90, "text": arabic}, {"passage_id": "p2", "text": "y" * 5000}]
    desk = board(tmp_path, queued("i1"), retrieved=passages)
    with serving(desk) as address:
        page = opened(address, viewport={"width": width, "height": 740}, color_scheme=scheme)
        item(page, 1)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".label").count() == 4
        for button in page.locator("button:visible").all():
            assert button.inner_text().strip()
        rtl = page.locator(".passage .text").first
        assert rtl.evaluate("e => getComputedStyle(e).direction") == "rtl"
        low = page.locator(".passage .text").nth(1)
        cut = low.evaluate("e => e.getBoundingClientRect().height")
        page.keyboard.press("Space")
        status(page, "Full passages")
        assert (
            page.locator(".passage .text").nth(1).evaluate("e => e.getBoundingClientRect().height")
            > 1.5 * cut
        )
        page.keyboard.press("?")
        assert page.locator("#keys").is_visible()
        page.keyboard.press("1")  # no label while the help is open
        page.keyboard.press("Escape")
        assert page.locator("#progress").inner_text() == "0 of 1"


def test_a_passage_of_two_megabytes_is_cut_where_it_matters_and_opens(
    opened: Any, tmp_path: Path
) -> None:
    filler = "Costs were as before. " * 45_000
    text = f"{filler}In 2017 the revenue was $9 million. {filler}"
    desk = board(
        tmp_path, queued("i1"), queued("i2"), retrieved=[{"passage_id": "p1", "text": text}]
    )
    with serving(desk) as address:
        page = opened(address)
        item(page, 1)
        page.keyboard.press("1")
        item(page, 2)
        page.keyboard.press("k")
        item(page, 1)
        # the quote is looked for in the whole text, and the part around it is shown
        assert page.locator("mark.quote").inner_text() == "the revenue was $9 million"
        page.keyboard.press("Space")
        status(page, "Full passages")
        assert page.locator("mark.quote").text_content() == "the revenue was $9 million"
        length = "() => document.querySelector('.passage .long').textContent.length"
        assert page.evaluate(length) == len(text)
        page.locator("#verdict .link").click()  # it is brought into view, half a megabyte below
        assert page.locator("mark.quote").inner_text() == "the revenue was $9 million"


def test_what_another_person_has_labelled_is_stepped_over(opened: Any, tmp_path: Path) -> None:
    desk = board(tmp_path, queued("i1"), queued("i2", double=False), queued("i3"))
    desk.submit("bob", {"item_id": "i2", "entry_id": "entry-bob", "label": "partial"})
    with serving(desk) as address:
        page = opened(address)
        item(page, 1)
        assert page.locator("#progress").inner_text() == "0 of 2 · 1 by others"
        page.keyboard.press("j")
        item(page, 3)
        page.keyboard.press("k")
        item(page, 1)
        page.keyboard.press("1")
        item(page, 3)
        page.keyboard.press("2")
        page.wait_for_selector("text=All items are labelled")
