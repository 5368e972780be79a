"""What n queries can show and how many are needed, as JSON and on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragdiag.errors import UsageError
from ragdiag.report import visible
from ragdiag.report.console import bare_table, open_console
from ragdiag.stats.planning import (
    LEVEL,
    POWER,
    WORST_RATE,
    design_effect,
    labels_needed,
    mean_queries_needed,
    paired_queries_needed,
    queries_needed,
    smallest_difference,
    smallest_mean_difference,
    smallest_paired_difference,
)

if TYPE_CHECKING:
    from rich.table import Table

DISAGREEMENTS = (0.05, 0.1, 0.2, 0.3)
DIFFERENCES = (0.02, 0.05, 0.1)
HALF_WIDTHS = (0.05, 0.1)
FEWEST_CLUSTERS = 20
_MOST = 10**8
NONE, NEVER = "none", "never"
_SMALLEST = 0.001  # a difference that no plan reaches


@dataclass(frozen=True, slots=True)
class Clusters:
    """Queries that are not independent.

    size   queries a cluster; of unequal ones sum(m²) / sum(m).
    icc    correlation within a cluster, 0-1; n_clusters, by: where they are known.
    """

    size: float
    icc: float
    n_clusters: int | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is planned for.

    n             queries there are; None where only what is needed is asked.
    rate          the rate or mean expected.
    disagreement  share of the queries on which the runs differ; None: a table of four.
    sd            of the differences, for scores other than 0/1.
    difference    to be shown; None: a table of three.
    tpr, tnr      a judge's, to be measured; half_width: of their interval; prevalence: share of
                  what the judge would find among random labels.
    """

    n: int | None = None
    rate: float | None = None
    disagreement: float | None = None
    sd: float | None = None
    difference: float | None = None
    tpr: float | None = None
    tnr: float | None = None
    half_width: float | None = None
    prevalence: float = 0.5
    clusters: Clusters | None = None

    def checked(self) -> Wanted:
        """Itself; UsageError where a number is out of its range."""
        ranges: dict[str, tuple[float | None, float, float]] = {
            "--rate": (self.rate, 0, 1),
            "--disagreement": (self.disagreement, _SMALLEST, 1),
            "--difference": (self.difference, _SMALLEST, 1),
            "--sd": (self.sd, _SMALLEST, 100),
            "--tpr": (self.tpr, 0, 1),
            "--tnr": (self.tnr, 0, 1),
            "--half-width": (self.half_width, _SMALLEST, 0.499),
            "--prevalence": (self.prevalence, _SMALLEST, 1 - _SMALLEST),
        }
        for option, (value, low, high) in ranges.items():
            if value is not None and not low <= value <= high:  # NaN too
                raise UsageError(f"{option} lies between {low:g} and {high:g}; came {value:g}")
        if self.n is not None and self.n > _MOST:
            raise UsageError(f"--n is {_MOST} at most; came {self.n}")
        if self.clusters is not None and self.n is not None and self.clusters.size > self.n:
            raise UsageError(
                f"{self.n} queries cannot be in clusters of {self.clusters.size:g}: give a smaller "
                "--cluster-size"
            )
        if self.disagreement and self.difference and self.difference > self.disagreement:
            raise UsageError(
                f"runs that disagree on {self.disagreement:g} of the queries cannot differ by "
                f"{self.difference:g}"
            )
        return self


def plan(wanted: Wanted) -> dict[str, Any]:
    """The plan as JSON: `paired`, `means`, `independent`, `labels`, with `clusters` counted in."""
    effect, clusters = _clusters(wanted)
    n = None if wanted.n is None else math.floor(wanted.n / effect)
    rate = wanted.rate if wanted.rate is not None and 0 < wanted.rate < 1 else WORST_RATE
    differences = DIFFERENCES if wanted.difference is None else (wanted.difference,)
    disagreements = DISAGREEMENTS if wanted.disagreement is None else (wanted.disagreement,)

    def grown(needed: int) -> int:
        return math.ceil(needed * effect)

    paired = [
        {
            "disagreement": d,
            "smallest_difference": None
            if n is None
            else smallest_paired_difference(n, disagreement=d),
            "needed": [
                {
                    "difference": one,
                    "n": grown(paired_queries_needed(one, disagreement=d)) if one <= d else None,
                }
                for one in differences
            ],
        }
        for d in disagreements
    ]
    means = None
    if wanted.sd is not None:
        means = {
            "sd": wanted.sd,
            "smallest_difference": None if n is None else smallest_mean_difference(n, sd=wanted.sd),
            "needed": [
                {"difference": one, "n": grown(mean_queries_needed(one, sd=wanted.sd))}
                for one in differences
            ],
        }
    return {
        "n": wanted.n,
        "power": POWER,
        "level": LEVEL,
        "clusters": clusters,
        "paired": paired,
        "means": means,
        "independent": {
            "rate": rate,
            "smallest_difference": None if n is None else smallest_difference(n, rate=rate),
            "needed": [
                {"difference": one, "n": grown(queries_needed(one, rate=rate))}
                for one in differences
            ],
        },
        "labels": _labels(wanted, effect),
    }


