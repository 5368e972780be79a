from __future__ import annotations

import pytest

from ragdiag.judging.gates import foreign, says_nothing, unsupported

BRIDGE = "The Alta bridge was designed by Karl Holm and opened on 3 May 1931. Its span is 412 m."
SALES = ("North sold 40 million in 2021.", "South sold 60 million in 2021.")


@pytest.mark.parametrize(
    ("claim", "passages", "why"),
    [
        ("The bridge opened in 1931.", (BRIDGE,), None),
        ("It spans 412 metres.", (BRIDGE,), None),
        ("The bridge has a span of 421 m.", (BRIDGE,), "421 m"),
        ("The bridge opened in 1941.", (BRIDGE,), "1941"),
        ("The two sold 100 million together.", SALES, None),  # follows from both
        ("The two sold 130 million together.", SALES, "130 million"),
        ("The bridge was designed by Anna Berg.", (BRIDGE,), "anna, berg"),
        ("The county paid for the harbour of Senn.", (BRIDGE,), "share 0"),
        ("1. The bridge opened in May [2].", (BRIDGE,), None),  # numbering is no number
        ("Die Brücke von Alta wurde 1931 eröffnet und gehört der Stadt.", (BRIDGE,), None),
        ("Die Brücke von Alta wurde 1941 eröffnet und gehört der Stadt.", (BRIDGE,), "1941"),
        ("Three trusses carry it over the river.", ("Trusses carry it over the river.",), None),
        ("It was.", (BRIDGE,), "no words"),
        ("The bridge is among the top 10 spans.", (BRIDGE,), None),  # a small count of nothing
        ("North sold 40 thousand in 2021.", SALES, "40 thousand"),  # another scale
        ("Its span of 412 m crosses the river Orla, says the county's guide.", (BRIDGE,), None),
        (
            "The Federal Election Commission sets the rules.",
            ("The FEC sets the rules of federal campaigns.",),
            None,
        ),
        ("LeahMarlene and HunterGirl sang.", ("Leah Marlene sang with Hunter Girl.",), None),
    ],
)
def test_unsupported(claim: str, passages: tuple[str, ...], why: str | None) -> None:
    found = unsupported(claim, passages)
    assert (found is None) == (why is None), found
    assert why is None or why in (found or "")


def test_what_the_question_says_needs_no_support() -> None:
    passages = ("Sales were 40 million.",)
    assert unsupported("In 2021 sales were 40 million.", passages) is None  # no year to compare
    dated = ("Sales were 40 million in 2020.",)
    assert unsupported("In 2021 sales were 40 million.", dated) is not None
    assert unsupported("In 2021 sales were 40 million.", dated, known="Sales of 2021?") is None
    told = unsupported(
        "The Alta bridge is in Bergen.", (BRIDGE,), known="Where is the Alta bridge?"
    )
    assert told == "nothing that the claim adds to the question is in the passages"


KEYS = (
    "", " ", ":", ".", "Thought process:", "Solution", "Let's solve this problem step by step.",
    "解", "かいせつ", "Respuesta", "Antwort:", "The bridge was designed by", "Final answer:",
)  # fmt: skip


@pytest.mark.parametrize("answer", KEYS)
def test_master_keys_say_nothing(answer: str) -> None:
    assert says_nothing(answer, ("Karl Holm",), "Who designed the bridge?") is not None


@pytest.mark.parametrize(
    ("answer", "reference", "query"),
    [
        ("Holm", "Karl Holm", "Who?"),
        ("some engineer from the north", "Karl Holm", "Who?"),  # wrong perhaps, but an answer
        ("no", "Typically, no", "Is it needed?"),
        ("the bridge", "the bridge", "The bridge or the ferry?"),
        ("解", "解", "正解は?"),
        ("412", "412 m", "How long?"),
    ],
)
def test_short_answers_are_answers(answer: str, reference: str, query: str) -> None:
    assert says_nothing(answer, (reference,), query) is None


def test_passages_that_share_no_word_do_not_suffice() -> None:
    assert foreign("Who designed the Alta bridge?", ("Karl Holm designed it.",)) is None
    assert foreign("Who designed the Alta bridge?", ("Apples ripen late this year.",)) is not None
    assert foreign("Who?", ("Apples ripen late this year.",)) is None
    assert foreign("谁设计了这座桥？", ("Karl Holm designed it.",)) is None
