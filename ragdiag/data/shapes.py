"""Files that are no JSON lines at all, told by how they begin: one problem instead of a flood."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ragdiag.data.names import KNOWN_NAMES, plain_name

HEAD = 1 << 16
"""Bytes of a file by which its shape is told."""

_NEEDED = "needed: one object a line"
_IN = "open(0, encoding='utf-8-sig')"
_PRINT = "[print(json.dumps(r)) for r in "
_CONVERT = {
    "array": f"import json; {_PRINT}json.load({_IN})]",
    "object": f"import json; print(json.dumps(json.load({_IN})))",
    ",": f"import csv, json; {_PRINT}csv.DictReader({_IN})]",
    ";": f"import csv, json; {_PRINT}csv.DictReader({_IN}, delimiter=';')]",
    "\t": f"import csv, json; {_PRINT}csv.DictReader({_IN}, dialect='excel-tab')]",
}
_OR = {"array": " (or with: jq -c '.[]')", "object": " (several objects: jq -c .)"}
_NAMES = {
    "array": "a JSON array",
    "object": "JSON objects written over several lines",
    ",": "a CSV table",
    ";": "a CSV table with semicolons",
    "\t": "a TSV table",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a file looks like; `kind` is a key of `_NAMES`."""

    kind: str

    def message(self, file: str) -> str:
        """What it looks like, what is needed, and the one line that converts it."""
        target = Path(file).with_suffix(".jsonl")
        if target == Path(file):
            target = target.with_name(f"{target.stem}.lines.jsonl")
        more = _OR.get(self.kind, "; lists such as retrieved must be made of columns")
        return (
            f"this looks like {_NAMES[self.kind]}; {_NEEDED}; convert it: "
            f'python -c "{_CONVERT[self.kind]}" < {shlex.quote(file)} > {shlex.quote(str(target))}'
            f"{more}"
        )


def peek(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first HEAD bytes (fewer where the file ends), and all chunks from the beginning."""
    first: list[bytes] = []
    n = 0
    for chunk in chunks:
        first.append(chunk)
        n += len(chunk)
        if n >= HEAD:
            break
    return b"".join(first)[:HEAD], chain(first, chunks)


def shape_of(head: bytes) -> Shape | None:
    """The shape of a file that begins with `head`; None where its lines are to be read one by one.

    A file whose first line is a whole JSON object is never of another shape.
    """
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    first, _, rest = text.partition("\n")
    second = rest.lstrip().partition("\n")[0]
    if text.startswith("["):
        return None if _is_object(second) and _is_value(first) else _array(text)
    if text.startswith("{"):
        whole = len(head) < HEAD
        return Shape("object") if _over_lines(text, first, second, whole=whole) else None
    return _table(first)


def _array(text: str) -> Shape | None:
    """An array of objects, or the beginning of one."""
    inner = text[1:].lstrip()
    return Shape("array") if inner[:1] in ("{", "]", "") else None


def _is_value(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_object(line: str) -> bool:
    return line.startswith("{") and _is_value(line)


def _over_lines(text: str, first: str, second: str, *, whole: bool) -> bool:
    """Is the first line sound as far as it goes, and goes the object on in the next ones?"""
    if not second or _is_value(first):
        return False
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except RecursionError:
        return False
    except json.JSONDecodeError:
        if whole:
            return False
        return _breaks_at_its_end(first) and not _is_object(second)
    return "\n" in text[:end]


def _breaks_at_its_end(line: str) -> bool:
    try:
        json.loads(line)
    except json.JSONDecodeError as fault:
        return fault.pos >= len(line.rstrip())
    except (ValueError, RecursionError):
        return False
    return False


def _table(first: str) -> Shape | None:
    """A header of short names, of which one at least is known or stands for one that is."""
    if len(first) > 4 * 1024:
        return None
    for delimiter in "\t,;":
        try:
            (cells,) = csv.reader([first.rstrip("\r")], delimiter=delimiter)
        except (csv.Error, ValueError):  # ValueError: an empty line has no row
            continue
        names = [plain_name(cell) for cell in cells]
        if len(cells) > 1 and all(0 < len(name) <= 40 for name in names):
            return Shape(delimiter) if KNOWN_NAMES & set(names) else None
    return None
