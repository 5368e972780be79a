"""The field that a name stands for: slips of the pen, and the names that other tools use."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

from ragdiag.records.sample import Label, Passage, Sample

_TYPO = 0.85
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\s.-]+")

_OF_A_SAMPLE: dict[tuple[str, ...], tuple[str, ...]] = {
    ("query",): ("question", "input", "user_input"),
    ("query_id",): ("id", "qid", "question_id"),
    ("answer",): ("response", "output", "actual_output", "generated_answer", "prediction"),
    ("retrieved",): (
        "contexts", "retrieved_contexts", "retrieval_context", "chunks", "documents", "docs",
        "passages",
    ),
    ("reference",): (
        "ground_truth", "ground_truths", "expected_output", "gt_answer", "reference_answer",
        "target_answer",
    ),
    ("gold", "qrels"): ("gold_ids", "relevant_docs", "supporting_facts"),
}  # fmt: skip
_OF_A_PASSAGE: dict[tuple[str, ...], tuple[str, ...]] = {
    ("doc_id",): ("doc", "document", "document_id", "source"),
    ("text",): ("content", "page_content", "chunk"),
    ("passage_id",): ("chunk_id", "pid", "id"),
}


def _turned(table: dict[tuple[str, ...], tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {name: fields for fields, names in table.items() for name in names}


_ALIASES = {"sample": _turned(_OF_A_SAMPLE), "passage": _turned(_OF_A_PASSAGE)}

KNOWN_NAMES = frozenset(
    (
        *Sample.model_fields, *Passage.model_fields, *Label.model_fields,
        *_ALIASES["sample"], *_ALIASES["passage"],
    )
)  # fmt: skip
"""Every field of an input file, and every name that stands for one."""


def plain_name(name: str) -> str:
    """A name as a field would be written: "Query" -> query, "actualOutput" -> actual_output."""
    return _SEPARATORS.sub("_", _HUMP.sub("_", name.strip())).lower()


def meant_by(
    name: str, *, fields: tuple[str, ...], given: Collection[str], of: Literal["sample", "passage"]
) -> tuple[tuple[str, ...], bool]:
    """The fields that an unknown name may stand for, and whether none of them is given.

    `fields` are the fields there are, `given` the names that the object has. ((), False) where the
    name resembles nothing.
    """
    return _meant_by(name, fields, frozenset(given).intersection(fields), of)


@lru_cache(maxsize=4096)
def _meant_by(
    name: str, fields: tuple[str, ...], given: frozenset[str], of: str
) -> tuple[tuple[str, ...], bool]:
    plain = plain_name(name)
    aliases = tuple(field for field in _ALIASES[of].get(plain, ()) if field in fields)
    if aliases and given.isdisjoint(aliases):
        return aliases, True
    close = _slip_of(plain, [field for field in fields if field not in given])
    if close is not None:
        return (close,), True
    if aliases:
        return aliases, False
    close = _slip_of(plain, [field for field in fields if field in given])
    return ((), False) if close is None else ((close,), False)


def _slip_of(plain: str, known: Collection[str]) -> str | None:
    """The field that differs by its case, two letters that changed places, or little else."""
    if plain in known:
        return plain
    swapped = next((field for field in known if _is_swap(plain, field)), None)
    if swapped is not None:
        return swapped
    return next(iter(difflib.get_close_matches(plain, known, n=1, cutoff=_TYPO)), None)


def _is_swap(one: str, other: str) -> bool:
    """Are they the same but for two neighbouring letters that changed places?"""
    if len(one) != len(other) or one == other:
        return False
    at = next(i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
