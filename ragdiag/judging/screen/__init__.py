"""The embedded judge: deterministic, explainable, without a key or weights to download."""

from ragdiag.judging.screen.judge import Screen, load

__all__ = ["Screen", "load"]
