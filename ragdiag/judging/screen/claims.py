"""Claims by sentences: what of an answer says something that passages could support."""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.judging.screen.reading import read_short
from ragdiag.records import Claim
from ragdiag.text import phrases
from ragdiag.text.attribution import without_attribution
from ragdiag.text.citations import strip_markers
from ragdiag.text.sentences import split
from ragdiag.text.tokens import language

_LEAD = re.compile(r"^[\s>#*•·–—-]*(?:(?:\d{1,3}|[a-zA-Z])[.)]\s+)?[\s*_#]*")
_TAIL = " \t\r\n\u00a0*_"
_HEDGE = re.compile(
    r"\bI(?:'m| am) (?:sorry|unable|not (?:sure|able|certain))|\bI apologi[sz]e"
    r"|\bI (?:do not|don't|cannot|can't|could not|couldn't|did not|didn't) "
    r"(?:have|know|find|see|answer|provide|determine|tell|locate|help|understand)"
    r"|\bunable to (?:answer|determine|find|provide|locate)"
    r"|\b(?:passages?|documents?|context|information|sources?|texts?|articles?|excerpts?)\b"
    r"[^.]{0,60}\b(?:does not|do not|doesn't|don't|did not|not) "
    r"(?:\w+ )?(?:provide|contain|mention|specif|include|state|give|say|discuss|address|available"
    r"|enough|sufficient)"
    r"|\b(?:not|isn't) (?:possible|clear|specified|stated|mentioned|provided|available)"
    r" (?:to|in|from)"
    r"|\bno (?:information|mention|evidence)\b",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"^(?:overall|in (?:summary|conclusion|short)|to (?:sum up|summari[sz]e|conclude)"
    r"|note that it is|it is (?:important|worth|recommended|best|advisable|always)|remember"
    r"|keep in mind|however, it(?:'s| is) (?:important|worth|always))\b",
    re.IGNORECASE,
)
_FEW = 2


def claims_of(query: str, answer: str) -> tuple[Claim, ...]:
    """The answer's sentences that state something, in order, with offsets in the answer as given.

    Left out: greetings, questions, headings and lead-ins that only repeat the question, and
    sentences that only say that nothing was found. A lead-in ("There are three:") or a summing-up
    needs no citation. () for an answer without a statement.
    """
    text, offsets = strip_markers(answer)
    lang = language(text)
    asked = read_short(query, lang).bag
    claims: list[Claim] = []
    for start, end in statements_of(text):
        statement = text[start:end]
        if not _states(statement, asked, lang):
            continue
        claims.append(
            Claim(
                claim_id=f"c{len(claims) + 1}",
                text=statement,
                start=offsets[start],
                end=offsets[end - 1] + 1,
                needs_citation=not (statement.endswith((":", "：")) or _OPINION.match(statement)),
            )
        )
    return tuple(claims)


@lru_cache(maxsize=16)
def statements_of(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each sentence, without list marks and emphasis around it."""
    return tuple([_trimmed(one.text, one.start, one.end) for one in split(text)])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without list marks and emphasis at either end; "1577." and "5 apples" stay whole."""
    lead = _LEAD.match(text)
    skipped = lead.end() if lead else 0
    rest = text[skipped:]
    kept = len(rest.rstrip(_TAIL))
    return (start + skipped, start + skipped + kept) if kept else (start, end)


def _states(statement: str, asked: frozenset[str], lang: str) -> bool:
    if phrases.asks(statement) or phrases.GREETING.match(statement) or _HEDGE.search(statement):
        return False
    if statement.endswith((":", "：")):
        span = read_short(without_attribution(statement), lang)
        return len(span.bag - asked) > _FEW
    # An answer of function words ("Yes.", "The Who") is a statement too, unless nothing is there.
    return any(char.isalnum() for char in statement)
