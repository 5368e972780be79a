"""The names by which people call the columns of runs and qrels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragdiag.data.cells import number_of
from ragdiag.data.lines import PathLike, shorten
from ragdiag.data.raw_table import Kind, fault

if TYPE_CHECKING:
    import polars as pl

_QUERY = ("query_id", "qid", "q_id", "queryid", "topic_id", "topic")
_DOC = (
    "passage_id", "doc_id", "docid", "docno", "doc_no", "document_id", "corpus_id", "pid", "p_id",
    "chunk_id", "item_id",
)  # fmt: skip
_SCORE = ("score", "similarity", "sim", "relevance_score")
_RANK = ("rank", "position")
_DOCUMENT = frozenset({"doc_id", "docid", "docno", "doc_no", "document_id"})
_GRADE = ("grade", "rel", "relevance", "relevancy", "label", "judgment", "judgement")

ROLES: dict[Kind, dict[str, tuple[str, ...]]] = {
    "run": {"query_id": _QUERY, "doc_id": _DOC, "score": _SCORE, "rank": _RANK},
    "qrels": {"query_id": _QUERY, "doc_id": _DOC, "grade": (*_GRADE, "score")},
}
"""Role -> accepted names, the first wins; compared without case, "-" and spaces as "_"."""

LOCATORS: dict[str, tuple[str, ...]] = {
    "page": ("page", "page_number", "page_no"),
    "object_id": ("object_id",),
    "start": ("start",),
    "end": ("end",),
}
"""Roles of labels that say where in a document the evidence stands."""

_EXPECTED: dict[Kind, str] = {
    "run": "query_id (or qid), doc_id (or docid, passage_id, corpus-id), score and/or rank",
    "qrels": "query_id (or qid), doc_id (or docid, passage_id, corpus-id), "
    "grade (or rel, relevance, score)",
}


@dataclass(frozen=True, slots=True)
class Columns:
    """Role -> the column's name in the file, and what the choice was between."""

    names: dict[str, str]
    notes: tuple[str, ...] = ()


def plain_name(name: str) -> str:
    """ "Query-ID " -> "query_id"."""
    return name.strip().strip('"').lower().replace("-", "_").replace(" ", "_")


def plain_page() -> pl.Expr:
    """The column page as `Passage` reads it: " 060" is "60"; a text that is no number stays."""
    import polars as pl  # noqa: PLC0415 - slow to load

    page = pl.col("page")
    digits = page.str.contains(r"^\s*\d+\s*$")
    number = page.str.strip_chars().str.replace(r"^0+(\d)", "$1")
    return pl.when(digits).then(number).otherwise(page).alias("page")


def is_header(cells: Sequence[str]) -> bool:
    """Do these cells name a query column and a document column?"""
    found = {plain_name(cell) for cell in cells}
    return bool(found & set(_QUERY)) and bool(found & set(_DOC))


def names_some(cells: Sequence[str]) -> bool:
    """Is there a known name and no number among the cells? Then they were meant as a header."""
    known = {name for roles in ROLES.values() for names in roles.values() for name in names}
    return any(plain_name(cell) in known for cell in cells) and not any(
        number_of(cell) is not None for cell in cells
    )


def find_columns(columns: Sequence[str], kind: Kind, *, path: PathLike) -> Columns:
    """The columns of each role of a run or of qrels.

    A run needs a query and a document (rank, else score, else the order of the file ranks); qrels
    need a grade.

    Raises:
        DataError: a role without a column; the message says what was seen and expected.
    """
    by_plain: dict[str, str] = {}
    for column in columns:
        by_plain.setdefault(plain_name(column), column)
    names: dict[str, str] = {}
    notes: list[str] = []
    for role, accepted in ROLES[kind].items():
        found = [by_plain[name] for name in accepted if name in by_plain]
        if found:
            names[role] = found[0]
        if len(found) > 1 and not (role == "grade" and found[1:] == ["score"]):
            others = ", ".join(map(repr, found[1:]))
            notes.append(f"{role} is read from the column {found[0]!r}, not from {others}")
    if kind == "qrels" and plain_name(names.get("doc_id", "")) in _DOCUMENT:
        for role, accepted in LOCATORS.items():
            column = next((by_plain[name] for name in accepted if name in by_plain), None)
            if column is not None:
                names[role] = column
    needed = ("query_id", "doc_id") if kind == "run" else ("query_id", "doc_id", "grade")
    missing = [role for role in needed if role not in names]
    grades = sorted(set(by_plain) & set(_GRADE))
    if kind == "run" and not missing and not {"score", "rank"} & names.keys() and grades:
        message = f"the column {grades[0]!r} is a grade, and there is no score and no rank: "
        raise fault(path, "wrong_kind", f"{message}are these qrels, given in the place of a run?")
    if missing:
        seen = shorten(", ".join(columns), 200) if columns else "none"
        raise fault(
            path,
            "missing_column",
            f"no column for {' and '.join(missing)}; came {seen}; expected {_EXPECTED[kind]}",
        )
    return Columns(names, tuple(notes))
