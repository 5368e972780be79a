"""What the LLM must reply, as models whose JSON schema fits the strict mode of OpenAI.

Every field is required and has no default (`X | None` where it may be null); no dict, no Any, no
tuple. The models make the schema; replies are read item by item in `ragdiag.judging.reading`, so
that one bad item does not cost the others.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, create_model

Section = Literal["components", "passages", "sufficiency"]
SECTIONS: tuple[Section, ...] = ("components", "passages", "sufficiency")


class Output(BaseModel):
    """What all outputs share: no other keys."""

    model_config = ConfigDict(extra="forbid")


class ClaimOutput(Output):
    """One claim of an answer."""

    claim_id: str
    text: str
    quote: str
    needs_citation: bool


class ClaimsOutput(Output):
    """The claims of an answer."""

    reason: str
    abstains: bool
    claims: list[ClaimOutput]


class ClaimVerdictOutput(Output):
    """The verdict on one claim; passages by number."""

    claim_id: str
    reason: str
    quote: str | None
    quote_passage: int | None
    supporting: list[int]
    joint: list[int]
    verdict: Literal["supported", "partial", "contradicted", "not_found"]


class SupportOutput(Output):
    """The verdicts on all claims."""

    findings: list[ClaimVerdictOutput]


class ComponentOutput(Output):
    """Something that must be known, and whether the passages state it."""

    component_id: str
    component: str
    reason: str
    found: bool
    quote: str | None
    quote_passage: int | None


class IdentityOutput(Output):
    """Whether one passage is of what the question asks for."""

    passage: int
    reason: str
    quote: str | None
    field: Literal["report", "entity", "period", "metric", "unit", "page"] | None
    verdict: Literal["right", "wrong", "unknown"]


class SufficiencyOutput(Output):
    """Whether the passages allow a definite answer."""

    reason: str
    quote: str | None
    quote_passage: int | None
    verdict: Literal["sufficient", "insufficient"]


class CorrectnessOutput(Output):
    """How an answer compares with the references."""

    reason: str
    quote: str | None
    verdict: Literal["correct", "partial", "incorrect", "abstained"]


@functools.cache
def evidence_output(sections: tuple[Section, ...]) -> type[Output]:
    """The model of an evidence call in which only these sections are asked for."""
    types: dict[Section, Any] = {
        "components": list[ComponentOutput],
        "passages": list[IdentityOutput],
        "sufficiency": SufficiencyOutput,
    }
    fields: dict[str, Any] = {name: (types[name], ...) for name in SECTIONS if name in sections}
    return create_model("EvidenceOutput", __base__=Output, **fields)


@functools.cache
def _schema(model: type[Output]) -> dict[str, Any]:
    return model.model_json_schema()


def json_schema(model: type[Output]) -> dict[str, Any]:
    """The JSON schema as it is sent."""
    return _schema(model)


def all_outputs() -> Iterator[type[Output]]:
    """Every model that may be sent, for the lint and for the judge's version."""
    yield from (ClaimsOutput, SupportOutput, CorrectnessOutput)
    for mask in range(1, 2 ** len(SECTIONS)):
        yield evidence_output(tuple(s for i, s in enumerate(SECTIONS) if mask >> i & 1))
