"""Digits that are no quantity: versions, addresses, phone numbers, notes, pages, list markers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragdiag.text.numbers.labels import SCALE_NEXT, find_labelled

_LABELS = (
    "notes?|pages?|pp?\\.|form|items?|sections?|sec\\.|table|figures?|fig\\.|chapter|exhibit|part"
    "|article|appendix|schedule|rule|footnotes?|paragraph|line|level|step|tier|phase|class|series"
    "|version|ver\\.|release|room|suite|asc|asu|ifrs|ias|sfas|iso|isbn(?:-1[03])?|issn|cusip"
    "|no\\.|nr\\.|nos\\.|number|topic|stage|article|act|chapter|volume|vol\\.|question|answer"
    "|section|source|document|doc|passage|s&p|russell|nasdaq|ftse|stoxx|dow|route|highway|boeing"
    "|airbus|covid|title|apollo|windows|seite|anhang|nota|página|стр\\."
)
_LABEL_INITIALS = {label[0] for label in re.split(r"[|(]", _LABELS) if label} - {"?"}
_INITIALS = "".join(sorted(_LABEL_INITIALS | set("hwvsd")))
# Three families by their first character: a lookahead skips most places of a text at once.
_LETTERED = (
    r"(?P<url>(?:https?://|www\.)[^\s<>\"]{1,2000})"
    r"|(?P<vnumber>v\d{1,5}(?:\.\d{1,5})*(?!\w))"
    rf"|(?P<label>(?:{_LABELS})[ \u00a0:-]{{0,2}}#?\(?\d{{1,6}}"
    r"(?:[-.]\w{1,6}){0,5}(?:\([a-z0-9]\))?(?![\w%]|,\d))"
    r"|(?P<lettered>(?:S-1|DEF ?14A)(?:/A)?(?!\w))"
)
_DIGITS = (
    r"(?P<list>(?:^|(?<=\n)|(?<=\n[ \t])|(?<=\n[ \t]{2})|(?<=\n[ \t]{4}))"
    r"\(?\d{1,2}[.)](?=[ \t]+[^\s\d]))"
    r"|(?P<phone>(?<![\w.])(?:\+\d{1,3}[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}(?!\w)"
    r"|(?<![\w.])\+\d{1,3}(?:[ .()-]{1,2}\d{1,8}){2,6}(?![\w]))"
    r"|(?P<version>(?<![\w.,$])\d{1,5}(?:\.\d{1,5}){2,6}(?::\d{1,5})?(?![\w,]|\.\d))"
    r"|(?P<form>(?<![\w.])(?:10-?[KQ]|8-?K|20-?F|6-?K|11-K|401\(?k\)?)(?:/A)?(?!\w))"
    r"|(?P<time>(?<![\w:.])\d{1,2}:\d{2}(?::\d{2})?(?![\w:])(?: ?[ap]\.?m\b\.?)?)"
    r"|(?P<coded>(?<![\w.,$€£¥])\d+(?:[-/]?[A-Za-z]+\d+[A-Za-z0-9]*(?:-[A-Za-z0-9]{1,8}){0,3}|"
    r"-?[A-Za-z]+-[A-Za-z0-9-]{1,20})(?!\w))"
    r"|(?P<generation>(?<![\w.,$€£¥])(?:[2-6]G|[1-4]D|3M)(?!\w))"
    r"|(?P<isbn>(?<![\w-])97[89]-?\d(?:-?\d){9}(?![\w-]))"
)
_MARKED = (
    r"(?P<mark>\[\^?\d{1,3}(?:[,–-] ?\d{1,3})*\]|【\d{1,3}[^】\n]{0,40}】)"
    r"|(?P<hash>(?<!\w)#\d{1,9}(?:-\d{1,9}){0,3}(?!\w))"
)
_IDENTIFIER = re.compile(
    rf"(?<![\w])(?=[{_INITIALS}])(?:{_LETTERED})|(?=[\d+(])(?:{_DIGITS})|(?=[\[【#])(?:{_MARKED})",
    re.IGNORECASE,
)
_AMOUNT_AFTER_LIST = re.compile(
    r"[ \t]+(?:[A-Z]{3} |million|billion|thousand|m\b|bn\b|%"
    r"|bps\b|pp\b|percent|basis|x\b)"
)
_LOWER_UNIT = re.compile(r"^\d+-?[a-z]+-")
_POWER_OF_TEN = re.compile(r"\d+[eE]-?\d+")
_BARE_THOUSANDS = re.compile(r"\d+k")
_VERSION_GROUPS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")


def find_identifiers(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of each span whose digits name a thing; kind is identifier or time."""
    for match in _IDENTIFIER.finditer(text):
        which = match.lastgroup
        found = match.group()
        if which == "version" and _VERSION_GROUPS.fullmatch(found):
            continue
        if which == "label" and SCALE_NEXT.match(text, match.end()):
            continue
        if which == "list" and _AMOUNT_AFTER_LIST.match(text, match.end()):
            continue
        if which == "generation" and found[-1] in "gdm":
            continue
        if which == "coded" and not _is_code(found):
            continue
        if which == "form" and _BARE_THOUSANDS.fullmatch(found):
            continue  # "10k" is ten thousand, "10K" and "10-k" are a report
        yield match.start(), match.end(), "time" if which == "time" else "identifier"
    for start, end in find_labelled(text):
        yield start, end, "identifier"


def _is_code(found: str) -> bool:
    """Is "7-Eleven-x" or "10b5-1" a name, and not "5-year-old" or "3e8"?"""
    return _POWER_OF_TEN.fullmatch(found) is None and _LOWER_UNIT.match(found) is None
