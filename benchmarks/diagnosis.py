"""The diagnosis: its table enumerated, and its agreement with people on real answers.

    python benchmarks/diagnosis.py [--shared ../shared] [--write] [--list]

states        every state has one code and every code is reached; with one unknown input, the share
              of states that still gets one code, and one family.
financebench  413 answers with people's expected category, with people's word on correctness and
              with the embedded judge alone: one family, the right family, X2 without one; with
              intervals by question, and for two halves of the questions.
mtrag         249 answers without gold: a family, or the one field to add.

--list prints every disagreement; --write puts the tables into README.md beside this file, between
their markers. Without the shared data only the states are told.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ragdiag import evaluate
from ragdiag.diagnosis.catalogue import CATALOGUE, CODES, FAMILIES
from ragdiag.diagnosis.rules import code_of
from ragdiag.diagnosis.state import INPUTS, VALUES, every_state
from ragdiag.records import Diagnosis

README = Path(__file__).with_name("README.md")
RESAMPLES = 10_000
SEED = 20261130

_GENERATION = frozenset(("G2", "G3a", "G3b", "G3c", "G4", "G5", "G6", "G7", "G8", "G9", "X4"))
_STAGES = frozenset(("D1", "D2", "D3", "R1", "R2a", "R2b", "R2c", "R3", "R4", "R5", "R6"))
ALLOWED: dict[str, frozenset[str]] = {
    "all correct": frozenset(("K1", "A3", "A4", "A5", "A6")),
    "correct answer, no evidence": frozenset(("A1", "A2")),
    "correct evidence, wrong answer": _GENERATION,
    "correct evidence, wrong calculation": _GENERATION,
    "sufficient evidence, wrongly refused": frozenset(("G1",)),
    "no evidence, correctly refused": _STAGES,
}
"""The codes that people's expected category allows (../shared/README.md): the family is right where
all codes of a diagnosis are among them."""


@dataclass(frozen=True)
class Unknown:
    """With one input unknown: of `n` states of the others, the share with one code, one family."""

    name: str
    n: int
    one_code: float
    one_family: float


def enumerated() -> tuple[int, dict[str, int], list[Unknown]]:
    """All states, how many have each code, and the unknowns of the states without a run error."""
    order = {code: number for number, code in enumerate(CODES)}
    shape = tuple(len(values) for values in VALUES.values())
    codes = np.fromiter((order[code_of(s)] for s in every_state()), dtype=np.int8).reshape(shape)
    counts = {code: int((codes == number).sum()) for code, number in order.items()}
    family = np.array([FAMILIES.index(CATALOGUE[c].family or "pipeline") for c in CODES], np.int8)
    ran = codes[0]
    found: list[Unknown] = []
    for axis, name in enumerate(INPUTS[1:]):
        one_code, one_family = (
            (one.max(axis=axis) == one.min(axis=axis)).mean() for one in (ran, family[ran])
        )
        n = ran.size // len(VALUES[name])
        found.append(Unknown(name, n, float(one_code), float(one_family)))
    return int(codes.size), counts, found


def overall(unknowns: Sequence[Unknown]) -> Unknown:
    """All states with one unknown input together, each counted once."""
    n = sum(one.n for one in unknowns)
    return Unknown(
        "any one",
        n,
        sum(one.n * one.one_code for one in unknowns) / n,
        sum(one.n * one.one_family for one in unknowns) / n,
    )


@dataclass(frozen=True)
class Told:
    """One answer: its question, what people expect, and the diagnosis."""

    query_id: str
    question: str
    expected: str
    diagnosis: Diagnosis

    @property
    def right(self) -> bool:
        """Do all codes lie among those that the expected category allows?"""
        return set(self.diagnosis.codes) <= ALLOWED[self.expected]

    @property
    def one_family(self) -> bool:
        """Has it a family?"""
        return self.diagnosis.family is not None

    @property
    def open_family(self) -> bool:
        """X2, and its codes share no family."""
        return self.diagnosis.code == "X2" and not self.one_family


def told(shared: Path, judge: str) -> list[Told]:
    """The diagnoses of FinanceBench under a judge; "{labels}" stands for people's file."""
    real = shared / "real"
    samples, labels = (real / f"financebench.{kind}.jsonl" for kind in ("samples", "labels"))
    questions = {row["query_id"]: row["slices"]["question"] for row in rows(samples)}
    expected = {row["query_id"]: row["expected_category"] for row in rows(labels)}
    return [
        Told(one.query_id, questions[one.query_id], expected[one.query_id], one.diagnosis)
        for one in evaluate(samples, judge=judge.format(labels=labels)).results
    ]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@dataclass(frozen=True)
class Share:
    """A share of n with its 95% interval, by `clusters` questions."""

    value: float
    n: int
    low: float
    high: float
    clusters: int

    def __str__(self) -> str:
        return f"{self.value:.1%} [{self.low:.1%}, {self.high:.1%}]"


