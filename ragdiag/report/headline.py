"""Which parts of a report are shown first: the same choice for terminal and page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.report import numbers
from ragdiag.report.summary import MISSING

EVIDENCE = ("evidence_correctness", "sufficiency", "completeness", "provenance")
ANSWER = (
    "answer_correctness", "faithfulness", "citation_correctness", "citation_completeness",
    "abstention",
)  # fmt: skip
RETRIEVAL = (
    "precision", "recall", "hit", "rr", "ap", "ndcg", "any_evidence", "complete_evidence", "judged",
)  # fmt: skip

MOST_CATEGORIES = 9
_MOST_SLICES = 3
_SLICE_METRICS = ("answer_correctness", "recall", "evidence_coverage")
_SMALLEST_SLICE = 5
_MANY_ERRORS = 0.05  # of the queries: below it, the count in the first table suffices


_ALL_PEOPLES = "the labels are the judge's own: no agreement to measure"


_TITLES = {"abstention": "share that abstains"}
_SHORT = {"answer_correctness": "answers", "citation_support": "citations"}


def quality_metrics(report: Mapping[str, Any]) -> tuple[str, ...]:
    """The metrics of layers 2 and 3, then those of other tools."""
    others = (name for name, row in report["metrics"].items() if row["layer"] == "external")
    return (*EVIDENCE, *ANSWER, *others)


def shown_name(metric: str) -> str:
    """A metric's name as it is shown: what is no quality says what it is."""
    return _TITLES.get(metric, metric.replace("_", " "))


@dataclass(frozen=True, slots=True)
class Outside:
    """The queries that stand in no family; with the families they add up to all queries.

    undetermined   X2 whose codes share no family, which stands in the rates.
    in_a_family    X2 whose codes share one, which are counted there.
    pipeline       X1, in no rate.
    no_diagnosis   without a code, in no rate; `reasons` says why, most frequent first.
    """

    undetermined: int
    in_a_family: int
    pipeline: int
    no_diagnosis: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def why(self) -> str:
        """ "no_answer 8, no_reference 2"."""
        return ", ".join(f"{reason} {n}" for reason, n in self.reasons)


def outside(report: Mapping[str, Any]) -> Outside:
    """What the families leave over."""
    undetermined = report["n_diagnosed"] - sum(row["n"] for row in report["families"].values())
    reasons = sorted(report["no_code"].items(), key=lambda item: (-item[1], item[0]))
    return Outside(
        undetermined=undetermined,
        in_a_family=max(report["categories"]["X2"]["n"] - undetermined, 0),
        pipeline=report["categories"]["X1"]["n"],
        no_diagnosis=sum(n for _, n in reasons),
        reasons=tuple(reasons),
    )


def judge_lines(report: Mapping[str, Any]) -> list[str]:
    """Who judged, whether people checked it on this data, and how it did elsewhere."""
    judge = report["judge"]
    validated: Mapping[str, Any] = judge.get("validated") or {}
    told = f"judge {judge['name'] or 'none'}"
    measured: Mapping[str, Any] = judge.get("measured") or {}
    told += f" · {validated_line(judge) if validated else _here(report)}"
    parts = [
        f"{_SHORT.get(check, check)} {row['balanced_accuracy']:.2f}"
        for check, row in sorted(measured.items())
        if row.get("balanced_accuracy") is not None
    ]
    where = "in cross-validation or elsewhere" if judge.get("trained_on") else "elsewhere"
    elsewhere = [f"agreement with people {where}: {', '.join(parts)}"] if parts else []
    spared = " · ".join(_spared(judge))
    return [told, *elsewhere, *([spared] if spared else [])]


def validated_line(judge: Mapping[str, Any]) -> str:
    """ "validated on this data: yes, on 42 labels"; what is not trusted says why, or, where some
    checks are and some are not, which."""
    checks: Mapping[str, Mapping[str, Any]] = judge["validated"]
    where = "other data" if judge.get("validated_elsewhere") else "this data"
    trusted = [check for check, row in checks.items() if row["trusted"]]
    on = f"on {numbers.counted(sum(row['n'] for row in checks.values()), 'label')}"
    if len(trusted) == len(checks):
        return f"validated on {where}: yes, {on}"
    if not trusted:
        check, row = next(iter(checks.items()))
        n_more = len(checks) - 1
        more = f"; {numbers.counted(n_more, 'more check')} alike" if n_more else ""
        first, *others = str(row["why"]).split("; ")
        why = f"{_SHORT.get(check, check)}: {first}{' …' if others else ''}{more}"
        return f"validated on {where}: no, {on} ({why})"
    parts = [f"{check} {'yes' if row['trusted'] else 'no'}" for check, row in checks.items()]
    return f"validated on {where}: {', '.join(parts)}, {on}"


def _spared(judge: Mapping[str, Any]) -> Iterator[str]:
    """What a cascade spared its last judge, and how often repeats of a judge differ."""
    if judge.get("calls_saved") is not None:
        yield f"{numbers.counted(judge['calls_saved'], 'call')} of the last judge saved"
    flips: Mapping[str, Any] = judge.get("flips") or {}
    if flips:
        spread = numbers.interval(flips["ci_low"], flips["ci_high"])
        part = f"{numbers.share(flips['share'])} {spread}"
        yield f"flipped {flips['n_flipped']} of {flips['n_questions']} asked again ({part.strip()})"


