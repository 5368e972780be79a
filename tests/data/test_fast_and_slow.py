"""The fast readers give what the line-by-line readers give, or leave the file to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ragdiag.data import delimited, trec
from ragdiag.data.content import Content
from ragdiag.data.raw_table import RawTable
from ragdiag.errors import DataError

FEW = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
Read = Callable[[], RawTable | None]


def outcome(read: Read) -> object:
    try:
        raw = read()
    except DataError as error:
        return str(error)
    if raw is None:
        return None
    lines = [raw.line(row) for row in range(raw.frame.height)]
    numbers = [str(row) for row in raw.frame.rows()]  # NaN is like itself
    return raw.frame.columns, numbers, lines


FIELD = st.sampled_from(
    ["q", "d", "Q0", "0", "1", "12", "-3", "0.5", "1e3", "nan", "", "#", "é", '"', "\ufeff", "x y"]
)
GAP = st.sampled_from([" ", " ", " ", "\t", "  ", "\u00a0"])
END = st.sampled_from(["\n", "\n", "\r\n", "\n\n", " \n", "\n#", "\r"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = draw(st.lists(st.lists(FIELD, min_size=4, max_size=7), min_size=1, max_size=4))
    gap, end = draw(GAP), draw(END)
    text = end.join(gap.join(fields) for fields in lines)
    return text + draw(st.sampled_from(["", "\n"]))


@st.composite
def regular(draw: st.DrawFn) -> str:
    name = st.sampled_from(["q", "d", "Q0", "12", "-3", "nan", "x#", "é", '"', "\u00a0", "\ufeff"])
    number = st.sampled_from(["1", "+1", "-2", "007", "0.5", "1e3", ".5", "5.", "Infinity"])
    width = draw(st.sampled_from([4, 6]))
    row = st.tuples(name, name, name, number, number, name).map(lambda cells: cells[:width])
    gap = draw(st.sampled_from(" \t"))
    lines = [gap.join(cells) for cells in draw(st.lists(row, min_size=1, max_size=4))]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


@FEW
@given(st.one_of(texts(), regular()))
@example("q  0 12 1 0.5 x")
@example("q Q0 d 1 0.5 t\nq Q0 e 2 0.25\n")
@example("\ufeffq Q0 d 1 0.5 t")
@example("q q q 0 0 ")
def test_trec(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run"
    path.write_bytes(text.encode())
    for content in (Content(path, "trec"), Content(path, "trec", text.encode())):
        for kind in ("run", "qrels"):
            fast = outcome(lambda c=content, k=kind: trec._regular(c, k))
            assert fast is None or fast == outcome(
                lambda c=content, k=kind: trec._line_by_line(c, k)
            )


CELL = st.sampled_from(
    [
        "q",
        "d",
        "1",
        "0.5",
        "-2",
        "nan",
        "",
        " ",
        "é",
        '"',
        "x;y",
        "a\u2028b",
        "1_0",
        "+1",
        "#",
        "\0",
    ]
)


ROUGH = st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=4)
NAME = st.sampled_from(["q", "1.0", " a", "é", "x\u2028", "nan", "#"])
NUMBER = st.sampled_from(["1", "+1", "0.5", "nan", "-inf", "1e400", ".5", " 1"])
SOUND = st.lists(st.tuples(NAME, NAME, NUMBER).map(list), min_size=1, max_size=4)


@FEW
@given(
    st.one_of(ROUGH, SOUND),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.sampled_from(",\t;"),
    st.booleans(),
)
@example([["q", "d", "1"]], "\n", ",", True)
def test_tables(
    tmp_path: Path, rows: list[list[str]], end: str, separator: str, header: bool
) -> None:
    path = tmp_path / "run"
    named = [["qid", "docid", "score"], *rows] if header else [["q", "d", "1"], *rows]
    path.write_bytes((end.join(separator.join(row) for row in named) + end).encode())
    content = Content(path, "table", None, separator, header)
    layout = delimited._layout(content, "run")
    fast = outcome(lambda: delimited._at_once(content, layout))
    assert fast is None or fast == outcome(lambda: delimited._row_by_row(content, layout))
