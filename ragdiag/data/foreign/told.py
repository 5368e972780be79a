"""What was done to a foreign file on the way in: counted, so that it can be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_NAMED = 12


@dataclass(slots=True)
class Told:
    """Counts of one file, which grow as its rows are read.

    kept    fields without a home, kept in `metadata`, by how many samples have them.
    notes   other things done, by how often.
    """

    n_samples: int = 0
    n_skipped: int = 0
    ids_made: int = 0
    passage_ids_made: int = 0
    kept: Counter[str] = field(default_factory=Counter[str])
    notes: Counter[str] = field(default_factory=Counter[str])

    def note(self, message: str) -> None:
        """One more of this."""
        self.notes[message] += 1

    def keep(self, names: Iterable[str]) -> None:
        """Fields of one sample that went to its metadata."""
        self.kept.update(list(names))

    def lines(self) -> list[str]:
        """What a person should know, in plain words."""
        found: list[str] = []
        if self.ids_made:
            found.append(f"query_id made from the row number in {self.ids_made}")
        if self.passage_ids_made:
            found.append(f"{self.passage_ids_made} passage ids made from the text")
        if self.kept:
            names = list(self.kept)
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            found.append(f"fields kept in metadata: {', '.join(names[:_NAMED])}{more}")
        if self.n_skipped:
            found.append(f"{self.n_skipped} without a question left out")
        found.extend(f"{message} (×{n})" if n > 1 else message for message, n in self.notes.items())
        return found
