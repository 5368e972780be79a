"""A folder of PDFs -> one passage a page, and what a person should know about the files."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from ragdiag.data.lines import shorten
from ragdiag.data.pdf_pages import PdfError, is_pdf, read_pages
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Passage

SUFFIX = ".pdf"
_NAMED = 3

NOTES = frozenset({"no_text", "broken_page", "no_page", "page_labels", "not_read"})
"""Kinds of findings that leave the rest of the corpus usable."""


def document_id(name: str) -> str:
    """The id of a document by the path of its file, as a person may write it: "./a\\B.PDF" and
    "a/B" are document "a/B", in Unicode form C, which no two systems write alike."""
    plain = unicodedata.normalize("NFC", name).replace("\\", "/")
    while plain.startswith("./"):
        plain = plain[2:]
    return plain[: -len(SUFFIX)] if plain.lower().endswith(SUFFIX) else plain


def read_pdfs(path: Path) -> Iterator[Passage | Problem]:
    """The pages of a PDF, or of all PDFs in a folder and its sub-folders, in the order of the ids.

    The id of a document is its path below the folder without ".pdf"; of a page `doc_id#p<number>`,
    counted from 1 in the file, whatever is printed on it: where a viewer shows another, that is
    `page_label` in the metadata. A page without text has the text "". Hidden files and links to
    folders are left out.

    Raises:
        MissingExtraError: pypdf is not installed.
    """
    if not path.is_dir():
        yield from _pages(path, document_id(path.name))
        return
    documents: dict[str, Path] = {}
    left: list[str] = []
    for name in sorted(_names(path)):
        file = path / name
        if not name.lower().endswith(SUFFIX):
            left.append(name)
            continue
        doc_id = document_id(name)
        if not _is_text(doc_id):
            yield _finding(path, "bad_name", f"{name!a}: the name is not UTF-8; rename it")
        elif doc_id in documents:
            message = f"its document id {shorten(doc_id)} is that of {documents[doc_id].name} too"
            yield _finding(file, "repeated_document", f"{message}; rename one of them")
        else:
            documents[doc_id] = file
    if not documents:
        seen = f"but {_few(left)}" if left else "and no other file"
        message = f"the folder holds no PDF, {seen}; --corpus takes JSONL, Parquet or PDFs"
        yield _finding(path, "empty_file", message)
        return
    if left:
        yield _finding(path, "not_read", f"only PDFs are read here; left out: {_few(left)}")
    for doc_id, file in documents.items():
        yield from _pages(file, doc_id)


def _names(folder: Path) -> Iterator[str]:
    """Files below the folder by their path; what is hidden is not named."""
    for where, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = Path(where).relative_to(folder)
        linked = [name for name in folders if (Path(where) / name).is_symlink()]
        yield from ((below / name).as_posix() + "/ (a link)" for name in linked)
        yield from ((below / name).as_posix() for name in files if not name.startswith("."))


def _pages(file: Path, doc_id: str) -> Iterator[Passage | Problem]:
    n_pages = 0
    empty: list[int] = []
    broken: list[tuple[int, str]] = []
    labelled: list[tuple[int, str]] = []
    try:
        for page in read_pages(file):
            n_pages += 1
            if page.fault is not None:
                broken.append((page.number, page.fault))
            elif not page.text:
                empty.append(page.number)
            if page.label is not None:
                labelled.append((page.number, page.label))
            yield Passage(
                passage_id=f"{doc_id}#p{page.number}",
                doc_id=doc_id,
                page=page.number,
                text=page.text,
                metadata={} if page.label is None else {"page_label": page.label},
            )
    except PdfError as fault:
        yield _finding(file, fault.kind, str(fault))
        return
    if not n_pages:
        yield _finding(file, "no_page", "the file has no page")
    if broken:
        number, why = broken[0]
        message = f"{_of(len(broken), n_pages)} cannot be read, as page {number} ({why})"
        yield _finding(file, "broken_page", message)
    if empty:
        have = "has" if len(empty) == 1 else "have"
        message = f"{_of(len(empty), n_pages)} {have} no text: {_ranges(empty)}"
        yield _finding(file, "no_text", f"{message}; scanned? texts are not looked for there")
    if labelled:
        number, label = labelled[0]
        message = f"pages are counted from 1 in the file: page {number} is labelled {label!r} in it"
        yield _finding(file, "page_labels", message)


def _of(n: int, n_pages: int) -> str:
    return f"{n} of {n_pages} page{'' if n_pages == 1 else 's'}"


def _ranges(numbers: list[int]) -> str:
    """ "1-3, 7" of [1, 2, 3, 7]; the first few."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [str(low) if low == high else f"{low}-{high}" for low, high in runs[: 2 * _NAMED]]
    return ", ".join(shown) + (", …" if len(runs) > 2 * _NAMED else "")


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(shorten(name) for name in names[:_NAMED]) + more


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name.strip())


def _finding(file: Path, kind: str, message: str) -> Problem:
    shown = str(file).encode("utf-8", "replace").decode()
    return Problem(file=shown, line=None, field="", kind=kind, message=message)


def holds_pdfs(path: Path) -> bool:
    """Is it for `read_pdfs`: a PDF, or a folder that is not BEIR's, with its corpus.jsonl?"""
    if path.is_dir():
        return not any((path / f"corpus.jsonl{end}").exists() for end in ("", ".gz", ".zst"))
    return is_pdf(path)
