"""What is wrong with a wrong number: operand, formula, scale, sign, or nothing that code sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ragdiag.answer.calculated import combined_otherwise
from ragdiag.diagnosis.copied import copied
from ragdiag.diagnosis.inputs import Input, Proof
from ragdiag.diagnosis.reach import gold_sets
from ragdiag.records import Item, Passage
from ragdiag.text import locate
from ragdiag.text.calculation import Explanation, Operand, explain, operands_of
from ragdiag.text.calculation.expressions import show
from ragdiag.text.case import Case
from ragdiag.text.numbers import parse

_VALUE = {
    "ok": "ok",
    "sign_rounding_format": "sign_rounding_format",
    "scale": "scale",
    "inverted": "wrong_formula",
    "wrong_formula": "wrong_formula",
    # The right operand was found, the calculation over it was not done.
    "operand_returned": "wrong_formula",
    "wrong_period": "wrong_period",
    "wrong_entity": "wrong_entity",
    "wrong_metric": "wrong_metric",
    "unexplained": "unexplained",
}
_AMOUNT_ASKED = re.compile(
    r"\bhow (?:much|many|far|long|large|big|high|often)\b|\bby how\b|\bpercent|%|\bratio\b"
    r"|\b(?:what|which) (?:was|is|were|are|share|number|amount|total|value|sum|average)\b"
    r"|\bcalculate\b|\bcompute\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"\s*(?:yes|no)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEW_WORDS = 4
_SOME_WORDS = 14
_MAX_REFERENCES = 3
_MAX_SETS = 4
_HINTS = ("program", "derivation", "expression")


def numeric_of(case: Case) -> Input:
    """How the answer's number is wrong. To be read only where the answer is not correct.

    `none` where no number is asked for. A cause that is only possible (few digits, operands not
    known) stays beside `unexplained`.
    """
    references = [
        text for text in case.sample.reference if is_amount(text, query=case.sample.query)
    ][:_MAX_REFERENCES]
    if not references:
        return Input(("none",))
    golds = _gold_operands(case)
    context = _operands(case.context or ())
    found = [
        _explained(case, reference, gold, context)
        for gold in golds or [[]]
        for reference in references
    ]
    best = min(found, key=_rank)
    value = _VALUE[best.cause]
    proof = _proof(best, "gold" if golds else "context")
    if value not in ("ok", "scale", "sign_rounding_format"):
        shown = next(filter(None, (_shown_calculation(case, references, g) for g in golds)), None)
        if shown:
            return Input(("wrong_formula",), proof={"operands_from": "gold", **shown})
    if value == "unexplained" or not best.certain:
        taken = copied(case)
        if taken is not None:
            return Input((taken[0],), proof=taken[1])
    if best.certain or value in ("ok", "unexplained"):
        return Input((value,), proof=proof)
    return Input((value, "unexplained"), proof=proof | {"only": "possible"})


def is_amount(reference: str, *, query: str) -> bool:
    """Does this reference state a number as its answer (not a name, a date, or a yes or no)?

    A short text around one amount does; a sentence does where the question asks how much.
    """
    if _YES_NO.match(reference):
        return False
    if not any(found.is_numeric and not found.year_like for found in parse(reference)):
        return False
    words = len(_WORD.findall(reference))
    if words <= _FEW_WORDS:
        return True
    return words <= _SOME_WORDS and _AMOUNT_ASKED.search(query) is not None


def _rank(explanation: Explanation) -> tuple[int, bool, int]:
    """The reference and gold set that the number fits best count, whichever stands first: a match,
    then a cause, then none."""
    order = {"ok": 0, "unexplained": 2}.get(explanation.cause, 1)
    return order, not explanation.certain, list(_VALUE).index(explanation.cause)


def _explained(
    case: Case, reference: str, gold: list[Operand], context: list[Operand]
) -> Explanation:
    """Over the gold operands where there are any, else over the whole context."""
    answer, within = case.plain_answer, case.settings.number_tolerance
    if gold:
        known = {(one.passage_id, one.start, one.end) for one in gold}
        others = [one for one in context if (one.passage_id, one.start, one.end) not in known]
        hint = next(_hints(case), None)
        return explain(
            answer, reference, gold, neighbours=others, query=case.sample.query,
            expression_hint=hint, gold=True, tolerance=within,
        )  # fmt: skip
    return explain(answer, reference, context, query=case.sample.query, tolerance=within)


def _shown_calculation(case: Case, references: list[str], gold: list[Operand]) -> Proof:
    """Shown work whose own gold operands give the reference, but not as it combined them.

    The operands are then right, and what is wrong is exactly the calculation, however few digits
    the number has. {} where the answer shows no such work.
    """
    found = combined_otherwise(case, references, gold)
    if found is None:
        return {}
    step, meant = found
    return {
        "cause": "wrong_formula",
        "expression": f"{show(step.expr)} = {step.stated.text}",
        "reference_expression": meant.expression,
        "operands": [_operand_proof(one) for one in meant.operands],
    }


def _hints(case: Case) -> Iterator[str]:
    """Gold programs, where the metadata of gold items carry one."""
    for items in gold_sets(case):
        for item in items:
            for name in _HINTS:
                hint = item.metadata.get(name)
                if isinstance(hint, str) and hint:
                    yield hint


def _gold_operands(case: Case) -> list[list[Operand]]:
    """By gold set the numbers of its items' own texts, else of the passages that hold them; the
    sets of which most is in the context first, and those without a number left out."""
    context, coverage = case.context or (), case.settings.coverage

    def held(items: tuple[Item, ...]) -> float:
        return sum(locate.covered(i, context, coverage) is not None for i in items) / len(items)

    sets = sorted(gold_sets(case), key=held, reverse=True)[:_MAX_SETS]
    found = [[one for item in items for one in _item_operands(item, case)] for items in sets]
    return [operands for operands in found if operands]


def _item_operands(item: Item, case: Case) -> list[Operand]:
    if item.text:
        return operands_of(item.text, item.passage_id, item.doc_id)
    coverage = case.settings.coverage
    held = [p for p in case.passages.values() if locate.matches(item, p, coverage=coverage)]
    if not held and case.corpus is not None and item.passage_id is not None:
        known = case.corpus.passage(item.passage_id)
        held = [] if known is None else [known]
    return _operands(held[:1])


def _operands(passages: Iterable[Passage]) -> list[Operand]:
    found: list[Operand] = []
    for passage in passages:
        found.extend(operands_of(passage.text or "", passage.passage_id, passage.doc_id))
    return found


def _proof(explanation: Explanation, source: str) -> Proof:
    proof: Proof = {"cause": explanation.cause, "operands_from": source}
    for name in ("detail", "expression", "reference_expression"):
        if text := getattr(explanation, name):
            proof[name] = text
    if explanation.expression:
        proof["unique"] = explanation.unique
        proof["significant"] = explanation.significant
    if explanation.operands:
        proof["operands"] = [_operand_proof(one) for one in explanation.operands]
    return proof


def _operand_proof(operand: Operand) -> Proof:
    optional = {"row": operand.row, "column": operand.column, "passage_id": operand.passage_id}
    return {"text": operand.text} | {k: v for k, v in optional.items() if v is not None}
