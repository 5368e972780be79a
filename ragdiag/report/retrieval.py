"""The report of `ragdiag retrieval` on a terminal: metrics by run, and what to know about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragdiag.report.numbers import ABSENT, counted, interval, share, value
from ragdiag.report.retrieval_lines import (
    loss_lines,
    near_duplicates_line,
    wrong_page_line,
    zero_recall_line,
)

if TYPE_CHECKING:
    from rich.table import Table

_MOST_SLICES = 5
_LEVEL_TITLES = {"complete_evidence": "complete"}
_TITLES = {"rr": "MRR", "mrr": "MRR", "ap": "MAP", "map": "MAP", "ndcg": "nDCG"}


def print_runs(report: Mapping[str, Any]) -> None:
    """One table of all runs on standard output, then the counts of each."""
    from rich.console import Console  # noqa: PLC0415 - slow to load
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False)
    runs: Sequence[Mapping[str, Any]] = report["runs"]
    table = Table(box=None, pad_edge=False, title=None)
    table.add_column("metric", no_wrap=True)
    for run in runs:
        table.add_column(Text(str(run["run"])), justify="right")
    for name in report["metrics"]:
        table.add_row(title(name), *(_cell(run["metrics"][name]) for run in runs))
    console.print(table)
    for run in runs:
        console.print()
        if len(runs) > 1:
            console.print(Text(str(run["run"]), style="bold"))
        for line in (*notes(run), *_slices(run)):
            console.print(Text(line))
        for block in (_levels(run), _ann(run)):
            if block is not None:
                console.print(block)
    for line in loss_lines(report, unchanged=True):
        console.print(Text(f"evidence {line}"))
    console.print(Text(settings_line(report["settings"])))
    for line in divisors(report):
        console.print(Text(line))
    for warning in dict.fromkeys(
        (*report["warnings"], *(w for run in runs for w in run["warnings"]))
    ):
        console.print(Text(f"warning: {warning}"))


def title(name: str) -> str:
    """MRR and MAP are the means of rr and ap."""
    stem, at, k = name.partition("@")
    return _TITLES.get(stem, stem) + at + k


def divisors(report: Mapping[str, Any]) -> Iterator[str]:
    """What means and precision are divided by, where other tools do otherwise."""
    settings = report["settings"]
    if settings["compat"] and settings["missing"] == "skip":
        yield "means over the queries of both files, as trec_eval without -c"
    elif settings["compat"]:
        yield "means over all queries of the labels, as trec_eval -c; without -c: --missing skip"
    elif any(name.partition("@")[0] == "precision" for name in report["metrics"]):
        yield "precision@k over what was returned in the first k; precision_fixed@k over k"


def _cell(metric: Mapping[str, Any]) -> str:
    low, high = metric["ci_low"], metric["ci_high"]
    return f"{value(metric['value'])} {interval(low, high)}".rstrip()


def notes(run: Mapping[str, Any]) -> Iterator[str]:
    """What is behind the means of a run, one line a fact; what did not occur is left out."""
    counts, examples = run["counts"], run["examples"]
    scored = counts["n_queries"] - counts["no_relevant"]
    yield f"{scored} of {counts['n_queries']} labelled queries have a relevant item"
    for name, text in (
        ("missing_in_run", ("labelled query is", "labelled queries are", "not in the run")),
        ("unlabelled", ("query", "queries", "of the run without a label: in no mean")),
    ):
        if counts[name]:
            told = counted(counts[name], text[0], text[1])
            yield f"{told} {text[2]}: {_some(examples[name], counts[name])}"
    if counts["retrieval_empty"]:
        yield counted(counts["retrieval_empty"], "list is empty", "lists are empty")
    if counts["duplicates"]:
        told = counted(counts["duplicates"], "item stands", "items stand")
        yield f"{told} in a list again{_first_of(examples, 'duplicates')}"
    ties = ", ".join(f"{n} at {k}" for k, n in run["ties_at"].items() if n)
    if counts["tied"]:
        told = counted(counts["tied"], "row ties", "rows tie")
        first = _first_of(examples, "tied")
        yield f"{told} with the row before{first}{f'; cut-offs: {ties}' * bool(ties)}"
    nothing = zero_recall_line(run)
    if nothing is not None:
        yield f"queries that found nothing relevant: {nothing}"
    twins = near_duplicates_line(run)
    if twins is not None:
        yield twins
    elif run.get("near_duplicates") is not None:
        yield "no list holds two passages of one text"
    wrong = wrong_page_line(run)
    if wrong is not None:
        yield wrong
    yield from _ann_notes(run)
    by_cutoff = run["unjudged"]
    if by_cutoff:
        yield "unjudged in the first k: " + _by_cutoff(by_cutoff)
    if run["ceiling"]:
        low = {k: best for k, best in run["ceiling"].items() if best is not None and best < 1}
        if low:
            yield "highest recall that k ranks allow: " + _by_cutoff(low)


def _by_cutoff(shares: Mapping[str, float | None]) -> str:
    return ", ".join(f"{share(found)} at {k}" for k, found in shares.items())


def _some(examples: Sequence[str], n: int) -> str:
    return ", ".join(examples[:3]) + (", …" if n > 3 else "")


def _first_of(examples: Mapping[str, Sequence[str]], name: str) -> str:
    return f", as {examples[name][0]}" if examples.get(name) else ""


def _slices(run: Mapping[str, Any]) -> Iterator[str]:
    for dimension, values in run.get("slices", {}).items():
        yield f"by {dimension}, worst first:"
        for name, found in list(values.items())[:_MOST_SLICES]:
            first, metric = next(iter(found["metrics"].items()), (ABSENT, None))
            if metric is not None:
                small = "  (few queries)" if found["small"] else ""
                yield f"  {name:24} n={found['n']:<6} {title(first)} {_cell(metric)}{small}"
        if len(values) > _MOST_SLICES:
            yield f"  and {len(values) - _MOST_SLICES} more (--json shows all)"


def _levels(run: Mapping[str, Any]) -> Table | None:
    """Success at document, page and unit side by side; None where nothing says them."""
    from rich.table import Table  # noqa: PLC0415 - slow to load

    levels: Mapping[str, Mapping[str, Any]] = run.get("levels", {})
    if not levels:
        return None
    names = list(dict.fromkeys(name for one in levels.values() for name in one))
    cutoffs = sorted({int(name.partition("@")[2]) for name in names})
    stems = list(dict.fromkeys(name.partition("@")[0] for name in names))
    table = Table(box=None, pad_edge=False, title="\nsuccess by level", title_justify="left")
    table.add_column("level", no_wrap=True)
    table.add_column("n", justify="right")
    for k in cutoffs:
        for stem in stems:
            table.add_column(f"{_LEVEL_TITLES.get(stem, stem)}@{k}", justify="right")
    for level, found in levels.items():
        if level == "unit" and run["unit"] in levels:
            continue
        cells = [found[f"{stem}@{k}"]["value"] for k in cutoffs for stem in stems]
        counts = {found[f"{stem}@{k}"]["n"] for k in cutoffs for stem in stems}
        n = f"{min(counts)}" if len(counts) == 1 else f"{min(counts)}–{max(counts)}"
        table.add_row(level, n, *map(value, cells))
    return table


def _ann(run: Mapping[str, Any]) -> Table | None:
    """Recall of the index against exact search beside the recall of relevant items."""
    from rich.table import Table  # noqa: PLC0415 - slow to load

    found = run.get("ann")
    if found is None:
        return None
    table = Table(box=None, pad_edge=False, title="\nthe index, apart from relevance")
    table.title_justify = "left"
    for name in ("k", "ANN recall (of the exact top k)", "queries", "recall (of what is relevant)"):
        table.add_column(name, justify="right")
    for name, metric in found["metrics"].items():
        k = name.partition("@")[2]
        relevance = found["relevance"].get(f"recall@{k}")
        shown = ABSENT if relevance is None else _cell(relevance)
        table.add_row(k, _cell(metric), str(metric["n"]), shown)
    return table


def _ann_notes(run: Mapping[str, Any]) -> Iterator[str]:
    """What the ANN recall leaves out, and where exact lists end early."""
    found = run.get("ann", {})
    if found.get("n_not_exact"):
        yield f"{found['n_not_exact']} queries have no exact list: in no mean of ANN recall"
    if found.get("n_missing"):
        yield f"{found['n_missing']} queries of the exact lists are not in the run: ANN recall 0"
    short = {
        name.partition("@")[2]: one["n_short"] for name, one in found.get("metrics", {}).items()
    }
    told = ", ".join(f"{n} end before {k}" for k, n in short.items() if n)
    if told:
        yield f"exact lists: {told}"


def settings_line(settings: Mapping[str, Any]) -> str:
    """The conventions on which the numbers depend: those of the gain, and every one not usual."""
    if settings["compat"]:
        said = [f"as {settings['compat']}: linear gain, precision over k, ids break ties"]
    else:
        said = [f"{settings['gain']} gain, relevant from grade {settings['rel_level']:g}"]
        said += [text for (name, value), text in _SAID.items() if settings.get(name) == value]
    if settings["compat"] and settings["rel_level"] != 1:
        said.append(f"relevant from grade {settings['rel_level']:g}")
    if settings.get("missing") == "skip":
        said.append("queries that the run lacks: in no mean")
    if settings.get("depth") is not None:
        said.append(f"the first {settings['depth']} of each list")
    if settings.get("unit", "passage") != "passage":
        said.append(f"unit: {settings['unit']}")
    return "; ".join(said)


_SAID = {
    ("ties", "expected"): "tied: the mean over all orders",
    ("ties", "docid_desc"): "tied: ids descending",
    ("no_relevant", "zero"): "queries without a relevant item: 0",
    ("duplicates", "keep_slot"): "repeated items keep their slot",
    ("negative", "unjudged"): "negative grades: unjudged",
    ("near_duplicates", "collapse"): "near-duplicates: one unit",
}
"""What is said of a choice that is not the usual one."""
