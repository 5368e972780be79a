"""Chart: the share of every failure category, grouped by the family that it blames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragdiag.report import numbers
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.look import Look, Spec, source_line, told_share
from ragdiag.report.charts.rows import Axis, Columns, Row, row_chart
from ragdiag.report.headline import outside

_OUT_OF_RATES = "X1"
_MOST_NAMED = 16
_TOPS = (0.25, 0.5, 0.75, 1.0)


def categories(report: Mapping[str, Any], look: Look) -> Spec:
    """The specification; UndrawableError where no query has a category."""
    if not report["n_diagnosed"]:
        why = ", ".join(f"{reason} {n}" for reason, n in report["no_code"].items())
        raise UndrawableError(f"no query has a category ({why or 'the report counts no query'})")
    rows = list(_rows(report, look))
    largest = max(max(row.high or 0.0, row.value or 0.0) for row in rows)
    return row_chart(
        rows,
        title="Where it fails: share of queries by category",
        subtitle=[source_line(report), *_left_out(report)],
        axis=Axis(
            title=f"share of the {report['n_diagnosed']} diagnosed queries, with 95% intervals",
            high=next(top for top in _TOPS if largest <= top),
        ),
        columns=Columns(told="share [95% interval]", count="queries"),
        mark="bar",
        look=look,
    )


def _rows(report: Mapping[str, Any], look: Look) -> Iterator[Row]:
    """Family by family, a failing one with more queries first; success leads."""
    colours = look.palette.families
    found = report["categories"]
    families = sorted(
        (name for name in report["families"] if name != "pipeline"),
        key=lambda name: (name != "success", -report["families"][name]["n"]),
    )
    for family in families:
        own = [(code, row) for code, row in found.items() if row["family"] == family and row["n"]]
        counted = report["families"][family]
        if not own and not counted["n"]:
            continue
        n_more = counted["n"] - sum(row["n"] for _, row in own)
        label = f"{family} (with {n_more} of X2)" if n_more > 0 else family
        yield _row(label, counted, colours.get(family), heading=True)
        for code, row in sorted(own, key=lambda item: (-item[1]["n"], item[0])):
            yield _row(f"{code} {row['name'].replace('_', ' ')}", row, colours.get(family))
    left = found["X2"]
    if left["n"]:
        yield _row("undetermined (X2)", left, colours[None], heading=True)


def _row(label: str, row: Mapping[str, Any], colour: str | None, *, heading: bool = False) -> Row:
    return Row(
        label=label,
        value=row["share"],
        low=row["ci_low"],
        high=row["ci_high"],
        told=told_share(row["share"], row["ci_low"], row["ci_high"]),
        count=str(row["n"]),
        colour=colour,
        heading=heading,
    )


def _left_out(report: Mapping[str, Any]) -> Iterator[str]:
    """What stands in no bar."""
    rest = outside(report)
    parts: list[str] = []
    if rest.pipeline:
        parts.append(f"{numbers.counted(rest.pipeline, 'query', 'queries')} failed in the pipeline")
    if rest.no_diagnosis:
        parts.append(f"{rest.no_diagnosis} without a diagnosis ({rest.why})")
    if parts:
        yield f"In no bar: {'; '.join(parts)}."
    if rest.in_a_family:
        yield (
            f"Undetermined: {rest.in_a_family} of {report['categories']['X2']['n']} can be of one "
            "family only, and count there too."
        )
    codes = report["categories"].items()
    empty = [code for code, row in codes if not row["n"] and code != _OUT_OF_RATES]
    if empty:
        told = numbers.counted(len(empty), "category", "categories")
        some = f": {', '.join(empty)}" if len(empty) <= _MOST_NAMED else ""
        yield f"No query in {told}{some}."
