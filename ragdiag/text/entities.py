"""Names of companies: in an id, in a text, and whether two names are those of one company."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from ragdiag.text.periods import period_of
from ragdiag.text.renamings import renamed
from ragdiag.text.stopwords import word_set
from ragdiag.text.tickers import is_ticker_of, looks_like_ticker

_LEGAL = word_set(
    "inc incorporated corp corporation co company companies ltd limited llc llp lp plc sa se ag nv "
    "bv ab asa oyj spa gmbh kgaa kg group holding holdings the and of international intl"
)
REPORT_WORDS = word_set(
    "10k 10q 8k 20f 6k annual report quarterly earnings release dated form filing filings results "
    "statement statements financial full fy year q1 q2 q3 q4 h1 h2 pdf html htm txt md json"
)
_GENERIC = word_set(
    "doc document file page passage chunk text table section part source data wiki web url http "
    "https www com id item record msmarco nq beir corpus final draft v1 v2 copy en"
)
_COMMON_FIRST = word_set(
    "american general first united national global bank new us western southern northern eastern "
    "great royal universal standard advanced applied central pacific atlantic north south east "
    "west old best big world public federal industrial electronic santa san saint st la le el de "
    "deutsche china japan british canadian air blue red green black white golden silver"
)


_DOTTED = re.compile(r"(?<!\w)(?:[A-Za-z]\.){2,}")


@lru_cache(maxsize=8192)
def name_words(text: str) -> tuple[str, ...]:
    """The words of a name or id, case folded, without accents; camel case and signs part them."""
    # "PepsiCo" is one word; its "Co" is no legal form.
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])(?!(?:Co|Corp|Inc)(?![a-z]))", " ", text)
    joined = re.sub(r"\b(10|8|20|6)-(K|Q|F)\b", r"\1\2", spaced, flags=re.IGNORECASE)
    joined = _DOTTED.sub(lambda match: match.group().replace(".", ""), _plain(joined))
    return tuple(w.casefold() for w in re.findall(r"[^\W_]+", joined))


def _plain(text: str) -> str:
    """Latin letters without their accents: "Nestlé" is often written "Nestle"."""
    if text.isascii():
        return text
    kept: list[str] = []
    for char in unicodedata.normalize("NFC", text):
        parts = unicodedata.normalize("NFD", char)
        kept.append(parts[0] if parts[0].isascii() else char)
    return "".join(kept)


@lru_cache(maxsize=8192)
def squeeze(text: str) -> str:
    """Letters and digits only, case folded."""
    return "".join(c for c in text.casefold() if c.isalnum())


@lru_cache(maxsize=8192)
def entity_of_id(doc_id: str) -> str | None:
    """The entity that a document's id names ("3M_2018_10K": "3M"); None where it names none.

    Only an id that also names a year or kind of report is read this way: "doc-17" and a hash are
    no names.
    """
    stem = doc_id.rsplit("/", 1)[-1]
    listed = name_words(stem)
    cut = next((i for i, w in enumerate(listed) if w in REPORT_WORDS or _is_period(w)), None)
    if cut is None:
        return None
    head = [w for w in listed[:cut] if w not in _GENERIC] if cut else _behind(stem, listed)
    return " ".join(head) if any(any(map(str.isalpha, w)) for w in head) else None


def _behind(stem: str, listed: tuple[str, ...]) -> list[str]:
    """The name behind the period: a ticker ("2022 Q3 AAPL.pdf"), or at most four words behind more
    than a bare year ("2017_annual_report_siemens"; "2021_climate_policy" names nobody)."""
    ahead = next(
        (i for i, w in enumerate(listed) if w not in REPORT_WORDS and not _is_period(w)),
        len(listed),
    )
    rest = listed[ahead:]
    end = next((i for i, w in enumerate(rest) if w in REPORT_WORDS or _is_period(w)), len(rest))
    # A ticker keeps its capitals, by which it is known.
    name = [w.upper() if _stands_alone(w.upper(), stem) else w for w in rest[:end]]
    if len(name) == 1 and looks_like_ticker(name[0]):
        return name
    telling = any(not _is_year(w) for w in listed[:ahead])
    plain = all(w.isalpha() and w.lower() not in _GENERIC for w in name) and len(name) <= 4
    return name if telling and plain else []


def _stands_alone(word: str, text: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text) is not None


def _is_period(word: str) -> bool:
    return bool(period_of(word)) and any(map(str.isdigit, word))


def names_something(doc_id: str) -> bool:
    """Is an id or title a name at all, rather than a number or hash?"""
    return entity_of_id(doc_id) is not None or " " in doc_id.strip()


@lru_cache(maxsize=8192)
def core_words(name: str) -> tuple[str, ...]:
    """The name's words without legal forms ("The Boeing Company": "boeing")."""
    listed = tuple(w for w in name_words(name) if w not in REPORT_WORDS and not _is_year(w))
    kept = tuple(w for at, w in enumerate(listed) if w not in _LEGAL and (w != "s" or not at))
    return kept or listed


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20")


