"""The Python interface: samples in, results and report out, with nothing written unless asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ragdiag.collecting.asking import ask_all
from ragdiag.collecting.generators import generator_of, load_generator
from ragdiag.collecting.pipelines import load_pipeline, pipeline_of
from ragdiag.data.corpus import FileCorpus, read_corpus
from ragdiag.data.foreign.reading import Foreign, foreign_or_none
from ragdiag.data.labels import read_labels
from ragdiag.data.native import read_joined, samples_from
from ragdiag.errors import MissingExtraError, UsageError
from ragdiag.evaluation.climbing import climb_in_memory
from ragdiag.evaluation.directory import read_report, read_results
from ragdiag.evaluation.incomplete import refuse_errors
from ragdiag.evaluation.ladder_choice import Climb
from ragdiag.evaluation.looks import file_hash, key_of, look_at
from ragdiag.evaluation.people_labels import standing_labels
from ragdiag.evaluation.run import Flagged, Plan, evaluate_in_memory
from ragdiag.judging.specs import Judges, parse_spec
from ragdiag.records import Corpus, Label, Sample, SampleResult, Settings

if TYPE_CHECKING:
    import polars as pl

_T = TypeVar("_T")
Samples = str | Path | Iterable[Sample | Mapping[str, object]]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What came out: one result a sample in input order, and the content of report.json."""

    results: list[SampleResult]
    report: dict[str, Any]

    def __repr__(self) -> str:
        n = "1 query" if len(self.results) == 1 else f"{len(self.results)} queries"
        families = {name: row["n"] for name, row in self.report["families"].items() if row["n"]}
        return f"Evaluation({n}, families={families})"

    def __getitem__(self, query_id: str) -> SampleResult:
        """The result of one query; KeyError where there is none."""
        for result in self.results:
            if result.query_id == query_id:
                return result
        raise KeyError(query_id)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[SampleResult]:
        return iter(self.results)

    def _repr_html_(self) -> str:
        """What a notebook shows: where it fails, and each layer's numbers."""
        from ragdiag.report.notebook import html_of  # noqa: PLC0415 - needed here only

        return html_of(self.report)

    def to_polars(self, *, long: bool = False) -> pl.DataFrame:
        """A row a query: its diagnosis and a column a metric, null where there is no value.
        `long`: a row a score, with its status and reason, as in scores.parquet."""
        from ragdiag.report import frames  # noqa: PLC0415 - needed here only

        return (frames.long if long else frames.wide)(self.results)

    def to_pandas(self, *, long: bool = False) -> Any:
        """`to_polars` as a pandas DataFrame; MissingExtraError where pandas is not installed."""
        from importlib import import_module  # noqa: PLC0415 - needed here only

        try:
            pandas: Any = import_module("pandas")  # not a dependency
        except ImportError:
            raise MissingExtraError("pandas", "pandas") from None
        frame = self.to_polars(long=long)
        columns = {one.name: one.to_list() for one in frame}
        kinds = {one.name: "float64" for one in frame if one.dtype.is_float()}
        return pandas.DataFrame(columns).astype(kinds)


def load(directory: str | Path) -> Evaluation:
    """The evaluation that `ragdiag evaluate … -o DIRECTORY` wrote.

    Raises UsageError where it is none, DataError where a file of it is broken.
    """
    place = Path(directory)
    report = read_report(place)
    return Evaluation(list(read_results(place)), report)


async def evaluate_async(
    samples: Samples,
    *,
    judge: str | Judges = "screen",
    corpus: str | Path | Corpus | None = None,
    labels: str | Path | Sequence[Label] = (),
    settings: Settings | None = None,
    concurrency: int = 8,
    max_errors: float = 0.01,
    ladder: Callable[..., Any] | str | None = None,
) -> Evaluation:
    """Evaluates samples: a file, or an iterable of `Sample` or of dicts in the native format.

    corpus      a file or a folder of PDFs, as `--corpus`.
    judge       a spec ("screen", "llm:MODEL@URL", "file:PATH", "cascade:A,B") or own judges.
    labels      people's labels, to measure agreement with (a judge "file:PATH" sets them instead).
    max_errors  share of scores (0-1) that may be judge errors before IncompleteError is raised.
    ladder      generate(query, passages) -> answer, sync or async, or its name, module:function:
                what failed is asked anew without passages, with the retrieved ones, with the gold
                added and with the gold alone (`diagnosis.proof["ladder"]`).
    Raises DataError for bad input and UsageError for settings that cannot work.
    """
    _require_range(concurrency=concurrency, max_errors=max_errors)
    judges = judge if isinstance(judge, Judges) else parse_spec(judge, read_labels=read_labels)
    opened = read_corpus(corpus) if isinstance(corpus, (str, Path)) else corpus
    known = standing_labels([Path(labels)]) if isinstance(labels, (str, Path)) else labels
    plan = Plan(
        settings=settings or Settings(),
        judges=judges,
        corpus=opened,
        labels=known,
        warnings=(*_read_as(samples), *_notes(opened)),
        concurrency=concurrency,
        max_errors=max_errors,
    )
    after = None if ladder is None else _climbing(ladder, plan)
    try:
        results, report = await evaluate_in_memory(_flagged(samples), plan, after=after)
    finally:
        if not isinstance(judge, Judges):
            await judges.aclose()
    _count_look(samples, plan, report)
    refuse_errors(report, max_errors)
    return Evaluation(results, report)


