"""What comes out for one query: scores, labels, claims, and the diagnosis."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from ragdiag.records.base import Record
from ragdiag.records.reasons import (
    ERROR,
    NOT_APPLICABLE,
    UNSCORED,
    Basis,
    Status,
    UnscoredReason,
)
from ragdiag.records.verdict import Usage


class Score(Record):
    """A value, or the reason why there is none. Never NaN, never a silent 0."""

    value: float | None
    status: Status = "scored"
    reason: str | None = None

    @model_validator(mode="after")
    def _closed(self) -> Score:
        allowed = {"not_applicable": NOT_APPLICABLE, "unscored": UNSCORED, "error": ERROR}
        if self.status == "scored":
            if self.value is None or self.value != self.value or self.reason is not None:
                raise ValueError(f"a scored value is a number without a reason: {self!r}")
        elif self.value is not None or self.reason not in allowed[self.status]:
            raise ValueError(f"not a status with a reason of the closed list: {self!r}")
        return self


def scored(value: float) -> Score:
    """A number."""
    return Score(value=value)


def missing(reason: str) -> Score:
    """No number: the status follows from the reason (a string of the closed lists)."""
    if reason in NOT_APPLICABLE:
        return Score(value=None, status="not_applicable", reason=reason)
    if reason in UNSCORED:
        return Score(value=None, status="unscored", reason=reason)
    return Score(value=None, status="error", reason=reason)


class LabelResult(Record):
    """A check's label of one query. None = undecided; `score` = probability of the first label."""

    label: str | None
    score: float | None = None
    basis: Basis = "judged"
    judge: str = ""
    reason: str | None = None


PartStatus = Literal["ok", "partial", "wrong", "unscored", "not_applicable"]


class PartResult(Record):
    """One of the parts of an answer: number, unit, year, entity, calculation.

    unscored: it is asked for, and neither code nor the label of the whole tells; not_applicable: it
    is not asked for. `reason` says so in words; `wanted` and `said` are the reference's and the
    answer's own, where they are known.
    """

    status: PartStatus
    reason: str
    wanted: str | None = None
    said: str | None = None


class ClaimResult(Record):
    """A claim with its verdict after code has had its say.

    needs_citation, cited, citation_label tell the citation side: cited = passage ids cited for the
    claim, None stands for a dangling one; exempt: why it needs none (`answer.needing`). kinds:
    which of number, unit, period, entity it states; wording: the claim with the pronoun at its
    beginning resolved, where it has one.
    """

    claim_id: str
    text: str
    start: int
    end: int
    label: str | None
    unscored: str | None = None
    score: float | None = None
    basis: Basis = "judged"
    quote: str | None = None
    passage_id: str | None = None
    supporting: tuple[str, ...] = ()
    joint: tuple[str, ...] = ()
    carries_answer: bool = False
    needs_citation: bool = True
    exempt: str | None = None
    cited: tuple[str | None, ...] = ()
    citation_label: str | None = None
    reason: str | None = None
    kinds: tuple[str, ...] = ()
    wording: str | None = None


class ComponentResult(Record):
    """Something that must be known to answer the question, and whether the context holds it.

    source   gold: an item of the gold set that the context holds most of; question: listed from the
             question alone by a judge.
    found    None: undecided, `unscored` says why.
    quote    verbatim from `passage_id`, where a judge found it.
    """

    name: str
    source: Literal["gold", "question"]
    found: bool | None
    passage_id: str | None = None
    quote: str | None = None
    unscored: str | None = None


CitationStatus = Literal["right", "wrong", "irrelevant", "dangling", "undecided"]


class CitationResult(Record):
    """One cited passage of the answer: [start, end) is its marker, or the span that was given.

    right: its passage supports a claim that it speaks for, alone or as a needed part; irrelevant:
    by ALCE's rule, the other citations alone support; dangling: no such passage was given.
    whole: it speaks for the whole answer, as a closing list of sources does.
    """

    marker: str
    start: int
    end: int
    passage_id: str | None
    status: CitationStatus
    whole: bool = False


