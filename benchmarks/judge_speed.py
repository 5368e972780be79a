"""What the chat stack costs beside a bare client, against a local server of known latency.

    python benchmarks/judge_speed.py [--calls 2000] [--latency 0.2] [--concurrency 32] [--save FILE]

The server runs in a process of its own. All rows of a table are of one run on one machine: read the
ratios. CPU is that of the client's process; a bare call is `AsyncOpenAI.chat.completions.create`
under tenacity and `json.loads` of what came back; ragdiag's is a whole question to the judge, with
prompt, fences, all layers, strict parser and quotes checked. With `openai[aiohttp]` (the extra
`fast`) ragdiag uses aiohttp; so does one of the bare rows. With the extra `ragas`, its metrics run
on the same samples.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

QUOTE = "The ceiling of the hall was painted by Mira Solberg in 1931"
CLAIMS = tuple(f"{QUOTE}, as {who}." for who in ("it is told", "is known", "was said", "we read"))
FILLER = "The floor is of oak, the walls are of stone, and the windows look out on the river. "
ANSWER = " ".join(CLAIMS)
N_PASSAGES = 5
WARM_UP = 64
Rows = dict[str, dict[str, float]]
"""Figures by the name of a row."""


@dataclass(frozen=True)
class Figures:
    """Of n calls: CPU milliseconds each, and seconds by the clock of all."""

    name: str
    n: int
    cpu: float
    wall: float


# ---- the server, in its own process -----------------------------------------------------------


def said(schema: dict[str, Any]) -> dict[str, Any]:
    """A whole reply to whichever of ragdiag's questions has this schema."""
    found: dict[str, Any] = {"reason": "Passage 1 states it.", "quote": QUOTE, "quote_passage": 1}
    parts: dict[str, Any] = {
        "findings": [
            {**found, "claim_id": f"c{n}", "supporting": [1], "joint": [], "verdict": "supported"}
            for n in range(1, len(CLAIMS) + 1)
        ],
        "claims": [
            {"claim_id": f"c{n}", "text": text, "quote": text, "needs_citation": True}
            for n, text in enumerate(CLAIMS, start=1)
        ],
        "components": [{**found, "component_id": "k1", "component": "the painter", "found": True}],
        "passages": [
            {"passage": n, "reason": "r", "quote": None, "field": None, "verdict": "right"}
            for n in range(1, N_PASSAGES + 1)
        ],
        "sufficiency": {**found, "verdict": "sufficient"},
        "verdict": "correct",
        "reason": found["reason"],
        "quote": QUOTE,
        "abstains": False,
    }
    return {name: parts[name] for name in schema.get("properties", {}) if name in parts}


def completion(text: str) -> bytes:
    """An HTTP response that holds a chat completion, with the headers that vendors send."""
    message = {"role": "assistant", "content": text, "refusal": None}
    body = json.dumps(
        {
            "id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1100, "completion_tokens": 300, "total_tokens": 1400},
        }
    ).encode()  # fmt: skip
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nx-request-id: 1\r\n"
        "x-ratelimit-remaining-requests: 9999\r\nx-ratelimit-reset-requests: 6ms\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Answering(asyncio.Protocol):
    """Answers each request after the latency; what it says is read from the schema asked for."""

    n_calls = 0

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.known: dict[bytes, bytes] = {}
        self.read = b""

    def connection_made(self, transport: Any) -> None:
        """A client has come."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answers each request that is whole."""
        self.read += data
        while (end := self.read.find(b"\r\n\r\n")) >= 0:
            _, found, length = self.read[:end].lower().partition(b"content-length:")
            size = int(length.split(b"\r\n", 1)[0]) if found else 0
            if len(self.read) < end + 4 + size:
                return
            body = self.read[end + 4 : end + 4 + size]
            self.read = self.read[end + 4 + size :]
            asyncio.get_running_loop().call_later(self.latency, self.send, self.reply(body))

    def reply(self, body: bytes) -> bytes:
        """What is said to a request."""
        if not body:  # a GET: how many calls there were
            return completion(str(Answering.n_calls))
        Answering.n_calls += 1
        schema = json.loads(body).get("response_format", {}).get("json_schema", {}).get("schema")
        key = json.dumps(schema).encode()
        if schema is not None and key not in self.known:
            self.known[key] = completion(json.dumps(said(schema)))
        return self.known[key] if schema is not None else completion(ragas_reply(body.decode()))

    def send(self, response: bytes) -> None:
        """Says it, if there is still somebody to listen."""
        if not self.transport.is_closing():
            self.transport.write(response)


