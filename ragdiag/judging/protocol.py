"""What a judge is: anything that answers the closed set of questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from ragdiag.records import Question, Reply, Usage


class Judge(Protocol):
    """Answers questions, each on its own, in the order asked.

    The questions of one call belong to one sample, so that several may share a request. A question
    that a judge cannot answer comes back as a Verdict without a label (`unscored="undecided"`) or,
    where something broke, as a JudgeFailure. A judge never raises for one question's sake.
    """

    @property
    def name(self) -> str:
        """As printed: "screen", "llm:MODEL"."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever answers to the same questions may change (prompts, weights, tables)."""
        ...

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """Same length and order as `questions`."""
        ...


@dataclass(frozen=True)
class Answer:
    """The replies, one a question in order, and what they cost."""

    replies: tuple[Reply, ...]
    usage: Usage = field(default_factory=Usage)
