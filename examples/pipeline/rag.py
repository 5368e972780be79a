"""A small RAG system that needs no key and no download: BM25, a reranker, an extractive answerer.

    ragdiag collect ../annual-report/samples.jsonl --pipeline rag.py:with_reranker -o with.jsonl

It is honest about what it is: it finds words, prefers the year and the company asked for, and
answers with the sentence or table row that shares most words with the question. It cannot add or
divide, so that questions that need a calculation show as such in the diagnosis.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import bm25s

from ragdiag import timed

CORPUS = Path(__file__).resolve().parents[1] / "annual-report" / "corpus.jsonl"
N_CANDIDATES, N_RETRIEVED, N_CONTEXT = 20, 10, 4
ENOUGH = 0.45
"""Share of the question's weight that a sentence must hold; below it the system says so."""

RUN_INFO = {"corpus": "annual-report", "retriever": "bm25s", "generator": "extractive-1"}

_SAY_NOTHING = """a an and are as at by did do does for from had has have how in is it its many
much of on or report reported reports that the their there these this to was were what when where
which who whose why with"""
STOPWORDS = frozenset(_SAY_NOTHING.split())


class Index:
    """The passages, and BM25 over their words."""

    def __init__(self, path: Path) -> None:
        with path.open(encoding="utf-8") as lines:
            self.passages: list[dict[str, Any]] = [json.loads(line) for line in lines]
        tokens = [words(passage["text"]) for passage in self.passages]
        self.bm25 = bm25s.BM25()
        self.bm25.index(tokens, show_progress=False)
        seen = Counter(word for found in tokens for word in set(found))
        self.weight = {word: math.log(1 + len(tokens) / n) for word, n in seen.items()}
        self.rare = math.log(1 + len(tokens))

    def search(self, query: str, k: int) -> list[dict[str, Any]]:
        """The best k passages with their BM25 score, best first."""
        places, scores = self.bm25.retrieve([words(query)], k=k, show_progress=False)
        return [
            {**self.passages[place], "score": float(score)}
            for place, score in zip(places[0], scores[0], strict=True)
            if score > 0
        ]

    def share(self, wanted: list[str], text: str) -> float:
        """The share (0-1) of the wanted words' weight that a text holds."""
        weights = {word: self.weight.get(word, self.rare) for word in wanted}
        held = set(words(text))
        total = sum(weights.values())
        return sum(w for word, w in weights.items() if word in held) / total if total else 0.0


def words(text: str) -> list[str]:
    """The words of a text in lower case, plurals cut, without those that say nothing."""
    found = re.findall(r"\w+", text.lower())
    return [word.removesuffix("s") for word in found if word not in STOPWORDS]


@cache
def index() -> Index:
    """The index, built once."""
    return Index(CORPUS)


def rerank(query: str, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Passages of the year and the company asked for first, then by the words they share."""
    years = set(re.findall(r"\b20\d\d\b", query))

    def merit(passage: dict[str, Any]) -> float:
        told = passage.get("metadata", {})
        right_year = bool(years) and any(year in told.get("period", "") for year in years)
        right_company = told.get("entity", "?").split()[0].lower() in query.lower()
        return index().share(words(query), passage["text"]) + 0.3 * right_year + 0.3 * right_company

    scored = [{**passage, "score": round(merit(passage), 6)} for passage in found]
    return sorted(scored, key=lambda passage: -passage["score"])


def answer_from(query: str, context: list[dict[str, Any]]) -> str:
    """The sentence or row that shares most with the question, with its citation."""
    wanted = words(query)
    best, where = "", 0
    most = 0.0
    for number, passage in enumerate(context, start=1):
        title = passage["text"].split("\n", 1)[0]
        for part in re.split(r"(?<=[.!?])\s+|\n+", passage["text"]):
            share = index().share(wanted, f"{part} {title}") + index().share(wanted, part)
            if share > most:
                best, where, most = part, number, share
    if most < 2 * ENOUGH:
        return "The reports do not say."
    return f"{best.strip().rstrip('.')} [{where}]."


def generate(query: str, passages: list[dict[str, Any]]) -> str:
    """The last step alone, from given passages: for `--ladder rag.py:generate`."""
    return answer_from(query, passages)


def _run(query: str, *, reranked: bool) -> dict[str, Any]:
    with timed("retrieve"):
        candidates = index().search(query, N_CANDIDATES)
    stages: dict[str, Any] = {"candidates": candidates}
    found = candidates
    if reranked:
        with timed("rerank"):
            found = stages["reranked"] = rerank(query, candidates)
    retrieved = found[:N_RETRIEVED]
    context = retrieved[:N_CONTEXT]
    with timed("generate"):
        answer = answer_from(query, context)
    return {"stages": stages, "retrieved": retrieved, "context": context, "answer": answer}


def without_reranker(query: str) -> dict[str, Any]:
    """BM25's order goes into the context as it is."""
    return _run(query, reranked=False)


def with_reranker(query: str) -> dict[str, Any]:
    """The candidates are put into a new order first."""
    return _run(query, reranked=True)


without_reranker.run_info = {**RUN_INFO, "reranker": None, "k": N_RETRIEVED}  # type: ignore[attr-defined]
with_reranker.run_info = {**RUN_INFO, "reranker": "year-and-company-1", "k": N_RETRIEVED}  # type: ignore[attr-defined]
