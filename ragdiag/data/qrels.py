"""A qrels file of any known format -> one table with one grade a (query, document) pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragdiag.data.columns import LOCATORS
from ragdiag.data.gold import GoldQuery
from ragdiag.data.lines import PathLike
from ragdiag.data.raw_table import SHOWN, RawTable, faults
from ragdiag.data.reading import read_table
from ragdiag.data.runs import plain_stem
from ragdiag.records.problem import Problem, in_rows

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class QrelsTable:
    """Which documents are relevant to which query.

    frame     query_id, doc_id (texts), grade (f64, finite), in file order, each pair once.
    n_merged  equal rows of one pair that were merged.
    empty     queries that the file names without any label.
    gold      queries whose labels say more than this table: alternative sets, places, a target.

    Labels of places in documents have the columns page, object_id, start, end (null = not said)
    besides; doc_id is then the document.
    """

    frame: pl.DataFrame
    name: str
    file: str
    format: str
    n_merged: int = 0
    empty: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    gold: tuple[GoldQuery, ...] = ()

    @property
    def locates(self) -> bool:
        """Do rows name places in documents?"""
        return any(name in self.frame.columns for name in LOCATORS)

    @property
    def n_rows(self) -> int:
        """How many labels."""
        return self.frame.height

    @property
    def n_queries(self) -> int:
        """How many queries with a label."""
        return self.frame["query_id"].n_unique()


def read_qrels(path: PathLike, *, name: str | None = None) -> QrelsTable:
    """Reads TREC text, Parquet, JSONL, CSV, TSV, a BEIR folder, HotpotQA, ranx JSON; as `read_run`.

    Equal rows of one pair are merged with a warning.

    Raises:
        DataError: as `read_run`; and two grades for one pair, with both lines.
    """
    return qrels_table(read_table(path, "qrels"), name or plain_stem(path))


def qrels_table(raw: RawTable, name: str) -> QrelsTable:
    """Rows as read, each pair once.

    Raises:
        DataError: two grades for one pair, with both lines.
    """
    frame, n_merged = _once(raw)
    warnings = list(raw.warnings)
    if n_merged:
        message = f"{n_merged} labels stand twice with the same grade; they are merged"
        warnings.append(raw.problem(None, "", "repeated_label", message))
    return QrelsTable(
        frame, name, raw.file, raw.format, n_merged, raw.empty, tuple(warnings), raw.gold
    )


def _once(raw: RawTable) -> tuple[pl.DataFrame, int]:
    """Each pair once, and how many rows were merged into another."""
    import polars as pl  # noqa: PLC0415 - slow to load

    pair = ["query_id", "doc_id", *(name for name in LOCATORS if name in raw.frame)]
    repeated = raw.frame.select(pl.struct(pair).is_duplicated()).to_series()
    if not repeated.any():
        return raw.frame, 0
    groups = (
        raw.frame.with_row_index("row")
        .filter(repeated)
        .group_by(pair, maintain_order=True)
        .agg("row", "grade")
    )
    problems: list[Problem] = []
    n_conflicts = 0
    for query, document, *_, rows, grades in groups.iter_rows():
        other = next((i for i, grade in enumerate(grades) if grade != grades[0]), None)
        if other is None:
            continue
        n_conflicts += 1
        if len(problems) < SHOWN:
            first = raw.line(rows[0])
            line = "row" if in_rows(raw.file) else "line"
            where = "before" if first is None else f"at {line} {first}"
            message = (
                f"query {query!r}, document {document!r} has the grade {grades[other]:g} here and "
                f"{grades[0]:g} {where}; keep one"
            )
            problems.append(raw.problem(rows[other], "", "conflicting_label", message))
    if problems:
        raise faults(problems, n_conflicts)
    kept = raw.frame.unique(pair, keep="first", maintain_order=True)
    return kept, raw.frame.height - kept.height