def _clusters(wanted: Wanted) -> tuple[float, dict[str, Any] | None]:
    found = wanted.clusters
    if found is None:
        return 1.0, None
    try:
        effect = design_effect(found.size, icc=found.icc)
    except ValueError as fault:
        raise UsageError(f"--cluster-size, --icc: {fault}") from None
    return effect, {
        "by": found.by,
        "n_clusters": found.n_clusters,
        "cluster_size": found.size,
        "icc": found.icc,
        "design_effect": effect,
        "n_effective": None if wanted.n is None else math.floor(wanted.n / effect),
    }


def _labels(wanted: Wanted, effect: float) -> list[dict[str, Any]]:
    """By what is measured: how many labels of that kind, and how many drawn at random in all."""
    widths = HALF_WIDTHS if wanted.half_width is None else (wanted.half_width,)
    asked = [
        ("rate", wanted.rate, 1.0),
        ("tpr", wanted.tpr, wanted.prevalence),
        ("tnr", wanted.tnr, 1 - wanted.prevalence),
    ]
    rows: list[dict[str, Any]] = []
    for what, expected, share in asked:
        for width in widths if expected is not None else ():
            assert expected is not None
            n = math.ceil(labels_needed(width, rate=expected) * effect)
            rows.append(
                {
                    "of": what,
                    "expected": expected,
                    "half_width": width,
                    "n": n,
                    "n_at_random": math.ceil(n / share),
                }
            )
    return rows


def print_plan(found: Mapping[str, Any], *, about: Sequence[str] = ()) -> None:
    """Prints the plan; `about`: lines on what it was taken from."""
    from rich.text import Text  # noqa: PLC0415 - heavy, and needed here only

    console = open_console()
    for line in (*about, *_cluster_lines(found)):
        console.print(Text(visible.one_line(line), overflow="fold"))
    n = found["n"]
    console.print(
        Text(
            f"Differences that are shown with {POWER:.0%} power (two-sided, {LEVEL:g}):",
            style="dim",
        )
    )
    console.print()
    console.print(_designs(found, n), no_wrap=True, overflow="ellipsis")
    for line in _words(found):
        console.print(Text(line, style="dim"))
    if found["labels"]:
        console.print()
        console.print(_label_table(found["labels"]), no_wrap=True, overflow="ellipsis")


def _words(found: Mapping[str, Any]) -> Iterator[str]:
    """What the words of the tables mean, of those that stand there."""
    rows = [*found["paired"], *filter(None, (found["means"],)), found["independent"]]
    if found["n"] is not None and any(row["smallest_difference"] is None for row in rows):
        yield f"{NONE}: so few queries show no difference, however large"
    if any(one["n"] is None for row in rows for one in row["needed"]):
        yield f"{NEVER}: rates cannot differ by more than the share of queries that disagree"
    if found["labels"]:
        yield "to draw: labels in all, drawn at random, so that as many are of the kind"


def _cluster_lines(found: Mapping[str, Any]) -> list[str]:
    clusters = found["clusters"]
    if clusters is None:
        return []
    told = f"clusters of {clusters['cluster_size']:.3g} queries, correlation {clusters['icc']:.3g}"
    if clusters["by"]:
        told += f" (measured, by {clusters['by']}: {clusters['n_clusters']} clusters)"
    told += f": {clusters['design_effect']:.2f} of them say as much as one independent query"
    if clusters["n_effective"] is not None:
        told += f", {found['n']} as much as {clusters['n_effective']}"
    lines = [told]
    if clusters["n_clusters"] is not None and clusters["n_clusters"] < FEWEST_CLUSTERS:
        lines.append(
            f"warning: {clusters['n_clusters']} clusters are few; with under {FEWEST_CLUSTERS}, "
            "add documents rather than queries"
        )
    return lines


def _designs(found: Mapping[str, Any], n: int | None) -> Table:
    differences = [row["difference"] for row in found["independent"]["needed"]]
    shown = [] if n is None else [f"{n} show"]
    table = bare_table("Design", *shown, *(f"needed for {one:g}" for one in differences))

    def add(name: str, row: Mapping[str, Any]) -> None:
        needed = [NEVER if one["n"] is None else str(one["n"]) for one in row["needed"]]
        least = row["smallest_difference"]
        here = [] if n is None else [NONE if least is None else f"{least:.3f}"]
        table.add_row(name, *here, *needed)

    for row in found["paired"]:
        add(f"same queries, {row['disagreement']:.3g} disagree", row)
    if found["means"] is not None:
        add(f"same queries, sd {found['means']['sd']:.3g}", found["means"])
    add(f"other queries, both near {found['independent']['rate']:.3g}", found["independent"])
    return table


def _label_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    names = {
        "rate": "a rate",
        "tpr": "judge's TPR (labels that are positive)",
        "tnr": "judge's TNR (labels that are negative)",
    }
    table = bare_table("Labels for", "expected", "half-width", "labels", "to draw")
    for row in rows:
        table.add_row(
            names[row["of"]],
            f"{row['expected']:.3g}",
            f"±{row['half_width']:g}",
            str(row["n"]),
            str(row["n_at_random"]),
        )
    return table
