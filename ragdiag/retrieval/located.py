"""Runs whose passages are looked at one query at a time: labels of places, spans and texts.

Each list is matched as the sample of `ragdiag evaluate` is (`match`); what is kept of it are the
ranks at which something is known, so that memory follows the labels and not the passages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ragdiag.data.gold import GoldQuery
from ragdiag.records import Corpus, Item, Passage, Sample, Settings
from ragdiag.retrieval.alternatives import Lists
from ragdiag.retrieval.labelled import FIELD, Labelled, Unit, item_of, names_unit, with_documents
from ragdiag.retrieval.match import match_at, not_mapped
from ragdiag.retrieval.metrics import Ranking, columns_of, gains_of
from ragdiag.retrieval.options import Options
from ragdiag.retrieval.unit_keys import unit_key
from ragdiag.text.case import Case
from ragdiag.text.twins import settle_twins

if TYPE_CHECKING:
    import polars as pl

Graded = tuple[tuple[Item, float], ...]
_ROW = ("doc_id", "page", "object_id", "start", "end", "located")


@dataclass(slots=True)
class _Seen:
    """What one list came to at one unit."""

    union: Ranking
    sets: tuple[Ranking, ...]
    off: bool


@dataclass
class Located:
    """Takes the lists of a run, query by query, in any order.

    units       each is matched; `settings.unit` among them.
    same        with near-duplicates collapsed: id -> the id that stands for its group.
    states      what passages say: doc_id, page, object_id; of `n_passages` seen.
    n_unplaced  labels of which nothing says the unit: each stands for itself, and is never found.
    """

    labels: Labelled
    options: Options
    settings: Settings
    units: tuple[Unit, ...]
    corpus: Corpus | None = None
    places: pl.DataFrame | None = None
    same: Mapping[str, str] | None = None
    states: set[str] = field(default_factory=set[str])
    n_passages: int = 0
    n_unplaced: int = 0
    _seen: dict[str, dict[Unit, _Seen]] = field(default_factory=dict[str, dict[Unit, "_Seen"]])

    def __post_init__(self) -> None:
        self._graded = self._rows()

    def _rows(self) -> dict[str, Graded]:
        frame = with_documents(self.labels.graded, self.places)
        found: dict[str, list[tuple[Item, float]]] = {}
        for query_id, grade, *row in frame.select("query_id", "grade", *_ROW).iter_rows():
            found.setdefault(query_id, []).append((item_of(row), grade))
        return {query_id: tuple(rows) for query_id, rows in found.items()}

    def case(
        self, query_id: str, passages: Sequence[Passage], *, with_places: bool = False
    ) -> Case:
        """A query with its labels and a list, as layer 1 sees it.

        with_places  relevant places stand as a gold set where there is none, for a near miss.
        """
        query = self.labels.gold.get(query_id) or GoldQuery(query_id)
        graded = self._graded.get(query_id, ())
        plain = all(item.passage_id is not None for item, _ in graded)
        gold = query.gold
        if with_places and not plain and not gold:
            gold = (tuple(item for item, grade in graded if grade >= self.options.rel_level),)
        sample = Sample.model_construct(
            query_id=query_id,
            query="",
            gold=gold,
            qrels={str(item.passage_id): grade for item, grade in graded} if plain else {},
            retrieved=tuple(passages),
            target=query.target,
        )
        return self._case_of(sample)

    def _case_of(self, sample: Sample) -> Case:
        case = Case(sample, settings=self.settings, corpus=self.corpus)
        if self.same is not None:
            settle_twins(case, self.same)
        return case

    def add(self, query_id: str, passages: Sequence[Passage]) -> Case:
        """One labelled query's list, best first; repeated passages count once."""
        case = self.case(query_id, passages)
        ranked = (case.retrieved or ())[: self.options.depth]
        self.n_passages += len(ranked)
        for passage in ranked:
            self.states.update(n for n in FIELD.values() if getattr(passage, n) is not None)
        graded = self._graded.get(query_id, ())
        self.n_unplaced += self._unplaced(case, graded)
        matched = match_at(case, ranked, self.units)
        self._seen[query_id] = {
            unit: _Seen(
                union=self._union(case, graded, ranked, unit)
                if self._by_item(case, graded)
                else matched[unit].union,
                sets=matched[unit].sets,
                off=unit != self.settings.unit and self._off(case, graded, unit),
            )
            for unit in self.units
        }
        return case

    def _unplaced(self, case: Case, graded: Graded) -> int:
        unit = self.settings.unit
        if unit == "passage":
            return 0
        items = [item for items in case.sample.gold for item in items]
        items += [item for item, grade in graded if grade >= self.options.rel_level]
        ids = {one.passage_id for one in items if one.passage_id and not names_unit(one, unit)}
        known = {key for key in ids if key in case.passages}
        if self.corpus is not None:
            known |= {key for key in ids if self.corpus.passage(key) is not None}
        return len(ids - known)

    def _by_item(self, case: Case, graded: Graded) -> bool:
        if not graded:
            return False
        negative = self.options.negative == "unjudged" and min(grade for _, grade in graded) < 0
        return negative or not case.sample.qrels

    def _off(self, case: Case, graded: Graded, unit: Unit) -> bool:
        """Cannot a level beside the unit be told of this query?"""
        if unit == "passage":
            return False
        if not case.sample.qrels and graded:
            return not all(names_unit(item, unit) for item, _ in graded)
        return not_mapped(case, unit, by_gold=False) is not None

    def _union(self, case: Case, graded: Graded, ranked: Sequence[Passage], unit: Unit) -> Ranking:
        """The list against graded locators, each of which gains once; of a unit the best grade."""
        best: dict[str, tuple[Item, float]] = {}
        for item, grade in graded:
            key = self._key(case, item, unit)
            if key not in best or best[key][1] < grade:
                best[key] = item, grade
        items = tuple(best.values())
        sample = case.sample.model_copy(
            update={"gold": tuple((item,) for item, _ in items), "qrels": {}}
        )
        alone = self._case_of(sample)
        sets = match_at(alone, ranked, (unit,))[unit].sets
        return graded_ranking(sets, [grade for _, grade in items], self.options)

    def _key(self, case: Case, item: Item, unit: Unit) -> str:
        if names_unit(item, unit):
            return unit_key(item, unit)
        known = None if item.passage_id is None else case.passages.get(item.passage_id)
        if known is None and item.passage_id is not None and self.corpus is not None:
            known = self.corpus.passage(item.passage_id)
        if known is not None:
            return unit_key(known, unit)
        return item.passage_id or item.model_dump_json()

    def lists(self, unit: Unit) -> Lists:
        """All queries of the labels; one whose list never came has an empty one."""
        for query_id in self.labels.query_ids:
            if query_id not in self._seen:
                self.add(query_id, ())
        seen = [self._seen[query_id][unit] for query_id in self.labels.query_ids]
        blocked = [self._blocked(query_id) for query_id in self.labels.query_ids]
        return Lists(
            union=columns_of([one.union for one in seen]),
            sets=columns_of(list(chain.from_iterable(one.sets for one in seen))),
            owner=np.arange(len(seen)).repeat([len(one.sets) for one in seen]),
            graded=np.array([query_id in self._graded for query_id in self.labels.query_ids]),
            blocked=np.array(blocked),
            off=np.array([one.off for one in seen]),
        )

    def _blocked(self, query_id: str) -> bool:
        query = self.labels.gold.get(query_id)
        return query is not None and query.answerable is False