def _here(report: Mapping[str, Any]) -> str:
    """What people's labels of this data say of the judge, in a word."""
    rows: Mapping[str, Mapping[str, Any]] = report.get("agreement", {})
    n = sum(row["n"] for row in rows.values())
    if n:
        told = f"agreement measured on {n} label{'s' if n > 1 else ''}"
        return f"validated on this data: {told}"
    return _ALL_PEOPLES if rows else "validated on this data: no"


def top_categories(
    report: Mapping[str, Any], *, most: int | None = MOST_CATEGORIES
) -> list[tuple[str, Mapping[str, Any]]]:
    """Categories that occurred and are no success, most frequent first; `most` None = all."""
    found = [
        (code, row)
        for code, row in report["categories"].items()
        if row["n"] and row["family"] != "success"
    ]
    found.sort(key=lambda row: (-row[1]["n"], row[0]))
    return found[:most]


def example_to_explain(report: Mapping[str, Any]) -> str | None:
    """The first example of the most frequent failing category; then an undetermined
    one, then one of zero recall, then a failure of the pipeline; None where nothing fails."""
    found = [code for code, _ in top_categories(report, most=None) if code != "X1"]
    for code in sorted(found, key=lambda code: code == "X2"):
        if report["examples"].get(code):
            return str(report["examples"][code][0])
    if report["zero_recall"]:
        return str(report["zero_recall"][0]["query_id"])
    failed = report["categories"].get("X1", {}).get("n")
    return next(iter(report["examples"].get("X1", ())), None) if failed else None


def error_line(report: Mapping[str, Any]) -> str | None:
    """How the pipeline failed, by the first words of its errors; None where it seldom did."""
    told: Mapping[str, Any] = report.get("pipeline_errors", {})
    counts: dict[str, int] = told.get("by_kind", {})
    n = sum(counts.values())
    if n < _MANY_ERRORS * report["corpus"]["n_queries"] or not n:
        return None
    kinds = ", ".join(f"{kind} {count}" for kind, count in list(counts.items())[:3])
    first: Mapping[str, str] = told["first"]
    return f"{n} failed ({kinds}); first {first['query_id']}: {first['error']}"


def retrieval_rows(report: Mapping[str, Any]) -> list[list[str]]:
    """One row a cut-off: "@5", a value a metric, "41/44" scored; [] where nothing is scored."""
    metrics = report["metrics"]
    rows: list[list[str]] = []
    for k in report["k"]:
        found = [metrics.get(f"{name}@{k}") for name in RETRIEVAL]
        scored = next((one for one in found if one is not None and one["n"]), None)
        if scored is not None:
            shown = [numbers.value(None if one is None else one["value"]) for one in found]
            rows.append([f"@{k}", *shown, numbers.of_total(scored)])
    return rows


def slice_metric(report: Mapping[str, Any]) -> str:
    """The metric by which slices are compared: of answers where some are scored, else how much of
    the evidence was retrieved."""
    deepest = max(report["k"])
    names = [
        name if name == "answer_correctness" else f"{name}@{deepest}" for name in _SLICE_METRICS
    ]
    known = report["metrics"]
    return next((name for name in names if known.get(name, {}).get("n")), names[0])


def by_worst(values: Mapping[str, Any], metric: str) -> list[tuple[str, Any]]:
    """The slices of a dimension, worst first: by the mean; those without one last, by name."""

    def standing(item: tuple[str, Any]) -> tuple[bool, float, str]:
        value = item[1]["metrics"].get(metric, {}).get("value")
        return (value is None, 0.0 if value is None else value, item[0])

    return sorted(values.items(), key=standing)


def worst_slices(report: Mapping[str, Any]) -> Iterator[str]:
    """The slices of at least 5 scored queries that are most surely bad at `slice_metric`.

    Ordered by the upper bound of its interval, so that few unlucky queries do not stand before
    many. Queries without a value are no slice, nor is an only value one.
    """
    name_of_metric = slice_metric(report)
    rows: list[tuple[float, float, str]] = []
    for dimension, values in report["slices"].items():
        named = {name: row for name, row in values.items() if name != MISSING}
        if len(named) < 2:
            continue
        for name, row in named.items():
            metric = row["metrics"].get(name_of_metric)
            if metric is None or metric["value"] is None or metric["n"] < _SMALLEST_SLICE:
                continue
            spread = numbers.interval(metric["ci_low"], metric["ci_high"])
            told = f"{dimension}={name}: {shown_name(name_of_metric)}"
            line = f"{told} {numbers.value(metric['value'])} {spread} (n {metric['n']})"
            rows.append((metric["ci_high"], metric["value"], line))
    yield from (line for *_, line in sorted(rows)[:_MOST_SLICES])


def agreement_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """How far each check agreed with people's labels, where some were given."""
    for check, row in report.get("agreement", {}).items():
        if not row["n"]:
            continue  # all of them are the judge's own
        if row["agreement"] is None:
            yield f"{check}: none of {row['n']} labelled queries decided"
            continue
        spread = numbers.interval(row["ci_low"], row["ci_high"])
        yield (
            f"{check}: agreement {numbers.value(row['agreement'])} {spread} on "
            f"{row['n_decided']} decided of {row['n']} labelled"
        )
