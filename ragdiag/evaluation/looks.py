"""How often a test split was looked at: counted in the split.json that lies beside it.

A look is an evaluation of the test split's file, or of samples with just its queries, that lie in
the split's directory or near it; or of what `ragdiag collect` made of them, wherever it lies: its
run facts name the split. The same evaluation again (same place, data, judge and settings: a resume)
shows the same figures and is no other look.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, cast

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.splitting import KIND, SPLIT, hash_of, queries_hash
from ragdiag.records import Sample

NOTED = "test_split"
"""The run fact by which collected samples name their split: {split, queries_hash}."""

_CHUNK = 1 << 20
_MOST_NEAR = 300  # entries of a directory that are looked through
_LARGEST_FACTS = 1 << 24  # bytes of a file of run facts


@dataclass(frozen=True, slots=True)
class Look:
    """A look that was counted.

    number   which look at the split it is (0: not counted); how many there were is in split.json.
    warning  what a reader of its figures should know; None at the first look.
    """

    split: str
    number: int
    warning: str | None = None


def find_split(files: Sequence[Path], samples: Callable[[], Iterable[Sample]]) -> Path | None:
    """The split.json whose test split these files are, or None: beside a file, else near it (in the
    directory above, in those around it, in the working directory's). `samples` is read only where
    there is a split, and no file is itself its test split's."""
    hashes: set[str | None] | None = None
    queries: str | None = None
    for places in (_beside(files), _near(files)):
        told = {place: test for place in places if (test := _test_of(place)) is not None}
        if not told:
            continue
        hashes = hashes or {file_hash(path) for path in files if path.is_file()}
        for place, test in told.items():
            if test.get("sha256") in hashes:
                return place
        queries = queries or queries_hash([hash_of(sample) for sample in samples()])
        for place, test in told.items():
            if test.get("queries_hash") == queries:
                return place
    return None


def _beside(files: Sequence[Path]) -> list[Path]:
    return [
        place for place in dict.fromkeys(path.parent / SPLIT for path in files) if place.is_file()
    ]


def _near(files: Sequence[Path]) -> list[Path]:
    """Where a copy of a test split, or a run of it, has its split most likely."""
    around = [base for path in files for base in path.resolve().parents[:2]]
    found: dict[Path, None] = {}
    for base in dict.fromkeys((*around, Path.cwd())):
        try:
            with os.scandir(base) as entries:
                names = [one.name for one in islice(entries, _MOST_NEAR) if one.is_dir()]
            for place in (base / SPLIT, *(base / name / SPLIT for name in sorted(names))):
                if place.is_file():
                    found[place] = None
        except OSError:
            continue
    return list(found)


def note_of(
    files: Sequence[Path], samples: Callable[[], Iterable[Sample]]
) -> dict[str, dict[str, str]]:
    """The run fact of samples that are collected from these queries; {} where they are no test
    split's."""
    place = find_split(files, samples)
    test = None if place is None else _test_of(place)
    if place is None or test is None:
        return {}
    told = {"split": str(place.resolve()), "queries_hash": str(test.get("queries_hash"))}
    return {NOTED: told}


def without_note(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Run facts without what `note_of` added: a fact of the samples, not of the run."""
    return {key: value for key, value in facts.items() if key != NOTED or _noted(facts) is None}


def look_at(
    files: Sequence[Path],
    samples: Callable[[], Iterable[Sample]],
    *,
    key: str,
    run: str | None,
    evaluation: str,
    facts: Mapping[str, Any] | None = None,
) -> Look | None:
    """Counts a look where these files are a test split's, or were collected from one: `facts`, or
    the run facts beside a file, say so. None where they are not; never raises."""
    place = find_split(files, samples)
    if place is None:
        every = (facts or {}, *map(_facts_beside, files))
        noted = next((told for one in every if (told := _noted(one)) is not None), None)
        if noted is None:
            return None
        place = Path(noted[0])
        test = _test_of(place)
        if test is None or test.get("queries_hash") != noted[1]:
            why = "it is of another split now" if test is not None else "it is no split"
            why = why if place.is_file() else "it is gone"
            return _not_counted(place, why)
    return count_look(place, key=key, run=run, evaluation=evaluation)


def _facts_beside(path: Path) -> Mapping[str, Any]:
    """The run facts that `ragdiag collect` wrote beside samples; {} where there are none."""
    place = path.with_name(f"{path.name.partition('.jsonl')[0]}.run-info.json")
    try:
        return at.read_json(place) if place.stat().st_size <= _LARGEST_FACTS else {}
    except (DataError, UsageError, OSError):
        return {}


def _noted(facts: Mapping[str, Any]) -> tuple[str, str] | None:
    """(split.json, hash of its test queries) of run facts."""
    told = facts.get(NOTED)
    if not isinstance(told, dict):
        return None
    split, queries = (cast("dict[str, object]", told).get(one) for one in ("split", "queries_hash"))
    return (split, queries) if isinstance(split, str) and isinstance(queries, str) else None


def _not_counted(place: Path, why: str) -> Look:
    return Look(str(place), 0, f"test split: this look could not be counted in {place}: {why}")


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
        return _not_counted(place, str(told))
    if number == 1:
        return Look(str(place), number)
    return Look(
        str(place),
        number,
        f"test split looked at {number} times: its figures flatter what was chosen by them; decide "
        f"on the development split, or take new test queries ({place})",
    )


def _rows(value: object) -> list[dict[str, Any]]:
    rows = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", one) for one in rows if isinstance(one, dict)]
