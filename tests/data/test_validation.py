from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.capabilities import capabilities
from ragdiag.data.hints import look_alike
from ragdiag.data.validation import Validation, validate
from ragdiag.errors import DataError, UsageError


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def sample(query_id: object = "q1", **fields: object) -> dict[str, Any]:
    return {"query_id": query_id, "query": "What?", **fields}


def check(tmp_path: Path, *rows: dict[str, Any], **files: Path) -> Validation:
    return validate(write(tmp_path / "s.jsonl", *rows), **files)


def warned(validation: Validation) -> list[tuple[int | None, str, str]]:
    assert validation.ok, validation.problems
    return [(w.line, w.field, w.kind) for w in validation.warnings]


def test_sound_input_has_no_findings(tmp_path: Path) -> None:
    row = sample(
        reference=["r"],
        gold=[[{"passage_id": "p1"}]],
        retrieved=[{"passage_id": "p2", "text": "t"}, {"passage_id": "p1", "text": "u"}],
        context=["p1"],
        answer="x",
        citations=[{"start": 0, "end": 1, "passage_id": "p1"}],
    )
    found = check(tmp_path, row, sample("q2", retrieved=["p1"]))
    assert warned(found) == []
    assert found.n_samples == 2
    assert found.fields["query"] == 2
    assert found.fields["gold"] == 1
    found.require_ok()


def test_the_first_hundred_problems_then_counts(tmp_path: Path) -> None:
    rows = [sample(f"q{n}", answer=n) for n in range(130)] + [sample("x"), sample("x")]
    found = check(tmp_path, *rows)
    assert len(found.problems) == 100
    assert dict(found.counts) == {"wrong_type": 130, "repeated_query_id": 1}
    assert found.n_problems == 131
    with pytest.raises(DataError, match="131 problems in the input") as error:
        found.require_ok()
    assert error.value.n_problems == 131


@pytest.mark.parametrize(
    ("fields", "field", "kind"),
    [
        ({"reference": ""}, "reference", "empty_reference"),
        ({"reference": []}, "reference", "empty_reference"),
        ({"gold": []}, "gold", "empty_gold"),
        ({"query": "  "}, "query", "empty_query"),
        ({"note": 1}, "note", "unknown_field"),
        (
            {"retrieved": [{"passage_id": "p", "text": "t", "rank": 1}]},
            "retrieved[0].rank",
            "unknown_field",
        ),
        (
            {"retrieved": [{"passage_id": "p", "text": "t"}], "context": ["p", "z"]},
            "context[1]",
            "unresolved_id",
        ),
        (
            {"retrieved": [{"passage_id": "p", "text": "t"}], "context": ["p "]},
            "context[0]",
            "near_identical_id",
        ),
        (
            {
                "retrieved": ["p"],
                "answer": "A",
                "citations": [{"start": 0, "end": 1, "passage_id": "z"}],
            },
            "citations[0]",
            "unresolved_id",
        ),
        (
            {"retrieved": [{"passage_id": "p", "text": "What? "}]},
            "retrieved[0]",
            "context_is_question",
        ),
        ({"retrieved": ["a", "a"]}, "retrieved[1]", "duplicate_passage"),
        ({"stages": {"candidate": ["a"]}}, "stages.candidate", "unknown_stage"),
        ({"latency_ms": {"retrieve": -3}}, "latency_ms.retrieve", "below_zero"),
        ({"cost_usd": -0.1}, "cost_usd", "below_zero"),
        (
            {
                "retrieved": [{"passage_id": "a", "text": "1"}],
                "context": [{"passage_id": "a", "text": "2"}],
            },
            "context[0]",
            "conflicting_passage",
        ),
    ],
)
def test_warnings_of_one_sample(tmp_path: Path, fields, field: str, kind: str) -> None:
    assert warned(check(tmp_path, sample(**fields))) == [(1, field, kind)]


def test_gold_ids_that_occur_nowhere(tmp_path: Path) -> None:
    gold = [[{"passage_id": "g1"}, {"passage_id": "p2"}]]
    one = sample("a", gold=gold, retrieved=["p1"])
    found = check(tmp_path, one, sample("b", retrieved=["p2"], qrels={"g2": 1, "n": 0}))
    assert warned(found) == [(1, "gold", "gold_id_nowhere"), (2, "qrels", "gold_id_nowhere")]
    assert "no gold" not in found.warnings[0].message
    lost = check(tmp_path, sample("a", gold=[[{"doc_id": "zz"}]], retrieved=["p1"]))
    assert "are these ids of one corpus?" in lost.warnings[0].message
    corpus = write(
        tmp_path / "c.jsonl", {"doc_id": "zz", "text": "t"}, {"doc_id": "p1", "text": ""}
    )
    assert (
        warned(check(tmp_path, sample(gold=[[{"doc_id": "zz"}]], retrieved=["p1"]), corpus=corpus))
        == []
    )


