"""Evaluation directories of a few made-up scores, for tests of comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.manifest import Manifest
from ragdiag.evaluation.tables import QueryTable, ScoreTable
from ragdiag.pipeline import metric_kinds
from ragdiag.records import Diagnosis, Sample, SampleResult, Settings
from ragdiag.records.result import missing, scored
from ragdiag.report.summary import Summary

Row = Mapping[str, Any]
_OF_SAMPLE = ("gold", "qrels", "reference", "answerable", "target", "cost_usd")


def query(
    scores: Mapping[str, float | str] | float, *, code: str | None = "K1", **more: Any
) -> Row:
    """One query: its scores (a number, or the reason of none; a mere number is recall@10), its
    category, and what else: query, slices, latency_ms, cost_usd, cluster, gold."""
    return {
        "scores": {"recall@10": scores} if isinstance(scores, float) else scores,
        "code": code,
        **more,
    }


def evaluation(
    path: Path,
    queries: Mapping[str, Row],
    *,
    run: Mapping[str, Any] | None = None,
    judge: str = "screen",
    judge_version: str | None = None,
    corpus_hash: str | None = "c",
    version: str = "1",
    **settings: Any,
) -> Path:
    """Writes the files that a comparison reads; returns the directory."""
    path.mkdir(parents=True, exist_ok=True)
    settled = Settings(**settings)
    told = Summary(
        settings=settled,
        metrics=metric_kinds(settled),
        judge={
            "name": judge,
            "version": judge_version or f"{judge}-1",
            "validated": {},
            "measured": {},
        },
        corpus={"n_documents": None, "n_passages": None, "data_hash": corpus_hash},
        run=run,
    )
    tables = ScoreTable(path / at.SCORES), QueryTable(path / at.QUERIES)
    for query_id, row in queries.items():
        sample, result = _pair(query_id, row)
        told.add(result)
        for table in tables:
            table.add(sample, result)
    for table in tables:
        table.close()
    manifest = Manifest(
        ragdiag=version,
        settings=settled,
        judge_spec=judge,
        judge_name=judge,
        judge_version=judge_version or f"{judge}-1",
        inputs={},
        data_hash="d",
        corpus_hash=corpus_hash,
        n_samples=len(queries),
        run=dict(run or {}),
    )
    at.write_atomically(path / at.MANIFEST, manifest.to_json())
    at.write_atomically(path / at.REPORT, at.to_json(told.report()))
    return path


def _pair(query_id: str, row: Row) -> tuple[Sample, SampleResult]:
    fields = {name: row[name] for name in _OF_SAMPLE if name in row}
    text = row.get("query", f"What of {query_id}?")
    sample = Sample.model_validate({"query_id": query_id, "query": text, **fields})
    scores = {
        name: missing(value) if isinstance(value, str) else scored(float(value))
        for name, value in row["scores"].items()
    }
    code = row["code"]
    family = row.get("family", None if code is None else CATALOGUE[code].family)
    told = Diagnosis(
        code=code,
        family=family,
        codes=() if code is None else (code,),
        status_reason="no_answer" if code is None else None,
    )
    result = SampleResult(
        query_id=query_id,
        scores=scores,
        diagnosis=told,
        latency_ms=dict(row.get("latency_ms", {})),
        slices=dict(row.get("slices", {})),
        cluster=row.get("cluster"),
    )
    return sample, result
