"""People's label files -> labels, each of a known check and with one of its labels."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from ragdiag.data.findings import data_error
from ragdiag.data.gold import GoldQuery
from ragdiag.data.label_log import standing_rows
from ragdiag.data.lines import Row, shorten
from ragdiag.data.native import Paths, as_paths
from ragdiag.data.samples import problems_of
from ragdiag.data.tables import read_any
from ragdiag.records.problem import Problem, place_of
from ragdiag.records.reasons import LABELS, TARGET_FIELDS
from ragdiag.records.sample import Label, Sample

_Key = tuple[object, ...]


Note = Callable[[Problem], object]
"""Takes what is to be said of a file that is sound."""


def read_labels(paths: Paths, *, note: Note | None = None) -> list[Label]:
    """Reads {query_id, check, label, annotator?, claim?, claim_span?, passage_id?, reason?} lines.

    Other keys are kept in `model_extra`. Equal lines of one annotator are merged. Lines of
    `ragdiag pool` that nobody labelled yet are left out, and `note` is told how many. Of the log of
    the review page (`label_log`), what stands is read.

    Raises:
        DataError: with the first 100 problems: an unknown check or label, one annotator who says
            two things of one item, or a file without any label.
    """
    labels, problems = scan_labels(paths, note=note)
    if problems:
        raise data_error(problems)
    return labels


def scan_labels(paths: Paths, *, note: Note | None = None) -> tuple[list[Label], list[Problem]]:
    """The sound labels in file order, and the problems of the other lines."""
    found: dict[_Key, tuple[Label, str]] = {}
    problems: list[Problem] = []
    for path in as_paths(paths):
        n = n_open = 0
        for row in standing_rows(read_any(path)):
            n += 1
            if isinstance(row, Problem):
                problems.append(row)
                continue
            if _is_open(row.value):
                n_open += 1
                continue
            label = _label(row)
            if isinstance(label, list):
                problems.extend(label)
                continue
            place = place_of(row.file, row.line)
            known, earlier = found.setdefault(_item(label), (label, place))
            if known.label != label.label:
                problems.append(_conflict(row, label, known, earlier))
        if n == n_open:
            problems.append(_none_labelled(str(path), n))
        elif n_open and note is not None:
            note(_some_labelled(str(path), n - n_open, n))
    return [label for label, _ in found.values()], problems


Grades = dict[str, dict[str, float]]
"""query_id -> passage_id -> grade of relevance."""


def relevance_grades(labels: Iterable[Label]) -> Grades:
    """The grade that most annotators gave to each passage; a tie gives none."""
    return relevance_votes(labels)[0]


def relevance_votes(labels: Iterable[Label]) -> tuple[Grades, int]:
    """The same, and of how many (query, passage) pairs the annotators tie."""
    votes: dict[tuple[str, str], Counter[str]] = {}
    for label in labels:
        if label.check == "relevance" and label.passage_id is not None:
            votes.setdefault((label.query_id, label.passage_id), Counter())[label.label] += 1
    grades: Grades = {}
    n_tied = 0
    for (query_id, passage_id), counted in votes.items():
        (first, n), *others = counted.most_common(2)
        if others and others[0][1] == n:
            n_tied += 1
        else:
            grades.setdefault(query_id, {})[passage_id] = float(first)
    return grades, n_tied


def takes_grades(query: GoldQuery) -> bool:
    """Is there a place for people's grades of passages among a query's labels? Not where it has no
    qrels, and gold that no grade can say: alternative sets, places in documents, texts."""
    return bool(query.qrels) or not query.gold or query.is_plain


def with_relevance(sample: Sample, grades: Mapping[str, Mapping[str, float]]) -> Sample:
    """The sample with people's grades merged into its qrels; people's word wins.

    Gold that is one set of passages stands among the qrels first, as grade 1, so that a grade of
    another passage does not take its place. Other gold without qrels stays alone (`takes_grades`).
    """
    own = grades.get(sample.query_id)
    if not own or not takes_grades(_gold_of(sample)):
        return sample
    theirs = sample.qrels or {
        item.passage_id: 1.0
        for items in sample.gold
        for item in items
        if item.passage_id is not None
    }
    return sample.model_copy(update={"qrels": {**theirs, **own}})


def left_out_grades(
    samples: Iterable[Sample], grades: Mapping[str, Mapping[str, float]]
) -> str | None:
    """What is said of people's grades that `with_relevance` has no place for; None for none."""
    lost = [one.query_id for one in samples if one.query_id in grades
            and not takes_grades(_gold_of(one))]  # fmt: skip
    return say_left_out(lost, grades) if lost else None


