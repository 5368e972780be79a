"""The page's list of queries as packed columns: what it shows, filters and sorts by."""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ragdiag.records import OPEN, Sample, SampleResult, Score
from ragdiag.report.headline import RETRIEVAL, quality_metrics, shown_name
from ragdiag.report.summary import MISSING

MOST_QUERY = 120
"""Characters of a query that the list holds; the search is in them and in the ids."""

_DECIMALS = 4
_STATUS = {"not_applicable": 1, "unscored": 2, "error": 3}
N_REASONS = 4
"""The first places of a column of scores: absent, not applicable, unscored, error."""

_NOT_THE_JUDGE = frozenset({"bad_record", "pipeline_error"})
_ALIGNED = 8


_AT_EACH_K = ("recall", "hit", "ndcg", "complete_evidence")
"""Metrics of retrieval that the list holds at each k; the others at the largest, which keeps the
page of 100,000 queries small."""


def listed_metrics(report: Mapping[str, Any]) -> list[str]:
    """The metrics that the list holds: those of evidence and answer, those of other tools, and of
    retrieval; without those that no query has a value of."""
    deepest = max(report["k"])
    retrieval = (
        f"{name}@{k}"
        for name in RETRIEVAL
        for k in report["k"]
        if name in _AT_EACH_K or k == deepest
    )
    known = report["metrics"]
    return [
        name for name in (*quality_metrics(report), *retrieval) if known.get(name, {}).get("n", 0)
    ]


def judge_status(result: SampleResult) -> str:
    """How the judge fared with one query, the worst first:

    failed          no reply came to a check, or none that could be used
    left to people  a text of the sample talks to the judge
    undecided       it was heard, and left open what a score needs
    decided         it gave a label, and left nothing open
    not needed      code and labels told all
    """
    missing = {one.reason for one in result.scores.values() if one.status in ("unscored", "error")}
    missing |= {one.reason for one in result.unusable}
    if missing - OPEN - _NOT_THE_JUDGE:
        return "failed"
    if result.suspicions:
        return "left to people"
    if missing & OPEN:
        return "undecided"
    judged = (one for one in result.labels.values() if one.basis == "judged")
    return "decided" if any(one.label is not None for one in judged) else "not needed"


def flags_of(result: SampleResult) -> tuple[str, ...]:
    """The flags of a query and of its diagnosis, each once."""
    return tuple(dict.fromkeys((*result.diagnosis.flags, *result.flags)))


class _Column:
    """A value a query as its place in the values that occur, in the order in which they came."""

    def __init__(self, first: Sequence[Any] = ()) -> None:
        self.values: dict[Any, int] = {value: at for at, value in enumerate(first)}
        self.places = array("I")

    def add(self, value: Any) -> None:
        self.places.append(self.values.setdefault(value, len(self.values)))


