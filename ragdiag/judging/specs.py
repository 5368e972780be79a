"""From `--judge SPEC` to judges: `screen`, `llm:MODEL@URL`, `file:PATH`, `cascade:A,B`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragdiag.chat.stack import ChatSettings, open_chat
from ragdiag.errors import UsageError
from ragdiag.judging.cascade import Cascade
from ragdiag.judging.llm import LLMJudge, worth_keeping
from ragdiag.judging.people import FileJudge
from ragdiag.judging.protocol import Judge
from ragdiag.records import Label, Reply

_WORKS = "screen[:FILE], llm[:MODEL[@BASE_URL]], file:PATH, cascade:A,B"
_MODEL_AT_URL = re.compile(
    r"(?P<model>[^@]*(?:@(?!https?://)[^@]*)*?)@(?P<url>(?:https?://|localhost\b|\[|[\w.-]+:[0-9]+"
    r"|(?:[\w-]+\.)+[a-z]{2,}(?=[:/]|$)|[0-9]+(?:\.[0-9]+){3}(?=[:/]|$)).*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Judges:
    """Who answers, in this order of precedence: people, then code, then the machine.

    `abilities` is what the models were found to accept, filled as they are asked: for the manifest.
    """

    people: FileJudge | None
    machine: Judge | None
    llms: tuple[LLMJudge, ...] = ()
    closers: tuple[Callable[[], Awaitable[None]], ...] = field(default=(), repr=False)

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
        told = [await judge.preflight() for judge in self.llms]
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
    (for one that counts on a corpus); model and base_url fill in what `llm` leaves out.
    """
    settings = settings or ChatSettings()  # one for all parts: they share limits
    labels: list[Label] = []
    people_named = False
    machines: list[Judge] = []
    llms: list[LLMJudge] = []
    closers: list[Callable[[], Awaitable[None]]] = []
    for part in _parts(spec):
        kind, _, rest = part.partition(":")
        if kind == "file":
            if not rest:
                raise UsageError("judge file: needs a path: file:labels.jsonl")
            labels.extend(read_labels(rest))
            people_named = True
        elif kind == "screen":
            machines.append((load_screen or _load_screen)(rest or None))
        elif kind == "llm":
            judge = _open_llm(rest, model=model, base_url=base_url, settings=settings)
            machines.append(judge)
            llms.append(judge)
            closers.append(judge.aclose)
        else:
            raise _unknown(part)
    machine = machines[0] if len(machines) == 1 else Cascade(machines) if machines else None
    people = FileJudge(labels) if people_named else None
    return Judges(people, machine, tuple(llms), tuple(closers))


def split_model(text: str) -> tuple[str, str | None]:
    """("MODEL", "BASE_URL" or None) of `MODEL[@BASE_URL]`; either may hold ":", "/" and "@"."""
    found = _MODEL_AT_URL.fullmatch(text)
    return (text, None) if found is None else (found["model"], found["url"])


def _parts(spec: str) -> list[str]:
    kind, _, rest = spec.strip().partition(":")
    if kind != "cascade":
        return [spec.strip()]
    parts = [part.strip() for part in rest.split(",")]
    if not rest or not all(parts):
        raise UsageError(f"judge {spec!r}: name the judges in order: cascade:screen,llm")
    for part in parts:
        if part.partition(":")[0] == "cascade":
            raise UsageError(f"judge {spec!r}: a cascade inside a cascade; name all in one list")
    return parts


def _unknown(part: str) -> UsageError:
    if part.partition(":")[0] == "jury":
        return UsageError(f"judge {part!r}: the jury is not built yet; what works: {_WORKS}")
    return UsageError(f"no judge {part!r}; what works: {_WORKS}")


def _load_screen(path: str | None) -> Judge:
    from ragdiag.judging.screen import load  # noqa: PLC0415  (its tables are not free to load)

    return load(Path(path) if path is not None else None)


def _open_llm(
    text: str, *, model: str | None, base_url: str | None, settings: ChatSettings | None
) -> LLMJudge:
    named, url = split_model(text)
    chosen = named or model
    if not chosen:
        raise UsageError("the judge llm needs a model: --model NAME, or llm:NAME (none is assumed)")
    chat = open_chat(chosen, url or base_url, settings=settings, keep=worth_keeping)
    return LLMJudge(chat)
