"""Whose report a page is, as its text says: names in the places where a filer is named.

Such places are a line that is nothing but a company's name with its legal form ("AMAZON.COM, INC.",
"The Boeing Company and Subsidiaries"), a running head or foot ("Apple Inc. | Q3 2022 Form 10-Q"),
"annual report on Form 10-K of X". Firm: the place can hardly name another company.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ragdiag.text.filer_places import (
    AFTER,
    ALONE,
    BEFORE,
    BOUGHT,
    FORM,
    LEGAL_NAME,
    LOOK_BACK,
    NAME_BEFORE,
    OURSELVES,
    REPORT_OF,
    RUNNING,
)
from ragdiag.text.word_sets import word_set

_LEGAL_END = re.compile(rf",?\s{FORM}\b\.?,?$", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_SUBSIDIARY = re.compile(r"subsidiary companies", re.IGNORECASE)
# Quotation marks of an old code page, read as control characters.
_QUOTES = str.maketrans("\x91\x92\x93\x94\x96\x97", "‘’“”–—")
_LISTED = 4
_NAMED = 2
_LONGEST = 110
_LINES = 4000
_NO_NAMES = word_set(
    "the a an this these our its company corporation registrant issuer group parent limited inc "
    "exhibit item note part table page form annual quarterly report reports total general notes to "
    "holding holdings subsidiary subsidiaries associated affiliated controlled public private "
    "investment insurance such each any other covenants of and management market consolidated "
    "documents leadership borrower lender trustee trust guarantor agent purchaser seller our index "
    "current on with by in for from organization unrealized operating name age position section "
    "plan u s united states account contributions service business quarter worldwide covid "
    "common noncontrolling controlling non-controlling continuing discontinued shareholders "
    "stockholders shareowners date title llc ltd corp co concessionaire development we employer "
    "employee executive fiscal certain both all certificate act restated amended agreement law "
    "comparison index return average program domestic class series preferred restricted "
    "outstanding issued treasury"
)
_LEADING = word_set(
    "at in the by of for and to with on from between among under that see total item overview "
    "organization business introduction"
)


@dataclass(frozen=True, slots=True)
class Filers:
    """Names in a filer's place: `firm` of the places that name nobody else, `likely` of others."""

    firm: frozenset[str]
    likely: frozenset[str]


@lru_cache(maxsize=64)
def filers_named(text: str) -> Filers:
    """Names that stand where a page names its filer; empty sets where it names none.

    A page of many names, such as a list of subsidiaries or signatures, names none by its lines.
    """
    firm: set[str] = set()
    lines: dict[str, bool] = {}
    for line in text.split("\n", _LINES)[:_LINES]:
        stripped = " ".join(line.split()).strip(" _")
        if not 3 <= len(stripped) <= _LONGEST or stripped[-1] in ";,":
            continue
        running = RUNNING.match(stripped)
        if running is not None and _is_running(stripped, running) and _is_name(running["name"]):
            firm.add(running["name"].strip(" ,"))
            continue
        if "ubsidiary" in stripped.lower():
            stripped = _SUBSIDIARY.sub("Subsidiaries", stripped)
        alone = ALONE.fullmatch(stripped)
        if alone is not None:
            name = alone["name"] or alone["cjk"] or alone["bare"]
            if alone["cjk"] or _is_name(name):
                lines[name] = lines.get(name, False) or bool(alone["subs"])
    flat = _BLANKS.sub(" ", text).translate(_QUOTES)
    for match in REPORT_OF.finditer(flat):
        if _is_name(match["n"]):
            firm.add(match["n"].strip(" ,"))
    if len({name.casefold() for name in lines}) < _LISTED:
        firm.update(name for name, whole in lines.items() if whole)
        likely = frozenset(lines)
    else:
        likely = frozenset[str]()
    known = likely | _selves(flat)
    known = known or (frozenset() if firm else _main_name(flat))
    if OURSELVES.search(flat):  # then it may tell of a company that was acquired
        known = frozenset(name for name in known if not _bought(name, flat))
    return Filers(frozenset(firm), known | firm)


def _selves(flat: str) -> frozenset[str]:
    """The names that running text gives to the page's own company; none where they are many."""
    told = (_begun(name) for name in _told(flat))
    named = {_LEGAL_END.sub("", name.strip(" ,")) for name in told if _is_name(name)}
    return frozenset(named) if len(named) < _LISTED else frozenset()


def _begun(name: str) -> str:
    """The name without a heading's or sentence's first word before it: "At Arden Mills"."""
    first, _, rest = name.partition(" ")
    return _begun(rest) if rest and first.lower() in _LEADING else name


def _told(flat: str) -> Iterator[str]:
    for pattern in AFTER:
        for match in pattern.finditer(flat):
            yield match["n"] if match["n"][0] != match["n"][0].lower() else match["n"].title()
    for anchor in BEFORE.finditer(flat):
        start = anchor.start()
        match = NAME_BEFORE.search(flat, max(0, start - LOOK_BACK), start)
        if match is not None:
            yield match["n"]


def _main_name(flat: str) -> frozenset[str]:
    """The company that a text names in full at least twice, and twice as often as any other."""
    named = [_LEGAL_END.sub("", match["n"].strip(" ,")) for match in LEGAL_NAME.finditer(flat)]
    counted = Counter(name.casefold() for name in named if _is_name(name)).most_common(2)
    if not counted or counted[0][1] < max([_NAMED, *(2 * n for _, n in counted[1:])]):
        return frozenset()
    return frozenset(name for name in named if name.casefold() == counted[0][0])


def _bought(name: str, flat: str) -> bool:
    """Does the text name the company as one that its own bought, sold or sued?"""
    return re.search(BOUGHT + re.escape(name), flat, re.IGNORECASE) is not None


def _is_running(line: str, match: re.Match[str]) -> bool:
    """Is it a running head rather than a sentence: capitals, and little after the kind?"""
    rest = line[match.end() :].strip(" |.–-")
    words = rest.split()
    return (
        len(words) <= 5 and not line.endswith(".") and match["name"][0] == match["name"][0].upper()
    )


def _is_name(name: str) -> bool:
    """Does it hold a capitalised word that is no generic one, and begin with no small letter?"""
    words = re.findall(r"[^\W_]+", _LEGAL_END.sub("", name))
    if not words or not (words[0][0].isupper() or words[0][0].isdigit()):
        return False
    if words[-1].lower() in _NO_NAMES:
        return False
    return any(w.lower() not in _NO_NAMES and any(map(str.isupper, w)) for w in words)
