"""How charts look: the two themes, their colours, and figures as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragdiag.report import numbers
from ragdiag.report.charts.labels import shown

Theme = Literal["light", "dark"]
Spec = dict[str, Any]
"""A Vega-Lite specification as plain JSON values."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Bundled with vl-convert; Arial and Helvetica have its widths, for who opens the SVG."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme. Every one keeps a contrast of 3:1 on `background`; text 4.5:1."""

    background: str
    text: str
    quiet: str
    grid: str
    whisker: str
    families: Mapping[str | None, str]
    series: tuple[str, ...]
    better: str
    worse: str


_LIGHT = Palette(
    background="#ffffff",
    text="#1b1f24",
    quiet="#59626d",
    grid="#e3e6ea",
    whisker="#1b1f24",
    families={
        "success": "#00815e", "retrieval": "#d55e00", "generation": "#a3478a",
        "grounding": "#0072b2", "labels": "#8f7200", "pipeline": "#6b2a1a", None: "#6f7985",
    },
    series=("#d55e00", "#8f7200", "#0072b2", "#a3478a"),
    better="#0072b2",
    worse="#d55e00",
)  # fmt: skip
_DARK = Palette(
    background="#15181c",
    text="#e8ebef",
    quiet="#a2abb6",
    grid="#2d333b",
    whisker="#e8ebef",
    families={
        "success": "#2bb48a", "retrieval": "#f0883e", "generation": "#d98bc2",
        "grounding": "#58a6e0", "labels": "#cfb53b", "pipeline": "#c9765f", None: "#8b95a1",
    },
    series=("#f0883e", "#cfb53b", "#58a6e0", "#d98bc2"),
    better="#58a6e0",
    worse="#f0883e",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """What a user may choose of a chart. `width` is the whole picture's, in pixels at scale 1;
    None for `metric` and `dimension` = the chart's own choice."""

    theme: Theme = "light"
    width: int = 860
    metric: str | None = None
    dimension: str | None = None

    @property
    def palette(self) -> Palette:
        """The colours of the theme."""
        return _DARK if self.theme == "dark" else _LIGHT


def percent_interval(low: float | None, high: float | None) -> str:
    """[21–43%]; empty for none. Tenths where both ends round to one whole percent."""
    if low is None or high is None:
        return ""
    digits = 0 if f"{low:.0%}" != f"{high:.0%}" else 1
    return f"[{100 * low:.{digits}f}–{100 * high:.{digits}f}%]"


def told_share(share: float | None, low: float | None, high: float | None) -> str:
    """31.3% [21–43%]; a dash for none."""
    return f"{numbers.share(share)} {percent_interval(low, high)}".rstrip()


def points(difference: float) -> str:
    """+3.1: percentage points, with a sign."""
    told = f"{100 * difference:+.1f}".replace("-", "−")
    return told[1:] if told[1:] == "0.0" else told


def compact(n: int) -> str:
    """99999, 123k, 1.2M: a count as it fits a column."""
    return str(n) if n < 100_000 else f"{n // 1000}k" if n < 1_000_000 else f"{n / 1e6:.1f}M"


def source_line(report: Mapping[str, Any]) -> str:
    """Which evaluation a chart is of: run, number of queries, judge, what intervals rest on."""
    run: Mapping[str, Any] = report.get("run") or {}
    judge: Mapping[str, Any] = report.get("judge") or {}
    subset: Mapping[str, Any] = report.get("subset") or {}
    clusters: Mapping[str, Any] = report.get("clusters") or {}
    parts = [f"run {shown(run['name'], 60)}"] if run.get("name") else []
    parts.append(numbers.counted(report["corpus"]["n_queries"], "query", "queries"))
    if subset:
        parts[-1] += f" of {subset['n_total']} ({shown(subset['what'], 60)})"
    if judge.get("name"):
        parts.append(f"judge {shown(judge['name'], 60)}")
    if clusters:
        counted = numbers.counted(clusters["n"], "cluster")
        parts.append(f"intervals by {shown(clusters['by'], 40)}: {counted}")
    return " · ".join(parts)


def config(palette: Palette) -> Spec:
    """The `config` of every chart."""
    return {
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "domainColor": palette.quiet,
            "gridColor": palette.grid,
            "labelColor": palette.quiet,
            "labelFontSize": 11,
            "tickColor": palette.quiet,
            "titleColor": palette.quiet,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
        },
        "text": {"color": palette.text, "fontSize": 12},
    }
