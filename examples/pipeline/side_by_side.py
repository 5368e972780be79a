"""The numbers of several evaluations beside each other: python side_by_side.py DIR DIR …"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

METRICS = (
    "recall@1", "recall@5", "rr@10", "ndcg@10", "complete_evidence@5", "completeness",
    "evidence_correctness", "answer_correctness", "faithfulness",
)  # fmt: skip


def main(directories: list[str]) -> None:
    """Prints a line a metric and a line a family, a column an evaluation, and what changed."""
    reports = [json.loads((Path(one) / "report.json").read_text()) for one in directories]
    names = [str(report["run"].get("reranker") or "no reranker") for report in reports]
    print(f"{'':24}" + "".join(f"{name:>24}" for name in names))
    for metric in METRICS:
        cells = [report["metrics"][metric] for report in reports]
        shown = [f"{one['value']:.3f} [{one['ci_low']:.2f}, {one['ci_high']:.2f}]" for one in cells]
        print(f"{metric:24}" + "".join(f"{text:>24}" for text in shown))
    for family in reports[0]["families"]:
        counts = [report["families"][family]["n"] for report in reports]
        if any(counts):
            print(f"{family + ' (queries)':24}" + "".join(f"{count:>24}" for count in counts))
    undetermined = [report["categories"]["X2"]["n"] for report in reports]
    print(f"{'undetermined (queries)':24}" + "".join(f"{count:>24}" for count in undetermined))
    print()
    for line in changed(codes(directories[0]), codes(directories[-1])):
        print(line)


def codes(directory: str) -> dict[str, str]:
    """The failure category of each query."""
    lines = (Path(directory) / "results.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    return {one["query_id"]: one["diagnosis"]["code"] or "none" for one in found}


def changed(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """The queries whose category the change moved, by the move."""
    moves: dict[tuple[str, str], list[str]] = {}
    for query_id, code in before.items():
        if code != after[query_id]:
            moves.setdefault((code, after[query_id]), []).append(query_id)
    yield f"{sum(map(len, moves.values()))} of {len(before)} queries changed their category"
    for (old, new), ids in sorted(moves.items(), key=lambda pair: -len(pair[1])):
        yield f"  {old} -> {new}: {', '.join(ids)}"


if __name__ == "__main__":
    main(sys.argv[1:])
