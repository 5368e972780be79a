"""`ragdiag split`: a development and a test split, by document or family, never by row."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ragdiag.errors import UsageError


def split(
    samples: Annotated[
        list[Path], typer.Argument(help="Samples, or their query half; several are shards.")
    ],
    *,
    out: Annotated[Path, typer.Option("-o", "--out", help="A directory for the three files.")],
    by: Annotated[
        str,
        typer.Option(
            help="What stays together: document (the gold's), or a slice (family); several with "
            "commas. The same query always does; query: nothing else."
        ),
    ] = "document",
    test: Annotated[float, typer.Option("--test", help="Share of the test split.")] = 0.3,
    seed: Annotated[int, typer.Option(help="Draws among groups of one size.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print split.json.")] = False,
) -> None:
    """Write dev.jsonl, test.jsonl and split.json, whole groups on one side.

    The test split is to be looked at once: evaluations of it, or of what `ragdiag collect` made of
    it, are counted in split.json, and the second warns. A copied test.jsonl is known only near it.
    """
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.splitting import split_files  # noqa: PLC0415
    from ragdiag.report.visible import one_line  # noqa: PLC0415

    names = list(dict.fromkeys(part.strip() for part in by.split(",") if part.strip()))
    if not names:
        raise UsageError(f"--by takes document, or the name of a slice; came {by!r}")
    found = split_files(samples, out, by=names, share=test, seed=seed)
    if as_json:
        sys.stdout.write(to_json(found))
        return
    for line in _lines(found, out):
        print(one_line(line))


def _lines(found: Mapping[str, Any], out: Path) -> Iterator[str]:
    groups, n = found["groups"], found["n"]
    yield f"{n} samples in {groups['n']} groups by {', '.join(found['by'])} (the same query is one)"
    for name in ("dev", "test"):
        file = found["files"][name]
        yield (
            f"{name:5}{file['n']:>7} samples {file['n'] / n:6.1%}  "
            f"{groups[f'n_{name}']:>6} groups  {out / file['name']}"
        )
    for warning in found["warnings"]:
        yield f"warning: {warning}"
    yield (
        f"next: tune on {out / 'dev.jsonl'}; looks at the test split are counted in "
        f"{out / 'split.json'}"
    )
