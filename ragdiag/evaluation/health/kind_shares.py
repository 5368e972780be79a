"""How many queries of each kind the set holds, and which kinds are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ragdiag.evaluation.health.finding import Finding
from ragdiag.evaluation.health.kinds import KINDS, Kinds

FEWEST_SHARE = 0.03
"""Below it a kind is as good as absent: of 100 queries two say nothing about it."""
_FEWEST_QUERIES = 20  # of which no share is worth a line

_TOLD: dict[str, tuple[str, str]] = {
    "exact_identifier": (
        "with an exact identifier (code, number, quoted words)",
        "add some that name a code, an id or quoted words: embeddings fail there first",
    ),
    "paraphrase": (
        "in other words than their evidence",
        "add some as users put them: keyword search passes on shared words alone",
    ),
    "filtered": (
        "with a search filter",
        "if users filter, add some with `filter` set: filters change what an index finds",
    ),
    "multi_evidence": (
        "that need two pieces of evidence (a gold set of 2 and more)",
        "add some that join two passages: else any and complete evidence are one figure",
    ),
    "no_answer": (
        "without an answer in the corpus",
        "add some with `answerable: false`: else nothing shows whether the system can refuse",
    ),
}
"""What such queries are, and why to have some."""


class KindShares:
    """Counts of the kinds over different queries."""

    def __init__(self) -> None:
        self._n: Counter[str] = Counter()
        self._of: Counter[str] = Counter()
        self._stated: Counter[str] = Counter()
        self._total = 0

    def add(self, kinds: Kinds) -> None:
        """One more query."""
        self._total += 1
        for kind, is_one in kinds.found.items():
            if is_one is not None:
                self._n[kind] += is_one
                self._of[kind] += 1
                self._stated[kind] += kind in kinds.stated

    def to_dict(self) -> dict[str, Any]:
        """The JSON key `kinds`: n of the queries of which it can be told, and by what."""
        return {
            kind: {
                "n": self._n[kind],
                "of": self._of[kind],
                "share": self._n[kind] / self._of[kind] if self._of[kind] else None,
                "by": self._source(kind),
            }
            for kind in KINDS
        }

    def _source(self, kind: str) -> str | None:
        stated, told = self._stated[kind], self._of[kind]
        if not told:
            return None
        return "stated" if stated == told else ("detected" if not stated else "partly stated")

    def findings(self, *, but: Sequence[str] = ()) -> Iterable[Finding]:
        """One a kind that is absent, or rarer than 3%; `but` those that something else judges."""
        for kind, (what, todo) in _TOLD.items():
            n, of = self._n[kind], self._of[kind]
            if kind in but or of < _FEWEST_QUERIES or n >= FEWEST_SHARE * of:
                continue
            by = "" if self._source(kind) == "stated" else "; detected"
            yield Finding(
                f"few_{kind}",
                "note",
                f"{'no' if n == 0 else f'only {n}'} queries {what} (of {of}{by})",
                todo,
                {"n": n, "of": of},
            )

    def untold(self) -> Iterable[str]:
        """The kinds of which nothing can be told, with what is needed."""
        needed = {
            "paraphrase": "paraphrases (needs the text of the gold passages, or --corpus)",
            "multi_evidence": "multi-evidence queries (needs gold)",
            "no_answer": "no-answer queries (needs answerable)",
        }
        return (text for kind, text in needed.items() if self._total and not self._of[kind])
