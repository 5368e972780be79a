"""A closing list of sources whose entries stand without brackets: "Sources: d1, d2"."""

from __future__ import annotations

import re
from collections.abc import Callable

from ragdiag.text.marker import Label, Marker

_MOST_LINES = 50
_ENTRY = re.compile(r"[ \t]*(?:[*•-]|\d{1,3}[.)])[ \t]+")
HEADING = re.compile(
    r"^[ \t#>*_(（]*(?:sources?(?: (?:used|cited|consulted))?|references?|citations?|"
    r"bibliography|works cited|footnotes?|quellen(?:angaben)?|literatur|bibliograf[ií]a|"
    r"bibliographie|referencias|referências|fontes|kaynaklar|kaynakça|źródła|källor|kilder|"
    r"lähteet|sumber|zdroje|források|nguồn|"
    r"fuentes|fonti|bronnen|références|出典|参考文献|参考资料|"
    r"来源|资料来源|來源|출처|المصادر|स्रोत|источники?)[ \t*_]*[:：]?[ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands above or before a closing list of sources."""

_WORD = (
    r"(?:pages?|pp?\.?|pgs?\.?|seiten?|S\.|páginas?|págs?\.|pagin[ae]|страниц[аые]|стр\.|с\.|"
    r"第(?=\s?\d))"
)
_NUMBERS = r"\d{1,4}(?:\s?(?:,|and|und|y|et|e|&|-|–|—|to)\s?\d{1,4}){0,5}"
PAGE = rf"(?<!\w){_WORD}\s?(?P<pages>{_NUMBERS})(?:\s?[页頁ページ]+)?"
"""A page, or several, with the word for it."""

SOURCE_LINE = re.compile(
    r"^[ \t*_>-]*(?:sources?|references?|quellen?|fuentes?|fonti?|出典|来源|來源)[ \t*_]*[:：]"
    rf"(?P<of>[^\n]{{0,160}}?){PAGE}[ \t.*_]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that names its source by a page: "Source: report.pdf, page 60"."""


def closing_source_lines(answer: str) -> int:
    """Where the lines begin that close an answer with its sources by page; its length for none."""
    start = end = len(answer)
    while end > 0:
        low = answer.rfind("\n", 0, end) + 1
        line = answer[low:end]
        if line.strip():
            if SOURCE_LINE.fullmatch(line) is None:
                break
            start = low
        end = low - 1
    return start


def bare_list(
    answer: str, read: Callable[[str, int], tuple[Label, ...] | None], n: int
) -> list[Marker]:
    """The last line, if it is "Sources: d1, d2", or lines such as "1. d1" under a heading, as
    markers; [] for none. `read` gives the labels of a text at its place, of `n` passages.
    """
    end = len(answer.rstrip())
    low = answer.rfind("\n", 0, end) + 1
    heading = HEADING.match(answer, low, end)
    if heading is None:
        return _lines(answer, end, read)
    if heading.end() == end:
        return []
    labels = read(answer[heading.end() : end].rstrip(")）.*_"), heading.end())
    if labels is None or not all(_exists(label, n) for label in labels):
        return []
    return [Marker(heading.end(), end, labels)]


def _exists(label: Label, n: int) -> bool:
    return label.passage_id is not None or 1 <= (label.number or 0) <= n


def _lines(
    answer: str, end: int, read: Callable[[str, int], tuple[Label, ...] | None]
) -> list[Marker]:
    """Lines of one id each, up to the heading above them."""
    found: list[Marker] = []
    while end > 0 and len(found) <= _MOST_LINES:
        low = answer.rfind("\n", 0, end) + 1
        line = answer[low:end]
        heading = HEADING.match(line)
        if heading is not None and not line[heading.end() :].strip():
            return found[::-1]
        if line.strip():
            bullet = _ENTRY.match(line)
            text = line[bullet.end() if bullet else 0 :].strip(' .*_"\t\r')
            at = low + line.index(text)
            labels = read(text, at) if text else None
            if labels is None or any(label.passage_id is None for label in labels):
                return []
            found.append(Marker(at, at + len(text), labels))
        end = low - 1
    return []
