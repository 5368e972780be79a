"""Asks a judge about samples as they are and as they are changed, or about the same ones again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ragdiag.errors import UsageError
from ragdiag.evaluation.probes import ALL_CHECKS, Expects, Probe
from ragdiag.evaluation.run import Plan, evaluate_in_memory
from ragdiag.judging.specs import Judges
from ragdiag.records import Corpus, Label, Sample, SampleResult, Settings, Usage
from ragdiag.report.check_said import CheckSaid, said_of
from ragdiag.report.corrected import METRICS
from ragdiag.text.clusters import query_hash


@dataclass(frozen=True)
class Pair:
    """What a judge says of one check before and after a change."""

    cluster: str
    before: CheckSaid
    after: CheckSaid


@dataclass(frozen=True)
class Probed:
    """One probe over the samples: of each check, the pairs; `n_not_applicable` samples had nothing
    to change."""

    name: str
    what: str
    expects: Expects
    pairs: dict[str, list[Pair]]
    n_not_applicable: int


@dataclass(frozen=True)
class Asking:
    """Who is asked, and how."""

    judges: Judges
    settings: Settings
    corpus: Corpus | None = None
    concurrency: int = 8

    async def ask(
        self, samples: Sequence[Sample], judges: Judges | None = None
    ) -> tuple[list[SampleResult], Usage]:
        """The results of the samples, in order, and what they cost."""
        plan = Plan(
            settings=self.settings.model_copy(
                update={"metrics": tuple(METRICS.values()), "cluster": None}
            ),
            judges=judges or self.judges,
            corpus=self.corpus,
            concurrency=self.concurrency,
        )
        results, _ = await evaluate_in_memory(((one, ()) for one in samples), plan)
        return results, sum((one.cost for one in results), Usage())


async def run_probes(
    samples: Sequence[Sample],
    probes: Sequence[Probe],
    asking: Asking,
    *,
    told: Callable[[str], object] | None = None,
) -> tuple[list[Probed], Usage]:
    """Each probe on all samples, and what all calls cost. The samples as they are come first.

    Raises:
        UsageError: no samples, or a judge that is people alone.
    """
    _require_machine(asking.judges, samples)
    plain, cost = await asking.ask(samples)
    found: list[Probed] = []
    for probe in probes:
        if told is not None:
            told(probe.name)
        changed = {n: new for n, new in enumerate(_changed(samples, probe)) if new is not None}
        results, spent = await asking.ask(list(changed.values()))
        cost += spent
        pairs: dict[str, list[Pair]] = {check: [] for check in probe.checks}
        for n, result in zip(changed, results, strict=True):
            cluster = query_hash(samples[n])
            for check, listed in pairs.items():
                listed.append(Pair(cluster, said_of(plain[n], check), said_of(result, check)))
        found.append(
            Probed(probe.name, probe.what, probe.expects, pairs, len(samples) - len(changed))
        )
    return found, cost


def _changed(samples: Sequence[Sample], probe: Probe) -> Iterator[Sample | None]:
    """Each sample changed; the lender is the next sample of another question that has something to
    lend."""
    n = len(samples)
    for place, sample in enumerate(samples):
        new = probe.change(sample, None)
        for step in range(1, n) if new is None else ():
            lender = samples[(place + step) % n]
            if lender.query != sample.query:
                new = probe.change(sample, lender)
            if new is not None or step == _MOST_LENDERS:
                break
        yield new


_MOST_LENDERS = 50


async def ask_again(
    samples: Sequence[Sample], asking: Asking, repeats: Sequence[Judges]
) -> tuple[list[Label], dict[str, list[str]], Usage]:
    """The judge's labels of each repeat, as if repeats were annotators: those that it gave itself,
    not code or people. Beside them, by check, the reasons of those that it gave none for."""
    _require_machine(asking.judges, samples)
    labels: list[Label] = []
    missing: dict[str, list[str]] = {}
    cost = Usage()
    for number, judges in enumerate(repeats, 1):
        results, spent = await asking.ask(samples, judges)
        cost += spent
        for result in results:
            for check in ALL_CHECKS:
                said = said_of(result, check)
                if not said.asked:
                    continue
                if said.label is not None:
                    told: dict[str, Any] = {"query_id": result.query_id, "check": check}
                    labels.append(
                        Label.model_validate(
                            {**told, "label": said.label, "annotator": f"repeat {number}"}
                        )
                    )
                else:
                    missing.setdefault(check, []).append(said.why or "undecided")
    return labels, missing, cost


def _require_machine(judges: Judges, samples: Sequence[Sample]) -> None:
    if judges.machine is None:
        raise UsageError("people's labels are no judge to be asked again; name screen or llm")
    if not samples:
        raise UsageError("no samples: there is nothing to ask about")
