"""`ragdiag ann`: what an approximate index loses against exact search."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragdiag.cli.options import KCutoffs, parse_cutoffs

if TYPE_CHECKING:
    from ragdiag.data.runs import RunTable
    from ragdiag.retrieval.ann import AnnRecall

_SHOWN = 5


def ann(
    approximate: Annotated[Path, typer.Argument(help="Run of the approximate index.")],
    exact: Annotated[Path, typer.Argument(help="Run of exact search on the same embeddings.")],
    *,
    k: KCutoffs = "1,10,100",
    as_json: Annotated[bool, typer.Option("--json", help="Print the section as JSON.")] = False,
) -> None:
    """Recall of an approximate index against exact search: index quality, not relevance."""
    from ragdiag.data.runs import read_run  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415
    from ragdiag.retrieval.ann import ann_recall  # noqa: PLC0415

    cuts = parse_cutoffs(k)
    tables = read_run(approximate), read_run(exact)
    found = ann_recall(*tables, cuts)
    for table in tables:
        for warning in table.warnings:
            print(f"warning: {warning}", file=sys.stderr)
    section = found.section()
    if as_json:
        sys.stdout.write(to_json(section))
    else:
        _print(found, section, *tables)


def _print(
    found: AnnRecall, section: dict[str, Any], approximate: RunTable, exact: RunTable
) -> None:
    from ragdiag.report.numbers import interval, share, value  # noqa: PLC0415

    print(f"ANN recall of {approximate.file} ({approximate.format})")
    print(f"against exact search in {exact.file} ({exact.format})")
    print("(the share of the exact top k that the index returned; not relevance)")
    print(f"\n{'':16}{'mean':>7}  {'95% interval':14}{'queries':>9}  full overlap")
    for k in found.ks:
        one = section["metrics"][f"ann_recall@{k}"]
        full = section["full_overlap"][f"full_overlap@{k}"]
        note = f"  ({one['n_short']} exact lists are shorter than {k})" if one["n_short"] else ""
        print(
            f"ann_recall@{k:<5}{value(one['value']):>7}  "
            f"{interval(one['ci_low'], one['ci_high']):14}{one['n']:>9}  "
            f"{share(full['share'])}{note}"
        )
    _print_queries("without an approximate list (their recall is 0)", found.missing)
    _print_queries("only in the approximate run (in no mean)", found.not_exact)


def _print_queries(what: str, queries: tuple[str, ...]) -> None:
    if queries:
        more = ", …" if len(queries) > _SHOWN else ""
        print(f"{len(queries)} queries {what}: {', '.join(queries[:_SHOWN])}{more}")
