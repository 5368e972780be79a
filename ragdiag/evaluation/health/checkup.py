"""All samples once, as they are read -> the health of the set, as JSON and as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragdiag.data.native import digest, read_samples
from ragdiag.data.query_list import read_query_texts
from ragdiag.evaluation.health.alike import QueryIndex, Repeat
from ragdiag.evaluation.health.annotators import GUIDELINE, Annotators, guideline_of
from ragdiag.evaluation.health.finding import Finding, counted, pair, percent, some, worst_first
from ragdiag.evaluation.health.judged import JudgedShare
from ragdiag.evaluation.health.kind_shares import KindShares
from ragdiag.evaluation.health.kinds import kinds_of
from ragdiag.evaluation.health.size import Slices, cluster_findings, power_of, size_findings
from ragdiag.evaluation.health.traffic import QueryProfile, compare_with_traffic
from ragdiag.records import Corpus, Label, Sample
from ragdiag.text.slices import derived_slices

_MOST_EXAMPLES = 20
_LONGEST_PAIR = 60
_MANY_ROWS = 1.25  # rows a query from which repeats are systems or attempts, not slips


class Development:
    """The development split: what a test split must not share."""

    def __init__(self, name: str = "", samples: Iterable[Sample] = ()) -> None:
        self.name = name
        self.n = 0
        self.queries = QueryIndex()
        self.documents: set[int] = set()
        for sample in samples:
            self.n += 1
            self.queries.add(sample)
            self.documents.update(map(digest, gold_documents(sample)))


def read_development(path: Path) -> Development:
    """The samples (or their query half) of a file; DataError at the first broken row."""
    return Development(str(path), read_samples(path))


def gold_documents(sample: Sample, corpus: Corpus | None = None) -> list[str]:
    """The documents of the gold evidence, each once, in its order; where a passage's document is
    not known, the passage stands for it."""
    shown = sample.passages_by_id()

    def document(passage_id: str) -> str:
        known = shown.get(passage_id)
        if (known is None or known.doc_id is None) and corpus is not None:
            known = corpus.passage(passage_id)
        return known.doc_id if known is not None and known.doc_id is not None else passage_id

    items = [item for items in sample.gold for item in items]
    named = [
        item.doc_id or (document(item.passage_id) if item.passage_id else None) for item in items
    ]
    if not sample.gold:
        named += [document(key) for key, grade in sample.qrels.items() if grade > 0]
    return list(dict.fromkeys(name for name in named if name is not None))


@dataclass
class _Pairs:
    """How many queries repeat another, and the first of them."""

    exact: int = 0
    near: int = 0
    examples: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def add(self, query_id: str, repeat: Repeat) -> None:
        if repeat.exact:
            self.exact += 1
        else:
            self.near += 1
        same_kind = sum(1 for one in self.examples if one["exact"] == repeat.exact)
        if same_kind < _MOST_EXAMPLES:
            row = {"query_id": query_id, "other": repeat.query_id, "exact": repeat.exact}
            self.examples.append(row)

    def named(self, *, exact: bool | None = None) -> str:
        total = {None: self.exact + self.near, True: self.exact, False: self.near}[exact]
        shown = [
            pair(one["query_id"], one["other"])
            for one in self.examples
            if exact is None or one["exact"] == exact
        ]
        return some(shown, total, longest=_LONGEST_PAIR)

    def to_dict(self) -> dict[str, Any]:
        return {"n_exact": self.exact, "n_near": self.near, "examples": self.examples}


class Checkup:
    """Takes the samples in, one by one; `report` says what they amount to.

    Memory holds a text and a few hashes a different query, and nothing of passages.
    """

    def __init__(
        self,
        *,
        development: Development | None = None,
        with_profile: bool = False,
    ) -> None:
        self._corpus: Corpus | None = None
        self._development = development
        self._profile = QueryProfile() if with_profile else None
        self._queries = QueryIndex()
        self._repeats = _Pairs()
        self._references: dict[int, frozenset[int]] = {}
        self._conflicts: list[tuple[str, str]] = []
        self._n_conflicts = 0
        self._kinds = KindShares()
        self._slices = Slices()
        self._n_samples = 0
        self._n_labelled = 0
        self._judged = JudgedShare()
        self._clusters: set[int] = set()
        self._n_clustered = 0
        self._leaks = _Pairs()
        self._n_gold_shared = 0

    def add(self, sample: Sample, corpus: Corpus | None = None) -> None:
        """One more sample."""
        self._corpus = corpus
        self._n_samples += 1
        before = len(self._queries)
        repeat = self._queries.add(sample)
        is_new = len(self._queries) > before
        number = before if is_new or repeat is None else repeat.number
        if repeat is not None:
            self._repeats.add(sample.query_id, repeat)
        self._note_reference(sample, number, repeat)
        self._slices.add(derived_slices(sample), number)
        self._judged.add(sample)
        if is_new:
            self._note_query(sample)

    def _note_query(self, sample: Sample) -> None:
        """What counts once a query, however many rows it has."""
        self._kinds.add(kinds_of(sample, self._corpus))
        self._n_labelled += bool(sample.gold or sample.qrels or sample.reference)
        if self._profile is not None:
            self._profile.add(sample.query)
        documents = gold_documents(sample, self._corpus)
        if documents:
            self._n_clustered += 1
            self._clusters.add(digest(documents[0]))
        if self._development is not None:
            leak = self._development.queries.find(sample)
            if leak is not None:
                self._leaks.add(sample.query_id, leak)
            shared = any(digest(name) in self._development.documents for name in documents)
            self._n_gold_shared += shared

    def _note_reference(self, sample: Sample, number: int, repeat: Repeat | None) -> None:
        if not sample.reference:
            return
        given = frozenset(digest(" ".join(one.split()).casefold()) for one in sample.reference)
        known = self._references.setdefault(number, given)
        if repeat is not None and repeat.exact and not known & given:
            self._n_conflicts += 1
            if len(self._conflicts) < _MOST_EXAMPLES:
                self._conflicts.append((sample.query_id, repeat.query_id))

    def report(
        self,
        *,
        labels: Sequence[Label] = (),
        run_info: Mapping[str, Any] | None = None,
        traffic: Path | None = None,
    ) -> dict[str, Any]:
        """The JSON key `health`. Raises DataError where the traffic cannot be read."""
        people = Annotators(labels) if labels else None
        guideline = guideline_of(run_info or {}) or (people.guideline if people else None)
        likeness = None
        if self._profile is not None and traffic is not None:
            real = QueryProfile()
            for query in read_query_texts(traffic):
                real.add(query)
            likeness = compare_with_traffic(self._profile, real)
        n = len(self._queries)
        compared = likeness is not None and likeness.distances  # by traffic: few may be right
        findings = [
            *self._leakage(),
            *self._conflicting(),
            *self._repeated(),
            *(people.findings() if people else ()),
            *self._judged.findings(),
            *size_findings(n),
            *self._slices.findings(),
            *cluster_findings(self._n_clustered, len(self._clusters)),
            *(likeness.findings() if likeness else ()),
            *self._kinds.findings(but=("exact_identifier",) if compared else ()),
            *self._no_guideline(guideline, labelled=bool(labels)),
        ]
        return {
            "n_samples": self._n_samples,
            "n_queries": n,
            "findings": [one.to_dict() for one in worst_first(findings)],
            "not_told": list(self._untold(likeness is not None, bool(labels))),
            "kinds": self._kinds.to_dict(),
            "power": power_of(n),
            "slices": self._slices.to_dict(),
            "repeats": {
                **self._repeats.to_dict(),
                "n_conflicting_references": self._n_conflicts,
                "conflicting_references": [list(pair) for pair in self._conflicts],
            },
            "clusters": {"n_queries": self._n_clustered, "n_documents": len(self._clusters)},
            "judged": self._judged.to_dict(),
            "leakage": self._leakage_facts(),
            "traffic": likeness.to_dict() if likeness else None,
            "labels": people.to_dict() if people else None,
            "guideline": guideline,
        }

    def _leakage_facts(self) -> dict[str, Any] | None:
        if self._development is None:
            return None
        return {
            **self._leaks.to_dict(),
            "n_dev": self._development.n,
            "n_gold_shared": self._n_gold_shared,
            "n_with_gold": self._n_clustered,
        }

    def _leakage(self) -> Iterator[Finding]:
        if self._development is None:
            return
        leaked, n = self._leaks.exact + self._leaks.near, len(self._queries)
        if leaked:
            near = f", {self._leaks.near} of them nearly" if self._leaks.near else ""
            yield Finding(
                "queries_in_dev",
                "wrong",
                f"{leaked} of {counted(n, 'query', 'queries')} ({percent(leaked, n)}) stand in the "
                f"development set too{near}: {self._leaks.named()}",
                "take them out of one of the two: what was tuned on them is no test",
                {"n": leaked, "n_near": self._leaks.near, "of": n},
            )
        if self._n_gold_shared:
            share = percent(self._n_gold_shared, self._n_clustered)
            yield Finding(
                "gold_documents_in_dev",
                "weak",
                f"{self._n_gold_shared} of {self._n_clustered} queries with gold ({share}) have a "
                "gold document that the development set has too",
                "to claim anything about unseen documents, split by document, not by query",
                {"n": self._n_gold_shared, "of": self._n_clustered},
            )

    def _conflicting(self) -> Iterator[Finding]:
        if self._n_conflicts:
            pairs = [pair(*both) for both in self._conflicts]
            shown = some(pairs, self._n_conflicts, longest=_LONGEST_PAIR)
            yield Finding(
                "conflicting_references",
                "wrong",
                f"{counted(self._n_conflicts, 'row asks', 'rows ask')} what another asks, with "
                f"another reference: {shown}",
                "correct one, or give both references to both; if each means another document, let "
                "the query say which",
                {"n": self._n_conflicts},
            )

    def _repeated(self) -> Iterator[Finding]:
        n, pairs = len(self._queries), self._repeats
        if pairs.exact and self._n_samples >= _MANY_ROWS * n:
            yield Finding(
                "rows_of_one_query",
                "weak",
                f"{self._n_samples} samples hold {n} different queries: rows of one query are not "
                "independent",
                "evaluate each system or attempt as a run of its own, or with --cluster question: "
                "intervals over all rows are too narrow",
                {"n_samples": self._n_samples, "n_queries": n},
            )
        elif pairs.exact > self._n_conflicts:  # else all of them are told of as conflicting
            yield Finding(
                "repeated_queries",
                "weak",
                f"{counted(pairs.exact, 'row asks', 'rows ask')} what another asks under another "
                f"id: {pairs.named(exact=True)}",
                "keep one of each: twice counted is not twice measured",
                {"n": pairs.exact},
            )
        if pairs.near:
            yield Finding(
                "near_repeats",
                "note",
                f"{counted(pairs.near, 'query asks', 'queries ask')} nearly what another asks: "
                f"{pairs.named(exact=False)}",
                "look at them; keep one of each, unless they are paraphrases on purpose",
                {"n": pairs.near},
            )

    def _no_guideline(self, guideline: str | None, *, labelled: bool) -> Iterator[Finding]:
        if guideline is None and (labelled or self._n_labelled):
            yield Finding(
                "no_guideline",
                "note",
                "the labelling guideline is not recorded",
                f'write it down and name it: key "{GUIDELINE}" of --run-info, or of the labels',
            )

    def _untold(self, traffic: bool, labels: bool) -> Iterator[str]:
        if not traffic:
            yield "whether the queries are like real traffic (--traffic FILE)"
        if self._development is None:
            yield "leakage from development to test (--dev FILE)"
        if not labels:
            yield "agreement of annotators (--labels FILE)"
        yield from self._kinds.untold()
