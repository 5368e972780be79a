"""What the data allows: which checks can run, on how many samples, and what the others lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragdiag.data.validation import Validation

_NAMES = {"text": "the passages' text (or a corpus)", "marked": "[markers] in the answer"}
_LABELLED = ("gold", "qrels")
_SHOWN = ("retrieved", "context")
_TRACE = "R3, R4, R5 told apart"

# A check needs one field of each group.
_NEEDS: tuple[tuple[str, str, tuple[tuple[str, ...], ...]], ...] = (
    ("precision, recall, hit, rr, ap, ndcg", "retrieval", (("retrieved",), _LABELLED)),
    ("judged", "retrieval", (("retrieved",), ("qrels",))),
    (
        "any_evidence, complete_evidence, evidence_coverage",
        "retrieval",
        (("retrieved",), ("gold",)),
    ),
    ("metrics by stage", "retrieval", (("stages", "context"), _LABELLED)),
    ("evidence_correctness", "evidence", (_SHOWN, ("target",))),
    ("sufficiency", "evidence", (_SHOWN, ("text",))),
    ("completeness", "evidence", (_SHOWN, ("text",))),
    ("provenance", "evidence", (_SHOWN, ("text",), ("corpus",))),
    ("answer_correctness", "answer", (("answer",), ("reference",))),
    ("faithfulness", "answer", (("answer",), _SHOWN, ("text",))),
    (
        "citation_correctness, citation_completeness",
        "answer",
        (("answer",), _SHOWN, ("citations", "marked")),
    ),
    ("abstention", "answer", (("answer",),)),
    ("diagnosis", "diagnosis", (("answer",), ("reference", *_LABELLED, "answerable"))),
    ("content missing, lost or split (D1, D2, D3)", "diagnosis", (_LABELLED, ("corpus",))),
    (_TRACE, "diagnosis", (_LABELLED, ("stages.candidates",), ("context",))),
)

# What a check can do in part: what, one field of each group that it needs, the field it lacks.
# Without `stages` and without `context` lost evidence is not traced at all.
_PARTS: dict[str, tuple[tuple[str, tuple[tuple[str, ...], ...], str], ...]] = {
    _TRACE: (
        (
            "R5 apart, R3 and R4 together",
            (_LABELLED, ("context",), ("retrieved", "stages.reranked")),
            "stages.candidates",
        ),
        (
            "R3 and R4 apart, R5 unseen",
            (_LABELLED, ("stages.candidates",), ("retrieved",)),
            "context",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Capability:
    """One check: on `n` of `n_total` samples it can run.

    `missing` names the fields that keep it from the rest, each with how many samples lack it.
    `partly`: what it can do on how many of those ("no context: R3 and R4 apart, R5 unseen").
    """

    name: str
    layer: str
    n: int
    n_total: int
    missing: tuple[tuple[str, int], ...]
    partly: tuple[tuple[str, int], ...] = ()

    @property
    def can_run(self) -> bool:
        """Can it run on any sample, be it in part?"""
        return self.n > 0 or bool(self.partly)


def capabilities(validation: Validation) -> list[Capability]:
    """The table of `ragdiag check`, in the order of the layers."""
    found: list[Capability] = []
    for name, layer, groups in _NEEDS:
        n = _count(validation, lambda has, groups=groups: _has_all(has, groups))
        lacking: Counter[str] = Counter()
        for group in groups:
            without = _count(validation, lambda has, group=group: not has & set(group))
            if without:
                lacking[" or ".join(_NAMES.get(field, field) for field in group)] = without
        missing = tuple(lacking.most_common())
        partly = tuple(_in_part(validation, name))
        found.append(Capability(name, layer, n, validation.n_samples, missing, partly))
    return found


def _has_all(has: frozenset[str], groups: tuple[tuple[str, ...], ...]) -> bool:
    return all(has & set(group) for group in groups)


def _in_part(validation: Validation, name: str) -> Iterator[tuple[str, int]]:
    for what, groups, lacks in _PARTS.get(name, ()):
        n = _count(
            validation,
            lambda has, groups=groups, lacks=lacks: lacks not in has and _has_all(has, groups),
        )
        if n:
            yield f"no {lacks}: {what}", n


def _count(validation: Validation, holds: Callable[[frozenset[str]], bool]) -> int:
    return sum(n for pattern, n in validation.patterns.items() if holds(pattern))
