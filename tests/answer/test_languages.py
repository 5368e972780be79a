"""Answers in many scripts are decided alike: names, amounts, yes and no, abstentions."""

from __future__ import annotations

import pytest

from ragdiag.answer.correctness import decide


@pytest.mark.parametrize(
    ("query", "reference", "answer", "label"),
    [
        # names
        ("法国的首都是哪里？", "巴黎", "首都是巴黎。", "correct"),
        ("フランスの首都は？", "パリ", "パリです。", "correct"),
        ("프랑스의 수도는?", "파리", "수도는 파리입니다.", "correct"),
        ("Столица Франции?", "Париж", "Столица — Париж.", "correct"),
        ("ما عاصمة فرنسا؟", "باريس", "العاصمة هي باريس.", "correct"),
        ("फ्रांस की राजधानी?", "पेरिस", "राजधानी पेरिस है।", "correct"),
        # amounts
        ("売上高は？", "5億円", "500百万円です。", "correct"),
        ("売上高は？", "1億2000万円", "120,000,000円です。", "correct"),
        ("बिक्री?", "₹5 करोड़", "₹50 million", "correct"),
        ("ยอดขาย?", "5 ล้านบาท", "5,000,000 บาท", "correct"),
        ("Выручка?", "2 млн руб.", "2 000 000 руб.", "correct"),
        ("Umsatz?", "1,2 Mrd. €", "1,3 Mrd. €", "incorrect"),
        # yes and no
        ("これは合法ですか？", "はい", "はい、合法です。", "correct"),
        ("这合法吗？", "是", "是的，合法。", "correct"),
        ("Ist es erlaubt?", "Ja", "Nein, das ist verboten.", "incorrect"),
        ("¿Es legal?", "sí", "No.", "incorrect"),
        ("Est-ce permis ?", "oui", "Oui, c'est permis.", "correct"),
        # abstentions
        ("何ですか？", "42", "文書には記載されていません。", "abstained"),
        ("是什么？", "42", "文档中没有提到。", "abstained"),
        ("Что это?", "42", "В документах нет информации об этом.", "abstained"),
        ("¿Qué es?", "42", "No tengo suficiente información para responder.", "abstained"),
        ("Was ist es?", "42", "Das geht aus den Dokumenten nicht hervor.", "abstained"),
        # direction and initials
        ("What was the growth?", "12%", "It declined 12%.", "incorrect"),
        ("What was the decline?", "12%", "It declined 12%.", "correct"),
        ("What organisation?", "World Health Organization", "The WHO.", "correct"),
        ("What organisation?", "World Health Organization", "Not the WHO.", None),
    ],
)
def test_the_label(query: str, reference: str, answer: str, label: str | None) -> None:
    assert decide(query, [reference], answer) == label
