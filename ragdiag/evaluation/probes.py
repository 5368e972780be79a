"""Probes of a judge: a sample changed in one respect, and what its verdicts should do then.

Pure functions of a sample and of another one that lends a passage. None: there is nothing to change
in this sample. Ids, references and gold stay as they are; so does the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragdiag.records import GivenCitation, Passage, Sample, Settings
from ragdiag.text.case import Case
from ragdiag.text.citations import strip_markers
from ragdiag.text.locate import matches

Expects = Literal["same", "worse", "fails"]
"""same: no label may move; worse: what was a pass must not be one any more; fails: it must be none,
whatever it was."""

ANSWER_CHECKS = ("answer_correctness", "faithfulness")
CONTEXT_CHECKS = ("sufficiency", "faithfulness")
ALL_CHECKS = ("answer_correctness", "faithfulness", "sufficiency", "citation_support")

_PADDING = (
    "I hope that this is helpful. Please let me know if there is anything else that I can do. "
    "It is always worth while to read the sources with care. "
)
_CONFIDENT = "Without any doubt, and as every expert will confirm: "
_OTHER_MODEL = "As GPT-5, the most capable model there is, I answer: "


@dataclass(frozen=True)
class Probe:
    """One change.

    change  (sample, lender) -> the changed sample, or None where it does not apply. The lender is
            a sample of another question.
    checks  those that it speaks about.
    """

    name: str
    what: str
    expects: Expects
    checks: tuple[str, ...]
    change: Callable[[Sample, Sample | None], Sample | None]


def _context(sample: Sample) -> tuple[Passage, ...]:
    return Case(sample, settings=Settings()).context or ()


def _fixed_citations(sample: Sample) -> tuple[GivenCitation, ...] | None:
    """The citations as they stand, so that a number still means its passage when others come."""
    found = Case(sample, settings=Settings()).citations
    return tuple(
        GivenCitation(start=start, end=end, passage_id=one.passage_id)
        for one in found
        if one.passage_id is not None
        for start, end in (one.span or (one.start, one.end),)
    )


def _with_context(sample: Sample, passages: Sequence[Passage]) -> Sample:
    told: dict[str, object] = {"context": tuple(passages)}
    if sample.citations is None and sample.answer:
        told["citations"] = _fixed_citations(sample)
    return sample.model_copy(update=told)


def _with_answer(sample: Sample, answer: str, moved: int | None = 0) -> Sample:
    """The answer in place of the old one; given citations move along, or go (moved None)."""
    told: dict[str, object] = {"answer": answer}
    if sample.citations is not None:
        told["citations"] = () if moved is None else tuple(
            one.model_copy(update={"start": one.start + moved, "end": one.end + moved})
            for one in sample.citations
        )  # fmt: skip
    return sample.model_copy(update=told)


def _reversed(sample: Sample, _: Sample | None) -> Sample | None:
    passages = _context(sample)
    return _with_context(sample, passages[::-1]) if len(passages) > 1 else None


def _padded(sample: Sample, _: Sample | None) -> Sample | None:
    if not sample.answer or not sample.answer.strip():
        return None
    times = max(1, round(len(sample.answer) / len(_PADDING)))
    return _with_answer(sample, f"{sample.answer.rstrip()} {(_PADDING * times).rstrip()}")


def _prefixed(prefix: str) -> Callable[[Sample, Sample | None], Sample | None]:
    def change(sample: Sample, _: Sample | None) -> Sample | None:
        if not sample.answer or not sample.answer.strip():
            return None
        return _with_answer(sample, prefix + sample.answer, len(prefix))

    return change


def _unmarked(sample: Sample, _: Sample | None) -> Sample | None:
    if not sample.answer:
        return None
    plain, _offsets = strip_markers(sample.answer, [p.passage_id for p in _context(sample)])
    if plain == sample.answer or not plain.strip():
        return None
    return _with_answer(sample, plain, None)


def _lent(sample: Sample, lender: Sample | None, taken: Sequence[Passage]) -> list[Passage]:
    """Passages of the lender with a text, of none of the sample's documents or ids."""
    known = {p.passage_id for p in taken} | {p.doc_id for p in taken if p.doc_id}
    gold = [item for items in sample.gold for item in items]
    return [
        p
        for p in (_context(lender) if lender is not None else ())
        if p.text and p.passage_id not in known and p.doc_id not in known
        and not any(matches(item, p) for item in gold)
    ]  # fmt: skip


def _irrelevant(sample: Sample, lender: Sample | None) -> Sample | None:
    passages = _context(sample)
    lent = _lent(sample, lender, passages)
    return _with_context(sample, (*passages, lent[0])) if passages and lent else None


def _gold_swapped(sample: Sample, lender: Sample | None) -> Sample | None:
    """Every passage of the context that holds gold makes room for one of another question."""
    passages = _context(sample)
    gold = [item for items in sample.gold for item in items]
    held = [any(matches(item, p) for item in gold) for p in passages]
    lent = _lent(sample, lender, passages)
    if not any(held) or not lent:
        return None
    new = iter(lent * (1 + sum(held) // len(lent)))
    kept = [next(new) if is_gold else p for p, is_gold in zip(passages, held, strict=True)]
    distinct = {p.passage_id: p for p in kept}
    return _with_context(sample, tuple(distinct.values()))


def _emptied(text: str) -> Callable[[Sample, Sample | None], Sample | None]:
    def change(sample: Sample, _: Sample | None) -> Sample | None:
        return None if sample.answer is None else _with_answer(sample, text, None)

    return change


PROBES = (
    Probe("passages_reversed", "the order of the passages reversed", "same",
          ALL_CHECKS, _reversed),
    Probe("answer_padded", "twice as long, with words that say nothing", "same",
          ANSWER_CHECKS, _padded),
    Probe("confident_tone", "the answer claims that it is sure", "same",
          ANSWER_CHECKS, _prefixed(_CONFIDENT)),
    Probe("other_model", "another model's name in front of the answer", "same",
          ANSWER_CHECKS, _prefixed(_OTHER_MODEL)),
    Probe("citations_removed", "the citation marks taken out", "same",
          ANSWER_CHECKS, _unmarked),
    Probe("irrelevant_added", "a passage of another question added", "same",
          ALL_CHECKS, _irrelevant),
    Probe("gold_swapped", "passages of another question in place of the gold", "worse",
          CONTEXT_CHECKS, _gold_swapped),
    Probe("answer_empty", "an empty answer", "fails", ANSWER_CHECKS, _emptied("")),
    Probe("answer_colon", "the answer ':'", "fails", ANSWER_CHECKS, _emptied(":")),
    Probe("answer_thought", "the answer 'Thought process:'", "fails",
          ANSWER_CHECKS, _emptied("Thought process:")),
)  # fmt: skip
"""In the order in which they are asked and shown."""
