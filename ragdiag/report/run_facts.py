"""By which facts two evaluations differ, what that forbids, and which component may be blamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["queries", "corpus", "judge", "settings", "component", "speed", "label"]
"""What a fact is about. speed: it changes times, not answers; label: it names a run, and causes
nothing."""

ALLOWABLE = ("corpus", "queries", "judge", "settings")
"""Kinds whose difference is refused unless it is allowed."""

_QUERIES = frozenset(
    ("query_set", "query_set_hash", "queries", "queries_hash", "dataset", "dataset_hash", "split")
)
_CORPUS = frozenset(("corpus", "corpus_hash", "corpus_version", "corpus_data_hash"))
_SPEED = frozenset(("concurrency", "workers", "hardware", "machine", "host"))
_LABELS = frozenset(
    ("name", "pipeline", "run", "run_id", "id", "note", "notes", "description", "comment", "tags",
     "author", "n_queries", "n_errors", "n_samples", "date", "time", "timestamp", "duration_s")
)  # fmt: skip
_LONGEST = 40
_PEOPLE = "people"
_CUTTING = frozenset(("chunker", "chunk_size", "chunk_overlap", "overlap", "parser", "splitter"))
FREE_SETTINGS = frozenset(("k", "metrics", "cluster", "gold_as_retrieved"))
"""Settings under which a score of one name means the same, where there is one."""


@dataclass(frozen=True, slots=True)
class Blame:
    """The component that alone changed; None where none or more did. `why` says so in words."""

    component: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a run: its dotted name, its value (None: not stated), what it is about."""

    name: str
    value: Any
    kind: Kind


def facts_of(report: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, Fact]:
    """All facts of an evaluation by name: of its run, its judge, its settings, its corpus."""
    rows: list[Fact] = []
    for name, value in _flat("", manifest.get("run") or {}):
        rows.append(Fact(name, value, _kind(name)))
    judge: Mapping[str, Any] = report["judge"]
    rows.append(Fact("judge", judge.get("name"), "judge"))
    rows.append(Fact("judge_version", _version(judge.get("name"), judge.get("version")), "judge"))
    for name, value in _flat("settings", manifest.get("settings") or {}):
        if name.partition(".")[2] not in FREE_SETTINGS:
            rows.append(Fact(name, value, "settings"))
    rows.append(Fact("corpus_data_hash", manifest.get("corpus_hash"), "corpus"))
    return {row.name: row for row in rows}


def changed_facts(
    runs: Mapping[str, Mapping[str, Fact]], *, but: Sequence[Kind] = ()
) -> dict[str, dict[str, Any]]:
    """{fact: {run: value}} of the facts that are not the same in all runs; a fact that a run does
    not state is None there. `but` leaves out kinds."""
    names = dict.fromkeys(name for facts in runs.values() for name in facts)
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        stated = [facts[name] for facts in runs.values() if name in facts]
        values = {run: facts[name].value if name in facts else None for run, facts in runs.items()}
        first, *others = values.values()
        if stated[0].kind not in but and any(value != first for value in others):
            found[name] = values
    return found


def refused_kinds(
    ours: Mapping[str, Fact], theirs: Mapping[str, Fact]
) -> dict[Kind, dict[str, tuple[Any, Any]]]:
    """By kind, the facts that make two runs incomparable: both state them, and differently."""
    found: dict[Kind, dict[str, tuple[Any, Any]]] = {}
    for name, fact in ours.items():
        other = theirs.get(name)
        if fact.kind not in ALLOWABLE or other is None or fact.value == other.value:
            continue
        if fact.kind != "settings" and (fact.value is None or other.value is None):
            continue  # not stated by one of them: `unstated` tells
        found.setdefault(fact.kind, {})[name] = (fact.value, other.value)
    return found


def unstated(ours: Mapping[str, Fact], theirs: Mapping[str, Fact]) -> list[str]:
    """The facts on corpus and queries that only one of the two runs states."""

    def value(facts: Mapping[str, Fact], name: str) -> Any:
        return facts[name].value if name in facts else None

    return [
        name
        for name in dict.fromkeys((*ours, *theirs))
        if (ours.get(name) or theirs[name]).kind in ("corpus", "queries")
        and (value(ours, name) is None) != (value(theirs, name) is None)
    ]


def blame(ours: Mapping[str, Fact], theirs: Mapping[str, Fact]) -> Blame:
    """The one component whose fact changed between two runs, if it is one.

    The names of runs and pipelines, and what only changes times, are no component. A corpus that
    was allowed to differ is a part of the chunker's or parser's change, where that changed too.
    """
    runs = {"a": ours, "b": theirs}
    found = [name for name in changed_facts(runs, but=("label", "speed")) if _known(name, runs)]
    roots = {_root(name): None for name in found}
    cut = [root for root in roots if root in _CUTTING]
    if cut:
        roots.pop("corpus", None)
    if not roots:
        named = [name for name in changed_facts(runs, but=("speed",)) if name == "pipeline"]
        if named:
            return Blame("pipeline", "only the name of the pipeline changed; no fact says how")
        told = any(fact.kind == "component" for facts in runs.values() for fact in facts.values())
        none = "" if told else " (no component is recorded; see --run-info)"
        return Blame(None, f"same facts{none}: a difference is noise or an unrecorded change")
    if len(roots) == 1:
        root = next(iter(roots))
        shown = [name for name in found if _root(name) == root]
        told = ", ".join(f"{name} {_told(ours, name)} → {_told(theirs, name)}" for name in shown)
        more = "; the passages changed with it, the documents are taken to be the same"
        return Blame(root, f"only {told}{more if cut and len(found) > len(shown) else ''}")
    return Blame(
        None, f"{len(roots)} facts changed ({', '.join(roots)}): no component can be blamed"
    )


def _root(name: str) -> str:
    """The component that a fact is of: "prompt" of "prompt_hash", "packages" of "packages.x"."""
    root = name.partition(".")[0]
    for end in ("_hash", "_version", "_data"):
        root = root.removesuffix(end)
    return root or name


def _known(name: str, runs: Mapping[str, Mapping[str, Fact]]) -> bool:
    """Not a corpus or set of queries that one run does not state: it may be the same."""
    facts = [facts[name] for facts in runs.values() if name in facts]
    stated = [fact for fact in facts if fact.value is not None]
    return facts[0].kind not in ("corpus", "queries") or len(stated) == len(runs)


def _told(facts: Mapping[str, Fact], name: str) -> str:
    if name not in facts:
        return "not stated"
    value = facts[name].value
    shown = "none" if value is None else str(value)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


def _version(name: str | None, version: str | None) -> str | None:
    """A judge's version without that of people's labels: each run has labels of its own answers."""
    names, versions = (name or "").split(","), (version or "").split(",")
    if _PEOPLE not in names or len(names) != len(versions):
        return version
    kept = [one for who, one in zip(names, versions, strict=True) if who != _PEOPLE]
    return ",".join(kept) or None


def _flat(prefix: str, facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in facts.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, Mapping) and value:
            yield from _flat(name, value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield name, value


def _kind(name: str) -> Kind:
    root = name.partition(".")[0].lower()
    if root in _QUERIES:
        return "queries"
    if root in _CORPUS:
        return "corpus"
    if root in _SPEED:
        return "speed"
    return "label" if root in _LABELS or root.endswith(("_at", "_time")) else "component"
