"""Other spellings of one name: countries and cities in their own tongue, umlauts, company forms."""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.answer import match

_GROUPS = """
united states|united states of america|usa|u.s.a|u.s|us
united kingdom|uk|u.k|great britain
united arab emirates|uae
european union|eu
united nations|un
soviet union|ussr|u.s.s.r
washington dc|washington d.c
new york city|nyc
los angeles|la
germany|deutschland|allemagne|alemania
austria|osterreich
france|frankreich
spain|espana|spanien
italy|italia|italien
switzerland|schweiz|suisse|svizzera
netherlands|holland|nederland
belgium|belgie|belgique
denmark|danmark
sweden|sverige
norway|norge
finland|suomi
poland|polska
hungary|magyarorszag
greece|hellas
turkey|turkiye
japan|nippon|nihon
czech republic|czechia
ivory coast|cote d'ivoire
burma|myanmar
persia|iran
siam|thailand
ceylon|sri lanka
vienna|wien
munich|munchen|muenchen
cologne|koln|koeln
nuremberg|nurnberg|nuernberg
hanover|hannover
geneva|geneve|genf
zurich|zuerich
basel|basle|bale
rome|roma
milan|milano
turin|torino
florence|firenze
venice|venezia|venedig
naples|napoli
genoa|genova
brussels|bruxelles|brussel
antwerp|antwerpen
the hague|den haag|'s gravenhage
copenhagen|kobenhavn
gothenburg|goteborg
lisbon|lisboa
seville|sevilla
prague|praha|prag
warsaw|warszawa|warschau
krakow|cracow
gdansk|danzig
wroclaw|breslau
bucharest|bucuresti
belgrade|beograd
athens|athina
moscow|moskva|moskau
kyiv|kiev
st petersburg|saint petersburg|leningrad|petrograd
volgograd|stalingrad
istanbul|constantinople
izmir|smyrna
beijing|peking
guangzhou|canton
nanjing|nanking
hong kong|hongkong
taipei|taibei
tokyo|edo
mumbai|bombay
kolkata|calcutta
chennai|madras
bengaluru|bangalore
varanasi|benares
yangon|rangoon
ho chi minh city|saigon
jakarta|batavia
cairo|al qahira
mexico city|ciudad de mexico
"""
_EQUAL_ONLY = frozenset(["us", "la", "un", "edo", "eu"])  # words of their own inside a sentence
_COMPANY = re.compile(
    r",? (?:inc(?:orporated)?|corp(?:oration)?|company|co|ltd|limited|llc|plc|gmbh|ag|s\.?a|"
    r"n\.?v)\b\.?$",
    re.IGNORECASE,
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue",
                          "å": "aa", "Å": "Aa", "ø": "oe", "Ø": "Oe"})  # fmt: skip
_BRITISH = (
    (re.compile(r"(?<=\w\w\w)our(?=s?\b|ed\b|ing\b|able\b|ite\b)"), "or"),
    (re.compile(r"(?<=\w\w)is(?=(?:e|es|ed|ing|ation|ations)\b)"), "iz"),
    (re.compile(r"(?<=\w\w)ys(?=(?:e|es|ed|ing)\b)"), "yz"),
    (re.compile(r"(?<=\w[bt])re\b"), "er"),
    (re.compile(r"\bgrey"), "gray"),
    (re.compile(r"(?<=\w)(?:ae|oe)(?=\w)"), "e"),
    (re.compile(r"aluminium"), "aluminum"),
    (re.compile(r"(?<=\w)ll(?=(?:ed|ing|er|ers)\b)"), "l"),
    (re.compile(r"(?<=\w)ogue\b"), "og"),
    (re.compile(r"(?<=\w)programme"), "program"),
)


@lru_cache(maxsize=1)
def _by_name() -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    found: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for line in _GROUPS.split("\n"):
        names = tuple(match.words(name) for name in line.split("|") if name)
        for name in names:
            found[name] = tuple(other for other in names if other != name)
    return found


@lru_cache(maxsize=1024)
def spellings(reference: str) -> tuple[tuple[str, ...], ...]:
    """Further spellings of a reference, in words, that may be sought inside an answer."""
    own = match.words(reference)
    found: list[tuple[str, ...]] = [
        other
        for other in _by_name().get(own, ())
        if len(other) > 1 or _EQUAL_ONLY.isdisjoint(other)
    ]
    turned = reference.translate(_UMLAUTS)
    if turned != reference:
        found.append(match.words(turned))
    short = _COMPANY.sub("", reference)
    if short != reference and match.words(short):
        found.append(match.words(short))
    return tuple(found)


def same_spelling(reference: str, answer: str) -> bool:
    """Are the whole texts two spellings of one thing ("Wien", "Vienna"; "colour", "color")?"""
    if any(map(str.isdigit, reference)):
        return False
    own, said = match.words(reference), match.words(answer)
    if said in _by_name().get(own, ()):
        return True
    first, second = _american(reference), _american(answer)
    if first == second:
        return True
    institutes = " of " in reference or " of " in answer  # "University of Hull", "Hull University"
    if institutes and len(first) > 1 and sorted(first) == sorted(second):
        return True
    plain = not reference.rsplit(maxsplit=1)[-1][:1].isupper()  # "Brooks" is no plural
    if plain and _singular(first) == _singular(second):
        return True
    one, other = reference.translate(_UMLAUTS), answer.translate(_UMLAUTS)
    return (one, other) != (reference, answer) and match.words(one) == match.words(other)


def _singular(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(w[:-1] if len(w) > 4 and w[-1] == "s" and w[-2] not in "su" else w for w in words)


def _american(text: str) -> tuple[str, ...]:
    folded = match.fold(text[:200])
    for pattern, other in _BRITISH:
        folded = pattern.sub(other, folded)
    return match.content(folded)


def other_script(first: str, second: str) -> bool:
    """Are two texts written in letters of different scripts, so that neither can be compared?"""
    one, other = _scripts(first), _scripts(second)
    return bool(one and other) and not one & other


def _scripts(text: str) -> frozenset[str]:
    found: set[str] = set()
    for char in text[:400]:
        if char.isalpha():
            code = ord(char)
            found.add(
                "latin" if code < 0x250 or 0x1E00 <= code < 0x1F00
                else "cyrillic" if 0x400 <= code < 0x530
                else "greek" if 0x370 <= code < 0x400 or 0x1F00 <= code < 0x2000
                else "east" if code > 0x2E80
                else f"{code // 0x80}"
            )  # fmt: skip
    return frozenset(found)
