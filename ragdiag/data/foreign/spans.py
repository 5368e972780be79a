"""Spans of any exporter -> flat spans: ids, times, and attributes by their dotted names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from ragdiag.data.foreign.fields import opened
from ragdiag.data.foreign.parts import as_items, as_object
from ragdiag.data.lines import Row

Attributes = dict[str, Any]

_TRACE = ("traceId", "trace_id", "context.trace_id", "trace.trace_id", "traceID", "context.traceId")
_SPAN = ("spanId", "span_id", "context.span_id", "trace.span_id", "spanID", "context.spanId")
_PARENT = (
    "parentSpanId", "parent_span_id", "parent_id", "trace.parent_id", "parentId",
    "record.parent_span_id", "parent_span_context.span_id",
)  # fmt: skip
_START = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "start_timestamp", "startTime")
_END = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "timestamp", "endTime")
_NANO = frozenset((*_START[:2], *_END[:2]))
_NAME = ("name", "record.name", "operationName", "span_name")
_PREFIXES = ("attributes.", "record_attributes.", "span_attributes.")
_JSON_TEXT = (
    "attributes",
    "record_attributes",
    "context",
    "trace",
    "record",
    "resource_attributes",
)
_RESOURCE = ("resourceSpans", "resource_spans", "batches")
_SCOPE = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_FAILED = frozenset(("ERROR", "STATUS_CODE_ERROR", "2", "2.0"))
_NUMBERED = re.compile(r"(.+?)\.(\d+)\.(.+)")


@dataclass(slots=True)
class Span:
    """One span: what it is and what is read from it is for the tool's reader to fill in.

    trace_id   "" where the span does not say: then its topmost parent names the trace.
    role       retriever, reranker, llm, chain or other.
    documents  as the tool writes them; `given`: what a reranker was given.
    start, end seconds since 1970; None where the span does not say.
    """

    row: Row
    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    attributes: Attributes
    order: int
    rest: Attributes = field(default_factory=dict[str, Any])
    start: float | None = None
    end: float | None = None
    role: str = "other"
    query: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    answer: str | None = None
    documents: list[Any] | None = None
    given: list[Any] | None = None
    error: str | None = None
    cost_usd: float | None = None

    def take(self, *names: str) -> Any:
        """The value of the first attribute that is there, which is then gone; None."""
        for name in names:
            if self.attributes.get(name) is not None:
                return self.attributes.pop(name)
        return None

    def peek(self, *names: str) -> Any:
        """The same, and it stays."""
        return next((self.attributes[n] for n in names if self.attributes.get(n) is not None), None)

    def numbered(self, prefix: str) -> list[Any] | None:
        """The list of an attribute: written as a list, as JSON text, or element by element
        (`prefix.0.document.id`); it is then gone."""
        whole = opened(self.attributes.get(prefix))
        if isinstance(whole, list):
            del self.attributes[prefix]
            return cast("list[Any]", whole)
        parts: dict[int, Attributes] = {}
        for name in [one for one in self.attributes if one.startswith(f"{prefix}.")]:
            found = _NUMBERED.fullmatch(name.removeprefix(prefix).join(("x", "")))
            if found is not None and found[1] == "x":
                parts.setdefault(int(found[2]), {})[found[3]] = self.attributes.pop(name)
        return [parts[number] for number in sorted(parts)] if parts else None


def read_spans(rows: Iterable[Row]) -> Iterator[Span]:
    """The spans of flat rows, of OTLP requests, and of traces that hold their spans."""
    order = 0
    for row in rows:
        for raw in _raw_spans(row.value):
            order += 1
            yield _span(row, raw, order)


def _raw_spans(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in _RESOURCE:
        for resource in _objects(value.get(name)):
            facts = resource.get("resource")
            for scope_name in _SCOPE:
                for scope in _objects(resource.get(scope_name)):
                    for span in _objects(scope.get("spans")):
                        yield {**span, **({"resource": facts} if facts else {})}
            yield from _objects(resource.get("spans"))
    if any(name in value for name in _RESOURCE):
        return
    data = as_object(opened(value.get("data")))
    inner = list(_objects(opened((data if "spans" in data else value).get("spans"))))
    if not inner:
        yield value
        return
    shared = {key: one for key, one in value.items() if key not in ("spans", "data")}
    for number, span in enumerate(inner):
        yield {**({"trace": shared} if number == 0 else {}), **_with_trace(span, shared)}


def _with_trace(span: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """The span with the id of the trace that holds it, where it has none of its own."""
    if any(span.get(name) for name in _TRACE) or isinstance(span.get("context"), Mapping):
        return dict(span)
    holders = (dict(shared), as_object(shared.get("info")))
    names = (*_TRACE, "request_id", "id")
    found = next((one[name] for one in holders for name in names if one.get(name)), None)
    return {**span, **({"trace_id": found} if found is not None else {})}


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        for one in cast("list[object]", value):
            if isinstance(one, Mapping):
                yield cast("Mapping[str, Any]", one)


def _span(row: Row, raw: Mapping[str, Any], order: int) -> Span:
    flat: Attributes = {}
    for key, value in raw.items():
        if key in _JSON_TEXT:
            value = opened(value)  # noqa: PLW2901
        if key == "resource":
            flat[key] = value
        else:
            flatten(value, key, flat)
    attributes = {
        key.removeprefix(prefix): flat.pop(key)
        for prefix in _PREFIXES
        for key in [one for one in flat if one.startswith(prefix)]
    }
    _read_jaeger(flat, attributes)
    trace_id, span_id = _taken(flat, _TRACE), _taken(flat, _SPAN)
    if span_id is None:
        span_id = _taken(flat, ("id", "event_id"))
    parent = _taken(flat, _PARENT)
    for name in (*_PARENT, *_TRACE, *_SPAN):
        if str(flat.get(name)) in (str(parent), str(trace_id), str(span_id)):
            flat.pop(name, None)
    found = Span(
        row=row,
        trace_id=str(trace_id) if trace_id not in (None, "") else "",
        span_id=str(span_id) if span_id not in (None, "") else f"span-{order}",
        parent_id=str(parent) if parent not in (None, "", 0) else None,
        name=str(_first(flat, _NAME) or ""),
        attributes=attributes,
        order=order,
        rest=flat,
        start=_time(flat, _START),
        end=_time(flat, _END),
    )
    found.error = _error(flat)
    return found


def _read_jaeger(flat: Attributes, attributes: Attributes) -> None:
    """Jaeger's tags are the attributes, its references name the parent."""
    for tag in _objects(flat.get("tags")):
        if tag.get("key") is not None and "value" in tag:
            attributes.setdefault(str(tag["key"]), tag["value"])
            flat.pop("tags", None)
    for one in _objects(flat.get("references")):
        if one.get("refType") == "CHILD_OF" and one.get("spanID"):
            flat.setdefault("parent_id", one["spanID"])
    start, length = flat.get("startTime"), flat.get("duration")
    if "operationName" in flat and isinstance(start, int) and isinstance(length, int):
        flat.setdefault("endTime", start + length)


