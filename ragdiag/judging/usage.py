"""Adding up what judges' calls cost; unknown stays unknown."""

from __future__ import annotations

from collections.abc import Iterable

from ragdiag.records import Usage


def total(usages: Iterable[Usage]) -> Usage:
    """The sum; tokens or money that one part does not know are None in the sum. Empty: zero."""
    return sum(usages, Usage())
