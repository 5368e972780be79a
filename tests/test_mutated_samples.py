"""Samples with any field broken in any way: each is a problem in words, or a sound result."""

from __future__ import annotations

import asyncio
import copy
import json
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest

from ragdiag.data.lines import Row, parse_row
from ragdiag.data.samples import read_sample
from ragdiag.diagnosis.explain import story
from ragdiag.evaluation import directory as at
from ragdiag.judging.specs import Judges, parse_spec
from ragdiag.pipeline import judge_sample, metric_kinds, score_sample
from ragdiag.records import Judgement, Sample, SampleResult, Settings
from ragdiag.report.summary import Summary
from tests.runs import row, rows

N = 600
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 7.0, 1e308, 10**30, "", " ", "007", "7", "1.0", "e\u0301", "\u202eabc",
    "<script>", "a\nb\u2028", "\x1b[31m", "[1]", "((((", "1,1,1", "٣٫١٤", "三百万", "x²", "$1.2 bn",
    [], [[]], {}, {"a": 1}, [None], ["x"], [{"passage_id": "p"}], [[{"passage_id": "p2017"}]],
    [["user", "hi"]], "I do not know.", "unanswerable", "NaN", "9" * 400, "FY2017", "yes",
    {"candidates": ["p2017"], "reranked": []}, [{"start": 0, "end": 3, "passage_id": "p2016"}],
)  # fmt: skip
FIELDS = (
    *row("q"), "history", "answerable", "qrels", "filter", "stages", "context", "citations",
    "cost_usd", "error",
)  # fmt: skip
SETTINGS = (
    Settings(),
    Settings(unit="document", k=(1,)),
    Settings(unit="page", require_citations=True, number_tolerance=0),
)


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else inner:
        yield from places(part, (*path, key))


def broken(chance: random.Random) -> dict[str, Any]:
    sample = copy.deepcopy(chance.choice(rows()))
    for _ in range(chance.choice((1, 1, 2, 4))):
        if chance.random() < 0.5:
            sample[chance.choice(FIELDS)] = copy.deepcopy(chance.choice(ODD))
            continue
        *way, last = chance.choice([path for path in places(sample) if path])
        around: Any = sample
        for key in way:
            around = around[key]
        around[last] = copy.deepcopy(chance.choice(ODD))
    return sample


@pytest.fixture(scope="module")
def judges() -> Judges:
    return parse_spec("screen", read_labels=lambda _: [])


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: s.unit)
def test_a_problem_or_a_sound_result(judges: Judges, settings: Settings) -> None:
    chance = random.Random(settings.unit)
    corpus = {"n_documents": None, "n_passages": None, "data_hash": None}
    judge = {"name": "screen", "version": "", "validated": {}}
    summary = Summary(settings=settings, metrics=metric_kinds(settings), judge=judge, corpus=corpus)
    n_problems = 0
    for number in range(N):
        line = json.dumps(broken(chance)).encode()
        (found,) = parse_row(line, "f", number)
        read = read_sample(found) if isinstance(found, Row) else None
        if read is None or read.sample is None:
            assert read is None or read.problems
            n_problems += 1
            continue
        sample = read.sample
        judgement = asyncio.run(judge_sample(sample, judges, settings=settings))
        result = score_sample(sample, judgement, settings=settings)
        sound(sample, judgement, result, settings)
        summary.add(result)
    assert 0 < n_problems < N
    report = json.loads(at.to_json(summary.report()))
    assert all(sum(one.values()) == N - n_problems for one in report["ledger"].values())


def sound(sample: Sample, judgement: Judgement, result: SampleResult, settings: Settings) -> None:
    """Strict JSON that is read back as it was, scores from 0 to 1, one code or X2 with its input."""
    text = result.model_dump_json()
    assert SampleResult.model_validate_json(text) == result
    json.dumps(result.model_dump(mode="json"), allow_nan=False)
    for score in result.scores.values():
        assert score.value is None or (math.isfinite(score.value) and 0 <= score.value <= 1)
    told = result.diagnosis
    if told.code is None:
        assert told.status_reason
    elif told.code == "X2":
        assert len(told.codes) > 1
        assert told.deciding_input
    else:
        assert told.codes == (told.code,)
    again = Sample.model_validate_json(at.sample_line(sample))
    kept = Judgement.model_validate_json(at.judgement_line(judgement))
    assert score_sample(again, kept, settings=settings) == result
    assert story(sample, result)
