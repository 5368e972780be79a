"""Scores and diagnoses as `gen_ai.evaluation.result` events of OpenTelemetry, in OTLP's JSON.

Source: semantic conventions for generative AI, events (status: development); OTLP file exporter, a
JSON object a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ragdiag.records import Sample, SampleResult, Score
from ragdiag.report.corrected import METRICS

EVENT = "gen_ai.evaluation.result"
_INFO = 9
_WARN = 13
_TRACE_ID, _SPAN_ID = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
_CHECK_OF = {
    **{metric: check for check, metric in METRICS.items()},
    "evidence_correctness": "evidence_identity",
}


def events_line(
    sample: Sample, result: SampleResult, *, time_ns: int, judge: str, version: str
) -> dict[str, Any]:
    """One OTLP line: the events of one query, the diagnosis first, then each metric.

    A metric without a value has no `gen_ai.evaluation.score.value`, and its status and reason as
    attributes (`error.type` where the judge broke): no failure becomes a number. Events hang on the
    span that was evaluated where the sample's metadata name it (`trace_id`, `span_id`, hex).
    """
    traced = _traced(sample.metadata)
    records = [
        {
            "timeUnixNano": str(time_ns),
            "observedTimeUnixNano": str(time_ns),
            "severityNumber": severity,
            "eventName": EVENT,
            "body": {"stringValue": EVENT},
            **traced,
            "attributes": _attributes({**told, "ragdiag.query_id": sample.query_id}),
        }
        for severity, told in _told(result)
    ]
    service = {"service.name": "ragdiag", "ragdiag.judge": judge}
    return {
        "resourceLogs": [
            {
                "resource": {"attributes": _attributes(service)},
                "scopeLogs": [
                    {"scope": {"name": "ragdiag", "version": version}, "logRecords": records}
                ],
            }
        ]
    }


def _told(result: SampleResult) -> Iterator[tuple[int, dict[str, Any]]]:
    found = result.diagnosis
    yield (
        _INFO if found.family in (None, "success") else _WARN,
        {
            "gen_ai.evaluation.name": "ragdiag.diagnosis",
            "gen_ai.evaluation.score.label": found.code,
            "gen_ai.evaluation.explanation": found.name or found.status_reason,
            "ragdiag.family": found.family,
            "ragdiag.codes": list(found.codes),
            "ragdiag.flags": list(dict.fromkeys((*result.flags, *found.flags))),
            "ragdiag.deciding_input": found.deciding_input,
        },
    )
    for name, score in result.scores.items():
        label = result.labels.get(_CHECK_OF.get(name, ""))
        yield (
            _WARN if score.status == "error" else _INFO,
            {
                "gen_ai.evaluation.name": name,
                "gen_ai.evaluation.score.value": score.value,
                "gen_ai.evaluation.score.label": None if label is None else label.label,
                "gen_ai.evaluation.explanation": None if label is None else label.reason,
                **_status(score),
            },
        )


def _status(score: Score) -> dict[str, Any]:
    if score.status == "scored":
        return {"ragdiag.status": score.status}
    told = {"ragdiag.status": score.status, "ragdiag.reason": score.reason}
    return {**told, "error.type": score.reason} if score.status == "error" else told


def _traced(metadata: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, key, pattern in (("trace_id", "traceId", _TRACE_ID), ("span_id", "spanId", _SPAN_ID)):
        value = metadata.get(name)
        if isinstance(value, str) and pattern.fullmatch(value.lower()):
            found[key] = value.lower()
    return found


def _attributes(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": _value(value)}
        for key, value in told.items()
        if value is not None and value != []
    ]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(one) for one in value]}}  # pyright: ignore[reportUnknownVariableType]
    return {"stringValue": str(value)}
