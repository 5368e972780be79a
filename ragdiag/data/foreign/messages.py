"""Chat messages of any spelling -> (role, text), and the turn that is to be judged."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

_ROLE = ("role", "type", "speaker", "sender", "author", "message.role")
_TEXT = ("content", "text", "parts", "message.content", "value")
_USER = frozenset(("user", "human", "humanmessage", "customer"))
_ANSWERING = frozenset(("assistant", "ai", "agent", "aimessage", "bot", "model", "system_output"))
_OTHER = frozenset(("system", "developer", "tool", "function", "systemmessage", "toolmessage"))
ROLES = _USER | _ANSWERING | _OTHER


@dataclass(frozen=True, slots=True)
class Turn:
    """The last question, the turns before it (oldest first), and what was answered to it.

    whole  is this all that the messages say? Not where one is of the system or of a tool, holds
           more than its text (a call, an image, an id), or where it was answered twice.
    """

    query: str
    history: tuple[tuple[str, str], ...] = ()
    answer: str | None = None
    whole: bool = False


def is_messages(value: object) -> bool:
    """Is it a list of messages, each with a role and a text?"""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)) or not value:
        return False
    return all(_message(one) is not None for one in cast("Sequence[object]", value))


def last_turn(value: object) -> Turn | None:
    """The last question of a user in a list of messages; None where there is none.

    Messages of the system and of tools are no turns of the conversation.
    """
    if not is_messages(value):
        return None
    given = cast("Sequence[object]", value)
    found = [_message(one) for one in given]
    said = [one for one in found if one is not None and one[0] in ("user", "assistant")]
    at = max((number for number, (role, _) in enumerate(said) if role == "user"), default=None)
    if at is None or not said[at][1].strip():
        return None
    answers = [text for role, text in said[at + 1 :] if role == "assistant" and text]
    whole = len(said) == len(given) and len(said) - at - 1 == len(answers) <= 1
    return Turn(
        query=said[at][1],
        history=tuple(said[:at]),
        answer=answers[-1] if answers else None,
        whole=whole and all(map(_only_text, given)),
    )


def last_answer(value: object) -> str | None:
    """The last text of the assistant in a list of messages."""
    if not is_messages(value):
        return None
    found = [_message(one) for one in cast("Sequence[object]", value)]
    texts = [one[1] for one in found if one is not None and one[0] == "assistant" and one[1]]
    return texts[-1] if texts else None


def _message(value: object) -> tuple[str, str] | None:
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        pair = list(cast("Sequence[object]", value))
        if len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            return None
        role = _role(str(pair[0]))
        return None if role is None else (role, str(pair[1]))
    if not isinstance(value, Mapping):
        return None
    given = cast("Mapping[str, object]", value)
    if isinstance(given.get("message"), Mapping):
        given = cast("Mapping[str, object]", given["message"])
    if isinstance(given.get("kwargs"), Mapping) and given.get("lc") is not None:
        given = cast("Mapping[str, object]", given["kwargs"])
    roles = (given.get(name) for name in _ROLE)
    role = next((found for one in roles if isinstance(one, str) and (found := _role(one))), None)
    if role is None:
        return None
    name = next((one for one in _TEXT if given.get(one) is not None), None)
    return role, "" if name is None else text_of(given[name])


def _only_text(value: object) -> bool:
    """Does the message say nothing but who speaks, and a text?"""
    if not isinstance(value, Mapping):
        return True
    given = cast("Mapping[str, object]", value)
    more = {key for key, inner in given.items() if inner not in (None, "", [], {})}
    return len(more) <= 2 and all(
        isinstance(given[key], str) and key in (*_ROLE, *_TEXT) for key in more
    )


def _role(name: str) -> str | None:
    plain = name.strip().lower()
    if plain in _USER:
        return "user"
    if plain in _ANSWERING:
        return "assistant"
    return "other" if plain in _OTHER else None


def text_of(content: object) -> str:
    """The text of a message: a text, or its parts joined; other parts (images, calls) are left."""
    if isinstance(content, str):
        if content.startswith('[{"') and content.endswith("}]"):
            try:
                return text_of(cast("object", json.loads(content)))
            except (ValueError, RecursionError):
                return content
        return content
    if isinstance(content, Mapping):
        part = cast("Mapping[str, object]", content)
        inner = part.get("text", part.get("content"))
        return inner if isinstance(inner, str) else ""
    if isinstance(content, Sequence):
        texts = (text_of(part) for part in cast("Sequence[object]", content))
        return "\n".join(text for text in texts if text)
    return ""
