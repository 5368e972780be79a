"""How often a test split was looked at: counted in the split.json that lies beside it.

A look is an evaluation of the test split's file, or of samples with just its queries, that lie in
the split's directory. The same evaluation again (same place, data, judge and settings: a resume)
shows the same figures and is no other look.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.splitting import KIND, SPLIT, hash_of, queries_hash
from ragdiag.records import Sample

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Look:
    """A look that was counted.

    number   which look at the split it is; how many there were is in split.json.
    warning  what a reader of its figures should know; None at the first look.
    """

    split: str
    number: int
    warning: str | None = None


def find_split(files: Sequence[Path], samples: Callable[[], Iterable[Sample]]) -> Path | None:
    """The split.json whose test split these files are, or None. `samples` is read only where a
    split lies beside a file that is not itself the test split's."""
    beside = dict.fromkeys(path.parent / SPLIT for path in files if (path.parent / SPLIT).is_file())
    told = {place: test for place in beside if (test := _test_of(place)) is not None}
    if not told:
        return None
    hashes = {file_hash(path) for path in files if path.is_file()}
    for place, test in told.items():
        if test.get("sha256") in hashes:
            return place
    found = queries_hash([hash_of(sample) for sample in samples()])
    return next((place for place, test in told.items() if test.get("queries_hash") == found), None)


def _test_of(place: Path) -> dict[str, Any] | None:
    """What split.json says of its test split; None where the file is no split of ours."""
    try:
        test = at.read_json(place)
        return test["files"]["test"] if test.get("kind") == KIND else None
    except (DataError, UsageError, KeyError, TypeError, OSError):
        return None


def file_hash(path: Path) -> str | None:
    """sha256 of a file's bytes; None where it cannot be read."""
    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                found.update(chunk)
    except OSError:
        return None
    return found.hexdigest()


def key_of(*parts: object) -> str:
    """One hash of all by which two evaluations are the same."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:16]


def count_look(place: Path, *, key: str, run: str | None, evaluation: str) -> Look:
    """Counts a look in split.json, unless the same evaluation was counted; never raises: where it
    cannot be counted, the warning says so."""
    try:
        with at.locked(place.parent, wait=True):
            found = at.read_json(place)
            looked = _rows(found.get("looked"))
            keys = [one.get("key") for one in looked]
            if key in keys:
                number = keys.index(key) + 1
            else:
                when = datetime.now(UTC).isoformat(timespec="seconds")
                looked.append({"at": when, "run": run, "evaluation": evaluation, "key": key})
                number = len(looked)
                found["looks"], found["looked"] = number, looked
                at.write_atomically(place, at.to_json(found))
    except (OSError, DataError, UsageError) as fault:
        told = fault.strerror if isinstance(fault, OSError) else str(fault)
        return Look(str(place), 0, f"test split: this look could not be counted in {place}: {told}")
    if number == 1:
        return Look(str(place), number)
    return Look(
        str(place),
        number,
        f"test split: it was looked at {number} times ({place}); its figures flatter whatever was "
        "chosen by them: decide on the development split, or take new test queries",
    )


def _rows(value: object) -> list[dict[str, Any]]:
    rows = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", one) for one in rows if isinstance(one, dict)]
