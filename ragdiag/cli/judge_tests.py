"""`ragdiag judge repeat` and `judge probe`: is what a judge says stable, and free of bias?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ragdiag.cli.judge import AsJson, BaseUrl, ModelName, group
from ragdiag.errors import UsageError

SourcePath = Annotated[
    Path, typer.Argument(help="An evaluation directory, or a file of samples (JSONL, Parquet).")
]
JudgeSpec = Annotated[
    str | None,
    typer.Option("--judge", help="The directory's own where absent, of a file: screen."),
]
Some = Annotated[
    int | None, typer.Option("-n", "--samples", min=1, help="Only so many, drawn by their ids.")
]
AtOnce = Annotated[int, typer.Option("--concurrency", min=1, help="Calls at a time.")]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write the figures to this JSON file.")
]


@group.command("repeat")
def repeat(
    source: SourcePath,
    *,
    judge: JudgeSpec = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    times: Annotated[int, typer.Option(min=2, max=50, help="How often each is asked.")] = 5,
    samples: Some = None,
    concurrency: AtOnce = 8,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Ask the same again: how often does the judge say something else?

    Each time has cache entries of its own, in an evaluation's cache: there the same command again
    makes no call. Replies about a sample file are not kept.
    """
    from ragdiag.evaluation import judge_tests  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.probe_lines import print_repeats  # noqa: PLC0415

    _require_file(output)
    read = judge_tests.read_source(source, judge=judge, n=samples)
    repeats = judge_tests.judges_of(
        read, times, model=model, base_url=base_url, concurrency=concurrency
    )
    found = judge_tests.repeat(read, repeats, concurrency=concurrency)
    saved = _kept(found, output)
    if as_json:
        _print_json(found)
    else:
        print_repeats(found, saved=saved)


@group.command("probe")
def probe(
    source: SourcePath,
    *,
    judge: JudgeSpec = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    probes: Annotated[
        str | None, typer.Option(help="Only these, comma-separated; all where absent.")
    ] = None,
    samples: Some = None,
    concurrency: AtOnce = 8,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Change what should not matter, and what must: does the judge move as it should?

    Order of the passages, length, a confident tone, another model's name, citation marks, an
    irrelevant passage should move nothing; the gold swapped must be noticed; empty answers must
    fail.
    """
    from ragdiag.evaluation import judge_tests  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.probe_lines import print_probes  # noqa: PLC0415

    _require_file(output)
    chosen = judge_tests.probes_named(
        None if probes is None else [one.strip() for one in probes.split(",") if one.strip()]
    )
    read = judge_tests.read_source(source, judge=judge, n=samples)
    (judges,) = judge_tests.judges_of(
        read, 1, model=model, base_url=base_url, concurrency=concurrency
    )
    told = _told if judges.llms else None
    found = judge_tests.probe(read, judges, chosen, concurrency=concurrency, told=told)
    saved = _kept(found, output)
    if as_json:
        _print_json(found)
    else:
        print_probes(found, saved=saved)


def _told(name: str) -> None:
    print(f"probe {name}", file=sys.stderr)


def _require_file(output: Path | None) -> None:
    if output is not None and output.is_dir():
        raise UsageError(f"--output: {output} is a folder; name a file")


def _kept(found: dict[str, Any], output: Path | None) -> str | None:
    from ragdiag.evaluation.directory import to_json, write_atomically  # noqa: PLC0415

    if output is None:
        return None
    output.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(output, to_json(found))
    return str(output)


def _print_json(found: dict[str, Any]) -> None:
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415

    sys.stdout.write(to_json(found))
