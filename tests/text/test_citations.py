from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragdiag.records import GivenCitation
from ragdiag.text.citations import from_given, parse, strip_markers
from tests.growth import grows_linearly

IDS = ["d1", "d2", "d3"]


def cited(answer: str, ids: list[str] | None = None) -> list[tuple[int | None, str]]:
    return [
        (c.sentence, c.passage_id if c.passage_id else "?" + c.marker.strip("[]"))
        for c in parse(answer, IDS if ids is None else ids)
    ]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Rent is 5 [1].", [(0, "d1")]),
        ("Rent is 5.[1] Heat is 2.[2]", [(0, "d1"), (1, "d2")]),
        ("Rent is 5. [1] Heat is 2. [2]", [(0, "d1"), (1, "d2")]),
        ("[1] Rent is 5. [2] Heat is 2.", [(0, "d1"), (1, "d2")]),
        ("Rent is 5.\n[1]\nHeat is 2.\n[2]", [(0, "d1"), (1, "d2")]),
        ("Rent is 5.\n- [2] Heat is 2.", [(0 + 1, "d2")]),
        ("Rent is 5 [1]. [2] says heat is 2.", [(0, "d1"), (1, "d2")]),
        ("Rent is 5 [1] and heat is 2 [2].", [(0, "d1"), (0, "d2")]),
        ("Rent [1] is 5 [1].", [(0, "d1")]),
        ("Rent is 5 [1; 3].", [(0, "d1"), (0, "d3")]),
        ("Rent is 5 [1 and 2].", [(0, "d1"), (0, "d2")]),
        ("Rent is 5 [1][3].", [(0, "d1"), (0, "d3")]),
        ("Rent is 5 [1–3].", [(0, "d1"), (0, "d2"), (0, "d3")]),
        ("Rent is 5 [1]-[3].", [(0, "d1"), (0, "d2"), (0, "d3")]),
        ("Rent is 5 [2, 9].", [(0, "d2"), (0, "?9")]),
        ("Rent is 5 [doc1, Doc 2].", [(0, "d1"), (0, "d2")]),
        ("Rent is 5 [see 1, p. 4].", [(0, "d1")]),
        ("Rent is 5 [citation:2] ok.", [(0, "d2")]),
        ("Rent is 5 [[2]].", [(0, "d2")]),
        ("Rent is 5 [D3].", [(0, "d3")]),
        ("Rent is 5 [d9].", [(0, "?d9")]),
        ("Rent is 5 【2†lease.pdf】.", [(0, "d2")]),
        ("Rent is 5 【4:1†lease.pdf】.", [(0, "d2")]),
        ("家賃は5です。［１］光熱費は2です【2】。", [(0, "d1"), (1, "d2")]),
        ("किराया पाँच है [1]। गर्मी दो है [2]।", [(0, "d1"), (1, "d2")]),
        ("Rent is fixed¹. Heat is not²,³.", [(0, "d1"), (1, "d2"), (1, "d3")]),
        ("Rent is fixed¹².", [(0, "d1"), (0, "d2")]),
        ("Rent is 5.¹ Heat is 2.", [(0, "d1")]),
        ("Rent is 5 <sup>1</sup>.", [(0, "d1")]),
        ("Rent is 5 \\cite{d2}.", [(0, "d2")]),
        ("Rent is 5[^2].\n\n[^1]: d3\n[^2]: d1", [(0, "d1"), (None, "d3")]),
        ("Rent is 5 [0]. Heat is 2 [1].", [(0, "d1"), (1, "d2")]),
        ("Rent is 5 (1). Heat is 2 (2).", [(0, "d1"), (1, "d2")]),
        ("Rent is 5 (d2).", [(0, "d2")]),
        ("Rent is 5 (Source: d2).", [(0, "d2")]),
        ("Rent is 5 (Document 2).", [(0, "d2")]),
        ("Rent is in [the lease](d2).", [(0, "d2")]),
        ("Rent is in [the lease](http://x.org/d2).", [(0, "d2")]),
        ("Rent is 5 [1](http://x.org).", [(0, "d1")]),
        ("| a | [1] |\n| b | [2] |", [(0, "d1"), (1, "d2")]),
        ("Rent is 5. Heat is 2.\nSources: [1], [2]", [(None, "d1"), (None, "d2")]),
        ("Rent is 5. Heat is 2. Sources: [1], [2]", [(None, "d1"), (None, "d2")]),
        ("Rent is 5 [1].\n\n**References**\n- [1] lease\n- [2] bill", [(0, "d1"), (None, "d2")]),
        ("Rent is 5 [1].\n\nSources:\n[1] d3\n[2] d1", [(0, "d3"), (None, "d1")]),
        ("Sources: [1]", [(None, "d1")]),
        ("Rent is 5.\nSources:\n1. [d1]\n2. [d2]", [(None, "d1"), (None, "d2")]),
        ("Rent is 5. Heat is 2.\nSource: d1, d3", [(None, "d1"), (None, "d3")]),
        ("Rent is 5 (see [1]).", [(0, "d1")]),
        ("Rent is 5 ([1], [2]).", [(0, "d1"), (0, "d2")]),
        ("Rent is 5 [Source 1: the lease].", [(0, "d1")]),
        ("[1]", [(None, "d1")]),
        ("```\nx = a[2]\n```\nRent is 5 [1].", [(1, "d1")]),
        ("Rent is 5 [1 2].", [(0, "d1"), (0, "d2")]),
        ("Rent is 5 [d1-d3].", [(0, "d1"), (0, "d2"), (0, "d3")]),
        ("Rent is 5 \\[1\\].", [(0, "d1")]),
        ("Rent is 5 (Sources 1 and 2).", [(0, "d1"), (0, "d2")]),
        ("Rent is 5.\n\nSources:\n- [1]\n- [2]", [(None, "d1"), (None, "d2")]),
        ("Rent is 5.\n(Sources: [1], [2])", [(None, "d1"), (None, "d2")]),
        ("Rent is 5.\nSources: 1, 2", [(None, "d1"), (None, "d2")]),
        ("租金5。\n来源：[1]、[2]", [(None, "d1"), (None, "d2")]),
    ],
)
def test_forms(answer: str, expected: list[tuple[int | None, str]]):
    assert cited(answer) == expected


