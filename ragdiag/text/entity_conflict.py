"""Does a statement give a figure to another company than the words that hold it?

Plain conflicts only: both name an owner of a figure ("X's revenue", "revenue of X", "X reported"),
and nothing hints that the two are one, or that one owns the other.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragdiag.text.entities import mentions, same_entity, shares_brand
from ragdiag.text.word_sets import word_set

_LONGEST = 2_000
_METRIC = (
    r"(?:revenues?|sales|turnover|income|profits?|loss(?:es)?|earnings|ebitda|ebit|margins?|"
    r"production|output|assets|liabilities|debt|equity|cash|capex|expenditures?|costs?|expenses?|"
    r"dividends?|employees|workforce|headcount|backlog|inventor(?:y|ies)|eps|spending|exports|"
    r"imports|deliveries|shipments|reserves|bookings|guidance|valuation|market cap|"
    r"market share|share price|stock price|population|gdp)"
)
_VERB = (
    r"(?:reported|posted|recorded|generated|earned|produced|employed|employs|sold|paid|spent|booked|"
    r"made|had|has|lost|achieved|delivered|announced|shipped|raised|repurchased|acquired|operates|"
    r"operated|owns|owned|invested|donated|exported|imported)"
)
_WORD = r"(?:\d{0,3}[A-Z][\w&-]{0,30}(?:\.[a-z]{2,4}\b)?|(?:[A-Z]\.){1,3}|[a-z]{1,2}[A-Z]\w{1,20})"
_NAME = rf"(?<![\w&.’'-]){_WORD}(?:[ ](?:(?:of|de|&|and)[ ])?{_WORD}){{0,4}}"
_FORM = r"(?:,?[ ](?:Inc|Corp|Corporation|Company|Co|Ltd|plc|AG|SE|N\.V|S\.A)\b\.?)?"
_OWNERS = (
    re.compile(
        rf"(?P<n>{_NAME}){_FORM}[’'](?:s[ ])?[ ]?(?:(?!and\b)[\w-]{{1,20}}[ ]){{0,4}}?"
        rf"(?i:{_METRIC})\b"
    ),
    re.compile(rf"\b(?i:{_METRIC})[ ](?:of|for|at|by)[ ](?:the[ ])?(?P<n>{_NAME}){_FORM}"),
    re.compile(rf"(?P<n>{_NAME}){_FORM}[ ](?:also[ ]|has[ ]|have[ ])?{_VERB}\b(?=[^.;]{{0,80}}\d)"),
)
_FORMS = word_set("company corporation group firm bank")
_NO_OWNERS = word_set(
    "the a an this that these those it its their our we they he she his her i you your my who "
    "company group firm bank corporation management segment division unit business total net "
    "gross revenue revenues sales income profit cost costs operating other all both each "
    "q1 q2 q3 q4 h1 h2 fy last first second third fourth quarter year today yesterday in on at by "
    "for from and or but if as so then also there here however meanwhile january february march "
    "april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday analysts investors shareholders customers employees people "
    "report reports table note item page gaap non-gaap usd eur us ebitda ebit eps capex cash "
    "adjusted diluted basic free during after before while when among product products service "
    "services cloud online retail international domestic north south east west europe asia "
    "americas worldwide global consolidated annual quarterly fiscal ceo cfo chief officer "
    "president director board government parliament congress"
)


def entity_conflict(said: str, given: str) -> tuple[str, str] | None:
    """(owner said, owner given) where the two give their figures to different owners; else None.

    None where any owner of the one may be any of the other, or either names the other's at all.
    """
    one, other = owners(said[:_LONGEST]), owners(given[:_LONGEST])
    if not one or not other:
        return None
    if any(_may_be_same(a, b) for a in one for b in other):
        return None
    if any(mentions(a, given) for a in one) or any(mentions(b, said) for b in other):
        return None
    return one[0], other[0]


def _may_be_same(one: str, other: str) -> bool:
    return same_entity(one, other) is not False or shares_brand(one, other)


@lru_cache(maxsize=4096)
def owners(text: str) -> tuple[str, ...]:
    """The names to which a text plainly gives a figure, in the order of the forms; () for none."""
    found: dict[str, None] = {}
    for pattern in _OWNERS:
        for match in pattern.finditer(text):
            name = _owner(match["n"])
            if name is not None:
                found.setdefault(name)
    return tuple(found)


def _owner(name: str) -> str | None:
    """The name without words before it that are none ("In 2017 Arden"); None if nothing is left."""
    words = name.split()
    while words and _is_no_owner(words[0]):
        words.pop(0)
    while len(words) > 1 and words[-1].casefold().strip(".,") in _FORMS:
        words.pop()
    # "Arden’s Europe" and "Chief Officer" are no owners of their own.
    if not words or any(_is_no_owner(word) for word in words[-1:]):
        return None
    return " ".join(words)


def _is_no_owner(word: str) -> bool:
    return word.casefold().strip(".,") in _NO_OWNERS or not any(map(str.isalpha, word))
