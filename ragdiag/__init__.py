"""ragdiag: which layer of a RAG system failed, for every query, with the proof.

    from ragdiag import evaluate
    evaluation = evaluate("samples.jsonl", corpus="corpus.jsonl")
    evaluation.report["families"]

Importing the package loads nothing heavy: names are resolved on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragdiag.api import Evaluation, evaluate, evaluate_async
    from ragdiag.errors import DataError, IncompleteError, RagdiagError, UsageError
    from ragdiag.records import Diagnosis, Label, Passage, Sample, SampleResult, Score, Settings

__all__ = [
    "DataError", "Diagnosis", "Evaluation", "IncompleteError", "Label", "Passage", "RagdiagError",
    "Sample", "SampleResult", "Score", "Settings", "UsageError", "evaluate", "evaluate_async",
]  # fmt: skip

_ERRORS = frozenset(("DataError", "IncompleteError", "RagdiagError", "UsageError"))
_API = frozenset(("Evaluation", "evaluate", "evaluate_async"))


def __getattr__(name: str) -> Any:
    """Resolves a public name on first use (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'ragdiag' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - this is what keeps the import light

    home = "errors" if name in _ERRORS else "api" if name in _API else "records"
    return getattr(import_module(f"ragdiag.{home}"), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *__all__))
