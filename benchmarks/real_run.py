"""A real run to be read by people: BM25 over filings, with and without a reranking step.

    python benchmarks/real_run.py SHARED -o FOLDER      # the run, its evaluation, the draw
    python benchmarks/real_run.py SHARED -o FOLDER --readings FILE     # against what a reader said

A passage is a page. 27 questions on 30 annual reports (4,264 pages) and the questions on 20
quarterly reports whose figures tell the gold pages (seeding.py), each at 3, 5 and 10 pages of
context, with and without the reranking step. A small extractive answerer takes the line that shares
most with the question, or says that it does not know; to the 27 questions there are also the
recorded answers of a model that saw no page. Judged by the embedded screen alone.

60 diagnoses are drawn: by a fixed seed, one a question and variant at most, no code over half of
them, half from each set. READINGS (JSONL: id, codes, why, correctness) holds the codes that a
reader would give from the pages, before seeing the diagnosis; `draw.jsonl` is what is read,
`told.jsonl` what was told.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.bm25 import Collection, Row, lines, pages, rank
from benchmarks.seeding import kgrag_questions
from ragdiag import evaluate
from ragdiag.data.corpus import FileCorpus
from ragdiag.records import Passage
from ragdiag.stats.intervals import wilson

K = (3, 5, 10)
N_CANDIDATES, N_RETRIEVED = 50, 20
N_DRAWN, SEED = 60, 20261130
WINDOW = 60
"""Words within which the question's words count as standing together."""

ENOUGH = 0.4
_WORD = re.compile(r"[a-z]+|\d[\d,.]*\d|\d")
_YEAR = re.compile(r"\b20\d\d\b")
_SAY_NOTHING = """a an and are as at by did do does for from had has have how in is it its of on or
the their this that to was were what when which who why with if not be any based"""
_SMALL = frozenset(_SAY_NOTHING.split())


@lru_cache(maxsize=20_000)
def words(text: str) -> tuple[str, ...]:
    """Words and figures in lower case, plurals cut, without those that say nothing."""
    found = (word.removesuffix("s") or word for word in _WORD.findall(text.lower()))
    return tuple(word for word in found if word not in _SMALL)


