"""queue.jsonl and queue-strata.json: how they are written and read again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ragdiag.data.lines import UnreadableFileError, read_lines
from ragdiag.errors import DataError
from ragdiag.records import Label, Sample
from ragdiag.review.items import UNITS, Item, item_hash
from ragdiag.review.queue_design import Design, read_design

QUEUE = "queue.jsonl"
_SCHEMA = 1

Line = dict[str, Any]


def strata_path(queue: Path) -> Path:
    """Where the strata of a queue stand: "queue.jsonl" -> "queue-strata.json" beside it."""
    return queue.with_name(f"{queue.stem}-strata.json")


def line_of(sample: Sample, item: Item) -> Line:
    """What every line says of its item; never what the judge said."""
    line: Line = {
        "item_id": item.item_id,
        "item_hash": item_hash(sample, item),
        "queue": "",
        "unit": UNITS[item.check],
        "check": item.check,
        "query_id": item.query_id,
    }
    if item.claim is not None:
        claim = item.claim
        line["claim"] = {
            "claim_id": claim.claim_id, "text": claim.text, "start": claim.start, "end": claim.end,
        }  # fmt: skip
    if item.cited:
        line["cited"] = list(item.cited)
    if item.passage_id is not None:
        line["passage_id"] = item.passage_id
    return line


def write_queue(path: Path, lines: Iterable[Line], strata: Mapping[str, Any]) -> None:
    """Both files, each beside its place first. The strata hold the judge's verdicts: they are for
    the estimates, and not for those who label."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    with beside.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
    text = json.dumps({"schema_version": _SCHEMA, **strata}, ensure_ascii=False, indent=1) + "\n"
    other = strata_path(path)
    other_beside = other.with_name(other.name + ".part")
    other_beside.write_text(text, encoding="utf-8", newline="\n")
    os.replace(other_beside, other)
    os.replace(beside, path)


def read_queue(path: Path) -> list[Line]:
    """The lines of a queue file; DataError names a line that is none.

    An absent file is an empty queue."""
    if not path.exists():
        return []
    found: list[Line] = []
    seen: set[str] = set()
    try:
        for number, raw in read_lines(path):
            try:
                line = json.loads(raw)
            except ValueError as fault:
                raise _broken(path, number, str(fault)) from fault
            fault = _fault(line)
            if fault is None and line["item_id"] in seen:
                fault = f"item {line['item_id']} stands there twice"
            if fault is not None:
                raise _broken(path, number, fault)
            seen.add(line["item_id"])
            found.append(line)
    except UnreadableFileError as fault:
        raise DataError(f"{path}: {fault}") from fault
    return found


def _fault(line: Any) -> str | None:
    if not isinstance(line, dict):
        return "a JSON object is needed"
    for key in ("item_id", "item_hash", "check", "query_id"):
        value: object = line.get(key)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if not isinstance(value, str):
            return f"{key} must be a text"
    queue: object = line.get("queue")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if queue not in ("audit", "fix"):
        return f'queue must be "audit" or "fix", came {queue!r}'
    if queue == "fix":
        why: object = line.get("why")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        priority: object = line.get("priority")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if not isinstance(why, list) or not isinstance(priority, int):
            return "a fix item needs why (a list) and priority (a whole number)"
    if queue == "audit":
        told: Any = line.get("inclusion_probability")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(told, bool) or not isinstance(told, int | float) or not 0 < told <= 1:
            return f"inclusion_probability must lie in (0, 1], came {told!r}"
        stratum: Any = line.get("stratum")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if not isinstance(stratum, dict) or not isinstance(stratum.get("id"), str):  # pyright: ignore[reportUnknownMemberType]
            return 'stratum must be {"id": …}'
    return None


def _broken(path: Path, number: int, why: str) -> DataError:
    return DataError(
        f"{path}:{number}: not a line of a queue ({why}); mend it, or draw anew with --fresh"
    )


def with_probabilities(labels: Iterable[Label], path: Path) -> list[Label]:
    """Labels with the `queue` and `inclusion_probability` that their items have in the queue as it
    is now. A label states what held when it was given, and an audit that was made larger since has
    other probabilities, of old items and new ones alike. Labels of other items, or of another text
    of the item, stay as they are. DataError where the queue cannot be read.
    """
    audits = {line["item_id"]: line for line in read_queue(path) if line["queue"] == "audit"}
    found: list[Label] = []
    for label in labels:
        told = label.model_extra or {}
        line = audits.get(str(told.get("item_id")))
        if line is not None and told.get("item_hash", line["item_hash"]) == line["item_hash"]:
            now = {name: line[name] for name in ("queue", "inclusion_probability")}
            found.append(label.model_copy(update=now))
        else:
            found.append(label)
    return found


class Earlier:
    """The queue that is there already: its lines by item_id, and how its audits were drawn.

    seed, dimension  with which it was drawn; None where there is none.
    """

    def __init__(self, path: Path) -> None:
        self.lines = {line["item_id"]: line for line in read_queue(path)}
        self.designs: dict[str, Design] = {}
        self.seed: int | None = None
        self.dimension: str | None = None
        audits = any(line["queue"] == "audit" for line in self.lines.values())
        strata = strata_path(path)
        if not self.lines or not audits:
            return
        try:
            told = json.loads(strata.read_text(encoding="utf-8"))
            self.seed = int(told["seed"])
            self.dimension = None if told["slice"] is None else str(told["slice"])
            self.designs = {str(c): read_design(one) for c, one in told["checks"].items()}
            for line in self.lines.values():
                if line["queue"] == "audit":
                    ids = self.designs[line["check"]].ids.values()
                    if line["stratum"]["id"] not in ids:
                        raise ValueError(f"no stratum {line['stratum']['id']!r}")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
            raise DataError(
                f"{strata}: the strata of {path.name} cannot be read ({fault!r}); without them the "
                "queue cannot go on: draw anew with --fresh"
            ) from fault
