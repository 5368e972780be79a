"""The number of a wrong answer for the page: both calculations as trees, and their cells."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ragdiag.diagnosis.showing import mapping, sequence
from ragdiag.records import SampleResult
from ragdiag.report.page_passages import Holder
from ragdiag.text.calculation.expressions import Expr, plain, read_expression
from ragdiag.text.tables import Operand

Json = dict[str, Any]


def number_record(result: SampleResult, holder: Holder) -> Json | None:
    """What the diagnosis proved of the answer's number; None where no number was weighed.

    said, right  {"text", "tree", "result"}: the expression as written; its tree (a number as a
                 string, else [operator, argument, …]; None where it cannot be read as one), and
                 what it comes to. operands: the cells, with the index of their passage.
    """
    proof = mapping(result.diagnosis.proof.get("numeric"))
    if not proof:
        return None
    operands = map(mapping, sequence(proof.get("operands")))
    return {
        "cause": proof.get("cause"),
        "detail": proof.get("detail"),
        "said": _formula(proof.get("expression")),
        "right": _formula(proof.get("reference_expression")),
        "operands": [
            {
                "text": str(one.get("text", "")),
                "row": one.get("row"),
                "column": one.get("column"),
                "passage": one.get("passage_id"),
                "at": holder.index(one.get("passage_id")),
                "lit": f"n{number}" in holder.lit,
            }
            for number, one in enumerate(operands)
        ],
    }


def _formula(expression: object) -> Json | None:
    if not expression:
        return None
    text = str(expression)
    left, equals, result = text.partition(" = ")
    read = read_expression(left) if equals else None
    return {"text": text, "tree": None if read is None else _tree(read), "result": result}


def _tree(term: Expr | Operand | Decimal) -> Any:
    if isinstance(term, Decimal):
        return plain(term)
    if isinstance(term, Operand):
        return plain(term.written)
    if term.op == "value":
        return _tree(term.args[0])
    return [term.op, *map(_tree, term.args)]
