"""Which tool wrote a file: told by the structure of its first records, never by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragdiag.data.foreign import (
    autorag,
    benchmark_qed,
    deepeval,
    dial,
    genai,
    langchain,
    langfuse,
    langsmith,
    llamaindex,
    mlflow,
    mlflow_traces,
    mtrag,
    open_rag_eval,
    openinference,
    own,
    ragas,
    ragchecker,
    trulens,
)
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.source import Source, keys_of
from ragdiag.errors import UsageError
from ragdiag.records.problem import Problem

FORMATS: tuple[Format, ...] = (
    ragas.FORMAT,
    deepeval.FORMAT,
    ragchecker.FORMAT,
    autorag.FORMAT,
    open_rag_eval.FORMAT,
    mlflow.FORMAT,
    dial.FORMAT,
    llamaindex.FORMAT,
    langchain.FORMAT,
    benchmark_qed.FORMAT,
    mtrag.FORMAT,
    openinference.FORMAT,
    genai.FORMAT,
    trulens.FORMAT,
    mlflow_traces.FORMAT,
    langfuse.FORMAT,
    langsmith.FORMAT,
    own.FORMAT,
)
NAMES = tuple(one.name for one in FORMATS)


def by_name(name: str) -> Format:
    """The format of this name; UsageError names them all."""
    plain = name.strip().lower().replace("_", "-")
    for one in FORMATS:
        if one.name == plain:
            return one
    raise UsageError(f"--from takes one of {', '.join(NAMES)}; came {name!r}")


def is_record(value: Mapping[str, Any]) -> bool:
    """Is the object itself a record of some tool (and no wrapper of records)?"""
    head = Head.of([value])
    return any(one.fits(head) for one in FORMATS)


def fitting(source: Source) -> tuple[list[Format], int]:
    """The formats that fit best, and how many of the file's names they know; several where they
    fit equally, none where none does."""
    head = head_of(source)
    fits = [(one.fits(head), one) for one in FORMATS]
    best = max(n for n, _ in fits)
    return [one for n, one in fits if n == best and n > 0], best


def head_of(source: Source) -> Head:
    """The source's first records."""
    return Head.of((row.value for row in source.head), cells=source.cells)


def detect(source: Source) -> Format | Problem:
    """The one format that fits best, or what was seen and what was expected."""
    found, _ = fitting(source)
    if len(found) == 1:
        return found[0]
    names = keys_of(source.head)
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    seen = f"the fields {listed}" if listed else "no field"
    if found:
        which = " or ".join(one.name for one in found)
        message = (
            f"{source.layout} with {seen}: this may be {which}; say which with "
            f"`ragdiag convert FILE --from {found[0].name} -o OUT.jsonl`"
        )
        return _problem(source, "ambiguous_format", message)
    message = (
        f"{source.layout} with {seen}: not the structure of a known export; "
        f"expected the fields of {', '.join(NAMES[:-1])} or {NAMES[-1]}"
    )
    return _problem(source, "unknown_format", message)


def _problem(source: Source, kind: str, message: str) -> Problem:
    return Problem(file=source.file, line=None, field="", kind=kind, message=message)
