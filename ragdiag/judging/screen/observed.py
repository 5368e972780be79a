"""What a model of the screen is given for a question, and what the screen's code makes of a score.

The screen itself is asked, with a model put in that notes its features and decides as it is told:
so what a model is fitted on is what it will be given, whatever the features are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ragdiag.judging.screen.judge import Screen
from ragdiag.judging.screen.model import Logistic, ScreenModel
from ragdiag.records import (
    CheckCorrectness,
    CheckSufficiency,
    CheckSupport,
    ExtractClaims,
    Question,
    Reply,
    Verdict,
)

Labels = tuple[str | None, str | None, str | None]


class Observed(NamedTuple):
    """The features of an item, and its label where the score is low, between, or high."""

    features: Mapping[str, float]
    labels: Labels


@dataclass(frozen=True)
class _Told(Logistic):
    """A model of score .5 that notes what it is given."""

    seen: list[Mapping[str, float]] = field(default_factory=list[Mapping[str, float]])

    def probability(self, features: Mapping[str, float]) -> float:
        self.seen.append(features)
        return 0.5


_SIDES = ((0.5, 0.6), (0.4, 0.6), (0.4, 0.5))
"""Thresholds with which .5 is low, between, or high."""


class Observer:
    """Asks one screen, so that texts are read once."""

    def __init__(self, screen: Screen | None = None) -> None:
        self._screen = Screen() if screen is None else screen
        self._model = self._screen.model

    def claims(self, question: ExtractClaims) -> Reply:
        """The claims of an answer, as the screen splits it."""
        return self._screen.reply(question)

    def answer(self, question: CheckSupport) -> Observed | None:
        """Of a whole answer; None where the screen needs no model to decide, or has none to ask."""
        return next(self._observe(question, "answer"), None)

    def claim(self, question: CheckSupport) -> list[Observed]:
        """Of each claim; none where there is no passage to compare with."""
        found = list(self._observe(question, "claim"))
        return found if len(found) == len(question.claims) else []

    def whole(self, question: CheckSufficiency | CheckCorrectness) -> Observed | None:
        """Of sufficiency or correctness; None where the screen does not use its model."""
        model = "sufficiency" if isinstance(question, CheckSufficiency) else "correctness"
        return next(self._observe(question, model), None)

    def _observe(self, question: Question, model: str) -> Iterator[Observed]:
        seen: list[Mapping[str, float]] = []
        sides: list[list[str | None]] = []
        for low, high in _SIDES:
            told = _Told((), (), 0.0, low, high)
            self._screen.model = ScreenModel({**self._model.models, model: told})
            sides.append(_labels(self._screen.reply(question), model))
            seen = seen or told.seen  # at a low score no passage is looked at alone
        self._screen.model = self._model
        for features, *labels in zip(seen, *sides, strict=False):
            yield Observed(features, (labels[0], labels[1], labels[2]))


def _labels(reply: Reply, model: str) -> list[str | None]:
    if not isinstance(reply, Verdict):
        return []
    if model == "claim":
        return [finding.label for finding in reply.findings]
    if model == "answer":
        return [] if reply.overall is None else [reply.overall.label]
    return [reply.label]
