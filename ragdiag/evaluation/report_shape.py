"""What report.json must look like for its readers: the parts they count on, and their types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

_Count = Annotated[StrictInt, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", allow_inf_nan=False, strict=True)


class _Corpus(_Part):
    n_queries: _Count


class _Interval(_Part):
    n: _Count
    ci_low: float | None
    ci_high: float | None


class _Cell(_Interval):
    value: float | None
    n_total: _Count = 0
    n_not_applicable: _Count = 0
    reasons: dict[str, _Count] = {}


class _Share(_Interval):
    share: float | None


class _Slice(_Part):
    n: _Count
    metrics: dict[str, _Cell]
    categories: dict[str, _Count]


class _Report(_Part):
    corpus: _Corpus
    run: dict[str, Any]
    unit: str
    k: Annotated[list[_Count], Field(min_length=1)]
    judge: dict[str, Any]
    metrics: dict[str, _Cell]
    categories: dict[str, _Share]
    families: dict[str, _Share]
    slices: dict[str, dict[str, _Slice]]
    zero_recall: list[dict[str, Any]]
    examples: dict[str, list[str]]
    latency: dict[str, dict[str, float]]
    ledger: dict[str, dict[str, _Count]]
    warnings: list[str]
    flags: dict[str, _Count] = {}
    stages: dict[str, dict[str, _Cell]] = {}
    n_diagnosed: _Count = 0
    cost: dict[str, Any] = {}


_MOST_SHOWN = 60


def fault_of(report: Mapping[str, Any]) -> str | None:
    """The first part that is not as it should be, with what came; None for a sound report."""
    try:
        _Report.model_validate(report)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        came = repr(first["input"])
        if len(came) > _MOST_SHOWN:
            came = f"{came[: _MOST_SHOWN - 1]}…"
        return f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}, not {came}"
    return None
