"""What is met in a run on the way to its hits: repeated, tied and unlabelled rows, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counts:
    """What was met in a run on the way.

    unlabelled   queries of the run without labels: in no mean; the first of them as examples.
    duplicates   items that stood again in a list; tied: rows with the score of the row before.
    repeated, tie  the first of these as "query: item"; None where none was met.
    tied_at      by cut-off, labelled queries whose ranks k and k + 1 are tied.
    """

    n_rows: int = 0
    unlabelled: set[str] = field(default_factory=set[str])
    duplicates: int = 0
    tied: int = 0
    repeated: str | None = None
    tie: str | None = None
    tied_at: dict[int, int] = field(default_factory=dict[int, int])

    def name_repeated(self, query_id: str, ids: Sequence[str]) -> None:
        """Keeps the first id that stands again in a list, unless one is known."""
        seen = set[str]()
        for key in ids if self.repeated is None else ():
            if key in seen:
                self.repeated = f"{query_id}: {key}"
                return
            seen.add(key)

    def add(self, later: Counts) -> None:
        """Takes in what was met in the rows behind these."""
        self.n_rows += later.n_rows
        self.unlabelled |= later.unlabelled
        self.duplicates += later.duplicates
        self.tied += later.tied
        self.repeated = self.repeated or later.repeated
        self.tie = self.tie or later.tie
        for k, n in later.tied_at.items():
            self.tied_at[k] += n
