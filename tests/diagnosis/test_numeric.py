"""Wrong numbers with known causes, and when a number is asked for at all."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag.diagnosis import numeric
from ragdiag.diagnosis.numeric import is_amount, numeric_of
from ragdiag.diagnosis.state import VALUES
from ragdiag.records import Sample, Settings
from ragdiag.text.calculation import Explanation
from ragdiag.text.case import Case

TABLE = (
    "Sales of power (in millions of euros)\n\n| | 2023 | 2022 |\n|---|---|---|\n"
    "| Wind | 4,137 | 3,652 |\n| Hydro | 3,021 | 2,874 |\n| Total | 7,158 | 6,526 |\n"
)
WIDE = (
    "Power by quarter (in millions of euros)\n\n| | Q1 | Q2 | Q3 | Q4 |\n|---|---|---|---|---|\n"
    "| Wind | 51.2 | 47.4 | 38.6 | 66.1 |\n| Hydro | 33.9 | 71.3 | 48.7 | 29.8 |\n"
    "| Solar | 12.4 | 30.6 | 34.2 | 9.5 |\n| Gas | 21.7 | 15.8 | 11.3 | 27.9 |\n"
)


def case(answer: str, first: str, *, query: str = "", table: str = TABLE, **fields: Any) -> Case:
    given = {
        "query_id": "q",
        "query": query or "What was the revenue from wind power in 2023, in millions of euros?",
        "reference": [first],
        "gold": [[{"passage_id": "g"}]],
        "retrieved": [{"passage_id": "g", "text": table}],
        "answer": answer,
    }
    return Case(Sample.model_validate(given | fields), settings=Settings())


SHARE = "What share of the power sold in 2023 was wind power, in percent?"


@pytest.mark.parametrize(
    ("value", "answer", "reference", "query"),
    [
        ("ok", "4,137 million euros, and hydro fell.", "4,137 million euros", ""),
        ("wrong_period", "3,652 million euros.", "4,137 million euros", ""),
        ("wrong_metric", "3,021 million euros.", "4,137 million euros", ""),
        ("scale", "4,137 thousand euros.", "4,137 million euros", ""),
        ("sign_rounding_format", "-4,137 million euros.", "4,137 million euros", ""),
        # 4,137 / 7,158 = 57.8%; inverted 173.0%; over hydro alone 136.9%.
        ("wrong_formula", "It was 7,158 / 4,137 = 173.0%.", "57.8%", SHARE),
        ("wrong_formula", "It was 4,137 / 7,158 = 75.8%.", "57.8%", SHARE),
        ("unexplained", "It was 9,999 million euros.", "4,137 million euros", ""),
        ("unexplained", "I know the answer by heart.", "4,137 million euros", ""),
        ("none", "In Norway.", "In the north of Sweden", ""),
    ],
)
def test_value(value: str, answer: str, reference: str, query: str) -> None:
    assert numeric_of(case(answer, reference, query=query)).values == (value,)


@pytest.mark.parametrize(
    ("cause", "certain", "values"),
    [
        ("ok", False, ("ok",)),
        ("unexplained", False, ("unexplained",)),
        ("wrong_entity", True, ("wrong_entity",)),
        ("wrong_entity", False, ("wrong_entity", "unexplained")),
        ("inverted", True, ("wrong_formula",)),
        ("operand_returned", False, ("wrong_formula", "unexplained")),
        ("scale", True, ("scale",)),
    ],
)
def test_only_possible_is_never_asserted(
    cause: str, certain: bool, values: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(*_args: object, **_kwargs: object) -> Explanation:
        return Explanation(cause, expression="1 + 1 = 3", certain=certain)  # type: ignore[arg-type]

    monkeypatch.setattr(numeric, "explain", told)
    found = numeric_of(case("3 million euros", "2 million euros"))
    assert found.values == values
    assert set(found.values) <= set(VALUES["numeric"])
    assert ("only" in found.proof) == (len(values) > 1)


def test_shown_work_over_the_right_operands_is_exact() -> None:
    # Three digits among sixteen gold numbers may be chance; the shown work is not.
    found = numeric_of(
        case(
            "Together they sold 51.2 + 33.9 - 12.4 = 72.7 million euros.",
            "97.5 million euros",
            query="How much wind, hydro and solar power was sold in Q1, in million euros?",
            table=WIDE,
        )
    )
    assert found.values == ("wrong_formula",)
    assert found.proof["expression"] == "(51.2 + 33.9) - 12.4 = 72.7 million"


def test_operands_come_from_gold_first() -> None:
    other = {"passage_id": "o", "text": "Wind 2021: 3,415 million euros."}
    gold = {"passage_id": "g", "text": TABLE}
    found = numeric_of(case("3,652 million euros.", "4,137 million euros", retrieved=[other, gold]))
    assert found.proof["operands_from"] == "gold"
    own_text = [[{"doc_id": "d", "page": 3, "text": TABLE}]]
    found = numeric_of(
        case("3,652 million euros.", "4,137 million euros", gold=own_text, retrieved=[other])
    )
    assert found.proof["operands_from"] == "gold"
    assert (
        numeric_of(case("1 million euros", "4,137 million euros", gold=[])).proof["operands_from"]
        == "context"
    )


def test_the_best_fitting_reference_counts() -> None:
    found = numeric_of(
        case(
            "4,137 million euros",
            "9,999 million euros",
            reference=["9,999 million euros", "4,137 million euros"],
        )
    )
    assert found.values == ("ok",)


@pytest.mark.parametrize(
    ("asked", "reference", "query"),
    [
        (True, "$1,577 million", ""),
        (True, "0.66", ""),
        (True, "12 percent", ""),
        (False, "1911", "When was it founded?"),
        (False, "In May 2023", ""),
        (False, "Yes, it rose by 3 percent", "Did it rise?"),
        (False, "Wind power, because the turbines of 2019 were replaced by 14 new ones", "Why?"),
        (True, "Sales of wind power came to 4,137 million euros that year", "How much was sold?"),
        (False, "Norra Energy", "Who?"),
    ],
)
def test_is_amount(asked: bool, reference: str, query: str) -> None:
    assert is_amount(reference, query=query) is asked


def test_the_order_of_gold_sets_tells_nothing() -> None:
    passages = [
        {"passage_id": "g", "text": TABLE},
        {"passage_id": "h", "text": "Wind power brought in 4,137 million euros in 2023."},
    ]
    for order in ("gh", "hg"):
        found = numeric_of(
            case(
                "3,652 million euros.",
                "4,137 million euros",
                gold=[[{"passage_id": name}] for name in order],
                retrieved=passages,
            )
        )
        assert found.values == ("wrong_period",)
        assert found.proof["operands_from"] == "gold"
