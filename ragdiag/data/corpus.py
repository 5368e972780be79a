"""A corpus file -> the passages that the retriever could have found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragdiag.data.beir import read_passages
from ragdiag.data.findings import data_error
from ragdiag.data.lines import Row, shorten
from ragdiag.data.names import meant_by
from ragdiag.data.native import Paths, as_paths
from ragdiag.data.pdf_folder import NOTES, document_id, holds_pdfs, read_pdfs
from ragdiag.data.samples import problems_of
from ragdiag.data.tables import read_any
from ragdiag.errors import DataError
from ragdiag.records.problem import Problem, place_of
from ragdiag.records.sample import Passage

_FIELDS = frozenset(Passage.model_fields) - {"score"}
_NAMES = tuple(Passage.model_fields)


class FileCorpus:
    """Implements `ragdiag.records.Corpus` over passages held in memory.

    of_pages  the passages are pages of the documents themselves (PDFs), not what a retriever had:
              its chunks have other ids, and a document may be named with its ".pdf".
    notes     what a person should know about the files; the corpus is usable nevertheless.
    """

    def __init__(
        self,
        passages: dict[str, Passage],
        data_hash: str,
        *,
        of_pages: bool = False,
        notes: Iterable[Problem] = (),
    ) -> None:
        self.of_pages = of_pages
        self.notes = tuple(notes)
        self._passages = passages
        self._documents: dict[str, list[str]] = {}
        for passage_id, passage in passages.items():
            self._documents.setdefault(passage.doc_id or passage_id, []).append(passage_id)
        self._data_hash = data_hash
        self._last_parts: dict[str, list[str]] = {}

    @property
    def data_hash(self) -> str:
        """sha256 over the passages, independent of their order and of compression."""
        return self._data_hash

    @property
    def n_documents(self) -> int:
        """How many doc_ids there are."""
        return len(self._documents)

    @property
    def n_passages(self) -> int:
        """How many passages there are."""
        return len(self._passages)

    def __iter__(self) -> Iterator[Passage]:
        return iter(self._passages.values())

    def has_document(self, doc_id: str) -> bool:
        """Is any passage of the document in the corpus?"""
        return self.own_name(doc_id) in self._documents

    def own_name(self, doc_id: str) -> str:
        """The document's name in the corpus: a PDF may be asked for with its ".pdf"."""
        return document_id(doc_id) if self.of_pages and doc_id not in self._documents else doc_id

    def has_page(self, doc_id: str, page: int | str) -> bool:
        """Has a known document this page? Yes also where only PDFs, page by page, could tell."""
        pages = {passage.page for passage in self.passages_of(doc_id)}
        return not self.of_pages or page in pages

    def n_pages(self, doc_id: str) -> int:
        """How many pages of the document the corpus has."""
        return len({passage.page for passage in self.passages_of(doc_id)} - {None})

    def passages_of(self, doc_id: str) -> tuple[Passage, ...]:
        """The document's passages in file order; () for an unknown document."""
        return tuple(self._passages[key] for key in self._documents.get(self.own_name(doc_id), ()))

    def passage(self, passage_id: str) -> Passage | None:
        """The passage with this id, or None."""
        return self._passages.get(passage_id)

    def alike(self, doc_id: str) -> str | None:
        """The document of the same last part of its path ("reports/a" for "/data/A.pdf"), if there
        is just one."""
        if not self._last_parts:
            for known in self._documents:
                self._last_parts.setdefault(_last_part(known), []).append(known)
        found = self._last_parts.get(_last_part(doc_id), [])
        return found[0] if len(found) == 1 else None


def _last_part(doc_id: str) -> str:
    return document_id(doc_id).rpartition("/")[2].casefold()


def read_corpus(paths: Paths) -> FileCorpus:
    """Reads JSONL (plain, gzip, zstd) or Parquet: {doc_id, page?, passage_id?, …, text}; a BEIR
    folder; or PDFs, a file or a folder of them (`ragdiag.data.pdf_folder`).

    A passage without passage_id is called `doc_id#p<page>`, or `doc_id` where it has no page.
    Other fields than a passage's are left out.

    Raises:
        MissingExtraError: there are PDFs, and pypdf is not installed.
        DataError: with the first 100 problems, among them a repeated passage_id.
    """
    corpus, problems = scan_corpus(paths)
    if problems:
        raise data_error(problems)
    return corpus


