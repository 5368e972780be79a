"""Writes the tables of the README that state figures or the categories, between their markers.

    python benchmarks/readme_tables.py [--shared ../shared]

categories  from the catalogue of the code.
agreement   cross-validated figures of the screen (made by fit_screen.py), and what code decides,
            measured now on the sets in `--shared`; left as it is where they are absent.
speed       what retrieval_speed.py --save measured last.
judge-speed what judge_speed.py --save measured last.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from ragdiag import evaluate
from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.judging.screen.model import load_model
from ragdiag.stats.intervals import wilson

README = Path(__file__).resolve().parents[1] / "README.md"
SCREENED = (
    ("faithfulness of an answer", "RAGTruth QA", "answer:ragtruth_qa"),
    ("faithfulness of an answer", "mt-RAG", "answer:mtrag"),
    ("citation support", "AttributionBench", "citation_support:attribution"),
    ("sufficiency", "Wikipedia and filings", "sufficiency:sufficiency"),
    ("correctness against free text", "NQ-301", "correctness:nq301"),
    ("correctness against free text", "FinanceBench", "correctness:financebench"),
)
SPEED = Path(__file__).with_name("retrieval_speed.json")
JUDGE_SPEED = Path(__file__).with_name("judge_speed.json")
RUNS = {
    "A_run.parquet": "10,000 queries × 1,000, Parquet",
    "B_run.parquet": "100,000 queries × 100, Parquet",
    "A_run.trec": "10,000 queries × 1,000, TREC text",
    "B_run.trec": "100,000 queries × 100, TREC text",
}
TOOLS = {
    "ours": "ragdiag",
    "ours_by_rank": "ragdiag, by a rank column",
    "read_only": "polars, reading only",
    "pytrec_eval": "pytrec_eval",
    "ir_measures": "ir_measures",
    "ranx": "ranx",
}
CODE = (("FinanceBench", "financebench"), ("NQ-301", "nq301"))


def between(text: str, name: str, body: str) -> str:
    """The text with what stands between the markers of a name replaced."""
    pattern = rf"(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->)"
    return re.sub(pattern, lambda m: f"{m[1]}{body}{m[2]}", text, flags=re.DOTALL)


def categories() -> str:
    """All codes with family, name, what to fix and the next experiment."""
    rows = ["| code | family | category | fix | next experiment |", "|---|---|---|---|---|"]
    for code, row in CATALOGUE.items():
        name = row.name.replace("_", " ")
        cells = (code, row.family or "–", name, row.fix or "–", row.next_experiment or "–")
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def agreement(shared: Path) -> str:
    """Who decides, on what, how much of it, and how often people say the same."""
    rows = [
        "| who | check | set | n | decided | agreement on the decided | balanced accuracy, all |",
        "|---|---|---|---|---|---|---|",
    ]
    measured = load_model().measured
    for check, name, key in SCREENED:
        row = measured[key]
        rows.append(
            f"| screen | {check} | {name} | {row['n']:.0f} | {row['decided_share']:.0%} "
            f"| {row['accuracy_decided']:.2f} | {row['balanced_accuracy']:.2f} |"
        )
    for name, stem in CODE:
        n, decided, same = code_decided(shared, stem)
        low, high = wilson(same, decided)
        rows.append(
            f"| code | answer correctness | {name} | {n} | {decided / n:.0%} "
            f"| {same / decided:.2f} [{low:.2f}, {high:.2f}] | – |"
        )
    return "\n".join(rows) + "\n"


def speed() -> str:
    """CPU time and peak memory by run and tool; ragdiag by score = 1."""
    saved = json.loads(SPEED.read_text("utf-8"))
    by_run: dict[str, dict[str, dict[str, float]]] = {}
    for row in saved["rows"]:
        by_run.setdefault(row["run"], {})[row["tool"]] = row
    rows = [
        f"| 10 million rows | {' | '.join(TOOLS.values())} |",
        "|---" * (1 + len(TOOLS)) + "|",
    ]
    for file, name in RUNS.items():
        found = by_run.get(file, {})
        cells = [
            f"{found[tool]['cpu'] / found['ours']['cpu']:.1f} · {found[tool]['mb'] / 1024:.1f} GiB"
            if tool in found
            else "–"
            for tool in TOOLS
        ]
        if found:
            rows.append(f"| {name} | {' | '.join(cells)} |")
    machine = saved["machine"]
    said = (
        f"CPU time end to end, ragdiag = 1, and peak memory; {machine['cores']} cores, "
        f"{machine['gib']} GiB, Python {machine['python']}."
    )
    if "A_shuf_run.parquet" in by_run:
        one, other = by_run["A_shuf_run.parquet"]["ours"], by_run["A_run.parquet"]["ours"]
        ratio = one["cpu"] / other["cpu"]
        said += f" With its rows in random order, the first run takes {ratio:.1f} times as long."
    return "\n".join(rows) + f"\n\n{said}\n"


def judge_speed() -> str:
    """CPU a call beside a bare client, time beside the ideal, and whole samples beside ragas."""
    saved = json.loads(JUDGE_SPEED.read_text("utf-8"))
    rows = ["| CPU of the client a call | ms | bare client = 1 |", "|---|---|---|"]
    rows += [f"| {n} | {r['cpu']:.2f} | {r['ratio']:.2f} |" for n, r in saved["cpu"].items()]
    rows += ["", "| whole samples | calls a sample | CPU ms a call |", "|---|---|---|"]
    rows += [
        f"| {name} | {row['calls']:.1f} | {row['cpu']:.2f} |"
        for name, row in saved["samples"].items()
    ]
    clock = {name: row["ratio"] for name, row in saved["clock"].items() if "ratio" in row}
    told = "; ".join(f"{name} {ratio:.2f}" for name, ratio in clock.items())
    (warm,) = (row["verdicts"] for row in saved["clock"].values() if "verdicts" in row)
    said = (
        f"{saved['calls']:,} calls at {saved['latency'] * 1000:g} ms, {saved['concurrency']} at a "
        f"time, by the clock, ideal = 1: {told}. "
        f"Again from the cache: {warm:,.0f} verdicts a second."
    )
    return "\n".join(rows) + f"\n\n{said}\n"


def code_decided(shared: Path, stem: str) -> tuple[int, int, int]:
    """n labelled (ties left out), how many code decides, and how many of these as people do."""
    found = evaluate(
        shared / "real" / f"{stem}.samples.jsonl",
        labels=shared / "real" / f"{stem}.labels.jsonl",
    )
    votes: dict[str, list[str]] = {}
    for line in (shared / "real" / f"{stem}.labels.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        votes.setdefault(row["query_id"], []).append(row["label"])
    people = {
        query_id: max(set(said), key=said.count)
        for query_id, said in votes.items()
        if max(map(said.count, said)) * 2 > len(said)
    }
    told = [
        (people[result.query_id], result.labels["answer_correctness"].label)
        for result in found.results
        if result.query_id in people and result.labels["answer_correctness"].judge == "code"
    ]
    return len(people), len(told), sum(said == label for said, label in told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=README.parents[1] / "shared")
    given = parser.parse_args()
    text = between(README.read_text("utf-8"), "categories", categories())
    if (given.shared / "real").is_dir():
        text = between(text, "agreement", agreement(given.shared))
    if SPEED.exists():
        text = between(text, "speed", speed())
    if JUDGE_SPEED.exists():
        text = between(text, "judge-speed", judge_speed())
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
