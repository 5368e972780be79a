"""From a reply's object to verdicts: item by item, by id, each checked against the text.

What is wrong with one item makes that item unscored and is named in `problems`; what is wrong with
the whole reply raises Unscored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ragdiag.errors import Unscored
from ragdiag.judging.asking import EvidencePlan, shown
from ragdiag.judging.replies import field as get
from ragdiag.judging.replies import match_label
from ragdiag.judging.untrusted import clean
from ragdiag.records import (
    LABELS,
    TARGET_FIELDS,
    CheckCorrectness,
    CheckSupport,
    Claim,
    Claims,
    Components,
    ExtractClaims,
    Finding,
    JudgeFailure,
    Passage,
    Reply,
    Verdict,
)
from ragdiag.text.quotes import find_quote

_ALIGNED = 80  # of 100: share of a quote's characters that the answer must hold in one place
_Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """Replies in the order of the questions, and what a re-ask should name."""

    replies: tuple[Reply, ...]
    problems: tuple[str, ...] = ()


@dataclass
class _Problems:
    """Collects what is wrong with single items."""

    found: list[str] = field(default_factory=list[str])

    def add(self, name: str, error: Unscored) -> str:
        self.found.append(f"{name}: {error}")
        return error.reason


def read_claims(value: _Item, question: ExtractClaims) -> Reading:
    """Claims in the order of the reply, numbered anew; those not in the answer are discarded."""
    abstains = get(value, "abstains")
    if not isinstance(abstains, bool):
        raise Unscored("unknown_label", "abstains is not true or false")
    claims: list[Claim] = []
    discarded = 0
    for item in _items(value, "claims"):
        text, quote = _string(get(item, "text")), _string(get(item, "quote"))
        span = align(quote, text, question.answer)
        if not text or span is None:
            discarded += 1
            continue
        needs = item.get("needs_citation")
        claims.append(
            Claim(
                claim_id=f"c{len(claims) + 1}",
                text=text,
                start=span[0],
                end=span[1],
                needs_citation=needs if isinstance(needs, bool) else True,
            )
        )
    reply = Claims(
        query_id=question.query_id,
        claims=tuple(claims),
        abstains=abstains if question.abstains is None else question.abstains,
        discarded=discarded,
    )
    return Reading((reply,))


def align(quote: str, text: str, answer: str) -> tuple[int, int] | None:
    """Where the answer says the claim: the quote exactly, else the most similar span, else None."""
    from rapidfuzz.fuzz import partial_ratio_alignment  # noqa: PLC0415

    if quote.strip():
        start = answer.find(quote.strip())
        if start >= 0:
            return start, start + len(quote.strip())
    for wanted in (quote, text):
        if not wanted.strip() or len(wanted) > 2 * len(answer):
            continue
        found = partial_ratio_alignment(wanted.casefold(), answer.casefold(), score_cutoff=_ALIGNED)
        if found is not None and len(answer.casefold()) == len(answer):
            start, end = found.dest_start, found.dest_end
            if end > start and _digits(answer[start:end]) >= _digits(wanted):
                return start, end
    return None


def _digits(text: str) -> set[str]:
    """The runs of digits: an aligned span must hold those of the claim."""
    runs = "".join(c if c.isdecimal() else " " for c in text).split()
    return set(runs)


def read_support(value: _Item, question: CheckSupport) -> Reading:
    """A finding for each claim of the question, by its id."""
    by_id, repeated = _by_key(_items(value, "findings"), "claim_id")
    problems = _Problems()
    findings: list[Finding] = []
    for claim in question.claims:
        key = claim.claim_id.casefold()
        try:
            findings.append(_of_claim(_one(by_id, repeated, key), claim, question.passages))
        except Unscored as error:
            reason = problems.add(claim.claim_id, error)
            findings.append(_no_finding(claim.claim_id, reason))
    reply = Verdict(query_id=question.query_id, check=question.check, findings=tuple(findings))
    return Reading((reply,), tuple(problems.found))


def _of_claim(item: _Item, claim: Claim, passages: Sequence[Passage]) -> Finding:
    label = match_label(get(item, "verdict"), LABELS["support"])
    supporting = _numbers(item.get("supporting"), passages)
    joint = _numbers(item.get("joint"), passages)
    if label not in ("supported", "partial"):
        supporting = joint = ()
    first = (_number(item.get("quote_passage")), *supporting, *joint)
    quote, where = _quoted(item, first, passages, label=label)
    if quote is not None and where is None:
        return _no_finding(claim.claim_id, "quote_not_found", quote=quote, item=item)
    if label == "supported":
        if where is None:
            return _no_finding(claim.claim_id, "quote_not_found", item=item)
        if not supporting and not joint:
            supporting = (where + 1,)
    return Finding(
        item_id=claim.claim_id,
        label=label,
        reason=_string(item.get("reason")) or None,
        quote=quote,
        passage_id=None if where is None else passages[where].passage_id,
        supporting=tuple(passages[number - 1].passage_id for number in supporting),
        joint=tuple(passages[number - 1].passage_id for number in joint),
    )


def _quoted(
    item: _Item, first: Sequence[int | None], passages: Sequence[Passage], *, label: str
) -> tuple[str | None, int | None]:
    """The quote, and the index of the passage that holds it; not_found needs none."""
    quote = _string(item.get("quote")).strip()
    if not quote or label in ("not_found", "missing", "insufficient", "unknown"):
        return None, None
    return quote, locate(quote, first, passages)


def locate(
    quote: str, first: Sequence[int | None], passages: Sequence[Passage], *, heading: bool = False
) -> int | None:
    """Index of the passage with the quote: those named first, then all; None = nowhere."""
    named = [n - 1 for n in first if n is not None and 0 < n <= len(passages)]
    for index in dict.fromkeys((*named, *range(len(passages)))):
        passage = passages[index]
        text = shown(passage) if heading else passage.text or ""
        if text and (find_quote(quote, text) or find_quote(quote, clean(text))):
            return index
    return None


def read_correctness(value: _Item, question: CheckCorrectness) -> Reading:
    """A label with a quote from the answer."""
    label = match_label(get(value, "verdict"), LABELS["answer_correctness"])
    quote = _string(value.get("quote")).strip() or None
    if label == "abstained":
        quote = None
    told = {
        "query_id": question.query_id,
        "check": question.check,
        "reason": _string(value.get("reason")) or None,
        "quote": quote,
    }
    found = quote is not None and (
        find_quote(quote, question.answer) or find_quote(quote, clean(question.answer))
    )
    if label == "abstained" or found:
        return Reading((Verdict.model_validate({**told, "label": label}),))
    return Reading((Verdict.model_validate({**told, "unscored": "quote_not_found"}),))


def read_evidence(value: _Item, plan: EvidencePlan) -> Reading:
    """A reply for each question of the plan, in its order; a missing section fails only its own."""
    problems = _Problems()
    components: tuple[Finding, ...] = ()
    failure: str | None = None
    if "components" in plan.sections:
        try:
            components = _components(value, plan, problems)
        except Unscored as error:
            failure = problems.add("components", error)
    replies: list[Reply] = []
    for question in plan.questions:
        try:
            if question.check == "components":
                if failure is not None:
                    raise Unscored(failure, "components")
                names = tuple(finding.item_id for finding in components)
                replies.append(Components(query_id=question.query_id, components=names))
            elif question.check == "identity":
                replies.append(_identity(value, plan, problems))
            else:
                replies.append(_sufficiency(value, plan, components))
        except Unscored as error:
            reason = problems.add(question.check, error)
            replies.append(_failed(question.query_id, question.check, reason, str(error)))
    return Reading(tuple(replies), tuple(problems.found))


def _failed(query_id: str, check: str, reason: str, detail: str) -> JudgeFailure:
    return JudgeFailure.model_validate(
        {"query_id": query_id, "check": check, "reason": reason, "detail": detail}
    )


def _components(value: _Item, plan: EvidencePlan, problems: _Problems) -> tuple[Finding, ...]:
    items = _items(value, "components")
    if not plan.given:
        named = {" ".join(_string(item.get("component")).split()): item for item in items}
        named.pop("", None)
        if not named:
            raise Unscored("missing_field", "no component is listed")
        return tuple(_component(text, item, plan) for text, item in named.items())
    by_id, repeated = _by_key(items, "component_id")
    findings: list[Finding] = []
    for number, text in enumerate(plan.given, start=1):
        try:
            findings.append(_component(text, _one(by_id, repeated, f"k{number}"), plan))
        except Unscored as error:
            findings.append(_no_finding(text, problems.add(f"k{number}", error)))
    return tuple(findings)


def _component(text: str, item: _Item, plan: EvidencePlan) -> Finding:
    found = item.get("found")
    if not isinstance(found, bool):
        return _no_finding(text, "unknown_label", item=item)
    label = "found" if found else "missing"
    first = (_number(item.get("quote_passage")),)
    quote, where = _quoted(item, first, plan.passages, label=label)
    if found and where is None:
        return _no_finding(text, "quote_not_found", quote=quote, item=item)
    return Finding(
        item_id=text,
        label=label,
        reason=_string(item.get("reason")) or None,
        quote=quote,
        passage_id=None if where is None else plan.passages[where].passage_id,
    )


def _identity(value: _Item, plan: EvidencePlan, problems: _Problems) -> Verdict:
    if plan.identity is None:
        raise AssertionError("identity is read only where it is asked")
    by_number, repeated = _by_key(_items(value, "passages"), "passage")
    findings: list[Finding] = []
    asked = {passage.passage_id for passage in plan.identity.passages}
    for number, passage in enumerate(plan.passages, start=1):
        if passage.passage_id not in asked:
            continue
        try:
            item = _one(by_number, repeated, str(number))
            findings.append(_of_passage(item, number, plan))
        except Unscored as error:
            reason = problems.add(f"passage {number}", error)
            findings.append(_no_finding(passage.passage_id, reason))
    question = plan.identity
    return Verdict(query_id=question.query_id, check=question.check, findings=tuple(findings))


def _of_passage(item: _Item, number: int, plan: EvidencePlan) -> Finding:
    passage = plan.passages[number - 1]
    label = match_label(get(item, "verdict"), ("right", "wrong", "unknown"))
    if label == "unknown":
        return _no_finding(passage.passage_id, "undecided", item=item)
    quote = _string(item.get("quote")).strip() or None
    there = quote is not None and locate(quote, (), (passage,), heading=True) is not None
    if not there and (label == "wrong" or quote is not None):
        return _no_finding(passage.passage_id, "quote_not_found", quote=quote, item=item)
    if label == "wrong":
        label = f"wrong:{match_label(get(item, 'field'), TARGET_FIELDS)}"
    return Finding(
        item_id=passage.passage_id,
        label=label,
        reason=_string(item.get("reason")) or None,
        quote=quote,
        passage_id=passage.passage_id if quote else None,
    )


def _sufficiency(value: _Item, plan: EvidencePlan, components: tuple[Finding, ...]) -> Verdict:
    question = plan.sufficiency
    section = get(value, "sufficiency")
    if question is None or not isinstance(section, dict):
        raise Unscored("parse_failure", "sufficiency is not an object")
    item = cast("_Item", section)
    label = match_label(get(item, "verdict"), LABELS["sufficiency"])
    quote, where = _quoted(item, (_number(item.get("quote_passage")),), plan.passages, label=label)
    proven = label == "insufficient" or where is not None
    return Verdict(
        query_id=question.query_id,
        check=question.check,
        label=label if proven else None,
        unscored=None if proven else "quote_not_found",
        reason=_string(item.get("reason")) or None,
        quote=quote,
        passage_id=None if where is None else plan.passages[where].passage_id,
        findings=components,
    )


def _no_finding(
    item_id: str, reason: str, *, quote: str | None = None, item: Mapping[str, Any] | None = None
) -> Finding:
    return Finding.model_validate(
        {
            "item_id": item_id,
            "label": None,
            "unscored": reason,
            "quote": quote,
            "reason": _string((item or {}).get("reason")) or None,
        }
    )


def _items(value: _Item, name: str) -> list[_Item]:
    items = get(value, name)
    if not isinstance(items, list):
        raise Unscored("parse_failure", f"{name} is not a list")
    listed = cast("list[object]", items)
    if not all(isinstance(item, dict) for item in listed):
        raise Unscored("parse_failure", f"{name} holds something else than objects")
    return cast("list[_Item]", listed)


def _by_key(items: Sequence[_Item], name: str) -> tuple[dict[str, _Item], set[str]]:
    """Items by their id, and the ids that occur twice. Items without an id name nothing."""
    found: dict[str, _Item] = {}
    repeated: set[str] = set()
    for item in items:
        key = str(item.get(name, "")).strip().strip("[]").casefold()
        if key in found:
            repeated.add(key)
        found[key] = item
    return found, repeated


def _one(by_id: Mapping[str, _Item], repeated: set[str], key: str) -> _Item:
    if key in repeated:
        raise Unscored("duplicate_key", f"{key} occurs twice")
    if key not in by_id:
        raise Unscored("missing_field", f"{key} has no entry")
    return by_id[key]


def _numbers(value: object, passages: Sequence[Passage]) -> tuple[int, ...]:
    """Passage numbers, each once; Unscored where one names no passage."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise Unscored("parse_failure", "passage numbers are not a list")
    numbers = [_number(item) for item in cast("list[object]", value)]
    if any(number is None or not 0 < number <= len(passages) for number in numbers):
        raise Unscored("out_of_range", f"passage numbers go from 1 to {len(passages)}")
    return tuple(dict.fromkeys(number for number in numbers if number is not None))


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    text = value.strip().strip("[]") if isinstance(value, str) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
