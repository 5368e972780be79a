"""Runs whose items are keys of a unit, against labels that are such keys: all by columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ragdiag.retrieval.alternatives import Lists, Members
from ragdiag.retrieval.columns import Bools, Ints
from ragdiag.retrieval.evaluating import Facts, Run, read_lists
from ragdiag.retrieval.judgements import judgements
from ragdiag.retrieval.labelled import Labelled, SetRow
from ragdiag.retrieval.options import Options

if TYPE_CHECKING:
    import polars as pl

_NOBODY = "\0"  # no id holds it


def facts_of(labels: Labelled, run: Run, options: Options, ks: Sequence[int]) -> Facts:
    """What the rows of a run tell as they stand: ties, items that stand twice, missing queries.

    Raises:
        DataError: a number that is none, or what the options refuse.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    asked = pl.DataFrame({"query_id": labels.query_ids}, schema={"query_id": pl.String})
    nobody = asked.with_columns(doc_id=pl.lit(_NOBODY), grade=1.0)
    reader = read_lists(judgements(nobody, options), run, options, ks, whole=True)
    return Facts(labels.query_ids, reader.missing, reader.counts, labels.table.n_merged)


def mapped(run: Run, units: pl.DataFrame | None, options: Options) -> tuple[Run, Options]:
    """The run with its items as units (columns doc_id, unit), and the options to read it under.

    Items are ranked as they stand, then mapped: the first of a unit counts, and ties are broken by
    the items' own ids.
    """
    if units is None:
        return run, options
    within = replace(options, duplicates="first", ties="file")
    blocks = run.blocks
    if options.ties == "docid_desc":
        blocks = _by_id(run.blocks)

    def as_units() -> Iterator[pl.DataFrame]:
        import polars as pl  # noqa: PLC0415 - slow to load

        for block in blocks():
            yield (
                block.join(units, on="doc_id", how="left", maintain_order="left")
                .with_columns(doc_id=pl.coalesce("unit", "doc_id"))
                .drop("unit")
            )

    return replace(run, blocks=as_units, first=None), within


def _by_id(blocks: Callable[[], Iterable[pl.DataFrame]]) -> Callable[[], Iterable[pl.DataFrame]]:
    def ordered() -> Iterator[pl.DataFrame]:
        import polars as pl  # noqa: PLC0415 - slow to load

        rows = pl.concat(list(blocks()))
        yield rows.sort("query_id", "doc_id", descending=[False, True], maintain_order=True)

    return ordered


def score_keys(
    labels: Labelled,
    graded: pl.DataFrame,
    sets: Sequence[SetRow],
    run: Run,
    options: Options,
) -> tuple[Lists, int]:
    """The lists of a run against graded keys and gold sets of keys; and how many labels there are.

    graded  query_id, doc_id, grade, each pair once.
    """
    query_ids = labels.query_ids
    code = {query_id: row for row, query_id in enumerate(query_ids)}
    frame, in_union, by_grade = _all_keys(graded, sets)
    n = len(frame)
    graded_only = judgements(frame if n else _placeholder(query_ids), options, unlabelled=query_ids)
    # The gain of a hit says which label it is: the reader hands it through unchanged.
    known = replace(graded_only, gain=np.arange(max(n, 1), dtype=np.float64))
    reader = read_lists(known, run, options, (), whole=True)
    hits = reader.columns()
    label = hits.gain.astype(np.int64)
    gold = ~by_grade & in_union
    members = Members(
        row=_rows(frame, code),
        in_union=in_union,
        relevant=graded_only.relevant[:n] | gold,
        judged=graded_only.judged[:n] | gold,
        gain=np.where(gold, 1.0, graded_only.gain[:n]),
        **_memberships(frame, sets, code),
    )
    lists = Lists(
        union=members.union(hits.row, hits.rank, label, hits.n_retrieved),
        sets=members.by_set(hits.rank, label, hits.n_retrieved),
        owner=members.owner,
        graded=_has_grades(query_ids, graded),
        blocked=np.array([_blocked(labels, query_id) for query_id in query_ids], dtype=np.bool_),
        off=np.zeros(len(query_ids), dtype=np.bool_),
    )
    return lists, int(np.count_nonzero(in_union))


def _blocked(labels: Labelled, query_id: str) -> bool:
    query = labels.gold.get(query_id)
    return query is not None and query.answerable is False


def _placeholder(query_ids: Sequence[str]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - slow to load

    return pl.DataFrame({"query_id": query_ids[:1], "doc_id": [_NOBODY], "grade": [1.0]})


def _rows(frame: pl.DataFrame, code: Mapping[str, int]) -> Ints:
    ids: list[str] = frame["query_id"].to_list()
    return np.fromiter(map(code.__getitem__, ids), np.int64, len(ids))


def _has_grades(query_ids: Sequence[str], graded: pl.DataFrame) -> Bools:
    known = set(graded["query_id"].unique().to_list())
    return np.fromiter((key in known for key in query_ids), np.bool_, len(query_ids))


def _all_keys(graded: pl.DataFrame, sets: Sequence[SetRow]) -> tuple[pl.DataFrame, Bools, Bools]:
    """Each (query, key) once; is it of the union that ranks; and is it there by its grade?"""
    import polars as pl  # noqa: PLC0415 - slow to load

    schema = {"query_id": pl.String, "doc_id": pl.String}
    pairs = dict.fromkeys((query_id, key) for query_id, _, key in sets)
    gold = pl.DataFrame(list(pairs), schema=schema, orient="row")
    columns = ["query_id", "doc_id"]
    new = gold.join(graded, on=columns, how="anti", maintain_order="left")
    frame = pl.concat([graded.select(*columns, "grade"), new.with_columns(grade=1.0)])
    by_grade = np.arange(len(frame)) < len(graded)
    ranked_by_sets = ~new["query_id"].is_in(graded["query_id"].unique().implode()).to_numpy()
    in_union = np.concatenate((np.ones(len(graded), dtype=np.bool_), ranked_by_sets))
    return frame, in_union, by_grade


def _memberships(
    frame: pl.DataFrame, sets: Sequence[SetRow], code: Mapping[str, int]
) -> dict[str, Ints]:
    """By membership of a key in a set: the set, the key's label; and by set: the query's row."""
    import polars as pl  # noqa: PLC0415 - slow to load

    rows = sorted((code[query_id], number, key) for query_id, number, key in sets)
    numbers: dict[tuple[int, int], int] = {}
    of_set = [numbers.setdefault((row, number), len(numbers)) for row, number, _ in rows]
    label_of = frame.select("query_id", "doc_id").with_row_index("label")
    name = list(code)
    schema = {"query_id": pl.String, "doc_id": pl.String}
    asked = pl.DataFrame([(name[row], key) for row, _, key in rows], schema=schema, orient="row")
    label = asked.join(label_of, on=["query_id", "doc_id"], how="left", maintain_order="left")
    return {
        "of_set": np.array(of_set, dtype=np.int64),
        "label": label["label"].cast(pl.Int64).to_numpy(),
        "owner": np.array([row for row, _ in numbers], dtype=np.int64),
    }
