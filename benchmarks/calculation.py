"""How well numbers are traced to the numbers they come from: TAT-QA and FinQA, with seeded errors.

    python benchmarks/calculation.py SHARED

Four questions. Are the gold derivations and programs read and evaluated to the gold answer at its
stated precision? Does the search find the answer from the gold cells? Is a seeded error of each
kind named right? How often is an answer of another question "explained" by chance, from the gold
cells and from the whole table? And how fast is it all.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from ragdiag.text.calculation import Operand, derive, explain, operands_of
from ragdiag.text.calculation.expressions import Expr, evaluate, read_expression
from ragdiag.text.numbers import parse

NAMED_RIGHT = {
    "sign": {"sign_rounding_format"},
    "rounding": {"sign_rounding_format"},
    "scale": {"scale"},
    "inverted": {"inverted"},
    "wrong formula": {"wrong_formula"},
    "row neighbour": {"wrong_period", "wrong_metric"},
    "column neighbour": {"wrong_metric", "wrong_period"},
    "operand returned": {"operand_returned"},
}


@dataclass(frozen=True)
class Item:
    """An arithmetic question: the operands of its table, those of the gold cells, the answer."""

    question: str
    context: str
    derivation: str
    operands: list[Operand]
    gold: list[Operand]
    answer: Decimal
    scale: str
    complete: bool

    def written(self, value: Decimal) -> str:
        """A value with the question's scale, as an answer would state it."""
        end = "%" if self.scale == "percent" else f" {self.scale}" if self.scale else ""
        return f"{value:f}{end}"


def tatqa(shared: Path) -> list[Item]:
    """The arithmetic questions of TAT-QA; `complete`: all gold operands are cells of the table."""
    folder = shared / "data/tatqa_test"
    contexts: dict[str, tuple[dict[tuple[int, int], int], list[Operand]]] = {}
    for row in rows(folder / "contexts.jsonl"):
        text, starts = "", {}
        for r, cells in enumerate(row["table"]):
            text += "|"
            for c, cell in enumerate(cells):
                starts[r, c] = len(text) + 1
                text += f" {cell.replace('|', '/')} |"
            text += "\n"
        contexts[row["ctx_id"]] = (starts, operands_of(text, "p", row["ctx_id"]))
    return [_item(row, *contexts[row["ctx_id"]]) for row in rows(folder / "questions.jsonl")
            if row["answer_type"] == "arithmetic"]  # fmt: skip


def _item(row: dict[str, Any], starts: dict[tuple[int, int], int], operands: list[Operand]) -> Item:
    cells = [tuple(m["table"]) for m in row["mappings"] if "table" in m]
    at = {starts[r, c] for r, c in cells}
    gold = [one for one in operands if any(start <= one.start <= start + 3 for start in at)]
    return Item(
        row["question"], row["ctx_id"], row["derivation"], operands, gold,
        Decimal(str(row["answer"])), row["scale"],
        complete=len(cells) == len(row["mappings"]) and bool(gold),
    )  # fmt: skip


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a JSONL file."""
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line)


def states(value: Decimal | None, answer: Decimal) -> bool:
    """Is a value the answer at the answer's stated precision?"""
    if value is None:
        return False
    exponent = answer.as_tuple().exponent
    step = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
    return abs(value - answer) <= step / 2 + Decimal("1e-9") * abs(answer)


def derivations(items: list[Item]) -> None:
    """The written derivations against the gold answers; percents are points or a fraction."""
    right, wrong = 0, []
    for item in items:
        expr = read_expression(item.derivation)
        value = evaluate(expr) if expr is not None else None
        if value is None:
            read = parse(item.derivation)
            value = read[0].value if len(read) == 1 else None
        readings = (value, None if value is None else value * 100)
        if any(states(one, item.answer) for one in readings):
            right += 1
        else:
            wrong.append((item.derivation, str(item.answer), str(value)))
    print(f"TAT-QA derivations equal to the gold answer: {right} of {len(items)} "
          f"({right / len(items):.1%})")  # fmt: skip
    for one in wrong[:8]:
        print("    not:", *one)


def programs(shared: Path) -> None:
    """The gold programs of FinQA, run by the same expressions."""
    right = n = 0
    wrong: list[object] = []
    for row in rows(shared / "data/finqa/dev.jsonl"):
        if not row["program"] or not row["program_matches_answer"]:
            continue
        n += 1
        value = run(row["program"])
        expected = row["program_result"]
        if row["answer"] is not None and isinstance(value, str):
            same = value == str(expected if expected is not None else row["answer"])
        else:
            wanted = Decimal(str(expected if expected is not None else row["answer"]))
            same = isinstance(value, Decimal) and states(value, wanted)
        right += same
        if not same:
            wrong.append((row["program"], expected, row["answer"], value))
    print(f"FinQA programs reproduced: {right} of {n} ({right / n:.1%})")
    for one in wrong[:8]:
        print("    not:", one)


