"""The fields of one foreign row: taken by their names, the rest kept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ragdiag.data.foreign.literals import NoLiteralError, looks_like_list, read_literal
from ragdiag.data.foreign.messages import is_messages, last_turn
from ragdiag.data.foreign.passages import BrokenFieldError, id_text, read_passages
from ragdiag.data.foreign.told import Told
from ragdiag.data.lines import shorten
from ragdiag.data.names import plain_name

_QUESTION_KEYS = (
    "query", "question", "input", "user_input", "prompt", "query_str", "text", "user_query",
    "message", "query_text", "search_query",
)  # fmt: skip
_ANSWER_KEYS = (
    "answer", "response", "output", "result", "text", "content", "completion", "generated_answer",
    "generation", "output_text",
)  # fmt: skip


class Fields:
    """A row's fields by their plain names (`actualOutput` is `actual_output`).

    What is taken has found a home; `rest` is all the others. Null is absent everywhere, and so is
    an empty cell of a table.
    """

    def __init__(self, value: Mapping[str, object], told: Told, *, cells: bool = False) -> None:
        self.told = told
        self.cells = cells
        self._given: dict[str, tuple[str, object]] = {}
        for key, inner in value.items():
            if inner is None or (cells and inner == "") or _is_nan(inner):
                continue
            plain = plain_name(key)
            self._given[plain if plain not in self._given else key] = (key, inner)

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def names(self) -> list[str]:
        """The plain names of what is left."""
        return list(self._given)

    def take(self, *names: str) -> tuple[str, object]:
        """(its own name, value) of the first that is there, which is then gone; ("", None)."""
        for name in names:
            if name in self._given:
                return self._given.pop(name)
        return "", None

    def peek(self, *names: str) -> object:
        """The value of the first that is there, which stays."""
        return next((self._given[name][1] for name in names if name in self._given), None)

    def rest(self) -> dict[str, Any]:
        """What has not been taken, by its own name."""
        return dict(self._given.values())

    def text(self, *names: str) -> str | None:
        """A text; a number of a table is read as it is written. BrokenFieldError for a list."""
        name, value = self.take(*names)
        if value is None:
            return None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return id_text(value, name) if float(value).is_integer() else repr(value)
        if not isinstance(value, str):
            raise BrokenFieldError(name, "wrong_type", f"came {shorten(value)}; expected a text")
        return value

    def id(self, *names: str) -> str | None:
        """An id: a text that is not blank, or a whole number."""
        name, value = self.take(*names)
        return None if value is None else id_text(value, name)

    def values(self, *names: str) -> tuple[str, list[Any] | None]:
        """(its own name, a list), also one written as text, as tables hold them.

        Raises:
            BrokenFieldError: anything else; a bare text is never taken for a list.
        """
        name, value = self.take(*names)
        if value is None:
            return name, None
        if isinstance(value, str):
            value = self._listed(name, value)
        if isinstance(value, Mapping):
            told = shorten(cast("object", value))
            raise BrokenFieldError(name, "wrong_type", f"came {told}; expected a list")
        if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
            raise BrokenFieldError(
                name, "wrong_type", f"came {shorten(value)}; expected a list [...]"
            )
        return name, list(cast("Sequence[Any]", value))

    def _listed(self, name: str, text: str) -> object:
        if not looks_like_list(text):
            message = f'came the text {shorten(text)}; expected a list such as ["…", "…"]'
            raise BrokenFieldError(name, "wrong_type", message)
        try:
            return read_literal(text)
        except NoLiteralError as error:
            message = f"came {shorten(text)}, which is {error}; expected a list"
            raise BrokenFieldError(name, "wrong_type", message) from error

    def texts(self, *names: str) -> list[str] | None:
        """A list of texts; BrokenFieldError names the element that is none."""
        name, values = self.values(*names)
        if values is None:
            return None
        for number, value in enumerate(values):
            if not isinstance(value, str):
                message = f"came {shorten(value)}; expected a text"
                raise BrokenFieldError(f"{name}[{number}]", "wrong_type", message)
        return cast("list[str]", values)

    def passages(
        self,
        *names: str,
        ids: Sequence[str] = (),
        scores: Sequence[str] = (),
    ) -> list[dict[str, Any]] | None:
        """The passages of a list; `ids` and `scores` name lists of equal length beside it. Where
        only ids are given, they stand for the passages."""
        name, values = self.values(*names)
        id_name, id_list = self.values(*ids)
        score_name, score_list = self.values(*scores)
        if values is None and id_list is None:
            return None
        if values is None and id_list is not None:
            name, values = (
                id_name,
                [
                    {"id": id_text(one, f"{id_name}[{number}]")}
                    for number, one in enumerate(id_list)
                ],
            )
            id_list = None
        assert values is not None
        for other, beside in ((id_name, id_list), (score_name, score_list)):
            if beside is not None and len(beside) != len(values):
                message = f"{len(beside)} elements, and {len(values)} in {name}; one each is needed"
                raise BrokenFieldError(other, "different_lengths", message)
        return read_passages(values, name, self.told, ids=id_list, scores=score_list)

    def structured(self, name: str) -> object:
        """A value that may be written as JSON text (an object, a list), read; it stays."""
        return opened(self.peek(name))


def opened(value: object) -> object:
    """A text that is a JSON object or list as that; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return read_literal(value)
        except NoLiteralError:
            return value
    return value


def text_in_json(value: object) -> object:
    """A text written as JSON ('"Who?"'), as some tools keep all values, as that text."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def question_in(value: object) -> str | None:
    """The question in what a step was called with: a text, an object that names it, messages."""
    return _text_in(value, _QUESTION_KEYS, question=True)


def answer_in(value: object) -> str | None:
    """The answer in what a step gave: a text, an object that names it, messages."""
    return _text_in(value, _ANSWER_KEYS, question=False)


def _text_in(value: object, keys: Sequence[str], *, question: bool, depth: int = 0) -> str | None:
    value = opened(value)
    if isinstance(value, str):
        return value if value.strip() or not question else None
    if depth > 6:
        return None
    if is_messages(value):
        turn = last_turn(value)
        if question:
            return None if turn is None else turn.query
        from ragdiag.data.foreign.messages import last_answer  # noqa: PLC0415

        return last_answer(value)
    if isinstance(value, Mapping):
        given = {plain_name(key): inner for key, inner in cast("Mapping[str, Any]", value).items()}
        lists = ("messages",) if question else ("messages", "choices", "generations", "message")
        for key in (*keys, *lists, "kwargs", "inputs" if question else "outputs", "args"):
            if given.get(key) is None:
                continue
            found = _text_in(given[key], keys, question=question, depth=depth + 1)
            if found is not None:
                return found
        return None
    if isinstance(value, Sequence) and len(cast("Sequence[object]", value)) == 1:
        one = cast("Sequence[object]", value)[0]
        return _text_in(one, keys, question=question, depth=depth + 1)
    return None


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
