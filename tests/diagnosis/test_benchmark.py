"""What benchmarks/diagnosis.py counts: states, unknowns, families, and shares by question."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ragdiag.diagnosis.catalogue import CODES, UNDETERMINED
from ragdiag.diagnosis.state import INPUTS, VALUES
from ragdiag.diagnosis.unknowns import resolve
from ragdiag.records import Diagnosis


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "diagnosis.py"
    spec = importlib.util.spec_from_file_location("benchmark_diagnosis", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def counted(bench: ModuleType):
    return bench.enumerated()


def test_every_state_is_counted_once_and_every_code_reached(counted) -> None:
    n, counts, _ = counted
    assert n == sum(counts.values()) == 2 * 2 * 2 * 3 * 2 * 9 * 4 * 9 * 3 * 5 * 4
    assert [code for code, count in counts.items() if not count] == [UNDETERMINED]


def test_one_unknown_input(bench: ModuleType, counted) -> None:
    _, _, unknowns = counted
    found = {one.name: one for one in unknowns}
    assert tuple(found) == INPUTS[1:]
    ran = 2 * 2 * 3 * 2 * 9 * 4 * 9 * 3 * 5 * 4
    assert all(one.n == ran // len(VALUES[one.name]) for one in unknowns)
    assert all(0 <= one.one_code <= one.one_family <= 1 for one in unknowns)
    # Unanswerable, or grounded and correct: 9 numeric x 5 near misses x right and faithful or extra
    # of 2 x 2 x 3 x 2 x 9 x 4 x 9 x 3 x 5 states, the citations left out.
    assert found["citations"].one_code == pytest.approx(1 - 2 * 9 * 5 / (ran // 4))
    # Of which the identity is right, faithful: A4, A5 or K1, not one family.
    assert found["citations"].one_family == pytest.approx(1 - 9 * 5 / (ran // 4))
    assert found["near_miss"].one_family == 1
    assert found["answerable"].one_code == 0
    whole = bench.overall(unknowns)
    assert whole.n == sum(one.n for one in unknowns)
    assert min(one.one_code for one in unknowns) < whole.one_code < whole.one_family < 1


def test_the_shares_are_those_of_the_diagnosis_itself(counted) -> None:
    """The table over all completions (`resolve`) on states drawn at random."""
    _, _, unknowns = counted
    draw = random.Random(3)
    for one in unknowns:
        codes = families = 0
        for _ in range(400):
            possible = {name: (draw.choice(values),) for name, values in VALUES.items()}
            possible |= {"run": ("ok",), one.name: VALUES[one.name]}
            outcome = resolve(possible)
            codes += len(outcome.codes) == 1
            families += outcome.family is not None
        # 400 draws: a standard deviation of at most 0.025
        assert codes / 400 == pytest.approx(one.one_code, abs=0.1)
        assert families / 400 == pytest.approx(one.one_family, abs=0.1)


def told(bench: ModuleType, question: str, expected: str, *codes: str, family: str | None = None):
    code = codes[0] if len(codes) == 1 else "X2"
    diagnosis = Diagnosis(code=code, codes=codes, family=family)
    return bench.Told(f"{question}|x", question, expected, diagnosis)


@pytest.mark.parametrize(
    ("expected", "codes", "right"),
    [
        ("all correct", ("K1",), True),
        ("all correct", ("A6", "K1"), True),
        ("all correct", ("A2",), False),
        ("all correct", ("A2", "K1"), False),
        ("correct answer, no evidence", ("A2",), True),
        ("correct evidence, wrong calculation", ("G4",), True),
        ("correct evidence, wrong answer", ("G1",), False),
        ("sufficient evidence, wrongly refused", ("G1",), True),
        ("no evidence, correctly refused", ("R1",), True),
        ("no evidence, correctly refused", ("A2", "R1"), False),
    ],
)
def test_family_right(
    bench: ModuleType, expected: str, codes: tuple[str, ...], right: bool
) -> None:
    assert told(bench, "q", expected, *codes).right is right


def test_every_code_of_an_answer_is_allowed_somewhere(bench: ModuleType) -> None:
    allowed = set().union(*bench.ALLOWED.values())
    assert set(CODES) - allowed == {"U1", "U2", "U3", "X1", "X2", "X3"}


def test_a_share_by_question(bench: ModuleType) -> None:
    answers = [
        told(bench, f"q{n}", "all correct", "K1", family="success")
        if n < 15
        else told(bench, f"q{n}", "all correct", "A2", "K1")
        for n in range(20)
        for _ in range(5)
    ]
    found = bench.share(answers, lambda one: one.right)
    assert (found.value, found.n, found.clusters) == (0.75, 100, 20)
    # As wide as twenty independent answers, not a hundred: 1.96 * sqrt(.75 * .25 / 20) = 0.19.
    assert found.high - found.low == pytest.approx(0.38, abs=0.06)
    again = bench.share(list(reversed(answers)), lambda one: one.right)
    assert (again.low, again.high) == (found.low, found.high)
    assert bench.share(answers, lambda one: one.open_family).value == 0.25


def test_a_share_of_all_still_has_a_width(bench: ModuleType) -> None:
    answers = [told(bench, f"q{n}", "all correct", "K1", family="success") for n in range(10)]
    found = bench.share(answers, lambda one: one.right)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low < 0.75


def test_what_stands_between_markers_is_replaced(bench: ModuleType) -> None:
    text = "a\n<!-- t: begin -->\nold\n<!-- t: end -->\nb\n"
    assert bench.between(text, "t", ["x", "y"]) == (
        "a\n<!-- t: begin -->\nx\ny\n<!-- t: end -->\nb\n"
    )
    with pytest.raises(ValueError, match="no markers"):
        bench.between("a", "t", ["x"])


def test_the_readme_has_the_table_of_the_states(bench: ModuleType) -> None:
    text = bench.README.read_text("utf-8")
    assert bench.between(text, "states", bench.states_table()) == text
