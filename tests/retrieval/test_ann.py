"""ANN recall: lists against lists, without labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragdiag.data.runs import RunTable, read_run
from ragdiag.retrieval.ann import ann_recall


def run(folder: Path, name: str, lists: dict[str, str]) -> RunTable:
    path = folder / name
    rows = [
        f'{{"query_id": "{q}", "retrieved": [{", ".join(f"{chr(34)}{d}{chr(34)}" for d in docs)}]}}\n'
        for q, docs in lists.items()
    ]
    path.write_text("".join(rows))
    return read_run(path)


@pytest.mark.parametrize(
    ("approximate", "exact", "k", "value"),
    [
        ("abcd", "abcd", 4, 1.0),
        ("dcba", "abcd", 4, 1.0),  # the order does not count
        ("dcba", "abcd", 2, 0.0),
        ("abx", "abc", 3, 2 / 3),
        ("aab", "abc", 2, 1.0),  # a repeated document takes no place
        ("abc", "aab", 2, 1.0),
        ("abxy", "ab", 4, 1.0),  # an exact list of two can give no more
        ("a", "abcd", 4, 0.25),
        ("", "abcd", 4, 0.0),
    ],
)
def test_one_query(tmp_path: Path, approximate: str, exact: str, k: int, value: float) -> None:
    found = ann_recall(
        run(tmp_path, "a", {"q": approximate, "r": "a"}),
        run(tmp_path, "e", {"q": exact, "r": "a"}),
        [k],
    )
    assert found.values(k) == [value, 1.0]


def test_several_cut_offs_and_the_section(tmp_path: Path) -> None:
    approximate = run(tmp_path, "a", {"q": "ab", "r": "dc", "only": "x"})
    exact = run(tmp_path, "e", {"q": "ab", "r": "cd", "lost": "ab", "none": ""})
    found = ann_recall(approximate, exact, [2, 1, 2])
    assert found.ks == (1, 2)
    assert found.frame.rows() == [
        ("q", 1.0, 1.0), ("r", 0.0, 1.0), ("lost", 0.0, 0.0), ("none", None, None)
    ]  # fmt: skip
    assert (found.missing, found.not_exact) == (("lost",), ("only",))
    section = found.section()
    one = section["metrics"]["ann_recall@2"]
    assert (one["value"], one["n"], one["n_total"], one["n_not_applicable"]) == (2 / 3, 3, 4, 1)
    assert 0 < one["ci_low"] < 2 / 3 < one["ci_high"] < 1
    assert section["full_overlap"]["full_overlap@1"]["n"] == 1
    assert section["full_overlap"]["full_overlap@2"]["share"] == 2 / 3
    assert (section["n_missing"], section["n_not_exact"]) == (1, 1)
    assert section["metrics"]["ann_recall@1"]["n_short"] == 0


def test_nothing_exact(tmp_path: Path) -> None:
    section = ann_recall(
        run(tmp_path, "a", {"q": "a"}), run(tmp_path, "e", {"q": ""}), [3]
    ).section()
    assert section["metrics"]["ann_recall@3"] == {
        "value": None, "n": 0, "n_total": 1, "n_not_applicable": 1, "ci_low": None, "ci_high": None, "n_short": 0
    }  # fmt: skip
    assert section["full_overlap"]["full_overlap@3"] == {
        "n": 0,
        "share": None,
        "ci_low": None,
        "ci_high": None,
    }
