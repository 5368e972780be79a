"""From questions to what is sent: the prompt, all data fenced in it, and the output wanted.

`secret` makes the fences that data cannot forge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragdiag.judging.prompts import Prompt, load
from ragdiag.judging.schemas import (
    SECTIONS,
    ClaimsOutput,
    CorrectnessOutput,
    Output,
    Section,
    SupportOutput,
    evidence_output,
)
from ragdiag.judging.untrusted import clean, fence_of, fenced
from ragdiag.records import (
    TARGET_FIELDS,
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    ExtractClaims,
    ListComponents,
    Passage,
    Question,
)

EvidenceQuestion = ListComponents | CheckSufficiency | CheckIdentity


@dataclass(frozen=True, slots=True)
class Call:
    """One request: `output` says what its reply must be."""

    prompt: Prompt
    messages: tuple[tuple[str, str], ...]
    output: type[Output]


def claims_call(question: ExtractClaims, secret: bytes) -> Call:
    """Which claims does the answer make?"""
    fence = _fence(question, (question.answer,), secret)
    values = {"answer": fenced("answer", question.answer, fence)}
    return _call("answer/claims", values, question, fence, ClaimsOutput)


def support_call(question: CheckSupport, secret: bytes) -> Call:
    """All claims of an answer against the numbered passages."""
    claims = [f"{claim.claim_id}: {_one_line(claim.alone)}" for claim in question.claims]
    texts = (question.answer, *claims, *map(shown, question.passages))
    fence = _fence(question, texts, secret)
    values = {
        "passages": _passages(question.passages, fence),
        "answer": fenced("answer", question.answer, fence),
        "claims": fenced("claims", "\n".join(claims), fence),
    }
    return _call("answer/support", values, question, fence, SupportOutput)


def correctness_call(question: CheckCorrectness, secret: bytes) -> Call:
    """The answer against its references: the only call that sees them."""
    fence = _fence(question, (question.answer, *question.reference), secret)
    references = [
        fenced(f"reference {number}", text, fence)
        for number, text in enumerate(question.reference, start=1)
    ]
    values = {
        "references": "\n".join(references),
        "answer": fenced("answer", question.answer, fence),
    }
    return _call("answer/correctness", values, question, fence, CorrectnessOutput)


@dataclass(frozen=True, slots=True)
class EvidencePlan:
    """Which of the three evidence questions are put, over which passages and components.

    given  components that gold names; () = none, or the model lists them from the question alone.
    """

    listing: ListComponents | None
    sufficiency: CheckSufficiency | None
    identity: CheckIdentity | None
    passages: tuple[Passage, ...]
    given: tuple[str, ...]

    @classmethod
    def of(cls, questions: Sequence[EvidenceQuestion]) -> EvidencePlan:
        """Of questions on one query, at most one of each kind."""
        listing = next((q for q in questions if isinstance(q, ListComponents)), None)
        sufficiency = next((q for q in questions if isinstance(q, CheckSufficiency)), None)
        identity = next((q for q in questions if isinstance(q, CheckIdentity)), None)
        passages: dict[str, Passage] = {}
        for question in (sufficiency, identity):
            for passage in question.passages if question else ():
                passages.setdefault(passage.passage_id, passage)
        given = sufficiency.components if sufficiency else ()
        return cls(listing, sufficiency, identity, tuple(passages.values()), given)

    @property
    def questions(self) -> tuple[EvidenceQuestion, ...]:
        """Those that are put."""
        return tuple(q for q in (self.listing, self.sufficiency, self.identity) if q is not None)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts of the reply that are asked for, in their order."""
        asked = {
            "components": self.listing is not None or bool(self.given),
            "passages": self.identity is not None,
            "sufficiency": self.sufficiency is not None,
        }
        return tuple(section for section in SECTIONS if asked[section])


def evidence_call(plan: EvidencePlan, secret: bytes) -> Call:
    """Components, identity and sufficiency, whichever are asked, in one request."""
    prompt = load("evidence/evidence")
    question = plan.questions[0]
    target = _target(plan.identity) if plan.identity else ""
    given = [f"k{i}: {_one_line(text)}" for i, text in enumerate(plan.given, start=1)]
    fence = _fence(question, (target, *given, *map(shown, plan.passages)), secret)
    tasks = {
        "components": "check_components" if plan.given else "list_components",
        "passages": "identity",
        "sufficiency": "sufficiency",
    }
    components = fenced("components", "\n".join(given), fence) if given else ""
    values = {
        "passages": _passages(plan.passages, fence),
        "target": f"\nThe target:\n{fenced('target', target, fence)}\n" if target else "",
        "components": f"\nThe components:\n{components}\n" if components else "",
        "tasks": "\n".join(prompt.task(tasks[section]) for section in plan.sections) + "\n",
    }
    return _call("evidence/evidence", values, question, fence, evidence_output(plan.sections))


def shown(passage: Passage) -> str:
    """A passage as the model reads it: a heading of what is known about it, then its text."""
    known = {
        "doc": passage.doc_id,
        "page": passage.page,
        "object": passage.object_id,
        **passage.metadata,
    }
    heading = "; ".join(
        f"{name}: {_one_line(str(value))}" for name, value in known.items() if value is not None
    )
    text = passage.text if passage.text is not None else "(its text was not kept)"
    return f"heading: {heading}\n{text}" if heading else text


def _call(
    name: str, values: dict[str, str], question: Question, fence: str, output: type[Output]
) -> Call:
    prompt = load(name)
    common = {"history": _history(question, fence), "query": fenced("query", question.query, fence)}
    return Call(prompt, prompt.messages({**common, **values}), output)


def _history(question: Question, fence: str) -> str:
    if not question.history:
        return ""
    turns = "\n".join(f"{role}: {text}" for role, text in question.history)
    block = fenced("earlier turns", turns, fence)
    return f"Earlier turns, which help to read the question and are no evidence:\n{block}\n\n"


def _passages(passages: Iterable[Passage], fence: str) -> str:
    blocks = [
        fenced(f"passage {number}", shown(passage), fence)
        for number, passage in enumerate(passages, start=1)
    ]
    return "\n".join(blocks) or "(none are shown)"


def _target(question: CheckIdentity) -> str:
    told = question.target.model_dump()
    return "\n".join(f"{name}: {told[name]}" for name in TARGET_FIELDS if told[name] is not None)


def _fence(question: Question, texts: Iterable[str], secret: bytes) -> str:
    turns = (text for _, text in question.history)
    return fence_of((question.query, *turns, *texts), secret)


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())
