"""Which claims need a citation: by hand, in several languages, and what follows for the metrics."""

from __future__ import annotations

import pytest

from ragdiag.answer import citing
from ragdiag.answer.claims import claim_results
from ragdiag.records import Claims, Settings
from tests.cases import case, claims, finding, passage, support

PAGE = passage("a#1", "Revenue was $412 million in 2017 and $300 million in 2016.")
NOTE = passage("a#2", "The chair is Ada Brook. Costs were $250 million in 2017.")
CITED = "Revenue was $412 million in 2017 and $300 million in 2016 [1]."
QUERY = "What was the revenue of Arden Bank in 2017?"


def needs(last: str, *, query: str = QUERY, first: str = CITED, told: bool = True) -> str | None:
    """Why the last of two claims needs no citation; None where it needs one."""
    answer = f"{first} {last}"
    found = claims(answer, first.removesuffix(" [1].").removesuffix("."), last)
    second = found.claims[1].model_copy(update={"needs_citation": told})
    found = found.model_copy(update={"claims": (found.claims[0], second)})
    results = claim_results(case(found, query=query, answer=answer, retrieved=[PAGE, NOTE]))
    assert results[1].needs_citation is (results[1].exempt is None)
    return results[1].exempt


@pytest.mark.parametrize(
    ("last", "exempt"),
    [
        # what states nothing of the matter
        ("I hope this helps!", "greeting"),
        ("Gerne helfe ich weiter.", "greeting"),
        ("希望对您有帮助。", "greeting"),
        ("Shall I look up 2018?", "question"),
        ("The documents do not say what it was in 2015.", "abstention"),
        ("The revenue of Arden Bank in 2017.", "restates_question"),
        ("There are two reasons for this:", "lead_in"),
        ("To find the growth, we need to divide the difference by the revenue.", "lead_in"),
        ("Let's calculate the growth.", "lead_in"),
        ("As an analyst, to assess the growth of Arden Bank, I would look at revenue.", "lead_in"),
        ("Um das Wachstum zu berechnen, teilen wir den Umsatz.", "lead_in"),
        ("Growth = (revenue of 2017 - revenue of 2016) / revenue of 2016", "lead_in"),
        ("Growth = $99 million / $300 million", None),
        ("To calculate the margin, the bank uses net sales.", None),
        ("We can see that revenue rose at the bank.", None),
        ("To find the growth, we need to subtract $99 million.", None),
        # what follows from cited claims
        ("The difference is $112 million.", "computed"),
        ("Revenue grew by 37.3%.", "computed"),
        ("Das ist ein Anstieg von 112 Millionen.", "computed"),
        ("合计712百万美元。", "computed"),
        ("412 - 300 = 112.", "computed"),
        ("(412 − 300) / 300 = 37.3%.", "computed"),
        ("412 - 310 = 102.", None),  # 310 stands nowhere
        ("412 - 300 = 122.", None),
        ("In summary, revenue was $412 million.", "summary"),
        ("总之，收入增长了。", "summary"),
        ("Therefore revenue rose.", "inference"),
        ("したがって、増加しました。", "inference"),
        ("Yes.", "inference"),
        # what states something of its own
        ("Costs were $250 million in 2017.", None),
        ("The chair is Ada Brook.", None),
        ("It was founded in 1911.", None),
        ("The bank is known for its service.", None),
        ("In summary, revenue was $500 million.", None),
        ("Overall, Ada Brook led it.", None),
        ("Therefore the chair, Ada Brook, resigned.", None),
        ("The difference is $113 million.", None),  # it is not
        ("There are 112 shops.", None),  # 412 - 300, but nothing speaks of a result
        ("In 2015 the difference was $112 million.", None),  # another period
        ("Fees are not included in the price.", None),
        ("Die Dokumente enthalten dazu keine Angaben.", "abstention"),
        ("If you cannot find it in the documents, ask the bank.", None),
        ("The average shop has four floors.", None),  # a count is no result
        ("Hello, costs were $250 million.", None),
        ("There are three shops: Hull, Leeds and York:", None),
    ],
)
def test_what_needs_none(last: str, exempt: str | None) -> None:
    assert needs(last) == exempt


def test_german_nouns_are_no_names() -> None:
    first = "Der Umsatz betrug 412 Millionen im Jahr 2017 [1]."
    assert needs("Zusammenfassend wuchs der Umsatz.", first=first) == "summary"
    assert needs("Der Vorstand beschloss die Ausschüttung.", first=first) is None


@pytest.mark.parametrize("last", ["Therefore revenue rose.", "In summary, it rose.", "Yes."])
def test_nothing_follows_from_claims_that_cite_nothing(last: str) -> None:
    assert needs(last, first="Revenue was $412 million in 2017.") is None


def test_who_extracts_the_claims_is_believed_unless_the_claim_states_something() -> None:
    assert needs("The bank is sound.", told=False) == "glue"
    assert needs("The bank earned $99 million.", told=False) is None