def ragas_reply(body: str) -> str:
    """What satisfies the output models of ragas' metrics, which stand in the prompt."""
    return json.dumps(
        {
            "statements": [
                {"statement": text, "reason": "r", "verdict": 1} for text in CLAIMS
            ] if "verdict" in body else list(CLAIMS),
            "reason": "r", "verdict": 1, "rating": 2, "claims": list(CLAIMS),
            "classifications": [
                {"statement": text, "reason": "r", "attributed": 1} for text in CLAIMS
            ],
            "TP": [{"statement": text, "reason": "r"} for text in CLAIMS], "FP": [], "FN": [],
        }
    )  # fmt: skip


async def serve(latency: float) -> None:
    """Prints the port and answers for ever."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(latency), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def server(latency: float) -> Any:
    """The URL of a server in a process of its own."""
    command = [sys.executable, __file__, "--serve", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


# ---- what is measured -------------------------------------------------------------------------

One = Callable[[int], Awaitable[Any]]


def question(number: int) -> Any:
    """A question like those of real samples: four claims against five passages of 1,600 letters."""
    from ragdiag.records import CheckSupport, Claim, Passage  # noqa: PLC0415

    claims, at = [], 0
    for n, text in enumerate(CLAIMS, start=1):
        claims.append(Claim(claim_id=f"c{n}", text=text, start=at, end=at + len(text)))
        at += len(text) + 1
    passages = [
        Passage(passage_id=f"p{n}", text=f"{QUOTE}. Copy {number}. {FILLER * 18}")
        for n in range(N_PASSAGES)
    ]
    return CheckSupport(
        query_id=f"q{number}",
        query=f"Who painted the ceiling of hall {number}?",
        answer=ANSWER,
        claims=tuple(claims),
        passages=tuple(passages),
    )


@asynccontextmanager
async def bare(url: str, *, aiohttp: bool) -> AsyncGenerator[One]:
    """`create` under tenacity, as one would write it."""
    import openai  # noqa: PLC0415
    import tenacity  # noqa: PLC0415

    from ragdiag.judging.asking import support_call  # noqa: PLC0415
    from ragdiag.judging.schemas import json_schema  # noqa: PLC0415

    call = support_call(question(0), b"a secret")
    schema = {"name": "support", "schema": json_schema(call.output), "strict": True}
    sent = [{"role": role, "content": text} for role, text in call.messages]
    transport = openai.DefaultAioHttpClient() if aiohttp else None
    client = openai.AsyncOpenAI(
        api_key="k", base_url=url, max_retries=0, http_client=transport, timeout=120
    )

    @tenacity.retry(
        stop=tenacity.stop_after_attempt(6),
        wait=tenacity.wait_random_exponential(),
        retry=tenacity.retry_if_exception_type(openai.APIConnectionError),
    )
    async def one(number: int) -> Any:
        said = await client.chat.completions.create(
            model="m",
            messages=[*sent, {"role": "user", "content": str(number)}],  # type: ignore[arg-type]
            temperature=0.0,
            max_tokens=8192,
            response_format={"type": "json_schema", "json_schema": schema},  # type: ignore[arg-type]
        )
        return json.loads(said.choices[0].message.content or "")

    try:
        yield one
    finally:
        await client.close()


@asynccontextmanager
async def judge(url: str, *, concurrency: int, cache: Path | None) -> AsyncGenerator[One]:
    """A question to ragdiag's judge, with the whole stack around it."""
    from ragdiag.chat.stack import ChatSettings, open_chat  # noqa: PLC0415
    from ragdiag.judging.llm import LLMJudge, worth_keeping  # noqa: PLC0415

    settings = ChatSettings(concurrency=concurrency, cache=cache)
    asked = LLMJudge(open_chat("m", url, settings=settings, keep=worth_keeping))

    async def one(number: int) -> None:
        (said,) = (await asked.ask((question(number),))).replies
        assert [finding.label for finding in said.findings] == ["supported"] * len(CLAIMS), said

    try:
        yield one
    finally:
        await asked.aclose()


