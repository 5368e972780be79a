"""Each input from sample, labels and claims: its possible values and its basis."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis.grounding import citations_of, faithfulness_of, identity_of
from ragdiag.diagnosis.inputs import (
    Input,
    answerable_of,
    behaviour_of,
    possible_of,
    sufficiency_of,
    weakest,
)
from ragdiag.diagnosis.reach import reach_of
from ragdiag.diagnosis.state import VALUES
from ragdiag.diagnosis.witness import WITNESS, with_gold_witness
from ragdiag.records import ClaimResult, LabelResult, Sample, Settings, Verdict
from ragdiag.text.case import Case

NOT_TOLD = "I would rather talk about the weather in the mountains."
REFUSAL = "The provided documents do not contain this information."
TARGET = {"entity": "Norra Energy", "period": "2023"}
GOLD = {"passage_id": "g", "text": "Norra Energy sold 812 GWh in 2023."}
OTHER = {
    "passage_id": "o",
    "text": "Sudra Power sold 77 GWh.",
    "metadata": {"entity": "Sudra Power"},
}


def case(**fields: Any) -> Case:
    settings = Settings(require_citations=fields.pop("require_citations", False))
    replies = fields.pop("replies", ())
    given = {
        "query_id": "q",
        "query": "How much power did Norra Energy sell in 2023?",
        "reference": ["812 GWh"],
        "gold": [[{"passage_id": "g"}]],
        "retrieved": [GOLD, OTHER],
        "answer": "It sold 812 GWh.",
    }
    return Case(Sample.model_validate(given | fields), settings=settings, replies=replies)


def label(value: str | None, judge: str = "llm:x", basis: str = "judged") -> LabelResult:
    return LabelResult.model_validate({"label": value, "judge": judge, "basis": basis})


def claims(*told: str | None, carrying: int = 0, **fields: Any) -> tuple[ClaimResult, ...]:
    """Claims with these labels; the one at `carrying` carries the answer (-1: none is marked)."""
    return tuple(
        ClaimResult.model_validate(
            {
                "claim_id": f"c{i}",
                "text": "It sold 812 GWh.",
                "start": 0,
                "end": 16,
                "label": one,
                "carries_answer": i == carrying,
                **fields,
            }
        )
        for i, one in enumerate(told)
    )


def test_weakest() -> None:
    assert weakest(()) == "deterministic"
    assert weakest(("labels", "deterministic")) == "labels"
    assert weakest(("judged", "labels", "counterfactual")) == "counterfactual"


def test_possible_of_fills_what_was_not_worked_out() -> None:
    possible = possible_of({"run": Input(("ok",))})
    assert possible["run"] == ("ok",)
    assert possible["numeric"] == VALUES["numeric"]


@pytest.mark.parametrize(
    ("fields", "values", "basis"),
    [
        ({"answerable": True}, ("yes",), "deterministic"),
        ({"answerable": True, "reference": [], "gold": []}, ("yes",), "labels"),
        ({"answerable": False}, ("no",), "labels"),
        ({}, ("yes",), "deterministic"),
        ({"reference": [REFUSAL]}, ("no",), "labels"),
        ({"reference": []}, ("yes",), "deterministic"),
        ({"reference": [" "], "gold": []}, ("yes", "no"), "labels"),
        ({"reference": [], "gold": [], "qrels": {"g": 1}}, ("yes",), "deterministic"),
    ],
)
def test_answerable(fields: dict[str, Any], values: tuple[str, ...], basis: str) -> None:
    sample = case(**fields)
    found = answerable_of(sample, reach_of(sample))
    assert (found.values, found.basis) == (values, basis)


YES, NO, EITHER = Input(("yes",)), Input(("no",)), Input(("yes", "no"))


@pytest.mark.parametrize(
    ("answer", "told", "answerable", "values", "basis"),
    [
        (REFUSAL, None, YES, ("abstained",), "deterministic"),
        ("812 GWh.", None, YES, ("answered",), "deterministic"),
        # People saw an answer where code saw an abstention.
        (REFUSAL, label("correct", "people", "labels"), YES, ("answered",), "labels"),
        (REFUSAL, label("correct", "people", "labels"), NO, ("abstained",), "labels"),
    ],
)
def test_behaviour(
    answer: str, told: LabelResult | None, answerable: Input, values: tuple[str, ...], basis: str
) -> None:
    found = behaviour_of(case(answer=answer), answerable, told)
    assert (found.values, found.basis) == (values, basis)


@pytest.mark.parametrize(
    ("told", "answerable", "values"),
    [
        (None, YES, ("answered", "abstained")),
        (label(None), YES, ("answered", "abstained")),
        (label("abstained"), YES, ("abstained",)),
        (label("incorrect"), YES, ("answered",)),
        (label("partial"), NO, ("answered",)),
        (label("correct"), YES, ("answered",)),
        (label("correct"), NO, ("abstained",)),
        (label("correct"), EITHER, ("answered", "abstained")),
    ],
)
def test_behaviour_by_the_label_where_nobody_told(
    told: LabelResult | None,
    answerable: Input,
    values: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Case, "abstains", None)
    assert behaviour_of(case(), answerable, told).values == values


SUFFICIENCY = [
    # retrieved, label, supported_by_code, values, basis
    ([], label("sufficient"), False, ("no",), "deterministic"),
    ([GOLD], label("insufficient"), False, ("no",), "judged"),
    ([GOLD], label("insufficient", "people", "labels"), False, ("no",), "labels"),
    ([GOLD], label("insufficient", "screen"), False, ("yes",), "labels"),
    ([GOLD], label(None), False, ("yes",), "labels"),
    ([GOLD], None, False, ("yes",), "labels"),
    ([OTHER], None, False, ("no",), "labels"),
    ([OTHER], label("sufficient", "screen"), False, ("no",), "labels"),
    ([OTHER], label("sufficient", "jury:a,b"), False, ("yes",), "judged"),
    ([OTHER], None, True, ("yes", "no"), "labels"),
    ([OTHER], label("insufficient"), True, ("no",), "judged"),
    (None, None, False, ("yes", "no"), "judged"),
]


@pytest.mark.parametrize(("retrieved", "told", "by_code", "values", "basis"), SUFFICIENCY)
def test_sufficiency(
    retrieved: Any, told: LabelResult | None, by_code: bool, values: tuple[str, ...], basis: str
) -> None:
    sample = case(retrieved=retrieved)
    found = sufficiency_of(
        sample, told, reach=reach_of(sample), answerable=YES, supported_by_code=by_code
    )
    assert (found.values, found.basis) == (values, basis)


FAITHFULNESS = [
    # labels of the claims, which one carries, label of the whole, correct, values
    ("supported", 0, None, True, "faithful"),
    ("supported supported", 0, None, True, "faithful"),
    ("supported not_found", 0, None, True, "extra"),
    ("supported contradicted", 0, None, True, "extra"),
    ("supported partial", 0, None, True, "extra"),
    ("supported -", 0, None, True, "faithful extra"),
    ("not_found supported", 0, None, True, "unsupported"),
    ("contradicted supported", 0, None, True, "contradicted"),
    ("partial", 0, None, True, "extra unsupported"),
    ("- supported", 0, None, True, "faithful unsupported contradicted"),
    ("- not_found", 0, None, True, "extra unsupported contradicted"),
    # None is marked as carrying: each may be it.
    ("supported supported", -1, None, True, "faithful"),
    ("supported not_found", -1, None, True, "extra unsupported"),
    ("not_found not_found", -1, None, True, "unsupported"),
    ("not_found contradicted", -1, None, True, "unsupported contradicted"),
    # The label of the whole narrows what the claims leave open, and no more.
    ("-", 0, label("faithful", "screen"), True, "faithful"),
    ("-", 0, label("unfaithful", "screen"), True, "unsupported contradicted"),
    ("supported -", 0, label("unfaithful", "screen"), True, "extra"),
    ("supported", 0, label("unfaithful", "screen"), True, "faithful"),
    ("not_found", 0, label("faithful", "screen"), True, "unsupported"),
    ("", 0, label("faithful"), True, "faithful"),
    ("", 0, label("unfaithful"), True, "extra unsupported contradicted"),
    ("", 0, label(None), True, "faithful extra unsupported contradicted"),
    ("", 0, None, True, "faithful extra unsupported contradicted"),
    # People go before the claims.
    ("not_found", 0, label("faithful", "people", "labels"), True, "faithful"),
    ("supported -", 0, label("faithful", "people", "labels"), True, "faithful"),
    (
        "supported",
        0,
        label("unfaithful", "people", "labels"),
        True,
        "extra unsupported contradicted",
    ),
]


@pytest.mark.parametrize(("told", "carrying", "whole", "correct", "values"), FAITHFULNESS)
def test_faithfulness(
    told: str, carrying: int, whole: LabelResult | None, correct: bool, values: str
) -> None:
    labels = [None if one == "-" else one for one in told.split()]
    found = faithfulness_of(case(), claims(*labels, carrying=carrying), whole, correct=correct)
    assert found.values == tuple(values.split())


def test_faithfulness_by_code() -> None:
    proven = claims("supported", basis="deterministic")
    unproven = claims("supported", "contradicted", carrying=1)[1:]
    both = (*proven, *unproven)
    # A wrong answer: the worst of the carrying claims. A correct one: what code found.
    assert faithfulness_of(case(), both, None, correct=False).values == ("contradicted",)
    assert faithfulness_of(case(), both, None, correct=True).values == ("extra",)
    people = label("unfaithful", "people", "labels")
    found = faithfulness_of(case(), proven, people, correct=True)
    assert (found.values, found.basis) == (("extra",), "labels")
    assert faithfulness_of(case(), proven, None, correct=True).basis == "deterministic"


def test_an_empty_context_supports_nothing() -> None:
    found = faithfulness_of(case(retrieved=[]), claims("supported"), None, correct=True)
    assert (found.values, found.basis) == (("unsupported",), "deterministic")


FAITHFUL, UNSUPPORTED = Input(("faithful",)), Input(("unsupported",), "judged")


@pytest.mark.parametrize(
    ("fields", "told", "faithfulness", "support", "values", "basis"),
    [
        ({"target": {}}, label("wrong:period"), FAITHFUL, (), ("right",), "deterministic"),
        # What a question only seems to ask of leaves nothing open.
        ({}, label(None), UNSUPPORTED, (), ("right",), "deterministic"),
        ({}, label("wrong:period"), FAITHFUL, (), ("wrong_identity",), "judged"),
        ({"target": TARGET, "retrieved": []}, None, FAITHFUL, (), ("none",), "deterministic"),
        ({"target": TARGET}, label("right"), FAITHFUL, (), ("right",), "judged"),
        ({"target": TARGET}, label("wrong:unit"), FAITHFUL, (), ("wrong_identity",), "judged"),
        ({"target": TARGET}, label(None), UNSUPPORTED, (), ("none",), "judged"),
        ({"target": TARGET}, None, FAITHFUL, (), ("right", "wrong_identity"), "judged"),
        # The cited passage may still be told.
        (
            {"target": TARGET, "answer": "It sold 812 GWh [2]."},
            None,
            UNSUPPORTED,
            (),
            ("right", "wrong_identity"),
            "judged",
        ),
        # What supports the carrying claim tells it, where nothing is cited.
        ({"target": TARGET}, None, FAITHFUL, ("g",), ("right",), "labels"),
        ({"target": TARGET}, None, FAITHFUL, ("o",), ("wrong_identity",), "deterministic"),
        (
            {"target": TARGET, "gold": []},
            None,
            FAITHFUL,
            ("g",),
            ("right",),
            "deterministic",
        ),
    ],
)
def test_identity(
    fields: dict[str, Any],
    told: LabelResult | None,
    faithfulness: Input,
    support: tuple[str, ...],
    values: tuple[str, ...],
    basis: str,
) -> None:
    found_in = claims("supported", passage_id=support[0]) if support else ()
    found = identity_of(case(**fields), found_in, told, faithfulness=faithfulness)
    assert (found.values, found.basis) == (values, basis)


def cited(told: str | None, *, by: str = "g") -> tuple[ClaimResult, ...]:
    return claims("supported", cited=(by,), citation_label=told)


ONE, NONE, DANGLING = "It sold 812 GWh [1].", "It sold 812 GWh.", "It sold 812 GWh [9]."


@pytest.mark.parametrize(
    ("answer", "required", "found_in", "told", "values"),
    [
        (NONE, False, claims("supported"), None, "not_required"),
        (NONE, True, claims("supported"), None, "missing"),
        (DANGLING, False, cited("supported"), None, "wrong"),
        (ONE, False, cited("supported"), None, "ok"),
        (ONE, False, cited("unsupported"), None, "wrong"),
        (ONE, False, cited("contradicted"), None, "wrong"),
        # A needed passage beside the cited one is not cited.
        (ONE, False, cited("partial"), None, "missing"),
        (ONE, False, cited(None), None, "wrong ok"),
        (ONE, False, (), None, "wrong ok missing"),
        (ONE, False, (), label("supported"), "ok missing"),
        (ONE, False, (), label("unsupported"), "wrong"),
        # Wrong beats missing.
        (ONE, False, (*cited("unsupported"), *claims("supported")), None, "wrong"),
        (ONE, False, (*cited("supported"), *claims("supported")), None, "missing"),
        (
            ONE,
            False,
            (*cited("supported"), *claims("supported", needs_citation=False)),
            None,
            "ok",
        ),
        # People go before the claims, another label does not.
        (ONE, False, cited("unsupported"), label("supported", "people", "labels"), "ok"),
        (ONE, False, cited("supported"), label("unsupported", "people", "labels"), "wrong"),
        (ONE, False, cited("supported"), label("unsupported"), "ok"),
    ],
)
def test_citations(
    answer: str,
    required: bool,
    found_in: tuple[ClaimResult, ...],
    told: LabelResult | None,
    values: str,
) -> None:
    sample = case(answer=answer, require_citations=required)
    assert citations_of(sample, found_in, told).values == tuple(values.split())


def test_given_citations_require_them() -> None:
    assert citations_of(case(citations=[]), claims("supported"), None).values == ("missing",)


SCREEN = label(None, "screen")


@pytest.mark.parametrize(
    ("fields", "told", "judge", "correct", "label_after"),
    [
        ({}, "not_found", SCREEN, True, "supported"),
        ({}, "contradicted", SCREEN, True, "supported"),
        ({}, None, SCREEN, True, "supported"),
        # Not correct, not whole in the context, or not the screen: nothing changes.
        ({}, "not_found", SCREEN, False, "not_found"),
        ({"retrieved": [OTHER]}, "not_found", SCREEN, True, "not_found"),
        ({}, "not_found", label(None, "llm:x"), True, "not_found"),
        ({}, "not_found", None, True, "not_found"),
        # A yes may be right by luck.
        ({"reference": ["Yes"]}, "not_found", SCREEN, True, None),
        ({"reference": ["Yes"]}, "supported", SCREEN, True, "supported"),
    ],
)
def test_gold_witness(
    fields: dict[str, Any],
    told: str | None,
    judge: LabelResult | None,
    correct: bool,
    label_after: str | None,
) -> None:
    sample = case(**fields)
    before = claims(told, "not_found")
    after = with_gold_witness(sample, before, judge, reach=reach_of(sample), correct=correct)
    assert after[0].label == label_after
    assert after[1] == before[1]
    if told != label_after == "supported":
        assert (after[0].basis, after[0].passage_id, after[0].reason) == ("labels", "g", WITNESS)


def test_gold_witness_reads_who_judged_support() -> None:
    verdict = Verdict(query_id="q", check="support", judge="screen")
    sample = case(replies=(verdict,))
    after = with_gold_witness(
        sample, claims("not_found"), label(None), reach=reach_of(sample), correct=True
    )
    assert after[0].label == "supported"


@pytest.mark.parametrize(("year", "label_after"), [("2023", "supported"), ("2022", "not_found")])
def test_gold_witness_is_silent_on_another_period(year: str, label_after: str) -> None:
    sample = case(retrieved=[GOLD | {"text": "Norra Energy sold 812 GWh in 2023."}])
    before = claims("not_found", text=f"In {year} it sold 812 GWh.")
    after = with_gold_witness(sample, before, SCREEN, reach=reach_of(sample), correct=True)
    assert after[0].label == label_after


@pytest.mark.parametrize(("by", "citation"), [("g", "supported"), ("o", "partial")])
def test_gold_witness_speaks_for_citations(by: str, citation: str) -> None:
    sample = case(answer=ONE)
    after = with_gold_witness(
        sample, cited("partial", by=by), SCREEN, reach=reach_of(sample), correct=True
    )
    assert after[0].citation_label == citation
