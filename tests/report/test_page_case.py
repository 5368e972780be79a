"""The record of a case: its spans are those that a browser counts, and nothing is lost unsaid."""

from __future__ import annotations

from typing import Any

from ragdiag.records import ClaimResult, Diagnosis, Sample, SampleResult
from ragdiag.report.page_case import MOST_TEXT, case_record
from ragdiag.report.page_judged import Exchange, exchange_records
from ragdiag.report.page_text import window


def browser_slice(text: str, start: int, end: int) -> str:
    """text.slice(start, end) of JavaScript."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def case(text: str, answer: str, said: str, quote: str, **more: Any) -> dict[str, Any]:
    """The record of one claim, `said`, of an answer, with its quote from one passage."""
    sample = Sample.model_validate({
        "query_id": "q", "query": "How much?", "answer": answer,
        "retrieved": [{"passage_id": "p", "text": text}], **more,
    })  # fmt: skip
    start = answer.index(said)
    claim = ClaimResult(
        claim_id="c", text=said, start=start, end=start + len(said), label="supported",
        quote=quote, passage_id="p",
    )  # fmt: skip
    result = SampleResult(query_id="q", scores={}, claims=(claim,), diagnosis=Diagnosis(code=None))
    return case_record(sample, result)


def test_emoji_before_a_span_count_twice_as_browsers_count_them() -> None:
    found = case("😀😀 It was 9.", "𝒳 says: nine.", "nine.", "It was 9.")
    assert found["claims"][0]["span"] == [9, 14]  # 𝒳 has two units, " says: " seven
    assert found["passages"][0]["marks"] == [[5, 14, "quote", "c0"]]  # two emoji, a blank


def test_a_long_passage_is_cut_around_its_quote_and_says_by_how_much() -> None:
    text = "😀" + "x " * MOST_TEXT + "It was 9. " + "y " * MOST_TEXT
    found = case(text, "Nine.", "Nine.", "It was 9.")
    passage = found["passages"][0]
    start, end, kind, _ = passage["marks"][0]
    assert browser_slice(passage["text"], start, end) == "It was 9."
    assert kind == "quote"
    assert passage["cut"][1] - passage["cut"][0] == MOST_TEXT
    assert passage["cut"][2] == len(text)
    assert found["unwhole"] == "texts or passages of this query are cut for the page"


def test_a_span_outside_the_window_is_dropped_and_one_on_its_edge_is_clipped() -> None:
    seen = window("0123456789", 4)
    assert seen.place((2, 6)) == [2, 4]
    assert seen.place((4, 6)) is None
    assert seen.cut() == [0, 4, 10]


def test_a_prompt_points_at_the_passages_whose_whole_text_it_holds() -> None:
    long, part = "It was 9 in all, of which 4 were sold abroad.", "It was 9 in all"
    prompt = f"1: {long} 2: {part}. 3: {long}"
    found = exchange_records(
        [Exchange(("support",), "llm:m", prompt=(("user", prompt),))], [part, long]
    )
    [[role, parts]] = found[0]["prompt"]
    assert (role, parts) == ("user", ["1: ", 1, f" 2: {part}. 3: {long}"])
    assert "".join(long if one == 1 else one for one in parts) == prompt
    for text in (long, "", "no passage"):
        [alone] = exchange_records([Exchange((), "", prompt=(("user", text),))], [long])
        assert alone["prompt"] == [["user", [0] if text == long else [text]]]


def test_an_integer_that_a_browser_would_round_is_told() -> None:
    big = {"metadata": {"row": 2**53 + 1}}
    assert case("It was 9.", "Nine.", "Nine.", "It was 9.", **big)["unwhole"] is not None
    assert case("It was 9.", "Nine.", "Nine.", "It was 9.")["unwhole"] is None
