"""A page's own company is read in the places where a filer is named, and nowhere else."""

from __future__ import annotations

import pytest

from ragdiag.records import Passage, Target
from ragdiag.text.filers import filers_named
from ragdiag.text.identity import compare
from tests.growth import grows_linearly


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Arden Inc. | Q3 2022 Form 10-Q | 10\nSales rose.", "Arden Inc."),
        ("35 Arden 2022 Annual Report on Form 10-K\nSales rose.", "Arden"),
        ("ARDEN CORPORATION AND SUBSIDIARIES\nNotes", "ARDEN"),
        ("Arden AG und Tochterunternehmen\nAnhang", "Arden"),
        (
            "I have reviewed this annual report on Form 10-K of Arden Mills, Inc.;",
            "Arden Mills, Inc.",
        ),
    ],
)
def test_firm_places(text: str, name: str) -> None:
    assert filers_named(text).firm == {name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("THE ARDEN COMPANY\nItem 1", "THE ARDEN"),
        ("Arden Mills, Inc.\nBalance sheet", "Arden Mills"),
        ("Arden Mills International\nBalance sheet", "Arden Mills"),
        ("株式会社青山\n売上高", "株式会社青山"),
        ("青山股份有限公司\n收入", "青山股份有限公司"),
        ("ПАО «Арден»\nВыручка", "ПАО «Арден»"),
        ("주식회사 아덴\n매출", "주식회사 아덴"),
        ("It binds Arden Mills, Inc. (the “Company”) agrees to pay.", "Arden Mills"),
        ("“Company” means Arden and each successor.", "Arden"),
        ("Net income attributable to Arden 5 4", "Arden"),
        ("To the Board of Directors of Arden Corporation: we audited", "Arden"),
        ("He sued Arden Corp. and lost to Arden Corp. again; Beeley, Inc. too", "Arden"),
    ],
)
def test_likely_places(text: str, name: str) -> None:
    found = filers_named(text)
    assert found.likely == {name}
    assert not found.firm


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Arden bought Beeley, Inc. in May.",
        "The Company\nIts annual report on Form 10-K of the Company is filed.",
        "Arden Inc.\nBeeley Inc.\nCopley Inc.\nDunmow Inc.",  # a list of subsidiaries
        "Total general and administrative\nHoldings",
        "See the organization of our Form 10-K.",
    ],
)
def test_no_place(text: str) -> None:
    assert not filers_named(text).likely


@pytest.mark.parametrize(
    ("wanted", "text", "outcome"),
    [
        ("Arden", "Arden Inc. | Q3 2022 Form 10-Q | 10", "match"),
        ("Beeley", "Arden Inc. | Q3 2022 Form 10-Q | 10", "mismatch"),
        # another's page that speaks of the wanted company
        ("Beeley", "Arden Inc. | Q3 2022 Form 10-Q | 10\nBeeley is a rival.", "mismatch"),
        ("Beeley", "Arden, Inc.\nBeeley is a customer.", "match"),
        ("Beeley", "Arden, Inc.\nWe have customers.", "mismatch"),
        ("Beeley", "We have customers.", "unknown"),
    ],
)
def test_a_filer_is_compared_with_the_wanted_company(wanted: str, text: str, outcome: str) -> None:
    found = compare(Target(entity=wanted), Passage(passage_id="p", text=text))
    assert found["entity"] == outcome


@pytest.mark.parametrize(
    "unit", ["Arden Inc.\n", "A B C D ", "(the “Company”) ", "Form 10-K of A "]
)
def test_linear(unit: str) -> None:
    assert grows_linearly(filers_named, unit * 20_000)