@pytest.mark.parametrize(
    "answer",
    ["Use `x = a[1]` here.", "```\na[1]\n```", "The CI is [1.3-1.7].", "The interval [1, 3] holds.",
     "x = a[1] and row_ids[0]", "y = total[2]", "Area 5 m² and x² is 3, 10³, E=mc².", "Ca²⁺ is it.",
     "Steps: (1) open it; (2) close it.", "A loss of $(1).", "It sank (9).", "Born in [2019].",
     "He [sic] said [...] - [x] done", "See [text](http://a.b) ![1](d1)", "[1-2000]", "[3-1]",
     "A share [5]% of it", "Rent (Smith, 2021).", "(1) Rent is 5.", "Rent is 5.", "",
     "² is a square", "E = mc² holds.", "The matrix is [[1, 2], [3, 4]].", "p in [0, 1].",
     "Rent is 5 [d1-d9].", "Sources: 2019 report", "Rent is 5.\nSources: 4, 5"],
)  # fmt: skip
def test_no_citations(answer: str):
    assert cited(answer) == []


@pytest.mark.parametrize(
    ("answer", "ids", "expected"),
    [
        ("Rent is 5 [fb#p60].", ["fb#p60", "fb#p61"], [(0, "fb#p60")]),
        ("Rent is 5 [fb#p99].", ["fb#p60", "fb#p61"], [(0, "?fb#p99")]),
        ("Rent is 5 [a:b, c].", ["a:b, c"], [(0, "a:b, c")]),
        ("Rent is 5 [a:b; c].", ["a:b", "c"], [(0, "a:b"), (0, "c")]),
        ("Rent is 5 [10].", ["7", "10"], [(0, "10")]),
        ("Rent is 5 [2].", ["7", "10"], [(0, "10")]),
        ("Rent is 5 [0].", ["0", "1"], [(0, "0")]),
        ("Rent is 5 (Smith et al., 2020).", ["smith2020", "lee1999"], [(0, "smith2020")]),
        ("Rent is 5 (Smith & Wu, 2020; Lee, 1999).", ["smith2020", "lee1999"],
         [(0, "smith2020"), (0, "lee1999")]),
        ("Rent is 5 [1].", [], [(0, "?1")]),
        ("Rent is 5 (rent).", ["rent"], []),
        ("Rent is 5 [rent].", ["rent"], [(0, "rent")]),
    ],
)  # fmt: skip
def test_ids(answer: str, ids: list[str], expected: list[tuple[int | None, str]]):
    assert cited(answer, ids) == expected


