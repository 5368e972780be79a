"""What a question asks for, read from the question alone."""

from __future__ import annotations

import re

from ragdiag.records import Sample, Target
from ragdiag.text.period_finer import split_years
from ragdiag.text.periods import periods_in_order, split_period
from ragdiag.text.stopwords import word_set
from ragdiag.text.tokens import language
from ragdiag.text.units import unit_words

_NO_ENTITY = word_set(
    "what which who whom whose when where why how is are was were does did do has have had "
    "can could will would should if in on at as of for the a an by according based basing "
    "considering using answer give state round define calculate compute provide please fy "
    "fiscal year q1 q2 q3 q4 h1 h2 usd eur gbp i we you he she they it our your their january "
    "february march april may june july august september october november december eps ebitda "
    "ebitdar ebit cogs capex ppe pp&e dpo dio dso ccc fcf p&l m&a sg&a ar r&d gaap non-gaap "
    "sec 10-k 10-q 8-k roa roe cagr kpi yoy us uk eu usa q&a among from to between and or not "
    "no yes during after before with its here there this that these those compare among between "
    "whose versus vs please list name tell show explain describe page form annual report "
    "wie was welche welcher welches wer wo wann warum der die das den dem des im in am um "
    "quel quelle quels quelles qui que quoi comment combien le la les du au aux en "
    "cuál cuáles qué quién cuánto cuánta cuántos cómo el los las del cual cuales que "
    "qual quais quanto quale quali chi come il lo gli wat welke hoe het een "
    "какой какая какова каков какие сколько кто что как где в на за"
)
# Names of metrics, the longer ones first where one begins another.
_METRICS = (
    r"(?:gross|operating|net|ebitda|ebit|profit|pre-?tax|contribution) margins?|"
    r"(?:net|gross|operating|total|comprehensive|pre-?tax) (?:income|profits?|earnings|revenues?|"
    r"sales|loss(?:es)?|debt|assets)|(?:diluted |basic )?(?:eps|earnings per share)|"
    r"capital (?:expenditures?|spending)|capex|(?:free |operating )?cash flows?(?: from "
    r"(?:operating|investing|financing) activities)?|(?:quick|current|payout|debt) ratio|"
    r"(?:current|fixed|intangible) (?:assets|liabilities)|"
    r"accounts (?:receivables?|payables?)|inventory turnover|working capital|"
    r"(?:effective )?tax rate|dividends?|(?:oil|gas|coal|copper|gold|crude) (?:production|output|"
    r"reserves|prices?)|cost of (?:goods sold|sales|revenues?)|cogs|ebitda|ebit|headcount|"
    r"market share|backlog|revenues?|sales|turnover|net income|production|output"
)
_ASKED_METRIC = re.compile(rf"(?<![\w-])(?:{_METRICS})(?![\w-])", re.IGNORECASE)
_ASKED_PAGE = re.compile(
    r"(?<!\w)(?:pages?|pp?\.|seite|página|pagina)\s{1,3}(?P<p>\d{1,4})(?!\d)", re.I
)
# Bounded, and from the beginning of a word: without that a long run of letters takes for ever.
_PHRASE = (
    r"(?<!\w)[^\W\d_]{0,30}[A-Z0-9][\w&.'’-]{0,60}(?:\s{1,9}(?:&\s{1,9})?[A-Z][\w&.'’-]{0,60}){0,4}"
)
_PLACES = (
    re.compile(rf"(?P<name>{_PHRASE})['’]s?\b(?:\s|$)"),
    re.compile(
        rf"\b(?:for|of|did|does|has|was|at|by|is|von|bei|für|de|d[’']|di|da|van|do|chez|por)\s*(?<=[\s’'])"
        rf"(?P<name>{_PHRASE})"
    ),
)
_ANYWHERE = re.compile(rf"(?P<name>{_PHRASE})")
_SMALL = re.compile(
    rf"(?<!\w)(?P<name>[^\W\d_]{{2,30}})[’']s?\s{{1,3}}(?:\w+\s){{0,2}}?(?:{_METRICS})(?!\w)"
)
_HAN = re.compile(r"(?:^|年度?|[、，,\s])(?P<name>[^\s、，。,\d年のは的]{2,20})(?:の|的)")
# What lists a second company behind the first: "Apple and Microsoft", "Pfizer or Merck".
_ALSO = re.compile(
    rf"(?:['’]s?)?(?:,\s{{1,3}}(?:and\s|or\s)?|\s(?:and|or|vs\.?|versus|und|et|y|e|oder|ou|o)\s)(?:the\s|that\sof\s)?(?P<name>{_PHRASE})"
)
_LEFT_OUT = re.compile(r"(?:excluding|except|without|other than|besides)\s{1,3}(?:the\s)?$", re.I)
_MOST_LISTED = 8
_ASKED_UNIT = re.compile(
    r"\((?:in\s+)?(?P<a>[^()]{1,40})\)|\b(?:in|answer in|units? of)\s+(?P<b>[^,.;?()]{1,32})",
    re.IGNORECASE,
)


