"""The kinds of queries that an evaluation set should hold: as stated, else as seen."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragdiag.records import Corpus, Item, Sample
from ragdiag.text.abstention import is_abstention_reference
from ragdiag.text.locate import matches
from ragdiag.text.periods import period_of
from ragdiag.text.tokens import content_stems, language

KINDS = ("exact_identifier", "paraphrase", "filtered", "multi_evidence", "no_answer")

_SAID: dict[str, str] = {
    **dict.fromkeys(("exact_identifier", "identifier", "exact_match", "id_lookup"), KINDS[0]),
    **dict.fromkeys(("paraphrase", "paraphrased"), KINDS[1]),
    **dict.fromkeys(("filtered", "with_filter"), KINDS[2]),
    **dict.fromkeys(("multi_evidence", "multi_hop", "multihop"), KINDS[3]),
    **dict.fromkeys(("no_answer", "unanswerable", "not_answerable"), KINDS[4]),
}
"""How slices name a kind, as the name of a dimension (true or false) or as a value."""
_ANSWERABLE = {"answerable": {"true": False, "false": True, "yes": False, "no": True}}
_ANSWERABLE["answerability"] = {"answerable": False, "partial": False, "unanswerable": True}
"""Dimensions that say whether there is an answer -> value -> is it a no-answer query?"""
_TRUE, _FALSE = frozenset(("true", "yes", "1")), frozenset(("false", "no", "0"))

_QUOTED = re.compile(
    r"[\"“„«「『`][^\"“”„«»「」『』`\n]{2,200}[\"”“»」』`]"
    r"|(?<![\w'’])['‘][^'’\n]{2,80}['’](?![\w])"
)
_WORD = re.compile(r"[^\W_][\w./#:@-]{2,200}", re.ASCII)
_LETTER, _DIGIT = re.compile(r"[A-Za-z]"), re.compile(r"\d")
_LONG_NUMBER = re.compile(r"\d{5,}")
_VERSION = re.compile(r"v?\d+\.\d+\.\d+[\w.-]*")
_ADDRESS = re.compile(r"https?:|www\.|\w@\w|\w_\w|::|\w\.(?:py|js|json|txt|csv|pdf|md|html?|xml)$")
_NO_CODE = re.compile(
    r"\d+(?:st|nd|rd|th|s|k|m|b|bn|mm?|cm|km|kg|mg|gb|mb|tb|kwh|hz|am|pm|x|d|g|h|y|yr)"
    r"|\d{1,2}-?[kqf]|q[1-4]|h[12]|fy\d*|mid|pre|post|covid|(?-i:[a-z]+(?:19|20)\d\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_MOST_CHARACTERS = 20_000  # of a query's gold text
_MOST_PASSAGES = 2_000  # of a document, looked at for a place
_FEWEST_STEMS = 3  # of a query: of two words, one more or less says nothing
PARAPHRASE_OVERLAP = 0.4
"""A paraphrase: at most this share of the query's content words stands in the gold text."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """Is a query of each kind? None where it cannot be told; `stated`: what the data itself says,
    in a field or a slice. The rest is detected."""

    found: dict[str, bool | None]
    stated: frozenset[str]


def kinds_of(sample: Sample, corpus: Corpus | None = None) -> Kinds:
    """The kinds of one query."""
    said = _said(sample.slices)
    fields: dict[str, bool | None] = {
        "filtered": bool(sample.filter and sample.filter.strip()),
        "multi_evidence": _several(sample),
        "no_answer": None if sample.answerable is None else not sample.answerable,
    }
    seen: dict[str, bool | None] = {
        "exact_identifier": has_identifier(sample.query),
        "paraphrase": is_paraphrase(sample, corpus),
        "no_answer": _answered(sample),
    }
    stated = {**{k: v for k, v in fields.items() if v is not None}, **said}
    return Kinds({**dict.fromkeys(KINDS), **seen, **stated}, frozenset(stated))


def _said(slices: dict[str, str]) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for name, value in slices.items():
        plain = value.strip().lower()
        kind = _SAID.get(_plain(name))
        if kind is not None and plain in _TRUE | _FALSE:
            found[kind] = plain in _TRUE
        no_answer = _ANSWERABLE.get(_plain(name), {}).get(plain)
        if no_answer is not None:
            found["no_answer"] = no_answer
        for part in re.split(r"[+,;|/]", plain[:200]):
            if _plain(part) in _SAID:
                found[_SAID[_plain(part)]] = True
    return found


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _several(sample: Sample) -> bool | None:
    """Does an answer need two items? By the largest gold set, else by the slice `hops`."""
    if sample.gold:
        return max(map(len, sample.gold)) > 1
    hops = sample.slices.get("hops", "").strip()
    return int(hops[:9]) > 1 if hops.isascii() and hops.isdecimal() else None


def _answered(sample: Sample) -> bool | None:
    """Is it without an answer? It has one where gold or a reference gives it, unless that only says
    that there is none; else unknown."""
    if sample.gold:
        return False
    if sample.reference:
        return is_abstention_reference(sample.reference)
    return None


def has_identifier(query: str) -> bool:
    """Does the query name something by its exact spelling: quoted words, a code of letters and
    digits, a number of five digits and more, a version, an address, a file or a symbol of code?

    Years, quarters, sizes, ordinals and forms ("FY2018", "3rd", "16GB", "10-K") are no identifiers.
    """
    text = query[:_MOST_CHARACTERS]
    if _QUOTED.search(text):
        return True
    return any(_is_identifier(match.group().rstrip(".:-/")) for match in _WORD.finditer(text))


def _is_identifier(word: str) -> bool:
    if _ADDRESS.search(word) or _VERSION.fullmatch(word) or _LONG_NUMBER.fullmatch(word):
        return True
    if not (_LETTER.search(word) and _DIGIT.search(word)) or len(word) < 4:
        return False
    if _NO_CODE.fullmatch(word):
        return False
    parts = [part for part in re.split(r"[-/.:#]", word) if part and not _NO_CODE.fullmatch(part)]
    if any(_LETTER.search(p) and _DIGIT.search(p) and not period_of(p) for p in parts):
        return True
    # "GPT-4", "CVE-2021-44228" name a thing; "mid-2018", "top-10", "5-year", "EU-2018" do not.
    numbered = any(part.isdecimal() and not _YEAR.fullmatch(part) for part in parts)
    return numbered and any(part.isupper() for part in parts)


def is_paraphrase(sample: Sample, corpus: Corpus | None = None) -> bool | None:
    """Does the query word things otherwise than its evidence does? None where the text of the gold
    evidence is not at hand, or the query has under three content words."""
    overlap = overlap_with_gold(sample, corpus)
    return None if overlap is None else overlap <= PARAPHRASE_OVERLAP


def overlap_with_gold(sample: Sample, corpus: Corpus | None = None) -> float | None:
    """The share of the query's content words (stems) that stand in the text of its gold evidence.

    A reference is not asked: it often repeats the question's words, whatever its source says.
    """
    lang = language(sample.query)
    asked = set(content_stems(sample.query[:_MOST_CHARACTERS], lang=lang))
    if len(asked) < _FEWEST_STEMS:
        return None
    given = set(content_stems(_gold_text(sample, corpus), lang=lang))
    return len(asked & given) / len(asked) if given else None


def _is_place(item: Item) -> bool:
    """Does it say where in its document the evidence stands? A whole document is no wording."""
    named = item.page is not None or item.object_id is not None or item.start is not None
    return item.doc_id is not None and named


def _gold_text(sample: Sample, corpus: Corpus | None) -> str:
    shown = sample.passages_by_id()
    wanted = [item for items in sample.gold for item in items]
    texts: list[str | None] = [item.text for item in wanted]
    ids = [item.passage_id for item in wanted if item.passage_id and not item.text]
    ids += [key for key, grade in sample.qrels.items() if grade > 0]
    for key in ids:
        passage = shown.get(key)
        if (passage is None or passage.text is None) and corpus is not None:
            passage = corpus.passage(key)
        texts.append(None if passage is None else passage.text)
    for item in wanted:
        if not item.text and not item.passage_id and _is_place(item):
            known = () if corpus is None else corpus.passages_of(str(item.doc_id))
            passages = {one.passage_id: one for one in (*shown.values(), *known[:_MOST_PASSAGES])}
            texts += [one.text for one in passages.values() if matches(item, one)]
    return " ".join(text for text in texts if text)[:_MOST_CHARACTERS]
