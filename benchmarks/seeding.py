"""Failures of known cause: questions whose evidence is taken away at one stage, answered wrongly.

A question comes with its gold passages, the passages that BM25 finds beside them (without any that
holds the evidence too), and a twin: the passage of the same matter for another period. A kind of
failure says at which stage the gold is lost; the answer is wrong because of it: an abstention, the
twin's figure, or a figure of the passage that stands first.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from benchmarks.bm25 import Collection, Row, lines, pages, rank
from ragdiag.records import Item, Passage
from ragdiag.text import locate

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "annual-report"
N_CANDIDATES, N_RETRIEVED, N_CONTEXT = 20, 8, 4
DEPTH = 30
ANSWERS = ("abstains", "twin", "other")
ABSTENTIONS = (
    "I cannot answer this from the passages.",
    "The documents provided do not state this.",
    "There is not enough information in the context to answer the question.",
    "The excerpts do not disclose this figure, so I am unable to say.",
)
LABELS_SOUND = frozenset(
    (
        "K1",
        "A1",
        "A2",
        "A4",
        "A5",
        "A6",
        "G1",
        "G2",
        "G3a",
        "G3b",
        "G3c",
        "G4",
        "G5",
        "G6",
        "G7",
        "G8",
        "G9",
        "R1",
        "R2a",
        "R2b",
        "R2c",
        "R3",
        "R4",
        "R5",
        "R6",
    )
)
"""Categories of the example set under which a question's gold and reference are right."""

IN_WORDS = {
    "q07": ("Torsund Petroleum [1].", "Torsund Petroleum produced more [1]."),
    "q08": (
        "Because a compressor was replaced at the end of 2016 [1].",
        "Production rose because the planned maintenance was put off by a year [1].",
    ),
    "q09": ("Leif Aronsen [1].", "The audit committee was chaired by Leif Aronsen in 2017 [1]."),
    "q12": ("It got worse [1].", "It got worse: 2.9 injuries per million hours [1]."),
    "q25": ("1981 [1].", "Fjellvik Energy was founded in 1981 [1]."),
    "q30": (
        "Because the field is mature and the pressure falls [1].",
        "Production fell because of an accident during loading [1].",
    ),
    "q52": ("No [1].", "No, the figures are the company's own [1]."),
    "q53": (
        "Fjellvik Energy operates all three of them [1].",
        "Kassai: Costa Leste; Lumo: Torsund Petroleum; Tembe: Mirador Oil [1].",
    ),
    "q64": ("It proposed to cut the dividend [1].", "The board proposed to raise it [1]."),
    "q65": (
        "It closed the Kvitnes terminal for two months [1].",
        "It burnt the gas in new turbines at the Serra field [1].",
    ),
    "q66": ("Block Tembe [1].", "Block Kassai grew most [1]."),
}
"""Wrong answers to the example set's questions that ask for no figure."""

_FIGURE = re.compile(
    r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\d)|(?<![\w.,])\d+\.\d+|\b\d{2,3}\b(?![.,]\d|-\w)"
)
_AMOUNT = re.compile(
    r"(?<=\$)\d[\d,]*(?:\.\d+)?|(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.,])\d+\.\d+"
    r"|\b\d+(?= ?(?:%|percent|million|billion|thousand))"
)
_MOST_FIGURES = 6
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class Question:
    """A question, and what its failures are made of.

    fields    the sample's own: query_id, query, history, reference, target.
    gold      the alternative gold sets, as in the native format.
    held      the passages of the first set, one an item; the same item's other passages are none.
    others    the best-ranked passages that do not hold the evidence, best first.
    twin      the passage of the same matter for another period, None where there is none.
    beside    ids of the other passages with a figure of the reference: they may hold it as well.
    told      wrong answers in words, where no figure is asked for; else they are made.
    evidence  ids of all passages that hold an item of any gold set.
    """

    fields: Row
    gold: list[list[Row]]
    held: tuple[Row, ...]
    others: tuple[Row, ...]
    twin: Row | None
    evidence: frozenset[str]
    beside: frozenset[str]
    told: tuple[str, ...] = ()

    @cached_property
    def texts(self) -> dict[str, str]:
        """An answer of every kind of ANSWERS that this question can have."""
        number = sum(map(ord, self.fields["query_id"]))
        found = {"abstains": ABSTENTIONS[number % len(ABSTENTIONS)]}
        if self.told:
            return found | dict(zip(("twin", "other"), self.told, strict=False))
        kept = {f for passage in self.held for f in figures(passage["text"])}
        for kind, source in (("twin", self.twin), ("other", self.others[0])):
            told = source and wrong_answer(self.fields["reference"], source["text"], kept)
            if told:
                found[kind] = told
        return found


