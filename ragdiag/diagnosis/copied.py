"""A wrong number that was taken from a passage of another period, entity or metric."""

from __future__ import annotations

from ragdiag.answer.worked import amounts_of
from ragdiag.diagnosis.inputs import Proof
from ragdiag.diagnosis.reach import gold_sets
from ragdiag.records import Passage
from ragdiag.text import identity, locate
from ragdiag.text.calculation import Operand, significant_digits
from ragdiag.text.calculation.search import lookups, wanted
from ragdiag.text.case import Case
from ragdiag.text.numbers import Quantity
from ragdiag.text.tables import operands_of

CAUSES = {"period": "wrong_period", "entity": "wrong_entity", "metric": "wrong_metric"}
_MOST_AMOUNTS = 10
_DIGITS = 3
"""Significant digits from which an equal number is no chance; a cited passage needs none."""


def copied(case: Case) -> tuple[str, Proof] | None:
    """(cause, proof) where a number of the answer stands in no gold passage, but in a passage of
    the context that misses the target in period, entity or metric; the cited one first."""
    target, context = case.target, case.context
    if target is None or not context:
        return None
    items = [item for alternative in gold_sets(case) for item in alternative]
    coverage = case.settings.coverage
    gold = [p for p in context if any(locate.matches(i, p, coverage=coverage) for i in items)]
    cited = {citation.passage_id for citation in case.citations}
    others = sorted((p for p in context if p not in gold), key=lambda p: p.passage_id not in cited)
    for amount in amounts_of(case.plain_answer)[:_MOST_AMOUNTS]:
        if any(_cells(amount, passage) for passage in gold):
            continue
        for passage in others:
            fields = identity.compare(target, passage)
            wrong = next((name for name in CAUSES if fields.get(name) == "mismatch"), None)
            if wrong is None or (
                passage.passage_id not in cited and significant_digits(amount) < _DIGITS
            ):
                continue
            cells = _cells(amount, passage)
            if cells:
                return CAUSES[wrong], _proof(amount, passage, cells[0], wrong)
    return None


def _cells(amount: Quantity, passage: Passage) -> list[Operand]:
    operands = operands_of(passage.text or "", passage.passage_id, passage.doc_id)
    want = wanted(amount, operands, percent_asked=False)
    found = [arg for expr in lookups(operands, want) for arg in expr.args]
    return [arg for arg in found if isinstance(arg, Operand)]


def _proof(amount: Quantity, passage: Passage, cell: Operand, wrong: str) -> Proof:
    place = {"row": cell.row, "column": cell.column}
    return {
        "cause": CAUSES[wrong],
        "expression": f"{amount.text} stands in {passage.passage_id}, of another {wrong}",
        "passage_id": passage.passage_id,
        **{name: text for name, text in place.items() if text is not None},
    }
