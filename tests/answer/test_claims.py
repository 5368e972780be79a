"""Claims after code has had its say: support, citations, and which of them carry the answer."""

from __future__ import annotations

import pytest

from ragdiag.answer import citing, faithfulness
from ragdiag.answer.carrying import carrying_claims
from ragdiag.answer.claims import claim_results, extraction, support_question
from ragdiag.records import JudgeFailure, Overall
from tests.cases import case, claims, finding, passage, people, support

PAGE = passage("a#1", "Revenue was $412 million in 2017. Costs were $300 million in 2017.")
NOTE = passage("a#2", "The chair is Ada Brook.")
ANSWER = "Revenue was $412 million [1]. The chair is Tom Hale [2]."
FIRST, SECOND = "Revenue was $412 million", "The chair is Tom Hale"
BOTH = claims(ANSWER, FIRST, SECOND)


def made(*findings, answer=ANSWER, found=BOTH, extra=(), **fields):
    fields = {"retrieved": [PAGE, NOTE], "answer": answer, **fields}
    return case(found, support(*findings), *extra, **fields)


def score(metrics, name, found):
    metric = next(m for m in metrics if m.name == name)
    told = metric.compute(found)[name]
    return told.value if told.status == "scored" else told.reason


def faithful(found):
    return score(faithfulness.METRICS, "faithfulness", found)


def cited(found):
    return tuple(
        score(citing.METRICS, name, found)
        for name in ("citation_correctness", "citation_completeness")
    )


def test_faithfulness_is_the_share_of_decided_claims():
    good = finding("c1", "supported", supporting=("a#1",))
    assert faithful(made(good, finding("c2", "not_found"))) == 0.5
    assert faithful(made(good, finding("c2", "supported", supporting=("a#2",)))) == 1.0
    assert faithful(made(good, finding("c2", "partial"))) == 0.5
    assert faithful(made(good, finding("c2", None))) == 1.0  # one of two decided: half is enough
    assert faithful(made(finding("c1", None), finding("c2", None))) == "undecided"


def test_a_claim_that_the_judge_left_out_is_unscored_and_moves_nothing():
    told = claim_results(made(finding("c2", "supported", supporting=("a#2",))))
    assert [(c.label, c.unscored) for c in told] == [(None, "missing_field"), ("supported", None)]


def test_what_does_not_apply():
    assert faithful(case(claims(ANSWER, FIRST), retrieved=[PAGE])) == "no_answer"
    assert faithful(case(answer=ANSWER)) == "no_context"
    assert faithful(made(error="timeout")) == "pipeline_error"
    assert faithful(made(found=claims(ANSWER))) == "no_claims"
    assert faithful(case(retrieved=[PAGE], answer=ANSWER)) == "undecided"
    assert faithful(made(answer="I could not find that in the documents.")) == "abstained"
    lost = claims(ANSWER).model_copy(update={"discarded": 3})
    assert faithful(made(found=lost)) == "claim_not_in_answer"
    assert cited(made(found=lost)) == ("claim_not_in_answer", "claim_not_in_answer")
    assert faithfulness.label(made(found=lost)).reason == "claim_not_in_answer"
    assert citing.label(made(found=lost)).reason == "claim_not_in_answer"
    one_lost = BOTH.model_copy(update={"discarded": 1})
    assert faithful(made(finding("c1", "supported"), found=one_lost)) == 1.0
    failed = JudgeFailure(query_id="q", check="claims", reason="rate_limited")
    assert faithful(case(failed, retrieved=[PAGE], answer=ANSWER)) == "rate_limited"
    failed = JudgeFailure(query_id="q", check="support", reason="truncated")
    assert faithful(case(BOTH, failed, retrieved=[PAGE], answer=ANSWER)) == "truncated"


def test_with_an_empty_context_every_claim_is_unsupported_without_a_judge():
    found = case(BOTH, retrieved=[], answer=ANSWER)
    assert [(c.label, c.basis) for c in claim_results(found)] == [
        ("not_found", "deterministic"),
        ("not_found", "deterministic"),
    ]
    assert faithful(found) == 0.0
    assert support_question(found).decided


