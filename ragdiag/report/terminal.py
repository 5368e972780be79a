"""report.json on a terminal: one screen of 100 columns. Reads nothing but the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.report import numbers
from ragdiag.report.headline import (
    ANSWER,
    EVIDENCE,
    agreement_lines,
    judge_line,
    retrieval_rows,
    top_categories,
    worst_slices,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ragdiag.diagnosis.explain import Section

WIDTH = 100
_MOST_WARNINGS = 3


def print_summary(report: Mapping[str, Any], *, directory: Path | None = None) -> None:
    """Prints the minimal report on standard output."""
    console = _console()
    for part in summary_parts(report, directory):
        console.print(part)


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415 - heavy, and needed here only

    console = Console(highlight=False, markup=False, soft_wrap=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console


def summary_parts(report: Mapping[str, Any], directory: Path | None) -> Iterable[Any]:
    """The parts of the summary, in order: texts and tables of rich."""
    yield _head(report)
    yield _families(report)
    rows = top_categories(report)
    if rows:
        yield _categories(rows)
    found = retrieval_rows(report)
    if found:
        yield _retrieval(report, found)
    yield _layers(report)
    yield from _foot(report, directory)


def _head(report: Mapping[str, Any]) -> Any:
    from rich.text import Text  # noqa: PLC0415

    corpus = report["corpus"]
    told = [f"{corpus['n_queries']} queries"]
    if corpus.get("n_passages") is not None:
        told.append(f"corpus {corpus['n_documents']} documents, {corpus['n_passages']} passages")
    told.append(f"unit {report['unit']}")
    return Text.assemble(
        ("ragdiag", "bold"), "  ", " · ".join(told), "\n", (judge_line(report), "dim")
    )


def _table(*columns: str, title: str) -> Table:
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column(title, no_wrap=True, min_width=24, header_style="bold")
    for column in columns:
        last = column == "fix" or column.startswith("next")
        table.add_column(
            column, justify="left" if last else "right", no_wrap=True, header_style="dim"
        )
    return table


def _families(report: Mapping[str, Any]) -> Table:
    table = _table("n", "share", "95% interval", title="Where it fails first")
    total = report["n_diagnosed"]
    for family, row in report["families"].items():
        if row["n"]:
            table.add_row(family, str(row["n"]), numbers.share(row["share"]), _interval(row))
    undecided = total - sum(row["n"] for row in report["families"].values())
    if undecided > 0:
        table.add_row("(family undetermined)", str(undecided), numbers.share(undecided / total), "")
    if not total:
        why = ", ".join(f"{reason} {n}" for reason, n in report["no_code"].items())
        table.add_row(f"no diagnosis ({why or 'no queries'})", "", "", "")
    return table


def _categories(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    table = _table("n", "share", "fix", "next experiment", title="Major failure categories")
    for code, row in rows:
        table.add_row(
            f"{code:<4}{row['name']}",
            str(row["n"]),
            numbers.share(row["share"]),
            row["fix"] or "",
            row["next_experiment"] or "",
        )
    return table


def _retrieval(report: Mapping[str, Any], rows: Sequence[Sequence[str]]) -> Table:
    columns = ("precision", "recall", "hit", "MRR", "MAP", "nDCG", "any", "complete", "judged")
    gain = "" if report["gain"] == "exponential" else f", {report['gain']} gain"
    table = _table(*columns, title=f"Retrieval (evidence: any, complete{gain})")
    for row in rows:
        table.add_row(*row)
    return table


def _layers(report: Mapping[str, Any]) -> Table:
    table = _table("mean", "95% interval", "scored", title="Evidence and answer")
    for name in (*EVIDENCE, *ANSWER):
        metric = report["metrics"].get(name)
        if metric is not None:
            table.add_row(
                name.replace("_", " "),
                numbers.value(metric["value"]),
                _interval(metric),
                numbers.of_total(metric),
            )
    return table


def _interval(row: Mapping[str, Any]) -> str:
    return numbers.interval(row["ci_low"], row["ci_high"])


def _foot(report: Mapping[str, Any], directory: Path | None) -> Iterable[Any]:
    from rich.text import Text  # noqa: PLC0415

    lines: list[str] = []
    if report["n_zero_recall"]:
        ids = [row["query_id"] for row in report["zero_recall"]]
        lines.append(f"zero recall   {_some(ids, report['n_zero_recall'])}")
    lines += [f"worst slice   {line}" for line in worst_slices(report)]
    if report["latency"]:
        told = [
            f"{stage} p50 {numbers.milliseconds(row['p50'])} p95 {numbers.milliseconds(row['p95'])}"
            for stage, row in report["latency"].items()
        ]
        lines.append(f"latency       {' · '.join(told)}")
    cost = report["cost"]
    if cost["calls"] or cost["cached"]:
        tokens = "unknown" if cost["input_tokens"] is None else f"{cost['input_tokens']}"
        lines.append(f"judge         {cost['calls']} calls, {tokens} input tokens")
    lines += [f"people        {line}" for line in agreement_lines(report)]
    warnings = list(report["warnings"])
    lines += [f"warning       {line}" for line in warnings[:_MOST_WARNINGS]]
    if len(warnings) > _MOST_WARNINGS:
        lines.append(f"warning       {len(warnings) - _MOST_WARNINGS} more in report.json")
    for line in lines:
        yield Text(line, overflow="ellipsis", no_wrap=True)
    if directory is not None:
        yield Text(f"report        {directory / 'report.html'}", style="bold", overflow="fold")


def _some(ids: Sequence[str], total: int, most: int = 8) -> str:
    shown = ", ".join(ids[:most])
    return f"{total}: {shown}" + (" …" if total > most else "")


def print_check(found: Mapping[str, Any]) -> None:
    """Prints what `ragdiag check` found: problems, warnings, and what the data allows."""
    from rich.text import Text  # noqa: PLC0415

    console = _console()
    console.print(Text(f"{found['n_samples']} samples read", style="bold"))
    for title, lines, counts in (
        ("problems", found["problems"], found["problem_counts"]),
        ("warnings", found["warnings"], found["warning_counts"]),
    ):
        if not lines:
            continue
        console.print(Text(f"\n{title}", style="bold"))
        for line in lines:
            console.print(Text(f"  {line}", overflow="fold"))
        console.print(Text("  by kind: " + ", ".join(f"{k} {n}" for k, n in counts.items())))
    if found["capabilities"]:
        table = _table("runs on", "next: missing", title="\nWhat the data allows")
        for row in found["capabilities"]:
            runs = f"{row['n']} of {found['n_samples']}" if row["n"] else "cannot run"
            table.add_row(row["name"], runs, row["missing"] or "")
        console.print(table)


def print_story(sections: Sequence[Section]) -> None:
    """Prints the story of one query: titled sections of lines."""
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = _console()
    for section in sections:
        console.print(Text(section.title, style="bold"))
        for line in section.lines:
            console.print(Padding(Text(line, overflow="fold"), (0, 0, 0, 2)))