def graded_ranking(found: Sequence[Ranking], grades: Sequence[float], options: Options) -> Ranking:
    """A list against graded items, from the list against each item alone.

    An item gains at the passage with which it is found; later passages on it gain nothing and are
    relevant if it is.
    """
    gains: list[float] = gains_of(np.array(grades, dtype=np.float64), options.gain).tolist()
    relevant = [grade >= options.rel_level for grade in grades]
    judged = [grade >= 0 or options.negative == "judged" for grade in grades]
    at: dict[int, list[float]] = {}  # relevant, found, gain, judged
    for ranking, gain, is_relevant, is_judged in zip(found, gains, relevant, judged, strict=True):
        for rank, n in zip(ranking.ranks, ranking.found, strict=True):
            cell = at.setdefault(rank, [0, 0, 0.0, 0])
            cell[0] = max(cell[0], is_relevant)
            cell[1] += is_relevant and n > 0
            cell[2] += gain if n else 0.0
            cell[3] = max(cell[3], is_judged)
    ranks = sorted(at)
    return Ranking(
        ranks=ranks,
        relevant=[bool(at[rank][0]) for rank in ranks],
        found=[int(at[rank][1]) for rank in ranks],
        gains=[at[rank][2] for rank in ranks],
        judged=[bool(at[rank][3]) for rank in ranks],
        n_retrieved=max((one.n_retrieved for one in found), default=0),
        n_relevant=sum(relevant),
        n_nonrelevant=sum(j and not r for j, r in zip(judged, relevant, strict=True)),
        ideal=sorted(gains, reverse=True),
    )
