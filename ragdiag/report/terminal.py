"""report.json on a terminal: one screen of 100 columns. Reads nothing but the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.report import numbers, visible
from ragdiag.report.headline import (
    ANSWER,
    EVIDENCE,
    agreement_lines,
    judge_lines,
    retrieval_rows,
    top_categories,
    worst_slices,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ragdiag.diagnosis.explain import Section

WIDTH, HEIGHT = 100, 45
_GAP = 2
_MOST_CUTOFFS = 5
_MOST_AGREEMENT = 3
_MOST_WARNINGS = 2
_MOST_IDS = 8
_LONGEST_ID = 24
_RETRIEVAL = (
    "precision", "recall", "hit", "MRR", "MAP", "nDCG", "any ev.", "complete ev.", "judged",
)  # fmt: skip


def print_summary(report: Mapping[str, Any], *, directory: Path | None = None) -> None:
    """Prints the minimal report on standard output: at most 45 lines, none longer than 100."""
    console = _console()
    for part in _summary(console, report):
        console.print(part, no_wrap=True, overflow="ellipsis")
    if directory is not None:
        console.print(_line("report", str(directory / "report.html"), style="bold"))


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415 - heavy, and needed here only

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console


def _summary(console: Console, report: Mapping[str, Any]) -> Iterator[Any]:
    yield from _head(report)
    yield ""
    yield _side_by_side(console, _families(report), _layers(report))
    for table in (_categories(report), _retrieval(report)):
        if table is not None:
            yield ""
            yield table
    foot = list(_foot(report))
    if foot:
        yield ""
        yield from foot


def _head(report: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415

    corpus = report["corpus"]
    told = [f"{corpus['n_queries']} queries"]
    if report["run"].get("name"):
        told.insert(0, f"run {visible.one_line(str(report['run']['name']))}")
    if corpus.get("n_passages") is not None:
        told.append(f"corpus {corpus['n_documents']} documents, {corpus['n_passages']} passages")
    told.append(f"unit {report['unit']}")
    if report["gain"] != "exponential":
        told.append(f"{report['gain']} gain")
    yield Text.assemble(("ragdiag", "bold"), "  ", " · ".join(told))
    for line in judge_lines(report):
        yield Text(visible.one_line(line), style="dim")


def _table(title: str, *columns: str, left: Sequence[str] = ()) -> Table:
    """A bare table whose first column bears the title; numbers stand right, `left` ones left."""
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_edge=False)
    table.add_column(title, no_wrap=True, header_style="bold")
    for column in columns:
        side = "left" if column in left else "right"
        table.add_column(column, justify=side, no_wrap=True, header_style="dim")
    return table


def _side_by_side(console: Console, left: Table, right: Table) -> Any:
    """Both in one row where they fit, else one below the other."""
    from rich.console import Group  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    wide = console.options.update(width=10 * WIDTH)
    needed = sum(console.measure(one, options=wide).maximum for one in (left, right))
    if needed + _GAP > console.width:
        return Group(left, "", right)
    grid = Table.grid(padding=(0, _GAP, 0, 0))
    grid.add_row(left, right)
    return grid


def _families(report: Mapping[str, Any]) -> Table:
    table = _table("Where it fails", "n", "share", "95% interval")
    total = report["n_diagnosed"]
    for family, row in report["families"].items():
        if row["n"]:
            table.add_row(family, str(row["n"]), numbers.share(row["share"]), _interval(row))
    undecided = total - sum(row["n"] for row in report["families"].values())
    if undecided > 0:
        table.add_row("undetermined", str(undecided), numbers.share(undecided / total), "")
    if not total:
        for reason, n in report["no_code"].items():
            table.add_row(f"none: {reason}", str(n), "", "")
    broken = report["categories"]["X1"]["n"]
    if broken:
        table.add_row("pipeline error", str(broken), numbers.ABSENT, "in no rate")
    return table


def _layers(report: Mapping[str, Any]) -> Table:
    table = _table("Evidence and answer", "mean", "95% interval", "scored")
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


def _categories(report: Mapping[str, Any]) -> Table | None:
    rows = [(code, row) for code, row in top_categories(report) if code != "X1"]
    if not rows:
        return None
    table = _table("Major failure categories", "n", "share", "95% interval", "fix", left=("fix",))
    for code, row in rows:
        table.add_row(
            f"{code:<4}{row['name']}",
            str(row["n"]),
            numbers.share(row["share"]),
            _interval(row),
            row["fix"] or _settle(report),
        )
    return table


def _settle(report: Mapping[str, Any]) -> str:
    """What decides the undetermined queries, most frequent first."""
    inputs = list(report["deciding_inputs"])
    return f"settle: {', '.join(inputs[:2])}{' …' if len(inputs) > 2 else ''}" if inputs else ""


def _retrieval(report: Mapping[str, Any]) -> Table | None:
    rows = retrieval_rows(report)[-_MOST_CUTOFFS:]
    if not rows:
        return None
    names = (*_RETRIEVAL, "scored")
    shown = [i for i in range(len(names)) if any(row[i + 1] != numbers.ABSENT for row in rows)]
    table = _table("Retrieval", *(names[i] for i in shown))
    for row in rows:
        table.add_row(row[0], *(row[i + 1] for i in shown))
    return table


def _interval(row: Mapping[str, Any]) -> str:
    return numbers.interval(row["ci_low"], row["ci_high"])


def _foot(report: Mapping[str, Any]) -> Iterator[Text]:
    if report["n_zero_recall"]:
        ids = [row["query_id"] for row in report["zero_recall"]]
        yield _line("zero recall", _some(ids, report["n_zero_recall"]))
    for line in worst_slices(report):
        yield _line("worst slice", line)
    if report["latency"]:
        told = [
            f"{stage} {numbers.milliseconds(row['p50'])} / {numbers.milliseconds(row['p95'])}"
            for stage, row in report["latency"].items()
        ]
        yield _line("p50 / p95", " · ".join(told))
    if report["cost"]["calls"] or report["cost"]["cached"]:
        yield _line("judge", _cost(report["cost"]))
    for line in _first(list(agreement_lines(report)), _MOST_AGREEMENT):
        yield _line("people", line)
    for line in _first(report["warnings"], _MOST_WARNINGS):
        yield _line("warning", line)


def _line(name: str, told: str, *, style: str = "") -> Text:
    from rich.text import Text  # noqa: PLC0415

    return Text.assemble((f"{name:<13}", style or "dim"), (visible.one_line(told), style))


def _first(lines: Sequence[str], most: int) -> list[str]:
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], f"{len(lines) - most + 1} more in report.json"]


def _cost(cost: Mapping[str, Any]) -> str:
    told = f"{cost['calls']} calls, {cost['cached']} replies from the cache"
    if cost["input_tokens"] is None or cost["output_tokens"] is None:
        told += ", tokens unknown"
    else:
        told += f", {cost['input_tokens']} tokens in, {cost['output_tokens']} out"
    return told if cost["usd"] is None else f"{told}, {cost['usd']:.4f} USD"


def _some(ids: Sequence[str], total: int) -> str:
    """ "12: q1, q2 …": long ids are cut, so that several fit on the line."""
    shown = [one if len(one) <= _LONGEST_ID else f"{one[: _LONGEST_ID - 1]}…" for one in ids]
    return f"{total}: {', '.join(shown[:_MOST_IDS])}{' …' if total > _MOST_IDS else ''}"


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
            console.print(Text(f"  {visible.one_line(line)}", overflow="fold"))
        console.print(Text("  by kind: " + ", ".join(f"{k} {n}" for k, n in counts.items())))
    if found["capabilities"]:
        table = _table("What the data allows", "runs on", "not given", left=("not given",))
        table.columns[-1].no_wrap = False
        for row in found["capabilities"]:
            runs = f"{row['n']} of {found['n_samples']}" if row["n"] else "cannot run"
            missing = (f"{field} (in {n})" for field, n in row["missing"].items())
            table.add_row(row["name"], runs, ", ".join(missing))
        console.print()
        console.print(table)


def print_story(sections: Sequence[Section]) -> None:
    """Prints the story of one query: titled sections of lines."""
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = _console()
    for section in sections:
        console.print(Text(section.title, style="bold"))
        for line in section.lines:
            text = Text(visible.lines(line), overflow="fold")
            console.print(Padding(text, (0, 0, 0, 2)))