@lru_cache(maxsize=16384)
def same_entity(wanted: str, named: str) -> bool | None:
    """Equal words, one the beginning of the other, or an abbreviation.

    None where either has no words, or they are of different scripts and so cannot be compared.
    """
    left, right = core_words(wanted), core_words(named)
    if not left or not right:
        return None
    joined = "".join(left), "".join(right)
    if joined[0] == joined[1] or set(left) <= set(right) or set(right) <= set(left):
        return True
    shorter, longer = sorted(joined, key=len)
    if len(shorter) >= 4 and longer.startswith(shorter):
        return True
    if looks_like_ticker(named) != looks_like_ticker(wanted) and (
        is_ticker_of(named, left) if looks_like_ticker(named) else is_ticker_of(wanted, right)
    ):
        return True
    if renamed(left, right) or _initials(left, joined[1]) or _initials(right, joined[0]):
        return True
    return False if joined[0].isascii() == joined[1].isascii() else None


def _initials(listed: tuple[str, ...], short: str) -> bool:
    """ "amd" for Advanced Micro Devices, "jpm" for JPMorgan, "jnj" for Johnson & Johnson."""
    initials = "".join(word[0] for word in listed)
    return len(short) >= 2 and (
        short in (initials, "n".join(initials))
        or (2 < len(short) < 5 and listed[0].startswith(short))
        or (len(short) >= 4 and len(listed) > 1 and _syllables(listed, short))
    )


def _syllables(listed: tuple[str, ...], short: str) -> bool:
    """ "Amex" for American Express, "FedEx" for Federal Express: two letters or more of each word,
    the last of which ends it."""
    if len(listed) == 1:
        return len(short) >= 2 and listed[0].startswith(short)
    first, rest = listed[0], listed[1:]
    return any(
        first.startswith(short[:at]) and _syllables(rest, short[at:])
        for at in range(2, min(len(first), len(short) - 1) + 1)
    )


def shares_brand(wanted: str, named: str) -> bool:
    """Do two names begin with the same word, other than one that many companies begin with?"""
    left, right = core_words(wanted), core_words(named)
    return bool(left and right) and left[0] == right[0] and left[0] not in _COMMON_FIRST


def mentions(wanted: str, text: str) -> bool:
    """Does the text name the entity, as words in a row or written without blanks?

    In a text that has capitals a name begins with one ("a block of shares" is no Block).
    """
    core = core_words(wanted)
    if not core or not text:
        return False
    small = not wanted[:1].isupper() or text.islower()
    return any(small or not found[0].islower() for found in _named(core, text))


def _named(core: tuple[str, ...], text: str) -> Iterator[str]:
    return (match.group() for match in _name_pattern(core).finditer(text))


@lru_cache(maxsize=2048)
def _name_pattern(core: tuple[str, ...]) -> re.Pattern[str]:
    joined = r"[\s&.,'’_-]{0,3}(?:and\s)?".join(re.escape(word) for word in core)
    return re.compile(rf"(?<![^\W_]){joined}(?:s|['’]s|inc|corp|plc)?(?![^\W\d_])", re.IGNORECASE)
