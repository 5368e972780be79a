"""What keeps an answer that holds the right words from being right: a longer name, another one.

Every check is one-sided: it may leave an answer open, it never decides one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ragdiag.answer import match
from ragdiag.answer.clauses import asked_words, asking, clauses
from ragdiag.answer.stems import stem
from ragdiag.text.stopwords import STOPWORDS
from ragdiag.text.word_sets import word_set

_MOST_PLACES = 20
_RELATIVE = re.compile(r"\W*(?:who|which|whose|whom|where|that)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"(?:and )?(?:the|an?|its?|his|her|their) (\w+) (?:is|was|are|were|has|had)\b", re.IGNORECASE
)
_RANKS = word_set("first second third fourth fifth sixth last 1st 2nd 3rd 4th 5th")
_KINDS = word_set(
    "city town state country county province river lake island republic kingdom university"
)
_STATE = re.compile(
    r", (?:Texas|Ontario|Ohio|Georgia|Kentucky|Tennessee|New [A-Z]\w+|Maine|Illinois|Alabama|Idaho"
    r"|Connecticut|Massachusetts|California|Florida|Pennsylvania|Wisconsin|Missouri|Indiana|Virginia)"
)
_ELSEWHERE = word_set(
    "paris london berlin rome athens vienna dublin moscow lisbon madrid cairo lima warsaw oxford "
    "cambridge manchester birmingham melbourne naples florence venice toledo delhi geneva milan"
)
_OF_KIND = re.compile(r"\b(\w+) of (?:the )?\Z")
_EVENTS = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "born birth",
        "died death killed dead",
        "founded established created formed incorporated founding",
        "built constructed completed erected finished",
        "opened inaugurated started began launched opening",
        "closed ended shut dissolved abolished finished closing",
        "published released issued premiered aired",
        "signed ratified agreed",
        "planned proposed designed drafted announced",
        "married divorced wed",
        "bought acquired purchased",
        "elected appointed inaugurated",
        "retired resigned left",
        "destroyed demolished burned",
        "moved lived resided settled",
        "raised educated studied worked",
    )
)
_MOST_OF = 0.6
_SHORT = 160
_DID = re.compile(
    r"\b[Ww]hom? (?:did|does|do) (?:the )?(?P<who>[A-Z][\w'.-]*(?: [A-Z][\w'.-]*){0,3}) "
    r"(?P<verb>\w{3,})"
)
_DOES = re.compile(
    r"\b(?:[Ww]ho|[Ww]hich(?: \w+){1,3}?|[Ww]hat(?: \w+){1,3}?) (?P<verb>\w{3,}) (?:the )?"
    r"(?P<whom>[A-Z][\w'.-]*(?: [A-Z][\w'.-]*){0,3})"
)
_NAME = re.compile(r"[^\W\d_a-z][\w'.-]*")
_CAPITAL_AFTER = re.compile(r"(?:[ ]|-)(?:[A-Z][^\W\d_]+|[IVX]+\b)|-[a-z]{2}")
_CAPITAL_BEFORE = re.compile(r"([A-Z][\w'’.-]*)[ ]$|\w-$")
_POSSESSED = re.compile(r"['’]s? +([a-z]\w+)")
_COMPANY = re.compile(
    r" (?:Inc|Corp|Corporation|Company|Co|Ltd|Limited|LLC|PLC|GmbH|AG|SA|NV|Group)\b"
)
_TITLE = re.compile(
    r"(?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor|Sir|Dame|Lord|Lady|Rev|President|Senator|Sen|Gen|General"
    r"|Col|Colonel|Capt|Captain|King|Queen|Pope|Prince|Princess|Emperor|Empress|Saint|St|Judge"
    r"|Justice|Chancellor|Governor|Mayor|Minister|Chairman|Director|Herr|Frau|Mme|Actor|Actress"
    r"|Author|Singer|Coach|Detective|Sergeant|Mount|Lake|River|Planet|City|Team)\.?"
)
_APART = re.compile(
    r"(?:\b(?:near|outside|beyond|then|followed by|afterwards|later|secondly|against|except|"
    r"excluding|unlike|formerly|previously|once|until"
    r"|instead of|rather than|other than|apart from|no longer|guidance of|defeated|beat|beating"
    r"|lost to|beaten by|defeated by|(?:succe|prece)eded(?: by)?|replaced|but not|and not|, not"
    r"|(?:father|mother|son|daughter|wife|husband|brother|sister|friend|assistant|successor"
    r"|predecessor|rival|student|pupil|teacher|suburbs?|outskirts|edge|north|south|east|west"
    r"|opposite|home|days|life|work|works) (?:of|to)))\s+(?:the\s+|in\s+|an?\s+)?[\"'(]?$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\b(?:from|of) (?:the )?[\"']?$", re.IGNORECASE)
_TO = re.compile(r"^[\"']?,? (?:in(?:to)?|to) ", re.IGNORECASE)
_DENIED = re.compile(
    r"^[^,.;:!?\n]{0,25}?\b(?:(?:did|was|were|is|are|has|does|do|had|have|will|would|could|can|should)"
    r"(?: not\b|n't\b|n’t\b)|(?:was|were|is|are|been) (?:ruled out|excluded|"
    r"rejected|dismissed|disproved|denied)\b|cannot\b|never\b|failed\b|no longer\b|refused\b"
    r"|declined to\b|threatened\b|planned to\b|wanted to\b|tried to\b|hoped to\b|offered to\b)",
    re.IGNORECASE,
)
_TENTATIVE = re.compile(
    r"\bmaybe\b|\bnot (?:sure|certain)\b|\bothers (?:say|think|claim)\b|\bneither\b|\bnone of\b"
    r"|\bformerly\b",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"(?:Based|According|However|Therefore|Thus|Here|Given|Using|Looking|Note|Answer|Source|Some|Many"
    r"|Most|People|Scientists|Experts|Historians|Overall|Originally|Today|Yes|No|Both)\b"
    r"|\w+(?:ish|ese|[ei]an|can|ench|utch|elsh|eek|Swiss|German)(?= [a-z])"
)
_CALENDAR = word_set(
    "january february march april may june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday i"
)
_COMMON = _CALENDAR.union(*(STOPWORDS[code] for code in ("en", "de", "fr", "es")))
_PARENTHESIS = re.compile(r"\([^()]{0,40}\)")
OPPOSITES = (
    ("won win wins winner winning beat defeated", "lost lose loses loser losing beaten"),
    ("longer longest long", "shorter shortest short"),
    ("larger largest bigger biggest greater greatest", "smaller smallest lesser least"),
    ("higher highest taller tallest", "lower lowest"),
    ("older oldest earlier earliest first", "younger youngest later latest last"),
    ("more most", "fewer fewest less least"),
    ("faster fastest", "slower slowest"),
    ("heavier heaviest", "lighter lightest"),
    ("bought buyer acquired", "sold seller"),
    ("best better", "worst worse"),
    ("before", "after"),
    ("men male boys", "women female girls"),
    ("tenants tenant", "landlords landlord"),
    ("imports import imported", "exports export exported"),
    ("assets", "liabilities"),
    ("births born", "deaths died"),
    ("employees", "employers"),
    ("gross", "net"),
    ("domestic", "foreign"),
    ("minimum", "maximum"),
    ("mother", "father"),
    ("husband", "wife"),
    ("north northern", "south southern"),
    ("cheaper cheapest", "dearer expensive"),
    ("increased increase rose rise grew", "decreased decrease fell fall declined"),
)


def doubtful(query: str, reference: str, answer: str, references: Sequence[str] = ()) -> bool:
    """Is there a reason not to take an answer as right though it holds the reference's words?"""
    text = match.plain(answer)
    found = list(_places(match.plain(reference), text))
    if _TENTATIVE.search(text) and not _TENTATIVE.search(reference):
        return True
    if all(_turned(query, reference, one) for one in _around(text, found)) or _swapped(
        query, reference, text
    ):
        return True
    if len(answer) < _SHORT and other_event(query, answer):
        return True
    if not found:
        return False
    asked = frozenset(match.words(query))
    known = asked.union(*(match.words(one) for one in (reference, *references)))
    proper = reference[:1].isupper()
    good = [
        place
        for place in found
        if not _set_apart(text, *place, asked)
        and not (_lengthened(text, *place, known, proper=proper))
    ]
    if not good:
        return True
    if all(_other_rank(asked, text, start) for start, _ in good):
        return True
    if not proper and _of_another_subject(query, text, good, asked):
        return True
    others = _others(text, known) if proper else []
    if others and match.is_initials(reference, _PARENTHESIS.sub("", answer)):
        return False
    return bool(others) and not _answers(query, text, good, others)


