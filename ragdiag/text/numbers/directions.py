"""What the words beside a number say of its sign, and whether it is only about right."""

from __future__ import annotations

import re

from ragdiag.text.word_sets import word_set

_NEXT_WORD = re.compile(r" ([^\W\d_]{1,24})")
_ABOUT = word_set(
    "about approximately around roughly nearly almost circa ca ca. c. ~ ≈ approx approx. some "
    "estimated etwa ungefähr rund environ aproximadamente около примерно 约 約 大约 près unos unas "
    "ongeveer ungefär cirka noin omkring cerca hampir sekitar khoảng yaklaşık około asi přibližně "
    "quasi presque knapp fast 약 大約 およそ प्रायः लगभग ประมาณ حوالي כ- περίπου почти casi"
)
_ABOUT_PHRASE = re.compile(
    r"\b(?:(?:very )?close to|in the (?:region|order|neighbou?rhood) of|more or less"
    r"|just (?:under|over|above|below|shy of)|on the order of)$"
)
_ABOUT_ENDS = tuple(
    form(word)
    for word in ("to", "of", "less", "under", "over", "above", "below")
    for form in (str.lower, str.capitalize, str.upper)
)
_MINUS_WORDS = ("マイナス", "负", "負")
_LOSS = re.compile(
    r"\b(?:loss(?:es)?|deficit|outflow)"
    r"(?: per (?:[a-z-]+ ){0,4}?(?:shares?|units?|ads)| for the (?:[a-z0-9-]+ ){0,3}?(?:year"
    r"|quarter|period|months)(?: (?:of )?\d{4})?| before (?:income )?tax(?:es)?| after tax(?:es)?"
    r"| from (?:[a-z]+ )?operations| attributable to (?:[a-z]+ ){0,3}?[a-z]+){0,3}"
    r"(?:,? (?:of|was|is|were|totall?ed|amounted to|came to|stood at|:|="
    r"|(?:wi?dened|narrowed|increased|decreased|rose|fell|grew|improved|shrank) to))+"
    r"(?: (?:about|approximately|around|nearly|roughly|almost))?$"
)
_LOSS_NEAR = re.compile(r"loss|deficit|outflow", re.IGNORECASE)
"""A loss that is described before its amount: "loss per share of", "net loss widened to"."""
_DOWN = word_set(
    "decrease decreased decreases decreasing decline declined declines declining fell fall falls "
    "drop dropped drops down reduced reduction loss losses lost deficit shrank contracted lower "
    "slipped minus negative outflow dipped slid verlust "
    "verluste rückgang gesunken gefallen pérdida pérdidas caída disminución perte baisse "
    "diminution recul perdita calo prejuízo queda убыток снижение падение strata spadek verlies "
    "daling moins menos meno минус negativ mínus"
)
_UP = word_set(
    "increase increased increases increasing rose rise rises grew growth grow gain gained profit "
    "profits up plus higher surplus climbed positive jumped gewinn zuwachs anstieg "
    "gestiegen ganancia beneficio aumento hausse augmentation bénéfice utile lucro прибыль рост "
    "wzrost zysk winst stijging"
)
_BETWEEN = word_set(
    "by of was is were a an the net just only total : = at von um de di da en em в на van um d"
)
_AFTER_DOWN = word_set("decrease decline drop reduction lower loss fall")
_AFTER_UP = word_set("increase growth rise gain higher profit")


def tells_of_loss(text: str) -> bool:
    """Does a text speak of a loss at all?"""
    return _LOSS_NEAR.search(text) is not None


def words_before(text: str, position: int, *, floor: int, losses: bool) -> tuple[bool, int]:
    """(about?, direction) by the few words before a number: "a loss of about" -> (True, -1).

    `losses` as `tells_of_loss` says of the text.
    """
    window = text[max(floor, position - 40) : position].rstrip(" (\u00a0$€£¥")
    if not window:
        return False, 0
    if window[-1] in "~≈约約":
        return True, 0
    if window.endswith(_MINUS_WORDS):
        return False, -1
    about = window.endswith(_ABOUT_ENDS) and _ABOUT_PHRASE.search(window.lower()) is not None
    for word in reversed(window.lower().rsplit(None, 5)[-5:]):
        bare = word.strip("*_:,")
        if bare in _ABOUT:
            about = True
        elif bare in _DOWN:
            return about, -1
        elif bare in _UP:
            return about, 1
        elif bare and bare not in _BETWEEN:
            break
        if word[-1] in ",;":
            break
    return about, _described(text[max(floor, position - 90) : position]) if losses else 0


def _described(window: str) -> int:
    """-1 where the words before an amount describe a loss, else 0."""
    if _LOSS_NEAR.search(window) is None:
        return 0
    return 0 if _LOSS.search(window.rstrip(" (\u00a0$€£¥").lower()) is None else -1


def direction_after(text: str, position: int) -> int:
    """-1 or +1 where the word after a number says so ("5% lower", "a 3% increase"), else 0."""
    match = _NEXT_WORD.match(text, position)
    if match is None:
        return 0
    word = match.group(1).lower()
    return -1 if word in _AFTER_DOWN else 1 if word in _AFTER_UP else 0
