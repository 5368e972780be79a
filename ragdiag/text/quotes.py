"""Where a quotation stands in a text: as written, but for typography, or nearly."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from ragdiag.text.negation import negations
from ragdiag.text.stopwords import word_set

Tier = Literal["exact", "typographic", "fuzzy"]

FUZZY = 90.0  # the least similarity in percent that counts as the same words
_SHORTEST_FUZZY = 20  # characters: shorter quotes resemble anything
_LONGEST_FUZZY = 4000
_FOLDS: dict[str, str] = {
    **dict.fromkeys("‘’‚‛′ʼ`´", "'"),
    **dict.fromkeys("“”„‟″«»「」『』", '"'),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f", ""),
    **dict.fromkeys("\u061c\u0640\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", ""),
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "…": "...",
    **{chr(c): chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)},
}  # fmt: skip
"""Typography only: ½, x² and letters with marks stay what they are."""
_FOLDS["－"] = "-"
_PIECE = re.compile(
    r"(?P<hyphen>(?<=[^\W\d_])[-‐\u00ad][ \t]*\r?\n[ \t]*(?=[^\W\d_]))"
    r"|(?P<space>\s+)"
    r"|(?P<marked>\w[\u0300-\u036f\u0653-\u0655\u093c\u3099\u309a]+"
    r"|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?)"  # Hangul in its letters
    # One letter under several codes, as fonts have it: presentation forms, half widths, radicals.
    r"|(?P<form>[\uff66-\uff9d][\uff9e\uff9f]?"
    r"|[\u0958-\u095f\u09dc-\u09df\u2e80-\u2fd5\uf900-\ufaff\ufb13-\ufdff\ufe70-\ufefc])"
    rf"|(?P<fold>[{re.escape(''.join(_FOLDS))}])"
)


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """text[start:end] is what was quoted; `tier` says how closely."""

    start: int
    end: int
    tier: Tier


def normalise(text: str, *, hyphen: str = "") -> tuple[str, list[int]]:
    """The text with typography folded, case kept, and for each of its characters the offset in
    the original, with the original's length at the end.

    Folded: quotation marks, dashes, white space (one blank), ligatures, soft hyphens and other
    invisible characters, full- and half-width and presentation forms, letters with combining marks
    (composed). A hyphen at a line's end becomes `hyphen`.
    """
    pieces: list[str] = []
    offsets: list[int] = []
    last = 0
    for match in _PIECE.finditer(text):
        start, end = match.span()
        if start > last:
            pieces.append(text[last:start])
            offsets.extend(range(last, start))
        kind = match.lastgroup
        if kind == "hyphen":
            new = hyphen
        elif kind == "space":
            new = " "
        elif kind == "marked":
            new = unicodedata.normalize("NFC", match.group())
        elif kind == "form":
            new = unicodedata.normalize("NFKC", match.group())
        else:
            new = _FOLDS[match.group()]
        pieces.append(new)
        offsets.extend([start] * len(new))
        last = end
    pieces.append(text[last:])
    offsets.extend(range(last, len(text) + 1))
    return "".join(pieces), offsets


def find_quote(quote: str, text: str) -> QuoteMatch | None:
    """The first place of the quote in the text, in the closest tier; None if it is not there.

    Words and numbers are matched whole ("577" is not in "1,577"). Fuzzy needs a similarity of 90%,
    at least 20 characters, and the same numbers, negations, units and directions: a changed digit
    never passes.
    """
    wanted = quote.strip()
    if not wanted or not text:
        return None
    at = find_whole(wanted, text)
    if at is not None:
        return QuoteMatch(at, at + len(wanted), "exact")
    unquoted = _unquoted(wanted)
    for hyphen in ("", "-"):
        folded, offsets = normalise(text, hyphen=hyphen)
        for candidate in dict.fromkeys((wanted, unquoted)):
            needle = normalise(candidate, hyphen=hyphen)[0].strip()
            at = find_whole(needle, folded) if needle else None
            if at is not None:
                start, end = _original(at, at + len(needle), offsets)
                return QuoteMatch(start, end, "typographic")
    folded, offsets = normalise(text)
    return _fuzzy(normalise(unquoted)[0].strip(), folded, offsets)


def _original(start: int, end: int, offsets: list[int]) -> tuple[int, int]:
    """The original's characters behind folded[start:end]."""
    return offsets[start], max(offsets[end - 1] + 1, offsets[end] if end < len(offsets) else 0)


def _unquoted(quote: str) -> str:
    """Without the marks that a judge puts around a quotation."""
    pairs = {'"': '"', "“": "”", "«": "»", "„": "“", "‘": "’", "'": "'", "「": "」"}
    if len(quote) > 2 and pairs.get(quote[0]) == quote[-1]:
        return quote[1:-1].strip()
    return quote


def find_whole(needle: str, text: str) -> int | None:
    """The first place of a non-empty needle at which it cuts no word and no number; or None."""
    at = text.find(needle)
    while at >= 0:
        if _uncut(text, at, at + len(needle)):
            return at
        at = text.find(needle, at + len(needle))
    return None


