"""What code says around an LLM: before it is asked, of text that talks to it; after, of its passes.

Text that talks to the judge is not shown to it at all: the question is `injection_suspected`, and
left to people. A pass that the text cannot bear does not count, whoever argued for it; nor does one
whose very word the data name, which the judge may have read off.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragdiag.judging.asking import shown
from ragdiag.judging.gates import foreign, says_nothing, unsupported
from ragdiag.judging.injection import echoed, suspect
from ragdiag.records import (
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    ExtractClaims,
    Finding,
    JudgeFailure,
    Question,
    Reply,
    Verdict,
)
from ragdiag.records.verdict import NoLabel

VERSION = 3
"""Part of a judge's version: raise it with any change of what is suspected, or of the gates."""


def suspected(question: Question, judge: str) -> JudgeFailure | None:
    """The reply to a question in whose data some text talks to the judge; None = ask.

    `detail` says where: the passage, claim or turn, the character, and the words.
    """
    for where, text in _data(question):
        found = suspect(text)
        if found is not None:
            return JudgeFailure(
                query_id=question.query_id,
                check=question.check,
                reason="injection_suspected",
                detail=f"{where}, {found}",
                judge=judge,
            )
    return None


def _data(question: Question) -> Iterator[tuple[str, str]]:
    """All text of a question that a stranger may have written, each with its name.

    References and gold components are the evaluator's own.
    """
    yield "the question", question.query
    for number, (_, text) in enumerate(question.history, start=1):
        yield f"turn {number} of the history", text
    if isinstance(question, (ExtractClaims, CheckSupport, CheckCorrectness)):
        yield "the answer", question.answer
    if isinstance(question, CheckSupport):
        for claim in question.claims:
            yield f"claim {claim.claim_id!r}", claim.alone
    if isinstance(question, (CheckSupport, CheckSufficiency, CheckIdentity)):
        for passage in question.passages:
            yield f"passage {passage.passage_id!r}", shown(passage)


def backed(reply: Reply, question: Question) -> Reply:
    """The reply, without the passes that the text cannot bear (those become `quote_not_found`), and
    without those that the data name (`injection_suspected`)."""
    if not isinstance(reply, Verdict):
        return reply
    if isinstance(question, CheckSupport):
        return _backed_claims(reply, question)
    named = None if reply.label is None else _named(question, reply.label)
    if named is not None:
        return reply.model_copy(
            update={
                "label": None,
                "unscored": "injection_suspected",
                "reason": _because(named, reply.reason),
            }
        )
    why: str | None = None
    if isinstance(question, CheckCorrectness) and reply.label in ("correct", "partial"):
        why = says_nothing(question.answer, question.reference, question.query)
    elif isinstance(question, CheckSufficiency) and reply.label == "sufficient":
        why = foreign(_asked(question), [shown(passage) for passage in question.passages])
    if why is None:
        return reply
    return reply.model_copy(
        update={"label": None, "unscored": "quote_not_found", "reason": _because(why, reply.reason)}
    )


def _backed_claims(reply: Verdict, question: CheckSupport) -> Verdict:
    claims = {claim.claim_id: claim.alone for claim in question.claims}
    passages = [shown(passage) for passage in question.passages]
    named = _named(question, "supported")
    findings: list[Finding] = []
    for finding in reply.findings:
        why = None
        if finding.label == "supported" and named is not None:
            findings.append(_unbacked(finding, named, "injection_suspected"))
            continue
        if finding.label == "supported":
            why = unsupported(claims[finding.item_id], passages, known=_asked(question))
        findings.append(finding if why is None else _unbacked(finding, why))
    return reply.model_copy(update={"findings": tuple(findings)})


def _named(question: Question, label: str) -> str | None:
    """Where the data of a question name a verdict; None where they do not."""
    for where, text in _data(question):
        found = echoed(text, label)
        if found is not None:
            return f"{where} itself says {label!r}: {found!r}"
    return None


def _unbacked(finding: Finding, why: str, unscored: NoLabel = "quote_not_found") -> Finding:
    return Finding(
        item_id=finding.item_id,
        label=None,
        unscored=unscored,
        quote=finding.quote,
        reason=_because(why, finding.reason),
    )


def _asked(question: Question) -> str:
    return " ".join((question.query, *(text for _, text in question.history)))


def _because(why: str, said: str | None) -> str:
    return f"{why}; the judge said: {said}" if said else why