@pytest.mark.parametrize(
    ("gold", "retrieved"),
    [("p1 ", "p1"), ("caf\u00e9", "cafe\u0301"), ("7", "007"), ("7.0", "7")],
)
def test_ids_that_differ_by_their_spelling_only(tmp_path: Path, gold: str, retrieved: str) -> None:
    row = sample(gold=[[{"passage_id": gold}]], retrieved=[retrieved])
    kinds = {kind for _, _, kind in warned(check(tmp_path, row))}
    assert "near_identical_id" in kinds
    found = check(tmp_path, sample(gold), sample(retrieved))
    assert warned(found)[0][2] == "near_identical_id"
    assert found.n_samples == 2  # a hint, never a silent trim


def test_look_alike_is_not_the_same() -> None:
    assert look_alike("a", ["a", "b"]) is None
    assert look_alike(" a", ["a", "b"]) == "a"


@pytest.mark.parametrize("hostile", ["0" * 200_000 + "x", "0" * 200_000 + ".0x", " " * 200_000])
def test_hostile_ids_take_linear_time(hostile: str) -> None:
    assert look_alike(hostile, [hostile + "y"] * 3) is None


def test_ids_of_two_types(tmp_path: Path) -> None:
    assert warned(check(tmp_path, sample(1), sample("2")))[0][1:] == ("query_id", "mixed_id_types")
    assert warned(check(tmp_path, sample("a"), sample("2"))) == []


def test_gold_given_as_retrieved(tmp_path: Path) -> None:
    def row(query_id: str, *retrieved: str) -> dict[str, Any]:
        return sample(query_id, gold=[[{"passage_id": "a"}]], retrieved=list(retrieved))

    kinds = [kind for _, _, kind in warned(check(tmp_path, row("1", "a"), row("2", "a")))]
    assert kinds == ["gold_as_retrieved"]
    assert warned(check(tmp_path, row("1", "a"), row("2", "b", "a"))) == []


def test_one_frequent_kind_does_not_hide_the_others(tmp_path: Path) -> None:
    rows = [sample(f"q-{n}", **{f"note{n}": 1}) for n in range(300)] + [sample("last", gold=[])]
    found = check(tmp_path, *rows)
    assert found.warning_counts == {"unknown_field": 300, "empty_gold": 1}
    assert found.warnings[-1].kind == "empty_gold"
    assert len(found.warnings) == 11


def test_equal_problems_are_one_at_its_first_place_with_their_number(tmp_path: Path) -> None:
    rows = [{"query_id": f"q{n}", "retrieved": ["a", None, "b", None]} for n in range(49)]
    found = check(tmp_path, *rows, {"query_id": "z", "query": 5})
    assert [(p.line, p.field) for p in found.problems] == [
        (1, "query"),
        (1, "retrieved[1]"),
        (50, "query"),
    ]
    assert found.problems[0].message == "the field is required and absent (×49)"
    assert found.problems[1].message.endswith(" (×98)")
    assert "×" not in found.problems[2].message
    assert dict(found.counts) == {"wrong_type": 99, "missing_field": 49}


def test_a_hundred_different_problems_are_shown_beside_many_equal_ones(tmp_path: Path) -> None:
    rows = [{"query_id": f"q{n}"} for n in range(200)]
    others = [sample(f"p{n}", answer=n) for n in range(120)]
    found = check(tmp_path, *rows, *others)
    assert len(found.problems) == 100
    assert dict(found.counts) == {"missing_field": 200, "wrong_type": 120}
    assert found.problems[0].message.endswith(" (×200)")


def test_one_absent_file_is_one_problem_and_two_are_two(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert dict(validate(one, corpus=one, labels=one).counts) == {"file_not_found": 1}
    found = validate([one, two], labels=two)
    assert [problem.file for problem in found.problems] == [str(one), str(two)]
    assert dict(found.counts) == {"file_not_found": 2}


TEXT = "Capital expenditure was $412 million in the year 2017."


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ({"retrieved": [TEXT, "p1"]}, ["retrieved[0]"]),
        ({"context": ["p1", TEXT]}, ["context[1]"]),
        ({"stages": {"candidates": ["p", "x" * 201]}}, ["stages.candidates[1]"]),
        ({"retrieved": ["x" * 200, "a b", "x" * 20 + " " + "y" * 19]}, []),
        ({"retrieved": [{"passage_id": TEXT}]}, []),
    ],
)
def test_texts_where_ids_belong(tmp_path: Path, fields: dict[str, Any], places: list[str]) -> None:
    found = check(tmp_path, sample(**fields))
    told = [w for w in found.warnings if w.kind == "text_as_id"]
    assert [w.field for w in told] == places
    wanted = 'looks like a text, not an id; write {"passage_id": …, "text": …}'
    assert all(w.message == wanted for w in told)


def test_queries_without_a_run_row_are_named(tmp_path: Path) -> None:
    queries = write(tmp_path / "q.jsonl", *(sample(f"t{n}") for n in range(20)))
    run = write(tmp_path / "r.jsonl", {"query_id": "t3", "retrieved": []})
    found = validate(queries=queries, run=run)
    first = found.warnings[0]
    assert (first.file, first.kind) == (str(run), "missing_in_run")
    assert first.message.startswith("19 queries have no run row: t0, t1, t2, t4, t5, t6, t7, t8, …")
    assert found.n_missing_in_run == 19


