from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragdiag.text.sentences import split
from tests.growth import grows_linearly

CASES = [
    ["Dr. Lee left.", "He ran."],
    ["It rose, e.g. in Fig. 3 of the note."],
    ["Sales rose 3.4% in Q1.", "They fell in Q2."],
    ["The U.S. market grew.", "It shrank in the U.K.", "The town knew."],
    ["She works at Acme Inc.", "He does not."],
    ["Acme Inc. is big.", "It is No. 5 of all."],
    ["He said no.", "She left."],
    ["J. K. Moss and Mrs. Lee et al. agreed."],
    ["He lives in St. Ives.", "She lives in Elm St.", "It is far."],
    ["It costs approx. $5.", "Fine."],
    ["It was 5 p.m. when he came.", "He left at 6 p.m.", "They slept."],
    ["Is it?", "Yes!", "No...", "Perhaps."],
    ['"Really?" he asked.', '"Yes!" she said.'],
    ["It ended (see above.)", "The next began."],
    ["rent is 5.", "heat is 2."],
    ["橋は長い。", "川は短い"],
    ["「はい。」と言った。", "次。"],
    ["真的吗？", "是！", "好"],
    ["هل هذا صحيح؟", "نعم."],
    ["یہ ہے۔", "وہ ہے۔"],
    ["यह है।", "वह है।"],
    ["ฉันไป บ้าน วันนี้"],
    ["នេះ។", "នោះ។"],
    ["Das ist z.B. gut.", "Am 3. Oktober kam Dr. Weiß."],
    ["M. Petit est dans la ville.", "Mme. Roux est là."],
    ["The Ph.D. student left.", "She has an M.D. degree."],
    ["Yes.", "No.", "Maybe."],
    ["Wait…", "What is it?"],
    ["Ft. Knox is far.", "The avg. was 5."],
    ["（これは注。）", "次の文。"],
    ["『本。』を読んだ。", "寝た。"],
    ["В 2020 г. было так.", "Он ушёл."],
]


@pytest.mark.parametrize("sentences", CASES, ids=lambda case: case[0][:20])
def test_split(sentences: list[str]):
    glue = "" if ord(sentences[0][0]) > 0x2FFF else " "
    assert [s.text for s in split(glue.join(sentences))] == sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Open it.\n2. Close it.", ["1. Open it.", "2. Close it."]),
        ("1. Open it. 2. Close it.", ["1. Open it.", "2. Close it."]),
        ("- one\n* two\n• three", ["- one", "* two", "• three"]),
        ("| a | b |\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("Heading\n\nBody text. More.", ["Heading", "Body text.", "More."]),
        ("Rent is 5.Heat is 2.", ["Rent is 5.", "Heat is 2."]),
        ("It is late.The rent is due.", ["It is late.", "The rent is due."]),
        (
            "The rent of the flat in the old town\nis due on the first day of every month.",
            ["The rent of the flat in the old town", "is due on the first day of every month."],
        ),
        (
            "The rent of the flat in the old part of town\nis due.",
            ["The rent of the flat in the old part of town\nis due."],
        ),
        ("| a long row of a table with words in it ok\nb", None),
        ("Wow!!! \U0001f600 ", ["Wow!!! \U0001f600"]),
        ("So:\n```py\na = 1. \nB = 2\n```\nDone.", ["So:", "```py\na = 1. \nB = 2\n```", "Done."]),
        ("```\nnever closed", ["```", "never closed"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_lines(text: str, expected: list[str] | None):
    found = [s.text for s in split(text)]
    assert found == expected if expected is not None else len(found) == 2


@given(st.text(alphabet=st.sampled_from('ab A.?!\n\t1。؟।)("“” é-|'), max_size=80) | st.text())
def test_covers_all(text: str):
    sentences = split(text)
    assert all(text[s.start : s.end] == s.text == s.text.strip() != "" for s in sentences)
    ends = [0, *[s.end for s in sentences], len(text)]
    starts = [*[s.start for s in sentences], len(text)]
    assert all(not text[a:b].strip() for a, b in zip(ends, starts, strict=False))


@pytest.mark.parametrize(
    "text",
    ["a. " * 66_000, "(" * 200_000, "1. " * 66_000, "a\n" * 100_000, "é." * 100_000,
     "Dr. " * 50_000,
     "this is a long line that goes on and on and on so\n" * 4_000, "」" * 200_000],
)  # fmt: skip
def test_linear(text: str):
    assert grows_linearly(split, text)


def test_shared_cases(shared: Path):
    for line in (shared / "cases" / "sentences.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        assert len(split(case["text"])) == case["n"], case["text"]
