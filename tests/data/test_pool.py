"""What people are asked to label next."""

from __future__ import annotations

from pathlib import Path

from ragdiag.data.labels import read_labels
from ragdiag.data.pool import Pool, pool, system_names
from ragdiag.data.qrels import read_qrels
from ragdiag.data.runs import RunTable, read_run


def run(folder: Path, name: str, **lists: str) -> RunTable:
    path = folder / f"{name}.trec"
    path.write_text(
        "".join(f"{q} Q0 {d} 0 {-n} t\n" for q, docs in lists.items() for n, d in enumerate(docs))
    )
    return read_run(path)


def pairs(found: Pool) -> list[tuple[str, str, int]]:
    return found.frame.select("query_id", "passage_id", "best_rank").rows()


def test_the_union_of_the_top_with_the_best_rank_first(tmp_path: Path) -> None:
    found = pool([run(tmp_path, "x", q="abcz"), run(tmp_path, "y", q="cad")], depth=3)
    assert pairs(found) == [("q", "a", 1), ("q", "c", 1), ("q", "b", 2), ("q", "d", 3)]
    assert next(found.lines()) == {
        "query_id": "q", "passage_id": "a", "check": "relevance", "best_rank": 1, "systems": {"x": 1, "y": 2}
    }  # fmt: skip
    assert (found.n_union, found.n_labelled, found.n_left_out) == (4, 0, 0)


def test_a_pair_of_more_systems_comes_before_one_of_the_same_rank(tmp_path: Path) -> None:
    runs = [run(tmp_path, "x", q="ab"), run(tmp_path, "y", q="ba"), run(tmp_path, "z", q="ca")]
    assert pairs(pool(runs, depth=1)) == [("q", "a", 1), ("q", "b", 1), ("q", "c", 1)]
    runs = [run(tmp_path, "x", q="a"), run(tmp_path, "y", q="b"), run(tmp_path, "z", q="b")]
    assert [p[1] for p in pairs(pool(runs, depth=1))] == ["b", "a"]


def test_what_has_a_label_of_any_grade_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 0\nq 0 b 2\nr 0 c 1\n")
    found = pool([run(tmp_path, "x", q="abc")], depth=3, qrels=read_qrels(tmp_path / "qrels"))
    assert pairs(found) == [("q", "c", 3)]
    assert (found.n_union, found.n_labelled) == (3, 2)


def test_the_limit_is_shared_out_over_the_queries(tmp_path: Path) -> None:
    one = run(tmp_path, "x", q="abcdef", r="gh", s="i")
    found = pool([one], depth=6, limit=5)
    assert pairs(found) == [
        ("q", "a", 1),
        ("q", "b", 2),
        ("r", "g", 1),
        ("r", "h", 2),
        ("s", "i", 1),
    ]
    assert found.n_left_out == 4
    assert [q for q, _, _ in pairs(pool([one], depth=6, limit=2))] == ["q", "r"]
    assert len(pairs(pool([one], depth=6, limit=9))) == 9


def test_everything_labelled(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 0\n")
    found = pool(
        [run(tmp_path, "x", q="a")], depth=1, qrels=read_qrels(tmp_path / "qrels"), limit=3
    )
    assert (pairs(found), list(found.lines()), found.n_labelled) == ([], [], 1)


def test_names_are_never_shared(tmp_path: Path) -> None:
    x, y = run(tmp_path, "x", q="a"), run(tmp_path, "y", q="a")
    (tmp_path / "deep").mkdir()
    other = run(tmp_path / "deep", "x", q="a")
    assert system_names([x, y]) == ("x", "y")
    assert system_names([x, other]) == (x.file, other.file)
    assert system_names([x, x]) == (f"{x.file} (1)", f"{x.file} (2)")


def test_a_line_with_a_label_is_a_label(tmp_path: Path) -> None:
    (line,) = pool([run(tmp_path, "x", q="a")], depth=1).lines()
    import json  # noqa: PLC0415

    (tmp_path / "labels.jsonl").write_text(
        json.dumps({**line, "label": 2, "annotator": "ann"}) + "\n"
    )
    (label,) = read_labels(tmp_path / "labels.jsonl")
    assert (label.query_id, label.passage_id, label.label) == ("q", "a", "2")
