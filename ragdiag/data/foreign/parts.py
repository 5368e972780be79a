"""A value of unknown kind as an object or a list; empty where it is neither."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def as_object(value: object) -> dict[str, Any]:
    """The object itself, as a dict; {} for anything else."""
    return dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else {}


def as_items(value: object) -> list[Any]:
    """The list itself; [] for anything else, a text too."""
    return list(cast("list[Any]", value)) if isinstance(value, list) else []
