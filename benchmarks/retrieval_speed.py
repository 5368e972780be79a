"""How fast runs of ten million rows are scored, side by side with other tools, in one go.

    python benchmarks/retrieval_speed.py FOLDER [A B] [--text] [--shuffled] [--large]
                                         [--only ours,pytrec_eval] [--save]

FOLDER holds NAME_run.parquet (qid, docid, rank, score) and NAME_qrels.parquet (qid, docid, rel);
with --text also NAME_run.trec and NAME_qrels.trec; with --shuffled also NAME_shuf_run.parquet, the
same rows in random order; with --large a run of ten times A is written and read. Five measures, per
query and mean, end to end from the file, each tool in a process of its own, all of them in turn.
The peers (pytrec_eval-terrier, pyarrow, ranx, ir_measures) are needed here only. --save keeps the
figures beside this file, for `readme_tables.py`; runs that are not measured now keep theirs.
"""

# ruff: noqa: PLC0415 - each tool is loaded in its own process

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

MEASURES = ("ndcg@10", "recall@100", "rr@10", "precision@10", "ap@100")
Means = dict[str, float]


def read_only(run: Path, qrels: Path) -> Means:
    """What polars takes to read the columns that must be read."""
    import polars as pl

    pl.read_parquet(run, columns=["qid", "docid", "score"])
    pl.read_parquet(qrels)
    return {}


def ours(run: Path, qrels: Path) -> Means:
    """By score, as the peers do: every row is read."""
    from ragdiag.retrieval.options import Options

    return _ours(run, qrels, Options(gain="linear", by_score=True))


def ours_by_rank(run: Path, qrels: Path) -> Means:
    """By the rank column: only the first hundred ranks are read."""
    from ragdiag.retrieval.options import Options

    return _ours(run, qrels, Options(gain="linear"))


def _ours(run: Path, qrels: Path, options: Any) -> Means:
    from ragdiag.retrieval.files import read_labels, score_run

    found = score_run(run, read_labels(qrels, options), MEASURES, options).evaluated
    return {name: found.mean(name) or 0.0 for name in MEASURES}


def pytrec_eval(run: Path, qrels: Path) -> Means:
    import gc

    import pytrec_eval as peer

    gc.disable()  # millions of small objects, none of them garbage
    if run.suffix == ".trec":
        with qrels.open() as labels, run.open() as lists:
            labelled, ranked = peer.parse_qrel(labels), peer.parse_run(lists)
    else:
        labelled, ranked = _dicts(qrels, "rel"), _dicts(run, "score")
    measures = {"ndcg_cut.10", "recall.100", "recip_rank", "P.10", "map_cut.100"}
    found = peer.RelevanceEvaluator(labelled, measures).evaluate(ranked)
    theirs = ("ndcg_cut_10", "recall_100", "recip_rank", "P_10", "map_cut_100")
    values = {
        ours: [row[name] for row in found.values()]
        for ours, name in zip(MEASURES, theirs, strict=True)
    }
    # it has no cut-off there
    values["rr@10"] = [value if value >= 1 / 10 else 0.0 for value in values["rr@10"]]
    return {name: math.fsum(column) / len(column) for name, column in values.items()}


