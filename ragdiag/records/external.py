"""A score that another tool computed: kept as it came, copied into results unchanged."""

from __future__ import annotations

from pydantic import model_validator

from ragdiag.records.base import Record
from ragdiag.records.result import Score
from ragdiag.records.verdict import Usage


class ExternalScore(Record):
    """One metric of one query by another tool.

    metric       TOOL:NAME ("ragas:faithfulness").
    sample_hash  of the sample that was scored: a score of another text is never copied.
    asked_with   hash of the tool's version, model and settings.
    detail       why there is no value, or what was seen.
    """

    query_id: str
    sample_hash: str
    asked_with: str
    metric: str
    score: Score
    detail: str = ""
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _named(self) -> ExternalScore:
        tool, colon, name = self.metric.partition(":")
        if not (tool and colon and name):
            raise ValueError(f"the metric of another tool is TOOL:NAME; came {self.metric!r}")
        return self
