"""From files to an evaluation directory: validate all, then evaluate."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ragdiag.chat.budget import Budget
from ragdiag.chat.pacing import Limited
from ragdiag.chat.prices import prices
from ragdiag.data.labels import (
    left_out_grades,
    read_labels,
    relevance_grades,
    with_relevance,
)
from ragdiag.data.lines import read_object
from ragdiag.data.native import read_joined
from ragdiag.data.validation import Validation, validate
from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.document_clusters import DocumentClusters
from ragdiag.evaluation.index_recall import IndexLists
from ragdiag.evaluation.judge_validation import known_validation, with_validation
from ragdiag.evaluation.looks import key_of, look_at, without_note
from ragdiag.evaluation.manifest import Manifest, read_manifest
from ragdiag.evaluation.page import write_page
from ragdiag.evaluation.people_labels import as_drawn
from ragdiag.evaluation.run import Flagged, Plan, check_place, evaluate_into
from ragdiag.evaluation.spending import noting, spent_so_far
from ragdiag.evaluation.workers import Recipe, by_processes, n_workers_for
from ragdiag.judging.grammar import without_credentials
from ragdiag.judging.specs import ChatSettings, Judges, parse_spec
from ragdiag.records import Label, Sample, SampleResult, Settings
from ragdiag.text.clusters import DOCUMENT, require_cluster
from ragdiag.text.slices import derived_slices

MISSING_IN_RUN = "missing_in_run"
GOLD_AS_RETRIEVED = "gold_as_retrieved"


@dataclass(frozen=True)
class Inputs:
    """The files of one evaluation: samples, or queries and run; the rest is optional."""

    samples: tuple[Path, ...] = ()
    queries: tuple[Path, ...] = ()
    run: tuple[Path, ...] = ()
    corpus: Path | None = None
    labels: Path | None = None
    run_info: Path | None = None
    ann_exact: Path | None = None

    def checked(self) -> Inputs:
        """Itself; UsageError where the combination makes no sense."""
        if self.samples and (self.queries or self.run):
            raise UsageError("give sample files, or --queries with --run, not both")
        if not self.samples and not (self.queries and self.run):
            raise UsageError("nothing to read: give sample files, or --queries FILE and --run FILE")
        return self

    def flagged(self, grades: Mapping[str, Mapping[str, float]] | None = None) -> Iterator[Flagged]:
        """The samples, each with what the reader noticed about it; `grades` are people's labels of
        relevance, merged into the qrels."""
        for joined in read_joined(self.samples, queries=self.queries, run=self.run):
            sample = with_relevance(joined.sample, grades) if grades else joined.sample
            yield sample, (MISSING_IN_RUN,) if joined.missing_in_run else ()

    def names(self) -> dict[str, list[str]]:
        """The files as given, by role."""
        one = {
            "corpus": self.corpus,
            "labels": self.labels,
            "run_info": self.run_info,
            "ann_exact": self.ann_exact,
        }
        many = {"samples": self.samples, "queries": self.queries, "run": self.run}
        return {
            **{role: [str(path) for path in paths] for role, paths in many.items() if paths},
            **{role: [str(path)] for role, path in one.items() if path is not None},
        }


@dataclass(frozen=True)
class Options:
    """How to evaluate: settings of the scores, who judges, and how far to go on failing.

    rpm, tpm         requests and tokens a minute to one model.
    sample_deadline  seconds for all calls of one sample.
    price            `MODEL=IN,OUT[,CACHED]`; `prices_file`: a TOML file of more.
    budget           US dollars that the whole evaluation may cost, its earlier runs included.
    judge_validation a validation.json of this judge, or a directory with one.
    """

    settings: Settings = field(default_factory=Settings)
    judge: str = "screen"
    model: str | None = None
    base_url: str | None = None
    concurrency: int = 8
    workers: int | None = 1
    max_errors: float = 0.01
    fresh: bool = False
    force: bool = False
    rpm: float | None = None
    tpm: float | None = None
    sample_deadline: float | None = None
    price: tuple[str, ...] = ()
    prices_file: Path | None = None
    budget: float | None = None
    judge_validation: Path | None = None

    def chat_settings(
        self, out: Path, *, spent: float = 0.0, limited: Limited | None = None
    ) -> ChatSettings:
        """How models are called, with the cache of an evaluation directory; `spent` is what its
        earlier runs took of the budget; `limited` is told of each 429."""
        return ChatSettings(
            concurrency=self.concurrency,
            rpm=self.rpm,
            tpm=self.tpm,
            cache=out / at.CACHE,
            limited=limited,
            prices=prices(self.price, file=self.prices_file),
            budget=(
                None if self.budget is None else Budget(self.budget, spent=spent, note=noting(out))
            ),
        )


def spent_before(out: Path, options: Options) -> tuple[float, tuple[str, ...]]:
    """US dollars that earlier runs into a directory took of the budget, and a warning where it is
    not known of all calls."""
    if options.budget is None or options.fresh:
        return 0.0, ()
    return spent_so_far(out, prices(options.price, file=options.prices_file))


def checked_validation(
    inputs: Inputs, observe: Callable[[Sample, object], object] | None = None
) -> Validation:
    """The validation pass; DataError with the first 100 problems and their counts by kind.

    `observe` is called with each sound sample (and the corpus)."""
    found = validate(
        inputs.checked().samples,
        queries=inputs.queries,
        run=inputs.run,
        corpus=inputs.corpus or (),
        labels=inputs.labels or (),
        observe=observe,
    )
    found.require_ok()
    return found


def evaluate_files(
    inputs: Inputs,
    options: Options,
    *,
    out: Path,
    on_result: Callable[[SampleResult], None] | None = None,
    on_total: Callable[[int], object] | None = None,
    on_limited: Limited | None = None,
) -> dict[str, Any]:
    """Validates the files, evaluates them into `out`, writes the page; returns the report.

    `on_total` is told how many samples there are, `on_limited` of each 429.

    DataError (nothing written) for bad input, UsageError for settings that cannot work.
    """
    if options.fresh and options.force:
        raise UsageError("--fresh begins anew, --force keeps what still stands: give one of them")
    lists = IndexLists(options.settings.k) if inputs.ann_exact is not None else None
    found = checked_validation(inputs, observe=lists.add if lists is not None else None)
    if options.settings.cluster not in (None, DOCUMENT):
        require_cluster(
            options.settings.cluster, (derived_slices(one) for one, _ in inputs.flagged())
        )
    if on_total is not None:
        on_total(found.n_samples)
    index = lists.against(inputs.ann_exact) if lists and inputs.ann_exact else None
    settings = options.settings.model_copy(
        update={"gold_as_retrieved": found.warning_counts.get(GOLD_AS_RETRIEVED, 0) > 0}
    )
    facts = read_run_info(inputs.run_info)
    run = without_note(facts)
    check_place(out)  # before a judge puts its cache there
    by_people: list[Label] = []
    spent, told = spent_before(out, options)
    judges = parse_spec(
        options.judge,
        read_labels=lambda path: _kept(read_labels(path), by_people),
        model=options.model,
        base_url=options.base_url,
        settings=options.chat_settings(out, spent=spent, limited=on_limited),
    )
    grades = relevance_grades(by_people)
    lost = left_out_grades((sample for sample, _ in inputs.flagged()), grades) if grades else None
    known = known_validation(
        out, options.judge_validation, judge=judges.name, version=judges.version,
        data_hash=found.data_hash,
    )  # fmt: skip
    warnings = (
        *([known.warning] if known.warning else []),
        *map(str, found.warnings),
        *(index.warnings if index else ()),
        *told,
        *([lost] if lost else []),
    )
    manifest = Manifest(
        ragdiag=own_version(),
        settings=settings,
        judge_spec=without_credentials(options.judge),
        judge_name=judges.name,
        judge_version=judges.version,
        inputs=inputs.names(),
        data_hash=found.data_hash,
        corpus_hash=found.corpus.data_hash if found.corpus is not None else None,
        ann_exact_hash=index.file_hash if index is not None else None,
        n_samples=found.n_samples,
        run=run,
        warnings=list(warnings),
    )
    plan = Plan(
        settings=settings,
        judges=judges,
        corpus=found.corpus,
        labels=as_drawn(found.labels, [inputs.labels] if inputs.labels else ()),
        run=run,
        warnings=warnings,
        ann=index.section if index is not None else None,
        concurrency=options.concurrency,
        max_errors=options.max_errors,
        on_result=on_result,
        sample_deadline=options.sample_deadline,
        documents=DocumentClusters.of(one for one, _ in inputs.flagged())
        if settings.cluster == DOCUMENT
        else None,
    )
    n_workers = n_workers_for(options.workers, n_samples=found.n_samples, waits=bool(judges.llms))
    read = found.corpus is not None and found.corpus.of_pages
    recipe = Recipe(options.judge, settings, found.corpus if read else inputs.corpus)
    engine = partial(by_processes, recipe=recipe, n_workers=n_workers) if n_workers > 1 else None
    samples = inputs.flagged(grades)
    evaluation = evaluate_into(
        samples, plan, out, manifest, fresh=options.fresh, force=options.force, engine=engine
    )
    report = asyncio.run(_closing(evaluation, judges))
    report = with_validation(report, known, inputs.labels, out)
    _count_look(inputs, manifest, report, out, facts)
    write_page(out)
    return report


def _count_look(
    inputs: Inputs, manifest: Manifest, report: dict[str, Any], out: Path, facts: Mapping[str, Any]
) -> None:
    """Where the samples are those of a test split, counts the look, and puts it into the manifest
    and, from the second on, into the report's warnings."""
    written = read_manifest(out)
    if written is None:
        return
    key = key_of(
        str(out.resolve()),
        manifest.data_hash,
        manifest.corpus_hash,
        manifest.judge_version,
        manifest.settings.model_dump(mode="json"),
    )
    name = manifest.run.get("name")
    look = look_at(
        (*inputs.samples, *inputs.queries, *inputs.run),
        lambda: (sample for sample, _ in inputs.flagged()),
        key=key,
        run=None if name is None else str(name),
        evaluation=str(out),
        facts=facts,
    )
    if look is None:
        return
    told = {"split": look.split, "look": look.number}
    written = written.model_copy(update={"test_split": told})
    at.write_atomically(out / at.MANIFEST, written.to_json())
    if look.warning is not None:
        report["warnings"].insert(0, look.warning)
        at.write_atomically(out / at.REPORT, at.to_json(report))


def _kept(labels: list[Label], kept: list[Label]) -> list[Label]:
    kept.extend(labels)
    return labels


async def _closing(evaluation: Awaitable[dict[str, Any]], judges: Judges) -> dict[str, Any]:
    try:
        return await evaluation
    finally:
        await judges.aclose()


def read_run_info(path: Path | None) -> dict[str, Any]:
    """The run facts, a JSON object; DataError says what came instead."""
    if path is None:
        return {}
    found, problems = read_object(path)
    if found is None:
        raise DataError(f"--run-info {problems[0]}", problems)
    return found


def own_version() -> str:
    """The installed version, or "unknown" in a bare checkout."""
    try:
        return version("ragdiag-eval")
    except PackageNotFoundError:
        return "unknown"
