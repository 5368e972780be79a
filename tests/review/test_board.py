"""What an annotator may see and say: blind first, and nothing that contradicts unnoticed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.labels import read_labels
from ragdiag.records.reasons import LABELS
from ragdiag.review.board import Board, RefusedError
from ragdiag.review.content import review_item
from ragdiag.review.guidelines import CHECK_OF, guidelines
from ragdiag.review.page import static_page
from ragdiag.review.store import LabelLog, read_current
from tests.boards import CLAIM, TEXT, board, label, queued, result, sample

SECRETS = ("JUDGE", "not_found", "jury_split", "inclusion_probability", "stratum", "bob", "audit")


def test_nothing_of_the_judge_or_of_others_is_told_before_the_label(tmp_path: Path) -> None:
    desk = board(tmp_path)
    desk.submit("bob", label("i1", "contradicted", entry="entry-bob", reason="bob says so"))
    told = json.dumps([desk.item("i1", "ann"), desk.overview("ann")])
    assert not [secret for secret in SECRETS if secret in told]
    desk.submit("ann", label("i1", "supported"))
    after = desk.item("i1", "ann")
    assert after["verdict"]["judge"]["label"] == "not_found"
    assert after["verdict"]["judge"]["quote"] == "the revenue was $9 million"
    assert after["verdict"]["why"] == ["jury_split"]
    assert [(one["annotator"], one["label"]) for one in after["others"]] == [
        ("bob", "contradicted")
    ]
    assert "JUDGE" not in json.dumps(desk.item("i2", "ann"))  # not of the next one


def test_the_look_at_the_verdict_is_logged_so_that_a_later_label_is_adjudicated(
    tmp_path: Path,
) -> None:
    desk = board(tmp_path)
    desk.submit("ann", label("i1"))
    desk.submit("ann", label("i2"))
    desk.item("i1", "ann")
    for item in ("i1", "i2"):
        entry = label(item, "partial", entry=f"entry-{item}-2", revises=f"entry-{item}")
        assert desk.submit("ann", entry)[0] == "saved"
    by_item = {one["item_id"]: one for one in read_current(desk.log.path)}
    assert by_item["i1"]["adjudicated"] is True
    assert by_item["i1"]["blind_label"] == "supported"
    assert "adjudicated" not in by_item["i2"]


def test_an_item_for_one_person_is_covered_by_the_first_label(tmp_path: Path) -> None:
    desk = board(tmp_path, queued("i1", double=False), queued("i2", double=True))
    for item in ("i1", "i2"):
        desk.submit("bob", label(item, "partial"))
    states = [row["state"] for row in desk.overview("ann")["items"]]
    assert states == ["covered", "open"]
    assert "partial" not in json.dumps(desk.item("i1", "ann"))
    assert desk.submit("ann", label("i1", entry="entry-ann"))[0] == "saved"  # allowed all the same
    desk.retract("bob", "i2", "entry-i2")
    assert [row["state"] for row in desk.overview("bob")["items"]] == ["labelled", "open"]


def test_a_label_is_a_line_that_read_labels_reads(tmp_path: Path) -> None:
    desk = board(tmp_path)
    desk.submit("ann", label("i1", unsure=True, reason=" why \n"))
    (found,) = read_labels(desk.log.path)
    assert (found.query_id, found.check, found.label) == ("q1", "support", "supported")
    assert (found.claim, found.claim_span, found.reason) == (CLAIM, (0, len(CLAIM)), "why")
    extra = found.model_extra or {}
    assert extra["item_hash"] == "h-i1"
    assert extra["guideline"] == guidelines()[0]
    assert extra["inclusion_probability"] == 0.25
    assert extra["unsure"] is True
    assert extra["time"].endswith("Z")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (label("nowhere"), "not in this queue"),
        ({"label": "supported"}, "not in this queue"),
        (label("i1", "right"), "expected one of supported, partial, contradicted, not_found"),
        (label("i1", ["supported"]), "no label"),  # type: ignore[arg-type]
        (label("i1", entry="x"), "entry_id"),
        (label("i1", entry="a\nb-0000000"), "entry_id"),
    ],
)
def test_what_is_no_label_is_refused(tmp_path: Path, given: dict[str, Any], says: str) -> None:
    desk = board(tmp_path)
    with pytest.raises(RefusedError, match=says):
        desk.submit("ann", given)
    assert not desk.log.path.exists()


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 81, None, 3])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: Any) -> None:
    with pytest.raises(RefusedError, match="name"):
        board(tmp_path).submit(name, label("i1"))


def test_an_item_whose_sample_changed_is_refused_with_a_word(tmp_path: Path) -> None:
    changed = review_item(queued("i1"), sample(), result(), "another hash")
    gone = review_item(queued("i2"), None, None, None)
    desk = Board([changed, gone], LabelLog(tmp_path / "labels.jsonl"))
    assert [row["state"] for row in desk.overview("ann")["items"]] == ["refused", "refused"]
    assert "has changed" in desk.item("i1", "ann")["refusal"]
    assert "passages" not in desk.item("i1", "ann")
    for item, word in (("i1", "has changed"), ("i2", "not in this evaluation")):
        with pytest.raises(RefusedError, match=word):
            desk.submit("ann", label(item))


SEES = {
    "correctness": (None, {"answer", "reference", "answerable"}, 0),
    "faithfulness": (None, {"answer"}, 2),
    "support": ("claim", {"answer", "claim", "span"}, 2),
    "citation": ("claim", {"answer", "claim", "span"}, 1),
    "relevance": ("p2", set(), 1),
    "sufficiency": (None, set(), 2),
}


@pytest.mark.parametrize("unit", SEES)
def test_each_unit_shows_what_it_needs_and_no_more(unit: str) -> None:
    of, shown, n_passages = SEES[unit]
    line = queued("i1", unit=unit, check=CHECK_OF[unit], **{"passage_id": of} if of == "p2" else {})
    if of != "claim":
        del line["claim"]
    two = [{"passage_id": p, "text": TEXT} for p in ("p1", "p2")]
    item = review_item(line, sample(retrieved=two), result(), "h-i1")
    assert item.blind.keys() - {"query_id", "query", "history", "passages"} == shown
    assert len(item.blind["passages"]) == n_passages
    assert not [secret for secret in SECRETS if secret in json.dumps(item.blind)]
    assert bool(item.verdict.get("judge")) is (unit != "relevance")


def test_the_span_of_a_claim_counts_as_the_page_does() -> None:
    answer = "\U0001f600 " + CLAIM
    claim = {"claim_id": "c1", "text": CLAIM, "start": 2, "end": 2 + len(CLAIM)}
    item = review_item(queued("i1", claim=claim), sample(answer=answer), result(), "h-i1")
    assert item.blind["span"] == [3, 3 + len(CLAIM)]  # an emoji is two units of UTF-16


def test_guidelines_hold_every_label_of_every_check() -> None:
    version, units = guidelines()
    assert version
    for unit, check in CHECK_OF.items():
        assert sorted(units[unit].values) == sorted(LABELS[check])
        assert units[unit].text


def test_merging_downloads_tells_conflicts_and_is_repeatable(tmp_path: Path) -> None:
    desk = board(tmp_path)
    desk.submit("ann", label("i1", "partial"))
    line = {"item_hash": "h-i1", "annotator": "ann", "time": "2026-11-30T10:00:00Z"}
    lines = [
        ("f:1", {**label("i1", "supported", entry="entry-f1"), **line}),  # ann said otherwise
        ("f:2", {**label("i2", entry="entry-f2"), **line, "item_hash": "h-i2"}),
        ("f:3", {**label("i3", entry="entry-f3"), **line}),  # another hash
        ("f:4", {**label("i9", entry="entry-f4"), **line}),
        ("f:5", {**label("i1", "partial", entry="entry-f5"), **line}),  # the same again
        ("f:6", {**label("i1", "partial", entry="entry-f6"), **line, "annotator": "bob"}),
    ]
    n_added, n_known, complaints = desk.merge(lines)
    assert (n_added, n_known) == (2, 1)
    assert [one.partition(": ")[0] for one in complaints] == ["f:3", "f:4", "f:1"]
    assert "'supported'" in complaints[2]
    assert "'partial'" in complaints[2]
    assert desk.merge(lines)[:2] == (0, 3)
    labels = read_labels(desk.log.path)
    assert [(one.annotator, one.label) for one in labels] == [
        ("ann", "partial"), ("ann", "supported"), ("bob", "partial"),
    ]  # fmt: skip
    extra = labels[1].model_extra or {}
    assert extra["time"] == "2026-11-30T10:00:00Z"
    assert extra["inclusion_probability"] == 0.25  # not in the page: it hints at the verdict


def test_the_static_page_holds_no_verdict_and_cannot_be_broken_out_of(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> {{script}}"
    desk = board(tmp_path, query=hostile)
    desk.submit("bob", label("i1", "contradicted"))
    page = static_page(desk, "ann")
    data = page.partition('id="data">')[2].partition("</script>")[0]
    items = json.loads(data)["items"]
    assert not [secret for secret in SECRETS if secret in json.dumps(items)]
    assert items[0]["blind"]["query"] == hostile
    assert page.count("</script>") == 2
    assert "alert(1)" not in page.replace(data, "")
    assert "connect-src 'none'" in page
    assert "unsafe" not in page
