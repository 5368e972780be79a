"""What an evaluation was made of: settings, versions, hashes, run facts."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.records import Record, Settings


class Manifest(Record):
    """manifest.json. `judge_spec` is as the user wrote it, its addresses without user, password and
    query; `judge_version` hashes prompts, model, weights; `inputs` names the files as given;
    `data_hash` is over their content. `test_split`: where the samples are those of a test
    split, its split.json and the number of this look."""

    schema_version: int = 1
    ragdiag: str
    python: str = sys.version.split(maxsplit=1)[0]
    settings: Settings
    judge_spec: str
    judge_name: str
    judge_version: str
    inputs: dict[str, list[str]]
    data_hash: str
    corpus_hash: str | None = None
    ann_exact_hash: str | None = None
    n_samples: int
    run: dict[str, Any] = Field(default_factory=dict[str, Any])
    warnings: list[str] = Field(default_factory=list[str])
    abilities: dict[str, Any] = Field(default_factory=dict[str, Any])
    test_split: dict[str, Any] | None = None

    @property
    def asked_with(self) -> str:
        """Hash of all that verdicts rest on besides the sample; stands in each line of the log."""
        seen = self.settings.model_dump(mode="json", exclude=set(_FREE_SETTINGS))
        parts = json.dumps([self.judge_version, self.corpus_hash, seen], sort_keys=True)
        return hashlib.sha256(parts.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Strict JSON with a final newline."""
        return at.to_json(self.model_dump(mode="json"))

    def with_abilities(self, abilities: dict[str, Any]) -> Manifest:
        """With what each endpoint was found to accept."""
        return self.model_copy(update={"abilities": abilities})


_MUST_AGREE = ("settings", "judge_version", "data_hash", "corpus_hash")
_CHANGED = {
    "data_hash": "the samples have changed since",
    "corpus_hash": "the corpus has changed since, or only one of the two has a corpus",
}
"""How a difference is told whose two values tell nothing."""
_FREE_SETTINGS = frozenset(
    ("k", "gain", "rel_level", "no_relevant", "unit", "coverage", "citation_rule", "cluster",
     "min_coverage")
)  # fmt: skip
"""Settings that no judge sees: another value costs no call, so the verdicts are kept."""


def read_manifest(directory: Path) -> Manifest | None:
    """The manifest of an evaluation directory, or None where there is none; DataError where it
    cannot be read."""
    if not (directory / at.MANIFEST).exists():
        return None
    try:
        return Manifest.model_validate(at.read_json(directory / at.MANIFEST))
    except ValidationError as fault:
        raise DataError(
            f"{directory / at.MANIFEST} is not a manifest of this version of ragdiag: {fault}"
        ) from fault


def manifest_of(directory: Path) -> Manifest:
    """The same; UsageError where there is none."""
    found = read_manifest(directory)
    if found is None:
        raise UsageError(f"{directory / at.MANIFEST} is not there; run evaluate again")
    return found


def differences(previous: Manifest, now: Manifest) -> list[str]:
    """What the verdicts of `previous` rest on otherwise than those of `now` would; [] = nothing."""
    return [
        _judges_told(previous, now)
        if name == "judge_version"
        else _CHANGED.get(name, f"{name}: {old} there, {new} now")
        for name, old, new in _compared(previous, now)
        if old != new
    ]


def _judges_told(previous: Manifest, now: Manifest) -> str:
    """By what the judges differ: their names, else only their hash."""
    old, new = previous.judge_name, now.judge_name
    if old != new:
        return f"judge: {old or 'none'} there, {new or 'none'} now"
    told = f"{previous.judge_version} there, {now.judge_version} now"
    return f"prompts or rules of the judge {new} changed: {told}"


def refusal(previous: Manifest, now: Manifest, *, out: Path, counted: Counted) -> UsageError:
    """The error for a directory whose verdicts are of another judge, other settings or data."""
    lines = [f"  {told}" for told in differences(previous, now)]
    if previous.data_hash != now.data_hash:
        lines.append(f"  of the samples now, {counted}")
    if previous.asked_with == now.asked_with:
        forced = (
            f"go on here with --force: it keeps the verdicts on {counted.same} samples and asks "
            f"about {counted.new + counted.changed}"
        )
    else:
        forced = (
            "go on here with --force: it puts all samples to the judge again, since no verdict may "
            "be mixed with those there (a question whose reply is in the cache costs no call)"
        )
    return UsageError(
        f"-o {out}: holds an evaluation that differs from this one:\n"
        + "\n".join(lines)
        + f"\nname another directory, begin anew with --fresh, or {forced}"
    )


@dataclass
class Counted:
    """How many samples stand as they were judged, were not judged yet, are changed, or are gone."""

    same: int = 0
    new: int = 0
    changed: int = 0
    gone: int = 0

    def __str__(self) -> str:
        return (
            f"{self.same} are as they were judged, {self.new} not judged yet, {self.changed} "
            f"changed; {self.gone} that were judged are gone"
        )


def _compared(previous: Manifest, now: Manifest) -> list[tuple[str, object, object]]:
    rows: list[tuple[str, object, object]] = []
    for name in _MUST_AGREE:
        old, new = getattr(previous, name), getattr(now, name)
        if isinstance(old, Settings) and isinstance(new, Settings):
            rows += [
                (field, getattr(old, field), getattr(new, field))
                for field in Settings.model_fields
                if field not in _FREE_SETTINGS
            ]
        else:
            rows.append((name, old, new))
    return rows
