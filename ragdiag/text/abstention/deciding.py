"""An answer's sentences weighed: an abstention, an answer with a caveat, or open."""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.text.abstention.english import (
    ASKS_ABOUT_TEXT,
    ASKS_NUMBER,
    ASKS_WHAT_LACKS,
    CONCLUDES,
    COVERS,
    DIRECTS,
    DONE,
    IS_POLAR,
    REMARK,
)
from ragdiag.text.abstention.languages import POLAR_WORDS
from ragdiag.text.abstention.reading import (
    CONTRAST,
    Sentence,
    goes_on,
    has_value,
    may_abstain,
    sentences,
)
from ragdiag.text.word_sets import word_set

_LONG = 20_000
"""An answer is read up to here: what abstains says so early, or in a short text."""

_WORDS_ALONE = word_set(
    "unanswerable|not answerable|unknown|no answer|n/a|na|not available|not found|not given|idk|"
    "not stated|not specified|not mentioned|not provided|not disclosed|cannotanswer|cannot answer|"
    "cannot say|can't say|no idea|insufficient information|not enough information|no information|"
    "insufficient context|insufficient data|insufficient evidence|noanswer|none given|no data|"
    "no answer found|no information available|information not available|undetermined|"
    "cannot be determined|cannot determine|cannot be answered|unclear|not sure|i'm not sure|"
    "i am not sure|dunno|unbeantwortbar|keine angabe|unbekannt|sans réponse|inconnu|sin respuesta|"
    "desconocido|sconosciuto|desconhecido|неизвестно|нет ответа|无法回答|無法回答|无答案|未知|不明|"
    "回答不能|該当なし|わかりません|알 수 없음|답변 불가|غير معروف|अज्ञात|bilinmiyor|"
    "onbekend|nieznane|not in the documents|not in the document|not in the context|not in the text|"
    "not in the sources|not in the passages|not in the provided context|not in context|"
    "non specificato|non indicato|no especificado|não especificado|non précisé|не указано",
    "|",
)

_HAS_DIGIT = re.compile(r"\d")
_MARKERS = re.compile(r"\[\^?\d{1,3}(?:, ?\d{1,3})*\]|【[^】]{0,40}】")
_POLAR_START = re.compile(rf"^\W*(?:{POLAR_WORDS})(?:[,.!:;—–、。，،]| - )", re.IGNORECASE)
_LISTS = re.compile(
    r"^(?!.{0,300}\b(?:calculat|formula|need|comput))(?:[^.]{0,200}\b(?:here|below) (?:is|are)\b"
    r"|.{0,200}:\s*$)",
    re.IGNORECASE,
)
"""Begins a list of what was found, not of what is missing."""
_ANSWER = re.compile(r"^\W*(?:final )?(?:answer|response)\s*:\s*", re.IGNORECASE)


def _clean(text: str) -> str:
    text = _MARKERS.sub("", text[:_LONG]).replace("\u2019", "'").replace("\u2018", "'")
    return _ANSWER.sub("", text.replace("**", "").replace("_", " ").strip())


def _concludes_with_number(part: list[Sentence]) -> bool:
    return any(CONCLUDES.search(one.text) and has_value(one.text, "") for one in part)


def _ends_without(found: list[Sentence], query: str) -> bool:
    """Does the end say that who speaks cannot tell, or nobody can, and no number was concluded?"""
    last = found[-1] if len(found) < 2 or not found[-1].helps else found[-2]
    if not (last.personal or last.impossible):
        return False
    return not _concludes_with_number([one for one in found if not one.abstains])


def _leading(found: list[Sentence], first: int, query: str) -> bool | None:
    """An answer that begins by abstaining: what follows decides."""
    lead = found[first]
    on = goes_on(lead, query)
    if on is not False:
        return False if on else None
    rest = [one for one in found[first + 1 :] if not one.abstains and not one.helps]
    rest = [one for one in rest if not REMARK.match(one.text)]
    if not rest or _ends_without(found, query):
        return True
    if any(one.impossible and CONCLUDES.search(one.text) for one in found[first:][:3]):
        return True  # "… is not given. Therefore it is not possible to calculate it."
    if not lead.personal and rest[-1] is found[-1] and _concludes_with_number(rest[-1:]):
        return False
    if lead.personal:
        concluded = _concludes_with_number(rest[-2:])
        return None if concluded and not found[-1].abstains else True
    if _concludes_with_number(rest):
        return None
    if any(CONCLUDES.search(one.text) for one in rest):
        if any(_HAS_DIGIT.search(one.text) and CONTRAST.match(one.text) for one in rest):
            return False
        return True if found[-1].abstains else None
    contrasts = [one for one in rest if CONTRAST.search(one.text[:60])]
    # A remark on what the sources do say leaves open whether it was meant as the answer.
    return False if any(has_value(one.text, query) for one in contrasts) else None


