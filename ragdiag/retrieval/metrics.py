"""The formulas of layer 1: how good is one ranked list, for one query?

All measures are in [0, 1], higher is better, and nothing is rounded. None = not applicable: the
query has no relevant item. An empty ranked list is a result: it scores 0 (but for `judged`).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

from ragdiag.errors import DataError, UsageError

Gain = Literal["exponential", "linear"]
NoRelevant = Literal["skip", "zero"]
Over = Literal["union", "sets"]
T = TypeVar("T", bound=Hashable)

_LARGEST_GRADE = 500  # 2 ** 500 still sums without overflow


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranked list without duplicates, seen against one set of relevant items.

    By rank: `relevant` (is it relevant?), `found` (how many relevant items are first found here),
    `gains` (of nDCG), `judged`. `n_relevant` counts the items to be found; `ideal` holds the gains
    of all judged items, best first.
    """

    relevant: tuple[bool, ...]
    found: tuple[int, ...]
    gains: tuple[float, ...]
    judged: tuple[bool, ...]
    n_relevant: int
    ideal: tuple[float, ...]

    @classmethod
    def of_items(cls, ranks: Sequence[int | None], relevant: Sequence[bool]) -> Ranking:
        """From the rank (1-based, None = nowhere) at which each gold item is found."""
        found = [0] * len(relevant)
        for rank in ranks:
            if rank is not None:
                found[rank - 1] += 1
        flags = tuple(relevant)
        return cls(
            relevant=flags,
            found=tuple(found),
            gains=tuple(map(float, found)),
            judged=flags,
            n_relevant=len(ranks),
            ideal=(1.0,) * len(ranks),
        )

    @classmethod
    def of_grades(
        cls,
        qrels: Mapping[str, float],
        ranked: Sequence[str],
        *,
        rel_level: float = 1,
        gain: Gain = "exponential",
    ) -> Ranking:
        """From graded judgements. `ranked` must be free of duplicates (`distinct`)."""
        relevant = {item for item, grade in qrels.items() if grade >= rel_level}
        gains = {item: _gain(item, grade, gain) for item, grade in qrels.items()}
        flags = tuple(item in relevant for item in ranked)
        return cls(
            relevant=flags,
            found=tuple(map(int, flags)),
            gains=tuple(gains.get(item, 0.0) for item in ranked),
            judged=tuple(item in gains for item in ranked),
            n_relevant=len(relevant),
            ideal=tuple(sorted(gains.values(), reverse=True)),
        )


def _gain(item: str, grade: float, gain: Gain) -> float:
    """max(grade, 0), or 2 ** that - 1: a negative grade is judged and gains nothing."""
    if not math.isfinite(grade):
        raise DataError(f"the grade of {item!r} is {grade!r}; it must be a finite number")
    if gain == "linear":
        return max(float(grade), 0.0)
    if grade > _LARGEST_GRADE:
        raise DataError(
            f"the grade of {item!r} is {grade!r}: 2^grade has no use above {_LARGEST_GRADE}; "
            'rescale the grades or use gain="linear"'
        )
    return 2.0 ** max(grade, 0) - 1.0


def precision(ranking: Ranking, k: int | None) -> float:
    """|G ∩ R_k| / |R_k|: the share of what was returned that is relevant; 0 for an empty list."""
    top = ranking.relevant[:k]
    return sum(top) / len(top) if top else 0.0


def precision_fixed(ranking: Ranking, k: int | None) -> float:
    """|G ∩ R_k| / k, however few were returned (trec_eval's P_k)."""
    return sum(ranking.relevant[:k]) / k if k else 0.0


def recall(ranking: Ranking, k: int | None) -> float:
    """|G ∩ R_k| / |G|."""
    return sum(ranking.found[:k]) / ranking.n_relevant


def hit(ranking: Ranking, k: int | None) -> float:
    """1 if a relevant item is in R_k, else 0."""
    return float(any(ranking.relevant[:k]))


def rr(ranking: Ranking, k: int | None) -> float:
    """1 / rank of the first relevant; 0 if there is none (in R_k). Its mean is the MRR."""
    for rank, is_relevant in enumerate(ranking.relevant[:k], start=1):
        if is_relevant:
            return 1 / rank
    return 0.0


def r_precision(ranking: Ranking, k: int | None) -> float:
    """Recall at the rank |G|."""
    return recall(ranking, ranking.n_relevant)


def ap(ranking: Ranking, k: int | None) -> float:
    """(1/|G|) Σ |G ∩ R_i| / i over the ranks i <= k of relevant items. Its mean is the MAP.

    Divided by all relevant items, never by those found. One passage that holds several items fills
    one rank only: |G ∩ R_i| / i is then at most 1.
    """
    so_far = 0
    terms: list[float] = []
    for rank, found in enumerate(ranking.found[:k], start=1):
        if found:
            so_far += found
            terms.append(found * min(so_far / rank, 1.0))
    return math.fsum(terms) / ranking.n_relevant


def ndcg(ranking: Ranking, k: int | None) -> float:
    """DCG / ideal DCG, both cut at k; discount log2(rank + 1) (Järvelin and Kekäläinen 2002).

    The ideal is over all judged items of the query. A passage that holds several items can be
    better than that ideal, which has one item a rank: it is then 1.
    """
    ideal = _dcg(ranking.ideal[:k])
    return min(_dcg(ranking.gains[:k]) / ideal, 1.0) if ideal > 0 else 0.0


