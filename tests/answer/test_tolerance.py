"""--number-tolerance: what an answer's amount may be off, everywhere that it is weighed."""

from __future__ import annotations

import pytest

from ragdiag.answer.correctness import decide
from ragdiag.pipeline import score_sample
from ragdiag.records import Judgement, Sample, Settings

# 1,580 is 0.19% from 1,577; 1,600 is 1.5% from it.
ASKED = "What was revenue in USD millions?"


@pytest.mark.parametrize(
    ("query", "reference", "answer", "tolerance", "label"),
    [
        (ASKED, "$1,577", "Revenue was $1,580 million.", None, None),
        (ASKED, "$1,577", "Revenue was $1,580 million.", 0, "incorrect"),
        (ASKED, "$1,577", "Revenue was $1,580 million.", 0.002, "correct"),
        (ASKED, "$1,577", "Revenue was $1,580 million.", 0.001, "incorrect"),
        (ASKED, "$1,577", "Revenue was $1,600 million.", None, "incorrect"),
        (ASKED, "$1,577", "Revenue was $1,600 million.", 0.02, "correct"),
        (ASKED, "$1,577", "Revenue was $1,577 million.", 0, "correct"),
        (ASKED, "$1,577", "Revenue was $1.577 billion.", 0, "correct"),
        (ASKED, "$1,577", "Revenue was $1.6 billion.", 0, "correct"),  # at its stated precision
        ("What is the ratio?", "63.86", "It is 64.09.", None, None),
        ("What is the ratio?", "63.86", "It is 64.09.", 0, "incorrect"),
        ("What is the ratio?", "63.86", "It is 64.09.", 0.01, "correct"),
        ("Which year was it?", "2016", "It was 2017.", 0.01, "incorrect"),  # years are exact
        ("How did it change?", "from 2,000 to 3,000", "from 2,004 to 3,005", 0.01, "correct"),
        ("How did it change?", "from 2,000 to 3,000", "from 2,004 to 3,005", 0, None),
        ("Name both amounts.", "2,000; 3,000", "2,004 and 3,005", 0.01, "correct"),
        ("Did it rise?", "Yes, by 2,000.", "Yes, by 2,004.", 0.01, "correct"),
        ("Did it rise?", "Yes, by 2,000.", "Yes, by 2,004.", 0, None),
    ],
)
def test_the_label(
    query: str, reference: str, answer: str, tolerance: float | None, label: str | None
) -> None:
    assert decide(query, [reference], answer, tolerance=tolerance) == label


@pytest.mark.parametrize(
    ("tolerance", "label", "number", "reason"),
    [
        (0.0, "incorrect", "wrong", "another value"),
        (0.002, "correct", "ok", "within the tolerance of 0.002"),
        (0.001, "incorrect", "wrong", "another value"),
    ],
)
def test_label_parts_and_diagnosis_agree(
    tolerance: float, label: str, number: str, reason: str
) -> None:
    sample = Sample.model_validate(
        {
            "query_id": "q",
            "query": ASKED,
            "reference": "$1,577",
            "gold": [[{"passage_id": "p"}]],
            "retrieved": [{"passage_id": "p", "text": "Revenue was $1,577 million."}],
            "answer": "Revenue was $1,580 million.",
        }
    )
    nothing = Judgement(query_id="q", sample_hash="")
    told = score_sample(sample, nothing, settings=Settings(number_tolerance=tolerance))
    assert told.labels["answer_correctness"].label == label
    assert (told.parts["number"].status, told.parts["number"].reason) == (number, reason)
    wrong = label == "incorrect"
    assert told.diagnosis.state["answer"] == ("wrong" if wrong else "correct",)
    assert told.diagnosis.state.get("numeric") == (("unexplained",) if wrong else None)
