"""Are the queries of the set like the real traffic? A few named distributions, side by side."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ragdiag.data.native import digest
from ragdiag.evaluation.health.finding import Finding, percent
from ragdiag.evaluation.health.kinds import has_identifier
from ragdiag.stats.distributions import homogeneity, total_variation
from ragdiag.text.stopwords import word_set
from ragdiag.text.tokens import content_stems, language, words

FEWEST = 50
"""Queries on either side below which nothing is compared."""
LEAST_DISTANCE = 0.10
"""Total variation distance from which a difference is worth a line: a tenth of the queries."""
_SIGNIFICANT = 0.05 / 4  # four distributions are tested (Bonferroni)
_LEAST_COVERED = 0.8  # of what traffic covers of itself
_MOST_KEPT = 4000  # queries whose words are compared
_MOST_CHARACTERS = 2000

_LENGTHS = ((3, "1-3 words"), (7, "4-7 words"), (15, "8-15 words"), (30, "16-30 words"))
_ASKING = word_set("what which who when where why how whose whom")
_YES_NO = word_set(
    "is are was were do does did can could has have had will would should may am must might"
)
_JOINED = {"whom": "who", "whose": "who", "whats": "what", "what's": "what", "who's": "who"}
DISTRIBUTIONS = {
    "length": "length in words",
    "opening": "opening word",
    "identifier": "exact identifiers",
    "language": "language",
}


class QueryProfile:
    """Counts over queries, and the words of a fixed sample of them (by hash, so that the order of
    the file does not matter)."""

    def __init__(self) -> None:
        self.n = 0
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in DISTRIBUTIONS}
        self._kept: list[tuple[int, int, frozenset[str]]] = []

    def add(self, query: str) -> None:
        """One more query."""
        self.n += 1
        text = query[:_MOST_CHARACTERS]
        found, lang = words(text), language(text)
        self.counts["length"][_length(len(found))] += 1
        self.counts["opening"][_opening(found, lang)] += 1
        self.counts["identifier"]["with one" if has_identifier(text) else "without"] += 1
        self.counts["language"][lang] += 1
        row = -digest(text), self.n, frozenset(content_stems(text, lang=lang))
        if len(self._kept) < _MOST_KEPT:
            heapq.heappush(self._kept, row)
        else:
            heapq.heappushpop(self._kept, row)

    @property
    def vocabularies(self) -> list[frozenset[str]]:
        """The content words of the kept queries, in an order that looks at their hash alone."""
        return [found for _, _, found in sorted(self._kept, reverse=True, key=lambda row: row[:2])]


def _length(n: int) -> str:
    return next((name for most, name in _LENGTHS if n <= most), "over 30 words")


def _opening(found: list[str], lang: str) -> str:
    """The question word; of other languages than English only that it is one."""
    first = found[0] if found else ""
    first = _JOINED.get(first, first)
    if first in _ASKING:
        return first
    if first in _YES_NO:
        return "yes/no question"
    return "no question word" if lang == "en" else "not English"


@dataclass(frozen=True, slots=True)
class Distance:
    """How far two distributions are apart.

    distance  total variation, 0 to 1.
    p_value   of the chi-square test of homogeneity; None where there are no two cells to test.
    value     where they differ most, with its share in the set and in the traffic.
    """

    distance: float
    p_value: float | None
    value: str
    share_set: float
    share_traffic: float

    @property
    def differs(self) -> bool:
        """Far enough apart to matter, and more than chance gives."""
        return (
            self.distance >= LEAST_DISTANCE
            and self.p_value is not None
            and self.p_value < _SIGNIFICANT
        )


def distance(ours: Mapping[str, int], theirs: Mapping[str, int]) -> Distance:
    """Compares counts of the same values; neither may be empty."""
    n, m = sum(ours.values()), sum(theirs.values())
    shares = {v: (ours.get(v, 0) / n, theirs.get(v, 0) / m) for v in sorted({*ours, *theirs})}
    value = max(shares, key=lambda v: abs(shares[v][0] - shares[v][1]))
    return Distance(total_variation(ours, theirs), homogeneity(ours, theirs), value, *shares[value])


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of the traffic's content words that occur in the set, and in as many queries drawn
    from the traffic itself: what a set of this size can cover. Means over `n_traffic` queries."""

    by_set: float
    by_traffic: float
    n: int
    n_traffic: int


