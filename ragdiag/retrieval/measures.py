"""The formulas of layer 1, each over columns and at all cut-offs at once, and their names.

All but the counts are in [0, 1], higher is better, and nothing is rounded. NaN inside these
matrices stands for "not applicable"; it never leaves `values` of this package as a number.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from ragdiag.errors import UsageError
from ragdiag.retrieval.columns import WHOLE, Columns, Cut, Floats, Ints
from ragdiag.retrieval.expected import ExpectedCut
from ragdiag.retrieval.in_turn import in_turn, threads

NoRelevant = Literal["skip", "zero"]
Over = Literal["union", "sets"]
CONDENSED = "condensed:"

_INFAP_EPSILON = 0.00001
_PART = 1 << 17  # hits and labels that are worked on together: what fits a cache


def precision(cut: Cut) -> Floats:
    """|G ∩ R_k| / |R_k|: the share of what was returned that is relevant; 0 for an empty list."""
    return cut.n_relevant_shown / np.maximum(cut.n_shown, 1)


def precision_fixed(cut: Cut) -> Floats:
    """|G ∩ R_k| / k, however few were returned (trec_eval's P_k)."""
    return cut.n_relevant_shown / cut.ks


def precision_upper(cut: Cut) -> Floats:
    """Precision if every unjudged item were relevant; `precision` is the lower bound."""
    unjudged = cut.n_shown - cut.n_judged
    return (cut.n_relevant_shown + unjudged) / np.maximum(cut.n_shown, 1)


def recall(cut: Cut) -> Floats:
    """|G ∩ R_k| / |G|."""
    return cut.n_found / cut.n_to_find


def hit(cut: Cut) -> Floats:
    """1 if a relevant item is in R_k, else 0 (trec_eval's success)."""
    return cut.hit


def hit_upper(cut: Cut) -> Floats:
    """1 if a relevant or unjudged item is in R_k; `hit` is the lower bound."""
    return ((cut.n_relevant_shown > 0) | (cut.n_shown > cut.n_judged)).astype(np.float64)


def rr(cut: Cut) -> Floats:
    """1 / rank of the first relevant; 0 if there is none (in R_k). Its mean is the MRR."""
    return cut.reciprocal


def r_precision(cut: Cut) -> Floats:
    """Recall at the rank |G|."""
    return cut.found_until(cut.columns.n_relevant) / cut.n_to_find


def ap(cut: Cut) -> Floats:
    """(1/|G|) Σ |G ∩ R_i| / i over the ranks i <= k of relevant items. Its mean is the MAP.

    Divided by all relevant items, never by those found.
    """
    return cut.precision_sum / cut.n_to_find


def ndcg(cut: Cut) -> Floats:
    """DCG / ideal DCG, both cut at k; discount log2(rank + 1) (Järvelin and Kekäläinen 2002).

    The ideal is over all judged items of the query. A passage that holds several items can be
    better than that ideal, which has one item a rank: it is then 1.
    """
    ideal = cut.ideal_dcg
    share = np.divide(cut.dcg, ideal, out=np.zeros_like(ideal), where=ideal > 0)
    return np.minimum(share, 1.0)


def judged(cut: Cut) -> Floats:
    """Judged in R_k / |R_k|; NaN for an empty list, of which nothing could be judged."""
    shown = cut.n_shown
    return np.divide(cut.n_judged, shown, out=np.full(shown.shape, np.nan), where=shown > 0)


def bpref(cut: Cut) -> Floats:
    """How seldom judged irrelevant items stand above relevant ones (Buckley and Voorhees 2004)."""
    columns = cut.columns
    n_relevant = columns.n_relevant[columns.row]
    above = np.minimum(columns.so_far(columns.judged & ~columns.relevant), n_relevant)
    fewest = np.minimum(n_relevant, columns.n_nonrelevant[columns.row])
    terms = np.where(columns.relevant, 1.0 - above / np.maximum(fewest, 1), 0.0)
    return cut.total(terms) / cut.n_to_find


def infap(cut: Cut) -> Floats:
    """AP inferred from a pool judged in part (Yilmaz and Aslam 2006), as trec_eval takes it."""
    columns = cut.columns
    before = columns.rank - 1.0
    pooled = columns.so_far(np.ones_like(columns.relevant)) - 1
    relevant = columns.so_far(columns.relevant) - 1
    nonrelevant = columns.so_far(columns.judged & ~columns.relevant)
    likely = (relevant + _INFAP_EPSILON) / (relevant + nonrelevant + 2 * _INFAP_EPSILON)
    above = before / columns.rank * (pooled / np.maximum(before, 1.0)) * likely
    terms = np.where(columns.relevant, 1.0 / columns.rank + above, 0.0)
    return cut.total(terms) / cut.n_to_find


def complete(cut: Cut) -> Floats:
    """1 if all relevant items are in R_k."""
    return cut.complete


def completion_rank(cut: Cut) -> Floats:
    """The smallest k with all relevant items in R_k; NaN where they are never all found."""
    found = cut.completion[:, None]
    return np.where(found > WHOLE, np.nan, found)


def ceiling(cut: Cut) -> Floats:
    """The best recall that k ranks allow: min(k, |G|) / |G|."""
    return np.minimum(cut.ks, cut.n_to_find) / cut.n_to_find


def num_ret(cut: Cut) -> Floats:
    """Retrieved items."""
    return cut.n_shown.astype(np.float64)


def num_rel(cut: Cut) -> Floats:
    """Relevant items."""
    return cut.columns.n_relevant[:, None].astype(np.float64)


def num_rel_ret(cut: Cut) -> Floats:
    """Relevant items retrieved."""
    return cut.n_relevant_shown


@dataclass(frozen=True, slots=True)
class Measure:
    """A formula, and how its name is written.

    cutoff       "@k" is "optional", "required" or "never" there.
    over         with alternative gold sets: the "union" of them, or the best of the "sets".
    unlabelled   where nothing is relevant: "none" = not applicable (or 0 by the setting), "own" =
                 not applicable, else what the formula says, "always" = what the formula says.
    expected     whether it can be taken over all orders of tied items.
    """

    compute: Callable[[Cut], Floats]
    cutoff: Literal["optional", "required", "never"] = "optional"
    over: Over = "sets"
    unlabelled: Literal["none", "own", "always"] = "none"
    expected: bool = True


MEASURES: dict[str, Measure] = {
    "precision": Measure(precision, over="union"),
    "precision_fixed": Measure(precision_fixed, cutoff="required", over="union"),
    "precision_upper": Measure(precision_upper, over="union"),
    "recall": Measure(recall),
    "hit": Measure(hit, over="union"),
    "hit_upper": Measure(hit_upper, over="union", expected=False),
    "rr": Measure(rr, over="union"),
    "r_precision": Measure(r_precision, cutoff="never"),
    "ap": Measure(ap),
    # rel_level never changes the gains of nDCG: there may be some below it.
    "ndcg": Measure(ndcg, unlabelled="own"),
    "judged": Measure(judged, over="union", unlabelled="always"),
    "bpref": Measure(bpref, cutoff="never", over="union", expected=False),
    "infap": Measure(infap, cutoff="never", over="union", expected=False),
    "any_evidence": Measure(hit),
    "complete_evidence": Measure(complete),
    "evidence_coverage": Measure(recall),
    "ceiling": Measure(ceiling),
}
COUNTS: dict[str, Measure] = {
    "completion_rank": Measure(completion_rank, cutoff="never", expected=False),
    "num_ret": Measure(num_ret, cutoff="never", over="union", unlabelled="always"),
    "num_rel": Measure(num_rel, cutoff="never", over="union", unlabelled="always"),
    "num_rel_ret": Measure(num_rel_ret, cutoff="never", over="union", unlabelled="always"),
}
ALIASES = {"mrr": "rr", "map": "ap", "success": "hit", "rprec": "r_precision"}
_TREC_EVAL = {"recip_rank": "rr", "Rprec": "r_precision", "infAP": "infap"}
_TREC_EVAL_CUT = {
    "P": "precision_fixed",
    "recall": "recall",
    "map_cut": "ap",
    "ndcg_cut": "ndcg",
    "success": "hit",
}


def formula(stem: str) -> Measure:
    """The measure of a stem that `parse_name` gave."""
    stem = stem.removeprefix(CONDENSED)
    return MEASURES[stem] if stem in MEASURES else COUNTS[stem]


def check_expected(name: str, *, depth: int | None) -> None:
    """UsageError where a metric has no expected value over the orders of tied items here."""
    stem, _ = parse_name(name)
    if not formula(stem).expected:
        raise UsageError(
            f"{name!r} has no expected value over tied items here; leave it out, or choose "
            "ties = file or docid_desc"
        )
    if depth is not None and stem.startswith(CONDENSED):
        raise UsageError(
            f"{name!r} under a depth depends on which tied items the depth cuts off; leave out the "
            "depth, or choose ties = file or docid_desc"
        )


@lru_cache(maxsize=1024)
def parse_name(name: str) -> tuple[str, int | None]:
    """A metric's name and cut-off: "ndcg@10" is ("ndcg", 10), "mrr" is ("rr", None).

    Before any name "condensed:" asks for the list without its unjudged items. The names of
    trec_eval (P_10, ndcg_cut_10, recip_rank, ...) are understood too.

    Raises:
        UsageError: no such metric, or a cut-off that is no integer >= 1.
    """
    bare = name.removeprefix(CONDENSED)
    stem, at, cutoff = bare.partition("@")
    stem = ALIASES.get(stem, _TREC_EVAL.get(stem, stem))
    trec_stem, _, trec_cutoff = stem.rpartition("_")
    if not at and trec_stem in _TREC_EVAL_CUT and trec_cutoff.isdecimal():
        stem, at, cutoff = _TREC_EVAL_CUT[trec_stem], "@", trec_cutoff
    if stem not in MEASURES and stem not in COUNTS:
        every = (*MEASURES, *COUNTS, *ALIASES)
        close = difflib.get_close_matches(stem, every, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise UsageError(
            f"unknown metric {name!r}{hint}; known: {', '.join(every)}, each as NAME@K or NAME"
        )
    allowed = formula(stem).cutoff
    whole = name[: len(name) - len(bare)] + stem
    if not at:
        if allowed == "required":
            raise UsageError(f"{name!r} needs a cut-off: write {name}@10")
        return whole, None
    if allowed == "never":
        raise UsageError(f"{name!r}: {stem} has no cut-off; it is taken of the whole list")
    if not (cutoff.isascii() and cutoff.isdecimal() and 1 <= int(cutoff[:18]) < WHOLE):
        raise UsageError(f"{name!r}: the cut-off must be an integer of 1 or more, not {cutoff!r}")
    return whole, int(cutoff)


def takes_cutoff(name: str) -> bool:
    """Could "@k" be put behind this name?"""
    try:
        parse_name(f"{name}@1")
    except UsageError:
        return False
    return True


class Table:
    """The measures of some rows at some cut-offs (None = the whole list), each worked out once."""

    def __init__(
        self,
        columns: Columns,
        cutoffs: Sequence[int | None],
        *,
        no_relevant: NoRelevant = "skip",
    ) -> None:
        ks = np.array(sorted({WHOLE if k is None else k for k in cutoffs} | {WHOLE}))
        self._empty = columns.n_relevant == 0
        self._cuts = [_cut(part, ks) for part in columns.parts(_PART)]
        self._condensed: list[Cut] | None = None
        self._column = {None if k == WHOLE else int(k): at for at, k in enumerate(ks)}
        self._no_relevant: NoRelevant = no_relevant
        self._values: dict[str, Floats] = {}

    def values(self, stem: str) -> Floats:
        """A measure of all rows at all cut-offs, ascending and the whole list last."""
        if stem not in self._values:
            self._values[stem] = self._work_out(stem)
        return self._values[stem]

    def column(self, stem: str, k: int | None) -> Floats:
        """A measure of all rows at one cut-off; NaN = not applicable."""
        values = self.values(stem)
        return values[:, self.position(k) if values.shape[1] > 1 else 0]

    def position(self, k: int | None) -> int:
        """Where in the rows of `values` a cut-off stands."""
        return self._column[k]

    def unjudged(self, cutoffs: Sequence[int]) -> dict[int, float | None]:
        """By cut-off: the share of the first k of all lists together that nobody judged.

        None where the lists hold nothing.
        """
        shown, judged_in = np.sum(_each(self._cuts, _shown_and_judged), axis=0).tolist()
        at = {k: self.position(k) for k in cutoffs}
        return {k: 1 - judged_in[i] / shown[i] if shown[i] else None for k, i in at.items()}

    def _work_out(self, stem: str) -> Floats:
        measure = formula(stem)
        found = np.concatenate(_each(self._cuts_of(stem), measure.compute))
        if measure.cutoff == "never":
            found = found[:, -1:]
        if measure.unlabelled == "always" or not self._empty.any():
            return found
        if self._no_relevant == "zero":
            return found if measure.unlabelled == "own" else _fill(found, self._empty, 0.0)
        return _fill(found, self._empty, np.nan)

    def _cuts_of(self, stem: str) -> list[Cut]:
        if not stem.startswith(CONDENSED):
            return self._cuts
        if self._condensed is None:
            self._condensed = [_cut(cut.columns.condensed(), cut.ks) for cut in self._cuts]
        return self._condensed


def _shown_and_judged(cut: Cut) -> Floats:
    """Over all rows, by cut-off: the items in the first k, and the judged ones of them."""
    return np.stack((cut.n_shown.sum(axis=0), cut.n_judged.sum(axis=0)))


def _each(cuts: Sequence[Cut], compute: Callable[[Cut], Floats]) -> list[Floats]:
    """What is worked out of each part of the rows: no row has anything to do with another."""
    if len(cuts) == 1:
        return [compute(cuts[0])]
    n = threads()
    return list(in_turn(compute, cuts, n_threads=n if n > 1 else 0))


def _cut(columns: Columns, ks: Ints) -> Cut:
    if columns.groups is None:
        return Cut(columns, ks)
    return ExpectedCut(columns, ks, columns.groups)


def _fill(found: Floats, rows: np.ndarray[tuple[int], np.dtype[np.bool_]], value: float) -> Floats:
    return np.where(rows[:, None], value, found)


__all__ = ["CONDENSED", "COUNTS", "MEASURES", "Ints", "Measure", "Table", "formula", "parse_name"]
