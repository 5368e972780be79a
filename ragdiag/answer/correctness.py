"""Is an answer right, where code alone can decide it?"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.answer import match
from ragdiag.answer.choices import decide_choice
from ragdiag.answer.counted import with_digits
from ragdiag.answer.dates import dates_of, decide_date, other_dates, other_era
from ragdiag.answer.doubt import other_event, turned
from ragdiag.answer.figure_doubt import (
    asking_clause,
    from_to,
    misordered,
    misplaced,
    other_rate,
    regrouped,
    set_off,
    without_apart,
)
from ragdiag.answer.listing import asks_several, match_items
from ragdiag.answer.named import decide_mark
from ragdiag.answer.numeric import amounts, decide_number, judge_value, question_scale
from ragdiag.answer.phrase import contained, decide_phrase
from ragdiag.answer.polarity import answered, is_polar, stated
from ragdiag.answer.spellings import same_spelling
from ragdiag.text.abstention import abstains, is_abstention_reference
from ragdiag.text.numbers import TOLERANCE, Quantity, compare_quantities, parse

_LONG = 10_000
_SHORT_REFERENCE = 8
_LONGEST_LIST = 12
_SHORT_REASON = 120  # characters of "Yes, after two months, as the contract says"
_VERSION = re.compile(r"\b(?:version|release|edition|model|code|identifier|serial)\b", re.I)
_PLACE = re.compile(
    r"\b(?:score|ratio|odds|result|proportion|rank|place|page|chapter|section|room|floor|gate|platform)\b",
    re.I,
)
_NONE = re.compile(r"\b(?:none|no|not|nothing|zero|nil|neither|never)\b", re.IGNORECASE)


def decide(
    query: str, reference: list[str], answer: str, *, tolerance: float | None = None
) -> str | None:
    """correct, partial, incorrect, abstained, or None where code cannot decide.

    Abstention is decided first (correct if a reference abstains too). Any reference suffices; an
    answer is incorrect only if it is so against each of them. No reference: None. `tolerance` is
    the relative difference of amounts that counts as equal; where it is None, amounts within
    `TOLERANCE` of each other are left open.
    """
    return _decide(query, tuple(reference), answer, tolerance)


@lru_cache(maxsize=1024)
def _decide(
    query: str, reference: tuple[str, ...], answer: str, tolerance: float | None
) -> str | None:
    references = tuple(with_digits(query, match.repaired(one)) for one in reference if one.strip())
    answer = with_digits(query, answer)
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
    found = [_against(query, one, answer, references, tolerance) for one in references]
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


def _against(
    query: str, reference: str, answer: str, others: tuple[str, ...], tolerance: float | None
) -> str | None:
    """The label against one reference; the others are right too."""
    if _same(reference, answer):
        return "correct"
    short = len(answer) < _SHORT_REASON
    if other_era(reference, answer):
        return "incorrect" if short else None
    if match.marks(reference) != match.marks(answer):
        return decide_mark(query, reference, answer)
    if short and same_spelling(reference, answer):
        return "correct"
    polarity = stated(reference)
    if polarity is not None and (is_polar(query) or len(match.words(reference)) == 1):
        return _polar(query, reference, polarity, answer, tolerance)
    if asks_several(query):
        both = _of_name_and_date(reference)
        if both is not None:
            return _name_and_date(query, *both, answer)
    kind, value = kind_of(query, reference)
    if value is not None and not amounts(answer) and reference.isalpha():
        kind, value = "phrase", None  # the city of Lima, which is "five" elsewhere
    if value is not None:
        if kind == "amount":
            return _amount(query, reference, value, answer, tolerance)
        return _dated(query, value, answer)
    found = None
    if kind == "phrase":
        found = decide_choice(query, reference, answer) or decide_mark(query, reference, answer)
        found = found or decide_phrase(query, reference, answer, others, tolerance=tolerance)
    if kind == "amounts":
        return _all_amounts(query, reference, answer, tolerance)
    return found or _lead(query, reference, answer)


def _polar(
    query: str, reference: str, polarity: str, answer: str, tolerance: float | None
) -> str | None:
    """A yes or no; where it comes with other amounts than the reference's it is left open."""
    found = answered(query, answer)
    if found is None or found != polarity:
        return None if found is None else "incorrect"
    if _other_amounts(reference, answer, tolerance) or other_dates(
        reference, answer, _SHORT_REASON
    ):
        return None
    return "partial" if _lacks_a_part(query, reference, answer) else "correct"


def _amount(
    query: str, reference: str, value: Quantity, answer: str, tolerance: float | None
) -> str | None:
    """One amount against the figure that the answer gives for what is asked."""
    found = decide_mark(query, reference, answer) if _PLACE.search(query) else None
    found = found or decide_number(query, value, answer, tolerance=tolerance)
    if other_rate(reference, answer) or (
        found == "incorrect" and (from_to(query, answer) or turned(query, answer))
    ):
        return None
    if found == "correct" and misplaced(query, value, answer, tolerance=tolerance):
        return _main_figure(query, value, answer, tolerance)
    if found == "incorrect" and regrouped(value, answer):
        return None
    return found or decide_mark(query, reference, answer)


