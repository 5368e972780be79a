"""One query's story in a few plain sentences: what was needed, what went wrong, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.diagnosis.ladder_story import ladder_in_short
from ragdiag.diagnosis.rules import STAGE_CODES
from ragdiag.diagnosis.showing import (
    STAGE_WORDS,
    gold_items,
    mapping,
    place_of,
    short,
    stages_of,
)
from ragdiag.diagnosis.what import what_happened
from ragdiag.records import Diagnosis, Sample, SampleResult

_MOST_PLACES = 3
_LONGEST_QUERY = 140
_STATE_WORDS = {
    "answerable": "whether the question has an answer",
    "behaviour": "whether the system answered or declined",
    "answer": "whether the answer is right",
    "sufficiency": "whether the context suffices",
    "reach": "where the evidence was lost",
    "faithfulness": "whether the evidence supports the answer",
    "numeric": "how the number came about",
    "identity": "whether the evidence is of what was asked for",
    "near_miss": "what came in place of the evidence",
    "citations": "whether the citations hold",
}
_BASIS = {
    "deterministic": "code alone decided it",
    "labels": "it rests on labels and on what code decides; no judge had a say",
    "counterfactual": "it rests on what the generator did when it was run again otherwise",
}
_ABSENT = (
    (
        ("D1", "D2", "D3"),
        "a corpus (--corpus)",
        "whether the evidence was ever in it, or was lost in parsing or chunking",
    ),
    (
        ("R3", "R4", "R5"),
        "stages and context",
        "whether the cut-off, the reranker or the building of the context lost it",
    ),
    (
        ("A3", "X3", "X4"),
        "gold",
        "where evidence was lost, and whether labels and evidence disagree",
    ),
)


def in_words(sample: Sample, result: SampleResult) -> Iterator[str]:
    """Paragraphs: what was needed and what became of it; what happened; why we say so; what stays
    open, and what would settle it; what to do.
    What a ladder proved stands before what is open."""
    told = result.diagnosis
    yield " ".join((f"Asked: “{_sentence(sample.query)}”", *_needed(sample, told)))
    yield " ".join((*_outcome(sample, told), what_happened(result)))
    because = tuple(_because(result))
    if because:
        yield " ".join(because)
    proven = ladder_in_short(told.proof, told.code)
    if proven:
        yield proven
    opened = tuple(_open(sample, told))
    if opened:
        yield " ".join(opened)
    todo = _todo(told)
    if todo:
        yield todo


def _sentence(query: str) -> str:
    text = short(query, _LONGEST_QUERY)
    return text if text[-1:] in "?.!…" else f"{text}."


def _needed(sample: Sample, told: Diagnosis) -> Iterator[str]:
    """What evidence was needed, and how far it came."""
    items = gold_items(told.proof)
    if not items:
        if told.state.get("answerable") != ("no",) and "reach" in told.state:
            yield "Which evidence it needs is not known: no gold is given."
        return
    places = [place_of(item) for item in items[:_MOST_PLACES]]
    more = f" and {len(items) - _MOST_PLACES} more" if len(items) > _MOST_PLACES else ""
    yield f"Needed: {', '.join(places)}{more}."
    lost = [item for item in items if stages_of(item) != ["in_context"]]
    n_in_context = sum(stages_of(item) == ["in_context"] for item in items)
    if not lost:
        yield "It was in the context." if len(items) == 1 else "All of it was in the context."
        return
    if "retrieval_empty" in told.flags and all(stages_of(i) == ["not_retrieved"] for i in lost):
        yield "Nothing was retrieved."
        return
    if n_in_context:
        yield f"{n_in_context} of {len(items)} were in the context."
    fates = {tuple(stages_of(item)) for item in lost}
    if len(lost) > 1 and len(fates) == 1 and not any("rank" in item for item in lost):
        fate = ", or ".join(STAGE_WORDS.get(name, name) for name in fates.pop())
        yield f"{'The rest' if n_in_context else 'All of it'} alike: {fate}."
        return
    for item in lost[:_MOST_PLACES]:
        yield _fate(item, alone=len(items) == 1, sample=sample)


def _fate(item: Mapping[str, Any], *, alone: bool, sample: Sample) -> str:
    names = stages_of(item)
    fate = ", or ".join(STAGE_WORDS.get(name, name) for name in names)
    rank = f": at rank {item['rank']} of {item['list']}" if "rank" in item else ""
    seen = sample.retrieved if sample.context is None else sample.context
    n = len(seen or ())
    cut = (
        f", while {n} {'passage' if n == 1 else 'passages'} reached the generator"
        if n and rank
        else ""
    )
    subject = "" if alone else f"{place_of(item)}: "
    line = f"{subject}{fate}{rank}{cut}."
    return line[:1].upper() + line[1:] if alone else line


def _outcome(sample: Sample, told: Diagnosis) -> Iterator[str]:
    """Is the answer right? Only where it was judged."""
    if told.state.get("behaviour") == ("abstained",) or not sample.answer:
        return
    answer = told.state.get("answer", ())
    said = f"“{short(sample.answer, 100).rstrip('.')}”"
    right = f"“{short(sample.reference[0], 80)}”" if sample.reference else ""
    if told.state.get("answerable") == ("no",):
        yield f"The answer is {said}."
    elif answer in (("wrong",), ("partial",)):
        kind = "wrong" if answer == ("wrong",) else "right in part only"
        yield f"The answer, {said}, is {kind}" + (
            f": the reference says {right}." if right else "."
        )
    elif answer == ("correct",) and told.code == UNDETERMINED:
        yield "The answer is right."
    elif len(answer) > 1 and told.code is not None:
        yield f"Whether the answer, {said}, is right is not known."


def _because(result: SampleResult) -> Iterator[str]:
    told = result.diagnosis
    if told.basis is None or told.code == "X1":
        return
    if told.basis != "judged":
        yield f"Why we say so: {_BASIS[told.basis]}."
        return
    judges = {one.judge for one in result.labels.values() if one.basis == "judged" and one.judge}
    named = f" ({', '.join(sorted(judges))})" if judges else ""
    if told.code == UNDETERMINED:
        yield f"What is known rests in part on a judge{named}."
    else:
        yield f"Why we say so: it rests in part on the word of a judge{named}, which may be wrong."


def _open(sample: Sample, told: Diagnosis) -> Iterator[str]:
    """What is not known: what decides, what makes no difference, what the data cannot tell."""
    several = [name for name, values in told.state.items() if len(values) > 1]
    if told.deciding_input is not None:
        add = mapping(told.proof.get("deciding")).get("add")
        first = _STATE_WORDS.get(told.deciding_input, told.deciding_input)
        yield f"First to find out: {first}" + (f"; add {add}." if add else ".")
        rest = [_STATE_WORDS.get(n, n) for n in several if n != told.deciding_input]
        if rest:
            yield f"Also open: {', '.join(rest)}."
    elif told.code not in (None, "X1"):
        rest = [_STATE_WORDS.get(n, n) for n in several if n in _STATE_WORDS and n != "reach"]
        if rest:
            yield f"Open, but it changes nothing here: {', '.join(rest)}."
    yield from _untold(told)
    if told.code == "K1" and "identity_not_tested" in told.flags:
        yield "Whether the evidence is of the right entity and period was not tested: no target."


def _untold(told: Diagnosis) -> Iterator[str]:
    """What the data cannot tell of where the evidence was lost, where that is the question."""
    items = gold_items(told.proof)
    missed = not items or any("not_retrieved" in stages_of(item) for item in items)
    lost = told.code is None or not STAGE_CODES.isdisjoint(told.codes)
    if not (missed and lost) or "retrieval_empty" in told.flags:
        return
    for codes, field, words in _ABSENT:
        if set(codes) & set(told.not_available) and (items or field == "gold"):
            yield f"Without {field} it cannot be told {words}."


def _todo(told: Diagnosis) -> str:
    if told.code is None:
        add = {"no_reference": "reference or gold", "no_answer": "answer"}.get(
            told.status_reason or ""
        )
        return f"To get a category, add {add}." if add else ""
    row = CATALOGUE[told.code]
    if told.code == UNDETERMINED:
        return ""
    if row.fix is None:
        return "Nothing to repair: keep it as a regression test."
    return f"To repair: {row.fix}. Try next: {row.next_experiment}."
