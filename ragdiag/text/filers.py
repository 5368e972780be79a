"""Whose report a page is, as its text says: names in the places where a filer is named.

Such places are a line that is nothing but a company's name with its legal form ("AMAZON.COM, INC.",
"The Boeing Company and Subsidiaries"), a running head or foot ("Apple Inc. | Q3 2022 Form 10-Q"),
"annual report on Form 10-K of X". Firm: the place can hardly name another company.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from ragdiag.text.word_sets import word_set

_FORM = (
    r"(?:Inc(?:orporated)?|Corp(?:oration)?|Company|Co|Ltd|Limited|L\.?L\.?C|L\.?P|P\.?L\.?C|"
    r"N\.?V|B\.?V|S\.?A|S\.?E|S\.?p\.?A|A\.?G|GmbH|KGaA|A/S|ASA|AB|Oyj|Pty|Bhd|Tbk|Holdings?|Group|International|Companies)"
)
_WORD = r"(?:[^\W\d_][\w&’'./-]*|\d{1,3}[A-Z]\w*|&)"
_NAME = rf"(?:{_WORD}[ ]){{0,5}}{_WORD}"
_HANGUL_HAN = (
    r"(?:株式会社[^\s、。（(]{1,20}|[^\s、。（(]{2,20}(?:株式会社|股份有限公司|有限公司|集团|주식회사)|"
    r"주식회사\s?[^\s(]{1,20}|(?:ПАО|ООО|АО|ОАО|ЗАО)\s?[«\"][^»\"\n]{1,40}[»\"])"
)
_AND_SUBSIDIARIES = (
    r"(?:\s*(?:and|&|und|et|y|e)\s+(?:its\s+|ses\s+|sus\s+|seine\s+)?(?:consolidated\s+)?"
    r"(?:subsidiaries|subsidiary companies|tochter\w*|filiales|subsidiarias|filiali|"
    r"controllate)\b|及其?子公司|及び(?:連結)?子会社|및 종속(?:기업|회사))"
)
_ALONE = re.compile(
    rf"(?:(?P<name>{_NAME}),?\s(?P<form>{_FORM})\b\.?|(?P<cjk>{_HANGUL_HAN})|"
    rf"(?P<bare>{_NAME})(?={_AND_SUBSIDIARIES}))"
    rf"(?P<subs>{_AND_SUBSIDIARIES})?\s*(?:\([^()\n]{{0,40}}\))?\s*[|:.–—-]?\s*(?:\d{{1,4}})?",
    re.IGNORECASE,
)
_RUNNING = re.compile(
    rf"(?:Table of Contents\s+)?(?:\d{{1,4}}\s*[|•·–-]?\s+)?"
    rf"(?P<name>{_NAME})(?:,?\s{_FORM}\b\.?)?\s*(?P<bar>[|•·–—-]\s*)?"
    r"(?:Q[1-4]\s+)?(?:(?:FY\s?)?(?:19|20)\d\d\s+)?"
    r"(?P<kind>(?:Annual|Quarterly|Half-year|Interim)\s+Report|Form\s+(?:10-[KQ]|20-F|8-K)|"
    r"Geschäftsbericht|Rapport annuel|Informe anual|有価証券報告書|年度报告)\b",
    re.IGNORECASE,
)
_PROPER = r"(?:\d{1,3})?[A-Z][\w&’'.-]*(?:[ ](?:[A-Z][\w&’'.-]*|&)){0,5}"
_REPORT_OF = re.compile(
    r"\b(?:Form\s+(?:10-[KQ]|20-F|8-K|40-F)(?:/A)?|(?:annual|quarterly)\s+report)\s+of\s+"
    rf"(?:the\s+)?(?P<name>{_PROPER}(?:,?\s{_FORM}\b\.?)?)"
)
# Places in running text where a page speaks of its own company.
_SELF = re.compile(
    r"[\"“](?:the\s)?(?:Company|Corporation),?[”\"]\s(?:means?|refers?\sto)\s(?:the\s)?"
    rf"(?P<n1>{_PROPER})"
    rf"|\battributable\sto\s(?:the\s)?(?P<n2>{_PROPER})"
    r"|\b(?:[Dd]irectors|holders|condition|trademarks?|Stock|stock|Incorporation)\sof\s(?:the\s)?"
    rf"(?P<n3>{_PROPER}),?\s{_FORM}\b"
)
_LEGAL_NAME = re.compile(
    rf"(?P<n>{_PROPER}),?\s(?:Inc|INC|Incorporated|Corporation|CORPORATION|Corp|plc|PLC|Ltd|AG|SE|"
    r"N\.V|S\.A|Company)\b"
)
_DEFINED = re.compile(
    r"\((?:together[^()]{0,60})?(?:the\s|[“\"]we,?[”\"]\s)*[\"“](?:the\s)?"
    r"(?:Company|Registrant|Corporation)[,”\"]"
)
_DEFINES = re.compile(
    rf"(?P<n>{_PROPER})(?:,?\s{_FORM}\b\.?)?(?:,\s(?:a|an)\s[\w ]{{3,40}}?(?:corporation|company))?"
    r",?\s$"
)
_LOOK_BACK = 120
_LEGAL_END = re.compile(rf",?\s{_FORM}\b\.?,?$", re.IGNORECASE)
_LISTED = 4
_LONGEST = 110
_LINES = 4000
_NO_NAMES = word_set(
    "the a an this these our its company corporation registrant issuer group parent limited inc "
    "exhibit item note part table page form annual quarterly report reports total general notes to "
    "holding holdings subsidiary subsidiaries associated affiliated controlled public private "
    "investment insurance such each any other covenants of and management market consolidated "
    "documents leadership borrower lender trustee trust guarantor agent purchaser seller our index "
    "current on with by in for from organization unrealized operating name age position section "
    "plan u s united states account contributions service business quarter worldwide covid"
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
        stripped = line.strip()
        if not 3 <= len(stripped) <= _LONGEST or stripped[-1] in ";,":
            continue
        running = _RUNNING.match(stripped)
        if running is not None and _is_running(stripped, running) and _is_name(running["name"]):
            firm.add(running["name"].strip(" ,"))
            continue
        alone = _ALONE.fullmatch(stripped)
        if alone is not None:
            name = alone["name"] or alone["cjk"] or alone["bare"]
            if alone["cjk"] or _is_name(name):
                lines[name] = lines.get(name, False) or bool(alone["subs"])
    for match in _REPORT_OF.finditer(text):
        if _is_name(match["name"]):
            firm.add(match["name"].strip(" ,"))
    if len({name.casefold() for name in lines}) < _LISTED:
        firm.update(name for name, whole in lines.items() if whole)
        likely = frozenset(lines)
    else:
        likely = frozenset[str]()
    known = likely | firm | _selves(text)
    return Filers(frozenset(firm), known or _main_name(text))


def _selves(text: str) -> frozenset[str]:
    """The names that running text gives to the page's own company; none where they are many."""
    found: set[str] = set()
    for match in _SELF.finditer(text):
        found.add(match["n1"] or match["n2"] or match["n3"])
    for anchor in _DEFINED.finditer(text):
        match = _DEFINES.search(text[max(0, anchor.start() - _LOOK_BACK) : anchor.start()])
        if match is not None:
            found.add(match["n"])
    named = {_LEGAL_END.sub("", name.strip(" ,")) for name in found if _is_name(name)}
    return frozenset(named) if len(named) < _LISTED else frozenset()


def _main_name(text: str) -> frozenset[str]:
    """The company that a text names in full at least twice, and twice as often as any other."""
    names = [
        _LEGAL_END.sub("", match["n"].strip(" ,"))
        for match in _LEGAL_NAME.finditer(text)
        if _is_name(match["n"])
    ]
    counted = Counter(name.split()[0].casefold() for name in names).most_common(2)
    if not counted or counted[0][1] < 2 * max([n for _, n in counted[1:]], default=1):
        return frozenset()
    return frozenset(name for name in names if name.split()[0].casefold() == counted[0][0])


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
    return any(word.lower() not in _NO_NAMES and word[0].isupper() for word in words)