@asynccontextmanager
async def chat(url: str, *, concurrency: int) -> AsyncGenerator[One]:
    """The chat stack alone, with the strict parser: what a bare call does, and no more."""
    from ragdiag.chat.protocol import ChatRequest  # noqa: PLC0415
    from ragdiag.chat.stack import ChatSettings, open_chat  # noqa: PLC0415
    from ragdiag.judging.asking import support_call  # noqa: PLC0415
    from ragdiag.judging.replies import parse_object  # noqa: PLC0415
    from ragdiag.judging.schemas import json_schema  # noqa: PLC0415

    call = support_call(question(0), b"a secret")
    opened = open_chat("m", url, settings=ChatSettings(concurrency=concurrency))

    async def one(number: int) -> None:
        request = ChatRequest(
            "m", (*call.messages, ("user", str(number))), schema=json_schema(call.output),
            schema_name="support", max_tokens=8192,
        )  # fmt: skip
        parse_object((await opened.complete(request)).text)

    try:
        yield one
    finally:
        await opened.aclose()


async def timed(name: str, opened: Any, *, n: int, concurrency: int, first: int = 0) -> Figures:
    """n calls, as many at a time as asked; connections are open before the clock starts."""
    async with opened as one:
        await asyncio.gather(*(one(-1 - number) for number in range(min(WARM_UP, concurrency))))
        numbers = iter(range(first, first + n))

        async def worker() -> None:
            for number in numbers:
                await one(number)

        cpu, wall = time.process_time(), time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(concurrency)))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return Figures(name, n, cpu / n * 1000, wall)


# ---- whole samples, beside ragas --------------------------------------------------------------


@asynccontextmanager
async def all_checks(url: str, *, concurrency: int) -> AsyncGenerator[One]:
    """All questions of a sample to ragdiag's judge: claims, support, evidence, correctness."""
    from ragdiag.chat.stack import ChatSettings, open_chat  # noqa: PLC0415
    from ragdiag.judging.llm import LLMJudge  # noqa: PLC0415
    from ragdiag.records import (  # noqa: PLC0415
        CheckCorrectness,
        CheckSufficiency,
        ExtractClaims,
        ListComponents,
    )

    asked = LLMJudge(open_chat("m", url, settings=ChatSettings(concurrency=concurrency)))

    async def one(number: int) -> None:
        support = question(number)
        of = {"query_id": support.query_id, "query": support.query}
        first = await asked.ask((ExtractClaims(**of, answer=ANSWER),))
        claims: Any = first.replies[0]
        rest = (
            support.model_copy(update={"claims": claims.claims}),
            ListComponents(**of),
            CheckSufficiency(**of, passages=support.passages),
            CheckCorrectness(**of, reference=(QUOTE,), answer=ANSWER),
        )
        assert all(reply.kind != "failure" for reply in (await asked.ask(rest)).replies)

    try:
        yield one
    finally:
        await asked.aclose()


@asynccontextmanager
async def ragas_metrics(url: str) -> AsyncGenerator[One]:
    """Five of ragas' modern metrics on the same samples, all at once for each."""
    import openai  # noqa: PLC0415
    from ragas.llms import llm_factory  # noqa: PLC0415
    from ragas.metrics import collections  # noqa: PLC0415

    client = openai.AsyncOpenAI(api_key="k", base_url=url, max_retries=0, timeout=120)
    llm = llm_factory("m", client=client)
    asked, answered, found, right = "user_input", "response", "retrieved_contexts", "reference"
    metrics = [
        (collections.Faithfulness(llm=llm), (asked, answered, found)),
        (collections.ContextRecall(llm=llm), (asked, found, right)),
        (collections.ContextPrecision(llm=llm), (asked, found, right)),
        (collections.FactualCorrectness(llm=llm), (answered, right)),
        (collections.ContextRelevance(llm=llm), (asked, found)),
    ]

    async def one(number: int) -> None:
        told = question(number)
        sample: dict[str, Any] = {
            asked: told.query,
            answered: ANSWER,
            found: [passage.text for passage in told.passages],
            right: QUOTE,
        }
        scores = await asyncio.gather(
            *(metric.ascore(**{name: sample[name] for name in names}) for metric, names in metrics)
        )
        assert all(score.value == score.value for score in scores)

    try:
        yield one
    finally:
        await client.close()


def n_calls(url: str) -> int:
    """How many calls the server has answered."""
    with urllib.request.urlopen(url) as answer:
        return int(json.load(answer)["choices"][0]["message"]["content"])


