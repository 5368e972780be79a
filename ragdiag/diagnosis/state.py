"""What a diagnosis reads: eleven inputs, each with a closed set of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

REACH = (
    "not_in_corpus",
    "lost_in_parse",
    "split",
    "not_retrieved",
    "below_k",
    "dropped_rerank",
    "dropped_context",
    "partial_in_context",
    "in_context",
)
"""How far the gold evidence came, from the least far to the context."""

VALUES: dict[str, tuple[str, ...]] = {
    "run": ("ok", "error"),
    "answerable": ("yes", "no"),
    "behaviour": ("answered", "abstained"),
    "answer": ("correct", "partial", "wrong"),
    "sufficiency": ("yes", "no"),
    "reach": REACH,
    "faithfulness": ("faithful", "extra", "unsupported", "contradicted"),
    "numeric": (
        "ok",
        "wrong_period",
        "wrong_entity",
        "wrong_metric",
        "wrong_formula",
        "scale",
        "sign_rounding_format",
        "unexplained",
        "none",
    ),
    "identity": ("right", "wrong_identity", "none"),
    "near_miss": ("period", "entity", "metric_or_page", "other", "none"),
    "citations": ("ok", "wrong", "missing", "not_required"),
}
"""The inputs with their values. Their order breaks ties between deciding inputs."""

INPUTS: tuple[str, ...] = tuple(VALUES)

Possible = Mapping[str, tuple[str, ...]]
"""By input, the values that it may have: one = known."""


@dataclass(frozen=True, slots=True)
class State:
    """One value for every input."""

    run: str = "ok"
    answerable: str = "yes"
    behaviour: str = "answered"
    answer: str = "correct"
    sufficiency: str = "yes"
    reach: str = "in_context"
    faithfulness: str = "faithful"
    numeric: str = "none"
    identity: str = "right"
    near_miss: str = "none"
    citations: str = "ok"


def every_state() -> Iterator[State]:
    """All combinations of all values, impossible ones included: the table must answer each."""
    for values in product(*VALUES.values()):
        yield State(*values)
