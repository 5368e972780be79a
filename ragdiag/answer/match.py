"""Words against words: is a short reference the answer, contained in it, or only a part of it?"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ragdiag.text.numbers.words import SMALL_NUMBERS
from ragdiag.text.word_sets import word_set

_ARTICLES = frozenset(
    ["a", "an", "the", "el", "la", "los", "las", "le", "les", "der", "die", "das", "il", "lo"]
)
_FILLER = word_set(
    "about approximately around roughly it is was were are be by in on at of to for from its "
    "their he she they that this these those and with as has have had did does do been"
)
_NEGATIONS = word_set(
    "not no never neither nor none without cannot isn't wasn't aren't doesn't didn't don't n't "
    "nicht kein keine ne pas nunca не"
)
_SET_APART = frozenset(["than", "unlike", "except", "excluding", "instead", "versus", "vs"])
_TITLES = word_set(
    "dr mr mrs ms miss prof professor sir dame lord lady rev president senator sen gen general "
    "col capt captain hon jr sr phd ph.d md esq herr frau mme señor señora"
)
_MARKED = re.compile(r"(?<!\w)[^\W\d_](?:\+\+|[-+#−])(?![\w+])")
# Vowel signs and the like, which are no letters to `\\w`: in the Indian blocks at equal places.
_VOWEL_SIGNS = (
    "".join(
        f"{chr(block + first)}-{chr(block + last)}"
        for block in range(0x900, 0xE00, 0x80)
        for first, last in ((0x00, 0x03), (0x3A, 0x4F), (0x51, 0x57), (0x62, 0x63))
    )
    + "\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
_LETTER = rf"(?:[^\W_]|[{_VOWEL_SIGNS}])"
_WORD = re.compile(rf"{_LETTER}+(?:[.,']{_LETTER}+)*|[%$€£¥]")
_SIGN = re.compile(r"(?<![\w)])[-−–(][$€£¥]? ?\d|[$€£¥] ?[-−–(] ?\d")
_APOSTROPHE_S = re.compile(r"'s\b")
_PARENTHESES = re.compile(r"\s*\([^()]{0,80}\)")
_LEGAL_FORM = re.compile(
    r",? (?:inc|corp|corporation|co|company|ltd|limited|llc|plc|gmbh|ag|se|s\.?a|n\.?v|s\.?p\.?a"
    r"|b\.?v|kk|holdings?)\.?$",
    re.IGNORECASE,
)
_SAME_COUNTRY = (
    ("United States", "United States of America", "USA", "US", "U.S.", "U.S.A."),
    ("United Kingdom", "UK", "U.K.", "Great Britain"),
    ("United Arab Emirates", "UAE", "U.A.E."),
    ("European Union", "EU", "E.U."),
    ("South Korea", "Republic of Korea"),
    ("China", "People's Republic of China", "PRC"),
    ("Netherlands", "Holland"),
    ("Czech Republic", "Czechia"),
    ("Ivory Coast", "Côte d'Ivoire"),
    ("Turkey", "Türkiye"),
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NUMBER_WORDS = {word: str(number) for word, number in SMALL_NUMBERS.items() if number <= 12}
_WORDS_OF_NUMBERS = {number: word for word, number in _NUMBER_WORDS.items()}
_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "Þ": "Th",
     "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ß": "ss", "ı": "i"}
)  # fmt: skip
# Of other scripts the marks are letters: が is not か, and Thai and Indian vowels are marks too.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*]*\s+(?=[^a-z])|(?<=[。！？])|\n+")
_ABBREVIATION = re.compile(r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|Inc|Corp|Co|Ltd|vs|No|U\.S)\.)$")
_LONGEST_ABBREVIATION = 8  # with what tells that it is a word of its own
_ALTERNATIVES = re.compile(r"\b(?:or|either|possibly|might|may be|perhaps)\b", re.IGNORECASE)
_CONJUNCTION = re.compile(r"[;\n、，/&]|\b(?:and|und|et|y|и)\b|和|と|および")
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_LIST_SPLIT = re.compile(
    r"\s*(?:,(?!\d{3}(?!\d))|;|\n|、|،|/| & |\band\b|\bund\b|\bet\b|\by\b|\bи\b|和|と|および)\s*"
)


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """One spelling: compatibility forms, case, accents and typographic quotes folded."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").casefold()
    text = text.translate(_LETTERS)
    text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", text)


