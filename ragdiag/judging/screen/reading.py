"""How the screen reads a text: sentences as stems, word pairs, numbers, names and negations."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise

from ragdiag.text.sentences import split
from ragdiag.text.stopwords import STOPWORDS
from ragdiag.text.tokens import language, stems, tokens

_SCAN = re.compile(r"\d(?:[\d.,]*\d)?|[^\W\d_]+(?:['’][^\W\d_]+)*")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_MARKED = frozenset({"ar", "bn", "fa", "he", "hi", "km", "lo", "my", "ta", "th", "ur", "am"})
_WORDS_KEPT = 200_000
_TEXTS_KEPT = 2_000_000
_MOST_PLACES = 500
_HEADING = 80
_SHORT = 5_000
_NONE: frozenset[str] = frozenset()
BEGINNING = 5

# Function words that a general stop list rightly keeps, but that do not tell claim from claim.
_MORE_WORDS = (
    "above again am below down either else etc few herself himself itself let me must myself now "
    "ours ourselves per shall themselves theirs therefore thus until us whether within yes yet "
    "yours yourself t"
)
_MORE = frozenset(_MORE_WORDS.split())
_NEGATIONS: dict[str, frozenset[str]] = {
    code: frozenset(listed.split())
    for code, listed in {
        "en": "no not never none neither nor cannot without nothing nobody nowhere hardly",
        "de": "nicht kein keine keinen keinem keiner nie niemals ohne weder",
        "fr": "pas jamais aucun aucune sans ni",
        "es": "no nunca ningún ninguna sin ni",
        "it": "non mai nessun nessuna senza né",
        "pt": "não nunca nenhum nenhuma sem nem",
        "nl": "niet geen nooit zonder noch",
        "ru": "не нет никогда без ни",
    }.items()
}
# These negate a part of a sentence, not what it says.
_LOOSE_WORDS = "without nor neither none nothing nobody nowhere hardly ohne sans sin sem"
_LOOSE = frozenset(_LOOSE_WORDS.split())
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_COUNTED = {word: str(number) for number, word in enumerate(_SMALL.split())}


@dataclass(frozen=True, slots=True)
class Span:
    """One sentence as the screen sees it; `start` is its place in the text that was read.

    stems      content stems and written numbers, in order (function words left out).
    numbers    numbers in digits, separators and trailing zeros taken off.
    spelled    small numbers in words, as digits: they may confirm a number, but are not missed.
    names      stems that begin with a capital, the sentence's first word left out.
    negations  how many negating words.
    negated    the content stem right after each "not", "no", "never".
    """

    text: str
    start: int
    end: int
    stems: tuple[str, ...]
    bag: frozenset[str]
    numbers: frozenset[str]
    spelled: frozenset[str]
    names: frozenset[str]
    negations: int
    negated: frozenset[str]
    n_words: int

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Stems that follow each other; made when asked for, since few sentences are."""
        return frozenset(pairwise(self.stems))


@dataclass(frozen=True)
class Reading:
    """A text read once: its sentences and what they hold together."""

    text: str
    lang: str
    sentences: tuple[Span, ...]

    @cached_property
    def bag(self) -> frozenset[str]:
        """Content stems of all sentences."""
        return frozenset[str]().union(*[s.bag for s in self.sentences])

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Content stems that follow each other in a sentence."""
        return frozenset[tuple[str, str]]().union(*[pairwise(s.stems) for s in self.sentences])

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers in digits and small ones in words."""
        written = [s.numbers for s in self.sentences if s.numbers]
        return _NONE.union(*written, *[s.spelled for s in self.sentences if s.spelled])

    @cached_property
    def n_words(self) -> int:
        """Words and numbers of all sentences."""
        return sum(s.n_words for s in self.sentences)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The first letters of the longer stems: "devel" of "development"."""
        return frozenset(stem[:BEGINNING] for stem in self.bag if len(stem) >= BEGINNING)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Stem -> the sentences that hold it, the first ones where they are very many."""
        places: dict[str, list[int]] = {}
        for number, sentence in enumerate(self.sentences):
            for stem in sentence.bag:
                if stem in places:
                    places[stem].append(number)
                else:
                    places[stem] = [number]
        if len(self.sentences) > _MOST_PLACES:
            for held in places.values():
                del held[_MOST_PLACES:]
        return places

    @cached_property
    def title(self) -> frozenset[str]:
        """Content stems of a heading that a colon near the beginning ends; empty without one."""
        head, colon, _ = self.text[:_HEADING].partition(":")
        return read_span(head).bag if colon else _NONE


@dataclass(frozen=True, slots=True)
class _Word:
    """A written form: its stems (none of a function word), and what else it tells.

    plain  nothing else than one stem, as most forms.
    """

    stems: tuple[str, ...]
    plain: bool = False
    number: bool = False
    spaceless: bool = False
    negates: bool = False
    denies: bool = False
    capital: bool = False
    spelled: str | None = None


