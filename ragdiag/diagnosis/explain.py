"""One query's whole story in plain words: sections of lines, for whoever renders them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.diagnosis.ladder_story import ladder_story
from ragdiag.diagnosis.near_miss import named
from ragdiag.diagnosis.plain import in_words
from ragdiag.diagnosis.settling import settling
from ragdiag.diagnosis.showing import (
    STAGE_WORDS,
    gold_items,
    mapping,
    sequence,
    short,
    stages_of,
)
from ragdiag.diagnosis.standing import standing
from ragdiag.records import (
    ClaimResult,
    ComponentResult,
    Diagnosis,
    PartResult,
    Passage,
    Reached,
    Sample,
    SampleResult,
)
from ragdiag.text import locate
from ragdiag.text.asking import target_of
from ragdiag.text.citations import Citation
from ragdiag.text.page_citations import citations_of

_MOST_GROUPS, _MOST_IDS = 10, 8

_NO_CODE = {
    "no_answer": "the sample has no answer (retrieval only)",
    "no_reference": "there is neither a reference nor gold evidence to judge by",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the story. Lines are plain text, unescaped."""

    title: str
    lines: tuple[str, ...]


def story(sample: Sample, result: SampleResult) -> tuple[Section, ...]:
    """The sections in order: in short, asked, answered, retrieved, evidence, provenance, required,
    parts, claims, citations, checks, diagnosis, ladder, next. One without a line is left out."""
    passages = sample.passages_by_id()
    parts: tuple[tuple[str, Iterator[str]], ...] = (
        ("In short", in_words(sample, result)),
        ("Asked", _asked(sample)),
        ("Answered", _answered(sample)),
        ("Retrieved", _retrieved(sample, passages)),
        ("Where the evidence went", _evidence(result)),
        ("Where the passages stand", standing(result)),
        ("Required", _required(result.components)),
        ("Parts of the answer", _parts(result.parts)),
        ("Claims", _claims(result.claims)),
        ("Citations", _citations(sample, result)),
        ("Checks", chain(_checks(result), _unusable(result))),
        ("Diagnosis", decided(sample, result.diagnosis)),
        ("Ladder", ladder_story(result.diagnosis.proof, result.diagnosis.code)),
        ("Next", _next(result)),
    )
    return tuple(Section(title, lines) for title, found in parts if (lines := tuple(found)))


def _asked(sample: Sample) -> Iterator[str]:
    for role, text in sample.history:
        yield f"{role}: {short(text)}"
    yield sample.query
    for reference in sample.reference:
        yield f"reference: {short(reference, 400)}"
    if sample.answerable is not None:
        yield f"labelled {'answerable' if sample.answerable else 'unanswerable'}"
    target = target_of(sample)
    if target is not None:
        fields = target.model_dump(exclude_none=True)
        read = "" if sample.target is not None else " (read from the question)"
        yield f"asked of{read}: " + ", ".join(f"{name} {value}" for name, value in fields.items())


def _answered(sample: Sample) -> Iterator[str]:
    if sample.error is not None:
        yield f"the pipeline failed: {sample.error}"
    if sample.answer:
        yield sample.answer
    elif sample.answer_given:
        yield "the system gave no answer" if sample.answer is None else "the answer is empty"


def _retrieved(sample: Sample, passages: Mapping[str, Passage]) -> Iterator[str]:
    if sample.retrieved is None:
        return
    if not sample.retrieved:
        yield "nothing was retrieved"
    in_context = None if sample.context is None else {p.passage_id for p in sample.context}
    for rank, listed in enumerate(sample.retrieved, 1):
        passage = passages[listed.passage_id]
        marks = list(_marks(sample, passage))
        if in_context is not None and passage.passage_id not in in_context:
            marks.append("not in the context")
        place = (
            passage.passage_id
            if passage.page is None
            else f"{passage.passage_id}, p. {passage.page}"
        )
        note = f" ({'; '.join(marks)})" if marks else ""
        yield f"{rank}. {place}{note}: {short(passage.text or 'no text')}"
    retrieved = {passage.passage_id for passage in sample.retrieved}
    added = [p.passage_id for p in sample.context or () if p.passage_id not in retrieved]
    if added:
        yield "in the context but not retrieved: " + ", ".join(added)


