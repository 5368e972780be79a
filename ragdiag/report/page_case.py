"""One query as the page shows it: all that is known of it, with nothing left to compute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.diagnosis.components import components_of
from ragdiag.diagnosis.explain import decided
from ragdiag.diagnosis.plain import in_words
from ragdiag.diagnosis.settling import settling
from ragdiag.diagnosis.showing import mapping
from ragdiag.diagnosis.what import what_happened
from ragdiag.records import Judgement, Label, Sample, SampleResult
from ragdiag.report.page_answer import answer_record, citation_records, claim_records
from ragdiag.report.page_judged import Exchange, exchange_records, judged_records, people_records
from ragdiag.report.page_number import number_record
from ragdiag.report.page_passages import Holder, gold_records, list_records, passage_records
from ragdiag.report.page_text import window
from ragdiag.text.asking import target_of

Json = dict[str, Any]

MOST_TEXT = 40_000
"""Code points of a query, a turn, a reference, an answer or a passage that a record holds."""

_LARGEST_INTEGER = 2**53
_ELSEWHERE = ("query_id", "query", "history", "reference", "answer")
_LISTS = ("retrieved", "stages", "context")


def case_record(
    sample: Sample,
    result: SampleResult,
    *,
    verdicts: Judgement | None = None,
    exchanges: Sequence[Exchange] = (),
    people: Iterable[Label] = (),
) -> Json:
    """The record of one query: JSON-like; spans are [start, end) in UTF-16 units of the texts that
    stand in it.

    verdicts   what was said of the query, juries' single votes among it.
    exchanges  the prompts and raw replies behind it, as far as they are kept.
    people     labels of people on this query.
    sample     of the record: the sample's line without what stands in the record already; unwhole:
               why that line cannot be made again, None where it can.
    Texts beyond `MOST_TEXT` and passages beyond a number are left out; the record says how much.
    """
    holder = Holder.of(sample, result)
    passages = passage_records(holder, MOST_TEXT)
    whole = ["" if one["cut"] else one["text"] or "" for one in passages]
    answer = window(sample.answer or "", MOST_TEXT)
    record: Json = {
        "id": sample.query_id,
        "verdict": _verdict(sample, result),
        "query": _text(sample.query),
        "history": [[role, _text(text)] for role, text in sample.history],
        "reference": [_text(one) for one in sample.reference],
        "answerable": sample.answerable,
        "target": _target(sample),
        "answer": answer_record(sample, answer),
        "claims": claim_records(result, answer, holder),
        "citations": citation_records(result, answer, holder),
        "parts": [
            [name, part.status, part.reason, part.wanted, part.said]
            for name, part in result.parts.items()
            if part.status != "not_applicable"
        ],
        "number": number_record(result, holder),
        "required": [
            [one.name, one.found, one.passage_id, one.quote or one.unscored]
            for one in result.components
            if one.source == "question"
        ],
        "gold": gold_records(holder),
        "lists": list_records(holder),
        "passages": passages,
        "left_out": holder.left_out,
        "scores": [_score(name, result) for name in result.scores],
        "judged": judged_records(result, verdicts),
        "people": people_records(people),
        "exchanges": exchange_records(exchanges, whole),
        "slices": result.slices,
        "sample": _line(sample, holder),
    }
    record["unwhole"] = _unwhole(sample, record)
    return record


def _text(text: str) -> str:
    """A text to be read, cut with a word on how much."""
    shown = window(text, MOST_TEXT)
    return text if shown.whole else f"{shown.text}… (+{shown.length - MOST_TEXT:,} characters)"


def _score(name: str, result: SampleResult) -> list[Any]:
    """[name, value], or [name, None, status, reason]."""
    score = result.scores[name]
    if score.status == "scored":
        return [name, score.value]
    return [name, None, score.status, score.reason]


def _verdict(sample: Sample, result: SampleResult) -> Json:
    told = result.diagnosis
    return {
        "code": told.code,
        "name": told.name,
        "family": told.family,
        "component": sorted(filter(None, components_of(told.codes))),
        "codes": [[code, CATALOGUE[code].name] for code in told.codes],
        "happened": what_happened(result),
        "story": list(in_words(sample, result)),
        "fix": told.fix,
        "next": told.next_experiment,
        "deciding": told.deciding_input,
        "add": mapping(told.proof.get("deciding")).get("add"),
        "settle": list(settling(result)),
        "state": [[name, list(values)] for name, values in told.state.items()],
        "proof": list(decided(sample, told)),
        "basis": told.basis,
        "flags": [
            [flag, CATALOGUE[flag].name if flag in CATALOGUE else None]
            for flag in dict.fromkeys((*told.flags, *result.flags))
        ],
    }


def _target(sample: Sample) -> Json | None:
    """What is asked of; `read`: by code, from the question."""
    target = target_of(sample)
    if target is None:
        return None
    fields = [[name, str(value)] for name, value in target.model_dump(exclude_none=True).items()]
    return {"fields": fields, "read": sample.target is None}


def _line(sample: Sample, holder: Holder) -> Json:
    """The sample's line in the native format without what stands elsewhere in the record; its lists
    name passages by their index."""
    kept = sample.model_dump(mode="json", exclude_defaults=True, exclude={*_ELSEWHERE, *_LISTS})
    if sample.retrieved is not None:
        kept["retrieved"] = holder.entries(sample.retrieved)
    if sample.stages:
        kept["stages"] = {name: holder.entries(listed) for name, listed in sample.stages.items()}
    if sample.context is not None:
        kept["context"] = holder.entries(sample.context)
    return kept


def _unwhole(sample: Sample, record: Json) -> str | None:
    """Why the sample's line cannot be made from this record; None where it can."""
    texts = (sample.query, *sample.reference, *(text for _, text in sample.history))
    passages = cast("list[Json]", record["passages"])
    too_long = any(len(text) > MOST_TEXT for text in texts) or record["answer"]["cut"]
    if too_long or record["left_out"] or any(one["cut"] for one in passages):
        return "texts or passages of this query are cut for the page"
    if _has_large_integer([record["sample"], *(one["own"] for one in passages)]):
        return "it holds an integer that a browser would round"
    return None


def _has_large_integer(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_large_integer, cast("dict[str, object]", value).values()))
    if isinstance(value, list):
        return any(map(_has_large_integer, cast("list[object]", value)))
    return isinstance(value, int) and abs(value) > _LARGEST_INTEGER
