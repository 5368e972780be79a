"""What calibrating the screen on people's labels gains: half of the questions against the other.

    python benchmarks/calibration.py [--shared ../shared] [--halves 10] [--few 60] [--precision 0.9]

Two models to begin from: one fitted here on the other sets alone, which never saw the set that is
measured ("other sets"), and the shipped one, which was fitted on these sets ("shipped"). Each half
is drawn by question; figures are means over the halves, with their standard deviation.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ragdiag.data.labels import read_labels
from ragdiag.data.native import read_samples
from ragdiag.evaluation.calibration_rows import MODELS, RowsOfLabels, Votes
from ragdiag.evaluation.groups import Groups
from ragdiag.evaluation.splitting import keys_of
from ragdiag.judging.screen.calibration import WAYS, Way, choose
from ragdiag.judging.screen.fitting import (
    UNKNOWN,
    Band,
    Rows,
    Units,
    Wanted,
    choose_band,
    fit,
)
from ragdiag.judging.screen.model import load_model
from ragdiag.records import Settings
from ragdiag.stats.folds import grouped_folds
from ragdiag.stats.logistic import Line, sigmoid

SETS = {
    "ragtruth_qa": "faithfulness",
    "mtrag": "faithfulness",
    "attribution": "citation_support",
    "sufficiency": "sufficiency",
    "nq301": "answer_correctness",
    "financebench": "answer_correctness",
}
OTHERS = {  # what a model that never saw a set is fitted on; c as in fit_screen.py
    "ragtruth_qa": (("mtrag",), 0.03),
    "mtrag": (("ragtruth_qa",), 0.03),
    "nq301": (("financebench",), 0.1),
    "financebench": (("nq301",), 0.1),
}
KINDS: dict[str, Sequence[Way]] = {
    "thresholds": WAYS[:1],
    "platt": WAYS[1:2],
    "refit": WAYS[2:],
    "chosen": WAYS,
}
FOLDS = 4  # mtrag's half has few conversations with an unfaithful answer
FEWEST = 8
NAMES = ("balanced accuracy", "decided", "accuracy of decided", "certain half")


def rows_of(real: Path, name: str) -> Rows:
    check = SETS[name]
    votes = Votes.of(read_labels([real / f"{name}.labels.jsonl"]), [check])
    rows, groups, number = RowsOfLabels(votes, Settings()), Groups(), {}
    for sample in read_samples([real / f"{name}.samples.jsonl"]):
        number[sample.query_id] = groups.add(keys_of(sample, ("query", "question")))
        rows.add(sample)
    of = {n: group for group, some in groups.members().items() for n in some}
    model = load_model()[MODELS[check]]
    return rows.rows([check], model.features, {query: of[n] for query, n in number.items()})


def together(parts: dict[str, Rows]) -> Rows:
    """Several sets as one, each a source of its own."""
    found = []
    for number, (name, rows) in enumerate(parts.items()):
        part = rows.where(np.ones(len(rows.y), dtype=bool))
        part.group = part.group + number * 1_000_000
        part.source = np.full(len(part.y), name)
        part.unit = np.char.add(f"{name} ", part.unit)
        found.append(part)
    fields = vars(found[0])
    return Rows(**{key: np.concatenate([vars(part)[key] for part in found]) for key in fields})


def from_others(rows: Rows, c: float) -> tuple[Line, Band]:
    """A model of other sets, and its band as that of the shipped one is chosen."""
    known = rows.where(rows.y != UNKNOWN)
    scores = np.zeros(len(known.y))
    fold_of = grouped_folds(known.y, known.group, 5, seed=0)
    for fold in range(5):
        test = fold_of == fold
        scores[test] = sigmoid(fit(known, np.flatnonzero(~test), c).log_odds(known.x[test]))
    units = Units(known)
    wanted = Wanted(0.86, 0.8, ())
    band = choose_band(partial(units.labels, scores), units.truth, units.source, wanted)
    return fit(known, np.arange(len(known.y)), c), band


def measure(rows: Rows, line: Line, band: Band) -> list[float]:
    units, p = Units(rows), sigmoid(line.log_odds(rows.x))
    score, said = units.scores(p), units.labels(p, band)
    right, decided = (score >= 0.5) == (units.truth == 1), said != UNKNOWN
    certain = np.abs(score - 0.5) >= np.median(np.abs(score - 0.5))
    return [
        balanced(right, units.truth, np.ones(len(right), dtype=bool)),
        float(decided.mean()),
        float((said == units.truth)[decided].mean()) if decided.any() else float("nan"),
        balanced(right, units.truth, certain),
    ]


def balanced(right: np.ndarray, truth: np.ndarray, among: np.ndarray) -> float:
    if not all((among & (truth == label)).any() for label in (0, 1)):
        return float("nan")
    return float(np.mean([right[among & (truth == label)].mean() for label in (0, 1)]))


def few(rows: Rows, n: int, rng: np.random.Generator) -> Rows:
    """Whole questions until there are n labels."""
    chosen, labels = [], 0
    units = Units(rows)
    for group in rng.permutation(np.unique(rows.group)):
        if labels >= n:
            break
        chosen.append(group)
        labels += int((units.group == group).sum())
    return rows.where(np.isin(rows.group, chosen))


def halves(rows: Rows, n: int, n_few: int | None) -> Iterator[tuple[Rows, Rows] | None]:
    strata = rows.y + 1
    for seed in range(n):
        side = grouped_folds(strata, rows.group, 2, seed=100 + seed)
        train, test = rows.where(side == 0), rows.where(side == 1)
        if n_few is not None:
            train = few(train, n_few, np.random.default_rng(seed))
        known = [len(np.unique(train.group[train.y == label])) for label in (0, 1)]
        counts = [int((Units(train).truth == label).sum()) for label in (0, 1)]
        yield (train, test) if min(known) >= FOLDS and min(counts) >= FEWEST else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--halves", type=int, default=10)
    parser.add_argument("--few", type=int, default=60)
    parser.add_argument("--precision", type=float, default=0.9)
    given = parser.parse_args()
    sets = {name: rows_of(given.shared / "real", name) for name in SETS}
    print("| set | begins from | labels | way | " + " | ".join(NAMES) + " | chosen |")
    print("|" + "---|" * 9)
    for name, rows in sets.items():
        shipped = load_model()[MODELS[SETS[name]]]
        bases = {
            "shipped": (
                Line(np.array(shipped.coefficients), shipped.intercept),
                (shipped.low, shipped.high),
            )
        }
        if name in OTHERS:
            others, c = OTHERS[name]
            bases["other sets"] = from_others(together({one: sets[one] for one in others}), c)
        for begin, (base, band) in bases.items():
            for n_few in (None, given.few):
                table(name, begin, rows, base, band, n_few, given)


def table(
    name: str, begin: str, rows: Rows, base: Line, band: Band, n_few: int | None,
    given: argparse.Namespace,
) -> None:  # fmt: skip
    figures: dict[str, list[list[float]]] = {"as it is": [], **{kind: [] for kind in KINDS}}
    chosen: list[str] = []
    n_labels: list[int] = []
    skipped = 0
    for half in halves(rows, given.halves, n_few):
        if half is None:
            skipped += 1
            continue
        train, test = half
        n_labels.append(len(Units(train).truth))
        figures["as it is"].append(measure(test, base, band))
        for kind, ways in KINDS.items():
            choice = choose(train, base, precision=given.precision, n_folds=FOLDS, ways=ways)
            line = choice.way.line(train, np.arange(len(train.y)), base)
            figures[kind].append(measure(test, line, choice.band))
            if kind == "chosen":
                chosen.append(choice.way.name)
    if not n_labels:
        print(f"| {name} | {begin} | {n_few} | too few of the rarer label in all halves |")
        return
    for kind, found in figures.items():
        means, spread = np.nanmean(found, axis=0), np.nanstd(found, axis=0)
        cells = " | ".join(f"{m:.3f} ± {s:.3f}" for m, s in zip(means, spread, strict=True))
        told = ""
        if kind == "chosen":
            told = ", ".join(f"{chosen.count(w)} {w}" for w in dict.fromkeys(chosen))
            told += f"; {skipped} halves too few" if skipped else ""
        n = round(float(np.mean(n_labels)))
        print(f"| {name} | {begin} | {n} | {kind} | {cells} | {told} |", flush=True)


if __name__ == "__main__":
    main()
