"""Comparing evaluation directories: which pairs, what is refused, who is blamed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation.comparable import Asked
from ragdiag.evaluation.comparing import compare_directories
from tests.compared import Row, evaluation, query

LOW = {f"q{n}": query(0.5, code="R1") for n in range(8)}
HIGH = {f"q{n}": query(0.75) for n in range(8)}
RECALL = Asked(metrics=("recall@10",))


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    run = {"reranker": "none", "k": 10}
    return [
        evaluation(tmp_path / "a", LOW, run={**run, "finished_at": "yesterday"}),
        evaluation(tmp_path / "b", HIGH, run={**run, "reranker": "cross"}),
    ]


def compared(directories: list[Path], **more: Any) -> dict[str, Any]:
    found = compare_directories(directories, asked=Asked(**more))
    json.dumps(found, allow_nan=False)
    return found


def test_a_whole_comparison(two: list[Path]) -> None:
    found = compared(two, metrics=("recall", "success"))
    assert (found["schema_version"], found["baseline"], found["n_shared"]) == (1, "a", 8)
    assert found["only_in"] == {"a": [], "b": []}
    assert found["facts_changed"] == {"reranker": {"a": "none", "b": "cross"}}
    assert found["blame"] == {"component": "reranker", "why": "only reranker none → cross"}
    assert found["family"] == {
        "metrics": ["recall@10", "success"], "slices": ["all"], "n_pairs": 1, "n_tests": 2, "correction": "holm",
    }  # fmt: skip
    (pair,) = found["pairs"]
    recall, success = pair["rows"]
    assert (recall["difference"], recall["p"], recall["p_adjusted"]) == (0.25, 2 / 256, 4 / 256)
    assert (success["method"], success["p"], success["verdict"]) == ("mcnemar", 2 / 256, "better")
    assert [one["query_id"] for one in pair["flips"]["fixed"]] == list(LOW)
    assert pair["categories_moved"] == [
        {"before": "R1", "after": "K1", "n": 8, "query_ids": list(LOW)}
    ]
    assert found["runs"][0]["judge"] == "screen"
    assert found["runs"][0]["quality"] == {
        "metric": "recall@10",
        "value": 0.5,
        "n": 8,
        "n_scored": 8,
        "n_total": 8,
    }


def test_pairs_are_by_id_whatever_the_order_and_the_others_are_named(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", {**LOW, "only-a": query(0.0)})
    b = evaluation(
        tmp_path / "b", dict(reversed({"only-b": query(1.0), **HIGH, "q0": query(0.5)}.items()))
    )
    found = compared([a, b])
    assert (found["n_shared"], found["only_in"]) == (8, {"a": ["only-a"], "b": ["only-b"]})
    (row,) = [row for row in found["pairs"][0]["rows"] if row["metric"] == "recall@10"]
    assert (row["n"], row["mean_a"], row["better"], row["tied"]) == (8, 0.5, 7, 1)
    assert any("1 query of b not in all runs" in warning for warning in found["warnings"])


def test_no_shared_query(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", {"x": query(0.5)})
    b = evaluation(tmp_path / "b", {"y": query(0.5)})
    with pytest.raises(UsageError, match=r"no query is in all of them \('x' in the first, 'y'"):
        compared([a, b])


def test_another_text_under_one_id_is_no_pair(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", LOW)
    b = evaluation(tmp_path / "b", {**HIGH, "q3": query(1.0, query="Another?")})
    with pytest.raises(UsageError, match=r"1 of the 8 shared queries have another text \('q3'\)"):
        compared([a, b], allow=frozenset(("queries", "corpus", "judge", "settings")))


@pytest.mark.parametrize(
    ("kind", "changes", "told"),
    [
        ("corpus", {"corpus_hash": "other"}, "corpus_data_hash c / other"),
        ("corpus", {"run": {"corpus_hash": "2"}}, "corpus_hash 1 / 2"),
        ("queries", {"run": {"query_set": "test"}}, "query_set dev / test"),
        ("judge", {"judge": "llm:m"}, "judge screen / llm:m"),
        ("settings", {"unit": "page"}, "settings.unit passage / page"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    tmp_path: Path, kind: str, changes: Mapping[str, Any], told: str
) -> None:
    facts = {"corpus_hash": "1", "query_set": "dev"}
    a = evaluation(tmp_path / "a", LOW, run=facts)
    b = evaluation(tmp_path / "b", HIGH, **{**changes, "run": {**facts, **changes.get("run", {})}})
    with pytest.raises(UsageError, match="--allow " + kind) as refused:
        compared([a, b])
    assert told in str(refused.value)
    found = compared([a, b], allow=frozenset((kind,)))
    assert any(f"{kind} of a and b differ, as allowed" in one for one in found["warnings"])


def test_an_unstated_corpus_is_said_not_refused(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", LOW)
    b = evaluation(tmp_path / "b", HIGH, corpus_hash=None)
    assert any(
        "only one of a and b states corpus_data_hash" in one for one in compared([a, b])["warnings"]
    )


def test_another_judge_is_no_matter_where_none_is_asked(tmp_path: Path) -> None:
    a, b = evaluation(tmp_path / "a", LOW), evaluation(tmp_path / "b", HIGH, judge="llm:m")
    found = compared([a, b], metrics=("recall@10",))
    assert any("flips and categories may be the judge's" in one for one in found["warnings"])
    with pytest.raises(UsageError, match="another judge"):
        compared([a, b], metrics=("recall@10", "success"))


def test_peoples_labels_are_of_each_runs_own_answers(tmp_path: Path) -> None:
    def of(name: str, judge: str, version: str) -> Path:
        return evaluation(tmp_path / name, LOW, judge=judge, judge_version=version)

    compared([of("a", "people,screen", "1111,s1"), of("b", "people,screen", "2222,s1")])
    compared([of("a", "people", "1111"), of("b", "people", "2222")])
    for judge, versions in (
        ("people,screen", ("1,s1", "1,s2")),
        ("screen", ("1", "2")),
        ("x,people", ("1", "2")),
    ):
        with pytest.raises(UsageError, match="another judge"):
            compared([of("a", judge, versions[0]), of("b", judge, versions[1])])


def test_other_cut_offs_are_compared_at_the_largest_of_both(tmp_path: Path) -> None:
    both = {f"q{n}": query({"recall@5": 0.5, "recall@10": 0.5}) for n in range(8)}
    a = evaluation(tmp_path / "a", both)
    b = evaluation(tmp_path / "b", {f"q{n}": query({"recall@5": 1.0}) for n in range(8)}, k=(1, 5))
    assert "recall@5" in compared([a, b])["family"]["metrics"]
    with pytest.raises(UsageError, match="--metrics: no 'recall@10'; known: recall@5"):
        compared([a, b], metrics=("recall@10",))


@pytest.mark.parametrize(
    ("ours", "theirs", "component", "why"),
    [
        ({"name": "a", "reranker": None}, {"name": "b", "reranker": "r"}, "reranker", "only reranker none → r"),
        ({"k": 5}, {"k": 10, "finished_at": "now"}, "k", "only k 5 → 10"),
        ({"packages": {"x": "1", "y": "1"}}, {"packages": {"x": "2", "y": "1"}}, "packages", "packages.x 1 → 2"),
        ({"prompt": "p", "prompt_hash": "1"}, {"prompt": "q", "prompt_hash": "2"}, "prompt", "prompt_hash 1 → 2"),
        ({"k": 5, "reranker": "a"}, {"k": 10, "reranker": "b"}, None, "2 facts changed (k, reranker)"),
        ({"pipeline": "x:a", "pipeline_hash": "1"}, {"pipeline": "x:b", "pipeline_hash": "1"}, "pipeline", "only the name"),
        ({"concurrency": 1, "name": "x"}, {"concurrency": 8, "name": "y"}, None, "same facts"),
        ({"k": 5}, {"k": 5}, None, "same facts: a difference is noise or an unrecorded change"),
        ({"k": 5}, {"k": 5, "reranker": "r"}, "reranker", "only reranker not stated → r"),
        ({"k": 5, "corpus": "x"}, {"k": 5}, None, "same facts: "),  # not known whether it changed
        ({}, {}, None, "same facts (no component is recorded; see --run-info): a difference is noise"),
    ],
)  # fmt: skip
def test_blame(
    tmp_path: Path,
    ours: Mapping[str, Any],
    theirs: Mapping[str, Any],
    component: str | None,
    why: str,
) -> None:
    a, b = evaluation(tmp_path / "a", LOW, run=ours), evaluation(tmp_path / "b", HIGH, run=theirs)
    blame = compared([a, b])["blame"]
    assert blame["component"] == component
    assert why in blame["why"]


def test_a_chunker_brings_its_own_passages(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", LOW, run={"chunker": "400"}, corpus_hash="1")
    b = evaluation(tmp_path / "b", HIGH, run={"chunker": "800"}, corpus_hash="2")
    blame = compared([a, b], allow=frozenset(("corpus",)))["blame"]
    assert blame["component"] == "chunker"
    assert "documents are taken to be the same" in blame["why"]


def test_an_allowed_judge_is_a_fact_too(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", LOW, run={"k": 5})
    b = evaluation(tmp_path / "b", HIGH, run={"k": 10}, judge="llm:m")
    blame = compared([a, b], allow=frozenset(("judge",)))["blame"]
    assert (blame["component"], blame["why"][:15]) == (None, "2 facts changed")


def test_slices_are_tested_when_asked_and_shown_untested_when_not(tmp_path: Path) -> None:
    years = {f"q{n}": {"year": "2016" if n < 6 else "2017"} for n in range(12)}

    def rows(late: float) -> dict[str, Row]:
        return {i: query(0.5 if s["year"] == "2016" else late, slices=s) for i, s in years.items()}

    a, b = evaluation(tmp_path / "a", rows(0.5)), evaluation(tmp_path / "b", rows(0.25))
    found = compared([a, b], metrics=("recall@10",))
    assert found["family"]["slices"] == ["all"]
    assert found["pairs"][0]["slices_seen"][0] == {
        "slice": "year=2017", "metric": "recall@10", "n": 6, "mean_a": 0.5, "mean_b": 0.25, "difference": -0.25,
    }  # fmt: skip
    found = compared([a, b], metrics=("recall@10",), slices=("year",))
    assert found["family"]["slices"] == ["all", "year=2016", "year=2017"]
    assert found["family"]["n_tests"] == 3
    assert [(row["slice"], row["n"]) for row in found["pairs"][0]["rows"]] == [
        (None, 12), ("year=2016", 6), ("year=2017", 6),
    ]  # fmt: skip
    assert compared([a, b], slices=("all",))["family"]["slices"] == found["family"]["slices"]
    with pytest.raises(UsageError, match="--slices: no 'nope'; known: year"):
        compared([a, b], slices=("nope",))


def test_queries_of_documents_that_hang_together_are_one_cluster(tmp_path: Path) -> None:
    """The third query needs the documents of the first and the second: the three are one."""
    gold = [["a"], ["b c"], ["a", "b c"], ["d"], ["d"], ["e"], []]

    def rows(value: float) -> dict[str, Row]:
        return {
            f"q{n}": query(value, gold=[[{"doc_id": name} for name in names]] if names else [])
            for n, names in enumerate(gold)
        }

    a, b = evaluation(tmp_path / "a", rows(0.5)), evaluation(tmp_path / "b", rows(0.75))
    found = compared([a, b], cluster="document")
    assert found["cluster"] == {"by": "document", "n": 4, "n_alone": 1}
    (told,) = [one for one in compared([a, b])["warnings"] if "--cluster document" in one]
    assert told.startswith("6 queries share 3 groups of documents: not independent")
    assert compared([a, b], cluster="question")["cluster"]["n"] == 7
    assert compared([a, b], cluster="none")["cluster"] is None
    for name in ("a", "b"):  # of an earlier version, which kept the joined names alone
        path = tmp_path / name / "queries.parquet"
        pl.read_parquet(path).drop("documents").write_parquet(path)
    assert compared([a, b], cluster="document")["cluster"]["n"] == 6


@pytest.mark.parametrize(("n_of_each", "n_documents", "told"), [
    (1, 8, False), (2, 8, True), (2, 20, False), (3, 20, True), (1, 30, False), (8, 1, True),
])  # fmt: skip
def test_a_comparison_says_where_documents_are_shared(
    tmp_path: Path, n_of_each: int, n_documents: int, told: bool
) -> None:
    rows = {
        f"q{n}": query(0.5, gold=[[{"doc_id": f"d{n // n_of_each}"}]])
        for n in range(n_of_each * n_documents)
    }
    a, b = evaluation(tmp_path / "a", rows), evaluation(tmp_path / "b", rows)
    assert any("--cluster document" in one for one in compared([a, b])["warnings"]) is told


@pytest.mark.parametrize("changed", [
    {"reference": "43"}, {"reference": None}, {"gold": [[{"passage_id": "h"}]]}, {"gold": []},
    {"qrels": {"p": 1.0}}, {"answerable": False}, {"target": {"metric": "revenue"}},
])  # fmt: skip
def test_runs_that_are_held_to_other_labels_are_no_pair(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    """Another reference made fifteen right answers out of wrong ones, and nothing was said."""
    labels = {"reference": "42", "gold": [[{"passage_id": "g"}]]}
    rows = {f"q{n}": query(0.5, **labels) for n in range(8)}
    a = evaluation(tmp_path / "a", rows)
    same = evaluation(tmp_path / "same", rows)
    assert not any("labels" in one for one in compared([a, same])["warnings"])
    b = evaluation(tmp_path / "b", {**rows, "q3": query(0.75, **{**labels, **changed})})
    with pytest.raises(UsageError, match=r"1 of the 8 shared queries have another .*'q3'"):
        compared([a, b])
    (told,) = [
        one for one in compared([a, b], allow=frozenset({"queries"}))["warnings"] if "labels" in one
    ]
    assert told == "1 of the 8 shared queries have other labels in b, as allowed: 'q3'"
    path = b / "queries.parquet"  # of an earlier version: nothing is known of labels
    pl.read_parquet(path).drop("labels_hash").write_parquet(path)
    assert not any("labels" in one for one in compared([a, b])["warnings"])


def test_clusters_given_or_found(tmp_path: Path) -> None:
    def rows(value: float, **more: Any) -> dict[str, Row]:
        return {
            f"q{n}": query(
                value, gold=[[{"doc_id": f"d{n // 2}"}]], slices={"year": str(n % 3)}, **more
            )
            for n in range(16)
        }

    a, b = evaluation(tmp_path / "a", rows(0.5)), evaluation(tmp_path / "b", rows(0.75))
    found = compared([a, b], metrics=("recall@10",), cluster="document")
    assert found["cluster"] == {"by": "document", "n": 8, "n_alone": 0}
    assert found["pairs"][0]["rows"][0]["p"] == 2 / 2**8
    assert any("only 8 clusters by document" in one for one in found["warnings"])
    assert (
        compared([a, b], metrics=("recall@10",), cluster="year")["pairs"][0]["rows"][0]["verdict"]
        == "too few"
    )
    assert compared([a, b])["cluster"] is None
    a = evaluation(tmp_path / "a", rows(0.5, cluster="c"))
    assert compared([a, b])["cluster"]["n"] == 1
    with pytest.raises(
        UsageError, match="--cluster: no 'nope'; known: document, query, question, year"
    ):
        compared([a, b], cluster="nope")


def test_several_variants_are_one_family_on_what_all_share(tmp_path: Path) -> None:
    a, b = evaluation(tmp_path / "a", LOW), evaluation(tmp_path / "b", HIGH)
    c = evaluation(tmp_path / "c", {k: v for k, v in HIGH.items() if k != "q0"})
    found = compared([a, b, c], metrics=("recall@10",))
    assert [(p["baseline"], p["variant"], p["n"]) for p in found["pairs"]] == [
        ("a", "b", 7),
        ("a", "c", 7),
    ]
    assert found["family"]["n_tests"] == 2
    p = 2 / 2**7
    assert [pair["rows"][0]["p_adjusted"] for pair in found["pairs"]] == [2 * p, 2 * p]
    assert found["blame"] == {"component": None, "why": "several variants: see each pair"}
    assert found["only_in"] == {"a": ["q0"], "b": ["q0"], "c": []}
    turned = compare_directories([a, b, c], baseline="b", asked=RECALL)
    assert (turned["baseline"], turned["pairs"][0]["variant"]) == ("b", "a")
    with pytest.raises(UsageError, match="--baseline z: none of the runs; they are a, b, c"):
        compare_directories([a, b, c], baseline="z")


def test_quality_against_time_and_money(tmp_path: Path) -> None:
    def rows(value: float, ms: float, usd: float) -> dict[str, Row]:
        latency = {"retrieve": ms, "generate": 100.0}
        return {f"q{n}": query(value, latency_ms=latency, cost_usd=usd) for n in range(8)}

    a = evaluation(tmp_path / "a", rows(0.5, 40, 0.001))
    better = evaluation(tmp_path / "better", rows(0.75, 240, 0.001))
    slower = evaluation(tmp_path / "slower", rows(0.5, 90, 0.002))
    found = compared([a, better, slower], metrics=("recall@10",))
    assert found["pareto"] == ["a", "better"]
    spent = found["pairs"][0]["spent"]
    assert spent["latency_ms"]["retrieve"] == {"p50_a": 40, "p50_b": 240, "difference": 200, "n": 8}
    assert spent["latency_ms"]["total"]["difference"] == 200
    assert spent["usd"] == {"mean_a": 0.001, "mean_b": 0.001, "difference": 0.0, "n": 8}
    assert found["pairs"][0]["trade_off"][0] == {
        "metric": "recall@10",
        "difference": 0.25,
        "verdict": "better",
    }
    assert found["runs"][1]["spent"]["latency_ms"]["total"]["p50"] == 340


def test_a_gain_on_the_easy_rows_only_is_on_no_front(tmp_path: Path) -> None:
    hard = {f"h{n}": query(0.25, latency_ms={"total": 50.0}) for n in range(8)}
    easy = {f"q{n}": query(0.5, latency_ms={"total": 50.0}) for n in range(8)}
    a = evaluation(tmp_path / "a", {**easy, **hard})
    lost = {i: query({"recall@10": "undecided"}, latency_ms={"total": 60.0}) for i in hard}
    won = {i: query(0.75, latency_ms={"total": 60.0}) for i in easy}
    b = evaluation(tmp_path / "b", {**won, **lost})
    found = compared([a, b], metrics=("recall@10",))
    row = found["pairs"][0]["rows"][0]
    assert (row["difference"], row["verdict"], row["significant"]) == (
        0.25,
        "not established",
        False,
    )
    assert (row["n_unscored_a"], row["n_unscored_b"]) == (0, 8)
    assert found["pareto"] == ["a"]


def test_a_tie_on_the_rows_that_it_answers_is_on_no_front(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", LOW)
    b = evaluation(tmp_path / "b", {**LOW, "q0": query({"recall@10": "no_relevant"})})
    found = compared([a, b], metrics=("recall@10",))
    row = found["pairs"][0]["rows"][0]
    assert (row["difference"], row["filled_difference"]) == (0.0, -0.5 / 8)
    assert found["pareto"] == ["a"]
    quality = found["runs"][0]["quality"]
    assert (quality["value"], quality["n"], quality["n_scored"]) == (0.5, 7, 8)


def test_where_a_metric_applies_to_one_run_only(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", LOW)
    b = evaluation(tmp_path / "b", {**HIGH, "q0": query({"recall@10": "no_relevant"})})
    found = compared([a, b], metrics=("recall@10",))
    assert found["pairs"][0]["rows"][0]["n_not_applicable_b"] == 1
    assert "recall@10 applies to 1 in a only: outside the difference" in found["warnings"]


def test_nothing_scored_anywhere(tmp_path: Path) -> None:
    none = {f"q{n}": query({"recall@10": "no_relevant"}, code=None) for n in range(8)}
    a, b = evaluation(tmp_path / "a", none), evaluation(tmp_path / "b", none)
    with pytest.raises(UsageError, match="no metric has scores in all runs"):
        compared([a, b])
    found = compared([a, b], metrics=("recall@10",))
    assert found["pairs"][0]["rows"][0]["verdict"] == "no pair"
    assert (found["pareto"], found["family"]["n_tests"]) == ([], 0)


def test_the_same_directory_twice(two: list[Path]) -> None:
    found = compared([two[0], two[0]])
    assert [run["name"] for run in found["runs"]] == [str(two[0]), f"{two[0]} (2)"]
    assert found["blame"]["why"].startswith("same facts")
    assert found["pareto"] == [run["name"] for run in found["runs"]]
    assert all(row["p"] == 1.0 for row in found["pairs"][0]["rows"])
    assert any("the baseline's own directory" in one for one in found["warnings"])


def test_names_are_told_apart(tmp_path: Path) -> None:
    same = [evaluation(tmp_path / x / "out", LOW, run={"name": "run"}) for x in "ab"]
    assert [run["name"] for run in compared(same)["runs"]] == [str(one) for one in same]
    named = [evaluation(tmp_path / x / "out", LOW, run={"name": x}) for x in "ab"]
    assert [run["name"] for run in compared(named)["runs"]] == ["a", "b"]


def test_what_is_no_evaluation(two: list[Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"manifest.json is not there"):
        compared([two[0], tmp_path / "empty"])
    with pytest.raises(UsageError, match="is not there; name directories"):
        compared([two[0], tmp_path / "nowhere"])
    with pytest.raises(UsageError, match="two evaluation directories or more"):
        compared(two[:1])
    with pytest.raises(
        UsageError, match="--allow takes corpus, queries, judge, settings; came all"
    ):
        compared(two, allow=frozenset(("all",)))


def test_files_that_do_not_belong_together(two: list[Path]) -> None:
    for name in ("scores.parquet", "queries.parquet"):
        path = two[1] / name
        kept = path.read_bytes()
        path.unlink()
        with pytest.raises(UsageError, match=f"{name} is not there.*ragdiag rescore"):
            compared(two)
        path.write_bytes(kept[: len(kept) // 2])
        with pytest.raises(DataError, match=f"{name} cannot be read.*ragdiag rescore"):
            compared(two)
        path.write_bytes(kept)
    path = two[1] / "queries.parquet"
    whole = pl.read_parquet(path)
    for frame, told in (
        (pl.concat([whole, whole.head(1)]), r"queries stand there more than once: 1 \('q0'\)"),
        (whole.head(5), "holds 5 queries, report.json 8"),
        (whole.drop("family"), "lacks family"),
    ):
        frame.write_parquet(path)
        with pytest.raises(DataError, match=told):
            compared(two)
    whole.write_parquet(path)
    path = two[1] / "scores.parquet"
    scores = pl.read_parquet(path)
    pl.concat([scores, scores.head(1)]).write_parquet(path)
    with pytest.raises(DataError, match="recall@10 stands more than once for a query"):
        compared(two)
    scores.with_columns(value=pl.lit(float("nan"))).write_parquet(path)
    with pytest.raises(DataError, match="recall@10 is scored without a number"):
        compared(two)


def test_a_gain_that_is_not_shown_is_on_no_front(tmp_path: Path) -> None:
    def rows(values: list[float], ms: float) -> dict[str, Row]:
        return {f"q{n}": query(v, latency_ms={"total": ms}) for n, v in enumerate(values)}

    a = evaluation(tmp_path / "a", rows([0.5] * 8, 40))
    b = evaluation(tmp_path / "b", rows([0.75] + [0.5] * 7, 50))
    found = compared([a, b], metrics=("recall@10",))
    assert found["pairs"][0]["rows"][0]["verdict"] == "no difference shown"
    assert found["pareto"] == ["a"]
    cheaper = evaluation(tmp_path / "c", rows([0.25] + [0.5] * 7, 30))  # a loss counts as it stands
    assert compared([a, cheaper], metrics=("recall@10",))["pareto"] == ["a", "c"]


def test_success_of_a_broken_pipeline_and_of_an_open_category(tmp_path: Path) -> None:
    a = evaluation(tmp_path / "a", {f"q{n}": query(0.5) for n in range(9)})
    codes: list[str | None] = ["X1", "X2", None, "A1", "K1", "U1", "K1", "K1", "K1"]
    b = evaluation(tmp_path / "b", {f"q{n}": query(0.5, code=c) for n, c in enumerate(codes)})
    (row,) = compared([a, b], metrics=("success",))["pairs"][0]["rows"]
    assert (row["n"], row["n_unscored_b"], row["n_not_applicable_b"]) == (6, 2, 1)
    assert (row["mean_a"], row["worse"]) == (1.0, 1)
    assert row["filled_difference"] == pytest.approx(-4 / 9)


def test_many_values_of_a_slice(tmp_path: Path) -> None:
    """The 50 most frequent, then the rest together; and no family in which nothing can be shown."""
    values = [f"v{n:02}" for n in range(60)] + [f"v{n:02}" for n in range(50)] + [None]
    rows = {
        f"q{n}": query(0.5, slices={} if v is None else {"s": v, "t": v})
        for n, v in enumerate(values)
    }
    a, b = evaluation(tmp_path / "a", rows), evaluation(tmp_path / "b", rows)
    found = compared([a, b], metrics=("recall@10",), slices=("s",))
    assert found["family"]["slices"][:4] == ["all", "s=(missing)", "s=(other)", "s=v00"]
    sizes = {row["slice"]: row["n"] for row in found["pairs"][0]["rows"]}
    assert (len(sizes), sizes["s=(other)"], sizes["s=(missing)"], sizes["s=v49"]) == (53, 10, 1, 2)
    asked = ("recall@10", "success") * 10
    with pytest.raises(UsageError, match="are 2100 tests: over 2000"):
        compared([a] + [b] * 10, metrics=asked, slices=("s", "t"))
