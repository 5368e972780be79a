"""Near-duplicates among the passages of a corpus or a run, and how often lists repeat them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragdiag.data.native_lists import native_lists
from ragdiag.errors import UsageError
from ragdiag.records import Passage
from ragdiag.retrieval.wanted import Source, Wanted
from ragdiag.text.twins import twins_among


def twins_of(source: Source, wanted: Wanted) -> dict[str, str]:
    """Passage id -> the id that stands for its group; passages without a twin are left out.

    Over the corpus where there is one, else over the run's own passages: whatever a query's list
    holds, and whichever way it is scored.

    Raises:
        UsageError: there is no text to compare.
    """
    if wanted.corpus is not None:
        passages = list(wanted.corpus.passages)
    elif source.native:
        passages = list(_with_text(source))
    else:
        passages = []
    if not any(passage.text for passage in passages):
        raise UsageError(
            f"--near-duplicates needs texts, and {source.path} holds ids only: give --corpus FILE, "
            "or a run whose passages have their text"
        )
    return twins_among(passages)


def _with_text(source: Source) -> Iterator[Passage]:
    """Each passage of the run once."""
    seen: set[str] = set()
    for _, passages in native_lists(source.path):
        for passage in passages:
            if passage.text is not None and passage.passage_id not in seen:
                seen.add(passage.passage_id)
                yield passage


def twins_section(source: Source, wanted: Wanted, same: Mapping[str, str]) -> dict[str, Any]:
    """The treatment, and how many items of how many lists repeat the text of one before them."""
    import polars as pl  # noqa: PLC0415 - slow to load

    known = pl.DataFrame(
        {"doc_id": list(same), "group": list(same.values())},
        schema={"doc_id": pl.String, "group": pl.String},
    )
    pair = ["query_id", "doc_id"]
    blocks = [
        block.select(pair).join(known, on="doc_id", how="inner") for block in source.run.blocks()
    ]
    rows = pl.concat(blocks).unique() if blocks else known.clear().with_columns(query_id=pl.lit(""))
    lists = rows.group_by("query_id", "group").len().filter(pl.col("len") > 1)
    return {
        "treatment": wanted.near_duplicates,
        "n_queries": lists["query_id"].n_unique(),
        "n_passages": int((lists["len"] - 1).sum()),
        "n_groups": known["group"].n_unique(),
    }
