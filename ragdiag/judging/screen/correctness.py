"""An answer against a free-text reference: what is shared, missing, added or flipped."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from rapidfuzz import fuzz

from ragdiag.judging.screen.model import Idf, Logistic
from ragdiag.judging.screen.reading import Span, read_short, read_span
from ragdiag.text.numbers import compare
from ragdiag.text.sentences import split
from ragdiag.text.tokens import language

_ANTONYMS = """increase/decrease increased/decreased rise/fall rose/fell grow/shrink grew/shrank
grew/declined growth/decline higher/lower improve/worsen improved/worsened gain/loss profit/loss
positive/negative true/false maximum/minimum better/worse inflow/outflow north/south east/west
allow/forbid allowed/forbidden legal/illegal possible/impossible accept/reject accepted/rejected
include/exclude win/lose won/lost buy/sell open/closed before/after start/end"""
_POLARITY = re.compile(r"^\W*(yes|no)\b", re.IGNORECASE)
_LIST = re.compile(r"\s*;\s*|,?\s+and\s+|\s*,\s*")
_JOINED = re.compile(r";|\band\b", re.IGNORECASE)
# What rose in one reading grew in another: of a pair of directions the words of a side are one.
_UP_WORDS = "increase increased rise rose grow grew growth higher improve improved gain"
_DOWN_WORDS = (
    "decrease decreased fall fell decline declined shrink shrank drop dropped lower worsen worsened"
)
# Verbs that a reference may do without.
_LIGHT = frozenset(
    read_span(
        "experience experienced see saw show showed report reported record recorded post posted "
        "become became remain remained do did get got"
    ).stems
)
_LONG_ANSWER = 40
_BEARS = 3  # a sentence bears on the reference from a third of the words that this adds
_SHARED_START = 4
_SHORT = 3
_LONGEST = 2_000
_LONGEST_RATIO = 200  # a character ratio costs the product of the lengths
_LONGEST_LIST = 200
_TELLING = 6


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _ANTONYMS.split():
        one, other = (" ".join(read_span(word).stems) for word in pair.split("/"))
        if one and other:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {stem: frozenset(others) for stem, others in found.items()}


_OPPOSITES = _opposites()
_SIDES = tuple(frozenset(read_span(words).stems) for words in (_UP_WORDS, _DOWN_WORDS))
_LONG = 12  # words of a reference that is a statement of its own, not one figure
_NEXT_TO_NOTHING = 0.15
_TELLING_FIGURE = re.compile(r"(?!(?:19|20)\d\d$)\d{3,}(?:\.\d+)?|\d*\.\d+")


@dataclass(frozen=True, slots=True)
class CorrectnessRead:
    """An answer compared with one reference.

    lost     numbers of the reference that the answer lacks; `added`: those that it has beyond it.
    flipped  words of which the answer says the opposite, a negation, or yes against no.
    parts    for a reference that is a list: (parts held, parts in all); (0, 0) for no list.
    absent   words (no numbers) that the reference adds to the question and the answer lacks.
    other_figures  the reference has figures, the answer has others and none of them.
    beside   a longer reference has figures, and the answer has none of them, and next to nothing
             else of what the reference adds to the question.
    """

    features: dict[str, float]
    reference: str
    lost: tuple[str, ...]
    added: tuple[str, ...]
    flipped: tuple[str, ...]
    parts: tuple[int, int]
    absent: tuple[str, ...] = ()
    other_figures: bool = False
    beside: bool = False


CORRECTNESS_FEATURES = (
    "recall", "precision", "overlap", "new_recall", "new_precision", "soft_recall",
    "soft_precision", "number_recall", "number_added", "has_number", "ratio", "partial_ratio",
    "token_ratio", "negation_flipped", "antonym", "yes_no_flipped", "reference_length",
    "answer_length", "rarest_missing", "short_reference",
)  # fmt: skip
"""recall: share of the reference's IDF weight that the answer holds; precision: the reverse; new_*:
of what the question does not say already; *ratio: character similarity."""


def read_correctness(query: str, reference: str, answer: str, idf: Idf) -> CorrectnessRead:
    """Compare an answer with one reference; both non-empty."""
    lang = language(f"{query} {reference}")
    asked, gold, said = (read_short(text, lang) for text in (query, reference, answer))
    held, given = gold.bag or _letters(reference), said.bag or _letters(answer)
    total, given_total = idf.total(held) or 1.0, idf.total(given) or 1.0
    recall = idf.total(held & given) / total
    precision = idf.total(held & given) / given_total
    new, new_given = held - asked.bag, given - asked.bag
    lost = _lost(gold, said)
    stated = said.numbers | (said.spelled if len(held) <= _SHORT else frozenset[str]())
    added = sorted(stated - gold.numbers - gold.spelled - asked.numbers - asked.spelled)
    flipped = _flips(reference, answer, gold, said, negated=_negates(gold, said, new))
    low_reference, low_answer = reference[:_LONGEST_RATIO].lower(), answer[:_LONGEST_RATIO].lower()
    features = {
        "recall": recall,
        "precision": precision,
        "overlap": 2 * recall * precision / (recall + precision) if recall else 0.0,
        "new_recall": idf.total(new & given) / (idf.total(new) or 1.0) if new else recall,
        "new_precision": idf.total(new_given & held) / (idf.total(new_given) or 1.0)
        if new_given
        else 1.0,
        "soft_recall": _soft_share(held, given, idf),
        "soft_precision": _soft_share(given, held | asked.bag, idf),
        "number_recall": 1 - len(lost) / max(len(gold.numbers), len(lost)) if lost else 1.0,
        "number_added": len(added) / len(stated) if stated else 0.0,
        "has_number": float(bool(gold.numbers)),
        "ratio": fuzz.ratio(low_reference, low_answer) / 100,
        "partial_ratio": fuzz.partial_ratio(low_reference, low_answer) / 100,
        "token_ratio": fuzz.token_set_ratio(low_reference, low_answer) / 100,
        "negation_flipped": float("negation" in flipped),
        "antonym": float(any("/" in flip and flip != "yes/no" for flip in flipped)),
        "yes_no_flipped": float("yes/no" in flipped),
        "reference_length": math.log(1 + len(held)),
        "answer_length": math.log(1 + len(given)),
        "rarest_missing": max(map(idf.weight, held - given), default=0.0) / idf.unknown,
        "short_reference": float(len(held) <= _SHORT),
    }
    parts = _parts(reference, given)
    absent = tuple(sorted(s for s in new - given - _LIGHT if not s[:1].isdigit()))
    told = {one for one in gold.numbers if _TELLING_FIGURE.fullmatch(one)}
    none = bool(told) and told <= set(lost)
    return CorrectnessRead(
        features,
        reference,
        tuple(lost),
        tuple(added),
        flipped,
        parts,
        absent,
        other_figures=none and any(map(_TELLING_FIGURE.fullmatch, added)),
        beside=none
        and len(held) > _LONG
        and features["new_recall"] < _NEXT_TO_NOTHING
        and _POLARITY.match(reference) is None,
    )


def _lost(gold: Span, said: Span) -> list[str]:
    """Numbers of the reference that the answer lacks, also rounded or at another scale. A number in
    words counts in a short reference ("four years"), where it is no pronoun."""
    wanted = gold.numbers | (gold.spelled if len(gold.bag) <= _SHORT else frozenset[str]())
    lost = sorted(wanted - said.numbers - said.spelled)
    short = len(gold.text) <= _LONGEST_LIST and len(said.text) <= _LONGEST
    if lost and short and said.numbers and compare(gold.text, said.text).relation == "equal":
        return []
    return lost


def _letters(text: str) -> frozenset[str]:
    """All words, for a text of function words alone ("yes", "The Who")."""
    return frozenset(re.findall(r"\w+", text.lower()))


def _soft_share(wanted: frozenset[str], given: frozenset[str], idf: Idf) -> float:
    """Share of `wanted` by weight that stands in `given`, or begins as something there does."""
    starts = {stem[:_SHARED_START] for stem in given if len(stem) >= _SHARED_START}
    found = [
        stem
        for stem in wanted
        if stem in given or (len(stem) >= _SHARED_START and stem[:_SHARED_START] in starts)
    ]
    return idf.total(found) / (idf.total(wanted) or 1.0)


def _flips(
    reference: str, answer: str, gold: Span, said: Span, *, negated: bool
) -> tuple[str, ...]:
    flips: list[str] = []
    polarity = [_POLARITY.match(text) for text in (reference, answer)]
    words = [found.group(1).lower() for found in polarity if found]
    if len(words) == 2 and words[0] != words[1]:
        flips.append("yes/no")
    if bool(gold.negations) != negated:
        flips.append("negation")
    for stem in sorted(gold.bag - said.bag):
        for other in sorted(_OPPOSITES.get(stem, frozenset()) & (said.bag - gold.bag)):
            if not any(other in side and side & gold.bag for side in _SIDES):
                flips.append(f"{stem}/{other}")
    return tuple(flips)


def _negates(gold: Span, said: Span, new: frozenset[str]) -> bool:
    """Does the answer negate? Of a long one only where it begins, and where a sentence bears on
    what the reference adds to the question: somewhere it nearly always does."""
    if not said.negations or len(said.bag) <= _LONG_ANSWER:
        return bool(said.negations)
    lang = language(said.text)
    wanted = new or gold.bag
    for number, sentence in enumerate(split(said.text)):
        span = read_short(sentence.text, lang)
        bears = number == 0 or len(span.bag & wanted) * _BEARS >= len(wanted)
        if bears and span.negations:
            return True
    return False


def _parts(reference: str, given: frozenset[str]) -> tuple[int, int]:
    """Parts of a list of names or numbers that the answer holds, of all; (0, 0) for no list."""
    text = reference.strip(" .")
    parts = [part for part in _LIST.split(text[:_LONGEST_LIST]) if part]
    longest = max((len(part.split()) for part in parts), default=0)
    if len(text) > _LONGEST_LIST or longest > _SHORT or not _JOINED.search(text):
        return (0, 0)
    if len(parts) < 2 or not all(part[0].isupper() or part[0].isdigit() for part in parts):
        return (0, 0)
    bags = [read_span(part).bag for part in parts]
    if not all(bags):
        return (0, 0)
    return (sum(bag <= given for bag in bags), len(bags))


def best_reference(
    query: str, references: tuple[str, ...], answer: str, idf: Idf
) -> CorrectnessRead:
    """The comparison with the closest of the references, of which there is at least one."""
    reads = [read_correctness(query, reference, answer, idf) for reference in references]
    return max(reads, key=_closeness)


def _closeness(read: CorrectnessRead) -> float:
    return sum(read.features[name] for name in ("recall", "ratio", "token_ratio"))


def correctness_label(read: CorrectnessRead, score: float, model: Logistic) -> str | None:
    """correct, partial, incorrect, or None (undecided).

    Not correct where something is flipped or all figures are other ones, nor where a short
    reference has a number or a word of its own that the answer lacks ("Anna Berg", "in March",
    "million"), or a short answer adds a number to it, nor where it shares no word; incorrect only
    where the reference is short enough that an answer must repeat it, or yes and no are exchanged,
    or the answer is beside what it says.
    """
    if read.beside:
        return "incorrect"
    decided = model.decide(score)
    short = math.expm1(read.features["reference_length"]) <= _TELLING
    held, parts = read.parts
    if 0 < held < parts and not read.flipped:
        return "partial"
    if decided is True:
        if not read.features["recall"]:  # nothing of the reference speaks for it
            return None
        brief = math.expm1(read.features["answer_length"]) <= _TELLING
        if short and (read.lost or read.absent or (brief and read.added)):
            return None
        return None if read.flipped or read.other_figures else "correct"
    if decided is False and (short or "yes/no" in read.flipped):
        return "incorrect"
    return None
