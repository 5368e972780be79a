"""The log of the review page: append-only lines, and the labels that stand of them.

A line is a label in the native format, with `entry_id`, `item_id`, `item_hash`, `time`,
`guideline`, `queue`; or it says what happened to one: {"retracts"}, {"skips"} or {"reveals":
item_id}, with `annotator` and `time`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ragdiag.data.lines import Row
from ragdiag.records.problem import Problem, place_of

Entry = dict[str, Any]
Key = tuple[str, str]
"""(annotator, item_id)."""

EVENTS = ("retracts", "skips", "reveals")


@dataclass
class Standing:
    """What one annotator has done with one item.

    history   its labels, oldest first; a retracted one is gone. The last one stands.
    revealed  has the annotator seen what the judge and others say? A later label is no blind one.
    skipped   put off, and not labelled since.
    """

    history: list[Entry] = field(default_factory=list[Entry])
    revealed: bool = False
    skipped: bool = False

    @property
    def label(self) -> Entry | None:
        """The label that stands, or None."""
        return self.history[-1] if self.history else None


@dataclass
class Folded:
    """What stands of a log. `order`: the keys of labels and skips, the latest one last; `other`:
    labels that were not given on the page, kept as they are; `problems`: lines that say nothing."""

    standing: dict[Key, Standing] = field(default_factory=dict[Key, Standing])
    order: dict[Key, None] = field(default_factory=dict[Key, None])
    entry_ids: set[str] = field(default_factory=set[str])
    other: list[Entry] = field(default_factory=list[Entry])
    problems: list[str] = field(default_factory=list[str])
    by_item: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def of(self, annotator: str, item_id: str) -> Standing:
        """What stands of one annotator and item; an empty one where there is nothing."""
        return self.standing.get((annotator, item_id)) or Standing()

    def labelled(self, item_id: str) -> bool:
        """Has anyone a label on it that stands?"""
        return any(self.standing[who, item_id].history for who in self.by_item.get(item_id, ()))

    def take(self, entry: Entry, place: str) -> bool:
        """Folds one more line; False where it says nothing, which is then among the problems."""
        kind = next((name for name in EVENTS if name in entry), "label")
        item = entry.get("item_id") if kind == "label" else entry.get(kind)
        annotator = entry.get("annotator")
        if kind == "label" and item is None and "query_id" in entry:
            self.other.append(entry)
            return True
        if not isinstance(item, str) or not isinstance(annotator, str):
            self.problems.append(f"{place}: neither a label nor what happened to one")
            return False
        key = (annotator, item)
        standing = self.standing.get(key)
        if standing is None:
            standing = self.standing[key] = Standing()
            self.by_item.setdefault(item, []).append(annotator)
        if kind == "label":
            entry_id = entry.get("entry_id")
            if isinstance(entry_id, str):
                if entry_id in self.entry_ids:
                    return True  # the same label twice: sent again, or merged again
                self.entry_ids.add(entry_id)
            standing.history.append(entry)
            standing.skipped = False
        elif kind == "retracts":
            _retract(standing, entry.get("entry_id"))
        elif kind == "skips":
            standing.skipped = True
        else:
            standing.revealed = True
            return True
        self.order.pop(key, None)
        if standing.history or standing.skipped:
            self.order[key] = None
        return True

    def labels(self) -> list[Entry]:
        """Every label that stands, once, in the order of the log: what `ragdiag agreement` reads.

        A revised one has `adjudicated` and, in `blind_label`, what was said before the judge's
        verdict was shown.
        """
        found = list(self.other)
        for standing in self.standing.values():
            last = standing.label
            if last is None:
                continue
            first = next((e for e in standing.history if not e.get("adjudicated")), None)
            if first is not None and first is not last:
                last = {**last, "blind_label": first["label"]}
            found.append(last)
        return found


def _retract(standing: Standing, entry_id: object) -> None:
    if not standing.history:
        standing.skipped = False
        return
    for at in range(len(standing.history) - 1, -1, -1):
        if entry_id is None or standing.history[at].get("entry_id") == entry_id:
            del standing.history[at]
            return


def standing_rows(rows: Iterable[Row | Problem]) -> Iterator[Row | Problem]:
    """The rows of a file of labels, with only those of its log that stand; they come last."""
    folded = Folded()
    places: dict[str, Row] = {}
    for row in rows:
        if isinstance(row, Problem) or not _is_of_a_log(row.value):
            yield row
            continue
        place = place_of(row.file, row.line)
        if folded.take(row.value, place):
            entry_id = row.value.get("entry_id")
            if isinstance(entry_id, str):
                places.setdefault(entry_id, row)
        else:
            message = folded.problems[-1].removeprefix(f"{place}: ")
            yield Problem(file=row.file, line=row.line, field="", kind="bad_log", message=message)
    for entry in folded.labels():
        at = places[entry["entry_id"]]
        yield Row(at.file, at.line, entry)


def _is_of_a_log(value: Entry) -> bool:
    if isinstance(value.get("entry_id"), str) and isinstance(value.get("item_id"), str):
        return True
    return "check" not in value and any(name in value for name in EVENTS)
