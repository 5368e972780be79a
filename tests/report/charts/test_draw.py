"""The pictures themselves; these tests need the extra `plots`."""

from __future__ import annotations

import re
import struct
import zlib
from typing import Any
from xml.etree import ElementTree

import pytest

from ragdiag.errors import MissingExtraError, UsageError
from ragdiag.report.charts import CHARTS, draw
from ragdiag.report.charts.labels import fitted, shown, width, wrapped
from ragdiag.report.charts.look import Look, compact, source_line
from ragdiag.report.charts.slices import slices
from tests.charted import cell, comparison, difference, report, slice_of, texts
from tests.report.charts.test_funnel import STAGES, gain

needs_plots = pytest.mark.skipif(bool(draw.missing()), reason="the extra `plots` is not installed")
HOSTILE = [
    "</svg><script>alert(1)</script>",
    '" onload="alert(1)',
    "]]><!-- &amp; &lt;",
    "nul \x00 esc \x1b[31m bell \x07",
    "\ufffe and \ud800",
    "\u202egnp.exe\u2066",
    "中文标签 ภาษาไทย العربية עברית 😀",
    "x" * 5000,
    "",
]


def full(**changes: Any) -> dict[str, Any]:
    return report(funnel_stages=STAGES, fix_first=[gain("ranker, k", 2, 0.75)], **changes)


def specs(look: Look) -> dict[str, dict[str, Any]]:
    inputs = {"report": full(), "comparison": comparison(difference("recall@5", 0.03, 0.01, 0.05))}
    return {chart.name: chart.spec(inputs[chart.of], look) for chart in CHARTS}


