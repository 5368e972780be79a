"""People's labels of relevance -> among the labels of a file, before them."""

from __future__ import annotations

from collections.abc import Iterable

from ragdiag.data.labels import relevance_grades
from ragdiag.data.raw_table import RawTable
from ragdiag.records.sample import Label


def add_people(raw: RawTable, labels: Iterable[Label]) -> None:
    """Puts people's grades of relevance among the labels of a file; their word goes before.

    A grade is what most annotators of a pair say; where none leads, the pair stays as it was. How
    many are new and how many replace another grade is a warning.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    rows = [
        (query, document, grade)
        for query, grades in relevance_grades(labels).items()
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
    raw.warnings.append(raw.problem(None, "", "people_labels", message))
