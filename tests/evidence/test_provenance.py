"""Provenance: ids resolve, pages exist, texts stand where the passages say they do."""

from __future__ import annotations

import pytest

from ragdiag.data.corpus import FileCorpus, read_corpus
from ragdiag.evidence.provenance import METRICS, gold_traces, trace, traces
from ragdiag.records import Passage
from tests.cases import case, passage
from tests.pdfs import write

PAGES = {
    "a#p1": ("a", 1, "Revenue was $412 million in 2017, up from $398 million."),
    "a#p2": ("a", 2, "The company’s equity production was 70 – 75 thousand barrels."),
}


class Pages:
    """A corpus of two pages."""

    data_hash, n_documents, n_passages = "h", 1, 2
    _all = tuple(
        Passage(passage_id=i, doc_id=d, page=p, object_id="text", text=t)
        for i, (d, p, t) in PAGES.items()
    )

    def has_document(self, doc_id):
        return doc_id == "a"

    def passages_of(self, doc_id):
        return self._all if doc_id == "a" else ()

    def passage(self, passage_id):
        return next((p for p in self._all if p.passage_id == passage_id), None)


@pytest.mark.parametrize(
    ("one", "tier"),
    [
        (passage("a#p1", "Revenue was $412 million in 2017"), "exact"),
        (passage("a#chunk7", "up from $398 million", page=1), "exact"),
        (passage("a#p2", "The company's equity production was 70 - 75"), "typographic"),
        ({"passage_id": "a#p1"}, "id_only"),
        (passage("b#p1", "Revenue"), "unknown_id"),
        (passage("a#chunk9", "Revenue was $412 million", page=9), "wrong_page"),
        (passage("a#chunk8", "up from $398 million", page="p. 1"), "exact"),
        ({"passage_id": "a#p1", "doc_id": "c", "text": "Revenue"}, "wrong_document"),
        (passage("a#p1", "Revenue was", object_id="table-9"), "wrong_object"),
        (passage("a#chunk3", "up from $398 million. The company's equity"), "typographic"),
        (
            passage("a#p1", "Revenue was $413 million in 2017, up from $398 million."),
            "text_differs",
        ),
    ],
)
def test_tiers(one, tier):
    (found,) = traces(case(retrieved=[one], corpus=Pages()))
    # a passage without text is filled from the corpus, and then stands there exactly
    assert found.tier == ("exact" if tier == "id_only" else tier)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("$412 million", ("a#p1", 12, 24, None)),
        ("company's equity", ("a#p2", 4, 20, None)),
        ("$398 million.\nThe company", ("a#p1", 42, 11, "a#p2")),
        ("nowhere at all", (None, None, None, None)),
    ],
)
def test_the_place_is_kept(text, place):
    (found,) = traces(case(retrieved=[passage("a#chunk", text)], corpus=Pages()))
    assert (found.found_in, found.start, found.end, found.runs_to) == place


def value(found):
    score = METRICS[0].compute(found)["provenance"]
    return score.value if score.status == "scored" else score.reason


def test_the_share_of_the_context_that_can_be_traced():
    good, bad = passage("a#p1", "Revenue was $412 million"), passage("z#1", "Revenue")
    assert value(case(retrieved=[good, bad], corpus=Pages())) == 0.5
    assert value(case(retrieved=[good], corpus=Pages())) == 1.0


def test_what_does_not_apply():
    assert value(case(retrieved=[passage("a#p1", "x")])) == "no_corpus"
    assert value(case(retrieved=[], corpus=Pages())) == "no_context"
    assert value(case(corpus=Pages())) == "no_context"
    assert value(case(corpus=Pages(), retrieved=[], error="x")) == "pipeline_error"
    assert traces(case(retrieved=[passage("a#p1", "x")])) == ()


