"""BEIR folders: corpus.jsonl, queries.jsonl and qrels/<split>.tsv."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ragdiag.data.content import open_content
from ragdiag.data.delimited import read_delimited
from ragdiag.data.lines import Row, read_rows, shorten
from ragdiag.data.raw_table import Kind, RawTable, fault, faults
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Id, Passage

_ID: TypeAdapter[str] = TypeAdapter(Id)
_PREFERRED = "test"
_ENDINGS = (".tsv", ".tsv.gz", ".tsv.zst")


def read_folder_qrels(folder: Path, kind: Kind) -> RawTable:
    """The labels of a BEIR folder: its only split, else `test`, with a warning naming the others.

    Raises:
        DataError: no qrels in the folder, several splits without `test`, or a run was asked for.
    """
    if kind == "run":
        raise fault(folder, "wrong_kind", "this is a folder; expected a run file (BEIR has none)")
    where = folder / "qrels" if (folder / "qrels").is_dir() else folder
    splits = {
        path.name.removesuffix(ending): path
        for ending in _ENDINGS
        for path in sorted(where.glob(f"*{ending}"))
    }
    if not splits:
        seen = ", ".join(sorted(path.name for path in folder.iterdir())[:8]) or "nothing"
        message = f"the folder holds {seen}; expected a BEIR folder with qrels/<split>.tsv"
        raise fault(folder, "missing_file", message)
    if len(splits) > 1 and _PREFERRED not in splits:
        message = f"qrels of several splits ({', '.join(sorted(splits))}); name one of these files"
        raise fault(folder, "several_splits", message)
    split = _PREFERRED if _PREFERRED in splits else next(iter(splits))
    content = open_content(splits[split])
    if content.format != "table":
        raise fault(content.path, "wrong_format", "expected a TSV table with a header line")
    raw = read_delimited(content, kind)
    raw.format = f"BEIR folder, split {split}"
    if len(splits) > 1:
        others = ", ".join(sorted(set(splits) - {split}))
        message = f"the split {split!r} is read; also there: {others} (name the file to read one)"
        raw.warnings.append(raw.problem(None, "", "one_split", message))
    return raw


def read_queries(folder: Path) -> dict[str, str]:
    """query_id -> text, of queries.jsonl.

    Raises:
        DataError: no such file, a broken line, or one _id twice.
    """
    found: dict[str, str] = {}
    for row, key, text in _records(folder, "queries"):
        if key in found:
            raise faults([_problem(row, "_id", "repeated_query_id", f"{shorten(key)} came before")])
        found[key] = text
    return found


def read_passages(folder: Path) -> Iterator[Passage]:
    """The documents of corpus.jsonl, each one passage; its title is in the metadata.

    Raises:
        DataError: no such file, or a broken line.
    """
    for row, key, text in _records(folder, "corpus"):
        title = row.value.get("title")
        metadata: dict[str, Any] = {"title": title} if isinstance(title, str) and title else {}
        yield Passage(passage_id=key, doc_id=key, text=text, metadata=metadata)


def _records(folder: Path, name: str) -> Iterator[tuple[Row, str, str]]:
    files = [folder / f"{name}.jsonl{ending}" for ending in ("", ".gz", ".zst")]
    path = next((path for path in files if path.exists()), files[0])
    for row in read_rows(path):
        if isinstance(row, Problem):
            raise faults([row])
        try:
            key = _ID.validate_python(row.value.get("_id"))
        except ValidationError as error:
            shown = shorten(row.value.get("_id"))
            message = f"came {shown}; expected a text or a whole number"
            raise faults([_problem(row, "_id", "bad_id", message)]) from error
        text = row.value.get("text")
        if not isinstance(text, str):
            message = f"came {shorten(text)}; expected a text in quotes"
            raise faults([_problem(row, "text", "wrong_type", message)])
        yield row, key, text


def _problem(row: Row, name: str, kind: str, message: str) -> Problem:
    return Problem(file=row.file, line=row.line, field=name, kind=kind, message=message)
