"""The log of the review page, read as any file of labels: what stands, each label once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.labels import read_labels
from ragdiag.errors import DataError
from tests.runs import write


def line(item: str, label: str, n: int = 1, who: str = "ann", **more: Any) -> dict[str, Any]:
    return {"query_id": item, "check": "sufficiency", "label": label, "annotator": who,
            "item_id": item, "entry_id": f"{who}-{item}-{n}", **more}  # fmt: skip


def test_of_a_log_only_what_stands_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "labels.jsonl", [
        line("a", "sufficient"),
        {"reveals": "a", "annotator": "ann"},
        line("a", "insufficient", 2, adjudicated=True),
        line("b", "sufficient"),
        {"retracts": "b", "entry_id": "ann-b-1", "annotator": "ann"},
        {"skips": "b", "annotator": "ann"},
        line("b", "insufficient", who="bob"),
        line("b", "insufficient", who="bob"),  # sent twice
        {"query_id": "c", "check": "sufficiency", "label": "sufficient"},  # not of the page
    ])  # fmt: skip
    found = read_labels(path)
    assert [(one.query_id, one.annotator, one.label) for one in found] == [
        ("c", "human", "sufficient"), ("a", "ann", "insufficient"), ("b", "bob", "insufficient"),
    ]  # fmt: skip
    extra = found[1].model_extra or {}
    assert (extra["adjudicated"], extra["blind_label"]) == (True, "sufficient")


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"skips": 3, "annotator": "ann"}, "labels.jsonl:2: neither a label nor"),
        ({"retracts": "a"}, "labels.jsonl:2: neither a label nor"),
        (line("b", "maybe"), "labels.jsonl:2"),
    ],
)
def test_a_broken_line_of_a_log_is_named(tmp_path: Path, bad: dict[str, Any], says: str) -> None:
    path = write(tmp_path / "labels.jsonl", [line("a", "sufficient"), bad])
    with pytest.raises(DataError, match=says):
        read_labels(path)


def test_a_log_of_skips_alone_holds_no_label(tmp_path: Path) -> None:
    path = write(tmp_path / "labels.jsonl", [{"skips": "a", "annotator": "ann"}])
    with pytest.raises(DataError, match="no label"):
        read_labels(path)