class _Lexicon(dict[str, _Word]):
    """Forms of a language already looked up; bounded, since hostile text has endless forms."""

    def __init__(self, lang: str) -> None:
        super().__init__()
        self._lang = lang
        more = _MORE if lang == "en" else _NONE
        self._stop = STOPWORDS.get(lang, _NONE) | more
        self._negations = _NEGATIONS.get(lang, _NONE)

    def __missing__(self, form: str) -> _Word:
        if len(self) >= _WORDS_KEPT:
            self.clear()
        known = self[form] = self._look_up(form)
        return known

    def _look_up(self, form: str) -> _Word:
        if form[0].isdigit():
            return _Word((plain_number(form),), number=True)
        if _SPACELESS.match(form):
            return _Word(tuple(stems(form, lang=self._lang)), spaceless=True)
        lower = form.lower().replace("’", "'")
        negates = lower in self._negations or lower.endswith("n't")
        lower = lower.removesuffix("'s")
        if negates or lower in self._stop or "'" in lower:
            return _Word((), negates=negates, denies=negates and lower not in _LOOSE)
        found = stems(lower, lang=self._lang)
        stem = found[0] if len(found) == 1 else lower
        # Every German noun has a capital: it tells no name.
        capital = form[0].isupper() and self._lang != "de"
        spelled = _COUNTED.get(lower)
        return _Word((stem,), not capital and spelled is None, capital=capital, spelled=spelled)


@cache
def _lexicon(lang: str) -> _Lexicon:
    return _Lexicon(lang)


def plain_number(written: str) -> str:
    """Without grouping commas, leading zeros and decimal zeros at the end: "1,577.00" -> "1577"."""
    digits = written.replace(",", "")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0"


def _forms(text: str, lang: str) -> list[str]:
    """Words and numbers as written; letters and digits part ("FY2018" is "FY", "2018")."""
    if lang in _MARKED:
        return [token.text for token in tokens(text)]
    return _SCAN.findall(text)


def read_span(text: str, start: int = 0, *, lang: str | None = None) -> Span:
    """Read one sentence, its language told by its document where known. Linear in its length."""
    lang = language(text) if lang is None else lang
    order: list[str] = []
    numbers: list[str] = []
    spelled: list[str] = []
    names: list[str] = []
    negated: list[str] = []
    negations = 0
    denies = False
    words = list(map(_lexicon(lang).__getitem__, _forms(text, lang)))
    for place, word in enumerate(words):
        if not word.stems:
            negations += word.negates
            denies = denies or word.denies
            continue
        order += word.stems
        if not denies and word.plain:
            continue
        if word.number:
            numbers += word.stems
            denies = False
        elif not word.spaceless:
            if denies:
                negated += word.stems
                denies = False
            if word.capital and place:
                names += word.stems
            if word.spelled is not None:
                spelled.append(word.spelled)
    return Span(
        text=text,
        start=start,
        end=start + len(text),
        stems=tuple(order),
        bag=frozenset(order),
        numbers=frozenset(numbers),
        spelled=frozenset(spelled),
        names=frozenset(names),
        negations=negations,
        negated=frozenset(negated),
        n_words=len(words),
    )


def read_short(text: str, lang: str) -> Span:
    """`read_span` for claims and questions, which several questions read: remembered."""
    return _remembered(text, lang) if len(text) <= _SHORT else read_span(text, lang=lang)


@lru_cache(maxsize=4096)
def _remembered(text: str, lang: str) -> Span:
    return read_span(text, lang=lang)


def content_of(text: str) -> tuple[str, ...]:
    """The content stems of a text in order, sentences not told apart."""
    return read_span(text).stems


def read(text: str) -> Reading:
    """Read a text sentence by sentence."""
    lang = language(text)
    spans = tuple(read_span(found.text, found.start, lang=lang) for found in split(text))
    return Reading(text=text, lang=lang, sentences=spans)


class Shelf:
    """Readings of the texts met last, so that questions and neighbouring samples share them.

    Bounded by the characters that it holds. A reading depends on its text alone.
    """

    def __init__(self, characters: int = _TEXTS_KEPT) -> None:
        self._room = characters
        self._held = 0
        self._readings: OrderedDict[str, Reading] = OrderedDict()

    def read(self, text: str) -> Reading:
        """The text's reading, made at most once while it is held."""
        known = self._readings.get(text)
        if known is not None:
            self._readings.move_to_end(text)
            return known
        made = self._readings[text] = read(text)
        self._held += len(text)
        while self._held > self._room and len(self._readings) > 1:
            dropped, _ = self._readings.popitem(last=False)
            self._held -= len(dropped)
        return made

    def read_all(self, texts: Iterable[str]) -> Sequence[Reading]:
        """Readings in the order of the texts."""
        return [self.read(text) for text in texts]
