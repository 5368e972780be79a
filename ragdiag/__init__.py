"""ragdiag: which layer of a RAG system failed, for every query, with the proof.

    from ragdiag import evaluate
    evaluation = evaluate("samples.jsonl", corpus="corpus.jsonl")
    evaluation.report["families"]

Importing the package loads nothing heavy: names are resolved on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragdiag.api import Evaluation, collect, collect_async, evaluate, evaluate_async, load
    from ragdiag.collecting.timing import timed
    from ragdiag.errors import DataError, IncompleteError, RagdiagError, UsageError
    from ragdiag.records import Diagnosis, Label, Passage, Sample, SampleResult, Score, Settings

__all__ = [
    "DataError", "Diagnosis", "Evaluation", "IncompleteError", "Label", "Passage", "RagdiagError",
    "Sample", "SampleResult", "Score", "Settings", "UsageError", "collect", "collect_async",
    "evaluate", "evaluate_async", "load", "timed",
]  # fmt: skip

_ERRORS = frozenset(("DataError", "IncompleteError", "RagdiagError", "UsageError"))
_API = frozenset(("Evaluation", "collect", "collect_async", "evaluate", "evaluate_async", "load"))
_HOMES = {
    **dict.fromkeys(_ERRORS, "errors"), **dict.fromkeys(_API, "api"), "timed": "collecting.timing",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Resolves a public name on first use (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'ragdiag' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - this is what keeps the import light

    home = import_module(f"ragdiag.{_HOMES.get(name, 'records')}")
    return getattr(home, name)


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
