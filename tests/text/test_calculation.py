"""Right numbers are derived from the text, wrong ones get the name of their mistake."""

from __future__ import annotations

import json
import random
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ragdiag.text.calculation import Operand, derive, explain, operands_of
from ragdiag.text.calculation.expressions import evaluate, read_expression, shown_work

CAPEX = """Cash flow (in millions)

| | 2018 | 2017 | 2016 |
|---|---:|---:|---:|
| Capex | 1,577 | 1,373 | 1,420 |
| Sales | 32,765 | 31,657 | 30,109 |
"""
BLOCKS = """Equity liquids production, kboe per day

| Block | 2023 | 2022 |
|---|---|---|
| Alpha | 12.5 | 11.0 |
| Beta | 30.1 | 28.4 |
| Gamma | 7.4 | 7.0 |
| Delta | 61.0 | 60.2 |
| Total | 210.4 | 198.6 |
"""
OPERANDS = operands_of(CAPEX, "p1", "d1")
OTHER = operands_of(CAPEX.replace("1,577", "2,222").replace("1,373", "1,999"), "p2", "d2")
PAIR = [one for one in OPERANDS if one.row == "Capex" and one.column in ("2018", "2017")]
CELL = PAIR[:1]
ALL_BLOCKS = operands_of(BLOCKS, "p1", "d1")
SHARE = [one for one in ALL_BLOCKS if one.column == "2023" and one.row != "Delta"]


@pytest.mark.parametrize(
    ("value", "form", "expression"),
    [
        ("1577", "lookup", "1577 = 1577"),
        ("$1.577 billion", "lookup", "1577 = $1.577 billion"),
        ("$1.6 billion", "lookup", "1577 = $1.6 billion"),
        ("204", "difference", "1577 - 1373 = 204"),
        ("$204 million", "difference", "1577 - 1373 = $204 million"),
        ("2,950", "sum", "1577 + 1373 = 2,950"),
        ("1,475", "mean", "mean(1577, 1373) = 1,475"),
        ("14.9%", "change", "(1577 - 1373) / 1373 = 14.9%"),  # 204 / 1373 = 0.14858
        ("-14.9%", "change", "(1577 - 1373) / 1373 = -14.9%"),
        ("1.149", "ratio", "1577 / 1373 = 1.149"),  # 1.14858
    ],
)
def test_a_right_number_is_derived_from_gold_operands(
    value: str, form: str, expression: str
) -> None:
    found = derive(value, PAIR, gold=True)
    assert found is not None
    assert (found.form, found.expression, found.unique) == (form, expression, True)


def test_growth_over_the_years_between_two_columns() -> None:
    ends = [one for one in OPERANDS if one.row == "Sales" and one.column in ("2018", "2016")]
    found = derive("4.32%", ends, gold=True)  # (32765 / 30109) ^ (1/2) = 1.04317
    assert found is not None
    assert (found.form, found.expression) == ("growth", "(32765 / 30109) ^ (1/2) - 1 = 4.32%")


def test_three_blocks_over_the_total() -> None:
    found = derive("23.8%", SHARE, gold=True)  # (12.5 + 30.1 + 7.4) / 210.4 = 50 / 210.4
    assert found is not None
    assert found.form == "share"
    assert found.expression == "(12.5 + 30.1 + 7.4) / 210.4 = 23.8%"
    assert [one.row for one in found.operands] == ["Alpha", "Beta", "Gamma", "Total"]


@pytest.mark.parametrize(
    ("answer", "cause", "how"),
    [
        ("23.8%", "ok", "(12.5 + 30.1 + 7.4) / 210.4"),
        ("7.9%", "wrong_formula", "mean(12.5, 30.1, 7.4) / 210.4"),  # mean in place of sum
        ("50.0", "wrong_formula", "12.5 + 30.1 + 7.4"),  # not divided
        ("20.2%", "wrong_formula", "(12.5 + 30.1) / 210.4"),  # a block forgotten
        ("10,520", "wrong_formula", "(12.5 + 30.1 + 7.4) * 210.4"),  # a product
        ("4.208", "inverted", "210.4 / (12.5 + 30.1 + 7.4)"),
        ("82.0%", "wrong_metric", "(12.5 + 30.1 + 7.4) / 61"),  # Delta's as the total
        ("25.2%", "wrong_period", "(12.5 + 30.1 + 7.4) / 198.6"),  # the total of 2022
        ("23.4%", "wrong_period", "(11 + 28.4 + 7) / 198.6"),  # all of 2022: 46.4 / 198.6
        ("91.3%", "unexplained", ""),
    ],
)
def test_three_blocks_wrongly_combined(answer: str, cause: str, how: str) -> None:
    found = explain(answer, "23.8%", SHARE, neighbours=ALL_BLOCKS, gold=True)
    assert found.cause == cause
    assert found.expression == (f"{how} = {answer}" if how else "")
    assert found.reference_expression == "(12.5 + 30.1 + 7.4) / 210.4 = 23.8%"


