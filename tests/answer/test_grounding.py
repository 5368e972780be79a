"""A right number that stands nowhere in the context is no fabrication if it follows from it."""

from __future__ import annotations

import pytest

from ragdiag.answer.claims import claim_results
from ragdiag.answer.worked import worked_numbers
from tests.cases import case, claims, finding, passage, people, support

TABLE = passage(
    "a#1",
    "Equity liquids production (thousand barrels per day)\n"
    "| Area | 2017 | 2016 |\n| --- | --- | --- |\n"
    "| Block 15 | 41.3 | 44.1 |\n| Block 17 | 128.6 | 131.2 |\n| Block 31 | 39.9 | 42.7 |\n"
    "| Total outside the home country | 489.7 | 501.4 |\n",
)
PROSE = passage("a#2", "The chair of the board is Ada Brook. The head office is in Sandvik.")
GOLD = [[{"passage_id": "a#1"}]]
QUERY = "In 2017, what share of liquids production outside the home country came from the blocks?"


def only(answer, reference, label="not_found", *, gold=GOLD, query=QUERY, context=(TABLE, PROSE)):
    text = answer.rstrip(".")
    found = case(
        claims(answer, text),
        support(finding("c1", label)),
        query=query,
        reference=[reference],
        retrieved=list(context),
        gold=gold,
        answer=answer,
    )
    (told,) = claim_results(found)
    return told


def test_a_computed_share_is_supported_by_its_expression():
    # (41.3 + 128.6 + 39.9) / 489.7 = 209.8 / 489.7 = 42.84%
    told = only("The three blocks had a share of 42.8%.", "42.8%")
    assert (told.label, told.basis, told.supporting) == ("supported", "deterministic", ("a#1",))
    for operand in ("41.3", "128.6", "39.9", "489.7"):
        assert operand in told.reason


def test_a_wrong_share_is_not_supported():
    told = only("The three blocks had a share of 47.3%.", "42.8%")
    assert (told.label, told.basis) == ("not_found", "judged")


def test_a_value_that_stands_in_gold_is_supported():
    asked = "What did Block 17 produce in 2017, in thousand barrels per day?"
    told = only("It produced 128.6 thousand barrels.", "128.6 thousand barrels", query=asked)
    assert (told.label, told.basis) == ("supported", "deterministic")
    assert "128.6" in told.reason


def test_a_phrase_that_stands_in_gold_is_supported():
    told = only(
        "It is Ada Brook.", "Ada Brook", gold=[[{"passage_id": "a#2"}]], query="Who chairs?"
    )
    assert (told.label, told.quote) == ("supported", "Ada Brook")


def test_never_by_a_yes_or_no():
    told = only("Yes, it is.", "Yes", gold=[[{"passage_id": "a#2"}]], query="Is there a chair?")
    assert told.label == "not_found"


def test_outside_of_gold_few_digits_prove_nothing():
    other = [[{"passage_id": "z#9"}]]
    assert only("It was 41.3.", "41.3", gold=other).label == "not_found"  # three digits


def test_people_are_not_overruled():
    answer = "Block 17 produced 128.6 thousand barrels."
    text = answer.rstrip(".")
    told = support(finding("c1", "not_found")).model_copy(
        update={"basis": "labels", "judge": "people"}
    )
    found = case(
        claims(answer, text),
        told,
        query=QUERY,
        reference=["128.6"],
        retrieved=[TABLE],
        gold=GOLD,
        answer=answer,
    )
    assert claim_results(found)[0].label == "not_found"


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        ("Block 15 made 41.3 and Block 31 made 39.9, together 81.2.", ["41.3", "39.9", "81.2"]),
        ("It made 17.5.", []),
    ],
)
def test_the_numbers_that_an_answer_works_with(answer, values):
    found = case(query=QUERY, retrieved=[TABLE], gold=GOLD, answer=answer)
    assert [str(one.value) for one in worked_numbers(found)] == values


def test_a_conclusion_rests_on_the_numbers_that_it_compares():
    answer = "In 2017 it was 489.7 and in 2016 it was 501.4. So production fell."
    found = case(
        claims(answer, "In 2017 it was 489.7 and in 2016 it was 501.4", "So production fell"),
        support(finding("c1", "supported", supporting=("a#1",)), finding("c2", "not_found")),
        people("correctness", "correct"),
        query="Did production outside the home country fall in 2017?",
        reference=["Yes, production fell."],
        retrieved=[TABLE],
        gold=GOLD,
        answer=answer,
    )
    told = claim_results(found)[1]
    assert (told.carries_answer, told.label, told.basis) == (True, "supported", "deterministic")
    assert "489.7" in told.reason
    assert "501.4" in told.reason


