"""The decision table: ordered rows, the first that holds names the code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragdiag.diagnosis.state import State


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its code and its own condition, which does not lean on the rows before it.

    `rest` marks a row that takes what the rows before it leave over: it is never a flag.
    """

    code: str
    holds: Callable[[State], bool]
    rest: bool = False


def _unanswerable(s: State) -> bool:
    return s.answerable == "no"


def _abstained(s: State) -> bool:
    return s.answerable == "yes" and s.behaviour == "abstained"


def _correct(s: State) -> bool:
    return s.answerable == "yes" and s.behaviour == "answered" and s.answer == "correct"


def _lost(s: State) -> bool:
    """No right answer, and the context did not allow one: a stage before the generator failed."""
    if s.answerable == "no" or (s.behaviour == "answered" and s.answer == "correct"):
        return False
    return s.sufficiency == "no"


def _missed(s: State) -> bool:
    """Lost, and not because the gold or the judge is in dispute."""
    return _lost(s) and s.reach != "in_context"


def _misused(s: State) -> bool:
    """Answered, not correct, although the context allowed it: the generator failed."""
    if s.answerable == "no" or s.behaviour == "abstained" or s.answer == "correct":
        return False
    return s.sufficiency == "yes"


def _unsupported(s: State) -> bool:
    return (
        s.sufficiency == "no"
        or s.faithfulness in ("unsupported", "contradicted")
        or s.identity == "none"
    )


def _number_right(s: State) -> bool:
    return s.numeric in ("ok", "none", "unexplained")


RULES: tuple[Row, ...] = (
    Row("X1", lambda s: s.run == "error"),
    Row("U1", lambda s: _unanswerable(s) and s.behaviour == "abstained"),
    Row("U3", lambda s: _unanswerable(s) and s.sufficiency == "yes"),
    Row("U2", _unanswerable, rest=True),
    Row(
        "X3",
        lambda s: s.answerable == "yes" and s.sufficiency == "no" and s.reach == "in_context",
    ),
    Row("G1", lambda s: _abstained(s) and s.sufficiency == "yes"),
    # Correct answers.
    Row(
        "A1",
        lambda s: _correct(s) and s.identity == "wrong_identity" and s.reach != "in_context",
    ),
    Row("A2", lambda s: _correct(s) and _unsupported(s)),
    # Only a sufficient context can hint at missing labels; A2 has taken the others already.
    Row("A3", lambda s: _correct(s) and s.sufficiency == "yes" and s.reach != "in_context"),
    Row("A4", lambda s: _correct(s) and (s.citations == "wrong" or s.identity == "wrong_identity")),
    Row("A5", lambda s: _correct(s) and s.citations == "missing"),
    Row("A6", lambda s: _correct(s) and s.faithfulness == "extra"),
    Row("K1", _correct, rest=True),
    # Not correct (or abstained) and insufficient: the earliest stage that lost the evidence.
    Row("D1", lambda s: _lost(s) and s.reach == "not_in_corpus"),
    Row("D2", lambda s: _lost(s) and s.reach == "lost_in_parse"),
    Row("D3", lambda s: _lost(s) and s.reach == "split"),
    Row("R3", lambda s: _lost(s) and s.reach == "below_k"),
    Row("R4", lambda s: _lost(s) and s.reach == "dropped_rerank"),
    Row("R5", lambda s: _lost(s) and s.reach == "dropped_context"),
    Row("R6", lambda s: _lost(s) and s.reach == "partial_in_context"),
    Row("R2a", lambda s: _missed(s) and s.near_miss == "period"),
    Row("R2b", lambda s: _missed(s) and s.near_miss == "entity"),
    Row("R2c", lambda s: _missed(s) and s.near_miss == "metric_or_page"),
    Row("R1", _lost, rest=True),
    # Answered, not correct and sufficient.
    Row(
        "G7",
        lambda s: (
            _misused(s)
            and s.answer == "partial"
            and s.faithfulness in ("faithful", "extra")
            and _number_right(s)
        ),
    ),
    Row("G3a", lambda s: _misused(s) and s.numeric == "wrong_period"),
    Row("G3b", lambda s: _misused(s) and s.numeric == "wrong_entity"),
    Row("G3c", lambda s: _misused(s) and s.numeric == "wrong_metric"),
    Row("G4", lambda s: _misused(s) and s.numeric == "wrong_formula"),
    Row("G5", lambda s: _misused(s) and s.numeric == "scale"),
    Row("G6", lambda s: _misused(s) and s.numeric == "sign_rounding_format"),
    Row("G2", lambda s: _misused(s) and s.faithfulness == "contradicted"),
    Row("G9", lambda s: _misused(s) and s.faithfulness == "unsupported"),
    Row("X4", lambda s: _misused(s) and s.reach != "in_context"),
    Row("G8", lambda s: True, rest=True),
)

STAGE_CODES = frozenset(("D1", "D2", "D3", "R1", "R2a", "R2b", "R2c", "R3", "R4", "R5", "R6"))
"""What `the stage code` of the table may be."""


def code_of(state: State) -> str:
    """The code of the first row that holds; the last row always does."""
    return next(row.code for row in RULES if row.holds(state))


def flags_of(state: State) -> tuple[str, ...]:
    """Codes of the other rows whose own condition holds, then what the behaviour adds.

    No row speaks beside a pipeline error.
    """
    primary = code_of(state)
    if primary == "X1":
        return ()
    rows = tuple(
        row.code for row in RULES if not row.rest and row.code != primary and row.holds(state)
    )
    return (*rows, *(flag for flag, holds in BEHAVIOUR_FLAGS if holds(state)))


def _safe_abstention(s: State) -> bool:
    return _abstained(s) and _missed(s)


def _should_have_abstained(s: State) -> bool:
    return s.behaviour == "answered" and s.answer == "wrong" and _missed(s)


BEHAVIOUR_FLAGS: tuple[tuple[str, Callable[[State], bool]], ...] = (
    ("safe_abstention", _safe_abstention),
    ("should_have_abstained", _should_have_abstained),
)
"""What the behaviour adds to a stage code."""
