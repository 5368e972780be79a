"""How many people labelled each item, and how far they agree; is there a guideline?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragdiag.evaluation.health.finding import Finding, counted, percent, some
from ragdiag.records import Label
from ragdiag.stats.agreement import NominalAgreement, nominal_agreement

GUIDELINE = "guideline"
"""The key of the run facts, or of a label line, that names the labelling guideline."""
LEAST_ALPHA = 0.667
"""Below it not even tentative conclusions hold (Krippendorff, Content Analysis, ch. 12)."""
_MANY = 50  # doubly labelled items from which agreement is known well enough
_FEW_PAIRS = 10
_SKEWED = 0.85  # agreement that is high although alpha is low: one label is rare

WHY = {"no_pair": "no item has two labels", "one_label": "only one label occurs"}


class Annotators:
    """The labels of people, by check."""

    def __init__(self, labels: Sequence[Label]) -> None:
        items: dict[str, dict[tuple[object, ...], dict[str, str]]] = {}
        for label in labels:
            item = (
                label.query_id, label.claim, label.claim_span, label.passage_id,
                repr((label.model_extra or {}).get("claim_id")),
            )  # fmt: skip
            items.setdefault(label.check, {}).setdefault(item, {})[label.annotator] = label.label
        self._by_check = {
            check: [Counter(given.values()) for given in found.values()]
            for check, found in sorted(items.items())
        }
        self._agreement = {c: nominal_agreement(found) for c, found in self._by_check.items()}
        self.n_annotators = len({label.annotator for label in labels})
        self.guideline = next((g for g in map(_guideline, labels) if g), None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON key `labels`: by check, items by number of annotators, and their agreement."""
        return {
            "n_annotators": self.n_annotators,
            "checks": {c: self._row(c, found) for c, found in self._by_check.items()},
        }

    def _row(self, check: str, found: Sequence[Mapping[str, int]]) -> dict[str, Any]:
        told = self._agreement[check]
        return {
            "n_items": len(found),
            "n_single": sum(1 for one in found if sum(one.values()) == 1),
            "annotators_per_item": {
                str(k): n for k, n in sorted(Counter(sum(one.values()) for one in found).items())
            },
            "n_several": told.n_items,
            "agreement": told.observed,
            "alpha": told.alpha,
            "why_no_alpha": told.why_none,
            "table": [
                {"labels": list(pair), "weight": weight} for pair, weight in told.table.items()
            ],
        }

    def findings(self) -> Iterable[Finding]:
        """One for all checks that rest on one person each; one a check whose people disagree."""
        rows = {check: self._row(check, found) for check, found in self._by_check.items()}
        alone = {
            check: row
            for check, row in rows.items()
            if row["n_single"] and row["n_several"] < _MANY
        }
        if alone:
            told = [
                f"{check} {row['n_single']} of {row['n_items']}" for check, row in alone.items()
            ]
            yield Finding(
                "singly_labelled",
                "weak",
                f"labelled by one person only: {some(told, longest=40)}",
                f"let a second person label {_MANY} items of a check, blind, to know the agreement",
                {check: row["n_single"] for check, row in alone.items()},
            )
        for check, found in self._agreement.items():
            yield from self._of_agreement(check, found)

    def _of_agreement(self, check: str, told: NominalAgreement) -> Iterable[Finding]:
        numbers = {"check": check, "n_several": told.n_items, "agreement": told.observed}
        if told.why_none == "one_label":
            yield Finding(
                "one_label",
                "weak",
                f"{check}: no alpha of the annotators, {WHY['one_label']} on "
                f"{counted(told.n_items, 'doubly labelled item')}",
                "label items of the other kinds twice too: agreement on one label shows nothing",
                {**numbers, "alpha": None},
            )
        if told.alpha is None or told.observed is None or told.n_items < _FEW_PAIRS:
            return
        if told.alpha < LEAST_ALPHA:
            table = ""
            if told.observed >= _SKEWED:
                table = "; pairs: " + ", ".join(
                    f"{a}/{b} {weight:.3g}" for (a, b), weight in told.table.items()
                )
            yield Finding(
                "annotators_disagree",
                "weak",
                f"{check}: people agree on {percent(told.observed)} of pairs, alpha "
                f"{told.alpha:.2f} (n {told.n_items}; under .67 nothing firm follows){table}",
                "read the split items together, sharpen the guideline, label again",
                {**numbers, "alpha": told.alpha},
            )


def _guideline(label: Label) -> str | None:
    given = (label.model_extra or {}).get(GUIDELINE)
    return str(given) if given else None


def guideline_of(run_info: Mapping[str, Any]) -> str | None:
    """The guideline that the run facts name, or None."""
    given = run_info.get(GUIDELINE)
    return str(given) if given else None
