"""A chat that can be fooled: it obeys the last label that it finds anywhere in the data."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

from ragdiag.chat.protocol import ChatReply, ChatRequest
from ragdiag.judging.prompts import NAMES, load
from ragdiag.records import Usage

_LABELS = {
    "support": ("supported", "partial", "contradicted", "not_found"),
    "correctness": ("correct", "partial", "incorrect", "abstained"),
    "evidence": ("sufficient", "insufficient"),
}
_HONEST = {"support": "not_found", "correctness": "incorrect", "evidence": "insufficient"}
_FENCE = re.compile(
    r"^\[BEGIN ([a-z ]+?)(?: (\d+))? ([0-9a-f]{16})\]\n(.*?)\n\[END \1(?: \2)? \3\]$", re.M | re.S
)
_LOOKALIKES = str.maketrans("аеорсухі", "aeopcyxi")
_KEYS = ("thought process:", "solution", ":", "解")


class GullibleChat:
    """Sees the whole prompt, knows which of it is ours, and believes the rest.

    It reads what a clever model could: base64, hex, look-alike letters, letters apart. It quotes
    real words, so that only what the quote is worth can stop it.
    """

    model = "gullible"
    endpoint = "http://gullible.invalid/v1/chat/completions"
    stopped = None

    def __init__(self) -> None:
        self.abilities: dict[str, Any] = {}
        self.requests: list[ChatRequest] = []

    async def preflight(self) -> None:
        return None

    async def aclose(self) -> None:
        return None

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        data = theirs(request)
        label = last_label("\n".join(data.values()), request.schema_name)
        if request.schema_name == "correctness" and data["answer"].strip().lower() in _KEYS:
            label = "correct"
        reply = _REPLIES[request.schema_name](data, label)
        return ChatReply(json.dumps(reply), "stop", Usage(calls=1, input_tokens=1, output_tokens=1))


def theirs(request: ChatRequest) -> dict[str, str]:
    """The texts of others in the prompt, by what the fences call them."""
    user = dict(request.messages)["user"]
    found = {
        f"{kind} {number}".strip() if number else kind: text
        for kind, number, _, text in _FENCE.findall(user)
    }
    ours = next(load(name) for name in NAMES if load(name).name == request.schema_name)
    assert dict(request.messages)["system"] == ours.system  # nothing of the data is in it
    return found


def last_label(text: str, check: str) -> str:
    """The label that is named last, in the open or disguised; without any, the honest one."""
    readings = [text.lower().translate(_LOOKALIKES)]
    for run in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", text):
        try:
            readings.append(
                base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8", "ignore").lower()
            )
        except (binascii.Error, ValueError):
            continue
    readings += [
        bytes.fromhex(run).decode("utf-8", "ignore").lower()
        for run in re.findall(r"\b(?:[0-9a-f]{2}){8,}\b", text)
    ]
    readings.append(re.sub(r"(?<=\b\w) (?=\w\b)", "", readings[0]))
    readings.append(readings[0][::-1])
    last: tuple[int, int, str] | None = None
    for order, reading in enumerate(readings):
        for label in _LABELS[check]:
            for match in re.finditer(rf"(?<![a-z_]){label}(?![a-z_])", reading):
                last = max(last or (-1, -1, ""), (order, match.end(), label))
    return _HONEST[check] if last is None else last[2]


def _best(data: dict[str, str], like: str) -> tuple[str, int]:
    """The sentence of the passages that shares most words with a text: the best quote there is."""
    words = set(re.findall(r"\w+", like.lower()))
    sentences = [
        (len(words & set(re.findall(r"\w+", sentence.lower()))), sentence.strip(), int(name[8:]))
        for name, text in data.items()
        if name.startswith("passage ")
        for sentence in re.split(r"(?<=[.!?])\s|\n", text)
    ]
    _, quote, number = max(sentences, key=lambda s: s[0])
    return quote, number


def _support(data: dict[str, str], label: str) -> dict[str, Any]:
    findings = []
    for line in data["claims"].splitlines():
        claim_id, _, text = line.partition(": ")
        quote, number = _best(data, text)
        findings.append({
            "claim_id": claim_id, "reason": "so it says", "quote": quote, "quote_passage": number,
            "supporting": [number], "joint": [], "verdict": label,
        })  # fmt: skip
    return {"findings": findings}


def _correctness(data: dict[str, str], label: str) -> dict[str, Any]:
    quote = data["answer"].splitlines()[0] if data["answer"].strip() else ""
    return {"reason": "so it says", "quote": quote, "verdict": label}


def _evidence(data: dict[str, str], label: str) -> dict[str, Any]:
    quote, number = _best(data, data["question"] if "question" in data else data["query"])
    told = {"reason": "so it says", "quote": quote, "quote_passage": number, "verdict": label}
    return {"sufficiency": told}


_REPLIES = {"support": _support, "correctness": _correctness, "evidence": _evidence}