@pytest.mark.parametrize(
    ("query", "last", "exempt"),
    [
        ("Is Arden Bank profitable?", "Arden Bank is profitable.", None),  # that is the answer
        ("Ist die Arden Bank profitabel?", "Arden Bank ist profitabel.", None),
        ("What makes Arden Bank profitable?", "Arden Bank is profitable.", "restates_question"),
        ("What was rent in 2017?", "Rent in 2018.", None),
        ("Which rent does Arden Bank pay?", "Arden Bank does not pay rent.", None),
    ],
)
def test_saying_the_question_again(query: str, last: str, exempt: str | None) -> None:
    assert needs(last, query=query) == exempt


def completeness(found: Claims, answer: str, *findings: object, **more: object) -> object:
    told = case(
        found, support(*findings), answer=answer, query=QUERY, retrieved=[PAGE, NOTE], **more
    )  # type: ignore[arg-type]
    metric = next(m for m in citing.METRICS if m.name == "citation_completeness")
    score = metric.compute(told)["citation_completeness"]
    return score.reason if score.value is None else score.value


def test_completeness_by_hand() -> None:
    first, second = CITED.removesuffix(" [1]."), "Revenue grew by 37.3%."
    third, fourth = "Costs were $250 million in 2017.", "I hope this helps!"
    answer = f"{CITED} {second} {third} {fourth}"
    # two of four need one (revenue, costs), one of them has one
    assert completeness(claims(answer, first, second, third, fourth), answer) == 0.5
    assert completeness(claims(answer, first, second, fourth), answer) == 1.0
    greeting = "I hope this helps! [1]"
    assert completeness(claims(greeting, fourth), greeting) == "no_claims"


def test_a_list_of_sources_speaks_for_the_claims_that_cite_nothing() -> None:
    one, two = "Revenue was $412 million in 2017", "The chair is Ada Brook."
    answer = f"{one} [1]. {two}\n\nSources: [1], [2]"
    found = case(
        claims(answer, one, two),
        support(
            finding("c1", "supported", supporting=("a#1",)),
            finding("c2", "supported", supporting=("a#2",)),
        ),
        answer=answer, query=QUERY, retrieved=[PAGE, NOTE],
    )  # fmt: skip
    assert [c.cited for c in claim_results(found)] == [("a#1",), ("a#2",)]
    assert [c.citation_label for c in claim_results(found)] == ["supported", "supported"]
    told = citing.citation_results(found)
    assert [(c.passage_id, c.status, c.whole) for c in told] == [
        ("a#1", "right", False),
        ("a#2", "right", True),
    ]


ANSWER = "Revenue was $412 million [1][2]."
CLAIM = "Revenue was $412 million"


@pytest.mark.parametrize(
    ("label", "supporting", "joint", "by_support", "by_alce", "of_claim"),
    [
        # both alone: neither is irrelevant
        ("supported", ("a#1", "a#2"), (), ("right", "right"), ("right", "right"), "supported"),
        # a union supports together
        ("supported", (), ("a#1", "a#2"), ("right", "right"), ("right", "right"), "supported"),
        # one alone, the other a part of another joint support: irrelevant, as ALCE has it
        ("supported", ("a#1",), ("a#2", "a#3"), ("right", "right"), ("right", "irrelevant"),
         "supported"),
        # one alone, the other bears nothing
        ("supported", ("a#1",), (), ("right", "wrong"), ("right", "wrong"), "supported"),
        # a needed part that is not cited does not make the cited ones wrong
        ("supported", (), ("a#1", "a#2", "a#3"), ("right", "right"), ("right", "right"),
         "partial"),
        # supported in part: ALCE's own rule counts 0 here
        ("partial", ("a#1",), (), ("right", "wrong"), ("right", "wrong"), "partial"),
        ("partial", (), ("a#1", "a#2"), ("right", "right"), ("right", "right"), "partial"),
        ("not_found", (), (), ("wrong", "wrong"), ("wrong", "wrong"), "unsupported"),
        ("contradicted", (), (), ("wrong", "wrong"), ("wrong", "wrong"), "unsupported"),
        (None, (), (), ("undecided", "undecided"), ("undecided", "undecided"), None),
    ],
)  # fmt: skip
def test_each_citation_by_both_rules(
    label: str | None,
    supporting: tuple[str, ...],
    joint: tuple[str, ...],
    by_support: tuple[str, str],
    by_alce: tuple[str, str],
    of_claim: str | None,
) -> None:
    for rule, expected in (("support", by_support), ("alce", by_alce)):
        found = case(
            claims(ANSWER, CLAIM),
            support(finding("c1", label, supporting=supporting, joint=joint)),
            settings=Settings(citation_rule=rule),  # type: ignore[arg-type]
            answer=ANSWER,
            retrieved=[PAGE, NOTE, passage("a#3", "x")],
        )
        told = citing.citation_results(found)
        assert tuple(c.status for c in told) == expected, rule
        assert claim_results(found)[0].citation_label == of_claim
        metric = next(m for m in citing.METRICS if m.name == "citation_correctness")
        value = metric.compute(found)["citation_correctness"].value
        if "undecided" not in expected:
            assert value == expected.count("right") / 2


def test_a_number_that_no_float_can_hold_follows_from_nothing() -> None:
    huge = "9" * 400
    assert needs(f"The total is {huge}.") is None
    assert needs("The total is 712.", first=f"It was {huge} and 300 [1].") is None
