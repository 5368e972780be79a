"""Citation markers in an answer: where they stand, and the labels that they name.

A marker is recognised by its form; which passage a label means is decided in `citations`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragdiag.text import uncited
from ragdiag.text.authors import YEAR, Authors
from ragdiag.text.closing_list import HEADING, bare_list
from ragdiag.text.marker import Label, Marker
from ragdiag.text.mentions import addresses, bracketed_ids, definitions, in_prose, tags

_MAX_RANGE = 50  # "[1-2000]" is no citation
_DIGITS = str.maketrans("０１２３４５６７８９⁰¹²³⁴⁵⁶⁷⁸⁹", "01234567890123456789")


_MARKER = re.compile(
    r"(?=[`!^\[［〔\\【<⁰¹²³⁴-⁹(（])(?:"  # spares trying every form at every letter
    r"(?P<code>```.*?(?:```|\Z)|`[^`\n]+`)"
    r"|!?\[(?P<link>\[?[^\[\]\n]{1,200}\]?)\]\((?P<to>[^()\s]{1,300})\)"
    r"|\[\[(?P<double>[^\[\]\n]{1,200})\]\]"
    r"|[\[［〔](?P<square>[^\[\]［］〔〕\n]{1,300})[\]］〕]"
    r"|\\\[(?P<escaped>\d{1,3}(?:\s?[,–-]\s?\d{1,3})*)\\\]"
    r"|\\cite[a-z]{0,10}\{(?P<tex>[^{}\n]{1,200})\}"
    r"|【(?P<black>[^【】\n]{1,300})】"
    r"|<(?P<tag>sup|cite|ref|source|citation|doc)>\[?(?P<tagged>[^<>\[\]\n]{1,80})\]?</(?P=tag)>"
    r"|(?<=[^\W\d_]{2})\^(?P<caret>\d{1,2}(?:,\d{1,2})*)(?!\d)\^?"
    r"|(?P<super>[⁰¹²³⁴-⁹]+(?:[,⸴⁻–-][⁰¹²³⁴-⁹]+)*)(?![⁺⁻])"
    r"|[(（](?P<round>[^()（）\[\]【】\n]{1,120})[)）])",
    re.DOTALL,
)
_LEAD = re.compile(
    r"(?:see(?: also)?|cf\.?|from|per|cite|citation|cited|source|sources|ref|refs|reference|"
    r"references|id|quellen?|siehe|vgl\.?|voir|fuentes?|ver|fonti?|出典|参考|参考资料|来源|來源|资料|資料|출처|المصدر|स्रोत|источник)(?![^\W\d_])\s*[:：=]?\s*(?=\S)"
    r"|(?:docs?|documents?|passages?|chunks?|contexts?)(?:[_ -]?ids?)?\s*[:=]\s*(?=\S)",
    re.IGNORECASE,
)
_KIND = (
    r"(?:docs?|documents?|sources?|passages?|contexts?|chunks?|snippets?|results?|refs?|"
    r"references?|citations?|cites?|excerpts?|quellen?|dokumente?|"
    r"fuentes?|documentos?|fonti?|источник(?:и)?|документ(?:ы)?|texts?|文書|文档|来源|資料|资料|出典|參考|参考|출처|문서|자료|المصدر|مصدر|المستند|وثيقة|स्रोत|दस्तावेज़)"
)
_NUMBERED = re.compile(
    rf"(?P<kind>{_KIND}\s*[.:_#№-]?\s*|[#^@]|[dsrc](?=\d))?\s*(?P<a>\d{{1,6}})"
    rf"(?:\s*(?:[-–—~〜]|to|bis)\s*(?:{_KIND}\s*)?(?P<b>\d{{1,6}}))?\^?(?P<tail>[†‡].{{0,200}}|:\s+[^\W\d].{{0,200}})?",
    re.IGNORECASE,
)
_OF_PASSAGES = re.compile(
    r"(?:see |from )?(?:docs?|documents?|passages?|sources?|contexts?|chunks?|snippets?|excerpts?"
    r"|quellen?|dokumente?|fuentes?)\b",
    re.IGNORECASE,
)
_STEP = re.compile(r"\d+:(?P<n>\d+)[†‡].{0,200}")
_ID_RANGE = re.compile(
    r"(?P<name>[^\W\d][\w.:-]{0,40}?)(?P<low>\d{1,6})\s*[-–—]\s*(?P=name)(?P<high>\d{1,6})"
)
_PLACE = re.compile(
    r"(?:pp?\.?|pages?|§+|sections?|sec\.|lines?|paras?\.?|L|S\.|ch\.)\s*\d[\d.,–-]*",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:[,;、，；،؛|]|\s(?:and|und|et|y|e|и|&)\s|&)\s*")
_SPACED = re.compile(r"\d{1,3}(?: \d{1,3})+")
_BLANKS = re.compile(" ")
_FORMULA = re.compile(r"[=+*/^√]\s*\w{1,8}\Z")
_UNIT = re.compile(r"(?<![^\W\d_])(?:[kcmdµμn]?m|ft|in|mi|yd|s|h|kg|g|[^\W\d_])\Z")


def find(answer: str, passage_ids: Sequence[str] = ()) -> list[Marker]:
    """All markers in order; [] for none. Code, array indices, intervals and years are none."""
    plain = [*in_prose(answer, len(passage_ids)), *addresses(answer, passage_ids)]
    if not plain and not _possible(answer):
        return []
    reader = _Reader(answer, passage_ids)
    found, code = _in_brackets(reader, answer)
    for one in (*bracketed_ids(answer, passage_ids), *reader.tagged(), *plain):
        found = _placed(found, one, code)
    closing = bare_list(answer, reader.labels, len(passage_ids))
    if closing:
        later = [m for m in found if m.end > closing[0].start]
        if all(any(c.start <= m.start and m.end <= c.end for c in closing) for m in later):
            found = [m for m in found if m not in later] + closing
    return _ranges(answer, found)


def _in_brackets(reader: _Reader, answer: str) -> tuple[list[Marker], list[Marker]]:
    """The markers that are recognised by their brackets or signs; and the code of the answer."""
    found: list[Marker] = []
    code: list[Marker] = []
    in_round: list[Marker] = []
    for match in _MARKER.finditer(answer):
        kind = match.lastgroup
        if kind == "code":
            code.append(Marker(match.start(), match.end(), ()))
            continue
        if kind == "round":
            marker = reader.round(match)
            if marker is None:
                continue
            numbers = all(label.passage_id is None for label in marker.labels)
            if numbers and not reader.beyond(match, marker):
                in_round.append(marker)
                continue
        else:
            marker = reader.read(match)
        if marker is not None:
            found.append(marker)
    if in_round and not found and reader.consistent(in_round):
        found = in_round
    return found, code


def _placed(found: list[Marker], one: Marker, code: list[Marker]) -> list[Marker]:
    """The markers with one more, unless it stands in code; those within it, unless it only stands
    around words, are a part of it.
    """
    if any(c.start < one.end and one.start < c.end for c in code):
        return found
    touching = [m for m in found if m.start < one.end and one.start < m.end]
    inside = all(one.start <= m.start and m.end <= one.end for m in touching)
    if touching and (one.kept is not None or not inside):
        return found
    return sorted([m for m in found if m not in touching] + [one], key=lambda m: m.start)


def _possible(answer: str) -> bool:
    if HEADING.search(answer):
        return True
    return any(c in answer for c in "[【(（<［〔\\^") or _SUPER.search(answer) is not None


_SUPER = re.compile("[⁰¹²³⁴-⁹]")


class _Reader:
    """Reads what matched as a marker, knowing the passages' ids."""

    def __init__(self, answer: str, passage_ids: Sequence[str]) -> None:
        self.answer = answer
        self.n = len(passage_ids)
        self.ids = {passage_id: passage_id for passage_id in passage_ids}
        self.folded = {passage_id.casefold(): passage_id for passage_id in passage_ids}
        self.shapes = {_shape(i) for i in passage_ids if any(map(str.isdigit, i))}
        self.authors = Authors(passage_ids)
        self.defined = definitions(answer, passage_ids)

    def read(self, match: re.Match[str]) -> Marker | None:
        """Brackets, links, tags and superscripts."""
        kind = match.lastgroup
        if kind == "to":
            return self._link(match)
        if kind == "super":
            return self._super(match)
        if kind is None or self._no_citation(match):
            return None
        group = "tagged" if match["tagged"] is not None else kind
        labels = self.labels(match[group], match.start(group))
        if kind == "square" and YEAR.fullmatch(match[group]):
            before = self.answer[max(0, match.start() - 90) : match.start()]
            named = self.authors.narrative(before, match[group], match.start(group))
            return None if named is None else Marker(match.start(), match.end(), named)
        if labels is None and kind == "square":
            labels = self.authors.labels(match[group].strip(), match.start(group))
        if kind == "caret" and labels and any((one.number or 0) > self.n for one in labels):
            return None
        if labels is None or (group != "black" and self._interval(match, labels)):
            return None
        return Marker(match.start(), match.end(), labels)

    def _no_citation(self, match: re.Match[str]) -> bool:
        """An index of an array: `a[1]`, `row_ids[0]`, `= total[2]`."""
        if match["square"] is None:
            return False
        before = self.answer[max(0, match.start() - 40) : match.start()]
        if uncited.THOUSANDS.fullmatch(match["square"]) or match["square"] == "0-9":
            return True
        if before[-1:] in ("$", "€", "£") or uncited.REPEATED.match(self.answer, match.end()):
            return True
        if before.rstrip()[-2:] in ('":', "':"):
            return True  # a list in JSON
        nested = before.endswith("[") or self.answer.startswith("]", match.end())
        if nested and not match["square"].strip().isdecimal():
            return True  # a row of "[[1, 2], [3, 4]]"
        return bool(uncited.INDEXED.search(before) or uncited.ASSIGNED.search(before))

    def _interval(self, match: re.Match[str], labels: tuple[Label, ...]) -> bool:
        if any(label.passage_id is not None for label in labels):
            return False
        before = self.answer[max(0, match.start() - 24) : match.start()]
        after = self.answer[match.end() : match.end() + 2]
        numbers = [label.number for label in labels]
        if any((n or 0) > self.n for n in numbers) and (
            uncited.PAGES.search(before) or uncited.COUNTS.match(self.answer, match.end())
        ):
            return True  # "pages [12-14]", "[5] euros"
        is_year = any(n is not None and 1900 <= n <= 2100 and n > self.n for n in numbers)
        if numbers[:1] == [0] and len(numbers) > 1 and before.rstrip().endswith((" in", " from")):
            return True  # "p in [0, 1]"
        several = len(numbers) > 1 or before.rstrip().endswith("=")
        return is_year or (several and bool(uncited.INTERVAL.search(before))) or after[:1] == "%"

    def _link(self, match: re.Match[str]) -> Marker | None:
        """`[text](id)`: the words stay; `[1](anything)`: a number that happens to be a link."""
        text, to = match["link"], match["to"]
        if match.group().startswith("!"):
            return None
        place = match.start("to")
        for target in (to, to.rsplit("#", 1)[-1], to.rsplit("/", 1)[-1]):
            known = self._id(target)
            if known is not None:
                words = text.strip("[]")
                label = Label(place, place + len(to), None, known)
                shown = None if self.labels(words, 0) else match.span("link")
                return Marker(match.start(), match.end(), (label,), kept=shown)
        bare = text.strip("[]")
        labels = self.labels(bare, match.start("link") + text.find(bare))
        return None if labels is None else Marker(match.start(), match.end(), labels)

    def _super(self, match: re.Match[str]) -> Marker | None:
        """A superscript after a word or a stop; after a unit, a letter or a digit: a power."""
        before = self.answer[max(0, match.start() - 12) : match.start()]
        if not before.strip() or before[-1].isdigit() or before[-1] in "+-=*/^√":
            return None
        word = before.split()[-1] if not before[-1].isspace() else ""
        if _FORMULA.search(before):
            return None
        if before[-1].isalpha() and (_UNIT.search(before) or any(c in "=+*/^√" for c in word)):
            return None
        text = match.group().translate(_DIGITS).replace("⁻", "-").replace("⸴", ",")
        if text.isdecimal() and int(text) > self.n and all(0 < int(c) <= self.n for c in text):
            text = ",".join(text)  # "¹²" where there are no twelve passages
        labels = self.labels(text, match.start())
        return None if labels is None else Marker(match.start(), match.end(), labels)

    def round(self, match: re.Match[str]) -> Marker | None:
        """`(d1)`, `(Source 2)`, `(Smith, 2020)`, `(1)`: only what names a passage for sure, and
        numbers, which `consistent` decides on.
        """
        body = match["round"]
        at = match.start("round")
        if YEAR.fullmatch(body):
            before = self.answer[max(0, match.start() - 90) : match.start()]
            labels = self.authors.narrative(before, body, at)
            if labels is not None:  # "Smith (2020) says": the name is part of the sentence
                return Marker(match.start(), match.end(), labels)
        labels = self.labels(body, at, strict=True)
        if labels is None:
            labels = self.authors.labels(body, at)
        if labels is None:
            return None
        span = (match.start(), match.end())
        named = _LEAD.match(body) or re.match(_KIND, body, re.IGNORECASE)
        if named and all(label.passage_id is None for label in labels) and self.n:
            # "(Source 2)" is a citation whatever else the answer does.
            labels = tuple(self._known(label) for label in labels)
        return Marker(*span, labels)

    def beyond(self, match: re.Match[str], marker: Marker) -> bool:
        """Does "(Passage 9)" name, by its word, a passage that is not there?"""
        number = max((label.number or 0 for label in marker.labels), default=0)
        return self.n < number < 200 and _OF_PASSAGES.match(match["round"]) is not None

    def tagged(self) -> list[Marker]:
        """`<cite id="1">…</cite>`, `<cite doc="d2"/>`: the words inside stay."""
        found: list[Marker] = []
        for match, to, at in tags(self.answer):
            labels = self.labels(to, at)
            if labels is not None and (match["tag"].lower() != "a" or labels[0].passage_id):
                kept = None if match["text"] is None else match.span("text")
                found.append(Marker(match.start(), match.end(), labels, kept, around=True))
        return found

    def _known(self, label: Label) -> Label:
        number = label.number or 0
        ids = list(self.ids)
        known = ids[number - 1] if 0 < number <= len(ids) else None
        return Label(label.start, label.end, label.number, known)

    def consistent(self, markers: list[Marker]) -> bool:
        """Is every "(1)" at the end of a sentence or clause, and the number of a passage?"""
        for marker in markers:
            after = self.answer[marker.end :].lstrip(" ")[:1]
            before = self.answer[: marker.start][-40:]
            last = before.rstrip(" ")[-1:]
            numbers = [label.number for label in marker.labels]
            if not all(n is not None and 1 <= n <= self.n for n in numbers):
                return False
            if last in ("", "\n", ":", ";", ",", "-", "*", "•", "$", "€", "£", "|"):
                return False
            if not (last in ".!?。" or after in ("", ".", ",", ";", "!", "?", "\n", "。", "、")):
                return False
        return True

    def _id(self, text: str) -> str | None:
        return self.ids.get(text) or self.folded.get(text.casefold())

    def labels(self, body: str, at: int, *, strict: bool = False) -> tuple[Label, ...] | None:
        """What the inside of a marker names; None where any part is not understood.

        `strict` (round brackets): an id counts only if it holds a digit or a sign.
        """
        whole = body.strip()
        offset = at + len(body) - len(body.lstrip())
        known = self._id(whole)
        if known is not None and not (strict and whole.isalpha()):
            return (Label(offset, offset + len(whole), None, known),)
        if not strict and whole in self.defined:
            return (Label(offset, offset + len(whole), None, self.defined[whole]),)
        lead = _LEAD.match(whole)
        if lead is not None and not _NUMBERED.fullmatch(whole):
            whole, offset = whole[lead.end() :], offset + lead.end()
        labels: list[Label] = []
        start = 0
        separator = _BLANKS if _SPACED.fullmatch(whole) else _SEPARATOR
        for cut in [*separator.finditer(whole), None]:
            end = len(whole) if cut is None else cut.start()
            part = whole[start:end]
            read = self._part(part, offset + start, strict=strict)
            if read is None:
                return None
            labels.extend(read)
            start = end if cut is None else cut.end()
        return tuple(labels) or None

    def _part(self, part: str, at: int, *, strict: bool) -> list[Label] | None:
        text = part.strip()
        at += len(part) - len(part.lstrip())
        end = at + len(text)
        known = self._id(text) or self._id(text.strip("@#^")) or self._id(text.split("†")[0])
        if known is None and "†" in text:
            known = self._id(text.split("†")[1])
        if known is not None and not (strict and text.isalpha()):
            return [Label(at, end, None, known)]
        between = _ID_RANGE.fullmatch(text)
        if between is not None:
            return self._ids_between(between, at, end)
        plain = text.translate(_DIGITS)
        if _PLACE.fullmatch(plain):
            return []
        step = _STEP.fullmatch(plain)
        if step is not None:
            return [Label(at, end, int(step["n"]), None, zero_based=True)]
        numbered = _NUMBERED.fullmatch(plain)
        if numbered is not None:
            return self._numbers(numbered, at, end)
        if not strict and _shape(text) in self.shapes:
            return [Label(at, end, None, None)]
        return None

    def _ids_between(self, match: re.Match[str], at: int, end: int) -> list[Label] | None:
        """ "d1-d3" where both ends are ids of passages."""
        low, high = int(match["low"]), int(match["high"])
        names = [f"{match['name']}{n}" for n in range(low, min(high, low + _MAX_RANGE) + 1)]
        known = [self._id(name) for name in names]
        if high <= low or known[0] is None or self._id(f"{match['name']}{high}") is None:
            return None
        return [Label(at, end, None, i) for i in known if i is not None]

    def _numbers(self, match: re.Match[str], at: int, end: int) -> list[Label] | None:
        low = int(match["a"])
        high = low if match["b"] is None else int(match["b"])
        if not 0 <= high - low <= _MAX_RANGE:
            return None
        return [Label(at, end, number, None) for number in range(low, high + 1)]


def _shape(passage_id: str) -> str:
    """The id with its digits hidden: a name of the same make is an id that is not there."""
    return re.sub(r"\d+", "0", passage_id.casefold())


def _ranges(answer: str, markers: list[Marker]) -> list[Marker]:
    """ "[1]-[3]" names the passages between, too."""
    joined: list[Marker] = []
    for marker in markers:
        last = joined[-1] if joined else None
        if last is not None and answer[last.end : marker.start].strip(" ") in ("-", "–", "—"):
            low, high = last.labels[-1].number, marker.labels[0].number
            if low is not None and high is not None and 0 < high - low <= _MAX_RANGE:
                between = tuple(
                    Label(last.start, marker.end, n, None) for n in range(low + 1, high)
                )
                labels = (*last.labels, *between, *marker.labels)
                joined[-1] = Marker(last.start, marker.end, labels)
                continue
        joined.append(marker)
    return joined
