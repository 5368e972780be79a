"""The screen's numbers: coefficients, thresholds, background counts, and where they come from."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ragdiag.errors import DataError
from ragdiag.judging.screen.reading import content_of

CHECKS = ("claim", "answer", "sufficiency", "correctness")
"""The logistic models of a screen: one claim, a whole answer, a passage set, an answer with its
reference."""


@dataclass(frozen=True)
class Logistic:
    """Probability of the first label from named features, and the band that stays undecided.

    p = 1 / (1 + exp(-(intercept + sum of coefficient x feature))), the coefficients being on raw
    features. At or above `high` the first label holds, at or below `low` the other one.
    """

    features: tuple[str, ...]
    coefficients: tuple[float, ...]
    intercept: float
    low: float
    high: float

    def probability(self, features: Mapping[str, float]) -> float:
        """In [0, 1]; every named feature must be given."""
        total = self.intercept
        for name, coefficient in zip(self.features, self.coefficients, strict=True):
            total += coefficient * features[name]
        return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, total))))

    def decide(self, probability: float) -> bool | None:
        """True = the first label, False = the other, None = between the thresholds."""
        if probability >= self.high:
            return True
        return False if probability <= self.low else None


@dataclass(frozen=True)
class ScreenModel:
    """All logistic models of a screen, and the agreement with people that was measured.

    measured  per data set: n, balanced accuracy, decided share, accuracy on the decided.
    digest    of the file's bytes; part of the judge's version.
    trained_on  by check of people, `text.clusters.trained_keys` of the queries whose labels a
              calibration was fitted on; empty for the shipped model.
    """

    models: Mapping[str, Logistic]
    measured: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, dict[str, float]])
    provenance: str = ""
    digest: str = ""
    trained_on: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    def __getitem__(self, check: str) -> Logistic:
        return self.models[check]


class _Weights(dict[str, float]):
    """Weights by stem; one that was not counted gets the greatest."""

    def __init__(self, weights: Mapping[str, float], unknown: float) -> None:
        super().__init__(weights)
        self._unknown = unknown

    def __missing__(self, stem: str) -> float:
        return self._unknown


class Idf:
    """How rare a stem is: ln((N + 1) / (passages that hold it + 1)), for N counted passages.

    Range 0 (in every passage) to ln(N + 1); a stem that was not counted gets this maximum.
    `weight(stem)` is the weight of one stem.
    """

    def __init__(self, n_passages: int, counts: Mapping[str, int]) -> None:
        if n_passages < 1:
            raise DataError("an IDF table needs at least one counted passage")
        self.n_passages = n_passages
        self.unknown = math.log(n_passages + 1)
        weights = {
            stem: max(0.0, math.log((n_passages + 1) / (count + 1)))
            for stem, count in counts.items()
        }
        self.weight = _Weights(weights, self.unknown).__getitem__
        text = _as_tsv(n_passages, counts)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]

    def total(self, stems: Iterable[str]) -> float:
        """Sum of the weights, whatever their order; 0 for no stems."""
        return math.fsum(map(self.weight, stems))

    @classmethod
    def counted(cls, texts: Iterable[str]) -> Idf:
        """Count a corpus: each text is one passage. Independent of their order."""
        counts: Counter[str] = Counter()
        n = 0
        for text in texts:
            n += 1
            counts.update(set(content_of(text)))
        return cls(n, counts)


def _as_tsv(n_passages: int, counts: Mapping[str, int]) -> str:
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return "".join([f"#\t{n_passages}\n", *(f"{stem}\t{count}\n" for stem, count in rows)])


def write_idf(path: Path, n_passages: int, counts: Mapping[str, int]) -> None:
    """Write a table as `load_idf` reads it: a head line, then stem, tab, number of passages."""
    path.write_text(_as_tsv(n_passages, counts), encoding="utf-8", newline="\n")


def read_idf(text: str) -> Idf:
    """Read a table; a line that is not `stem<TAB>count` is an error that names it."""
    rows = [line.split("\t") for line in text.split("\n") if line]
    try:
        (head, total), *body = rows
        if head != "#":
            raise ValueError("the head line must be '#', tab, number of passages")
        return Idf(int(total), {stem: int(count) for stem, count in body})
    except ValueError as problem:
        raise DataError(f"not an IDF table: {problem}") from problem


def read_model(text: str, *, where: str = "screen.json") -> ScreenModel:
    """Read a screen's JSON; what is missing or not finite is an error that names the place."""
    try:
        data: dict[str, Any] = json.loads(text)
        models = {check: _logistic(data["models"][check]) for check in CHECKS}
        measured = {str(k): _measured(row) for k, row in data.get("measured", {}).items()}
        provenance = str(data.get("provenance", ""))
        trained = data.get("calibration", {}).get("trained_on", {})
        trained_on = {str(check): frozenset(map(str, keys)) for check, keys in trained.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise DataError(f"{where} is not a screen's model: {problem!r}") from problem
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return ScreenModel(models, measured, provenance, digest, trained_on)


def _measured(row: Mapping[str, Any]) -> dict[str, float]:
    found = {str(name): float(value) for name, value in row.items()}
    if not {"n", "balanced_accuracy"} <= found.keys():
        raise ValueError("a row of 'measured' needs n and balanced_accuracy")
    return found


def _same_features(found: ScreenModel, where: str) -> ScreenModel:
    """Itself; DataError where it was fitted on other features than this version computes."""
    for check in CHECKS:
        given, computed = set(found[check].features), set(_shipped_model()[check].features)
        if given != computed:
            unknown, lacking = sorted(given - computed), sorted(computed - given)
            told = [f"knows no {name}" for name in unknown] + [f"adds {name}" for name in lacking]
            shown = ", ".join(told[:3]) + (", …" if len(told) > 3 else "")
            raise DataError(
                f"{where} was fitted on other features of {check} than this version of ragdiag "
                f"computes (it {shown}): make it anew with `ragdiag calibrate`"
            )
    return found


def _logistic(data: dict[str, Any]) -> Logistic:
    names, values = zip(*data["coefficients"].items(), strict=True)
    numbers = [float(value) for value in (*values, data["intercept"], data["low"], data["high"])]
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a coefficient or threshold is not finite")
    *coefficients, intercept, low, high = numbers
    if not 0 <= low <= high <= 1:
        raise ValueError(f"thresholds must satisfy 0 <= low <= high <= 1, not {low}, {high}")
    return Logistic(tuple(names), tuple(coefficients), intercept, low, high)


def load_model(path: Path | None = None) -> ScreenModel:
    """The model in a file, or the shipped one."""
    if path is None:
        return _shipped_model()
    try:
        found = read_model(path.read_text(encoding="utf-8"), where=str(path))
        return _same_features(found, str(path))
    except (OSError, UnicodeDecodeError) as problem:
        raise DataError(f"cannot read the screen's model {path}: {problem}") from problem


@cache
def _shipped_model() -> ScreenModel:
    return read_model(_shipped("screen.json"))


@cache
def load_idf() -> Idf:
    """The background table that is shipped."""
    return read_idf(_shipped("idf.tsv"))


def _shipped(name: str) -> str:
    return resources.files("ragdiag.judging.screen").joinpath(name).read_text(encoding="utf-8")
