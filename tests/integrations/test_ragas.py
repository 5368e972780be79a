"""Ragas's metrics through ragdiag's calls: its own values, its faults named. Runs in `make ragas`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragdiag import Sample, evaluate
from ragdiag.chat.embeddings import OpenAIEmbeddings
from ragdiag.chat.stack import ChatSettings, open_chat
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from tests.runs import row, write
from tests.stub_server import Scripted, Seen, answering, completion

pytest.importorskip("ragas", reason="the extra `ragas` is not installed: make ragas")

from ragdiag.integrations import ragas as integration

pytestmark = pytest.mark.filterwarnings("ignore")  # of langchain and instructor

SAMPLE = Sample.model_validate(row("q", reference=["$92017"]))
Replies = dict[str, list[Any]]
"""By the name of the reply wanted: what the model says, call after call (the last one stays)."""


def responder(
    replies: Replies, vectors: Callable[[str], list[float]] | None = None
) -> Callable[[Seen], Scripted]:
    left = {name: list(given) for name, given in replies.items()}

    def respond(seen: Seen) -> Scripted:
        if seen.path.endswith("/embeddings"):
            assert vectors is not None
            usage = {"prompt_tokens": 3, "total_tokens": 3}
            return Scripted(
                body={"data": [{"embedding": vectors(seen.body["input"])}], "usage": usage}
            )
        if seen.path.endswith("/models"):
            return Scripted(body={"data": [{"id": "m"}, {"id": "e"}]})
        name = seen.body["response_format"]["json_schema"]["name"]
        given = left[name]
        said = given.pop(0) if len(given) > 1 else given[0]
        return completion(said if isinstance(said, str) else json.dumps(said))

    return respond


def ask(
    name: str, replies: Replies, sample: Sample = SAMPLE, vectors: Any = None
) -> integration.RagasScore:
    async def once(url: str) -> integration.RagasScore:
        settings = ChatSettings(attempts=1)
        chat = open_chat("m", url, settings=settings)
        embeddings = open_chat("e", url, settings=settings, client=OpenAIEmbeddings)
        asked = integration.Ragas(integration.chosen_metrics([name]), chat, embeddings)
        try:
            return await asked.score(asked.metrics[0], sample)
        finally:
            await chat.aclose()
            await embeddings.aclose()

    with answering(responder(replies, vectors)) as server:
        return asyncio.run(once(server.url))


def verdicts(*numbers: int) -> Any:
    return {
        "statements": [
            {"statement": f"s{i}", "reason": "r", "verdict": v} for i, v in enumerate(numbers)
        ]
    }


def statements(n: int) -> Any:
    return {"statements": [f"s{i}" for i in range(n)]}


def precision(*numbers: int) -> list[Any]:
    return [{"reason": "r", "verdict": number} for number in numbers]


def attributed(*numbers: int) -> Any:
    return {
        "classifications": [{"statement": "s", "reason": "r", "attributed": n} for n in numbers]
    }


@pytest.mark.parametrize(
    ("name", "replies", "value"),
    [
        ("faithfulness", {"StatementGeneratorOutput": [statements(4)], "NLIStatementOutput": [verdicts(1, 1, 0, 1)]}, 3 / 4),
        ("context_recall", {"ContextRecallOutput": [attributed(1, 0, 1)]}, 2 / 3),
        # by ragas's definition: the sum of the precisions at relevant ranks over the relevant found
        ("context_precision", {"ContextPrecisionOutput": precision(1, 0, 1)}, (1 + 2 / 3) / 2),
        ("context_precision", {"ContextPrecisionOutput": precision(0, 0, 0)}, 0.0),
    ],
)  # fmt: skip
def test_values_by_hand(name: str, replies: Replies, value: float) -> None:
    found = ask(name, replies)
    assert found.detail == ""
    assert found.score.value == pytest.approx(value, abs=1e-9)
    assert found.usage.calls == (
        3 if name == "context_precision" else 2 if name == "faithfulness" else 1
    )


def test_answer_relevancy_asks_three_questions_and_embeds() -> None:
    """Three draws of one prompt are three calls; the mean cosine to the query, by hand."""

    def vectors(text: str) -> list[float]:
        return {"near": [1.0, 1.0], "far": [0.0, 2.0]}.get(text, [1.0, 0.0])

    same = {"question": SAMPLE.query, "noncommittal": 0}
    replies = {
        "AnswerRelevanceOutput": [
            same,
            {"question": "near", "noncommittal": 0},
            {"question": "far", "noncommittal": 0},
        ]
    }
    found = ask("answer_relevancy", replies, vectors=vectors)
    assert found.score.value == pytest.approx((1 + 2**-0.5 + 0) / 3, abs=1e-9)
    assert found.usage.calls == 3 + 4


@pytest.mark.parametrize("numbers", [(1, 0, 1), (1, 1, 1), (0, 1, 0), (0, 0, 1)])
def test_the_same_as_ragas_itself(numbers: tuple[int, ...]) -> None:
    """Its own class over the same scripted replies, without ragdiag below it."""
    from ragas.llms.base import InstructorBaseRagasLLM  # noqa: PLC0415
    from ragas.metrics.collections import ContextPrecision  # noqa: PLC0415

    class Said(InstructorBaseRagasLLM):
        def __init__(self) -> None:
            self.left = list(precision(*numbers))

        def generate(self, prompt: str, response_model: Any) -> Any:
            raise NotImplementedError

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            return response_model.model_validate(self.left.pop(0))

    contexts = [passage.text for passage in SAMPLE.retrieved or ()]
    asked = ContextPrecision(llm=Said()).ascore(
        user_input=SAMPLE.query, reference=SAMPLE.reference[0], retrieved_contexts=contexts
    )
    own = asyncio.run(asked).value
    ours = ask("context_precision", {"ContextPrecisionOutput": precision(*numbers)}).score.value
    assert ours == pytest.approx(own, abs=1e-9)


def test_documented_disagreements() -> None:
    """Where ragas's number is not what its name says, and what ragdiag does about it."""
    # average precision over what was found, not over what is relevant: one relevant passage found of two is 1
    lost = SAMPLE.model_copy(
        update={
            "gold": Sample.model_validate(
                row("q", gold=[[{"passage_id": "p2015"}, {"passage_id": "absent"}]])
            ).gold
        }
    )
    theirs = ask(
        "context_precision", {"ContextPrecisionOutput": precision(1, 0, 0)}, lost
    ).score.value
    assert theirs == pytest.approx(1.0, abs=1e-9)
    assert evaluate([lost]).report["metrics"]["ap@3"]["value"] == pytest.approx(0.5)
    # a perfect list is 0.9999999999, since 1e-10 is added below the line: kept as it is
    assert theirs != 1.0
    # three statements and one verdict: ragas 1.0, here unscored
    short = ask(
        "faithfulness",
        {"StatementGeneratorOutput": [statements(3)], "NLIStatementOutput": [verdicts(1)]},
    )
    assert (short.score.reason, short.detail) == (
        "missing_field",
        "missing_field: 1 verdicts on 3 statements",
    )
    # a verdict of 7 counts as faithful there, and as out of range here
    odd = ask(
        "faithfulness",
        {"StatementGeneratorOutput": [statements(2)], "NLIStatementOutput": [verdicts(7, 1)]},
    )
    assert odd.score.reason == "out_of_range"
    # precision with a verdict of 2 would exceed its range
    assert (
        ask("context_precision", {"ContextPrecisionOutput": precision(2, 0, 1)}).score.reason
        == "out_of_range"
    )
    # no statement: NaN there, not applicable here
    none = ask(
        "faithfulness",
        {"StatementGeneratorOutput": [statements(0)], "NLIStatementOutput": [verdicts()]},
    )
    assert (none.score.status, none.score.reason) == ("not_applicable", "no_claims")
    # an empty verdict list is NaN there
    empty = ask("context_recall", {"ContextRecallOutput": [attributed()]})
    assert (empty.score.status, empty.score.reason) == ("unscored", "undecided")


