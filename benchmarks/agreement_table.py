"""How far the screen agrees with people on the real sets, as a table in Markdown, with intervals.

    python benchmarks/agreement_table.py [--shared ../shared] [--sets nq301,mtrag]

Each set is evaluated with the screen and measured as `ragdiag agreement` does it, clustered by
question (queries of one text). The screen was fitted on these sets: cross-validated figures stand
in the README's other table.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.evaluation.judge_validation import measure

SETS = {
    "ragtruth_qa": "RAGTruth QA",
    "mtrag": "mt-RAG",
    "attribution": "AttributionBench",
    "sufficiency": "Wikipedia and filings",
    "nq301": "NQ-301",
    "financebench": "FinanceBench",
}
FIGURES = ("tpr", "tnr", "balanced_accuracy", "kappa", "ac1", "alpha")
HEAD = ("check", "set", "n", "decided", "TPR", "TNR", "balanced accuracy", "κ", "AC1", "α",
        "people: κ", "people: α", "trusted")  # fmt: skip


def measured(shared: Path, name: str) -> dict[str, Any]:
    """What `ragdiag agreement` says of a set that the screen judges."""
    real = shared / "real"
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / name
        samples = Inputs((real / f"{name}.samples.jsonl",))
        evaluate_files(samples, Options(workers=1), out=out)
        return measure(out, [real / f"{name}.labels.jsonl"], cluster="question")


def cell(one: dict[str, float | None] | None) -> str:
    """0.91 [0.87, 0.94]; a dash for none."""
    if one is None or one["value"] is None:
        return "–"
    return f"{one['value']:.2f} [{one['ci_low']:.2f}, {one['ci_high']:.2f}]"


def lines(name: str, found: dict[str, Any]) -> list[str]:
    """A line a check."""
    told: list[str] = []
    for check, row in found["checks"].items():
        people = found["people"].get(check, {})
        n = row["n"] + row["n_undecided"]
        cells = [
            check.replace("_", " "), SETS[name], str(n), f"{row['n'] / n:.0%}" if n else "–",
            *(cell(row[figure]) for figure in FIGURES),
            cell(people.get("kappa")), cell(people.get("alpha")),
            "yes" if row["trusted"] else f"no: {row['why']}",
        ]  # fmt: skip
        told.append("| " + " | ".join(cells) + " |")
    return told


def main() -> None:
    """Prints the table, a set at a time."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--shared", type=Path, default=Path("../shared"))
    asked.add_argument("--sets", default=",".join(SETS))
    given = asked.parse_args()
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    for name in given.sets.split(","):
        print("\n".join(lines(name, measured(given.shared, name))), flush=True)


if __name__ == "__main__":
    main()
