"""The prompts and raw replies behind the verdicts of an evaluation, from its cache of replies.

The cache holds replies, not prompts. A prompt is made again: the sample goes through the same judge
once more, who is served from the cache alone, and nobody is called. The key of a reply hashes its
whole request, so a prompt that is shown is the one that was sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragdiag.chat.cache_file import CacheFile
from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.chat.stack import ChatSettings
from ragdiag.chat.uncalled import UncalledChat
from ragdiag.data.labels import read_labels
from ragdiag.errors import RagdiagError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.manifest import Manifest, manifest_of
from ragdiag.judging.specs import Judges, parse_spec
from ragdiag.pipeline import judge_sample
from ragdiag.records import Corpus, Judgement, Sample
from ragdiag.report.page_judged import Exchange

ExchangesOf = Callable[[Sample, Judgement | None], tuple[Exchange, ...]]
"""The exchanges on one sample, from what was said of it."""

_NO_CACHE = "not kept: {} is not in the evaluation directory"
_GONE = "its reply is not in the cache any more"
_CHANGED = "its prompt cannot be shown: the judge's prompts or rules have changed since"


@contextmanager
def reading_exchanges(directory: Path) -> Generator[ExchangesOf]:
    """Gives a function that tells the exchanges on one sample at a time, in the order in which they
    were made.

    () where no model was asked. What cannot be shown is an Exchange whose `missing` says why; it
    never raises for that. Nothing is opened before the first sample on which a model was asked, and
    nothing is kept from one sample to the next. Not to be called where an event loop runs.
    """
    with ExitStack() as stack:
        opened: list[_Replay] = []

        def of(sample: Sample, judgement: Judgement | None) -> tuple[Exchange, ...]:
            said = _said_by_key(judgement)
            if not said:
                return ()
            if not opened:
                opened.append(_Replay.open(directory, stack))
            return opened[0].exchanges(sample, said)

        yield of


@dataclass
class _Said:
    """What rests on one raw reply: who said it, of which checks."""

    judge: str
    checks: list[str] = field(default_factory=list[str])


def _said_by_key(judgement: Judgement | None) -> dict[str, _Said]:
    """The keys of the raw replies that the verdicts rest on."""
    found: dict[str, _Said] = {}
    for reply in judgement.replies if judgement else ():
        for key in filter(None, (reply.trace or "").split(",")):
            said = found.setdefault(key, _Said(reply.judge))
            if reply.check not in said.checks:
                said.checks.append(reply.check)
    return found


@dataclass
class _Replay:
    """A judge who is served from the cache alone. `why`: why there is none, or no cache."""

    file: CacheFile | None = None
    manifest: Manifest | None = None
    corpus: Corpus | None = None
    judges: Judges | None = None
    runner: asyncio.Runner | None = None
    why: str = ""
    heard: list[tuple[ChatRequest, ChatReply]] = field(
        default_factory=list[tuple[ChatRequest, ChatReply]]
    )

    @classmethod
    def open(cls, directory: Path, stack: ExitStack) -> _Replay:
        """Opens what is there; the stack closes it."""
        path = directory / at.CACHE
        if not path.is_file():
            return cls(why=_NO_CACHE.format(at.CACHE))
        from ragdiag.evaluation.rescoring import open_corpus  # noqa: PLC0415 - it writes pages too

        made = cls()
        try:
            made.file = CacheFile(path, create=False)
            stack.callback(made.file.close)
            made.manifest = manifest_of(directory)
            made.corpus = open_corpus(None, made.manifest)
            made.judges = made.judges_of(made.manifest, path)
        except RagdiagError as fault:
            made.why = f"its prompt cannot be shown: {fault}"
        if made.judges is not None:
            made.runner = stack.enter_context(asyncio.Runner())
            stack.callback(made.close)
        elif not made.why:
            made.why = _CHANGED
        return made

    def close(self) -> None:
        """Closes the judges."""
        if self.runner is not None and self.judges is not None:
            self.runner.run(self.judges.aclose())

    def judges_of(self, manifest: Manifest, cache: Path) -> Judges | None:
        """The judges of an evaluation; None where today's of that name would ask otherwise.

        What `--model` and `--base-url` filled in is known from the endpoints that were called.
        """
        endpoints = _endpoints(manifest.abilities)
        settings = ChatSettings(
            cache=cache,
            client=lambda model, url: UncalledChat(model, url or endpoints.get(model)),
            heard=lambda request, reply: reply and self.heard.append((request, reply)),
        )
        for model in endpoints:
            judges = parse_spec(
                manifest.judge_spec, read_labels=read_labels, model=model, settings=settings
            )
            if judges.version == manifest.judge_version:
                return judges
            asyncio.run(judges.aclose())
        return None

    def exchanges(self, sample: Sample, said: Mapping[str, _Said]) -> tuple[Exchange, ...]:
        """Those of one sample: with their prompts as far as these can be made again."""
        asked = self._asked_again(sample)
        found = (
            _with_prompt(request, reply, said.get(reply.trace or "")) for request, reply in asked
        )
        shown = {reply.trace for _, reply in asked}
        rest = (self._without_prompt(key, one) for key, one in said.items() if key not in shown)
        return (*found, *rest)

    def _asked_again(self, sample: Sample) -> Sequence[tuple[ChatRequest, ChatReply]]:
        self.heard.clear()
        if self.runner is not None and self.judges is not None and self.manifest is not None:
            settings = self.manifest.settings
            asked = judge_sample(sample, self.judges, settings=settings, corpus=self.corpus)
            with suppress(RagdiagError):  # the cache is damaged: told where its reply is read
                self.runner.run(asked)
        return self.heard

    def _without_prompt(self, key: str, said: _Said) -> Exchange:
        kept: dict[str, Any] | None = None
        missing = self.why
        if self.file is not None:
            try:
                kept = self.file.read(key)
            except RagdiagError as fault:
                missing = str(fault)
            else:
                missing = _GONE if kept is None else self.why or _CHANGED
        reply = None if kept is None else str(kept["text"])
        model = "" if kept is None else kept.get("model") or ""
        return Exchange(tuple(said.checks), said.judge, model=model, reply=reply, missing=missing)


def _with_prompt(request: ChatRequest, reply: ChatReply, said: _Said | None) -> Exchange:
    """`said` is None where the question was put once more: no verdict rests on that reply."""
    return Exchange(
        checks=(request.schema_name,) if said is None else tuple(said.checks),
        judge=f"llm:{request.model}",
        model=reply.model or request.model,
        prompt=request.messages,
        reply=reply.text,
    )


def _endpoints(abilities: Mapping[str, Any]) -> dict[str, str | None]:
    """By model the endpoint at which it was called."""
    return {
        name.removeprefix("llm:"): dict(told).get("endpoint") for name, told in abilities.items()
    }
