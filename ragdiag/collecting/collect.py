"""Queries and a pipeline in; a file of samples to evaluate and its run facts out."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ragdiag.collecting.asking import Collected, ask_all
from ragdiag.collecting.facts import OF_THE_PIPELINE, run_facts
from ragdiag.collecting.output import Output
from ragdiag.collecting.pipelines import Pipeline
from ragdiag.data.native import read_joined
from ragdiag.data.samples import RUN_FIELDS
from ragdiag.data.validation import validate
from ragdiag.errors import IncompleteError, UsageError
from ragdiag.records import Sample

_HOPELESS = 20
"""So many failures before the first success: the pipeline is broken, not its queries."""


_SHOWN = 240
"""Characters of the first error that are printed."""


@dataclass
class Tally:
    """What came of it. `kinds`: errors by class; `latency`: milliseconds in all, a query each."""

    n_queries: int = 0
    n_kept: int = 0
    n_asked: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    first_error: str | None = None
    left_out: Counter[str] = field(default_factory=Counter[str])
    latency: list[float] = field(default_factory=list[float])
    warnings: tuple[str, ...] = ()

    @property
    def n_errors(self) -> int:
        """Queries whose sample holds an error."""
        return sum(self.kinds.values())

    def note(self, found: Collected) -> None:
        """Counts one query that was asked."""
        self.n_asked += 1
        self.left_out.update(found.left_out)
        if found.error is not None:
            self.kinds[found.kind or "error"] += 1
            self.first_error = self.first_error or _clipped(f"{found.query_id}: {found.error}")
            return
        total = found.line.get("latency_ms", {}).get("total")
        if isinstance(total, (int, float)):
            self.latency.append(float(total))


@dataclass(frozen=True)
class Work:
    """How to ask.

    concurrency  queries at once; None: 8, but 1 where the pipeline is a blocking function, which
                 may not bear threads.
    timeout      seconds a query; None: no limit.
    max_errors   share of failed queries (0-1) over which the run is incomplete.
    given        run facts of the user; noted: tells those of the queries, once they are sound.
    """

    concurrency: int | None = None
    timeout: float | None = 120.0
    max_errors: float = 0.01
    fresh: bool = False
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    noted: Callable[[], Mapping[str, Any]] = dict[str, Any]

    def at_once(self, pipeline: Pipeline) -> int:
        """The concurrency to use."""
        return self.concurrency or (8 if pipeline.asynchronous else 1)


def collect_files(
    paths: tuple[Path, ...],
    pipeline: Pipeline,
    work: Work,
    out: Path,
    *,
    on_done: Callable[[Collected], object] | None = None,
    on_total: Callable[[int], object] | None = None,
) -> Tally:
    """Asks the queries of the files and writes `out` and its run facts; what an earlier run of the
    same pipeline answered is kept, its failures are asked again.

    Raises:
        DataError: bad input; nothing is asked.
        UsageError: `out` holds the samples of another pipeline, or is a file to read.
        IncompleteError: the pipeline fails on each of the first 20 queries (what was done is in
            the journal), or on more than `max_errors` of them (the file is written).
    """
    if any(path.exists() and out.exists() and path.samefile(out) for path in paths):
        raise UsageError(f"-o {out} is one of the files to read; name another output")
    found = validate(paths)
    found.require_ok()
    facts = run_facts(pipeline, work.given, concurrency=work.at_once(pipeline))
    facts.update(work.noted())
    paths = tuple(path.absolute() for path in paths)  # a pipeline may change the directory
    output = Output(out)
    tally = Tally(n_queries=found.n_samples, warnings=tuple(_told(_queries(paths), pipeline)))
    if on_total is not None:
        on_total(found.n_samples)
    with output:
        output.open(fresh=work.fresh)
        output.refuse_other_run(facts, (*OF_THE_PIPELINE, *pipeline.facts, *work.given))
        output.write_facts({**facts, "finished_at": None})
        left = _left(_queries(paths), output, tally)
        asyncio.run(_ask(left, pipeline, work, output, tally, on_done))
        output.finish(_queries(paths))
        closing = {
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "n_queries": tally.n_queries,
            "n_errors": tally.n_errors,
            **({"left_out_keys": sorted(tally.left_out)} if tally.left_out else {}),
        }
        output.write_facts({**facts, **closing})
    return tally


def _clipped(text: str) -> str:
    """So much as a line or two bear; the file has all of it."""
    return (text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…").rstrip(".")


def refuse_errors(tally: Tally, max_errors: float) -> None:
    """IncompleteError where more than this share of the queries failed."""
    if tally.n_queries and tally.n_errors / tally.n_queries > max_errors:
        raise IncompleteError(
            f"{tally.n_errors} of {tally.n_queries} queries failed (over --max-errors "
            f"{max_errors:g}); first {tally.first_error}. They stand in the file with their "
            "error; the same command asks them again, and all anew with --fresh where the "
            "pipeline's own file is changed"
        )


def _queries(paths: tuple[Path, ...]) -> Iterator[Sample]:
    return (joined.sample for joined in read_joined(paths))


def _left(samples: Iterable[Sample], output: Output, tally: Tally) -> Iterator[Sample]:
    """Those that are still to be asked."""
    for sample in samples:
        if output.has(sample):
            tally.n_kept += 1
        else:
            yield sample


async def _ask(
    samples: Iterable[Sample],
    pipeline: Pipeline,
    work: Work,
    output: Output,
    tally: Tally,
    on_done: Callable[[Collected], object] | None,
) -> None:
    concurrency = work.at_once(pipeline)
    async for found in ask_all(samples, pipeline, concurrency=concurrency, timeout=work.timeout):
        output.add(found.line)
        tally.note(found)
        if on_done is not None:
            on_done(found)
        hopeless = not tally.n_kept and tally.n_asked == tally.n_errors == _HOPELESS
        if hopeless and work.max_errors < 1:
            raise IncompleteError(
                f"the pipeline failed on each of the first {_HOPELESS} queries; first "
                f"{tally.first_error}. Mend it; the same command asks again (--max-errors 1 goes "
                "on regardless)"
            )


def _told(samples: Iterable[Sample], pipeline: Pipeline) -> Iterator[str]:
    """What the queries hold that the pipeline does not take, or that is replaced."""
    filters = turns = replaced = 0
    for sample in samples:
        filters += sample.filter is not None
        turns += bool(sample.history)
        replaced += any(getattr(sample, name) is not None for name in ("retrieved", "context")) or (
            sample.answer_given
        )
    for n, what in ((filters, "filter"), (turns, "history")):
        if n and what not in pipeline.takes:
            yield (
                f"{n} of the queries have a {what}, which {pipeline.name} does not take (add a "
                f"parameter {what!r} to it): it is not applied"
            )
    if replaced:
        fields = ", ".join(RUN_FIELDS[:4])
        yield f"{replaced} of the lines hold a run already ({fields} …): it is replaced"
