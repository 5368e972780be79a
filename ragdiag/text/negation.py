"""How often a text negates, in the languages whose negations are words of their own or endings that
can be told."""

from __future__ import annotations

import re

from ragdiag.text.tokens import language

_WORDS: dict[str, str] = {
    "en": "no not never none neither nor cannot nothing nobody nowhere without hardly",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne weder",
    "fr": "pas jamais aucun aucune sans ni rien",
    "es": "no nunca ningún ninguno ninguna sin ni nada",
    "it": "non mai nessun nessuno nessuna senza né",
    "pt": "não nunca nenhum nenhuma sem nem",
    "ca": "no mai cap sense ni",
    "nl": "niet geen nooit zonder noch",
    "sv": "inte ej icke aldrig ingen inget inga utan",
    "da": "ikke aldrig ingen intet uden",
    "no": "ikke aldri ingen intet uten",
    "fi": "ei en emme ette eivät eikä",
    "hu": "nem nincs sem soha nélkül",
    "pl": "nie nigdy bez żaden żadna żadne",
    "ro": "nu niciodată fără nici",
    "id": "tidak bukan belum tanpa",
}
_LATIN = {
    code: re.compile(rf"\b(?:{'|'.join(w.split())})\b|n['’]t\b") for code, w in _WORDS.items()
}
_OTHERS = re.compile(
    r"\b(?:не|нет|ни|никогда|без|нельзя|немає|ні|ніколи)\b"
    r"|\b(?:δεν|δε|μη|μην|όχι|χωρίς|ποτέ|ούτε)\b"
    r"|\b(?:و|ف)?(?:لا|لم|لن|ليس|ليست|ليسوا|غير|دون|بدون|کوئی نہیں|نہیں|نه|نیست|بدون)\b"
    r"|\b(?:ו|ש)?(?:לא|אין|ללא|בלי|אינו|אינה|אינם|אינן|איננו|איננה|מעולם לא)\b"
    r"|नहीं|(?<!\S)(?:न|मत|बिना)(?!\S)|(?<!\S)(?:না|নেই|নয়|নি)(?=[\s।]|$)|হয়নি|இல்லை"
    r"|(?<!หรือ)ไม่|มิได้|มิใช่|ไร้|ปราศจาก"
    r"|[不没沒未无無非莫]"
    r"|な(?:い|かった|く(?:て|な))|ません|無い|なし(?=[。、]|$)|ずに|ではなく"
    r"|않|없|못하|못했|아니|(?<!\S)(?:안|못)(?=\s)"
)
_OTHER_CODES = frozenset(
    ("ru", "el", "ar", "ur", "fa", "he", "hi", "bn", "ta", "th", "zh", "ja", "ko")
)
_READ = 20_000


def negations(text: str) -> int | None:
    """How many negating words there are; None in a language that is not known here. 0 for ""."""
    read = text[:_READ].casefold()
    code = language(read)
    if code in _LATIN:
        return sum(1 for _ in _LATIN[code].finditer(read))
    return sum(1 for _ in _OTHERS.finditer(read)) if code in _OTHER_CODES else None


def differ(left: str, right: str) -> bool:
    """Does one of the two negate, and the other nothing? False where that cannot be told."""
    mine, other = negations(left), negations(right)
    return mine is not None and other is not None and bool(mine) != bool(other)