def another_answers(
    query: str, reference: str, answer: str, references: Sequence[str] = ()
) -> bool:
    """Does the clause that says the question again name another, and the reference stand only in
    other clauses ("The capital is X. REFERENCE is a town")?
    """
    text = match.plain(answer)
    known = frozenset(match.words(query)).union(
        *(match.words(one) for one in (reference, *references))
    )
    asked = asked_words(query)
    chosen = asking(query, text)
    if not reference[:1].isupper() or len(chosen) != 1 or len(asked) < 2:
        return False
    low, high = chosen[0]
    clause = text[low:high]
    if _RELATIVE.match(text, high):
        return False
    if len(asked.intersection(map(stem, match.content(clause)))) < max(2, _MOST_OF * len(asked)):
        return False
    if match.has_negation(clause) or match.hedges(text) or _TENTATIVE.search(text):
        return False
    if any(low <= start < high for start, _ in _places(match.plain(reference), text)):
        return False
    return any(low <= at < high for at in _others(text, known))


@lru_cache(maxsize=1024)
def _pattern(reference: str) -> re.Pattern[str] | None:
    parts = match.words(reference)
    if not parts:
        return None
    between = r"(?:'s)?[\W_]+(?:(?:the|an?)[\W_]+)?"
    body = between.join(match.spelled(part) for part in parts)
    return re.compile(rf"(?<![^\W_]){body}(?![^\W_])", re.IGNORECASE)


