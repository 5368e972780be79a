"""The published stage rule of RAGEC, as a baseline for the diagnosis.

    python benchmarks/ragec_rule.py SAMPLES... [--results DIR] [--corpus FILE] [--k N]

The rule speaks of incorrect answers only, and knows four stages:

    no gold chunk                                        -> generation
    more than half of the gold chunks in the final top k -> generation
    any gold chunk among the retrieved that were cut     -> reranking
    under 80% of the gold's concepts covered             -> chunking
    else                                                 -> retrieval

Its published agreement with people is 57.8% on the stage. A "concept" is read here as a word stem
of the gold text, covered if it stands in a passage of the gold's document (or, without a corpus,
in a retrieved one); "gold chunks" are the items of the best gold set.

With --results, only queries that ragdiag calls not correct are taken, and the two are set side by
side: as one stage each, and as the codes of ragdiag behind each stage of the rule.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from ragdiag.data.corpus import read_corpus
from ragdiag.data.native import read
from ragdiag.records import Corpus, Item, Passage, Sample, Settings
from ragdiag.text.case import Case
from ragdiag.text.locate import covered, find
from ragdiag.text.tokens import content_stems

STAGES = ("generation", "reranking", "chunking", "retrieval")
CONCEPTS = 0.8

STAGE_OF_CODE: dict[str, str] = {
    **dict.fromkeys(("D2", "D3"), "chunking"),
    **dict.fromkeys(("D1", "R1", "R2a", "R2b", "R2c", "R6"), "retrieval"),
    **dict.fromkeys(("R3", "R4", "R5"), "reranking"),
    **dict.fromkeys(
        ("G1", "G2", "G3a", "G3b", "G3c", "G4", "G5", "G6", "G7", "G8", "G9", "U2"), "generation"
    ),
}
"""The stage that a code of ragdiag blames, in the rule's coarser words; labels and X have none."""


def ragec_stage(n_gold: int, n_in_top_k: int, n_cut: int, concepts: float | None) -> str:
    """The rule itself.

    n_gold chunks; how many stand in the final top k; how many were retrieved, but cut; the share
    (0-1) of the gold's concepts that is covered, None = not known, then taken as covered.
    """
    if n_gold == 0 or n_in_top_k / n_gold > 0.5:
        return "generation"
    if n_cut > 0:
        return "reranking"
    return "chunking" if concepts is not None and concepts < CONCEPTS else "retrieval"


def stage_of(sample: Sample, *, corpus: Corpus | None = None, k: int | None = None) -> str:
    """The rule on a sample. `k` cuts the context (default: all of it)."""
    case = Case(sample, settings=Settings(), corpus=corpus)
    top = (case.context or ())[:k]
    earlier = [*(case.retrieved or ()), *(p for found in case.stages.values() for p in found)]
    best = (0, 0, 0, None)
    for items in sample.gold:
        in_top = sum(covered(item, top) is not None for item in items)
        cut = sum(covered(i, top) is None and bool(find(i, earlier)) for i in items)
        counts = (len(items), in_top, cut, _concepts(items, earlier, corpus))
        if best[0] == 0 or in_top / len(items) > best[1] / best[0]:
            best = counts
    return ragec_stage(*best)


def _concepts(
    items: tuple[Item, ...], retrieved: list[Passage], corpus: Corpus | None
) -> float | None:
    """The share of the stems of the gold's texts that its documents' passages hold."""
    wanted = {stem for item in items for stem in content_stems(item.text or "")}
    if not wanted:
        return None
    passages = list(retrieved)
    if corpus is not None:
        passages = [p for i in items if i.doc_id is not None for p in corpus.passages_of(i.doc_id)]
    held = {stem for passage in passages for stem in content_stems(passage.text or "")}
    return len(wanted & held) / len(wanted)


def diagnoses(directory: Path) -> dict[str, dict[str, Any]]:
    """The diagnosis of every query of an evaluation directory whose answer is not correct."""
    found: dict[str, dict[str, Any]] = {}
    with (directory / "results.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            result = json.loads(line)
            label = result["labels"].get("answer_correctness", {}).get("label")
            if label in ("incorrect", "partial"):
                found[result["query_id"]] = result["diagnosis"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("samples", nargs="+", type=Path)
    parser.add_argument("--results", type=Path, help="an evaluation directory of ragdiag")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--k", type=int)
    given = parser.parse_args()
    corpus = read_corpus([given.corpus]) if given.corpus else None
    ours = diagnoses(given.results) if given.results else None
    stages: Counter[str] = Counter()
    codes: dict[str, Counter[str]] = {stage: Counter() for stage in STAGES}
    agree = comparable = 0
    for sample in read(given.samples):
        if ours is not None and sample.query_id not in ours:
            continue
        stage = stage_of(sample, corpus=corpus, k=given.k)
        stages[stage] += 1
        code = ours[sample.query_id]["code"] if ours is not None else None
        if code is not None:
            codes[stage][code] += 1
            comparable += code in STAGE_OF_CODE
            agree += STAGE_OF_CODE.get(code) == stage
    for stage in STAGES:
        behind = ", ".join(f"{code} {n}" for code, n in codes[stage].most_common())
        print(f"{stage:11} {stages[stage]:6}  {behind}".rstrip())
    if ours is not None:
        print(f"same stage: {agree} of {comparable} where ragdiag names one")


if __name__ == "__main__":
    main()