@pytest.mark.parametrize(
    ("changes", "name", "reason"),
    [
        ({"answer": None}, "faithfulness", "no_answer"),
        ({"reference": None}, "context_recall", "no_reference"),
        ({"retrieved": None}, "faithfulness", "no_context"),
        ({"retrieved": ["p1"]}, "faithfulness", "missing_field"),
        ({"error": "the index is down"}, "faithfulness", "pipeline_error"),
        ({"gold": None}, "summary_score", "no_gold"),
    ],
)
def test_what_a_sample_lacks_is_a_reason_and_costs_nothing(
    changes: Any, name: str, reason: str
) -> None:
    found = ask(name, {}, Sample.model_validate(row("q", **changes)))
    assert (found.score.value, found.score.reason, found.usage.calls) == (None, reason, 0)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("I cannot help with that.", "judge_refused"),
        ("The context says so.", "parse_failure"),
        ("", "empty_reply"),
        ({"classifications": [{"statement": "s"}]}, "missing_field"),
        (
            {"classifications": [{"statement": "s", "reason": "r", "attributed": "maybe"}]},
            "parse_failure",
        ),
    ],
)
def test_a_reply_that_cannot_be_read_is_asked_again_once(said: Any, reason: str) -> None:
    found = ask("context_recall", {"ContextRecallOutput": [said]})
    assert (found.score.value, found.score.reason) == (None, reason)
    mended = ask("context_recall", {"ContextRecallOutput": [said, attributed(1)]})
    assert mended.score.value == 1.0


def test_a_fence_around_the_reply_is_no_fault() -> None:
    said = "```json\n" + json.dumps(attributed(1, 0)) + "\n```"
    assert ask("context_recall", {"ContextRecallOutput": [said]}).score.value == 0.5


