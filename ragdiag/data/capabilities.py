"""What the data allows: which checks can run, on how many samples, and what the others lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragdiag.data.validation import Validation

_NAMES = {"text": "the passages' text (or a corpus)", "marked": "[markers] in the answer"}
_LABELLED = ("gold", "qrels")
_SHOWN = ("retrieved", "context")

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
    ("diagnosis", "diagnosis", (("answer",), ("reference", "gold", "answerable"))),
    ("missing, badly parsed or split content (D1-D3)", "diagnosis", (("gold",), ("corpus",))),
    (
        "lost before the context: R3, R4, R5 told apart",
        "diagnosis",
        (("gold",), ("stages",), ("context",)),
    ),
)


@dataclass(frozen=True, slots=True)
class Capability:
    """One check: on `n` of `n_total` samples it can run.

    `missing` names the fields that keep it from the rest, each with how many samples lack it.
    """

    name: str
    layer: str
    n: int
    n_total: int
    missing: tuple[tuple[str, int], ...]

    @property
    def can_run(self) -> bool:
        """Can it run on any sample?"""
        return self.n > 0


def capabilities(validation: Validation) -> list[Capability]:
    """The table of `ragdiag check`, in the order of the layers."""
    found: list[Capability] = []
    for name, layer, groups in _NEEDS:
        n = _count(validation, lambda has, groups=groups: all(has & set(g) for g in groups))
        lacking: Counter[str] = Counter()
        for group in groups:
            without = _count(validation, lambda has, group=group: not has & set(group))
            if without:
                lacking[" or ".join(_NAMES.get(field, field) for field in group)] = without
        missing = tuple(lacking.most_common())
        found.append(Capability(name, layer, n, validation.n_samples, missing))
    return found


def _count(validation: Validation, holds: Callable[[frozenset[str]], bool]) -> int:
    return sum(n for pattern, n in validation.patterns.items() if holds(pattern))
