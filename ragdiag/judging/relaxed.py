"""A reader of almost-JSON at one position of a text: each tolerance that it needs is recorded.

Tolerated: comments, trailing commas, single-quoted strings with Python's literals, raw control
characters in strings. It never goes back, so that a failed attempt costs what it has read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_SPACE = re.compile(r"\s*+")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NUMBER = re.compile(r"-?(?:NaN|Infinity|(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_CUT_NUMBER = re.compile(r"[-+.0-9eE]++")
_WORD = re.compile(r"[A-Za-z]{4,5}+")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_PYTHON_WORDS: dict[str, bool | None] = {"True": True, "False": False, "None": None}
_SINGLE_END = re.compile(r"'(?=\s*+(?:[,:}\]]|//|/\*))")
_MAX_DEPTH = 40


class Broken(Exception):  # noqa: N818  (never leaves the judging package)
    """Not an object from here on. `at` = where; `began` = a first key and colon were read."""

    def __init__(self, at: int, *, began: bool = False) -> None:
        super().__init__(at)
        self.at = at
        self.began = began


class RelaxedReader:
    """Reads one value. `unique` makes an object of its pairs, `number` a number of its digits."""

    def __init__(
        self,
        text: str,
        *,
        unique: Callable[[list[tuple[str, Any]]], dict[str, Any]],
        number: Callable[[str], int | float],
    ) -> None:
        self.repairs: set[str] = set()
        self._text = text
        self._unique = unique
        self._number = number
        self._began = False

    def read(self, at: int) -> tuple[Any, int]:
        """The value that starts at `at`, and the position behind it; raises Broken."""
        return self._value(at, 0)

    def _broken(self, at: int) -> Broken:
        return Broken(at, began=self._began)

    def _skip(self, at: int) -> int:
        """Behind spaces and comments."""
        while True:
            space = _SPACE.match(self._text, at)
            at = at if space is None else space.end()
            if self._text.startswith("//", at):
                end = self._text.find("\n", at)
            elif self._text.startswith("/*", at):
                end = self._text.find("*/", at + 2)
                end = end if end < 0 else end + 2
            else:
                return at
            self.repairs.add("comment")
            at = len(self._text) if end < 0 else end

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        if depth > _MAX_DEPTH:
            raise self._broken(at)
        first = self._text[at : at + 1]
        if first == "{":
            return self._object(at + 1, depth)
        if first == "[":
            return self._list(at + 1, depth)
        if first in ("'", '"') and first:
            return self._string(at)
        if _CUT_NUMBER.fullmatch(self._text, at):
            raise self._broken(len(self._text))
        number = _NUMBER.match(self._text, at)
        if number:
            return self._number(number.group()), number.end()
        word = _WORD.match(self._text, at)
        if word and word.group() in _WORDS:
            return _WORDS[word.group()], word.end()
        if word and word.group() in _PYTHON_WORDS:
            self.repairs.add("single_quotes")
            return _PYTHON_WORDS[word.group()], word.end()
        if len(self._text) - at < 5 and (at >= len(self._text) or self._text[at:].isalpha()):
            raise self._broken(len(self._text))  # a literal that the end of the reply cut
        raise self._broken(at)

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        pairs: list[tuple[str, Any]] = []
        while True:
            at = self._skip(at)
            if self._text.startswith("}", at):
                if pairs:
                    self.repairs.add("trailing_comma")
                return self._unique(pairs), at + 1
            if self._text[at : at + 1] not in ("'", '"') or at >= len(self._text):
                raise self._broken(at)
            key, at = self._string(at)
            at = self._expect(":", at)
            self._began = True
            value, at = self._value(self._skip(at), depth + 1)
            pairs.append((key, value))
            at = self._skip(at)
            if self._text.startswith("}", at):
                return self._unique(pairs), at + 1
            at = self._expect(",", at)

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        while True:
            at = self._skip(at)
            if self._text.startswith("]", at):
                if items:
                    self.repairs.add("trailing_comma")
                return items, at + 1
            item, at = self._value(at, depth + 1)
            items.append(item)
            at = self._skip(at)
            if self._text.startswith("]", at):
                return items, at + 1
            at = self._expect(",", at)

    def _expect(self, mark: str, at: int) -> int:
        at = self._skip(at)
        if not self._text.startswith(mark, at):
            raise self._broken(at)
        return at + 1

    def _string(self, at: int) -> tuple[str, int]:
        if self._text[at] == "'":
            return self._single_quoted(at)
        found = _STRING.match(self._text, at)
        if found is None:
            raise self._broken(len(self._text))
        return self._decoded(found.group(), at), found.end()

    def _single_quoted(self, at: int) -> tuple[str, int]:
        """Ends at a quote before `,` `:` `}` `]`: an apostrophe inside does not end it."""
        end = at + 1
        while True:
            found = _SINGLE_END.search(self._text, end)
            if found is None:
                raise self._broken(len(self._text))
            if not _escaped(self._text, found.start(), at):
                break
            end = found.end()
        self.repairs.add("single_quotes")
        body = self._text[at + 1 : found.start()].replace("\\'", "'")
        quoted = re.sub(r'(\\.)|"', lambda m: m.group(1) or '\\"', body, flags=re.DOTALL)
        return self._decoded(f'"{quoted}"', at), found.end()

    def _decoded(self, quoted: str, at: int) -> str:
        try:
            return json.loads(quoted)
        except json.JSONDecodeError:
            pass
        try:
            text: str = json.loads(quoted, strict=False)
        except json.JSONDecodeError:
            raise self._broken(at) from None
        self.repairs.add("control_character")
        return text


def _escaped(text: str, at: int, start: int) -> bool:
    """Is the character at `at` behind an odd number of backslashes (looked at back to `start`)?"""
    first = at
    while first > start + 1 and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1