@pytest.mark.parametrize(
    ("findings", "overall", "label"),
    [
        (("supported", "supported"), None, "faithful"),
        (("supported", "not_found"), None, "unfaithful"),
        (("supported", None), None, None),
        (("not_found", None), None, "unfaithful"),
        (("supported", None), "unfaithful", "unfaithful"),
        (("supported", "not_found"), "faithful", "faithful"),  # the judge's word on the whole
        (("supported", "supported"), "unfaithful", "faithful"),  # no claim is left open
    ],
)
def test_the_label_of_the_whole_answer(findings, overall, label):
    told = support(
        *(finding(f"c{n}", one) for n, one in enumerate(findings, 1)),
        overall=None if overall is None else Overall(label=overall, score=0.7),
    )
    found = case(BOTH, told, retrieved=[PAGE, NOTE], answer=ANSWER)
    assert faithfulness.label(found).label == label


def test_people_settle_the_label_and_leave_the_claims_to_the_judge():
    told = people("support", overall=Overall(label="unfaithful"), citation_support="partial")
    found = made(finding("c1", "supported"), finding("c2", "supported"), extra=(told,))
    assert faithfulness.label(found).label == "unfaithful"
    assert faithfulness.label(found).basis == "labels"
    assert citing.label(found).label == "partial"
    assert [c.label for c in claim_results(found)] == ["supported", "supported"]


def test_people_on_one_claim_go_before_the_judge():
    told = people("support", findings=(finding("c2", "contradicted"),))
    found = made(finding("c1", "supported"), finding("c2", "supported"), extra=(told,))
    assert [(c.label, c.basis) for c in claim_results(found)] == [
        ("supported", "judged"),
        ("contradicted", "labels"),
    ]


def test_a_citation_is_right_if_its_passage_supports_the_claim():
    good = finding("c1", "supported", supporting=("a#1",))
    wrong = finding("c2", "supported", supporting=("a#1",))
    found = made(good, wrong)
    assert cited(found) == (0.5, 1.0)
    assert [c.citation_label for c in claim_results(found)] == ["supported", "unsupported"]
    assert citing.label(found).label == "unsupported"


def test_a_needed_part_of_a_joint_support_is_right():
    answer = "Profit was $112 million [1][2]."
    found = made(
        finding("c1", "supported", joint=("a#1", "a#2")),
        answer=answer,
        found=claims(answer, "Profit was $112 million"),
    )
    assert cited(found) == (1.0, 1.0)
    assert citing.label(found).label == "supported"
    half = "Profit was $112 million [1]."
    found = made(
        finding("c1", "supported", joint=("a#1", "a#2")),
        answer=half,
        found=claims(half, "Profit was $112 million"),
    )
    assert citing.label(found).label == "partial"


def test_a_dangling_citation_counts_as_wrong():
    answer = "Revenue was $412 million [7]."
    found = made(
        finding("c1", "supported", supporting=("a#1",)),
        answer=answer,
        found=claims(answer, "Revenue was $412 million"),
    )
    assert cited(found) == (0.0, 1.0)
    assert claim_results(found)[0].cited == (None,)
    assert citing.label(found).label == "unsupported"


def test_a_claim_without_a_citation_lowers_completeness():
    answer = "Revenue was $412 million [1]. The chair is Tom Hale."
    found = made(
        finding("c1", "supported", supporting=("a#1",)),
        finding("c2", "not_found"),
        answer=answer,
        found=claims(answer, FIRST, SECOND),
    )
    assert cited(found) == (1.0, 0.5)


def test_citations_that_nobody_asked_for():
    plain = "Revenue was $412 million."
    found = made(
        finding("c1", "supported"), answer=plain, found=claims(plain, "Revenue was $412 million")
    )
    assert cited(found) == ("no_citations", "no_citations")
    given = made(
        finding("c1", "supported"),
        answer=plain,
        citations=[],
        found=claims(plain, "Revenue was $412 million"),
    )
    assert cited(given) == ("no_citations", 0.0)
    assert cited(made(answer="I do not know.")) == ("abstained", "abstained")
    assert cited(made(error="x")) == ("pipeline_error", "pipeline_error")


