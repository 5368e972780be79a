"""Features of a claim, and of a whole answer, against the passages that should support it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragdiag.judging.screen.claims import statements_of
from ragdiag.judging.screen.model import Idf
from ragdiag.judging.screen.reading import BEGINNING, Reading, Span, read_short, read_span
from ragdiag.text.attribution import without_attribution
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
        self.bag = _union([r.bag for r in self.readings])
        self.numbers = _union([r.numbers for r in self.readings])
        self.n_words = sum(r.n_words for r in self.readings)
        self.lang = max(self.readings, key=lambda r: r.n_words).lang if self.readings else "en"

    def holds_pair(self, pair: Pair) -> bool:
        """Do the two stems follow each other in any passage?"""
        for reading in self.readings:  # noqa: SIM110 - a generator costs more than the look-up
            if pair in reading.pairs:
                return True
        return False

    def begins(self, stem: str) -> bool:
        """Does any longer stem of the passages begin as this one does?"""
        start = stem[:BEGINNING]
        return len(start) == BEGINNING and any(start in r.beginnings for r in self.readings)

    def ranked(self, weights: Mapping[str, float], *, limit: int = 10) -> list[_Ranked]:
        """(-weight shared, passage, sentence) of the sentences that share most of the stems by
        weight, best first, ties in order."""
        bag = self.bag
        held = [(stem, weight) for stem, weight in weights.items() if stem in bag]
        found: list[_Ranked] = []
        for passage, reading in enumerate(self.readings):
            shared: dict[int, float] = {}
            places = reading.places
            for stem, weight in held:
                if stem in places:
                    for number in places[stem]:
                        shared[number] = shared.get(number, 0.0) + weight
            found += [(-weight, passage, number) for number, weight in shared.items()]
        found.sort()
        return found[:limit]


_Ranked = tuple[float, int, int]


def _union(bags: Sequence[frozenset[str]]) -> frozenset[str]:
    return bags[0] if len(bags) == 1 else frozenset[str]().union(*bags)


@dataclass(frozen=True, slots=True)
class WeighedClaim:
    """What a claim weighs before any passage is looked at: the same for every set of passages.

    weights  by stem, in the order of the stems, so that sums of floats do not depend on hashing.
    total    of all stems; new_total of those that the question does not say.
    pairs    neighbouring stems with their weight.
    """

    span: Span
    weights: Mapping[str, float]
    total: float
    new: frozenset[str]
    new_total: float
    asked_total: float
    names_total: float
    pairs: tuple[tuple[str, str, float], ...]
    pairs_total: float


def weigh(claim: Span, question: frozenset[str], idf: Idf) -> WeighedClaim:
    """Weigh one claim against what its question says already."""
    bag = claim.bag
    weight = idf.weight
    weights = {stem: weight(stem) for stem in sorted(bag)}
    total = math.fsum(weights.values())
    asked = bag & question
    pairs = tuple([(a, b, weights[a] + weights[b]) for a, b in claim.pairs])
    return WeighedClaim(
        span=claim,
        weights=weights,
        total=total,
        new=bag - asked,
        new_total=idf.total(bag - asked) if asked else total,
        asked_total=idf.total(asked),
        names_total=idf.total(claim.names),
        pairs=pairs,
        pairs_total=math.fsum([pair[2] for pair in pairs]),
    )


@dataclass(frozen=True, slots=True)
class ClaimRead:
    """A claim compared with the evidence: its features, and what they rest on.

    span     the claim as read.
    best     up to three sentences that together hold most of the claim, the best one first.
    missing  numbers of the claim that stand in no passage.
    shares   by passage, the share of the claim's weight that it holds.
    """

    span: Span
    features: dict[str, float]
    best: tuple[Hit, ...]
    missing: tuple[str, ...]
    shares: tuple[float, ...]


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
    return compare_claim(weigh(claim, question, idf), evidence, idf)


def compare_claim(weighed: WeighedClaim, evidence: Evidence, idf: Idf) -> ClaimRead:
    """`read_claim` of a claim that was weighed before."""
    claim, weights, new_total = weighed.span, weighed.weights, weighed.new_total
    bag = claim.bag
    total = weighed.total or 1.0
    best, covered = _best_three(bag, evidence, weights)
    lost = bag - evidence.bag
    held = idf.total(bag - lost) if lost else weighed.total
    new_held = idf.total(weighed.new - lost) if lost else new_total
    if len(evidence.readings) == 1:
        shares = (held / total,)
    else:
        shares = tuple([idf.total(bag & r.bag) / total for r in evidence.readings])
    missing = sorted(claim.numbers - evidence.numbers) if claim.numbers else []
    recall_best = best[0].weight / total if best else 0.0
    features = {
        "recall": held / total,
        "recall_best": recall_best,
        "recall_three": idf.total(covered) / total,
        "recall_passage": max(shares, default=0.0),
        "recall_pairs": _pair_recall(weighed, evidence, lost, held / total),
        "new_recall": new_held / new_total if new_total else 1.0,
        "new_recall_three": idf.total(weighed.new & covered) / new_total if new_total else 1.0,
        "soft_recall": (held + idf.total(filter(evidence.begins, lost))) / total,
        "number_missing": float(bool(missing)),
        "name_missing": idf.total(claim.names - evidence.bag) / weighed.names_total
        if weighed.names_total
        else 0.0,
        "rarest_missing": max([weights[stem] for stem in lost], default=0.0) / idf.unknown,
        "missing_share": len(lost) / len(bag) if bag else 1.0,
        "negation_flipped": float(
            recall_best > _ALIGNED and bool(best[0].sentence.negations) != bool(claim.negations)
        ),
        "best_precision": len(best[0].shared) / len(best[0].sentence.bag) if best else 0.0,
        "from_question": weighed.asked_total / total,
        "length": math.log(1 + len(bag)),
        "rarity": total / max(len(bag), 1) / idf.unknown,
    }
    return ClaimRead(claim, features, best, tuple(missing), shares)


def _best_three(
    bag: frozenset[str], evidence: Evidence, weights: Mapping[str, float]
) -> tuple[tuple[Hit, ...], frozenset[str]]:
    """Greedily the sentences that add most weight; the stems that they cover together."""
    ranked = evidence.ranked(weights)
    known: list[Hit] = []
    most: list[float] = []  # what each added when last asked: it can only become less
    covered: frozenset[str] = frozenset()
    best: list[Hit] = []
    for _ in range(3):
        gain, chosen = 0.0, None
        for place, (negative, passage, number) in enumerate(ranked):
            # The best come first: a later one cannot add more than it shares.
            if -negative <= gain:
                break
            if place == len(known):
                sentence = evidence.readings[passage].sentences[number]
                known.append(Hit(passage, sentence, -negative, sentence.bag & bag))
                most.append(-negative)
            elif most[place] <= gain:
                continue
            added = most[place] = math.fsum(
                [weights[stem] for stem in known[place].shared - covered]
            )
            if added > gain:
                gain, chosen = added, known[place]
        if chosen is None:
            break
        best.append(chosen)
        covered |= chosen.shared
        if len(covered) == len(weights):
            break
    return tuple(best), covered


def _pair_recall(
    weighed: WeighedClaim, evidence: Evidence, lost: frozenset[str], otherwise: float
) -> float:
    if not weighed.pairs_total:
        return otherwise
    holds = evidence.holds_pair
    held = [
        weight
        for a, b, weight in weighed.pairs
        if a not in lost and b not in lost and holds((a, b))
    ]
    return math.fsum(held) / weighed.pairs_total


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
        self._weighed: dict[str, WeighedClaim] = {}

    def part(self, evidence: Evidence, query: str) -> Support:
        """The same question with some of the passages; what a claim weighs is shared."""
        made = Support(evidence, query, self.idf)
        if evidence.lang == self.evidence.lang:
            made._weighed = self._weighed
        return made

    def claim(self, text: str) -> ClaimRead:
        """One claim compared; once a text."""
        known = self._known.get(text)
        if known is None:
            weighed = self._weighed.get(text)
            if weighed is None:
                span = read_short(without_attribution(text), self.evidence.lang)
                weighed = self._weighed[text] = weigh(span, self._asked, self.idf)
            known = self._known[text] = compare_claim(weighed, self.evidence, self.idf)
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


@lru_cache(maxsize=64)
def in_context(query: str, history: tuple[tuple[str, str], ...]) -> str:
    """The query with the names of the person's last turns, where it leaves its subject open.

    Earlier answers are no evidence and are not read.
    """
    turns = [text for role, text in history if role == "user"][-_TURNS:]
    if not turns or names(query) or not (_VAGUE.search(query) or _short(query)):
        return query
    named = sorted(set[str]().union(*map(names, turns)))
    return f"{query} ({' '.join(named)})" if named else query
