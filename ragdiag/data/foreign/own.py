"""ragdiag's own fields in other clothes: a JSON list, a table, wrapped or by columns."""

from __future__ import annotations

from typing import Any

from ragdiag.data.foreign.fields import Fields, opened
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.rows import one_a_row
from ragdiag.data.samples import FIELDS

_TEXTS = frozenset(("query_id", "query", "answer", "filter", "error"))


def _fits(head: Head) -> int:
    own = "query" in head.keys and head.keys <= set(FIELDS)
    return len(head.keys) + 2 if own else 0


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in FIELDS:
        value = fields.take(name)[1]
        if value is not None:
            found[name] = value if name in _TEXTS else opened(value)
    if not str(found.get("query", "")).strip():
        found.pop("query", None)
    return found


FORMAT = Format(
    "ragdiag",
    "query_id, query with retrieved, context, answer, reference, gold",
    _fits,
    one_a_row(_read),
    lambda head: "ragdiag's own fields",
)
