"""Shares of queries by cluster that counts alone do not tell: in slices, and of flags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from ragdiag.diagnosis.catalogue import CATALOGUE, FAMILIES
from ragdiag.report.cluster_sums import NONE, NONE_OF_ALL
from ragdiag.report.columns import Clusters, Dimension, Floats
from ragdiag.report.tally import share

FLAG, BROKEN = "flags.", "X1"
_CODES = [*CATALOGUE, "none"]
_CODED = np.array([code not in (BROKEN, "none") for code in _CODES])
_MEMBERS = {
    family: np.array([code in CATALOGUE and CATALOGUE[code].family == family for code in _CODES])
    for family in FAMILIES
}

Mask = np.ndarray[Any, np.dtype[np.bool_]]
Shares = dict[str, dict[str, Any]]
"""By code, family or flag: as `tally.share` says it."""


def shares_of_all(flags: pl.Series, code: pl.Series, keep: Mask, clusters: Clusters) -> Shares:
    """The share of all queries that are kept with each flag, and of failures of the pipeline."""
    kept = np.flatnonzero(keep)
    sizes = np.bincount(clusters.group[kept], minlength=clusters.n_groups).astype(np.float64)
    told = (
        pl.DataFrame({"query": kept, "flag": flags.gather(kept)})
        .explode("flag", empty_as_null=False, keep_nulls=False)
        .unique()
    )
    found: Shares = {}
    broken = kept[(code.gather(kept) == BROKEN).fill_null(False).to_numpy()]
    for name, queries in (
        (NONE_OF_ALL, kept[:0]),
        (BROKEN, broken),
        *((FLAG + str(flag), rows["query"].to_numpy()) for (flag,), rows in told.group_by("flag")),
    ):
        sums = np.bincount(clusters.group[queries], minlength=clusters.n_groups)
        found[name] = _share(sums.astype(np.float64), sizes, clusters)
    return dict(sorted(found.items()))


def shares_in_slices(
    dimension: Dimension, code: pl.Series, keep: Mask, clusters: Clusters
) -> Mapping[str, Shares]:
    """By value of a dimension: the share of each code and family that is there, among the queries
    with a diagnosis (of X1 and its family: among all of the value)."""
    at = code.replace_strict({name: i for i, name in enumerate(_CODES)}, return_dtype=pl.Int64)
    shape = (len(dimension.values), len(_CODES), clusters.n_groups)
    key = (dimension.place * shape[1] + at.to_numpy()) * shape[2] + clusters.group
    counts = np.bincount(key[keep], minlength=int(np.prod(shape))).reshape(shape)
    return {
        value: dict(_of_value(counts[place].astype(np.float64), clusters))
        for place, value in enumerate(dimension.values)
        if counts[place].any()
    }


def _of_value(counts: Floats, clusters: Clusters) -> Iterator[tuple[str, dict[str, Any]]]:
    """`counts` by code and cluster."""
    coded, everything = counts[_CODED].sum(axis=0), counts.sum(axis=0)
    nothing = np.zeros(clusters.n_groups)
    yield NONE, _share(nothing, coded, clusters)
    yield NONE_OF_ALL, _share(nothing, everything, clusters)
    groups = {name: counts[i] for i, name in enumerate(_CODES) if name != "none"}
    groups |= {family: counts[members].sum(axis=0) for family, members in _MEMBERS.items()}
    for name, sums in groups.items():
        if sums.any():
            of_all = name in (BROKEN, CATALOGUE[BROKEN].family)
            yield name, _share(sums, everything if of_all else coded, clusters)


def _share(sums: Floats, sizes: Floats, clusters: Clusters) -> dict[str, Any]:
    return share(int(sums.sum()), int(sizes.sum()), clusters=clusters.totals(sums, sizes))
