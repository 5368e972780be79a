"""The prompts as data: loaded from the package (or the checkout), checked, hashed, filled in."""

from __future__ import annotations

import functools
import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ragdiag.errors import UsageError

NAMES = ("answer/claims", "answer/support", "answer/correctness", "evidence/evidence")
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")
_OURS = ("examples", "labels")


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file.

    inputs  the placeholders of `user` that the code fills with data.
    tasks   parts of the prompt that are put in where they are asked for.
    hash    of the file's content.
    """

    name: str
    version: int
    purpose: str
    labels: tuple[str, ...]
    inputs: tuple[str, ...]
    system: str
    user: str
    hash: str
    tasks: Mapping[str, str] = field(default_factory=dict[str, str])

    def messages(self, values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """System and user message. Values are put in once and never read as a template."""
        if set(values) != set(self.inputs):
            raise UsageError(
                f"prompt {self.name!r} takes {sorted(self.inputs)}, not {sorted(values)}"
            )
        known = {"labels": ", ".join(self.labels), **values}
        return (("system", self.system), ("user", fill(self.user, known)))

    def task(self, name: str) -> str:
        """One of the tasks, labels filled in."""
        return fill(self.tasks[name], {"labels": ", ".join(self.labels)}).strip()


def fill(template: str, values: Mapping[str, str]) -> str:
    """Each {{name}} replaced in one pass, so that braces inside values stay as they are."""
    return _PLACEHOLDER.sub(lambda found: values[found.group(1)], template)


@functools.cache
def load(name: str) -> Prompt:
    """The prompt of this name ("answer/claims"); UsageError where its file is bad or absent."""
    content = _folder().joinpath(f"{name}.toml").read_bytes()
    return parse(content, where=f"prompts/{name}.toml")


def parse(content: bytes, *, where: str) -> Prompt:
    """A prompt file's content, checked: placeholders are the declared inputs, two examples."""
    try:
        told = tomllib.loads(content.decode())
        prompt = Prompt(
            name=told["name"],
            version=told["version"],
            purpose=told["purpose"],
            labels=tuple(told["labels"]),
            inputs=tuple(told["inputs"]),
            system=fill(told["system"].strip(), {"examples": _examples(told["examples"])}),
            user=told["user"].strip(),
            hash=hashlib.sha256(content).hexdigest()[:16],
            tasks=told.get("tasks", {}),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{where}: {type(error).__name__}: {error}") from None
    _check(prompt, told, where)
    return prompt


_KEYS = frozenset(
    ("name", "version", "purpose", "labels", "inputs", "system", "user", "tasks", "examples")
)
_N_EXAMPLES = 2


def _check(prompt: Prompt, told: Mapping[str, Any], where: str) -> None:
    """UsageError where what the file declares is not what it holds."""
    used = set(_PLACEHOLDER.findall(prompt.user)) - set(_OURS)
    if used != set(prompt.inputs):
        raise UsageError(f"{where}: declares {sorted(prompt.inputs)}, uses {sorted(used)}")
    unknown = sorted(set(told) - _KEYS)
    if unknown:
        raise UsageError(f"{where}: no such key: {', '.join(unknown)}")
    if len(told["examples"]) != _N_EXAMPLES or _PLACEHOLDER.findall(told["system"]) != ["examples"]:
        raise UsageError(f"{where}: {_N_EXAMPLES} examples, put in once, by {{{{examples}}}}")
    in_tasks = {name for task in prompt.tasks.values() for name in _PLACEHOLDER.findall(task)}
    if not in_tasks <= {"labels"}:
        raise UsageError(f"{where}: a task may hold {{{{labels}}}}, not {sorted(in_tasks)}")
    shown = "labels" in in_tasks or "{{labels}}" in prompt.user
    if shown != bool(prompt.labels):
        raise UsageError(f"{where}: labels are to be declared and shown, or neither")


def prompts_hash() -> str:
    """Hash of all prompts: a part of the judge's version."""
    joined = "".join(load(name).hash for name in NAMES)
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def _examples(given: list[dict[str, Any]]) -> str:
    shown = [
        f"Example {number}\n{example['input'].strip()}\nreply:\n{example['output'].strip()}"
        for number, example in enumerate(given, start=1)
    ]
    return "\n\n".join(shown)


@functools.cache
def _folder() -> Traversable:
    """`ragdiag/prompts` of an installed package, else `prompts` of the checkout."""
    packaged = files("ragdiag").joinpath("prompts")
    if packaged.is_dir():
        return packaged
    checkout = Path(__file__).resolve().parents[2] / "prompts"
    if not checkout.is_dir():
        raise UsageError(f"the prompts are neither in the package nor at {checkout}")
    return checkout