def _marks(sample: Sample, passage: Passage) -> Iterator[str]:
    if is_gold(sample, passage):
        yield "gold"
    elif (target := target_of(sample)) is not None and (miss := named(target, passage)) is not None:
        yield f"near miss: {miss}"


def is_gold(sample: Sample, passage: Passage) -> bool:
    """Is the passage labelled relevant, or does it alone hold an item of any gold set?"""
    relevant = sample.qrels.get(passage.passage_id, 0) > 0
    return relevant or any(locate.matches(item, passage) for items in sample.gold for item in items)


def _evidence(result: SampleResult) -> Iterator[str]:
    diagnosis = result.diagnosis
    items = gold_items(diagnosis.proof)
    if not items and mapping(diagnosis.proof.get("reach")):
        yield "no gold evidence is known: where it was lost cannot be told"
    for item in items:
        place = " ".join(f"{key}={value}" for key, value in mapping(item.get("item")).items())
        fate = ", or ".join(STAGE_WORDS.get(name, name) for name in stages_of(item))
        rank = f" (rank {item['rank']} of {item['list']})" if "rank" in item else ""
        yield f"gold {place}: {fate}{rank}"
    yield from _held(result.reached)
    for wrong in map(mapping, sequence(diagnosis.proof.get("gold_mismatch"))):
        place = " ".join(f"{key}={value}" for key, value in mapping(wrong.get("item")).items())
        fields = ", ".join(map(str, sequence(wrong.get("fields"))))
        yield f"gold {place} is found in {wrong.get('passage_id')}, which differs in: {fields}"
    for group in result.near_duplicates[:_MOST_GROUPS]:
        yield f"one text: {', '.join(group[:_MOST_IDS])}{' …' if len(group) > _MOST_IDS else ''}"
    near = mapping(diagnosis.proof.get("near_miss"))
    if near:
        kind = " or ".join(diagnosis.state.get("near_miss", ()))
        fields = ", ".join(f"{name} {how}" for name, how in mapping(near.get("fields")).items())
        yield f"near miss ({kind}) at rank {near.get('rank')}: {near.get('passage_id')} ({fields})"


def _held(reached: Sequence[Reached]) -> Iterator[str]:
    """ "evidence held: candidates (50) 1.00 → retrieved (5) 0.50; lost: candidates → retrieved"."""
    if len(reached) < 2:
        return
    held = " → ".join(f"{one.name} ({one.n}) {one.share:.2f}" for one in reached)
    lost = [
        f"{one.name} → {after.name}" for one, after in pairwise(reached) if after.share < one.share
    ]
    yield f"evidence held: {held}" + (f"; lost: {', '.join(lost)}" if lost else "")


def _required(components: Sequence[ComponentResult]) -> Iterator[str]:
    """What the answer requires, named: found in the context, where, or missing."""
    for one in components:
        if one.found is None:
            fate = _undecided(one.unscored)
        elif one.found:
            fate = "found" if one.passage_id is None else f"found in {one.passage_id}"
        else:
            fate = "missing from the context"
        quote = f" — “{short(one.quote)}”" if one.quote else ""
        yield f"{one.name}: {fate}{quote}"


def _parts(parts: Mapping[str, PartResult]) -> Iterator[str]:
    """Those that are asked for, then the others by name alone."""
    for name, part in parts.items():
        if part.status == "not_applicable":
            continue
        wanted = f", wanted {short(part.wanted, 60)}" if part.wanted else ""
        said = f", said {short(part.said, 60)}" if part.said else ""
        yield f"{name}: {part.status} ({part.reason}{wanted}{said})"
    rest = [name for name, part in parts.items() if part.status == "not_applicable"]
    if rest:
        why = {parts[name].reason for name in rest}
        yield (
            f"{', '.join(rest)}: not asked for"
            if len(why) > 1
            else f"{', '.join(rest)}: {why.pop()}"
        )


def _claims(claims: Sequence[ClaimResult]) -> Iterator[str]:
    for claim in claims:
        label = claim.label or _undecided(claim.unscored)
        carries = ", carries the answer" if claim.carries_answer else ""
        quote = f" — “{short(claim.quote)}” [{claim.passage_id}]" if claim.quote else ""
        reason = f" ({claim.reason})" if claim.reason else ""
        alone = f" (read as: {short(claim.wording)})" if claim.wording else ""
        yield f"[{label}, {claim.basis}{carries}] {claim.text}{alone}{quote}{reason}"


