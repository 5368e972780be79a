"""report.html: one self-contained, escaped file that works from disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from ragdiag.records import NOT_APPLICABLE
from ragdiag.report import numbers, web_page
from ragdiag.report.ann import ann_rows
from ragdiag.report.apart_lines import apart_lines, part_rows
from ragdiag.report.certainty import counted_line, interval_cells
from ragdiag.report.corrected import corrected_lines
from ragdiag.report.fix_lines import at_most, codes_line, funnel_rows, notes_line, untold_line
from ragdiag.report.headline import (
    agreement_lines,
    by_worst,
    judge_lines,
    outside,
    quality_metrics,
    retrieval_rows,
    shown_name,
    slice_metric,
    top_categories,
    worst_slices,
)
from ragdiag.report.page_index import MOST_QUERY
from ragdiag.report.retrieval_lines import (
    level_columns,
    level_rows,
    loss_lines,
    near_duplicates_line,
    near_miss_of,
    wrong_page_line,
)

_MOST_TEXT = 600
_MOST_NAME = 80
_MOST_SLICES = 30
_STYLES = ("base.css", "page.css", "case.css")
_SCRIPTS = (
    "dom.js", "case_number.js", "case_passages.js", "case_answer.js", "case_copy.js", "case.js",
    "codec.js", "index.js", "list.js", "state.js", "filters.js", "landing.js", "keys.js", "main.js",
)  # fmt: skip
_SHARD_POLICY = "ragdiag-shards"
"""The trusted-types policy that codec.js makes: it names the shards of the page, nothing else."""


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}… (+{len(text) - _MOST_TEXT})"


def _short(name: str) -> str:
    return name if len(name) <= _MOST_NAME else f"{name[:_MOST_NAME]}…"


@cache
def _sources() -> tuple[str, str]:
    web = files("ragdiag.report") / "web"
    script = web_page.one_scope(web / name for name in _SCRIPTS)
    return script, web_page.one_style(web / name for name in _STYLES)


def not_scored(report: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """The metrics of evidence and answer that lack a value of some queries to which they apply, but
    for those that the pipeline failed at: name, row, and why, most frequent first."""
    besides = NOT_APPLICABLE | {"pipeline_error"}
    for name in quality_metrics(report):
        row = report["metrics"].get(name, {"reasons": {}})
        reasons = [(why, n) for why, n in row["reasons"].items() if why not in besides]
        if reasons:
            reasons.sort(key=lambda item: (-item[1], item[0]))
            yield name, row, ", ".join(f"{why} {n}" for why, n in reasons)


def case_link(query_id: str) -> str:
    """Where the page shows a query."""
    return f"#/case/{quote(query_id, safe='')}"


def list_link(value: str | tuple[str, str], name: str) -> str:
    """Where the page lists the queries that a filter leaves; of a slice dimension and value."""
    if not isinstance(value, str):
        value = ":".join(quote(part, safe="") for part in value)
    return f"#/list?{name}={quote(value, safe=':@,')}"


def render_page(
    report: Mapping[str, Any], index: str = "", blocks: Sequence[str] = (), *, shards: bool = False
) -> str:
    """The whole page. Everything that comes from data is escaped by the template engine.

    index   the packed columns of the list.
    blocks  the packed details of the queries; () where they stand in shards, which only then may
            be loaded.
    """
    from jinja2 import (  # noqa: PLC0415 - heavy, and needed here only
        Environment,
        PackageLoader,
        StrictUndefined,
    )

    script, style = _sources()
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        loader=PackageLoader("ragdiag.report"),
    )
    environment.filters.update(  # pyright: ignore[reportUnknownMemberType]
        value=numbers.value,
        share=numbers.share,
        milliseconds=numbers.milliseconds,
        short=_short,
        shown_name=shown_name,
        cut=_cut,
        case=case_link,
        listed=list_link,
    )
    return environment.get_template("page.html").render(
        report=report,
        index=index,
        blocks=blocks,
        most_query=MOST_QUERY,
        not_scored=list(not_scored(report)),
        rest=outside(report),
        most_slices=_MOST_SLICES,
        judge=judge_lines(report),
        counted=counted_line(report),
        interval_cells=interval_cells,
        categories=top_categories(report, most=None),
        fix_first=report.get("fix_first") or [],
        codes_line=codes_line,
        at_most=at_most,
        notes=notes_line(report),
        funnel=funnel_rows(report),
        untold=untold_line(report),
        retrieval=retrieval_rows(report),
        ann=ann_rows(report),
        level_columns=level_columns(report),
        levels=level_rows(report),
        retrieval_lines=[
            line for line in (wrong_page_line(report), near_duplicates_line(report)) if line
        ],
        losses=list(loss_lines(report, most=_MOST_SLICES, unchanged=True)),
        near_miss=near_miss_of,
        layers=[
            (name, report["metrics"][name])
            for name in quality_metrics(report)
            if name in report["metrics"]
        ],
        parts=part_rows(report),
        apart=[line for name, line in apart_lines(report) if name != "parts right"],
        worst=list(worst_slices(report)),
        by_worst=by_worst,
        slice_metric=slice_metric(report),
        agreement=list(agreement_lines(report)),
        corrected=list(corrected_lines(report)),
        interval=numbers.interval,
        style=style,
        script=script,
        policy=web_page.policy(script, style, script_policy=_SHARD_POLICY if shards else None),
    )