def figures(text: str) -> list[str]:
    """Figures of two and more digits, but for years, as written, in order."""
    return [f for f in _FIGURE.findall(text) if not _YEAR.fullmatch(f)]


def telling(text: str) -> list[str]:
    """Figures of at least three digits: those by which a passage can be told."""
    return [f for f in figures(text) if len(re.sub(r"\D", "", f)) >= 3 and re.search("[.,]", f)]


def wrong_answer(reference: Sequence[str], source: str, kept: set[str]) -> str | None:
    """The reference's first sentence that has amounts, each replaced by the source's nearest.

    None where it has none, or the source has no figure that neither it nor the evidence has.
    """
    known = {_value(f) for f in kept.union(*map(figures, reference))}
    given = [f for f in telling(source) or figures(source) if _value(f) not in known]
    sentences = re.split(r"(?<=[.!?])\s+|\n+", reference[0])
    patterns = [_AMOUNT, _FIGURE]
    if len(sentences) > 1:
        sentences = [one for one in sentences if len(one.split()) > 6]
        patterns = [_AMOUNT]
    for pattern in patterns if given else ():
        carrying = [s for s in sentences if 0 < len(pattern.findall(s)) <= _MOST_FIGURES]
        if carrying:
            left = list(given)
            told = pattern.sub(partial(_replaced, given=left), carrying[0]).strip().rstrip(".")
            return f"{told} [1]." if len(told.split()) > 6 else f"It was {told} [1]."
    return None


def _value(figure: str) -> float:
    return float(figure.replace(",", ""))


def _replaced(found: re.Match[str], *, given: list[str]) -> str:
    return _nearest(found[0], given)


def _nearest(figure: str, given: list[str]) -> str:
    """The given figure next in size to this one; it is used up while there are others."""
    if _YEAR.fullmatch(figure):
        return figure

    def size(text: str) -> float:
        return math.log10(_value(text) or 0.1)

    found = min(given, key=lambda other: abs(size(other) - size(figure)))
    if len(given) > 1:
        given.remove(found)
    return found


# -- the kinds -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seeded:
    """A failed sample, the codes that name its failure, and what the corpus lacks or holds anew."""

    row: Row
    codes: frozenset[str]
    without_documents: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    added: tuple[Row, ...] = ()


Seeder = Callable[[Question, int, list[Row]], "Seeded | None"]


def _row(question: Question, lists: Mapping[str, list[Row]], **changes: Any) -> Row:
    """The sample with these lists, of which candidates and reranked are stages."""
    stages = {name: lists[name] for name in ("candidates", "reranked") if name in lists}
    rest = {name: lists[name] for name in ("retrieved", "context") if name in lists}
    given = {"gold": question.gold, **({"stages": stages} if stages else {}), **rest}
    return question.fields | given | changes


def _lists(found: list[Row], variant: int) -> dict[str, list[Row]]:
    """A ranking as a system records it: with a reranker, without one, or with no trace at all."""
    cut = found[:N_CANDIDATES]
    kept = cut[:N_RETRIEVED]
    if variant % 3 == 2:
        return {"retrieved": cut[:N_CONTEXT]}
    lists = {"candidates": cut, "retrieved": kept, "context": kept[:N_CONTEXT]}
    if variant % 3 == 0:
        lists["candidates"] = [*cut[1:], cut[0]]
        lists["reranked"] = kept
    return lists


