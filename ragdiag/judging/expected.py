"""What a model may be expected to say where it is not asked: for estimates, never for scores."""

from __future__ import annotations

from collections.abc import Sequence

from ragdiag.chat.tokens import approximate_tokens
from ragdiag.judging.screen.claims import claims_of
from ragdiag.judging.scripted import undecided
from ragdiag.records import (
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claim,
    Claims,
    Components,
    ExtractClaims,
    ListComponents,
    Question,
    Reply,
)

_FRAME = 20
_A_CLAIM = 40  # beside its text, which stands there twice: as a claim and as a quote
_A_FINDING = 95  # a reason, a quote, and the names of the fields
_A_COMPONENT = 75
_A_PASSAGE = 55
_A_VERDICT = 90
_COMPONENTS = 2


def expected_reply(question: Question, judge: str) -> Reply:
    """A claim a sentence, two components, and nothing decided: so that every later question is
    asked, and a jury's next member is not asked for what the first one lists."""
    if isinstance(question, ListComponents):
        listed = tuple(f"part {n} of: {question.query}"[:80] for n in range(1, _COMPONENTS + 1))
        return Components(query_id=question.query_id, components=listed, judge=judge)
    if not isinstance(question, ExtractClaims):
        return undecided(question, judge)
    claims = claims_of(question.query, question.answer) or (
        Claim(claim_id="c1", text=question.answer, start=0, end=len(question.answer)),
    )
    return Claims(query_id=question.query_id, claims=claims, judge=judge)


def expected_tokens(questions: Sequence[Question]) -> int:
    """Tokens of the reply to a call that puts these questions, without any thinking."""
    return _FRAME + sum(map(_tokens, questions))


def _tokens(question: Question) -> int:
    if isinstance(question, ExtractClaims):
        claims = expected_reply(question, "")
        assert isinstance(claims, Claims)
        return sum(2 * approximate_tokens(claim.text) + _A_CLAIM for claim in claims.claims)
    if isinstance(question, CheckSupport):
        return _A_FINDING * len(question.claims)
    if isinstance(question, CheckIdentity):
        return _A_PASSAGE * len(question.passages)
    if isinstance(question, CheckSufficiency):
        return _A_VERDICT + _A_COMPONENT * len(question.components)
    return _A_VERDICT if isinstance(question, CheckCorrectness) else _A_COMPONENT * _COMPONENTS
