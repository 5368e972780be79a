"""A short reference in words - a name, a term, a list - against what an answer says."""

from __future__ import annotations

import re

from ragdiag.answer import match
from ragdiag.answer.clauses import asked_words
from ragdiag.answer.doubt import another_answers, doubtful
from ragdiag.answer.figure_doubt import misordered
from ragdiag.answer.listing import match_items
from ragdiag.answer.spellings import other_script, spellings
from ragdiag.answer.stems import stem

_SHORT_ANSWER = 14
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_ONE_NAME = re.compile(
    r"\b(?:which|what) (?:\w+ )?(?:city|country|town|state|capital|company|bank|planet|river|"
    r"island|language|colou?r|month|day|continent|team|county|province)\b"
    r"|\b(?:what|which) is the capital\b"
    r"|^where\b.{0,60}\b(?:headquarter|head office|based|located|born|capital)",
    re.IGNORECASE,
)
_PROPER = re.compile(r"[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*)?")
_CAPITALS = re.compile(r"(?<![\w.])[A-Z]{3,6}(?!\w)")
_HAN = re.compile("[\u3400-\u9fff]{2,6}|[\uac00-\ud7af]{2,6}")
_SHORT_REFERENCE = 8
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PET_NAMES = (
    "robert bobby robin rupert", "william bill billy will liam", "edward teddy eddie",
    "richard dick dicky",
    "margaret peggy maggie daisy", "elizabeth betty beth lisa eliza bess", "john jack johnny",
    "james jimmy jamie", "henry harry hank", "charles chuck charlie", "theodore teddy",
    "francis frank", "mary polly molly", "anthony tony", "albert bertie", "alexander sandy xander",
    "catherine kate kitty", "katherine kate kitty", "dorothy dolly", "helen nell nellie",
    "ellen nell nellie", "sarah sally", "martha patty", "eugene gene", "antonio tony",
)  # fmt: skip
_SPAN = re.compile(r"\w (?:to|through|until) [A-Z]|\w ?[–—] ?[A-Z]")
_EXCEPT = re.compile(r"\bbut not\b|\band not\b", re.IGNORECASE)
_CJK_DENIED_BEFORE = re.compile("不是|不在|不属于|並非|并非|没有|沒有|非$|不$|無い|既不|なく")
_CJK_DENIED_AFTER = re.compile(
    "(?:では|じゃ|で|に|が|가|이|은|는|에|本人)?(?:は)?(?:ない|ありません|なく|아니|아닙|없|不)"
)
_CJK_FROM = re.compile("[从從由自]$")
_CJK_TO = re.compile("[到至往]|から|에서")
_CJK_OR = re.compile("^(?:或|或者|还是|還是|または|か|또는)")
_CJK_FRAME = re.compile("^(?:它)?(?:位于|位於|在|是|为|為|叫)|(?:です|でした|である|입니다)$")


def decide_phrase(
    query: str,
    reference: str,
    answer: str,
    others: tuple[str, ...] = (),
    *,
    tolerance: float | None = None,
) -> str | None:
    """A short phrase: contained in what is said, a list in part, another name, or open.

    `tolerance` as in `judge_value`, for lists of amounts.
    """
    if match.is_cjk(reference):
        return _cjk_phrase(query, reference, answer)
    if other_script(reference, answer):
        return None
    said = match.words(answer)
    for spelling in match.aliases(reference):
        verdict = contained(query, match.words(spelling), answer, said)
        if verdict is not None:
            if 1 < len(match.items(spelling)) < match.listed(answer):
                return None  # the list that is asked for, and more
            if not doubtful(query, spelling, answer, others):
                return verdict
            return "incorrect" if another_answers(query, spelling, answer, others) else None
        if match.is_initials(spelling, answer) or _gives_initials(answer, spelling, said):
            return "correct"
    for wanted in spellings(reference):
        name = " ".join(wanted).title()
        if contained(query, wanted, answer, said) and not doubtful(query, name, answer, others):
            return "correct"
    parts = match.items(reference)
    if len(parts) > 1:
        return _list(query, parts, answer, tolerance)
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
        or (len(wanted) > 1 and match.untitled(match.content(answer)) == wanted[-1:])
    ):
        return "correct"
    if _same_family(wanted, match.untitled(said)):
        return "incorrect"
    named = [word for word in match.content(answer) if word not in match.words(query)]
    short = len(said) <= 4 or (len(named) <= 4 and len(said) <= 9)
    if short and 2 <= len(wanted) <= 4 and not set(wanted) & set(said):
        return None if match.has_negation(answer) or _no_name(answer, said) else "incorrect"
    return None


def _no_name(answer: str, said: tuple[str, ...]) -> bool:
    """Is a short answer a sentence without a name ("Bu bilgi belgede yok.")?"""
    return len(said) > 2 and answer.strip()[1:].islower() and answer.strip()[0].isupper()


