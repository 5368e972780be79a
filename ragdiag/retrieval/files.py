"""Files of labels and runs -> what `evaluate` reads; Parquet runs in a stream, never whole."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragdiag.data.columnar import scan_parquet
from ragdiag.data.id_hints import id_hints
from ragdiag.data.labels import read_labels as read_people
from ragdiag.data.people_grades import add_people
from ragdiag.data.qrels import QrelsTable, qrels_table
from ragdiag.data.reading import read_table
from ragdiag.data.runs import RunTable, plain_stem, read_run
from ragdiag.data.tables import is_parquet
from ragdiag.errors import DataError
from ragdiag.records.problem import Problem
from ragdiag.retrieval.evaluating import Evaluated, Run, evaluate
from ragdiag.retrieval.judgements import Judgements, judgements
from ragdiag.retrieval.options import Options

if TYPE_CHECKING:
    import polars as pl

_FEW_FOUND = 0.02  # of the labels: below it, ids that look alike are worth a search
_BLOCK = 1 << 20  # rows


@dataclass(frozen=True)
class LabelFile:
    """Labels as read, and ready to be met with runs under the options."""

    table: QrelsTable
    judgements: Judgements


@dataclass(frozen=True)
class RunScores:
    """One run file, scored, with what its reader and the ids gave reason to say."""

    name: str
    file: str
    evaluated: Evaluated
    warnings: tuple[Problem, ...]


def read_labels(path: Path, options: Options, people: Path | None = None) -> LabelFile:
    """Labels of any known format; with `people`, their labels of relevance go before these.

    Raises:
        DataError: what is wrong with a file, with the line.
    """
    raw = read_table(path, "qrels")
    if people is not None:
        add_people(raw, read_people(people))
    with _named(path):
        try:
            found = judgements(raw.frame, options, unlabelled=raw.empty)
        except DataError:
            qrels_table(raw, plain_stem(path))  # tells the lines of labels that conflict
            raise
    if found.n_repeated:
        return LabelFile(qrels_table(raw, plain_stem(path)), found)
    name, warnings = plain_stem(path), tuple(raw.warnings)
    return LabelFile(
        QrelsTable(raw.frame, name, raw.file, raw.format, 0, raw.empty, warnings), found
    )


def score_run(path: Path, labels: LabelFile, metrics: Sequence[str], options: Options) -> RunScores:
    """The metrics of a run file of any known format.

    Raises:
        UsageError: an unknown metric.
        DataError: what is wrong with the file, with the line or the row.
    """
    table = None if path.is_file() and is_parquet(path) else read_run(path)
    run = _streamed(path, options) if table is None else _in_memory(table)
    with _named(path):
        found = evaluate(labels.judgements, run, metrics, options)
    warnings = table.warnings if table is not None else ()
    if _few_found(found):
        table = read_run(path) if table is None else table
        warnings += id_hints(labels.table, table, thorough=True)
    name = plain_stem(path) if table is None else table.name
    return RunScores(name, str(path), found, tuple(warnings))


def _few_found(found: Evaluated) -> bool:
    return bool(found.missing.any()) or found.n_judged < _FEW_FOUND * found.n_labels


def _in_memory(table: RunTable) -> Run:
    return Run(lambda: (table.frame,), table.order, table.empty)


def _streamed(path: Path, options: Options) -> Run:
    lazy, columns = scan_parquet(path, "run")
    names = columns.names
    by_rank = "rank" in names and not (options.by_score and "score" in names)
    order = "rank" if by_rank else "score" if "score" in names else "file"
    wanted = [name for name in names if name != "rank" or by_rank]

    def first(k: int) -> Iterable[pl.DataFrame]:
        import polars as pl  # noqa: PLC0415 - slow to load

        top = lazy.select("query_id", "doc_id", "rank").filter(pl.col("rank") <= k)
        return _blocks(path, top)

    def sound() -> bool:
        """Are all scores numbers? `first` does not see them."""
        import polars as pl  # noqa: PLC0415 - slow to load

        if "score" not in names:
            return True
        return bool(lazy.select(pl.col("score").is_finite().all()).collect().item())

    pushed = first if by_rank and sound() else None
    return Run(lambda: _blocks(path, lazy.select(wanted)), order, first=pushed)


def _blocks(path: Path, lazy: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    import polars as pl  # noqa: PLC0415 - slow to load

    try:
        yield from lazy.collect_batches(maintain_order=True, chunk_size=_BLOCK)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"cannot be read as Parquet: {error}") from error


@contextmanager
def _named(path: Path) -> Generator[None]:
    """Puts the file's name before what is said of its rows."""
    try:
        yield
    except DataError as error:
        if error.problems:
            raise
        raise DataError(f"{path}: {error}") from error