def _dicts(path: Path, value: str) -> dict[str, dict[str, float]]:
    """The fastest way into dicts that we know: one slice a query, ids of a chunk made once."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["qid", "docid", value])
    docs = table.column("docid").to_numpy().tolist()
    values = table.column(value).to_numpy().tolist()
    lists = pc.run_end_encode(table.column("qid").combine_chunks())
    found: dict[str, dict[str, float]] = {}
    start = 0
    for query, end in zip(lists.values.to_pylist(), lists.run_ends.to_pylist(), strict=True):
        found[query] = dict(zip(docs[start:end], values[start:end], strict=True))
        start = end
    return found


def _pandas(path: Path, value: str) -> Any:
    import pandas as pd

    frame = pd.read_parquet(path, columns=["qid", "docid", value])
    types = {"qid": object, "docid": object, value: int if value == "rel" else float}
    return frame.astype(types)


def ranx(run: Path, qrels: Path) -> Means:
    import ranx as peer

    columns = {"q_id_col": "qid", "doc_id_col": "docid"}
    labelled = peer.Qrels.from_df(_pandas(qrels, "rel"), score_col="rel", **columns)
    ranked = peer.Run.from_df(_pandas(run, "score"), score_col="score", **columns)
    theirs = ["ndcg@10", "recall@100", "mrr@10", "precision@10", "map@100"]
    found = peer.evaluate(labelled, ranked, theirs)
    return {ours: float(found[name]) for ours, name in zip(MEASURES, theirs, strict=True)}


def ir_measures(run: Path, qrels: Path) -> Means:
    """From dicts, made as for pytrec_eval: far faster than from its data frames."""
    import ir_measures as peer

    asked = [peer.nDCG @ 10, peer.R @ 100, peer.RR @ 10, peer.P @ 10, peer.AP @ 100]
    found = peer.calc_aggregate(asked, _dicts(qrels, "rel"), _dicts(run, "score"))
    return {ours: float(found[name]) for ours, name in zip(MEASURES, asked, strict=True)}


TOOLS: dict[str, Callable[[Path, Path], Means]] = {
    "read_only": read_only,
    "ours": ours,
    "ours_by_rank": ours_by_rank,
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
}
TEXT = ("ours", "pytrec_eval")
ALONE = ("read_only", "ours", "ours_by_rank")
FIGURES = Path(__file__).with_suffix(".json")


def measure(tool: str, run: Path, qrels: Path) -> None:
    """In a process of its own: seconds after the imports, CPU seconds, peak memory, the means."""
    TOOLS[tool](*_small(run, qrels))  # imports; ranx compiles here
    start, cpu = time.perf_counter(), time.process_time()
    means = TOOLS[tool](run, qrels)
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - start,
                "cpu": time.process_time() - cpu,
                "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "means": means,
            }
        )
    )


def _small(run: Path, qrels: Path) -> tuple[Path, Path]:
    return run.with_name(f"small_run{run.suffix}"), qrels.with_name(f"small_qrels{qrels.suffix}")


def write_small(folder: Path) -> None:
    """A run of three queries, for the imports and the warm-up."""
    import polars as pl

    qid = [f"q{query}" for query in range(3) for _ in range(20)]
    docid = [f"d{doc}" for _ in range(3) for doc in range(20)]
    rank = [doc + 1 for _ in range(3) for doc in range(20)]
    run = pl.DataFrame({"qid": qid, "docid": docid, "rank": rank}).with_columns(
        score=100.0 - pl.col("rank")
    )
    qrels = run.select("qid", "docid", rel=pl.col("rank") % 3).filter(pl.col("rel") < 2)
    run.write_parquet(folder / "small_run.parquet")
    qrels.write_parquet(folder / "small_qrels.parquet")
    with (folder / "small_run.trec").open("w") as file:
        file.writelines(f"{q} Q0 {d} {r} {s} x\n" for q, d, r, s in run.iter_rows())
    with (folder / "small_qrels.trec").open("w") as file:
        file.writelines(f"{q} 0 {d} {g}\n" for q, d, g in qrels.iter_rows())


def write_large(folder: Path) -> None:
    """Ten times A: 100,000 queries of 1,000, in row groups as A has them."""
    import polars as pl
    import pyarrow.parquet as pq

    target = folder / "L_run.parquet"
    if target.exists():
        return
    source = pq.ParquetFile(folder / "A_run.parquet")
    with pq.ParquetWriter(target, source.schema_arrow) as writer:
        for copy in range(10):
            for group in range(source.num_row_groups):
                frame = pl.from_arrow(source.read_row_group(group))
                writer.write_table(
                    frame.with_columns(qid=pl.format("{}-{}", pl.col("qid"), pl.lit(copy)))
                    .to_arrow()
                    .cast(source.schema_arrow)
                )
    labels = pl.read_parquet(folder / "A_qrels.parquet")
    pl.concat(
        labels.with_columns(qid=pl.format("{}-{}", pl.col("qid"), pl.lit(copy)))
        for copy in range(10)
    ).write_parquet(folder / "L_qrels.parquet")


def jobs(asked: argparse.Namespace) -> Iterator[tuple[Path, Path, list[str]]]:
    only = asked.only.split(",") if asked.only else list(TOOLS)

    def job(name: str, ending: str, tools: Iterable[str], labels: str = "") -> Any:
        run = asked.folder / f"{name}_run{ending}"
        qrels = asked.folder / f"{labels or name}_qrels{ending}"
        return run, qrels, [tool for tool in tools if tool in only]

    for name in asked.workloads:
        yield job(name, ".parquet", TOOLS)
        if asked.text and (asked.folder / f"{name}_run.trec").exists():
            yield job(name, ".trec", TEXT)
        if asked.shuffled and (asked.folder / f"{name}_shuf_run.parquet").exists():
            yield job(f"{name}_shuf", ".parquet", ALONE, name)
    if asked.large:
        write_large(asked.folder)
        yield job("L", ".parquet", ALONE)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("workloads", nargs="*", default=["A", "B"])
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--save", action="store_true")
    asked = parser.parse_args()
    write_small(asked.folder)
    rows: list[dict[str, Any]] = []
    for run, qrels, tools in jobs(asked):
        print(f"\n{run.name}: {', '.join(MEASURES)}")
        print(f"{'':14}{'seconds':>9}{'cpu':>8}{'MB':>7}  times ours")
        best = best_of(tools, run, qrels, asked.repeat)
        base = best["ours"] if "ours" in best else next(iter(best.values()))
        for tool, found in best.items():
            ratio, by_cpu = found["seconds"] / base["seconds"], found["cpu"] / base["cpu"]
            print(
                f"{tool:14}{found['seconds']:9.2f}{found['cpu']:8.2f}{found['mb']:7.0f}"
                f"{ratio:12.2f} ({by_cpu:.2f} by cpu)",
                flush=True,
            )
            figures = {key: round(found[key], 3) for key in ("seconds", "cpu", "mb")}
            rows.append({"run": run.name, "tool": tool, **figures})
        agree({tool: found["means"] for tool, found in best.items() if found["means"]})
    if asked.save:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        python = ".".join(map(str, sys.version_info[:2]))
        machine = {"cores": os.cpu_count(), "gib": round(memory), "python": python}
        FIGURES.write_text(json.dumps({"machine": machine, "rows": kept(rows)}, indent=1) + "\n")


def kept(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of before with those of now in place of theirs; what was not measured now stays."""
    before = json.loads(FIGURES.read_text())["rows"] if FIGURES.exists() else []
    now = {(row["run"], row["tool"]): row for row in rows}
    known = {(row["run"], row["tool"]) for row in before}
    stay = [now.get((row["run"], row["tool"]), row) for row in before]
    return stay + [row for key, row in now.items() if key not in known]


def best_of(tools: list[str], run: Path, qrels: Path, repeat: int) -> dict[str, dict[str, Any]]:
    """By tool: the fastest of so many runs. Tools take turns, so that all meet the same load."""
    best: dict[str, dict[str, Any]] = {}
    for tool in tools * repeat:
        command = [sys.executable, __file__, "--measure", tool, str(run), str(qrels)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        if tool not in best or found["seconds"] < best[tool]["seconds"]:
            best[tool] = found
    return best


def agree(means: dict[str, Means]) -> None:
    for name in MEASURES:
        values = {tool: round(found[name], 6) for tool, found in means.items()}
        if max(values.values()) - min(values.values()) > 1.5e-6:
            raise SystemExit(f"{name}: the tools do not agree: {values}")
    print(f"all {len(means)} agree on the means to 6 decimals")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        main()
