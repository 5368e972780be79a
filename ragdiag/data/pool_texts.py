"""What a person must read to judge a pair of the pool: the query, the passage, its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from ragdiag.data.corpus import passage_of
from ragdiag.data.lines import PathLike, Row, shorten
from ragdiag.data.native import Paths, as_paths
from ragdiag.data.pdf_folder import NOTES, holds_pdfs, read_pdfs
from ragdiag.data.runs import RunTable
from ragdiag.data.samples import read_sample
from ragdiag.data.tables import read_any
from ragdiag.errors import DataError
from ragdiag.records.problem import Problem, place_of
from ragdiag.records.sample import Id, Passage

if TYPE_CHECKING:
    import polars as pl

_ID: TypeAdapter[str] = TypeAdapter(Id)
_NATIVE = "native samples"
_IDS = ("query_id", "_id", "qid", "id")
_WORDS = ("query", "text", "question")


@dataclass(frozen=True)
class Texts:
    """Queries by id, passages by id. Only those that were asked for are held."""

    queries: dict[str, str] = field(default_factory=dict[str, str])
    passages: dict[str, Passage] = field(default_factory=dict[str, Passage])

    def of(self, query_id: str, passage_id: str) -> dict[str, Any]:
        """query, doc_id, page and text, as far as they are known."""
        passage = self.passages.get(passage_id)
        found = {
            "query": self.queries.get(query_id),
            "doc_id": None if passage is None else passage.doc_id,
            "page": None if passage is None else passage.page,
            "text": None if passage is None else passage.text,
        }
        return {name: value for name, value in found.items() if value is not None}


def read_texts(
    pairs: pl.DataFrame,
    runs: Sequence[RunTable] = (),
    *,
    corpus: Paths = (),
    queries: Paths = (),
) -> Texts:
    """The texts of the pairs' (columns query_id, passage_id) queries and passages.

    Passages come from the corpus (a passage a line, or BEIR's {_id, title, text}), else from runs
    of the native format that hold them; queries from their file, else from such runs. A folder
    stands for its corpus.jsonl and queries.jsonl, else for the PDFs in it. Each file is read
    through once, and what no pair needs is not held.

    Raises:
        DataError: a broken row of any of them, with its line.
    """
    asked = set(pairs["query_id"]), set(pairs["passage_id"])
    found = Texts()
    for run in runs:
        if run.format.partition(" (")[0].endswith(_NATIVE):
            _from_run(run.file, asked, found)
    for passage in _passages(corpus):
        if passage.passage_id in asked[1]:
            found.passages[passage.passage_id] = passage
    for row in _rows(queries, "queries.jsonl"):
        query_id, query = _query(row)
        if query_id in asked[0]:
            found.queries[query_id] = query
    return found


def _passages(corpus: Paths) -> Iterator[Passage]:
    for path in map(Path, as_paths(corpus)):
        if holds_pdfs(path):
            for page in read_pdfs(path):
                if isinstance(page, Passage):
                    yield page
                elif page.kind not in NOTES:
                    raise DataError(str(page), [page])
            continue
        for row in _rows(path, "corpus.jsonl"):
            passage = passage_of(_of_beir(row))
            if not isinstance(passage, Passage):
                raise DataError(str(passage[0]), passage)
            yield passage


def _rows(paths: Paths, in_folder: str = "") -> Iterator[Row]:
    for path in map(Path, as_paths(paths)):
        for row in read_any(path / in_folder if path.is_dir() else path):
            if isinstance(row, Problem):
                raise DataError(str(row), [row])
            yield row


def _from_run(file: PathLike, asked: tuple[set[str], set[str]], found: Texts) -> None:
    for row in _rows(file):
        sample = read_sample(row if "query" in row.value else _unasked(row)).sample
        if sample is None or sample.query_id not in asked[0]:
            continue
        if sample.query:
            found.queries.setdefault(sample.query_id, sample.query)
        for passage in sample.retrieved or ():
            if passage.text is not None and passage.passage_id in asked[1]:
                found.passages.setdefault(passage.passage_id, passage)


def _unasked(row: Row) -> Row:
    return Row(row.file, row.line, {**row.value, "query": ""})


def _of_beir(row: Row) -> Row:
    """BEIR's documents have one id, which is that of the passage too."""
    value = row.value
    if "_id" not in value or "doc_id" in value:
        return row
    text = f"{value.get('title') or ''}\n{value.get('text') or ''}".strip()
    named = {"doc_id": value["_id"], "passage_id": value["_id"], "text": text}
    return Row(row.file, row.line, named)


def _query(row: Row) -> tuple[str, str]:
    key = next((row.value[name] for name in _IDS if row.value.get(name) is not None), None)
    words = next((row.value[name] for name in _WORDS if isinstance(row.value.get(name), str)), None)
    if key is None or words is None:
        message = "expected {query_id, query}, or {_id, text} as BEIR has it"
        problem = Problem(
            file=row.file, line=row.line, field="", kind="missing_field", message=message
        )
        raise DataError(str(problem), [problem])
    try:
        return _ID.validate_python(key), words
    except ValidationError as error:
        raise DataError(f"{place_of(row.file, row.line)}: query_id: came {shorten(key)}") from error
