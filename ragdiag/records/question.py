"""The closed set of questions that are put to a judge, and the claim that they speak of.

A question says all that the judge may know: only CheckCorrectness carries the reference.
`decided` is true where code decides already, so that only people's labels may still speak.
"""

from __future__ import annotations

from pydantic import Field

from ragdiag.records.base import Record
from ragdiag.records.sample import Passage, Target


class Claim(Record):
    """An atomic checkable statement; `answer[start:end]` is the span that it was drawn from.

    wording  the claim with the pronoun at its beginning resolved, where it has one: what judges
             are asked of. `text`, `start` and `end` stay the answer's own.
    """

    claim_id: str
    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    needs_citation: bool = True
    wording: str | None = None

    @property
    def alone(self) -> str:
        """The claim as it is understood without the rest of the answer."""
        return self.wording or self.text


class Asked(Record):
    """What all questions share. `history` holds earlier (role, text) turns, oldest first."""

    query_id: str
    query: str
    history: tuple[tuple[str, str], ...] = ()
    decided: bool = False


class ExtractClaims(Asked):
    """Which claims does the answer make? Also: does it abstain (None = code did not say)?"""

    check: str = "claims"
    answer: str
    abstains: bool | None = None


class ListComponents(Asked):
    """What must be known to answer the question, read from the question alone?"""

    check: str = "components"


class CheckSupport(Asked):
    """For each claim: do the numbered passages support it, and which of them?"""

    check: str = "support"
    answer: str
    claims: tuple[Claim, ...]
    passages: tuple[Passage, ...]


class CheckSufficiency(Asked):
    """Do the passages allow a definite answer? Which of the components do they hold?"""

    check: str = "sufficiency"
    passages: tuple[Passage, ...]
    components: tuple[str, ...] = ()


class CheckIdentity(Asked):
    """For each passage: is it of the report, entity, period, metric, unit, page asked for?"""

    check: str = "identity"
    target: Target
    passages: tuple[Passage, ...]


class CheckCorrectness(Asked):
    """Does the answer say what one of the references says?"""

    check: str = "correctness"
    reference: tuple[str, ...]
    answer: str


Question = (
    ExtractClaims
    | ListComponents
    | CheckSupport
    | CheckSufficiency
    | CheckIdentity
    | CheckCorrectness
)