def share(found: Sequence[Told], holds: Callable[[Told], bool]) -> Share:
    """The share for which something holds; percentiles of a bootstrap that draws whole questions.

    Where all or none hold nothing can be drawn: Wilson's interval on the questions.
    """
    totals: dict[str, list[int]] = {}
    for one in found:
        counts = totals.setdefault(one.question, [0, 0])
        counts[0] += holds(one)
        counts[1] += 1
    sums, sizes = np.array([totals[name] for name in sorted(totals)], dtype=float).T
    value, n = float(sums.sum() / sizes.sum()), len(sums)
    if value in (0.0, 1.0):
        from ragdiag.stats.intervals import wilson  # noqa: PLC0415 - only here

        return Share(value, len(found), *wilson(n * value, n), n)
    drawn = np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    low, high = np.quantile((drawn @ sums) / (drawn @ sizes), (0.025, 0.975))
    return Share(value, len(found), float(low), float(high), n)


def in_first_half(question: str) -> bool:
    """Halves of the questions by a hash of their name, so that neither was chosen."""
    return hashlib.sha256(question.encode()).digest()[0] % 2 == 0


JUDGES = {
    "people on correctness, then the screen": "cascade:file:{labels},screen",
    "the screen alone": "screen",
}


def agreement_table(found: dict[str, list[Told]]) -> list[str]:
    """Rows by judge: all questions, then each half."""
    lines = [
        "| judge | questions | n | one family | right family, of all | of those with one "
        "| X2 without one family |",
        "|---|---|---|---|---|---|---|",
    ]
    for judge, answers in found.items():
        parts = {
            "all": answers,
            "half A": [one for one in answers if in_first_half(one.question)],
            "half B": [one for one in answers if not in_first_half(one.question)],
        }
        for name, part in parts.items():
            settled = [one for one in part if one.one_family]
            cells = (
                share(part, lambda one: one.one_family),
                share(part, lambda one: one.right),
                share(settled, lambda one: one.right),
                share(part, lambda one: one.open_family),
            )
            head = f"{judge} | {name} ({cells[0].clusters}) | {len(part)}"
            lines.append(f"| {head} | " + " | ".join(map(str, cells)) + " |")
    return lines


def mtrag_table(shared: Path) -> list[str]:
    """How many answers have a family; of the others, the field that each names."""
    results = evaluate(shared / "real" / "mtrag.samples.jsonl").results
    families = Counter(one.diagnosis.family for one in results)
    fields = Counter(to_add(one.diagnosis) for one in results if one.diagnosis.family is None)
    lines = ["| answers without gold (mt-RAG) | n |", "|---|---|", f"| all | {len(results)} |"]
    lines += [f"| {name} | {n} |" for name, n in families.most_common() if name is not None]
    lines += [f"| open; to add: {name} | {n} |" for name, n in fields.most_common()]
    return lines


def to_add(diagnosis: Diagnosis) -> str | None:
    """The field that a diagnosis without a family names, or why there is none."""
    deciding = diagnosis.proof.get("deciding") or {}
    return deciding.get("add") or diagnosis.status_reason


def states_table() -> list[str]:
    """By unknown input: how many states, and the share with one code and one family."""
    n, counts, unknowns = enumerated()
    reached = [code for code, count in counts.items() if count]
    lines = [
        f"{n:,} states, one code each; {len(reached)} of {len(counts)} codes reached "
        f"(X2 stands for several).",
        "",
        "| unknown input | states of the others | one code | one family |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {one.name} | {one.n:,} | {one.one_code:.1%} | {one.one_family:.1%} |"
        for one in (*unknowns, overall(unknowns))
    ]
    return lines


def misses(found: Iterable[Told]) -> list[str]:
    """Every disagreement: query id, expected, codes, deciding input."""
    return [
        f"{one.query_id}  {one.expected}  {','.join(one.diagnosis.codes)}"
        f"  {one.diagnosis.deciding_input or ''}".rstrip()
        for one in found
        if not one.right
    ]


def between(text: str, name: str, lines: Sequence[str]) -> str:
    """The text with what stands between the markers of a name replaced."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"README.md has no markers {begin.strip()} … {end}")
    return before + begin + "\n".join(lines) + "\n" + end + after


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=README.parents[2] / "shared")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    parser.add_argument("--list", action="store_true", help="print every disagreement")
    given = parser.parse_args()
    tables = {"states": states_table()}
    found: dict[str, list[Told]] = {}
    if (given.shared / "real").is_dir():
        found = {name: told(given.shared, judge) for name, judge in JUDGES.items()}
        tables["families"] = agreement_table(found)
        tables["mtrag"] = mtrag_table(given.shared)
    for lines in tables.values():
        print("\n".join(lines), end="\n\n")
    if given.list:
        for judge, answers in found.items():
            print(f"{judge}:", *misses(answers), sep="\n", end="\n\n")
    if given.write:
        text = README.read_text("utf-8")
        for name, lines in tables.items():
            text = between(text, name, lines)
        README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
