"""The embedded judge: deterministic, explainable, no key; undecided between its thresholds."""

from __future__ import annotations

import hashlib
import itertools
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

from ragdiag.judging.protocol import Answer
from ragdiag.judging.screen.claims import claims_of
from ragdiag.judging.screen.correctness import best_reference, correctness_label
from ragdiag.judging.screen.features import Evidence, in_context
from ragdiag.judging.screen.model import Idf, ScreenModel, load_idf, load_model
from ragdiag.judging.screen.reading import Shelf, read_span
from ragdiag.judging.screen.sufficiency import read_sufficiency
from ragdiag.judging.screen.support import support_verdict
from ragdiag.records import (
    CheckCorrectness,
    CheckSufficiency,
    CheckSupport,
    Claims,
    Components,
    ExtractClaims,
    ListComponents,
    Passage,
    Question,
    Reply,
    Verdict,
)

_CODE = "4"
"""Raised whenever the screen's code answers the same question otherwise."""

_CHECKS = {
    "answer": "faithfulness",
    "citation_support": "citation_support",
    "sufficiency": "sufficiency",
    "correctness": "answer_correctness",
}
"""The check that each model of the whole answer (or question) decides."""


class Screen:
    """Answers questions by IDF-weighted stem recall, numbers, names and negation.

    What it cannot say (identity, components) it leaves undecided. Its state is a cache of readings
    that depend on their text alone, so that answers depend on nothing but the question.
    """

    name = "screen"

    def __init__(self, model: ScreenModel | None = None, idf: Idf | None = None) -> None:
        self.model = load_model() if model is None else model
        self.idf = load_idf() if idf is None else idf
        self._shelf = Shelf()
        self._last: tuple[tuple[str, ...], Evidence] | None = None

    @property
    def version(self) -> str:
        """Of code, coefficients and IDF table."""
        parts = (_CODE, self.model.digest, self.idf.digest)
        return "screen-" + hashlib.sha256("|".join(parts).encode()).hexdigest()[:12]

    @property
    def measured(self) -> dict[str, dict[str, float]]:
        """By check: on n labels of people, the balanced accuracy (0-1) that the shipped model
        reached in cross-validation by question, averaged over the sets by their size."""
        sizes: dict[str, list[tuple[float, float]]] = {}
        for name, row in self.model.measured.items():
            check = _CHECKS.get(name.partition(":")[0])
            if check is not None:
                sizes.setdefault(check, []).append((row["n"], row["balanced_accuracy"]))
        return {
            check: {
                "n": sum(n for n, _ in rows),
                "balanced_accuracy": sum(n * value for n, value in rows) / sum(n for n, _ in rows),
            }
            for check, rows in sizes.items()
        }

    @property
    def trained_on(self) -> Mapping[str, frozenset[str]]:
        """By check of people, what queries a calibration saw (`text.clusters.trained_keys`)."""
        return self.model.trained_on

    def with_corpus(self, corpus: Iterable[Passage]) -> Screen:
        """The same screen with stems counted on a corpus' passages, in any order."""
        texts = (passage.text for passage in corpus)
        return Screen(self.model, Idf.counted(text for text in texts if text))

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """Same length and order; no calls."""
        return Answer(tuple(self.reply(question) for question in questions))

    def reply(self, question: Question) -> Reply:
        """The answer to one question; what code decided already is left to it."""
        if question.decided:
            return self._undecided(question, "decided without a judge")
        match question:
            case ExtractClaims():
                return self._claims(question)
            case CheckSupport():
                return self._support(question)
            case CheckSufficiency():
                return self._sufficiency(question)
            case CheckCorrectness():
                return self._correctness(question)
            case ListComponents():
                return Components(query_id=question.query_id, components=(), judge=self.name)
            case _:
                return self._undecided(question, "the screen does not read identities")

    def _claims(self, question: ExtractClaims) -> Claims:
        return Claims(
            query_id=question.query_id,
            claims=claims_of(question.query, question.answer),
            abstains=question.abstains,
            judge=self.name,
        )

    def _evidence(self, passages: tuple[Passage, ...]) -> tuple[Evidence, tuple[str, ...]]:
        """The passages that have a text, read, and their ids."""
        texts = tuple([p.text for p in passages if p.text])
        ids = tuple([p.passage_id for p in passages if p.text])
        if self._last is None or self._last[0] != texts:  # several questions ask of one context
            self._last = texts, Evidence([self._shelf.read(text) for text in texts])
        return self._last[1], ids

    def _support(self, question: CheckSupport) -> Verdict:
        evidence, ids = self._evidence(question.passages)
        complete = len(ids) == len(question.passages)
        verdict = support_verdict(
            question, evidence, ids, model=self.model, idf=self.idf, complete=complete
        )
        return verdict.model_copy(update={"judge": self.name})

    def _sufficiency(self, question: CheckSufficiency) -> Verdict:
        if not question.passages:
            return self._failed(question, "insufficient", "no passages")
        evidence, ids = self._evidence(question.passages)
        if len(ids) < len(question.passages):
            return self._undecided(question, "a passage without text cannot be read")
        query = in_context(question.query, question.history)
        asked = read_span(query, lang=evidence.lang)
        if not asked.bag or not evidence.bag:
            return self._undecided(question, "no content words to compare")
        documents = len({p.doc_id or p.passage_id for p in question.passages})
        read = read_sufficiency(asked, evidence, self.idf, query=query, n_documents=documents)
        model = self.model["sufficiency"]
        score = model.probability(read.features)
        decided = model.decide(score)
        label = None if decided is None else "sufficient" if decided else "insufficient"
        found = read.features
        reason = (
            f"{found['recall']:.0%} of the question's words by weight stand in the passages, "
            f"{found['titled_best']:.0%} in one sentence"
        )
        if read.kind != "other":
            reason += f"; asks for a {read.kind.replace('_', ' ')}"
            reason += "" if read.typed else ", none stands near"
        return Verdict(
            query_id=question.query_id,
            check="sufficiency",
            label=label,
            unscored=None if label else "undecided",
            score=score,
            reason=reason,
            quote=read.best.sentence.text if read.best else None,
            passage_id=ids[read.best.passage] if read.best else None,
            judge=self.name,
        )

    def _correctness(self, question: CheckCorrectness) -> Verdict:
        references = tuple(r for r in question.reference if r.strip())
        if not references or not question.answer.strip():
            return self._undecided(question, "nothing to compare")
        if _is_punctuation(question.answer):
            return self._failed(question, "incorrect", "an answer without a word")
        read = best_reference(question.query, references, question.answer, self.idf)
        model = self.model["correctness"]
        score = model.probability(read.features)
        label = correctness_label(read, score, model)
        parts = [f"shares {read.features['recall']:.0%} of the reference's words by weight"]
        for what, items in (("lacks", read.lost), ("adds", read.added), ("flips", read.flipped)):
            if items:
                parts.append(f"{what} {', '.join(itertools.islice(items, 5))}")
        return Verdict(
            query_id=question.query_id,
            check="correctness",
            label=label,
            unscored=None if label else "undecided",
            score=score,
            reason="; ".join(parts),
            judge=self.name,
        )

    def _failed(self, question: Question, label: str, reason: str) -> Verdict:
        """What nothing can save: no text is weighed."""
        return Verdict(
            query_id=question.query_id,
            check=question.check,
            label=label,
            score=0.0,
            reason=reason,
            judge=self.name,
        )

    def _undecided(self, question: Question, reason: str) -> Verdict:
        return Verdict(
            query_id=question.query_id,
            check=question.check,
            unscored="undecided",
            reason=reason,
            judge=self.name,
        )


def _is_punctuation(text: str) -> bool:
    """Nothing but punctuation, white space and control characters: no letter, figure or symbol."""
    return all(unicodedata.category(character)[0] in "PZC" for character in text)


def load(path: Path | None = None) -> Screen:
    """The screen with the model of a file (`screen:FILE`), or the shipped one."""
    return Screen(load_model(path))
