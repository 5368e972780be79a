"""A list or object written as text in a cell: JSON, a Python literal, an array of numpy."""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from typing import cast

from ragdiag.data.quick import too_deep

_LONGEST = 10_000_000  # characters of one cell
_MOST = 200_000  # parts of one cell
_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_NEIGHBOURS = re.compile(rf"({_STRING})(\s+(?=['\"]))?", re.DOTALL)
_TEXTS = re.compile(_STRING, re.DOTALL)
_CUT = "a list cut short with '...'; write it out in full"
_NOTHING = frozenset(("nan", "NaN", "null", "NULL", "NA"))
_WRAPPERS = frozenset(("array", "list", "tuple", "OrderedDict"))


class NoLiteralError(ValueError):
    """The text holds no value that can be read without running it."""


def looks_like_list(text: str) -> bool:
    """Is the text meant as a list, by its first and last character?"""
    stripped = text.strip()
    return (stripped[:1], stripped[-1:]) in (("[", "]"), ("(", ")")) or stripped.startswith(
        "array("
    )


def read_literal(text: str) -> object:
    """The value of JSON or of a Python literal. NaN is None. Nothing is ever run.

    numpy prints an array of texts without commas (`['a' 'b']`): its neighbours are two texts, where
    Python would read one.

    Raises:
        NoLiteralError: what it is instead, in a few words.
    """
    if len(text) > _LONGEST:
        raise NoLiteralError(f"a cell of {len(text)} characters; {_LONGEST} is the most")
    try:
        value: object = json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    except (ValueError, RecursionError):
        value = _python(text.strip())
    if too_deep(value):
        raise NoLiteralError("nested too deeply")
    return value


def _finite(written: str) -> float | None:
    number = float(written)
    return number if math.isfinite(number) else None


def _python(text: str) -> object:
    parted = _NEIGHBOURS.sub(lambda found: f"{found[1]}, " if found[2] else found[1], text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in somebody's text
            tree = ast.parse(parted, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if "..." in _TEXTS.sub("", text):
            raise NoLiteralError(_CUT) from error
        raise NoLiteralError("neither JSON nor a Python list") from error
    return _Reader().read(tree.body)


class _Reader:
    """Reads a syntax tree of literals; anything else is refused."""

    def __init__(self) -> None:
        self._n = 0

    def read(self, node: ast.expr) -> object:
        self._n += 1
        if self._n > _MOST:
            raise NoLiteralError(f"over {_MOST} parts in one cell")
        match node:
            case ast.Constant(value=str() | int() | float() | None as value):
                odd = isinstance(value, float) and not math.isfinite(value)
                return None if odd else value
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return [self.read(part) for part in parts]
            case ast.Dict(keys=keys, values=values):
                return self._object(keys, values)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.Name(id=name) if name in _NOTHING:
                return None
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                return self._called(name, node)
            case ast.Constant(value=value) if value is ...:
                raise NoLiteralError(_CUT)
            case _:
                raise NoLiteralError(f"Python code ({type(node).__name__}), and no plain value")

    def _object(self, keys: list[ast.expr | None], values: list[ast.expr]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in zip(keys, values, strict=True):
            if not isinstance(key, ast.Constant):
                raise NoLiteralError("an object with a key that is no text")
            found[str(key.value)] = self.read(value)
        return found

    def _called(self, name: str, node: ast.Call) -> object:
        """`Document(page_content='…', metadata={…})` and `array([…])`, as they print themselves."""
        if name in _WRAPPERS and node.args:
            return self.read(node.args[0])
        if not name.endswith(("Document", "Node", "Message", "NodeWithScore")) or node.args:
            raise NoLiteralError(f"a call of {name}(…), and no plain value")
        return {word.arg: self.read(word.value) for word in node.keywords if word.arg is not None}


def as_list(value: object) -> list[object] | None:
    """The elements of a list, also of one written as text; None where it is none."""
    if isinstance(value, str) and looks_like_list(value):
        try:
            value = read_literal(value)
        except NoLiteralError:
            return None
    return cast("list[object]", value) if isinstance(value, list) else None