def coverage(ours: QueryProfile, traffic: QueryProfile) -> Coverage | None:
    """None where half of the traffic or the set has under 50 queries."""
    own, real = ours.vocabularies, traffic.vocabularies
    n = min(len(own), len(real) // 2)
    if n < FEWEST:
        return None
    drawn, rest = real[:n], [found for found in real[n:] if found]
    if not rest:
        return None
    ours_known, theirs_known = frozenset[str]().union(*own[:n]), frozenset[str]().union(*drawn)

    def covered(known: frozenset[str]) -> float:
        return sum(len(found & known) / len(found) for found in rest) / len(rest)

    return Coverage(covered(ours_known), covered(theirs_known), n, len(rest))


@dataclass(frozen=True, slots=True)
class TrafficLikeness:
    """The set against the traffic; `distances` and `vocabulary` are absent where too few queries
    are there to tell."""

    n_set: int
    n_traffic: int
    distances: Mapping[str, Distance]
    vocabulary: Coverage | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON key `traffic`."""
        rows = {
            name: {
                "distance": one.distance,
                "p_value": one.p_value,
                "differs": one.differs,
                "most_apart": one.value,
                "share_set": one.share_set,
                "share_traffic": one.share_traffic,
            }
            for name, one in self.distances.items()
        }
        known = self.vocabulary
        covered = None
        if known is not None:
            covered = {
                "covered_by_set": known.by_set,
                "covered_by_traffic": known.by_traffic,
                "n": known.n,
                "n_traffic": known.n_traffic,
            }
        return {
            "n_set": self.n_set,
            "n_traffic": self.n_traffic,
            "distributions": rows,
            "vocabulary": covered,
        }

    def findings(self) -> Iterable[Finding]:
        """One a distribution that differs, and one for foreign words."""
        if not self.distances:
            yield Finding(
                "traffic_too_few",
                "note",
                f"traffic: not compared, {self.n_set} queries here and {self.n_traffic} there",
                f"at least {FEWEST} on either side are needed",
                {"n_set": self.n_set, "n_traffic": self.n_traffic},
            )
        for name, one in self.distances.items():
            if one.differs:
                more = one.share_traffic > one.share_set
                yield Finding(
                    f"unlike_traffic_{name}",
                    "weak",
                    f"unlike the traffic in {DISTRIBUTIONS[name]}: {one.value} "
                    f"{percent(one.share_set)} here, {percent(one.share_traffic)} there "
                    f"(distance {one.distance:.2f})",
                    f"{'add' if more else 'drop, or weigh less,'} such queries; better, draw the "
                    "set from the log at random",
                    {"distance": one.distance, "p_value": one.p_value},
                )
        known = self.vocabulary
        if known is not None and known.by_set < _LEAST_COVERED * known.by_traffic:
            yield Finding(
                "unlike_traffic_vocabulary",
                "weak",
                f"unlike the traffic in vocabulary: the set knows {percent(known.by_set)} of its "
                f"words, as many queries drawn from it {percent(known.by_traffic)}",
                "draw queries from the log at random: whole topics are missing",
                {"covered_by_set": known.by_set, "covered_by_traffic": known.by_traffic},
            )


def compare_with_traffic(ours: QueryProfile, traffic: QueryProfile) -> TrafficLikeness:
    """What can be told of the two; nothing from under 50 queries on either side."""
    enough = min(ours.n, traffic.n) >= FEWEST
    names = DISTRIBUTIONS if enough else ()
    found = {name: distance(ours.counts[name], traffic.counts[name]) for name in names}
    return TrafficLikeness(ours.n, traffic.n, found, coverage(ours, traffic) if enough else None)