_STEP = re.compile(r"(add|subtract|multiply|divide|greater|exp)\(([^,()]+),\s*([^,()]+)\)")
_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


def run(program: str) -> Decimal | str | None:
    """The value of a program "subtract(a, b), divide(#0, b)"; "True"/"False" for a comparison."""
    steps: list[Expr | str] = []
    for name, *args in _STEP.findall(program):
        terms = [_term(arg.strip(), steps) for arg in args]
        values = [evaluate(term) for term in terms]
        if name == "greater":
            first, second = (value or Decimal(0) for value in values)
            steps.append(str(first > second))
        else:
            steps.append(Expr(_OPERATORS[name], tuple(terms)))
    if not steps:
        return None
    return steps[-1] if isinstance(steps[-1], str) else evaluate(steps[-1])


def _term(text: str, steps: list[Expr | str]) -> Expr | Decimal:
    if text.startswith("#"):
        step = steps[int(text[1:])]
        assert isinstance(step, Expr)
        return step
    if text.startswith("const_"):
        return Decimal(text.removeprefix("const_").replace("m1", "-1"))
    read = parse(text)
    return read[0].value / (100 if read[0].kind == "percent" else 1)


def found(items: list[Item]) -> None:
    """The search over gold cells, and what it explains of other questions' answers."""
    whole = [item for item in items if item.complete]
    hits = [derive(item.written(item.answer), item.gold, gold=True) is not None for item in whole]
    print(f"explained from gold cells: {sum(hits)} of {len(whole)} ({sum(hits) / len(whole):.1%})")
    for item, hit in zip(whole, hits, strict=True):
        if not hit:
            print("    not:", item.derivation, "=", item.written(item.answer))
    rng = random.Random(7)
    n = by_gold = by_table = 0
    named: Counter[str] = Counter()
    for _ in range(4):
        for item in whole:
            other = rng.choice(whole)
            if other.context == item.context:
                continue
            n += 1
            unrelated = other.written(other.answer)
            by_gold += derive(unrelated, item.gold, gold=True) is not None
            by_table += derive(unrelated, item.operands, query=item.question) is not None
            right = item.written(item.answer)
            pools = (("gold cells", []), ("gold cells and neighbours", item.operands))
            for name, beside in pools:
                told = explain(
                    unrelated, right, item.gold, neighbours=beside, query=item.question, gold=True
                )
                named[name] += told.cause != "unexplained"
            told = explain(unrelated, right, item.operands, query=item.question)
            named["a whole table"] += told.cause != "unexplained"
            named["a whole table, certain"] += told.cause != "unexplained" and told.certain
    print(f"unrelated answers explained: from gold cells {by_gold / n:.2%}, from a whole table "
          f"{by_table / n:.2%} (of {n})")  # fmt: skip
    for name, count in named.items():
        print(f"unrelated answers given a cause from {name}: {count / n:.2%}")


def _rounded(value: Decimal, like: Decimal) -> Decimal:
    return value.quantize(like, rounding=ROUND_HALF_UP)


def seeds(item: Item, expr: Expr) -> Iterator[tuple[str, Decimal]]:
    """Wrong answers by kind, at the precision of the right one; none that comes out right."""
    value, step = item.answer, Decimal(1).scaleb(item.answer.as_tuple().exponent)  # type: ignore[arg-type]
    if value:
        yield "sign", -value
        yield "scale", value * 1000
        yield "scale", value / 1000
        if item.scale == "percent":
            yield "scale", value / 100
    exact = evaluate(expr)
    if exact is not None and not states(value + step, exact):
        toward = step if exact > value else -step
        if exact != value:
            yield "rounding", value + toward
    numbers = [one.written for one in item.gold]
    if len(numbers) != 2 or not all(numbers):
        return
    first, second = _in_order(item, numbers)
    hundred = Decimal(100)
    match _shape(item.derivation):
        case "difference":
            yield "wrong formula", first + second
            yield "wrong formula", (first + second) / 2
            yield "operand returned", first
            yield "operand returned", second
        case "change":
            yield "inverted", (first - second) / first * hundred
            yield "wrong formula", first / second * hundred
            yield "wrong formula", (first - second) / ((first + second) / 2) * hundred
        case "ratio":
            yield "inverted", second / first * (hundred if item.scale == "percent" else 1)
            yield (
                "wrong formula",
                first / (first + second) * (hundred if item.scale == "percent" else 1),
            )
        case "mean":
            yield "wrong formula", first + second
            yield "wrong formula", first - second
            yield "operand returned", first
        case _:
            return


def _in_order(item: Item, numbers: list[Decimal]) -> tuple[Decimal, Decimal]:
    """The two operands in the order of the derivation."""
    first, second = numbers
    written = item.derivation.lstrip("(-$ ")
    begins = next(iter(parse(re.split(r"[^\d.,]", written, maxsplit=1)[0])), None)
    return (first, second) if begins and abs(begins.value) == abs(first) else (second, first)


