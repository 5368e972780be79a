"""Is a passage of the report, entity, period, metric, unit and page that the question asks for?

Each field is compared in code: first with the passage's metadata, then with its document's id, then
with its text. What none of them says is "unknown", never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Literal, cast

from ragdiag.records import TARGET_FIELDS, Passage, Target
from ragdiag.text.asking import target_from_question
from ragdiag.text.pages import same_page
from ragdiag.text.periods import agree, period_of, split_period
from ragdiag.text.stopwords import word_set
from ragdiag.text.tokens import content_stems
from ragdiag.text.units import unit_of, units_agree

__all__ = [
    "NearMiss",
    "Outcome",
    "compare",
    "entity_of_id",
    "near_miss",
    "period_of",
    "shared_fields",
    "target_from_question",
    "told_apart",
    "wrong_field",
]

Outcome = Literal["match", "mismatch", "unknown"]
NearMiss = Literal["period", "entity", "metric_or_page", "other"]

_KEYS: dict[str, tuple[str, ...]] = {
    "report": ("report", "filing", "source_document", "document", "title"),
    "entity": ("entity", "company", "company_name", "organization", "organisation", "issuer"),
    "period": ("period", "fiscal_year", "fiscal_period", "year", "quarter"),
    "metric": ("metric", "metric_name", "line_item", "measure"),
    "unit": ("unit", "units", "currency"),
    "page": ("page", "page_number", "page_no"),
}
_LEGAL = word_set(
    "inc incorporated corp corporation co company companies ltd limited llc llp lp plc sa se ag nv "
    "bv ab asa oyj spa gmbh kgaa kg group holding holdings the and of international intl"
)
_FORMS = word_set(
    "10k 10q 8k 20f 6k annual report quarterly earnings release dated form filing filings results "
    "statement statements financial full fy year q1 q2 q3 q4 h1 h2 pdf html htm txt md json"
)
_GENERIC = word_set(
    "doc document file page passage chunk text table section part source data wiki web url http "
    "https www com id item record msmarco nq beir corpus final draft v1 v2 copy en"
)
_HEADER = 2000  # characters at the beginning in which a table or page names its years and units


def compare(target: Target, passage: Passage, *, other_text: str = "") -> dict[str, Outcome]:
    """Outcome of each field that the target states, in the order of TARGET_FIELDS.

    `other_text` is text that belongs to the passage (the title, the header of its table).
    """
    text = f"{other_text}\n{passage.text or ''}" if other_text else passage.text or ""
    metadata = {str(k).casefold().replace(" ", "_"): v for k, v in passage.metadata.items()}
    found: dict[str, Outcome] = {}
    for field in TARGET_FIELDS:
        wanted = getattr(target, field)
        if wanted is not None and str(wanted).strip():
            found[field] = _COMPARE[field](str(wanted).strip(), passage, metadata, text)
    return found


def wrong_field(target: Target, passage: Passage, *, other_text: str = "") -> str | None:
    """The first field in the order of TARGET_FIELDS that differs; None = right or unknown."""
    outcomes = compare(target, passage, other_text=other_text)
    return next((field for field, outcome in outcomes.items() if outcome == "mismatch"), None)


def shared_fields(target: Target, passage: Passage) -> set[str]:
    """The fields of the target that the passage matches."""
    return {f for f, outcome in compare(target, passage).items() if outcome == "match"}


def near_miss(target: Target, passage: Passage) -> NearMiss | None:
    """What a passage that is not gold misses by; None where it shares no field with the target.

    "metric_or_page": of the right entity and period, as far as known, so another place of it.
    """
    outcomes = compare(target, passage)
    if "match" not in outcomes.values():
        return None
    wrong = {field for field, outcome in outcomes.items() if outcome == "mismatch"}
    if {"period", "entity"} <= wrong:
        return "other"
    if "period" in wrong:
        return "period"
    if "entity" in wrong:
        return "entity"
    if wrong - {"metric", "page"}:
        return "other"
    known = {field for field, outcome in outcomes.items() if outcome == "match"}
    return "metric_or_page" if wrong or known & {"report", "entity", "period"} else "other"


def _stated(metadata: dict[str, object], field: str) -> list[str]:
    """What the metadata says of a field; a list counts as several values."""
    found: list[str] = []
    for key in _KEYS[field]:
        value = metadata.get(key)
        several = isinstance(value, (list, tuple))
        for part in cast("Iterable[object]", value) if several else (value,):
            if isinstance(part, float) and part.is_integer():
                found.append(str(int(part)))
            elif isinstance(part, (str, int, float)) and not isinstance(part, bool) and part != "":
                found.append(str(part))
    return found


def told_apart(left: Passage, right: Passage) -> bool:
    """Do the metadata of two passages name different entities or periods?"""
    for field in ("entity", "period"):
        mine, other = (
            {value.strip().casefold() for value in _stated(dict(one.metadata), field)}
            for one in (left, right)
        )
        if mine and other and not mine & other:
            return True
    return False


def _any(outcomes: Iterable[bool | None]) -> Outcome:
    """A match if any says so, else a mismatch if any says so."""
    seen = set(outcomes)
    if True in seen:
        return "match"
    return "mismatch" if False in seen else "unknown"


# -- report ------------------------------------------------------------------------------------


def _report(wanted: str, passage: Passage, metadata: dict[str, object], _text: str) -> Outcome:
    named = _stated(metadata, "report")
    if named:
        outcome = _any(_same_report(wanted, other) for other in named)
        if outcome != "unknown":
            return outcome
    return _any([_same_report(wanted, passage.doc_id)]) if passage.doc_id else "unknown"


def _same_report(wanted: str, named: str) -> bool | None:
    """Equal but for signs and case; else different if both are ids, or name other years."""
    left, right = squeeze(wanted), squeeze(named)
    if left == right:
        return True
    if not _names_something(named):
        return None
    mine, other = _words(wanted), _words(named)
    years = _years(wanted), _years(named)
    if years[0] and years[1] and not years[0] & years[1]:
        return False
    if mine <= other or other <= mine:
        return True
    if " " not in wanted.strip() and " " not in named.strip():
        return False
    same_entity = _same_entity(wanted, named)
    return False if same_entity is False and _forms(mine) == _forms(other) else None


def _forms(listed: set[str]) -> set[str]:
    return listed & _FORMS


def _years(text: str) -> set[str]:
    found = (split_period(period) for period in period_of(text))
    return {year for year, _ in filter(None, found)}


def _words(text: str) -> set[str]:
    return set(_split(text))


@lru_cache(maxsize=8192)
def _split(text: str) -> tuple[str, ...]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", text)
    joined = re.sub(r"\b(10|8|20|6)-(K|Q|F)\b", r"\1\2", spaced, flags=re.IGNORECASE)
    return tuple(w.casefold() for w in re.findall(r"[^\W_]+", joined))


@lru_cache(maxsize=8192)
def squeeze(text: str) -> str:
    """Letters and digits only, case folded."""
    return "".join(c for c in text.casefold() if c.isalnum())


# -- entity ------------------------------------------------------------------------------------


def _entity(wanted: str, passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    named = _stated(metadata, "entity")
    if named:
        outcome = _any(_same_entity(wanted, other) for other in named)
        if outcome != "unknown":
            return outcome
    if passage.doc_id:
        entity = entity_of_id(passage.doc_id)
        if entity:
            same = _same_entity(wanted, entity)
            if same is not None:
                return "match" if same else "mismatch"
        elif _mentions(wanted, passage.doc_id):
            return "match"
    return "match" if _mentions(wanted, text) else "unknown"


@lru_cache(maxsize=8192)
def entity_of_id(doc_id: str) -> str | None:
    """The entity that a document's id names ("3M_2018_10K": "3M"); None where it names none.

    Only an id that also names a year or kind of report is read this way: "doc-17" and a hash are
    no names.
    """
    stem = doc_id.rsplit("/", 1)[-1]
    listed = _split(stem)
    cut = next((i for i, w in enumerate(listed) if w in _FORMS or _is_period(w)), None)
    if not cut:
        return None
    head = [w for w in listed[:cut] if w not in _GENERIC]
    return " ".join(head) if any(any(map(str.isalpha, w)) for w in head) else None


def _is_period(word: str) -> bool:
    return bool(period_of(word)) and any(map(str.isdigit, word))


def _names_something(doc_id: str) -> bool:
    return entity_of_id(doc_id) is not None or " " in doc_id.strip()


@lru_cache(maxsize=8192)
def _core(name: str) -> tuple[str, ...]:
    """The name's words without legal forms ("The Boeing Company": "boeing")."""
    listed = tuple(w for w in _split(name) if w not in _FORMS and not _is_year(w))
    kept = tuple(w for w in listed if w not in _LEGAL and w != "s")
    return kept or listed


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20")