def say_left_out(queries: Sequence[str], grades: Mapping[str, Mapping[str, float]]) -> str:
    """The same for the queries at hand."""
    n = sum(len(grades[query]) for query in queries)
    return (
        f"people's grades of {n} passages are left out: their queries ({len(queries)}, as "
        f"{queries[0]!r}) have gold sets or places and no qrels, and no grade can say those; give "
        "these queries qrels to use them"
    )


def _gold_of(sample: Sample) -> GoldQuery:
    return GoldQuery(sample.query_id, sample.gold, dict(sample.qrels), answerable=sample.answerable)


def _is_open(row: Mapping[str, Any]) -> bool:
    """Is it a line of `ragdiag pool` to which nobody put a label yet?"""
    given = row.get("label")
    absent = given is None or (isinstance(given, str) and not given.strip())
    return absent and "systems" in row and "best_rank" in row


def _none_labelled(file: str, n: int) -> Problem:
    told = f"none of its {n} lines has a label yet" if n else "the file holds no label"
    message = f'{told}; a line is {{"query_id", "check", "label", …}}'
    return Problem(file=file, line=None, field="", kind="empty", message=message)


def _some_labelled(file: str, n: int, n_lines: int) -> Problem:
    message = f"{n} of {n_lines} lines labelled; the others are left out"
    return Problem(file=file, line=None, field="label", kind="unlabelled_lines", message=message)


def _item(label: Label) -> _Key:
    return (
        label.query_id, label.check, label.annotator, label.claim, label.claim_span,
        label.passage_id, repr((label.model_extra or {}).get("claim_id")),
    )  # fmt: skip


def _label(row: Row) -> Label | list[Problem]:
    value: dict[str, Any] = {k: v for k, v in row.value.items() if v is not None}
    given = value.get("label")
    if isinstance(given, int) and not isinstance(given, bool):  # a grade of relevance
        value["label"] = str(given)
    try:
        label = Label.model_validate(value)
    except ValidationError as error:
        return list(problems_of(error, row))
    fault = _fault(label)
    if fault is None:
        return label
    field, message = fault
    return [
        Problem(file=row.file, line=row.line, field=field, kind=f"bad_{field}", message=message)
    ]


def _fault(label: Label) -> tuple[str, str] | None:
    """(field, message) of what is wrong with a label, or None."""
    allowed = LABELS.get(label.check)
    if allowed is None:
        return "check", f"came {shorten(label.check)}; {_choose(label.check, tuple(LABELS))}"
    if label.check == "evidence_identity":
        allowed = ("right", *(f"wrong:{field}" for field in TARGET_FIELDS))
    if label.label not in allowed:
        message = f"came {shorten(label.label)}; {_choose(label.label, allowed)}"
        return "label", f"{message} for {label.check}"
    if label.check == "relevance" and label.passage_id is None:
        return "passage_id", "a label of relevance needs the passage_id that it speaks of"
    if label.claim_span is not None and not 0 <= label.claim_span[0] <= label.claim_span[1]:
        return "claim_span", f"came {list(label.claim_span)}; expected [start, end], start <= end"
    return _fault_of_draw(label.model_extra or {})


def _fault_of_draw(more: Mapping[str, Any]) -> tuple[str, str] | None:
    """(field, message) of what is wrong with how an item came to be labelled, or None."""
    chance = more.get("inclusion_probability")
    number = isinstance(chance, (int, float)) and not isinstance(chance, bool)
    if chance is not None and not (number and 0 < chance <= 1):
        return "inclusion_probability", f"came {shorten(chance)}; expected a number over 0 up to 1"
    queue = more.get("queue")
    if queue is not None and queue not in ("audit", "fix"):
        return "queue", f"came {shorten(queue)}; expected audit or fix"
    unsure = more.get("unsure")
    if unsure is not None and not isinstance(unsure, bool):
        return "unsure", f"came {shorten(unsure)}; expected true or false"
    return None


def _choose(given: str, allowed: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(given.strip().lower(), allowed, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"expected one of {', '.join(allowed)}{hint}"


def _conflict(row: Row, label: Label, known: Label, earlier: str) -> Problem:
    return Problem(
        file=row.file,
        line=row.line,
        field="label",
        kind="conflicting_label",
        message=(
            f"{shorten(label.annotator)} says {label.label!r} here and {known.label!r} at "
            f"{earlier} of the same item; keep one"
        ),
    )
