"""One PDF file -> the text of its pages, by pypdf."""

from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from ragdiag.errors import MissingExtraError

if TYPE_CHECKING:
    from pypdf import PdfReader

_HEAD, _TAIL = 1024, 2048
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff]")
_MOST_UNREADABLE = 0.5
"""Share of a page's characters that are glyph codes of an unknown font: then it has no text."""


class PdfPage(NamedTuple):
    """A page by its place in the file, from 1; `label` is what a viewer shows for it, where it
    shows another. `text` is "" where nothing can be read; `fault` says what broke."""

    number: int
    label: str | None
    text: str
    fault: str | None = None


class PdfError(Exception):
    """A file of which no page can be read. `kind` is a short stable word."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def is_pdf(path: Path) -> bool:
    """Does the file begin as a PDF does? False for what cannot be opened."""
    try:
        with path.open("rb") as stream:
            return b"%PDF-" in stream.read(_HEAD)
    except OSError:
        return False


def read_pages(path: Path) -> Iterator[PdfPage]:
    """The pages in the order of the file, one at a time.

    Text is as pypdf extracts it: ligatures and hyphens at line ends stay, in the order in which the
    file draws it. What JSON cannot hold, and control characters, become U+FFFD.

    Raises:
        MissingExtraError: pypdf is not installed.
        PdfError: the file is encrypted, cut short, or no PDF.
    """
    broken = _faults()
    try:
        stream = path.open("rb")
    except OSError as error:
        raise PdfError("unreadable_file", f"cannot be read: {error.strerror}") from error
    with stream:
        _check_ends(stream)
        try:
            reader = _reader(stream)
            labels = _labels(reader)
        except broken as error:
            raise PdfError("damaged_file", f"cannot be read as PDF: {_told(error)}") from error
        for number, label in enumerate(labels, 1):
            text, fault = "", None
            try:
                text = clean(reader.pages[number - 1].extract_text())
            except broken as error:
                fault = _told(error)
            yield PdfPage(number, None if label == str(number) else label, text, fault)


def clean(text: str) -> str:
    """The text as JSON can hold it, without blanks at line ends; "" where it is glyph codes."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    lines = _CONTROL.sub("\ufffd", whole.replace("\f", "\n")).splitlines()
    found = "\n".join(line.rstrip() for line in lines).strip("\n")
    n_seen = sum(not c.isspace() for c in found)
    if not n_seen or len(_UNREADABLE.findall(found)) > _MOST_UNREADABLE * n_seen:
        return ""
    return found


@cache
def _faults() -> tuple[type[Exception], ...]:
    """What pypdf raises on damaged files: its own errors, and whatever a wrong type leads to."""
    try:
        import pypdf  # noqa: PLC0415 - an extra
        from pypdf.errors import DependencyError, PyPdfError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError("pypdf", "pdf") from error
    # Its remarks on odd files would stand on the terminal once a page.
    logging.getLogger(pypdf.__name__).addHandler(logging.NullHandler())
    mistaken = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
    other = (NotImplementedError, OSError, RecursionError, MemoryError, zlib.error)
    return (PyPdfError, DependencyError, *mistaken, *other)


def _check_ends(stream: BinaryIO) -> None:
    head = stream.read(_HEAD)
    if not head:
        raise PdfError("empty_file", "the file is empty")
    if b"%PDF-" not in head:
        shown = head[:20].decode("ascii", "replace").replace("\n", " ").replace("\r", " ")
        raise PdfError("damaged_file", f"is no PDF: it begins with {shown!r}, not with %PDF-")
    size = stream.seek(0, 2)
    stream.seek(max(0, size - _TAIL))
    tail = stream.read()
    if b"%%EOF" not in tail and b"startxref" not in tail:
        message = "is cut short: its end is missing (no %%EOF); fetch the file again"
        raise PdfError("damaged_file", message)
    stream.seek(0)


def _reader(stream: BinaryIO) -> PdfReader:
    from pypdf import PdfReader  # noqa: PLC0415 - an extra
    from pypdf.errors import DependencyError  # noqa: PLC0415

    message = "is encrypted and needs a password: give a decrypted copy, or take it out"
    try:
        reader = PdfReader(stream)
        # Many files are encrypted with an empty password, which only forbids changes.
        if reader.is_encrypted and not reader.decrypt(""):
            raise PdfError("encrypted_file", message)
    except DependencyError as error:
        missing = "is encrypted with AES, to be read with: pip install 'pypdf[crypto]'"
        raise PdfError("encrypted_file", missing) from error
    return reader


def _labels(reader: PdfReader) -> list[str]:
    """One a page; the page's number where the file's labels are broken."""
    n_pages = len(reader.pages)
    numbers = [str(number) for number in range(1, n_pages + 1)]
    if "/PageLabels" not in reader.root_object:
        return numbers
    try:
        labels = [clean(label).strip() for label in reader.page_labels]
    except _faults():
        return numbers
    return labels if len(labels) == n_pages and all(labels) else numbers


def _told(error: Exception) -> str:
    """One short line."""
    said = " ".join(str(error).split())[:120]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
