from __future__ import annotations

from collections import Counter

from ragdiag.diagnosis.catalogue import CATALOGUE, UNDETERMINED
from ragdiag.diagnosis.components import COMPONENTS, components_of


def test_every_failing_category_blames_one_component() -> None:
    blamed = Counter(code for codes in COMPONENTS.values() for code in codes)
    failing = {
        code for code, row in CATALOGUE.items() if row.family != "success" and code != UNDETERMINED
    }
    assert blamed == dict.fromkeys(failing, 1)


def test_the_component_is_what_the_fix_names() -> None:
    named = {"embedder": "retriever", "ranker": "ranker, k", "retriever filters": "retriever"}
    named |= {"output contract": "generator", "grounding": "generator"}
    named |= {"prompt": "abstention gate"}
    for component, codes in COMPONENTS.items():
        for code in codes:
            first = (CATALOGUE[code].fix or "").split(", ")[0]
            assert named.get(first, first) == component, code


def test_a_success_blames_none() -> None:
    assert components_of(("K1",)) == {None}
    assert components_of(("R2a", "R6")) == {"retriever"}
    assert components_of(("K1", "A4", "A5")) == {None, "citation step"}