_N = r"[($ ]*-?[\d,.]+[%) ]*"
_SHAPES = {
    "difference": re.compile(rf"{_N}-{_N}"),
    "change": re.compile(
        rf"[( ]*{_N}-{_N}[) ]*/{_N}[) ]*(?:\* ?100)?\s*|[( ]*{_N}/{_N}[) ]*- ?1[) ]*\* ?100"
    ),
    "ratio": re.compile(rf"[( ]*{_N}/{_N}[) ]*(?:\* ?100)?\s*"),
    "mean": re.compile(rf"\({_N}\+{_N}\) ?/ ?2\s*"),
}  # fmt: skip


def _shape(derivation: str) -> str:
    return next((name for name, p in _SHAPES.items() if p.fullmatch(derivation.strip())), "")


def cells(item: Item) -> Iterator[tuple[str, Decimal]]:
    """The answer with one gold cell replaced by its neighbour in the row or in the column; which of
    period and metric that is, the table's headers tell, so that both count as named."""
    if len(item.gold) != 2:
        return
    formulas: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
        "difference": lambda a, b: a - b,
        "change": lambda a, b: (a - b) / b * 100,
        "ratio": lambda a, b: a / b * (100 if item.scale == "percent" else 1),
        "mean": lambda a, b: (a + b) / 2,
    }
    formula = formulas.get(_shape(item.derivation))
    numbers = _in_order(item, [one.written for one in item.gold])
    if formula is None:
        return
    for kind, key in (("row neighbour", "line"), ("column neighbour", "place")):
        for at, swapped in enumerate(sorted(item.gold, key=lambda o: o.written != numbers[0])):
            for one in item.operands:
                same = one.table == swapped.table and getattr(one, key) == getattr(swapped, key)
                if not same or one in item.gold or one.unit != swapped.unit or not one.written:
                    continue
                pair = [*numbers]
                pair[at] = one.written
                if pair[0] and pair[1] and _rounded(formula(*pair), item.answer):
                    yield kind, formula(*pair)
                break


def seeded(items: list[Item]) -> None:
    """Each kind of error: how often it is named right, and what else is said."""
    told: dict[str, Counter[str]] = {}
    for item in items:
        expr = read_expression(item.derivation)
        if not item.complete or expr is None or evaluate(expr) is None:
            continue
        right = item.written(item.answer)
        for kind, value in [*seeds(item, expr), *cells(item)]:
            stated = (
                value if kind in ("sign", "scale", "rounding") else _rounded(value, item.answer)
            )
            wrong = item.written(stated)
            if not value or explain(wrong, right, [], query=item.question).cause == "ok":
                continue  # the seed came out right, or at nothing
            cause = explain(
                wrong, right, item.gold, neighbours=item.operands, query=item.question, gold=True
            ).cause
            if kind not in ("sign", "scale", "rounding") and _also(wrong, right, item):
                continue  # the seed is an error of a kind that is told before it
            told.setdefault(kind, Counter())[cause] += 1
    total = hit = 0
    for kind, counts in told.items():
        n, ok = sum(counts.values()), sum(counts[cause] for cause in NAMED_RIGHT[kind])
        total, hit = total + n, hit + ok
        print(
            f"  seeded {kind:16} named right {ok / n:6.1%} of {n:5}  {dict(counts.most_common(4))}"
        )
    print(f"  seeded, all kinds       named right {hit / total:6.1%} of {total:5}")


def wrong_answer(item: Item, kind: str, value: Decimal) -> str:
    """How a wrong answer is written: with the scale and precision of the right one."""
    if kind in ("sign", "scale", "rounding"):
        return item.written(value)
    return item.written(_rounded(value, item.answer))


def _also(wrong: str, right: str, item: Item) -> bool:
    """Do the two numbers alone already name it: a sign, a rounding, a scale?"""
    return explain(wrong, right, [], query=item.question).cause in ("sign_rounding_format", "scale")


def speed(items: list[Item]) -> None:
    """Numbers a second, and the search over 20 and 60 operands in milliseconds."""
    text = " ".join(f"{item.derivation} gave {item.written(item.answer)};" for item in items) * 5
    began = time.process_time()
    n = len(parse(text))
    print(f"parsed: {n / (time.process_time() - began):,.0f} numbers a second")
    whole = [item for item in items if item.complete]
    for size in (20, 60):
        spent: list[float] = []
        for item in whole:
            if len(item.operands) < size:
                continue
            began = time.process_time()
            derive(item.written(item.answer), item.operands[:size], min_significant=1, unique=False)
            spent.append((time.process_time() - began) * 1000)
        print(f"search over {size} operands: median {statistics.median(spent):.1f} ms, "
              f"max {max(spent):.1f} ms of {len(spent)}")  # fmt: skip


def main() -> None:
    """Reads the data and prints all figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    asked = parser.parse_args()
    items = tatqa(asked.shared)
    derivations(items)
    programs(asked.shared)
    found(items)
    seeded(items)
    speed(items)


if __name__ == "__main__":
    main()