def _first(flat: Attributes, names: tuple[str, ...]) -> Any:
    return next((flat[name] for name in names if flat.get(name) not in (None, "")), None)


def _time(flat: Attributes, names: tuple[str, ...]) -> float | None:
    """The time of the first name that is there, in seconds; OTLP's own are nanoseconds always."""
    name = next((one for one in names if flat.get(one) not in (None, "")), None)
    if name is None:
        return None
    if name in _NANO and str(flat[name]).isdecimal():
        return int(flat[name]) / 1e9
    return seconds(flat[name])


def _taken(flat: Attributes, names: tuple[str, ...]) -> Any:
    for name in names:
        if flat.get(name) not in (None, ""):
            return flat.pop(name)
    return None


def _error(flat: Attributes) -> str | None:
    code = _first(
        flat, ("status_code", "status.code", "status.status_code", "status", "record.status")
    )
    if str(code).upper() not in _FAILED:
        return None
    told = _first(flat, ("status_message", "status.message", "status.description"))
    return str(told or "the span's status is ERROR")


def flatten(value: object, name: str, flat: Attributes) -> None:
    """Objects by dotted names; OTLP's lists of {key, value} too. Other lists stay lists."""
    if isinstance(value, Mapping):
        given = cast("Mapping[str, object]", value)
        if not given:
            return
        for key, inner in given.items():
            flatten(inner, f"{name}.{key}" if name else key, flat)
        return
    pairs = _otlp_pairs(value)
    if pairs is not None:
        for key, inner in pairs.items():
            flatten(inner, f"{name}.{key}", flat)
        return
    if value is not None:
        flat[name] = value


def _otlp_pairs(value: object) -> dict[str, Any] | None:
    if not isinstance(value, list) or not value:
        return None
    parts = cast("list[object]", value)
    pairs = [as_object(one) for one in parts]
    if not all({"key"} <= one.keys() <= {"key", "value"} for one in pairs):
        return None
    return {str(one["key"]): otlp_value(one.get("value")) for one in pairs}


def otlp_value(value: object) -> Any:
    """{"stringValue": "x"} -> "x"; arrays and lists of pairs likewise."""
    if not isinstance(value, Mapping):
        return value
    given = cast("Mapping[str, Any]", value)
    if len(given) != 1:
        return dict(given)
    ((kind, inner),) = given.items()
    plain = kind.replace("_", "").lower()
    if plain == "intvalue":
        return int(inner) if str(inner).lstrip("-").isdecimal() else inner
    if plain == "arrayvalue":
        return [otlp_value(one) for one in as_items(as_object(inner).get("values"))]
    if plain == "kvlistvalue":
        return _otlp_pairs(as_object(inner).get("values")) or {}
    if plain in ("stringvalue", "doublevalue", "boolvalue", "bytesvalue"):
        return inner
    return dict(given)


_SCALES = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))


def seconds(value: object) -> float | None:
    """A time as seconds since 1970: a number of seconds, milli-, micro- or nanoseconds by its size,
    or ISO 8601 (without a zone: UTC). None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        if text.isdecimal():
            value = int(text)
        else:
            try:
                found = datetime.fromisoformat(text)
            except ValueError:
                return None
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, (int, float)):
        scale = next((by for least, by in _SCALES if abs(value) >= least), 1.0)
        return value / scale
    return None
