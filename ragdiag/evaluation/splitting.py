"""`ragdiag split`: sample files -> dev.jsonl, test.jsonl and split.json, by connected groups."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ragdiag.data.corpus import combined_hash
from ragdiag.data.foreign.reading import foreign_or_none
from ragdiag.data.lines import PathLike, read_lines
from ragdiag.data.native import MILD, digest, read_entries
from ragdiag.data.tables import is_parquet
from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.groups import MOST_STRATA_VALUES, Assigned, Groups, assign
from ragdiag.evaluation.health.checkup import gold_documents
from ragdiag.records import Sample
from ragdiag.records.problem import Problem
from ragdiag.text.clusters import query_hash
from ragdiag.text.slices import derived_slices

SPLIT, DEV, TEST = "split.json", "dev.jsonl", "test.jsonl"
KIND = "ragdiag split"
DOCUMENT, QUERY = "document", "query"

_MOST_DIMENSIONS = 100
_FAR = 0.05  # from the wanted share: said
_HUGE = 0.5
_LONGEST = 60


@dataclass
class _Read:
    """What is kept of the samples: their groups, slices and hashes; no sample."""

    groups: Groups = field(default_factory=Groups)
    slices: list[tuple[tuple[str, str], ...]] = field(
        default_factory=list[tuple[tuple[str, str], ...]]
    )
    hashes: list[int] = field(default_factory=list[int])
    n_apart: int = 0
    dimensions: Counter[str] = field(default_factory=Counter[str])


def split_files(
    paths: Sequence[Path], out: Path, *, by: Sequence[str], share: float = 0.3, seed: int = 0
) -> dict[str, Any]:
    """Writes the three files into `out` and returns split.json.

    by     "document" (gold documents), names of slices (family), or "query": samples that share a
           value of any of them, or the text of their query in any case, stay together.
    share  of the samples that the test split should hold, between 0 and 1.

    Raises:
        DataError: a broken row, or samples that all hang together.
        UsageError: a split is there already, a slice that no sample has, a share out of range.
    """
    if not 0 < share < 1:  # NaN too
        raise UsageError(f"--test lies between 0 and 1 (0.3); came {share:g}")
    if any((out / name).exists() for name in (SPLIT, DEV, TEST)):
        raise UsageError(
            f"{out}: holds {SPLIT}, {DEV} or {TEST} already, and a split that was looked at is not "
            "made anew; name another directory"
        )
    read = _read(paths, by)
    members = _in_order(read)
    _check(read, members, by)
    assigned = assign(members, _strata(read), share=share, seed=seed)
    out.mkdir(parents=True, exist_ok=True)
    files = _write(paths, out, assigned.in_test)
    told = _told(read, members, assigned, by=by, share=share, seed=seed)
    for name, chosen in (("dev", 0), ("test", 1)):
        hashes = [one for one, t in zip(read.hashes, assigned.in_test, strict=True) if t == chosen]
        files[name]["queries_hash"] = queries_hash(hashes)
    found = {
        "schema_version": 1,
        "kind": KIND,
        "inputs": [str(path) for path in paths],
        **told,
        "files": files,
        "looks": 0,
        "looked": [],
    }
    at.write_atomically(out / SPLIT, at.to_json(found))
    return found


def queries_hash(hashes: Sequence[int]) -> str:
    """One hash of the texts of queries, whatever their order; each text counts once."""
    different = set(hashes)
    return combined_hash(sum(different), len(different))


def hash_of(sample: Sample) -> int:
    """Of a query's text, for `queries_hash`."""
    return int(query_hash(sample), 16)


def _read(paths: Sequence[Path], by: Sequence[str]) -> _Read:
    read, seen = _Read(), dict[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]()
    for sample in _samples(paths):
        slices = derived_slices(sample)
        read.dimensions.update(slices.keys())
        text = (QUERY, _same_text(sample.query))
        found = [(name, value) for name in by for value in _values(sample, slices, name)]
        read.n_apart += not found and QUERY not in by
        read.groups.add([text, *found])
        kept = tuple(sorted(slices.items())[:_MOST_DIMENSIONS])
        read.slices.append(seen.setdefault(kept, kept))  # few are different: each is kept once
        read.hashes.append(hash_of(sample))
    return read


def keys_of(sample: Sample, by: Sequence[str]) -> list[tuple[str, str]]:
    """What joins a sample to others: the text of its query, its conversation (what the person asked
    first), and its values by `by` ("document", "query" for nothing else, names of slices)."""
    slices = derived_slices(sample)
    first = next((text for role, text in sample.history if role == "user"), sample.query)
    texts = {_same_text(sample.query), _same_text(first)}
    return [
        *((QUERY, text) for text in sorted(texts)),
        *((name, value) for name in by for value in _values(sample, slices, name)),
    ]


def _same_text(text: str) -> str:
    return str(digest(" ".join(text.split()).casefold()))


def _in_order(read: _Read) -> dict[int, list[int]]:
    """The groups with their samples, whatever order the samples came in: by hashes of their texts,
    which no two groups share."""
    members = read.groups.members()
    return dict(sorted(members.items(), key=lambda one: min(read.hashes[n] for n in one[1])))


def _values(sample: Sample, slices: dict[str, str], name: str) -> list[str]:
    if name == DOCUMENT:
        return gold_documents(sample)
    return [slices[name]] if name in slices and name != QUERY else []


def _samples(paths: Sequence[Path]) -> Iterator[Sample]:
    for entry in read_entries(list(paths)):
        if isinstance(entry, Problem):
            if entry.kind in MILD:
                continue
            raise DataError(str(entry), [entry])
        if entry.read.sample is None:
            raise DataError(str(entry.read.problems[0]), entry.read.problems)
        yield entry.read.sample


