"""The judge's words are those that went over the wire; what cannot be shown says why."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ragdiag.evaluation import directory as at
from ragdiag.evaluation.exchanges import reading_exchanges
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.report.page_judged import Exchange
from tests import halls
from tests.stub_server import Scripted, Seen, StubServer, answering, completion

CHECKS = {"claims", "support", "correctness", "sufficiency", "identity"}


def good(seen: Seen) -> Scripted:
    if seen.method == "GET":
        return Scripted(body={"object": "list", "data": [{"id": "m"}]})
    return completion(json.dumps(halls.said(seen.body)))


def evaluated(
    folder: Path, respond: Callable[[Seen], Scripted] = good, *, n: int = 2, judge: str = "llm"
) -> tuple[Path, StubServer]:
    out = folder / "out"
    with answering(respond) as server:
        options = Options(judge=judge, model="m", base_url=server.url)
        evaluate_files(Inputs(samples=(halls.samples(folder, n),)), options, out=out)
    return out, server


def exchanges(out: Path) -> dict[str, tuple[Exchange, ...]]:
    verdicts = at.read_judgements(out / at.VERDICTS)
    with reading_exchanges(out) as of:
        return {
            one.query_id: of(one, verdicts.get(one.query_id)) for one in at.read_samples_copy(out)
        }


def sent(server: StubServer) -> list[list[tuple[str, str]]]:
    bodies = (seen.body for seen in server.seen if seen.method == "POST")
    return [[(m["role"], m["content"]) for m in body["messages"]] for body in bodies]


def test_prompts_and_replies_are_those_that_went_over_the_wire(tmp_path: Path) -> None:
    out, server = evaluated(tmp_path)
    found = exchanges(out)  # the server is gone
    assert [len(of_one) for of_one in found.values()] == [4, 4]
    told = [one for of_one in found.values() for one in of_one]
    assert sorted(list(one.prompt) for one in told) == sorted(sent(server))
    for one in told:
        assert (one.judge, one.model, one.missing) == ("llm:m", "stub-model-2", "")
        assert "Hall-" in str(one.prompt)
    assert {check for one in found["q0"] for check in one.checks} == CHECKS
    [support] = [one for one in found["q1"] if one.checks == ("support",)]
    assert json.loads(support.reply or "")["findings"][0]["quote"] == "painted by Mira Solberg"


def test_a_question_that_was_put_again_shows_both_replies(tmp_path: Path) -> None:
    broken: list[str] = []

    def respond(seen: Seen) -> Scripted:
        if seen.method == "POST" and halls.kind(seen.body) == "correctness" and not broken:
            broken.append("once")
            return completion('{"verdict": "superb"}')
        return good(seen)

    out, server = evaluated(tmp_path, respond, n=1)
    found = exchanges(out)["q0"]
    assert sorted(list(one.prompt) for one in found) == sorted(sent(server))
    first, second = [one for one in found if one.checks == ("correctness",)]
    assert first.reply == '{"verdict": "superb"}'
    assert second.prompt[: len(first.prompt)] == first.prompt
    assert second.prompt[len(first.prompt)] == ("assistant", '{"verdict": "superb"}')


@pytest.mark.parametrize(
    ("judge", "n"),
    [
        ("llm:m", 4),  # claims, support, evidence, correctness
        ("cascade:screen,llm", 2),  # what code and the screen leave open: support, evidence
        ("jury:3*llm", 10),  # the claims are one member's; all else is everybody's
    ],
)
def test_of_several_judges_all_that_was_said_is_there(tmp_path: Path, judge: str, n: int) -> None:
    out, server = evaluated(tmp_path, n=1, judge=judge)
    found = exchanges(out)["q0"]
    assert sorted(list(one.prompt) for one in found) == sorted(sent(server))
    assert len(found) == n
    assert not any(one.missing for one in found)


def test_where_no_model_was_asked_there_is_none_and_no_cache_is_made(tmp_path: Path) -> None:
    out = tmp_path / "out"
    evaluate_files(Inputs(samples=(halls.samples(tmp_path, 2),)), Options(), out=out)
    assert exchanges(out) == {"q0": (), "q1": ()}
    assert not (out / at.CACHE).exists()


def test_what_is_gone_or_cannot_be_made_again_says_so(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path, n=1)
    whole = exchanges(out)["q0"]
    with sqlite3.connect(out / at.CACHE) as file:
        file.execute("DELETE FROM replies WHERE reply LIKE '%findings%'")
    file.close()
    found = {one.checks: one for one in exchanges(out)["q0"]}
    assert len(found) == len(whole)
    lost = found["support",]
    assert (lost.prompt, lost.reply, lost.judge) == ((), None, "llm:m")
    assert lost.missing == "its reply is not in the cache any more"

    manifest = json.loads((out / at.MANIFEST).read_text())
    (out / at.MANIFEST).write_text(json.dumps({**manifest, "judge_version": "older"}))
    by_others = {one.checks: one for one in exchanges(out)["q0"]}
    assert by_others["correctness",].reply == found["correctness",].reply
    assert by_others["correctness",].prompt == ()
    assert "have changed since" in by_others["correctness",].missing

    (out / at.CACHE).unlink()
    for suffix in ("-wal", "-shm"):
        (out / (at.CACHE + suffix)).unlink(missing_ok=True)
    for one in exchanges(out)["q0"]:
        assert (one.prompt, one.reply) == ((), None)
        assert one.missing == "not kept: judge-cache.sqlite is not in the evaluation directory"
    assert not (out / at.CACHE).exists()


def test_a_corpus_that_is_gone_leaves_the_replies(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path, n=1)
    manifest = json.loads((out / at.MANIFEST).read_text())
    manifest["inputs"]["corpus"] = [str(tmp_path / "gone.jsonl")]
    (out / at.MANIFEST).write_text(json.dumps(manifest))
    for one in exchanges(out)["q0"]:
        assert one.reply is not None
        assert "gone.jsonl of this evaluation is not there" in one.missing


def test_a_cache_that_cannot_be_used_is_no_end(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path, n=1)
    (out / at.CACHE).write_bytes(b"no database" * 100)
    for suffix in ("-wal", "-shm"):
        (out / (at.CACHE + suffix)).unlink(missing_ok=True)
    for one in exchanges(out)["q0"]:
        assert one.reply is None
        assert "cannot be used" in one.missing


def test_a_reply_that_is_damaged_says_so_and_leaves_the_others(tmp_path: Path) -> None:
    out, _ = evaluated(tmp_path, n=1)
    with sqlite3.connect(out / at.CACHE) as file:
        file.execute("UPDATE replies SET reply = '{' WHERE reply LIKE '%findings%'")
    file.close()
    found = {one.checks: one for one in exchanges(out)["q0"]}
    assert "cannot be read" in found["support",].missing
    assert found["claims",].prompt
    assert all(one.reply for checks, one in found.items() if checks != ("support",))