def test_places():
    answer = "Rent is 5 [1, 7]. Heat is 2 [2]."
    citations = parse(answer, IDS)
    assert [c.marker for c in citations] == ["1", "7", "[2]"]
    assert all(answer[c.start : c.end] == c.marker for c in citations)
    assert [c.dangling for c in citations] == [False, True, False]
    assert [answer[slice(*c.span)] for c in citations] == [
        "Rent is 5 [1, 7].", "Rent is 5 [1, 7].", "Heat is 2 [2].",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "clean"),
    [
        ("Rent is 5 [1][2].", "Rent is 5."),
        ("Rent is 5 (see [1], [2]).", "Rent is 5."),
        ("Rent is 5 [1], [2].", "Rent is 5."),
        ("Rent (5 [1]) is due.", "Rent (5) is due."),
        ("Rent is 5.[1] Heat is 2.", "Rent is 5. Heat is 2."),
        ("See [the lease](d2).", "See the lease."),
        ("According to [2], rent is 5.", "According to, rent is 5."),
        ("Rent is 5.\nSources: [1]", "Rent is 5.\n"),
        ("Nothing here.", "Nothing here."),
    ],
)
def test_strip_markers(answer: str, clean: str):
    text, offsets = strip_markers(answer, IDS)
    assert text == clean
    assert "".join(answer[i] for i in offsets) == text


def test_from_given():
    answer = "Rent is 5. Heat is 2. Gas is 1."

    def given(start: int, end: int, passage_id: str = "d1") -> list[tuple[int | None, str | None]]:
        found = from_given(
            answer, [GivenCitation(start=start, end=end, passage_id=passage_id)], IDS
        )
        return [(c.sentence, c.passage_id) for c in found]

    assert given(0, 4) == [(0, "d1")]
    assert given(5, 15) == [(0, "d1"), (1, "d1")]
    assert given(0, len(answer)) == [(None, "d1")]
    assert given(10, 10) == [(0, "d1")]
    assert given(10, 11) == [(0, "d1")]
    assert given(0, 4, "d8") == [(0, None)]
    assert from_given("", [GivenCitation(start=0, end=0, passage_id="d1")], IDS)[0].sentence is None


@pytest.mark.parametrize(
    "text",
    ["[1]" * 66_000, "[" * 200_000, "[1" * 100_000, "(" * 200_000, "`" * 200_000, "[1, " * 50_000,
     "<sup>" * 40_000, "【1†" * 60_000, "a[1]. " * 33_000, "Sources:\n" * 20_000 + "[1]",
     "[1] x\n" * 33_000, "[^1]: x\n" * 25_000, "¹" * 200_000, "(1)" * 66_000, "[a](b" * 40_000,
     "[1]-" * 50_000, "_" * 200_000 + "[1]", "x. Sources: " * 16_000 + "[1]"],
)  # fmt: skip
def test_linear(text: str):
    assert grows_linearly(lambda part: parse(part, IDS), text)


def test_shared_cases(shared: Path):
    for line in (shared / "cases" / "citations.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        expected = [
            (None if place == "answer" else place, passage_id)
            for place, ids in case["citations"]
            for passage_id in ids
        ]
        assert cited(case["answer"]) == expected, case["answer"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Smith (2020) says rent is 5.", [(0, "Smith_2020")]),
        ("Rent is 5. As Lee and Park (2019) show, heat is 2.", [(1, "lee-park-2019")]),
        ("Lee et al. (2019) show that rent is 5.", [(0, "lee-park-2019")]),
        ("Smith’s (2020) rent is 5.", [(0, "Smith_2020")]),
        ("Rent is 5 (Smith 2020; Lee & Park, 2019).", [(0, "Smith_2020"), (0, "lee-park-2019")]),
        ("In May (2020) rent was 5.", []),
        ("Jones (2020) says rent is 5.", []),
        ("(2020) was a year.", []),
    ],
)
def test_authors_and_years(answer: str, expected: list[tuple[int, str]]) -> None:
    found = parse(answer, ["Smith_2020", "lee-park-2019", "doc_7"])
    assert [(one.sentence, one.passage_id) for one in found] == expected