def test_what_carries_the_answer():
    answer = "The company is large. Revenue was $412 million. Its chair is Ada Brook."
    three = claims(
        answer, "The company is large", "Revenue was $412 million", "Its chair is Ada Brook"
    ).claims

    def carrying(query, reference, correct):
        sample = case(query=query, reference=reference, answer=answer).sample
        return set(carrying_claims(sample, three, correct=correct))

    assert carrying("What was the revenue?", ["$412 million"], True) == {"c2"}
    assert carrying("What was the revenue?", ["$500 million"], False) == {"c2"}
    assert carrying("Who is the chair?", ["Ada Brook"], True) == {"c3"}
    assert carrying("Who is the chair?", ["Tom Hale"], False) == {"c3"}
    assert carrying_claims(case().sample, (), correct=False) == frozenset()


def test_what_carries_a_yes():
    def carrying(query, reference, *texts):
        answer = " ".join(texts)
        sample = case(query=query, reference=[reference], answer=answer).sample
        return set(carrying_claims(sample, claims(answer, *texts).claims, correct=True))

    # the name, not the word
    assert carrying(
        "Was there a nominee with many votes against?",
        "Yes, Tom Hale",
        "Yes, there was one such nominee.",
        "Tom Hale got 16,105 votes against.",
    ) == {"c2"}
    # no amount that the question brings along
    assert carrying(
        "Do any regions bring more than 20% of sales?",
        "Yes, of those with more than 20% Hull brings 39%",
        "Yes, one region brings more than 20% of sales.",
        "Hull brings 39% of sales.",
    ) == {"c2"}


def test_what_states_nothing_does_not_count_for_faithfulness():
    answer = "Here are the figures: Revenue was $412 million."
    lead = "Here are the figures:"
    found = case(
        claims(answer, lead, "Revenue was $412 million."),
        support(finding("c1", "not_found"), finding("c2", "supported")),
        query="What was the revenue?",
        answer=answer,
        retrieved=[passage("d1", "Revenue was $412 million in 2017.")],
    )
    assert faithfulness.label(found).label == "faithful"
    assert faithfulness.METRICS[0].compute(found)["faithfulness"].value == 1.0
    denied = case(
        claims(answer, lead, "Revenue was $412 million."),
        support(finding("c1", "contradicted"), finding("c2", "supported")),
        query="What was the revenue?",
        answer=answer,
        retrieved=[passage("d1", "Revenue was $412 million in 2017.")],
    )
    assert faithfulness.label(denied).label == "unfaithful"


def test_questions_are_decided_where_there_is_nothing_to_ask():
    assert extraction(case()) is None
    assert extraction(case(answer="I do not know.")).decided
    assert not extraction(case(answer="It was 5.")).decided
    assert support_question(case(answer="It was 5.")) is None  # no context is known
    assert support_question(case(answer="It was 5.", retrieved=[PAGE])).decided  # no claims yet
    assert not support_question(made()).decided


@pytest.mark.parametrize(
    ("faithful_label", "cited_label", "expected"),
    [("unfaithful", "partial", (0.0, 0.5)), ("faithful", "unsupported", (1.0, 0.0))],
)
def test_people_set_the_scores_of_the_whole_answer(faithful_label, cited_label, expected):
    told = people("support", overall=Overall(label=faithful_label), citation_support=cited_label)
    found = made(finding("c1", None), finding("c2", None), extra=(told,))
    assert (faithful(found), cited(found)[0]) == expected


def test_a_claim_tells_its_kinds_and_stands_alone():
    answer = "It opened in 1911. Rent is $5."
    found = claim_results(
        case(
            claims(answer, "It opened in 1911.", "Rent is $5."),
            query="When did Arden Bank open?",
            answer=answer,
            retrieved=[passage("a#1", "x")],
        )
    )
    assert [(one.kinds, one.wording) for one in found] == [
        (("period",), "Arden Bank opened in 1911."),
        (("number", "unit"), None),
    ]
