"""What is suspicious in sound input: a person should look, nothing is changed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, cast

from ragdiag.data.lines import Row, shorten
from ragdiag.data.native import Places
from ragdiag.records.corpus import Corpus
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Passage, Sample

_LONG_ID, _LONGEST_ID = 40, 200  # characters of an id with white space, and of any
_WRITE_PASSAGE = 'looks like a text, not an id; write {"passage_id": …, "text": …}'
_STAGES = ("candidates", "reranked")
_MOST_IDS = 300_000  # ids whose hashes are kept; beyond that the check is not made


_UNSEEN: dict[int, str | None] = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
_DASHES: dict[int, str | None] = dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-")
_ALIKE = _UNSEEN | _DASHES
"""What takes no room, and dashes."""


_ITSELF = re.compile("[!-/:-~][!-~]*").fullmatch  # visible ASCII, and no digit first


def fold(key: str) -> str:
    """What stays of an id without whitespace, Unicode form (its width and dashes, and characters
    that take no room) and the spelling of its number."""
    if _ITSELF(key):
        return key
    same = unicodedata.normalize("NFKC", key).translate(_ALIKE)
    plain = "".join(same.split())
    whole, dot, rest = plain.partition(".")
    if whole.isdecimal() and (not dot or (rest and not rest.strip("0"))):
        digits = "".join(str(unicodedata.decimal(digit)) for digit in whole)
        return digits.lstrip("0") or "0"
    return plain


def look_alike(key: str, known: Iterable[str]) -> str | None:
    """An id that differs only by whitespace, Unicode form or the spelling of its number."""
    folded = fold(key)
    return next((other for other in known if other != key and fold(other) == folded), None)


def sample_hints(row: Row, sample: Sample, corpus: Corpus | None) -> Iterator[Problem]:
    """What one sample shows by itself."""
    for field, kind, message in (
        *_blank(row.value, sample),
        *_unresolved(sample, corpus),
        *_repeated(sample),
        *_copies(sample),
        *_unread(sample),
        *(_texts_as_ids(row.value) if _some_long(sample) else ()),
    ):
        yield row.problem(field, kind, message)


Hint = tuple[str, str, str]  # field, kind, message


def _blank(value: dict[str, Any], sample: Sample) -> Iterator[Hint]:
    if not sample.query.strip():
        yield "query", "empty_query", "the question is empty"
    reference = value.get("reference")
    texts = cast("list[object]", reference if isinstance(reference, list) else [reference])
    if reference is not None and any(isinstance(t, str) and not t.strip() for t in texts):
        yield "reference", "empty_reference", "an empty reference is read as absent"
    elif reference == []:
        yield "reference", "empty_reference", "an empty list is read as absent"
    if value.get("gold") == []:
        yield "gold", "empty_gold", "an empty list is read as absent"


def _unresolved(sample: Sample, corpus: Corpus | None) -> Iterator[Hint]:
    if sample.context or sample.stages or sample.citations:
        yield from _unshown(sample, corpus)
    named = [item.passage_id for items in sample.gold for item in items if item.passage_id]
    for field, keys in (("gold", named), ("qrels", list(sample.qrels))):
        missing = _not_listed(keys, sample) if keys else ()
        folded = {fold(key): key for key in sample.passages_by_id()} if missing else {}
        for key in missing:
            other = folded.get(fold(key))
            if other is not None:
                yield field, "near_identical_id", _differs(key, other)


def _not_listed(keys: list[str], sample: Sample) -> list[str]:
    groups = (sample.retrieved or (), sample.context or (), *sample.stages.values())
    known = {passage.passage_id for group in groups for passage in group}
    return [key for key in keys if key not in known]


def _unshown(sample: Sample, corpus: Corpus | None) -> Iterator[Hint]:
    """Ids in the context, the stages and the citations."""
    known = sample.passages_by_id()

    def has_text(passage_id: str) -> bool:
        passage = known.get(passage_id)
        if passage is not None and passage.text is not None:
            return True
        return corpus is not None and corpus.passage(passage_id) is not None

    some_text = corpus is not None or any(p.text is not None for p in known.values())
    for number, passage in enumerate(sample.context or ()):
        if some_text and not has_text(passage.passage_id):
            yield _nowhere(f"context[{number}]", passage.passage_id, "no text", known)
    for stage, passages in sample.stages.items():
        for number, passage in enumerate(passages):
            if corpus is not None and not has_text(passage.passage_id):
                yield _nowhere(f"stages.{stage}[{number}]", passage.passage_id, "no text", known)
    shown = sample.context if sample.context is not None else sample.retrieved or ()
    ids = {passage.passage_id for passage in shown} if sample.citations else set[str]()
    for number, citation in enumerate(sample.citations or ()):
        if citation.passage_id not in ids:
            what = "not in the context: it counts as dangling"
            yield _nowhere(f"citations[{number}]", citation.passage_id, what, ids)


def _nowhere(field: str, key: str, what: str, known: Iterable[str]) -> Hint:
    other = look_alike(key, known)
    if other is not None:
        return field, "near_identical_id", _differs(key, other)
    return (
        field,
        "unresolved_id",
        f"{shorten(key)} has {what}" if what == "no text" else (f"{shorten(key)} is {what}"),
    )


def _differs(key: str, other: str) -> str:
    return (
        f"{key!r} is not {other!r}: they differ only by whitespace, Unicode form or the spelling "
        "of a number; nothing is trimmed, write them alike"
    )


def _repeated(sample: Sample) -> Iterator[Hint]:
    """One id twice in a list (the first is kept), or once with another text."""
    texts: dict[str, str] = {}
    groups = {"retrieved": sample.retrieved or (), "context": sample.context or (), **sample.stages}
    for field, passages in groups.items():
        seen: set[str] = set()
        for number, passage in enumerate(passages):
            key = passage.passage_id
            if key in seen:
                message = f"{shorten(key)} stands twice in the list; the first is kept"
                yield f"{field}[{number}]", "duplicate_passage", message
            seen.add(key)
            if passage.text is not None and texts.setdefault(key, passage.text) != passage.text:
                message = f"{shorten(key)} has two different texts in this sample"
                yield f"{field}[{number}]", "conflicting_passage", message


def _some_long(sample: Sample) -> bool:
    for group in (sample.retrieved or (), sample.context or (), *sample.stages.values()):
        for passage in group:
            if len(passage.passage_id) > _LONG_ID:
                return True
    return False


def _texts_as_ids(value: dict[str, Any]) -> Iterator[Hint]:
    """Plain strings in the lists of passages that hardly are ids."""
    stages = value.get("stages")
    lists: dict[str, object] = {name: value.get(name) for name in ("retrieved", "context")}
    if isinstance(stages, dict):
        named = cast("dict[str, object]", stages)
        lists |= {f"stages.{stage}": found for stage, found in named.items()}
    for field, found in lists.items():
        for number, part in enumerate(cast("list[object]", found if found else ())):
            if isinstance(part, str) and _is_text(part):
                yield f"{field}[{number}]", "text_as_id", _WRITE_PASSAGE


def _is_text(key: str) -> bool:
    return len(key) > _LONGEST_ID or (len(key) > _LONG_ID and len(key.split(maxsplit=1)) > 1)


def _copies(sample: Sample) -> Iterator[Hint]:
    query = sample.query.strip()
    for number, passage in enumerate(sample.context or sample.retrieved or ()):
        if query and passage.text is not None and passage.text.strip() == query:
            field = f"{'context' if sample.context else 'retrieved'}[{number}]"
            yield field, "context_is_question", "the passage is exactly the question"


def _unread(sample: Sample) -> Iterator[Hint]:
    """Stages that no diagnosis reads, and durations and costs that cannot be."""
    for stage in sample.stages:
        if stage not in _STAGES:
            message = f"a diagnosis reads {' and '.join(_STAGES)} only; this one is not traced"
            yield f"stages.{_name(stage)}", "unknown_stage", message
    for name, milliseconds in sample.latency_ms.items():
        if milliseconds < 0:
            yield f"latency_ms.{_name(name)}", "below_zero", "a duration below 0: clocks differ?"
    if sample.cost_usd is not None and sample.cost_usd < 0:
        yield "cost_usd", "below_zero", "a cost below 0"


def _name(key: str) -> str:
    return shorten(key).strip('"')


class AcrossSamples:
    """What only all samples together show. Keeps no texts, and nothing that grows with them but
    16 bytes for an id that `fold` changes; `ids`: where the samples stand."""

    def __init__(self, corpus: Corpus | None, ids: Places) -> None:
        self._corpus = corpus
        self._ids = ids
        self._folded_queries = Places()  # of ids that are not their own folded form
        self._seen: set[int] = set()
        self._folded: set[int] = set()  # alike
        self._wanted: dict[int, tuple[str, str, int, str]] = {}
        self._n_wanted = 0
        self._full = False
        self._types: dict[str, set[type]] = {}
        self._compared = self._copied = 0
        self._last: Row | None = None

    def add(self, row: Row, sample: Sample) -> Iterator[Problem]:
        """Takes a sample in, each id once; yields what can be told at once."""
        self._last = row
        yield from self._query(row, sample.query_id)
        groups = (sample.retrieved or (), sample.context or (), *sample.stages.values())
        passages = [passage for group in groups for passage in group]
        if _some_number(sample, passages):
            self._note_types(row.value)
        if not self._full:
            self._note_ids(row, sample, passages)
        if not sample.gold or not sample.retrieved:
            return
        gold = {item.passage_id for items in sample.gold for item in items} - {None}
        if gold:
            self._compared += 1
            self._copied += gold == {passage.passage_id for passage in sample.retrieved}

    def like_query(self, key: str) -> bool:
        """Is there a query_id that differs from it only by its spelling?"""
        return self._alike(fold(key)) is not None

    def _alike(self, folded: str) -> str | None:
        """The first place of an id of this folded form."""
        changed = self._folded_queries.place(folded)
        if changed is not None:
            return changed
        return self._ids.sample(folded) if fold(folded) == folded else None

    def _query(self, row: Row, key: str) -> Iterator[Problem]:
        folded = fold(key)
        earlier = None
        if folded != key or len(self._folded_queries):
            earlier = self._alike(folded)
        self._ids.add_sample(key, row.file, row.line)
        if folded != key and earlier is None:
            self._folded_queries.add(folded, row.file, row.line)
        if earlier is not None:
            yield Problem(
                file=row.file,
                line=row.line,
                field="query_id",
                kind="near_identical_id",
                message=f"{shorten(key)} and the query_id at {earlier} differ only by "
                "whitespace, Unicode form or the spelling of a number; they are two queries",
            )

    def _note_types(self, value: dict[str, Any]) -> None:
        def note(field: str, key: object) -> None:
            if isinstance(key, (int, float)) or (isinstance(key, str) and key.isdecimal()):
                self._types.setdefault(field, set()).add(str if isinstance(key, str) else int)

        note("query_id", value.get("query_id"))
        for field in ("retrieved", "context", "gold"):
            for part in _flat(value.get(field)):
                if isinstance(part, dict):
                    note("passage_id", cast("dict[str, object]", part).get("passage_id"))
                else:
                    note("passage_id", part)

    def _note_ids(self, row: Row, sample: Sample, passages: list[Passage]) -> None:
        own = {passage.passage_id for passage in passages}
        documents = {passage.doc_id for passage in passages if passage.doc_id is not None}
        if len(self._seen) + len(self._wanted) > _MOST_IDS:
            self._full = True
            for kept in (self._seen, self._folded, self._wanted):
                kept.clear()
            return
        for key in own | documents:
            self._seen.add(hash(key))
            folded = fold(key)
            if folded != key:
                self._folded.add(hash(folded))
        for field, key in _gold_ids(sample):
            self._n_wanted += 1
            if key not in own and key not in documents and not self._in_corpus(key):
                self._wanted.setdefault(hash(key), (key[:80], *row.place(field), field))

    def _in_corpus(self, key: str) -> bool:
        corpus = self._corpus
        return corpus is not None and (corpus.passage(key) is not None or corpus.has_document(key))

    def end(self) -> Iterator[Problem]:
        """What is told once, behind the last sample."""
        for field, types in self._types.items():
            if len(types) > 1:
                yield self._about(
                    field,
                    "mixed_id_types",
                    'some ids are numbers and some are texts of digits; 1 and "1" are read as '
                    'one id, 1 and "1.0" or "01" as two',
                )
        if self._compared >= 2 and self._compared == self._copied:
            yield self._about(
                "retrieved",
                "gold_as_retrieved",
                f"no retriever is measured: retrieved is exactly the gold in all {self._compared} "
                "samples with both, and retrieval metrics are not scored",
            )
        yield from self._gold_nowhere()

    def _gold_nowhere(self) -> Iterator[Problem]:
        lost = {key: found for key, found in self._wanted.items() if key not in self._seen}
        if not lost or self._full or not self._seen:
            return
        whole = len(lost) == self._n_wanted
        for key, file, line, field in lost.values():
            alike = self._folded_is_seen(fold(key))
            hint = "; one that differs only in its spelling does" if alike else ""
            every = " (no gold or qrels id of the input does: are these ids of one corpus?)"
            yield Problem(
                file=file,
                line=line,
                field=field,
                kind="near_identical_id" if alike else "gold_id_nowhere",
                message=f"{shorten(key)} occurs in no list of any sample"
                f"{' and not in the corpus' if self._corpus is not None else ''}{hint}"
                f"{every if whole else ''}",
            )

    def _folded_is_seen(self, folded: str) -> bool:
        if hash(folded) in self._folded:
            return True
        return hash(folded) in self._seen and fold(folded) == folded

    def _about(self, field: str, kind: str, message: str) -> Problem:
        file = self._last.file if self._last is not None else ""
        return Problem(file=file, line=None, field=field, kind=kind, message=message)


def _some_number(sample: Sample, passages: list[Passage]) -> bool:
    """May one of its ids have come as a number, or be a text of digits?"""
    for passage in passages:
        first = passage.passage_id[0]
        if first.isdecimal() or first == "-":
            return True
    named = [item.passage_id for items in sample.gold for item in items if item.passage_id]
    return any(key[0].isdecimal() or key[0] == "-" for key in (sample.query_id, *named))


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _flat(inner)
    elif value is not None:
        yield value


def _gold_ids(sample: Sample) -> Iterator[tuple[str, str]]:
    for items in sample.gold:
        for item in items:
            if item.passage_id is not None:
                yield "gold", item.passage_id
            elif item.doc_id is not None:
                yield "gold", item.doc_id
    for key, grade in sample.qrels.items():
        if grade > 0:
            yield "qrels", key
