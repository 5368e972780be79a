"""Answers that code can decide: literal tables, and agreement with people on real ones."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from ragdiag.answer.correctness import decide

_SALES = "What were Arden's FY2018 sales (in USD millions)?"


@pytest.mark.parametrize(
    ("query", "reference", "answer", "label"),
    [
        # abstentions
        (_SALES, ["$12.00"], "I don't know.", "abstained"),
        (_SALES, ["unanswerable"], "That is not stated in the context.", "correct"),
        (_SALES, ["unanswerable"], "Sales were $12 million.", "incorrect"),
        (_SALES, ["unanswerable"], "Sales were not $12 million.", None),
        ("Which bonds are listed?", ["There are none"], "The filing does not list any.", None),
        # the same words
        ("Who founded it?", ["The Ada Brook"], "ada brook!", "correct"),
        ("Who founded it?", ["Zoë Brook"], "Zoe Brook", "correct"),
        ("Which herb?", ["五味子"], "是五味子。", "correct"),
        ("Which herb?", ["五味子"], "不是五味子。", None),
        ("哪两位？", ["王芳和李雷"], "王芳", "partial"),
        ("哪两位？", ["王芳和李雷"], "李雷和王芳", "correct"),
        # yes and no
        ("Is Arden a bank?", ["Yes. It takes deposits."], "Yes, it is.", "correct"),
        ("Is Arden a bank?", ["Yes. It takes deposits."], "No, it is a shop.", "incorrect"),
        ("Is Arden a bank?", ["No, it is a shop"], "Arden is a bank in Hull.", "incorrect"),
        ("Is Arden a bank?", ["No, it is a shop"], "Arden is not a bank at all.", "correct"),
        ("Is Arden a bank?", ["yes"], "It depends on the law.", None),
        # values and units
        (_SALES, ["$12.00"], "Sales were $12 million.", "correct"),
        (_SALES, ["$12.00"], "They were 12.", "correct"),
        (_SALES, ["$12.00"], "They were $12,000,000.", "correct"),
        (_SALES, ["$12.00"], "They were $11,900 (in thousands).", "correct"),
        (_SALES, ["$12.00"], "They were $12 billion.", "incorrect"),
        (_SALES, ["$12.00"], "They were $14 million.", "incorrect"),
        (_SALES, ["$12.00"], "They were good.", None),
        (_SALES, ["$12.00"], "Costs were $12 million. FY2018 sales of Arden were $20m.", None),
        (_SALES, ["$12.00"], "$5 million + $7 million = $12 million", "correct"),
        (_SALES, ["$12.00"], "We add 5 and 7. Therefore, sales were $12 million.", "correct"),
        (_SALES, ["$12.00"], "We add 5 and 15. Therefore, sales were $20 million.", "incorrect"),
        ("What is the ratio?", ["0.66"], "The ratio is 0.66 (33 / 50).", "correct"),
        ("What is the ratio?", ["0.66"], "The ratio is 0.67.", None),
        ("What is the ratio?", ["0.66"], "66%", "correct"),
        ("What is the margin in percent?", ["12%"], "12", "correct"),
        ("How did sales change?", ["-4.3%"], "They fell by 4.3%.", "correct"),
        ("How did sales change?", ["-4.3%"], "They rose by 4.3%.", "incorrect"),
        ("By how much did sales fall?", ["4.3%"], "Sales fell by 4.3%.", "correct"),
        ("How much did it cost?", ["137"], "$265 million", None),
        ("How did the rate change?", ["It changed from 20% in 2020 to 23% in 2021."],
         "It went up from 20% to 23%.", "correct"),
        ("What is EPS?", ["$1.23"], "$(1.23)", None),
        ("How cold is it?", ["-5 °C"], "5 °C", "incorrect"),
        ("How much was it?", ["€20"], "$20", "incorrect"),
        ("How far is it?", ["12 km"], "12", "correct"),
        ("How heavy is it?", ["5 kg"], "6 kg", "incorrect"),
        ("How many are there?", ["7"], "Not 5 but 7.", "correct"),
        ("How many are there?", ["7"], "There are not 7 but 5.", "incorrect"),
        ("What was the change?", ["2.5%"], "It declined 2.5%.", "incorrect"),
        ("What is the dose?", ["5-10 mg"], "7 mg", "partial"),
        ("What is the dose?", ["5-10 mg"], "20 mg", "incorrect"),
        ("What percentage voted?", ["62"], "62%", "correct"),
        ("What were sales in USD millions?", ["1577"], "$1.577 billion", "correct"),
        ("What were sales in 2018 and 2019?", ["$5 million in 2018 and $6 million in 2019"],
         "$5 million in 2018 and $7 million in 2019", "partial"),
        ("Where is it?", ["Not in the documents"], "unanswerable", "correct"),
        ("Is it legal?", ["yes"], "It is legal.", "correct"),
        # dates
        ("When did it open?", ["1911"], "It opened on May 3, 1911.", "correct"),
        ("When did it open?", ["1911"], "It opened in 1930.", "incorrect"),
        ("When did it open?", ["1911"], "It opened in 1912.", None),
        ("Which year was better?", ["1911"], "1912", "incorrect"),
        ("When did it open?", ["May 3, 1911"], "3 May 1911", "correct"),
        ("When did it open?", ["May 3, 1911"], "in 1911", None),
        ("When did it open?", ["1911"], "in 1911 or 1920", None),
        ("When did it open?", ["1911"], "long ago", None),
        ("When was it signed?", ["14 March 1992"], "15 March 1992", "incorrect"),
        ("When does it end?", ["14 March 1992"], "15 March 1992", None),
        ("Which quarter was best?", ["Q3 2019"], "Q2 2019", "incorrect"),
        ("Which quarter was best?", ["Q3 2019"], "the third quarter of 2019", "correct"),
        ("Which quarter was best?", ["Q3 2019"], "2019", None),
        ("Which quarter?", ["Q2"], "the second quarter", "correct"),
        ("Which quarter?", ["Q2"], "Q3", "incorrect"),
        # names and lists
        ("Who runs it?", ["Ada Brook"], "It is run by Ada Brook of Hull.", "correct"),
        ("Who runs it?", ["Ada Brook"], "It is not Ada Brook.", None),
        ("Who runs it?", ["Ada Brook"], "Ada Brook or Tom Hale", None),
        ("Who runs it?", ["Ada Brook"], "Tom Hale", "incorrect"),
        ("Who runs it?", ["Ada Mary Brook"], "Ada Brook", "correct"),
        ("Who runs it?", ["Brook, Ada"], "Ada Brook", "correct"),
        ("Who runs it?", ["Ada Brook (chair)"], "Ada Brook", "correct"),
        ("Where is it issued?", ["DMV"], "Department of Motor Vehicles", "correct"),
        ("Name the two founders.", ["Ada Brook and Tom Hale"], "Ada Brook", "partial"),
        ("Name the two founders.", ["Ada Brook and Tom Hale"], "Tom Hale, Ada Brook", "correct"),
        ("Name the two founders.", ["Ada Brook and Tom Hale"], "Jo Lund", None),
        ("Where is it?", ["Hull, England"], "Hull", None),
        ("Which item is largest?", ["Customer deposits. They were high in that year."],
         "The largest item is customer deposits.", "correct"),
        ("What drove it?", ["A long story of weather and of many storms that came in May"],
         "Weather.", None),
        ("Which is larger?", ["Arden"], "Brook is larger than Arden.", None),
        ("Who wrote it?", ["Ada Brook"], "Ada Brook and Tom Hale", None),
        ("Who wrote it?", ["Ada Brook", "Tom Hale"], "Ada Brook and Tom Hale", "correct"),
        ("Who runs it?", ["Dr. Ada Brook"], "Ada Brook", "correct"),
        ("Who runs it?", ["Ada Brook"], "A. Brook", "correct"),
        ("Who runs it?", ["Ada Brook"], "Brook", "correct"),
        ("Who runs it?", ["Ada Brook"], "Brook, Ada", "correct"),
        ("Who runs it?", ["Ada Brook"], "Jo Brook", None),
        ("Who runs it?", ["Ada Brook"], "It is run by Tom Hale.", "incorrect"),
        ("What is the code?", ["AB-12"], "AB-13", "incorrect"),
        ("What is the version?", ["2.10"], "2.1", None),
        ("Which city is it?", ["Hull"], "Leeds", "incorrect"),
        ("Which city is it?", ["Hull"], "a port", None),
        ("Which herb?", ["五味子"], "枸杞", "incorrect"),
        ("Name the two founders.", ["Ada Brook and Tom Hale"], "Tom Hale or so, Jo Lund", "partial"),
        ("Name the agencies.", ["FBI and CIA"],
         "Federal Bureau of Investigation, Central Intelligence Agency", "correct"),
        ("Which two?", ["$412 million and $30 million"], "$30.0m and $412m", "correct"),
        ("Which two?", ["$1,412 million and $30 million"], "$1,412 million", "partial"),
        # several parts
        ("What were rent and heat?", ["Rent was $5 million, and heat was $6 million in 2018."],
         "Rent was $6 million and heat was $5 million.", "incorrect"),
        ("What were rent and heat?", ["Rent was $5 million, and heat was $6 million in 2018."],
         "Heat was $6 million and rent was $5 million.", "correct"),
        ("Is it listed, and since when?", ["Yes, since 1911"], "Yes, since 1930.", None),
        ("Is it listed, and since when?", ["Yes, since 1911"], "Yes.", "partial"),
        ("Is it listed, and since when?", ["Yes, since 1911"], "Yes, since 1911.", "correct"),
        ("Is it listed?", ["Yes, since 1911"], "Yes.", "correct"),
        ("Who founded it, and when?", ["Ada Brook, 1911"], "Ada Brook founded it in 1911.",
         "correct"),
        ("Who founded it, and when?", ["Ada Brook, 1911"], "Ada Brook founded it.", "partial"),
        ("Who founded it, and when?", ["Ada Brook in 1911"], "In 1911.", "partial"),
        ("Who founded it, and when?", ["Ada Brook in 1911"], "Tom Hale, in 1911.", None),
        ("Who founded it, and when?", ["Ada Brook in 1911"], "Ada Brook, in 1930.", None),
        # several references, nothing to compare
        ("Who runs it?", ["Tom Hale", "Ada Brook"], "Ada Brook", "correct"),
        ("Who runs it?", ["Tom Hale", "Ada Brook"], "Jo Lund", "incorrect"),
        ("Who runs it?", ["10â€“12 years"], "10 to 12 years", "correct"),
        ("Who runs it?", [], "Ada Brook", None),
        ("Who runs it?", ["", " "], "Ada Brook", None),
        ("Who runs it?", ["Ada Brook"], " ", None),
    ],
)  # fmt: skip
def test_the_label(query: str, reference: list[str], answer: str, label: str | None) -> None:
    assert decide(query, reference, answer) == label


def test_a_long_answer_is_read_at_its_beginning_and_its_end() -> None:
    padding = "The report goes on. " * 2_000
    assert decide(_SALES, ["$12.00"], f"{padding}Therefore, sales were $12 million.") == "correct"
    assert decide("Who runs it?", ["Ada Brook"], f"Ada Brook. {padding}") == "correct"


def test_the_middle_of_a_long_answer_is_a_mere_mention() -> None:
    middle = "Many people work there every day. Ada Brook is one of them, they say. All is well."
    assert decide("Who runs it?", ["Ada Brook"], middle) is None


def test_the_shared_cases_are_decided_right(shared: Path) -> None:
    lines = (shared / "cases" / "answers.jsonl").read_text("utf-8").splitlines()
    found = [
        (decide(case["query"], case["reference"], case["answer"]), case["correctness"])
        for case in map(json.loads, lines)
    ]
    assert all(label in (None, wanted) for label, wanted in found), found
    assert sum(label is not None for label, _ in found) >= 0.8 * len(found)


def _agreement(folder: Path, name: str) -> tuple[float, float]:
    """(share decided, share of the decided that agree) with the majority of people."""
    votes: defaultdict[str, list[str]] = defaultdict(list)
    for line in (folder / f"{name}.labels.jsonl").read_text("utf-8").splitlines():
        label = json.loads(line)
        if label["check"] == "answer_correctness":
            votes[label["query_id"]].append(label["label"])
    total = decided = agreed = 0
    for line in (folder / f"{name}.samples.jsonl").read_text("utf-8").splitlines():
        sample = json.loads(line)
        ranked = Counter(votes[sample["query_id"]]).most_common(2)
        if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
            continue
        total += 1
        found = decide(sample["query"], sample["reference"], sample["answer"])
        decided += found is not None
        agreed += found == ranked[0][0]
    return decided / total, agreed / decided


def test_people_agree_on_financebench(shared: Path) -> None:
    decided, agreed = _agreement(shared / "real", "financebench")
    assert decided >= 0.70, decided
    assert agreed >= 0.95, agreed


def test_people_agree_on_natural_questions(shared: Path) -> None:
    decided, agreed = _agreement(shared / "real", "nq301")
    assert decided >= 0.50, decided
    assert agreed >= 0.92, agreed


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("Yes, after two months.", "correct"),
        ("Yes.", "correct"),
        ("Yes, after ten years or more.", None),  # the yes is right, the rest is not
        ("No, never.", "incorrect"),
    ],
)
def test_a_yes_with_other_amounts_is_left_open(answer: str, label: str | None) -> None:
    assert decide("Can a member leave?", ["Yes, after two months"], answer) == label