def _same_family(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Two full names of which the last is the same and the first plainly another."""
    if len(first) != len(second) or len(first) < 2 or first[1:] != second[1:]:
        return False
    one, other = first[0], second[0]
    if min(len(one), len(other)) < 4 or one[0] == other[0] or one[-3:] == other[-3:]:
        return False
    return not any({one, other} <= set(names.split()) for names in _PET_NAMES)


def _other_place(query: str, wanted: tuple[str, ...], answer: str, said: tuple[str, ...]) -> bool:
    """Is a bare name the answer where the question asks for one of its kind, and another one?"""
    named = _residue(query, answer)
    if not _ONE_NAME.search(query) or not _PROPER.fullmatch(named) or len(wanted) > 2:
        return False
    starts = {word[:1] for word in wanted}
    heard = match.words(named)
    return not any(word[:1] in starts or word in match.words(query) for word in heard)


def _residue(query: str, answer: str) -> str:
    """A short answer without the words of the question around its name."""
    tokens = answer.strip(" .!\"'*").split()
    asked = set(match.words(query))
    if len(tokens) > _SHORT_ANSWER or match.has_negation(answer) or match.hedges(answer):
        return answer.strip(" .!\"'*")
    while tokens and (not match.content(tokens[0]) or set(match.words(tokens[0])) <= asked):
        tokens.pop(0)
    while tokens and (not match.content(tokens[-1]) or set(match.words(tokens[-1])) <= asked):
        tokens.pop()
    return " ".join(tokens)


def _coded(words: tuple[str, ...]) -> bool:
    """Do the words hold letters and digits, as a code does ("AB-12")?"""
    text = "".join(words)
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _shape(words: tuple[str, ...]) -> str:
    return re.sub(r"\d", "0", " ".join(words))


def contained(
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


def _cjk_phrase(query: str, reference: str, answer: str) -> str | None:
    wanted, said = match.compact(reference), match.compact(answer)
    if wanted and wanted in said:
        at = said.index(wanted)
        before, after = said[:at], said[at + len(wanted) :]
        if _CJK_DENIED_BEFORE.search(before[-12:]) or _CJK_DENIED_AFTER.match(after):
            return None
        moved = _CJK_FROM.search(before[-3:]) and _CJK_TO.search(after)
        return None if moved or _CJK_OR.search(after) else "correct"
    parts = match.items(reference)
    found = match.found_items(parts, answer)
    if len(parts) > 1 and found and not _CJK_DENIED_BEFORE.search(said):
        return "correct" if found == len(parts) else "partial"
    asked = match.compact(query)
    left = _CJK_FRAME.sub("", _without(said, asked))
    short = _HAN.fullmatch(wanted) and (_HAN.fullmatch(said) or _HAN.fullmatch(left))
    if short and not _CJK_DENIED_BEFORE.search(said):
        return "incorrect" if not set(wanted) & set(said) else None
    return None


def _without(said: str, asked: str) -> str:
    """An answer without the words of the question with which it begins."""
    size = 0
    while size < len(said) and said[: size + 1] in asked:
        size += 1
    return said[size:] if size > 1 else said


def _list(query: str, parts: list[str], answer: str, tolerance: float | None) -> str | None:
    """All items: correct; some, in a short answer: partial; none, or more than asked: open."""
    if match.has_negation(answer) and not _EXCEPT.search(answer):
        return None
    matched = match_items(query, parts, answer, tolerance=tolerance)
    if matched.crossed:
        return None
    found = max(matched.n, match.found_items(parts, answer))
    if found and _SPAN.search(answer):
        return "correct" if found == len(parts) and not match.has_negation(answer) else None
    if found == len(parts):
        more = match.listed(answer) > found or match.names_more(parts, answer)
        open_ = more or _crossed(query, parts, answer)
        return None if open_ or _relabelled(query, parts, answer) else "correct"
    if found and len(match.words(answer)) <= 3 * _SHORT_ANSWER:
        return "partial"
    return "incorrect" if not found and _all_others(query, parts, answer) else None


def _all_others(query: str, parts: list[str], answer: str) -> bool:
    """Is a bare list of as many names, or a year, given where the reference lists others?"""
    if match.has_negation(answer) or match.hedges(answer):
        return False
    if all(_YEAR.fullmatch(part) for part in parts):
        said = _YEAR.findall(answer)
        return bool(said) and len(match.content(answer)) == len(said)
    named = match.items(answer.strip(" ."))
    wanted = {word[:3] for part in parts for word in match.words(part)}
    plain = all(_PROPER.fullmatch(one) for one in (*parts, *named))
    shared = any(word[:3] in wanted for one in named for word in match.words(one))
    return plain and len(named) == len(parts) and not shared and not _initials(parts, named)


def _initials(parts: list[str], named: list[str]) -> bool:
    return any(
        match.is_initials(one, other) for one in (*parts, *named) for other in (*parts, *named)
    )


def _relabelled(query: str, parts: list[str], answer: str) -> bool:
    """Two things asked for by name ("the X and the Y"), and given in the other order with names?"""
    said = match.fold(answer)
    places = [said.find(match.fold(part)) for part in parts]
    asked = asked_words(query).intersection(map(stem, match.content(answer)))
    return len(parts) == 2 and " and " in query and places != sorted(places) and len(asked) > 1


def _crossed(query: str, parts: list[str], answer: str) -> bool:
    """Are amounts given in another order than asked, each with its own year?"""
    said = match.fold(answer)
    figures = [part for part in parts if any(map(str.isdigit, _YEAR.sub("", part)))]
    places = [said.find(match.fold(part)) for part in figures]
    return (
        len(places) > 1
        and -1 not in places
        and misordered(query, ", ".join(parts), [[at] for at in places], answer)
    )
