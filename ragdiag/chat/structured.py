"""How an object is asked for, from the strictest way that an endpoint accepts downwards.

Nothing is assumed of any model: what a server refuses by name is dropped, renamed or asked for in
the next weaker way, and remembered for the endpoint and model.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from ragdiag.chat.protocol import ChatRequest

Format = Literal["json_schema_strict", "json_schema", "json_object", "prompt"]
FORMATS: tuple[Format, ...] = ("json_schema_strict", "json_schema", "json_object", "prompt")
_FORMAT_WORDS = re.compile(
    r"response_format|json_schema|json_object|structured|grammar|guided|\bschema\b|\bstrict\b"
    r"|json mode|text_format",
    re.IGNORECASE,
)
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_TOKENS = re.compile(r"max_tokens|max_completion_tokens", re.IGNORECASE)
_DROPPABLE = ("temperature", "seed")


@dataclass(frozen=True, slots=True)
class Plan:
    """What an endpoint accepts, as far as it is known.

    tokens   name under which the longest reply is stated; None = not at all.
    dropped  parameters that it refuses.
    """

    format: Format = "json_schema_strict"
    tokens: str | None = "max_tokens"
    dropped: frozenset[str] = frozenset()

    def as_dict(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "structured_output": self.format,
            "max_tokens_name": self.tokens,
            "dropped_parameters": sorted(self.dropped),
        }


def parameters(request: ChatRequest, plan: Plan) -> dict[str, Any]:
    """The request as the endpoint accepts it."""
    messages = [{"role": role, "content": _sendable(text)} for role, text in request.messages]
    sent: dict[str, Any] = {"model": request.model, "messages": messages}
    if request.max_tokens is not None and plan.tokens is not None:
        sent[plan.tokens] = request.max_tokens
    for name, value in (("temperature", request.temperature), ("seed", request.seed)):
        if value is not None and name not in plan.dropped:
            sent[name] = value
    if request.schema is not None:
        if plan.format in ("json_schema_strict", "json_schema"):
            described: dict[str, Any] = {"name": request.schema_name, "schema": request.schema}
            if plan.format == "json_schema_strict":
                described["strict"] = True
            sent["response_format"] = {"type": "json_schema", "json_schema": described}
        else:
            if plan.format == "json_object":
                sent["response_format"] = {"type": "json_object"}
            messages[-1]["content"] += _described(request)
    return sent


def _sendable(text: str) -> str:
    """Half a surrogate pair, which JSON files may hold, is no character that could be sent."""
    return text if text.isascii() else _HALF_PAIR.sub("\ufffd", text)


def _described(request: ChatRequest) -> str:
    schema = json.dumps(request.schema, ensure_ascii=False, separators=(",", ":"))
    return (
        "\n\nReply with one JSON object and nothing else: no prose, no code fence. "
        f"It must fit this JSON schema:\n{schema}"
    )


def weaker(plan: Plan, refusal: str, *, asked: ChatRequest, named_only: bool) -> Plan | None:
    """The plan to try after a server refused a request in these words; None = nothing to weaken.

    With `named_only`, only what the words name counts (a 500 may have any cause). Otherwise a
    refusal that names nothing is taken as one of the output format.
    """
    for name in _DROPPABLE:
        if (
            name in refusal.lower()
            and name not in plan.dropped
            and getattr(asked, name) is not None
        ):
            return replace(plan, dropped=plan.dropped | {name})
    if _TOKENS.search(refusal) and plan.tokens is not None and asked.max_tokens is not None:
        renamed = plan.tokens == "max_tokens" and "max_completion_tokens" in refusal
        return replace(plan, tokens="max_completion_tokens" if renamed else None)
    if asked.schema is None or plan.format == "prompt":
        return None
    if named_only and not _FORMAT_WORDS.search(refusal):
        return None
    return replace(plan, format=FORMATS[FORMATS.index(plan.format) + 1])
