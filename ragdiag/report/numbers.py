"""How numbers are shown; the one place where they are rounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

ABSENT = "–"
_MORE_DIGITS = 6


def value(number: float | None, *, digits: int = 3) -> str:
    """0.873; a dash for none."""
    return ABSENT if number is None else f"{number:.{digits}f}"


def share(number: float | None, *, digits: int = 1) -> str:
    """31.8%; a dash for none."""
    return ABSENT if number is None else f"{number:.{digits}%}"


def interval(low: float | None, high: float | None, *, digits: int = 2) -> str:
    """[0.81, 0.92]; empty for none."""
    return "" if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]"


def telling_digits(number: float | None, keeps: Callable[[float], bool], *, least: int) -> int:
    """As many decimals (`least` or more) as a number needs so that, rounded, it still keeps a
    condition or breaks it: 0.0535 against 0.05 needs 3."""
    if number is None:
        return least
    wanted, most = keeps(number), least + _MORE_DIGITS
    return next((n for n in range(least, most) if keeps(round(number, n)) == wanted), most)


def of_total(metric: Mapping[str, Any]) -> str:
    """41/44: how many are scored of how many."""
    return f"{metric['n']}/{metric['n_total']}"


def milliseconds(number: float) -> str:
    """812 ms, 3.2 s."""
    return f"{number:.0f} ms" if number < 1000 else f"{number / 1000:.1f} s"


def counted(n: int, one: str, many: str | None = None) -> str:
    """ "1 query", "2 queries"; without `many`, an "s" is put behind."""
    return f"{n} {one if n == 1 else many or one + 's'}"