@pytest.mark.parametrize(
    ("answer", "cause", "detail"),
    [
        ("14.9%", "ok", "exact"),
        ("14.86%", "ok", "rounding"),
        ("0.149", "ok", "percent_fraction"),
        ("-14.9%", "sign_rounding_format", "sign"),
        ("14.8%", "sign_rounding_format", "rounding"),  # 14.858 cut off
        ("1,490%", "scale", "percent"),
        ("0.149%", "scale", "percent"),
        ("12.9%", "inverted", ""),  # 204 / 1577 = 0.12936
        ("$204 million", "wrong_formula", ""),
        ("114.9%", "wrong_formula", ""),  # 1577 / 1373
        ("3.5%", "wrong_metric", ""),  # sales: 1108 / 31657 = 0.0350
        ("11.1%", "wrong_period", ""),  # against 2016: 157 / 1420 = 0.11056
        ("11.2%", "wrong_entity", ""),  # the other company: 223 / 1999 = 0.11156
        ("$1,577 million", "operand_returned", ""),
        ("77.7%", "unexplained", ""),
        ("up a lot", "unexplained", "no_number"),
    ],
)
def test_a_wrong_change_gets_its_cause(answer: str, cause: str, detail: str) -> None:
    found = explain(answer, "14.9%", PAIR, neighbours=[*OPERANDS, *OTHER], gold=True)
    assert (found.cause, found.detail) == (cause, detail)


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ("$1,577 million", "ok"),
        ("$1.6 billion", "ok"),
        ("$1,373 million", "wrong_period"),
        ("$32,765 million", "wrong_metric"),
        ("$2,222 million", "wrong_entity"),
        ("$1,577", "scale"),
        ("$1.577 million", "scale"),
        ("EUR 1,577 million", "scale"),
        ("-$1,577 million", "sign_rounding_format"),
        ("$9,876 million", "unexplained"),
    ],
)
def test_a_wrong_cell_gets_its_cause(answer: str, cause: str) -> None:
    found = explain(answer, "$1,577 million", CELL, neighbours=[*OPERANDS, *OTHER], gold=True)
    assert found.cause == cause


def test_a_bare_number_is_right_where_the_question_names_the_scale() -> None:
    found = explain("1577", "$1,577 million", CELL, query="Capex in USD millions?", gold=True)
    assert found.cause == "ok"
    found = explain("$1.577 billion", "1577.00", CELL, gold=True)
    assert found.cause == "ok"


@pytest.mark.parametrize(
    ("answer", "cause", "detail"),
    [
        ("The change is (1,577 - 1,373) / 1,373 = 15.9%.", "wrong_formula", "arithmetic"),
        ("(1,577 - 1,373) / 1,373 = 0.1486 = 14.9%", "ok", "percent_fraction"),
        (r"\[ \frac{1577 - 1420}{1420} \times 100 = 11.1\% \]", "wrong_period", ""),
        ("(1,577 - 1,373) / 1,577 = 12.9%", "inverted", ""),
        ("1,577 / 1,373 = 1.149, so 1.149 / 2 = 0.574", "unexplained", ""),
    ],
)
def test_shown_work_is_evaluated(answer: str, cause: str, detail: str) -> None:
    found = explain(answer, "14.9%", PAIR, neighbours=OPERANDS, gold=True)
    assert (found.cause, found.detail) == (cause, detail)


