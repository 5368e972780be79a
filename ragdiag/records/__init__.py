"""What flows through ragdiag: frozen values, no behaviour beyond their own validity."""

from ragdiag.records.base import Record
from ragdiag.records.corpus import Corpus, of_pages
from ragdiag.records.external import ExternalScore
from ragdiag.records.ladder import RUNGS, LadderRecord, Rung, RungName, Said
from ragdiag.records.problem import Problem
from ragdiag.records.question import (
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claim,
    ExtractClaims,
    ListComponents,
    Question,
)
from ragdiag.records.reasons import (
    ERROR,
    LABELS,
    NOT_APPLICABLE,
    OPEN,
    TARGET_FIELDS,
    UNSCORED,
    Basis,
    Status,
)
from ragdiag.records.result import (
    CitationResult,
    ClaimResult,
    ComponentResult,
    Diagnosis,
    LabelResult,
    PartResult,
    Reached,
    SampleResult,
    Score,
    Tier,
    Trace,
    Unusable,
    missing,
    scored,
)
from ragdiag.records.sample import GivenCitation, Item, Label, Passage, Sample, Target
from ragdiag.records.settings import Settings
from ragdiag.records.verdict import (
    Claims,
    Components,
    Finding,
    JudgeFailure,
    Judgement,
    Overall,
    Reply,
    Usage,
    Verdict,
    Vote,
)

__all__ = [
    "ERROR", "LABELS", "NOT_APPLICABLE", "OPEN", "RUNGS", "TARGET_FIELDS", "UNSCORED", "Basis",
    "CheckCorrectness", "CheckIdentity", "CheckSufficiency", "CheckSupport", "CitationResult",
    "Claim", "ClaimResult", "Claims", "ComponentResult", "Components", "Corpus", "Diagnosis",
    "ExternalScore", "ExtractClaims", "Finding", "GivenCitation", "Item", "JudgeFailure",
    "Judgement", "Label", "LabelResult", "LadderRecord", "ListComponents", "Overall",
    "PartResult", "Passage", "Problem", "Question", "Reached", "Record", "Reply", "Rung",
    "RungName", "Said", "Sample", "SampleResult", "Score", "Settings", "Status", "Target", "Tier",
    "Trace", "Unusable", "Usage", "Verdict", "Vote", "missing", "of_pages", "scored",
]  # fmt: skip
