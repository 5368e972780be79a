"""`ragdiag pool`: what people should label next, out of several systems' top results."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def pool(
    runs: Annotated[list[Path], typer.Argument(help="Runs of the systems, of any known format.")],
    *,
    depth: Annotated[
        int, typer.Option("--depth", min=1, help="How deep to look in each run.")
    ] = 20,
    qrels: Annotated[
        Path | None, typer.Option("--qrels", help="Labels that exist: these pairs are left out.")
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(help="{passage_id, doc_id, page, text}, or PDFs: texts for the lines."),
    ] = None,
    queries: Annotated[
        Path | None, typer.Option(help="Queries {query_id, query}: their texts in the lines.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Most pairs, shared out over the queries.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A file instead of standard output.")
    ] = None,
) -> None:
    """List the unlabelled (query, passage) pairs of several runs' top K as JSON lines.

    A person adds "label": 0, 1 or 2 to each line; `ragdiag retrieval --labels` takes them.
    """
    from ragdiag.data import pool as pooling  # noqa: PLC0415 - keeps --help fast
    from ragdiag.data.pool_texts import read_texts  # noqa: PLC0415
    from ragdiag.data.qrels import read_qrels  # noqa: PLC0415
    from ragdiag.data.runs import read_run  # noqa: PLC0415
    from ragdiag.report.numbers import counted  # noqa: PLC0415

    tables = [read_run(path) for path in runs]
    labels = None if qrels is None else read_qrels(qrels)
    for table in (*tables, *([] if labels is None else [labels])):
        for warning in table.warnings:
            print(f"warning: {warning}", file=sys.stderr)
    found = pooling.pool(tables, depth=depth, qrels=labels, limit=limit)
    texts = read_texts(found.frame, tables, corpus=corpus or (), queries=queries or ())
    text = "".join(
        json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in found.lines(texts)
    )
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8", newline="\n")
    passages = set(found.frame["passage_id"])
    if corpus is not None and (lost := sorted(passages - texts.passages.keys())):
        print(
            f"warning: {len(lost)} of {len(passages)} passages are not in {corpus}, as {lost[0]!r}",
            file=sys.stderr,
        )
    asked = set(found.frame["query_id"])
    if queries is not None and (lost := sorted(asked - texts.queries.keys())):
        print(
            f"warning: {len(lost)} of {len(asked)} queries are not in {queries}, as {lost[0]!r}",
            file=sys.stderr,
        )
    beyond = f", {found.n_left_out} more beyond --limit" if found.n_left_out else ""
    print(
        f"{counted(found.frame.height, 'pair')} to label of "
        f"{counted(len(asked), 'query', 'queries')}{beyond}; "
        f"{found.n_labelled} of the {found.n_union} pairs in the top {depth} of "
        f"{counted(len(tables), 'run')} have a label",
        file=sys.stderr,
    )
