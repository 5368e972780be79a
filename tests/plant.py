"""Texts about one plant, and the screen's word on them: what the tests of the screen share."""

from __future__ import annotations

from ragdiag.judging.screen import Screen
from ragdiag.records import CheckSufficiency, CheckSupport, Claim, Finding, Passage, Verdict

PLANT = (
    "The Norvik plant opened in 1987 on the east bank of the river Sund. "
    "It produced 120 million barrels of refined oil in 2017 and employed 450 people. "
    "The plant was not closed after the flood of 2019."
)
COOKING = "Knead the dough for ten minutes. Let it rise under a damp cloth until it has doubled."


def passages(*texts: str | None) -> tuple[Passage, ...]:
    return tuple(Passage(passage_id=f"p{i}", text=text) for i, text in enumerate(texts, 1))


def support(screen: Screen, claim: str, *texts: str | None) -> Verdict:
    made = Claim(claim_id="c1", text=claim, start=0, end=len(claim))
    reply = screen.reply(
        CheckSupport(
            query_id="q",
            query="What about the Norvik plant?",
            answer=claim,
            claims=(made,),
            passages=passages(*texts),
        )
    )
    assert isinstance(reply, Verdict)
    return reply


def finding(screen: Screen, claim: str, *texts: str | None) -> Finding:
    return support(screen, claim, *texts).findings[0]


def sufficiency(
    screen: Screen, query: str, *texts: str | None, history: tuple[tuple[str, str], ...] = ()
) -> Verdict:
    asked = CheckSufficiency(query_id="q", query=query, history=history, passages=passages(*texts))
    reply = screen.reply(asked)
    assert isinstance(reply, Verdict)
    return reply
