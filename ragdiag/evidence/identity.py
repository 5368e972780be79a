"""Evidence correctness: is what the answer rests on of the report, entity, period, … asked for?"""

from __future__ import annotations

from typing import NamedTuple

from ragdiag.records import (
    TARGET_FIELDS,
    Basis,
    CheckIdentity,
    Finding,
    LabelResult,
    Passage,
    Score,
    Target,
    missing,
    scored,
)
from ragdiag.text.case import Case, Metric
from ragdiag.text.identity import compare
from ragdiag.text.locate import matches


class PassageIdentity(NamedTuple):
    """One passage against the target: `label` right | wrong:<field> | None (cannot be told)."""

    passage_id: str
    label: str | None
    fields: dict[str, str]
    basis: Basis


def question(case: Case) -> CheckIdentity | None:
    """Asked where a target is given, and a context; decided by code where no field is unknown.

    A target that was only read from the question is for code alone.
    """
    target, context = case.sample.target, case.context
    if target is None or not context:
        return None
    told = [passage_identity(case, passage, target) for passage in context]
    return CheckIdentity(
        query_id=case.sample.query_id,
        query=case.sample.query,
        history=case.sample.history,
        target=target,
        passages=context,
        decided=all(one.label is not None for one in told),
    )


def used_passages(case: Case) -> tuple[Passage, ...]:
    """What the answer rests on: the passages it cites, else the best-supporting one of each claim.

    For a retrieval-only sample the whole context. () where nothing is cited and nothing supports.
    """
    context = case.context or ()
    if not case.answered:
        return context
    cited = {c.passage_id for c in case.citations if not c.dangling}
    if not cited:
        findings = [finding for finding, _ in case.findings("support").values()]
        cited = {_best(finding) for finding in findings if finding.label == "supported"}
    return tuple(passage for passage in context if passage.passage_id in cited)


def _best(finding: Finding) -> str | None:
    if finding.passage_id is not None:
        return finding.passage_id
    return next(iter((*finding.supporting, *finding.joint)), None)


def passage_identity(case: Case, passage: Passage, target: Target) -> PassageIdentity:
    """Gold passages are right by their label; then code; the judge only where code cannot tell."""
    if any(matches(item, passage) for items in case.sample.gold for item in items):
        fields = {name: "match" for name in TARGET_FIELDS if getattr(target, name) is not None}
        return PassageIdentity(passage.passage_id, "right", fields, "labels")
    fields: dict[str, str] = dict(compare(target, passage))
    wrong = next((name for name in TARGET_FIELDS if fields.get(name) == "mismatch"), None)
    if wrong is not None:
        return PassageIdentity(passage.passage_id, f"wrong:{wrong}", fields, "deterministic")
    judged = _judged(case, passage.passage_id)
    if judged is not None and judged.startswith("wrong:"):
        return PassageIdentity(
            passage.passage_id, judged, {**fields, judged.partition(":")[2]: "mismatch"}, "judged"
        )
    if "match" in fields.values():
        return PassageIdentity(passage.passage_id, "right", fields, "deterministic")
    return PassageIdentity(passage.passage_id, judged, fields, "judged")


def _told(case: Case) -> list[PassageIdentity] | None:
    """Of each passage used; None without a target, or where it was read from the question and is
    compared with nothing: of such a target only what can be told counts."""
    target = case.target
    if target is None:
        return None
    told = [passage_identity(case, passage, target) for passage in used_passages(case)]
    if case.target_given:
        return told
    return [one for one in told if one.label is not None] or None


def _judged(case: Case, passage_id: str) -> str | None:
    found = case.findings("identity").get(passage_id)
    return found[0].label if found is not None else None


def label(case: Case) -> LabelResult:
    """right | wrong:<field> (the first wrong passage used) | None; people's label first."""
    verdict = case.people("identity")
    if verdict is not None and verdict.label is not None:
        return LabelResult(
            label=verdict.label, basis="labels", judge=verdict.judge, reason=verdict.reason
        )
    told = _told(case)
    if told is None:
        return LabelResult(label=None, basis="deterministic", reason="no_target")
    wrong = next((one for one in told if one.label and one.label.startswith("wrong:")), None)
    if wrong is not None:
        return LabelResult(label=wrong.label, basis=_basis(wrong), reason=wrong.passage_id)
    if told and all(one.label == "right" for one in told):
        return LabelResult(label="right", basis=_basis(*told))
    return LabelResult(label=None, reason="undecided" if told else "nothing supports the answer")


def _basis(*told: PassageIdentity) -> Basis:
    """The weakest of what the labels rest on."""
    order: tuple[Basis, ...] = ("judged", "labels", "deterministic")
    return order[min(order.index(one.basis) for one in told)]


def _scores(case: Case) -> dict[str, Score]:
    """evidence_correctness and one score a target field, over the passages used.

    Range 0-1; no target: no_target; no context: no_context; an empty context: 0.
    """
    names = ["evidence_correctness", *(f"evidence_correctness.{f}" for f in TARGET_FIELDS)]
    reason = _inapplicable(case)
    if reason is not None:
        return dict.fromkeys(names, missing(reason))
    target, told = case.target, _told(case)
    assert target is not None
    if not case.context:
        asked = {f for f in TARGET_FIELDS if getattr(target, f) is not None}
        return {
            name: scored(0.0) if field == "" or field in asked else missing("no_target")
            for name, field in ((n, n.partition(".")[2]) for n in names)
        }
    if told is None:
        return dict.fromkeys(names, missing("no_target"))
    found = {"evidence_correctness": _share([_right(one.label) for one in told], "no_citations")}
    for field in TARGET_FIELDS:
        states = [one.fields.get(field, "unknown") for one in told]
        decided = [None if s == "unknown" else s == "match" for s in states]
        asked = getattr(target, field) is not None
        found[f"evidence_correctness.{field}"] = (
            _share(decided, "no_citations") if asked else missing("no_target")
        )
    return found


def _right(label: str | None) -> bool | None:
    return None if label is None else label == "right"


def _share(decided: list[bool | None], empty: str) -> Score:
    """Share of True among the decided; unscored where under half are decided."""
    if not decided:
        return missing(empty)
    known = [value for value in decided if value is not None]
    if 2 * len(known) < len(decided) or not known:
        return missing("undecided")
    return scored(sum(known) / len(known))


def _inapplicable(case: Case) -> str | None:
    if case.sample.error is not None:
        return "pipeline_error"
    if case.target is None:
        return "no_target"
    return "no_context" if case.context is None else None


METRICS = (
    Metric(
        name="evidence_correctness",
        layer="evidence",
        direction="higher",
        needs=("identity", "support"),
        compute=_scores,
    ),
)
