"""HotpotQA: questions whose supporting facts are [title, sentence number] pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from ragdiag.data.content import open_content
from ragdiag.data.json_objects import json_objects
from ragdiag.data.lines import PathLike, Row, shorten
from ragdiag.data.raw_table import faults
from ragdiag.records.problem import Problem
from ragdiag.records.sample import Id, Item, Passage

_ID: TypeAdapter[str] = TypeAdapter(Id)


@dataclass(frozen=True, slots=True)
class HotpotQuestion:
    """One question with its facts.

    facts     (title, sentence number from 0) in file order, without repetitions.
    context   the paragraphs that came with it: (title, sentences).
    """

    query_id: str
    query: str
    facts: tuple[tuple[str, int], ...]
    context: tuple[tuple[str, tuple[str, ...]], ...] = ()
    answer: str | None = None

    @property
    def documents(self) -> tuple[str, ...]:
        """The titles that hold a fact: the labels at document level."""
        return tuple(dict.fromkeys(title for title, _ in self.facts))

    def items(self) -> tuple[Item, ...]:
        """The facts as gold items at sentence level; passage ids are `title#s<number>`."""
        return tuple(Item(passage_id=f"{title}#s{n}", doc_id=title) for title, n in self.facts)

    def passages(self) -> tuple[Passage, ...]:
        """The sentences of the context as passages, with their characters in the paragraph."""
        return tuple(p for title, texts in self.context for p in sentence_passages(title, texts))


def sentence_passages(title: str, sentences: tuple[str, ...]) -> tuple[Passage, ...]:
    """`title#s0`, `title#s1`, …: start and end count in the sentences joined without a blank."""
    found: list[Passage] = []
    start = 0
    for number, text in enumerate(sentences):
        end = start + len(text)
        found.append(
            Passage(passage_id=f"{title}#s{number}", doc_id=title, start=start, end=end, text=text)
        )
        start = end
    return tuple(found)


def read_questions(path: PathLike) -> Iterator[HotpotQuestion]:
    """The questions of a JSON list (as published) or of JSONL.

    Raises:
        DataError: at the first broken question.
    """
    for row in json_objects(open_content(path)):
        found = row if isinstance(row, Problem) else read_question(row)
        if isinstance(found, Problem):
            raise faults([found])
        yield found


def read_question(row: Row) -> HotpotQuestion | Problem:
    """{_id or id, question, supporting_facts: [[title, number], …], context?, answer?}.

    `supporting_facts` and `context` may be objects of lists, as the datasets library writes them:
    {title: […], sent_id: […]}, {title: […], sentences: […]}.
    """
    value = row.value
    names = [name for name in ("_id", "id", "query_id", "qid") if name in value]
    try:
        query_id = _ID.validate_python(value[names[0]] if names else None)
    except ValidationError:
        return _problem(row, "_id", "missing_field", "the question has no _id (or id)")
    facts = _pairs(value.get("supporting_facts"), "title", "sent_id")
    kept: list[tuple[str, int]] = []
    for pair in facts if facts is not None else [()]:
        fact = _fact(pair)
        if fact is None:
            seen = shorten(value.get("supporting_facts") if facts is None else list(pair))
            message = f"came {seen}; expected [title, sentence number] pairs"
            return _problem(row, "supporting_facts", "wrong_type", message)
        kept.append(fact)
    context: list[tuple[str, tuple[str, ...]]] = []
    for title, *rest in _pairs(value.get("context"), "title", "sentences") or []:
        sentences = rest[0] if rest else None
        if isinstance(title, str) and isinstance(sentences, list):
            context.append((title, tuple(map(str, cast("list[object]", sentences)))))
    question, answer = value.get("question"), value.get("answer")
    return HotpotQuestion(
        query_id,
        question if isinstance(question, str) else "",
        tuple(dict.fromkeys(kept)),
        tuple(context),
        answer if isinstance(answer, str) else None,
    )


def _fact(pair: tuple[Any, ...]) -> tuple[str, int] | None:
    if len(pair) != 2 or not isinstance(pair[0], str) or not pair[0].strip():
        return None
    number = pair[1]
    sound = isinstance(number, (int, float)) and not isinstance(number, bool) and number >= 0
    return (pair[0], int(number)) if sound and number == int(number) else None


def _pairs(value: object, first: str, second: str) -> list[tuple[Any, ...]] | None:
    """A list of pairs, or an object of two lists, as tuples; None for anything else."""
    if isinstance(value, dict):
        lists = cast("dict[str, Any]", value)
        one, two = lists.get(first), lists.get(second)
        if isinstance(one, list) and isinstance(two, list):
            ones, twos = cast("list[Any]", one), cast("list[Any]", two)
            return list(zip(ones, twos, strict=True)) if len(ones) == len(twos) else None
        return None
    if not isinstance(value, list):
        return None
    pairs = cast("list[object]", value)
    return [tuple(cast("list[Any]", pair)) if isinstance(pair, list) else (pair,) for pair in pairs]


def _problem(row: Row, name: str, kind: str, message: str) -> Problem:
    return Problem(file=row.file, line=row.line, field=name, kind=kind, message=message)