def test_a_warning_names_the_half_that_holds_the_field(tmp_path: Path) -> None:
    gold = [[{"passage_id": "g1"}, {"passage_id": "p "}]]
    queries = write(tmp_path / "q.jsonl", sample("x"), sample("a", gold=gold, reference=[]))
    run = write(
        tmp_path / "r.jsonl",
        {"query_id": "a", "retrieved": ["p", "p"]},
        {"query_id": "x", "retrieved": []},
    )
    told = {(w.kind, w.file, w.line) for w in validate(queries=queries, run=run).warnings}
    assert told == {
        ("empty_reference", str(queries), 2),
        ("near_identical_id", str(queries), 2),
        ("gold_id_nowhere", str(queries), 2),
        ("duplicate_passage", str(run), 1),
    }


def test_empty_input_is_a_problem(tmp_path: Path) -> None:
    assert dict(check(tmp_path).counts) == {"empty_file": 1}
    with pytest.raises(UsageError):
        validate()


def test_queries_and_run(tmp_path: Path) -> None:
    queries = write(tmp_path / "q.jsonl", sample("a"), sample("b", odd=1))
    run = write(
        tmp_path / "r.jsonl",
        {"query_id": "a", "retrieved": []},
        {"query_id": "z", "retrieved": []},
    )
    found = validate(queries=queries, run=run)
    assert (found.n_samples, found.n_missing_in_run, found.n_run_without_query) == (2, 1, 1)
    kinds = {"missing_in_run", "unknown_field", "run_without_query"}
    assert {kind for _, _, kind in warned(found)} == kinds
    assert "1 query has no run row: b (" in found.warnings[0].message
    other = write(tmp_path / "r.jsonl", {"query_id": "z", "retrieved": []})
    assert dict(validate(queries=queries, run=other).counts) == {"no_common_query_id": 1}


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    a, b = sample("a", answer="1"), sample("b", reference=["2"])
    plain = check(tmp_path, a, b)
    turned = check(tmp_path, b, dict(reversed(a.items())))
    packed = tmp_path / "p.gz"
    packed.write_bytes(gzip.compress((tmp_path / "s.jsonl").read_bytes(), mtime=0))
    halves = validate(
        queries=write(tmp_path / "q.jsonl", sample("a"), b),
        run=write(tmp_path / "r.jsonl", {"query_id": "a", "answer": "1"}, {"query_id": "b"}),
    )
    noted = check(tmp_path, a, {**b, "note": "left out"})
    assert {v.data_hash for v in (turned, validate(packed), halves, noted)} == {plain.data_hash}
    assert check(tmp_path, a).data_hash != plain.data_hash


def test_corpus_and_labels_are_checked_with_the_samples(tmp_path: Path) -> None:
    corpus = write(tmp_path / "c.jsonl", {"doc_id": "d", "text": "t"}, {"doc_id": "x"})
    labels = write(
        tmp_path / "l.jsonl",
        {"query_id": "q1", "check": "sufficiency", "label": "sufficient"},
        {"query_id": "q1 ", "check": "sufficiency", "label": "sufficient"},
        {"query_id": "q1", "check": "sufficiency", "label": "good"},
    )
    stages = {"candidates": ["d", "d2"]}
    row = sample(retrieved=["d"], stages=stages, context=["d"])
    found = check(tmp_path, row, corpus=corpus, labels=labels)
    assert dict(found.counts) == {"missing_field": 1, "bad_label": 1}
    assert dict(found.warning_counts) == {"unresolved_id": 1, "label_without_query": 1}
    assert "differs only in its spelling" in found.warnings[-1].message
    assert len(found.labels) == 1  # the others are bad, or of no sample
    assert found.corpus is not None
    assert found.corpus.has_document("d")


def test_capabilities(tmp_path: Path) -> None:
    found = check(
        tmp_path,
        sample("a", answer="x", reference=["r"], retrieved=[{"passage_id": "p", "text": "t"}]),
        sample("b", answer="x [1]", retrieved=["p"], gold=[[{"passage_id": "p"}]]),
    )
    table = {one.name.partition(",")[0]: one for one in capabilities(found)}
    ranked = table["precision"]
    assert (ranked.can_run, ranked.n, ranked.n_total) == (True, 1, 2)
    assert ranked.missing == (("gold or qrels", 1),)
    assert not table["judged"].can_run
    assert table["judged"].missing == (("qrels", 2),)
    assert table["abstention"].missing == ()
    assert table["provenance"].missing[0] == ("corpus", 2)
    assert table["diagnosis"].n == 2
    assert (table["answer_correctness"].n, table["faithfulness"].n) == (1, 1)


def test_real_files_are_sound(shared: Path) -> None:
    for path in sorted((shared / "real").glob("*.samples.jsonl")):
        labels = path.with_name(path.name.replace("samples", "labels"))
        found = validate(path, labels=labels)
        assert found.ok, found.problems[:3]
        assert set(found.warning_counts) <= {"gold_as_retrieved"}
