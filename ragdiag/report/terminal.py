"""report.json on a terminal: one screen of 100 columns. Reads nothing but the report."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.report import numbers, visible
from ragdiag.report.headline import (
    ANSWER,
    EVIDENCE,
    MOST_CATEGORIES,
    agreement_lines,
    example_to_explain,
    judge_lines,
    outside,
    retrieval_rows,
    shown_name,
    top_categories,
    worst_slices,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ragdiag.diagnosis.explain import Section

WIDTH, HEIGHT = 100, 45
_BELOW = 3  # the blank line before the foot, the report's place, the next command
_GAP = 2
_MOST_CUTOFFS = 5
_MOST = {"worst slice": 3, "people": 3, "warning": 2}
_MOST_IDS = 8
_LONGEST_ID = 24
_LONGEST_TYPED = 60  # an id that is typed into a command
_TO_PASTE = '{"query_id": '  # a line of a labels file: neither indented nor folded
_RETRIEVAL = (
    "precision", "recall", "hit", "MRR", "MAP", "nDCG", "any ev.", "complete ev.", "judged",
)  # fmt: skip


def print_summary(report: Mapping[str, Any], *, directory: Path | None = None) -> None:
    """Prints the minimal report on standard output: at most 45 lines, none longer than 100."""
    console = _console()
    for part in _summary(console, report):
        console.print(part, no_wrap=True, overflow="ellipsis")
    if directory is None:
        return
    told = {"report": str(directory / "report.html"), "next": _next(report, directory)}
    for name, line in told.items():
        if line is not None:  # never cut: it is to be copied
            console.print(_line(name, line, style="bold"), soft_wrap=True)


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415 - heavy, and needed here only

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console


def _summary(console: Console, report: Mapping[str, Any]) -> Iterator[Any]:
    parts: list[Any] = [*_head(report), ""]
    parts.append(_side_by_side(console, _families(report), _layers(report)))
    for table in (_categories(report), _retrieval(report)):
        parts += ["", table] if table is not None else []
    yield from parts
    options = console.options.update(no_wrap=True, overflow="ellipsis")
    used = sum(len(console.render_lines(part, options)) for part in parts)
    foot = list(_foot(report, room=HEIGHT - used - _BELOW))
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
    table = _table("Evidence and answer", "mean", "95% interval", "scored")
    for name in (*EVIDENCE, *ANSWER):
        metric = report["metrics"].get(name)
        if metric is not None:
            table.add_row(
                shown_name(name),
                numbers.value(metric["value"]),
                _interval(metric),
                numbers.of_total(metric),
            )
    return table


def _categories(report: Mapping[str, Any]) -> Table | None:
    found = [(code, row) for code, row in top_categories(report, most=None) if code != "X1"]
    rows, cut = found[:MOST_CATEGORIES], found[MOST_CATEGORIES:]
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
    if cut:
        n = sum(row["n"] for _, row in cut)
        noun = "category" if len(cut) == 1 else "categories"
        table.add_row(f"{len(cut)} more {noun}", str(n), "", "", "in report.html")
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


def _foot(report: Mapping[str, Any], *, room: int) -> Iterator[Text]:
    """What else there is to say, in as many lines as there is room for where that can be done."""
    fixed = list(_single_lines(report))
    lists = {
        "worst slice": list(worst_slices(report)),
        "people": list(agreement_lines(report)),
        "warning": list(report["warnings"]),
    }
    most = dict(_MOST)
    while len(fixed) + sum(min(len(lines), most[name]) for name, lines in lists.items()) > room:
        longest = max(lists, key=lambda name: min(len(lists[name]), most[name]))
        if most[longest] <= 1:
            break
        most[longest] = min(len(lists[longest]), most[longest]) - 1
    yield from fixed
    for name, lines in lists.items():
        for line in _first(lines, most[name]):
            yield _line(name, line)


def _single_lines(report: Mapping[str, Any]) -> Iterator[Text]:
    rest = outside(report)
    if rest.no_diagnosis:
        yield _line("no diagnosis", rest.why)
    if report["n_zero_recall"]:
        ids = [row["query_id"] for row in report["zero_recall"]]
        yield _line("zero recall", _some(ids, report["n_zero_recall"]))
    if report["latency"]:
        told = [
            f"{stage} {numbers.milliseconds(row['p50'])} / {numbers.milliseconds(row['p95'])}"
            for stage, row in report["latency"].items()
        ]
        yield _line("p50 / p95", " · ".join(told))
    if report["cost"]["calls"] or report["cost"]["cached"]:
        yield _line("judge", _cost(report["cost"]))


def _next(report: Mapping[str, Any], directory: Path) -> str | None:
    """The command that tells the first story; None where nothing fails."""
    query_id = example_to_explain(report)
    if query_id is None:
        return None
    plain = query_id.isprintable() and len(query_id) <= _LONGEST_TYPED and query_id[:1] != "-"
    told = shlex.quote(query_id) if plain else "QUERY_ID"
    return f"ragdiag explain {told} -d {shlex.quote(str(directory))}"


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
        n_unknown = cost.get("unknown_calls")  # not in reports of earlier versions
        told += f", tokens unknown for {n_unknown} calls" if n_unknown else ", tokens unknown"
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
            # Not folded here: a command in it is to be copied whole.
            console.print(Text(f"  {visible.one_line(line)}"), soft_wrap=True)
        console.print(Text("  by kind: " + ", ".join(f"{k} {n}" for k, n in counts.items())))
    if found["capabilities"] and found["n_samples"]:  # of nothing, nothing can be said
        table = _table("What the data allows", "runs on", "not given", left=("not given",))
        table.columns[-1].no_wrap = False
        for row in found["capabilities"]:
            missing = ", ".join(f"{field} (in {n})" for field, n in row["missing"].items())
            none = "partly" if _partly(row) else "cannot run"
            runs = f"{row['n']} of {found['n_samples']}" if row["n"] else none
            table.add_row(row["name"], runs, missing)
        console.print()
        console.print(table)
        for line in filter(None, map(_partly, found["capabilities"])):
            console.print(Text(line, overflow="fold"))


def _partly(row: Mapping[str, Any]) -> str:
    """ "R3, R4, R5 told apart: fully on 20, partly on 6 (no context: …)"; "" for all or nothing."""
    parts: Mapping[str, int] = row.get("partly", {})
    if not parts:
        return ""
    told = "; ".join(f"{n} {what}" if len(parts) > 1 else what for what, n in parts.items())
    return f"{row['name']}: fully on {row['n']}, partly on {sum(parts.values())} ({told})"


def print_story(sections: Sequence[Section]) -> None:
    """Prints the story of one query: titled sections of lines."""
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = _console()
    for section in sections:
        console.print(Text(section.title, style="bold"))
        for line in section.lines:
            text = Text(visible.lines(line), overflow="fold")
            if line.startswith(_TO_PASTE):
                console.print(text, soft_wrap=True)
            else:
                console.print(Padding(text, (0, 0, 0, 2)))
