"""How many tokens a request will take, before anybody has counted them: an approximation."""

from __future__ import annotations

import json

from ragdiag.chat.protocol import ChatRequest

BYTES_A_TOKEN = 4.0
"""UTF-8 bytes a token: near 4 for English prose, fewer for tables of numbers; a byte count also
serves scripts of two and three bytes a letter, whose letters take more of a token each."""

A_MESSAGE = 4
"""Tokens that a chat template puts around a message."""


def approximate_tokens(text: str) -> int:
    """Tokens of a text, within a factor of about 1.6; 0 for an empty one."""
    return -int(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def prompt_tokens(request: ChatRequest) -> int:
    """Tokens of all messages, and of the schema, which servers count as input too."""
    schema = "" if request.schema is None else json.dumps(request.schema, separators=(",", ":"))
    texts = (schema, *(text for _, text in request.messages))
    return A_MESSAGE * len(request.messages) + sum(map(approximate_tokens, texts))
