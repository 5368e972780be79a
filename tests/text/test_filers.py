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
    ("text", "name"),
    [
        # across a line break, with hard blanks, quotation marks of an old code page or none
        ("It binds Arden\nMills, Inc. (the “Company”).", "Arden Mills"),
        ("It binds Arden\xa0Mills,\xa0Inc.\xa0(the “Company”).", "Arden Mills"),
        ("At Arden Mills, Inc.\x92s (the \x93Company\x94) meeting", "Arden Mills"),
        ("a subsidiary of Arden plc (the Company), entered", "Arden"),
        # a definition of any form
        ("ORGANIZATION\nArden Mills is referred to as the “Company,” or", "Arden Mills"),
        ("Arden Mills together with its subsidiaries may be referred to as “we,”", "Arden Mills"),
        ("for Arden Mills and subsidiaries (the “Company”).", "Arden Mills"),
        ("by X and Arden Mills (“Employer or Company”),", "Arden Mills"),
        # headings with the title of a statement, a name with a figure, capitals
        ("Arden, Inc. Consolidated Statements of Income\n5", "Arden"),
        ("___ ARDEN.COM, INC.\n(Exact name of registrant)", "ARDEN.COM"),
        ("authorized. 3M COMPANY\nBy: /s/ A. Beeley", "3M"),
        ("Total Arden Mills stockholders’ equity 5 4", "Arden Mills"),
        ("12/17 12/18\nArden Mills 100.00 73.85", "Arden Mills"),
        # releases, exhibits, plans, sites
        ("ARDEN MILLS REPORTS FOURTH QUARTER RESULTS", "ARDEN MILLS"),
        ("NEVADA – Arden Mills (NYSE: ARD) today announced", "Arden Mills"),
        ("Arden Mills Q3 2022 Results", "Arden Mills"),
        ("to Arden’s Current Report on Form 8-K", "Arden"),
        ("the Arden Mills 2022 Omnibus Incentive Plan", "Arden Mills"),
        ("certification of A. Beeley, Officer of Arden, Inc., pursuant to Rule 13a", "Arden"),
        ("© 2022 Arden Mills. All rights reserved.", "Arden Mills"),
        ("see investors.ardenmills.com for more", "Ardenmills"),
        ("Arden Mills plc (ARBN 630 385) is a public limited company", "Arden Mills"),
        # other languages
        ("Konzernabschluss der Arden AG zum 31.12.2016", "Arden"),
        ("Les comptes consolidés de Arden sont", "Arden"),
    ],
)
def test_more_likely_places(text: str, name: str) -> None:
    assert name in filers_named(text).likely


def test_subsidiary_companies_are_subsidiaries() -> None:
    assert filers_named("Arden Incorporated and Subsidiary Companies\n5").firm == {"Arden"}


@pytest.mark.parametrize(
    "text",
    [
        # acquired, or sued by, a company that speaks of itself as "we"
        "We acquired Beeley, Inc. in May. Beeley, Inc. makes glass.",
        "Beeley, Inc.\nIn May we completed the purchase of Beeley.",
        "Our investment in Beeley Corp. rose; Beeley Corp. fell.",
        "Net income attributable to noncontrolling interests 5",
        "Total stockholders’ equity 5",
        "See the Amended and Restated Certificate of Incorporation.",
    ],
)
def test_another_company_is_no_filer(text: str) -> None:
    assert not filers_named(text).likely


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
        # figures of another, in a short text that is nobody's report
        ("Beeley", "Arden's revenue was $5m in 2017.", "mismatch"),
        ("Beeley", "Arden's revenue was $5m in 2017, Beeley's $4m.", "match"),
        ("Beeley", "Our sales to Arden: Arden's revenue was $5m in 2017.", "unknown"),
        ("Beeley Foods", "Beeley Mills' revenue was $5m.", "unknown"),
        ("Beeley", "Its revenue was $5m.", "unknown"),
        # a subsidiary's statements in its owner's report
        ("Arden Mills", "Form 10-K of Arden Foods, LLC\nDue to Arden Mills 5", "unknown"),
        ("Arden Mills", "Form 10-K of Arden Foods, LLC\nDue 5", "mismatch"),
        ("General Mills", "Form 10-K of General Foods, LLC\nDue to General Mills 5", "mismatch"),
        # of several wanted companies any is right
        ("Arden and Beeley", "Beeley, Inc.\n5", "match"),
        ("Arden, Beeley or Copley", "Copley, Inc.\n5", "match"),
        ("Arden and Beeley", "Copley, Inc.\n5", "mismatch"),
        ("Procter and Gamble", "Procter & Gamble Company\n5", "match"),
        # a common word in small letters names nobody
        ("Block", "We own a block of shares", "unknown"),
        ("Block", "WE OWN A BLOCK OF SHARES", "match"),
        ("Square", "Block, Inc.\n5", "match"),
    ],
)
def test_a_filer_is_compared_with_the_wanted_company(wanted: str, text: str, outcome: str) -> None:
    found = compare(Target(entity=wanted), Passage(passage_id="p", text=text))
    assert found["entity"] == outcome


@pytest.mark.parametrize(
    "unit",
    ["Arden Inc.\n", "A B C D ", "(the “Company”) ", "Form 10-K of A ", "A", "iA", "A.", "A&",
     "100 1", "is a ", "ir.a", "Arden’s ", "A Inc. acquired "],
)  # fmt: skip
def test_linear(unit: str) -> None:
    assert grows_linearly(filers_named.__wrapped__, unit * 20_000)
