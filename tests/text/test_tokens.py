from __future__ import annotations

import pytest

from ragdiag.text.tokens import content_stems, fold, language, names, stems, tokens
from tests.growth import grows_linearly


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rent is $1,577.5 a month.", ["rent", "is", "1,577.5", "a", "month"]),
        ("don't", ["don't"]),
        ("3.4M in FY2018", ["3.4", "m", "in", "fy2018"]),
        ("橋は1932年", ["橋は", "1932", "年"]),
        ("수도권은", ["수도", "도권", "권은"]),
        ("यह हिन्दी है", ["यह", "हिन्दी", "है"]),
        ("CAFÉ", ["café"]),
        ("cafe\u0301", ["café"]),
        ("ﬁnance １２", ["finance", "12"]),
        ("x² ½", ["x²", "½"]),
        ("...", []),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]):
    assert [token.text for token in tokens(text)] == expected


@pytest.mark.parametrize(
    "text", ["The rent, 1,577.", "Straße “und” Größe", "橋は1932年に", "a\u0301b"]
)
def test_offsets_point_at_the_word(text: str):
    for token in tokens(text):
        assert fold(text[token.start : token.end]) == token.text


def test_stems_bring_forms_together():
    assert stems("The companies were running") == ["the", "compani", "were", "run"]
    assert stems("company's runs") == ["compani", "run"]
    assert stems("Die Häuser sind nicht groß", lang="de")[1] == stems("Haus", lang="de")[0]
    assert stems("1,577 and 1,5") == ["1577", "and", "1,5"]
    assert stems("本の") == ["本の"]


def test_content_stems_keep_negations_and_drop_stop_words():
    assert content_stems("He is not going to the house") == ["not", "go", "hous"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The rent is due and it is not paid", "en"),
        ("Die Miete ist nicht bezahlt und das Haus ist leer", "de"),
        ("Le loyer est payé par les locataires dans la ville", "fr"),
        ("El alquiler no es para los que viven en la casa", "es"),
        ("これは本です。東京", "ja"), ("这是一本书", "zh"), ("임대료는", "ko"),
        ("الإيجار خمسة", "ar"), ("یہ کرایہ ہے", "ur"), ("اجاره پنج است می", "fa"),
        ("किराया है", "hi"), ("Аренда не оплачена", "ru"), ("ค่าเช่า", "th"),
        ("1,577", "en"), ("", "en"), ("Tokyo (東京) is a very big town in the east of it", "en"),
    ],
)  # fmt: skip
def test_language(text: str, code: str):
    assert language(text) == code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Apple sold it to Acme Inc. in May.", {"acme", "inc"}),
        ("He met Bob. Then he met Eve's aunt.", {"bob", "eve"}),
        ("In FY2018 NATO used the iPhone of 3M.", {"fy2018", "nato", "iphone", "3m"}),
        ("- Rent is due\n- Heat is not", set()),
        ("the plan — Rent", {"rent"}),
        ("Das Haus ist nicht die NATO und der Baum", {"nato"}),
        ("橋は長い", set()),
        ("a                        Rent", set()),
    ],
)
def test_names(text: str, expected: set[str]):
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "1.1" * 66_000 + "a", "a'" * 100_000, "中" * 200_000, "é'1," * 50_000,
     "- " * 100_000 + "A", " " * 200_000 + "A", "1," * 100_000],
)  # fmt: skip
def test_linear(text: str):
    assert grows_linearly(tokens, text)
    assert grows_linearly(content_stems, text)
    assert grows_linearly(names, text)
