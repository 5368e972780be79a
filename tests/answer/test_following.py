"""What says no more than supported claims of the same answer is supported as they are."""

from __future__ import annotations

import pytest

from ragdiag.answer.claims import claim_results
from ragdiag.records import ClaimResult
from tests.cases import case, claims, finding, passage, people, support

PAGE = passage(
    "a#1", "The tax rate of Arden Bank was 24.6% in 2021 and 21.6% in 2022. Costs were $31 million."
)


def told(
    *texts: str,
    labels: tuple[str | None, ...],
    query: str = "How did the tax rate of Arden Bank change?",
    **more: object,
) -> tuple[ClaimResult, ...]:
    answer = " ".join(texts)
    found = case(
        claims(answer, *texts),
        support(
            *(finding(f"c{n}", label) for n, label in enumerate(labels, 1)),
        ),
        query=query,
        answer=answer,
        retrieved=[PAGE],
        **more,
    )
    return claim_results(found)


FROM_TO = "The tax rate fell from 24.6% in 2021 to 21.6% in 2022."


@pytest.mark.parametrize(
    ("first", "then", "label"),
    [
        # repeated: the same amounts and no other word
        (
            "Costs of Arden Bank were $31 million.",
            "Therefore, costs were $31 million.",
            "supported",
        ),
        ("Costs of Arden Bank were $31 million.", "Costs were about $31 million.", "supported"),
        ("Costs of Arden Bank were $31 million.", "Costs were $32 million.", "not_found"),
        ("Costs of Arden Bank were $31 million.", "Fees were $31 million.", "not_found"),
        ("Costs of Arden Bank were $31 million.", "Costs were not $31 million.", "not_found"),
        ("Costs of Arden Bank were $31 million.", "Costs of Hale were $31 million.", "not_found"),
        ("Costs of Arden Bank were $31 million.", "Costs in 2016 were $31 million.", "not_found"),
        ("Costs were not $31 million.", "Costs were $31 million.", "not_found"),
        # worked out: 24.6 - 21.6 = 3.0
        (FROM_TO, "This is a decrease of 3 percentage points.", "supported"),
        (FROM_TO, "This is a change of 3 percentage points.", "supported"),
        (FROM_TO, "This is an increase of 3 percentage points.", "not_found"),
        (FROM_TO, "This is a decrease of 4 percentage points.", "not_found"),
        (FROM_TO, "This is a decrease of 3 percentage points at Hale.", "not_found"),
    ],
)
def test_after_a_supported_claim(first: str, then: str, label: str) -> None:
    one, other = told(first, then, labels=("supported", "not_found"))
    assert one.label == "supported"
    assert other.label == label
    assert other.basis == one.basis == "judged"


def test_before_it_too_and_by_its_passages() -> None:
    one, other = told(
        "It is a decrease of 3 percentage points.", FROM_TO, labels=(None, "supported")
    )
    assert (one.label, one.reason) == ("supported", "24.6 - 21.6 = 3 percentage points")
    assert one.unscored is None
    assert one.supporting == other.supporting


@pytest.mark.parametrize("label", ["contradicted", "partial"])
def test_what_a_judge_denies_stays(label: str) -> None:
    _, other = told(
        "Costs of Arden Bank were $31 million.",
        "Therefore, costs were $31 million.",
        labels=("supported", label),
    )
    assert other.label == label


def test_the_word_of_people_stays() -> None:
    first, last = "Costs were $31 million at the bank.", "Costs were $31 million."
    answer = f"{first} {last}"
    found = case(
        claims(answer, first, last),
        support(finding("c1", "supported"), finding("c2", "supported")),
        people("support", findings=(finding("c2", "not_found"),)),
        query="What were the costs?",
        answer=answer,
        retrieved=[PAGE],
    )
    assert [one.label for one in claim_results(found)] == ["supported", "not_found"]


@pytest.mark.parametrize(
    ("then", "reference", "label"),
    [
        ("Yes, the tax rate of Arden Bank did fall in 2022.", "Yes, to 21.6%", "supported"),
        # It is no part of the answer that was called correct.
        ("Yes, the tax rate of Hale did fall in 2022.", "Yes, to 21.6%", "not_found"),
        ("Yes, the tax rate did fall for lack of profit.", "Yes, to 21.6%", "not_found"),
        # The answer is wrong: nothing carries it.
        ("Yes, the tax rate of Arden Bank did fall in 2022.", "No, to 25.9%", "not_found"),
    ],
)
def test_the_answer_itself(then: str, reference: str, label: str) -> None:
    other, _ = told(
        then,
        "The tax rate was 21.6% in 2022.",
        labels=("not_found", "supported"),
        query="Did the tax rate of Arden Bank fall in 2022?",
        reference=[reference],
    )
    assert other.label == label


def test_a_long_answer_is_read_in_linear_time() -> None:
    texts = [f"Item {n} costs {n}1.5 units." for n in range(400)]
    found = told(*texts, labels=("supported", *[None] * 399))
    assert sum(one.label == "supported" for one in found) < 10
