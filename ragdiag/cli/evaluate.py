"""`ragdiag evaluate`: samples in, an evaluation directory and a summary out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ragdiag.cli.ladder import (
    LadderConcurrency,
    LadderFor,
    LadderLimit,
    LadderOf,
    LadderRepeats,
    LadderTimeout,
    climb_after,
    load_ladder,
)
from ragdiag.cli.options import (
    ClusterBy,
    CorpusFile,
    GivenPrices,
    KCutoffs,
    MinCoverage,
    NearDuplicates,
    NumberTolerance,
    PricesFile,
    QueriesFiles,
    Rpm,
    RunFiles,
    SampleFiles,
    Tpm,
    finite,
    parse_citation_rule,
    parse_cutoffs,
    parse_metrics,
    parse_near_duplicates,
    parse_unit,
    summing_changes,
)


def evaluate(
    samples: SampleFiles = None,
    *,
    queries: QueriesFiles = None,
    run: RunFiles = None,
    corpus: CorpusFile = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="People's labels: only measures agreement (a judge file:PATH sets them)."
        ),
    ] = None,
    run_info: Annotated[
        Path | None, typer.Option(help="JSON object of run facts, kept in manifest and report.")
    ] = None,
    ann_exact: Annotated[
        Path | None,
        typer.Option(help="Exact-search run on the same embeddings: adds the index's ANN recall."),
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="The evaluation directory.")] = Path(
        "ragdiag-out"
    ),
    judge: Annotated[
        str,
        typer.Option(
            help="screen, llm[:MODEL[@BASE_URL]], file:PATH, cascade:A,B, jury:A,B,C, jury:3*llm."
        ),
    ] = "screen",
    model: Annotated[str | None, typer.Option(help="Model of --judge llm.")] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="OpenAI-compatible endpoint; the key: RAGDIAG_API_KEY, else OPENAI_API_KEY."
        ),
    ] = None,
    k: KCutoffs = "1,3,5,10",
    unit: Annotated[
        str, typer.Option(help="What counts as one result: passage, page, document, object.")
    ] = "passage",
    near_duplicates: NearDuplicates = "report",
    metrics: Annotated[
        str | None, typer.Option(help="Only these metrics, comma-separated; all where absent.")
    ] = None,
    require_citations: Annotated[
        bool, typer.Option("--require-citations", help="Answers without citations are faulty.")
    ] = False,
    citation_rule: Annotated[
        str,
        typer.Option(
            help="When a citation is right: support, or alce (not where the others alone support)."
        ),
    ] = "support",
    number_tolerance: NumberTolerance = None,
    cluster: ClusterBy = None,
    min_coverage: MinCoverage = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Samples judged at once.")] = 8,
    rpm: Rpm = None,
    tpm: Tpm = None,
    sample_deadline: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds for all calls of one sample.")
    ] = None,
    price: GivenPrices = None,
    prices: PricesFile = None,
    budget: Annotated[
        float | None,
        typer.Option(min=0, help="US dollars for all calls, earlier runs included; exit 3 there."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes of the embedded judge; one a core where absent."),
    ] = None,
    judge_validation: Annotated[
        Path | None,
        typer.Option(
            help="validation.json (or its directory) of `ragdiag agreement` on this judge."
        ),
    ] = None,
    max_errors: Annotated[
        float, typer.Option(min=0, max=1, help="Share of judge errors from which the exit is 3.")
    ] = 0.01,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew in an old directory.")] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Go on in a directory of other data or settings: keep what still stands.",
        ),
    ] = False,
    ladder: LadderOf = None,
    ladder_for: LadderFor = "failures",
    ladder_limit: LadderLimit = None,
    ladder_repeats: LadderRepeats = 1,
    ladder_concurrency: LadderConcurrency = None,
    ladder_timeout: LadderTimeout = 120.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json, no summary.")] = False,
) -> None:
    """Evaluate samples: three layers, and one diagnosis a query."""
    from ragdiag.cli.progress import progress  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.files import Inputs, Options, evaluate_files  # noqa: PLC0415
    from ragdiag.records import Settings  # noqa: PLC0415
    from ragdiag.report.terminal import print_summary  # noqa: PLC0415

    settings = Settings(
        k=parse_cutoffs(k),
        unit=parse_unit(unit),
        near_duplicates=parse_near_duplicates(near_duplicates),
        require_citations=require_citations,
        citation_rule=parse_citation_rule(citation_rule),
        number_tolerance=number_tolerance,
        metrics=parse_metrics(metrics),
    ).model_copy(update=summing_changes(cluster=cluster, min_coverage=min_coverage))
    options = Options(
        settings=settings,
        judge=judge,
        model=model,
        base_url=base_url,
        concurrency=concurrency,
        workers=workers,
        max_errors=max_errors,
        fresh=fresh,
        force=force,
        rpm=rpm,
        tpm=tpm,
        sample_deadline=finite("--sample-deadline", sample_deadline),
        price=tuple(price or ()),
        prices_file=prices,
        budget=finite("--budget", budget),
        judge_validation=judge_validation,
    )
    inputs = Inputs(
        samples=tuple(samples or ()),
        queries=tuple(queries or ()),
        run=tuple(run or ()),
        corpus=corpus,
        labels=labels,
        run_info=run_info,
        ann_exact=ann_exact,
    )
    climb = load_ladder(
        ladder,
        chosen=ladder_for,
        limit=ladder_limit,
        repeats=ladder_repeats,
        concurrency=ladder_concurrency,
        timeout=ladder_timeout,
    )
    with progress() as shown:
        report = evaluate_files(
            inputs,
            options,
            out=out,
            on_result=shown.result,
            on_total=shown.total,
            on_limited=shown.limited,
        )
    climbed = None
    if climb is not None:
        report, climbed = climb_after(climb, out, options)
    if as_json:
        from ragdiag.evaluation.directory import to_json  # noqa: PLC0415

        sys.stdout.write(to_json(report))
    else:
        print_summary(report, directory=out)
    _tell_first_look(out)
    from ragdiag.evaluation.incomplete import refuse_errors  # noqa: PLC0415

    refuse_errors(report, max_errors)
    if climbed is not None:
        from ragdiag.evaluation import climbing  # noqa: PLC0415

        climbing.refuse_errors(climbed, max_errors)


def _tell_first_look(out: Path) -> None:
    """A line on the first look at a test split; later ones are among the report's warnings."""
    from ragdiag.evaluation.manifest import read_manifest  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.visible import one_line  # noqa: PLC0415

    manifest = read_manifest(out)
    told = manifest.test_split if manifest is not None else None
    if told is not None and told["look"] == 1:
        line = f"look 1 at the test split, counted in {told['split']}"
        print(one_line(line), file=sys.stderr)
