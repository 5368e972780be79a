"""The rungs of a ladder: what a generator was given, and what it said."""

from __future__ import annotations

from typing import Literal, get_args

from ragdiag.records.base import Record
from ragdiag.records.sample import Passage
from ragdiag.records.verdict import Reply, Usage

RungName = Literal["closed_book", "retrieved", "gold_appended", "gold_only"]
RUNGS: tuple[RungName, ...] = get_args(RungName)
"""From nothing to the gold alone; `retrieved` is the sample's own context."""


class Rung(Record):
    """What a rung gives to the generator.

    passages       in order; None: there is no such rung, `not_available` says why.
    same_as        an earlier rung that gives the same: its answer is this one's.
    """

    name: RungName
    passages: tuple[Passage, ...] | None = ()
    same_as: RungName | None = None
    not_available: str | None = None


class Said(Record):
    """What a generator said to one rung: an answer ("" = nothing), or the error that it raised."""

    answer: str | None = None
    error: str | None = None
    kind: str | None = None
    latency_ms: float = 0.0


class LadderRecord(Record):
    """One rung of one query, as it stands in ladder.jsonl.

    sample_hash     of the sample, and `given` of the query and passages: another text is another.
    generator       its name, `generator_hash` of the file that defines it (None: unknown).
    repeat          from 1; the same question put again.
    passages        ids, in order; `same_as`, `not_available`: as of the rung, nothing was asked.
    said            None where nothing was asked.
    asked_with      hash of who judged the answer and under which settings; "": nobody yet.
    replies         what the judge said of the answer, where code does not decide.
    """

    query_id: str
    sample_hash: str
    given: str
    generator: str
    generator_hash: str | None = None
    rung: RungName
    repeat: int = 1
    passages: tuple[str, ...] = ()
    same_as: RungName | None = None
    not_available: str | None = None
    said: Said | None = None
    asked_with: str = ""
    replies: tuple[Reply, ...] = ()
    usage: Usage = Usage()

    @property
    def key(self) -> tuple[str, str, str | None, str, int]:
        """What a later line of the log replaces an earlier one by."""
        return self.query_id, self.generator, self.generator_hash, self.rung, self.repeat