def _is_greeting(sentence: str) -> bool:
    """A few words without a figure before what is said ("Thank you for asking.")."""
    return len(sentence) < 25 and not _HAS_DIGIT.search(sentence)


def _is_claim(one: Sentence, query: str) -> bool:
    """Does a sentence say something of its own: no help, greeting, or what the sources hold?"""
    if one.helps or _is_greeting(one.text):
        return False
    return not COVERS.match(one.text) or has_value(one.text, query)


def _late(found: list[Sentence], first: int, query: str) -> bool | None:
    """An answer that abstains later: explanations before it are help, claims are an answer."""
    before = found[:first]
    claims = [one for one in before if _is_claim(one, query)]
    after = [one for one in found[first + 1 :] if not one.abstains and not one.helps]
    if _concludes_with_number(after[-2:]):
        return False
    if CONCLUDES.match(found[-1].text) and found[-1].personal and _ends_without(found, query):
        return True  # "… Therefore, I cannot say."
    helped = before[0].helps and _LISTS.match(before[0].text) is None
    if found[first].personal and (helped or not claims):
        return True
    if helped and any(one.impossible and CONCLUDES.search(one.text) for one in found[first:]):
        return True
    if found[first].lacks and (not claims or (helped and len(claims) <= 1)):
        return True
    last = found[-1]
    if last.personal and last.abstains and not _HAS_DIGIT.search(before[0].text):
        return None
    return False if not helped else None


def _gives_no_number(query: str, found: list[Sentence]) -> bool:
    """Is a number asked for, none given, and said that none can be?"""
    unable = any(one.personal or one.impossible for one in found)
    if ASKS_NUMBER.search(query) is None or not unable:
        return False
    return not any(has_value(one.text, query) for one in found)


def _sends_elsewhere(query: str, text: str, found: list[Sentence]) -> bool:
    """Does it only tell where to look for what was asked?"""
    if DIRECTS.search(text) is None or _POLAR_START.match(text):
        return False
    if not ASKS_NUMBER.search(query) and not IS_POLAR.match(query):
        return False
    return not any(has_value(one.text, query) for one in found)


@lru_cache(maxsize=1024)
def abstains(query: str, answer: str) -> bool | None:
    """True: the answer abstains; False: it answers; None: code cannot tell.

    An empty answer is None: it is no abstention, it is nothing. A sentence that gives a value
    before or after it abstains, or an answer that abstains only on a part of the question, is not
    one; neither are words that the answer quotes or reports of another.
    """
    text = _clean(answer)
    if not text:
        return None
    bare = text.lower().strip(" .!\"'()[]*:。！")
    if bare in _WORDS_ALONE:
        return True
    if not may_abstain(text):
        return _sends_elsewhere(query, text, [Sentence(text)])
    found = sentences(text, query)
    first = next((index for index, one in enumerate(found) if one.abstains), None)
    if _sends_elsewhere(query, text, found):
        return True
    if first is None:
        return False
    if _may_be_the_answer(query, found[first]):
        return None
    if _POLAR_START.match(found[0].text) and len(found) > 1:
        return False if first > 0 else None
    if first == 0 or (first == 1 and (found[0].helps or _is_greeting(found[0].text))):
        return _leading(found, first, query)
    told = _late(found, first, query)
    return True if told is not True and _gives_no_number(query, found) else told


def _may_be_the_answer(query: str, lead: Sentence) -> bool:
    """Does the question ask what the sources say, or what is lacking?"""
    if lead.personal:
        return False
    if ASKS_ABOUT_TEXT.match(query) or ASKS_WHAT_LACKS.search(query):
        return True
    if not lead.barely:
        return False
    # "Which drug was given first?" - "No aspirin was given." tells of the world.
    asked = {word for word in DONE.findall(query.lower()) if word in lead.text.lower()}
    return bool(asked) or IS_POLAR.match(query) is not None


@lru_cache(maxsize=1024)
def is_abstention_reference(reference: tuple[str, ...]) -> bool:
    """Is the reference itself "not stated", so that an abstention is the right answer?"""
    return any(abstains("", one) is True for one in reference)
