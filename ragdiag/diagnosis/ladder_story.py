"""A query's ladder in plain words: a line a rung, then what it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

RUNG_WORDS = {
    "closed_book": "without any passage",
    "retrieved": "with the retrieved context",
    "gold_appended": "with the gold added to it",
    "gold_only": "with the gold alone",
}
_READING_WORDS = {
    "retrieval": "the answer turns right once the gold is added: retrieval did not bring what was "
    "needed",
    "distraction": "the answer is right from the gold alone, and not with the other passages "
    "beside it: they distract the generator",
    "generator": "the answer is wrong even from the gold alone: the generator fails, or the gold "
    "is wrong or incomplete",
    "memory": "the generator gives the right answer without any passage: from memory",
    "context": "the answer is right with the retrieved context and not without: it rests on it",
    "unstable": "today the generator does otherwise with the same context than in the recorded "
    "answer: its rungs prove nothing (another version, or chance; try --ladder-repeats)",
}
_AGAINST = {
    "retrieval": "the evidence was held to be there, and the answer is right only once it is added",
    "distraction": "mending that stage alone would not turn this answer right",
    "generator": "mending that stage alone would not turn this answer right",
    "context": "the answer does rest on the context",
}
"""Why a reading speaks against a code, by reading."""
_SHORT, _MOST_IDS = 120, 6


def ladder_story(proof: Mapping[str, Any], code: str | None) -> Iterator[str]:
    """The lines of `proof["ladder"]`; none where there is no ladder."""
    told: Mapping[str, Any] = proof.get("ladder", {})
    if not told:
        return
    yield f"asked of {told['generator']}"
    context: Sequence[str] = next(
        (one.get("passages", ()) for one in told["rungs"] if one["rung"] == "retrieved"), ()
    )
    for rung in told["rungs"]:
        yield f"{RUNG_WORDS[rung['rung']]}: {_fate(rung, context)}"
    readings: Sequence[str] = told["readings"]
    if told["reading"] is not None:
        yield f"{told['reading']}: {_READING_WORDS[told['reading']]}"
    else:
        yield f"not decided between: {', '.join(readings)}"
    yield from _verdict(told, code)


def ladder_in_short(proof: Mapping[str, Any], code: str | None) -> str:
    """The ladder in a sentence or two; "" where there is none."""
    told: Mapping[str, Any] = proof.get("ladder", {})
    if not told:
        return ""
    reading = told["reading"]
    shown = (
        _READING_WORDS[reading]
        if reading is not None
        else (f"undecided between {', '.join(told['readings'])}")
    )
    lines = (f"the ladder: {shown}", *_verdict(told, code))
    return " ".join(f"{line[:1].upper()}{line[1:]}." for line in lines)


def _fate(rung: Mapping[str, Any], context: Sequence[str]) -> str:
    state = rung["state"]
    if state in ("not_available", "not_asked"):
        why = rung.get("why", "the ladder was interrupted")
        return f"{state.replace('_', ' ')} ({why})"
    if "same_as" in rung:
        return f"{_state(state)} (the same as {RUNG_WORDS[rung['same_as']]})"
    times = f", {rung['n_right']} of {rung['n']} times right" if "n" in rung else ""
    by = (
        f" ({rung['label'] or 'undecided'} by {rung['judge'] or 'nobody'})"
        if "label" in rung
        else ""
    )
    answer = f": “{_line(rung['answer'])}”" if rung.get("answer") else ""
    error = f"; {_line(rung['error'])}" if "error" in rung else ""
    return f"{_state(state)}{by}{times}{_from(rung, context)}{answer}{error}"


def _from(rung: Mapping[str, Any], context: Sequence[str]) -> str:
    """The passages that make this rung what it is; of the context their number."""
    passages: Sequence[str] = rung.get("passages", ())
    if rung["rung"] == "retrieved":
        return f", from {len(passages)} passages"
    if rung["rung"] == "gold_appended":
        passages = [one for one in passages if one not in context]
    shown = ", ".join(passages[:_MOST_IDS]) + (" …" if len(passages) > _MOST_IDS else "")
    return f", {'adding' if rung['rung'] == 'gold_appended' else 'from'} {shown}" if shown else ""


def _state(state: str) -> str:
    return {"wrong": "not right"}.get(state, state)


def _verdict(told: Mapping[str, Any], code: str | None) -> Iterator[str]:
    before = told["before"]
    if "settled" in told:
        value = told["settled"]["sufficiency"]
        sufficient = "sufficient" if value == "yes" else "not sufficient"
        yield f"it settles that the context is {sufficient}: {', '.join(before['codes'])} → {code}"
    if told["confirms"] is True:
        yield f"it bears out {code}"
    elif told["confirms"] is False:
        why = _AGAINST.get(told["reading"] or "", _AGAINST["generator"])
        yield f"it disagrees with {code}, which is kept: {why}"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else line[: _SHORT - 1].rstrip() + "…"