class Reranker:
    """IDF-weighted words of the question in the best window of a page, and its year and figures."""

    def __init__(self, corpus: Sequence[Row]) -> None:
        seen = Counter(word for row in corpus for word in set(words(row["text"])))
        self._idf = {word: math.log(1 + len(corpus) / n) for word, n in seen.items()}
        self._rare = math.log(1 + len(corpus))

    def weight(self, word: str) -> float:
        """How telling a word is; one that no page has is told by none."""
        return self._idf.get(word, self._rare)

    def share(self, wanted: frozenset[str], held: frozenset[str]) -> float:
        """The share (0-1) of the wanted words' weight that is held."""
        total = sum(map(self.weight, wanted))
        return sum(map(self.weight, wanted & held)) / total if total else 0.0

    def merit(self, query: str, row: Row) -> float:
        """What a page is worth: words near each other, all words, year, figures."""
        wanted = frozenset(words(query))
        text = words(row["text"])
        steps = range(0, max(1, len(text) - WINDOW // 2), WINDOW // 2)
        near = max(self.share(wanted, frozenset(text[at : at + WINDOW])) for at in steps)
        years = set(_YEAR.findall(query))
        about = f"{row['doc_id']} {row['text'][:2000]}"
        right_year = not years or bool(years & set(_YEAR.findall(about)))
        figures = sum(word[0].isdigit() for word in text) / (len(text) or 1)
        whole = self.share(wanted, frozenset(text))
        return 0.5 * near + 0.3 * whole + 0.15 * right_year + 0.1 * min(1.0, 3 * figures)

    def ranked(self, query: str, found: list[Row]) -> list[Row]:
        """The candidates, best first."""
        return sorted(found, key=lambda row: -self.merit(query, row))

    def answer(self, query: str, context: list[Row]) -> str:
        """The line of the context that shares most with the question, with its page cited."""
        wanted = frozenset(words(query))
        best, most, where = "", 0.0, 0
        for number, row in enumerate(context, 1):
            title = frozenset(words(row["text"][:300]))
            for line in _passages(row["text"]):
                held = frozenset(words(line))
                figures = any(word[0].isdigit() for word in held - wanted)
                merit = self.share(wanted, held) + 0.3 * self.share(wanted, title) + 0.1 * figures
                if merit > most:
                    best, most, where = line, merit, number
        if most < ENOUGH:
            return "The pages do not say."
        return f"{best.rstrip('.')} [{where}]."


def _passages(text: str) -> Iterator[str]:
    """The lines of a page, a short one with what follows it (a row's figures stand below it)."""
    rows = [line.strip() for line in text.split("\n") if line.strip()]
    at = 0
    while at < len(rows):
        line = rows[at]
        at += 1
        while at < len(rows) and (len(line) < 25 or not re.search("[A-Za-z]{3}", rows[at])):
            line = f"{line} {rows[at]}"
            at += 1
            if len(line) > 160:
                break
        yield line[:400]


def financebench(shared: Path) -> tuple[list[Row], list[Row]]:
    """Pages and queries; the target is what the data says of the question's report."""
    folder = shared / "data" / "financebench"
    asked = list(lines(folder / "page_corpus_questions.jsonl"))
    companies = {row["doc_name"]: row["company"] for row in asked}
    corpus = [
        row | {"metadata": {"entity": companies.get(row["doc_id"], row["doc_id"].split("_")[0])}}
        for row in pages(folder / "page_corpus.jsonl.gz")
    ]
    queries = [
        {
            "query_id": row["id"],
            "query": row["question"],
            "reference": [str(row["answer"])],
            "gold": [
                [{"doc_id": one["doc_name"], "page": one["page_0idx"]} for one in row["evidence"]]
            ],
            "target": {"entity": row["company"], "period": f"FY{row['doc_period']}"},
        }
        for row in asked
    ]
    return corpus, queries


def kgrag(shared: Path) -> tuple[list[Row], list[Row]]:
    """Pages and queries with gold pages told by figures."""
    corpus, questions = kgrag_questions(shared)
    return corpus, [dict(one.fields) | {"gold": one.gold} for one in questions]


def closed_book(shared: Path) -> dict[str, str]:
    """Recorded answers of a model that saw no page, by question."""
    found: dict[str, str] = {}
    for row in lines(shared / "data/financebench/labelled_answers.jsonl"):
        if row["eval_mode"] == "closedBook" and row.get("model_answer"):
            found.setdefault(row["id"], str(row["model_answer"]).strip())
    return found


def run(corpus: list[Row], queries: list[Row], memory: Mapping[str, str]) -> Iterator[Row]:
    """The samples of all variants; ids are QUERY/VARIANT/K."""
    by_id = {row["passage_id"]: row for row in corpus}
    reranker = Reranker(corpus)
    ranking = {row["query_id"]: row["retrieved"] for row in rank(Collection(corpus, queries))}
    for query in queries:
        key = query["query_id"]
        found = [by_id[hit["passage_id"]] for hit in ranking[key][:N_CANDIDATES]]
        orders = {"bm25": found, "reranked": reranker.ranked(query["query"], found)}
        for variant, order in orders.items():
            stages = {"candidates": [_place(row) for row in found]}
            if variant == "reranked":
                stages["reranked"] = [_place(row) for row in order[:N_RETRIEVED]]
            for k in K:
                context = order[:k]
                answers = {"": reranker.answer(query["query"], context)}
                if k == K[1] and key in memory:
                    answers["-memory"] = memory[key]
                for suffix, answer in answers.items():
                    yield query | {
                        "query_id": f"{key}/{variant}{suffix}/{k}",
                        "stages": stages,
                        "retrieved": order[:N_RETRIEVED],
                        "context": [row["passage_id"] for row in context],
                        "answer": answer,
                    }


def _place(row: Row) -> Row:
    return {key: row[key] for key in ("passage_id", "doc_id", "page") if key in row}


def drawn(codes: Mapping[str, str], n: int, *, seed: int) -> list[str]:
    """n ids at random, one a question, no code over half of them; in the order drawn."""
    ids = sorted(codes)
    random.Random(seed).shuffle(ids)
    kept: list[str] = []
    for most in (1, 2, 9):  # of one question
        for key in ids:
            of_question = sum(one.split("/")[0] == key.split("/")[0] for one in kept)
            of_code = sum(codes[one] == codes[key] for one in kept)
            if len(kept) < n and key not in kept and of_question < most and of_code < n // 2:
                kept.append(key)
    return kept


def made(shared: Path, folder: Path, *, n: int, seed: int) -> None:
    """Writes samples, draw.jsonl (to be read) and told.jsonl (what ragdiag said)."""
    folder.mkdir(parents=True, exist_ok=True)
    to_read: list[Row] = []
    told: list[Row] = []
    memory = closed_book(shared)
    for name, read in (("financebench", financebench), ("kgrag_10q", kgrag)):
        corpus, queries = read(shared)
        samples = list(run(corpus, queries, memory))
        held = FileCorpus({r["passage_id"]: Passage.model_validate(r) for r in corpus}, name)
        evaluation = evaluate(samples, judge="screen", corpus=held)
        found = {one.query_id: one.diagnosis for one in evaluation.results}
        codes = {key: one.code or "none" for key, one in found.items()}
        counts = Counter(codes.values()).most_common()
        print(name, len(samples), "samples:", *(f"{code} {n}" for code, n in counts))
        by_id = {row["query_id"]: row for row in samples}
        for key in drawn(codes, n // 2, seed=seed):
            to_read.append(by_id[key])
            one = found[key]
            told.append({"id": key, "code": one.code, "codes": list(one.codes), "proof": one.proof})
    for name, rows in (("draw", to_read), ("told", told)):
        text = "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def compared(shared: Path, folder: Path, readings: Path) -> None:
    """Prints how often the code is one that the reader gave: as it was told when it was drawn, as
    it is told now, and with the reader's word on the answers' correctness."""
    read: dict[str, Any] = {row["id"]: row for row in lines(readings)}
    told = {row["id"]: (row["code"], row["codes"]) for row in lines(folder / "told.jsonl")}
    print("as drawn:", *_agreement(told, read), sep="\n")
    samples = list(lines(folder / "draw.jsonl"))
    held = FileCorpus(
        {
            row["passage_id"]: Passage.model_validate(row)
            for source in (financebench, kgrag)
            for row in source(shared)[0]
        },
        "both",
    )
    labels = folder / "labels.jsonl"
    rows = [
        {
            "query_id": key,
            "check": "answer_correctness",
            "label": row["correctness"],
            "annotator": "reader",
        }
        for key, row in read.items()
    ]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name, judge in (("now", "screen"), ("reader's word", f"cascade:file:{labels},screen")):
        results = evaluate(samples, judge=judge, corpus=held).results
        found = {r.query_id: (r.diagnosis.code, list(r.diagnosis.codes)) for r in results}
        print(f"{name}:", *_agreement(found, read), sep="\n")


def _agreement(told: Mapping[str, Any], read: Mapping[str, Any]) -> Iterator[str]:
    """The counts, then every code that the reader did not give."""
    right = [key for key, (code, _) in told.items() if code in read[key]["codes"]]
    one = [key for key, (code, _) in told.items() if code != "X2"]
    among = [key for key, (_, codes) in told.items() if set(codes) & set(read[key]["codes"])]
    low, high = wilson(len(right), len(told))
    yield f"right {len(right)} of {len(told)} [{low:.2f}, {high:.2f}]; of {len(one)} with one code "
    yield f"{sum(key in right for key in one)}; the reader's among the possible {len(among)}"
    for key, (code, codes) in told.items():
        if key not in right:
            given = " ".join(read[key]["codes"])
            said = f"{code} ({' '.join(codes)})" if code == "X2" else code
            yield f"  {key}: told {said}, read {given}: {read[key]['why']}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("shared", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--readings", type=Path)
    parser.add_argument("--n", type=int, default=N_DRAWN, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    if asked.readings is None:
        made(asked.shared, asked.output, n=asked.n, seed=asked.seed)
    else:
        compared(asked.shared, asked.output, asked.readings)


if __name__ == "__main__":
    main()
