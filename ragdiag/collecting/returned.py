"""What a pipeline returned -> the run's fields of a sample: native ones, or the results of
LangChain and LlamaIndex, told by their attributes (neither is imported)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from typing import Any, cast

from ragdiag.data.names import meant_by
from ragdiag.data.samples import RUN_FIELDS
from ragdiag.records import Passage

_ECHOED = frozenset(("query_id", "query", "input", "question", "history", "chat_history", "filter"))
"""Keys that only repeat what was asked."""
_ANSWERS = ("answer", "result", "output", "output_text", "response")
_SOURCES = ("context", "source_documents", "source_nodes", "documents")
_IDS = ("passage_id", "chunk_id", "id", "_id", "pk", "node_id")
_DOCUMENTS = ("doc_id", "document_id", "source", "file_path", "file_name")
_PASSAGE_FIELDS = frozenset(Passage.model_fields)
_MESSAGES = ("message", "detail", "error", "type", "code")
_LISTS = ("retrieved", "context")
_MOST_UNFOLDED = 8


class UnreadableResultError(ValueError):
    """What the pipeline returned is no result; the message says what came and what is needed."""


def run_fields(result: object) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields of the run, not yet checked, and the keys that no field stands for.

    A string is the answer; a list is `retrieved`; a mapping or record has native names. Of
    LangChain: documents, (document, score) pairs, a chain's {"answer", "context"}, a message. Of
    LlamaIndex: a response with its source nodes, nodes with scores. Their passages become both
    `retrieved` and the context.

    Raises:
        UnreadableResultError: None, or of another kind.
    """
    if isinstance(result, str):
        return {"answer": result}, ()
    if hasattr(result, "source_nodes"):  # a response of LlamaIndex
        answer = getattr(result, "response", None)
        nodes = cast("Iterable[object]", getattr(result, "source_nodes", None) or ())
        return {"answer": answer, "retrieved": _passages(nodes)}, ()
    record = _as_mapping(result)
    if record is not None and not record:
        raise UnreadableResultError(
            "the pipeline returned an empty dict; return what it found and said (retrieved: [] "
            "where it found nothing, answer: None where it gave none)"
        )
    if record is not None:
        return _of_mapping(record)
    if isinstance(getattr(result, "content", None), str):  # a message of LangChain
        return {"answer": cast("Any", result).content}, ()
    if isinstance(result, Sequence) and not isinstance(result, (bytes, bytearray)):
        return {"retrieved": _passages(cast("Sequence[object]", result))}, ()
    raise UnreadableResultError(
        f"the pipeline returned {_kind(result)}; return a dict with answer, retrieved and "
        "context, the answer alone as a string, or the list of what was retrieved"
    )


def _kind(value: object) -> str:
    return "None" if value is None else f"something of type {type(value).__name__}"


def _as_mapping(value: object) -> Mapping[str, Any] | None:
    """A mapping as it is, a dataclass or pydantic record by its fields (one level); None for a
    message and all else."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    if is_dataclass(value) and not isinstance(value, type):
        names = tuple(one.name for one in fields(value))
    else:
        names = tuple(cast("Mapping[str, Any]", getattr(type(value), "model_fields", ())))
    if not names or ("content" in names and "answer" not in names):
        return None
    return {name: getattr(value, name) for name in names}


def _of_mapping(given: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not set(given) & {*RUN_FIELDS, *_ANSWERS, *_SOURCES}:
        raise UnreadableResultError(
            f"the pipeline returned the keys {', '.join(map(str, list(given)[:8]))}: none of them "
            f"is a field of a run ({', '.join(RUN_FIELDS)})"
        )
    found = {key: value for key, value in given.items() if key in RUN_FIELDS}
    rest = [str(key) for key in given if key not in found and key not in _ECHOED]
    if "answer" not in found:
        named = next((key for key in _ANSWERS if key in rest), None)
        if named is not None:
            found["answer"] = _text(given[named])
            rest.remove(named)
    if "retrieved" not in found:
        source = next((key for key in _SOURCES if _is_foreign(given.get(key))), None)
        if source is not None:
            found["retrieved"] = given[source]
            found.pop("context", None)
            rest = [key for key in rest if key != source]
    for key in _LISTS:
        if _is_list(found.get(key)):
            found[key] = _passages(found[key])
    if isinstance(found.get("stages"), Mapping):
        stages = cast("Mapping[str, Any]", found["stages"])
        found["stages"] = {k: _passages(v) if _is_list(v) else v for k, v in stages.items()}
    if "answer" in found:
        found["answer"] = _text(found["answer"])
    if "error" in found:
        found["error"] = _told(found["error"])
    for key in rest:
        meant, absent = meant_by(key, fields=RUN_FIELDS, given=found, of="sample")
        if meant and absent:
            raise UnreadableResultError(
                f"the pipeline returned the key {key!r}: no field is called so; did you mean "
                f"{' or '.join(map(repr, meant))}?"
            )
    return found, tuple(rest)


def _told(error: Any) -> Any:
    """The message of {"message": "…"}, as APIs say an error; all else as it is."""
    if not isinstance(error, Mapping):
        return error
    given = cast("Mapping[str, Any]", error)
    said = (given[key] for key in _MESSAGES if isinstance(given.get(key), str))
    return next(said, str(dict(given)))


def _text(answer: Any) -> Any:
    """The text of a message or response; all else as it is, to be checked."""
    for name in ("content", "response", "text"):
        inner = getattr(answer, name, None)
        if isinstance(inner, str):
            return inner
    return answer


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def _is_foreign(value: object) -> bool:
    """A list whose first element is a document or node of another framework."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)) or not value:
        return False
    first = cast("Sequence[object]", value)[0]
    if isinstance(first, Mapping):
        return bool({"page_content", "node"} & set(cast("Mapping[str, object]", first)))
    return hasattr(first, "page_content") or hasattr(first, "node")


