"""Periods in words of other languages and in short forms: "3. Quartal 2016", "exercice clos le 31
décembre 2016", "за 2016 год", "T3 2017", "平成29年"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_YEAR = r"(?:19|20)\d\d"
_WORDS = {
    "1": "erste[nrs]? premier première primer primero primo primeiro eerste pierwszy первый "
    "первого первом первое första første i",
    "2": "zweite[nrs]? deuxième second seconde segundo secondo tweede drugi второй второго втором "
    "второе andra andet ii",
    "3": "dritte[nrs]? troisième tercer tercero terzo terceiro derde trzeci третий третьего "
    "третьем tredje iii",
    "4": "vierte[nrs]? quatrième cuarto quarto vierde czwarty четвёртый четвертый четвертого "
    "четвертом fjärde fjerde iv",
}
_NUMBER = {word: number for number, words in _WORDS.items() for word in words.split()}
_ORDINAL = "|".join(sorted(_NUMBER, key=len, reverse=True))
_QUARTER = r"quartals?|trimestres?|квартал\w?|kwartaal|kwartał\w?|kvartal(?:et)?"
_HALF = r"halbjahr(?:e?s)?|semestres?|полугоди[еяю]|halfjaar|półrocz\w|halvår(?:et)?"
_BETWEEN = (
    r"(?:(?:de|del|di|do|des|du|von|van|der|fiscal|exercice|ejercicio|esercizio|"
    r"gesch[äa]ftsjahre?s?|l['’]exercice)\s+){0,3}"
)
_FISCAL = (
    r"gesch[äa]ftsjahr(?:e?s)?|wirtschaftsjahr(?:e?s)?|exercices?|ejercicios?|esercizi?o?|"
    r"exercícios?|boekjaar|räkenskapsåret|regnskabsåret|финансов\w{2,3}\s+год\w?|"
    r"отч[её]тн\w{2,3}\s+год\w?"
)
_PERIOD = re.compile(
    rf"(?<![^\W_])(?:(?:(?P<n>[1-4])(?:er|ère|e|[èe]me|º|ª|°|o|-?(?:й|я|е|го))?\.?|(?P<o>{_ORDINAL}))"
    rf"\s*(?:(?P<q>{_QUARTER})|{_HALF})\s+{_BETWEEN}(?P<y1>{_YEAR})"
    rf"|(?P<short>T[1-4]|S[12])\s(?P<y2>{_YEAR})"
    rf"|(?P<back>[1-4]T|[12]S)[\s-]?(?P<y3>{_YEAR}|\d\d)"
    rf"|(?:{_FISCAL})\s(?P<ended>[^\d\n.;]{{0,30}}(?:\d{{1,2}}[^\d\n;]{{0,20}})?)(?P<y4>{_YEAR})"
    rf"(?:[/–-](?P<y4b>\d\d(?:\d\d)?))?"
    rf"|за\s(?P<y5>{_YEAR})\s?г(?:од)?(?!\w)"
    r"|(?P<era>平成|令和)(?P<y6>\d{1,2}|元)年"
    r")(?![0-9]|[.,]\d)",
    re.IGNORECASE,
)
_TRIGGER = re.compile(
    rf"{_QUARTER}|{_HALF}|{_FISCAL}|(?<![^\W_])(?:T[1-4]|S[12]|[1-4]T|[12]S)[\s-]?\d\d|"
    r"за\s\d|平成|令和",
    re.IGNORECASE,
)
_ERA = {"平成": 1988, "令和": 2018}


def foreign_periods(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """(start, end, normal forms) of each, in order; nothing where the text has no such word."""
    if _TRIGGER.search(text) is None:
        return
    for match in _PERIOD.finditer(text):
        yield match.start(), match.end(), _normal(match)


def _normal(match: re.Match[str]) -> tuple[str, ...]:
    if match["y1"]:
        number = match["n"] or _number(match["o"])
        return (f"{'Q' if match['q'] else 'H'}{number} {match['y1']}",)
    if match["y2"] or match["y3"]:
        part = (match["short"] or match["back"][::-1]).upper()
        year = match["y2"] or match["y3"]
        return (
            f"{'Q' if part[0] == 'T' else 'H'}{part[1]} {year if len(year) == 4 else '20' + year}",
        )
    if match["y4"]:
        last = match["y4b"]
        first = int(match["y4"])
        both = last is not None and int(last) % 100 == (first + 1) % 100
        return (f"FY{first}", f"FY{first + 1}") if both else (f"FY{first}",)
    if match["y5"]:
        return (f"FY{match['y5']}",)
    year = 1 if match["y6"] == "元" else int(match["y6"])
    return (str(_ERA[match["era"]] + year),)


def _number(word: str) -> str:
    small = word.lower()
    return _NUMBER.get(small) or next(
        number for pattern, number in _NUMBER.items() if re.fullmatch(pattern, small)
    )
