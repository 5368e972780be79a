"""The columns of an evaluation, for aggregates and comparisons: scores.parquet, queries.parquet.

Rows are gathered in bounded chunks beside the file, and joined and moved into place at the end.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ragdiag.records import Sample, SampleResult
from ragdiag.text.clusters import documents_of, gold_documents, labels_hash, query_hash

if TYPE_CHECKING:
    import polars as pl

_CHUNK = 50_000


class _Table:
    """Columns that are written in chunks; a subclass names them and adds its rows."""

    columns: ClassVar[tuple[str, ...]]

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parts: list[Path] = []
        self._rows: dict[str, list[Any]] = {}
        self._clear()

    def _clear(self) -> None:
        self._rows = {name: [] for name in self.columns}

    def schema(self) -> dict[str, Any]:
        """The type of each column."""
        raise NotImplementedError

    def add(self, sample: Sample, result: SampleResult) -> None:
        """Appends what the table says of one query."""
        raise NotImplementedError

    def _added(self) -> None:
        if len(self._rows[self.columns[0]]) >= _CHUNK:
            self._flush()

    def _flush(self) -> None:
        import polars as pl  # noqa: PLC0415 - heavy, and needed here only

        part = self._path.with_name(f"{self._path.name}.{len(self._parts)}.part")
        pl.DataFrame(self._rows, schema=self.schema()).write_parquet(part)
        self._parts.append(part)
        self._clear()

    def close(self) -> None:
        """Joins the chunks into the one file."""
        import polars as pl  # noqa: PLC0415 - heavy, and needed here only

        if self._rows[self.columns[0]] or not self._parts:
            self._flush()
        if len(self._parts) == 1:
            os.replace(self._parts[0], self._path)
        else:
            beside = self._path.with_name(self._path.name + ".part")
            pl.scan_parquet(self._parts).sink_parquet(beside)
            os.replace(beside, self._path)
        self.discard()

    def discard(self) -> None:
        """Removes the chunks."""
        for part in self._parts:
            part.unlink(missing_ok=True)
        self._parts = []


class ScoreTable(_Table):
    """scores.parquet: a row a query and metric, with value, status and reason."""

    columns: ClassVar[tuple[str, ...]] = ("query_id", "metric", "value", "status", "reason")

    def schema(self) -> dict[str, Any]:
        """Texts, and the value in float64."""
        import polars as pl  # noqa: PLC0415 - heavy, and needed here only

        return {n: pl.Float64 if n == "value" else pl.String for n in self.columns}

    def add(self, sample: Sample, result: SampleResult) -> None:
        """Appends the scores of one query."""
        rows, scores = self._rows, result.scores.values()
        rows["query_id"] += [result.query_id] * len(scores)
        rows["metric"] += result.scores
        rows["value"] += [score.value for score in scores]
        rows["status"] += [score.status for score in scores]
        rows["reason"] += [score.reason for score in scores]
        self._added()


class QueryTable(_Table):
    """queries.parquet: a row a query, in input order, with all that is not a score.

    query_hash   of the query and its history: one text, one hash.
    labels_hash  of what is expected of the answer: reference, gold, qrels, answerable, target.
    cluster      the cluster that intervals count it in; null without clusters.
    document     doc_ids of the gold, sorted and joined by a blank; null where it names none;
                 `documents` are the same, each by itself.
    code         null where there is none, `no_code` says why; `codes` are all that remain possible.
    flags        of the sample and of the diagnosis.
    reach        how far the evidence came; null where it is not one value.
    latency_ms   by stage, as the pipeline said.
    cost_usd     of the pipeline, as it said; judge_usd and judge_calls are what judging it took.
    """

    columns: ClassVar[tuple[str, ...]] = (
        "query_id", "query_hash", "labels_hash", "cluster", "document", "documents", "code",
        "family", "codes", "flags", "basis", "reach", "no_code", "deciding_input", "zero_recall",
        "slices", "latency_ms", "cost_usd", "judge_usd", "judge_calls",
    )  # fmt: skip

    def schema(self) -> dict[str, Any]:
        """Texts, lists of texts, and pairs by name."""
        import polars as pl  # noqa: PLC0415 - heavy, and needed here only

        texts = pl.List(pl.String)
        own: dict[str, pl.DataType | type[pl.DataType]] = {
            "documents": texts,
            "codes": texts,
            "flags": texts,
            "zero_recall": pl.Boolean,
            "slices": pl.List(pl.Struct({"dimension": pl.String, "value": pl.String})),
            "latency_ms": pl.List(pl.Struct({"stage": pl.String, "value": pl.Float64})),
            "cost_usd": pl.Float64,
            "judge_usd": pl.Float64,
            "judge_calls": pl.Int64,
        }
        return {name: own.get(name, pl.String) for name in self.columns}

    def add(self, sample: Sample, result: SampleResult) -> None:
        """Appends one query."""
        told = result.diagnosis
        reach = told.state.get("reach", ())
        row: dict[str, Any] = {
            "query_id": result.query_id,
            "query_hash": query_hash(sample),
            "labels_hash": labels_hash(sample),
            "cluster": result.cluster,
            "document": gold_documents(sample),
            "documents": documents_of(sample),
            "code": told.code,
            "family": told.family,
            "codes": list(told.codes),
            "flags": list(dict.fromkeys((*result.flags, *told.flags))),
            "basis": told.basis,
            "reach": reach[0] if len(reach) == 1 else None,
            "no_code": told.status_reason if told.code is None else None,
            "deciding_input": told.deciding_input,
            "zero_recall": result.zero_recall,
            "slices": [{"dimension": d, "value": v} for d, v in result.slices.items()],
            "latency_ms": [{"stage": s, "value": v} for s, v in result.latency_ms.items()],
            "cost_usd": sample.cost_usd,
            "judge_usd": result.cost.usd,
            "judge_calls": result.cost.calls,
        }
        for name, value in row.items():
            self._rows[name].append(value)
        self._added()
