"""A line read at once gives what its object gives, or is left to the careful way."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from ragdiag.data.lines import Row, _parse, _text_faults, read_rows, too_deep
from ragdiag.data.native import read_entries
from ragdiag.data.quick import quick_line, sound_object
from ragdiag.data.samples import Read, read_sample, read_sample_lines
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Sample
from tests.data.test_quick import FIELDS

PASSAGE = {"passage_id": "p", "doc_id": "d", "page": 3, "text": 'a "b": c', "score": 0.5}
WHOLE: dict[str, Any] = {
    "query_id": "q",
    "query": "Q?",
    "history": [["user", "Hi"]],
    "reference": ["R"],
    "answerable": True,
    "gold": [[{"passage_id": "p"}, {"doc_id": "d", "page": 3}], [{"text": "t"}]],
    "qrels": {"p": 2, "x": 0.5},
    "target": {"period": "FY2017", "page": 3},
    "filter": "f",
    "slices": {"year": "2017"},
    "retrieved": [PASSAGE, {"passage_id": "x", "metadata": {"a": [1, {"b": None}]}}],
    "stages": {"candidates": [PASSAGE], "reranked": []},
    "context": [PASSAGE],
    "answer": "It is é.",
    "citations": [{"start": 0, "end": 2, "passage_id": "p"}],
    "latency_ms": {"retrieve": 3},
    "cost_usd": 1,
    "error": "e",
    "metadata": {"a": {"b": [1.5, {}]}},
}
NUMBERS = ("1e999", "-1e999", "NaN", "Infinity", "1" * 400, "1.0", "-0.0", "1e5", "0.1", "-1")
ODD: tuple[str, ...] = (
    *NUMBERS, "null", "true", "false", '""', '" "', '"\\u001c"', '"\\u0000"', '"\\ud800"',
    '"\\ud83d\\ude00"', '"\\u00e9"', '"1.5"', '"7"', '"a\\":b"', '"a\\\\"', '"\u2028"', "[]", "{}",
    "[[]]", '[""]', "[null]", '["p"]', '["a", "a"]', '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}',
    '{"a": NaN}', '{"a": 1e999}', '{"passage_id": "p", "passage_id": "p"}', '{"a" : 1, "a" : 1}',
    '[{"passage_id": "p", "unknown": 1}]', '[{"passage_id": "p", "text": null}]', '[{"start": 1}]',
    '{"a": ' + "[" * 70 + "]" * 70 + "}", "9007199254740993", "123456789012345678901234567890",
)  # fmt: skip


def careful(line: bytes) -> Sample | None:
    """By the readers that find every fault."""
    try:
        value, faults, finite = _parse(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or faults or not finite or too_deep(value):
        return None
    if list(_text_faults(value, None)):
        return None
    try:
        return Sample.model_validate(value)
    except ValidationError:
        return None


def same(quick: Sample, slow: Sample | None, line: bytes) -> None:
    assert slow is not None, line
    assert quick == slow, line
    assert quick.model_dump_json() == slow.model_dump_json(), line
    assert repr(quick) == repr(slow), line  # 1 and 1.0 differ here
    assert _sets(quick) == _sets(slow), line


def _sets(sample: Sample) -> list[object]:
    lists = (sample.retrieved or (), sample.context or (), *sample.stages.values(), *sample.gold)
    parts = [sample, *(one for group in lists for one in group), *(sample.citations or ())]
    parts += [sample.target] if sample.target else []
    return [part.model_fields_set for part in parts]


@pytest.mark.parametrize("fields", FIELDS, ids=str)
def test_a_line_is_the_same_or_none(fields: dict[str, Any]) -> None:
    line = json.dumps({"query_id": "q", "query": "Q", **fields}).encode()
    quick = quick_line(line)
    if quick is not None:
        same(quick, careful(line), line)


@pytest.mark.parametrize("odd", ODD)
def test_each_odd_value_in_each_place(odd: str) -> None:
    for place in _places(WHOLE):
        for line in (_with(place, odd), _with(place, odd, twice=True)):
            quick = quick_line(line)
            if quick is not None:
                same(quick, careful(line), line)


def test_lines_broken_anywhere() -> None:
    draw = random.Random(7)
    parts = ['"', "{", "}", "[", "]", ":", ",", "\\", "null", "1", " ", '"a":', "\0", "é", "\\u00"]
    parts += ["x", "7", " ", "."] * 4
    whole = json.dumps(WHOLE, ensure_ascii=False)
    n_taken = 0
    for _ in range(5000):
        text = whole
        for _ in range(draw.choice([1, 1, 2])):
            at = draw.randrange(len(text))
            text = text[:at] + draw.choice(parts) + text[at + draw.choice([0, 0, 1, 9]) :]
        line = text.encode()
        quick = quick_line(line)
        if quick is not None:
            n_taken += 1
            same(quick, careful(line), line)
    assert n_taken > 200  # else nothing was compared


def _places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        inners = list(value.items())
    elif isinstance(value, list):
        inners = list(enumerate(value))
    else:
        return [path]
    return [path, *(place for key, one in inners for place in _places(one, (*path, key)))][
        0 if path else 1 :
    ]


def _with(place: tuple[str | int, ...], odd: str, *, twice: bool = False) -> bytes:
    """The whole sample with an odd value at a place; `twice`: beside itself, under one key."""
    value = json.loads(json.dumps(WHOLE))
    part = value
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = "@@"
    text = json.dumps(value, ensure_ascii=False)
    written = odd
    if twice and isinstance(place[-1], str):
        written = f"{odd}, {json.dumps(place[-1])}: {odd}"
    return text.replace('"@@"', written).encode()


def test_what_is_plain_goes_the_quick_way() -> None:
    nulls = {**dict.fromkeys(WHOLE), "query_id": "q", "query": "Q"}
    for value in (WHOLE, nulls, {**nulls, "reference": "R"}, {"query_id": "q", "query": "Q"}):
        line = json.dumps(value).encode()
        quick = quick_line(line)
        assert quick is not None
        same(quick, careful(line), line)
        assert sound_object(line) == value


def test_a_file_is_read_as_its_rows_are(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [_with(place, odd) for place in _places(WHOLE)[:60] for odd in ODD]
    lines += [json.dumps({**WHOLE, "query_id": str(n)}).encode() for n in range(200)]
    path.write_bytes(b"\n".join(lines))

    def told(read: Read | Problem) -> object:
        if isinstance(read, Problem):
            return read
        return read.row.file, read.row.line, read.row.value, *read[1:]

    slow = [read_sample(row) if isinstance(row, Row) else row for row in read_rows(path)]
    quick = list(read_sample_lines(path))
    assert str([told(one) for one in quick]) == str([told(one) for one in slow])
    assert sum(isinstance(one, Problem) for one in read_entries(path)) > 1000
