"""The quick way gives what the careful way gives, or leaves it to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ragdiag.data.lines import Row, _parse, parse_row, too_deep
from ragdiag.data.quick import quick_object, quick_sample
from ragdiag.records.sample import Sample

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec="utf-8"))
)
VALUES = st.recursive(
    SCALARS, lambda one: st.lists(one, max_size=4) | st.dictionaries(st.text(), one, max_size=4)
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text(), VALUES, max_size=4), st.sampled_from([None, 1]), st.booleans())
def test_an_object_is_the_same_or_none(value: dict[str, Any], indent: int | None, ascii_: bool):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    try:
        line = text.encode("utf-8")
    except UnicodeEncodeError:
        return
    quick = quick_object(line)
    careful, faults, finite = _parse(text)
    if quick is not None:
        assert (faults, finite) == ([], True)
        assert json.dumps(quick) == json.dumps(careful)


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1, "a": 2}', b'{"a": {"b": 1, "b": 1}}', b'{"a": NaN}', b'{"a": 1e999}',
        b'{"a": -1e999}', b'{"a": [{"b": 1e999}]}', b'{"a": "\\ud800"}', b'{"a": "\\u0000"}',
        b'{"a": "\xff"}', b"[1]", b"1", b"{", b'{"b": {"a" : 1}, "b": {"a" : 1}}',
        b'{"b": {"a"\t: 1}, "b": {"a"\t: 1}}', b'{"a\\\\": 1, "b": "\\":", "b": 2}',
        b'{"a\\\\":1,"b":1,"b":2}', b'{"a": ' + b"[" * 70 + b"]" * 70 + b"}",
    ],
)  # fmt: skip
def test_what_wants_a_closer_look_is_left(line: bytes) -> None:
    assert quick_object(line) is None


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": "\\":", "b": "x\\ny"}', b'{"":"","b":{"":1}}', b'{"a": 1e99, "b": -0.0}',
        b'{"a": 123456789012345678901234567890}', '{"a": "é\u2028"}'.encode(),
        b'{"a": ' + b'[{"b": {}}, ' * 30 + b"1" + b"]" * 30 + b"}",
    ],
)  # fmt: skip
def test_what_is_sound_is_taken(line: bytes) -> None:
    assert quick_object(line) == json.loads(line)


def test_too_deep() -> None:
    def nested(depth: int) -> Any:
        return [nested(depth - 1)] if depth else 1

    assert not too_deep(nested(64))
    assert too_deep(nested(65))


PASSAGE = {"passage_id": "p", "text": "T"}
FIELDS: list[dict[str, Any]] = [
    {},
    {"answer": None},
    {"answer": ""},
    {"answer": "It is [1]."},
    {"reference": "R"},
    {"reference": ["R", "S"]},
    {"reference": None},
    {"history": [["user", "Hi"]]},
    {"history": [["user"]]},
    {"history": "user"},
    {"answerable": True},
    {"answerable": "yes"},
    {"gold": [[{"doc_id": 7, "page": "3"}], [{"text": "t"}]]},
    {"gold": [[]]},
    {"gold": [[{"start": 1}]]},
    {"qrels": {"p": 2, "q": 0.5}},
    {"qrels": {"p": float("inf")}},
    {"target": {"page": 3, "period": "FY2017"}},
    {"slices": {"year": 2017, "hard": True, "x": None}},
    {"slices": {"year": "2017"}},
    {"retrieved": []},
    {"retrieved": [PASSAGE, {**PASSAGE, "score": 1, "page": 3, "metadata": {"a": [1]}}]},
    {"retrieved": [{**PASSAGE, "page": "3"}, {**PASSAGE, "page": "iv"}]},
    {"retrieved": [{**PASSAGE, "start": 1, "end": 2}]},
    {"retrieved": [{**PASSAGE, "start": 2, "end": 1}]},
    {"retrieved": [{"passage_id": 1.0}, "x", 7]},
    {"retrieved": [{"passage_id": " "}]},
    {"retrieved": [{"passage_id": "\x1c"}]},
    {"retrieved": [{"passage_id": True}]},
    {"retrieved": [{"passage_id": "p", "score": True}]},
    {"retrieved": [{"passage_id": "p", "score": "1.5"}]},
    {"retrieved": [{"passage_id": "p", "score": float("nan")}]},
    {"retrieved": [{"passage_id": "p", "text": None}]},
    {"retrieved": [{"passage_id": "p", "text": 1}]},
    {"retrieved": [None]},
    {"retrieved": "p"},
    {"retrieved": {"p": 1}},
    {"stages": {"candidates": ["a", PASSAGE]}},
    {"stages": {"candidates": "a"}},
    {"context": ["p"]},
    {"citations": [{"start": 0, "end": 2, "passage_id": "p"}], "answer": "It"},
    {"citations": [{"start": 0, "end": 3, "passage_id": "p"}], "answer": "It"},
    {"citations": [{"start": 2, "end": 1, "passage_id": "p"}], "answer": "It"},
    {"latency_ms": {"retrieve": 3}, "cost_usd": 1, "error": "e", "filter": "f"},
    {"latency_ms": {"retrieve": "3"}},
    {"metadata": {"a": {"b": None}}},
    {"metadata": []},
    {"query_id": 7},
    {"query_id": 7.0},
    {"query_id": 7.5},
    {"query_id": ""},
    {"query": None},
    {"query": 1},
    {"unknown": 1},
    {"answer_given": "no"},
]


@pytest.mark.parametrize("fields", FIELDS, ids=str)
def test_a_sample_is_the_same_or_none(fields: dict[str, Any]) -> None:
    value = {"query_id": "q", "query": "Q", **fields}
    try:
        careful = Sample.model_validate(value)
    except ValidationError:
        careful = None
    quick = quick_sample(value)
    if quick is not None:
        assert quick == careful
        assert careful is not None
        assert quick.model_fields_set == careful.model_fields_set
        assert quick.model_dump_json() == careful.model_dump_json()
        assert quick.answer_given == careful.answer_given


def test_plain_samples_go_the_quick_way() -> None:
    value = {"query_id": "q", "query": "Q", "retrieved": [PASSAGE], "answer": "A"}
    sample = quick_sample(value)
    assert sample is not None
    assert isinstance(sample.retrieved, tuple)
    (row,) = parse_row(json.dumps(value).encode(), "f", 1)
    assert isinstance(row, Row)