def _dated(query: str, value: Quantity, answer: str) -> str | None:
    """One date, unless a short answer dates another event."""
    found = decide_date(query, value, answer)
    short = len(answer) < _SHORT_REASON * 3
    return None if found == "correct" and short and other_event(query, answer) else found


def _main_figure(query: str, value: Quantity, answer: str, tolerance: float | None) -> str | None:
    """incorrect where what an answer says without its asides is another figure; else open."""
    said = amounts(answer)
    told = [judge_value(query, value, one, tolerance=tolerance) for one in said]
    equal = [one for one, found in zip(said, told, strict=True) if found == "equal"]
    if turned(query, answer) or set_off(query, answer, equal, [o for o in said if o not in equal]):
        return None
    for main in (without_apart(query, answer), asking_clause(query, answer)):
        if main and main != answer:
            found = decide_number(query, value, main, tolerance=tolerance)
            if found == "incorrect":
                return found
    return None


def _other_amounts(reference: str, answer: str, tolerance: float | None) -> bool:
    """Does a short reference give its yes or no with amounts of which the answer has others?"""
    wanted = amounts(reference) if len(reference) <= _SHORT_REASON else []
    said = amounts(answer) if wanted else []
    within = TOLERANCE if tolerance is None else tolerance
    told = (compare_quantities(a, b, tolerance=within) for a in wanted for b in said)
    return bool(said) and not any(found.relation == "equal" for found in told)


def _lacks_a_part(query: str, reference: str, answer: str) -> bool:
    """A question that asks for more than yes or no, and an answer without that more."""
    if not asks_several(query) or len(reference) > _SHORT_REASON:
        return False
    return any(bool(read(reference)) and not read(answer) for read in (dates_of, amounts))


def _of_name_and_date(reference: str) -> tuple[tuple[str, ...], Quantity] | None:
    """The name and the date of "Ada Brook, 1911"; None where a reference is anything else."""
    dates = dates_of(reference) if len(reference) <= _SHORT_REASON else []
    if len(dates) != 1 or amounts(reference):
        return None
    day = dates[0]
    name = match.content(f"{reference[: day.start]} {reference[day.end :]}")
    return (name, day) if name else None


def _name_and_date(query: str, name: tuple[str, ...], day: Quantity, answer: str) -> str | None:
    """A name and a date where both are asked for: correct with both, in part with one where the
    other is left out; None where it is given otherwise."""
    when = decide_date(query, day, answer)
    who = contained(query, name, answer, match.words(answer))
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
    if match.marks(reference) != match.marks(answer):
        return False
    if said and any(said == match.words(spelling) for spelling in match.aliases(reference)):
        return True
    if said and match.content(reference) == match.content(answer) != ():
        return True
    squeezed = match.compact(reference)
    short = not amount and len(answer) <= 2 * len(reference) + 20
    return bool(squeezed) and short and squeezed == match.compact(answer)


def _all_amounts(query: str, reference: str, answer: str, tolerance: float | None) -> str | None:
    """A reference of several amounts ("from 20% to 23%"): right where the answer has them all,
    in part where it has as many and the others are plainly different.
    """
    said = amounts(answer)
    wanted = amounts(reference)
    listed = match.items(reference)
    if len(listed) == len(wanted) and all(len(amounts(one)) == 1 for one in listed):
        matched = match_items(query, listed, answer, tolerance=tolerance)
        if matched.crossed:
            return "incorrect" if matched.n == len(listed) else None
    found = [
        [judge_value(query, one, value, tolerance=tolerance) for value in said] for one in wanted
    ]
    right = ["equal" in one for one in found]
    if all(right):
        places = [[at for at, told in enumerate(one) if told == "equal"] for one in found]
        return None if misordered(query, reference, places, answer) else "correct"
    if any("close" in one for one in found):
        return None
    some = 0 < len(said) < len(wanted) and sum(right) == len(said) and not match.hedges(answer)
    return "partial" if any(right) and (len(said) == len(wanted) or some) else None


def _lead(query: str, reference: str, answer: str) -> str | None:
    """A longer reference that begins with the short answer itself ("Deposits. They were 5.")."""
    sentences = match.sentences(reference)
    if len(sentences) < 2 or not 1 <= len(match.content(sentences[0])) <= _SHORT_REFERENCE - 2:
        return None
    if match.has_negation(sentences[0]) or amounts(sentences[0]):
        return None
    return contained(query, match.words(sentences[0]), answer, match.words(answer))


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
    if 2 <= len(values) <= 4 and len(left) <= 3 and len(match.words(reference)) > 3:
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
