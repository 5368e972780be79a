"""`ragdiag estimate`: calls, tokens, money and time of an evaluation, without a call.

The samples go through the same pipeline as in an evaluation, with the same prompts, the same code
and embedded judge deciding first; only where a model would be called, nobody is.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragdiag.chat.prices import Price, Prices, shipped
from ragdiag.chat.stack import ChatSettings
from ragdiag.chat.tokens import BYTES_A_TOKEN
from ragdiag.chat.uncalled import UncalledChat
from ragdiag.data.labels import read_labels
from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.files import Inputs, Options, checked_validation
from ragdiag.evaluation.manifest import read_manifest
from ragdiag.evaluation.run import is_settled
from ragdiag.judging.expected import expected_reply, expected_tokens
from ragdiag.judging.specs import Judges, parse_spec
from ragdiag.pipeline import judge_sample
from ragdiag.records import Judgement, Question, Reply, Usage

FIRST_TOKEN = 1.0
TOKENS_A_SECOND = 60.0
"""Of a call whose latency is not given: seconds until its reply begins, and its pace from there."""


@dataclass
class _Model:
    """What would be asked of one model at one endpoint."""

    chat: UncalledChat
    output_tokens: Counter[str] = field(default_factory=Counter[str])

    @property
    def n_calls(self) -> int:
        return self.chat.calls.total()

    @property
    def tokens(self) -> int:
        return self.chat.input_tokens.total() + self.output_tokens.total()

    def row(self, check: str, price: Price | None) -> Usage:
        asked, said = self.chat.input_tokens[check], self.output_tokens[check]
        usd = None if price is None else price.usd(input_tokens=asked, output_tokens=said)
        n_calls = self.chat.calls[check]
        return Usage(calls=n_calls, input_tokens=asked, output_tokens=said, usd=usd)

    def replies(self, judge: str, questions: tuple[Question, ...]) -> tuple[Reply, ...]:
        """What the model may say, its tokens counted."""
        checks = {question.check for question in questions}
        check = "evidence" if checks & {"components", "sufficiency", "identity"} else min(checks)
        self.output_tokens[check] += expected_tokens(questions)
        return tuple(expected_reply(question, judge) for question in questions)


@dataclass(frozen=True)
class Pace:
    """How fast calls are made: seconds a call (None: assumed), and the limits."""

    latency: float | None
    concurrency: int
    rpm: float | None
    tpm: float | None

    def seconds(self, models: Sequence[_Model]) -> dict[str, float]:
        """By what bounds it; the largest is the time that the calls take."""
        n_calls = sum(model.n_calls for model in models)
        said = sum(model.output_tokens.total() for model in models)
        waited = FIRST_TOKEN * n_calls + said / TOKENS_A_SECOND
        if self.latency is not None:
            waited = self.latency * n_calls
        bounds = {"latency": waited / self.concurrency}
        if self.rpm is not None:  # each model has limits of its own
            bounds["rpm"] = max((model.n_calls * 60 / self.rpm for model in models), default=0.0)
        if self.tpm is not None:
            bounds["tpm"] = max((model.tokens * 60 / self.tpm for model in models), default=0.0)
        return bounds


def estimate_files(
    inputs: Inputs, options: Options, *, out: Path, latency: float | None = None
) -> dict[str, Any]:
    """The estimate as a JSON object. Nothing is written, nobody is called.

    What the evaluation directory `out` holds, if it is there, is taken off: samples that are judged
    already, and replies in its cache. DataError and UsageError as for an evaluation.
    """
    found = checked_validation(inputs)
    models: dict[tuple[str, str], _Model] = {}

    def client(model: str, base_url: str | None) -> UncalledChat:
        chat = UncalledChat(model, base_url)
        return models.setdefault((chat.endpoint, model), _Model(chat)).chat

    settings = replace(options, budget=None).chat_settings(out)
    cache = settings.cache if (out / at.CACHE).exists() and not out.is_file() else None
    settings = replace(settings, client=client, cache=cache)
    judges = _uncalled(options, settings, models)
    known, notes = _known(out, judges, found.data_hash, fresh=options.fresh)

    async def work() -> tuple[int, Usage]:
        n_known, usage = 0, Usage()
        try:
            for sample, _ in inputs.flagged():
                if is_settled(known.get(sample.query_id), sample):
                    n_known += 1
                    continue
                said = await judge_sample(
                    sample, judges, settings=options.settings, corpus=found.corpus
                )
                usage = usage + said.usage
        finally:
            await judges.aclose()
        return n_known, usage

    n_known, from_cache = asyncio.run(work())
    pace = Pace(latency, options.concurrency, options.rpm, options.tpm)
    told = _told(list(models.values()), settings.prices, from_cache, pace)
    return {
        "schema_version": 1,
        "judge": judges.name,
        "n_samples": found.n_samples,
        "n_judged_before": n_known,
        **told,
        "notes": notes,
    }


def _uncalled(
    options: Options, settings: ChatSettings, models: dict[tuple[str, str], _Model]
) -> Judges:
    judges = parse_spec(
        options.judge,
        read_labels=read_labels,
        model=options.model,
        base_url=options.base_url,
        settings=settings,
    )
    for judge in judges.llms:
        model = models[judge.abilities["endpoint"], judge.model]
        judge.estimate(lambda asked, m=model, name=judge.name: m.replies(name, asked))
    return judges


def _known(
    out: Path, judges: Judges, data_hash: str, *, fresh: bool
) -> tuple[dict[str, Judgement], list[str]]:
    """What is judged already, if an evaluation into `out` would resume it."""
    if out.is_file():
        raise UsageError(f"-o {out}: is a file; name an evaluation directory")
    manifest = None if fresh else read_manifest(out)
    if manifest is None:
        return {}, []
    if (manifest.judge_version, manifest.data_hash) == (judges.version, data_hash):
        return at.read_judgements(out / at.VERDICTS), []
    told = f"{out} holds an evaluation of another judge or other data: its verdicts are not used"
    return {}, [told]


def _told(
    models: Sequence[_Model], prices: Prices, from_cache: Usage, pace: Pace
) -> dict[str, Any]:
    total = Usage(cached=from_cache.cached)
    by_check: dict[str, Usage] = {
        name: Usage(cached=usage.cached) for name, usage in from_cache.by_check.items()
    }
    rows: list[dict[str, Any]] = []
    for model in models:
        price = prices.of(model.chat.model)
        spent = Usage()
        for check in model.chat.calls:
            row = model.row(check, price)
            by_check[check] = by_check.get(check, Usage()) + row
            spent = spent + row
        total = total + spent
        rows.append(
            {
                "model": model.chat.model,
                "endpoint": model.chat.endpoint,
                **_figures(spent),
                "price": None
                if price is None
                else {"input": price.input, "cached": price.cached, "output": price.output},
            }
        )
    seconds = pace.seconds(models)
    return {
        **_figures(total),
        "seconds": max(seconds.values()),
        "seconds_by": seconds,
        "by_check": {name: _figures(usage) for name, usage in sorted(by_check.items())},
        "models": rows,
        "assumptions": _assumptions(pace),
    }


def _figures(usage: Usage) -> dict[str, Any]:
    kept = ("calls", "cached", "input_tokens", "output_tokens", "usd")
    return {name: getattr(usage, name) for name in kept}


def _assumptions(pace: Pace) -> list[str]:
    assumed = f"{FIRST_TOKEN:g} s and {TOKENS_A_SECOND:g} tokens a second"
    latency = assumed if pace.latency is None else f"{pace.latency:g} s, as given"
    return [
        f"tokens: in, UTF-8 bytes / {BYTES_A_TOKEN:g} of the prompts as sent (within a factor of "
        "1.6); out, those of typical replies (within a factor of 3; thinking is not counted)",
        "calls: one claim a sentence; no re-asks; of models one after another, the later are asked "
        "all; what a vendor's own cache may save is not taken off",
        f"time: a call takes {latency}; {pace.concurrency} at a time",
        f"prices: --price and --prices, else list prices of {shipped()[0]}",
    ]