class _Scores:
    """A score a query as its place in the values that occur, in ascending order, behind the
    reasons for having none."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._values: dict[float, int] = {}
        self._places = array("I")

    def add(self, score: Score | None) -> None:
        if score is None or score.value is None:
            self._places.append(0 if score is None else _STATUS[score.status])
            return
        value = round(score.value, _DECIMALS) + 0.0  # no -0.0 beside 0.0
        place = self._values.setdefault(value, len(self._values))
        self._places.append(N_REASONS + place)

    def sorted(self) -> tuple[list[float], np.ndarray[Any, Any]]:
        """The values in ascending order, and the place of each query."""
        values = sorted(self._values)
        moved = np.arange(N_REASONS + len(values), dtype=np.uint32)
        for place, value in enumerate(values):
            moved[N_REASONS + self._values[value]] = N_REASONS + place
        return values, moved[np.frombuffer(self._places, dtype=np.uint32)]


class PageIndex:
    """Collects the columns query by query; holds no texts but the beginning of each query.

    The bytes: the length of a JSON header (uint32, little-endian), the header, then the columns,
    each at an offset from the first one that the header tells, aligned to 8 bytes, of unsigned
    integers of 1, 2 or 4 bytes. The texts are one column: id, query, id, query …, a line each; ids
    that hold a line break stand in the header.
    """

    def __init__(self, metrics: Sequence[str]) -> None:
        self.n = 0
        self._texts = bytearray()
        self._odd: dict[str, str] = {}
        self._columns = {"code": _Column(), "family": _Column(), "judge": _Column()}
        self._flags = _Column([()])
        self._slices: dict[str, _Column] = {}
        self._scores = [_Scores(name) for name in metrics]

    def add(self, sample: Sample, result: SampleResult) -> None:
        """Appends one query."""
        query_id = sample.query_id
        line = _one_line(query_id)
        if line != query_id:
            self._odd[str(self.n)] = query_id
        query = _one_line(sample.query[: 4 * MOST_QUERY])
        cut = query if len(query) <= MOST_QUERY else query[: MOST_QUERY - 1].rstrip() + "…"
        self._texts += f"{line}\n{cut}\n".encode("utf-8", "replace")
        told = result.diagnosis
        self._columns["code"].add(told.code or "none")
        self._columns["family"].add(told.family or "none")
        self._columns["judge"].add(judge_status(result))
        self._flags.add(flags_of(result))
        for dimension in result.slices:
            if dimension not in self._slices:
                self._slices[dimension] = _Column([None])
                self._slices[dimension].places.extend([0] * self.n)
        for dimension, column in self._slices.items():
            column.add(result.slices.get(dimension))
        for scores in self._scores:
            scores.add(result.scores.get(scores.name))
        self.n += 1

    def to_bytes(self, report: Mapping[str, Any], **more: Any) -> bytes:
        """The index; `more`: what else its header says."""
        body = bytearray()

        def placed(kind: str, name: str, values: Sequence[Any], places: Any) -> dict[str, Any]:
            narrow = _narrow(np.asarray(places, dtype=np.uint32))
            at = _append(body, narrow.tobytes())
            return {"kind": kind, "name": name, "values": values, "at": at, "of": narrow.itemsize}

        texts = {"at": _append(body, bytes(self._texts)), "bytes": len(self._texts)}
        columns = [
            placed(name, name, list(column.values), column.places)
            for name, column in (*self._columns.items(), ("flag", self._flags))
        ]
        columns += [
            placed("slice", name, list(column.values), column.places)
            for name, column in self._slices.items()
        ]
        for scores in self._scores:
            column = placed("score", scores.name, *scores.sorted())
            known = report["metrics"][scores.name]
            columns.append(
                {**column, "title": shown_name(scores.name), "direction": known["direction"]}
            )
        names = {code: row["name"] for code, row in report["categories"].items()}
        header = {
            "n": self.n, "reasons": N_REASONS, "most_query": MOST_QUERY, "odd": self._odd,
            "missing": MISSING, "names": names, "shown": _shown(report), "texts": texts,
            "columns": columns, **more,
        }  # fmt: skip
        told = json.dumps(header, ensure_ascii=True, allow_nan=False).encode()
        told += b" " * (-(4 + len(told)) % _ALIGNED)
        return struct.pack("<I", len(told)) + told + bytes(body)


def _shown(report: Mapping[str, Any]) -> list[str]:
    """The scores that stand beside a query where no other ones are asked for."""
    return ["answer_correctness", "faithfulness", f"recall@{max(report['k'])}"]


def _one_line(text: str) -> str:
    """Line breaks and other blanks in a row as one blank."""
    return " ".join(text.split())


def _narrow(places: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    most = int(places.max(initial=0))
    kind = np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32
    return places.astype(kind).astype(np.dtype(kind).newbyteorder("<"))


def _append(body: bytearray, data: bytes) -> int:
    at = len(body)
    body += data
    body += bytes(-len(body) % _ALIGNED)
    return at