def _uncut(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    first, last = text[start], text[end - 1]
    if before and _one_word(before[-1], first):
        return False
    if first.isdigit() and len(before) == 2 and before[1] in ".,٫٬" and before[0].isdigit():
        return False
    if after and _one_word(last, after[0]):
        return False
    return not (last.isdigit() and len(after) == 2 and after[0] in ".,٫٬" and after[1].isdigit())


def _one_word(left: str, right: str) -> bool:
    """Would a cut here go through a word or number? Scripts without blanks have no such cuts."""
    if left.isdigit() and right.isdigit():
        return True
    return left.isalnum() and right.isalnum() and ord(left) < 0x0E00 and ord(right) < 0x0E00


_NUMBER = re.compile(r"\d+(?:[.,٫٬]\d+)*")
_POWER = re.compile("[²³¹½¼¾⅓⅔⁰⁴-⁹₀-₉]")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|[%$€£¥‰°]")
_DECISIVE = word_set(
    "not no never none neither nor cannot without nobody nothing hardly except unless nicht "
    "kein keine keinen keiner nie ohne weder ne pas aucun jamais sans non nunca sin ni não "
    "sem nem mai senza niet geen nooit zonder не нет ни без никогда लेकिन नहीं न لا ليس لم لن "
    "بدون million millions billion billions trillion thousand thousands hundred mn bn tn mio "
    "mrd crore lakh percent percentage points basis bps pp % $ € £ ¥ ‰ ° usd eur gbp jpy "
    "dollars euros pounds yen km m cm mm kg g mg lb lbs oz mi ft barrels barrel tonnes tons "
    "mw kw kwh mwh twh boe bbl days day weeks week months month years year hours hour minutes "
    "minute quarter quarterly annual annually monthly weekly daily per first second third "
    "fourth increase increased increases increasing decrease decreased decreases decreasing "
    "rise rises rose risen fall falls fell fallen up down more less higher lower above below "
    "over under gain gains loss losses profit before after maximum minimum most least all "
    "some only may must can could should include includes included exclude excludes excluded "
    "including excluding positive negative assets liabilities true false yes unable able "
    "january february march april june july august september october november december"
)


def _facts(text: str) -> tuple[list[str], list[str], Counter[str]]:
    """What must be equal: numbers in order, powers and fractions, decisive words."""
    listed = [word for word in _WORD.findall(text.casefold()) if decides(word)]
    return _NUMBER.findall(text), _POWER.findall(text), Counter(listed)


def decides(word: str) -> bool:
    """Does a (folded) word turn what a sentence says: a negation, a unit, a direction?"""
    return word in _DECISIVE or word.endswith("n't")


def _fuzzy(needle: str, folded: str, offsets: list[int]) -> QuoteMatch | None:
    if not _SHORTEST_FUZZY <= len(needle) <= _LONGEST_FUZZY or len(folded) < len(needle) // 2:
        return None
    from rapidfuzz.fuzz import partial_ratio_alignment, ratio  # noqa: PLC0415 - compiled, rare

    low, high = _region(needle, folded)
    found = partial_ratio_alignment(needle, folded[low:high], score_cutoff=FUZZY)
    if found is None or found.src_end - found.src_start < len(needle):
        return None
    start, end = _to_words(folded, low + found.dest_start, low + found.dest_end)
    if folded[end : end + 1] == needle[-1] and not needle[-1].isalnum():
        end += 1
    there = folded[start:end]
    if ratio(needle, there) < FUZZY or _facts(needle) != _facts(there):
        return None
    if not _same_negation(needle, there) or negations(_just_before(folded, start)):
        return None
    first, last = _original(start, end, offsets)
    return QuoteMatch(first, last, "fuzzy")


_BEFORE = 16


def _just_before(text: str, at: int) -> str:
    """The end of the sentence's part that a near match leaves out: it may turn the rest."""
    return re.split(r"[.!?;:。！？।\n]", text[max(0, at - _BEFORE) : at])[-1]


def _same_negation(left: str, right: str) -> bool:
    """ "paid" against "unpaid" is one letter pair apart, and the opposite."""
    if negations(left) != negations(right):
        return False
    mine, other = (Counter(_WORD.findall(t.casefold())) for t in (left, right))
    gone, new = set(mine - other), set(other - mine)
    prefixes = ("un", "in", "im", "ir", "dis", "non", "de", "mis")
    return not any(
        a != b and (a in {p + b for p in prefixes} or b in {p + a for p in prefixes})
        for a in gone
        for b in new
    )


_REGION = 20_000


def _region(needle: str, folded: str) -> tuple[int, int]:
    """The part of a long text around the quote's rarest long word: alignment is quadratic."""
    if len(folded) <= _REGION:
        return 0, len(folded)
    listed = sorted(set(_WORD.findall(needle)), key=lambda w: -len(w))[:5]
    places = [(folded.count(word), folded.find(word)) for word in listed if word in folded]
    if not places:
        return 0, _REGION
    at = min(places)[1]
    return max(0, at - _REGION // 2), min(len(folded), at + _REGION // 2)


def _to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span widened to whole words, without blanks at its ends."""
    while start > 0 and (text[start - 1].isalnum() or _in_number(text, start - 1)):
        start -= 1
    while end < len(text) and (text[end].isalnum() or _in_number(text, end)):
        end += 1
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _in_number(text: str, at: int) -> bool:
    return (
        text[at] in ".,٫٬"
        and 0 < at < len(text) - 1
        and text[at - 1].isdigit()
        and text[at + 1].isdigit()
    )
