"""Whether work grows with the length of a text as the length does, and not as its square."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

_TRIES = 3
_TOO_SHORT = 0.2
_MOST = 10.0


def grows_linearly(work: Callable[[str], object], text: str) -> bool:
    """CPU time on the whole text against that on a quarter of it: 4 where linear, 16 where
    quadratic; below 10 in one of three tries. Under 0.2 s for the whole there is nothing to tell.

    The quarter keeps both ends: what opens a text or closes it may decide that it is read at all.
    """
    for _ in range(_TRIES):
        quarter, whole = _spent(work, _quarter(text)), _spent(work, text)
        if whole < _TOO_SHORT or whole < _MOST * quarter:
            return True
    return False


def _quarter(text: str) -> str:
    end = len(text) // 8
    return text[:end] + text[len(text) - end :]


def _spent(work: Callable[[str], object], text: str) -> float:
    """CPU seconds, without the garbage collector, whose share grows with all that is in memory, and
    without the tracer of coverage, which takes three times what it measures."""
    on, tracer = gc.isenabled(), sys.gettrace()
    gc.disable()
    sys.settrace(None)
    try:
        began = time.process_time()
        work(text)
        return time.process_time() - began
    finally:
        sys.settrace(tracer)
        if on:
            gc.enable()
