from __future__ import annotations

import pytest

from ragdiag.report.charts.rows import Row, capped

HEADING = Row("heading", heading=True)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([HEADING, Row("a"), Row("b")], ["heading", "a", "b"]),
        ([HEADING, Row("a"), Row("b"), Row("c")], ["heading", "a", "b", "and 1 more"]),
        # a heading without a row of its own would say nothing
        ([Row("a"), Row("b"), HEADING, Row("c"), Row("d")], ["a", "b", "and 2 more"]),
        ([], []),
    ],
)
def test_rows_beyond_the_most_are_counted(rows: list[Row], expected: list[str]) -> None:
    assert [row.label for row in capped(rows, 2)] == expected
