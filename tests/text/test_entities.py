"""Names of companies in ids and metadata, tickers among them."""

from __future__ import annotations

import pytest

from ragdiag.records import Passage, Target
from ragdiag.text.entities import entity_of_id, mentions, same_entity, shares_brand
from ragdiag.text.identity import compare


@pytest.mark.parametrize(
    ("doc_id", "entity"),
    [
        ("2022 Q3 AAPL.pdf", "AAPL"),
        ("2022_MSFT.pdf", "MSFT"),
        ("2017_annual_report_siemens.pdf", "siemens"),
        ("FY2023-10K-Arden-Mills.html", "arden mills"),
        ("PepsiCo_2022_10K", "pepsico"),
        ("2021_climate_policy.pdf", None),  # a bare year: no report of anybody
        ("2021-03-04-17", None),
        ("10K.pdf", None),
    ],
)
def test_the_entity_of_an_id(doc_id: str, entity: str | None) -> None:
    assert entity_of_id(doc_id) == entity


@pytest.mark.parametrize(
    ("wanted", "named", "same"),
    [
        ("Apple", "AAPL", True),
        ("AAPL", "Apple Inc.", True),
        ("Microsoft", "MSFT", True),
        ("NVIDIA", "NVDA", True),
        ("Intel", "INTC", True),
        ("Amazon.com, Inc.", "AMZN", True),
        ("Block", "SQ", True),
        ("The Coca-Cola Company", "KO", True),
        ("General Motors", "GM", True),
        ("Intel", "AAPL", False),
        ("Microsoft", "KO", False),
        ("Microsoft", "MS", False),  # Morgan Stanley's
        ("PepsiCo", "Pepsi", True),
        ("PepsiCo", "PEPSICO, INC.", True),
        ("PepsiCo", "Peloton", False),
        # abbreviations
        ("American Express", "Amex", True),
        ("American Express", "AMEX", True),
        ("Procter & Gamble", "P&G", True),
        ("Johnson & Johnson", "J&J", True),
        ("Federal Express", "FedEx", True),
        ("International Business Machines Corp.", "IBM", True),
        ("Bank of America", "BofA", True),
        ("3M Company", "MMM", True),
        ("J.P. Morgan Chase & Co.", "JPMorgan", True),
        ("Kroger", "KR", True),
        ("Corning", "GLW", True),
        ("American Water Works", "AES", False),
        ("S&P Global", "SP Global", True),
        ("Amexco Mills", "American Water", False),
        # accents, stops, legal forms
        ("Nestlé", "NESTLE S.A.", True),
        ("L’Oréal", "LOreal", True),
        ("U.S. Steel", "US Steel", True),
        ("Novo Nordisk A/S", "Novo Nordisk", True),
        # renamed
        ("Square", "Block, Inc.", True),
        ("Google", "Alphabet Inc.", True),
        ("Facebook", "Meta Platforms, Inc.", True),
        ("Alphabet", "GOOGL", True),
        ("Google", "GOOGL", True),
        ("Google", "Meta", False),
        # other letters cannot be compared, but for the well known
        ("Arden", "アーデン株式会社", None),
        ("Gazprom", "Газпром", True),
    ],
)
def test_tickers_and_names(wanted: str, named: str, same: bool | None) -> None:
    assert same_entity(wanted, named) is same


def test_metadata_may_hold_a_ticker() -> None:
    page = Passage(passage_id="p", text="", metadata={"company": "AAPL"})
    assert compare(Target(entity="Apple Inc."), page)["entity"] == "match"
    assert compare(Target(entity="Intel"), page)["entity"] == "mismatch"


def test_a_name_in_camel_case_is_found_in_text() -> None:
    assert mentions("PepsiCo", "Shares of PepsiCo rose.")
    assert not mentions("PepsiCo", "A pepsi copy.")


def test_a_name_in_small_letters_is_a_word() -> None:
    assert not mentions("Block", "We own a block of shares")
    assert mentions("Block", "of Block in May")
    assert mentions("block", "a block of shares")
    assert mentions("Block", "we met block in may")


@pytest.mark.parametrize(
    ("one", "other", "brand"),
    [
        ("MGM Resorts", "MGM Growth Properties", True),
        ("General Electric", "General Motors", False),
        ("Arden", "Beeley", False),
        ("", "Beeley", False),
    ],
)
def test_a_shared_brand(one: str, other: str, brand: bool) -> None:
    assert shares_brand(one, other) is brand
