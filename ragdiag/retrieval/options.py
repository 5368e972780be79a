"""The conventions under which a run is scored: what counts, in which order, and for whom."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Literal

from ragdiag.errors import UsageError
from ragdiag.retrieval.measures import NoRelevant
from ragdiag.retrieval.metrics import Gain, Negative

Missing = Literal["zero", "skip", "error"]
Duplicates = Literal["first", "keep_slot", "error"]
Ties = Literal["file", "docid_desc", "expected", "error"]
Order = Literal["score", "rank", "file"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is scored against its labels.

    rel_level     a grade from which an item is relevant; never changes the gains of nDCG.
    gain          of nDCG: 2^grade - 1, or the grade.
    no_relevant   a query without a relevant item: in no mean, or 0.
    missing       a query in the labels and not in the run: 0, in no mean, or an error.
    duplicates    an item twice in a list: the first kept and the ranks close up, or it keeps its
                  slot and gains nothing, or an error.
    ties          equal scores: in the order of the file, ids descending, the expected value over
                  all orders of the tied, or an error.
    negative      a negative grade: judged and gains nothing, or in the pool and unjudged.
    depth         only so many items of each list are looked at.
    fixed         precision@k is always over k.
    by_score      scores order the list, whatever a rank column says.
    single        scores are compared in single precision, which makes ties.
    """

    rel_level: float = 1
    gain: Gain = "exponential"
    no_relevant: NoRelevant = "skip"
    missing: Missing = "zero"
    duplicates: Duplicates = "first"
    ties: Ties = "file"
    negative: Negative = "judged"
    depth: int | None = None
    fixed: bool = False
    by_score: bool = False
    single: bool = False

    def __post_init__(self) -> None:
        if self.depth is not None and self.depth < 1:
            raise UsageError(f"depth must be 1 or more, not {self.depth}")
        if not math.isfinite(self.rel_level):
            raise UsageError(f"rel_level must be a finite number, not {self.rel_level}")
        if self.ties == "expected" and self.duplicates == "keep_slot":
            raise UsageError(
                "ties = expected needs duplicates = first or error: of two tied rows of one item, "
                "which one keeps the slot is not told"
            )

    def as_dict(self) -> dict[str, object]:
        """All settings, for a report."""
        return asdict(self)

    def as_trec_eval(self) -> Options:
        """The same with all that trec_eval does otherwise; its numbers come out to the digit.

        Linear gain, ids descending in ties of single-precision scores, precision over k, 0 where
        nothing is relevant, negative grades unjudged, repeated items refused.
        """
        return replace(
            self,
            gain="linear",
            no_relevant="zero",
            duplicates="error",
            ties="docid_desc",
            negative="unjudged",
            fixed=True,
            by_score=True,
            single=True,
        )
