"""Does a claim speak of another period or company than what holds its number?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ragdiag.records import Passage
from ragdiag.text.entity_conflict import entity_conflict
from ragdiag.text.period_conflict import period_beside, period_conflict
from ragdiag.text.periods import period_of
from ragdiag.text.sentences import Sentence, split
from ragdiag.text.tables import Operand


def of_another_period(claim: str, cell: Operand, passages: Sequence[Passage]) -> bool:
    """Does the claim state a period that conflicts with the one stated for this number?

    A table's column states it, else its row; in prose the year right after the number, else its
    sentence. False where either states none.
    """
    return any(period_conflict(claim, told) for told in _stated(cell, passages))


def sentence_of_another_period(claim: str, text: str, at: int) -> bool:
    """Does the claim state a period that conflicts with that of the sentence at this place?"""
    holding = next((one for one in _sentences(text) if one.start <= at < one.end), None)
    return holding is not None and period_conflict(claim, holding.text) is not None


def of_another_entity(claim: str, cell: Operand, passages: Sequence[Passage]) -> bool:
    """Does the sentence that holds this number plainly give it to another company than the claim?

    Of cells of a table False.
    """
    holding = None if cell.table >= 0 else _holding(cell, passages)[1]
    return holding is not None and entity_conflict(claim, holding.text) is not None


def fitting(claim: str, cells: Iterable[Operand], passages: Sequence[Passage]) -> list[Operand]:
    """The cells that are not of another period or company than the claim."""
    return [
        cell
        for cell in cells
        if not of_another_period(claim, cell, passages)
        and not of_another_entity(claim, cell, passages)
    ]


def _stated(cell: Operand, passages: Sequence[Passage]) -> tuple[str, ...]:
    if cell.table >= 0:
        column, row = cell.column or "", cell.row or ""
        return (column if period_of(column) else row,)
    text, holding = _holding(cell, passages)
    if holding is None:
        return ()
    beside = period_beside(text, cell.end, stop=holding.end)
    return (holding.text if beside is None else beside,)


def _holding(cell: Operand, passages: Sequence[Passage]) -> tuple[str, Sentence | None]:
    """The text of the cell's passage, and the sentence that holds the cell."""
    text = next((p.text for p in passages if p.passage_id == cell.passage_id and p.text), "")
    found = (one for one in _sentences(text) if one.start <= cell.start < one.end)
    return text, next(found, None)


@lru_cache(maxsize=256)
def _sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(split(text))
