"""How numbers are shown; the one place where they are rounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ABSENT = "–"


def value(number: float | None) -> str:
    """0.873; a dash for none."""
    return ABSENT if number is None else f"{number:.3f}"


def share(number: float | None) -> str:
    """31.8%; a dash for none."""
    return ABSENT if number is None else f"{number:.1%}"


def interval(low: float | None, high: float | None) -> str:
    """[0.81, 0.92]; empty for none."""
    return "" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"


def of_total(metric: Mapping[str, Any]) -> str:
    """41/44: how many are scored of how many."""
    return f"{metric['n']}/{metric['n_total']}"


def milliseconds(number: float) -> str:
    """812 ms, 3.2 s."""
    return f"{number:.0f} ms" if number < 1000 else f"{number / 1000:.1f} s"


def counted(n: int, one: str, many: str | None = None) -> str:
    """ "1 query", "2 queries"; without `many`, an "s" is put behind."""
    return f"{n} {one if n == 1 else many or one + 's'}"
