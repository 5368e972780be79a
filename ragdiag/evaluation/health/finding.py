"""One finding about an evaluation set, and the ways in which its texts name things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["wrong", "weak", "note"]
"""wrong: figures from this set mislead. weak: they say less than they seem to. note: look at it."""

SEVERITIES: tuple[Severity, ...] = ("wrong", "weak", "note")
MOST_NAMED = 3
_LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class Finding:
    """What is the matter, by which numbers, and what to do about it."""

    kind: str
    severity: Severity
    message: str
    todo: str
    numbers: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_dict(self) -> dict[str, Any]:
        """The row of the JSON key `findings`."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "message": self.message,
            "todo": self.todo,
            "numbers": dict(self.numbers),
        }


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """By severity; within one, as they came."""
    return sorted(findings, key=lambda one: SEVERITIES.index(one.severity))


def percent(part: float, whole: float = 1) -> str:
    """ "12%"; under half a per cent "<1%", so that some is never shown as none."""
    share = part / whole if whole else 0.0
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def some(names: Sequence[str], total: int | None = None, *, longest: int = _LONGEST_NAME) -> str:
    """ "a, b, c …": the first few, each cut to a length that leaves room for the others."""
    cut = [n if len(n) <= longest else f"{n[: longest - 1]}…" for n in names]
    more = len(names) if total is None else total
    return f"{', '.join(cut[:MOST_NAMED])}{' …' if more > MOST_NAMED else ''}"


def pair(left: str, right: str) -> str:
    """ "q1 = q2", or one id where both are equal; of long ids both ends, by which they differ."""
    return _ends(left) if left == right else f"{_ends(left)} = {_ends(right)}"


def _ends(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:10]}…{name[-10:]}"


def counted(n: int, one: str, many: str | None = None) -> str:
    """ "1 query", "3 queries"."""
    return f"{n} {one if n == 1 else many or one + 's'}"