@lru_cache(maxsize=16384)
def _same_entity(wanted: str, named: str) -> bool | None:
    """Equal words, one the beginning of the other, or initials; None where either has no words."""
    left, right = _core(wanted), _core(named)
    if not left or not right:
        return None
    joined = "".join(left), "".join(right)
    if joined[0] == joined[1] or set(left) <= set(right) or set(right) <= set(left):
        return True
    shorter, longer = sorted(joined, key=len)
    if len(shorter) >= 4 and longer.startswith(shorter):
        return True
    return _initials(left, joined[1]) or _initials(right, joined[0])


def _initials(listed: tuple[str, ...], short: str) -> bool:
    """ "amd" for Advanced Micro Devices, "jpm" for JPMorgan, "jnj" for Johnson & Johnson."""
    initials = "".join(word[0] for word in listed)
    return len(short) >= 2 and (
        short in (initials, "n".join(initials))
        or (2 < len(short) < 5 and listed[0].startswith(short))
    )


def _mentions(wanted: str, text: str) -> bool:
    """Does the text name the entity, as words in a row or written without blanks?"""
    core = _core(wanted)
    if not core or not text:
        return False
    pattern = _name_pattern(core)
    return pattern.search(text) is not None


@lru_cache(maxsize=2048)
def _name_pattern(core: tuple[str, ...]) -> re.Pattern[str]:
    joined = r"[\s&.,'’_-]{0,3}(?:and\s)?".join(re.escape(word) for word in core)
    return re.compile(rf"(?<![^\W_]){joined}(?:s|['’]s|inc|corp|plc)?(?![^\W\d_])", re.IGNORECASE)


