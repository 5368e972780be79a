"""Provenance: ids resolve, pages exist, texts stand where the passages say they do."""

from __future__ import annotations

import pytest

from ragdiag.evidence.provenance import METRICS, traces
from ragdiag.records import Passage
from tests.cases import case, passage

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
