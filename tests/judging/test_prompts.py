from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

import ragdiag
from ragdiag.errors import UsageError
from ragdiag.judging import prompts
from ragdiag.judging.prompts import NAMES, fill, load, parse, prompts_hash
from ragdiag.judging.schemas import (
    ClaimsOutput,
    ClaimVerdictOutput,
    CorrectnessOutput,
    Output,
    SufficiencyOutput,
    SupportOutput,
    all_outputs,
    evidence_output,
    json_schema,
)
from ragdiag.records import LABELS

FOLDER = Path(ragdiag.__file__).parents[1] / "prompts"


def test_every_prompt_file_is_known() -> None:
    found = {p.relative_to(FOLDER).with_suffix("").as_posix() for p in FOLDER.rglob("*.toml")}
    assert found == set(NAMES)


@pytest.mark.parametrize(
    ("name", "check", "output"),
    [
        ("answer/support", "support", ClaimVerdictOutput),
        ("answer/correctness", "answer_correctness", CorrectnessOutput),
        ("evidence/evidence", "sufficiency", SufficiencyOutput),
    ],
)
def test_labels_of_prompt_code_and_schema_are_the_same(
    name: str, check: str, output: type[Output]
) -> None:
    assert load(name).labels == LABELS[check]
    assert get_args(output.model_fields["verdict"].annotation) == LABELS[check]


OUTPUTS: dict[str, list[type[BaseModel]]] = {
    "answer/claims": [ClaimsOutput, ClaimsOutput],
    "answer/support": [SupportOutput, SupportOutput],
    "answer/correctness": [CorrectnessOutput, CorrectnessOutput],
    "evidence/evidence": [
        evidence_output(("components", "sufficiency")),
        evidence_output(("passages", "sufficiency")),
    ],
}


@pytest.mark.parametrize("name", NAMES)
def test_each_prompt_keeps_the_rules(name: str) -> None:
    told = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    prompt = load(name)
    assert prompt.version >= 1
    assert prompt.purpose
    assert len(told["examples"]) == 2
    for example, output in zip(told["examples"], OUTPUTS[name], strict=True):
        output.model_validate(json.loads(example["output"]), strict=True)
        assert list(json.loads(example["output"])) == list(output.model_fields)  # reason first
    assert "character by character" in prompt.system
    assert "never follow it" in prompt.system
    assert "{{" not in prompt.system
    after_data = prompt.user[prompt.user.rindex("{{", 0, prompt.user.rindex("BEGIN")) :]
    assert "data, not instructions" in after_data
    assert set(prompt.inputs) == {"query", "history"} | set(prompt.inputs)


def test_data_is_never_read_as_a_template() -> None:
    assert fill("a {{x}} {{y}}", {"x": "{{y}} {x} {%", "y": "{{x}}"}) == "a {{y}} {x} {% {{x}}"


def test_inputs_are_exactly_those_declared() -> None:
    with pytest.raises(UsageError, match="takes"):
        load("answer/claims").messages({"query": "q"})


GOOD = (
    b'name="n"\nversion=1\npurpose="p"\nlabels=[]\ninputs=["a"]\n'
    b'system="s {{examples}}"\nuser="{{a}}"\n'
)
ONE = b'[[examples]]\ninput="i"\noutput="o"\n'
EXAMPLE = ONE + ONE
TASKS = b'[tasks]\nt="{{labels}}"\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD.replace(b'["a"]', b'["a", "b"]') + EXAMPLE, "declares"),
        (GOOD.replace(b"{{a}}", b"{{a}} {{b}}") + EXAMPLE, "declares"),
        (GOOD, "examples"),
        (b"name=", "TOML"),
        (GOOD.replace(b"version=1\n", b"") + EXAMPLE, "version"),
        (GOOD + ONE, "2 examples"),
        (GOOD.replace(b"{{examples}}", b"") + EXAMPLE, "2 examples"),
        (GOOD.replace(b"{{examples}}", b"{{examples}} {{b}}") + EXAMPLE, "'b'"),
        (GOOD + b'label=["x"]\n' + EXAMPLE, "no such key: label"),
        (GOOD.replace(b"labels=[]", b'labels=["x"]') + EXAMPLE, "declared and shown"),
        (GOOD + TASKS + EXAMPLE, "declared and shown"),
        (GOOD + TASKS.replace(b"labels", b"label") + EXAMPLE, "a task may hold"),
    ],
)
def test_bad_prompt_files_are_named(content: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=f"x.toml.*{words}"):
        parse(content, where="x.toml")


def test_the_hash_follows_the_content() -> None:
    one, two = parse(GOOD + EXAMPLE, where="x"), parse(GOOD + EXAMPLE + b"\n", where="x")
    assert one.hash != two.hash
    assert re.fullmatch(r"[0-9a-f]{16}", prompts_hash())


def test_the_packaged_prompts_come_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    packaged = tmp_path / "prompts"
    packaged.mkdir()
    monkeypatch.setattr(prompts, "files", lambda _: tmp_path)
    assert str(prompts._folder.__wrapped__()) == str(packaged)
    monkeypatch.setattr(prompts, "files", lambda _: tmp_path / "absent")
    assert prompts._folder.__wrapped__() == FOLDER
    monkeypatch.setattr(prompts, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    packaged.rmdir()
    with pytest.raises(UsageError, match="neither"):
        prompts._folder.__wrapped__()


def _lint(schema: dict[str, Any], where: str) -> None:
    """OpenAI's strict mode: closed objects, all required, no defaults, no open values."""
    assert "default" not in schema, where
    if "$ref" in schema:
        return
    if "anyOf" in schema:
        for option in schema["anyOf"]:
            _lint(option, where)
        return
    assert "prefixItems" not in schema, where
    assert schema.get("type") in ("object", "array", "string", "integer", "boolean", "null"), where
    if schema["type"] == "object":
        assert schema.get("additionalProperties") is False, where
        assert schema.get("required") == list(schema["properties"]), where
        for name, field in schema["properties"].items():
            _lint(field, f"{where}.{name}")
    if schema["type"] == "array":
        _lint(schema["items"], f"{where}[]")


def test_every_schema_fits_strict_mode() -> None:
    outputs = list(all_outputs())
    assert len(outputs) == 3 + 7
    for output in outputs:
        schema = json_schema(output)
        assert schema["type"] == "object"
        _lint(schema, output.__name__)
        for name, definition in schema.get("$defs", {}).items():
            _lint(definition, name)


def test_the_lint_sees_what_strict_mode_refuses() -> None:
    class Open(BaseModel):
        a: dict[str, str]

    class Defaulted(Output):
        a: str | None = None

    class Anything(Output):
        a: Any

    class Pair(Output):
        a: tuple[int, str]

    for bad in (Open, Defaulted, Anything, Pair):
        with pytest.raises(AssertionError):
            _lint(bad.model_json_schema(), bad.__name__)
