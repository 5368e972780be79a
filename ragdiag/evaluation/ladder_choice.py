"""Which queries are climbed, how, and what comes of it in numbers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.diagnosis.rungs import left_out
from ragdiag.errors import UsageError
from ragdiag.records import LadderRecord, Sample, SampleResult
from ragdiag.text.case import Case

FAILURES = frozenset(
    code for code, one in CATALOGUE.items() if one.family not in ("success", "pipeline")
)
"""What is climbed where nothing else is asked for: all that is not right, and X2."""


@dataclass(frozen=True)
class Climb:
    """How to climb.

    codes        of the diagnoses that are climbed; None: every query with a code but X1.
    limit        so many queries at most, always the same ones first.
    repeats      how often each rung is asked.
    concurrency  queries at once; None: what the generator bears.
    timeout      seconds an answer; None: no limit.
    only         one query, whatever its code.
    """

    codes: frozenset[str] | None = FAILURES
    limit: int | None = None
    repeats: int = 1
    concurrency: int | None = None
    timeout: float | None = 120.0
    only: str | None = None


@dataclass
class Climbed:
    """What is to be asked, and what came of it. `left_out`: queries by why; `kinds`: errors."""

    n_queries: int = 0
    n_over_limit: int = 0
    n_calls: int = 0
    n_kept: int = 0
    n_asked: int = 0
    left_out: Counter[str] = field(default_factory=Counter[str])
    kinds: Counter[str] = field(default_factory=Counter[str])
    first_error: str | None = None

    @property
    def n_errors(self) -> int:
        """Calls that gave no answer."""
        return self.kinds.total()

    def note(self, record: LadderRecord) -> None:
        """Counts one call."""
        self.n_asked += 1
        if record.said is not None and record.said.error is not None:
            self.kinds[record.said.kind or "error"] += 1
            where = f"{record.query_id}, {record.rung.replace('_', ' ')}"
            self.first_error = self.first_error or f"{where}: {record.said.error}"


WHY_NOT: Mapping[str, str] = {
    "unanswerable": "it is labelled unanswerable",
    "no_reference": "no reference says which answer is right",
    "no_diagnosis": "it has no diagnosis",
}
"""Why there is no ladder, in words."""


def _is_wanted(result: SampleResult, codes: frozenset[str] | None) -> bool:
    """By the code that the diagnosis had without any ladder."""
    told: Mapping[str, Any] = result.diagnosis.proof.get("ladder", {})
    code = told.get("before", {}).get("code", result.diagnosis.code)
    return code is not None and (code != "X1" if codes is None else code in codes)


def chosen(
    pairs: Iterable[tuple[Sample, SampleResult]],
    climb: Climb,
    tally: Climbed,
    case_of: Callable[[Sample], Case],
) -> frozenset[str]:
    """The ids to climb; counts what is left out."""
    wanted: list[tuple[str, str]] = []
    for sample, result in pairs:
        if climb.only is not None:
            if sample.query_id != climb.only:
                continue
        elif not _is_wanted(result, climb.codes):
            continue
        reason = left_out(case_of(sample))
        if result.diagnosis.code is None:
            reason = "no_diagnosis"
        if reason is None:
            order = hashlib.sha256(sample.query_id.encode("utf-8", "surrogatepass")).hexdigest()
            wanted.append((order, sample.query_id))
        else:
            tally.left_out[reason] += 1
    if climb.only is not None and not wanted:
        why = next(iter(tally.left_out), None)
        raise UsageError(
            f"no query {climb.only!r}"
            if why is None
            else f"no ladder for {climb.only!r}: {WHY_NOT[why]}"
        )
    if climb.limit is not None and len(wanted) > climb.limit:
        tally.n_over_limit = len(wanted) - climb.limit
        wanted = sorted(wanted)[: climb.limit]
    found = frozenset(query_id for _, query_id in wanted)
    tally.n_queries = len(found)
    return found
