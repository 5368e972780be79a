"""What there is to repair: a closed list of components, and the categories that blame each."""

from __future__ import annotations

from collections.abc import Iterable

COMPONENTS: dict[str, tuple[str, ...]] = {
    "corpus": ("D1",),
    "parser": ("D2",),
    "chunker": ("D3",),
    "retriever": ("R1", "R2a", "R2b", "R2c", "R6", "A1"),
    "ranker, k": ("R3",),
    "reranker": ("R4",),
    "context builder": ("R5",),
    "generator": (
        "G1", "G2", "G3a", "G3b", "G3c", "G4", "G5", "G6", "G7", "G8", "G9", "A2", "A6",
    ),
    "abstention gate": ("U2",),
    "citation step": ("A4", "A5"),
    "gold set": ("A3", "U3", "X3", "X4"),
    "plumbing": ("X1",),
}  # fmt: skip
"""In the order of the pipeline. Each category that is no success stands under one component, the
first that its `fix` names; X2 under those of the categories that remain."""

COMPONENT_OF: dict[str, str] = {code: name for name, codes in COMPONENTS.items() for code in codes}


def components_of(codes: Iterable[str]) -> frozenset[str | None]:
    """The components of several categories; None stands for a success, which blames none."""
    return frozenset(COMPONENT_OF.get(code) for code in codes)
