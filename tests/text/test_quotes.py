from __future__ import annotations

import pytest

from ragdiag.text.quotes import find_quote, normalise
from tests.growth import grows_linearly


@pytest.mark.parametrize(
    ("quote", "text", "tier", "there"),
    [
        ("rent is 5", "The rent is 5.", "exact", "rent is 5"),
        (" rent is 5 ", "The rent is 5.", "exact", "rent is 5"),
        ("77", "177 and 77", "exact", "77"),
        ("橋は", "長い橋は川", "exact", "橋は"),
        ("“rent’s” due", 'a "rent\'s" due', "typographic", '"rent\'s" due'),
        ('"rent is 5"', "The rent is 5.", "typographic", "rent is 5"),
        ("2018-2020 plan", "the 2018–2020  plan", "typographic", "2018–2020  plan"),
        ("efficient", "eﬃcient", "typographic", "eﬃcient"),
        ("information desk", "infor-\nmation desk", "typographic", "infor-\nmation desk"),
        ("long-term debt", "long-\nterm debt", "typographic", "long-\nterm debt"),
        ("coop", "co\u00adop", "typographic", "co\u00adop"),
        ("naïve", "nai\u0308ve", "typographic", "nai\u0308ve"),
        ("at 12%", "at １２％", "typographic", "at １２％"),
        ("wait... no", "wait… no", "typographic", "wait… no"),
        (
            "The rent is paid monthly in advnce by all",
            "So: The rent is paid monthly in advance by all tenants.",
            "fuzzy",
            "The rent is paid monthly in advance by all",
        ),
    ],
)
def test_found(quote: str, text: str, tier: str, there: str):
    match = find_quote(quote, text)
    assert match is not None
    assert (match.tier, text[match.start : match.end]) == (tier, there)


LONG = "The rent of the flat is {} per month for all of the tenants."


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("577", "1,577"), ("5", "3.5"), ("3", "3.5"), ("able to pay", "unable to pay"),
        ("x² is", "x2 is"), ("½ cup", "1/2 cup"), ("Rent", "rent"), ("rent", ""), ("", "rent"),
        ("short quoted", "short quoten"),
        (LONG.format("1,577"), LONG.format("1,578")),
        (LONG.format("92%"), LONG.format("9%")),
        (LONG.format("5 million"), LONG.format("5 billion")),
        (LONG.format("not paid"), LONG.format("paid")),
        (LONG.format("higher"), LONG.format("lower")),
        (LONG.format("paid"), LONG.format("unpaid")),
        (LONG.format("m²"), LONG.format("m³")),
        (LONG.format("$5"), LONG.format("€5")),
        ("a sentence that stands nowhere in it", "Some quite different words are written here."),
    ],
)  # fmt: skip
def test_not_found(quote: str, text: str):
    assert find_quote(quote, text) is None


def test_normalise_keeps_offsets():
    text = "a “b”  c-\nd ﬁ"
    folded, offsets = normalise(text)
    assert folded == 'a "b" cd fi'
    assert [text[i] for i in offsets[:-1]] == list("a “b” cd ﬁﬁ")
    assert offsets[-1] == len(text)
    assert normalise("c-\nd", hyphen="-")[0] == "c-d"
    assert normalise("") == ("", [0])


def test_fuzzy_in_a_long_text():
    text = "word " * 8000 + "The landlord collects thirteen instalments yearly. " + "word " * 8000
    match = find_quote("The landlord collects thirteen instalmnts yearly.", text)
    assert match is not None
    assert text[match.start : match.end] == "The landlord collects thirteen instalments yearly."
    assert find_quote("Zebras collect fourteen xylophones always.", text) is None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("a" * 3000, "ab" * 100_000),
        ("the rent is paid monthly in advnce by", "the rent is unpaid " * 10_000),
        (" " * 100_000 + "x", "- \n" * 66_000),
        ("a-\n" * 1000, "a-\n" * 66_000),
        ("1" * 1000 + "2", "1" * 200_000),
        ("aa", "a" * 200_000),
    ],
)
def test_linear(quote: str, text: str):
    assert grows_linearly(lambda part: find_quote(quote, part), text)