def target_of(sample: Sample) -> Target | None:
    """The identity that a sample's question asks for: as given, else as the question states it.

    None where it names no period or page, and no company with a metric: a name alone may be any
    topic ("the Mars game"). A target that is given without a field (`{}`) says that there is none,
    and nothing is read from the question.
    """
    if sample.target is not None:
        return sample.target if sample.target != Target() else None
    read = target_from_question(sample.query)
    telling = read.period or read.page or (read.entity and read.metric)
    return read if telling else None


def target_from_question(query: str) -> Target:
    """Entity, period, metric, unit and page where the question states them; the others None.

    A question about what was expected has no period: the report of the year before answers it.
    Several companies are joined by " and "; `identity.compare` takes evidence of any of them.
    Several periods: the latest year, since a report shows the earlier ones beside its own. A
    relative period ("last year") is none.
    """
    text = query[:4000]
    found = _asked_entities(text)
    metric, page = _ASKED_METRIC.search(text), _ASKED_PAGE.search(text)
    return Target(
        period=_asked_period(text),
        unit=_asked_unit(text),
        entity=" and ".join(found) or None,
        metric=metric.group() if metric else None,
        page=int(page["p"]) if page else None,
    )


def entity_asked(query: str) -> str | None:
    """The first company that a question names."""
    return next(iter(_asked_entities(query[:4000])), None)


_EXPECTED = re.compile(
    r"\b(?:forecast|expect|project(?:ed|ion|ing)|guid(?:ance|ed|ing)|outlook|anticipat|predict"
    r"|plann?(?:ed|ing|s)?\b|target(?:ed|ing)?\b|prognos|erwart|prévi|previs|espera|esper[ao])",
    re.IGNORECASE,
)


def _asked_period(query: str) -> str | None:
    if _EXPECTED.search(query):
        return None
    splits = split_years(query)
    if splits:
        return max(splits)
    found = [(split_period(p), p) for p in periods_in_order(query)]
    dated = [(parts[0], bool(parts[1]), p) for parts, p in found if parts is not None]
    if not dated:
        return None
    latest = max(year for year, _, _ in dated)
    parts = [p for year, part, p in dated if year == latest and part]
    whole = [p for year, _, p in dated if year == latest]
    return (parts or whole)[0]


def _asked_unit(query: str) -> str | None:
    for match in _ASKED_UNIT.finditer(query):
        unit = unit_words(match["a"] or match["b"])
        if unit is not None:
            return unit
    return None


def _asked_entities(query: str) -> list[str]:
    """The first name in the places for one, and those that are listed with it."""
    # In German every noun has a capital.
    places = _PLACES if language(query) == "de" else (*_PLACES, _ANYWHERE)
    if query.islower():
        places = (_SMALL,)
    for pattern in places:
        for match in pattern.finditer(query):
            if _LEFT_OUT.search(query, max(0, match.start("name") - 24), match.start("name")):
                continue
            name = match["name"] if pattern is _SMALL else _trimmed(match["name"])
            if name is not None:
                return _listed(query, match, name)
    named = _HAN.search(query)
    return [named["name"]] if named else []


def _listed(query: str, match: re.Match[str], name: str) -> list[str]:
    found, end = [name], match.end("name")
    if not query.startswith(name, end - len(name)):
        return found
    while len(found) < _MOST_LISTED:
        also = _ALSO.match(query, end)
        other = _trimmed(also["name"]) if also else None
        if also is None or other is None or not query.startswith(other, also.start("name")):
            break
        found.append(other)
        end = also.start("name") + len(other)
    return found


def _trimmed(phrase: str) -> str | None:
    """The phrase without question words and figures at its ends; None if no name remains."""
    listed = re.sub(r"['’]s?$", "", phrase).split()
    while listed and _is_no_name(listed[0]):
        listed.pop(0)
    while listed and _is_no_name(listed[-1]):
        listed.pop()
    name = " ".join(listed).strip(" .,'’-")
    return name if any(map(str.isalpha, name)) and any(map(str.isupper, name)) else None


def _is_no_name(word: str) -> bool:
    bare = word.casefold().strip(".,'’-?!:;")
    return bare in _NO_ENTITY or bool(periods_in_order(bare)) or not any(map(str.isalpha, bare))
