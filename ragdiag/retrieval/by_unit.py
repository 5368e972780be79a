"""A run file scored at a unit, and at document and page level beside it.

By columns where every label is a key of the unit; else one list after the other, with its passages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ragdiag.data.native_lists import native_lists
from ragdiag.errors import DataError, UsageError
from ragdiag.records import Corpus, Passage, Settings
from ragdiag.retrieval.alternatives import Alternatives, Lists
from ragdiag.retrieval.counts import Counts
from ragdiag.retrieval.evaluating import (
    Evaluated,
    Facts,
    Run,
    cutoffs_of,
    evaluated,
    parsed,
    refuse_missing,
)
from ragdiag.retrieval.keyed import facts_of, mapped, score_keys
from ragdiag.retrieval.labelled import FIELD, Labelled, Unit, graded_rows, set_rows, units_of
from ragdiag.retrieval.located import Located
from ragdiag.retrieval.options import Options
from ragdiag.retrieval.wanted import MOST_ZERO_RECALL, UNIT_TIES, ByUnit, Source, Wanted

if TYPE_CHECKING:
    import polars as pl

LEVELS: tuple[Unit, ...] = ("document", "page")
_MOST_ROWS = 1_000_000  # of a run whose lists are looked at one by one, in memory at once


class UnitScorer:
    """Scores runs against labels under what is wanted."""

    def __init__(
        self, labels: Labelled, metrics: Sequence[str], wanted: Wanted, options: Options
    ) -> None:
        if options.duplicates == "keep_slot":
            raise UsageError(
                "--duplicates keep_slot needs graded ids at the passage unit; choose first or error"
            )
        if options.ties not in UNIT_TIES:
            raise UsageError(
                f"--ties {options.ties} needs graded ids at the passage unit; "
                f"choose one of {', '.join(UNIT_TIES)}"
            )
        self.labels = labels
        self.metrics = tuple(metrics)
        self.wanted = wanted
        self.options = options
        self._asked = {name: parsed(name, options) for name in metrics}
        self._ks = cutoffs_of(self._asked)

    @cached_property
    def _places(self) -> pl.DataFrame | None:
        return None if self.wanted.corpus is None else self.wanted.corpus.places

    def score(self, source: Source, *, same: Mapping[str, str] | None = None) -> ByUnit:
        """One run.

        same  with near-duplicates collapsed: id -> the id that stands for its group.

        Raises:
            UsageError, DataError: as `evaluate`; and where nothing says the unit of the items.
        """
        unit = self._unit(source)
        notes: tuple[str, ...] = ()
        units: tuple[Unit, ...] = (unit, *(level for level in LEVELS if level != unit))
        lists = self._by_keys(source, unit, units, same)
        if lists is not None:
            facts = facts_of(self.labels, source.run, self.options, self._ks)
        else:
            lists, facts, n_unplaced = self._by_passages(source, unit, units, same)
            if n_unplaced:
                notes = (_UNPLACED.format(n=n_unplaced, unit=unit),)
        refuse_missing(facts.query_ids, facts.missing, self.options)
        at_unit = self._evaluated(lists[unit], self._asked, facts)
        levels: dict[str, Evaluated] = {}
        if source.native or self.wanted.corpus is not None:
            names = {name: parsed(name, self.options) for name in self.level_names()}
            levels = {
                level: self._evaluated(lists[level], names, facts)
                for level in (*LEVELS, unit)
                if level in lists and (level == unit or not lists[level].off.all())
            }
        if unit != "passage" and not source.native and self.wanted.corpus is None:
            notes = (*notes, self._taken_as(unit, at_unit))
        elif unit != "document" and self._documents_only():
            notes = (
                *notes,
                f"the labels name documents: at the {unit} unit any {unit} of it counts",
            )
        return ByUnit(unit, at_unit, levels, self._zero_recall(source, at_unit), notes)

    def level_names(self) -> list[str]:
        """The measures of success that are shown at each level."""
        sets = self.labels.has_sets
        stems = ("hit", "complete_evidence") if sets else ("hit", "recall")
        return [f"{stem}@{k}" for stem in stems for k in self._ks or (10,)]

    def _taken_as(self, unit: Unit, found: Evaluated) -> str:
        """What is said where ids are all there is; DataError where they are of another unit."""
        if self.wanted.unit is not None and not found.n_judged:
            raise DataError(
                f"no id of the run is that of a labelled {unit}: give --corpus FILE, which says "
                f"to which {unit} the ids belong (passage_id, doc_id, page, …)"
            )
        return f"the ids of the run are taken as those of {unit}s: there is no --corpus"

    def _documents_only(self) -> bool:
        return any(
            item.passage_id is None and item.page is None and item.object_id is None
            and item.start is None and not item.text
            for item in self.labels.items()
        )  # fmt: skip

    def _unit(self, source: Source) -> Unit:
        """The unit; documents where ids are all there is, and the labels name documents only."""
        asked = self.wanted.unit
        if asked is not None or source.native or self.wanted.corpus is not None:
            return asked or "passage"
        if set_rows(self.labels, "passage", None) is not None:
            return "passage"
        items = list(self.labels.items())
        placed = any(one.page is not None or one.start is not None for one in items)
        by_document = set_rows(self.labels, "document", None) is not None
        if by_document and not placed and not self.labels.table.locates:
            return "document"
        return "passage"

    def _evaluated(
        self, lists: Lists, asked: Mapping[str, tuple[str, int | None]], facts: Facts
    ) -> Evaluated:
        ks = cutoffs_of(asked)
        table = Alternatives(lists, ks, no_relevant=self.options.no_relevant)
        n_labels = int(lists.union.n_relevant.sum() + lists.union.n_nonrelevant.sum())
        found = evaluated(asked, table, lists.union, self.options, facts=facts, n_labels=n_labels)
        if not lists.graded.any():  # gold does not say what is irrelevant
            found = replace(found, unjudged={})
        return found

    # --- by columns

    def _by_keys(
        self,
        source: Source,
        unit: Unit,
        units: Sequence[Unit],
        same: Mapping[str, str] | None,
    ) -> dict[Unit, Lists] | None:
        """At each unit that the labels and the corpus can say; None where the main one cannot."""
        if same is not None and unit != "passage":
            return None
        if source.native and (unit != "passage" or self.wanted.corpus is None):
            return None
        found: dict[Unit, Lists] = {}
        for one in units if same is None else (unit,):
            if self._says(one) is False:
                if one == unit:
                    raise DataError(
                        f"{self._corpus_name()}: no passage says its {FIELD[one]}; "
                        f"--unit {one} needs it"
                    )
                continue
            lists = self._keys_at(source, one, same)
            if lists is None and one == unit:
                return None
            if lists is not None:
                found[one] = lists
        return found

    def _says(self, unit: Unit) -> bool | None:
        """Does the corpus say the unit of any passage? None where there is no corpus."""
        if self._places is None or unit == "passage":
            return None
        return self._places[FIELD[unit]].null_count() < len(self._places)

    def _keys_at(self, source: Source, unit: Unit, same: Mapping[str, str] | None) -> Lists | None:
        import polars as pl  # noqa: PLC0415 - slow to load

        sets = set_rows(self.labels, unit, self._places)
        graded = graded_rows(self.labels, unit, self._places)
        if sets is None or graded is None:
            return None
        units = None
        if unit != "passage" and self._places is not None:
            units = units_of(self._places, unit)
        if same:
            units = pl.DataFrame({"doc_id": list(same), "unit": list(same.values())})
            sets = list(dict.fromkeys((q, n, same.get(key, key)) for q, n, key in sets))
            graded = (
                graded.join(units, on="doc_id", how="left", maintain_order="left")
                .with_columns(doc_id=pl.coalesce("unit", "doc_id"))
                .group_by("query_id", "doc_id", maintain_order=True)
                .agg(pl.col("grade").max())
            )
        run, options = mapped(source.run, units, self.options)
        return score_keys(self.labels, graded, sets, run, options)[0]

    def _corpus_name(self) -> str:
        return str(self.wanted.corpus.path) if self.wanted.corpus is not None else ""

    # --- list by list

    def _by_passages(
        self,
        source: Source,
        unit: Unit,
        units: tuple[Unit, ...],
        same: Mapping[str, str] | None,
    ) -> tuple[dict[Unit, Lists], Facts, int]:
        corpus = None if self.wanted.corpus is None else self.wanted.corpus.passages
        if not source.native and corpus is None:
            raise UsageError(
                f"{source.path} holds ids only, and nothing says to which {_SAID[unit]} they "
                "belong: give --corpus FILE (JSONL or Parquet with passage_id, doc_id, "
                "page or start and end, text), or a run with its passages"
            )
        located = self._located(unit, units, corpus, same)
        if source.native:
            facts = self._read_native(source, located)
        else:
            facts = facts_of(self.labels, source.run, self.options, self._ks)
            for query_id, passages in self._lists_of(source, self.labels.query_ids):
                located.add(query_id, passages)
        if unit != "passage" and located.n_passages and FIELD[unit] not in located.states:
            raise DataError(
                f"no passage says its {FIELD[unit]}; --unit {unit} needs it, in `retrieved` or in "
                "--corpus FILE"
            )
        shown = {one for one in units if one == unit or FIELD[one] in located.states}
        lists: dict[Unit, Lists] = {one: located.lists(one) for one in units if one in shown}
        return lists, facts, located.n_unplaced

    def _located(
        self,
        unit: Unit,
        units: tuple[Unit, ...],
        corpus: Corpus | None,
        same: Mapping[str, str] | None = None,
    ) -> Located:
        options = self.options
        settings = Settings(
            unit=unit,
            rel_level=options.rel_level,
            gain=options.gain,
            no_relevant=options.no_relevant,
            coverage=self.wanted.coverage,
            near_duplicates=self.wanted.near_duplicates or "report",
        )
        return Located(self.labels, options, settings, units, corpus, self._places, same)

    def _read_native(self, source: Source, located: Located) -> Facts:
        known = {query_id: row for row, query_id in enumerate(self.labels.query_ids)}
        missing = np.ones(len(known), dtype=np.bool_)
        counts = Counts(tied_at=dict.fromkeys(self._ks, 0))
        for query_id, passages in native_lists(source.path):
            counts.n_rows += len(passages)
            if query_id not in known:
                counts.unlabelled.add(query_id)
                continue
            n_repeated = len(passages) - len({one.passage_id for one in passages})
            if n_repeated and self.options.duplicates == "error":
                raise DataError(f"query {query_id!r} has {n_repeated} items more than once")
            counts.duplicates += n_repeated
            if n_repeated:
                counts.name_repeated(query_id, [one.passage_id for one in passages])
            missing[known[query_id]] = False
            located.add(query_id, passages)
        return Facts(self.labels.query_ids, missing, counts, self.labels.table.n_merged)

    def _lists_of(
        self, source: Source, query_ids: Sequence[str]
    ) -> Iterator[tuple[str, tuple[Passage, ...]]]:
        """The ranked lists of some queries, as passages; of a run of ids by the corpus."""
        if source.native:
            wanted = set(query_ids)
            for query_id, passages in native_lists(source.path):
                if query_id in wanted:
                    yield query_id, passages
            return
        for query_id, ids in ranked_lists(source.run, query_ids, self.options):
            yield query_id, tuple(Passage.model_construct(passage_id=key) for key in ids)

    # --- what found nothing

    def _zero_recall(self, source: Source, found: Evaluated) -> tuple[Mapping[str, Any], ...]:
        near = self.wanted.near
        at = np.flatnonzero(found.nothing_found)[:MOST_ZERO_RECALL].tolist()
        told: dict[str, dict[str, Any]] = {
            found.query_ids[row]: {"query_id": found.query_ids[row], "near_miss": None}
            for row in at
        }
        if near is None or not told or not (source.native or self.wanted.corpus is not None):
            return tuple(told.values())
        corpus = None if self.wanted.corpus is None else self.wanted.corpus.passages
        located = self._located(self.wanted.unit or "passage", (), corpus)
        for query_id, passages in self._lists_of(source, list(told)):
            told[query_id] |= near(located.case(query_id, passages, with_places=True))
        return tuple(told.values())


_UNPLACED = (
    "{n} labelled passages stand in no list and in no --corpus: nothing says their {unit}, so that "
    "each counts as one of its own that is never found; give --corpus FILE"
)
_SAID = {"passage": "place", "document": "document", "page": "page", "object": "object"}


def ranked_lists(
    run: Run, query_ids: Sequence[str], options: Options, *, most_rows: int = _MOST_ROWS
) -> Iterator[tuple[str, list[str]]]:
    """The ids of some queries' lists, best first; an item may stand twice.

    A run of more than `most_rows` rows is read again for each part of its queries, so that memory
    does not grow with it, whatever the order of its rows.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    def rows_of(asked: Sequence[str]) -> Iterator[pl.DataFrame]:
        wanted = pl.DataFrame({"query_id": asked}, schema={"query_id": pl.String})
        return (block.join(wanted, on="query_id", how="semi") for block in run.blocks())

    n_parts = max(1, -(-sum(map(len, rows_of(query_ids))) // most_rows))
    for part in range(n_parts):
        rows = pl.concat(list(rows_of(query_ids[part::n_parts])))
        ordered = _ranked(rows, run, options)
        yield from ordered.group_by("query_id", maintain_order=True).agg("doc_id").iter_rows()


def _ranked(rows: pl.DataFrame, run: Run, options: Options) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415 - slow to load

    order = "score" if options.by_score else run.order
    by: list[pl.Expr] = [pl.col("query_id")]
    falling = [False]
    if order != "file":
        kind = pl.Float32 if options.single and order == "score" else pl.Float64
        by.append(pl.col(order).cast(kind))
        falling.append(order == "score")
        if options.ties == "docid_desc":
            by.append(pl.col("doc_id"))
            falling.append(True)
    return rows.sort(by, descending=falling, maintain_order=True)
