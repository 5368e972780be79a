from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ragdiag
from ragdiag import DataError, IncompleteError, Label, Passage, Sample, Settings, UsageError
from ragdiag.judging.specs import Judges
from tests import ladders
from tests.runs import CountingJudge, row, rows, write


def test_dicts_samples_and_a_file_give_the_same(tmp_path: Path) -> None:
    source = write(tmp_path / "s.jsonl", rows())
    of_file = ragdiag.evaluate(source)
    of_text = ragdiag.evaluate(str(source))
    of_dicts = ragdiag.evaluate(rows())
    of_samples = ragdiag.evaluate(Sample.model_validate(one) for one in rows())
    assert [r.query_id for r in of_file.results] == ["right", "wrong", "missed", "only", "broken"]
    for other in (of_text, of_dicts, of_samples):
        assert other.results == of_file.results
        assert other.report == of_file.report
    assert {path.name for path in tmp_path.iterdir()} == {"s.jsonl"}


def test_results_are_found_by_id() -> None:
    found = ragdiag.evaluate([row("a"), row("b")])
    assert len(found) == 2
    assert found["b"].query_id == "b"
    assert found["a"].diagnosis.code == "K1"
    assert found.report["categories"]["K1"]["n"] == 2
    with pytest.raises(KeyError, match="c"):
        _ = found["c"]


def test_settings_corpus_and_labels(tmp_path: Path) -> None:
    passage = {"doc_id": "alder", "passage_id": "p2017", "text": "Revenue of Alder was $92017."}
    corpus = write(tmp_path / "c.jsonl", [passage])
    label = {"query_id": "a", "check": "answer_correctness", "label": "correct"}
    labels = write(tmp_path / "l.jsonl", [label])
    one = ragdiag.evaluate(
        [row("a")],
        corpus=corpus,
        labels=str(labels),
        settings=Settings(k=(2,), metrics=("recall",)),
    )
    assert set(one.report["metrics"]) == {"recall@2"}
    assert one.report["corpus"]["n_passages"] == 1
    assert one.report["agreement"]["answer_correctness"]["n"] == 1
    listed = [Label.model_validate(label)]
    assert ragdiag.evaluate([row("a")], labels=listed).report["agreement"]


@pytest.mark.parametrize("concurrency", [1, 16])
def test_concurrency_changes_nothing(concurrency: int) -> None:
    many = [{**one, "query_id": f"{one['query_id']}{i}"} for i in range(10) for one in rows()]
    assert ragdiag.evaluate(many, concurrency=concurrency) == ragdiag.evaluate(many)


def test_bad_samples_are_data_errors() -> None:
    with pytest.raises(DataError):
        ragdiag.evaluate([{"query_id": "a"}])
    with pytest.raises(DataError):
        ragdiag.evaluate([row("a"), row("a")])


def test_unknown_judges_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="no judge"):
        ragdiag.evaluate([row("a")], judge="oracle")


@pytest.mark.parametrize(
    ("samples", "fault", "said"),
    [
        (None, UsageError, "came NoneType"),
        (row("a"), UsageError, "came one mapping"),
        ([None], DataError, "samples:1: came null; expected a sample"),
        ([row("a"), "b"], DataError, 'samples:2: came "b"; expected a sample'),
    ],
)
def test_what_holds_no_samples(samples: Any, fault: type[Exception], said: str) -> None:
    with pytest.raises(fault, match=said):
        ragdiag.evaluate(samples)
    with pytest.raises(fault, match=said):
        ragdiag.collect(samples, str)


