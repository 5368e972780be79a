"""`ragdiag convert`: files of other tools as samples, and samples as other tools read them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def convert(
    file: Annotated[
        Path,
        typer.Argument(help="JSON, JSONL, CSV or Parquet (plain, gzip, zstd) of another tool."),
    ],
    *,
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write (JSONL).")],
    name: Annotated[
        str | None,
        typer.Option("--from", help="The tool that wrote FILE; told by its structure if absent."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="Write for ragas or deepeval, not as ragdiag's samples.")
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(help="Corpus (JSONL or Parquet): gives ids without a text their text."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Write what another tool exported as samples, and say how it was read.

    `evaluate` and `check` read the same files directly. Exit 2, and nothing written, where the file
    is no known export or any of its rows is broken.
    """
    from ragdiag.evaluation.converting import (  # noqa: PLC0415 - keeps --help fast
        conversion_lines,
        convert_file,
    )
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415

    found = convert_file(file, out, name=name, to=to, corpus=corpus)
    if as_json:
        sys.stdout.write(to_json(found))
        return
    for line in conversion_lines(found):
        print(line)