def pixels(png: bytes) -> tuple[int, int, int]:
    """Width, height and the number of pixels that are not of the first one's colour; filters of
    PNG rows are undone, 8-bit RGB or RGBA."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (depth, kind in (2, 6)) == (8, True)
    n = 3 if kind == 2 else 4
    data, at = b"", 8
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + size] if name == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(data)
    before, n_marked, first = bytearray(width * n), 0, b""
    for y in range(height):
        row = bytearray(raw[y * (width * n + 1) : (y + 1) * (width * n + 1)])
        undo(row, before, n)
        before = row[1:]
        first = first or bytes(before[:n])
        n_marked += sum(before[x : x + n] != first for x in range(0, width * n, n))
    return width, height, n_marked


def undo(row: bytearray, before: bytearray, n: int) -> None:
    method = row[0]
    for x in range(len(before)):
        left = row[1 + x - n] if x >= n else 0
        up, corner = before[x], before[x - n] if x >= n else 0
        guess = (0, left, up, (left + up) // 2, paeth(left, up, corner))[method]
        row[1 + x] = (row[1 + x] + guess) & 255


def paeth(left: int, up: int, corner: int) -> int:
    return min((left, up, corner), key=lambda one: abs(left + up - corner - one))


@needs_plots
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", [chart.name for chart in CHARTS])
def test_every_chart_is_drawn_in_both_themes(name: str, theme: Any) -> None:
    look = Look(theme=theme, width=700)
    spec = specs(look)[name]
    svg = draw.to_svg(spec)
    root = ElementTree.fromstring(svg)
    assert root.attrib["width"] == "700"
    assert root.attrib["height"] == str(
        spec["height"] + spec["padding"]["top"] + spec["padding"]["bottom"]
    )
    assert f'fill="{look.palette.background}"' in svg
    assert root.findtext("{http://www.w3.org/2000/svg}title") == spec["description"]
    assert not draw.without_glyph(svg)


def without_intervals(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: None if key in ("ci_low", "ci_high") else without_intervals(one)
            for key, one in value.items()
        }
    return [without_intervals(one) for one in value] if isinstance(value, list) else value


@needs_plots
@pytest.mark.parametrize("name", [chart.name for chart in CHARTS])
def test_without_any_interval_marks_are_drawn_alone(name: str) -> None:
    compared = comparison(difference("recall@5", 0.03, None, None))
    inputs = {"report": without_intervals(full()), "comparison": compared}
    chart = next(chart for chart in CHARTS if chart.name == name)
    svg = draw.to_svg(chart.spec(inputs[chart.of], Look()))
    assert not any("[" in text and "interval" not in text for text in texts(svg))
    assert not any("null" in text or "NaN" in text for text in texts(svg))


def test_a_chart_says_what_it_is_of() -> None:
    of = full(
        subset={"n": 10, "n_total": 80, "what": "year=2017"}, clusters={"by": "document", "n": 1}
    )
    assert source_line(of) == (
        "run demo · 10 queries of 80 (year=2017) · judge screen · intervals by document: 1 cluster"
    )
    assert source_line(report(run={}, judge={"name": None})) == "10 queries"


@pytest.mark.parametrize(
    ("n", "told"), [(0, "0"), (99_999, "99999"), (123_456, "123k"), (1_250_000, "1.2M")]
)
def test_counts_fit_their_column(n: int, told: str) -> None:
    assert compact(n) == told


@needs_plots
def test_the_svg_writes_the_figures() -> None:
    found = texts(draw.to_svg(specs(Look())["categories"]))
    assert {
        "R3 ranked below cutoff",
        "11.1% [2–43%]",
        "Where it fails: share of queries by category",
    } <= {*found}


@needs_plots
def test_a_whisker_is_as_long_as_its_interval() -> None:
    spec = specs(Look())["slices"]
    svg = draw.to_svg(spec)
    rules = re.findall(r'translate\(([\d.]+),[\d.]+\)" x2="([\d.]+)" y2="0"', svg)
    found = [(round(float(start)), round(float(length))) for start, length in rules]
    whole = spec["width"]
    # the slices' intervals are 0.05 to 0.7 and 0.6 to 1
    assert found == [
        (round(low * whole), round(length * whole)) for low, length in ((0.05, 0.65), (0.6, 0.4))
    ]


@needs_plots
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_png_has_its_size_and_is_not_blank(scale: float) -> None:
    spec = specs(Look(width=600))["slices"]
    height = spec["height"] + spec["padding"]["top"] + spec["padding"]["bottom"]
    width, tall, n_marked = pixels(draw.to_png(draw.to_svg(spec), scale=scale))
    assert (width, tall) == (600 * scale, height * scale)
    assert 0.01 < n_marked / (width * tall) < 0.5


@needs_plots
def test_labels_of_any_text_stay_text() -> None:
    values = {
        f"{at} {text}": slice_of(2, cell(0.5, 0.1, 0.9, n=2)) for at, text in enumerate(HOSTILE)
    }
    hostile = report(
        slices={HOSTILE[0]: values}, run={"name": HOSTILE[0]}, judge={"name": HOSTILE[3]}
    )
    svg = draw.to_svg(slices(hostile, Look()))
    found = texts(svg)
    assert "0 </svg><script>alert(1)</script>" in found
    assert "3 nul \\x00 esc \\x1b[31m bell \\x07" in found
    assert "4 \ufffd and \ufffd" in found
    assert "5 \\u202egnp.exe\\u2066" in found
    assert any(text.startswith("6 中文标签 ภาษาไทย") for text in found)
    assert max(map(len, found)) < 200
    names = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}
    assert names <= {"svg", "title", "rect", "g", "path", "line", "text", "defs", "clipPath"}
    assert not re.search(
        r"\s(on\w+|href|xlink:href|src)\s*=\s*['\"]", re.sub(r'"[^"]*"', '""', svg)
    )
    assert draw.to_png(svg, scale=1).startswith(b"\x89PNG")


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {*value}.union(*(keys(one) for one in value.values()))
    return set().union(*(keys(one) for one in value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("name", [chart.name for chart in CHARTS])
def test_a_specification_loads_nothing(name: str) -> None:
    assert not keys(specs(Look())[name]) & {"url", "href", "usermeta", "params", "transform"}


@needs_plots
def test_the_grammar_is_checked() -> None:
    spec = specs(Look())["recall"]
    assert draw.as_altair(spec).to_dict()["height"] == spec["height"]
    with pytest.raises(Exception, match="widht"):
        draw.as_altair({**spec, "widht": 3})


@needs_plots
def test_a_character_that_no_font_has_is_named() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>é ≥ \ue123</text></svg>'
    assert draw.without_glyph(svg) == {"\ue123"}


@pytest.mark.parametrize(
    ("module", "package"), [("altair", "altair"), ("vl_convert", "vl-convert-python")]
)
def test_without_the_extra_it_is_named(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw, "find_spec", lambda name: None if name == module else object())
    with pytest.raises(MissingExtraError) as fault:
        draw.require()
    assert f"'{package}'" in str(fault.value)
    assert "pip install 'ragdiag-eval[plots]'" in str(fault.value)


def test_a_width_that_leaves_no_plot_is_refused() -> None:
    with pytest.raises(
        UsageError, match="--width 400 is too narrow for this chart: take 476 or more"
    ):
        slices(report(), Look(width=400))


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("a\tb\nc", 10, "a b c"),
        ("abcdefghijk", 10, "abcde…hijk"),
        ("\ud83d", 10, "\ufffd"),
        ("\x9b\uffff", 10, "\\x9b\ufffd"),
        ("\x1b" * 11, 10, "\\x1b\\…\\x1b"),
        ("a" + "x" * 10**6 + "b", 5, "ax…xb"),
    ],
)
def test_text_that_may_stand_in_a_picture(text: str, most: int, expected: str) -> None:
    assert shown(text, most) == expected


def test_a_text_is_as_wide_as_its_letters() -> None:
    assert width("iiii", 10) == pytest.approx(4 * 2.22)
    assert width("WW", 10, bold=True) == pytest.approx(2 * 9.44 * 1.07)
    assert width("e\u0301", 10) == pytest.approx(5.56)  # an accent stands above its letter
    assert width("文", 10) == 10


@pytest.mark.parametrize(
    ("text", "pixels", "expected"),
    [
        ("iiii", 9, "iiii"),
        ("WXYZ", 28, "W…Z"),  # 9.44 of 10.8 before the ellipsis of 10, 6.11 of 7.2 after it
        ("ab cdefghij", 40, "ab…hij"),
        ("😀😀😀😀", 50, "😀…😀"),  # never half of a pair
        ("WWWW", 1, "…"),
    ],
)
def test_a_text_is_cut_to_its_place(text: str, pixels: float, expected: str) -> None:
    assert fitted(text, pixels, 10) == expected


def test_lines_are_broken_at_spaces() -> None:
    assert wrapped(["aa bb cc", "d"], 30, 10) == ["aa bb", "cc", "d"]  # 25.02 + 13.9 > 30
    assert wrapped(["a" + 50 * "W"], 30, 10) == ["a…"]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: (L1 + 0.05) / (L2 + 0.05) of the relative luminances."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_keep_their_contrast(theme: Any) -> None:
    palette = Look(theme=theme).palette
    for colour in (*palette.families.values(), *palette.series, palette.better, palette.worse):
        assert contrast(colour, palette.background) >= 3, colour
    for colour in (palette.text, palette.quiet):
        assert contrast(colour, palette.background) >= 4.5, colour
