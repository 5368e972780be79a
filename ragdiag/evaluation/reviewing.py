"""The files of a review: queue and evaluation -> the board; downloads in, labels out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ragdiag.data.findings import data_error
from ragdiag.data.label_log import Entry
from ragdiag.data.lines import UnreadableFileError, read_lines
from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.records import Sample, SampleResult
from ragdiag.records.problem import Problem
from ragdiag.review.board import Board
from ragdiag.review.content import ReviewItem, review_item
from ragdiag.review.guidelines import CHECK_OF
from ragdiag.review.items import item_hash, items_of
from ragdiag.review.page import static_page
from ragdiag.review.queue_file import QUEUE
from ragdiag.review.store import LabelLog, parse_line, read_current

LABELS = "labels.jsonl"

Queued = dict[str, Any]


def read_queue(path: Path) -> list[Queued]:
    """The lines of a queue, checked; DataError with every line that is none."""
    if not path.exists():
        raise UsageError(f"{path} is not there: `ragdiag sample {path.parent}` draws a queue")
    found: dict[str, Queued] = {}
    problems: list[Problem] = []
    for number, line in _lines(path):
        queued = parse_line(line)
        fault = "not a JSON object" if queued is None else _fault(queued, found)
        if fault is None and queued is not None:
            found[queued["item_id"]] = queued
        else:
            problems.append(
                Problem(file=str(path), line=number, field="", kind="bad_item", message=fault or "")
            )
    if problems:
        raise data_error(problems)
    return list(found.values())


def _fault(queued: Queued, known: dict[str, Queued]) -> str | None:
    for key in ("item_id", "item_hash", "query_id", "unit", "check"):
        if not isinstance(queued.get(key), str):
            return f"{key} must be a string; `ragdiag sample` writes this file"
    if CHECK_OF.get(queued["unit"]) != queued["check"]:
        return f"unit {queued['unit']!r} and check {queued['check']!r} do not belong together"
    if queued["item_id"] in known:
        return f"item {queued['item_id']!r} is there twice"
    claim = queued.get("claim")
    if queued["unit"] not in ("support", "citation"):
        return None
    if not isinstance(claim, dict) or not {"claim_id", "text", "start", "end"} <= claim.keys():
        return "claim must be {claim_id, text, start, end}"
    return None


def read_board(directory: Path, queue: Path | None = None) -> Board:
    """The board of an evaluation directory; only the queries of the queue are kept in memory."""
    path = queue or directory / QUEUE
    lines = read_queue(path)
    by_query: dict[str, list[Queued]] = {}
    for line in lines:
        by_query.setdefault(line["query_id"], []).append(line)
    found: dict[str, ReviewItem] = {}
    for sample, result in at.read_pairs(directory):
        wanted = by_query.get(sample.query_id, ())
        found.update((item.item_id, item) for item in _items(wanted, sample, result))
    items = [found.get(one["item_id"]) or review_item(one, None, None, None) for one in lines]
    return Board(items, LabelLog(directory / LABELS))


def _items(wanted: Sequence[Queued], sample: Sample, result: SampleResult) -> Iterator[ReviewItem]:
    if not wanted:
        return
    known = {one.item_id: one for one in items_of(sample, result).items}
    for line in wanted:
        item = known.get(line["item_id"])
        yield review_item(line, sample, result, item_hash(sample, item) if item else None)


def write_static(board: Board, path: Path, annotator: str) -> None:
    """Writes the page that works from disk."""
    at.write_atomically(path, static_page(board, annotator))


def export_labels(directory: Path, path: Path) -> int:
    """Writes each label that stands once; returns how many. UsageError where there is no log."""
    log = directory / LABELS
    if not log.exists():
        raise UsageError(f"{log} is not there: nobody has labelled yet (`ragdiag review`)")
    if path.exists() and path.samefile(log):
        raise UsageError(f"--export {path} is the log itself; name another file")
    labels = read_current(log)
    at.write_atomically(path, "".join(at.to_line(one) + "\n" for one in labels))
    return len(labels)


def import_labels(board: Board, paths: Sequence[Path]) -> tuple[int, int, list[str]]:
    """Merges downloads of static pages: (added, already there, complaints)."""
    complaints: list[str] = []
    lines: list[tuple[str, Entry]] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"--import {path}: no such file")
        for number, line in _lines(path):
            entry = parse_line(line)
            if entry is None:
                complaints.append(f"{path}:{number}: not a JSON object; left out")
            else:
                lines.append((f"{path}:{number}", entry))
    n_added, n_known, others = board.merge(lines)
    return n_added, n_known, complaints + others


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        yield from read_lines(path)
    except UnreadableFileError as fault:
        raise DataError(f"{path}: {fault}") from fault