def _places(reference: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the words of the reference stand in a row, at most the first few places."""
    pattern = _pattern(reference)
    if pattern is None:
        return
    for count, found in enumerate(pattern.finditer(text)):
        if count == _MOST_PLACES:
            return
        yield found.span()


def _set_apart(text: str, start: int, end: int, asked: frozenset[str]) -> bool:
    """Is a place denied ("X did not"), or named as what the answer is not ("near X", "X's son")?"""
    before, after = text[max(0, start - 40) : start], text[end : end + 50]
    apart = _APART.search(before)
    if apart is not None and not set(match.words(apart.group())) & asked:
        return True
    if _FROM.search(before) and _TO.match(after) and "from" not in asked:
        return True
    if _DENIED.match(after) and not asked & {"not", "never"}:
        return True
    kind = _OF_KIND.search(before)
    if kind is not None and kind[1] in _KINDS and asked & _KINDS and kind[1] not in asked:
        return True
    if _STATE.match(after) and text[start:end].casefold() in _ELSEWHERE:
        return True
    if after.startswith((", D.C", ", DC")) and "." not in text[start:end]:
        return True
    owned = _POSSESSED.match(after)
    return owned is not None and owned.group(1) not in asked


def _lengthened(text: str, start: int, end: int, known: frozenset[str], *, proper: bool) -> bool:
    """Is a place only a part of a longer name ("New X", "X City", "X-plated")?"""
    after = _CAPITAL_AFTER.match(text, end)
    if after is not None and not _COMPANY.match(text, end):
        word = after.group().strip(" -").casefold()
        if (proper or after.group().startswith("-")) and word not in known | _CALENDAR:
            return True
    before = _CAPITAL_BEFORE.search(text, max(0, start - 30), start)
    if before is None:
        return False
    word = before.group(1)
    if word is None:
        return True
    if not proper or _TITLE.fullmatch(word) or word.casefold() in known | _COMMON:
        return False
    return not word.endswith(".")


@lru_cache(maxsize=256)
def _others(text: str, known: frozenset[str]) -> list[int]:
    """Where other names stand that neither the question nor a reference knows."""
    found: list[int] = []
    for one in _NAME.finditer(text):
        parts = match.words(one.group())
        word = one.group().strip(".").casefold()
        if any(map(str.isdigit, word)) or _OPENER.match(text, one.start()):
            continue
        if not parts or known.issuperset(parts) or word in _COMMON:
            continue
        if word.endswith("ly") or _TITLE.fullmatch(one.group()):
            continue
        if not _APART.search(text, max(0, one.start() - 40), one.start()) and not _FROM.search(
            text, max(0, one.start() - 12), one.start()
        ):
            found.append(one.start())
    return found


def _answers(query: str, text: str, places: list[tuple[int, int]], others: list[int]) -> bool:
    """Does the reference stand, before any other name, in a clause that says the question again?"""
    chosen = asking(query, text) or [(0, len(text))]
    for low, high in chosen:
        inside = [start for start, _ in places if low <= start < high]
        rivals = [at for at in others if low <= at < high]
        if inside and not (rivals and rivals[0] < inside[0]):
            return True
    return False


def other_event(query: str, answer: str) -> bool:
    """Does a short answer tell of another event than the one asked for ("died" for "born")?"""
    asked = set(map(stem, match.words(query)))
    said = set(map(stem, match.words(answer[:400])))
    wanted = [one for one in _EVENTS if one & asked]
    if not wanted or any(one & said for one in wanted):
        return False
    return any(one & said for one in _EVENTS)


def _swapped(query: str, reference: str, text: str) -> bool:
    """Does the object of the question do to the reference what is asked ("Who taught X?" - "X
    taught REFERENCE")?
    """
    wanted, said = match.words(reference), match.words(text)
    did = _DID.search(match.plain(query))
    if did is not None:
        subject = match.words(did["who"])[:1]
        stems = tuple(map(stem, said))
        return match.contains(stems, tuple(map(stem, (*wanted, did["verb"], *subject)))) >= 0
    asked = _DOES.search(match.plain(query))
    if asked is None:
        return False
    verb, whom = asked["verb"].casefold(), match.words(asked["whom"])
    at = match.contains(said, (*whom[-1:], verb, *wanted))
    return at >= 0


def _other_rank(asked: frozenset[str], text: str, at: int) -> bool:
    """Does the clause of a place give it another rank than is asked for ("came first")?"""
    if not asked & _RANKS:
        return False
    for low, high in clauses(text, at_and=True):
        if low <= at < high:
            said = _RANKS.intersection(match.words(text[low:high]))
            return bool(said) and not said & asked
    return False


def _of_another_subject(
    query: str, text: str, places: list[tuple[int, int]], asked: frozenset[str]
) -> bool:
    """Does the clause that says the question again lack the reference, which is said of another
    thing ("The door is red and the wall is REFERENCE")?
    """
    chosen = asking(query, text)
    if not chosen or any(low <= start < high for low, high in chosen for start, _ in places):
        return False
    for low, high in clauses(text):
        subject = _SUBJECT.match(text, low, high)
        inside = any(low <= start < high for start, _ in places)
        if inside and (subject is None or subject[1].casefold() in asked):
            return False
    return True


def _around(text: str, places: list[tuple[int, int]]) -> list[str]:
    """The sentence around each place; the whole text for none."""
    stops = (". ", "! ", "? ", "\n")
    return [
        text[
            max(0, *(text.rfind(stop, 0, start) for stop in stops)) : min(
                (at for stop in stops if (at := text.find(stop, end)) >= 0), default=len(text)
            )
        ]
        for start, end in places
    ] or [text]


def turned(query: str, answer: str) -> bool:
    """Does a short answer speak of the opposite of what is asked ("men" for "women")?"""
    return len(answer) < _SHORT and _turned(query, "", answer)


def _turned(query: str, reference: str, text: str) -> bool:
    """Does the answer speak of the opposite of what is asked ("lost" where it is "who won")?"""
    asked = set(match.words(query))
    said = set(match.words(text[:2000])) - set(match.words(reference)) - asked
    return any(
        (asked & set(one.split()) and said & set(other.split()))
        or (asked & set(other.split()) and said & set(one.split()))
        for one, other in OPPOSITES
    )