def plain(text: str) -> str:
    """`fold` with the case kept, so that names can be seen."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").translate(_LETTERS)
    text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", text)


def spelled(word: str) -> str:
    """A pattern of the spellings that `words` gives as one ("5" is "5" or "five")."""
    other = _WORDS_OF_NUMBERS.get(word)
    return re.escape(word) if other is None else f"(?:{re.escape(word)}|{other})"


def repaired(text: str) -> str:
    """Text whose UTF-8 was once read as Windows-1252 ("10â€“12") as it was meant; else as it is."""
    if "â€" not in text and "Â" not in text and "Ã" not in text:
        return text
    try:
        return text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return text


def words(text: str) -> tuple[str, ...]:
    """Folded words without articles and punctuation; small number words as digits."""
    found: list[str] = _WORD.findall(_APOSTROPHE_S.sub("", fold(text)))
    return tuple(_NUMBER_WORDS.get(word, word) for word in found if word not in _ARTICLES)


def content(text: str) -> tuple[str, ...]:
    """`words` without the small words that carry no fact."""
    return tuple(word for word in words(text) if word not in _FILLER)


def is_cjk(text: str) -> bool:
    """Is the text written without spaces between words (Chinese, Japanese, Korean)?"""
    return _CJK.search(text) is not None


def compact(text: str) -> str:
    """Letters and digits only, folded: what CJK texts are compared by."""
    return "".join(
        char for char in fold(text) if char.isalnum() or unicodedata.category(char)[0] == "M"
    )


def sentences(text: str) -> list[str]:
    """The sentences of an answer, cheaply: at full stops and line breaks."""
    parts = [part.strip() for part in _SENTENCE_END.split(text)]
    joined: list[list[str]] = []
    for part in parts:
        if not part:
            continue
        if joined and _ABBREVIATION.search(joined[-1][-1][-_LONGEST_ABBREVIATION:]):
            joined[-1].append(part)
        else:
            joined.append([part])
    return [" ".join(one) for one in joined]


def contains(haystack: tuple[str, ...], needle: tuple[str, ...]) -> int:
    """Where the words of `needle` stand in a row in `haystack`; -1 = nowhere."""
    if not needle:
        return -1
    width = len(needle)
    for start in range(len(haystack) - width + 1):
        if haystack[start] == needle[0] and haystack[start : start + width] == needle:
            return start
    return -1


def negated(text: tuple[str, ...], at: int) -> bool:
    """Is a place negated within the four words before it, or set apart ("larger than X")?"""
    before = text[max(0, at - 4) : at]
    return any(word in _NEGATIONS for word in before) or any(
        word in _SET_APART for word in before[-2:]
    )


def has_negation(text: str) -> bool:
    """Does any negation stand in the text?"""
    return any(word in _NEGATIONS or word.endswith("n't") for word in words(text))


def hedges(text: str) -> bool:
    """Does the text name alternatives ("A or B", "possibly A")?"""
    return _ALTERNATIVES.search(text) is not None


_COUNTRIES = {
    fold(name).strip("."): tuple(other for other in names if other != name)
    for names in _SAME_COUNTRY
    for name in names
}


def aliases(reference: str) -> tuple[str, ...]:
    """Other spellings of a reference: without its parentheses or its legal form, with "X, Y"
    turned, a country's short and long name."""
    found = [reference]
    bare = _PARENTHESES.sub("", reference).strip()
    if bare and bare != reference:
        found.append(bare)
    short = _LEGAL_FORM.sub("", bare)
    if short and short != bare:
        found.append(short)
    found.extend(_COUNTRIES.get(fold(bare).strip(" .").replace("the ", ""), ()))
    first, comma, second = bare.partition(", ")
    if comma and len(first.split()) == 1 and len(second.split()) == 1 and first[:1].isupper():
        found.append(f"{second} {first}")
    return tuple(found)


