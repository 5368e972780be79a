"""People's labels of relevance -> among the labels of a file, before them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ragdiag.data.gold import GoldQuery
from ragdiag.data.labels import Grades, relevance_votes, say_left_out, takes_grades
from ragdiag.data.raw_table import RawTable
from ragdiag.records.sample import Label


def add_people(raw: RawTable, labels: Iterable[Label]) -> None:
    """Puts people's grades of relevance among the labels of a file; their word goes before.

    A grade is what most annotators of a pair say; where none leads, the pair stays as it was. Gold
    that is one set of passages takes them as grade 1 and these beside; other gold without qrels has
    no place for them. How many are new, replace another grade or are left out is a warning.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    labels = tuple(labels)
    by_query, n_tied = relevance_votes(labels)
    lost = _take_in(raw, by_query)
    rows = [
        (query, document, grade)
        for query, grades in by_query.items()
        if query not in lost
        for document, grade in grades.items()
    ]
    schema = {"query_id": pl.String, "doc_id": pl.String, "grade": pl.Float64}
    people = pl.DataFrame(rows, schema=schema, orient="row")
    pair, height = ["query_id", "doc_id"], raw.frame.height
    known = raw.frame.join(people.rename({"grade": "theirs"}), on=pair, maintain_order="left")
    n_known = known.select(pair).n_unique()
    changed = known.filter(pl.col("grade") != pl.col("theirs")).select(pair).n_unique()
    lines: pl.Series | pl.Expr = (
        pl.lit(None, pl.Int64)
        if raw.lines is None
        else pl.Series(
            raw.lines if isinstance(raw.lines, pl.Series) else range(raw.lines, raw.lines + height)
        )
    )
    stays = raw.frame.with_columns(lines.alias("line")).join(
        people, on=pair, how="anti", maintain_order="left"
    )
    both = pl.concat((stays, people), how="diagonal")
    raw.frame = both.drop("line")
    raw.lines = None if raw.lines is None else both["line"]
    labelled = set(people["query_id"])
    raw.empty = tuple(query for query in raw.empty if query not in labelled)
    message = (
        f"{people.height} pairs graded by people: {people.height - n_known} new, {changed} with "
        f"another grade than in the labels, {n_known - changed} with the same"
    )
    if n_tied:
        message += f"; {n_tied} left as they were, since the annotators tie"
    n_others = sum(label.check != "relevance" for label in labels)
    if n_others:
        message += f"; {n_others} labels of other checks say nothing of relevance"
    raw.warnings.append(raw.problem(None, "", "people_labels", message))
    if lost:
        message = say_left_out(lost, by_query)
        raw.warnings.append(raw.problem(None, "", "people_left_out", message))


def _take_in(raw: RawTable, grades: Grades) -> list[str]:
    """Makes gold that is one set of passages grades, where people graded others of its query; and
    the queries that have no place for grades."""
    lost: list[str] = []
    kept: list[GoldQuery] = []
    for query in raw.gold:
        graded = query.query_id in grades
        if graded and not takes_grades(query):
            lost.append(query.query_id)
        alone = graded and query.is_plain
        kept.append(replace(query, gold=()) if alone else query)
    raw.gold = tuple(kept)
    return lost
