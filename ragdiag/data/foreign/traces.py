"""The spans of a trace -> one sample: question, stages, what was retrieved, answer, latency."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ragdiag.data.foreign.format import Read
from ragdiag.data.foreign.passages import BrokenFieldError, read_passages
from ragdiag.data.foreign.rows import NO_QUESTION, native_row
from ragdiag.data.foreign.spans import Span, read_spans
from ragdiag.data.foreign.told import Told
from ragdiag.data.lines import Row
from ragdiag.records.problem import Problem

Understand = Callable[[Span], None]
"""Reads role, question, answer and documents out of a span's attributes."""

ReadSpans = Callable[[Iterable[Row]], Iterator[Span]]

_ROLE_LATENCY = {"retriever": "retrieve", "reranker": "rerank", "llm": "generate"}


def one_a_trace(understand: Understand, spans_of: ReadSpans = read_spans) -> Read:
    """The reader of a format of spans: they may come in any order and from several traces, so that
    all are held until the file's end."""

    def read(rows: Iterable[Row | Problem], told: Told, cells: bool) -> Iterator[Row | Problem]:
        problems: list[Problem] = []
        spans = list(spans_of(_sound(rows, problems)))
        yield from problems
        for span in spans:
            understand(span)
        _name_traces(spans)
        traces: dict[str, dict[str, Span]] = {}
        for span in spans:
            known = traces.setdefault(span.trace_id, {})
            if span.span_id in known:
                told.note("a span that stands twice: the last one counts")
            known[span.span_id] = span
        for trace_id, known in traces.items():
            trace = _Trace(trace_id, list(known.values()), told)
            try:
                row = trace.native()
            except BrokenFieldError as error:
                yield trace.first.row.problem(error.field, error.kind, str(error))
                continue
            if row is None:
                told.n_skipped += 1
            else:
                yield row
        if not told.n_samples and told.n_skipped:
            message = "no trace of the file holds a question"
            yield Problem(file="", line=None, field="", kind=NO_QUESTION, message=message)

    return read


def _sound(rows: Iterable[Row | Problem], problems: list[Problem]) -> Iterator[Row]:
    for row in rows:
        if isinstance(row, Problem):
            problems.append(row)
        else:
            yield row


def _name_traces(spans: list[Span]) -> None:
    """Spans that do not say their trace: it is called by the topmost span above them."""
    untold = {span.span_id: span for span in spans if not span.trace_id}
    for span in untold.values():
        top, path = span, [span]
        seen = {span.span_id}
        while not top.trace_id and (top.parent_id in untold) and top.parent_id not in seen:
            top = untold[top.parent_id]
            seen.add(top.span_id)
            path.append(top)
        name = top.trace_id or top.span_id
        for one in path:
            one.trace_id = name


