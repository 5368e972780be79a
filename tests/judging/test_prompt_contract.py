"""Prompts, schemas and readers say the same: whatever one of them declares, the others know."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

import ragdiag
from ragdiag.judging.asking import (
    Call,
    EvidencePlan,
    claims_call,
    correctness_call,
    evidence_call,
    support_call,
)
from ragdiag.judging.prompts import NAMES, load
from ragdiag.judging.reading import (
    Reading,
    read_claims,
    read_correctness,
    read_evidence,
    read_support,
)
from ragdiag.judging.replies import parse_object
from ragdiag.judging.schemas import SECTIONS, all_outputs, evidence_output, json_schema
from ragdiag.records import (
    LABELS,
    TARGET_FIELDS,
    CheckCorrectness,
    CheckIdentity,
    CheckSufficiency,
    CheckSupport,
    Claim,
    Claims,
    Components,
    ExtractClaims,
    ListComponents,
    Passage,
    Target,
    Verdict,
)

FOLDER = Path(ragdiag.__file__).parents[1] / "prompts"
SECRET = b"secret"
CHECK_OF = {
    "answer/support": "support",
    "answer/correctness": "answer_correctness",
    "evidence/evidence": "sufficiency",
}
OF_A_QUOTE = {"quote", "quote_passage"}


def told(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def examples(name: str) -> list[tuple[str, dict[str, Any]]]:
    """(what is shown, the reply as the reply parser reads it) of each example."""
    return [(one["input"], parse_object(one["output"])) for one in told(name)["examples"]]


def line(text: str, key: str) -> str | None:
    found = re.search(rf"^{key}: (.*)$", text, re.MULTILINE)
    return found[1] if found else None


def numbered(text: str, key: str) -> list[tuple[str, str]]:
    """ "passage 1 (doc: x): …" as (x or the number, …)."""
    pattern = rf"^{key} (\w+)(?: \(doc: ([^)]*)\))?: (.*)$"
    return [(doc or number, rest) for number, doc, rest in re.findall(pattern, text, re.MULTILINE)]


def asked(text: str) -> dict[str, Any]:
    return {"query_id": "q", "query": line(text, "question") or "?"}


def passages(text: str) -> tuple[Passage, ...]:
    found = numbered(text, "passage")
    return tuple(Passage(passage_id=name, doc_id=name, text=rest) for name, rest in found)


def read(name: str, text: str, reply: dict[str, Any]) -> Reading:
    """The reply of an example, read as the reply to the question that the example shows."""
    if name == "answer/claims":
        return read_claims(reply, ExtractClaims(**asked(text), answer=line(text, "answer") or ""))
    if name == "answer/support":
        found = tuple(
            Claim(claim_id=claim_id, text=rest, start=0, end=len(rest))
            for claim_id, rest in numbered(text, "claim")
        )
        question = CheckSupport(**asked(text), answer="", claims=found, passages=passages(text))
        return read_support(reply, question)
    if name == "answer/correctness":
        reference, answer = line(text, "reference"), line(text, "answer")
        assert reference
        assert answer
        return read_correctness(
            reply, CheckCorrectness(**asked(text), reference=(reference,), answer=answer)
        )
    return read_evidence(reply, plan(text))


def plan(text: str) -> EvidencePlan:
    tasks = (line(text, "tasks") or "").split(", ")
    target = dict(part.split(": ") for part in (line(text, "target") or "").split("; ") if part)
    seen = passages(text)
    made = {
        "components": ListComponents(**asked(text)),
        "sufficiency": CheckSufficiency(**asked(text), passages=seen),
        "passages": CheckIdentity(**asked(text), target=Target(**target), passages=seen),
    }
    assert set(tasks) <= set(made)
    return EvidencePlan.of([made[task] for task in tasks])


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_read_without_a_complaint(name: str) -> None:
    """Labels legal, ids known, quotes where they are said to stand, nothing discarded."""
    for text, reply in examples(name):
        reading = read(name, text, reply)
        assert reading.problems == ()
        for one in reading.replies:
            assert isinstance(one, (Verdict, Claims, Components)), one
            if isinstance(one, Claims):
                assert one.discarded == 0
                assert len(one.claims) == len(reply["claims"])
            if isinstance(one, Verdict):
                assert one.unscored is None, one
                assert [f.unscored for f in one.findings] == [None] * len(one.findings)


@pytest.mark.parametrize("name", sorted(CHECK_OF))
def test_examples_show_more_than_one_label(name: str) -> None:
    shown = re.findall(
        r'"verdict": "(\w+)"', " ".join(one["output"] for one in told(name)["examples"])
    )
    assert len(set(shown)) >= 2
    assert set(shown) <= {*LABELS[CHECK_OF[name]], "right", "wrong", "unknown"}


def calls() -> list[Call]:
    """Every call that the code can make, by every mixture of the evidence questions."""
    q: dict[str, Any] = {"query_id": "q", "query": "Q?", "history": (("user", "before"),)}
    seen = (Passage(passage_id="p", text="P"),)
    claims = (Claim(claim_id="c1", text="C", start=0, end=1),)
    listing, identity = (
        ListComponents(**q),
        CheckIdentity(**q, target=Target(period="2017"), passages=seen),
    )
    sufficiency = CheckSufficiency(**q, passages=seen)
    named = CheckSufficiency(**q, passages=seen, components=("K",))
    mixtures = [
        [listing], [identity], [sufficiency], [named], [listing, identity],
        [listing, sufficiency], [identity, sufficiency], [identity, named],
        [listing, identity, sufficiency],
    ]  # fmt: skip
    return [
        claims_call(ExtractClaims(**q, answer="A"), SECRET),
        support_call(CheckSupport(**q, answer="A", claims=claims, passages=seen), SECRET),
        correctness_call(CheckCorrectness(**q, reference=("R",), answer="A"), SECRET),
        *(evidence_call(EvidencePlan.of(mixture), SECRET) for mixture in mixtures),
    ]


def test_what_is_sent_has_no_placeholder_left_and_every_prompt_and_schema_is_used() -> None:
    made = calls()
    assert {call.prompt.name for call in made} == {load(name).name for name in NAMES}
    assert {json.dumps(json_schema(call.output)) for call in made} == {
        json.dumps(json_schema(output)) for output in all_outputs()
    }
    for call in made:
        system, user = call.messages
        assert "{{" not in system[1] + user[1]


@pytest.mark.parametrize("name", NAMES)
def test_every_declared_input_is_filled_by_the_code(name: str) -> None:
    """Each placeholder, replaced by nothing else, changes what is sent."""
    prompt = load(name)
    values = {one: f"VALUE-OF-{one}" for one in prompt.inputs}
    sent = prompt.messages(values)[1][1]
    assert all(sent.count(value) == 1 for value in values.values())


def models(output: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """The model itself and all that its fields hold, by name."""
    found = {output.__name__: output}
    for field in output.model_fields.values():
        for part in (field.annotation, *get_args(field.annotation)):
            if isinstance(part, type) and issubclass(part, BaseModel):
                found |= models(part)
    return found


ALL = {name: model for output in all_outputs() for name, model in models(output).items()}
WHOLE = {"ClaimsOutput", "SupportOutput", "CorrectnessOutput", "EvidenceOutput"}


@pytest.mark.parametrize(
    "name", sorted(set(ALL) - {"SupportOutput", "EvidenceOutput", "ClaimOutput"})
)
def test_the_reason_comes_before_what_it_is_the_reason_of(name: str) -> None:
    fields = list(ALL[name].model_fields)
    decides = [f for f in ("verdict", "found", "abstains", "field") if f in fields]
    assert decides
    assert fields.index("reason") < min(map(fields.index, decides))


@pytest.mark.parametrize("name", sorted(set(ALL) - WHOLE))
def test_every_verdict_has_room_for_its_quote_before_the_label(name: str) -> None:
    fields = list(ALL[name].model_fields)
    assert "quote" in fields
    if "verdict" in fields:
        assert fields.index("quote") < fields.index("verdict") == len(fields) - 1


PROMPT_OF = {
    "ClaimsOutput": "answer/claims", "ClaimOutput": "answer/claims",
    "SupportOutput": "answer/support", "ClaimVerdictOutput": "answer/support",
    "CorrectnessOutput": "answer/correctness",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(ALL) - {"EvidenceOutput"}))
def test_the_prompt_names_every_field_of_its_schema(name: str) -> None:
    prompt = load(PROMPT_OF.get(name, "evidence/evidence"))
    text = prompt.system + prompt.user + " ".join(prompt.tasks.values())
    for field in ALL[name].model_fields:
        assert f"`{field}`" in text or f'"{field}"' in text, field


@pytest.mark.parametrize("name", NAMES)
def test_every_label_is_explained(name: str) -> None:
    prompt = load(name)
    for label in prompt.labels:
        rubric = re.search(rf"^- {label}: .{{20,}}$", prompt.system, re.MULTILINE)
        in_task = any(label in task for task in prompt.tasks.values())
        assert rubric or in_task, label


def test_the_target_fields_are_those_of_the_code() -> None:
    task = load("evidence/evidence").tasks["identity"]
    assert ", ".join(TARGET_FIELDS) in task
    assert set(SECTIONS) == set(evidence_output(SECTIONS).model_fields)


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_speaks_of_languages(name: str) -> None:
    system = load(name).system
    assert "language" in system
    if load(name).labels:
        assert "stay in English as given" in system
        assert "untranslated" in system


def test_a_prompt_is_data_and_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        load("answer/claims").version = 3  # pyright: ignore[reportAttributeAccessIssue]