def scan_corpus(paths: Paths) -> tuple[FileCorpus, list[Problem]]:
    """The corpus of the sound rows, and the problems of the others."""
    found = _Found()
    of_pages = False
    for path in as_paths(paths):
        if holds_pdfs(Path(path)):
            of_pages = True
            for one in read_pdfs(Path(path)):
                found.add(one, str(path), None)
            continue
        if Path(path).is_dir():
            for one in _of_beir(Path(path)):
                found.add(one, str(path), None)
            continue
        for row in read_any(path):
            if isinstance(row, Problem):
                found.problems.append(row)
            else:
                found.add(passage_of(row), row.file, row.line, unnamed=_unnamed(row))
        if not found.passages and not found.problems:
            message = "the file holds no passage"
            found.problems.append(
                Problem(file=str(path), line=None, field="", kind="empty_file", message=message)
            )
    data_hash = combined_hash(found.total, len(found.passages))
    corpus = FileCorpus(found.passages, data_hash, of_pages=of_pages, notes=found.notes)
    return corpus, found.problems


def _of_beir(folder: Path) -> Iterator[Passage | list[Problem]]:
    try:
        yield from read_passages(folder)
    except DataError as error:
        yield list(error.problems)


class _Found:
    """What the pass over the files has found so far."""

    def __init__(self) -> None:
        self.passages: dict[str, Passage] = {}
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.total = 0
        self._places: dict[str, str] = {}

    def add(
        self,
        found: Passage | Problem | list[Problem],
        file: str,
        line: int | None,
        *,
        unnamed: bool = False,
    ) -> None:
        """Takes in a passage, or what is wrong in its place."""
        if isinstance(found, Problem):
            (self.notes if found.kind in NOTES else self.problems).append(found)
        elif isinstance(found, list):
            self.problems.extend(found)
        elif found.passage_id in self.passages:
            earlier = self._places[found.passage_id]
            self.problems.append(_repeated(file, line, found.passage_id, earlier, unnamed=unnamed))
        else:
            self.passages[found.passage_id] = found
            self._places[found.passage_id] = place_of(file, line)
            self.total += _digest(found)


def passage_of(row: Row) -> Passage | list[Problem]:
    """The passage of a corpus row, named as `read_corpus` says; or what is wrong with the row."""
    value: dict[str, Any] = {
        key: inner for key, inner in row.value.items() if key in _FIELDS and inner is not None
    }
    required = [field for field in ("doc_id", "text") if field not in value]
    if required:
        return [
            Problem(
                file=row.file,
                line=row.line,
                field=field,
                kind="missing_field",
                message="the field is required and absent" + _meant_for(field, row.value),
            )
            for field in required
        ]
    unnamed = "passage_id" not in value
    try:
        found = Passage.model_validate({"passage_id": "-", **value})
    except ValidationError as error:
        return list(problems_of(error, row))
    if unnamed:
        made = f"{found.doc_id}#p{found.page}" if found.page is not None else found.doc_id
        return found.model_copy(update={"passage_id": made})
    return found


def _meant_for(field: str, value: Mapping[str, Any]) -> str:
    """Which field of the row may stand for one that is absent."""
    for name in value:
        meant, absent = meant_by(name, fields=_NAMES, given=value, of="passage")
        if absent and field in meant and name not in _FIELDS:
            return f"; {name!r} came: is it that? call it {field!r}"
    return ""


def _unnamed(row: Row) -> bool:
    return row.value.get("passage_id") is None


def _repeated(
    file: str, line: int | None, passage_id: str, earlier: str, *, unnamed: bool
) -> Problem:
    remedy = "each passage stands once"
    if unnamed:
        remedy = "give each passage of a page its own passage_id"
    return Problem(
        file=file,
        line=line,
        field="passage_id",
        kind="repeated_passage_id",
        message=f"{shorten(passage_id)} stands at {earlier} already; {remedy}",
    )


def _digest(passage: Passage) -> int:
    data = passage.model_dump_json(exclude_none=True).encode()
    return int.from_bytes(hashlib.sha256(data).digest(), "big")


def combined_hash(total: int, n: int) -> str:
    """One hash of n hashes by their sum, so that the order of the parts does not matter."""
    return hashlib.sha256(f"{n}:{total % (1 << 256):064x}".encode()).hexdigest()