class _Trace:
    """The spans of one trace, in the order of time."""

    def __init__(self, trace_id: str, spans: list[Span], told: Told) -> None:
        self._id = trace_id
        self._told = told
        self._by_id = {span.span_id: span for span in spans}
        late = float("inf")
        self._spans = sorted(
            spans, key=lambda one: (late if one.start is None else one.start, one.order)
        )
        self._tops = [one for one in self._spans if one.parent_id not in self._by_id]
        self.first = min(spans, key=lambda one: one.order)

    def native(self) -> Row | None:
        """The sample; None where the trace holds no question."""
        asked = self._asked()
        if asked is None:
            return None
        found: dict[str, Any] = {"query_id": self._id, "query": asked.query}
        if asked.history:
            found["history"] = [list(one) for one in asked.history]
        self._put_documents(found)
        answer = self._answer()
        if answer is not None:
            found["answer"] = answer
        if latency := self._latency():
            found["latency_ms"] = latency
        if (cost := self._cost()) is not None:
            found["cost_usd"] = cost
        error = next((one.error for one in self._tops if one.error), None)
        if error is not None:
            found["error"] = error
        return native_row(self.first.row, found, self._rest(), self._told)

    def _asked(self) -> Span | None:
        """The span whose question is the query: a top one, else the first search, else any."""
        searches = [one for one in self._spans if one.role == "retriever"]
        tops = [one for one in self._tops if one.role in ("chain", "other")]
        for group in (tops, searches, self._tops, self._spans):
            for one in group:
                if one.query is not None and one.query.strip():
                    return one
        return None

    def _answer(self) -> str | None:
        silent = ("retriever", "reranker")
        for one in reversed(self._tops):
            if one.answer is not None and one.role not in silent:
                return one.answer
        models = [one for one in self._spans if one.role == "llm" and one.answer is not None]
        if models:
            return models[-1].answer
        others = [one for one in self._spans if one.role == "chain" and one.answer is not None]
        return others[-1].answer if others else None

    def _put_documents(self, found: dict[str, Any]) -> None:
        searches = [self._passages(one, one.documents) for one in self._outermost("retriever")]
        rerankings = self._outermost("reranker")
        reranked = [self._passages(one, one.documents) for one in rerankings]
        before = [self._passages(one, one.given) for one in rerankings if one.given is not None]
        if not searches and before:
            searches = before
        if not searches and not reranked:
            return
        candidates = _joined(searches)
        stages: dict[str, Any] = {}
        if len(searches) > 1:
            self._told.note(
                "several searches in a trace: retrieved holds all, in order, without repeats"
            )
            stages = {f"search-{n}": list(one) for n, one in enumerate(searches, start=1)}
        if reranked:
            stages |= {"candidates": candidates} if searches else {}
            stages["reranked"] = _joined(reranked)
        found["retrieved"] = stages["reranked"] if reranked else candidates
        if stages:
            found["stages"] = stages

    def _passages(self, span: Span, documents: list[Any] | None) -> list[dict[str, Any]]:
        return read_passages(documents or [], f"{span.name or span.role}.documents", self._told)

    def _outermost(self, role: str) -> list[Span]:
        """The spans of a role that stand in no other one of it with documents of its own."""
        found: list[Span] = []
        for one in self._spans:
            if one.role != role or one.documents is None:
                continue
            above, seen = self._by_id.get(one.parent_id or ""), {one.span_id}
            while above is not None and above.span_id not in seen:
                if above.role == role and above.documents is not None:
                    break
                seen.add(above.span_id)
                above = self._by_id.get(above.parent_id or "")
            else:
                above = None
            if above is None:
                found.append(one)
        return found

    def _latency(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for role, name in _ROLE_LATENCY.items():
            for one in self._spans:
                if one.role != role or one.start is None or one.end is None or one.end < one.start:
                    continue
                found[name] = round(found.get(name, 0.0) + (one.end - one.start) * 1000, 3)
        return found

    def _cost(self) -> float | None:
        """The sum over the spans that say a cost, but for those above others that do: what stands
        above is a sum already."""
        told = [one for one in self._spans if one.cost_usd is not None]
        sums: set[str] = set()
        for one in told:
            above, seen = self._by_id.get(one.parent_id or ""), {one.span_id}
            while above is not None and above.span_id not in seen:
                seen.add(above.span_id)
                sums.add(above.span_id)
                above = self._by_id.get(above.parent_id or "")
        costs = [one.cost_usd or 0.0 for one in told if one.span_id not in sums]
        return math.fsum(costs) if costs else None

    def _rest(self) -> dict[str, Any]:
        spans = [
            {
                "span_id": one.span_id,
                **({"parent_id": one.parent_id} if one.parent_id is not None else {}),
                **one.rest,
                **({"attributes": one.attributes} if one.attributes else {}),
            }
            for one in self._spans
        ]
        return {"trace_id": self._id, "spans": spans}


def _joined(lists: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """All passages of the lists, in order, each id once; one list alone stays as it is."""
    if len(lists) == 1:
        return list(lists[0])
    found: dict[str, dict[str, Any]] = {}
    for one in lists:
        for passage in one:
            found.setdefault(passage["passage_id"], passage)
    return list(found.values())
