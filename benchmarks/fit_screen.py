"""Fit the shipped screen on people's labels: screen.json and idf.tsv of ragdiag/judging/screen.

    python benchmarks/fit_screen.py [--shared ../shared] [--out ragdiag/judging/screen] [--dry]

Every figure is cross-validated: five folds grouped by question (mtrag: by conversation), three
shuffles. Every data set and label weighs the same, so that a score of 0.5 stands for even odds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from ragdiag.judging.screen.claims import claims_of
from ragdiag.judging.screen.correctness import (
    CORRECTNESS_FEATURES,
    best_reference,
    correctness_label,
)
from ragdiag.judging.screen.features import (
    ANSWER_FEATURES,
    CLAIM_FEATURES,
    Evidence,
    Support,
    in_context,
)
from ragdiag.judging.screen.fitting import (
    UNKNOWN,
    Band,
    Rows,
    Units,
    Wanted,
    balanced,
    choose_band,
    share,
)
from ragdiag.judging.screen.model import Idf, Logistic, read_idf, write_idf
from ragdiag.judging.screen.reading import Shelf, content_of, read_span
from ragdiag.judging.screen.sufficiency import SUFFICIENCY_FEATURES, read_sufficiency
from ragdiag.judging.screen.support import support_label
from ragdiag.records import Sample
from ragdiag.stats.folds import grouped_folds
from ragdiag.stats.logistic import Line, sigmoid

FIRST = {"faithful", "supported", "sufficient", "correct"}
KEPT_STEMS = 8000
FEWEST = 3
FOLDS = 5
SHUFFLES = 3
OTHER = 2
LOOSE = Logistic((), (), 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Labelled:
    """A sample with its majority label, its group for the folds, and the label's own line."""

    sample: Sample
    label: str
    group: str
    line: dict[str, Any]


@dataclass
class Row:
    """Features, label (1 = the first one), and what the screen's rules make of a score that is
    low, between the thresholds, or high: 1, 0, OTHER (a third label) or UNKNOWN (undecided)."""

    x: list[float]
    y: int
    rules: tuple[int, int, int] = (0, UNKNOWN, 1)


@dataclass(frozen=True)
class Plan:
    """How one model is fitted: its sets, regularisation, the accuracy wanted on the decided, and
    the precision wanted of each label in the `sided` sets (those with enough of both labels)."""

    name: str
    features: tuple[str, ...]
    sets: tuple[str, ...]
    c: float
    wanted: float
    side: float
    sided: tuple[str, ...]


PLANS = (
    Plan(
        "claim", CLAIM_FEATURES, ("ragtruth_qa", "attribution"), 0.1, 0.86, 0.8, ("attribution",)
    ),
    Plan(
        "answer", ANSWER_FEATURES, ("ragtruth_qa", "mtrag", "attribution"), 0.03, 0.86, 0.8,
        ("attribution",),
    ),
    Plan(
        "sufficiency", SUFFICIENCY_FEATURES, ("sufficiency",), 0.03, 0.8, 0.79, ("sufficiency",)
    ),
    Plan(
        "correctness", CORRECTNESS_FEATURES, ("nq301", "financebench"), 0.1, 0.9, 0.78, ("nq301",)
    ),
)  # fmt: skip


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def load(real: Path, name: str) -> list[Labelled]:
    """Samples that have a label by majority; a tie is left out, and so is an abstention."""
    votes: dict[str, Counter[str]] = {}
    lines: dict[str, dict[str, Any]] = {}
    for line in read_lines(real / f"{name}.labels.jsonl"):
        votes.setdefault(line["query_id"], Counter())[line["label"]] += 1
        lines[line["query_id"]] = line
    found: list[Labelled] = []
    for data in read_lines(real / f"{name}.samples.jsonl"):
        sample = Sample.model_validate(data)
        ranked = votes.get(sample.query_id, Counter()).most_common()
        if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
            continue
        label = ranked[0][0]
        if label == "abstained":
            continue
        if name == "mtrag":
            group = sample.query_id.split("<::>")[0]
        else:
            group = sample.slices.get("question", sample.query)
        found.append(Labelled(sample, label, group, lines[sample.query_id]))
    return found


def count_idf(real: Path, out: Path) -> Idf:
    """Document frequencies of the commonest stems over all distinct passages; words only."""
    texts: set[str] = set()
    for path in sorted(real.glob("*.samples.jsonl")):
        for data in read_lines(path):
            texts.update(p["text"] for p in data.get("retrieved") or () if p.get("text"))
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({stem for stem in content_of(text) if stem.isalpha()})
    ranked = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    kept = {stem: n for stem, n in ranked[:KEPT_STEMS] if n >= FEWEST}
    write_idf(out / "idf.tsv", len(texts), kept)
    return read_idf((out / "idf.tsv").read_text(encoding="utf-8"))


