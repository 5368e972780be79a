from __future__ import annotations

import pytest

from ragdiag.data.foreign.literals import NoLiteralError, as_list, looks_like_list, read_literal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', \"b's\"]", ["a", "b's"]),
        ("['a' 'b']", ["a", "b"]),  # numpy's print has no commas
        ("['a b'\n \"c's\"\n 'd']", ["a b", "c's", "d"]),
        (r"['it\'s' 'x\\']", ["it's", "x\\"]),
        ("['a, b' ]", ["a, b"]),
        ("array(['a', 'b'], dtype=object)", ["a", "b"]),
        ("[1, -2, 0.5, None, True]", [1, -2, 0.5, None, True]),
        ("[nan, 1.0]", [None, 1.0]),
        ("[NaN, 1.0]", [None, 1.0]),
        ("[1e999]", [None]),
        ("('a', 'b')", ["a", "b"]),
        ("[]", []),
        ("[['a'], ['b', 'c']]", [["a"], ["b", "c"]]),
        ("{'a': [1]}", {"a": [1]}),
        (
            "[Document(metadata={'source': 's'}, page_content='P')]",
            [{"metadata": {"source": "s"}, "page_content": "P"}],
        ),
        (r"['\d+']", ["\\d+"]),
    ],
)
def test_a_value_written_as_text(text: str, value: object) -> None:
    assert read_literal(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')", "[open('x')]", "[x for x in 'abc']", "f'{1}'", "['a'",
        "plain", "[b'a']", "['a', ...]", "[1 + 1]", "lambda: 1", "{a: 1}", "[" * 5000 + "]" * 5000,
        "", "Document('P')", "[{**{}}]",
    ],
)  # fmt: skip
def test_code_is_refused_and_never_run(text: str) -> None:
    with pytest.raises(NoLiteralError):
        read_literal(text)


def test_a_list_cut_short_says_so() -> None:
    with pytest.raises(NoLiteralError, match="cut short"):
        read_literal("['a' 'b' ... 'c']")


@pytest.mark.parametrize(
    ("text", "is_list"), [("[1]", True), (" ['a'] ", True), ("a", False), ("[1] is it", False)]
)
def test_what_is_meant_as_a_list(text: str, is_list: bool) -> None:
    assert looks_like_list(text) is is_list


def test_as_list() -> None:
    assert as_list("['a']") == ["a"]
    assert as_list(["a"]) == ["a"]
    assert as_list("abc") is None
    assert as_list("[a]") is None
    assert as_list("{'a': 1}") is None
