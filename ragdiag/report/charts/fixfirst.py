"""Chart: what repairing each component can gain at most, the largest gain first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragdiag.report import numbers
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.look import Look, Spec, percent_interval, source_line
from ragdiag.report.charts.rows import Axis, Columns, Row, capped, row_chart
from ragdiag.report.fix_lines import at_most

_MOST_CODES = 2


def fixfirst(report: Mapping[str, Any], look: Look) -> Spec:
    """The specification of `fix_first`; UndrawableError where the report has none."""
    found: Sequence[Mapping[str, Any]] | None = report.get("fix_first")
    if found is None:
        raise UndrawableError("fix_first is not in this report: `ragdiag rescore DIR` adds it")
    rows = [row for row in found if row["gain"]["possible"]["upper_bound"] is not None]
    if not rows:
        raise UndrawableError("no component is blamed for any query")
    now = rows[0]["gain"]["value"]
    return row_chart(
        capped([_row(row, look) for row in rows]),
        title="Fix first: queries fully right if a component were repaired, at most",
        subtitle=[
            source_line(report),
            "An upper bound, the undetermined with it: a query may still break at the next stage.",
        ],
        axis=Axis(
            title="share of queries fully right; now + 95% interval of what is added",
            rule=now,
            rule_label="" if now is None else f"now {numbers.share(now)}",
        ),
        columns=Columns(told="at most [95% interval]", count="queries"),
        mark="point",
        look=look,
    )


def _row(row: Mapping[str, Any], look: Look) -> Row:
    gain = row["gain"]
    codes = list(row["codes"].items())
    told = ", ".join(f"{code} {n}" for code, n in codes[:_MOST_CODES])
    more = f", {len(codes) - _MOST_CODES} more" if len(codes) > _MOST_CODES else ""
    bound, low, high = at_most(gain)
    families = row.get("families") or [None]
    return Row(
        label=f"{row['component']} ({told}{more})" if told else row["component"],
        value=bound,
        low=low,
        high=high,
        told=f"{numbers.share(bound)} {percent_interval(low, high)}",
        count=str(row["n"]),
        colour=look.palette.families.get(families[0], look.palette.quiet),
        filled=row["n"] > 0,
    )