class Features:
    """Rows of each model, from labelled samples."""

    def __init__(self, idf: Idf) -> None:
        self.idf = idf
        self.shelf = Shelf()

    def _support(self, labelled: Labelled) -> Support:
        sample = labelled.sample
        readings = self.shelf.read_all(p.text or "" for p in sample.retrieved or ())
        return Support(Evidence(readings), in_context(sample.query, sample.history), self.idf)

    def claim_rows(self, labelled: Labelled) -> Iterator[Row]:
        """Each claim with its label: people's spans, or the label of the answer, where it has one
        claim or is supported; else unknown (scored, never trained on)."""
        support = self._support(labelled)
        claims = claims_of(labelled.sample.query, labelled.sample.answer or "")
        spans = [(s["start"], s["end"]) for s in labelled.line.get("spans", ())]
        for claim in claims:
            if "spans" in labelled.line:
                label = int(not any(s < claim.end and claim.start < e for s, e in spans))
            elif labelled.label in FIRST:
                label = 1
            else:
                label = 0 if len(claims) == 1 else UNKNOWN
            read = support.claim(claim.text)
            held = support.evidence
            said = [support_label(read, p, LOOSE, self.idf, held)[0] for p in SCORES]
            yield Row([read.features[name] for name in CLAIM_FEATURES], label, as_rules(said))

    def answer_rows(self, labelled: Labelled) -> Iterator[Row]:
        """One row a sample."""
        found = self._support(labelled).answer(labelled.sample.answer or "")
        if found is not None:
            yield Row([found[name] for name in ANSWER_FEATURES], int(labelled.label in FIRST))

    def sufficiency_rows(self, labelled: Labelled) -> Iterator[Row]:
        """One row a sample."""
        sample = labelled.sample
        retrieved = sample.retrieved or ()
        evidence = Evidence(self.shelf.read_all(p.text or "" for p in retrieved))
        question = read_span(sample.query, lang=evidence.lang)
        documents = len({p.doc_id or p.passage_id for p in retrieved})
        found = read_sufficiency(
            question, evidence, self.idf, query=sample.query, n_documents=documents
        )
        x = [found.features[name] for name in SUFFICIENCY_FEATURES]
        yield Row(x, int(labelled.label in FIRST))

    def correctness_rows(self, labelled: Labelled) -> Iterator[Row]:
        """One row a sample."""
        sample = labelled.sample
        found = best_reference(sample.query, sample.reference, sample.answer or "", self.idf)
        x = [found.features[name] for name in CORRECTNESS_FEATURES]
        said = [correctness_label(found, p, LOOSE) for p in SCORES]
        yield Row(x, int(labelled.label in FIRST), as_rules(said))


SCORES = (0.0, 0.5, 1.0)
CODES = {None: UNKNOWN, "supported": 1, "correct": 1, "partial": OTHER}


def as_rules(labels: list[str | None]) -> tuple[int, int, int]:
    low, middle, high = (CODES.get(label, 0) for label in labels)
    return low, middle, high


def rows_of(sets: dict[str, list[Labelled]], make: Callable[[Labelled], Iterator[Row]]) -> Rows:
    found = [
        (row, name, one) for name, labelled in sets.items() for one in labelled for row in make(one)
    ]
    groups = [hashlib.sha256(f"{name}{one.group}".encode()).hexdigest() for _, name, one in found]
    return Rows(
        x=np.array([row.x for row, _, _ in found]),
        y=np.array([row.y for row, _, _ in found]),
        rules=np.array([row.rules for row, _, _ in found]),
        group=np.array([int(digest[:12], 16) for digest in groups]),
        source=np.array([name for _, name, _ in found]),
        unit=np.array([one.sample.query_id for _, _, one in found]),
        truth=np.array([int(one.label in FIRST) for _, _, one in found]),
    )


def fit(rows: Rows, train: np.ndarray, c: float) -> Line:
    """`fitting.fit`, as scikit-learn stops on its way to the same optimum: the shipped digits."""
    scaler = StandardScaler().fit(rows.x[train])
    model = LogisticRegression(C=c, max_iter=5000).fit(
        scaler.transform(rows.x[train]), rows.y[train], sample_weight=balanced(rows, train)[train]
    )
    coefficients = model.coef_[0] / scaler.scale_
    return Line(coefficients, float(model.intercept_[0] - coefficients @ scaler.mean_))


