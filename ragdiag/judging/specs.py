"""From `--judge SPEC` to judges; `grammar` says what a spec may look like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ragdiag.chat.protocol import Chat
from ragdiag.chat.secret import kept_secret
from ragdiag.chat.stack import ChatSettings, open_chat
from ragdiag.errors import UsageError
from ragdiag.judging import grammar
from ragdiag.judging.cascade import Cascade, calls_of_llm
from ragdiag.judging.grammar import Group, Leaf, Node
from ragdiag.judging.jury import Jury
from ragdiag.judging.llm import LLMJudge, worth_keeping
from ragdiag.judging.people import FileJudge
from ragdiag.judging.protocol import Judge
from ragdiag.judging.repeated import Repeat
from ragdiag.records import Label, Reply

_MODEL_AT_URL = re.compile(
    r"(?P<model>[^@]*(?:@(?!https?://)[^@]*)*?)@(?P<url>(?:https?://|localhost\b|\[|[\w.-]+:[0-9]+"
    r"|(?:[\w-]+\.)+[a-z]{2,}(?=[:/]|$)|[0-9]+(?:\.[0-9]+){3}(?=[:/]|$)).*)",
    re.IGNORECASE,
)
_LISTS = ("claims", "components")
"""Checks that one member of a jury answers for all."""


@dataclass(frozen=True)
class Judges:
    """Who answers, in this order of precedence: people, then code, then the machine.

    `llms` holds one judge a model and endpoint; `abilities` is what the models were found to
    accept, filled as they are asked: for the manifest. `trained_on`: by check of people, what names
    the queries (`text.clusters.trained_keys`) that any of the judges was calibrated on.
    """

    people: FileJudge | None
    machine: Judge | None
    llms: tuple[LLMJudge, ...] = ()
    closers: tuple[Callable[[], Awaitable[None]], ...] = field(default=(), repr=False)
    trained_on: Mapping[str, frozenset[str]] = field(
        default_factory=dict[str, frozenset[str]], repr=False
    )

    @property
    def name(self) -> str:
        """As printed: "people", "screen", "people,llm:MODEL"."""
        return ",".join(judge.name for judge in (self.people, self.machine) if judge is not None)

    @property
    def version(self) -> str:
        """Changes whenever any of the judges' versions does."""
        return ",".join(judge.version for judge in (self.people, self.machine) if judge is not None)

    @property
    def abilities(self) -> dict[str, dict[str, Any]]:
        """What each endpoint and model was found to accept, so far."""
        return {judge.name: judge.abilities for judge in self.llms}

    @property
    def stopped(self) -> str | None:
        """The failure after which a model was called no more; None where none was."""
        return next((judge.stopped for judge in self.llms if judge.stopped is not None), None)

    def calls_saved(self, replies: Iterable[Reply]) -> int | None:
        """Calls of one sample that a cascade's last judge was spared; None: no cascade of LLMs."""
        if not self.llms or not isinstance(self.machine, Cascade):
            return None
        return self.machine.calls_saved(replies)

    async def preflight(self) -> tuple[str, ...]:
        """Hints about the models; UsageError where an endpoint cannot be used as it is."""
        apart = {(judge.name, judge.abilities["endpoint"]): judge for judge in self.llms}
        told = [await judge.preflight() for judge in apart.values()]
        return tuple(hint for hint in told if hint is not None)

    async def aclose(self) -> None:
        """Closes connections and caches. Safe to call twice."""
        for close in self.closers:
            await close()


def parse_spec(
    spec: str,
    *,
    read_labels: Callable[[str], Sequence[Label]],
    model: str | None = None,
    base_url: str | None = None,
    settings: ChatSettings | None = None,
    load_screen: Callable[[str | None], Judge] | None = None,
) -> Judges:
    """The judges that a spec names; UsageError says what is wrong with it and what works.

    `read_labels` reads a file of people's labels; `load_screen` stands in for the embedded screen
    (for one that counts on a corpus); model and base_url fill in what `llm` leaves out. A file at
    the top, or in a cascade at the top, speaks before code and all others; in a jury it has a vote.
    """
    tree = grammar.parse(spec)
    settings = settings or ChatSettings()  # one for all parts: they share limits
    build = _Build(read_labels, model, base_url, settings, load_screen or _load_screen)
    files, others = _parted(tree)
    people = FileJudge([label for node in files for label in build.labels(node)]) if files else None
    machine = build.cascade(others) if others else None
    return Judges(people, machine, tuple(build.llms), tuple(build.closers), build.trained_on)


def parse_repeats(
    spec: str,
    times: int,
    *,
    model: str | None = None,
    base_url: str | None = None,
    settings: ChatSettings | None = None,
) -> tuple[Judges, ...]:
    """The judge of a spec as often as it is to be asked the same; people's labels left out.

    Each has cache entries of its own for what a model says; the first shares those of an
    evaluation. UsageError where people judge alone, or in a jury. Close each of them.
    """
    build = _Build(_no_people, model, base_url, settings or ChatSettings(), _load_screen)
    _, others = _parted(grammar.parse(spec))
    if not others:
        raise UsageError("people's labels are no judge to be asked again; name screen or llm")
    found: list[Judges] = []
    for _ in range(times):
        n_llms, n_closers = len(build.llms), len(build.closers)
        machine = build.cascade(others)
        found.append(
            Judges(None, machine, tuple(build.llms[n_llms:]), tuple(build.closers[n_closers:]))
        )
    return tuple(found)


def _parted(tree: Node) -> tuple[list[Leaf], list[Node]]:
    """People's files, which stand at the top or in a cascade there, and all else."""
    top = tree.members if isinstance(tree, Group) and tree.kind == "cascade" else (tree,)
    files = [node for node in top if isinstance(node, Leaf) and node.kind == "file"]
    return files, [node for node in top if node not in files]


