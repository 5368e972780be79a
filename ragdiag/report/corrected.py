"""Rates of the judge's labels, corrected by people's labels of some queries; in the report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple

from ragdiag.records import LABELS, Label, SampleResult
from ragdiag.report import numbers
from ragdiag.stats.correction import (
    Corrected,
    Labelled,
    corrected_shares,
    prediction_powered,
    rogan_gladen,
)

METRICS = {
    "answer_correctness": "answer_correctness",
    "faithfulness": "faithfulness",
    "sufficiency": "sufficiency",
    "citation_support": "citation_correctness",
}
"""The checks that judge a whole query, and the metric beside which their rate stands: the share of
the check's first label among all that are decided (a `partial` is none of them)."""

AT_RANDOM = "people's labels"
PIPELINE_ERROR = "X1"
_NAMES = {"ppi++": "PPI++"}


class _Vote(NamedTuple):
    label: str
    weight: float | None


class Corrections:
    """Counts the judge's labels of all queries, and people's of some.

    People's: by majority of the first label against the others, a tie is left out. What is
    `unsure`, or comes from a queue other than "audit", feeds no estimate. The weight of a query is
    1 / `inclusion_probability`; where some labels of a check state one, those without are left out,
    since nothing says how likely they were; where none does, all weigh 1, with a warning.
    """

    def __init__(self, labels: Sequence[Label]) -> None:
        votes: dict[str, dict[str, list[_Vote]]] = defaultdict(lambda: defaultdict(list))
        for label in labels:
            if label.check in METRICS and feeds_estimates(label):
                vote = _Vote(label.label, _weight(label))
                votes[label.check][label.query_id].append(vote)
        self._people: dict[str, dict[str, tuple[bool, float]]] = {}
        self._unweighted: set[str] = set()
        for check, by_query in votes.items():
            self._people[check] = self._decided(check, by_query)
        self._judged: dict[str, Counter[bool]] = defaultdict(Counter)
        self._pairs: dict[str, list[tuple[bool, bool, float]]] = defaultdict(list)
        self._codes: Counter[str] = Counter()
        self._code_pairs: list[tuple[str, str, float]] = []
        self._n_partly = 0

    def _decided(
        self, check: str, by_query: Mapping[str, Sequence[_Vote]]
    ) -> dict[str, tuple[bool, float]]:
        weighted = any(vote.weight is not None for told in by_query.values() for vote in told)
        found: dict[str, tuple[bool, float]] = {}
        for query_id, told in by_query.items():
            used = [vote for vote in told if not weighted or vote.weight is not None]
            positive = sum(vote.label == LABELS[check][0] for vote in used)
            if not used or 2 * positive == len(used):
                continue
            weights = [1.0 if vote.weight is None else vote.weight for vote in used]
            found[query_id] = 2 * positive > len(used), sum(weights) / len(weights)
        if not weighted:
            self._unweighted.add(check)
        return found

    def forget(self, query_id: str, checks: Iterable[str]) -> None:
        """Drops what people say of checks on a query, before it is added."""
        for check in checks:
            self._people.get(check, {}).pop(query_id, None)

    def add(self, result: SampleResult) -> None:
        """Counts one query. What people themselves decided in it is no judge's label."""
        for check, people in self._people.items():
            told = result.labels.get(check)
            if told is None or told.label is None or told.basis == "labels":
                continue
            positive = told.label == LABELS[check][0]
            self._judged[check][positive] += 1
            if result.query_id in people:
                truth, weight = people[result.query_id]
                self._pairs[check].append((positive, truth, weight))

    def add_code(self, code: str | None, by_people: str | None, weight: float | None) -> None:
        """Counts the code of one query that has one, and people's: None where their labels do not
        decide it; `weight` None where they labelled nothing of it."""
        if code is None or code == PIPELINE_ERROR:
            return
        self._codes[code] += 1
        if weight is not None and by_people is None:
            self._n_partly += 1
        elif weight is not None and by_people is not None:
            self._code_pairs.append((code, by_people, weight))

    def categories(self) -> dict[str, dict[str, Any]]:
        """By code, what stands in its category as `corrected`.

        Nothing where the code of any labelled query still rests on the judge: which codes do is no
        matter of chance, so that the others say nothing of all.
        """
        if not self._code_pairs or self._n_partly:
            return {}
        found = corrected_shares(self._code_pairs, self._codes)
        return {code: _told(one) for code, one in found.items()}

    def n_by_people(self) -> dict[str, int] | None:
        """Of how many labelled queries people's labels decide the code; None for none labelled."""
        n = len(self._code_pairs)
        return {"n": n + self._n_partly, "n_decided": n} if n + self._n_partly else None

    def report(self) -> dict[str, dict[str, Any]]:
        """By metric, what stands there as `corrected`; nothing where people labelled nothing."""
        return {METRICS[c]: self._cell(c) for c in METRICS if self._people.get(c)}

    def warnings(self) -> Iterator[str]:
        """What people's labels leave to be desired."""
        n = sum(
            len(self._pairs[check])
            for check in self._unweighted
            if len(self._pairs[check]) < self._judged[check].total()
        )
        if n:
            yield (
                f"{AT_RANDOM} are taken as drawn at random: {n} state no inclusion_probability; "
                "where they were chosen, corrected rates are off"
            )

    def _cell(self, check: str) -> dict[str, Any]:
        pairs, judged = self._pairs[check], self._judged[check]
        labelled, n = Labelled.of(pairs), judged.total()
        found = prediction_powered(labelled, positives=judged[True], n=n)
        return {
            **_told(found),
            "check": check,
            "positive": LABELS[check][0],
            "n_judged": n,
            "n_without_verdict": len(self._people[check]) - len(pairs),
            "table": _table(pairs),
            "rogan_gladen": _by_rates(labelled, judged[True], n),
        }


