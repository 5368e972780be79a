"""What a judge gives back: labels, scores and diagnoses are pure functions of it and the sample."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ragdiag.records.base import Record
from ragdiag.records.question import Claim
from ragdiag.records.reasons import Basis, ErrorReason, UnscoredReason

Probability = float

Vote = tuple[str, str]
"""(who, what): a judge of several, and the label that it gave, or the reason why it gave none."""

NoLabel = UnscoredReason | ErrorReason
"""Why an item has no label; an error reason: the call broke, and the question is asked again."""


class Finding(Record):
    """The verdict on one item of a question: a claim, a passage or a component.

    item_id     the claim_id, the passage_id, or the component's text.
    label       a label of the check (support, evidence_identity "right" | "wrong:<field>",
                component "found" | "missing"); None = no label, `unscored` says why.
    score       probability (0-1) of the check's first label, where the judge computes one.
    supporting  every passage_id that alone supports the claim; `joint`: those needed together.
    quote       verbatim from `passage_id`.
    votes       what each member of a jury said; () where one judge answered.
    """

    item_id: str
    label: str | None
    unscored: NoLabel | None = None
    score: float | None = Field(default=None, ge=0, le=1)
    reason: str | None = None
    quote: str | None = None
    passage_id: str | None = None
    supporting: tuple[str, ...] = ()
    joint: tuple[str, ...] = ()
    votes: tuple[Vote, ...] = ()


class Overall(Record):
    """A label of the whole answer (or question), given beside the findings."""

    label: str | None
    score: float | None = Field(default=None, ge=0, le=1)


class Verdict(Record):
    """A judge's answer to one question.

    check      the question's `check` ("support", "sufficiency", "identity", "correctness").
    label      sufficiency and correctness: the label; None with `unscored` = no label.
               support: None, the labels are in `findings`. identity: as support, but people may
               label the sample as a whole.
    findings   one a claim (support), passage (identity) or component (sufficiency).
    overall    support only: faithful | unfaithful for the whole answer, where the judge says so.
    citation_support  support only, from people: supported | partial | unsupported of the sample.
    judge      who says so ("screen", "llm:MODEL", "people").
    trace      key of the raw reply in the judge cache; several, comma-separated, of several judges.
    votes      what each member of a jury said to the label (support: to the overall).
    """

    query_id: str
    check: str
    label: str | None = None
    unscored: NoLabel | None = None
    score: float | None = Field(default=None, ge=0, le=1)
    reason: str | None = None
    quote: str | None = None
    passage_id: str | None = None
    findings: tuple[Finding, ...] = ()
    overall: Overall | None = None
    citation_support: str | None = None
    basis: Basis = "judged"
    judge: str = ""
    trace: str | None = None
    votes: tuple[Vote, ...] = ()
    kind: Literal["verdict"] = "verdict"


class Claims(Record):
    """The answer to ExtractClaims. `abstains` None = the judge did not say.

    `discarded` counts the claims that did not align with the answer's text.
    """

    query_id: str
    check: str = "claims"
    claims: tuple[Claim, ...]
    abstains: bool | None = None
    discarded: int = 0
    basis: Basis = "judged"
    judge: str = ""
    trace: str | None = None
    kind: Literal["claims"] = "claims"


class Components(Record):
    """The answer to ListComponents: short noun phrases, each something that must be known."""

    query_id: str
    check: str = "components"
    components: tuple[str, ...]
    basis: Basis = "judged"
    judge: str = ""
    trace: str | None = None
    kind: Literal["components"] = "components"


class JudgeFailure(Record):
    """A question that got no usable answer: never a number, always with its reason.

    `reason` is of the closed lists: an unscored reason (the reply was unusable; status unscored)
    or an error reason (the call broke; status error).
    """

    query_id: str
    check: str
    reason: UnscoredReason | ErrorReason
    detail: str = ""
    raw: str | None = None
    judge: str = ""
    trace: str | None = None
    kind: Literal["failure"] = "failure"


Reply = Verdict | Claims | Components | JudgeFailure


class Usage(Record):
    """What the judge's calls cost. Tokens are None where the server did not tell.

    calls         requests that were answered by a server; `cached`: replies served from the cache.
    input_tokens  all of them; `cached_input_tokens` is the part that the vendor had in a cache of
                  its own. Reasoning tokens are a part of `output_tokens`.
    usd           None where a price or tokens are unknown.
    unknown_calls calls whose tokens are unknown, in whole or in part.
    by_check      the same by call: "claims", "support", "correctness", and "evidence" (components,
                  sufficiency and identity share theirs).
    """

    calls: int = 0
    cached: int = 0
    input_tokens: int | None = 0
    cached_input_tokens: int | None = 0
    output_tokens: int | None = 0
    usd: float | None = 0.0
    unknown_calls: int = 0
    by_check: dict[str, Usage] = Field(default_factory=dict[str, "Usage"])

    def __add__(self, other: Usage) -> Usage:
        """The sum; a figure that one part does not know is unknown in the sum (None, never 0)."""

        def add(a: float | None, b: float | None) -> Any:
            return None if a is None or b is None else a + b

        by_check = dict(self.by_check)
        for name, usage in other.by_check.items():
            by_check[name] = by_check[name] + usage if name in by_check else usage
        return Usage(
            calls=self.calls + other.calls,
            cached=self.cached + other.cached,
            input_tokens=add(self.input_tokens, other.input_tokens),
            cached_input_tokens=add(self.cached_input_tokens, other.cached_input_tokens),
            output_tokens=add(self.output_tokens, other.output_tokens),
            usd=add(self.usd, other.usd),
            unknown_calls=self.unknown_calls + other.unknown_calls,
            by_check=by_check,
        )

    def of_check(self, name: str) -> Usage:
        """The same usage, told to be of one check alone; nothing spent stays without a name."""
        if self == Usage():
            return self
        return self.model_copy(update={"by_check": {name: self}})


class Judgement(Record):
    """All that judges said of one sample: one line of verdicts.jsonl.

    sample_hash  of the sample that was judged.
    asked_with   hash of who was asked, and of the settings and the corpus that a judge sees.
    """

    query_id: str
    sample_hash: str
    asked_with: str = ""
    replies: tuple[Reply, ...] = ()
    usage: Usage = Usage()
