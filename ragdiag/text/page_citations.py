"""Citations by page: "(p. 60)", "[Annual Report 2017, page 60]", "Source: report.pdf, p. 60".

They are read only where the passages state their pages and the answer cites in no other way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragdiag.records import GivenCitation, Passage
from ragdiag.text.citations import Citation, from_given, parse
from ragdiag.text.closing_list import PAGE, SOURCE_LINE
from ragdiag.text.entities import squeeze
from ragdiag.text.pages import same_page

_MOST = 200
_BRACKETED = re.compile(
    rf"[(\[（【](?P<of>[^()\[\]（）【】\n]{{0,160}}?){PAGE}[)\]）】]", re.IGNORECASE
)
_RANGE = re.compile(r"(\d+)\s?(?:-|–|—|to)\s?(\d+)")
_NO_NAME = re.compile(r"(?:see|cf\.?|siehe|vgl\.?|source|from|on|at|in|the|of)\b", re.IGNORECASE)
_SHORTEST_NAME = 4  # letters and digits by which a document is known


def citations_of(
    answer: str, given: Sequence[GivenCitation] | None, passages: Sequence[Passage]
) -> tuple[Citation, ...]:
    """The citations of an answer to these passages, one a cited passage and sentence; () for none.

    As the system gave them; else by the answer's markers; else by the pages that it names.
    """
    ids = [passage.passage_id for passage in passages]
    if given is not None:
        return tuple(from_given(answer, given, ids))
    found = parse(answer, ids)
    return tuple(found or _by_page(answer, passages, ids))


def _by_page(answer: str, passages: Sequence[Passage], ids: Sequence[str]) -> Iterator[Citation]:
    for (start, end), given in _given(answer, passages):
        for one in from_given(answer, [given], ids):
            yield replace(one, marker=answer[start:end].strip(), start=start, end=end)


def _given(answer: str, passages: Sequence[Passage]) -> list[tuple[tuple[int, int], GivenCitation]]:
    """The marker's characters and what it cites, one a page that is named.

    Nothing where a passage states no page, or where a page has several passages, since it cannot be
    told which is meant. A page of none is dangling.
    """
    if not passages or any(passage.page is None for passage in passages):
        return []
    found: list[tuple[tuple[int, int], GivenCitation]] = []
    for pattern in (_BRACKETED, SOURCE_LINE):
        for match in pattern.finditer(answer):
            for page in _pages(match["pages"]):
                on_page = _on_page(match["of"], page, passages)
                if len(on_page) > 1 or len(found) >= _MOST:
                    return []
                cited = on_page[0].passage_id if on_page else f"p. {page}"
                whole = pattern is SOURCE_LINE
                start, end = (0, len(answer)) if whole else (match.start(), match.start())
                given = GivenCitation(start=start, end=end, passage_id=cited)
                found.append((match.span(), given))
    return sorted(found, key=lambda one: one[0])


def _pages(text: str) -> list[int]:
    """ "60", "60, 62", "60-62": at most the two ends of a range and what lies between."""
    span = _RANGE.fullmatch(text.strip())
    if span is not None and 0 < int(span[2]) - int(span[1]) <= 5:
        return list(range(int(span[1]), int(span[2]) + 1))
    return [int(number) for number in re.findall(r"\d+", text)]


def _on_page(of: str, page: int, passages: Sequence[Passage]) -> list[Passage]:
    """The passages of that page; of the document that is named, where one is known by it."""
    here = [p for p in passages if p.page is not None and same_page(p.page, page)]
    name = squeeze(_NO_NAME.sub(" ", of))
    if len(name) < _SHORTEST_NAME:
        return here
    named = [p for p in passages if p.doc_id is not None and _names(name, p.doc_id)]
    if not named:
        return here
    return [p for p in here if p in named]


def _names(name: str, doc_id: str) -> bool:
    known = squeeze(doc_id.rpartition("/")[2].removesuffix(".pdf"))
    return len(known) >= _SHORTEST_NAME and (known in name or name.removesuffix("pdf") in known)
