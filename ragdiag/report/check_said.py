"""What a result says of one check: a label, or why there is none. For tests of the judge itself."""

from __future__ import annotations

from dataclasses import dataclass

from ragdiag.records import ERROR, NOT_APPLICABLE, OPEN, UNSCORED, SampleResult
from ragdiag.report.corrected import METRICS

_OF_SYSTEM = "pipeline_error"


@dataclass(frozen=True, slots=True)
class CheckSaid:
    """One check of one sample.

    label  None: `why` says why, by a reason of the closed lists.
    basis  "judged" where a judge gave the label.
    score  probability (0-1) of the check's first label, where the judge computes one.
    """

    label: str | None
    basis: str = "judged"
    score: float | None = None
    why: str | None = None

    @property
    def applies(self) -> bool:
        """Is there anything to judge? Not without a reference, claims, citations, an answer."""
        return self.label is not None or not (self.why in NOT_APPLICABLE or self.why == _OF_SYSTEM)

    @property
    def asked(self) -> bool:
        """Was it left to a judge? What code or gold settles, nobody asks."""
        return self.applies and (self.label is None or self.basis == "judged")

    @property
    def is_lost(self) -> bool:
        """Did the judge's call break, or can its reply not be used? It then says nothing at all."""
        return self.label is None and (
            (self.why in ERROR and self.why != _OF_SYSTEM) or self.why in UNSCORED - OPEN
        )


def said_of(result: SampleResult, check: str) -> CheckSaid:
    """What is said of a check of whole answers, by its label and the score of its metric."""
    label = result.labels.get(check)
    score = result.scores.get(METRICS[check])
    why = None if score is None or score.status == "scored" else score.reason
    if label is None or why == _OF_SYSTEM:
        return CheckSaid(None, why=why or "undecided")
    if label.label is not None:
        return CheckSaid(label.label, label.basis, label.score)
    given = label.reason if label.reason in (UNSCORED | ERROR) else None
    return CheckSaid(None, label.basis, label.score, why or given or "undecided")
