"""report.json on a terminal: one screen of 100 columns. Reads nothing but the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.report import numbers, visible
from ragdiag.report.ann import ann_lines
from ragdiag.report.apart_lines import apart_lines, parts_line
from ragdiag.report.certainty import bounds_line, counted_line, interval_cells, withheld_line
from ragdiag.report.commands import explain_command
from ragdiag.report.console import GAP, WIDTH, bare_table, open_console
from ragdiag.report.corrected import corrected_lines
from ragdiag.report.fix_lines import (
    experiments_line,
    fix_rows,
    fix_title,
    funnel_line,
    notes_line,
    untold_line,
)
from ragdiag.report.headline import (
    MOST_CATEGORIES,
    agreement_lines,
    error_line,
    example_to_explain,
    judge_lines,
    outside,
    quality_metrics,
    retrieval_rows,
    shown_name,
    top_categories,
    worst_slices,
)
from ragdiag.report.laddered import ladder_line, rungs_line
from ragdiag.report.retrieval_lines import (
    level_columns,
    level_rows,
    loss_lines,
    near_duplicates_line,
    zero_recall_line,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ragdiag.diagnosis.explain import Section

HEIGHT = 45
_BETWEEN = 2  # the blank line and the titles of one more table
_BELOW = 3  # the blank line before the foot, the report's place, the next command
_USUAL = {"components": 5, "categories": MOST_CATEGORIES, "cutoffs": 5}
_FEWER = (("components", 3), ("categories", 6), ("cutoffs", 1), ("components", 1))
"""Rows of the tables; and how few, one after another, where room is short."""
_USUAL_CUTOFF = "@5"
_MOST_LEVELS = 3
_LEAST = {"evidence": 3}
_MOST = {"evidence": 3, "worst slice": 3, "people": 3, "corrected": 4, "warning": 2}
_TO_PASTE = '{"query_id": '  # a line of a labels file: neither indented nor folded
_RETRIEVAL = (
    "precision", "recall", "hit", "MRR", "MAP", "nDCG", "any ev.", "all ev.", "judged",
)  # fmt: skip


def print_summary(report: Mapping[str, Any], *, directory: Path | None = None) -> None:
    """Prints the minimal report on standard output: at most 45 lines, none longer than 100."""
    console = open_console()
    for part in _summary(console, report):
        console.print(part, no_wrap=True, overflow="ellipsis")
    if directory is None:
        return
    told = {"report": str(directory / "report.html"), "next": _next(report, directory)}
    for name, line in told.items():
        if line is not None:  # never cut: it is to be copied
            console.print(_line(name, line, style="bold"), soft_wrap=True)


def _summary(console: Console, report: Mapping[str, Any]) -> Iterator[Any]:
    options = console.options.update(no_wrap=True, overflow="ellipsis")

    def room(*parts: Any) -> int:
        return HEIGHT - _BELOW - sum(len(console.render_lines(part, options)) for part in parts)

    parts: list[Any] = [*_head(report), ""]
    parts.append(_side_by_side(console, _families(report), _layers(report)))
    left = room(*parts) - _least_foot(report)
    least_levels = 2 if level_rows(report) else 0
    failing, retrieval = _tables(report, room=left - least_levels)
    for table in (failing, retrieval):
        parts += ["", table] if table is not None else []
    left = room(*parts) - _least_foot(report)
    levels = _levels(report, room=left - _BETWEEN)
    if levels is not None:
        # Its cut-offs go on from the table above, so that the blank line can be spared.
        parts += ["", levels] if left > least_levels or retrieval is None else [levels]
    yield from parts
    foot = list(_foot(report, room=room(*parts)))
    if foot:
        yield ""
        yield from foot


def _head(report: Mapping[str, Any]) -> Iterator[Text]:
    from rich.text import Text  # noqa: PLC0415

    corpus = report["corpus"]
    told = [numbers.counted(corpus["n_queries"], "query", "queries")]
    if report["run"].get("name"):
        told.insert(0, f"run {visible.one_line(str(report['run']['name']))}")
    if corpus.get("n_passages") is not None:
        told.append(f"corpus {corpus['n_documents']} documents, {corpus['n_passages']} passages")
    told.append(f"unit {report['unit']}")
    if report["gain"] != "exponential":
        told.append(f"{report['gain']} gain")
    yield Text.assemble(("ragdiag", "bold"), "  ", " · ".join(told))
    counted = counted_line(report)
    for line in (*([counted] if counted else []), *judge_lines(report)):
        yield Text(visible.one_line(line), style="dim")


def _side_by_side(console: Console, left: Table, right: Table) -> Any:
    """Both in one row where they fit, else one below the other."""
    from rich.console import Group  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    wide = console.options.update(width=10 * WIDTH)
    needed = sum(console.measure(one, options=wide).maximum for one in (left, right))
    if needed + GAP > console.width:
        return Group(left, "", right)
    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_row(left, right)
    return grid


def _families(report: Mapping[str, Any]) -> Table:
    table = bare_table("Where it fails", "n", "share", "95% interval")
    total = report["n_diagnosed"]
    for family, row in report["families"].items():
        if row["n"]:
            table.add_row(family, str(row["n"]), numbers.share(row["share"]), _interval(row))
    rest = outside(report)
    if rest.undetermined or rest.in_a_family:
        more = f"+{rest.in_a_family} in a family" if rest.in_a_family else ""
        part = numbers.share(rest.undetermined / total)
        table.add_row("undetermined", str(rest.undetermined), part, more)
    for name, n in (("pipeline error", rest.pipeline), ("no diagnosis", rest.no_diagnosis)):
        if n:
            table.add_row(name, str(n), numbers.ABSENT, "in no rate")
    return table


def _layers(report: Mapping[str, Any]) -> Table:
    table = bare_table("Evidence and answer", "mean", "95% interval", "scored")
    for name in quality_metrics(report):
        metric = report["metrics"].get(name)
        if metric is not None:
            table.add_row(
                shown_name(name),
                numbers.value(metric["value"]),
                _interval(metric),
                numbers.of_total(metric),
            )
    return table


def _tables(report: Mapping[str, Any], *, room: int) -> tuple[Table | None, Table | None]:
    """What fails, and retrieval: fewer rows where room is short."""
    found = [(code, row) for code, row in top_categories(report, most=None) if code != "X1"]
    has = {
        "components": len(fix_rows(report)),
        "categories": len(found),
        "cutoffs": len(retrieval_rows(report)),
    }
    most = {name: min(has[name], usual) for name, usual in _USUAL.items()}
    for name, fewest in _FEWER:
        while _lines(most, has) > room and most[name] > fewest:
            most[name] -= 1
    failing = _failing(report, found, components=most["components"], categories=most["categories"])
    return failing, _retrieval(report, most["cutoffs"])


def _lines(most: Mapping[str, int], has: Mapping[str, int]) -> int:
    """How many lines the two tables take, with titles, blank lines and the count of the rest."""
    told = [n + 1 + (name == "cutoffs") for name, n in most.items() if n]  # and the intervals
    blank = bool(most["components"] or most["categories"]) + bool(most["cutoffs"])
    return sum(told) + blank + (most["categories"] < has["categories"])


def _failing(
    report: Mapping[str, Any],
    found: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    components: int,
    categories: int,
) -> Table | None:
    """What to repair first, above the categories that say how it fails; None where none does."""
    from rich.text import Text  # noqa: PLC0415

    n = len(fix_rows(report))
    titles = [f"Fix first ({components} of {n})" if components < n else "Fix first"]
    titles.append(fix_title(report))
    if not n:
        titles = ["Major failure categories", "fix"]
    table = bare_table(titles[0], "n", "share", "95% interval", titles[1], left=titles[1:])
    for row in fix_rows(report, most=components):
        table.add_row(*row)
    rows, cut = found[:categories], found[categories:]
    if n and rows:
        head = Text("Major failure categories", style="bold")
        table.add_row(head, "", "", "", Text("fix", style="dim"))
    for code, row in rows:
        table.add_row(
            f"{code:<4}{row['name']}",
            str(row["n"]),
            numbers.share(row["share"]),
            _interval(row),
            row["fix"] or _settle(report),
        )
    if cut:
        n_cut = sum(row["n"] for _, row in cut)
        noun = "category" if len(cut) == 1 else "categories"
        table.add_row(f"{len(cut)} more {noun}", str(n_cut), "", "", "in report.html")
    return table if n or rows else None


def _settle(report: Mapping[str, Any]) -> str:
    """What decides the undetermined queries, most frequent first."""
    inputs = list(report["deciding_inputs"])
    return f"settle: {', '.join(inputs[:2])}{' …' if len(inputs) > 2 else ''}" if inputs else ""


def _retrieval(report: Mapping[str, Any], most: int) -> Table | None:
    """The deepest cut-offs, and 5."""
    rows = retrieval_rows(report)
    if not rows:
        return None
    shown_rows = sorted(range(len(rows)), key=lambda i: (rows[i][0] != _USUAL_CUTOFF, -i))[:most]
    rows = [rows[i] for i in sorted(shown_rows)]
    names = (*_RETRIEVAL, "scored")
    shown = [i for i in range(len(names)) if any(row[i + 1] != numbers.ABSENT for row in rows)]
    table = bare_table("Retrieval", *(names[i] for i in shown))
    for row in rows:
        table.add_row(row[0], *(row[i + 1] for i in shown))
    spread = interval_cells(report, rows[-1][0])
    table.add_row(spread[0], *(spread[i + 1] for i in shown), style="dim")
    return table


def _levels(report: Mapping[str, Any], *, room: int) -> Table | None:
    """As many cut-offs as there is room for, one at least."""
    rows = level_rows(report, most=max(1, min(room, _MOST_LEVELS)))
    if not rows:
        return None
    names = [*level_columns(report), "wrong page", "scored"]
    shown = [i for i in range(len(names)) if any(row[i + 1] != numbers.ABSENT for row in rows)]
    table = bare_table("Hit at", *(names[i] for i in shown))
    for row in rows:
        table.add_row(row[0], *(row[i + 1] for i in shown))
    return table


def _interval(row: Mapping[str, Any]) -> str:
    return numbers.interval(row["ci_low"], row["ci_high"])


def _lists(report: Mapping[str, Any]) -> dict[str, list[str]]:
    return {
        "evidence": list(loss_lines(report)),
        "worst slice": list(worst_slices(report)),
        "people": list(agreement_lines(report)),
        "corrected": list(corrected_lines(report)),
        "warning": list(report["warnings"]),
    }


def _least_foot(report: Mapping[str, Any]) -> int:
    """Lines that the foot should have at least."""
    n = sum(min(len(lines), _LEAST.get(name, 1)) for name, lines in _lists(report).items())
    return n + len(list(_single_lines(report)))


def _foot(report: Mapping[str, Any], *, room: int) -> Iterator[Text]:
    """What else there is to say, in as many lines as there is room for where that can be done."""
    fixed = list(_single_lines(report))
    lists = _lists(report)
    most = {name: min(len(lines), _MOST[name]) for name, lines in lists.items()}
    while len(fixed) + sum(most.values()) > room and max(most.values()) > 1:
        spare = {name: n - _LEAST.get(name, 1) for name, n in most.items()}
        longest = max(most, key=lambda name: (spare[name] > 0, most[name]))
        most[longest] -= 1
    yield from fixed
    left = max(0, room - len(fixed) - sum(most.values()))
    more = [(name, line) for name, line in apart_lines(report) if name != "parts right"]
    tried = experiments_line(report)
    untold = untold_line(report)
    asked = (("to try", tried), ("cannot tell", untold))
    more[:0] = [(name, line) for name, line in asked if line is not None]
    for name, line in more[:left]:
        yield _line(name, line)
    for name, lines in lists.items():
        for line in _first(lines, most[name]) if lines else ():
            yield _line(name, line)


def _single_lines(report: Mapping[str, Any]) -> Iterator[Text]:
    rest = outside(report)
    if rest.no_diagnosis:
        yield _line("no diagnosis", rest.why)
    told = {
        "note": notes_line(report),
        "pipeline": error_line(report),
        "withheld": withheld_line(report),
        "unscored 0–1": bounds_line(report),
        "zero recall": zero_recall_line(report),
        "duplicates": near_duplicates_line(report),
        "parts right": parts_line(report),
        "ladder": ladder_line(report),
        "rungs right": rungs_line(report),
    }
    for name, line in (*told.items(), *_funnel(report)):
        if line is not None:
            yield _line(name, line)
    for name, line in ann_lines(report).items():
        yield _line(name, line)
    if report["latency"]:
        told = [
            f"{stage} {numbers.milliseconds(row['p50'])} / {numbers.milliseconds(row['p95'])}"
            for stage, row in report["latency"].items()
        ]
        yield _line("p50 / p95", " · ".join(told))
    if report["cost"]["calls"] or report["cost"]["cached"]:
        yield _line("judge", _cost(report["cost"]))


def _funnel(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    told = funnel_line(report)
    if told is not None:
        yield told


def _next(report: Mapping[str, Any], directory: Path) -> str | None:
    """The command that tells the first story; None where nothing fails."""
    query_id = example_to_explain(report)
    if query_id is None:
        return None
    return explain_command(query_id, directory)


def _line(name: str, told: str, *, style: str = "") -> Text:
    from rich.text import Text  # noqa: PLC0415

    return Text.assemble((f"{name:<12} ", style or "dim"), (visible.one_line(told), style))


def _first(lines: Sequence[str], most: int) -> list[str]:
    """The first lines and how many more there are; of a single one, before it."""
    if len(lines) <= most:
        return list(lines)
    if most == 1:
        return [f"1 of {len(lines)}: {lines[0]}"]
    return [*lines[: most - 1], f"{len(lines) - most + 1} more in report.json"]


def _cost(cost: Mapping[str, Any]) -> str:
    told = f"{cost['calls']} calls, {cost['cached']} replies from the cache"
    if cost["input_tokens"] is None or cost["output_tokens"] is None:
        n_unknown = cost.get("unknown_calls")  # not in reports of earlier versions
        told += f", tokens unknown for {n_unknown} calls" if n_unknown else ", tokens unknown"
    else:
        told += f", {cost['input_tokens']} tokens in, {cost['output_tokens']} out"
    return told if cost["usd"] is None else f"{told}, {cost['usd']:.4f} USD"


def print_story(sections: Sequence[Section]) -> None:
    """Prints the story of one query: titled sections of lines."""
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = open_console()
    for section in sections:
        console.print(Text(section.title, style="bold"))
        for line in section.lines:
            text = Text(visible.lines(line), overflow="fold")
            if line.startswith(_TO_PASTE):
                console.print(text, soft_wrap=True)
            else:
                console.print(Padding(text, (0, 0, 0, 2)))
