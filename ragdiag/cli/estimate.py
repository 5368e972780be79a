"""`ragdiag estimate`: what an evaluation would cost, without a call."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ragdiag.cli.options import (
    CorpusFile,
    GivenPrices,
    NumberTolerance,
    PricesFile,
    QueriesFiles,
    Rpm,
    RunFiles,
    SampleFiles,
    Tpm,
    finite,
    parse_metrics,
)


def estimate(
    samples: SampleFiles = None,
    *,
    queries: QueriesFiles = None,
    run: RunFiles = None,
    corpus: CorpusFile = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="What this directory holds already is taken off.")
    ] = Path("ragdiag-out"),
    judge: Annotated[str, typer.Option(help="As for evaluate.")] = "llm",
    model: Annotated[str | None, typer.Option(help="Model of --judge llm.")] = None,
    base_url: Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint.")] = None,
    metrics: Annotated[
        str | None, typer.Option(help="Only these metrics, comma-separated; all where absent.")
    ] = None,
    number_tolerance: NumberTolerance = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Calls at a time.")] = 8,
    rpm: Rpm = None,
    tpm: Tpm = None,
    latency: Annotated[
        float | None, typer.Option(min=0, help="Seconds a call takes, if you know it.")
    ] = None,
    price: GivenPrices = None,
    prices: PricesFile = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="As if begun anew with --fresh.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the estimate as JSON.")] = False,
) -> None:
    """Calls, tokens, money and time of an evaluation, without calling a model."""
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.estimating import estimate_files  # noqa: PLC0415
    from ragdiag.evaluation.files import Inputs, Options  # noqa: PLC0415
    from ragdiag.records import Settings  # noqa: PLC0415

    inputs = Inputs(
        samples=tuple(samples or ()), queries=tuple(queries or ()), run=tuple(run or ()),
        corpus=corpus,
    )  # fmt: skip
    options = Options(
        settings=Settings(number_tolerance=number_tolerance, metrics=parse_metrics(metrics)),
        judge=judge,
        model=model,
        base_url=base_url,
        concurrency=concurrency,
        fresh=fresh,
        rpm=rpm,
        tpm=tpm,
        price=tuple(price or ()),
        prices_file=prices,
    )
    found = estimate_files(inputs, options, out=out, latency=finite("--latency", latency))
    if as_json:
        sys.stdout.write(to_json(found))
    else:
        _print(found)


def _print(found: Mapping[str, Any]) -> None:
    before = found["n_judged_before"]
    judged = f", {before} of them judged already" if before else ""
    print(f"estimate for {found['judge']}: {found['n_samples']} samples{judged}\n")
    print(f"{'':14}{'calls':>9}{'from cache':>12}{'tokens in':>13}{'tokens out':>12}{'USD':>12}")
    for name, row in (*found["by_check"].items(), ("total", found)):
        print(_row(name, row))
    if len(found["models"]) > 1:
        print()
        for row in found["models"]:
            print(f"{_row('', row)}  {row['model']}")
    bounds = found["seconds_by"]
    bound = max(bounds, key=lambda name: bounds[name])
    print(f"\ntime   about {_duration(found['seconds'])}, bounded by {bound}")
    for row in found["models"]:
        if row["price"] is None:
            print(f"price of {row['model']} unknown: give --price {row['model']}=IN,OUT")
    for line in found["assumptions"]:
        print(textwrap.fill(line, 100, subsequent_indent=" " * 7))
    for line in found["notes"]:
        print(f"note: {line}", file=sys.stderr)


def _row(name: str, row: Mapping[str, Any]) -> str:
    usd = "unknown" if row["usd"] is None else f"{row['usd']:.4f}"
    return (
        f"{name:14}{row['calls']:>9,}{row['cached']:>12,}{row['input_tokens']:>13,}"
        f"{row['output_tokens']:>12,}{usd:>12}"
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