def _passages(given: Iterable[object]) -> list[Any]:
    if isinstance(given, AbstractSet):
        raise UnreadableResultError(
            "passages came as a set, which has no order; return a list, the best first"
        )
    return [_passage(one) for one in given]


def _passage(given: Any) -> Any:
    """One passage as a mapping of native fields; an id stays an id; all else as it came."""
    score: Any = None
    for _ in range(_MOST_UNFOLDED):
        if isinstance(given, tuple):
            pair = cast("tuple[Any, ...]", given)
            if len(pair) != 2:
                return list(pair)
            given, score = pair  # (document, score)
        elif (node := _get(given, "node")) is not None:
            given, score = node, _get(given, "score")
        else:
            break
    found: Any = given
    if score is not None and isinstance(given, (str, int)):
        found = {"passage_id": given}
    elif not isinstance(given, (str, int, float)) and given is not None:
        found = _document(given)
    if score is None or not isinstance(found, dict):
        return found
    return {**cast("dict[str, Any]", found), "score": score}


def _document(given: Any) -> Any:
    """A passage or document of any kind as native fields; as it came where it is none."""
    if isinstance(given, Passage):
        return given.model_dump(exclude_none=True, exclude_defaults=True)
    record = _as_mapping(given)
    if record is not None and "page_content" not in record and "id_" not in record:
        return _native(record)
    content = getattr(given, "get_content", None)
    text = content() if callable(content) else _get(given, "page_content") or _get(given, "text")
    metadata: dict[str, Any] = dict(_get(given, "metadata") or {})
    own = next((key for name in ("id", "id_", "node_id") if (key := _get(given, name))), None)
    key = own or next((metadata[name] for name in _IDS if metadata.get(name)), None)
    if text is None and key is None:
        return given
    found: dict[str, Any] = {
        "passage_id": str(key) if key else _id_of_text(str(text)),
        "text": text,
        "metadata": metadata,
    }
    document = next((metadata[name] for name in _DOCUMENTS if metadata.get(name)), None)
    if document is not None:
        found["doc_id"] = str(document)
    page = _page(metadata)
    return found if page is None else {**found, "page": page}


def _get(given: object, name: str) -> Any:
    """A key of a mapping, an attribute of all else; None where it is absent."""
    if isinstance(given, Mapping):
        return cast("Mapping[str, Any]", given).get(name)
    return getattr(given, name, None)


def _native(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a passage; keys that no field stands for go into its metadata."""
    found = {str(key): value for key, value in record.items() if value is not None}
    more = {
        key: value
        for key, value in found.items()
        if key not in _PASSAGE_FIELDS
        and not meant_by(key, fields=tuple(_PASSAGE_FIELDS), given=found, of="passage")[1]
    }
    if not more or not isinstance(found.get("metadata", {}), Mapping):
        return found
    kept = {key: value for key, value in found.items() if key not in more}
    return {**kept, "metadata": {**more, **found.get("metadata", {})}}


def _page(metadata: Mapping[str, Any]) -> Any:
    """`page` counts from 1; loaders of LangChain count from 0 and say so by a label one higher."""
    page, label = metadata.get("page"), metadata.get("page_label")
    if isinstance(page, int) and isinstance(label, str) and label == str(page + 1):
        return page + 1
    return page if page is not None else label


def _id_of_text(text: str) -> str:
    """An id where the framework gave none: the same text has the same id in every run."""
    return "text-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
