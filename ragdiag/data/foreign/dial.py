"""DIAL RAG eval: the ground truth {question, documents, facts, answer} and the answers
{question, documents, context, answer}."""

from __future__ import annotations

from typing import Any

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.parts import as_items
from ragdiag.data.foreign.rows import one_a_row, text_gold

_KNOWN = ("question", "documents", "context", "facts", "answer")


def _fits(head: Head) -> int:
    own = {"question", "documents"} <= head.keys and {"context", "facts"} & head.keys
    return head.count(_KNOWN) + 1 if own else 0


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {"query_id": fields.id("query_id", "id")}
    query = fields.text("question")
    if query is not None and query.strip():
        found["query"] = query
    documents = as_items(fields.structured("documents"))
    only: object = documents[0] if len(documents) == 1 else None
    of_one = {"doc_id": only} if isinstance(only, str) and only.strip() else {}
    facts = fields.texts("facts", "ground_truth_facts")
    if (retrieved := fields.passages("context", "contexts")) is not None:
        found["retrieved"] = [{**of_one, **one} for one in retrieved]
    truth = fields.text("ground_truth_answer")
    answer = fields.text("answer")
    if facts is not None and retrieved is None:
        truth, answer = answer or truth, None
    if gold := text_gold(facts):
        found["gold"] = [[{**of_one, **item} for item in gold[0]]]
    if truth:
        found["reference"] = [truth]
    if answer is not None:
        found["answer"] = answer
    return found


def _title(head: Head) -> str:
    truth = "facts" in head.keys and "context" not in head.keys
    return "DIAL RAG eval (ground truth)" if truth else "DIAL RAG eval (answers)"


FORMAT = Format(
    "dial",
    "question, documents with context and answer, or with facts and answer",
    _fits,
    one_a_row(_read),
    _title,
)
