"""Small evaluations for tests: rows of samples, files of them, and a judge that counts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ragdiag.judging.protocol import Answer
from ragdiag.judging.screen import load
from ragdiag.judging.specs import Judges
from ragdiag.records import JudgeFailure, Question, Reply, Usage

YEARS = ("2015", "2016", "2017")


def row(query_id: str, **changes: Any) -> dict[str, Any]:
    """A right answer that cites the right passage; `changes` replace fields, None removes one."""
    passages = [
        {"passage_id": f"p{y}", "doc_id": "alder", "text": f"Revenue of Alder was $9{y} in {y}."}
        for y in YEARS
    ]
    full = {
        "query_id": query_id,
        "query": "What was the revenue of Alder in 2017?",
        "reference": ["$92017"],
        "gold": [[{"passage_id": "p2017"}]],
        "target": {"period": "2017"},
        "retrieved": passages,
        "answer": "The revenue of Alder was $92017 in 2017 [3].",
        "slices": {"year": "2017"},
        "latency_ms": {"generate": 100},
    }
    return {name: value for name, value in {**full, **changes}.items() if value is not None}


def rows() -> list[dict[str, Any]]:
    """Five queries: right, wrong number, missed retrieval, retrieval only, broken pipeline."""
    missed = [{"passage_id": "p2016", "doc_id": "alder", "text": "Revenue was $92016 in 2016."}]
    only_retrieval = row("only", answer=None, slices={})
    broken = {**row("broken", error="HTTP 500"), "answer": None}
    return [
        row("right"),
        row("wrong", answer="The revenue of Alder was $1234 in 2017 [3].", slices={"year": "2016"}),
        row("missed", retrieved=missed, answer="The revenue of Alder was $92016 [1]."),
        only_retrieval,
        broken,
    ]


def write(path: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    """The rows as JSONL; returns the path."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


class CountingJudge:
    """The embedded screen, with a count of the queries that it was asked about.

    `broken`: query ids on which every question fails with `reason`. `usage`: what a call costs.
    """

    name = "counting"

    def __init__(self, *, version: str = "1", usage: Usage | None = None) -> None:
        self.version = version
        self.asked: list[str] = []
        self.checks: list[tuple[str, str]] = []
        self.broken: set[str] = set()
        self.reason: Any = "timeout"
        self._screen = load(None)
        self._usage = usage or Usage()

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """The screen's replies, or failures."""
        self.asked = list(dict.fromkeys((*self.asked, *(q.query_id for q in questions))))
        self.checks += [(q.query_id, q.check) for q in questions]
        told = await self._screen.ask(questions)
        replies = tuple(
            self._failure(question) if question.query_id in self.broken else reply
            for question, reply in zip(questions, told.replies, strict=True)
        )
        return Answer(replies, self._usage)

    def _failure(self, question: Question) -> Reply:
        return JudgeFailure(query_id=question.query_id, check=question.check, reason=self.reason)


def use(judge: CountingJudge, monkeypatch: pytest.MonkeyPatch) -> CountingJudge:
    """Puts a judge in the place of whatever `--judge` names."""
    monkeypatch.setattr("ragdiag.evaluation.files.parse_spec", lambda *_, **__: Judges(None, judge))
    return judge