@pytest.mark.parametrize(
    ("work", "options"),
    [
        (ragdiag.evaluate, {"concurrency": 0}),
        (ragdiag.evaluate, {"max_errors": math.nan}),
        (ragdiag.evaluate, {"max_errors": 5}),
        (partial(ragdiag.collect, pipeline=print), {"concurrency": -1}),
        (partial(ragdiag.collect, pipeline=print), {"timeout": 0}),
        (partial(ragdiag.collect, pipeline=print), {"timeout": math.nan}),
    ],
)
def test_options_that_cannot_work(work: Callable[..., Any], options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        work([row("a")], **options)


def test_a_judge_of_ones_own_and_too_many_errors() -> None:
    judge = CountingJudge()
    judge.broken = {"a"}
    own = Judges(None, judge)
    with pytest.raises(IncompleteError):
        ragdiag.evaluate([row("a"), row("b")], judge=own)
    found = ragdiag.evaluate([row("a"), row("b")], judge=own, max_errors=1)
    assert found["a"].scores["faithfulness"].status == "error"
    assert found["b"].scores["faithfulness"].status == "scored"


def test_it_works_inside_a_running_loop_and_its_errors_come_through() -> None:
    async def notebook() -> None:
        assert ragdiag.evaluate([row("a")])["a"].diagnosis.code == "K1"
        with pytest.raises(DataError):
            ragdiag.evaluate([{"query_id": "a"}])
        assert len(await ragdiag.evaluate_async([row("a")])) == 1

    asyncio.run(notebook())


def test_a_query_that_the_run_lacks_cannot_occur_in_one_file(tmp_path: Path) -> None:
    source = write(tmp_path / "s.jsonl", [row("a")])
    assert ragdiag.evaluate(source)["a"].flags == ()


def test_many_evaluations_in_one_process() -> None:
    sample = Sample(query_id="q", query="?", retrieved=(Passage(passage_id="p"),))
    for _ in range(200):
        ragdiag.evaluate([sample], settings=Settings(metrics=("judged",)))


def test_collected_samples_are_evaluated() -> None:
    asked = [
        {"query_id": "a", "query": "Where?", "reference": ["Rome"]},
        {"query_id": "b", "query": "?"},
    ]

    def pipeline(query: str) -> dict[str, object]:
        if query == "?":
            raise ValueError("no question")
        return {"answer": "Rome", "retrieved": []}

    samples = ragdiag.collect(asked, pipeline)
    assert [sample.query_id for sample in samples] == ["a", "b"]
    assert (samples[0].answer, samples[1].error) == ("Rome", "ValueError: no question")
    assert ragdiag.evaluate(samples)["b"].diagnosis.code == "X1"


def test_in_a_running_loop_also_uvloops() -> None:
    """A notebook's cell runs inside of a loop: the plain functions work there, and the async ones
    on any loop."""
    uvloop = pytest.importorskip("uvloop")

    async def cell() -> tuple[int, int]:
        plain = ragdiag.evaluate(ragdiag.collect([{"query_id": "a", "query": "?"}], lambda q: q))
        samples = await ragdiag.collect_async([{"query_id": "a", "query": "?"}], lambda q: q)
        return len(plain), len(await ragdiag.evaluate_async(samples))

    assert asyncio.run(cell()) == (1, 1)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(cell()) == (1, 1)


def test_a_ladder_through_a_function() -> None:
    asked: list[int] = []

    def generate(question: str, passages: list[dict[str, Any]]) -> str:
        asked.append(len(passages))
        held = any("120 million" in one["text"] for one in passages)
        return "It produced 120 million barrels." if held else "I do not know."

    samples = [ladders.row("missed"), ladders.row("right", answer=ladders.RIGHT)]
    found = ragdiag.evaluate(samples, ladder=generate)
    told = found["missed"].diagnosis.proof["ladder"]
    assert (told["reading"], told["n_calls"]) == ("retrieval", 4)
    assert "ladder:retrieval" in found["missed"].diagnosis.flags
    assert asked[:4] == [0, 2, 3, 1]
    assert found.report["ladder"]["readings"]["retrieval"]["n"] == 1
    assert ragdiag.evaluate(samples).report["ladder"] is None
    with pytest.raises(UsageError, match="takes no passages"):
        ragdiag.evaluate(samples, ladder=lambda query: query)