def is_initials(short: str, long: str) -> bool:
    """Is one the initials of the other ("DMV", "Department of Motor Vehicles")?"""
    letters = re.sub(r"[^A-Za-z]", "", short)
    if not 2 <= len(letters) <= 6 or not letters.isupper():
        return False
    parts = [part for part in re.findall(r"[^\W\d_]+", long) if len(part) > 0]
    capitals = "".join(part[0] for part in parts if part[0].isupper())
    plain = "".join(part[0].upper() for part in parts if part.lower() not in _FILLER)
    return letters in (capitals, plain)


def same_name(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Two spellings of one person: first and last name equal, a middle one left out, a title or
    the first name's other letters ("Dr. M. Lopez")."""
    first, second = untitled(first), untitled(second)
    short, long = sorted((first, second), key=len)
    if len(short) == len(long) and len(short) >= 2 and short[-1] == long[-1]:
        pairs = list(zip(short[:-1], long[:-1], strict=True))
        if all(a == b or (a[:1] == b[:1] and min(len(a), len(b)) == 1) for a, b in pairs):
            return True
    return (
        len(short) >= 2
        and len(long) <= 5
        and short[:1] == long[:1]
        and short[-1:] == long[-1:]
        and set(short) <= set(long)
        and (len(short) == 2 or not any(len(word) == 1 for word in (*short, *long)))
        and not set(long) & {"and", "or"}
    )


def untitled(name: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name without "Dr.", "Sir", "Jr." and their like."""
    return tuple(word for word in name if word not in _TITLES) or name


def joined_by_and(wanted: str, text: str) -> bool:
    """Does a text name the wanted words together with something else ("X and Y")?"""
    name, said = fold(wanted).strip(" ."), fold(text)
    return any(
        re.search(pattern, said) is not None
        for pattern in (
            rf"(?<!\w){re.escape(name)},? (?:and|&) (?!he|she|it|they|was|is|has|then|the"
            rf"|[a-z]{{2,}}ed (?:in|at|by|to|on|for|from|the)\b)\w",
            rf"\w,? (?:and|&) {re.escape(name)}(?!\w)",
        )
    )


def marks(text: str) -> frozenset[str]:
    """Single letters with a mark that makes another name of them ("A-", "C++", "C#")."""
    return frozenset(one.replace("−", "-").upper() for one in _MARKED.findall(text[:200]))


def is_signed(text: str) -> bool:
    """Does a minus or an opening parenthesis stand before an amount ("-5", "$(1.23)")?"""
    return _SIGN.search(text) is not None


def items(reference: str) -> list[str]:
    """The items of a list such as "A, B and C"; one item where it is no list ("Paris, Texas")."""
    if len(reference) > 600:
        return [reference]
    if reference.count(",") == 1 and not _CONJUNCTION.search(reference):
        return [reference]
    parts = [part.strip(" .") for part in _LIST_SPLIT.split(reference)]
    return [part for part in parts if part and words(part)]


def listed(answer: str) -> int:
    """How many items stand in a row with commas or on lines of their own; 0 or 1 = no list."""
    rows = [line for line in answer.splitlines() if _BULLET.match(line)]
    if len(rows) > 1:
        return len(rows)
    return max((len(items(one)) for one in sentences(answer.replace(";", ","))), default=0)


def found_items(parts: list[str], answer: str) -> int:
    """How many items of a list the answer names, each by all its content words in a row."""
    said = words(answer)
    squeezed = compact(answer)
    count = 0
    for part in parts:
        if is_cjk(part):
            count += compact(part) in squeezed
        else:
            at = contains(said, words(part))
            count += at >= 0 and not negated(said, at)
    return count


def names_more(parts: list[str], answer: str) -> bool:
    """Does a bare list hold names that a reference's list, all of which it has, does not?"""
    said = items(answer)
    longest = max(len(words(part)) for part in parts)
    if len(said) <= len(parts) or any(len(words(one)) > longest + 1 for one in said):
        return False
    named = all(part[:1].isupper() for part in parts)
    extra = [one for one in said if not found_items(parts, one) and not any(map(str.isdigit, one))]
    return any(one[:1].isupper() or not named for one in extra)