def _check(read: _Read, members: dict[int, list[int]], by: Sequence[str]) -> None:
    n, names = len(read.groups), ", ".join(by)
    if not n:
        raise DataError("there is no sample to split: the files are empty")
    for name in by:
        if name not in (DOCUMENT, QUERY) and not read.dimensions[name]:
            known = [DOCUMENT, QUERY, *read.dimensions]
            close = difflib.get_close_matches(name, known, n=3)
            hint = f"did you mean {', '.join(close)}?" if close else f"there are {', '.join(known)}"
            raise UsageError(f"--by {name}: no sample has this slice; {hint}")
    if n and read.n_apart == n:
        raise UsageError(
            f"--by {names}: no sample says its gold document (gold with doc_id, page or passage), "
            "so nothing would be kept together; name a slice"
        )
    if len(members) < 2:
        raise DataError(
            f"{n} samples hang together by {names}{_joined(read, next(iter(members), 0), by)}: "
            "there is no split that keeps them together; split by another slice, or take samples "
            "from more documents"
        )


def _joined(read: _Read, group: int, by: Sequence[str]) -> str:
    """What joins most of a group's samples, in words."""
    found = [
        (row[1], kind, row[0])
        for kind in by
        if kind != QUERY and (row := read.groups.most_shared(group, kind=kind))
    ]
    if not found:
        return ""
    n, kind, value = max(found)
    shown = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
    return f" ({kind} {shown!r} alone joins {n})"


def _strata(read: _Read) -> list[tuple[str, ...]]:
    """Of each sample its slice values, of the dimensions that have few of them."""
    values: dict[str, set[str]] = {}
    for slices in read.slices:
        for dimension, value in slices:
            known = values.setdefault(dimension, set())
            if len(known) <= MOST_STRATA_VALUES:
                known.add(value)
    few = {name for name, known in values.items() if 1 < len(known) <= MOST_STRATA_VALUES}
    return [
        tuple(f"{dimension}={value}" for dimension, value in slices if dimension in few)
        for slices in read.slices
    ]


def _told(
    read: _Read,
    members: dict[int, list[int]],
    assigned: Assigned,
    *,
    by: Sequence[str],
    share: float,
    seed: int,
) -> dict[str, Any]:
    n, n_test = len(read.groups), sum(assigned.in_test)
    strata: dict[str, dict[str, dict[str, int]]] = {}
    for told, chosen in zip(_strata(read), assigned.in_test, strict=True):
        for one in told:
            dimension, _, value = one.partition("=")
            row = strata.setdefault(dimension, {}).setdefault(value, {"dev": 0, "test": 0})
            row["test" if chosen else "dev"] += 1
    largest = max(members, key=lambda group: len(members[group]))
    return {
        "by": list(by),
        "seed": seed,
        "n": n,
        "share": {"wanted": share, "test": n_test / n},
        "groups": {
            "n": len(members),
            "n_test": assigned.n_test_groups,
            "n_dev": len(members) - assigned.n_test_groups,
            "largest": len(members[largest]),
        },
        "n_without": read.n_apart,
        "slices": {name: dict(sorted(rows.items())) for name, rows in sorted(strata.items())},
        "warnings": list(_warnings(read, members[largest], assigned, by=by, share=share)),
    }


def _warnings(
    read: _Read, largest: list[int], assigned: Assigned, *, by: Sequence[str], share: float
) -> Iterator[str]:
    n, n_test, names = len(read.groups), sum(assigned.in_test), ", ".join(by)
    if abs(n_test / n - share) > _FAR or len(largest) > _HUGE * n:
        yield (
            f"the test split holds {n_test / n:.1%} of the samples, {share:.0%} were wanted: "
            f"{len(assigned.sizes)} groups, and the largest holds {len(largest)} of {n} "
            f"({len(largest) / n:.0%}){_joined(read, largest[0], by)}"
        )
    if read.n_apart:
        yield (
            f"{read.n_apart} of {n} samples have no {' or '.join(by)}: each is a group of its own "
            "(with the samples of the same query)"
        )
    least = min(assigned.n_test_groups, len(assigned.sizes) - assigned.n_test_groups)
    if least < 5:
        side = "test" if assigned.n_test_groups == least else "dev"
        yield (
            f"the {side} split has {least} group{'s' if least > 1 else ''} by {names}: its figures "
            "say little about other ones"
        )


def _write(paths: Sequence[Path], out: Path, in_test: bytearray) -> dict[str, dict[str, Any]]:
    """Both files, lines as they stood; rows of other formats as native lines."""
    names = {"dev": DEV, "test": TEST}
    counts, hashes = Counter[str](), {name: hashlib.sha256() for name in names}
    beside = {name: out / f"{file}.part" for name, file in names.items()}
    try:
        with beside["dev"].open("wb") as dev, beside["test"].open("wb") as test:
            files: dict[str, IO[bytes]] = {"dev": dev, "test": test}
            for line, chosen in zip(_lines(paths), in_test, strict=True):
                name = "test" if chosen else "dev"
                files[name].write(line)
                hashes[name].update(line)
                counts[name] += 1
        for name, file in names.items():
            beside[name].replace(out / file)
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)
    return {
        name: {"name": file, "n": counts[name], "sha256": hashes[name].hexdigest()}
        for name, file in names.items()
    }


def _lines(paths: Sequence[PathLike]) -> Iterator[bytes]:
    for path in paths:
        if foreign_or_none(path) is None and not is_parquet(path):
            for _, line in read_lines(path):
                yield line + b"\n"
        else:
            for sample in _samples([Path(path)]):
                yield at.sample_line(sample)