STAFF = passage("a#3", "At the end of 2016 it had 20,917 staff. Ada Brook led it in 2016.")
CAPEX = passage("a#4", "Capital expenditure was $398 million in 2016 and $350 million in 2015.")


@pytest.mark.parametrize(
    ("answer", "reference", "context", "supported"),
    [
        ("At the end of 2016 it had 20,917 staff.", "20,917", STAFF, True),
        ("At the end of 2015 it had 20,917 staff.", "20,917", STAFF, False),  # right by its number
        ("At the end of 2015 it had 20,917 staff.", "21,683", STAFF, False),
        ("At the end of 2016 it had 20,917 staff.", "21,683", STAFF, True),
        ("In 2015 capital expenditure was $350 million.", "$350 million", CAPEX, True),
        ("In 2016 capital expenditure was $350 million.", "$350 million", CAPEX, False),
        ("In 2016 Block 17 produced 131.2.", "131.2", TABLE, True),
        ("In 2017 Block 17 produced 131.2.", "131.2", TABLE, False),
        ("The total's change in 2014 was 11.7.", "11.7", TABLE, False),  # 501.4 - 489.7
        ("The total's change from 2016 to 2017 was 11.7.", "11.7", TABLE, True),
        ("Ada Brook led it in 2016.", "Ada Brook", STAFF, True),
        ("Ada Brook led it in 2011.", "Ada Brook", STAFF, False),
    ],
)
def test_what_stands_under_another_period_supports_nothing(answer, reference, context, supported):
    gold = [[{"passage_id": context["passage_id"]}]]
    told = only(answer, reference, None, gold=gold, query="Asked?", context=(context,))
    assert (told.label == "supported") is supported


RATIO = passage(
    "a#5",
    "Balance sheet\n| (in thousands) | 2017 | 2016 |\n| --- | --- | --- |\n"
    "| Totalcurrentassets | 1,577,410 | 1,373,220 |\n| Total current liabilities | 912,640 | 804,150 |\n",
)


def of_answer(*texts, reference="1.73", labels=None, query="What is the current ratio of 2017?"):
    answer = "\n".join(texts)
    found = case(
        claims(answer, *texts),
        support(*(finding(f"c{n}", label) for n, label in enumerate(labels, 1))),
        query=query,
        reference=[reference],
        retrieved=[RATIO],
        gold=[[{"passage_id": "a#5"}]],
        answer=answer,
    )
    return claim_results(found)


@pytest.mark.parametrize(
    ("step", "label"),
    [
        ("Ratio = $1,577,410 / $912,640", "supported"),
        ("Ratio = 1,577,410 / 912,640 = 1.73", "supported"),
        ("Ratio = 1,577,410 / 912,640 = 1.72", "supported"),  # cut, not rounded
        ("Ratio = 1,577,410 / 912,640 = 1.93", "not_found"),  # it is not
        ("Ratio = 1,577,410 / 912,640 = 804,150", "not_found"),  # known, but not its result
        ("Ratio = 1,577,410 / 912,649", "not_found"),  # stands nowhere
        ("Ratio of 1,577,410 to 912,649", "not_found"),
        ("Margin = 4 / 5", "not_found"),  # few digits
    ],
)
def test_a_shown_step_over_numbers_of_the_context(step, label):
    *_, told = of_answer("The ratio is 1.73.", step, labels=("not_found", "not_found"))
    assert told.label == label


def test_a_result_before_its_operands_is_explained_by_what_the_answer_shows():
    first, _ = of_answer(
        "The current ratio is 1.73.",
        "It is total current assets ($1,577,410) over total current liabilities ($912,640).",
        labels=("not_found", "not_found"),
    )
    assert (first.label, first.reason) == ("supported", "1577410 / 912640 = 1.73")


def test_a_row_of_which_the_spaces_are_lost():
    _, told = of_answer(
        "The ratio is 1.73.", "In 2017 total current assets were 1,577,410.", labels=(None, None)
    )
    assert told.label == "supported"


def test_code_confirms_what_a_judge_found():
    told = only("Block 17 had 128.6.", "128.6", "supported", query="What did Block 17 have?")
    assert (told.label, told.basis, told.supporting) == ("supported", "deterministic", ("a#1",))
    # elsewhere than in gold only with four digits
    few = only("Block 17 had 128.6.", "128.6", "supported", gold=[[{"passage_id": "a#2"}]])
    assert few.basis == "deterministic"
    fewer = only("Block 31 had 39.9.", "39.9", "supported", gold=[[{"passage_id": "a#2"}]])
    assert fewer.basis == "judged"
    wrong = only("Block 17 had 128.6.", "39.9", "supported")
    assert wrong.basis == "judged"
