"""Options that several commands share, and how their text is read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal, cast, get_args

import typer

from ragdiag.errors import UsageError

Unit = Literal["passage", "page", "document", "object"]
Treatment = Literal["report", "collapse"]
CitationRule = Literal["support", "alce"]

SampleFiles = Annotated[
    list[Path] | None,
    typer.Argument(help="Sample files (JSONL; plain, .gz or .zst). Several are shards of one run."),
]
QueriesFiles = Annotated[
    list[Path] | None,
    typer.Option("--queries", help="Query half of the samples; needs --run."),
]
RunFiles = Annotated[
    list[Path] | None, typer.Option("--run", help="Run half of the samples; joined by query_id.")
]
CorpusFile = Annotated[
    Path | None,
    typer.Option("--corpus", help="JSONL, Parquet or a folder of PDFs: traces what was lost."),
]
KCutoffs = Annotated[str, typer.Option("-k", "--k", help="Cut-offs, comma-separated.")]
NearDuplicates = Annotated[
    str,
    typer.Option(
        "--near-duplicates",
        help="Passages of one text under several ids: report, or collapse them into one.",
    ),
]
NumberTolerance = Annotated[
    float | None,
    typer.Option(
        "--number-tolerance",
        min=0,
        max=1,
        help="An amount this close (relative) to the reference's is right; 0: only the same. "
        "Where absent: one within 0.005 is left to the judge.",
    ),
]
ClusterBy = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Queries come in clusters, for intervals: a slice, document, question; none.",
    ),
]
MinCoverage = Annotated[
    float | None,
    typer.Option(
        "--min-coverage",
        min=0,
        max=1,
        help="Share of applicable queries that must be scored for a mean to be told (0.5).",
    ),
]
Rpm = Annotated[
    int | None, typer.Option("--rpm", min=1, help="Requests a minute to one model, at most.")
]
Tpm = Annotated[
    int | None, typer.Option("--tpm", min=1, help="Tokens a minute to one model, at most.")
]
GivenPrices = Annotated[
    list[str] | None,
    typer.Option("--price", help="MODEL=IN,OUT[,CACHED]: US dollars per million tokens."),
]
PricesFile = Annotated[
    Path | None,
    typer.Option("--prices", help="TOML file of [[price]] model, input, output, cached."),
]
Directory = Annotated[Path, typer.Argument(help="An evaluation directory.")]


def evaluation_directory(path: Path) -> Path:
    """The directory itself, or the one that holds the file named (DIR/report.html); UsageError
    where the file lies in no evaluation directory."""
    if not path.is_file():
        return path
    from ragdiag.evaluation.directory import MANIFEST  # noqa: PLC0415 - keeps --help fast

    if not (path.parent / MANIFEST).exists():
        raise UsageError(
            f"{path} is a file, and not one of an evaluation directory (no {MANIFEST} beside it); "
            "name the directory that `ragdiag evaluate … -o DIR` made"
        )
    return path.parent


def finite(option: str, value: float | None) -> float | None:
    """The number of an option; UsageError for nan and infinity, which pass every comparison."""
    if value is not None and not math.isfinite(value):
        raise UsageError(f"{option} takes a number; came {value}")
    return value


def summing_changes(*, cluster: str | None, min_coverage: float | None) -> dict[str, object]:
    """The settings of the summary that were given."""
    from ragdiag.text.clusters import NO_CLUSTER  # noqa: PLC0415 - keeps --help fast

    given = {"cluster": cluster, "min_coverage": finite("--min-coverage", min_coverage)}
    return {
        name: None if value == NO_CLUSTER else value
        for name, value in given.items()
        if value is not None
    }


def parse_cutoffs(text: str) -> tuple[int, ...]:
    """ "5,1,10" -> (1, 5, 10); UsageError for anything but positive whole numbers."""
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = []
    if not found or found[0] < 1:
        raise UsageError(f"-k takes whole numbers from 1, with commas (1,3,5,10); came {text!r}")
    return tuple(found)


def parse_unit(text: str) -> Unit:
    """One of the units; UsageError names them."""
    if text not in get_args(Unit):
        raise UsageError(f"--unit takes one of {', '.join(get_args(Unit))}; came {text!r}")
    return cast("Unit", text)


def parse_citation_rule(text: str) -> CitationRule:
    """One of the rules; UsageError for any other word."""
    if text not in get_args(CitationRule):
        known = ", ".join(get_args(CitationRule))
        raise UsageError(f"--citation-rule takes one of {known}; came {text!r}")
    return cast("CitationRule", text)


def parse_near_duplicates(text: str) -> Treatment:
    """One of the treatments; UsageError names them."""
    if text not in get_args(Treatment):
        known = ", ".join(get_args(Treatment))
        raise UsageError(f"--near-duplicates takes one of {known}; came {text!r}")
    return cast("Treatment", text)


def parse_metrics(text: str | None) -> tuple[str, ...] | None:
    """ "recall,faithfulness" -> a tuple of known names; None stays None (all)."""
    if text is None:
        return None
    from ragdiag.pipeline import known_metrics  # noqa: PLC0415 - keeps --help fast

    asked = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    known = known_metrics()
    unknown = [name for name in asked if name not in known]
    if unknown or not asked:
        raise UsageError(
            f"--metrics: no metric {', '.join(map(repr, unknown)) or repr(text)}; "
            f"known: {', '.join(known)}"
        )
    return asked