def _no_people(path: str) -> Sequence[Label]:
    raise UsageError(f"people's labels ({path}) in a jury cannot be asked again; name its models")


def split_model(text: str) -> tuple[str, str | None]:
    """("MODEL", "BASE_URL" or None) of `MODEL[@BASE_URL]`; either may hold ":", "/" and "@"."""
    found = _MODEL_AT_URL.fullmatch(text)
    return (text, None) if found is None else (found["model"], found["url"])


class _Build:
    """Makes the judges of one spec. Judges of one model and endpoint share its chat, so that they
    share limits too; each further one is another repeat, with cache entries of its own."""

    def __init__(
        self,
        read_labels: Callable[[str], Sequence[Label]],
        model: str | None,
        base_url: str | None,
        settings: ChatSettings,
        load_screen: Callable[[str | None], Judge],
    ) -> None:
        self.llms: list[LLMJudge] = []
        self.closers: list[Callable[[], Awaitable[None]]] = []
        self.trained_on: dict[str, frozenset[str]] = {}
        self._read_labels = read_labels
        self._model, self._base_url = model, base_url
        self._settings = settings
        self._load_screen = load_screen
        self._chats: dict[tuple[str, str | None], Chat] = {}
        self._repeats = Counter[tuple[str, str | None]]()

    def labels(self, node: Leaf) -> Sequence[Label]:
        """The labels of a file of people's."""
        if not node.rest:
            raise UsageError("judge file: needs a path: file:labels.jsonl")
        return self._read_labels(node.rest)

    def judge(self, node: Node) -> Judge:
        """The judge that a node of the tree stands for."""
        if isinstance(node, Group):
            return self.cascade(node.members) if node.kind == "cascade" else self._jury(node)
        if node.kind == "file":
            return FileJudge(self.labels(node))
        return self._llm(node) if node.kind == "llm" else self._screen(node)

    def _screen(self, node: Leaf) -> Judge:
        screen = self._load_screen(node.rest or None)
        told: Mapping[str, frozenset[str]] = getattr(screen, "trained_on", {})
        for check, keys in told.items():
            self.trained_on[check] = self.trained_on.get(check, frozenset()) | keys
        return screen

    def cascade(self, nodes: Sequence[Node]) -> Judge:
        """The judges one after another; one alone is itself."""
        judges = [self.judge(node) for node in nodes]
        if len(judges) == 1:
            return judges[0]
        return Cascade(judges, calls_of_last=partial(_calls_spared, nodes[-1]))

    def _jury(self, node: Group) -> Jury:
        """Equal members are repeats of one judge, which must be one that may say something else."""
        members = sorted(node.members, key=self._written)
        times = Counter(self._written(member) for member in members)
        seen = Counter[str]()
        judges: list[Judge] = []
        for member in members:
            written = self._written(member)
            if times[written] > 1 and not _holds_llm(member):
                raise UsageError(
                    f"judge {written!r} says the same each time: in a jury it stands once"
                )
            seen[written] += 1
            judge = self.judge(member)
            judges.append(Repeat(judge, seen[written]) if times[written] > 1 else judge)
        return Jury(judges)

    def _llm(self, node: Leaf) -> LLMJudge:
        chosen, url = self._endpoint(node)
        chat = self._chats.get((chosen, url))
        known = chat is not None
        if chat is None:
            chat = open_chat(chosen, url, settings=self._settings, keep=worth_keeping)
            self._chats[chosen, url] = chat
        secret = kept_secret(self._settings.cache)
        judge = LLMJudge(chat, repeat=self._repeats[chosen, url], secret=secret)
        self._repeats[chosen, url] += 1
        self.llms.append(judge)
        if not known:
            self.closers.append(judge.aclose)
        return judge

    def _endpoint(self, node: Leaf) -> tuple[str, str | None]:
        named, url = split_model(node.rest)
        chosen = named or self._model
        if not chosen:
            raise UsageError(
                "the judge llm needs a model: --model NAME, or llm:NAME (none is assumed)"
            )
        return chosen, url or self._base_url

    def _written(self, node: Node) -> str:
        """A node in one spelling: what is left out filled in, a jury's members in order."""
        if isinstance(node, Leaf):
            if node.kind == "llm":
                chosen, url = self._endpoint(node)
                return f"llm:{chosen}@{url}" if url else f"llm:{chosen}"
            return f"{node.kind}:{node.rest}" if node.rest else node.kind
        members = [self._written(member) for member in node.members]
        if node.kind == "jury":
            members.sort()
        return f"({node.kind}:{','.join(members)})"


def _holds_llm(node: Node) -> bool:
    if isinstance(node, Group):
        return any(map(_holds_llm, node.members))
    return node.kind == "llm"


def _calls_spared(node: Node, spared: Mapping[str, bool]) -> int:
    """Calls that a judge was spared; the embedded screen and people's files make none.

    In a jury, the lists are one member's (here: its dearest one's), all else is every member's.
    """
    if isinstance(node, Leaf):
        return calls_of_llm(spared) if node.kind == "llm" else 0
    if node.kind == "cascade":
        return _calls_spared(node.members[-1], spared)
    lists = {check: saved for check, saved in spared.items() if check in _LISTS}
    rest = {check: saved for check, saved in spared.items() if check not in _LISTS}
    listing = max(
        sum(_calls_spared(member, {check: saved}) for check, saved in lists.items())
        for member in node.members
    )
    return listing + sum(_calls_spared(member, rest) for member in node.members)


def _load_screen(path: str | None) -> Judge:
    from ragdiag.judging.screen import load  # noqa: PLC0415  (its tables are not free to load)

    return load(Path(path) if path is not None else None)
