"""The grammar of `--judge`: one judge, or a list of judges under `cascade:` or `jury:`.

    spec   = judge | ("cascade:" | "jury:") entry {"," entry}
    entry  = [number "*"] (judge | "(" spec ")")        number * : a jury only
    judge  = "screen" [":" FILE] | "llm" [":" MODEL ["@" BASE_URL]] | "file:" PATH

A list inside a list stands in parentheses, so that it is clear where it ends. Parentheses that do
not begin an entry belong to a file's or model's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragdiag.errors import UsageError

WORKS = (
    "screen[:FILE], llm[:MODEL[@BASE_URL]], file:PATH, cascade:A,B, jury:A,B,C, jury:3*llm:MODEL"
)
LISTS = ("cascade", "jury")
_KINDS = ("screen", "llm", "file")
_TIMES = re.compile(r"([0-9]{1,9})\s*\*\s*(.*)", re.DOTALL)
_USER = re.compile(r"(https?://)[^/?#,()\s]*@", re.IGNORECASE)
_QUERY = re.compile(r"(@[^@?#,()\s]+)\?[^,()\s]*")
_MOST_TIMES = 99
_DEEPEST = 8
_EXAMPLE = {"cascade": "cascade:screen,llm", "jury": "jury:llm:A,llm:B,llm:C"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """One judge: its kind, and what stands after the colon."""

    kind: str
    rest: str


@dataclass(frozen=True, slots=True)
class Group:
    """A cascade or a jury of entries; an entry `3*x` of a jury stands in it three times."""

    kind: str
    members: tuple[Node, ...]


Node = Leaf | Group


def parse(spec: str) -> Node:
    """The tree of a spec; UsageError says what is wrong and what works."""
    return _spec(spec.strip(), whole=spec, depth=0)


def _spec(text: str, *, whole: str, depth: int) -> Node:
    if depth > _DEEPEST:
        raise UsageError(f"judge {_shown(whole)}: more than {_DEEPEST} lists in one another")
    if text.startswith("("):
        inner, after = _parenthesised(text, whole)
        if after:
            raise UsageError(f"judge {_shown(whole)}: {_shown(after)} after the last parenthesis")
        return _spec(inner, whole=whole, depth=depth + 1)
    kind, _, rest = text.partition(":")
    if kind in LISTS:
        members = [
            member
            for entry in _entries(kind, rest, whole)
            for member in _members(kind, entry, whole=whole, depth=depth)
        ]
        if kind == "jury" and len(members) < 2:
            raise UsageError(f"judge {_shown(whole)}: a jury has two members or more: jury:A,B,C")
        return Group(kind, tuple(members))
    if kind not in _KINDS:
        if _TIMES.fullmatch(text):
            raise UsageError(
                f"judge {_shown(text)}: repeats make a jury: jury:{without_credentials(text)}"
            )
        raise UsageError(f"no judge {_shown(text)}; what works: {WORKS}")
    return Leaf(kind, rest)


def _members(kind: str, entry: str, *, whole: str, depth: int) -> list[Node]:
    """The entry as often as it says."""
    repeated = _TIMES.fullmatch(entry)
    times = 1
    if repeated is not None:
        if kind != "jury":
            raise UsageError(
                f"judge {_shown(entry)}: repeats belong into a jury, which may stand in "
                f"parentheses: {kind}:…,(jury:{without_credentials(entry)})"
            )
        times, entry = int(repeated[1]), repeated[2]
        if not 1 < times <= _MOST_TIMES:
            raise UsageError(
                f"judge {_shown(whole)}: repeats go from 2 to {_MOST_TIMES}, came {times}"
            )
    inner = entry.partition(":")[0]
    if inner in LISTS:
        raise UsageError(
            f"judge {_shown(whole)}: put the {inner} inside the {kind} into parentheses: "
            f"{kind}:…,({inner}:A,B)"
        )
    member = _spec(entry, whole=whole, depth=depth + 1)
    if kind == "cascade" and isinstance(member, Group) and member.kind == "cascade":
        raise UsageError(f"judge {_shown(whole)}: a cascade inside a cascade; name all in one list")
    return [member] * times


def _entries(kind: str, text: str, whole: str) -> list[str]:
    """What stands between the commas outside of parentheses; each is something."""
    entries: list[str] = []
    rest: str | None = text
    while rest is not None:
        rest = rest.strip()
        opening = _opening(rest)
        if opening is None:
            entry, comma, after = rest.partition(",")
        else:
            inner, after = _parenthesised(rest[opening:], whole)
            entry = f"{rest[:opening]}({inner})"
            comma = after[:1]
            if comma not in ("", ","):
                raise UsageError(
                    f"judge {_shown(whole)}: after a parenthesis comes a comma or the end, came "
                    f"{_shown(after)}"
                )
            after = after[1:]
        entries.append(entry.strip())
        rest = after if comma else None
    if not all(entries):
        raise UsageError(
            f"judge {_shown(whole)}: name the judges of the {kind}, each between two commas: "
            f"{_EXAMPLE[kind]}"
        )
    return entries


def _opening(text: str) -> int | None:
    """Where the parenthesis of an entry that begins with one stands, repeats left aside."""
    found = re.match(r"(?:[0-9]{1,9}\s*\*\s*)?\(", text)
    return None if found is None else found.end() - 1


def _parenthesised(text: str, whole: str) -> tuple[str, str]:
    """What stands in the parentheses that the text begins with, and what comes after them."""
    depth = 0
    for place, char in enumerate(text):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if depth == 0:
            return text[1:place].strip(), text[place + 1 :].strip()
    raise UsageError(f"judge {_shown(whole)}: a parenthesis is not closed")


def without_credentials(spec: str) -> str:
    """The spec as it may be shown and stored: addresses without user, password and query."""
    return _QUERY.sub(r"\1", _USER.sub(r"\1", spec))


def _shown(text: str) -> str:
    shown = without_credentials(text)
    return repr(shown if len(shown) <= 200 else shown[:200] + "…")
