"""The numbers of several evaluations beside each other: python side_by_side.py DIR DIR …"""

from __future__ import annotations

import json
import sys
from pathlib import Path

METRICS = (
    "recall@1", "recall@5", "rr@10", "ndcg@10", "complete_evidence@5", "completeness",
    "evidence_correctness", "answer_correctness", "faithfulness",
)  # fmt: skip


def main(directories: list[str]) -> None:
    """Prints a line a metric and a line a family, a column an evaluation."""
    reports = [json.loads((Path(one) / "report.json").read_text()) for one in directories]
    names = [str(report["run"].get("reranker") or "no reranker") for report in reports]
    print(f"{'':24}" + "".join(f"{name:>24}" for name in names))
    for metric in METRICS:
        cells = [report["metrics"][metric] for report in reports]
        shown = [
            f"{cell['value']:.3f} [{cell['ci_low']:.2f}, {cell['ci_high']:.2f}]" for cell in cells
        ]
        print(f"{metric:24}" + "".join(f"{text:>24}" for text in shown))
    for family in reports[0]["families"]:
        counts = [report["families"][family]["n"] for report in reports]
        if any(counts):
            print(f"{family + ' (queries)':24}" + "".join(f"{count:>24}" for count in counts))


if __name__ == "__main__":
    main(sys.argv[1:])
