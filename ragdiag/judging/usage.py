"""Adding up what judges' calls cost; unknown stays unknown."""

from __future__ import annotations

from collections.abc import Iterable

from ragdiag.records import Usage


def total(usages: Iterable[Usage]) -> Usage:
    """The sum; tokens or money that one part does not know are None in the sum. Empty: zero."""
    known = list(usages)
    return Usage(
        calls=sum(usage.calls for usage in known),
        cached=sum(usage.cached for usage in known),
        input_tokens=_sum(usage.input_tokens for usage in known),
        output_tokens=_sum(usage.output_tokens for usage in known),
        usd=_money(usage.usd for usage in known),
    )


def _sum(values: Iterable[int | None]) -> int | None:
    result = 0
    for value in values:
        if value is None:
            return None
        result += value
    return result


def _money(values: Iterable[float | None]) -> float | None:
    result = 0.0
    for value in values:
        if value is None:
            return None
        result += value
    return result
