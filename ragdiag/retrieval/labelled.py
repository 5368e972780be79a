"""Labels that say more than a grade an id, and where each of them stands at a unit.

A label is a locator: an id, or a place in a document. At a unit it is one key where it names that
unit itself or through its passage's place in the corpus; else it must be looked for in passages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from ragdiag.data.columns import LOCATORS
from ragdiag.data.gold import GoldQuery
from ragdiag.data.qrels import QrelsTable
from ragdiag.records import Item
from ragdiag.retrieval.unit_keys import unit_key
from ragdiag.text.pages import page_name

if TYPE_CHECKING:
    import polars as pl

Unit = Literal["passage", "page", "document", "object"]
UNITS: tuple[Unit, ...] = get_args(Unit)
FIELD: dict[Unit, str] = {"document": "doc_id", "page": "page", "object": "object_id"}
"""What of a passage says to which unit it belongs."""

SetRow = tuple[str, int, str]
"""query_id, number of the set, key of the item."""


@dataclass(frozen=True)
class Labelled:
    """The labels of a file.

    table  graded rows; of queries with gold and without qrels it holds the gold flattened.
    gold   by query what it says more.
    """

    table: QrelsTable
    gold: dict[str, GoldQuery]

    @cached_property
    def query_ids(self) -> list[str]:
        """All labelled queries, sorted."""
        named = self.table.frame["query_id"].unique().to_list()
        return sorted({*named, *self.table.empty, *self.gold})

    @cached_property
    def graded(self) -> pl.DataFrame:
        """The rows of queries that are ranked by grades."""
        by_sets = [key for key, query in self.gold.items() if query.gold and not query.qrels]
        frame = self.table.frame
        return frame.filter(~frame["query_id"].is_in(by_sets)) if by_sets else frame

    @cached_property
    def has_sets(self) -> bool:
        """Does any query have gold sets?"""
        return any(query.gold for query in self.gold.values())

    def items(self) -> Iterable[Item]:
        """Every item of every gold set."""
        for query in self.gold.values():
            for items in query.gold:
                yield from items


def unit_expr(unit: Unit) -> pl.Expr:
    """`unit_key` over the columns of a corpus; null where the passage does not say."""
    import polars as pl  # noqa: PLC0415 - slow to load

    if unit == "passage":
        return pl.col("passage_id")
    if unit == "document":
        return pl.col("doc_id")
    between = "#p" if unit == "page" else "#"
    return pl.concat_str([pl.col("doc_id"), pl.lit(between), pl.col(FIELD[unit])])


def names_unit(item: Item, unit: Unit) -> bool:
    """Does the locator itself say the unit?"""
    if unit == "passage":
        return item.passage_id is not None
    return item.doc_id is not None and getattr(item, FIELD[unit]) is not None


def _with_page_names(frame: pl.DataFrame) -> pl.DataFrame:
    """The column page in the spelling of `unit_key`: each different page is read once."""
    import polars as pl  # noqa: PLC0415 - slow to load

    pages: list[str] = frame["page"].drop_nulls().unique().to_list()
    other = {page: name for page in pages if (name := page_name(page)) != page}
    return frame.with_columns(pl.col("page").replace(other)) if other else frame


def units_of(places: pl.DataFrame, unit: Unit) -> pl.DataFrame:
    """doc_id (the passage's id, as a run calls it) and unit (its own id where it does not say)."""
    import polars as pl  # noqa: PLC0415 - slow to load

    if unit == "page":
        places = _with_page_names(places)
    key = pl.coalesce(unit_expr(unit), pl.col("passage_id")).alias("unit")
    return places.select(pl.col("passage_id").alias("doc_id"), key)


def set_rows(labels: Labelled, unit: Unit, places: pl.DataFrame | None) -> list[SetRow] | None:
    """The gold sets by keys of the unit; None where an item must be looked for in passages."""
    asked = {item.passage_id for item in labels.items() if not names_unit(item, unit)}
    if None in asked or (asked and places is None):
        return None
    known: dict[str, str] = {}
    if asked and places is not None:
        found = places.filter(places["passage_id"].is_in(list(asked)))
        known = dict(units_of(found, unit).iter_rows())
    rows: dict[SetRow, None] = {}
    for query_id, query in labels.gold.items():
        for number, items in enumerate(query.gold):
            for item in items:
                if names_unit(item, unit):
                    key = unit_key(item, unit)
                else:
                    key = known.get(str(item.passage_id), str(item.passage_id))
                rows[query_id, number, key] = None
    return list(rows)


def graded_rows(labels: Labelled, unit: Unit, places: pl.DataFrame | None) -> pl.DataFrame | None:
    """query_id, doc_id (a key of the unit), grade (the best of the unit); None where a row must be
    looked for in passages."""
    import polars as pl  # noqa: PLC0415 - slow to load

    frame = with_documents(labels.graded, places)
    if unit == "passage":
        return None if frame["located"].any() else frame.select("query_id", "doc_id", "grade")
    if places is None and not frame["located"].all():
        return None
    inside = frame.filter("located")
    if unit == "page":
        inside = _with_page_names(inside)
    inside = inside.with_columns(doc_id=unit_expr(unit))
    if inside["doc_id"].null_count():
        return None
    ids = frame.filter(~pl.col("located"))
    if places is not None:
        units = units_of(places, unit)
        ids = ids.join(units, on="doc_id", how="left", maintain_order="left").with_columns(
            doc_id=pl.coalesce("unit", "doc_id")
        )
    columns = ("query_id", "doc_id", "grade")
    both = pl.concat([ids.select(columns), inside.select(columns)])
    return both.group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("grade").max())


def with_documents(frame: pl.DataFrame, places: pl.DataFrame | None) -> pl.DataFrame:
    """Rows with page, object_id, start, end, and `located`: the doc_id names a document, not a
    passage. So it is where the file states places, and where the corpus knows the id as that of a
    document only."""
    import polars as pl  # noqa: PLC0415 - slow to load

    stated = [name for name in LOCATORS if name in frame.columns]
    types = {"page": pl.String, "object_id": pl.String, "start": pl.Int64, "end": pl.Int64}
    located = pl.lit(bool(stated))
    if places is not None and not stated:
        id_of = pl.col("doc_id")
        located = ~id_of.is_in(places["passage_id"].implode()) & id_of.is_in(
            places["doc_id"].unique().implode()
        )
    return frame.with_columns(
        *(pl.lit(None, kind).alias(name) for name, kind in types.items() if name not in stated),
        located=located,
    )


def item_of(row: Sequence[object]) -> Item:
    """A row of `with_documents` (doc_id, page, object_id, start, end, located) as a locator."""
    key, page, object_id, start, end, located = row
    if not located:
        return Item.model_validate({"passage_id": key})
    given = {"doc_id": key, "page": page, "object_id": object_id, "start": start, "end": end}
    return Item.model_validate({name: value for name, value in given.items() if value is not None})
