"""One ranked list of one query against its labels: labels in, rows of columns and scores out."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeVar

import numpy as np

from ragdiag.errors import DataError, UsageError
from ragdiag.retrieval.columns import WHOLE, Columns, Floats
from ragdiag.retrieval.measures import MEASURES, NoRelevant, Table, formula, parse_name

Gain = Literal["exponential", "linear"]
Negative = Literal["judged", "unjudged"]
T = TypeVar("T", bound=Hashable)

_LARGEST_GRADE = 500  # 2 ** 500 still sums without overflow


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranked list without duplicates, seen against one set of labels.

    `ranks` (1-based, ascending) are those at which something is known; by them `relevant` (is it
    relevant?), `found` (how many relevant items are first found here), `gains` (of nDCG), `judged`.
    `n_relevant` counts the items to be found, `n_nonrelevant` those judged otherwise; `ideal` holds
    the gains of all judged items, best first.
    """

    ranks: Sequence[int]
    relevant: Sequence[bool]
    found: Sequence[int]
    gains: Sequence[float]
    judged: Sequence[bool]
    n_retrieved: int
    n_relevant: int
    n_nonrelevant: int
    ideal: Sequence[float]

    @classmethod
    def of_items(cls, ranks: Sequence[int | None], relevant: Sequence[bool]) -> Ranking:
        """From the rank (1-based, None = nowhere) at which each gold item is found."""
        found: dict[int, int] = {rank: 0 for rank, is_one in enumerate(relevant, 1) if is_one}
        for rank in ranks:
            if rank is not None:
                found[rank] = found.get(rank, 0) + 1
        hits = sorted(found)
        counts = [found[rank] for rank in hits]
        return cls(
            ranks=hits,
            relevant=[relevant[rank - 1] for rank in hits],
            found=counts,
            gains=counts,
            judged=[True] * len(hits),
            n_retrieved=len(relevant),
            n_relevant=len(ranks),
            n_nonrelevant=0,
            ideal=(1.0,) * len(ranks),
        )


class Labels:
    """The graded judgements of one query, ready to be met with ranked lists.

    A grade from `rel_level` on is relevant. A negative grade is judged and gains nothing; with
    `negative="unjudged"` it is an item of the pool that nobody judged.
    """

    def __init__(
        self,
        qrels: Mapping[str, float],
        *,
        rel_level: float = 1,
        gain: Gain = "exponential",
        negative: Negative = "judged",
    ) -> None:
        grades = np.fromiter(qrels.values(), dtype=np.float64, count=len(qrels))
        check_grades(grades, gain, lambda at: repr(list(qrels)[at]))
        gains = gains_of(grades, gain).tolist()
        self._gains: dict[str, float] = dict(zip(qrels, gains, strict=True))
        self._relevant = {item for item, grade in qrels.items() if grade >= rel_level}
        self._unjudged = (
            {item for item, grade in qrels.items() if grade < 0}
            if negative == "unjudged"
            else frozenset[str]()
        )
        self._ideal = sorted(gains, reverse=True)

    def seen(self, ranked: Sequence[str]) -> Ranking:
        """A ranked list against these labels; it must be free of duplicates (`distinct`)."""
        gains, relevant, unjudged = self._gains, self._relevant, self._unjudged
        hits = [(rank, item) for rank, item in enumerate(ranked, 1) if item in gains]
        flags = [item in relevant for _, item in hits]
        return Ranking(
            ranks=[rank for rank, _ in hits],
            relevant=flags,
            found=flags,
            gains=[gains[item] for _, item in hits],
            judged=[item not in unjudged for _, item in hits],
            n_retrieved=len(ranked),
            n_relevant=len(relevant),
            n_nonrelevant=len(gains) - len(relevant) - len(unjudged - relevant),
            ideal=self._ideal,
        )


def gains_of(grades: Floats, gain: Gain) -> Floats:
    """max(grade, 0), or 2 ** that - 1 where the gain is exponential."""
    positive = np.maximum(grades, 0.0)
    return positive if gain == "linear" else np.exp2(positive) - 1.0


def check_grades(grades: Floats, gain: Gain, name_of: Callable[[int], str]) -> None:
    """DataError naming the first item whose grade is not finite, or too large to be summed."""
    finite = np.isfinite(grades)
    fits = finite if gain == "linear" else finite & (grades <= _LARGEST_GRADE)
    if fits.all():
        return
    at = int(np.argmin(fits))
    name, grade = name_of(at), float(grades[at])
    if not math.isfinite(grade):
        raise DataError(f"the grade of {name} is {grade!r}; it must be a finite number")
    raise DataError(
        f"the grade of {name} is {grade!r}: 2^grade has no use above {_LARGEST_GRADE}; "
        'rescale the grades or use gain="linear"'
    )


def columns_of(rankings: Sequence[Ranking]) -> Columns:
    """Rankings as the rows of columns, in their order."""
    rows = np.arange(len(rankings))
    flat = chain.from_iterable
    return Columns(
        row=rows.repeat([len(one.ranks) for one in rankings]),
        rank=np.array(list(flat(one.ranks for one in rankings)), dtype=np.int64),
        relevant=np.array(list(flat(one.relevant for one in rankings)), dtype=np.bool_),
        found=np.array(list(flat(one.found for one in rankings)), dtype=np.int64),
        gain=np.array(list(flat(one.gains for one in rankings)), dtype=np.float64),
        judged=np.array(list(flat(one.judged for one in rankings)), dtype=np.bool_),
        n_retrieved=np.array([one.n_retrieved for one in rankings], dtype=np.int64),
        n_relevant=np.array([one.n_relevant for one in rankings], dtype=np.int64),
        n_nonrelevant=np.array([one.n_nonrelevant for one in rankings], dtype=np.int64),
        label_row=rows.repeat([len(one.ideal) for one in rankings]),
        label_gain=np.array(list(flat(one.ideal for one in rankings)), dtype=np.float64),
    )


