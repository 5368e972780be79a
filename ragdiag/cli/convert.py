"""`ragdiag convert`: files of other tools as samples, and samples as other tools read them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ragdiag.errors import UsageError

_HUB = "hf:"


def convert(
    file: Annotated[
        str,
        typer.Argument(
            help="JSON, JSONL, CSV, Parquet (plain, gzip, zstd) of another tool; or hf:DATASET, a "
            "name on the hub or a folder."
        ),
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
    split: Annotated[str | None, typer.Option(help="Split of hf:DATASET.")] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--map", help="FIELD=COLUMN of hf:DATASET (reference=answers.text)."),
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

    if file.startswith(_HUB):
        if name or to or corpus:
            raise UsageError("--from, --to and --corpus go with files, not with hf:DATASET")
        found = _from_dataset(file.removeprefix(_HUB), out, split, columns or [])
    elif split or columns:
        raise UsageError("--split and --map go with hf:DATASET")
    else:
        found = convert_file(Path(file), out, name=name, to=to, corpus=corpus)
    if as_json:
        sys.stdout.write(to_json(found))
        return
    if file.startswith(_HUB):
        print(f"{found['n_samples']} samples of {file} in {out}")
        return
    for line in conversion_lines(found):
        print(line)


def _from_dataset(name: str, out: Path, split: str | None, columns: list[str]) -> dict[str, Any]:
    """A dataset of Hugging Face as samples; the file is whole or not there."""
    from ragdiag.evaluation.directory import sample_line  # noqa: PLC0415
    from ragdiag.integrations.hf_datasets import read_dataset  # noqa: PLC0415

    pairs = [text.partition("=") for text in columns]
    if wrong := [
        text
        for text, (field, _, column) in zip(columns, pairs, strict=True)
        if not (field and column)
    ]:
        raise UsageError(f"--map takes FIELD=COLUMN (query=question); came {wrong[0]!r}")
    mapping = {field.strip(): column.strip() for field, _, column in pairs}
    beside = out.with_name(out.name + ".part")
    count = 0
    try:
        with beside.open("wb") as file:
            for sample in read_dataset(name, columns=mapping, split=split):
                file.write(sample_line(sample))
                count += 1
        beside.replace(out)
    finally:
        beside.unlink(missing_ok=True)
    return {"file": f"{_HUB}{name}", "out": str(out), "split": split, "n_samples": count}
