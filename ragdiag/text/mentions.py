"""Passages that an answer names without a bracket: in prose, by address, by a tag around words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragdiag.text.marker import Label, Marker

_MOST_IDS = 2_000
_NOUN = (
    r"(?:passages?|documents?|docs?|sources?|contexts?|snippets?|excerpts?|chunks?|references?"
    r"|quellen?|dokumente?|fuentes?|documentos?)"
)
_COUNTED = (
    rf"{_NOUN}\s+(?:no\.? ?|number |#)?"
    r"(?P<{}>\d{{1,3}}(?:(?:, ?| and | und | y | & |, and )\d{{1,3}}){{0,8}})(?!\w|[.,]\d)"
)
_PROSE = re.compile(
    r"(?:(?<!\w)(?:according to|as (?:stated|shown|noted|described|mentioned|reported) (?:in|by)"
    r"|(?:stated|shown|noted|described|mentioned|found|given|reported) in|based on|per|laut"
    r"|según|selon|cited in|from)\s+(?:the\s+|le\s+|la\s+|el\s+|dem\s+|"
    r"der\s+)?" + _COUNTED.format("led")
    + r"|(?<!\w)" + _COUNTED.format("leads")
    + r"(?=\s+(?:also\s+|both\s+)?(?:says?|states?|shows?|notes?|reports?|mentions?|indicates?"
    r"|confirms?|describes?|explains?|gives?|lists?|claims?|suggests?|sagt|besagt|dice)\b))",
    re.IGNORECASE,
)  # fmt: skip
_TAG = re.compile(
    r"<(?P<tag>cite|ref|source|doc|citation|span|a|c)\s[^<>]{0,80}?"
    r"\b(?:id|ids|doc|docs|source|sources|ref|refs|n|name|href|passage|data-id)\s*=\s*"
    r"(?P<q>[\"']?)(?P<to>[^\"'<>\n]{1,120}?)(?P=q)\s*[^<>\"']{0,20}?"
    r"(?:/>|>(?:(?P<text>[^<>]{0,2000})</(?P=tag)>)?)",
    re.IGNORECASE,
)
_URL = re.compile(r"<?(?P<url>https?://[^\s<>\[\]()\"'，。、】]+)>?")
_DEFINED = re.compile(r"^[ \t*-]*\[(?P<name>\^?[\w-]{1,30})\]:[ \t]+(?P<rest>.{1,400})$", re.M)


def definitions(answer: str, passage_ids: Sequence[str]) -> dict[str, str]:
    """What "[r]: …" and "[^a]: …" on lines of their own give to names: the passage whose id the
    line holds (the longest).
    """
    found: dict[str, str] = {}
    if "]:" not in answer:
        return found
    for one in _DEFINED.finditer(answer):
        words = one["rest"].strip().strip("<>")
        known = [
            i
            for i in passage_ids[:_MOST_IDS]
            if i in words and re.search(rf"(?<!\w){re.escape(i)}(?!\w)", words)
        ]
        if known:
            found[one["name"]] = max(known, key=len)
    return found


def in_prose(answer: str, n: int) -> Iterator[Marker]:
    """ "According to Passage 2, …", "Documents 1 and 3 say …": numbers of passages that are "
    "there."""
    for one in _PROSE.finditer(answer):
        group = "led" if one["led"] is not None else "leads"
        labels = [
            Label(one.start(group) + part.start(), one.start(group) + part.end(), number, None)
            for part in re.finditer(r"\d+", one[group])
            if 0 < (number := int(part.group())) <= n
        ]
        if labels and len(labels) == len(re.findall(r"\d+", one[group])):
            yield Marker(one.start(), one.end(), tuple(labels), kept=one.span())


def tags(answer: str) -> Iterator[tuple[re.Match[str], str, int]]:
    """Tags with an attribute that names passages: the match, the attribute, and its place."""
    if "<" in answer:
        for one in _TAG.finditer(answer):
            yield one, one["to"], one.start("to")


def addresses(answer: str, passage_ids: Sequence[str]) -> Iterator[Marker]:
    """Bare web addresses that are ids of passages, a full stop after them left out."""
    known = {one for one in passage_ids if "://" in one}
    if not known:
        return
    for one in _URL.finditer(answer):
        url = one["url"]
        while url and url not in known and url[-1] in ".,;:!?*_":
            url = url[:-1]
        if url in known:
            start = one.start("url")
            bracketed = one.group()[0] == "<" and one.group()[-1] == ">"
            low, high = one.span() if bracketed else (start, start + len(url))
            yield Marker(low, high, (Label(start, start + len(url), None, url),))


def bracketed_ids(answer: str, passage_ids: Sequence[str]) -> Iterator[Marker]:
    """ "[p[3]]": ids that hold brackets themselves."""
    for one in passage_ids[:_MOST_IDS]:
        if "[" not in one and "]" not in one:
            continue
        at = answer.find(f"[{one}]")
        while at >= 0:
            end = at + len(one) + 2
            yield Marker(at, end, (Label(at + 1, end - 1, None, one),))
            at = answer.find(f"[{one}]", end)
