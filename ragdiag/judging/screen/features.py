"""Features of a claim, and of a whole answer, against the passages that should support it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragdiag.judging.screen.claims import statements_of
from ragdiag.judging.screen.model import Idf
from ragdiag.judging.screen.reading import BEGINNING, Reading, Span, read_short, read_span
from ragdiag.text.citations import strip_markers
from ragdiag.text.tokens import names

Pair = tuple[str, str]

_ALIGNED = 0.5
_WEAK_CLAIM = 0.6


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence of a passage that shares content with the claim; `weight` is the IDF shared."""

    passage: int
    sentence: Span
    weight: float
    shared: frozenset[str]


class Evidence:
    """Passages made ready to be compared with many claims: what they hold, and where."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self.readings = tuple(readings)
        self.bag = frozenset[str]().union(*[r.bag for r in self.readings])
        self.numbers = frozenset[str]().union(*[r.numbers for r in self.readings])
        self.n_words = sum(r.n_words for r in self.readings)
        self.lang = max(self.readings, key=lambda r: r.n_words).lang if self.readings else "en"

    def holds_pair(self, pair: Pair) -> bool:
        """Do the two stems follow each other in any passage?"""
        return any(pair in reading.pairs for reading in self.readings)

    def begins(self, stem: str) -> bool:
        """Does any longer stem of the passages begin as this one does?"""
        start = stem[:BEGINNING]
        return len(start) == BEGINNING and any(start in r.beginnings for r in self.readings)

    def hits(self, bag: frozenset[str], weights: dict[str, float], *, limit: int = 10) -> list[Hit]:
        """The sentences that share most of the stems by weight, best first, ties in order."""
        ranked: list[tuple[float, int, int]] = []
        for passage, reading in enumerate(self.readings):
            shared: dict[int, float] = {}
            places = reading.places
            for stem, weight in weights.items():
                for number in places.get(stem, ()):
                    shared[number] = shared.get(number, 0.0) + weight
            ranked += [(-weight, passage, number) for number, weight in shared.items()]
        ranked.sort()
        found: list[Hit] = []
        for weight, passage, number in ranked[:limit]:
            sentence = self.readings[passage].sentences[number]
            found.append(Hit(passage, sentence, -weight, sentence.bag & bag))
        return found


@dataclass(frozen=True, slots=True)
class ClaimRead:
    """A claim compared with the evidence: its features, and what they rest on.

    span     the claim as read.
    best     up to three sentences that together hold most of the claim, the best one first.
    missing  numbers of the claim that stand in no passage.
    """

    span: Span
    features: dict[str, float]
    best: tuple[Hit, ...]
    missing: tuple[str, ...]


CLAIM_FEATURES = (
    "recall", "recall_best", "recall_three", "recall_passage", "recall_pairs",
    "new_recall", "new_recall_three", "soft_recall", "number_missing", "name_missing",
    "rarest_missing", "missing_share", "negation_flipped", "best_precision", "from_question",
    "length", "rarity",
)  # fmt: skip
"""recall*: share of the claim's IDF weight found in all passages, the best sentence, the best
three, the best passage, as neighbouring pairs; new_*: of what the question does not say already."""


def read_claim(claim: Span, evidence: Evidence, question: frozenset[str], idf: Idf) -> ClaimRead:
    """Compare one claim with the evidence. A claim without content stems gets recall 0."""
    bag = claim.bag
    # In one order, so that sums of floats do not depend on how sets are hashed.
    weights = {stem: idf.weight(stem) for stem in sorted(bag)}
    total = math.fsum(weights.values()) or 1.0
    best, covered = _best_three(evidence.hits(bag, weights), weights)
    found = bag & evidence.bag
    lost = bag - evidence.bag
    new = bag - question
    new_total = idf.total(new)
    missing = sorted(claim.numbers - evidence.numbers)
    held = idf.total(found)
    recall_best = best[0].weight / total if best else 0.0
    features = {
        "recall": held / total,
        "recall_best": recall_best,
        "recall_three": idf.total(covered) / total,
        "recall_passage": max((idf.total(bag & r.bag) for r in evidence.readings), default=0.0)
        / total,
        "recall_pairs": _pair_recall(claim, evidence, weights, held / total),
        "new_recall": idf.total(new & evidence.bag) / new_total if new_total else 1.0,
        "new_recall_three": idf.total(new & covered) / new_total if new_total else 1.0,
        "soft_recall": (held + idf.total(filter(evidence.begins, lost))) / total,
        "number_missing": float(bool(missing)),
        "name_missing": _name_missing(claim, evidence, idf),
        "rarest_missing": max((weights[stem] for stem in lost), default=0.0) / idf.unknown,
        "missing_share": len(lost) / len(bag) if bag else 1.0,
        "negation_flipped": float(
            recall_best > _ALIGNED and bool(best[0].sentence.negations) != bool(claim.negations)
        ),
        "best_precision": len(best[0].shared) / len(best[0].sentence.bag) if best else 0.0,
        "from_question": idf.total(bag & question) / total,
        "length": math.log(1 + len(bag)),
        "rarity": total / max(len(bag), 1) / idf.unknown,
    }
    return ClaimRead(claim, features, best, tuple(missing))


def _best_three(
    hits: list[Hit], weights: dict[str, float]
) -> tuple[tuple[Hit, ...], frozenset[str]]:
    """Greedily the sentences that add most weight; the stems that they cover together."""
    covered: frozenset[str] = frozenset()
    best: list[Hit] = []
    for _ in range(3):
        gain, chosen = 0.0, None
        for hit in hits:
            # Hits come best first: a later one cannot add more than it shares.
            if hit.weight <= gain:
                break
            added = math.fsum([weights[stem] for stem in hit.shared - covered])
            if added > gain:
                gain, chosen = added, hit
        if chosen is None:
            break
        best.append(chosen)
        covered |= chosen.shared
    return tuple(best), covered


def _pair_recall(
    claim: Span, evidence: Evidence, weights: dict[str, float], otherwise: float
) -> float:
    total = math.fsum([weights[a] + weights[b] for a, b in claim.pairs])
    if not total:
        return otherwise
    held = [weights[a] + weights[b] for a, b in claim.pairs if evidence.holds_pair((a, b))]
    return math.fsum(held) / total


def _name_missing(claim: Span, evidence: Evidence, idf: Idf) -> float:
    total = idf.total(claim.names)
    return idf.total(claim.names - evidence.bag) / total if total else 0.0


_SPREAD = ("recall", "recall_best", "recall_three", "recall_pairs", "new_recall", "soft_recall")
_MEAN = ("missing_share", "negation_flipped", "best_precision", "from_question", "rarity")
_WORST = ("number_missing", "name_missing", "rarest_missing")

ANSWER_FEATURES = (
    *(f"{name}.{part}" for name in _SPREAD for part in ("min", "quartile", "mean")),
    *(f"{name}.mean" for name in (*_MEAN, *_WORST)),
    *(f"{name}.max" for name in _WORST),
    *(f"{name}.whole" for name in CLAIM_FEATURES),
    "n_sentences", "mean_length", "weak_share", "evidence_length",
)  # fmt: skip
"""Minimum, lower quartile and mean over an answer's sentences; whole: all of it as one claim."""


