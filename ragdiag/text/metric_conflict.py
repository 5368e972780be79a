"""Is the metric that a passage states the one that is wanted: synonyms, and siblings told apart by
a word ("gross margin" and "operating margin")?"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.text.tokens import content_stems
from ragdiag.text.word_sets import word_set

_SYNONYMS = (
    ("revenue", r"(?:(?:net|total) )?(?:sales|revenues?|turnover)"),
    ("net income", r"net (?:income|earnings?|profits?|loss(?:es)?)|"
                   r"profit (?:for the year|after tax)|"
                   r"profit attributable"),
    ("operating income", r"operating (?:income|profits?|earnings|loss)|ebit|"
                         r"income from operations"),
    ("gross income", r"gross (?:profits?|income)"),
    ("earnings per share", r"eps|(?:earnings|income|loss) per (?:common )?share"),
    ("capital expenditure", r"capex|capital (?:expenditures?|spending)|(?:purchases?|"
                            r"additions?) (?:of|to) property,? plant,? and equipment"),
    ("cost of revenue", r"cogs|costs? of (?:goods sold|sales|revenues?|products sold)"),
    ("property plant equipment", r"pp ?& ?e|property,? plant,? (?:and|&) equipment"),
    ("research development", r"r ?& ?d|research (?:and|&) development"),
    ("administrative", r"sg ?& ?a|selling,? general,? (?:and|&) administrative"),
    ("number of employees", r"headcount|workforce|number of (?:employees|staff)|employees"),
)  # fmt: skip
_CANONICAL = tuple(
    (f" {name} ", re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE))
    for name, pattern in _SYNONYMS
)
# Heads of metrics, and the words before them by which siblings are told apart.
_SIBLINGS = (
    ("margins?", "gross operating net ebitda ebit pretax contribution"),
    ("profits?|income|earnings", "gross operating net pretax comprehensive"),
    ("ratio", "current quick debt cash coverage payout leverage turnover"),
    ("assets", "total current fixed noncurrent intangible tangible net"),
    ("liabilities", "total current noncurrent deferred"),
    ("activities", "operating investing financing"),
    ("cash flows?", "operating investing financing free"),
    ("eps|earnings per share", "basic diluted adjusted"),
    ("receivables?|payables?", "accounts notes tax trade"),
    ("debt|borrowings", "long-term short-term net total"),
    ("production|output|reserves|prices?|sales volumes?|exports|imports",
     "oil gas coal copper gold silver iron nickel zinc lithium lng power steel wheat"),
)  # fmt: skip
_PAIRS = (("receivable", "payable"), ("basic", "diluted"), ("import", "export"),
          ("asset", "liabilit"))  # fmt: skip
_JOINED = re.compile(r"(?<!\w)(pre|non|long|short)[- ](tax|current|term)(?!\w)", re.IGNORECASE)


def canonical(metric: str) -> frozenset[str]:
    """The stems of a metric's name, its synonyms made one ("net sales" is revenue)."""
    for name, pattern in _CANONICAL:
        metric = pattern.sub(name, metric)
    return frozenset(content_stems(metric))


def metric_in_text(wanted: str, text: str) -> bool | None:
    """True: the text has all words of the metric, or a synonym. False: it states a sibling of it
    and nowhere the word that tells them apart. Else None.
    """
    asked = _stems(_plain(wanted))
    if not asked or not text:
        return None
    if asked <= _stems(_plain(text)) or _by_synonym(_plain(wanted), _plain(text)):
        return True
    return False if _sibling(_plain(wanted), _plain(text)) else None


def same_metric(wanted: str, named: str) -> bool | None:
    """Are two names of metrics the same, or one the other with more words? None for no words."""
    asked, other = canonical(wanted), canonical(named)
    if not asked or not other:
        return None
    return asked <= other or other <= asked


def _by_synonym(wanted: str, text: str) -> bool:
    """Does the text name the metric by another of its names, and hold the words beside it?"""
    for _, pattern in _CANONICAL:
        named = pattern.search(wanted)
        if named is not None and pattern.search(text):
            rest = f"{wanted[: named.start()]} {wanted[named.end() :]}"
            return _stems(rest) <= _stems(text)
    return False


@lru_cache(maxsize=64)
def _stems(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))


@lru_cache(maxsize=64)
def _plain(text: str) -> str:
    return _JOINED.sub(_join, text.lower())


def _join(match: re.Match[str]) -> str:
    hyphen = "-" if match[2] == "term" else ""
    return f"{match[1]}{hyphen}{match[2]}"


def _sibling(wanted: str, text: str) -> bool:
    for heads, words in _SIBLINGS:
        told = word_set(words)
        asked = re.search(rf"(?<!\w)(?P<m>{'|'.join(told)}) (?:\w+ )?(?:{heads})(?!\w)", wanted)
        if asked is None or _word(asked["m"], text):
            continue
        rivals = "|".join(sorted(told - {asked["m"]}))
        if re.search(rf"(?<![\w-])(?:{rivals}) (?:\w+ )?(?:{heads})(?!\w)", text):
            return True
    for one, other in (*_PAIRS, *((b, a) for a, b in _PAIRS)):
        if _begins(one, wanted) and not _begins(other, wanted):
            rest = [w for w in re.findall(r"\w+", wanted) if not w.startswith(one)]
            shared = bool(rest) and all(_word(w, text) for w in rest)
            if shared and _begins(other, text) and not _begins(one, text):
                return True
    return False


def _word(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", text) is not None


def _begins(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(word)}", text) is not None
