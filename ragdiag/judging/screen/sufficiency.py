"""Features of a question against passages: is what it asks about there, with an answer's type?"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ragdiag.judging.screen.features import Evidence, Hit, mean, read_claim
from ragdiag.judging.screen.model import Idf
from ragdiag.judging.screen.reading import Reading, Span

_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|1\d{3}|20\d{2})\b"
)
_COVERED = 0.7

_KINDS = (
    ("number", r"\bhow (?:many|much|old|tall|long|far|big|large|high|deep|often|fast|wide|heavy)\b"
               r"|\b(?:number|population|percent|percentage|average|cost|price|amount) of\b"),
    ("date", r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time)\b"),
    ("person", r"\bwho\b|\bwhose\b|\bwho's\b"),
    ("place", r"\bwhere\b|\b(?:what|which) (?:city|country|state|town|county|place)\b"),
    ("yes_no", r"^\W*(?:is|are|was|were|do|does|did|can|could|has|have|will|should)\b"),
    ("manner", r"\bwhy\b|\bhow\b"),
)  # fmt: skip
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)
KINDS = tuple(kind for kind, _ in _KINDS)


def answer_kind(query: str) -> str:
    """What kind of answer a question expects: one of KINDS, or "other"."""
    for kind, pattern in _PATTERNS:
        if pattern.search(query):
            return kind
    return "other"


@dataclass(frozen=True, slots=True)
class SufficiencyRead:
    """A question compared with passages: features, the best sentence, and what it lacks."""

    features: dict[str, float]
    best: Hit | None
    kind: str
    typed: bool


_FROM_CLAIM = (
    "recall", "recall_best", "recall_three", "recall_pairs", "soft_recall", "rarest_missing",
    "missing_share", "best_precision", "name_missing", "length", "rarity",
)  # fmt: skip
SUFFICIENCY_FEATURES = (
    *_FROM_CLAIM,
    "titled_best", "titled_before", "titled_three", "typed_best", "typed_any", "typed_recall",
    "n_covered", "n_typed_covered", "n_sentences", "n_passages", "best_length", "new_names",
    "new_numbers", "passages_covered", "passages_mean", "documents",
    *(f"asks_{kind}" for kind in KINDS),
)  # fmt: skip
"""titled_*: a sentence read together with its passage's title; typed_*: sentences that hold
something of the expected kind that the question does not say itself."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """How one sentence speaks to the question: coverage alone, with title, with its neighbour."""

    sentence: Span
    plain: float
    titled: float
    before: float
    typed: bool


def _typed(kind: str, sentence: Span, question: Span) -> bool:
    if kind == "number":
        return bool(sentence.numbers - question.numbers)
    if kind == "date":
        return bool(_DATE.search(sentence.text))
    if kind in ("person", "place"):
        return bool(sentence.names - question.bag)
    return True


def _look(question: Span, readings: tuple[Reading, ...], idf: Idf, kind: str) -> list[_Seen]:
    total = idf.total(question.bag) or 1.0
    asked = question.bag
    known: dict[frozenset[str], float] = {}

    def share(held: frozenset[str]) -> float:
        found = known.get(held)
        if found is None:
            found = known[held] = idf.total(held) / total
        return found

    seen: list[_Seen] = []
    for reading in readings:
        title = reading.title & asked
        before: frozenset[str] = frozenset()
        for sentence in reading.sentences:
            shared = sentence.bag & asked
            plain = share(shared)
            titled = share(shared | title) if title else plain
            wide = share(shared | title | before) if before else titled
            typed = _typed(kind, sentence, question)
            seen.append(_Seen(sentence, plain, titled, wide, typed))
            before = shared
    return seen


def read_sufficiency(
    question: Span, evidence: Evidence, idf: Idf, *, query: str, n_documents: int
) -> SufficiencyRead:
    """Compare a question with its passages, at least one of which holds a sentence."""
    kind = answer_kind(query)
    claim = read_claim(question, evidence, frozenset(), idf)
    seen = _look(question, evidence.readings, idf, kind)
    ranked = sorted(seen, key=lambda s: -s.titled)
    first, top = ranked[0], ranked[:3]
    covering = [s for s in seen if s.titled > _COVERED]
    total = idf.total(question.bag) or 1.0
    passages = [idf.total(question.bag & r.bag) / total for r in evidence.readings]
    n_passages = len(passages)
    features = {name: claim.features[name] for name in _FROM_CLAIM}
    features |= {
        "titled_best": first.titled,
        "titled_before": max(s.before for s in seen),
        "titled_three": mean([s.titled for s in top]),
        "typed_best": float(first.typed),
        "typed_any": float(any(s.typed for s in top)),
        "typed_recall": max((s.titled for s in seen if s.typed), default=0.0),
        "n_covered": math.log(1 + len(covering)),
        "n_typed_covered": math.log(1 + sum(s.typed for s in covering)),
        "n_sentences": math.log(1 + len(seen)),
        "n_passages": math.log(n_passages),
        "best_length": math.log(1 + len(first.sentence.stems)),
        "new_names": math.log(1 + len(first.sentence.names - question.bag)),
        "new_numbers": math.log(1 + len(first.sentence.numbers - question.numbers)),
        "passages_covered": sum(p > _COVERED for p in passages) / n_passages,
        "passages_mean": mean(passages),
        "documents": n_documents / n_passages,
    }
    features |= {f"asks_{known}": float(kind == known) for known in KINDS}
    best = claim.best[0] if claim.best else None
    return SufficiencyRead(features, best, kind, typed=any(s.typed for s in top))
