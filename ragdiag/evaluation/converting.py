"""`ragdiag convert`: what another tool wrote as a sample file, and samples as others read them."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

from ragdiag.data.corpus import FileCorpus, read_corpus
from ragdiag.data.findings import Findings
from ragdiag.data.foreign.beside import COLUMN
from ragdiag.data.foreign.reading import Foreign, foreign_or_none, open_foreign
from ragdiag.data.foreign.writing import Writer, writer_for
from ragdiag.data.lines import Row, parse_row, shorten
from ragdiag.data.native import Places
from ragdiag.data.quick import too_deep
from ragdiag.data.samples import read_sample
from ragdiag.data.tables import read_any
from ragdiag.errors import DataError, UsageError
from ragdiag.records.problem import Problem

_LOCATORS = ("doc_id", "page", "object_id", "start", "end")


def convert_file(
    path: Path,
    out: Path,
    *,
    name: str | None = None,
    to: str | None = None,
    corpus: Path | None = None,
) -> dict[str, Any]:
    """Writes FILE as samples of the native format, or as the tool `to` reads them; returns what was
    done.

    name    the tool that wrote it; None = told by its structure.
    corpus  gives the text to passages of which only ids were kept.

    Raises:
        DataError: the file cannot be read; nothing is written then.
        UsageError: there is no tool of that name, or `out` is the file itself.
    """
    if out.exists() and path.exists() and out.samefile(path):
        raise UsageError(f"-o {out} is the file that is read; name another one")
    writer = writer_for(to) if to is not None else None
    known = read_corpus(corpus) if corpus is not None else None
    foreign = _opened(path, name, native_too=writer is not None)
    rows = foreign.rows() if foreign is not None else read_any(path)
    conversion = _Conversion(known, writer)
    with _written(out) as file:
        for row in rows:
            for line in conversion.lines(row):
                file.write(line + "\n")
        conversion.check(path)
    return {
        "file": str(path),
        "out": str(out),
        **_as(foreign),
        "to": "ragdiag" if to is None else to,
        "n_samples": conversion.n,
        **conversion.told(),
    }


def _opened(path: Path, name: str | None, *, native_too: bool) -> Foreign | None:
    """The file as a tool's export; None where it is native and may be."""
    found = foreign_or_none(path) if native_too and name is None else open_foreign(path, name=name)
    if isinstance(found, Problem):
        raise DataError(str(found), [found])
    return found


def _as(foreign: Foreign | None) -> dict[str, Any]:
    if foreign is None:
        return {"from": "ragdiag", "title": "ragdiag samples", "layout": "JSONL or Parquet"}
    told = foreign.told
    return {
        "from": foreign.format.name,
        "title": foreign.title,
        "layout": foreign.source.layout,
        "n_without_question": told.n_skipped,
        "query_ids_made": told.ids_made,
        "passage_ids_made": told.passage_ids_made,
        "kept_in_metadata": dict(told.kept),
        "notes": dict(told.notes),
        "told": told.lines(),
    }


@contextmanager
def _written(out: Path) -> Generator[TextIO]:
    """A file that takes its place only when all of it is written."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f"{out.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)


class _Conversion:
    """The rows as they are checked and written, and what is wrong with the others."""

    def __init__(self, corpus: FileCorpus | None, writer: Writer | None) -> None:
        self._corpus = corpus
        self._writer = writer
        self._problems = Findings()
        self._seen = Places()
        self.n = self._joined = self._without_text = 0

    def lines(self, row: Row | Problem) -> Iterator[str]:
        """The line of a sound row; the problems of another one are noted."""
        if isinstance(row, Problem):
            self._problems.add([row])
            return
        value = self._with_text(row.value)
        read = read_sample(Row(row.file, row.line, value))
        self._problems.add(read.problems)
        if read.sample is None:
            return
        earlier = self._seen.add(read.sample.query_id, row.file, row.line)
        if earlier is not None:
            message = f"{shorten(read.sample.query_id)} stands at {earlier} already; each query "
            self._problems.add(
                [row.problem("query_id", "repeated_query_id", message + "stands once")]
            )
            return
        if too_deep(value):
            self._problems.add([row.problem("", "invalid_json", "nested too deeply")])
            return
        given = self._writer.row(read.sample) if self._writer is not None else value
        text = json.dumps(given, ensure_ascii=False, allow_nan=False)
        if "\\u0000" in text or not text.isascii():
            faults = _unwritable(text, row)
            self._problems.add(faults)
            if faults:
                return
        self.n += 1
        yield text

    def _with_text(self, value: dict[str, Any]) -> dict[str, Any]:
        """The row with the corpus' text and place in its passages that have none."""
        lists = [value.get("retrieved"), value.get("context")]
        stages = value.get("stages")
        if isinstance(stages, dict):
            lists.extend(cast("dict[str, Any]", stages).values())
        for one in lists:
            for passage in cast("list[Any]", one) if isinstance(one, list) else []:
                if isinstance(passage, dict) and "text" not in passage:
                    self._join(cast("dict[str, Any]", passage))
        return value

    def _join(self, passage: dict[str, Any]) -> None:
        found = self._corpus.passage(str(passage.get("passage_id"))) if self._corpus else None
        if found is None or found.text is None:
            self._without_text += 1
            return
        self._joined += 1
        passage["text"] = found.text
        for name in _LOCATORS:
            if getattr(found, name) is not None:
                passage.setdefault(name, getattr(found, name))

    def check(self, path: Path) -> None:
        """DataError where any row was broken, or none was there."""
        n = sum(self._problems.counts.values())
        if not n and not self.n:
            message = "the file holds no sample"
            problem = Problem(
                file=str(path), line=None, field="", kind="empty_file", message=message
            )
            raise DataError(str(problem), [problem])
        if n:
            first = self._problems.first
            more = f" ({n} problems in all; nothing was written)" if n > 1 else ""
            raise DataError(f"{first[0]}{more}", first, n)

    def told(self) -> dict[str, Any]:
        """What was joined from the corpus, and what the other tool does not see."""
        return {
            "texts_from_corpus": self._joined,
            "passages_without_text": self._without_text,
            "unseen": dict(self._writer.unseen) if self._writer is not None else {},
        }


def _unwritable(text: str, row: Row) -> list[Problem]:
    """What the reader of the native format would refuse in the line."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        data = json.dumps(json.loads(text)).encode("ascii")
    else:
        if "\\u0000" not in text:
            return []
    return [one for one in parse_row(data, row.file, row.line) if isinstance(one, Problem)]


def conversion_lines(found: dict[str, Any]) -> Iterator[str]:
    """What `convert` did, for people."""
    n = found["n_samples"]
    yield f"read as {found['title']}, {found['layout']}: {n} sample{'s' * (n != 1)}"
    for line in found.get("told", ()):
        yield f"  {line}"
    if found["texts_from_corpus"]:
        yield f"  {found['texts_from_corpus']} passages got their text from the corpus"
    if found["passages_without_text"]:
        yield (
            f"  {found['passages_without_text']} passages have an id and no text"
            " (--corpus FILE joins it)"
        )
    for what, times in found["unseen"].items():
        yield f"  not seen by {found['to']}: {what} (in {times}); kept in the column {COLUMN}"
    yield f"wrote {found['out']}"
    if found["to"] == "ragdiag":
        yield f"next   ragdiag evaluate {shlex.quote(found['out'])} -o DIR"
