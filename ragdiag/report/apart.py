"""Counts of what one mean hides: the parts of answers, their citations, the required components."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, get_args

from ragdiag.records import ClaimResult, SampleResult
from ragdiag.records.result import CitationStatus, PartStatus

_MOST_EXAMPLES = 3
_OF_CLAIMS = {"supported": "full", "partial": "partial", None: "undecided"}


class Apart:
    """Counts results one by one; `report` gives the keys `parts`, `citations`, `components`."""

    def __init__(self) -> None:
        self._parts: dict[str, Counter[str]] = defaultdict(Counter)
        self._citations: Counter[str] = Counter()
        self._claims: Counter[str] = Counter()
        self._exempt: Counter[str] = Counter()
        self._components: dict[str, Counter[str]] = defaultdict(Counter)
        self._examples: dict[str, list[str]] = defaultdict(list)

    def add(self, result: SampleResult) -> None:
        """Counts one query."""
        for name, part in result.parts.items():
            self._parts[name][part.status] += 1
            if part.status == "wrong":
                self._example(f"{name}.wrong", result)
        for citation in result.citations:
            self._citations[citation.status] += 1
            if citation.status in ("dangling", "wrong", "irrelevant"):
                self._example(f"citation.{citation.status}", result)
        for claim in result.claims:
            self._add_claim(claim, result)
        for component in result.components:
            told = {True: "found", False: "missing", None: "undecided"}[component.found]
            self._components[component.source][told] += 1
            if component.found is False:
                self._example("component.missing", result)

    def _add_claim(self, claim: ClaimResult, result: SampleResult) -> None:
        self._claims["n"] += 1
        if claim.needs_citation:
            self._claims["need"] += 1
            self._claims["cited"] += bool(claim.cited)
            if not claim.cited and "no_citations" not in _why(result):
                self._example("claim.uncited", result)
        elif claim.exempt is not None:
            self._exempt[claim.exempt] += 1
        if claim.cited:
            self._claims[_OF_CLAIMS.get(claim.citation_label, "none")] += 1

    def _example(self, kind: str, result: SampleResult) -> None:
        ids = self._examples[kind]
        if len(ids) < _MOST_EXAMPLES and result.query_id not in ids:
            ids.append(result.query_id)

    def report(self, *, rule: str) -> dict[str, Any]:
        """Counts by status, with up to three query ids of each failing one."""
        return {
            "parts": {
                name: {
                    **{status: counts[status] for status in get_args(PartStatus)},
                    "examples": {"wrong": self._examples.get(f"{name}.wrong", [])},
                }
                for name, counts in self._parts.items()
            },
            "citations": {
                "n": self._citations.total(),
                **{status: self._citations[status] for status in get_args(CitationStatus)},
                "rule": rule,
                "claims": {
                    key: self._claims[key]
                    for key in ("n", "need", "cited", "full", "partial", "none", "undecided")
                }
                | {"exempt": dict(self._exempt.most_common())},
                "examples": {
                    "dangling": self._examples.get("citation.dangling", []),
                    "wrong": self._examples.get("citation.wrong", []),
                    "irrelevant": self._examples.get("citation.irrelevant", []),
                    "uncited": self._examples.get("claim.uncited", []),
                },
            },
            "components": {
                "n": sum(counts.total() for counts in self._components.values()),
                **{
                    status: sum(counts[status] for counts in self._components.values())
                    for status in ("found", "missing", "undecided")
                },
                "by_source": {
                    source: counts.total() for source, counts in sorted(self._components.items())
                },
                "examples": {"missing": self._examples.get("component.missing", [])},
            },
        }


def _why(result: SampleResult) -> tuple[str, ...]:
    score = result.scores.get("citation_completeness")
    return () if score is None or score.reason is None else (score.reason,)
