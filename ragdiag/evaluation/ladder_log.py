"""The ladder's log in an evaluation directory, and its records merged into results.

ladder.jsonl   append-only, the resume log: a line a rung, the last of its kind counts
ladder.json    the generator whose records stand in the results, and how it was asked
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragdiag.diagnosis.ladder import with_ladder
from ragdiag.errors import DataError
from ragdiag.evaluation import directory as at
from ragdiag.pipeline import sample_hash
from ragdiag.records import LadderRecord, Passage, Sample, SampleResult, Settings

_Key = tuple[str, str, str | None, str, int]


@dataclass
class LadderLog:
    """All records, by query, and the facts of the generator that counts.

    Records of several generators may stand beside each other; they are never mixed.
    """

    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    records: dict[str, dict[_Key, LadderRecord]] = field(
        default_factory=dict[str, dict[_Key, LadderRecord]]
    )

    def add(self, record: LadderRecord) -> None:
        """One more; it takes the place of an earlier one of its key."""
        self.records.setdefault(record.query_id, {})[record.key] = record

    def of(
        self, sample: Sample, generator: str, generator_hash: str | None
    ) -> tuple[LadderRecord, ...]:
        """What one generator said on this very sample."""
        seen = sample_hash(sample)
        return tuple(
            one
            for one in self.records.get(sample.query_id, {}).values()
            if (one.generator, one.generator_hash) == (generator, generator_hash)
            and one.sample_hash == seen
        )

    def merged(self, sample: Sample, result: SampleResult, settings: Settings) -> SampleResult:
        """The result with what the ladder says of it, by the generator that counts."""
        if not self.facts or sample.query_id not in self.records:
            return result
        found = self.of(sample, self.facts["generator"], self.facts.get("generator_hash"))
        return with_ladder(result, sample, found, settings=settings)


def given_hash(sample: Sample, passages: Iterable[Passage]) -> str:
    """Hash of all that a generator is told at one rung."""
    told = [one.model_dump_json() for one in passages]
    text = json.dumps([sample.query, sample.history, told])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_ladder(directory: Path) -> LadderLog:
    """What stands in the log; nothing where there is none. A torn last line is left out.

    Raises:
        DataError: a line of the log, or the facts, cannot be read.
    """
    found = LadderLog()
    path = directory / at.LADDER
    if not path.exists():
        return found
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                break
            if not line.strip():
                continue
            try:
                found.add(LadderRecord.model_validate_json(line))
            except ValueError as fault:
                told = str(fault).partition("\n")[0]
                raise DataError(
                    f"{path}:{number}: not a line of a ladder ({told}); take the line out, and the "
                    "same command asks for that rung alone"
                ) from fault
    found.facts = _facts(directory)
    return found


def _facts(directory: Path) -> dict[str, Any]:
    path = directory / at.LADDER_FACTS
    if not path.exists():
        return {}
    facts = at.read_json(path)
    if not isinstance(facts.get("generator"), str):
        raise DataError(f"{path} names no generator; run the ladder again")
    return facts


def write_facts(directory: Path, facts: Mapping[str, Any]) -> None:
    """Writes the facts of the generator that counts, whole."""
    at.write_atomically(directory / at.LADDER_FACTS, at.to_json(facts))


def ladder_line(record: LadderRecord) -> bytes:
    """A line of the log: what is not said is left out, but never what kind a reply is."""
    kept = record.model_dump(mode="json", exclude_defaults=True)
    for reply, line in zip(record.replies, kept.get("replies", ()), strict=True):
        line["kind"] = reply.kind
    return json.dumps(kept, ensure_ascii=False, allow_nan=False).encode() + b"\n"