def _put(others: list[Row], gold: Iterable[Row], at: int) -> list[Row]:
    return [*others[:at], *gold, *others[at:]]


MISSED = frozenset(("R1", "R2a", "R2b", "R2c"))


def document_removed(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """The gold's documents, in every set, were never ingested."""
    gone = frozenset(item["doc_id"] for items in q.gold for item in items if "doc_id" in item)
    left = [passage for passage in others if passage["doc_id"] not in gone]
    if len(left) < N_RETRIEVED:
        return None
    row = _row(q, _lists(left, variant))
    return Seeded(row, frozenset(("D1",)), without_documents=gone)


def passage_removed(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """The gold's documents are there, their evidence was lost in parsing."""
    pairs = zip(q.gold[0], q.held, strict=True)
    gold = [
        [item | {"text": _excerpt(held["text"], q.fields["reference"])} for item, held in pairs]
    ]
    row = _row(q, _lists(others, variant), gold=gold)
    return Seeded(row, frozenset(("D2",)), without=q.evidence | q.beside)


def not_retrieved(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """In the corpus, in no list."""
    return Seeded(_row(q, _lists(others, variant)), MISSED)


def below_k(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """Found, too far down: in the candidates, in the reranked, or behind the context's passages."""
    n = len(q.held)
    match variant % 3:
        case 0:
            found = _put(others, q.held, N_RETRIEVED - n)
            lists = _lists(found, 0)
            lists["candidates"] = _put(others, q.held, N_RETRIEVED + 1)[:N_CANDIDATES]
        case 1:
            lists = _lists(_put(others, q.held, N_RETRIEVED + variant % 5), 1)
        case _:
            lists = _lists(_put(others, q.held, N_CONTEXT), 1)
    return Seeded(_row(q, lists), frozenset(("R3",)))


def reranked_away(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """Among the candidates, and the reranker put it down or out."""
    n = len(q.held)
    before = _put(others, q.held, variant % 2 if n < N_CONTEXT else 0)
    after = others[:N_RETRIEVED]
    if variant % 3 == 1 and n <= N_RETRIEVED - N_CONTEXT:
        after = _put(others, q.held, N_CONTEXT)[:N_RETRIEVED]
    if variant % 3 == 2:
        before = _put(others, q.held, 10)
    lists = {"candidates": before[:N_CANDIDATES], "reranked": after, "retrieved": after}
    return Seeded(_row(q, lists | {"context": after[:N_CONTEXT]}), frozenset(("R4",)))


def left_out(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """Ranked within the context's length, and not put into it."""
    found = _put(others, q.held, variant % 2 if len(q.held) < N_CONTEXT else 0)
    lists = _lists(found, variant % 2)
    return Seeded(_row(q, lists | {"context": others[:N_CONTEXT]}), frozenset(("R5",)))


def half(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """One item of the gold set is in the context; the others are lost somewhere before."""
    if len(q.held) < 2 or (len(q.gold) > 1 and len(min(q.gold, key=len)) < 2):
        return None
    kept, lost = q.held[:1], q.held[1:]
    lists = _lists([*kept, *others], variant)
    if variant % 3 == 0:
        lists["reranked"] = lists["retrieved"] = _put(lists["reranked"], lost, N_CONTEXT)
    if variant % 3 == 1:
        lists["candidates"] = _put(lists["candidates"], lost, N_RETRIEVED)
    row = _row(q, lists, gold=q.gold[:1])
    return Seeded(row, frozenset(("R6",)))


def twin_first(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """The passage of another period stands first, the right one nowhere."""
    if q.twin is None:
        return None
    found = [q.twin, *(p for p in others if p["passage_id"] != q.twin["passage_id"])]
    return Seeded(_row(q, _lists(found, variant)), frozenset(("R2a",)))


def cut_across(q: Question, variant: int, others: list[Row]) -> Seeded | None:
    """The chunker cut the evidence in two; one part, or none, was found."""
    passage = q.held[0]
    found = evidence_in(passage["text"], q.fields["reference"])
    if found is None or len(q.held) > 1:
        return None
    start, end = found
    cut = passage["text"].index(" ", (start + end) // 2)
    parts = (passage["text"][:cut], passage["text"][cut + 1 :])
    origin = passage.get("start", 0)
    base = {key: passage[key] for key in ("doc_id", "metadata") if key in passage}
    chunks = tuple(
        base
        | {"passage_id": f"{passage['passage_id']}.{n}", "text": part}
        | ({} if variant % 2 else {"start": origin + at, "end": origin + at + len(part)})
        for n, (part, at) in enumerate(zip(parts, (0, cut + 1), strict=True), 1)
    )
    item = {"doc_id": passage["doc_id"], "text": passage["text"][start:end]}
    if variant % 2 == 0:
        item |= {"start": origin + start, "end": origin + end}
    elif "page" in passage:
        item["page"] = passage["page"]
    shown = [chunks[variant % 4 // 2], *others] if variant % 3 else others
    row = _row(q, _lists(shown, variant), gold=[[item]])
    gone = q.evidence | q.beside | {passage["passage_id"]}
    return Seeded(row, frozenset(("D3",)), without=gone, added=chunks)


KINDS: dict[str, tuple[str, Seeder]] = {
    "gold's document not in the corpus": ("retrieval", document_removed),
    "gold lost from its document": ("chunking", passage_removed),
    "not retrieved": ("retrieval", not_retrieved),
    "below k": ("reranking", below_k),
    "put away by the reranker": ("reranking", reranked_away),
    "left out at assembly": ("reranking", left_out),
    "half of the evidence": ("retrieval", half),
    "another period's twin first": ("retrieval", twin_first),
    "cut across two passages": ("chunking", cut_across),
}
"""Every kind, with the stage that RAGEC's rule has for it."""


def _excerpt(text: str, reference: Sequence[str]) -> str:
    """What a labeller would mark: the lines around a figure, else all of it."""
    found = evidence_in(text, reference)
    return text if found is None else text[slice(*found)]


def evidence_in(text: str, reference: Sequence[str]) -> tuple[int, int] | None:
    """The lines of a passage around the reference's first figure that stands in it."""
    figure = next((f for r in reference for f in telling(r) if f in text), None)
    if figure is None:
        return None
    at = text.index(figure)
    start = text.rfind("\n", 0, max(0, at - 120)) + 1
    end = text.find("\n", at + 120)
    return start, len(text) if end < 0 else end


# -- the questions -------------------------------------------------------------------------------


def example_questions() -> tuple[list[Row], list[Question]]:
    """The corpus of the example set, and its questions with sound labels."""
    corpus = list(lines(EXAMPLE / "corpus.jsonl"))
    by_id = {row["passage_id"]: row for row in corpus}
    codes = {row["query_id"]: row["code"] for row in lines(EXAMPLE / "expected.jsonl")}
    asked = [
        row
        for row in lines(EXAMPLE / "samples.jsonl")
        if codes[row["query_id"]] in LABELS_SOUND and row.get("gold") and row.get("reference")
    ]
    keys = ("query_id", "query", "history", "reference", "target")
    return corpus, _questions(
        corpus,
        [{key: row[key] for key in keys if key in row} for row in asked],
        [[[_placed(item, by_id) for item in items] for items in row["gold"]] for row in asked],
    )


def _placed(item: Row, by_id: Mapping[str, Row]) -> Row:
    """An item that says its document also where it names a passage."""
    known = by_id.get(item.get("passage_id", ""), {})
    return {**{key: known[key] for key in ("doc_id",) if key in known}, **item}


COMPANIES = {
    "AAPL": "Apple",
    "AMZN": "Amazon",
    "INTC": "Intel",
    "MSFT": "Microsoft",
    "NVDA": "NVIDIA",
}


def kgrag_questions(shared: Path) -> tuple[list[Row], list[Question]]:
    """Quarterly reports page by page; gold pages are those that hold most of the answer's figures.

    Questions whose answer has no telling figure on a page of each gold document are left out, and
    those whose reference says that the documents do not tell.
    """
    folder = shared / "data" / "kgrag_10q"
    about = {
        f"{row['doc']}#p{row['page_0idx']}": {
            "entity": COMPANIES[row["company"]],
            "period": row["period"],
        }
        for row in lines(folder / "pages.jsonl")
    }
    corpus = [row | {"metadata": about[row["passage_id"]]} for row in pages(folder / "pages.jsonl")]
    by_document: dict[str, list[Row]] = defaultdict(list)
    for row in corpus:
        by_document[row["doc_id"]].append(row)
    fields: list[Row] = []
    golds: list[list[list[Row]]] = []
    for row in lines(folder / "questions.jsonl"):
        best = [_gold_page(row["answer"], by_document[doc]) for doc in row["gold_docs"]]
        if None in best or re.search(
            r"\b(not (explicitly|provide|specif)|no explicit)", row["answer"]
        ):
            continue
        document = row["gold_docs"][0]
        target = dict(about[f"{document}#p0"])
        if len(row["gold_docs"]) > 1:
            del target["period"]
        fields.append(
            {
                "query_id": row["id"],
                "query": row["question"],
                "reference": [row["answer"]],
                "target": target,
            }
        )
        golds.append([[{"doc_id": p["doc_id"], "page": p["page"]} for p in best if p]])
    return corpus, _questions(corpus, fields, golds)


def _gold_page(answer: str, document: list[Row]) -> Row | None:
    wanted = set(telling(answer))
    share = [(len(wanted & set(telling(page["text"]))), -page["page"]) for page in document]
    most = max(share)
    return document[share.index(most)] if most[0] else None


def _questions(
    corpus: list[Row], fields: list[Row], golds: list[list[list[Row]]]
) -> list[Question]:
    """The questions with their passages, their ranking and their twin."""
    passages = [Passage.model_validate(row) for row in corpus]
    by_id = {row["passage_id"]: row for row in corpus}
    figures_of = {row["passage_id"]: frozenset(telling(row["text"])) for row in corpus}
    queries = [{"query_id": f["query_id"], "query": f["query"]} for f in fields]
    ranking = {row["query_id"]: row["retrieved"] for row in rank(Collection(corpus, queries))}
    found: list[Question] = []
    for asked, gold in zip(fields, golds, strict=True):
        items = [[Item.model_validate(item) for item in one] for one in gold]
        holders = {
            p.passage_id
            for p in passages
            if any(locate.matches(item, p) for one in items for item in one)
        }
        first = [locate.find(item, passages) for item in items[0]]
        if not all(first):
            continue
        held = tuple(corpus[places[0]] for places in first)
        told = {f for r in asked["reference"] for f in telling(r)}
        ranked = [by_id[hit["passage_id"]] for hit in ranking[asked["query_id"]]]
        clean = [
            row
            for row in ranked
            if row["passage_id"] not in holders and not told & figures_of[row["passage_id"]]
        ]
        found.append(
            Question(
                fields=asked,
                gold=gold,
                held=held,
                others=tuple(clean[:DEPTH]),
                twin=_twin(asked, held[0], clean),
                evidence=frozenset(holders),
                beside=frozenset(key for key, said in figures_of.items() if told & said),
                told=IN_WORDS.get(asked["query_id"], ()),
            )
        )
    return [question for question in found if len(question.others) >= N_CANDIDATES]


def _twin(asked: Row, gold: Row, ranked: list[Row]) -> Row | None:
    """The best-ranked passage of the same entity and metric for another period than is asked for.

    None where no period is asked for, or the twin's report names no period.
    """
    if "period" not in (asked.get("target") or {}):
        return None
    told = gold.get("metadata", {})
    for row in ranked:
        about = row.get("metadata", {})
        same = all(about.get(key) == told.get(key) for key in ("entity", "metric"))
        if same and about.get("period") not in (None, asked["target"]["period"]):
            return row
    return None
