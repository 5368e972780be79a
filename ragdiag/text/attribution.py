"""Words that say where a statement comes from, and not what it says: "Based on the given passages,
…", "According to Passage 2, …", "Passage 3 mentions that …"."""

from __future__ import annotations

import re

_THING = r"(?:passages?|documents?|sources?|contexts?|excerpts?|snippets?|search\sresults?)"
_WHICH = (
    r"(?:all|both|the|these|this|those|given|provided|retrieved|supplied|available|above|"
    r"following|first|second|third|last)\s"
)
_NUMBERS = r"\s\d{1,3}(?:(?:,\s?|,?\s(?:and|or|&)\s)(?:passage\s)?\d{1,3}){0,6}(?!\d|[.,]\d)"
# "according to sources" may be what a passage says itself: some word must point at those given.
_SOURCE = (
    rf"(?:(?:{_WHICH}){{1,4}}{_THING}(?:{_NUMBERS})?|{_THING}{_NUMBERS})"
    r"(?:\s(?:provided|given|above|supplied))?"
)
_TOLD = (
    r"(?:states?|mentions?|says?|notes?|explains?|describes?|suggests?|indicates?|tells?(?:\sus)?|"
    r"reports?|shows?|points?\sout|adds?|confirms?|specif(?:y|ies)|highlights?|reveals?)"
)
_AS_TOLD = (
    r"as\s(?:also\s)?(?:stated|mentioned|described|noted|explained|reported|shown|suggested|"
    r"indicated)\s(?:in|by)"
)
_ELSEWHERE = (
    r"(?:laut|gemäß|nach)\s(?:(?:der|dem|den|diesem|diesen|dieser)\s)?(?:\w{0,12}en\s)?(?:passagen?|"
    r"dokument(?:en?)?|quellen?|kontext|textstellen?)(?:\s\d{1,3})?"
    r"|(?:selon|d['’]après)\s(?:les?|la|ces?)\s(?:passage|document|contexte|source)s?(?:\s\d{1,3})?"
    r"|(?:según|de\sacuerdo\scon)\s(?:el|la|los|las)\s(?:pasaje|documento|contexto|fuente)s?"
    r"(?:\s\d{1,3})?"
)
_ATTRIBUTION = re.compile(
    rf"(?<!\w)(?:(?:based\s(?:solely\s|only\s)?(?:up)?on|according\sto|as\sper|{_AS_TOLD})\s{_SOURCE}"
    rf"|{_ELSEWHERE}|{_SOURCE}\s(?:also\s)?{_TOLD}\sthat)(?!\w)[,:]?[ \t]*"
    r"|根据(?:所)?(?:给定|提供|给出)?的?(?:文档|段落|资料|上下文|文件)\s?\d{0,3}[，,]?",
    re.IGNORECASE,
)
_HINT = re.compile(
    rf"{_THING}|passage|do[ck]ument|quelle|kontext|textstelle|fuente|根据", re.IGNORECASE
)


def without_attribution(text: str) -> str:
    """The text without words that attribute it to the passages; as it is where nothing is left.

    A statement about a passage ("Passage 2 is a letter") stays whole.
    """
    if _HINT.search(text) is None:
        return text
    rest = _ATTRIBUTION.sub("", text).strip()
    return rest if any(map(str.isalnum, rest)) else text
