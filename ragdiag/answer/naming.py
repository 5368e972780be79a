"""A reference that is a sentence, where the question asks for one thing: what it names, and whether
the answer names the same."""

from __future__ import annotations

import re

from ragdiag.answer import match
from ragdiag.answer.clauses import asking
from ragdiag.answer.listing import asks_several
from ragdiag.answer.phrase import decide_phrase
from ragdiag.text.tokens import content_stems

_ONE = re.compile(r"\b(?:which|what|who|whom)\b", re.IGNORECASE)
_OTHERWISE = re.compile(r"\b(?:why|how|whether|explain|describe|list|name|all)\b", re.IGNORECASE)
_HEAD = re.compile(
    r"\b(?:which|what) ((?:[^\W\d_][\w'’-]*\s+){0,4}[^\W\d_][\w'’-]*)", re.IGNORECASE
)
# What follows is no more of a name or title ("The Old Man and the Sea").
_VERB = r"(?!(?:and|or|of|the|for|in|to|with|by|at|on|from|an?|as|than)\b)[a-z]"
_BEGINS = re.compile(
    r"(?:[Tt]he )?([A-Z][\w.&'’-]*(?: (?:of |and |the |& )?[A-Z][\w.&'’-]*){0,5})(?:,[^,.]{1,60},)?"
    rf" {_VERB}",
)
_KIND = re.compile(rf"(?:[Tt]he )?((?:[^\W\d_][\w&'’-]* ){{1,3}}?[^\W\d_][\w'’-]*)(?= {_VERB})")
_YES = re.compile(r"^\W*yes\b\W*", re.IGNORECASE)
_NAMED = re.compile(r"[A-Z][\w'’-]+(?: (?:[A-Z]\.|[A-Z][\w'’-]+)){1,4}")
_AMONG = re.compile(
    r"\b(?:among|amongst|between|out of|from|of) ([^?]{3,200}?),? (?:which|what|who)\b",
    re.IGNORECASE,
)
_PARTED = re.compile(r",\s*(?:and |or )?|\s+(?:and|or)\s+")
_NONE = re.compile(r"^(?:there (?:is|are|was|were) )?(?:none|nothing)(?: at all)?$", re.IGNORECASE)
_NO = re.compile(
    r"\b(?:there (?:is|are|was|were) (?:currently |therefore )?no|(?:has|have|had) no"
    r"|(?:does|do|did) not have any|none of the|no) ((?:[\w'’-]+ ?){1,6})",
    re.IGNORECASE,
)
_ABOUT_SOURCES = re.compile(
    r"\b(?:information|mention|data|details?|evidence|indication|reference)\b", re.IGNORECASE
)
_FEW_OPTIONS, _MOST_OPTIONS = 2, 12
_LONGEST_SENTENCE = 400
_LONGEST = 20_000


def decide_named(query: str, reference: str, answer: str) -> str | None:
    """correct where the answer names what a sentence of the reference names; else None.

    The question asks for one thing, and the sentence begins with it: a name ("MGM China had …"), a
    kind of what is asked for ("The consumer segment shrank" - which segment?), or one of the
    options of the question. incorrect only where the answer takes another of the options.
    """
    if not _asks_for_one(query) or len(answer) > _LONGEST:
        return None
    first = match.sentences(reference)[:1]
    if not first or len(first[0]) > _LONGEST_SENTENCE or match.has_negation(first[0]):
        return None
    options = _options(query)
    if options:
        return _of_options(query, options, first[0], answer)
    if len(first[0].split()) < 4:  # a phrase has rules of its own
        return None
    named = _subject(query, first[0])
    if named is None or decide_phrase(query, named, answer) != "correct":
        return None
    return "correct"


def decide_none(query: str, reference: str, answer: str) -> str | None:
    """correct where the reference is "there are none" and the answer says so of what is asked for;
    that a source does not mention it is not the same: None."""
    if _NONE.match(reference.strip(" .")) is None:
        return None
    asked = set(content_stems(query))
    for sentence in match.sentences(answer[:_LONGEST]):
        if match.hedges(sentence):
            continue
        for found in _NO.finditer(sentence):
            said = content_stems(found[1])
            if said[:1] and said[0] in asked and not _ABOUT_SOURCES.search(found[1]):
                return "correct"
    return None


def names_the_same(query: str, reference: str, answer: str) -> bool:
    """A yes that names someone ("Yes, his name is Ada Brook"), and an answer that names the same
    where it says the question again; other names in the reference: False."""
    said = _YES.sub("", reference, count=1)
    if len(said) == len(reference) or len(said) > _LONGEST_SENTENCE:
        return False
    asked = set(match.words(query))
    named = {one for one in _NAMED.findall(said) if not set(match.words(one)) <= asked}
    return len(named) == 1 and decide_phrase(query, named.pop(), answer) == "correct"


def _asks_for_one(query: str) -> bool:
    asked = _ONE.search(query)
    if asked is None or asks_several(query):
        return False
    return _OTHERWISE.search(query, 0, asked.end()) is None


def _options(query: str) -> list[frozenset[str]]:
    """The stems by which the options of a question differ: "Among A, B and C, which …"."""
    found = _AMONG.search(query)
    if found is None:
        return []
    parts = [frozenset(content_stems(part)) for part in _PARTED.split(found[1]) if part.strip()]
    if not _FEW_OPTIONS <= len(parts) <= _MOST_OPTIONS:
        return []
    last = parts[-1]
    # "operating, investing and financing activities": the last one brings the common noun.
    if len(last) > 1 and all(len(part) == 1 for part in parts[:-1]):
        words = content_stems(_PARTED.split(found[1])[-1])
        parts[-1] = frozenset(words[:1])
    alone = [part - frozenset().union(*(o for o in parts if o is not part)) for part in parts]
    return alone if all(alone) else []


def _taken(options: list[frozenset[str]], text: str) -> list[int]:
    said = set(content_stems(text))
    return [at for at, option in enumerate(options) if option <= said]


def _of_options(
    query: str, options: list[frozenset[str]], reference: str, answer: str
) -> str | None:
    wanted = _taken(options, reference)
    if len(wanted) != 1:
        return None
    told: set[int] = set()
    for low, high in asking(query, answer):
        clause = answer[low:high]
        if match.has_negation(clause) or match.hedges(clause):
            return None
        taken = _taken(options, clause)
        if len(taken) == 1:
            told.update(taken)
    if len(told) != 1:
        return None
    return "correct" if told == set(wanted) else "incorrect"


def _subject(query: str, sentence: str) -> str | None:
    """The name with which a sentence begins, or the kind of what is asked for; it says more than
    the question."""
    asked = set(match.words(query))
    begins = _BEGINS.match(sentence)
    if begins is not None:
        name = begins[1].removesuffix("'s").removesuffix("’s").strip()
        new = [word for word in match.words(name) if word not in asked]
        if new and len(name.split()) > 1:
            return name
    head = _HEAD.search(query)
    kind = _KIND.match(sentence)
    if head is None or kind is None:
        return None
    nouns = set(content_stems(head[1]))
    words = kind[1].split()
    for at, word in enumerate(words[1:], 1):
        if set(content_stems(word)) & nouns:
            before = [one for one in words[:at] if one.casefold() not in ("the", "a", "an")]
            new = [one for one in before if not set(match.words(one)) <= asked]
            return " ".join((*before, word)) if new else None
    return None
