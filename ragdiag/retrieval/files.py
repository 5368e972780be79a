"""Files of labels and runs -> what `evaluate` reads; Parquet runs in a stream, never whole."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.data.columnar import scan_parquet
from ragdiag.data.columns import LOCATORS
from ragdiag.data.id_hints import id_hints, sample_hints, unknown_ids
from ragdiag.data.labels import read_labels as read_people
from ragdiag.data.native_lists import is_native, native_lists
from ragdiag.data.people_grades import add_people
from ragdiag.data.qrels import QrelsTable, qrels_table
from ragdiag.data.raw_table import RawTable, fault
from ragdiag.data.reading import read_table
from ragdiag.data.runs import RunTable, plain_stem, read_run
from ragdiag.data.tables import is_parquet
from ragdiag.errors import DataError, UsageError
from ragdiag.records.problem import Problem
from ragdiag.retrieval.evaluating import Evaluated, Run, evaluate
from ragdiag.retrieval.judgements import Judgements, judgements
from ragdiag.retrieval.labelled import Labelled
from ragdiag.retrieval.list_hits import FirstRanksError
from ragdiag.retrieval.options import Options
from ragdiag.retrieval.wanted import UNIT_TIES, ByUnit, Source, Wanted

if TYPE_CHECKING:
    import polars as pl

_FEW_FOUND = 0.02  # of the labels: below it, ids that look alike are worth a search
_BLOCK = 1 << 19  # rows
_PART = 50_000  # rows of a big run that are looked at for ids that look alike


@dataclass(frozen=True)
class LabelFile:
    """Labels as read.

    judgements  ready to be met with runs of ids under the options.
    labelled    the same with what they say beyond grades of ids.
    beyond_ids  must passages or gold sets be looked at?
    """

    table: QrelsTable
    judgements: Judgements | None
    labelled: Labelled
    beyond_ids: bool

    @property
    def has_targets(self) -> bool:
        """Does any query say what it asks for?"""
        return any(query.target is not None for query in self.table.gold)


@dataclass(frozen=True)
class RunScores:
    """One run file, scored, with what its reader and the ids gave reason to say.

    by_unit          where more than grades of ids was asked.
    near_duplicates  where it was asked for them: treatment, n_queries, n_passages.
    """

    name: str
    file: str
    evaluated: Evaluated
    warnings: tuple[Problem, ...]
    by_unit: ByUnit | None = None
    near_duplicates: dict[str, Any] | None = None


def read_labels(
    path: Path, options: Options, wanted: Wanted | None = None, *, people: Path | None = None
) -> LabelFile:
    """Labels of any known format; with `people`, their labels of relevance go before these.

    Raises:
        DataError: what is wrong with a file, with the line.
    """
    raw = read_table(path, "qrels")
    name = plain_stem(path)
    if people is not None:
        _refuse_places(raw)
        add_people(raw, read_people(people, note=raw.warnings.append))
    beyond = any(name in raw.frame.columns for name in LOCATORS) or any(
        not query.is_plain for query in raw.gold
    )
    if beyond or (wanted is not None and wanted.beyond_ids):
        raw.warnings = [one for one in raw.warnings if one.kind != "gold_as_labels"]
        table = qrels_table(raw, name)
        return LabelFile(table, None, _labelled(table), beyond_ids=True)
    with _named(path):
        try:
            found = judgements(raw.frame, options, unlabelled=raw.empty)
        except DataError:
            qrels_table(raw, name)  # tells the lines of labels that conflict
            raise
    if found.n_repeated:
        table = qrels_table(raw, name)
    else:
        told = tuple(raw.warnings)
        table = QrelsTable(raw.frame, name, raw.file, raw.format, 0, raw.empty, told, raw.gold)
    return LabelFile(table, found, _labelled(table), beyond_ids=False)


def _refuse_places(raw: RawTable) -> None:
    """UsageError where labels are a table of places: people's grades have no place there."""
    if any(name in raw.frame.columns for name in LOCATORS):
        raise UsageError(
            f"--labels holds grades of passages, {raw.file} places in documents: give qrels by "
            "passage, or leave --labels out"
        )


def _labelled(table: QrelsTable) -> Labelled:
    return Labelled(table, {query.query_id: query for query in table.gold})


def score_run(
    path: Path,
    labels: LabelFile,
    metrics: Sequence[str],
    options: Options,
    wanted: Wanted | None = None,
) -> RunScores:
    """The metrics of a run file of any known format.

    Raises:
        UsageError: an unknown metric, or what is wanted cannot be told.
        DataError: what is wrong with the file, with the line or the row.
    """
    if labels.judgements is None or _told_by_targets(path, labels, options):
        return _by_unit(path, labels, metrics, options, wanted or Wanted())
    table = None if path.is_file() and is_parquet(path) else read_run(path)
    run = _streamed(path, options) if table is None else _in_memory(table)
    with _named(path):
        found = evaluate(labels.judgements, run, metrics, options)
    warnings = table.warnings if table is not None else ()
    warnings += _hints(path, labels, table, found)
    name = plain_stem(path) if table is None else table.name
    return RunScores(name, str(path), found, tuple(warnings))


def _told_by_targets(path: Path, labels: LabelFile, options: Options) -> bool:
    """Do labels and run say by what a query that found nothing was missed?"""
    allowed = options.duplicates != "keep_slot" and options.ties in UNIT_TIES
    return labels.has_targets and allowed and is_native(path)


