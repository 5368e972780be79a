"""BM25 over three public sets, evaluated at document and at page level.

    python benchmarks/bm25.py SHARED [-o FOLDER] [--json]

SHARED holds data/hotpot100, data/kgrag_10q and data/financebench. BM25 (the package bm25s, Lucene's
variant, k1 0.9, b 0.4, stems of words, no stop words) ranks the documents of HotpotQA and the pages
of the filings. The lists go to FOLDER/NAME.jsonl in the native format, and from there through
`ragdiag.evaluate`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragdiag import evaluate
from ragdiag.records import Settings

K1, B = 0.9, 0.4
DEPTH = 100
METRICS = ("any_evidence@5", "complete_evidence@5", "recall@5", "rr", "ndcg@10")
Unit = Literal["document", "page"]
Row = dict[str, Any]


@dataclass(frozen=True)
class Collection:
    """Passages {passage_id, doc_id, page?, text}, and queries {query_id, query, gold}."""

    passages: list[Row]
    queries: list[Row]


def lines(path: Path) -> Iterator[Row]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    yield from map(json.loads, text.splitlines())


def hotpot(data: Path) -> Collection:
    """Both documents are needed: one set of two."""
    passages = [
        {
            "passage_id": row["doc_id"],
            "doc_id": row["doc_id"],
            "text": f"{row['title']} {''.join(row['sentences'])}",
        }
        for row in lines(data / "hotpot100/corpus.jsonl")
    ]
    return Collection(passages, _by_documents(data / "hotpot100/questions.jsonl"))


def kgrag(data: Path) -> Collection:
    """Gold names documents only, all of which are needed."""
    return Collection(
        pages(data / "kgrag_10q/pages.jsonl"), _by_documents(data / "kgrag_10q/questions.jsonl")
    )


def financebench(data: Path) -> Collection:
    """Gold names pages, all of which are needed."""
    folder = data / "financebench"
    queries = [
        {
            "query_id": row["id"],
            "query": row["question"],
            "gold": [
                [{"doc_id": one["doc_name"], "page": one["page_0idx"]} for one in row["evidence"]]
            ],
        }
        for row in lines(folder / "page_corpus_questions.jsonl")
    ]
    return Collection(pages(folder / "page_corpus.jsonl.gz"), queries)


def _by_documents(path: Path) -> list[Row]:
    return [
        {
            "query_id": row["id"],
            "query": row["question"],
            "gold": [[{"doc_id": doc} for doc in row["gold_docs"]]],
        }
        for row in lines(path)
        if row["gold_docs"]
    ]


def pages(path: Path) -> list[Row]:
    """A passage a page; pages count from 0, as the gold does."""
    return [
        {
            "passage_id": f"{row['doc']}#p{row['page_0idx']}",
            "doc_id": row["doc"],
            "page": row["page_0idx"],
            "text": row["text"],
        }
        for row in lines(path)
    ]


SETS: dict[str, tuple[Callable[[Path], Collection], tuple[Unit, ...]]] = {
    "hotpot100": (hotpot, ("document",)),
    "kgrag_10q": (kgrag, ("document",)),
    "financebench": (financebench, ("document", "page")),
}


def rank(collection: Collection) -> Iterator[Row]:
    """The queries as samples of the native format, each with its `DEPTH` best passages.

    Passages that share no word with the query are no result.
    """
    import bm25s  # noqa: PLC0415 - a development dependency
    import Stemmer  # noqa: PLC0415

    def words(texts: list[str]) -> Any:
        return bm25s.tokenize(
            texts,
            token_pattern="[a-z0-9]+",
            stopwords=None,
            stemmer=Stemmer.Stemmer("english"),
            show_progress=False,
        )

    index = bm25s.BM25(k1=K1, b=B, method="lucene")
    index.index(words([row["text"] for row in collection.passages]), show_progress=False)
    depth = min(DEPTH, len(collection.passages))
    found, scores = index.retrieve(
        words([row["query"] for row in collection.queries]), k=depth, show_progress=False
    )
    for query, places, values in zip(
        collection.queries, found.tolist(), scores.tolist(), strict=True
    ):
        retrieved = [
            {key: value for key, value in collection.passages[at].items() if key != "text"}
            | {"score": score}
            for at, score in zip(places, values, strict=True)
            if score > 0
        ]
        yield {**query, "retrieved": retrieved}


def figures(shared: Path, folder: Path) -> list[Row]:
    """A row a set and unit: its name, n and the means; the lists stay in `folder`."""
    rows: list[Row] = []
    for name, (read, units) in SETS.items():
        path = folder / f"{name}.jsonl"
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for sample in rank(read(shared / "data")):
                file.write(json.dumps(sample, ensure_ascii=False) + "\n")
        for unit in units:
            metrics = evaluate(path, settings=Settings(unit=unit)).report["metrics"]
            n = metrics[METRICS[0]]["n"]
            rows.append(
                {"set": name, "unit": unit, "n": n}
                | {metric: metrics[metric]["value"] for metric in METRICS}
            )
    return rows


def table(rows: list[Row]) -> str:
    """As Markdown."""
    found = ["| set | unit | n | " + " | ".join(METRICS) + " |", "|---" * (3 + len(METRICS)) + "|"]
    for row in rows:
        values = " | ".join(f"{row[metric]:.3f}" for metric in METRICS)
        found.append(f"| {row['set']} | {row['unit']} | {row['n']} | {values} |")
    return "\n".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("shared", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.output or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows = figures(asked.shared, folder)
    print(json.dumps(rows, indent=1) if asked.json else table(rows))


if __name__ == "__main__":
    main()
