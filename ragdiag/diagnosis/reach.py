"""How far the gold evidence came: the furthest stage of every gold item, and of the best set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragdiag.diagnosis.lost import CORPUS_STAGES, lost_at
from ragdiag.diagnosis.state import REACH
from ragdiag.records import Item, Passage, of_pages
from ragdiag.text import locate
from ragdiag.text.case import Case
from ragdiag.text.twins import collapsed

TRACE_STAGES = ("below_k", "dropped_rerank", "dropped_context")

Stages = tuple[str, ...]
"""Stages that an item may have reached: one = known."""


@dataclass(frozen=True, slots=True)
class ItemReach:
    """The furthest stage of one gold item; `rank` (from 1), `passage_id` in list `found_in`.

    named_only  a list names passages by an id alone, so that the item may be among them.
    """

    item: Item
    stages: Stages
    found_in: str | None = None
    rank: int | None = None
    passage_id: str | None = None
    named_only: bool = False


@dataclass(frozen=True, slots=True)
class Reach:
    """The reach of a sample's gold evidence.

    values         the possible values (REACH), one = known.
    gold_known     is there gold (or a relevant grade in `qrels`)?
    from_qrels     gold is absent: each relevant passage of `qrels` stands for a set of its own.
    gold_set       index of the best set.
    items          the best set, item by item.
    not_available  values that the data cannot tell.
    """

    values: Stages
    gold_known: bool
    from_qrels: bool = False
    gold_set: int | None = None
    items: tuple[ItemReach, ...] = ()
    not_available: Stages = ()

    @property
    def in_context(self) -> bool:
        """Is a whole gold set in the context?"""
        return self.gold_known and self.values == ("in_context",)

    @property
    def named_only(self) -> bool:
        """Is a stage open because lists name passages by an id alone?"""
        return any(found.named_only for found in self.items)

    def proof(self) -> dict[str, Any]:
        """Per gold item of the best set the furthest stage and rank; JSON-like."""
        if not self.gold_known:
            return {"gold": "unknown"}
        proof: dict[str, Any] = {"gold_set": self.gold_set}
        if self.from_qrels:
            proof["gold_from"] = "qrels"
        proof["items"] = [_item_proof(found) for found in self.items]
        return proof


def _item_proof(found: ItemReach) -> dict[str, Any]:
    located = found.item.model_dump(
        include={"passage_id", "doc_id", "page", "object_id", "start", "end"}, exclude_none=True
    )
    if not located and found.item.text:
        located = {"text": found.item.text[:200]}
    place = {"list": found.found_in, "rank": found.rank, "passage_id": found.passage_id}
    return {
        "item": located,
        "stage": found.stages[0] if len(found.stages) == 1 else list(found.stages),
        **{key: value for key, value in place.items() if value is not None},
    }


def gold_sets(case: Case) -> tuple[tuple[Item, ...], ...]:
    """The alternative gold sets; without any, one set for each relevant item of `qrels`."""
    if case.sample.gold:
        return case.sample.gold
    level = case.settings.rel_level
    return tuple(
        (Item(passage_id=passage_id),)
        for passage_id, grade in case.sample.qrels.items()
        if grade >= level
    )


def reach_of(case: Case) -> Reach:
    """max over the gold sets of min over their items of the furthest stage.

    `partial_in_context` replaces a lower value where some item of the best set is in the context
    and another is not. Sets that tie are told apart by the share of items in the context.
    """
    sets = gold_sets(case)
    not_available = _not_available(case)
    if not sets:
        values = tuple(stage for stage in REACH if stage not in {*not_available, *_ruled_out(case)})
        return Reach(values=values, gold_known=False, not_available=not_available)
    traces = [tuple(_item_reach(item, case) for item in items) for items in sets]
    best = max(range(len(traces)), key=lambda index: _standing(traces[index]))
    return Reach(
        values=_value_of(traces[best]),
        gold_known=True,
        from_qrels=not case.sample.gold,
        gold_set=best,
        items=traces[best],
        not_available=not_available,
    )


def _not_available(case: Case) -> Stages:
    """The stages that no trace of this sample can show."""
    corpus = () if case.corpus is not None else CORPUS_STAGES
    if of_pages(case.corpus):
        corpus = ("lost_in_parse", "split")
    traced = bool(case.sample.stages) or case.context_given
    return corpus + (() if traced else TRACE_STAGES)


def _ruled_out(case: Case) -> Stages:
    """The stages that no evidence can have reached, whatever it is: the lists are empty."""
    if case.context != ():
        return ()
    lists = _lists(case).values()
    dropped = () if any(lists) else TRACE_STAGES
    return ("partial_in_context", "in_context", *dropped)


def _standing(items: tuple[ItemReach, ...]) -> tuple[int, int, float]:
    least = [REACH.index(found.stages[0]) for found in items]
    most = [REACH.index(found.stages[-1]) for found in items]
    return min(least), min(most), _share_in_context(items)


def _share_in_context(items: tuple[ItemReach, ...]) -> float:
    return sum(found.stages == ("in_context",) for found in items) / len(items)


def _value_of(items: tuple[ItemReach, ...]) -> Stages:
    """What the set may have reached, over all that its items may: whole in the context, in part
    (one item there and another not), or as far as the item that was lost first."""
    there = [at for at, found in enumerate(items) if "in_context" in found.stages]
    lost = [tuple(stage for stage in found.stages if stage != "in_context") for found in items]
    values: set[int] = set()
    if len(there) == len(items):
        values.add(REACH.index("in_context"))
    if any(one != other and lost[other] for one in there for other in range(len(items))):
        values.add(REACH.index("partial_in_context"))
    if all(lost):
        first = {len(REACH)}
        for stages in lost:
            first = {min(one, REACH.index(stage)) for one in first for stage in stages}
        values |= first
    return tuple(REACH[value] for value in sorted(values))


def _item_reach(item: Item, case: Case) -> ItemReach:
    """The furthest stage of one item, by the lists that the sample has.

    A passage of which only an id is known may hold an item that is not looked for by that id.
    """
    known = _by_lists(item, case)
    if known.stages == ("in_context",) or set(known.stages) <= set(CORPUS_STAGES):
        return known
    more = _among_named_only(item, case, seen=known.found_in is not None)
    stages = tuple(stage for stage in REACH if stage in {*known.stages, *more})
    return known if stages == known.stages else replace(known, stages=stages, named_only=True)


def _among_named_only(item: Item, case: Case, *, seen: bool) -> set[str]:
    """The stages of an item that is one of the passages of which a list states but the id."""
    if item.passage_id is not None or case.context is None:
        return set()
    stages = {"in_context"} if any(map(_is_named_only, case.context)) else set[str]()
    if seen or not (case.stages or case.context_given):
        return stages
    lists = _lists(case)
    for name, passages in lists.items():
        ranks = [rank for rank, passage in enumerate(passages) if _is_named_only(passage)]
        in_context = {passage.passage_id for passage in case.context}
        for rank in (rank for rank in ranks if passages[rank].passage_id not in in_context):
            stages.update(_dropped_at({**dict.fromkeys(lists), name: rank}, cut=len(case.context)))
    return stages


def _is_named_only(passage: Passage) -> bool:
    return passage.doc_id is None and passage.text is None


def _by_lists(item: Item, case: Case) -> ItemReach:
    found = _Found(item, case)
    if case.context is not None and (rank := found.rank("context", case.context)) is not None:
        return found.at(("in_context",), "context", rank, case.context)
    ranks = {name: found.rank(name, passages) for name, passages in _lists(case).items()}
    seen = [name for name, rank in ranks.items() if rank is not None]
    if case.context is None:
        return ItemReach(item, _without_context(item, case, bool(seen)))
    traced = bool(case.stages) or case.context_given
    if not seen or not traced:
        return ItemReach(item, (lost_at(item, case.corpus, coverage=case.settings.coverage),))
    name = seen[-1]
    stages = _dropped_at(ranks, cut=len(collapsed(case, case.context).passages))
    return found.at(stages, name, ranks[name] or 0, _lists(case)[name])


@dataclass(frozen=True, slots=True)
class _Found:
    """Looks one item up in ranked lists."""

    item: Item
    case: Case

    def rank(self, name: str, passages: Sequence[Passage]) -> int | None:
        """Index of the passage with which the item is found whole, None where it is not."""
        seen = collapsed(self.case, passages)
        index = locate.covered(self.item, seen.members, self.case.settings.coverage)
        return None if index is None else seen.at[index]

    def at(self, stages: Stages, name: str, rank: int, passages: Sequence[Passage]) -> ItemReach:
        kept = collapsed(self.case, passages).passages
        return ItemReach(self.item, stages, name, rank + 1, kept[rank].passage_id)


def _lists(case: Case) -> dict[str, tuple[Passage, ...]]:
    """The ranked lists before the context, earliest first."""
    lists = {name: case.stages[name] for name in ("candidates", "reranked") if name in case.stages}
    if case.retrieved is not None:
        lists["retrieved"] = case.retrieved
    return lists


def _dropped_at(ranks: dict[str, int | None], *, cut: int) -> Stages:
    """Where an item that some list holds, but not the context, was lost; `cut` = context passages.

    An empty context has no cut-off to fall below: what was retrieved was dropped at assembly.
    """
    last = ranks.get("retrieved", ranks.get("reranked", ranks.get("candidates")))
    if last is not None and (last < cut or cut == 0):
        return ("dropped_context",)
    if "reranked" in ranks:
        reranked = ranks["reranked"]
        if reranked is None:
            return ("dropped_rerank",)
        if reranked < cut:
            return ("below_k",)
        if "candidates" not in ranks:
            return ("below_k", "dropped_rerank")
        before = ranks["candidates"]
        return ("dropped_rerank",) if before is not None and before < cut else ("below_k",)
    # With candidates alone there was no reranker; without any trace there may have been one.
    return ("below_k",) if "candidates" in ranks else ("below_k", "dropped_rerank")


def _without_context(item: Item, case: Case, seen: bool) -> Stages:
    """What may have become of an item where the sample does not say what the generator saw."""
    if seen:
        return (*TRACE_STAGES, "in_context")
    lost = lost_at(item, case.corpus, coverage=case.settings.coverage)
    if lost in CORPUS_STAGES:
        return (lost,)
    return (lost, "in_context")