def _hints(
    path: Path, labels: LabelFile, table: RunTable | None, found: Evaluated
) -> tuple[Problem, ...]:
    """Ids that look alike: compared wherever a label was not met, in a part of a big run first."""
    if not found.missing.any() and found.n_judged >= found.n_labels:
        return ()
    if not _few_found(found) and (table is None or table.n_rows > _PART):
        ids = labels.table.frame["doc_id"]
        unmet = ids if found.met is None else ids.filter(~found.met)
        if not sample_hints(unmet, _part(path, table)):
            return ()
    return id_hints(labels.table, table or read_run(path), thorough=True)


def _part(path: Path, table: RunTable | None) -> RunTable:
    if table is not None:
        return replace(table, frame=table.frame.head(_PART))
    lazy, _ = scan_parquet(path, "run")
    frame = lazy.select("query_id", "doc_id").head(_PART).collect()
    return RunTable(frame, plain_stem(path), str(path), "Parquet", "file")


def _by_unit(
    path: Path, labels: LabelFile, metrics: Sequence[str], options: Options, wanted: Wanted
) -> RunScores:
    # Reads texts: half of the time that a small run takes goes into loading it.
    from ragdiag.retrieval.by_unit import UnitScorer  # noqa: PLC0415
    from ragdiag.retrieval.twin_runs import twins_of, twins_section  # noqa: PLC0415

    scorer = UnitScorer(labels.labelled, metrics, wanted, options)
    native = is_native(path)
    table = None
    if native:
        run = Run(lambda: (read_run(path).frame,), "rank")
    elif path.is_file() and is_parquet(path):
        run = _streamed(path, options)
    else:
        table = read_run(path)
        run = _in_memory(table)
    source = Source(path, run, native)
    with _named(path):
        twins = None if wanted.near_duplicates is None else twins_of(source, wanted)
        collapse = wanted.near_duplicates == "collapse"
        found = scorer.score(source, same=twins if collapse else None)
    warnings = list(table.warnings if table is not None else ())
    warnings += [Problem(file=str(path), line=None, field="", kind="as_read", message=note)
                 for note in found.warnings]  # fmt: skip
    warnings += _known_hints(path, labels, source, wanted)
    if not labels.table.locates and not labels.labelled.has_sets and wanted.corpus is None:
        rows = read_run(path) if native else table
        warnings += _hints(path, labels, rows, found.at_unit)
    told = None if twins is None else twins_section(source, wanted, twins)
    return RunScores(plain_stem(path), str(path), found.at_unit, tuple(warnings), found, told)


def _known_hints(
    path: Path, labels: LabelFile, source: Source, wanted: Wanted
) -> Iterator[Problem]:
    """Ids of labels and run (of a big one: its first rows) that the corpus does not know."""
    import polars as pl  # noqa: PLC0415 - slow to load

    if wanted.corpus is None:
        return
    places, of = wanted.corpus.places, wanted.corpus.path.name
    both = pl.concat([places["passage_id"], places["doc_id"].drop_nulls().rename("passage_id")])
    ids = [item.passage_id or item.doc_id for item in labels.labelled.items()]
    named = pl.Series("doc_id", [key for key in ids if key is not None], dtype=pl.String)
    asked = pl.concat([labels.labelled.graded["doc_id"], named])
    yield from unknown_ids(asked, both, file=labels.table.file, of=of)
    yield from unknown_ids(_first_ids(source), both, file=str(path), of=of)


def _first_ids(source: Source) -> pl.Series:
    """The ids of the first rows of a run."""
    import polars as pl  # noqa: PLC0415 - slow to load

    if source.native:
        passages = chain.from_iterable(found for _, found in native_lists(source.path))
        ids = [one.passage_id for one in islice(passages, _PART)]
        return pl.Series("doc_id", ids, dtype=pl.String)
    first = next(iter(source.run.blocks()), None)
    return pl.Series("doc_id", [], pl.String) if first is None else first["doc_id"].head(_PART)


def _few_found(found: Evaluated) -> bool:
    return bool(found.missing.any()) or found.n_judged < _FEW_FOUND * found.n_labels


def _in_memory(table: RunTable) -> Run:
    return Run(lambda: (table.frame,), table.order, table.empty)


def _streamed(path: Path, options: Options) -> Run:
    import polars as pl  # noqa: PLC0415 - slow to load

    lazy, columns = scan_parquet(path, "run")
    if not lazy.select(pl.len()).collect().item():
        raise fault(path, "empty_file", "the file (Parquet) holds no row")
    names = columns.names
    by_rank = "rank" in names and not (options.by_score and "score" in names)
    order = "rank" if by_rank else "score" if "score" in names else "file"
    wanted = [name for name in names if name != "rank" or by_rank]

    def first(k: int) -> Iterable[pl.DataFrame]:
        import polars as pl  # noqa: PLC0415 - slow to load

        rank = pl.col("rank")
        odd = rank.is_null()
        if fractional:
            odd |= rank != rank.floor()
        top = lazy.select("query_id", "doc_id", "rank").filter((rank <= k) | odd)
        for block in _blocks(path, top):
            if block.select(odd.any()).item():  # the whole file says at which row
                raise FirstRanksError
            yield block

    def sound() -> bool:
        """Are all scores numbers? `first` does not see them."""
        import polars as pl  # noqa: PLC0415 - slow to load

        if "score" not in names:
            return True
        return bool(lazy.select(pl.col("score").is_finite().all()).collect().item())

    fractional = by_rank and lazy.collect_schema()["rank"].is_float()
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