def answer_features(
    claims: Sequence[ClaimRead], whole: ClaimRead, evidence: Evidence
) -> dict[str, float]:
    """Aggregate the sentences of an answer, at least one, and the answer read as one claim."""
    features = {f"{name}.whole": value for name, value in whole.features.items()}
    columns = {name: [c.features[name] for c in claims] for name in CLAIM_FEATURES}
    for name in _SPREAD:
        ordered = sorted(columns[name])
        features[f"{name}.min"] = ordered[0]
        features[f"{name}.quartile"] = quantile(ordered, 0.25)
        features[f"{name}.mean"] = mean(ordered)
    for name in (*_MEAN, *_WORST):
        features[f"{name}.mean"] = mean(columns[name])
    for name in _WORST:
        features[f"{name}.max"] = max(columns[name])
    features["n_sentences"] = math.log(len(claims))
    features["mean_length"] = mean(columns["length"])
    features["weak_share"] = mean([float(v < _WEAK_CLAIM) for v in columns["recall"]])
    features["evidence_length"] = math.log(1 + evidence.n_words)
    return features


class Support:
    """Claims and answers of one question compared with one set of passages."""

    def __init__(self, evidence: Evidence, query: str, idf: Idf) -> None:
        self.evidence = evidence
        self.idf = idf
        self._asked = read_short(query, evidence.lang).bag
        self._known: dict[str, ClaimRead] = {}

    def claim(self, text: str) -> ClaimRead:
        """One claim compared; once a text."""
        known = self._known.get(text)
        if known is None:
            span = read_short(text, self.evidence.lang)
            known = self._known[text] = read_claim(span, self.evidence, self._asked, self.idf)
        return known

    def answer(self, answer: str) -> dict[str, float] | None:
        """Features of a whole answer, its citation marks left out; None for one without words."""
        text, _ = strip_markers(answer)
        statements = [text[start:end] for start, end in statements_of(text)]
        reads = [read for statement in statements if (read := self.claim(statement)).span.bag]
        if not reads:
            return None
        return answer_features(reads, self.claim("\n".join(statements)), self.evidence)


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean of at least one value."""
    return math.fsum(values) / len(values)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Linear interpolation between the order statistics of sorted values."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


_VAGUE = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|there)\b",
    re.IGNORECASE,
)
_TURNS = 2
_FEW = 2


def _short(query: str) -> bool:
    return len(read_span(query).bag) <= _FEW


def in_context(query: str, history: Sequence[tuple[str, str]]) -> str:
    """The query with the names of the person's last turns, where it leaves its subject open.

    Earlier answers are no evidence and are not read.
    """
    turns = [text for role, text in history if role == "user"][-_TURNS:]
    if not turns or names(query) or not (_VAGUE.search(query) or _short(query)):
        return query
    named = sorted(set[str]().union(*map(names, turns)))
    return f"{query} ({' '.join(named)})" if named else query