@pytest.mark.parametrize(
    ("text", "consistent"),
    [
        ("(7 - 3) / 7 = 4 / 7 = 57.1%", [True]),
        ("(66,608 - 63,078) / 66,608 = $3,530 million / 66,608 = 5.3%", [True]),
        ("(7 - 3) / 7 = 5 / 7 = 71.4%", [False, True]),  # 4, not 5
    ],
)
def test_a_chain_of_steps_may_show_an_expression_as_result(
    text: str, consistent: list[bool]
) -> None:
    assert [step.consistent for step in shown_work(text)] == consistent


def test_arithmetic_says_what_the_step_comes_to() -> None:
    found = explain("1,577 - 1,373 = 214", "204", PAIR, gold=True)
    assert found.cause == "wrong_formula"
    assert found.expression == "1577 - 1373 = 204, stated as 214"
    assert found.certain


def test_a_hint_gives_the_true_expression() -> None:
    hint = "(1,577 - 1,373) / 1,373 * 100"
    found = explain("114.9%", "14.9%", OPERANDS, expression_hint=hint)
    assert found.cause == "wrong_formula"
    assert found.certain
    assert found.reference_expression.startswith("((1577 - 1373) / 1373) * 100")


def test_a_whole_context_needs_four_digits_and_one_expression() -> None:
    assert derive("14.9%", OPERANDS) is None  # three digits
    found = derive("14.86%", OPERANDS)
    assert found is not None
    assert found.expression == "(1577 - 1373) / 1373 = 14.86%"
    assert derive("14.9%", OPERANDS, min_significant=3) is not None
    twice = operands_of(
        "| | 2018 | 2017 |\n|-|-|-|\n| A | 5,000 | 3,765 |\n| B | 4,000 | 2,765 |\n"
    )
    assert derive("1,235", twice) is None  # 5000 - 3765 and 4000 - 2765
    assert derive("1,235", twice, unique=False) is not None


def test_a_possible_cause_is_not_certain() -> None:
    guessed = explain("11%", "15%", OPERANDS)
    assert not guessed.certain
    known = explain("12.94%", "14.86%", OPERANDS)
    assert (known.cause, known.certain) == ("inverted", True)


def test_without_a_reference_only_the_work_and_the_derivation_are_told() -> None:
    assert explain("14.86%", None, OPERANDS).cause == "ok"
    assert explain("1,577 - 1,373 = 214", None, OPERANDS).detail == "arithmetic"
    assert explain("77.77%", None, OPERANDS).cause == "unexplained"


@pytest.mark.parametrize("value", ["", "no number", "0"])
def test_nothing_to_derive(value: str) -> None:
    assert derive(value, OPERANDS, gold=True) is None
    assert derive("12", [], gold=True) is None


def test_units_do_not_mix() -> None:
    mixed = operands_of("| | 2018 |\n|-|-|\n| Rate | 14.9% |\n| Price | $14.9 |\n")
    assert [one.row for one in derive("14.9%", mixed, gold=True).operands] == ["Rate"]  # type: ignore[union-attr]
    assert [one.row for one in derive("$14.9", mixed, gold=True).operands] == ["Price"]  # type: ignore[union-attr]
    assert derive("EUR 14.9", mixed, gold=True) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("10 / 4 - 1", "1.5"),
        ("-2 × (3 − 1)", "-4"),
        ("50% * 8", "4"),
        ("1.5 million / 3", "500000"),
    ],
)
def test_expressions_are_read_and_evaluated(text: str, value: str) -> None:
    expr = read_expression(text)
    assert expr is not None
    assert evaluate(expr) == Decimal(value)


@pytest.mark.parametrize("text", ["", "7", "2 +", "(2 + 3", "2 ** 3 4", "import os", "(" * 5000])
def test_what_is_no_expression(text: str) -> None:
    assert read_expression(text) is None


def test_division_by_zero_is_undefined() -> None:
    (step,) = shown_work("1 / (2 - 2) = 5")
    assert step.value is None
    assert not step.consistent


# ---- TAT-QA --------------------------------------------------------------------------------------