def test_a_server_that_fails_is_an_error() -> None:
    async def once(url: str) -> integration.RagasScore:
        chat = open_chat("m", url, settings=ChatSettings(attempts=1))
        asked = integration.Ragas(integration.chosen_metrics(["context_recall"]), chat)
        try:
            return await asked.score(asked.metrics[0], SAMPLE)
        finally:
            await chat.aclose()

    with answering(lambda _: Scripted(503, "busy")) as server:
        found = asyncio.run(once(server.url))
    assert (found.score.status, found.score.reason) == ("error", "server")


FOUR: Replies = {
    "StatementGeneratorOutput": [statements(2)],
    "NLIStatementOutput": [verdicts(1, 0)],
    "ContextPrecisionOutput": precision(1),
    "ContextRecallOutput": [attributed(1, 1)],
    "AnswerRelevanceOutput": [{"question": "What?", "noncommittal": 0}],
}


def test_fifty_samples_stand_in_the_report_and_a_second_run_makes_no_call(tmp_path: Path) -> None:
    from ragdiag.cli.main import app  # noqa: PLC0415

    samples = [
        row(f"q{n}", query=f"What was the revenue of Alder in 2017 ({n})?") for n in range(49)
    ]
    samples.append(row("lacks", reference=None))
    out = tmp_path / "out"
    evaluate_files(Inputs(samples=(write(tmp_path / "s.jsonl", samples),)), Options(), out=out)
    before = json.loads((out / "report.json").read_text())["metrics"]["faithfulness"]
    with answering(responder(FOUR, lambda _: [3.0, 4.0])) as server:
        command = [
            "ragas",
            str(out),
            "--model",
            "m",
            "--base-url",
            server.url,
            "--embedding-model",
            "e",
        ]
        first = CliRunner().invoke(app, command, catch_exceptions=False)
        assert first.exit_code == 0, first.output
        assert "200 scores asked for" in first.output
        calls = len(server.seen)
        second = CliRunner().invoke(app, command, catch_exceptions=False)
        assert "0 scores asked for" in second.output
        asked_again = [seen for seen in server.seen[calls:] if seen.method == "POST"]
        assert asked_again == []
        (out / "external.jsonl").unlink()  # what is left is the cache of replies
        third = CliRunner().invoke(app, command, catch_exceptions=False)
        assert "200 scores asked for" in third.output
        assert [seen for seen in server.seen[calls:] if seen.method == "POST"] == []
    report = json.loads((out / "report.json").read_text())
    value = {
        name.removeprefix("ragas:"): row for name, row in report["metrics"].items() if ":" in name
    }
    assert {name: round(row["value"], 6) for name, row in value.items()} == {
        "answer_relevancy": 1.0, "context_precision": 1.0, "context_recall": 1.0, "faithfulness": 0.5,
    }  # fmt: skip
    assert value["context_recall"]["reasons"] == {"no_reference": 1}
    assert report["ledger"]["ragas:context_recall"] == {
        "scored": 49, "not_applicable": 1, "unscored": 0, "error": 0,
    }  # fmt: skip
    assert report["metrics"]["faithfulness"] == before
    assert report["external"]["ragas"]["model"] == "m"
    assert report["stages"] == {}
    assert "ragas:faithfulness" in (out / "report.html").read_text()
    assert "ragas:faithfulness" in first.output


def test_errors_end_with_three_and_are_asked_again(tmp_path: Path) -> None:
    from ragdiag.cli.main import app  # noqa: PLC0415

    out = tmp_path / "out"
    evaluate_files(Inputs(samples=(write(tmp_path / "s.jsonl", [row("q")]),)), Options(), out=out)
    good = responder(FOUR)
    broken = [True]

    def respond(seen: Seen) -> Scripted:
        return (
            Scripted(400, {"error": {"message": "bad"}})
            if broken[0] and seen.method == "POST"
            else good(seen)
        )

    from ragdiag.errors import IncompleteError  # noqa: PLC0415

    with answering(respond) as server:
        command = [
            "ragas",
            str(out),
            "--model",
            "m",
            "--base-url",
            server.url,
            "--metrics",
            "context_recall",
        ]
        first = CliRunner().invoke(app, command)
        assert isinstance(first.exception, IncompleteError)
        broken[0] = False
        second = CliRunner().invoke(app, command, catch_exceptions=False)
    assert second.exit_code == 0
    assert "1 score asked for" in second.output


def test_what_cannot_work_is_refused() -> None:
    from ragdiag.errors import UsageError  # noqa: PLC0415

    with pytest.raises(UsageError, match="no metric 'faithfullness'"):
        integration.chosen_metrics(["faithfullness"])
    chat = open_chat("m", "http://127.0.0.1:9/v1", settings=ChatSettings())
    with pytest.raises(UsageError, match="needs embeddings: --embedding-model"):
        integration.Ragas(integration.chosen_metrics(["answer_relevancy"]), chat)