def _citations(sample: Sample, result: SampleResult) -> Iterator[str]:
    """Each marker with its passage, each cited claim, then the claims that have none."""
    known = {(one.marker, one.start): one.status for one in result.citations}
    for citation in _cited(sample):
        shown = citation.marker or f"characters {citation.start}-{citation.end}"
        status = known.get((citation.marker, citation.start))
        if citation.dangling:
            yield f"{shown}: dangling, no such passage in the context"
        else:
            yield f"{shown}: {citation.passage_id}" + (f", {status}" if status else "")
    for claim in result.claims:
        if claim.cited:
            cited = ", ".join(name or "dangling" for name in claim.cited)
            yield f"{cited} for “{short(claim.text)}”: {claim.citation_label or 'undecided'}"
    if not result.citations:
        return
    for claim in result.claims:
        if not claim.cited:
            yield f"no citation for “{short(claim.text)}”: {_need(claim)}"


def _need(claim: ClaimResult) -> str:
    if claim.needs_citation:
        states = f" (it states: {', '.join(claim.kinds)})" if claim.kinds else ""
        return f"it needs one{states}"
    why = (claim.exempt or "").replace("_", " ")
    return f"none is needed ({why})" if why else "none is needed"


def _cited(sample: Sample) -> Sequence[Citation]:
    if not sample.answer:
        return ()
    context = sample.retrieved if sample.context is None else sample.context
    return citations_of(sample.answer, sample.citations, context or ())


def _checks(result: SampleResult) -> Iterator[str]:
    for check, label in result.labels.items():
        said = label.label or _undecided(label.reason)
        by = f"{label.basis}, {label.judge}" if label.judge else label.basis
        yield f"{check}: {said} ({by})"


def _unusable(result: SampleResult) -> Iterator[str]:
    for one in result.unusable:
        detail = "" if one.detail in ("", one.reason) else f" ({one.detail})"
        raw = f": “{short(one.raw)}”" if one.raw else ""
        yield f"{one.check}: the judge's reply is unusable, {one.reason}{detail}{raw}"


def _undecided(reason: str | None) -> str:
    return f"undecided ({reason})" if reason and reason != "undecided" else "undecided"


def decided(sample: Sample, diagnosis: Diagnosis) -> Iterator[str]:
    """The category, then a line an input: its value, and the plain parts of what shows it."""
    if diagnosis.code is None:
        reason = diagnosis.status_reason or ""
        yield f"no category: {_NO_CODE.get(reason, reason)}"
    else:
        family = diagnosis.family or "no one family"
        yield f"{diagnosis.code} {diagnosis.name} ({family}; rests on: {diagnosis.basis})"
    if diagnosis.code == UNDETERMINED:
        yield "possible: " + ", ".join(diagnosis.codes)
    for name, values in diagnosis.state.items():
        if name == "identity" and target_of(sample) is None:
            yield "identity: not tested (no target)"
        else:
            yield f"{name}: {' or '.join(values)}{_because(diagnosis.proof.get(name))}"
    if diagnosis.flags:
        yield "flags: " + ", ".join(map(_flag, diagnosis.flags))
    if diagnosis.not_available:
        yield "not available with this data: " + ", ".join(diagnosis.not_available)


def _flag(flag: str) -> str:
    """ "A4 correct_answer_wrong_citation" of a code; what is no code says it by its name."""
    return f"{flag} {CATALOGUE[flag].name}" if flag in CATALOGUE else flag


def _because(proof: object) -> str:
    """The scalar parts of a proof; nested parts have sections of their own."""
    parts = [
        key if value is True else f"{key} {short(str(value))}"
        for key, value in mapping(proof).items()
        if isinstance(value, (str, int, float)) and value != "" and key != "gold_set"
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _next(result: SampleResult) -> Iterator[str]:
    diagnosis = result.diagnosis
    if diagnosis.deciding_input is not None:
        add = mapping(diagnosis.proof.get("deciding")).get("add")
        yield f"deciding input: {diagnosis.deciding_input}" + (f"; add {add}" if add else "")
        yield from settling(result)
    if diagnosis.fix:
        yield f"fix: {diagnosis.fix}"
    if diagnosis.next_experiment:
        yield f"next experiment: {diagnosis.next_experiment}"
