"""Yes or no: what a reference says, and what an answer says where that is clear."""

from __future__ import annotations

import re
from typing import Literal

from ragdiag.answer.match import content, sentences, words
from ragdiag.answer.numeric import years
from ragdiag.answer.stems import stem
from ragdiag.text.negation import negations
from ragdiag.text.word_sets import word_set

_FEW_WORDS = 6
_ALL_OF = 3
_NO_CONTENT = word_set("can could will would should may must might there any than more")
_MOST_OF = 0.6
_QUANTIFIERS = frozenset(["all", "every", "each", "always", "only", "both"])
_EMPTY = word_set(
    "not there we i you can could will would should may must being also never cannot isn't wasn't "
    "aren't doesn't didn't don't hasn't haven't can't won't couldn't"
)
_OPPOSITES = tuple(
    (frozenset(map(stem, one.split())), frozenset(map(stem, other.split())))
    for one, other in (
        ("rise increase grow gain climb higher", "fall decrease decline drop shrink lower"),
        ("improve better", "worsen deteriorate worse"),
        ("allow permit legal lawful", "prohibit forbid forbidden ban illegal unlawful"),
        ("guilty", "innocent"),
        ("win", "lose"),
        ("open", "closed"),
        ("profit profitable", "loss unprofitable"),
        ("alive", "dead"),
        ("succeed success", "fail failure"),
        ("accept approve", "reject refuse deny"),
        ("free", "paid"),
        ("true", "false"),
    )
)
Polarity = Literal["yes", "no"]

