"""Answers that cite by page: which passage is meant, and when nothing is read."""

from __future__ import annotations

import pytest

from ragdiag.records import GivenCitation, Passage
from ragdiag.text.citations import strip_markers
from ragdiag.text.page_citations import citations_of

PAGES = tuple(
    Passage.model_validate({"passage_id": name, "doc_id": doc, "page": page, "text": "t"})
    for name, doc, page in (
        ("a", "NORVIK_2017_10K", 60),
        ("b", "NORVIK_2017_10K", 61),
        ("c", "BRAE_2017_10K", "12"),
    )
)


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("Revenue was $5 (p. 60).", [("a", 0, "(p. 60)")]),
        (
            "Revenue was 5 (page 60). Costs were 3 [p. 61].",
            [("a", 0, "(page 60)"), ("b", 1, "[p. 61]")],
        ),
        ("It was 5 (Norvik 2017 10-K, pp. 60-61).", [("a", 0, None), ("b", 0, None)]),
        ("It was 5 (pages 60 and 12).", [("a", 0, None), ("c", 0, None)]),
        ("Es waren 5 (S. 12).", [("c", 0, "(S. 12)")]),
        ("收入为5（第60页）。", [("a", 0, "（第60页）")]),
        (
            "It was 5. It fell.\n\nSource: NORVIK_2017_10K.pdf, page 60",
            [("a", None, "Source: NORVIK_2017_10K.pdf, page 60")],
        ),
        # No such page, or none of the document that is named.
        ("It was 5 (p. 99).", [(None, 0, "(p. 99)")]),
        ("It was 5 (BRAE 2017 10K, p. 60).", [(None, 0, "(BRAE 2017 10K, p. 60)")]),
        # Another form of citation is the one that counts.
        ("It was 5 [1] (see page 61).", [("a", 0, "[1]")]),
        # Pages that are no citation.
        ("See page 60 for more.", []),
        ("It rose (from page 3 of a book).", []),
        ("The book has 60 pages.", []),
        ("It was 5.", []),
    ],
)
def test_which_passage(answer: str, cited: list[tuple[str | None, int | None, str | None]]) -> None:
    found = citations_of(answer, None, PAGES)
    assert [(one.passage_id, one.sentence) for one in found] == [(c[0], c[1]) for c in cited]
    assert all(one.dangling is (one.passage_id is None) for one in found)
    for one, (_, _, marker) in zip(found, cited, strict=True):
        assert answer[one.start : one.end] == one.marker
        assert marker in (None, one.marker)


def test_what_cannot_be_told_is_not_read() -> None:
    answer = "Revenue was $5 (p. 60)."
    twice = (*PAGES, PAGES[0].model_copy(update={"passage_id": "a2"}))
    assert citations_of(answer, None, twice) == ()  # two passages of one page
    unpaged = (*PAGES, PAGES[0].model_copy(update={"page": None}))
    assert citations_of(answer, None, unpaged) == ()
    assert citations_of(answer, None, ()) == ()
    assert citations_of(answer, (), PAGES) == ()  # the system says that it cites nothing
    (given,) = citations_of(answer, [GivenCitation(start=0, end=7, passage_id="b")], PAGES)
    assert given.passage_id == "b"


def test_a_closing_line_of_sources_is_no_part_of_what_is_said() -> None:
    said = "Revenue was 5."
    for line in ("Source: n.pdf, page 60", "**Sources:** n.pdf, pp. 60, 61", "Quelle: n.pdf, S. 3"):
        assert strip_markers(f"{said}\n\n{line}\n")[0].strip() == said
    kept = "Source: n.pdf, page 60\nRevenue was 5."
    assert strip_markers(kept)[0] == kept
