"""The recall of the index behind a run: its lists against exact search on the same embeddings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.records import Sample
from ragdiag.retrieval.metrics import distinct

if TYPE_CHECKING:
    from ragdiag.data.runs import RunTable

FIRST_STAGE = "candidates"
RETRIEVED = "retrieved"
_NAMED = 3


@dataclass(frozen=True, slots=True)
class IndexRecall:
    """The `ann` section of report.json, what to warn of, and the hash of the exact lists' file."""

    section: dict[str, Any]
    warnings: tuple[str, ...]
    file_hash: str


class IndexLists:
    """The lists that an index gave, as deep as the largest cut-off: of the stage `candidates`, or
    of `retrieved` where more samples state that. A sample that does not state it has no list; an
    empty one is a list."""

    def __init__(self, ks: Sequence[int]) -> None:
        self._ks = tuple(ks)
        self._by_stage: dict[str, dict[str, list[str]]] = {FIRST_STAGE: {}, RETRIEVED: {}}
        self._n = 0

    def add(self, sample: Sample, _: object = None) -> None:
        """One more sample."""
        self._n += 1
        stated = {FIRST_STAGE: sample.stages.get(FIRST_STAGE), RETRIEVED: sample.retrieved}
        for stage, found in stated.items():
            if found is not None:
                ids = distinct(passage.passage_id for passage in found)
                self._by_stage[stage][sample.query_id] = ids[: max(self._ks)]

    @property
    def stage(self) -> str:
        """Which lists are compared: those of `candidates`, unless fewer than half as many samples
        state them as state `retrieved`."""
        several = 2 * len(self._by_stage[FIRST_STAGE]) >= len(self._by_stage[RETRIEVED])
        return FIRST_STAGE if several and self._by_stage[FIRST_STAGE] else RETRIEVED

    @property
    def _lists(self) -> dict[str, list[str]]:
        return self._by_stage[self.stage]

    def against(self, path: Path) -> IndexRecall:
        """ANN recall at each cut-off over the queries that have both lists.

        Raises:
            DataError: the exact lists cannot be read.
        """
        from ragdiag.data.runs import read_run  # noqa: PLC0415 - loads polars
        from ragdiag.retrieval.ann import ann_recall  # noqa: PLC0415

        exact = read_run(path)
        shared = _of_queries(exact, list(self._lists))
        found = ann_recall(self._table(), shared, self._ks)
        n_without = exact.n_queries - shared.n_queries
        section = {
            **found.section(),
            "stage": self.stage,
            "file": str(path),
            "n_without_list": n_without,
        }
        warnings = [str(one) for one in exact.warnings]
        warnings += self._told(exact, shared, n_without, found.not_exact)
        with path.open("rb") as file:
            hashed = hashlib.file_digest(file, "sha256").hexdigest()
        return IndexRecall(section, tuple(warnings), hashed)

    def _table(self) -> RunTable:
        import polars as pl  # noqa: PLC0415 - slow to load

        from ragdiag.data.runs import RunTable  # noqa: PLC0415

        queries = [query for query, ids in self._lists.items() for _ in ids]
        documents = [one for ids in self._lists.values() for one in ids]
        frame = pl.DataFrame(
            {"query_id": queries, "doc_id": documents},
            schema={"query_id": pl.String, "doc_id": pl.String},
        )
        empty = tuple(query for query, ids in self._lists.items() if not ids)
        return RunTable(frame, "samples", "samples", "samples", "file", empty)

    def _told(
        self, exact: RunTable, shared: RunTable, n_without: int, not_exact: Sequence[str]
    ) -> list[str]:
        told: list[str] = []
        if n_without:
            told.append(
                f"ANN recall: {n_without} of {exact.n_queries} queries of {exact.file} have no "
                "list in the samples; they are left out"
            )
        if not_exact:
            more = ", …" if len(not_exact) > _NAMED else ""
            told.append(
                f"ANN recall: {len(not_exact)} queries have no exact list in {exact.file}: "
                f"{', '.join(not_exact[:_NAMED])}{more}; they are in no mean of it"
            )
        without = self._n - len(self._lists)
        if without:
            told.append(
                f"ANN recall: {without} of {self._n} samples state no {self.stage}; they are left "
                "out of it"
            )
        known = {one for ids in self._lists.values() for one in ids}
        ids = shared.frame["doc_id"].head(1).to_list()
        if known and ids and not shared.frame["doc_id"].is_in(list(known)).any():
            told.append(
                f"ANN recall: no id of {exact.file} ({ids[0]!r} …) stands in any list of the "
                f"samples ({next(iter(known))!r} …): are these ids of one corpus?"
            )
        return told


def _of_queries(exact: RunTable, queries: Sequence[str]) -> RunTable:
    import polars as pl  # noqa: PLC0415 - slow to load

    wanted = set(queries)
    kept = exact.frame.filter(pl.col("query_id").is_in(list(queries)))
    return replace(exact, frame=kept, empty=tuple(one for one in exact.empty if one in wanted))