_YES = (
    "yes|yeah|yep|true|correct|ja|oui|sí|sì|sim|да|так|ναι|כן|是的|是|对|對|はい|ええ|예|네|그렇습니다|نعم|أجل|بله|"
    "ہاں|जी हाँ|जी हां|हाँ|हां|হ্যাঁ|ஆம்|ใช่|tak|evet|igen|kyllä|jo|ano|có"
)
_NO = (
    "no|nope|false|incorrect|nein|nee|nej|nei|non|não|нет|ні|όχι|לא|不是|否|没有|沒有|不|いいえ|いえ|아니요|아니오|"
    "아닙니다|لا|كلا|خیر|نہیں|जी नहीं|नहीं|না|இல்லை|ไม่ใช่|ไม่|nie|hayır|nem|không"
)
# Words that begin sentences of other kinds: alone, or before a comma or full stop.
_YES_ALONE, _NO_ALONE = "ya|da|si", "ei|ne|nu|tidak"
_ENDS = r"(?=\s*(?:[、。，,．.!！؟،;；:।]|$))"
_SURE = "absolutely|definitely|certainly|of course|indeed|sure|surely|clearly|exactly|affirmative"
_START = re.compile(
    r"^\W*(?:(?:typically|generally|in short|overall|(?:the |my )?(?:short |"
    r"final )?answer(?: is| would be)?"
    r"|i (?:would|'d) say(?: that)?|i (?:think|believe)(?: that)?|it is|it's|that is|that's)"
    r",? ?:?\W*)?"
    rf"(?:(?P<no>(?:{_SURE}|certainly|almost certainly|probably|most)? ?not(?= ?(?:$|[.,;!]|"
    rf"really\b"
    r"|at all\b))|by no means|no way|not by any means)"
    rf"|(?P<yes>not (?:incorrect|untrue|false|wrong)|(?:{_SURE})(?=$|[.,;!]| yes\b| it\b)|{_YES}|"
    rf"(?:{_YES_ALONE}){_ENDS})"
    rf"|(?P<no2>{_NO}|(?:{_NO_ALONE}){_ENDS}))"
    r"(?!\s+(?:one|more|longer|information|data|significant|specific|other|doubt|question|wonder"
    r"|problem|matter|and no|and yes|or no|or yes|wait|sorry)\b)"
    r"(?:(?![^\W\d_])(?![\u0300-\u0e4e](?<=\w))|(?=[、。，,]|$))",
    re.IGNORECASE,
)
_ELLIPTIC = re.compile(
    r"(?:(?:it|he|she|they|we|i|you|this|that|there|these|those) (?P<tag>did|does|do|is|are|"
    r"was|were"
    r"|has|have|had|can|could|will|would|should|may|must)(?P<not> not|n't|n’t)?"
    r"|(?P<no>i(?:'m| am) afraid not|i (?:do not|don't) think so|not yet|none|never|it cannot|"
    r"it can't"
    r"|(?:that|this|it)(?:'s| is| was) (?:wrong|false|untrue|incorrect|not (?:right|true|"
    r"correct|so|the"
    r" case)))"
    r"|i(?:'m| am) afraid so|i (?:think|believe) so|(?:that|this|it)(?:'s| is| was) (?:right|"
    r"so|the case))"
    r"[.!]?",
    re.IGNORECASE,
)
_TURNING = 120
_TAKEN_BACK = re.compile(
    r"^\W*(?:and|but|or|wait|actually|sorry|scratch that|i mean|rather|"
    r"correction)\b.{0,20}?\b(?:yes|no)\b"
    r"|\b(?:wait|actually|correction|on second thought)\b[^a-z]{1,3}(?:it is |"
    r"the answer is )?(?:yes|no)\b",
    re.IGNORECASE,
)
_DOUBLE = re.compile(
    r"\b(?:no doubt|without (?:a )?doubt|no question|not only|undoubtedly|not (?:incorrect|untrue|"
    r"false|wrong|just|merely))\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"^\W*(?:it|he|she|they|this|that|there|we|i|you)\b", re.IGNORECASE)
_THE_COMPANY = re.compile(r"^\W*the (?:company|firm|corporation|group|business)\b", re.IGNORECASE)
_COMPANY = frozenset(map(stem, ("company", "firm", "corporation", "group", "business")))
_POLAR = re.compile(
    r"(?:^|[.?!:,;] +|\bquestion: )(?:is|are|was|were|does|do|did|has|have|had|can|could|"
    r"will|would|"
    r"should|am|may|must)(?:n't)? ",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|how (?:much|many|did|does|do|has|long|old|"
    r"often)|why)\b",
    re.IGNORECASE,
)
_FAILS = re.compile(r"\b(?:unlikely|fails?|failed|lacks?)\b", re.IGNORECASE)
_CONCLUSION = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|in summary|overall|so(?=,)|conclude|suggests?"
    r"|indicates?|it is (?:clear|reasonable|evident)|based on|according to|"
    r"can be considered|appears to be)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:however|although|but|unclear|depends|partly|partially|mixed|"
    r"cannot (?:be )?(?:determin|say|said|tell|told|confirm|conclude|assess|answer|verif)\w*|"
    r"may not|might|"
    r"whether|false|untrue|incorrect|wrong|claims? (?:that|to)|alleged|as of my|until|"
    r"formerly|used to|threaten\w*|plan(?:s|ned)? to|want\w* to|tr(?:y|ied) to|attempt\w*|"
    r"refus\w*|declin\w* to|hop\w* to|"
    r"hardly|barely|"
    r"rarely|almost|nearly|"
    r"would|if|on the other hand|while|despite)\b",
    re.IGNORECASE,
)


def stated(text: str) -> Polarity | None:
    """The "yes" or "no" with which a text begins; None where it begins otherwise."""
    match = _START.match(text)
    if match is None:
        return _elliptic(text)
    taken = text[match.end() : match.end() + _TURNING]
    if _TAKEN_BACK.search(taken):
        return None
    return "yes" if match.group("yes") else "no"


def _elliptic(text: str) -> Polarity | None:
    """ "They did.", "It hasn't.", "I'm afraid not.", "That's wrong.": nothing else is said."""
    match = _ELLIPTIC.fullmatch(text.strip())
    if match is None:
        return None
    if match["tag"] is not None:
        return "no" if match["not"] else "yes"
    return "no" if match["no"] is not None else "yes"


def is_polar(query: str) -> bool:
    """Does the question ask for yes or no?"""
    match = _POLAR.search(query)
    if match is None:
        return False
    asked = _OTHER.search(query)
    return asked is None or match.start() < asked.start()


def _asked_words(query: str) -> set[str]:
    question = next((one for one in sentences(query) if _POLAR.match(one)), query)
    kept = [word for word in content(question)[:14] if word not in _NO_CONTENT]
    return {stem(word) for word in kept if not word.isdigit() and len(word) > 2}


def _in_order(asked: set[str], query: str, sentence: str) -> bool:
    """Do the two sides of a comparison or of a deed stand as in the question ("A than B")?"""
    first = [stem(word) for word in content(query)]
    second = [stem(word) for word in content(sentence)]
    shared = [word for word in dict.fromkeys(first) if word in asked and word in second]
    places = [second.index(word) for word in shared]
    compared = "than" in second or (len(shared) <= _ALL_OF and len(second) <= 2 * _FEW_WORDS)
    passive = " by " in sentence and " by " not in query
    return not compared or (places == sorted(places)) != passive


def _of_sentence(query: str, sentence: str, asked: set[str]) -> Polarity | None:
    """A sentence that says the question again affirms it, unless it negates or hedges."""
    sentence = _DOUBLE.sub(" ", sentence)
    said = set(map(stem, words(sentence)))
    contrary = _contrary(asked, said)
    if contrary is not None:
        rest, negative = contrary, _negative(sentence) is not False or _HEDGED.search(sentence)
        short = len(said) <= 2 * _FEW_WORDS
        about = rest <= said or (_PRONOUN.match(sentence) and len(said) <= _FEW_WORDS)
        return "no" if short and about and not negative else None
    bare = {stem(word) for word in content(sentence) if word not in _EMPTY}
    pronoun = _PRONOUN.match(sentence) and len(said) <= _FEW_WORDS
    if _of_the_company(query, sentence):
        pronoun, bare = True, bare - _COMPANY - set(years(sentence))
    if pronoun and bare and bare <= asked:
        asked &= said  # the pronoun stands for the rest of the question
    needed = len(asked) if len(asked) <= _ALL_OF else max(_ALL_OF, _MOST_OF * len(asked))
    if not asked or len(asked & said) < needed or not _in_order(asked, query, sentence):
        return None
    if not set(words(query)) & _QUANTIFIERS <= set(words(sentence)):
        return None
    if len(asked) == 1 and len(said) > _FEW_WORDS:
        return None
    if _HEDGED.search(sentence):
        return None
    negative = _negative(sentence)
    if negative is None:
        return None
    return "no" if negative else "yes"


def _of_the_company(query: str, sentence: str) -> bool:
    """Does a short sentence speak of "the company", for the one of the question and its years?"""
    if not _THE_COMPANY.match(sentence) or len(words(sentence)) > 2 * _FEW_WORDS:
        return False
    return not years(query) or set(years(sentence)) <= set(years(query))


def _negative(sentence: str) -> bool | None:
    """Does a sentence deny? None in a language whose words for it are not known."""
    n_negations = negations(sentence)
    return None if n_negations is None else bool(n_negations or _FAILS.search(sentence))


def _contrary(asked: set[str], said: set[str]) -> set[str] | None:
    """The other words of the question where one stands in its opposite; None where none does."""
    for one, other in _OPPOSITES:
        for mine, its in ((one, other), (other, one)):
            if asked & mine and said & its and not said & mine:
                return asked - mine
    for word in asked:
        if any(prefix + word in said for prefix in ("un", "in", "im", "ir", "dis", "non")):
            return asked - {word}
    return None


def answered(query: str, answer: str) -> Polarity | None:
    """What an answer to a yes/no question says; None where that is not clear."""
    first = stated(answer)
    if first is not None:
        return first
    parts = sentences(answer)
    if not parts:
        return None
    asked = _asked_words(query)
    opening = _of_sentence(query, parts[0], asked)
    concluding = [one for one in parts[1:][-3:] if _CONCLUSION.search(one)]
    readings: list[Polarity | None] = [
        _of_sentence(query, one, asked) for one in reversed(concluding)
    ]
    ending: Polarity | None = next((one for one in readings if one is not None), None)
    if opening is not None and ending is not None and opening != ending:
        return None
    return opening or ending
