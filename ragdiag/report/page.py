"""report.html: one self-contained, escaped file that works from disk."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ragdiag.diagnosis.explain import Section
from ragdiag.records import Sample, SampleResult
from ragdiag.report import numbers
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
from ragdiag.report.retrieval_lines import (
    level_columns,
    level_rows,
    loss_lines,
    near_duplicates_line,
    near_miss_of,
    wrong_page_line,
)

MOST_CASES, MOST_CHARACTERS = 2000, 12_000_000
"""Bounds of the cases shown in the one file; the page says how many more there are."""

_MOST_TEXT = 600
_MOST_LINES = 80
_MOST_NAME = 80
_MOST_SLICES = 30


@dataclass(frozen=True)
class CaseRow:
    """One query as the page lists it; texts cut, so that the page stays small."""

    query_id: str
    query: str
    code: str
    name: str
    family: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(
        cls,
        sample: Sample,
        result: SampleResult,
        sections: Sequence[Section],
    ) -> CaseRow:
        """The row of one sample and its result."""
        told = result.diagnosis
        return cls(
            query_id=sample.query_id,
            query=_cut(sample.query),
            code=told.code or numbers.ABSENT,
            name=told.name or told.status_reason or "",
            family=told.family or "",
            sections=tuple(
                (section.title, tuple(_cut(line) for line in section.lines[:_MOST_LINES]))
                for section in sections
            ),
        )

    @property
    def size(self) -> int:
        """Characters of its texts."""
        return len(self.query) + sum(len(line) for _, lines in self.sections for line in lines)


def bounded(rows: Iterable[CaseRow]) -> list[CaseRow]:
    """The first rows, as many as one page can hold; the rest is not even made."""
    kept: list[CaseRow] = []
    left = MOST_CHARACTERS
    for row in rows:
        left -= row.size
        if left < 0:
            break
        kept.append(row)
        if len(kept) == MOST_CASES:
            break
    return kept


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}… (+{len(text) - _MOST_TEXT})"


def _short(name: str) -> str:
    return name if len(name) <= _MOST_NAME else f"{name[:_MOST_NAME]}…"


def render_page(report: Mapping[str, Any], rows: Sequence[CaseRow]) -> str:
    """The whole page. Everything that comes from data is escaped by the template engine."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - heavy, and needed here only

    here = files("ragdiag.report") / "templates"
    style = (here / "page.css").read_text(encoding="utf-8")
    script = (here / "page.js").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters.update(  # pyright: ignore[reportUnknownMemberType]
        value=numbers.value,
        share=numbers.share,
        milliseconds=numbers.milliseconds,
        short=_short,
        shown_name=shown_name,
        cut=_cut,
    )
    template = environment.from_string((here / "page.html").read_text(encoding="utf-8"))
    codes = sorted({row.code for row in rows})
    return template.render(
        report=report,
        rows=rows,
        codes=codes,
        n_more=report["corpus"]["n_queries"] - len(rows),
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
        style_hash=_csp_hash(style),
        script_hash=_csp_hash(script),
    )


def _csp_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
