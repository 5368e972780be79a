"""Files at a unit: the same values by columns, list by list, and as `evaluate` scores a sample."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragdiag.data.corpus import read_corpus
from ragdiag.data.places import CorpusFile
from ragdiag.errors import DataError, UsageError
from ragdiag.records import Sample, Settings
from ragdiag.retrieval.by_unit import ranked_lists
from ragdiag.retrieval.evaluating import Run
from ragdiag.retrieval.files import RunScores, read_labels, score_run
from ragdiag.retrieval.options import Options
from ragdiag.retrieval.scores import retrieval_scores
from ragdiag.retrieval.wanted import ByUnit, Wanted
from ragdiag.text.case import Case

KS = (1, 3)
NAMES = [
    f"{stem}@{k}"
    for stem in (
        "precision", "recall", "hit", "rr", "ap", "ndcg", "judged", "any_evidence",
        "complete_evidence", "evidence_coverage",
    )
    for k in KS
]  # fmt: skip

PLACES = [("p1", "d1", 1), ("p2", "d1", 1), ("p3", "d1", 2), ("p4", "d2", 1), ("p5", "d2", 7)]
"""Two documents: the first with two passages on page 1 and one on page 2."""
CORPUS = [{"passage_id": p, "doc_id": d, "page": n, "text": f"{p} text"} for p, d, n in PLACES]


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def trec(path: Path, lists: dict[str, list[str]]) -> Path:
    rows = [f"{q} Q0 {p} {n} {-n} t\n" for q, ids in lists.items() for n, p in enumerate(ids)]
    path.write_text("".join(rows))
    return path


def scored(
    labels: Path, run: Path, names: list[str], options: Options | None = None, **wanted: Any
) -> RunScores:
    options = options or Options()
    if isinstance(wanted.get("corpus"), Path):
        wanted["corpus"] = CorpusFile(wanted["corpus"])
    asked = Wanted(**wanted)
    return score_run(run, read_labels(labels, options, asked), names, options, asked)


def by_query(found: RunScores, names: list[str]) -> dict[str, dict[str, float | None]]:
    """By query each value; None where it is not applicable."""
    columns = {name: found.evaluated.values[name].tolist() for name in names}
    return {
        query: {n: None if math.isnan(columns[n][row]) else columns[n][row] for n in names}
        for row, query in enumerate(found.evaluated.query_ids)
    }


def units(found: RunScores) -> ByUnit:
    assert found.by_unit is not None
    return found.by_unit


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return lines(tmp_path / "corpus.jsonl", CORPUS)


IDS = st.sampled_from([p for p, _, _ in PLACES])
SETS = st.lists(st.lists(IDS, min_size=1, max_size=3), max_size=3)
GRADES = st.one_of(st.just({}), st.dictionaries(IDS, st.integers(0, 2), min_size=1, max_size=4))
QUERY = st.tuples(SETS, GRADES, st.lists(IDS, max_size=6)).filter(lambda one: one[0] or one[1])


@settings(max_examples=60, deadline=None)
@given(
    queries=st.lists(QUERY, min_size=1, max_size=3),
    unit=st.sampled_from(["passage", "page", "document"]),
)
def test_by_columns_list_by_list_and_as_one_sample(queries, unit) -> None:
    places = {p: {"passage_id": p, "doc_id": d, "page": n} for p, d, n in PLACES}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = [
            {
                "query_id": f"q{number}",
                "query": "?",
                "gold": [[{"passage_id": p} for p in items] for items in sets],
                "qrels": grades,
                "retrieved": [places[p] for p in ranked],
            }
            for number, (sets, grades, ranked) in enumerate(queries)
        ]
        labels = lines(folder / "labels.jsonl", samples)
        native = lines(folder / "run.jsonl", samples)
        ids = {s["query_id"]: [p["passage_id"] for p in s["retrieved"]] for s in samples}
        run = trec(folder / "run.trec", {"other": ["p1"], **ids})
        known = lines(folder / "corpus.jsonl", CORPUS)
        one = scored(labels, run, NAMES, unit=unit, corpus=known)
        other = scored(labels, native, NAMES, unit=unit, corpus=known)
        passages = read_corpus(known)
    expected = {
        sample["query_id"]: {
            name: score.value
            for name, score in retrieval_scores(
                Case(
                    Sample.model_validate(sample),
                    settings=Settings(unit=unit, k=KS),
                    corpus=passages,
                )
            ).items()
            if name in NAMES
        }
        for sample in samples
    }
    for found in (one, other):
        got = by_query(found, NAMES)
        for query, values in expected.items():
            # Without gold sets what is relevant is the one set, as in any table of grades.
            has_sets = bool(queries[int(query[1:])][0])
            names = [n for n in NAMES if has_sets or "evidence" not in n]
            told = {name: got[query][name] for name in names}
            wanted = {name: values[name] for name in names}
            assert told == pytest.approx(wanted, abs=1e-12), (query, unit)


# --- alternative sets

OR = [
    {"query_id": "two", "query": "?", "gold": [[{"passage_id": "A"}, {"passage_id": "B"}],
                                               [{"passage_id": "C"}]]},
    {"query_id": "graded", "query": "?", "gold": [[{"passage_id": "A"}, {"passage_id": "B"}]],
     "qrels": {"A": 2, "x": 1}},
]  # fmt: skip


def test_an_or_alternative_makes_a_perfect_run(tmp_path: Path) -> None:
    """Peers scored it 0.61: recall, ap and ndcg have the ideal of the set that was taken."""
    labels = lines(tmp_path / "gold.jsonl", OR[:1])
    run = trec(tmp_path / "run", {"two": ["C", "x"]})
    names = ["recall@2", "ap@2", "ndcg@2", "complete_evidence@2", "completion_rank", "precision@2"]
    assert by_query(scored(labels, run, names), names)["two"] == {
        "recall@2": 1, "ap@2": 1, "ndcg@2": 1, "complete_evidence@2": 1, "completion_rank": 1,
        "precision@2": 1 / 2,
    }  # fmt: skip


def test_grades_beside_gold_feed_the_rank_metrics(tmp_path: Path) -> None:
    labels = lines(tmp_path / "gold.jsonl", OR)
    run = trec(tmp_path / "run", {"graded": ["x", "B", "A"], "two": ["A", "C"]})
    names = ["recall@2", "recall@3", "precision@3", "evidence_coverage@2", "completion_rank",
             "judged@3"]  # fmt: skip
    found = by_query(scored(labels, run, names), names)
    assert found["graded"] == {
        "recall@2": 1 / 2, "recall@3": 1, "precision@3": 2 / 3, "evidence_coverage@2": 1 / 2,
        "completion_rank": 3, "judged@3": 2 / 3,
    }  # fmt: skip
    assert found["two"]["completion_rank"] == 2
    assert found["two"]["judged@3"] is None  # gold does not say what is irrelevant
    assert found["two"]["precision@3"] == 1


def test_a_query_s_evidence_does_not_depend_on_the_other_queries_of_the_file(
    tmp_path: Path,
) -> None:
    """Grades alone: what is relevant is the one set, whether or not another query has sets."""
    graded = {"query_id": "grades", "query": "?", "qrels": {"A": 2, "B": 1, "x": 0}}
    run = trec(tmp_path / "run", {"grades": ["A", "x", "B"], "two": ["C"]})
    names = ["any_evidence@1", "complete_evidence@2", "complete_evidence@3", "evidence_coverage@2",
             "completion_rank"]  # fmt: skip
    alone = lines(tmp_path / "alone.jsonl", [graded])
    beside = lines(tmp_path / "beside.jsonl", [*OR, graded])
    for labels in (alone, beside):
        assert by_query(scored(labels, run, names), names)["grades"] == {
            "any_evidence@1": 1, "complete_evidence@2": 0, "complete_evidence@3": 1,
            "evidence_coverage@2": 1 / 2, "completion_rank": 3,
        }  # fmt: skip


def test_an_unanswerable_query_is_in_no_mean_and_zero_on_request(tmp_path: Path) -> None:
    none = {"query_id": "none", "query": "?", "answerable": False, "gold": [[{"passage_id": "A"}]]}
    labels = lines(tmp_path / "gold.jsonl", [*OR, none])
    run = trec(tmp_path / "run", {"none": ["A"], "two": ["C"]})
    names = ["recall@1", "complete_evidence@1"]
    assert by_query(scored(labels, run, names), names)["none"] == dict.fromkeys(names)
    zero = by_query(scored(labels, run, names, Options(no_relevant="zero")), names)
    assert zero["none"] == dict.fromkeys(names, 0)


def test_cases_of_evidence_sets(shared: Path, tmp_path: Path) -> None:
    text = (shared / "cases/evidence_sets.jsonl").read_text()
    for case in map(json.loads, text.splitlines()):
        k = case["k"]
        gold = [[{"passage_id": item} for item in items] for items in case["gold"]]
        labels = lines(tmp_path / "gold", [{"query_id": "q", "query": "?", "gold": gold}])
        run = trec(tmp_path / "run", {"q": case["ranked"]})
        names = {
            "any": f"any_evidence@{k}",
            "complete": f"complete_evidence@{k}",
            "coverage": f"evidence_coverage@{k}",
        }
        found = by_query(scored(labels, run, list(names.values())), list(names.values()))["q"]
        assert {key: found[name] for key, name in names.items()} == pytest.approx(
            {key: case[key] for key in names}
        )


def test_condensed_needs_grades(tmp_path: Path) -> None:
    labels = lines(tmp_path / "gold.jsonl", OR)
    run = trec(tmp_path / "run", {"two": ["C"]})
    with pytest.raises(UsageError, match="ask for recall, or give qrels"):
        scored(labels, run, ["condensed:recall@1"])


# --- labels of places


PAGE_LABELS = [{"query_id": "q", "query": "?", "gold": [[{"doc_id": "d1", "page": 2}]]}]
LEVEL_NAMES = ["hit@1", "hit@3", "complete_evidence@3"]


@pytest.mark.parametrize("native", [False, True])
def test_right_document_wrong_page(tmp_path: Path, corpus: Path, native: bool) -> None:
    labels = lines(tmp_path / "gold.jsonl", PAGE_LABELS)
    ranked = ["p1", "p4", "p3"]
    run = trec(tmp_path / "run", {"q": ranked})
    if native:
        passages = [row for p in ranked for row in CORPUS if row["passage_id"] == p]
        run = lines(tmp_path / "run.jsonl", [{"query_id": "q", "retrieved": passages}])
    found = scored(labels, run, LEVEL_NAMES, unit="page", corpus=None if native else corpus)
    levels = {
        level: {name: one.values[name].tolist() for name in LEVEL_NAMES}
        for level, one in units(found).levels.items()
    }
    assert levels == {
        "document": {"hit@1": [1], "hit@3": [1], "complete_evidence@3": [1]},
        "page": {"hit@1": [0], "hit@3": [1], "complete_evidence@3": [1]},
    }


def test_passages_of_one_page_are_no_duplicates(tmp_path: Path, corpus: Path) -> None:
    labels = lines(tmp_path / "gold.jsonl", PAGE_LABELS)
    run = trec(tmp_path / "run", {"q": ["p1", "p2", "p2", "p3"]})
    found = scored(labels, run, ["rr", "num_ret"], unit="page", corpus=corpus).evaluated
    assert found.values["rr"].tolist() == [1 / 2]
    assert found.values["num_ret"].tolist() == [2]
    assert found.counts.duplicates == 1


@pytest.mark.parametrize(("ties", "first"), [("file", "p1"), ("docid_desc", "p3")])
def test_ties_are_broken_by_the_ids_of_the_items(tmp_path: Path, ties: Any, first: str) -> None:
    """Units are called otherwise than their passages: "z" comes behind "a" by its own id only."""
    rows = [{"passage_id": p, "doc_id": d, "text": ""} for p, d in (("p1", "z"), ("p3", "a"))]
    corpus = lines(tmp_path / "corpus", rows)
    labels = lines(tmp_path / "gold", [{"query_id": "q", "query": "?", "qrels": {"p3": 1}}])
    (tmp_path / "run").write_text("q Q0 p1 1 1 t\nq Q0 p3 2 1 t\n")
    options = Options(ties=ties)
    found = scored(labels, tmp_path / "run", ["rr"], options, unit="document", corpus=corpus)
    assert found.evaluated.values["rr"].tolist() == [1 if first == "p3" else 1 / 2]
    assert found.evaluated.counts.tied == 1


SPANS = [
    {"passage_id": "c1", "doc_id": "d", "start": 0, "end": 100, "text": "a"},
    {"passage_id": "c2", "doc_id": "d", "start": 100, "end": 200, "text": "b"},
    {"passage_id": "big", "doc_id": "d", "start": 0, "end": 1000, "text": "c"},
]


@pytest.mark.parametrize(
    ("ranked", "coverage", "values"),
    [
        (["c1", "c2"], 0.8, (1, 1 / 2, 1 / 2)),  # covered with the second: half of it in each
        (["big"], 0.8, (1, 1, 1)),  # 60 characters inside a long passage are found
        (["c1"], 0.8, (0, 0, 0)),
        (["c1"], 0.5, (1, 1, 1)),
        (["big", "x", "big2"], 0.8, (1, 1, 2 / 3)),  # later on the same item: relevant, no gain
    ],
)
def test_spans_survive_rechunking(tmp_path: Path, ranked, coverage, values) -> None:
    """Recall@5, ap@5 and precision@5 of one label, characters 70 to 130 of a document."""
    (tmp_path / "labels.csv").write_text("query_id,doc_id,start,end,grade\nq,d,70,130,1\n")
    twin = {**SPANS[2], "passage_id": "big2"}
    other = {"passage_id": "x", "doc_id": "e", "start": 0, "end": 500, "text": "x"}
    corpus = lines(tmp_path / "corpus", [*SPANS, twin, other])
    run = trec(tmp_path / "run", {"q": ranked})
    names = ["recall@5", "ap@5", "precision@5"]
    found = scored(tmp_path / "labels.csv", run, names, corpus=corpus, coverage=coverage)
    assert tuple(by_query(found, names)["q"].values()) == pytest.approx(values)


def test_graded_places_gain_once_by_their_grade(tmp_path: Path, corpus: Path) -> None:
    (tmp_path / "labels.csv").write_text(
        "query_id,doc_id,page,grade\nq,d1,1,2\nq,d2,7,1\nq,d2,1,0\n"
    )
    run = trec(tmp_path / "run", {"q": ["p4", "p1", "p2", "p5"]})
    names = ["ndcg@4", "recall@3", "precision@4", "judged@4", "num_rel"]
    found = by_query(scored(tmp_path / "labels.csv", run, names, corpus=corpus), names)["q"]
    log = math.log2
    assert found == pytest.approx({
        "ndcg@4": (3 / log(3) + 1 / log(5)) / (3 + 1 / log(3)), "recall@3": 1 / 2,
        "precision@4": 3 / 4, "judged@4": 1, "num_rel": 2,
    })  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_tables_of_places_in_every_format(tmp_path: Path, corpus: Path, kind: str) -> None:
    rows = [
        {"query_id": "q", "doc_id": "d1", "page": 2, "rel": 1},
        {"query_id": "r", "doc_id": "d2", "page": None, "rel": 1},
    ]
    path = tmp_path / f"labels.{kind}"
    if kind == "jsonl":
        lines(path, rows)
    else:
        getattr(pl.DataFrame(rows), f"write_{kind}")(path)
    run = trec(tmp_path / "run", {"q": ["p1", "p3"], "r": ["p1", "p5"]})
    found = by_query(scored(path, run, ["rr"], corpus=corpus), ["rr"])
    assert found == {"q": {"rr": 1 / 2}, "r": {"rr": 1 / 2}}


def test_ids_of_documents_are_labels_of_documents_where_the_corpus_says_so(
    tmp_path: Path, corpus: Path
) -> None:
    (tmp_path / "qrels").write_text("q 0 d2 1\n")
    run = trec(tmp_path / "run", {"q": ["p1", "p4", "p5"]})
    names = ["rr", "recall", "precision"]
    for unit, precision in (("passage", 2 / 3), ("document", 1 / 2)):
        found = scored(tmp_path / "qrels", run, names, unit=unit, corpus=corpus)
        expected = {"rr": 1 / 2, "recall": 1, "precision": precision}
        assert by_query(found, names)["q"] == expected


def test_a_parquet_corpus_is_as_the_jsonl(tmp_path: Path, corpus: Path) -> None:
    frame = pl.DataFrame(CORPUS).with_columns(page=pl.format("0{}", pl.col("page")))
    frame.write_parquet(tmp_path / "corpus.parquet")
    assert CorpusFile(tmp_path / "corpus.parquet").places.equals(CorpusFile(corpus).places)


def test_a_beir_folder_is_a_corpus(tmp_path: Path) -> None:
    lines(tmp_path / "corpus.jsonl", [{"_id": "d1", "title": "", "text": "x"}])
    assert CorpusFile(tmp_path).places.rows() == [("d1", "d1", None, None)]


# --- what cannot be told


@pytest.mark.parametrize(
    ("unit", "with_corpus", "error", "says"),
    [
        (None, False, UsageError, "holds ids only, and nothing says to which place"),
        ("page", False, DataError, "no id of the run is that of a labelled page: give --corpus"),
        ("object", True, DataError, "no passage says its object_id; --unit object needs it"),
    ],
)
def test_a_unit_that_nothing_says(tmp_path, corpus, unit, with_corpus, error, says) -> None:
    labels = lines(tmp_path / "gold.jsonl", PAGE_LABELS)
    run = trec(tmp_path / "run", {"q": ["p1"]})
    with pytest.raises(error, match=says):
        scored(labels, run, ["rr"], unit=unit, corpus=corpus if with_corpus else None)


def test_a_native_run_of_bare_ids_says_no_document(tmp_path: Path) -> None:
    labels = lines(tmp_path / "gold.jsonl", PAGE_LABELS)
    run = lines(tmp_path / "run.jsonl", [{"query_id": "q", "retrieved": ["p1"]}])
    with pytest.raises(DataError, match="no passage says its doc_id; --unit document needs it"):
        scored(labels, run, ["rr"], unit="document")


@pytest.mark.parametrize("options", [{"duplicates": "keep_slot"}])
def test_options_that_units_do_not_know(tmp_path: Path, corpus: Path, options: Any) -> None:
    labels = lines(tmp_path / "gold.jsonl", PAGE_LABELS)
    run = trec(tmp_path / "run", {"q": ["p1"]})
    with pytest.raises(UsageError, match="needs graded ids at the passage unit"):
        scored(labels, run, ["rr"], Options(**options), corpus=corpus)


@pytest.mark.parametrize("native", [False, True])
def test_items_twice_are_refused_on_request(tmp_path: Path, corpus: Path, native: bool) -> None:
    labels = lines(tmp_path / "gold.jsonl", PAGE_LABELS)
    run = trec(tmp_path / "run", {"q": ["p1", "p1"]})
    if native:
        run = lines(tmp_path / "run.jsonl", [{"query_id": "q", "retrieved": ["p1", "p1"]}])
    with pytest.raises(DataError, match="more than once"):
        scored(labels, run, ["rr"], Options(duplicates="error"), corpus=corpus)


def test_documents_without_a_corpus_are_ids(tmp_path: Path) -> None:
    labels = lines(
        tmp_path / "gold", [{"query_id": "q", "query": "?", "gold": [[{"doc_id": "d"}]]}]
    )
    found = scored(labels, trec(tmp_path / "run", {"q": ["x", "d"]}), ["rr"])
    assert by_query(found, ["rr"])["q"] == {"rr": 1 / 2}
    assert (units(found).unit, [w.kind for w in found.warnings]) == ("document", ["as_read"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '{"query_id": "q", "retrieved": ["a"]}\n{"query_id": "q", "retrieved": []}\n',
            "line 1 already",
        ),
        ('{"query_id": "q", "retrieved": ["a"]}\n{"query_id": "r"}\n', "has no `retrieved`"),
        (
            '{"query_id": "q", "retrieved": ["a"]}\n{"query_id": "r", "retrieved": "ab"}\n',
            "must be a list",
        ),
        ('{"query_id": "q", "retrieved": ["a"]}\nnonsense\n', ":2"),
    ],
)
def test_broken_native_runs(tmp_path: Path, corpus: Path, text: str, says: str) -> None:
    labels = lines(tmp_path / "gold.jsonl", PAGE_LABELS)
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(DataError, match=says):
        scored(labels, tmp_path / "run.jsonl", ["rr"], unit="page", corpus=corpus)


def test_a_text_alone_is_found_in_the_run_s_own_passages(tmp_path: Path) -> None:
    gold = [[{"text": "Revenue was $412 million in 2017."}]]
    labels = lines(tmp_path / "gold", [{"query_id": "q", "query": "?", "gold": gold}])
    texts = ["Nothing here.", "As told: revenue was $412 million in 2017. Thanks."]
    passages = [{"passage_id": f"p{n}", "text": text} for n, text in enumerate(texts)]
    run = lines(tmp_path / "run", [{"query_id": "q", "retrieved": passages}])
    assert by_query(scored(labels, run, ["rr"]), ["rr"])["q"] == {"rr": 1 / 2}


def test_labels_whose_unit_nothing_says_are_told(tmp_path: Path, corpus: Path) -> None:
    """The run holds one of two labelled passages of a document; a corpus says that they are one."""
    labels = lines(
        tmp_path / "gold", [{"query_id": "q", "query": "?", "qrels": {"p1": 1, "p3": 1}}]
    )
    run = lines(tmp_path / "run", [{"query_id": "q", "retrieved": CORPUS[:1]}])
    found = scored(labels, run, ["recall"], unit="document")
    assert by_query(found, ["recall"])["q"] == {"recall": 1 / 2}
    assert any("1 labelled passages stand in no list" in str(w) for w in found.warnings)
    known = scored(labels, run, ["recall"], unit="document", corpus=corpus)
    assert by_query(known, ["recall"])["q"] == {"recall": 1}
    assert known.warnings == ()


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize(
    ("stated", "labelled", "hit"),
    [(60, "p. 60", 1), ("IV", "iv", 1), ("page 061", 61, 1), ("\u0666\u0660", "060", 1), (60, 6, 0),
     ("60.0", 60, 0)],
)  # fmt: skip
def test_a_page_is_one_however_it_is_written(
    tmp_path: Path, native: bool, table: bool, stated: object, labelled: object, hit: int
) -> None:
    """By columns and list by list alike."""
    passage = {"passage_id": "a", "doc_id": "d", "page": stated, "text": "Words."}
    known = lines(tmp_path / "corpus.jsonl", [passage])
    labels = tmp_path / "labels.csv"
    labels.write_text(f"query_id,doc_id,page,grade\nq,d,{labelled},1\n", encoding="utf-8")
    if not table:
        gold = [[{"doc_id": "d", "page": labelled}]]
        labels = lines(tmp_path / "labels.jsonl", [{"query_id": "q", "query": "?", "gold": gold}])
    run = trec(tmp_path / "run", {"q": ["a"]})
    if native:
        run = lines(tmp_path / "run.jsonl", [{"query_id": "q", "retrieved": [passage]}])
    found = scored(labels, run, ["hit@1"], unit="page", corpus=known)
    assert by_query(found, ["hit@1"])["q"]["hit@1"] == hit


# --- near-duplicates

SAID = "Norvik spent 412 million on ships in the year 2017 and sold two of its old harbours"
TWINS = [
    {"passage_id": "a", "doc_id": "d", "text": SAID, "metadata": {"period": "FY2017"}},
    {"passage_id": "b", "doc_id": "d", "text": SAID.upper(), "metadata": {"period": "FY2017"}},
    {"passage_id": "c", "doc_id": "d", "text": SAID, "metadata": {"period": "FY2016"}},
    {"passage_id": "e", "doc_id": "d", "text": "Other words.", "metadata": {"duplicate_of": "f"}},
    {"passage_id": "f", "doc_id": "d", "text": "Words of its own."},
    {"passage_id": "g", "doc_id": "d", "text": "Last of all.", "metadata": {"duplicate_of": "e"}},
]
"""a = b by their texts; c is of another period; e is declared to be f, and g to be e: f and g are one
though no list holds e."""


@pytest.mark.parametrize(
    ("label", "ranked", "met_at"),
    [
        ("a", ["x", "b"], 2),
        ("b", ["c", "x", "a"], 3),
        ("g", ["x", "f"], 2),
        ("f", ["x", "a"], None),
    ],
)
@pytest.mark.parametrize("native", [False, True])
def test_a_group_is_one_whatever_the_list_holds(
    tmp_path: Path, native: bool, label: str, ranked: list[str], met_at: int | None
) -> None:
    """By columns and list by list alike: over the corpus, and never across periods."""
    known = lines(tmp_path / "corpus.jsonl", TWINS)
    labels = lines(tmp_path / "labels.jsonl", [{"query_id": "q", "qrels": {label: 1}}])
    texts = {one["passage_id"]: one for one in TWINS}
    run = trec(tmp_path / "run", {"q": ranked})
    if native:
        listed = [texts.get(key, {"passage_id": key, "text": "Nothing."}) for key in ranked]
        run = lines(tmp_path / "run.jsonl", [{"query_id": "q", "retrieved": listed}])
    found = scored(labels, run, ["rr"], corpus=known, near_duplicates="collapse")
    assert by_query(found, ["rr"])["q"]["rr"] == (0 if met_at is None else 1 / met_at)


@pytest.mark.parametrize("most_rows", [1, 3, 100])
def test_lists_of_a_big_run_are_read_in_parts(most_rows: int) -> None:
    rows = [("r", "c", 1.0), ("q", "a", 1.0), ("q", "b", 2.0), ("s", "d", 0.0), ("r", "a", 3.0)]
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    n_read = 0

    def blocks() -> list[pl.DataFrame]:
        nonlocal n_read
        n_read += 1
        return [frame.head(2), frame.tail(3)]

    found = dict(ranked_lists(Run(blocks), ["q", "r", "t"], Options(), most_rows=most_rows))
    assert found == {"q": ["b", "a"], "r": ["a", "c"]}
    assert n_read == 1 + -(-4 // most_rows)