def _climbing(
    ladder: Callable[..., Any] | str, plan: Plan
) -> Callable[[list[tuple[Sample, SampleResult]]], Awaitable[list[SampleResult]]]:
    """What adds the ladders of a generator to results."""
    found = load_generator(ladder) if isinstance(ladder, str) else generator_of(ladder)

    async def climb(pairs: list[tuple[Sample, SampleResult]]) -> list[SampleResult]:
        return await climb_in_memory(
            pairs, found, Climb(), plan.judges, settings=plan.settings, corpus=plan.corpus
        )

    return climb


def evaluate(samples: Samples, **options: Any) -> Evaluation:
    """`evaluate_async` for callers without an event loop; inside a running one (a notebook), the
    evaluation runs in a thread of its own. Takes the same arguments: see `help(evaluate_async)`."""
    return _waited_for(partial(evaluate_async, samples, **options))


async def collect_async(
    queries: Samples,
    pipeline: Callable[..., Any] | object,
    *,
    concurrency: int | None = None,
    timeout: float | None = 120.0,
) -> list[Sample]:
    """Asks a pipeline every query: samples to evaluate, in input order.

    queries      a file, or an iterable of `Sample` or of dicts in the native format.
    pipeline     a function of the query, sync or async (it may also take `history`, `filter`,
                 `query_id`), or a retriever, chain or query engine of LangChain or LlamaIndex; or
                 its name, module:function.
                 It returns the answer as a string, what was retrieved as a list, or a dict of both.
    concurrency  queries at once; None: 8, but 1 for a blocking function.
    timeout      seconds a query.
    What the pipeline raises stands in the `error` of its sample (X1 in the diagnosis).
    Raises DataError for bad queries and UsageError for a pipeline that cannot be called.
    """
    _require_range(concurrency=concurrency, timeout=timeout)
    asked = [sample for sample, _ in _flagged(queries)]
    opened = load_pipeline(pipeline) if isinstance(pipeline, str) else pipeline_of(pipeline)
    at_once = concurrency or (8 if opened.asynchronous else 1)
    answered = ask_all(asked, opened, concurrency=at_once, timeout=timeout)
    found = {one.query_id: one.line async for one in answered}
    return list(samples_from([found[sample.query_id] for sample in asked]))


def collect(
    queries: Samples, pipeline: Callable[..., Any] | object, **options: Any
) -> list[Sample]:
    """`collect_async` for callers without an event loop; also inside a running one. Takes the same
    arguments: see `help(collect_async)`."""
    return _waited_for(partial(collect_async, queries, pipeline, **options))


evaluate.__signature__ = signature(evaluate_async)  # type: ignore[attr-defined]
collect.__signature__ = signature(collect_async)  # type: ignore[attr-defined]


def _require_range(
    *, concurrency: int | None, timeout: float | None = None, max_errors: float = 0.0
) -> None:
    """UsageError for options that would ask nothing, wait for ever or never fail; NaN too."""
    if concurrency is not None and not concurrency >= 1:
        raise UsageError(f"concurrency is 1 or more; came {concurrency!r}")
    if timeout is not None and not timeout > 0:
        raise UsageError(f"timeout is a number of seconds over 0, or None; came {timeout!r}")
    if not 0 <= max_errors <= 1:
        raise UsageError(f"max_errors is a share between 0 and 1; came {max_errors!r}")


def _waited_for(work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    """Runs a coroutine to its end; where a loop runs already, in a thread with its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1, thread_name_prefix="ragdiag") as pool:
        return pool.submit(lambda: asyncio.run(work())).result()


def _read_as(samples: Samples) -> tuple[str, ...]:
    """As which tool's export a file is read, where it is one."""
    found = foreign_or_none(samples) if isinstance(samples, (str, Path)) else None
    if not isinstance(found, Foreign):
        return ()
    return (f"{samples}: read as {found.title}, {found.source.layout}",)


def _notes(corpus: Corpus | None) -> tuple[str, ...]:
    """What the reader of a corpus file noticed."""
    return tuple(map(str, corpus.notes)) if isinstance(corpus, FileCorpus) else ()


def _count_look(samples: Samples, plan: Plan, report: dict[str, Any]) -> None:
    """Where the file is a test split's: counts the look; the report warns from the second on."""
    if not isinstance(samples, (str, Path)):
        return
    path = Path(samples)
    settings = plan.settings.model_dump(mode="json")
    key = key_of("python", str(path.resolve()), file_hash(path), plan.judges.version, settings)
    look = look_at(
        (path,),
        lambda: (sample for sample, _ in _flagged(samples)),
        key=key,
        run=None,
        evaluation="python",
    )
    if look is not None and look.warning is not None:
        report["warnings"].insert(0, look.warning)


def _flagged(samples: Samples) -> Iterable[Flagged]:
    if isinstance(samples, (str, Path)):
        for joined in read_joined(samples):
            yield joined.sample, ("missing_in_run",) if joined.missing_in_run else ()
        return
    for sample in samples_from(samples):
        yield sample, ()