def _dcg(gains: Sequence[float]) -> float:
    return math.fsum([gain / _discount(rank) for rank, gain in enumerate(gains, 1) if gain])


@lru_cache(maxsize=4096)
def _discount(rank: int) -> float:
    return math.log2(rank + 1)


def judged(ranking: Ranking, k: int | None) -> float | None:
    """Judged in R_k / |R_k|; None for an empty list, of which nothing could be judged."""
    top = ranking.judged[:k]
    return sum(top) / len(top) if top else None


@dataclass(frozen=True, slots=True)
class Measure:
    """A formula, and how its name is written.

    cutoff  "@k" is "optional", "required" or "never" there.
    over    with alternative gold sets: the "union" of them, or the best of the "sets".
    """

    compute: Callable[[Ranking, int | None], float | None]
    cutoff: Literal["optional", "required", "never"] = "optional"
    over: Over = "sets"


MEASURES: dict[str, Measure] = {
    "precision": Measure(precision, over="union"),
    "precision_fixed": Measure(precision_fixed, cutoff="required", over="union"),
    "recall": Measure(recall),
    "hit": Measure(hit, over="union"),
    "rr": Measure(rr, over="union"),
    "r_precision": Measure(r_precision, cutoff="never"),
    "ap": Measure(ap),
    "ndcg": Measure(ndcg),
    "judged": Measure(judged, over="union"),
}
ALIASES = {"mrr": "rr", "map": "ap"}


@lru_cache(maxsize=1024)
def parse_name(name: str) -> tuple[str, int | None]:
    """A metric's name and cut-off: "ndcg@10" is ("ndcg", 10), "mrr" is ("rr", None).

    Raises:
        UsageError: no such metric, or a cut-off that is no integer >= 1.
    """
    stem, at, cutoff = name.partition("@")
    stem = ALIASES.get(stem, stem)
    if stem not in MEASURES:
        known = ", ".join((*MEASURES, *ALIASES))
        close = difflib.get_close_matches(stem, (*MEASURES, *ALIASES), n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise UsageError(f"unknown metric {name!r}{hint}; known: {known}, each as NAME@K or NAME")
    allowed = MEASURES[stem].cutoff
    if not at:
        if allowed == "required":
            raise UsageError(f"{name!r} needs a cut-off: write {name}@10")
        return stem, None
    if allowed == "never":
        raise UsageError(f"{name!r}: {stem} has no cut-off; it is taken at the number of relevant")
    if not (cutoff.isascii() and cutoff.isdecimal() and int(cutoff) >= 1):
        raise UsageError(f"{name!r}: the cut-off must be an integer of 1 or more, not {cutoff!r}")
    return stem, int(cutoff)


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
    return measure_at(stem, k, union, sets, no_relevant=no_relevant)


def measure_at(
    stem: str,
    k: int | None,
    union: Ranking,
    sets: Sequence[Ranking] = (),
    *,
    no_relevant: NoRelevant = "skip",
) -> float | None:
    """`measure` with the name already split by `parse_name`."""
    formula = MEASURES[stem]
    if stem == "judged":
        return formula.compute(union, k)
    if not union.n_relevant:
        if no_relevant == "skip":
            return None
        # rel_level never changes the gains of nDCG: there may be some below it.
        return ndcg(union, k) if stem == "ndcg" else 0.0
    if formula.over == "union" or not sets:
        return formula.compute(union, k)
    values = [formula.compute(ranking, k) for ranking in sets]
    return max(value for value in values if value is not None)


def score(
    qrels: Mapping[str, float],
    ranked: Sequence[str],
    metrics: Sequence[str],
    *,
    rel_level: float = 1,
    gain: Gain = "exponential",
    no_relevant: NoRelevant = "skip",
) -> dict[str, float | None]:
    """The metrics of one ranked list against graded judgements, by the names asked.

    Names: precision, precision_fixed, recall, hit, rr (mrr), r_precision, ap (map), ndcg, judged,
    with @k or over the whole list. Grades from `rel_level` on are relevant; it never changes the
    gains of nDCG, which are 2^grade - 1, or the grade with `gain="linear"` (trec_eval, BEIR).
    None = the query has no relevant item (0 with `no_relevant="zero"`), or, for judged, an empty
    list.

    Raises:
        UsageError: a metric's name is unknown.
        DataError: a grade is not finite.
    """
    for name in metrics:
        parse_name(name)
    ranking = Ranking.of_grades(qrels, distinct(ranked), rel_level=rel_level, gain=gain)
    return {name: measure(name, ranking, no_relevant=no_relevant) for name in metrics}


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
    if k is not None and k < 1:
        raise UsageError(f"k must be 1 or more, not {k}")
    if not all(sets):
        raise DataError("a gold set is empty: it would be complete always; remove it")
    if not sets:
        return {"any": None, "complete": None, "coverage": None, "completion_rank": None}
    depth = math.inf if k is None else k
    shares = [len([r for r in s if r is not None and r <= depth]) / len(s) for s in sets]
    complete_at = [max(r for r in s if r is not None) for s in sets if None not in s]
    coverage = max(shares)
    return {
        "any": int(coverage > 0),
        "complete": int(coverage == 1),
        "coverage": coverage,
        "completion_rank": min(complete_at, default=None),
    }
