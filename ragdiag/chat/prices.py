"""What tokens cost: a small dated table, the user's own prices before it, else unknown."""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import cast

from ragdiag.errors import UsageError
from ragdiag.records import Usage

_DATE = re.compile(r"-(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}|latest)")
_HOW = "--price MODEL=IN,OUT[,CACHED], in US dollars per million tokens (gpt-x=0.5,1.5)"
_FIELDS = frozenset(("model", "input", "cached", "output"))


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; `cached` is of input that the vendor had in its own cache."""

    input: float
    output: float
    cached: float | None = None

    def usd(self, *, input_tokens: float, output_tokens: float, cached_tokens: float = 0) -> float:
        """The money; cached tokens are a part of the input, reasoning tokens of the output."""
        from_cache = min(cached_tokens, input_tokens)
        kept = self.input if self.cached is None else self.cached
        paid = (input_tokens - from_cache) * self.input + from_cache * kept
        return (paid + output_tokens * self.output) / 1e6

    def of(self, usage: Usage) -> float | None:
        """What a usage costs; None where its tokens are unknown, never 0 instead."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return self.usd(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cached_input_tokens or 0,
        )


@dataclass(frozen=True)
class Prices:
    """(pattern, price) in order of precedence; a pattern is a model's name and may hold `*`."""

    rows: tuple[tuple[str, Price], ...] = ()

    def of(self, model: str) -> Price | None:
        """The price of a model: by its name as given, then without vendor ("openai/…") or date.

        None where the price is unknown.
        """
        plain = model.rpartition("/")[2]
        for name in dict.fromkeys((model, plain, _undated(plain))):
            for pattern, price in self.rows:
                if fnmatchcase(name.lower(), pattern.lower()):
                    return price
        return None


def _undated(name: str) -> str:
    found = _DATE.search(name)
    return name[: found.start()] if found is not None and found.end() == len(name) else name


def prices(given: Iterable[str] = (), *, file: Path | None = None) -> Prices:
    """The user's prices (`MODEL=IN,OUT[,CACHED]` first, then the file's), then the shipped table.

    UsageError says what is wrong with one.
    """
    rows = [parse_price(text) for text in given]
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as fault:
            raise UsageError(f"--prices {file}: cannot be read: {fault}") from None
        rows += _parsed(text, where=f"--prices {file}")
    return Prices((*rows, *shipped()[1]))


@functools.cache
def shipped() -> tuple[str, tuple[tuple[str, Price], ...]]:
    """(date, rows) of the table in the package."""
    text = files("ragdiag.chat").joinpath("prices.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["dated"]), tuple(_parsed(text, where="prices.toml"))


def parse_price(text: str) -> tuple[str, Price]:
    """(model, price) of `MODEL=IN,OUT[,CACHED]`; UsageError shows the form."""
    model, sign, amounts = text.rpartition("=")
    parts = [part.strip().removeprefix("$") for part in amounts.split(",")]
    if not sign or not model.strip() or len(parts) not in (2, 3):
        raise UsageError(f"--price {text!r}: write {_HOW}")
    figures = [_amount(part, where=f"--price {text!r}") for part in parts]
    return model.strip(), Price(figures[0], figures[1], figures[2] if len(figures) == 3 else None)


def _parsed(text: str, *, where: str) -> list[tuple[str, Price]]:
    """The rows of a TOML file: `[[price]]` with model, input, output and, if told, cached."""
    try:
        told: object = tomllib.loads(text).get("price")
    except tomllib.TOMLDecodeError as fault:
        raise UsageError(f"{where}: no TOML: {fault}") from None
    if not isinstance(told, list) or not told:
        raise UsageError(f"{where}: no [[price]] with model, input, output in it")
    rows: list[tuple[str, Price]] = []
    for number, row in enumerate(cast("list[object]", told), start=1):
        here = f"{where}: price {number}"
        if not isinstance(row, dict):
            raise UsageError(f"{here}: write it as [[price]]")
        facts = cast("dict[str, object]", row)
        model = facts.get("model")
        if not isinstance(model, str) or not model.strip() or not facts.keys() <= _FIELDS:
            raise UsageError(f"{here}: give model, input, output and, if there is one, cached")
        amounts = {name: facts[name] for name in ("input", "output", "cached") if name in facts}
        read = {name: _amount(value, where=here) for name, value in amounts.items()}
        if not read.keys() >= {"input", "output"}:
            raise UsageError(f"{here}: {model!r} needs input and output")
        rows.append((model.strip(), Price(read["input"], read["output"], read.get("cached"))))
    return rows


def _amount(value: object, *, where: str) -> float:
    """A price; one that is none (negative, no number, infinite) is refused, not repaired."""
    number = math.nan
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
    if not 0 <= number < math.inf:
        raise UsageError(f"{where}: {value!r} is no price; write {_HOW}")
    return number
