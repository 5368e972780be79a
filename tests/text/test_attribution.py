"""What is left of a statement without the words that attribute it to the passages."""

from __future__ import annotations

import pytest

from ragdiag.text.attribution import without_attribution
from tests.growth import grows_linearly


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Based on the given passages, roses are red.", "roses are red."),
        ("Based solely on these documents, roses are red.", "roses are red."),
        ("According to Passage 2, roses are red.", "roses are red."),
        ("According to passages 1, 2 and 3, roses are red.", "roses are red."),
        ("Passage 3 mentions that roses are red.", "roses are red."),
        ("Colour: the second passage also states that roses are red.", "Colour: roses are red."),
        ("Roses are red, as mentioned in passage 2.", "Roses are red, ."),
        ("Roses are red (or white according to Document 4).", "Roses are red (or white )."),
        ("Laut Passage 2 sind Rosen rot.", "sind Rosen rot."),
        ("Selon le document 2, les roses sont rouges.", "les roses sont rouges."),
        ("Según los documentos, las rosas son rojas.", "las rosas son rojas."),
        ("根据提供的文档，玫瑰是红色的。", "玫瑰是红色的。"),
        # stay whole: a statement about a passage, sources of the passages' own, other numbers
        ("Passage 2 is a letter.", "Passage 2 is a letter."),
        ("Passage 2 defines rocks as hard.", "Passage 2 defines rocks as hard."),
        ("According to sources, he left.", "According to sources, he left."),
        ("The price is based on 5 documents.", "The price is based on 5 documents."),
        ("Get rid of the food sources that mice like.", "Get rid of the food sources that mice like."),
        ("Based on the given passages", "Based on the given passages"),
        ("Roses are red.", "Roses are red."),
        ("", ""),
    ],
)  # fmt: skip
def test_what_is_left(text: str, left: str) -> None:
    assert without_attribution(text) == left


def test_linear_time() -> None:
    assert grows_linearly(without_attribution, "the given above the passage 1, 2, 3 " * 20_000)
