"""The one strict parser of judges' replies: from a model's text to an object and a label.

Strict JSON first. Only then repairs, each of them flagged: text around one object, code fences,
trailing commas, single quotes, comments, a list of one item. Whatever leaves a doubt raises
`Unscored` with a reason of the closed list. Thinking is removed and never searched. Every position
of the reply is read at most twice, so that time is linear in its length.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn, cast

from ragdiag.errors import Unscored
from ragdiag.judging.refusals import is_refusal
from ragdiag.judging.relaxed import Broken, RelaxedReader

# how models mark their thinking: tags, with a vendor's prefix or attributes; Mistral's and Kimi's
# brackets; tokens; the channels of gpt-oss, of which only the final one is the reply
_TAG = r"(?:\w{1,12}:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)"
_OPENS = (
    rf"<{_TAG}(?:\s[^<>\n]{{0,80}})?>|\[think\]|\u25c1think\u25b7|<\|(?:begin_of_thought|think)\|>"
    r"|<\|channel\|>\s{0,4}(?:analysis|commentary)\b"
)
_CLOSES = (
    rf"</{_TAG}\s{{0,8}}>|\[/think\]|\u25c1/think\u25b7|<\|(?:end_of_thought|/think)\|>"
    r"|<\|channel\|>\s{0,4}final\b[^<\n]{0,40}(?:<\|constrain\|>[^<\n]{0,20})?(?:<\|message\|>)?"
)
_MARK = re.compile(rf"(?P<closes>{_CLOSES})|(?P<opens>{_OPENS})|[{{\[]", re.IGNORECASE)
_CLOSING = re.compile(_CLOSES, re.IGNORECASE)
_OBJECT_NEXT = re.compile(r"\s*+\{")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PROBABILITIES = frozenset({"score", "probability", "confidence"})
_BLANK = " \t\r\n\f\v\x00\xa0\ufeff\u200b\u200c\u200d\u2060"
_NO_REPLY = re.compile(r"<!doctype|<html\b|<\?xml|(?:data|event): ?[{\[a-z]", re.IGNORECASE)
_MAX_DIGITS = 400  # beyond any float; also keeps int() from being quadratic


@dataclass(frozen=True, slots=True)
class Parsed:
    """The one object of a reply, and the repairs that it took to read it, in sorted order."""

    value: dict[str, Any]
    repairs: tuple[str, ...] = ()


def parse_label(reply: str, labels: tuple[str, ...]) -> str:
    """The label under the key `verdict` (in any case), exactly one of `labels`; else Unscored."""
    value = parse_object(reply)
    for name, number in value.items():
        if name.strip().casefold() in _PROBABILITIES:
            check_probability(number, name)
    return match_label(field(value, "verdict"), labels)


def parse_object(reply: str) -> dict[str, Any]:
    """The one JSON object of a reply; raises Unscored where there is none, or more than one."""
    return read(reply).value


def read(reply: str) -> Parsed:
    """Like `parse_object`, and says which repairs were needed."""
    text = reply.strip(_BLANK)
    if not text:
        raise Unscored("empty_reply")
    if _NO_REPLY.match(text):
        raise Unscored("parse_failure", "a web page or an event stream instead of a reply")
    try:
        whole = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_not_finite,
            parse_float=_finite_float,
            parse_int=_bounded_int,
        )
    except RecursionError:
        raise Unscored("parse_failure", "nested too deeply") from None
    except json.JSONDecodeError:
        parsed = _repaired(text)
    except Unscored:
        if text[0] in "{[":
            raise
        parsed = _repaired(text)  # the reply only begins with a word like NaN
    else:
        parsed = _only_object(whole)
    return Parsed(_without_surrogates(parsed.value), parsed.repairs)


def field(value: dict[str, Any], name: str) -> object:
    """The value under a key in any case; missing_field, or duplicate_key if two spellings occur."""
    found = [key for key in value if key.strip().casefold() == name]
    if not found:
        raise Unscored("missing_field", f"no key {name!r}")
    if len(found) > 1:
        raise Unscored("duplicate_key", ", ".join(found))
    return value[found[0]]


def match_label(value: object, labels: Sequence[str]) -> str:
    """The label that the value names: equal after folding case, never by substring."""
    by_folded = _menu(tuple(labels))
    if isinstance(value, int) and not isinstance(value, bool):
        if str(value) in by_folded:
            return by_folded[str(value)]
        if all(label.isdecimal() for label in labels):
            raise Unscored("out_of_range", f"{value} is none of {', '.join(labels)}")
    if not isinstance(value, str) or _fold(value) not in by_folded:
        raise Unscored("unknown_label", f"{value!r:.80} is none of {', '.join(labels)}")
    return by_folded[_fold(value)]


@lru_cache(maxsize=64)
def _menu(labels: tuple[str, ...]) -> dict[str, str]:
    return {_fold(label): label for label in labels}


def check_probability(value: object, name: str) -> float | None:
    """A number in [0, 1], or None for null; else Unscored."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unscored("parse_failure", f"{name} is not a number")
    if not 0 <= value <= 1:
        raise Unscored("out_of_range", f"{name} is {value}, not in 0-1")
    return float(value)


