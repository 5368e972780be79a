"""What a pass must have behind it in the text, whatever a judge says.

A judge that was talked into a label cannot talk the text into holding the claim's numbers, names
and words. Each gate is lenient: it stops what shares next to nothing with the text, and leaves
every question of meaning to the judge. None = it may pass; else why not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ragdiag.text.calculation import derive, operands_of
from ragdiag.text.numbers import Quantity, compare_quantities, parse
from ragdiag.text.tokens import content_stems, language, names
from ragdiag.text.tokens import words as tokenised
from ragdiag.text.word_sets import word_set

_LEAST_SHARED = 0.2
_FEW_WORDS = 3
_ENOUGH_SHARED = 2
_COUNTED = 12
_MOST_OPERANDS = 400
_MOST_ABSENT = 0.5
_LEAST_ABSENT = 2
_SHORT = 3
_NUMBERING = re.compile(r"^\W{0,3}\d{1,3}[.)]\s|\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]")
_NAMED = re.compile(r"\b[A-Z][a-z]\w+")
_NAME = re.compile(r"\b(?!The )[A-Z][a-z]\w+(?: [A-Z][a-z]\w+){2,7}")
_OPENERS = word_set(
    "thought thoughts process think thinking solution solutions solve solving answer answers final "
    "problem question step steps reasoning reason explanation explain response reply result "
    "conclusion let lets okay ok sure certainly first analysis rationale here following "
    "respuesta solución pregunta paso réponse réfléchissons étape lösung antwort denkprozess "
    "schritt frage resposta solução risposta soluzione passo antwoord oplossing stap ответ решение "
    "шаг вопрос рассуждение odpowiedź rozwiązanie cevap çözüm jawaban solusi الإجابة الحل "
    "उत्तर समाधान 解 答 解答 答案 回答 解析 思考 過程 过程 かいせつ 解説 답 해설 풀이 정답"
)


def unsupported(claim: str, passages: Sequence[str], *, known: str = "") -> str | None:
    """Why the passages cannot support the claim: a number, the names or the words are not there.

    `known` is text whose numbers and names need no support: the question that was asked. In
    another language than the passages', only the numbers tell.
    """
    claim = _NUMBERING.sub(" ", claim)
    absent = _absent_number(claim, passages, known)
    if absent is not None:
        return f"no passage has {absent!r}, nor numbers that give it"
    text = "\n".join(passages)
    lang = language(claim)
    if lang != language(text):
        return None
    words, there = set(content_stems(claim, lang=lang)), _stems_of(passages, lang)
    new = words - set(content_stems(known, lang=lang))
    if not words:
        return "the claim has no words of its own"
    n_shared = len(words & there)
    if not n_shared or (
        len(words) > _FEW_WORDS and n_shared < min(_ENOUGH_SHARED, _LEAST_SHARED * len(words))
    ):
        return f"the passages share {n_shared} of the claim's {len(words)} words"
    if new and not new & there:
        return "nothing that the claim adds to the question is in the passages"
    return _absent_names(claim, passages, known)


def _stems_of(passages: Sequence[str], lang: str) -> frozenset[str]:
    return frozenset[str]().union(*(_stems(text, lang) for text in passages))


@lru_cache(maxsize=256)  # the passages of a sample, for all its claims and checks
def _stems(text: str, lang: str) -> frozenset[str]:
    return frozenset(content_stems(text, lang=lang))


def _absent_names(claim: str, passages: Sequence[str], known: str) -> str | None:
    """More than half of the claim's names, and two at least, stand nowhere; abbreviations do not
    count."""
    written = {word.casefold() for word in _NAMED.findall(claim)}
    if len(written) < _LEAST_ABSENT:
        return None
    text = "\n".join((*passages, known)).casefold()
    if all(word in text for word in written):
        return None
    named = names(claim) & written
    squeezed, initials = text.replace(" ", ""), _initials(claim)
    known_short = {word for short, whole in initials.items() if short in text for word in whole}
    absent = sorted(name for name in named - known_short if name not in squeezed)
    if len(absent) >= _LEAST_ABSENT and len(absent) > _MOST_ABSENT * len(named):
        return f"no passage names {', '.join(absent[:3])}"
    return None


def _initials(claim: str) -> dict[str, list[str]]:
    """What names of several words may be called by their letters: "Federal Election Commission",
    fec."""
    found: dict[str, list[str]] = {}
    for name in _NAME.findall(claim):
        whole = [word.casefold() for word in name.split()]
        found["".join(word[0] for word in whole)] = whole
    return {short: whole for short, whole in found.items() if len(short) > 2}


def _absent_number(claim: str, passages: Sequence[str], known: str) -> str | None:
    """The first number of the claim that neither stands in the passages nor follows from them."""
    texts = (*passages, known)
    # as it is written: that is found without reading all numbers of the passages
    wanted = [one for one in parse(claim) if _is_written(one) and not _stands_in(one.text, texts)]
    if not wanted:
        return None
    there = [one for text in texts for one in parse(text)]
    years = {year for one in there for year in _years(one)}
    for one in wanted:
        if any(compare_quantities(other, one).relation == "equal" for other in there):
            continue
        told = _years(one)
        if told:
            if years and not told & years:
                return one.text
        elif one.is_numeric and not _follows(one, passages):
            return one.text
    return None


def _stands_in(written: str, texts: Iterable[str]) -> bool:
    """Do the same characters stand in a text, as no part of a longer number or word?"""
    alone = re.compile(rf"(?<![\w.,%-]){re.escape(written)}(?![\w%]|[.,]\d)")
    return any(written in text and alone.search(text) for text in texts)


def _is_written(one: Quantity) -> bool:
    """An amount, a date or a period in digits: a number in words, or a small one of nothing ("the
    top 10"), may be a counting."""
    if one.text.isdecimal() and len(one.text) <= 2 and int(one.text) <= _COUNTED:
        return False
    kinds = one.is_numeric or one.kind in ("date", "period")
    return kinds and any(c.isdigit() for c in one.text)


def _years(one: Quantity) -> set[str]:
    """The years that a date, a period, or a bare number states."""
    if one.kind in ("date", "period") or one.year_like:
        return set(re.findall(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)", one.text))
    return set()


def _follows(amount: Quantity, passages: Sequence[str]) -> bool:
    operands = [one for text in passages for one in operands_of(text)][:_MOST_OPERANDS]
    return len(operands) > 1 and derive(amount, operands, gold=True) is not None


def foreign(query: str, passages: Sequence[str]) -> str | None:
    """Why the passages cannot suffice: they share no word with the question, in its language."""
    text = "\n".join(passages)
    lang = language(query)
    words = set(content_stems(query, lang=lang))
    if not words or lang != language(text) or words & _stems_of(passages, lang):
        return None
    return "the passages share no word with the question"


def says_nothing(answer: str, references: Iterable[str], query: str) -> str | None:
    """Why the answer cannot be correct: it opens a reply ("Thought process:", "解") or repeats the
    question, and has no word or number of a reference."""
    lang = language(answer)
    said, spoken = set(content_stems(answer, lang=lang)), set(tokenised(answer))
    for reference in references:
        if said & set(content_stems(reference, lang=lang)) or reference.strip() == answer.strip():
            return None
        if len(spoken) <= _SHORT and spoken & set(tokenised(reference)):
            return None
    openers = _stems(" ".join(_OPENERS), lang) | {word.casefold() for word in _OPENERS}
    rest = said - set(content_stems(query, lang=lang)) - openers
    rest = {word for word in rest if word.strip() not in openers}
    return None if rest else "the answer says nothing beyond the question"
