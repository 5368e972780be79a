"""The Python interface: samples in, results and report out, with nothing written unless asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from ragdiag.data.corpus import read_corpus
from ragdiag.data.foreign.reading import Foreign, foreign_or_none
from ragdiag.data.labels import read_labels
from ragdiag.data.native import read_joined, samples_from
from ragdiag.evaluation.run import Flagged, Plan, evaluate_in_memory, refuse_errors
from ragdiag.judging.specs import Judges, parse_spec
from ragdiag.records import Corpus, Label, Sample, SampleResult, Settings

Samples = str | Path | Iterable[Sample | Mapping[str, object]]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What came out: one result a sample in input order, and the content of report.json."""

    results: list[SampleResult]
    report: dict[str, Any]

    def __repr__(self) -> str:
        families = {name: row["n"] for name, row in self.report["families"].items() if row["n"]}
        return f"Evaluation({len(self.results)} queries, families={families})"

    def __getitem__(self, query_id: str) -> SampleResult:
        """The result of one query; KeyError where there is none."""
        for result in self.results:
            if result.query_id == query_id:
                return result
        raise KeyError(query_id)

    def __len__(self) -> int:
        return len(self.results)


async def evaluate_async(
    samples: Samples,
    *,
    judge: str | Judges = "screen",
    corpus: str | Path | Corpus | None = None,
    labels: str | Path | Sequence[Label] = (),
    settings: Settings | None = None,
    concurrency: int = 8,
    max_errors: float = 0.01,
) -> Evaluation:
    """Evaluates samples: a file, or an iterable of `Sample` or of dicts in the native format.

    judge       a spec ("screen", "llm:MODEL@URL", "file:PATH", "cascade:A,B") or own judges.
    labels      people's labels, to measure agreement with (a judge "file:PATH" sets them instead).
    max_errors  share of scores (0-1) that may be judge errors before IncompleteError is raised.
    Raises DataError for bad input and UsageError for settings that cannot work.
    """
    judges = judge if isinstance(judge, Judges) else parse_spec(judge, read_labels=read_labels)
    opened = read_corpus(corpus) if isinstance(corpus, (str, Path)) else corpus
    known = read_labels(labels) if isinstance(labels, (str, Path)) else labels
    plan = Plan(
        settings=settings or Settings(),
        judges=judges,
        corpus=opened,
        labels=known,
        warnings=_read_as(samples),
        concurrency=concurrency,
        max_errors=max_errors,
    )
    try:
        results, report = await evaluate_in_memory(_flagged(samples), plan)
    finally:
        if not isinstance(judge, Judges):
            await judges.aclose()
    refuse_errors(report, max_errors)
    return Evaluation(results, report)


def evaluate(samples: Samples, **options: Any) -> Evaluation:
    """`evaluate_async` for callers without an event loop; inside a running one (a notebook), the
    evaluation runs in a thread of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(evaluate_async(samples, **options))
    outcome: list[Evaluation | BaseException] = []

    def work() -> None:
        try:
            outcome.append(asyncio.run(evaluate_async(samples, **options)))
        except BaseException as fault:  # noqa: BLE001 - carried over to the calling thread
            outcome.append(fault)

    thread = Thread(target=work, name="ragdiag-evaluate")
    thread.start()
    thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def _read_as(samples: Samples) -> tuple[str, ...]:
    """As which tool's export a file is read, where it is one."""
    found = foreign_or_none(samples) if isinstance(samples, (str, Path)) else None
    if not isinstance(found, Foreign):
        return ()
    return (f"{samples}: read as {found.title}, {found.source.layout}",)


def _flagged(samples: Samples) -> Iterable[Flagged]:
    if isinstance(samples, (str, Path)):
        for joined in read_joined(samples):
            yield joined.sample, ("missing_in_run",) if joined.missing_in_run else ()
        return
    for sample in samples_from(samples):
        yield sample, ()
