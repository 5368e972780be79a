"""A corpus as the retriever's ids see it: to which document, page and object a passage belongs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragdiag.data import beir
from ragdiag.data.columns import plain_page
from ragdiag.data.corpus import FileCorpus, read_corpus
from ragdiag.data.pdf_folder import holds_pdfs
from ragdiag.data.raw_table import fault
from ragdiag.data.tables import is_parquet
from ragdiag.records.sample import Passage

if TYPE_CHECKING:
    import polars as pl

FIELDS = ("passage_id", "doc_id", "page", "object_id")


class CorpusFile:
    """A corpus (JSONL, Parquet, PDFs, or a BEIR folder), read once, when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def passages(self) -> FileCorpus:
        """All passages with their texts.

        Raises:
            DataError: as `read_corpus`.
        """
        if self.path.is_dir() and not holds_pdfs(self.path):
            found = {one.passage_id: one for one in beir.read_passages(self.path)}
            return FileCorpus(found, "")
        return read_corpus(self.path)

    @cached_property
    def places(self) -> pl.DataFrame:
        """passage_id, doc_id, page, object_id (texts; null = not said), each passage once.

        Of a Parquet file only these columns are read.

        Raises:
            DataError: as `read_corpus`.
        """
        if not self.path.is_dir() and is_parquet(self.path):
            found = _columns(self.path)
            if found is not None:
                return found
        return places_of(self.passages)


def places_of(passages: Iterable[Passage]) -> pl.DataFrame:
    """The same of passages at hand."""
    import polars as pl  # noqa: PLC0415 - slow to load

    rows = [
        (one.passage_id, one.doc_id, None if one.page is None else str(one.page), one.object_id)
        for one in passages
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(FIELDS, pl.String), orient="row")


def _columns(path: Path) -> pl.DataFrame | None:
    """Straight from the columns; None where the reader of rows must name or check something."""
    import polars as pl  # noqa: PLC0415 - slow to load

    lazy = pl.scan_parquet(path, glob=False)
    try:
        schema = lazy.collect_schema()
        if "passage_id" not in schema or "doc_id" not in schema or "text" not in schema:
            return None
        if any(
            not (schema[name] == pl.String or schema[name].is_integer())
            for name in FIELDS
            if name in schema
        ):
            return None
        asked = [
            pl.col(name).cast(pl.String) if name in schema else pl.lit(None, pl.String).alias(name)
            for name in FIELDS
        ]
        found = lazy.select(asked).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise fault(path, "damaged_file", f"cannot be read as Parquet: {error}") from error
    ids = found.select("passage_id", "doc_id")
    if ids.null_count().sum_horizontal().item() or found["passage_id"].is_duplicated().any():
        return None
    return found.with_columns(plain_page())
