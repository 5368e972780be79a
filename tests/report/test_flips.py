"""Which queries a change mends and breaks."""

from __future__ import annotations

import pytest

from ragdiag.report.flips import flips, moved

K1, U1, R1, G4 = ("K1", "success"), ("U1", "success"), ("R1", "retrieval"), ("G4", "generation")
X1, X2, X2_IN, NONE = ("X1", "pipeline"), ("X2", None), ("X2", "generation"), (None, None)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (R1, K1, "fixed"),
        (R1, U1, "fixed"),
        (X1, K1, "fixed"),
        (K1, R1, "broken"),
        (U1, X1, "broken"),
        (R1, G4, "changed"),
        (R1, X2_IN, "changed"),  # undetermined within a family that is no success
        (X2, K1, "open"),
        (K1, X2, "open"),
        (R1, R1, None),
        (X2, X2, None),
        (K1, U1, None),
        (K1, NONE, "without"),
        (NONE, NONE, "without"),
    ],
)
def test_kinds(
    before: tuple[str | None, str | None], after: tuple[str | None, str | None], kind: str | None
) -> None:
    found = flips(["q"], [before], [after])
    assert found.pop("n_without_diagnosis") == (kind == "without")
    item = {"query_id": "q", "before": before[0], "after": after[0]}
    assert found == {
        name: [item] if name == kind else [] for name in ("fixed", "broken", "changed", "open")
    }


def test_moves_the_most_frequent_first() -> None:
    found = moved(["a", "b", "c", "d", "e"], [R1, R1, K1, K1, NONE], [K1, K1, R1, K1, R1])
    assert found == [
        {"before": "R1", "after": "K1", "n": 2, "query_ids": ["a", "b"]},
        {"before": None, "after": "R1", "n": 1, "query_ids": ["e"]},
        {"before": "K1", "after": "R1", "n": 1, "query_ids": ["c"]},
    ]
