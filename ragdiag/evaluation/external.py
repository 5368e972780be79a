"""Scores of other tools in an evaluation directory: a log of their own, merged into the results.

external.jsonl   append-only, the resume log: one line a query and metric, the last one counts
external.json    by tool: version, model and settings that the scores were made with
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragdiag.errors import DataError
from ragdiag.evaluation import directory as at
from ragdiag.executors import in_order
from ragdiag.pipeline import sample_hash
from ragdiag.records import ExternalScore, Sample, SampleResult, missing

LAYER = "external"


@dataclass
class External:
    """What other tools said of an evaluation's samples.

    tools   by tool: the facts of its last run.
    scores  by query and metric.
    """

    tools: dict[str, Any] = field(default_factory=dict[str, Any])
    scores: dict[tuple[str, str], ExternalScore] = field(
        default_factory=dict[tuple[str, str], ExternalScore]
    )

    @property
    def metrics(self) -> tuple[str, ...]:
        """Every metric that any tool computed, by name."""
        return tuple(sorted({metric for _, metric in self.scores}))

    def kinds(self) -> dict[str, tuple[str, str]]:
        """(layer, direction) by metric, as a summary needs it."""
        return dict.fromkeys(self.metrics, (LAYER, "higher"))

    def of(self, sample: Sample, metric: str, asked_with: str) -> ExternalScore | None:
        """The score of this very sample by a tool that was asked in this very way."""
        found = self.scores.get((sample.query_id, metric))
        if found is None or found.asked_with != asked_with:
            return None
        return found if found.sample_hash == sample_hash(sample) else None

    def merged(self, sample: Sample, result: SampleResult) -> SampleResult:
        """The result with the scores of other tools; where a tool did not score this sample, or
        scored another text of it, the score is unscored (undecided)."""
        metrics = self.metrics
        if not metrics:
            return result
        seen = sample_hash(sample)
        scores = dict(result.scores)
        for metric in metrics:
            found = self.scores.get((sample.query_id, metric))
            if found is not None and found.sample_hash == seen:
                scores[metric] = found.score
            else:
                scores[metric] = missing("undecided")
        return result.model_copy(update={"scores": scores})


def read_external(directory: Path) -> External:
    """What other tools said; empty where none was asked. A torn last line is left out."""
    log = directory / at.EXTERNAL
    if not log.exists():
        return External()
    facts = directory / at.EXTERNAL_FACTS
    found = External(tools=at.read_json(facts) if facts.exists() else {})
    with log.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                break
            try:
                score = ExternalScore.model_validate_json(line)
            except ValueError as fault:
                raise DataError(
                    f"{log}:{number}: not a line of scores; take the line out"
                ) from fault
            found.scores[score.query_id, score.metric] = score
    return found


def external_line(score: ExternalScore) -> bytes:
    """A line of the log."""
    kept = score.model_dump(mode="json", exclude_defaults=True)
    kept["score"] = score.score.model_dump(mode="json")
    return json.dumps(kept, ensure_ascii=False, allow_nan=False).encode() + b"\n"


@dataclass(frozen=True)
class Tool:
    """Another tool, as it is asked.

    metrics     by name (TOOL:NAME), the hash of all that its scores rest on besides the sample.
    score       (metric, sample) -> its score; what the tool does wrong is in the score.
    facts       to keep beside the scores.
    """

    name: str
    metrics: Mapping[str, str]
    score: Callable[[str, Sample], Awaitable[ExternalScore]]
    facts: Mapping[str, Any]


async def ask_tool(
    directory: Path,
    tool: Tool,
    *,
    concurrency: int,
    on_done: Callable[[ExternalScore], object] | None = None,
) -> int:
    """Scores every sample of an evaluation by another tool, into its log; how many were asked.

    What stands in the log for this very sample, asked in this very way, is not asked again, unless
    it is an error. Rescoring then puts all into results and report.

    Raises:
        UsageError: another process is writing into the directory.
    """
    with at.sole_writer(directory):
        return await _ask(directory, tool, concurrency=concurrency, on_done=on_done)


async def _ask(
    directory: Path,
    tool: Tool,
    *,
    concurrency: int,
    on_done: Callable[[ExternalScore], object] | None,
) -> int:
    known = read_external(directory)
    at.cut_torn_line(directory / at.EXTERNAL)

    def left() -> Iterator[tuple[Sample, str]]:
        for sample in at.read_samples_copy(directory):
            for metric, asked_with in tool.metrics.items():
                found = known.of(sample, metric, asked_with)
                if found is None or found.score.status == "error":
                    yield sample, metric

    async def work(one: tuple[Sample, str]) -> ExternalScore:
        return await tool.score(one[1], one[0])

    asked = 0
    with (directory / at.EXTERNAL).open("ab") as log:
        async for score in in_order(left(), work, concurrency=concurrency):
            log.write(external_line(score))
            log.flush()
            asked += 1
            if on_done is not None:
                on_done(score)
    write_facts(directory, {**known.tools, tool.name: dict(tool.facts)})
    return asked


def write_facts(directory: Path, tools: Mapping[str, Any]) -> None:
    """Writes the tools' facts, whole."""
    at.write_atomically(directory / at.EXTERNAL_FACTS, at.to_json(tools))