def distinct(ranked: Iterable[T]) -> list[T]:
    """Each once, the first kept; the ranks close up."""
    if isinstance(ranked, str):  # its characters are no ids
        raise UsageError(f"a ranked list is a list of ids, not the text {ranked!r}")
    return list(dict.fromkeys(ranked))


def measure(
    name: str,
    union: Ranking,
    sets: Sequence[Ranking] = (),
    *,
    no_relevant: NoRelevant = "skip",
) -> float | None:
    """One metric of a ranked list: on the union, or the best over the alternative sets.

    With grades (or one set) `sets` is left out: both are the same. None where nothing is relevant.
    """
    stem, k = parse_name(name)
    over_sets = bool(sets) and formula(stem).over == "sets"
    rows = sets if over_sets else (union,)
    found = Table(columns_of(rows), (k,), no_relevant=no_relevant).column(stem, k)
    return number(float(found.max()))


def number(value: float) -> float | None:
    """NaN is how the matrices say "not applicable"; no one else gets to see it."""
    return None if math.isnan(value) else value


def score(
    qrels: Mapping[str, float],
    ranked: Sequence[str],
    metrics: Sequence[str],
    *,
    rel_level: float = 1,
    gain: Gain = "exponential",
    no_relevant: NoRelevant = "skip",
    negative: Negative = "judged",
) -> dict[str, float | None]:
    """The metrics of one ranked list against graded judgements, by the names asked.

    Names: precision, precision_fixed, recall, hit, rr (mrr), r_precision, ap (map), ndcg, judged,
    bpref, infap and more (`MEASURES`), with @k or over the whole list; "condensed:" before a name
    removes unjudged items first. Grades from `rel_level` on are relevant; it never changes the
    gains of nDCG, which are 2^grade - 1, or the grade with `gain="linear"` (trec_eval, BEIR).
    None = the query has no relevant item (0 with `no_relevant="zero"`), or, for judged, an empty
    list.

    Raises:
        UsageError: a metric's name is unknown.
        DataError: a grade is not finite.
    """
    asked = {name: parse_name(name) for name in metrics}
    labels = Labels(qrels, rel_level=rel_level, gain=gain, negative=negative)
    columns = columns_of([labels.seen(distinct(ranked))])
    table = Table(columns, [k for _, k in asked.values()], no_relevant=no_relevant)
    return {name: number(float(table.column(stem, k)[0])) for name, (stem, k) in asked.items()}


def evidence(
    gold: Sequence[Sequence[str]], ranked: Sequence[str], k: int | None
) -> dict[str, float | None]:
    """How much of the gold evidence (alternative sets of ids) stands in the first k?

    Returns {any, complete, coverage, completion_rank}; see `evidence_of`. All None without gold.

    Raises:
        DataError: a set is empty (it would always be complete).
    """
    rank_of = {item: rank for rank, item in enumerate(distinct(ranked), start=1)}
    return evidence_of([[rank_of.get(item) for item in distinct(items)] for items in gold], k)


def evidence_of(sets: Sequence[Sequence[int | None]], k: int | None) -> dict[str, float | None]:
    """The same from the rank (1-based, None = nowhere) at which each item of each set is found.

    any               1 if some item of some set is in the first k
    complete          1 if all items of some set are
    coverage          the largest share of a set that is
    completion_rank   the smallest k with complete = 1 (whatever k); None = never complete
    """
    if k is not None and not 1 <= k < WHOLE:
        raise UsageError(f"k must be 1 or more, not {k}")
    if not all(sets):
        raise DataError("a gold set is empty: it would be complete always; remove it")
    if not sets:
        return {"any": None, "complete": None, "coverage": None, "completion_rank": None}
    table = Table(columns_of([of_ranks(ranks) for ranks in sets]), (k,))
    ranks = map(number, table.column("completion_rank", None).tolist())
    complete_at = [int(rank) for rank in ranks if rank is not None]
    return {
        "any": int(table.column("any_evidence", k).max()),
        "complete": int(table.column("complete_evidence", k).max()),
        "coverage": float(table.column("evidence_coverage", k).max()),
        "completion_rank": min(complete_at, default=None),
    }


def of_ranks(ranks: Sequence[int | None]) -> Ranking:
    """A gold set whose items stand at these ranks, in a list that ends with the last of them."""
    flags = [False] * max((rank for rank in ranks if rank is not None), default=0)
    for rank in ranks:
        if rank is not None:
            flags[rank - 1] = True
    return Ranking.of_items(ranks, flags)


__all__ = [
    "MEASURES",
    "Labels",
    "Ranking",
    "check_grades",
    "columns_of",
    "distinct",
    "evidence",
    "evidence_of",
    "gains_of",
    "measure",
    "number",
    "of_ranks",
    "parse_name",
    "score",
]
