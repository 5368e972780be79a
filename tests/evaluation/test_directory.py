from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.records import (
    Claim,
    Claims,
    Components,
    JudgeFailure,
    Judgement,
    Usage,
    Verdict,
)

CLAIM = Claim(claim_id="c1", text="ünï 万", start=0, end=5)


@pytest.mark.parametrize(
    "reply",
    [
        JudgeFailure(query_id="q", check="support", reason="timeout"),
        JudgeFailure(query_id="q", check="support", reason="undecided", judge="llm:x"),
        Verdict(query_id="q", check="support"),
        Verdict(query_id="q", check="support", reason="timeout"),
        Claims(query_id="q", claims=()),
        Claims(query_id="q", claims=(CLAIM,), abstains=False),
        Components(query_id="q", components=()),
    ],
    ids=lambda reply: reply.kind,
)
def test_a_judgement_is_read_back_as_it_was_written(tmp_path: Path, reply) -> None:  # type: ignore[no-untyped-def]
    told = Judgement(
        query_id="q",
        sample_hash="h",
        replies=(reply, reply),
        usage=Usage(calls=1, input_tokens=None),
    )
    path = tmp_path / at.VERDICTS
    path.write_bytes(at.judgement_line(told))
    assert at.read_judgements(path) == {"q": told}
    assert path.read_bytes().count(b"\n") == 1


def test_writing_is_atomic(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    at.write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        at.write_atomically(path, "new \ud800")
    assert path.read_text() == "old"


def test_json_is_strict_and_readable() -> None:
    assert at.to_json({"name": "万"}) == '{\n  "name": "万"\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        at.to_json({"value": float("nan")})


def test_reading_json_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="evaluation directory"):
        at.read_json(tmp_path / at.REPORT)
    (tmp_path / at.REPORT).write_text("{")
    with pytest.raises(DataError, match="cannot be read"):
        at.read_json(tmp_path / at.REPORT)
    (tmp_path / at.REPORT).write_bytes(b"\xff")
    with pytest.raises(DataError, match="cannot be read"):
        at.read_json(tmp_path / at.REPORT)
    (tmp_path / at.REPORT).write_text(json.dumps([1]))
    with pytest.raises(DataError, match="a JSON object is needed"):
        at.read_json(tmp_path / at.REPORT)
