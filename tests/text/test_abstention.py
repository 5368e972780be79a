"""Abstentions in several languages, and answers that only look like one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragdiag.text.abstention import abstains, is_abstention_reference

_QUERY = "What is the bridge's load limit?"


@pytest.mark.parametrize(
    "answer",
    [
        "unanswerable",
        "N/A",
        "Unknown.",
        "I don't know.",
        "I could not find that in the documents.",
        "It is not specified in the provided context [1].",
        "Not stated in the sources.",
        "The load limit is not given.",
        "The provided context does not contain the answer to the question.",
        "Based on the context, there is no mention of the load limit.",
        "This cannot be determined without the 2018 survey.",
        "Without the survey report, it is impossible to say.",
        "There is not enough information to answer.",
        "As an AI, I don't have access to such records. You can check the town's website.",
        "To find the limit, you would need the survey. However, I do not have access to it.",
        "I'm sorry, but you have not provided the survey.",
        "Sorry, I can't help with that.",
        "Ich kann diese Frage nicht beantworten.",
        "Das wird im Text nicht erwähnt.",
        "Le document ne mentionne pas ce chiffre.",
        "No se menciona en el documento.",
        "Não há informação sobre isso.",
        "Non è specificato nel documento.",
        "В документе не указано.",
        "文档中没有提到这一点。",
        "この情報は記載されていません。",
        "문서에서 찾을 수 없습니다.",
        "لا توجد معلومات",
        "जानकारी उपलब्ध नहीं है।",
    ],
)
def test_it_abstains(answer: str) -> None:
    assert abstains(_QUERY, answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        "20 tonnes.",
        "The company does not have debt.",
        "The bank does not provide loans.",
        "The patient was not given antibiotics.",
        "No.",
        "None",
        "Nobody knows why.",
        "The documents do not state the exact limit, but it was about 20 tonnes.",
        "It is 20 tonnes. The filing does not mention 2016.",
        "No, the limit is 20 tonnes. The text does not say more.",
        "The text does not name a limit. However, it mentions that 20 tonnes were carried.",
        "Die Brücke trägt 20 Tonnen.",
        "限重是二十吨。",
    ],
)
def test_it_answers(answer: str) -> None:
    assert abstains(_QUERY, answer) is False


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (_QUERY, ""),
        (_QUERY, "   "),
        (_QUERY, "The text does not name a limit. However, it names who built the bridge."),
        (_QUERY, "The report does not mention a limit, although lorries are said to cross it."),
        ("Does the report mention a limit?", "The report does not mention a limit."),
    ],
)
def test_code_cannot_tell(query: str, answer: str) -> None:
    assert abstains(query, answer) is None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        # it only says where to look
        ("Limits are posted at both ends. To find this one, please check the sign.", True),
        ("It is 20 tonnes. To find the rules, please check the sign.", False),
        # a number is asked for, none is given, and none can be
        ("Bridges carry what their span allows. It is not possible to calculate it here.", True),
        ("Bridges carry 20 tonnes. It is not possible to calculate it here.", False),
        # the end takes back nothing that was concluded
        ("The plan is not given. The span is long. Therefore, I cannot say.", True),
        ("The plan is not given. Therefore, it is 20 tonnes. I cannot be sure.", None),
        # the prompt's words said back
        ('Please respond with "20 tonnes" or "I don\'t know".', False),
        # what the sources hold is said to show that it is not what was asked
        ("The text does not name a limit. It only describes the towers.", True),
        ("Thank you for asking. I do not know.", True),
    ],
)
def test_what_stands_around_an_abstention(answer: str, expected: bool | None) -> None:
    assert abstains(_QUERY, answer) is expected


def test_a_list_of_what_was_found_with_the_prompts_words_at_its_end_is_left_open() -> None:
    answer = "Here are the users:\n1. Lorries pass\n2. Tanks wait\nUnable to answer."
    assert abstains("Who may cross the bridge?", answer) is None


def test_a_silence_that_is_asked_for_is_left_open() -> None:
    answer = "The report does not include the balance sheet."
    assert abstains("What is missing from the report?", answer) is None
    assert abstains("What did the report not include?", answer) is None
    assert abstains("What is the total of the balance sheet?", answer) is True
    assert abstains("Is the battery included?", "The battery is not included.") is None
    assert abstains("Which battery is it?", "The battery is not included.") is True


def test_an_inability_with_general_advice_is_an_abstention() -> None:
    answer = (
        "I do not have access to the survey. Bridges typically carry 20 tonnes or more. "
        "Please consult the council."
    )
    assert abstains(_QUERY, answer) is True


def test_a_result_after_a_complaint_is_no_abstention() -> None:
    answer = (
        "To calculate the limit, we need the span. The span is not listed in the table. "
        "The plan gives 40 metres. Therefore, the limit is 20 tonnes."
    )
    assert abstains(_QUERY, answer) is False


def test_references_that_abstain() -> None:
    assert is_abstention_reference(("20 t", "Not stated in the sources."))
    assert not is_abstention_reference(("There are none", "20 t"))
    assert not is_abstention_reference(())


def test_a_long_hostile_text_is_cut() -> None:
    assert abstains(_QUERY, "the text " * 25_000) is False


def test_people_agree_on_abstentions(shared: Path) -> None:
    """F1 against people's label "abstained"; undecided counts as "does not abstain"."""
    real = shared / "real"
    labels: dict[str, str] = {}
    for line in (real / "financebench.labels.jsonl").read_text("utf-8").splitlines():
        label = json.loads(line)
        if label["check"] == "answer_correctness":
            labels[label["query_id"]] = label["label"]
    hits = misses = alarms = 0
    for line in (real / "financebench.samples.jsonl").read_text("utf-8").splitlines():
        sample = json.loads(line)
        found = abstains(sample["query"], sample["answer"]) is True
        wanted = labels[sample["query_id"]] == "abstained"
        hits += found and wanted
        alarms += found and not wanted
        misses += wanted and not found
    f1 = 2 * hits / (2 * hits + misses + alarms)
    assert f1 >= 0.97, (hits, misses, alarms)