def cross_validated(rows: Rows, c: float) -> np.ndarray:
    """Probability of the first label for each row, by models that never saw its question."""
    scores = np.zeros(len(rows.y))
    strata = rows.y + 2 * np.unique(rows.source, return_inverse=True)[1]
    for seed in range(SHUFFLES):
        fold_of = grouped_folds(strata, rows.group, FOLDS, seed=seed)
        for fold in range(FOLDS):
            test = fold_of == fold
            train = np.flatnonzero(~test & (rows.y != UNKNOWN))
            scores[test] += sigmoid(fit(rows, train, c).log_odds(rows.x[test]))
    return scores / SHUFFLES


def measure(y: np.ndarray, p: np.ndarray, said: np.ndarray) -> dict[str, float]:
    """Agreement with people over all, on the more certain half, and on the decided."""
    distance = np.abs(p - 0.5)
    certain = distance >= np.median(distance)
    decided = said != UNKNOWN
    found = {
        "n": len(y),
        "auc": roc_auc_score(y, p),
        "balanced_accuracy": balanced_accuracy_score(y, p >= 0.5),
        "balanced_accuracy_certain_half": balanced_accuracy_score(y[certain], p[certain] >= 0.5),
        "decided_share": decided.mean(),
        "accuracy_decided": share(y == said, decided),
        "precision_first": share(y == 1, said == 1),
        "precision_other": share(y == 0, said == 0),
    }
    return {name: round(float(value), 4) for name, value in found.items()}


def as_json(plan: Plan, rows: Rows, band: tuple[float, float]) -> dict[str, Any]:
    coefficients, intercept = fit(rows, np.arange(len(rows.y)), plan.c)
    pairs = zip(plan.features, coefficients, strict=True)
    return {
        "low": band[0],
        "high": band[1],
        "intercept": float(f"{intercept:.5g}"),
        "coefficients": {name: float(f"{value:.5g}") for name, value in pairs},
    }


PROVENANCE = (
    "fitted by benchmarks/fit_screen.py on people's labels: claim on ragtruth_qa and attribution, "
    "answer on these and mtrag, sufficiency on sufficiency, correctness on nq301 and financebench; "
    "every data set and label weighs the same. Measured by five-fold cross-validation grouped by "
    "question (mtrag: by conversation), three shuffles; thresholds chosen on the same scores."
)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--out", type=Path, default=Path("ragdiag/judging/screen"))
    parser.add_argument("--dry", action="store_true", help="print the figures, keep screen.json")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    real = given.shared / "real"
    names = sorted({name for plan in PLANS for name in plan.sets})
    sets = {name: load(real, name) for name in names}
    features = Features(count_idf(real, given.out))
    makers = {
        "claim": features.claim_rows,
        "answer": features.answer_rows,
        "sufficiency": features.sufficiency_rows,
        "correctness": features.correctness_rows,
    }
    models: dict[str, Any] = {}
    measured: dict[str, Any] = {}
    for plan in PLANS:
        rows = rows_of({name: sets[name] for name in plan.sets}, makers[plan.name])
        scores = cross_validated(rows, plan.c)
        kept = rows.y != UNKNOWN
        known, p = rows.where(kept), scores[kept]
        wanted = Wanted(plan.wanted, plan.side, plan.sided)
        band = choose_band(partial(known.labels, p), known.y, known.source, wanted)
        models[plan.name] = as_json(plan, known, band)
        for name in plan.sets:
            k = known.source == name
            found = measure(known.y[k], p[k], known.labels(p, band)[k])
            measured[f"{plan.name}:{name}"] = found
        if plan.name == "claim":
            cited = rows.source == "attribution"
            measured["citation_support:attribution"] = by_sample(
                rows.where(cited), scores[cited], band
            )
        print(plan.name, band)
    for name, found in measured.items():
        print(name, found)
    if not given.dry:
        result = {"provenance": PROVENANCE, "models": models, "measured": measured}
        text = json.dumps(result, indent=1, ensure_ascii=False)
        (given.out / "screen.json").write_text(text + "\n", encoding="utf-8")


def by_sample(rows: Rows, scores: np.ndarray, band: Band) -> dict[str, float]:
    """Citation support of a sample from its claims: as weak as its weakest claim."""
    units = Units(rows)
    return measure(units.truth, units.scores(scores), units.labels(scores, band))


if __name__ == "__main__":
    main()
