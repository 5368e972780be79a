"""The near-duplicates among a case's passages, and its ranked lists with each group once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragdiag.records import Item, Passage
from ragdiag.text.case import Case
from ragdiag.text.identity import told_apart
from ragdiag.text.near_duplicates import declared_by, groups


@dataclass(frozen=True, slots=True)
class Collapsed:
    """A ranked list in which a group of near-duplicates is one unit.

    passages  the first of each group, in order; `members` adds behind each its twins, whether the
              list holds them or not; `at` says for each member which of the passages it belongs to.
    """

    passages: Sequence[Passage]
    members: Sequence[Passage]
    at: Sequence[int]


def twins(case: Case) -> dict[str, str]:
    """Passage id -> the first of its group, over the sample's lists and its labelled passages;
    passages without a twin are left out. Found ones whose metadata name another entity or period
    are none: the same words in the report of another year are other evidence."""

    return case.once("text.twins", lambda: twins_among(_concerned(case)))


def twins_among(passages: Iterable[Passage]) -> dict[str, str]:
    """The same of any passages, those of a corpus or of a run; each id once."""
    known = {passage.passage_id: passage for passage in passages}

    def apart(left: str, right: str) -> bool:
        return told_apart(known[left], known[right])

    texts = ((key, passage.text or "") for key, passage in known.items())
    return groups(texts, declared=declared_by(known.values()), apart=apart)


def settle_twins(case: Case, known: Mapping[str, str]) -> None:
    """Says which passages of a case are twins where that was found over more than the case: a
    corpus, or a whole run. Before anything asks for them."""

    def work_out() -> dict[str, str]:
        ids = (*case.passages, *_labelled_ids(case))
        return {key: known[key] for key in ids if key in known}

    case.once("text.twins", work_out)


def _labelled_ids(case: Case) -> dict[str, Item | None]:
    """Passages that the labels name, with the gold item that does."""
    by_gold: dict[str, Item | None] = {
        item.passage_id: item
        for items in case.sample.gold
        for item in items
        if item.passage_id is not None
    }
    return dict.fromkeys(case.sample.qrels) | by_gold


def _concerned(case: Case) -> Iterator[Passage]:
    yield from case.passages.values()
    for key, item in _labelled_ids(case).items():
        if key in case.passages:
            continue
        known = None if case.corpus is None else case.corpus.passage(key)
        if known is not None:
            yield known
        elif item is not None:
            yield Passage(passage_id=key, text=item.text)


def repeated(case: Case) -> tuple[tuple[str, ...], ...]:
    """The groups that the sample's lists and labels show, each as its ids, first one first."""
    found: dict[str, list[str]] = {}
    for key, first in twins(case).items():
        found.setdefault(first, []).append(key)
    return tuple(map(tuple, found.values()))


def first_of(case: Case, passage_id: str) -> str:
    """The id by which a passage is known: its own, or with "collapse" that of its group."""
    if case.settings.near_duplicates == "report":
        return passage_id
    return twins(case).get(passage_id, passage_id)


def collapsed(case: Case, passages: Sequence[Passage]) -> Collapsed:
    """A ranked list with each group once where the settings say "collapse"; else as it is."""
    first = twins(case) if case.settings.near_duplicates == "collapse" else {}
    if not first:
        return Collapsed(passages, passages, range(len(passages)))
    groups_of = _members(case)
    kept: dict[str, Passage] = {}
    for passage in passages:
        kept.setdefault(first.get(passage.passage_id, passage.passage_id), passage)
    members: list[Passage] = []
    at: list[int] = []
    for place, (key, passage) in enumerate(kept.items()):
        others = [one for one in groups_of.get(key, ()) if one.passage_id != passage.passage_id]
        members += [passage, *others]
        at += [place] * (1 + len(others))
    return Collapsed(tuple(kept.values()), members, at)


def _members(case: Case) -> dict[str, list[Passage]]:
    """By the first of a group all that is known of it."""

    def work_out() -> dict[str, list[Passage]]:
        found: dict[str, list[Passage]] = {}
        for key, first in twins(case).items():
            passage = case.passages.get(key)
            if passage is None and case.corpus is not None:
                passage = case.corpus.passage(key)
            found.setdefault(first, []).append(passage or Passage(passage_id=key))
        return found

    return case.once("text.twins.members", work_out)