class Diagnosis(Record):
    """One failure category of a query, with its proof.

    code          a code of the table ("R2a"); "X2" = undetermined; None: `status_reason` says why.
    family        None for X2 unless all of its codes share one.
    codes         all codes that remain possible (one, but for X2).
    proof         JSON-like: ids, quotes, numbers, expression, by input.
    deciding_input  X2 only: the input whose resolution shrinks the set of codes most.
    state         the inputs as sets of possible values.
    """

    code: str | None
    name: str | None = None
    family: str | None = None
    codes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    basis: Basis | None = None
    proof: dict[str, Any] = Field(default_factory=dict[str, Any])
    deciding_input: str | None = None
    fix: str | None = None
    next_experiment: str | None = None
    state: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    not_available: tuple[str, ...] = ()
    status_reason: str | None = None


class Reached(Record):
    """How much of the evidence (0-1) a ranked list of n passages holds, all of it counted."""

    name: str
    n: int
    share: float


class Unusable(Record):
    """What a judge said on a check that yields nothing: why, and the beginning of its reply."""

    check: str
    reason: UnscoredReason
    detail: str = ""
    raw: str | None = None


Tier = Literal[
    "exact",
    "typographic",
    "fuzzy",
    "id_only",
    "no_text",
    "unknown_id",
    "wrong_document",
    "wrong_page",
    "other_page",
    "wrong_object",
    "other_passage",
    "text_differs",
]
"""How a place was traced. id_only: it is there, and no text was given to compare. no_text: the page
has none. Else the first that is wrong: the document, the page (which the document does not have),
the page on which the text stands, the object, the passage of that id, the text itself."""


class Trace(Record):
    """Where in the corpus a context passage (or gold item) stands, or why it cannot be traced.

    doc_id, stated_page, object_id  what it says of its place.
    found_in    the corpus passage in which the text begins, at `start`; it ends at `end` of the
                same passage or, where it runs on, of `runs_to`. Also set where the text stands
                elsewhere than it should.
    page, page_label  of `found_in`; the label is what a PDF shows for the page.
    missing     the beginning of a text that stands nowhere in the document; text_differs: the first
                line that is not there, where others are.
    """

    passage_id: str | None
    tier: Tier
    doc_id: str | None = None
    stated_page: int | str | None = None
    object_id: str | None = None
    found_in: str | None = None
    page: int | str | None = None
    page_label: str | None = None
    start: int | None = None
    end: int | None = None
    runs_to: str | None = None
    missing: str | None = None


class SampleResult(Record):
    """One line of results.jsonl.

    reached             each ranked list of the sample, in the order of the pipeline.
    zero_recall         is there relevant evidence, and none of it anywhere in `retrieved`?
    near_duplicates     ids of one text, a tuple a group.
    n_discarded_claims  claims of the judge that do not stand in the answer.
    unusable            replies of the judge that yield nothing, one a check.
    suspicions          by check: where text of the sample talks to the judge (flag
                        `injection_suspected`); that check is unscored and left to people.
    provenance          where each context passage stands in the corpus, in order; () without one.
    gold_provenance     the same of the gold items that state a place.
    cluster             what it is counted with in intervals; None: it is drawn by itself.
    """

    query_id: str
    scores: dict[str, Score]
    labels: dict[str, LabelResult] = Field(default_factory=dict[str, LabelResult])
    components: tuple[ComponentResult, ...] = ()
    parts: dict[str, PartResult] = Field(default_factory=dict[str, PartResult])
    claims: tuple[ClaimResult, ...] = ()
    citations: tuple[CitationResult, ...] = ()
    diagnosis: Diagnosis
    latency_ms: dict[str, float] = Field(default_factory=dict[str, float])
    cost: Usage = Usage()
    slices: dict[str, str] = Field(default_factory=dict[str, str])
    flags: tuple[str, ...] = ()
    reached: tuple[Reached, ...] = ()
    zero_recall: bool = False
    near_duplicates: tuple[tuple[str, ...], ...] = ()
    n_discarded_claims: int = 0
    unusable: tuple[Unusable, ...] = ()
    suspicions: dict[str, str] = Field(default_factory=dict[str, str])
    provenance: tuple[Trace, ...] = ()
    gold_provenance: tuple[Trace, ...] = ()
    cluster: str | None = None
