"""What is asked of a run beyond grades of ids, and what comes back: plain records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ragdiag.data.places import CorpusFile
from ragdiag.retrieval.evaluating import Evaluated, Run
from ragdiag.retrieval.labelled import Unit

if TYPE_CHECKING:
    from ragdiag.text.case import Case

NearMiss = Callable[["Case"], Mapping[str, Any]]
MOST_ZERO_RECALL = 1000
UNIT_TIES = ("file", "docid_desc", "error")


@dataclass(frozen=True)
class Wanted:
    """What is asked beyond grades of ids.

    unit             None = passage, and nobody asked for another.
    coverage         share of a gold span that passages must cover, in (0, 1].
    near_duplicates  None = not looked for.
    near             what tells the near miss of a query that found nothing.
    """

    unit: Unit | None = None
    coverage: float = 0.8
    corpus: CorpusFile | None = None
    near_duplicates: Literal["report", "collapse"] | None = None
    near: NearMiss | None = None

    @property
    def beyond_ids(self) -> bool:
        """Must passages be known, whatever the labels are?"""
        return self.unit not in (None, "passage") or (
            self.corpus is not None or self.near_duplicates is not None
        )


@dataclass(frozen=True)
class Source:
    """A run file: its rows, and whether it holds passages of its own."""

    path: Path
    run: Run
    native: bool


@dataclass(frozen=True)
class ByUnit:
    """A run at the unit, at the levels beside it (the unit among them), and what found nothing."""

    unit: Unit
    at_unit: Evaluated
    levels: dict[str, Evaluated] = field(default_factory=dict[str, Evaluated])
    zero_recall: tuple[Mapping[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
