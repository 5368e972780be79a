"""What each rung gives to a generator: contexts, gold by id, page, text and grade, and what lacks."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.data.corpus import FileCorpus
from ragdiag.diagnosis.rungs import left_out, rungs_of
from ragdiag.records import RUNGS, Passage, Sample, Settings
from ragdiag.text.case import Case

TEXT = "In 2017 the plant produced 120 million barrels of refined oil."
HEAD, TAIL = "In 2017 the plant produced 120 million", "barrels of refined oil."
MORE = "The harbour was closed in the winter of that year."


def passage(name: str, text: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"passage_id": name, "text": f"Text of {name}." if text is None else text, **fields}


def bare(name: str) -> dict[str, Any]:
    return {"passage_id": name}


def case(*corpus: dict[str, Any], **fields: Any) -> Case:
    full = {"query_id": "q", "query": "How much?", "reference": ["120"], "retrieved": [passage("a"), passage("b")],
            "gold": [[{"passage_id": "g"}]]}  # fmt: skip
    known = {row["passage_id"]: Passage.model_validate(row) for row in corpus}
    sample = Sample.model_validate({k: v for k, v in (full | fields).items() if v is not None})
    return Case(sample, settings=Settings(), corpus=FileCorpus(known, "hash") if corpus else None)


def told(case: Case) -> list[str]:
    """By rung: ids, with a text that is not of its id; "= rung"; or "! why"."""
    found: list[str] = []
    for rung in rungs_of(case):
        if rung.passages is None:
            found.append(f"! {rung.not_available}")
        elif rung.same_as is not None:
            found.append(f"= {rung.same_as}")
        else:
            found.append(" ".join(_shown(one) for one in rung.passages))
    assert [rung.name for rung in rungs_of(case)] == list(RUNGS)
    return found


def _shown(one: Passage) -> str:
    return (
        one.passage_id
        if one.text == f"Text of {one.passage_id}."
        else f"{one.passage_id}:{one.text}"
    )


PAGE = {"doc_id": "d", "page": 7}
GRADES = {"r1": 1.0, "a": 2.0, "no": 0.0, "r2": 3.0}

ROWS = [
    # sample, corpus, retrieved, gold appended, gold only
    ({}, [passage("g")], "a b", "a b g", "g"),
    ({"gold": [[{"passage_id": "g", "text": "Said."}]]}, [], "a b", "a b g:Said.", "g:Said."),
    # The corpus's text, as the retriever would have brought it, before the gold's own.
    ({"gold": [[{"passage_id": "g", "text": "Said."}]]}, [passage("g")], "a b", "a b g", "g"),
    ({"stages": {"candidates": [passage("g"), bare("a")]}}, [], "a b", "a b g", "g"),
    ({}, [], "a b", "! no text of the gold passage 'g'", "! no text of the gold passage 'g'"),
    ({"gold": None}, [], "a b", "! no gold", "! no gold"),
    # Already in the context, first or last.
    ({"retrieved": [passage("g"), passage("a")]}, [], "g a", "= retrieved", "g"),
    ({"retrieved": [passage("g")]}, [passage("g")], "g", "= retrieved", "= retrieved"),
    # Half of a set is there: the other half is added, and stands beside it in the gold alone.
    ({"gold": [[{"passage_id": "a"}, {"passage_id": "g"}]]}, [passage("g")], "a b", "a b g", "a g"),
    # Of alternatives the one that came furthest.
    ({"gold": [[{"passage_id": "x"}, {"passage_id": "y"}], [{"passage_id": "a"}, {"passage_id": "g"}]]},
     [passage("x"), passage("y"), passage("g")], "a b", "a b g", "a g"),
    ({"context": []}, [passage("g")], "= closed_book", "g", "= gold_appended"),
    ({"context": ["b"]}, [passage("g")], "b", "b g", "g"),
    ({"retrieved": [bare("a"), passage("b")]}, [passage("a"), passage("g")], "a b", "a b g", "g"),
    ({"retrieved": [bare("a"), passage("b")]}, [passage("g")], "! no text of 'a'", "! no text of 'a'", "g"),
    ({"retrieved": [bare(n) for n in "abcde"]}, [passage("g")], "! no text of 'a', 'b', 'c' and 2 more",
     "! no text of 'a', 'b', 'c' and 2 more", "g"),
    ({"retrieved": None}, [passage("g")], "! the sample does not say what was retrieved",
     "! the sample does not say what was retrieved", "g"),
    # Of a page: its passages, those with the text where it is stated, else the text itself.
    ({"gold": [[PAGE]]}, [passage("p1", doc_id="d", page=7), passage("p2", doc_id="d", page=7),
     passage("p3", doc_id="d", page=8)], "a b", "a b p1 p2", "p1 p2"),
    ({"gold": [[{**PAGE, "text": TEXT}]]}, [passage("p1", MORE, doc_id="d", page=7),
     passage("p2", TEXT, doc_id="d", page=7)], "a b", f"a b p2:{TEXT}", f"p2:{TEXT}"),
    ({"gold": [[{**PAGE, "text": TEXT}]]}, [passage("p1", doc_id="d", page=7)], "a b",
     f"a b d#7:{TEXT}", f"d#7:{TEXT}"),
    ({"gold": [[PAGE]]}, [passage("p3", doc_id="d", page=8)], "a b",
     "! no text of the gold doc_id=d page=7", "! no text of the gold doc_id=d page=7"),
    ({"gold": [[{"text": TEXT}]]}, [], "a b", f"a b passage#1:{TEXT}", f"passage#1:{TEXT}"),
    # There already, in a passage that the corpus has cut otherwise.
    ({"gold": [[{"doc_id": "d", "text": TEXT}]], "retrieved": [passage("z", f"{TEXT} {MORE}", doc_id="d")]},
     [passage("c1", TEXT, doc_id="d")], f"z:{TEXT} {MORE}", "= retrieved", f"c1:{TEXT}"),
    # Chunking split it: both chunks.
    ({"gold": [[{"doc_id": "d", "text": TEXT}]]}, [passage("c1", HEAD, doc_id="d"), passage("c2", MORE, doc_id="d"),
     passage("c3", TAIL, doc_id="d")], "a b", f"a b c1:{HEAD} c3:{TAIL}", f"c1:{HEAD} c3:{TAIL}"),
    ({"gold": [[{"doc_id": "d", "start": 0, "end": 20}]]}, [passage("c1", doc_id="d", start=0, end=10),
     passage("c2", doc_id="d", start=10, end=20), passage("c3", doc_id="d", start=20, end=30)], "a b", "a b c1 c2", "c1 c2"),
    # A whole document: where it is short.
    ({"gold": [[{"doc_id": "d"}]]}, [passage("c1", doc_id="d"), passage("c2", doc_id="d")], "a b", "a b c1 c2", "c1 c2"),
    ({"gold": [[{"doc_id": "d"}]]}, [passage(f"c{n}", doc_id="d") for n in range(6)], "a b",
     "! gold names the document 'd' as a whole, and no text of it", "! gold names the document 'd' as a whole, and no text of it"),
    # Grades: all that are relevant, the best first.
    ({"gold": None, "qrels": GRADES}, [passage("r1"), passage("r2")], "a b", "a b r2 r1", "r2 a r1"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "corpus", "retrieved", "appended", "only"), ROWS)
def test_rungs(fields: Any, corpus: Any, retrieved: str, appended: str, only: str) -> None:
    assert told(case(*corpus, **fields)) == ["", retrieved, appended, only]


def test_at_most_ten_graded_passages_are_given() -> None:
    graded = case(
        *(passage(f"r{n}") for n in range(40)),
        gold=None,
        qrels={f"r{n}": 1.0 + n for n in range(40)},
    )
    assert told(graded)[3].split() == [f"r{n}" for n in range(39, 29, -1)]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, None),
        ({"answerable": False}, "unanswerable"),
        ({"reference": ["The report does not say."]}, "unanswerable"),
        ({"reference": []}, "no_reference"),
        ({"reference": ["  "]}, "no_reference"),
        ({"gold": None}, None),
    ],
)
def test_no_ladder_where_no_answer_would_be_right(fields: Any, why: str | None) -> None:
    assert left_out(case(**fields)) == why
