"""The streamed pass over all input before anything is evaluated: problems, warnings, counts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ragdiag.data.corpus import FileCorpus, combined_hash, scan_corpus
from ragdiag.data.corpus_hints import document_hints
from ragdiag.data.findings import Findings
from ragdiag.data.hints import AcrossSamples, sample_hints
from ragdiag.data.labels import scan_labels
from ragdiag.data.lines import PathLike, shorten
from ragdiag.data.native import MILD, Entry, Paths, Places, as_paths, read_entries
from ragdiag.data.samples import Read, known_only
from ragdiag.errors import DataError
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Label, Sample

WARNINGS_A_KIND = 10  # so that one frequent kind does not hide the others
_NAMED = 8  # ids named in a warning about many
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=str, check_circular=False)
TRACED = ("candidates", "reranked")
"""The stages that a diagnosis traces lost evidence through."""


@dataclass(frozen=True)
class Validation:
    """What the input holds and what is wrong with it.

    problems, counts            faults that stop the evaluation: the first 100, and all by kind.
    warnings, warning_counts    what a person should look at, alike; at most 10 a kind.
    patterns                    how many samples have exactly these fields (see `fields_of`).
    data_hash                   sha256 over the samples' canonical lines, independent of their
                                order, of compression, and of one file or two.
    corpus, labels              what was read beside the samples.
    """

    problems: tuple[Problem, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    warnings: tuple[Problem, ...] = ()
    warning_counts: Mapping[str, int] = field(default_factory=dict[str, int])
    n_samples: int = 0
    n_missing_in_run: int = 0
    n_run_without_query: int = 0
    patterns: Mapping[frozenset[str], int] = field(default_factory=dict[frozenset[str], int])
    data_hash: str = ""
    corpus: FileCorpus | None = None
    labels: tuple[Label, ...] = ()

    @property
    def ok(self) -> bool:
        """Can this be evaluated?"""
        return not self.counts

    @property
    def n_problems(self) -> int:
        """All problems, also those beyond the first 100."""
        return sum(self.counts.values())

    @property
    def fields(self) -> dict[str, int]:
        """How many samples have each field, most first."""
        found: Counter[str] = Counter()
        for pattern, n in self.patterns.items():
            found.update(dict.fromkeys(pattern, n))
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def require_ok(self) -> None:
        """Raises DataError with the first problems and their counts by kind, if there are any."""
        if self.ok:
            return
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(self.counts.items()))
        plural = "s" if self.n_problems > 1 else ""
        raise DataError(
            f"{self.n_problems} problem{plural} in the input ({kinds}); nothing was written",
            self.problems,
            self.n_problems,
        )


def validate(
    paths: Paths = (),
    *,
    queries: Paths = (),
    run: Paths = (),
    corpus: Paths = (),
    labels: Paths = (),
    observe: Callable[[Sample, FileCorpus | None], object] | None = None,
) -> Validation:
    """Reads everything once, sample by sample, and says what is wrong; raises nothing for bad data.

    `observe` is called with each sound sample, in input order, and the corpus.

    Raises:
        UsageError: these files cannot be given together.
    """
    problems, warnings = Findings(), Findings(a_kind=WARNINGS_A_KIND)
    known: FileCorpus | None = None
    if as_paths(corpus):
        known, faults = scan_corpus(corpus)
        problems.add(faults)
        warnings.add(known.notes)
    samples = _Samples(known, problems, warnings)
    for entry in read_entries(paths, queries=queries, run=run, seen=samples.ids):
        sample = samples.add(entry)
        if observe is not None and sample is not None:
            observe(sample, known)
    samples.end(as_paths(paths) or as_paths(run))
    found_labels: list[Label] = []
    if as_paths(labels):
        found_labels, faults = scan_labels(labels, note=lambda told: warnings.add([told]))
        problems.add(faults)
        warnings.add(_strangers(found_labels, samples, str(as_paths(labels)[0])))
    return Validation(
        problems=problems.first,
        counts=dict(problems.counts),
        warnings=tuple(sorted(warnings.first, key=lambda one: one.kind != "missing_in_run")),
        warning_counts=dict(warnings.counts),
        n_samples=samples.n,
        n_missing_in_run=samples.n_missing,
        n_run_without_query=warnings.counts["run_without_query"],
        patterns=dict(samples.patterns),
        data_hash=combined_hash(samples.total, samples.n),
        corpus=known,
        labels=tuple(one for one in found_labels if samples.ids.sample(one.query_id) is not None),
    )


class _Samples:
    """The state of the pass over the samples: counts and hashes, no sample is kept."""

    def __init__(self, corpus: FileCorpus | None, problems: Findings, warnings: Findings) -> None:
        self._corpus = corpus
        self._problems = problems
        self._warnings = warnings
        self.ids = Places()
        self.across = AcrossSamples(corpus, self.ids)
        self.patterns: Counter[frozenset[str]] = Counter()
        self.total = self.n = self.n_missing = 0
        self._missing: list[str] = []

    def add(self, entry: Entry | Problem) -> Sample | None:
        """Takes an entry in; returns its sample where it is sound."""
        if not isinstance(entry, Entry):
            (self._warnings if entry.kind in MILD else self._problems).add([entry])
            return None
        read = entry.read
        self._problems.add(read.problems)
        self._warnings.add(read.warnings)
        if read.sample is None:
            return None
        self.n += 1
        if entry.missing_in_run:
            self.n_missing += 1
            self._missing += [read.sample.query_id] if self.n_missing <= _NAMED else []
        self.total += _hash(read)
        self.patterns[fields_of(read.sample, corpus=self._corpus is not None)] += 1
        self._warnings.add(sample_hints(read.row, read.sample, self._corpus))
        self._warnings.add(document_hints(read.row, read.sample, self._corpus))
        self._warnings.add(self.across.add(read.row, read.sample))
        return read.sample

    def end(self, files: tuple[PathLike, ...]) -> None:
        self._warnings.add(self.across.end())
        unjoined = self._warnings.counts["run_without_query"]
        first = str(files[0])
        if unjoined and self.n == self.n_missing:
            message = (
                f"no query_id of the run ({unjoined} lines) stands in the queries: wrong file?"
            )
            self._problems.add([_whole_file(first, "no_common_query_id", message)])
        elif self.n_missing:
            self._warnings.add([_whole_file(first, "missing_in_run", self._without_run())])
        elif not self.n and not self._problems.counts:
            self._problems.add([_whole_file(first, "empty_file", "the input holds no sample")])

    def _without_run(self) -> str:
        ids = ", ".join(shorten(key).strip('"') for key in self._missing)
        have = "query has" if self.n_missing == 1 else "queries have"
        more = ", …" if self.n_missing > len(self._missing) else ""
        return (
            f"{self.n_missing} {have} no run row: {ids}{more} (retrieved counts as empty; "
            "no diagnosis)"
        )


def _whole_file(file: str, kind: str, message: str) -> Problem:
    return Problem(file=file, line=None, field="", kind=kind, message=message)


def _hash(read: Read) -> int:
    """Of the row as it came, keys sorted: the same whatever file and line it stood in."""
    value = known_only(read.row.value) if read.warnings else read.row.value
    text = _CANONICAL.encode(value)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")


def _strangers(labels: list[Label], samples: _Samples, file: str) -> Iterator[Problem]:
    """Labels of queries that the samples do not have: they are not used."""
    for query_id in dict.fromkeys(label.query_id for label in labels):
        if samples.ids.sample(query_id) is not None:
            continue
        alike = samples.across.like_query(query_id)
        hint = "; one that differs only in its spelling is" if alike else ""
        yield Problem(
            file=file,
            line=None,
            field="query_id",
            kind="label_without_query",
            message=f"{shorten(query_id)} is the query_id of no sample{hint}; the label is unused",
        )


def fields_of(sample: Sample, *, corpus: bool = False) -> frozenset[str]:
    """The fields that a sample fills with something, and what is seen in others.

    stages.NAME = it has that stage; text = a passage of retrieved or context has its text (or a
    corpus may give it), or the list that the generator saw is empty and lacks none; marked = the
    answer may hold citation markers; corpus = there is a corpus.
    """
    seen = sample.context if sample.context is not None else sample.retrieved
    texts = seen is not None and not seen
    for passages in (sample.retrieved or (), sample.context or ()):
        for passage in passages:
            texts = texts or corpus or passage.text is not None
    answer = sample.answer
    found = (
        True,
        sample.history,
        sample.reference,
        sample.answerable is not None,
        sample.gold,
        sample.qrels,
        sample.target,
        sample.filter,
        sample.slices,
        sample.retrieved is not None,
        sample.stages,
        sample.context is not None,
        answer is not None and answer.strip(),
        sample.citations is not None,
        sample.latency_ms,
        sample.cost_usd is not None,
        sample.error is not None,
        texts,
        answer is not None and "[" in answer,
        corpus,
        *[name in sample.stages for name in TRACED],
    )
    return _pattern(tuple(map(bool, found)))


_PATTERN = (
    "query", "history", "reference", "answerable", "gold", "qrels", "target", "filter", "slices",
    "retrieved", "stages", "context", "answer", "citations", "latency_ms", "cost_usd", "error",
    "text", "marked", "corpus", *(f"stages.{name}" for name in TRACED),
)  # fmt: skip


@lru_cache(maxsize=1024)
def _pattern(found: tuple[bool, ...]) -> frozenset[str]:
    """Made once for all samples alike."""
    return frozenset(name for name, one in zip(_PATTERN, found, strict=True) if one)