def _fold(text: str) -> str:
    """Case folded, without format characters and without punctuation around it."""
    kept = "".join(c for c in text if unicodedata.category(c) != "Cf").casefold()
    start, end = 0, len(kept)
    while start < end and unicodedata.category(kept[start])[0] in "PSZC":
        start += 1
    while end > start and unicodedata.category(kept[end - 1])[0] in "PSZC":
        end -= 1
    return kept[start:end]


def _only_object(whole: object) -> Parsed:
    """The object that a strictly valid reply is, or the only item of the list that it is."""
    if isinstance(whole, dict):
        return Parsed(cast("dict[str, Any]", whole))
    if isinstance(whole, list):
        return _only_item(cast("list[object]", whole), set())
    raise Unscored("parse_failure", f"not an object but a {type(whole).__name__}")


def _only_item(items: list[object], repairs: set[str]) -> Parsed:
    if len(items) == 1 and isinstance(items[0], dict):
        value = cast("dict[str, Any]", items[0])
        return Parsed(value, tuple(sorted(repairs | {"one_item_list"})))
    if sum(isinstance(item, dict) for item in items) > 1:
        raise Unscored("multiple_objects", f"a list of {len(items)}")
    raise Unscored("parse_failure", "a list that does not hold one object")


def _repaired(text: str) -> Parsed:
    """The one object somewhere in the text; thinking and what stands inside it do not count.

    Two laws keep a quoted passage from being taken for the reply: an object that began well and
    broke ends the search, and nothing inside an object is searched on its own.
    """
    found: list[tuple[object, frozenset[str], int, int]] = []
    at, thought, unclosed = 0, False, False
    while mark := _MARK.search(text, at):
        token = mark.group()
        if token not in "{[":
            thought = True
            if mark.lastgroup == "closes":
                found.clear()  # its opening tag was in the prompt: all before it was thinking
                at = mark.end()
                continue
            closing = _closing(text, mark.end())
            if closing is None:
                unclosed = True
                break
            at = closing
            continue
        if token == "[" and not _OBJECT_NEXT.match(text, mark.end()):
            at = mark.end()
            continue
        reader = RelaxedReader(text, unique=_unique, number=_number)
        try:
            value, at = reader.read(mark.start())
        except Broken as broken:
            if broken.at >= len(text):
                raise Unscored("truncated", "the reply ends inside an object") from None
            if broken.began:
                raise Unscored("parse_failure", f"broken at character {broken.at}") from None
            at = max(broken.at, mark.end())
            continue
        found.append((value, frozenset(reader.repairs), mark.start(), at))
    return _choose(text, found, thought=thought, unclosed=unclosed)


def _choose(
    text: str,
    found: list[tuple[object, frozenset[str], int, int]],
    *,
    thought: bool,
    unclosed: bool,
) -> Parsed:
    if len(found) > 1:
        raise Unscored("multiple_objects", f"{len(found)} objects")
    if unclosed:
        raise Unscored("truncated", "the thinking has no end")
    if not found:
        _nothing_found(text, thought=thought)
    value, repaired, start, end = found[0]
    repairs = set(repaired)
    around = text[:start] + text[end:]
    if "```" in around:
        repairs.add("fence")
        around = re.sub(r"```(?:json[c5l]?)?", "", around, flags=re.IGNORECASE)
    if thought:
        repairs.add("thinking")
    elif around.strip():
        repairs.add("prose")
    if isinstance(value, list):
        return _only_item(cast("list[object]", value), repairs)
    return Parsed(cast("dict[str, Any]", value), tuple(sorted(repairs)))


def _nothing_found(text: str, *, thought: bool) -> NoReturn:
    """No object: say why."""
    rest = text
    if thought:
        rest = _CLOSING.split(text)[-1]
    rest = re.sub(r"```(?:json[c5l]?)?", "", rest, flags=re.IGNORECASE).strip()
    if not rest:
        raise Unscored("empty_reply", "nothing but thinking or an empty fence")
    if is_refusal(rest):
        raise Unscored("judge_refused", rest[:120])
    raise Unscored("parse_failure", "no JSON object in the reply")


def _closing(text: str, at: int) -> int | None:
    closing = _CLOSING.search(text, at)
    return None if closing is None else closing.end()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Unscored("duplicate_key", "a key occurs twice in one object")
    return value


def _not_finite(text: str) -> NoReturn:
    raise Unscored("out_of_range", text)


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Unscored("out_of_range", text[:40])
    return value


def _bounded_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise Unscored("out_of_range", f"a number of {len(text)} digits")
    return int(text)


def _number(text: str) -> int | float:
    """A JSON number, or NaN and infinities, which raise."""
    if text.lstrip("-+").lower() in ("nan", "inf", "infinity"):
        _not_finite(text)
    return _finite_float(text) if any(c in text for c in ".eE") else _bounded_int(text)


def _without_surrogates(value: Any) -> Any:
    """Lone surrogates from broken escapes cannot be written as UTF-8: replaced by U+FFFD."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {_without_surrogates(key): _without_surrogates(item) for key, item in pairs}
    return value
