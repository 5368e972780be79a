"""From a specification to a picture: checked by Altair, drawn by vl-convert. No network."""

from __future__ import annotations

import re
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ragdiag.errors import MissingExtraError
from ragdiag.report.charts.look import FONT, Spec

if TYPE_CHECKING:
    import altair

EXTRA = "plots"
_NEEDED = {"altair": "altair", "vl_convert": "vl-convert-python"}

_COMMON = 0x250  # Latin, which every font has
_MOST_TRIED = 500
_TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")
_NO_GLYPH = "\ue000"  # of private use: what stands for it stands for all that is missing


def missing() -> str | None:
    """The first distribution of the extra `plots` that is not installed; None where all are."""
    return next((name for module, name in _NEEDED.items() if find_spec(module) is None), None)


def require() -> None:
    """MissingExtraError where the extra `plots` is not installed."""
    absent = missing()
    if absent is not None:
        raise MissingExtraError(absent, EXTRA)


def as_altair(spec: Spec) -> altair.LayerChart:
    """The chart as Altair's own object, e.g. for a notebook; checked against the grammar."""
    require()
    import altair  # noqa: PLC0415 - an extra

    return altair.LayerChart.from_dict(spec)


def to_svg(spec: Spec) -> str:
    """The picture as SVG: its text is text, its title is for who cannot see it."""
    as_altair(spec)
    import vl_convert  # noqa: PLC0415 - an extra

    # What a specification may load: nothing. Ours holds its data.
    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    start, _, rest = drawn.partition(">")
    return f'{start} role="img"><title>{escape(spec["description"])}</title>{rest}'


def to_png(svg: str, *, scale: float = 2.0) -> bytes:
    """An SVG of `to_svg` as PNG: its width and height times `scale`, in whole pixels."""
    import vl_convert  # noqa: PLC0415 - an extra

    return vl_convert.svg_to_png(svg, scale=scale)


def without_glyph(svg: str) -> set[str]:
    """The characters of its texts that no font of this machine shows: they become boxes."""
    seen = {character for text in _TEXT.findall(svg) for character in text}
    tried = sorted(character for character in seen if ord(character) >= _COMMON)[:_MOST_TRIED]
    if not tried:
        return set()
    box = _alone(_NO_GLYPH)
    return {character for character in tried if _alone(character) == box}


def _alone(character: str) -> bytes:
    return to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24">'
        f'<text x="2" y="18" font-size="14" font-family="{FONT}">{character}</text></svg>',
        scale=1,
    )
