"""What a tool calls a document, chunk, node or context -> a passage of the native format."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ragdiag.data.foreign.literals import NoLiteralError, read_literal
from ragdiag.data.foreign.told import Told
from ragdiag.data.lines import shorten

_TEXT = (
    "text", "content", "page_content", "pageContent", "passage", "chunk", "chunk_text", "snippet",
    "body", "document.content", "contents",
)  # fmt: skip
_ID = (
    "passage_id", "chunk_id", "id", "_id", "id_", "node_id", "pid", "docid", "document.id",
    "document_id", "doc_id", "doc_uri",
)  # fmt: skip
_DOC = ("doc_id", "document_id", "doc_uri", "ref_doc_id")
_SCORE = ("score", "document.score", "relevance_score", "similarity_score", "similarity")
_METADATA = ("metadata", "document.metadata", "meta")
_SOURCE = ("doc_id", "document_id", "ref_doc_id", "doc_uri", "source", "file_name", "url")
_SPAN = {"start_char_idx": "start", "end_char_idx": "end"}
_INSIDE = ("document", "node", "chunk", "kwargs")


class BrokenFieldError(Exception):
    """A field that cannot be read: its name, a kind for counting, and what came."""

    def __init__(self, field: str, kind: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.kind = kind


def read_passages(
    values: Sequence[object],
    field: str,
    told: Told,
    *,
    ids: Sequence[object] | None = None,
    scores: Sequence[object] | None = None,
) -> list[dict[str, Any]]:
    """The passages of a list, in its order. `ids` and `scores` stand beside it, one an element.

    A passage without an id is called by a hash of its text, so that one text has one id in all
    queries of all files.

    Raises:
        BrokenFieldError: an element that is no text and no document.
    """
    found: list[dict[str, Any]] = []
    seen: dict[str, str | None] = {}
    for number, value in enumerate(values):
        passage = read_passage(value, f"{field}[{number}]", told)
        if ids is not None and number < len(ids) and ids[number] is not None:
            passage["passage_id"] = id_text(ids[number], f"{field}[{number}]")
        if scores is not None and number < len(scores):
            _put_score(passage, scores[number])
        if passage.get("passage_id") is None:
            passage["passage_id"] = text_id(passage["text"])
            told.passage_ids_made += 1
        key, text = str(passage["passage_id"]), passage.get("text")
        if seen.setdefault(key, text) != text:
            passage["passage_id"] = f"{key}#{number + 1}"
            told.note("one id for two texts of a list: the second got its place behind the id")
        found.append(passage)
    return found


def text_id(text: str) -> str:
    """An id for a text without one: the same for the same text, everywhere."""
    return "text-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def id_text(value: object, field: str) -> str:
    """An id as text; an integral number as its integer ("1.0" as a text stays)."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (str, int)) or not str(value).strip():
        message = f"came {shorten(value)}; expected an id (a text, or a whole number)"
        raise BrokenFieldError(field, "wrong_type", message)
    return str(value)


def read_passage(value: object, field: str, told: Told) -> dict[str, Any]:
    """One passage, without an id where it has none (then it has a text)."""
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, Mapping):
        message = f"came {shorten(value)}; expected a text or a document"
        raise BrokenFieldError(field, "wrong_type", message)
    given = _opened(cast("Mapping[str, object]", value))
    passage: dict[str, Any] = {}
    text = _take(given, _TEXT, of=str)
    if text is not None:
        passage["text"] = text
    metadata = _metadata(given)
    _put_ids(passage, given, metadata, field)
    _put_score(passage, _take(given, _SCORE, of=(int, float)))
    for theirs, ours in _SPAN.items():
        at = given.get(theirs)
        if isinstance(at, int) and not isinstance(at, bool) and at >= 0:
            passage[ours] = given.pop(theirs)
    rest = {key: inner for key, inner in given.items() if inner not in (None, "", [], {})}
    for key, inner in rest.items():
        clash = key in metadata and metadata[key] != inner
        metadata[f"{key} (of the document)" if clash else key] = inner
    if metadata:
        passage["metadata"] = metadata
    if text is None and "passage_id" not in passage:
        message = f"came {shorten(cast('object', value))}; expected a document with a text or an id"
        raise BrokenFieldError(field, "missing_field", message)
    return passage


def _put_ids(
    passage: dict[str, Any], given: dict[str, object], metadata: dict[str, object], field: str
) -> None:
    """Its own id, and the one of its document, which the metadata may name."""
    doc = next((given[name] for name in _DOC if _is_id(given.get(name))), None)
    name = next((name for name in _ID if _is_id(given.get(name))), None)
    if name is not None:
        passage["passage_id"] = id_text(given.pop(name), f"{field}.{name}")
    if doc is not None:
        passage["doc_id"] = id_text(doc, field)
        for one in _DOC:
            if _is_id(given.get(one)) and id_text(given[one], field) == passage["doc_id"]:
                del given[one]
        return
    source = next((metadata[one] for one in _SOURCE if _is_id(metadata.get(one))), None)
    if source is not None:
        passage["doc_id"] = id_text(source, field)


def _opened(value: Mapping[str, object]) -> dict[str, object]:
    """The document itself, out of {"node": {…}, "score": …} and of LangChain's {"kwargs": {…}}."""
    given = dict(value)
    if given.get("lc") is not None and isinstance(given.get("kwargs"), Mapping):
        for name in ("lc", "type", "id"):
            given.pop(name, None)
    for name in _INSIDE:
        inner = given.get(name)
        if isinstance(inner, Mapping) and not any(isinstance(given.get(t), str) for t in _TEXT):
            del given[name]
            given = {**cast("Mapping[str, object]", inner), **given}
    if isinstance(given.get("document"), str) and not any(name in given for name in _TEXT):
        given["text"] = given.pop("document")
    return given


def _metadata(given: dict[str, object]) -> dict[str, object]:
    """The document's metadata, also where it is a JSON text."""
    name = next((one for one in _METADATA if given.get(one) is not None), None)
    if name is None:
        return {}
    value = given[name]
    if isinstance(value, str):
        try:
            value = read_literal(value)
        except NoLiteralError:
            return {}  # stays under its own name
    if not isinstance(value, Mapping):
        return {}
    del given[name]
    return dict(cast("Mapping[str, object]", value))


def _take(
    given: dict[str, object], names: Sequence[str], *, of: type | tuple[type, ...]
) -> Any | None:
    for name in names:
        value = given.get(name)
        if isinstance(value, of) and not isinstance(value, bool):
            return given.pop(name)
    return None


def _is_id(value: object) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return not isinstance(value, bool) and (
        whole or (isinstance(value, str) and value.strip() != "")
    )


def _put_score(passage: dict[str, Any], value: object) -> None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        passage["score"] = value