def _tatqa(shared: Path) -> list[tuple[dict[str, Any], list[Operand], list[Operand], str]]:
    """Arithmetic questions: the question, all operands, the gold operands, the gold answer."""
    folder = shared / "data" / "tatqa_test"
    contexts: dict[str, tuple[dict[tuple[int, int], int], list[Operand]]] = {}
    for line in (folder / "contexts.jsonl").read_text("utf-8").splitlines():
        context = json.loads(line)
        text, starts = "", {}
        for r, row in enumerate(context["table"]):
            text += "|"
            for c, cell in enumerate(row):
                starts[r, c] = len(text) + 1
                text += f" {cell.replace('|', '/')} |"
            text += "\n"
        contexts[context["ctx_id"]] = (starts, operands_of(text, "p", context["ctx_id"]))
    found = []
    for line in (folder / "questions.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)
        if question["answer_type"] != "arithmetic" or question["answer_from"] == "text":
            continue
        starts, operands = contexts[question["ctx_id"]]
        cells = [tuple(m["table"]) for m in question["mappings"] if "table" in m]
        if len(cells) < len(question["mappings"]):
            continue
        at = {starts[r, c] for r, c in cells}
        gold = [one for one in operands if any(s <= one.start <= s + 3 for s in at)]
        scale = question["scale"]
        end = "%" if scale == "percent" else f" {scale}" if scale else ""
        found.append((question, operands, gold, f"{Decimal(str(question['answer'])):f}{end}"))
    return found


def test_tatqa_answers_follow_from_their_gold_operands(shared: Path) -> None:
    items = _tatqa(shared)
    explained = sum(derive(answer, gold, gold=True) is not None for _, _, gold, answer in items)
    assert explained / len(items) >= 0.92


def test_tatqa_unrelated_answers_are_not_explained(shared: Path) -> None:
    items = _tatqa(shared)
    rng = random.Random(7)
    by_gold = by_table = n = 0
    for question, operands, gold, _ in items:
        other, _, _, answer = rng.choice(items)
        if other["ctx_id"] == question["ctx_id"]:
            continue
        n += 1
        by_gold += derive(answer, gold, gold=True) is not None
        by_table += derive(answer, operands, query=question["question"]) is not None
    assert by_gold / n <= 0.04
    assert by_table / n <= 0.04


def test_tatqa_wrong_cells_are_named(shared: Path) -> None:
    """One operand of a difference is taken from its row or column: period or metric is named."""
    right = n = 0
    for question, operands, gold, answer in _tatqa(shared):
        plain_difference = re.fullmatch(r"\s*[\d,.]+\s*-\s*[\d,.]+\s*", question["derivation"])
        if plain_difference is None or len(gold) != 2:
            continue
        first, second = gold
        for key in ("line", "place"):
            for one in operands:
                same = one.table == first.table and getattr(one, key) == getattr(first, key)
                if not same or one in gold or one.unit != first.unit:
                    continue
                wrong = f"{abs(one.written - second.written):f} {question['scale']}"
                if explain(wrong, answer, gold).cause in ("ok", "sign_rounding_format"):
                    continue
                found = explain(wrong, answer, gold, neighbours=operands, gold=True)
                n += 1
                right += found.cause in ("wrong_period", "wrong_metric")
                break
    assert n >= 100
    assert right / n >= 0.9


@pytest.mark.parametrize(
    ("value", "form", "used"),
    [
        ("661.33", "mean", [1905, 79, 0]),
        ("1,984", "sum", [1905, 79, 0]),
        ("1,826", "difference", [1905, 79]),
        ("39.5", "mean", [79, 0]),
    ],
)
def test_a_dash_counts_in_a_mean_and_adds_nothing(value: str, form: str, used: list[int]) -> None:
    table = "| | 2019 | 2018 | 2017 |\n|---|---|---|---|\n| Notes | 1,905 | 79 | – |\n"
    found = derive(value, operands_of(table), gold=True)
    assert found is not None
    assert found.form == form
    assert [one.value for one in found.operands] == used


def test_what_fell_to_nothing_changed_by_all_of_it() -> None:
    table = "| | 2019 | 2018 |\n|---|---|---|\n| Notes | – | 7,301 |\n"
    found = derive("100%", operands_of(table), gold=True)
    assert found is not None
    assert (found.form, found.expression) == ("change", "(0 - 7301) / 7301 = 100%")


def test_many_dashes_do_not_push_numbers_out_of_the_search() -> None:
    rows = "".join(f"| Row {n} | – | – |\n" for n in range(40))
    table = f"| | 2019 | 2018 |\n|---|---|---|\n| First | 5 | 6 |\n{rows}| Last | 7,301 | 1,119 |\n"
    found = derive("8,420", operands_of(table), gold=True)
    assert found is not None
    assert [one.value for one in found.operands] == [7301, 1119]
