"""A figure that a passage gives to another company supports no claim."""

from __future__ import annotations

import pytest

from ragdiag.judging.screen import Screen
from ragdiag.records import CheckSupport, Claim, Finding, Passage, Verdict


@pytest.fixture(scope="module")
def screen() -> Screen:
    return Screen()


def finding(screen: Screen, claim: str, *texts: str) -> Finding:
    verdict = screen.reply(
        CheckSupport(
            query_id="q",
            query="What was it?",
            answer=claim,
            claims=(Claim(claim_id="c1", text=claim, start=0, end=len(claim)),),
            passages=tuple(Passage(passage_id=f"p{i}", text=t) for i, t in enumerate(texts)),
        )
    )
    assert isinstance(verdict, Verdict)
    return verdict.findings[0]


CLAIM = "Arden's oil revenue in the northern field was $512 million in 2017."


@pytest.mark.parametrize(
    ("texts", "label"),
    [
        ([CLAIM], "supported"),
        (["Arden plc's oil revenue in the northern field was $512 million in 2017."], "supported"),
        (["Brae's oil revenue in the northern field was $512 million in 2017."], "contradicted"),
        # its own sentence beside the other's
        ([CLAIM, "Brae's oil revenue in the northern field was $512 million in 2017."],
         "supported"),
        # named elsewhere: the two may belong together
        (["Brae's oil revenue in the northern field was $512 million in 2017. Arden is its owner."],
         None),
        (["The oil revenue in the northern field was $512 million in 2017."], "supported"),
    ],
)  # fmt: skip
def test_a_figure_of_another_company(screen: Screen, texts: list[str], label: str | None) -> None:
    assert finding(screen, CLAIM, *texts).label == label


def test_the_reason_names_both(screen: Screen) -> None:
    reason = finding(screen, CLAIM, CLAIM.replace("Arden", "Brae")).reason
    assert reason is not None
    assert reason.startswith("512 is of Arden here, of Brae in the passage")
