"""Who said what of one query, for the page: judges, people, and the raw words behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ragdiag.records import Judgement, Label, SampleResult, Verdict

Json = dict[str, Any]

_MOST_RAW = 60_000
_WORTH_A_REFERENCE = 40  # characters
_CHECK_OF = {
    "support": "faithfulness",
    "correctness": "answer_correctness",
    "identity": "evidence_identity",
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call to a judge.

    checks   what it was asked for ("support").
    prompt   (role, text) of each message; () where it is not kept: `missing` says why.
    reply    the raw reply; None where it is not kept.
    """

    checks: tuple[str, ...]
    judge: str
    model: str = ""
    prompt: tuple[tuple[str, str], ...] = ()
    reply: str | None = None
    missing: str = ""


def judged_records(result: SampleResult, verdicts: Judgement | None) -> list[Json]:
    """A check each: label, by whom, on what it rests; the single votes of a jury; unusable replies,
    and checks that are left to people because the sample talks to the judge."""
    votes = _votes(verdicts)
    found: list[Json] = [
        {"check": check, **label.model_dump(mode="json"), "votes": votes.get(check, [])}
        for check, label in result.labels.items()
    ]
    for one in result.unusable:
        said = f"unusable reply: {one.reason}" + (f" ({one.detail})" if one.detail else "")
        found.append({"check": one.check, "label": None, "reason": said, "raw": one.raw})
    for check, where in result.suspicions.items():
        found.append({"check": check, "label": None, "reason": f"talks to the judge: {where}"})
    return found


def _votes(verdicts: Judgement | None) -> dict[str, list[list[str]]]:
    """By check the votes on the query and on its items: [who, what, item]."""
    found: dict[str, list[list[str]]] = {}
    for reply in verdicts.replies if verdicts else ():
        if isinstance(reply, Verdict):
            rows = found.setdefault(_CHECK_OF.get(reply.check, reply.check), [])
            rows += [[who, what, ""] for who, what in reply.votes]
            rows += [[who, what, one.item_id] for one in reply.findings for who, what in one.votes]
    return found


def people_records(labels: Iterable[Label]) -> list[Json]:
    """A label of a person each; `note`: their reason."""
    return [
        {
            "who": one.annotator,
            "check": one.check,
            "label": one.label,
            "claim": one.claim,
            "passage": one.passage_id,
            "note": one.reason,
            "unsure": bool((one.model_extra or {}).get("unsure")),
        }
        for one in labels
    ]


def exchange_records(exchanges: Sequence[Exchange], passages: Sequence[str]) -> list[Json]:
    """The exchanges with texts cut, and by how much.

    prompt  [role, parts] a message: a part is a text, or the index of a passage of the record whose
            whole text stands there ("" in `passages`: not to be pointed at).
    """
    return [
        {
            "checks": list(one.checks),
            "judge": one.judge,
            "model": one.model,
            "prompt": [[role, _parts(_cut(text), passages)] for role, text in one.prompt],
            "reply": None if one.reply is None else _cut(one.reply),
            "missing": one.missing,
        }
        for one in exchanges
    ]


def _parts(text: str, passages: Sequence[str]) -> list[str | int]:
    """The text with what stands in the record already left out, so that pages stay small."""
    places: list[tuple[int, int, int]] = []
    for index, passage in enumerate(passages):
        at = text.find(passage) if len(passage) >= _WORTH_A_REFERENCE else -1
        if at >= 0:
            places.append((at, at + len(passage), index))
    parts: list[str | int] = []
    done = 0
    for start, end, index in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= done:
            parts += [text[done:start], index] if start > done else [index]
            done = end
    return [*parts, text[done:]] if done < len(text) or not parts else parts


def _cut(text: str) -> str:
    if len(text) <= _MOST_RAW:
        return text
    return f"{text[:_MOST_RAW]}… (+{len(text) - _MOST_RAW:,} characters)"
