"""pytest: the fixture `ragdiag`, whose gates are assertions that name the failing queries.

    def test_rag(ragdiag):
        evaluation = ragdiag.evaluate("run.jsonl", corpus="corpus.jsonl")
        ragdiag.gate(evaluation, "complete_evidence@5>=0.8", "A1.share<=0.05")

Loaded by pytest itself; it imports nothing heavy before the fixture is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ragdiag.api import Evaluation, Samples
    from ragdiag.records import Sample
    from ragdiag.report.gates import On, Outcome

_MOST_QUERIES = 5
_KEY = pytest.StashKey[list[str]]()


class Ragdiag:
    """What the fixture gives: evaluate or load, then hold the result to its gates."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def evaluate(self, samples: Samples, **options: Any) -> Evaluation:
        """`ragdiag.evaluate`."""
        from ragdiag.api import evaluate  # noqa: PLC0415 - heavy

        return evaluate(samples, **options)

    def collect(self, queries: Samples, pipeline: Any, **options: Any) -> list[Sample]:
        """`ragdiag.collect`; a pipeline may also be named, as on the command line."""
        from ragdiag.api import collect  # noqa: PLC0415 - heavy

        return collect(queries, pipeline, **options)

    def load(self, directory: str | Path) -> Evaluation:
        """What `ragdiag evaluate … -o DIRECTORY` wrote."""
        from ragdiag.api import load  # noqa: PLC0415 - heavy

        return load(directory)

    def gate(
        self,
        evaluation: Evaluation,
        *conditions: str,
        on: On = "bound",
        min_coverage: float = 0.8,
    ) -> None:
        """Fails the test unless every condition holds; the message names the queries against it.

        conditions    "recall@10>=0.8", "A1.share<=0.05", "retrieval.share<=20%".
        on            "bound": the whole 95% interval has to keep it; "value": the mean alone.
        min_coverage  share (0-1) of the applicable queries that must be scored.
        A condition that cannot be read, or names nothing in the report, fails the test too.
        """
        __tracebackhide__ = True
        from ragdiag.errors import UsageError  # noqa: PLC0415
        from ragdiag.report.gates import decide, parse_condition  # noqa: PLC0415 - heavy

        if not conditions:
            pytest.fail(
                "gate() needs a condition: ragdiag.gate(evaluation, 'recall@5>=0.8')", False
            )
        try:
            outcomes = [
                decide(
                    evaluation.report,
                    parse_condition(text),
                    evaluation.results,
                    on=on,
                    min_coverage=min_coverage,
                )
                for text in conditions
            ]
        except UsageError as fault:  # a slip in the test: its message says all
            pytest.fail(str(fault), pytrace=False)
        self._config.stash.setdefault(_KEY, []).extend(
            f"{'passed' if one.passed else 'FAILED'} {one.why}" for one in outcomes
        )
        failed = [one for one in outcomes if not one.passed]
        if failed:
            pytest.fail("\n".join(_told(evaluation, failed, len(outcomes))), pytrace=False)


@pytest.fixture(scope="session")
def ragdiag(request: pytest.FixtureRequest) -> Ragdiag:
    """Evaluates runs and holds them to gates; see the module's docstring."""
    return Ragdiag(request.config)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """All gates with their numbers at the end, also those that hold."""
    lines = config.stash.get(_KEY, None)
    if lines:
        terminalreporter.section("ragdiag gates")
        for line in lines:
            terminalreporter.write_line(line)


def _told(evaluation: Evaluation, failed: list[Outcome], n: int) -> list[str]:
    lines = [f"{len(failed)} of {n} gates failed"]
    for outcome in failed:
        lines.append(f"  {outcome.why}")
        lines += [f"    {line}" for line in _queries(evaluation, outcome)]
    return lines


def _queries(evaluation: Evaluation, outcome: Outcome) -> list[str]:
    lines: list[str] = []
    for query_id in outcome.query_ids[:_MOST_QUERIES]:
        result = evaluation[query_id]
        score = result.scores.get(outcome.condition.name)
        shown = (
            ""
            if score is None
            else f" {score.reason if score.value is None else f'{score.value:.3f}'}"
        )
        told = result.diagnosis
        what = f"{told.code} {told.name}" if told.code else told.status_reason or "no diagnosis"
        fix = f" (fix: {told.fix})" if told.fix else ""
        lines.append(f"{query_id}{shown}: {what}{fix}")
    more = len(outcome.query_ids) - _MOST_QUERIES
    return [*lines, f"… {more} more"] if more > 0 else lines