# -- period ------------------------------------------------------------------------------------


def _period(wanted: str, passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    asked = period_of(wanted)
    if not asked:
        same = [squeeze(wanted) == squeeze(other) for other in _stated(metadata, "period")]
        return _any(same)
    named = _metadata_periods(metadata)
    if named:
        outcome = _periods_agree(asked, named)
        if outcome != "unknown":
            return outcome
    in_id = period_of(passage.doc_id) if passage.doc_id else set[str]()
    from_id = _periods_agree(asked, in_id)
    if from_id == "match":
        return "match"
    in_text = _periods_agree(asked, period_of(text))
    if in_text == "match":
        # A report shows earlier years beside its own, never a later one as a result.
        return "match" if from_id == "unknown" or _is_column(asked, in_id, text) else "mismatch"
    if from_id != "unknown":
        return from_id
    # Years in running text ("notes due 2033") are no period of the passage: headings are.
    return in_text if in_text == "mismatch" and _headings(text) else "unknown"


def _metadata_periods(metadata: dict[str, object]) -> set[str]:
    stated = _stated(metadata, "period")
    year, quarter = metadata.get("year") or metadata.get("fiscal_year"), metadata.get("quarter")
    if year is not None and quarter is not None:
        digit = str(quarter).strip().upper().removeprefix("Q")
        return period_of(f"Q{digit} {year}")
    return period_of(" ; ".join(stated))


def _periods_agree(asked: set[str], named: set[str]) -> Outcome:
    return _any(agree(mine, other) for mine in asked for other in named)


_HEADING_YEARS = re.compile(r"(?:19|20)\d\d")


def _is_column(asked: set[str], in_id: set[str], text: str) -> bool:
    """Does a year that is not the report's own head a column beside the report's own?"""
    mine = {p[0] for p in map(split_period, asked) if p}
    own = {p[0] for p in map(split_period, in_id) if p}
    if not mine or not own or max(mine) > max(own):
        return False
    return bool(mine & _headings(text))


def _headings(text: str) -> set[str]:
    """Years that stand as headings of columns, or in "year ended …", at the text's beginning."""
    head = text[:_HEADER]
    found = {p.removeprefix("FY") for p in period_of(head) if p.startswith("FY")}
    for row in head.split("\n"):
        years = _HEADING_YEARS.findall(row)
        rest = _HEADING_YEARS.sub("", row).strip(" |,;:$\t-–/()*")
        if years and len(rest) <= 24 and not rest.endswith("."):
            found.update(years)
    return found


# -- metric, unit, page ------------------------------------------------------------------------


def _metric(wanted: str, _passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    asked = set(content_stems(wanted))
    named = _stated(metadata, "metric")
    if not asked:
        return "unknown"
    if named:
        return _any(_same_metric(asked, set(content_stems(other))) for other in named)
    return "match" if text and asked <= set(content_stems(text)) else "unknown"


def _same_metric(asked: set[str], named: set[str]) -> bool | None:
    if not named:
        return None
    return asked <= named or named <= asked


def _unit(wanted: str, _passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    asked = unit_of(wanted)
    if asked is None:
        return _any(squeeze(wanted) == squeeze(other) for other in _stated(metadata, "unit"))
    named = _stated(metadata, "unit")
    if named:
        joined = unit_of(" ".join(named))
        return _any([None if joined is None else units_agree(asked, joined)])
    found = unit_of(text[:_HEADER])
    return _any([None if found is None else units_agree(asked, found)])


def _page(wanted: str, passage: Passage, metadata: dict[str, object], _text: str) -> Outcome:
    if passage.page is not None:
        return "match" if same_page(wanted, passage.page) else "mismatch"
    return _any(same_page(wanted, other) for other in _stated(metadata, "page"))


_COMPARE: dict[str, Callable[[str, Passage, dict[str, object], str], Outcome]] = {
    "report": _report,
    "entity": _entity,
    "period": _period,
    "metric": _metric,
    "unit": _unit,
    "page": _page,
}
