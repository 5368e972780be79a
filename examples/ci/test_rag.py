"""Gates on a RAG system as tests: `pytest test_rag.py` (this pipeline: pip install bm25s).

A gate holds only if the whole 95% interval keeps it, so that a lucky run does not pass; the message
of one that fails names the queries, their failure category and what to fix.
"""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1]
QUERIES = EXAMPLES / "annual-report" / "samples.jsonl"
CORPUS = EXAMPLES / "annual-report" / "corpus.jsonl"


@pytest.fixture(scope="module")
def evaluation(ragdiag):
    """The pipeline is asked once; your own stands here: module:function, or a callable."""
    run = ragdiag.collect(QUERIES, f"{EXAMPLES / 'pipeline' / 'rag.py'}:with_reranker")
    return ragdiag.evaluate(run, corpus=CORPUS)


def test_retrieval_finds_the_evidence(ragdiag, evaluation):
    ragdiag.gate(evaluation, "complete_evidence@10>=0.8", "recall@5>=0.75")


def test_answers_rest_on_their_evidence(ragdiag, evaluation):
    ragdiag.gate(evaluation, "faithfulness>=0.9", "A1.share<=0.06", "grounding.share<=10%")