async def whole_samples(url: str, *, n: int, concurrency: int, latency: float) -> Rows:
    """The table of whole samples; ragas' metrics beside it where they are installed."""
    told: Rows = {}
    rows = [("ragdiag, all checks", lambda: all_checks(url, concurrency=concurrency))]
    if find_spec("ragas") is not None:
        rows.append(("ragas, five metrics", lambda: ragas_metrics(url)))
    print(f"\n{n} samples of {N_PASSAGES} passages, {latency * 1000:g} ms a call")
    for name, make in rows:
        before = n_calls(url)
        figures = await timed(name, make(), n=n, concurrency=concurrency)
        calls = (n_calls(url) - before) / (n + min(WARM_UP, concurrency))
        print(
            f"  {name:34}{calls:6.1f} calls{figures.cpu:8.2f} ms CPU"
            f"{figures.cpu / calls:8.2f} ms CPU a call{figures.wall:8.2f} s"
        )
        cpu = figures.cpu / calls
        told[name] = {"calls": calls, "cpu": cpu, "seconds": figures.wall / n}
    return told


async def client_cpu(url: str, *, n: int, concurrency: int) -> Rows:
    """The table of CPU a call."""
    has_aiohttp = find_spec("aiohttp") is not None
    rows = [("bare create + tenacity", lambda: bare(url, aiohttp=False))]
    if has_aiohttp:
        rows.append(("bare create + tenacity, aiohttp", lambda: bare(url, aiohttp=True)))
    rows += [
        ("ragdiag: chat and parser", lambda: chat(url, concurrency=concurrency)),
        ("ragdiag: a judge's question", lambda: judge(url, concurrency=concurrency, cache=None)),
    ]
    found: list[list[Figures]] = [[] for _ in rows]
    for _ in range(3):  # in turn, so that what else the machine does falls on all alike
        for place, (name, make) in enumerate(rows):
            found[place].append(await timed(name, make(), n=n, concurrency=concurrency))
    best = [min(figures, key=lambda one: one.cpu) for figures in found]
    print(f"\nclient CPU a call, best of 3 x {n} calls, {concurrency} at a time"
          f" ({'aiohttp' if has_aiohttp else 'no aiohttp'} installed)")  # fmt: skip
    for one in best:
        print(f"  {one.name:34}{one.cpu:8.2f} ms{one.cpu / best[0].cpu:8.2f} x")
    return {one.name: {"cpu": one.cpu, "ratio": one.cpu / best[0].cpu} for one in best}


async def wall(url: str, *, n: int, concurrency: int, latency: float) -> Rows:
    """The table of time by the clock, and of the same questions from the cache."""
    ideal = n * latency / concurrency
    print(f"\n{n} calls at {latency * 1000:g} ms, {concurrency} at a time: ideal {ideal:.2f} s")
    one = await timed(
        "bare create + tenacity", bare(url, aiohttp=False), n=n, concurrency=concurrency
    )
    rows = [one]
    with tempfile.TemporaryDirectory() as place:
        cache = Path(place) / "cache.sqlite"
        opened = judge(url, concurrency=concurrency, cache=cache)
        rows.append(await timed("ragdiag, with cache", opened, n=n, concurrency=concurrency))
        for one in rows:
            print(f"  {one.name:34}{one.wall:8.2f} s {one.wall / ideal:8.3f} x ideal")
        opened = judge(url, concurrency=concurrency, cache=cache)
        warm = await timed("again, from the cache", opened, n=n, concurrency=concurrency)
    print(f"  {warm.name:34}{warm.wall:8.2f} s")
    for what, seconds in (("by the clock", warm.wall), ("by CPU", warm.cpu * n / 1000)):
        rate = n / seconds
        print(f"    {what}: {rate:,.0f} questions/s = {rate * len(CLAIMS):,.0f} verdicts/s")
    told: Rows = {one.name: {"ratio": one.wall / ideal} for one in rows}
    told[warm.name] = {"verdicts": n / warm.wall * len(CLAIMS)}
    return told


async def main() -> None:
    """Reads the arguments, measures, prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds, of the server")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--save", type=Path, help="write the figures as JSON")
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve is not None:
        await serve(asked.serve)
        return
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with server(0.02) as url:
        cpu = await client_cpu(url, n=asked.calls, concurrency=asked.concurrency)
    with server(asked.latency) as url:
        clock = await wall(
            url, n=asked.calls, concurrency=asked.concurrency, latency=asked.latency
        )  # fmt: skip
        n, at_once = asked.calls // 100, max(1, asked.concurrency // 3)  # ragas calls one by one
        samples = await whole_samples(url, n=n, concurrency=at_once, latency=asked.latency)
    if asked.save is not None:
        told = {
            "calls": asked.calls,
            "latency": asked.latency,
            "concurrency": asked.concurrency,
            "aiohttp": find_spec("aiohttp") is not None,
            "cpu": cpu,
            "clock": clock,
            "samples": samples,
        }
        asked.save.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
