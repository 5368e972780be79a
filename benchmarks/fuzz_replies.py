"""Fuzzed replies through the parser: nothing but an object, a label or `Unscored`, in linear time.

    python benchmarks/fuzz_replies.py 100000 [--longest 200000] [--seed 1]

Replies are good ones that were cut, doubled, nested, quoted anew and mixed with other text, one in
a hundred of them repeated up to the longest length. Ends with 1 where the parser broke.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable

from ragdiag.errors import Unscored
from ragdiag.judging.replies import parse_label, parse_object
from ragdiag.records import UNSCORED

LABELS = ("supported", "partial", "contradicted", "not_found")
PIECES = (
    "{", "}", "[", "]", '"', "'", ":", ",", "\\", "\\u", "\\ud800", "\n", "\x00", "\ufeff", "//",
    "/*", "*/", "```", "```json\n", "<think>", "</think>", "[THINK]", "null", "NaN", "-Infinity",
    "1e999", "0.5", "-", "9" * 30, "true", "True", "None", '"verdict"', "'verdict'", "verdict",
    '"score": 2', "supported", "unsupported", "I'm sorry, I can't help.", "Sure! ", "<html>",
    "data: {", "\u200b", "\U0001f600", "{}", "[]", '{"verdict": "supported"}', " ", "é",
)  # fmt: skip
WHOLE = (
    '{"reason": "it says so", "verdict": "supported"}',
    '{"findings": [{"claim_id": "c1", "quote": "a \\"b\\" c", "verdict": "partial"}]}',
    "{'verdict': 'not_found', 'reason': 'it\\'s } so', 'x': None,}",
    '```json\n{"verdict": "contradicted", /* no */ "supporting": [1, 2,]}\n```',
    '<think>{"verdict": "supported"}</think>{"verdict": "partial"}',
)


def _cut(rng: random.Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _change(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(PIECES) + text[at + rng.randrange(4) :]


def _wrap(rng: random.Random, text: str) -> str:
    return rng.choice(PIECES) + text + rng.choice(PIECES)


def _double(rng: random.Random, text: str) -> str:
    return text + rng.choice(PIECES) + rng.choice(WHOLE)


def _nest(rng: random.Random, text: str) -> str:
    return json.dumps({rng.choice(("verdict", "reason", "x")): text})


_STEPS: tuple[Callable[[random.Random, str], str], ...] = (
    _cut, _change, _change, _change, _wrap, _double, _nest,
)  # fmt: skip


def fuzzed(rng: random.Random, longest: int) -> str:
    """One reply of at most `longest` characters."""
    if rng.random() < 0.2:
        text = "".join(rng.choices(PIECES, k=rng.randrange(1, 40)))
    else:
        text = rng.choice(WHOLE)
        for _ in range(rng.randrange(1, 6)):
            text = rng.choice(_STEPS)(rng, text)
    if rng.random() < 0.01 and text:
        text *= rng.randrange(1, max(2, longest // len(text)))
    return text[:longest]


def outcome(reply: str) -> str:
    """The label, "unscored:REASON", or a raise of what must never be raised."""
    try:
        parse_object(reply)
    except Unscored as error:
        if error.reason not in UNSCORED:
            raise
    try:
        return parse_label(reply, LABELS)
    except Unscored as error:
        if error.reason not in UNSCORED:
            raise
        return f"unscored:{error.reason}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--longest", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    seen: Counter[str] = Counter()
    slowest = (0.0, 0)
    n_long = n_characters = 0
    began = time.process_time()
    for number in range(given.count):
        reply = fuzzed(rng, given.longest)
        started = time.process_time()
        try:
            seen[outcome(reply)] += 1
        except Exception:  # noqa: BLE001 - a crash is what is looked for
            traceback.print_exc()
            print(f"reply {number} broke the parser: {reply[:300]!r}", file=sys.stderr)
            return 1
        spent = time.process_time() - started
        n_characters += len(reply)
        if len(reply) > 20_000:
            n_long += 1
            slowest = max(slowest, (spent / len(reply), len(reply)))
    spent = time.process_time() - began
    print(f"{given.count:,} replies, {n_characters:,} characters, {n_long:,} of over 20,000")
    print(f"{spent:.1f} s of CPU; slowest long reply {1e6 * slowest[0]:.2f} µs a character")
    for said, n in seen.most_common():
        print(f"  {said:32}{n:>10,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
