"""The same small case in eleven languages and ten scripts: the same category as in English, and
each text step on the way to it."""

from __future__ import annotations

from functools import cache

import pytest

from ragdiag import evaluate
from ragdiag.answer.correctness import decide
from ragdiag.judging.screen.claims import claims_of
from ragdiag.records import SampleResult
from ragdiag.text.abstention import abstains
from ragdiag.text.citations import parse
from ragdiag.text.numbers import compare
from ragdiag.text.numbers import parse as quantities
from ragdiag.text.placing import place
from ragdiag.text.sentences import split
from ragdiag.text.tokens import content_stems, tokens
from tests.scripts import KINDS, POLAR, SCRIPTS, samples

OTHERS = [name for name in SCRIPTS if name != "en"]
CODES = {
    "right": ("K1", "success"),
    "other": ("G3a", "generation"),
    "wrong": ("G2", "generation"),
    "scale": ("G5", "generation"),
    "abstains": ("G1", "generation"),
    "missed": ("R1", "retrieval"),
    "blind": ("A1", "grounding"),
}


@cache
def results(name: str) -> dict[str, SampleResult]:
    found = evaluate(samples(name))
    return {kind: found[f"{name}-{kind}"] for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_category(name: str, kind: str) -> None:
    diagnosis = results(name)[kind].diagnosis
    assert (diagnosis.code, diagnosis.family) == CODES[kind]
    assert diagnosis.codes == results("en")[kind].diagnosis.codes


@pytest.mark.parametrize("name", OTHERS)
def test_claims_and_citations_of_the_answer(name: str) -> None:
    right = results(name)["right"]
    (claim,) = right.claims
    assert (claim.label, claim.cited, claim.citation_label) == ("supported", ("p17",), "supported")
    assert results(name)["other"].claims[0].label == "contradicted"
    assert results(name)["abstains"].claims == ()


@pytest.mark.parametrize("name", SCRIPTS)
def test_amounts(name: str) -> None:
    told = SCRIPTS[name]
    (amount,) = quantities(told.reference)
    assert amount.kind == "money"
    assert amount.text == told.reference
    values = [(one.kind, one.value) for one in quantities(told.right)]
    assert ("money", amount.value) in values
    assert compare(told.reference, told.reference).relation == "equal"
    assert compare(told.reference, told.reference.replace("412", "452")).relation == "different"
    asked = (told.right, told.other, told.wrong, told.scale, told.abstains)
    labels = [decide(told.query, [told.reference], answer) for answer in asked]
    assert labels == ["correct", "incorrect", "incorrect", "incorrect", "abstained"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_abstentions(name: str) -> None:
    told = SCRIPTS[name]
    assert abstains(told.query, told.abstains) is True
    assert abstains(told.query, told.right) is False


@pytest.mark.parametrize("name", SCRIPTS)
def test_sentences_and_citations(name: str) -> None:
    told = SCRIPTS[name]
    found = split(told.page)
    assert all(told.page[one.start : one.end] == one.text for one in found)
    # Thai puts a blank between sentences, and elsewhere too: it is no boundary.
    assert len(found) == (1 if name == "th" else 2)
    second = told.right.replace("[1]", "[2]")
    cited = parse(f"{told.right}\n{second}", ["p17", "p16"])
    assert [(one.sentence, one.passage_id) for one in cited] == [(0, "p17"), (1, "p16")]


@pytest.mark.parametrize("name", SCRIPTS)
def test_claims_stand_in_the_answer(name: str) -> None:
    told = SCRIPTS[name]
    answer = f"{told.right}\n{POLAR[name][1]}"
    found = claims_of(told.query, answer)
    assert len(found) == 2
    assert "412" in found[0].text


@pytest.mark.parametrize("name", SCRIPTS)
def test_tokens(name: str) -> None:
    told = SCRIPTS[name]
    found = tokens(told.page)
    assert {"412", "2017", "900"} <= {one.text for one in found}
    assert all(0 <= one.start < one.end <= len(told.page) for one in found)
    shared = set(content_stems(told.query)) & set(content_stems(told.page))
    assert len(shared) >= 2


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_passage_is_placed_on_its_page(name: str) -> None:
    told = SCRIPTS[name]
    page = f"12\n{told.before}\n{told.page}"
    broken = page.replace("412", "412\n").replace(" 900", "  900")
    for source in (page, broken):
        found = place(told.page, source)
        assert found is not None
        assert source[found.start : found.end].replace("\n", "")[:5] == told.page[:5]
    assert place(told.page.replace("412", "413"), broken) is None
    assert place(told.page.replace("900", "901"), broken) is None
