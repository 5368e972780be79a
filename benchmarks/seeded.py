"""Seeded failures: is the stage that lost the evidence named? With RAGEC's rule side by side.

    python benchmarks/seeded.py [SHARED] [--misses] [--json]

Without SHARED only the example set. Every question fails in every kind of seeding.py, and answers
in every wrong way that it can. The answers are judged by the embedded screen, and by people's word
on their correctness (the screen for the rest). "Right" is the code of the stage, and one code; for
RAGEC's rule its coarser stage, whether the answer was told to be incorrect or not.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bm25 import Row
from benchmarks.ragec_rule import stage_of
from benchmarks.seeding import (
    ANSWERS,
    KINDS,
    Question,
    Seeded,
    example_questions,
    kgrag_questions,
)
from ragdiag import evaluate
from ragdiag.data.corpus import FileCorpus
from ragdiag.records import Passage, Sample

JUDGES = ("people", "screen")


@dataclass(frozen=True)
class Told:
    """A seeded failure and what was said of it."""

    kind: str
    answer: str
    row: Row
    wanted: frozenset[str]
    code: str | None
    codes: tuple[str, ...]
    ragec_right: bool

    @property
    def right(self) -> bool:
        """Is the stage named?"""
        return self.code in self.wanted


def seeded(
    questions: list[Question], kind: str, answers: tuple[str, ...]
) -> Iterator[tuple[str, Seeded]]:
    """(answer kind, failure) of every question that can fail so, variants in turn."""
    _, seeder = KINDS[kind]
    for number, question in enumerate(questions):
        for answer in answers:
            if answer not in question.texts:
                continue
            others = list(question.others)
            if answer == "twin" and question.twin is not None:
                others = [one for one in others if one is not question.twin]
                others.insert(1, question.twin)
            made = seeder(question, number + ANSWERS.index(answer), others)
            if made is not None:
                row = made.row | {
                    "query_id": f"{question.fields['query_id']}/{answer}",
                    "answer": question.texts[answer],
                }
                yield (
                    answer,
                    Seeded(row, made.codes, made.without_documents, made.without, made.added),
                )


def measure(
    corpus: list[Row],
    questions: list[Question],
    kind: str,
    *,
    judge: str,
    answers: tuple[str, ...] = ANSWERS,
) -> list[Told]:
    """Every failure of a kind, told. `judge`: "screen", or "people" for their word first."""
    passages = {row["passage_id"]: Passage.model_validate(row) for row in corpus}
    groups: dict[tuple[frozenset[str], frozenset[str], str], list[tuple[str, Seeded]]] = (
        defaultdict(list)
    )
    for answer, made in seeded(questions, kind, answers):
        added = json.dumps(made.added, sort_keys=True)
        groups[made.without_documents, made.without, added].append((answer, made))
    told: list[Told] = []
    with tempfile.TemporaryDirectory() as folder:
        for (documents, without, added), members in groups.items():
            left = {
                key: p
                for key, p in passages.items()
                if p.doc_id not in documents and key not in without
            }
            left |= {row["passage_id"]: Passage.model_validate(row) for row in json.loads(added)}
            held = FileCorpus(left, "seeded")
            spec = _judge(judge, members, Path(folder))
            results = evaluate([made.row for _, made in members], judge=spec, corpus=held).results
            for (answer, made), result in zip(members, results, strict=True):
                stage = stage_of(Sample.model_validate(made.row), corpus=held)
                given = result.diagnosis
                right = stage == KINDS[kind][0]
                told.append(
                    Told(kind, answer, made.row, made.codes, given.code, given.codes, right)
                )
    return told


def _judge(judge: str, members: list[tuple[str, Seeded]], folder: Path) -> str:
    if judge == "screen":
        return judge
    path = folder / "labels.jsonl"
    rows = [
        {
            "query_id": made.row["query_id"],
            "check": "answer_correctness",
            "label": "abstained" if answer == "abstains" else "incorrect",
            "annotator": "reader",
        }
        for answer, made in members
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"cascade:file:{path},screen"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("shared", type=Path, nargs="?")
    parser.add_argument("--misses", action="store_true", help="name every failure told wrongly")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    sets = {"annual-report": example_questions()}
    if asked.shared is not None:
        sets["kgrag_10q"] = kgrag_questions(asked.shared)
    rows: list[Row] = []
    for name, (corpus, questions) in sets.items():
        for kind in KINDS:
            found = {one: measure(corpus, questions, kind, judge=one) for one in JUDGES}
            rows.append(_row(name, kind, found))
            if not asked.json:
                print(_line(rows[-1]), flush=True)
            for judge, told in found.items() if asked.misses else ():
                for one in told:
                    if not one.right:
                        print(f"    {judge} {one.row['query_id']} {one.code} {one.codes}")
    if asked.json:
        print(json.dumps(rows, indent=1))


def _row(name: str, kind: str, found: dict[str, list[Told]]) -> Row:
    """Counts of one set and kind: right by each judge, X2 with the stage among its codes, RAGEC."""
    row: Row = {"set": name, "kind": kind, "n": len(found["screen"])}
    for judge, told in found.items():
        row[judge] = sum(one.right for one in told)
        row[f"{judge}_open"] = sum(
            one.code == "X2" and bool(one.wanted & set(one.codes)) for one in told
        )
    row["ragec"] = sum(one.ragec_right for one in found["screen"])
    return row


def _line(row: Row) -> str:
    """A row of the Markdown table."""
    n = row["n"]
    cells = [f"{row[key]} ({row[key] / n:.0%})" if n else "–" for key in (*JUDGES, "ragec")]
    opened = row["screen_open"]
    cells[1] += f", {opened} open" if opened else ""
    return f"| {row['set']} | {row['kind']} | {n} | " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
