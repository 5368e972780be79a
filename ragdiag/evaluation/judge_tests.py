"""Repeats and probes of a judge on an evaluation or on sample files: read, ask, report."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragdiag.chat.stack import ChatSettings
from ragdiag.data.native import read_samples
from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.manifest import read_manifest
from ragdiag.evaluation.probes import PROBES, Probe
from ragdiag.evaluation.probing import Asking, ask_again, run_probes
from ragdiag.evaluation.rescoring import open_corpus
from ragdiag.judging.specs import Judges, parse_repeats
from ragdiag.records import Corpus, Sample, Settings, Usage
from ragdiag.report.probed import probe_rows
from ragdiag.report.repeated_checks import repeat_rows

_SCHEMA = 1


@dataclass(frozen=True)
class Source:
    """What a judge is tested on: samples, how they were evaluated, and by whom."""

    samples: tuple[Sample, ...]
    n_given: int
    settings: Settings
    corpus: Corpus | None
    judge: str
    cache: Path | None


def read_source(place: Path, *, judge: str | None, n: int | None) -> Source:
    """An evaluation directory (its samples, settings, corpus, judge and cache), or a sample file.

    judge  in place of the directory's own; of a file: "screen" where absent.
    n      that many samples, drawn by a hash of their ids: the same ones whatever their order.

    Raises:
        UsageError: nothing there, or no samples. DataError: they cannot be read.
    """
    if not place.exists():
        raise UsageError(f"{place} is not there; give an evaluation directory or a sample file")
    if place.is_dir():
        manifest = read_manifest(place)
        if manifest is None:
            raise UsageError(f"{place} is no evaluation directory: it has no {at.MANIFEST}")
        samples = tuple(at.read_samples_copy(place))
        corpus, cache = open_corpus(None, manifest), place / at.CACHE
        settings, spec = manifest.settings, judge or manifest.judge_spec
    else:
        samples = tuple(read_samples(place))
        settings, corpus, cache, spec = Settings(), None, None, judge or "screen"
    drawn = _drawn(samples, n)
    if not drawn:
        raise UsageError(f"{place} holds no samples: there is nothing to ask about")
    return Source(drawn, len(samples), settings, corpus, spec, cache)


def _drawn(samples: Sequence[Sample], n: int | None) -> tuple[Sample, ...]:
    if n is None or n >= len(samples):
        return tuple(samples)
    ranked = sorted(samples, key=lambda one: hashlib.sha256(one.query_id.encode()).digest())
    kept = {one.query_id for one in ranked[:n]}
    return tuple(one for one in samples if one.query_id in kept)


def probes_named(names: Iterable[str] | None) -> tuple[Probe, ...]:
    """The probes of these names, all for None; UsageError names those that there are."""
    if names is None:
        return PROBES
    known = {one.name: one for one in PROBES}
    asked = list(names)
    unknown = [name for name in asked if name not in known]
    if unknown or not asked:
        raise UsageError(f"no probe {', '.join(unknown) or 'named'}; there are {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(asked))


def probe(
    source: Source,
    judges: Judges,
    probes: Sequence[Probe],
    *,
    concurrency: int = 8,
    told: Callable[[str], object] | None = None,
) -> dict[str, Any]:
    """What judge-probe.json holds: `rows` of `probed.probe_rows`."""
    asking = Asking(judges, source.settings, source.corpus, concurrency)

    async def asked() -> dict[str, Any]:
        found, cost = await run_probes(source.samples, probes, asking, told=told)
        return {**_facts(source, judges, cost), "rows": probe_rows(found)}

    return asyncio.run(_closing(asked(), (judges,)))


def repeat(source: Source, repeats: Sequence[Judges], *, concurrency: int = 8) -> dict[str, Any]:
    """What judge-repeat.json holds: `checks` of `repeated_checks.repeat_rows`."""
    first = repeats[0]
    asking = Asking(first, source.settings, source.corpus, concurrency)

    async def asked() -> dict[str, Any]:
        labels, missing, cost = await ask_again(source.samples, asking, repeats)
        return {
            **_facts(source, first, cost),
            "n_repeats": len(repeats),
            "deterministic": not first.llms,
            "checks": repeat_rows(labels, missing, n_repeats=len(repeats)),
        }

    return asyncio.run(_closing(asked(), repeats))


def judges_of(
    source: Source,
    times: int,
    *,
    model: str | None,
    base_url: str | None,
    concurrency: int,
) -> tuple[Judges, ...]:
    """The judge, as often as it is to be asked; replies are kept in the directory's cache."""
    settings = ChatSettings(concurrency=concurrency, cache=source.cache)
    return parse_repeats(source.judge, times, model=model, base_url=base_url, settings=settings)


async def _closing(
    work: Coroutine[Any, Any, dict[str, Any]], judges: Iterable[Judges]
) -> dict[str, Any]:
    try:
        return await work
    finally:
        for one in judges:
            await one.aclose()


def _facts(source: Source, judges: Judges, cost: Usage) -> dict[str, Any]:
    return {
        "schema_version": _SCHEMA,
        "judge": {"name": judges.name, "version": judges.version},
        "n_samples": len(source.samples),
        "n_given": source.n_given,
        "cost": cost.model_dump(mode="json"),
    }
