"""The items of one queue and the log of their labels: what an annotator may see and say."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from ragdiag.data.label_log import Entry, Folded, Standing
from ragdiag.errors import RagdiagError, UsageError
from ragdiag.review.content import Json, ReviewItem
from ragdiag.review.guidelines import guidelines
from ragdiag.review.store import LabelLog, Outcome

_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,80}")
_ENTRY_ID = re.compile(r"[0-9A-Za-z-]{8,64}")
_MOST_REASON = 4000


class RefusedError(RagdiagError):
    """A label that cannot be taken; the message is for the annotator."""


class Board:
    """What is to be labelled and what was said of it. Safe to share between threads.

    Nothing that a judge or another person said of an item leaves `item` before the annotator has
    labelled it.
    """

    def __init__(self, items: Iterable[ReviewItem], log: LabelLog) -> None:
        self.items = {item.item_id: item for item in items}
        self.log = log

    def problems(self) -> list[str]:
        """Lines of the log that say nothing."""
        with self.log.reading() as folded:
            return list(folded.problems)

    def overview(self, annotator: str) -> Json:
        """Every item with its state for one annotator, in queue order: open, labelled, unsure,
        skipped, refused, or covered (someone has labelled it, and one label is enough). `recent`:
        what they did, latest last, so that it can be undone after a reload."""
        with self.log.reading() as folded:
            rows = [self._row(item, folded, annotator) for item in self.items.values()]
            recent = [item for who, item in folded.order if who == annotator and item in self.items]
        return {"items": rows, "recent": recent}

    def _row(self, item: ReviewItem, folded: Folded, annotator: str) -> Json:
        standing = folded.of(annotator, item.item_id)
        state = state_of(item, standing)
        if state == "open" and not item.double and folded.labelled(item.item_id):
            state = "covered"
        row: Json = {"item_id": item.item_id, "unit": item.unit, "state": state}
        if standing.label is not None:
            row["label"] = standing.label.get("label")
            row["entry_id"] = standing.label.get("entry_id")
        return row

    def item(self, item_id: str, annotator: str) -> Json:
        """One item: blind before the annotator's label, with the verdict and other people's labels
        after it (which is noted in the log: what they say then is no blind label)."""
        item = self._known(item_id)
        with self.log.reading() as folded:
            standing = folded.of(annotator, item_id)
            mine = standing.label
            first_look = mine is not None and not standing.revealed
        if first_look:
            self.log.note("reveals", annotator, item_id, now())
        with self.log.reading() as folded:
            shown = {**item.blind, **self._row(item, folded, annotator), "refusal": item.refusal}
            mine = folded.of(annotator, item_id).label
            if mine is None or item.refusal:
                return shown
            others = [
                _told(label)
                for who in folded.by_item.get(item_id, ())
                if who != annotator and (label := folded.of(who, item_id).label) is not None
            ]
        return {**shown, "mine": _told(mine), "verdict": item.verdict, "others": others}

    def submit(self, annotator: str, given: Mapping[str, Any]) -> tuple[Outcome, Json | None]:
        """Takes a label: {item_id, item_hash?, entry_id, label, unsure?, reason?, revises?}.

        Raises:
            RefusedError: an unknown item or label, or an item whose sample has changed.
        """
        item = self._known(given.get("item_id"))
        if item.refusal is not None:
            raise RefusedError(f"this item is not labelled: {item.refusal}")
        entry = self._entry(item, checked_name(annotator), given)
        revises = given.get("revises")
        outcome, standing = self.log.submit(entry, revises=revises if revises else None)
        return outcome, None if standing is None else _told(standing)

    def _entry(self, item: ReviewItem, annotator: str, given: Mapping[str, Any]) -> Entry:
        version, units = guidelines()
        label, entry_id, reason = given.get("label"), given.get("entry_id"), given.get("reason")
        if label not in units[item.unit].values:
            allowed = ", ".join(units[item.unit].values)
            raise RefusedError(f"{label!r} is no label of {item.unit}; expected one of {allowed}")
        if not isinstance(entry_id, str) or not _ENTRY_ID.fullmatch(entry_id):
            raise RefusedError("entry_id must be 8 to 64 letters, digits or hyphens")
        entry: Entry = {
            **item.line,
            "label": label,
            "annotator": annotator,
            "time": now(),
            "guideline": version,
            "item_id": item.item_id,
            "entry_id": entry_id,
        }
        if given.get("unsure") is True:
            entry["unsure"] = True
        if isinstance(reason, str) and reason.strip():
            entry["reason"] = reason.strip()[:_MOST_REASON]
        return entry

    def retract(self, annotator: str, item_id: str, entry_id: str | None) -> Outcome:
        """Takes the annotator's last word on an item back."""
        self._known(item_id)
        return self.log.retract(checked_name(annotator), item_id, entry_id, now())[0]

    def skip(self, annotator: str, item_id: str) -> None:
        """Puts an item off."""
        self._known(item_id)
        self.log.note("skips", checked_name(annotator), item_id, now())

    def merge(self, lines: Iterable[tuple[str, Entry]]) -> tuple[int, int, list[str]]:
        """Takes the labels that were given on a static page: (place, line) pairs.

        Returns (added, already there, complaints): a label that contradicts one of the same
        annotator, an unknown item, another hash. Nothing that stands is changed.
        """
        sound: list[Entry] = []
        complaints: list[str] = []
        places: dict[str, str] = {}
        for place, line in lines:
            try:
                entry = self._imported(line)
            except RefusedError as fault:
                complaints.append(f"{place}: {fault}")
                continue
            places[entry["entry_id"]] = place
            sound.append(entry)
        n_added, n_known, conflicts = self.log.merge(sound)
        for came, stands in conflicts:
            complaints.append(
                f"{places[came['entry_id']]}: {came['annotator']} says {came['label']!r} of "
                f"{came['item_id']} here and {stands['label']!r} in {self.log.path} "
                f"({stands.get('time')}); the latter is kept"
            )
        return n_added, n_known, complaints

    def _imported(self, line: Entry) -> Entry:
        item = self.items.get(cast("Any", line.get("item_id")))
        if item is None:
            raise RefusedError(f"item {line.get('item_id')!r} is not in this queue")
        if item.refusal is not None:
            raise RefusedError(f"item {item.item_id} is refused: {item.refusal}")
        if line.get("item_hash") != item.line["item_hash"]:
            raise RefusedError(
                f"item {item.item_id} was another one when it was labelled (item_hash)"
            )
        given = {"entry_id": str(uuid.uuid4()), **line}
        entry = self._entry(item, checked_name(line.get("annotator")), given)
        kept = {key: line[key] for key in ("time", "guideline") if isinstance(line.get(key), str)}
        return {**entry, **kept}

    def _known(self, item_id: object) -> ReviewItem:
        item = self.items.get(item_id) if isinstance(item_id, str) else None
        if item is None:
            raise RefusedError(f"item {item_id!r} is not in this queue")
        return item


def state_of(item: ReviewItem, standing: Standing) -> str:
    """open, labelled, unsure, skipped or refused."""
    if item.refusal is not None:
        return "refused"
    if standing.label is not None:
        return "unsure" if standing.label.get("unsure") else "labelled"
    return "skipped" if standing.skipped else "open"


def checked_name(name: object) -> str:
    """An annotator's name without the blanks around it; RefusedError where it is none."""
    stripped = name.strip() if isinstance(name, str) else ""
    if not _NAME.fullmatch(stripped):
        raise RefusedError("an annotator's name has 1 to 80 characters, and no control characters")
    return stripped


def annotator_option(name: str) -> str:
    """The same of a command line's option; UsageError."""
    try:
        return checked_name(name)
    except RefusedError as fault:
        raise UsageError(f"--annotator: {fault}; came {name!r}") from None


def now() -> str:
    """The time of a label: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


_TOLD = ("label", "annotator", "time", "unsure", "adjudicated", "reason", "entry_id")


def _told(entry: Entry) -> Json:
    return {key: entry[key] for key in _TOLD if key in entry}
