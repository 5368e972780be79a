"""What annotators are told of each unit: title, text, labels in the order of their keys."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

CHECK_OF = {
    "support": "support",
    "citation": "citation_support",
    "relevance": "relevance",
    "sufficiency": "sufficiency",
    "correctness": "answer_correctness",
    "faithfulness": "faithfulness",
}
"""The check whose labels a unit takes."""


@dataclass(frozen=True)
class Guideline:
    """The guideline of one unit; `labels`: (label, its name on the page, what it means), in
    the order of keys 1, 2, …"""

    unit: str
    title: str
    text: tuple[str, ...]
    labels: tuple[tuple[str, str, str], ...]

    @property
    def values(self) -> tuple[str, ...]:
        """The labels alone."""
        return tuple(label for label, *_ in self.labels)


@cache
def guidelines() -> tuple[str, dict[str, Guideline]]:
    """(version, guideline by unit)."""
    read = tomllib.loads(files("ragdiag.review").joinpath("guidelines.toml").read_text("utf-8"))
    found = {
        unit: Guideline(
            unit=unit,
            title=read[unit]["title"],
            text=tuple(line for line in read[unit]["text"].splitlines() if line.strip()),
            labels=tuple(
                (label, read[unit].get("names", {}).get(label, label.replace("_", " ")), meaning)
                for label, meaning in read[unit]["labels"].items()
            ),
        )
        for unit in CHECK_OF
    }
    return read["version"], found


def as_json() -> dict[str, Any]:
    """The same, as the page reads it."""
    version, found = guidelines()
    return {"version": version, "units": {unit: asdict(one) for unit, one in found.items()}}
