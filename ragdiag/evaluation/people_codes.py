"""The diagnosis of a query by people's labels in place of the judge's, where they decide it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragdiag.pipeline import score_sample
from ragdiag.records import (
    Corpus,
    Judgement,
    Label,
    Overall,
    Sample,
    SampleResult,
    Settings,
    Verdict,
)
from ragdiag.report.corrected import METRICS, chance_of, feeds_estimates

_UNSTATED = 1.0
_SETTLED = ("labels", "deterministic")


@dataclass(frozen=True, slots=True)
class ByPeople:
    """A query by people: its result, and the weight of its labels (1 / inclusion probability)."""

    result: SampleResult
    weight: float

    @property
    def code(self) -> str | None:
        """The code, where people or code settled every check that applies; None where one is left
        to the judge. X2 where these leave it undetermined.

        Which claim fails an answer that people call unfaithful is still the judge's word.
        """
        return self.result.diagnosis.code if all(map(self._is_settled, METRICS)) else None

    def _is_settled(self, check: str) -> bool:
        label, score = self.result.labels.get(check), self.result.scores.get(METRICS[check])
        if score is not None and score.status == "not_applicable":
            return True
        return label is not None and label.label is not None and label.basis in _SETTLED


class CodesByPeople:
    """Scores queries that people labelled, with the labels that feed estimates, by majority.

    A query whose labels state several inclusion probabilities, or none where others state one, is
    left out: how likely it was to be labelled on all of its checks is not known.
    """

    def __init__(
        self, labels: Sequence[Label], *, settings: Settings, corpus: Corpus | None
    ) -> None:
        self._settings, self._corpus = settings, corpus
        votes: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        chances: dict[str, set[float | None]] = defaultdict(set)
        for label in labels:
            if label.check in METRICS and feeds_estimates(label):
                votes[label.query_id][label.check][label.label] += 1
                chances[label.query_id].add(chance_of(label))
        self._votes = votes
        stated = any(told != {None} for told in chances.values())
        self._weights = {
            query_id: 1 / (next(iter(told)) or _UNSTATED)
            for query_id, told in chances.items()
            if len(told) == 1 and not (stated and None in told)
        }

    def forget(self, query_id: str) -> None:
        """Takes a query as one that nobody labelled."""
        self._weights.pop(query_id, None)

    def of(
        self, sample: Sample, judgement: Judgement, flags: tuple[str, ...] = ()
    ) -> ByPeople | None:
        """The query as people have it; None where they labelled nothing of it."""
        weight = self._weights.get(sample.query_id)
        if weight is None:
            return None
        replies = tuple(_verdicts(sample.query_id, self._votes[sample.query_id]))
        told = judgement.model_copy(update={"replies": (*judgement.replies, *replies)})
        result = score_sample(
            sample, told, settings=self._settings, corpus=self._corpus, flags=flags
        )
        return ByPeople(result, weight)


def _verdicts(query_id: str, votes: Mapping[str, Counter[str]]) -> list[Verdict]:
    said = {check: _most(counted) for check, counted in votes.items()}
    found: list[Verdict] = []
    for check, asked in (("answer_correctness", "correctness"), ("sufficiency", "sufficiency")):
        if said.get(check) is not None:
            found.append(_verdict(query_id, asked, label=said[check]))
    overall, cited = said.get("faithfulness"), said.get("citation_support")
    if overall is not None or cited is not None:
        whole = None if overall is None else Overall(label=overall)
        found.append(_verdict(query_id, "support", overall=whole, citation_support=cited))
    return found


def _verdict(query_id: str, check: str, **told: object) -> Verdict:
    return Verdict.model_validate(
        {"query_id": query_id, "check": check, "basis": "labels", "judge": "people", **told}
    )


def _most(counted: Counter[str]) -> str | None:
    """The label that most gave; None on a tie."""
    first, *others = counted.most_common(2)
    return None if others and others[0][1] == first[1] else first[0]
