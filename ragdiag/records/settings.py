"""The settings that scores depend on; `rescore` reads them in the manifest."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ragdiag.records.base import Record


class Settings(Record):
    """How samples are scored.

    k                  cut-offs, ascending.
    unit               what counts as one result.
    rel_level          a grade from which an item is relevant.
    gain               of nDCG.
    no_relevant        what a query without a relevant item gets: nothing, or 0.
    coverage           share of a gold span that passages must cover (0-1).
    near_duplicates    what becomes of passages of the same text under other ids: only reported, or
                       each group is one unit of every ranked list and of the labels.
    citation_rule      when a citation is right: it supports, alone or as a part of a joint support;
                       or by ALCE's precision: not if the claim's other citations alone support and
                       it does not.
    number_tolerance   relative difference of an answer's amount to the reference's that counts as
                       equal; 0: none does. Where absent, one within 0.005 is left to a judge.
    near_miss_depth    ranks in which a near miss is looked for.
    gold_as_retrieved  found in the data, not chosen: in every sample `retrieved` is exactly the
                       gold, so that its retrieval metrics would say nothing.
    cluster            by what queries come in clusters, for intervals: a slice dimension, document,
                       query or question; None = each query stands for itself.
    min_coverage       share (0-1) of the queries a metric applies to that must be scored, so that
                       its mean is told.
    """

    k: tuple[int, ...] = (1, 3, 5, 10)
    unit: Literal["passage", "page", "document", "object"] = "passage"
    rel_level: float = 1
    gain: Literal["exponential", "linear"] = "exponential"
    no_relevant: Literal["skip", "zero"] = "skip"
    coverage: float = Field(default=0.8, gt=0, le=1)
    near_duplicates: Literal["report", "collapse"] = "report"
    require_citations: bool = False
    citation_rule: Literal["support", "alce"] = "support"
    number_tolerance: float | None = Field(default=None, ge=0, le=1)
    near_miss_depth: int = 10
    metrics: tuple[str, ...] | None = None
    gold_as_retrieved: bool = False
    cluster: str | None = None
    min_coverage: float = Field(default=0.5, ge=0, le=1)