REPORT = [
    *(f"Annual report\nNote {n}: costs were $ {400 + n} million in 2017." for n in range(1, 12)),
    "Balance sheet\nUSD millions 2017 2016\nRevenue 1,512 1,412\nThe board proposes a divi-",
    "dend of 1.40 a share, as\nin the year before.",
    "",
]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of 14 pages, the last a scan; the pages in front are i and ii."""
    folder = tmp_path_factory.mktemp("pdfs")
    write(folder / "sub" / "r.pdf", *REPORT, labels="0 << /S /r >> 2 << /S /D >>")
    write(folder / "other.pdf", "Another report.")
    return read_corpus(folder)


def located(found):
    return found.tier, found.found_in, found.page, found.runs_to


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"page": 3, "text": "costs were $ 403 million"}, ("exact", "sub/r#p3", 3, None)),
        ({"page": "p. 3", "text": "Note 3: costs"}, ("exact", "sub/r#p3", 3, None)),
        ({"page": "ii", "text": "Note 2: costs"}, ("exact", "sub/r#p2", 2, None)),
        ({"text": "Note 11: costs were"}, ("exact", "sub/r#p11", 11, None)),
        ({"doc_id": "sub/r.pdf", "text": "Note 3: costs"}, ("exact", "sub/r#p3", 3, None)),
        ({"page": 12, "text": "| Revenue | 1,512 | 1,412 |"}, ("fuzzy", "sub/r#p12", 12, None)),
        ({"page": 12, "text": "The board proposes a dividend of 1.40 a share"},
         ("typographic", "sub/r#p12", 12, "sub/r#p13")),
        ({"page": 13, "text": "The board proposes a dividend of 1.40 a share"},
         ("typographic", "sub/r#p12", 12, "sub/r#p13")),
        ({"page": 3}, ("id_only", "sub/r#p3", 3, None)),
        ({"page": 14, "text": "Signed by the board"}, ("no_text", "sub/r#p14", 14, None)),
        ({"page": 99}, ("wrong_page", None, None, None)),
        ({"page": 99, "text": "Note 3: costs"}, ("wrong_page", "sub/r#p3", 3, None)),
        ({"page": 99, "text": "Note 99: costs"}, ("wrong_page", None, None, None)),
        ({"page": 11, "text": "Note 3: costs"}, ("other_page", "sub/r#p3", 3, None)),
        ({"page": 4, "text": "| Revenue | 1,512 | 1,412 |"}, ("other_page", "sub/r#p12", 12, None)),
        ({"page": 12, "text": "| Revenue | 1,512 | 1,413 |"}, ("text_differs", None, None, None)),
        ({"text": "Nothing like it."}, ("text_differs", None, None, None)),
        ({"doc_id": "lost", "page": 3, "text": "Note 3"}, ("unknown_id", None, None, None)),
        ({"doc_id": None, "text": "Note 3: costs"}, ("unknown_id", None, None, None)),
        ({"passage_id": "sub/r#p3", "doc_id": "sub/r.pdf"}, ("id_only", "sub/r#p3", 3, None)),
        ({"passage_id": "sub/r#p3", "doc_id": "other"}, ("wrong_document", None, None, None)),
        ({"passage_id": "sub/r#p3", "page": 4}, ("other_page", None, None, None)),
        ({"passage_id": "sub/r#p3", "text": "Note 4: costs"}, ("other_passage", "sub/r#p4", 4, None)),
    ],
)  # fmt: skip
def test_pages_of_a_pdf(report, fields, place):
    one = Passage.model_validate({"passage_id": "chunk-1", "doc_id": "sub/r", **fields})
    assert located(trace(one, report)) == place


def test_what_is_stated_and_what_is_missing_are_kept(report):
    text = "Revenue 1,512 1,412\nCosts 900 800"
    one = Passage(passage_id="c", doc_id="sub/r", page=12, object_id="t1", text=text)
    found = trace(one, report)
    assert (found.tier, found.missing) == ("text_differs", "Costs 900 800")
    assert (found.doc_id, found.stated_page, found.object_id) == ("sub/r", 12, "t1")
    assert trace(one.model_copy(update={"text": "Nothing."}), report).missing is None
    found = trace(one.model_copy(update={"page": 99, "text": " Nothing. "}), report)
    assert (found.tier, found.missing) == ("wrong_page", "Nothing.")
    assert (
        trace(one.model_copy(update={"page": 1, "text": "Note 2: costs"}), report).page_label
        == "ii"
    )


def test_objects(report):
    known = Passage(passage_id="a#t1", doc_id="a", page=1, object_id="t1", text="Revenue 5")
    other = Passage(passage_id="a#t2", doc_id="a", page=1, object_id="t2", text="Costs 4")
    corpus = FileCorpus({p.passage_id: p for p in (known, other)}, "h")
    asked = {"passage_id": "c", "doc_id": "a", "page": 1}
    tiers = [
        trace(Passage(**asked, object_id=o, text=t), corpus)
        for o, t in (("t1", "Revenue 5"), ("t3", "Revenue 5"), ("t3", "x y z"), ("t1", "Costs 4"))
    ]
    assert [located(one)[:2] for one in tiers] == [
        ("exact", "a#t1"), ("wrong_object", "a#t1"), ("wrong_object", None), ("other_passage", "a#t2"),
    ]  # fmt: skip


def test_gold_is_traced_too(report):
    gold = [
        [{"doc_id": "sub/r", "page": 3}, {"doc_id": "sub/r", "page": 99}],
        [{"doc_id": "sub/r", "page": 3}, {"passage_id": "nowhere"}, {"text": "no place"}],
    ]
    found = gold_traces(case(gold=gold, corpus=report))
    assert [one.tier for one in found] == ["id_only", "wrong_page", "unknown_id"]
    assert gold_traces(case(gold=gold)) == ()


def test_pages_without_text_count_neither_way(report):
    scan = {"passage_id": "s", "doc_id": "sub/r", "page": 14, "text": "Signed"}
    good = {"passage_id": "g", "doc_id": "sub/r", "page": 3, "text": "Note 3"}
    assert value(case(retrieved=[scan, good], corpus=report)) == 1.0
    other = {**scan, "passage_id": "t"}
    assert value(case(retrieved=[scan, other, good], corpus=report)) == "undecided"
    assert value(case(retrieved=[scan], corpus=report)) == "undecided"
