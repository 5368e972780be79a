"""Chart: the differences of a comparison with their intervals, as a forest plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.labels import shown
from ragdiag.report.charts.look import Look, Palette, Spec, compact, points
from ragdiag.report.charts.rows import MOST_ROWS, Axis, Columns, Row, capped, row_chart
from ragdiag.report.headline import shown_name

_TOPS = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
_EDGE = 1.05  # an interval never ends on the frame


def compare(comparison: Mapping[str, Any], look: Look) -> Spec:
    """The specification of the rows of compare.json: over all queries, or of `look.metric` in
    every slice, or of every metric in the slices of `look.dimension`.

    UndrawableError where no row was compared; UsageError where no row has the name asked for.
    """
    pairs: Sequence[Mapping[str, Any]] = comparison["pairs"]
    groups = [(pair, list(_asked(pair["rows"], look))) for pair in pairs]
    found = [row for _, rows in groups for row in rows]
    if not found and (look.metric or look.dimension) and any(pair["rows"] for pair in pairs):
        asked = " and ".join(
            f"{option} {value!r}"
            for option, value in (("--metric", look.metric), ("--slice", look.dimension))
            if value is not None
        )
        raise UsageError(f"the comparison has no row of {asked}")
    if all(row["difference"] is None for row in found):
        raise UndrawableError("no metric is compared: the runs share no scored query")
    most = max(MOST_ROWS // len(groups), 5)
    rows = [row for pair, own in groups for row in _group(pair, own, most, look.palette)]
    top = _top(rows)
    return row_chart(
        rows,
        title="What changed: difference in the mean of every metric",
        subtitle=list(_told(comparison, found)),
        axis=Axis(
            title="difference, variant − baseline, with 95% intervals",
            low=-top,
            high=top,
            format="+.0%" if top > _TOPS[0] else "+.1%",
            rule=0.0,
            rule_label="no difference",
        ),
        columns=Columns(told="points [95% interval]", count="p · n"),
        mark="point",
        look=look,
    )


def _asked(rows: Sequence[Mapping[str, Any]], look: Look) -> Iterator[Mapping[str, Any]]:
    for row in rows:
        dimension = _slice(row)[0]
        if look.metric is not None and row["metric"] != look.metric:
            continue
        if look.dimension is not None and dimension != look.dimension:
            continue
        if look.metric is None and look.dimension is None and dimension is not None:
            continue
        yield row


def _slice(row: Mapping[str, Any]) -> tuple[str | None, str]:
    """(dimension, value) of a row; (None, "") over all queries."""
    told: Any = row["slice"]
    if told is None:
        return None, ""
    if isinstance(told, str):
        dimension, _, value = told.partition("=")
        return dimension, value
    return str(told["dimension"]), str(told["value"])


def _group(
    pair: Mapping[str, Any], found: list[Mapping[str, Any]], most: int, palette: Palette
) -> Iterator[Row]:
    """One pair of runs: the largest gain first, what is not compared last."""
    yield Row(label=f"{pair['variant']} against {pair['baseline']}", heading=True)
    found.sort(key=lambda row: (row["difference"] is None, -(row["difference"] or 0.0)))
    yield from capped([_row(row, palette) for row in found], most)


def _row(row: Mapping[str, Any], palette: Palette) -> Row:
    difference = row["difference"]
    dimension, value = _slice(row)
    name = shown_name(row["metric"])
    label = name if dimension is None else f"{name}, {dimension}={value}"
    if difference is None:
        return Row(label=label, told="not compared", count=str(row["n"]))
    low, high = row["ci_low"], row["ci_high"]
    spread = "" if low is None or high is None else f" [{points(low)}, {points(high)}]"
    significant = bool(row["significant"])
    open_to_doubt = row.get("verdict") == "not established"
    return Row(
        label=label,
        value=difference,
        low=low,
        high=high,
        told=f"{points(difference)}{spread}",
        count=f"{_p(row)} · {compact(row['n'])}",
        colour=_colour(row, palette) if significant else palette.quiet,
        shape="diamond" if significant else "square" if open_to_doubt else "circle",
        filled=significant and row.get("broad") is not False,
    )


def _colour(row: Mapping[str, Any], palette: Palette) -> str:
    """Of a metric that is neither good nor bad, a difference is neither."""
    sign = {"higher": 1, "lower": -1}.get(row.get("direction", "higher"), 0)
    gain = sign * row["difference"]
    return palette.better if gain > 0 else palette.worse if gain < 0 else palette.text


def _p(row: Mapping[str, Any]) -> str:
    p = row["p"] if row.get("p_adjusted") is None else row["p_adjusted"]
    return "–" if p is None else "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _top(rows: Sequence[Row]) -> float:
    ends = [abs(end) for row in rows for end in (row.value, row.low, row.high) if end is not None]
    largest = max(ends) * _EDGE
    return next((top for top in _TOPS if largest <= top), largest)


def _told(comparison: Mapping[str, Any], rows: list[Mapping[str, Any]]) -> Iterator[str]:
    names = ", ".join(shown(run["name"], 40) for run in comparison["runs"])
    yield f"runs {names} · {comparison['n_shared']} shared queries"
    family: Mapping[str, Any] = comparison.get("family") or {}
    if family.get("n_tests"):
        by = family.get("correction")
        yield f"p adjusted over {family['n_tests']} tests" + (f" ({by})" if by else "")
    yield "diamond: significant (open: carried by few queries) · circle: no difference shown"
    if any(row.get("verdict") == "not established" for row in rows):
        yield "square: a difference that the unscored queries could turn"
