"""Is an answer right, where code alone can decide it?"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.answer import match
from ragdiag.answer.dating import SHORT_REASON, dates_of, decide_date, other_dates
from ragdiag.answer.listing import asks_several, match_items
from ragdiag.answer.numeric import amounts, decide_number, judge_value, question_scale
from ragdiag.answer.polarity import answered, is_polar, stated
from ragdiag.text.abstention import abstains, is_abstention_reference
from ragdiag.text.numbers import Quantity, compare_quantities, parse

_LONG = 10_000
_SHORT_ANSWER = 14
_SHORT_REFERENCE = 8
_LONGEST_LIST = 12
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:when|what year|which year|what date|in which year)\b", re.IGNORECASE)
_VERSION = re.compile(r"\b(?:version|release|edition|model|code|identifier|serial)\b", re.I)
_ONE_NAME = re.compile(
    r"\b(?:which|what) (?:\w+ )?(?:city|country|town|state|capital|company|bank|planet|river|"
    r"island|language|colou?r|month|day|continent|team|county|province)\b"
    r"|\b(?:what|which) is the capital\b"
    r"|^where\b.{0,60}\b(?:headquarter|head office|based|located|born|capital)",
    re.IGNORECASE,
)
_PROPER = re.compile(r"[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*)?")
_CAPITALS = re.compile(r"(?<![\w.])[A-Z]{3,6}(?!\w)")
_HAN = re.compile("[\u3400-\u9fff]{2,6}")
_NONE = re.compile(r"\b(?:none|no|not|nothing|zero|nil|neither|never)\b", re.IGNORECASE)


def decide(query: str, reference: list[str], answer: str) -> str | None:
    """correct, partial, incorrect, abstained, or None where code cannot decide.

    Abstention is decided first (correct if a reference abstains too). Any reference suffices; an
    answer is incorrect only if it is so against each of them. No reference: None.
    """
    return _decide(query, tuple(reference), answer)


@lru_cache(maxsize=1024)
def _decide(query: str, reference: tuple[str, ...], answer: str) -> str | None:
    references = tuple(match.repaired(one) for one in reference if one.strip())
    if len(answer) > 2 * _LONG:
        # What answers stands at the beginning or is concluded at the end.
        answer = f"{answer[:_LONG]}\n{answer[-_LONG:]}"
    if not references or not answer.strip():
        return None
    abstaining = abstains(query, answer)
    if abstaining is True:
        return _of_abstention(query, references, answer)
    if is_abstention_reference(references):
        return None if match.has_negation(answer) or abstaining is None else "incorrect"
    found = [_against(query, one, answer) for one in references]
    if len(references) > 1 and "partial" in found and "correct" not in found:
        return None  # a list of answers that each suffice, or one of several parts?
    only = references[0] if len(references) == 1 else ""
    if only.replace(" ", "").isalpha() and match.joined_by_and(only, answer):
        return None  # more is named than was asked for
    for label in ("correct", "partial"):
        if label in found:
            return label if abstaining is False else None
    if abstaining is False and all(one == "incorrect" for one in found):
        return "incorrect"
    return None


def _of_abstention(query: str, references: tuple[str, ...], answer: str) -> str | None:
    if is_abstention_reference(references):
        return "correct"
    if any(match.words(one) == match.words(answer) for one in references):
        return "correct"
    # "The filing mentions none" may be the very answer where the reference is "there are none".
    if any(_NONE.search(one) and len(one.split()) < 8 for one in references):
        return None
    return "abstained"


def _against(query: str, reference: str, answer: str) -> str | None:
    """The label against one reference."""
    if _same(reference, answer):
        return "correct"
    polarity = stated(reference)
    if polarity is not None and (is_polar(query) or len(match.words(reference)) == 1):
        found = answered(query, answer)
        if found is None:
            return None
        if found != polarity:
            return "incorrect"
        if _other_amounts(reference, answer) or other_dates(reference, answer):
            return None
        return "partial" if _lacks_a_part(query, reference, answer) else "correct"
    if asks_several(query):
        told = _name_and_date(query, reference, answer)
        if told is not None:
            return told
    kind, value = kind_of(query, reference)
    if kind == "amount" and value is not None:
        return decide_number(query, value, answer)
    if kind == "date" and value is not None:
        return decide_date(query, value, answer)
    if kind == "phrase":
        return decide_phrase(query, reference, answer) or _lead(query, reference, answer)
    if kind == "amounts":
        return _all_amounts(query, reference, answer)
    return _lead(query, reference, answer)


def _other_amounts(reference: str, answer: str) -> bool:
    """Does a short reference give its yes or no with amounts of which the answer has others?"""
    wanted = amounts(reference) if len(reference) <= SHORT_REASON else []
    said = amounts(answer) if wanted else []
    return bool(said) and not any(
        compare_quantities(one, other).relation == "equal" for one in wanted for other in said
    )


def _lacks_a_part(query: str, reference: str, answer: str) -> bool:
    """A question that asks for more than yes or no, and an answer without that more."""
    if not asks_several(query) or len(reference) > SHORT_REASON:
        return False
    return any(bool(read(reference)) and not read(answer) for read in (dates_of, amounts))


def _name_and_date(query: str, reference: str, answer: str) -> str | None:
    """A name with one date ("Ada Brook, 1911") where both are asked for: correct with both, in
    part with one where the other is left out; None where it is given otherwise."""
    dates = dates_of(reference) if len(reference) <= SHORT_REASON else []
    if len(dates) != 1 or amounts(reference):
        return None
    day = dates[0]
    name = match.content(f"{reference[: day.start]} {reference[day.end :]}")
    if not name:
        return None
    when = decide_date(query, day, answer)
    who = _contained(query, name, answer, match.words(answer))
    if when == who == "correct":
        return "correct"
    if who == "correct" and not dates_of(answer):
        return "partial"
    named = set(match.content(answer)) - set(match.words(query)) - {day.text.casefold()}
    return "partial" if when == "correct" and not named else None


def _same(reference: str, answer: str) -> bool:
    """The same words, or letters; of amounts the signs must agree, which words do not show."""
    said = match.words(answer)
    amount = any(one.is_numeric for one in parse(reference[:400]))
    if amount and match.is_signed(reference) != match.is_signed(answer):
        return False
    if said and any(said == match.words(spelling) for spelling in match.aliases(reference)):
        return True
    if said and match.content(reference) == match.content(answer) != ():
        return True
    squeezed = match.compact(reference)
    short = not amount and len(answer) <= 2 * len(reference) + 20
    return bool(squeezed) and short and squeezed == match.compact(answer)


def _all_amounts(query: str, reference: str, answer: str) -> str | None:
    """A reference of several amounts ("from 20% to 23%"): right where the answer has them all,
    in part where it has as many and the others are plainly different.
    """
    said = amounts(answer)
    wanted = amounts(reference)
    listed = match.items(reference)
    if len(listed) == len(wanted) and all(len(amounts(one)) == 1 for one in listed):
        matched = match_items(query, listed, answer)
        if matched.crossed:
            return "incorrect" if matched.n == len(listed) else None
    found = [{judge_value(query, one, value) for value in said} for one in wanted]
    right = ["equal" in one for one in found]
    if all(right):
        return "correct"
    plain = len(said) == len(wanted) and not any("close" in one for one in found)
    return "partial" if any(right) and plain else None


def _lead(query: str, reference: str, answer: str) -> str | None:
    """A longer reference that begins with the short answer itself ("Deposits. They were 5.")."""
    sentences = match.sentences(reference)
    if len(sentences) < 2 or not 1 <= len(match.content(sentences[0])) <= _SHORT_REFERENCE - 2:
        return None
    if match.has_negation(sentences[0]) or amounts(sentences[0]):
        return None
    return _contained(query, match.words(sentences[0]), answer, match.words(answer))


@lru_cache(maxsize=2048)
def kind_of(query: str, reference: str) -> tuple[str, Quantity | None]:
    """What a reference is: one amount, one date, a short phrase, or text that code cannot weigh."""
    if len(reference) > 400:
        return "text", None
    found = parse(reference)
    if _VERSION.search(query):
        found = []
    if len(found) == 1 and found[0].year_like and question_scale(query) is not None:
        return "amount", found[0]
    values = amounts(reference, found=found)
    dates = [one for one in found if one.kind in ("date", "period") or one.year_like]
    rest = reference
    for one in reversed(found):
        rest = rest[: one.start] + " " + rest[one.end :]
    left = [word for word in match.content(rest) if word not in match.words(query)]
    if len(values) == 1 and len(left) <= 2 and (not dates or _of_question(dates, query)):
        return "amount", values[0]
    if 2 <= len(values) <= 4 and len(left) <= 3 and len(match.words(reference)) > _SHORT_REFERENCE:
        return "amounts", None
    if len(dates) == 1 and not values and len(left) <= 1:
        return "date", dates[0]
    if len(match.words(reference)) <= _SHORT_REFERENCE or (
        match.is_cjk(reference) and len(reference) < 40
    ):
        return "phrase", None
    return ("phrase" if _is_list(reference) else "text"), None


def _is_list(reference: str) -> bool:
    """Short items that semicolons or lines part, or several commas, and no sentence?"""
    listed = match.items(reference)
    parted = re.search(r"[;\n]", reference) or reference.count(",") > 1
    short = all(len(match.words(one)) <= _SHORT_REFERENCE - 2 for one in listed)
    return bool(parted) and short and 1 < len(listed) <= _LONGEST_LIST


def _of_question(dates: list[Quantity], query: str) -> bool:
    return all(str(int(one.value))[:4] in query for one in dates)


def decide_phrase(query: str, reference: str, answer: str) -> str | None:
    """A short phrase: contained in what is said, a list in part, another name, or open."""
    if match.is_cjk(reference):
        return _cjk_phrase(reference, answer)
    said = match.words(answer)
    for spelling in match.aliases(reference):
        verdict = _contained(query, match.words(spelling), answer, said)
        if verdict is not None:
            return verdict
        if match.is_initials(spelling, answer) or _gives_initials(answer, spelling, said):
            return "correct"
    parts = match.items(reference)
    if len(parts) > 1:
        return _list(query, parts, answer)
    return _name(query, match.words(reference), answer, said)


def _gives_initials(answer: str, spelling: str, said: tuple[str, ...]) -> bool:
    """Is the answer, or a word in capitals of a short one that denies nothing, its initials?"""
    if match.is_initials(answer, spelling):
        return True
    if len(said) > _SHORT_REFERENCE or match.has_negation(answer) or match.hedges(answer):
        return False
    return any(match.is_initials(word, spelling) for word in _CAPITALS.findall(answer))


def _name(query: str, wanted: tuple[str, ...], answer: str, said: tuple[str, ...]) -> str | None:
    """A person by another spelling, or plainly someone else; codes of one make that differ."""
    if _coded(wanted) and len(said) == len(wanted) <= 2 and not match.has_negation(answer):
        same_make = _shape(wanted) == _shape(said)
        return "incorrect" if same_make and wanted != said else None
    if not _WHO.search(query):
        return "incorrect" if _other_place(query, wanted, answer, said) else None
    wanted = match.untitled(wanted)
    turned = match.words(match.aliases(answer.strip(" ."))[-1])
    if (
        match.same_name(wanted, said)
        or match.same_name(wanted, turned)
        or (len(wanted) > 1 and said == wanted[-1:])
    ):
        return "correct"
    named = [word for word in match.content(answer) if word not in match.words(query)]
    short = len(said) <= 4 or (len(named) <= 4 and len(said) <= 9)
    if short and 2 <= len(wanted) <= 4 and not set(wanted) & set(said):
        return None if match.has_negation(answer) else "incorrect"
    return None


def _other_place(query: str, wanted: tuple[str, ...], answer: str, said: tuple[str, ...]) -> bool:
    """Is a bare name the answer where the question asks for one of its kind, and another one?"""
    named = answer.strip(" .!\"'*")
    if not _ONE_NAME.search(query) or not _PROPER.fullmatch(named) or len(wanted) > 2:
        return False
    starts = {word[:3] for word in wanted}
    asked = set(match.words(query))
    return not any(word[:3] in starts or word in asked for word in said)


def _coded(words: tuple[str, ...]) -> bool:
    """Do the words hold letters and digits, as a code does ("AB-12")?"""
    text = "".join(words)
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _shape(words: tuple[str, ...]) -> str:
    return re.sub(r"\d", "0", " ".join(words))


def _contained(
    query: str, wanted: tuple[str, ...], answer: str, said: tuple[str, ...]
) -> str | None:
    """correct where the words of the reference stand in the answering sentence, not negated."""
    if not wanted or set(wanted) <= set(match.words(query)):
        return None
    at = match.contains(said, wanted)
    if at < 0 or match.negated(said, at):
        return None
    if len(said) <= _SHORT_ANSWER + len(wanted):
        return None if match.hedges(answer) else "correct"
    parts = match.sentences(answer)
    for one in (parts[0], parts[-1]):
        inside = match.words(one)
        at = match.contains(inside, wanted)
        if at >= 0 and not match.negated(inside, at) and not match.hedges(one):
            return "correct"
    return None


def _cjk_phrase(reference: str, answer: str) -> str | None:
    wanted, said = match.compact(reference), match.compact(answer)
    if wanted and wanted in said:
        before = said[: said.index(wanted)]
        negated = any(before.endswith(word) for word in ("不是", "并非", "並非", "没有", "非"))
        return None if negated else "correct"
    parts = match.items(reference)
    found = match.found_items(parts, answer)
    if len(parts) > 1 and found:
        return "correct" if found == len(parts) else "partial"
    short = _HAN.fullmatch(wanted) and _HAN.fullmatch(said)
    return "incorrect" if short and not set(wanted) & set(said) else None


def _list(query: str, parts: list[str], answer: str) -> str | None:
    """All items: correct; some, in a short answer: partial; none: open."""
    matched = match_items(query, parts, answer)
    if matched.crossed:
        return None
    if matched.n == len(parts):
        return "correct"
    if matched.n and len(match.words(answer)) <= 3 * _SHORT_ANSWER:
        return "partial"
    return None