def feeds_estimates(label: Label) -> bool:
    """Is it a label of a whole query that may feed an estimate: sure of, and from no other queue
    than the audit's, with an inclusion probability in (0, 1] where it states one?"""
    more = label.model_extra or {}
    whole = label.claim is None and label.claim_span is None and label.passage_id is None
    drawn = more.get("queue") in (None, "audit")
    chance = more.get("inclusion_probability")
    return whole and drawn and not more.get("unsure") and (chance is None or _is_chance(chance))


def _is_chance(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1


def chance_of(label: Label) -> float | None:
    """The inclusion probability that it states, if it does; of a label that feeds estimates."""
    return (label.model_extra or {}).get("inclusion_probability")


def _weight(label: Label) -> float | None:
    chance = chance_of(label)
    return None if chance is None else 1 / chance


def _told(found: Corrected) -> dict[str, Any]:
    told = {
        "method": found.method,
        "raw": found.raw,
        "value": found.value,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "n_labelled": found.n_labelled,
        "why_none": found.why_none,
    }
    return told if found.weight is None else {**told, "weight": found.weight}


def _table(pairs: Sequence[tuple[bool, bool, float]]) -> dict[str, int]:
    names = {(True, True): "tp", (False, True): "fn", (False, False): "tn", (True, False): "fp"}
    counted = Counter(names[judge, people] for judge, people, _ in pairs)
    return {name: counted[name] for name in names.values()}


def _by_rates(labelled: Labelled, positives: int, n: int) -> dict[str, Any]:
    """Rogan–Gladen with TPR and TNR by weight, each on as many labels as its weights are worth."""
    cells: list[float] = []
    for same, other, places in (
        (labelled.tp, labelled.fn, (0, 1)),
        (labelled.tn, labelled.fp, (2, 3)),
    ):
        worth, total = labelled.effective(*places), same + other
        cells += [worth * same / total, worth * other / total] if total else [0.0, 0.0]
    tp, fn, tn, fp = cells
    found = rogan_gladen(positives, n, tp=tp, fn=fn, tn=tn, fp=fp)
    return {
        "value": found.value,
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "bootstrap": None if found.bootstrap is None else list(found.bootstrap),
        "why_none": found.why_none,
        "tpr": tp / (tp + fn) if tp + fn else None,
        "tnr": tn / (tn + fp) if tn + fp else None,
    }


def put_into(report: MutableMapping[str, Any], corrections: Corrections) -> None:
    """Puts corrected rates beside the metrics and the categories that the report has, in place of
    those by other labels."""
    for row in (*report["metrics"].values(), *report["categories"].values()):
        row.pop("corrected", None)
    report.pop("codes_by_people", None)
    report["warnings"] = [one for one in report["warnings"] if not one.startswith(AT_RANDOM)]
    told = {"metrics": corrections.report(), "categories": corrections.categories()}
    for section, cells in told.items():
        for name, cell in cells.items():
            if name in report[section]:
                report[section][name]["corrected"] = cell
    codes = corrections.n_by_people()
    if codes is not None:
        report["codes_by_people"] = codes
    report["warnings"] += corrections.warnings()


def carry_over(report: MutableMapping[str, Any], before: Mapping[str, Any]) -> None:
    """Keeps the corrected rates of an earlier report of the same queries, whose labels are not at
    hand, where the metric has come out as it was: else they would be of other verdicts. Those of
    categories only where all have."""
    for name, old in before["metrics"].items():
        new = report["metrics"].get(name)
        same = new is not None and all(new[key] == old[key] for key in ("value", "n", "n_total"))
        if new is not None and same and "corrected" in old:
            new["corrected"] = old["corrected"]
    if "codes_by_people" in before:
        report["codes_by_people"] = before["codes_by_people"]
    categories = {code: row["n"] for code, row in before["categories"].items()}
    if categories == {code: row["n"] for code, row in report["categories"].items()}:
        for code, old in before["categories"].items():
            if "corrected" in old:
                report["categories"][code]["corrected"] = old["corrected"]


def corrected_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """ "answer correctness (correct) 0.524 → 0.561 [0.45, 0.67] by 40 labels (PPI++)"."""
    for name, metric in report["metrics"].items():
        cell = metric.get("corrected")
        if cell is None or cell["value"] is None:
            continue
        yield (
            f"{name.replace('_', ' ')} ({cell['positive']}) {numbers.value(cell['raw'])} → "
            f"{numbers.value(cell['value'])} {numbers.interval(cell['ci_low'], cell['ci_high'])} "
            f"by {numbers.counted(cell['n_labelled'], 'label')} ({_NAMES[cell['method']]})"
        )
