"""Chart: how far the evidence comes, stage by stage, from the corpus to the citation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.labels import shown
from ragdiag.report.charts.look import Look, Spec, compact, source_line, told_share
from ragdiag.report.charts.rows import Axis, Columns, Row, row_chart
from ragdiag.report.fix_lines import lost_to

_MOST_CODES = 3

_NAMES = {
    "corpus": "in the corpus",
    "candidates": "among the candidates",
    "k": "in the first k",
    "reranked": "kept by the reranker",
    "context": "in the context",
    "used": "used by the answer",
    "cited": "cited by the answer",
}


def funnel(report: Mapping[str, Any], look: Look) -> Spec:
    """The specification of `funnel_stages`; UndrawableError where the report has none."""
    stages: Sequence[Mapping[str, Any]] | None = report.get("funnel_stages")
    if stages is None:
        raise UndrawableError("funnel_stages is not in this report: `ragdiag rescore DIR` adds it")
    if all(stage["share"] is None for stage in stages):
        raise UndrawableError("no stage is known: queries with gold evidence are needed")
    return row_chart(
        [_row(stage, look) for stage in stages],
        title="Where the evidence is lost: queries whose complete evidence came this far",
        subtitle=[
            f"{source_line(report)} · {max(stage['n_gold'] for stage in stages)} with known gold "
            "evidence",
            "A share is of the queries that tell the stage; lost: it was still there before.",
        ],
        axis=Axis(title="share of queries with the complete evidence, with 95% intervals"),
        columns=Columns(told="share [95% interval]", count="queries"),
        mark="bar",
        look=look,
    )


def _row(stage: Mapping[str, Any], look: Look) -> Row:
    share = stage["share"]
    name = _NAMES.get(stage["stage"], str(stage["stage"]))
    why = f"not told by all: {stage['why']}" if stage.get("why") else ""
    if share is None:
        return Row(label=name, told="not available", note=shown(stage.get("why") or "", 90))
    return Row(
        label=name,
        value=share,
        low=stage["ci_low"],
        high=stage["ci_high"],
        told=told_share(share, stage["ci_low"], stage["ci_high"]),
        count=f"{compact(stage['n'])} of {compact(stage['n_total'])}",
        note=_lost(stage) or shown(why, 90),
        colour=look.palette.better,
    )


def _lost(stage: Mapping[str, Any]) -> str:
    """ "6 lost here: R3 ranked below cutoff 4, X2 2"; empty where none is."""
    if not stage["n_lost"]:
        return ""
    codes: Mapping[str, int] = stage["lost_to"]
    ranked = sorted(codes.items(), key=lambda item: -item[1])
    named = [lost_to({"lost_to": {code: n}}) for code, n in ranked[:_MOST_CODES]]
    if ranked and ranked[0][0] in CATALOGUE:
        code, n = ranked[0]
        if CATALOGUE[code].family != "success":
            named[0] = f"{code} {CATALOGUE[code].name.replace('_', ' ')} {n}"
    more = [f"{len(ranked) - _MOST_CODES} more"] if len(ranked) > _MOST_CODES else []
    return shown(f"{stage['n_lost']} lost here: {', '.join([*named, *more])}", 90)
