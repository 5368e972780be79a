"""gates.toml: what is read, and that what is wrong is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation.gate_file import Defaults, read_gates
from ragdiag.report.baseline import Rule
from ragdiag.report.gates import Gate


def test_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "gates.toml"
    path.write_text(
        '\ufeffmin_coverage = 0.5\n[evidence]\ncondition = "complete_evidence@10>=0.8"\nslice = "type=lookup"\n'
        'message = "oh"\n[[gate]]\ncondition = "recall@10"\nmargin = 0.05\non = "value"\n'
        '[gates."a b"]\ncondition = "A1.share <= 5 %"\nmin_coverage = 1\n',
        encoding="utf-8",
    )
    first, second, third = read_gates(path, Defaults())
    assert isinstance(first, Gate)
    assert str(first.condition) == "complete_evidence@10[type=lookup]>=0.8"
    assert (first.name, first.message, first.on, first.min_coverage) == (
        "evidence",
        "oh",
        "bound",
        0.5,
    )
    assert second == Rule("recall@10", 0.05, "value", 0.5)
    assert isinstance(third, Gate)
    assert (third.name, third.condition.limit, third.min_coverage) == ("a b", 0.05, 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "gates.toml: no gate in it"),
        ("on = 'value'\n", "no gate in it"),
        ("[a]\ncondition = ", "gates.toml:2: not TOML"),
        ("[a]\n[a]\n", "gates.toml:2: not TOML"),
        ("\n[a]\nslice = 'x=y'\n", "gates.toml:2: no condition"),
        ("\n\n[a]\ncondition = 'recall>='\n", "gates.toml:3: a condition is a name"),
        ("[a]\ncondition = 'r>=.5'\n[b]\ncondition = 'r>=.5'\ncoverage = 1\n", "gates.toml:3: no key 'coverage' here"),
        ("[a]\ncondition = 'r>=.5'\nmin_covrage = 1\n", "did you mean min_coverage?"),
        ("[a]\ncondition = 0.8\n", "gates.toml:1: condition is a text in quotes; came 0.8"),
        ("[a]\ncondition = 'r>=.5'\nmin_coverage = '1'\n", "min_coverage is a number; came '1'"),
        ("[a]\ncondition = 'r>=.5'\nmin_coverage = true\n", "min_coverage is a number"),
        ("[a]\ncondition = 'r>=.5'\nmin_coverage = nan\n", "gates.toml:1: min_coverage is a share"),
        ("[a]\ncondition = 'r>=.5'\non = 'mean'\n", "on is one of bound, value"),
        ("[a]\ncondition = 'r>=.5'\nslice = 'lookup'\n", "DIMENSION=VALUE"),
        ("[a]\ncondition = 'r[x=y]>=.5'\nslice = 'x=y'\n", "stands twice"),
        ("[a]\ncondition = 'r>=.5'\nmargin = 0.1\n", "margin is for a name alone"),
        ("[a]\ncondition = 'r'\nslice = 'x=y'\n", "a slice is not held against a baseline"),
        ("[a]\ncondition = 'cost.usd'\n", "a condition is a name"),
        ("[a]\ncondition = 'r'\nmargin = 2\n", "margin is between 0 and 1"),
        ("x = 1\n\n[a]\ncondition = 'r>=.5'\n", "gates.toml:1: no key 'x' here; known: on, min_coverage, margin"),
        ("\nmin_coverage = 3\n[a]\ncondition = 'r>=.5'\n", "gates.toml:2: min_coverage"),
        ("[[gate]]\ncondition = 'r>=.5'\n[[gate]]\n[[gate]]\ncondition = 'r>=.5'\n", "gates.toml:3: no condition"),
        ("\ngate = [{condition = 'r>='}]\n", "gates.toml:2: a condition"),
        ("[gates.x]\ncondition = 'r>='\n", "gates.toml:1: a condition"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "gates.toml"
    path.write_text(text)
    with pytest.raises((UsageError, DataError)) as fault:
        read_gates(path, Defaults())
    assert told in str(fault.value)


def test_files_that_hold_no_text(tmp_path: Path) -> None:
    path = tmp_path / "gates.toml"
    with pytest.raises(DataError, match="is not there"):
        read_gates(path, Defaults())
    path.write_bytes("[a]".encode("utf-16"))
    with pytest.raises(DataError, match="is not UTF-8"):
        read_gates(path, Defaults())
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(DataError, match="not TOML"):
        read_gates(path, Defaults())
