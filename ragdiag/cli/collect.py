"""`ragdiag collect`: queries and a pipeline in, a file of samples to evaluate out."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragdiag.cli.options import finite
from ragdiag.errors import UsageError

if TYPE_CHECKING:
    from ragdiag.collecting.collect import Tally
    from ragdiag.collecting.pipelines import Pipeline


def collect(
    queries: Annotated[
        list[Path], typer.Argument(help="Queries: query halves or whole samples (JSONL, Parquet).")
    ],
    *,
    pipeline: Annotated[
        str | None,
        typer.Option(help="module:function or file.py:function; sync or async, or a retriever."),
    ] = None,
    http: Annotated[
        str | None, typer.Option(help="URL of an endpoint: each query is POSTed as JSON.")
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(help="'Name: value' for --http; ${VAR} is read from the environment."),
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="The samples (JSONL).")] = Path(
        "run.jsonl"
    ),
    run_info: Annotated[
        Path | None, typer.Option(help="JSON object of run facts to add (retriever, k, …).")
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, help="Queries at once: 8, but 1 for a blocking function."),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds a query may take.")] = 120.0,
    retries: Annotated[
        int, typer.Option(min=0, help="Further tries of --http when the server is busy.")
    ] = 2,
    max_errors: Annotated[
        float, typer.Option(min=0, max=1, help="Share of failed queries over which the exit is 3.")
    ] = 0.01,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask everything anew.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Ask your pipeline every query; what it found and said becomes samples to evaluate.

    The same command goes on after an interruption and asks failed queries again.
    """
    from ragdiag.cli.progress import progress  # noqa: PLC0415 - keeps --help fast
    from ragdiag.collecting.collect import Work, collect_files, refuse_errors  # noqa: PLC0415
    from ragdiag.data.native import read_joined  # noqa: PLC0415
    from ragdiag.evaluation.files import read_run_info  # noqa: PLC0415
    from ragdiag.evaluation.looks import note_of, without_note  # noqa: PLC0415

    limit = finite("--timeout", timeout)
    with redirect_stdout(sys.stderr):  # what a pipeline prints is no part of our output
        asked = _asked(pipeline, http, header or [], timeout=timeout, retries=retries)
    work = Work(
        concurrency=concurrency,
        timeout=limit,
        max_errors=max_errors,
        fresh=fresh,
        given=without_note(read_run_info(run_info)),
        noted=lambda: note_of(queries, lambda: (one.sample for one in read_joined(queries))),
    )
    with redirect_stdout(sys.stderr), progress("asking") as shown:
        tally = collect_files(
            tuple(queries),
            asked,
            work,
            out,
            on_done=shown.step,
            on_total=shown.total,
        )
    for warning in tally.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if as_json:
        sys.stdout.write(json.dumps(_counts(tally, out), allow_nan=False, indent=2) + "\n")
    else:
        print("\n".join(_summary(tally, out)))
    refuse_errors(tally, max_errors)


def _asked(
    pipeline: str | None, url: str | None, headers: list[str], *, timeout: float, retries: int
) -> Pipeline:
    from ragdiag.collecting.http import http_pipeline, read_headers, shown  # noqa: PLC0415
    from ragdiag.collecting.pipelines import load_pipeline  # noqa: PLC0415

    if (pipeline is None) == (url is None):
        raise UsageError("give one of --pipeline module:function and --http URL")
    if pipeline is not None:
        if headers:
            raise UsageError("--header goes with --http")
        return load_pipeline(pipeline)
    assert url is not None
    name = shown(url)
    return http_pipeline(
        url, name=name, headers=read_headers(headers), timeout=timeout, retries=retries
    )


def _counts(tally: Tally, out: Path) -> dict[str, Any]:
    return {
        "out": str(out),
        "n_queries": tally.n_queries,
        "n_kept": tally.n_kept,
        "n_asked": tally.n_asked,
        "n_errors": tally.n_errors,
        "errors": dict(tally.kinds),
        "first_error": tally.first_error,
        "left_out_keys": dict(tally.left_out),
        "warnings": list(tally.warnings),
    }


def _summary(tally: Tally, out: Path) -> list[str]:
    from ragdiag.collecting.output import Output  # noqa: PLC0415
    from ragdiag.report.numbers import counted, milliseconds  # noqa: PLC0415

    kept = f" ({tally.n_kept} kept from before)" if tally.n_kept else ""
    lines = [f"{counted(tally.n_queries, 'query', 'queries')} in {out}{kept}"]
    if tally.latency:
        times = sorted(tally.latency)
        half, late = times[len(times) // 2], times[min(len(times) - 1, int(len(times) * 0.95))]
        lines.append(
            f"a query took {milliseconds(half)} at the median, {milliseconds(late)} at p95"
        )
    if tally.n_errors:
        kinds = ", ".join(f"{kind} {n}" for kind, n in tally.kinds.most_common(5))
        lines.append(f"{tally.n_errors} failed ({kinds}); first {tally.first_error}")
    if tally.left_out:
        keys = ", ".join(map(repr, sorted(tally.left_out)[:8]))
        lines.append(f"left out, as no field stands for it: {keys}")
    facts = out.with_name(Output(out).facts.name)
    names = (quote(str(name)) for name in (out, facts, f"{out.stem}-evaluation"))
    lines.append("next: ragdiag evaluate {} --run-info {} -o {}".format(*names))
    return lines
