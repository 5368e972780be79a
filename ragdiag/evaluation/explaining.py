"""One query of an evaluation directory, or those of one category or flag."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from pathlib import Path

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.errors import UsageError
from ragdiag.evaluation.directory import read_results, read_samples_copy
from ragdiag.records import Sample, SampleResult


def find(directory: Path, query_id: str) -> tuple[Sample, SampleResult]:
    """The sample and the result of a query; UsageError with the closest ids where there is none."""
    ids: list[str] = []
    for result in read_results(directory):
        if result.query_id == query_id:
            for sample in read_samples_copy(directory):
                if sample.query_id == query_id:
                    return sample, result
        ids.append(result.query_id)
    close = difflib.get_close_matches(query_id, ids, n=3)
    hint = f"; close to it: {', '.join(close)}" if close else f"; it holds {len(ids)} queries"
    raise UsageError(f"{directory}: no query {query_id!r}{hint}")


NO_CATEGORY = "none"


def code_named(text: str) -> str | None:
    """The code that a user typed, in any case; None for "none": the queries without a category.

    UsageError names the codes where there is no such one.
    """
    known = {code.casefold(): code for code in CATALOGUE}
    typed = text.strip().casefold()
    if typed == NO_CATEGORY:
        return None
    if typed not in known:
        raise UsageError(f"no category {text!r}; known: {', '.join(CATALOGUE)}, {NO_CATEGORY}")
    return known[typed]


def with_code(directory: Path, code: str | None) -> Iterator[tuple[Sample, SampleResult]]:
    """The samples and results whose diagnosis has this code, in the order of the input."""
    return _chosen(directory, lambda result: result.diagnosis.code == code)


def with_flag(directory: Path, flag: str) -> Iterator[tuple[Sample, SampleResult]]:
    """Those with this flag; UsageError names the flags there are where no query has it."""
    known: set[str] = set()

    def has(result: SampleResult) -> bool:
        flags = {*result.flags, *result.diagnosis.flags}
        known.update(flags)
        return flag in flags

    found = list(_chosen(directory, has))
    if not found:
        told = f"there are {', '.join(sorted(known))}" if known else "no query has any"
        raise UsageError(f"{directory}: no query has the flag {flag!r}; {told}")
    return iter(found)


def _chosen(
    directory: Path, chosen: Callable[[SampleResult], bool]
) -> Iterator[tuple[Sample, SampleResult]]:
    found: dict[str, SampleResult] = {}
    for result in read_results(directory):
        if chosen(result):
            found[result.query_id] = result
    if not found:
        return
    for sample in read_samples_copy(directory):
        if sample.query_id in found:
            yield sample, found[sample.query_id]
