"""Is a passage of the report, entity, period, metric, unit and page that the question asks for?

Each field is compared in code: first with the passage's metadata, then with its document's id, then
with its text. What none of them says is "unknown", never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Literal, cast

from ragdiag.records import TARGET_FIELDS, Passage, Target
from ragdiag.text.asking import target_from_question
from ragdiag.text.entities import (
    REPORT_WORDS,
    entity_of_id,
    mentions,
    name_words,
    names_something,
    same_entity,
    shares_brand,
    squeeze,
)
from ragdiag.text.entity_conflict import owners
from ragdiag.text.filer_places import OURSELVES
from ragdiag.text.filers import filers_named
from ragdiag.text.interim import fits, stated
from ragdiag.text.metric_conflict import metric_in_text, same_metric
from ragdiag.text.pages import same_page
from ragdiag.text.period_finer import finer
from ragdiag.text.period_places import heading_years, own_years, without_incidental
from ragdiag.text.periods import agree, period_of, split_period
from ragdiag.text.tokens import content_stems
from ragdiag.text.unit_conflict import unit_in_text
from ragdiag.text.units import unit_of

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
    if not names_something(named):
        return None
    mine, other = _words(wanted), _words(named)
    years = _years(wanted), _years(named)
    if years[0] and years[1] and not years[0] & years[1]:
        return False
    if mine <= other or other <= mine:
        return True
    if " " not in wanted.strip() and " " not in named.strip():
        return False
    alike = same_entity(wanted, named)
    return False if alike is False and _forms(mine) == _forms(other) else None


def _forms(listed: set[str]) -> set[str]:
    return listed & REPORT_WORDS


def _years(text: str) -> set[str]:
    found = (split_period(period) for period in period_of(text))
    return {year for year, _ in filter(None, found)}


def _words(text: str) -> set[str]:
    return set(name_words(text))


# -- entity ------------------------------------------------------------------------------------


_SEVERAL = re.compile(r"\s*[;,/]\s+(?:and\s+|or\s+)?|\s+(?:and|or|vs\.?|versus)\s+", re.IGNORECASE)


def _entity(wanted: str, passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    """Of several companies ("Arden and Brae") any is right; "Procter and Gamble" is one as well."""
    parts = [part for part in _SEVERAL.split(wanted) if any(map(str.isalpha, part))]
    several = [wanted, *parts] if len(parts) > 1 else [wanted]
    found = [_one_entity(name, passage, metadata, text) for name in several]
    if "match" in found:
        return "match"
    return "unknown" if "unknown" in found else "mismatch"


def _one_entity(wanted: str, passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    named = _stated(metadata, "entity")
    if named:
        outcome = _any(same_entity(wanted, other) for other in named)
        if outcome != "unknown":
            return outcome
    if passage.doc_id:
        entity = entity_of_id(passage.doc_id)
        if entity:
            same = same_entity(wanted, entity)
            if same is not None:
                return "match" if same else "mismatch"
        elif mentions(wanted.lower(), passage.doc_id):
            return "match"
    return _entity_in_text(wanted, text)


def _entity_in_text(wanted: str, text: str) -> Outcome:
    """By the company in a filer's place; a mere mention of the wanted one is a match, no more.

    A page that names another filer beyond doubt is of that one, though it mention the wanted.
    """
    if not text:
        return "unknown"
    filers = filers_named(text)
    if any(same_entity(wanted, name) for name in filers.likely):
        return "match"
    if not filers.firm and mentions(wanted, text):
        return "match"
    named = [name for name in filers.firm or filers.likely if not _of_one_group(wanted, name, text)]
    if not filers.likely and len(text) <= _STATEMENT and not OURSELVES.search(text):
        named = [name for name in owners(text) if not shares_brand(wanted, name)]
    return "mismatch" if any(same_entity(wanted, name) is False for name in named) else "unknown"


_STATEMENT = 600  # characters up to which a text is about those to whom it gives figures


def _of_one_group(wanted: str, named: str, text: str) -> bool:
    """May the named company be one that the wanted owns: the same first word, and both named?"""
    return shares_brand(wanted, named) and mentions(wanted, text)


# -- period ------------------------------------------------------------------------------------


_RELATIVE = re.compile(
    r"(?<!\w)(?:last|previous|prior|current|this|next|latest|recent|past|preceding|trailing|ttm|ltm|"
    r"ytd|to date|ago|letzte[ns]?|vorig\w+|derni[eè]re?|précédent\w*|últim\w+|anterior|scorso|"
    r"прошл\w+|предыдущ\w+)(?!\w)|去年|昨年|前年|今年|本年|当期|前期|上年",
    re.IGNORECASE,
)


def _period(wanted: str, passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    asked = period_of(wanted)
    if not asked:
        same = [squeeze(wanted) == squeeze(other) for other in _stated(metadata, "period")]
        return "unknown" if _RELATIVE.search(wanted) and True not in same else _any(same)
    named = _metadata_periods(metadata)
    if named:
        exact = finer(wanted, " ; ".join(_stated(metadata, "period")))
        outcome = _periods_agree(asked, named) if exact is None else _AS_OUTCOME[exact]
        if outcome != "unknown":
            return outcome
    in_id = period_of(passage.doc_id) if passage.doc_id else set[str]()
    from_id = _periods_agree(asked, in_id)
    if passage.doc_id and from_id == "match" and finer(wanted, passage.doc_id) is False:
        from_id = "mismatch"
    if from_id == "match":
        return "match"
    in_text = _period_in_text(asked, text)
    if in_text == "match" and finer(wanted, text) is False:
        in_text = "mismatch"
    if in_text == "match":
        # A report shows earlier years beside its own, never a later one as a result.
        return "match" if from_id == "unknown" or _is_column(asked, in_id, text) else "mismatch"
    if from_id != "unknown":
        return from_id
    return in_text


def _period_in_text(asked: set[str], text: str) -> Outcome:
    """Quarters and halves by `interim.fits`; years by the years that the text names."""
    found: set[bool | None] = set()
    years = {period for period in asked if " " not in period}
    parts = asked - years
    if not text:
        return "unknown"
    named = period_of(without_incidental(text))
    # Years in running text ("notes due 2033") are no period of the passage.
    own = own_years(text)
    if parts:
        told = stated(text)
        some = bool(told.closings or told.labels)
        found.update(fits(period, told) if some else _near(period, own) for period in parts)
    if years:
        outcome = _periods_agree(years, named)
        found.add(None if outcome == "mismatch" and not own else _AS_BOOL[outcome])
    return "match" if True in found else "mismatch" if found == {False} else "unknown"


_AS_OUTCOME: dict[bool, Outcome] = {True: "match", False: "mismatch"}
_AS_BOOL: dict[Outcome, bool | None] = {"match": True, "mismatch": False, "unknown": None}


def _near(asked: str, years: frozenset[str]) -> bool | None:
    """May a text that states years alone hold a quarter? False: all are two years or more off."""
    split = split_period(asked)
    if split is None or len(years) < 2 or not all(year.isdecimal() for year in years):
        return None
    return None if any(abs(int(split[0]) - int(year)) <= 1 for year in years) else False


def _metadata_periods(metadata: dict[str, object]) -> set[str]:
    stated = _stated(metadata, "period")
    year, quarter = metadata.get("year") or metadata.get("fiscal_year"), metadata.get("quarter")
    if year is not None and quarter is not None:
        digit = str(quarter).strip().upper().removeprefix("Q")
        return period_of(f"Q{digit} {year}")
    return period_of(" ; ".join(stated))


def _periods_agree(asked: set[str], named: set[str]) -> Outcome:
    return _any(agree(mine, other) for mine in asked for other in named)


def _is_column(asked: set[str], in_id: set[str], text: str) -> bool:
    """Does a period that is not the report's own head a column beside the report's own?"""
    parts = {period for period in asked if " " in period}
    if parts and not parts & stated(text).labels and _same_year(asked, in_id):
        return False  # a report shows last year's quarter beside its own, not another of its year
    mine = {p[0] for p in map(split_period, asked) if p}
    own = {p[0] for p in map(split_period, in_id) if p}
    if not mine or not own or max(mine) > max(own):
        return False
    return bool(mine & heading_years(text))


def _same_year(asked: set[str], in_id: set[str]) -> bool:
    return bool(
        {p[0] for p in map(split_period, asked) if p}
        & {p[0] for p in map(split_period, in_id) if p}
    )


# -- metric, unit, page ------------------------------------------------------------------------


def _metric(wanted: str, _passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    named = _stated(metadata, "metric")
    if named and content_stems(wanted):
        return _any(same_metric(wanted, other) for other in named)
    return _any([metric_in_text(wanted, text)])


def _unit(wanted: str, _passage: Passage, metadata: dict[str, object], text: str) -> Outcome:
    named = _stated(metadata, "unit")
    if named:
        joined = " ".join(named)
        if unit_of(wanted) is None or unit_of(joined) is None:
            return _any(squeeze(wanted) == squeeze(other) for other in named)
        return _any([unit_in_text(wanted, joined)])
    return _any([unit_in_text(wanted, text)])


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
