"""Does an answer abstain: say that it cannot tell, or that its sources do not say?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ragdiag.text.abstention_tongues import FOREIGN, WORDS_ALONE
from ragdiag.text.word_sets import word_set

_LONG = 20_000
"""An answer is read up to here: what abstains says so early, or in a short text."""

_WORDS_ALONE = word_set(
    "unanswerable|not answerable|unknown|no answer|n/a|na|not available|not found|not given|idk|"
    "not stated|not specified|not mentioned|not provided|not disclosed|cannotanswer|cannot answer|"
    "cannot say|can't say|no idea|insufficient information|not enough information|no information|"
    "insufficient context|insufficient data|insufficient evidence|noanswer|none given|no data|"
    "no answer found|no information available|information not available|undetermined|"
    "cannot be determined|cannot determine|cannot be answered|unclear|not sure|i'm not sure|"
    "i am not sure|dunno|unbeantwortbar|keine angabe|unbekannt|sans réponse|inconnu|sin respuesta|"
    "desconocido|sconosciuto|desconhecido|неизвестно|нет ответа|无法回答|無法回答|无答案|未知|不明|"
    "回答不能|該当なし|わかりません|알 수 없음|답변 불가|غير معروف|अज्ञात|bilinmiyor|"
    "onbekend|nieznane|not in the documents|not in the document|not in the context|not in the text|"
    "not in the sources|not in the passages|not in the provided context|not in context|"
    "non specificato|non indicato|no especificado|não especificado|non précisé|не указано",
    "|",
)

_VERBS = (
    "know|provide|help|assist|find|determine|answer|locate|tell|confirm|calculate|compute|"
    "give|identify|say|"
    "assess|verify|access|offer|see any|see where|derive|establish|specify|pinpoint|respond|predict"
    "|retrieve|browse|conclude|ascertain|figure out|work out|state|share|make a"
)
_ADVERB = r"(?:\w{2,12}ly |really |just |yet |also |even |still |at present |fully ){0,2}"
_NOT = r"(?:do not|don't|did not|didn't|does not|doesn't|have not|haven't|has not|hasn't)"
_CANNOT = (
    r"(?:cannot|can't|can not|could not|couldn't|'m unable to|am unable to|are unable to|unable to"
    r"|was unable to|were unable to|'m not able to|am not able to|are not able to|not able to"
    r"|am not in a position to)"
)
_SOURCE = (
    "text|texts|document|documents|filing|filings|context|contexts|evidence|passage|passages|source"
    "|sources|excerpt|excerpts|article|articles|material|materials|report|reports|statement"
    "|statements|information|data|snippet|snippets|paragraph|paragraphs|page|pages|section|content"
    "|reference|references|table|tables|author|authors|knowledge base|search results|"
    "results|records"
)
_LACK = (
    "provide|contain|mention|name|include|specify|state|give|disclose|say|indicate|address|cover|list"
    "|discuss|explain|reveal|offer|present|report|show|answer|refer|clarify|have (?:any |enough "
    "|sufficient |specific |the )?(?:information|data|details)|supply|detail|describe|touch"
)
_LACKED = (
    "provided|specified|mentioned|stated|given|disclosed|included|indicated|found|available"
    "|contained|covered|addressed|discussed|listed|reported|present|explained|described|detailed"
    "|answered|shown|identified"
)

_PERSONAL = re.compile(
    rf"\b(?:i|we|it|this model)(?:'m| am| are)? ?,?{_ADVERB}(?:{_CANNOT} {_ADVERB}(?:{_VERBS})"
    rf"|{_NOT} {_ADVERB}(?:know|have {_ADVERB}(?:the ability|(?:any |enough |the |real-time "
    rf"|direct "
    r"|specific |current |that |this |sufficient |up-to-date |access|information|data|"
    r"details|an answer|"
    r"a source"
    rf"|knowledge)))|(?:have|had|found|find|see) no (?:information|data|access|mention|idea|"
    rf"evidence"
    rf"|details|record|answer|knowledge)|lack (?:the |access|sufficient|enough|information)"
    rf"|(?:{_NOT}) (?:find|see) (?:that|this|it|any|an|the|anything|information|where|a)\b"
    r"|(?:'m|am|are) {0,1}not (?:sure|certain|aware|familiar|able))"
    r"|\byou (?:have not|haven't|did not|didn't) (?:provide|given?|include|share|specif)"
    rf"|\b(?:{_CANNOT}) {_ADVERB}(?:answer|provide|determine|locate|find)\b"
    r"|\b(?:my knowledge (?:is up to date only|cutoff|does not)|no (?:real-time )?access to\b)"
    r"|\bi would need (?:access|specific|the (?:actual|specific|financial|relevant)|more|additional"
    r"|to (?:see|have|know))",
    re.IGNORECASE,
)
_IMPOSSIBLE = re.compile(
    r"\b(?:impossible|not possible|not feasible) (?:for me )?to (?:\w{2,12}ly )?(?:determine|"
    r"calculate|answer|"
    r"provide|say|compute|know|tell|assess|identify|give|find|confirm|establish|conclude|derive)"
    r"|\b(?:cannot|can't|can not|could not|couldn't) be (?:\w+ly )?(?:determined|calculated|"
    r"answered"
    r"|computed|found|derived|established|verified|identified|confirmed|inferred|known|"
    r"given|located"
    r"|ascertained|concluded)"
    r"|\b(?:question|query) (?:is|seems|appears) (?:unanswerable|not answerable)",
    re.IGNORECASE,
)
_SOURCE_LACKS = re.compile(
    rf"\b(?:{_SOURCE})\b[^.;:]{{0,60}}?\b(?:(?:does|do|did) not|doesn't|don't|didn't) {_ADVERB}"
    rf"(?:seem to |appear to )?(?:{_LACK})\b"
    rf"|\b(?:{_SOURCE})\b[^.;:]{{0,60}}?\b(?:contains?|provides?|offers?|gives?|includes?|"
    rf"makes?|has|"
    r"have) (?:no|neither|not enough|insufficient|too little|nothing)\b"
    rf"|\b(?:is|are|was|were|been|be) (?:not|n't|neither|nowhere) "
    rf"{_ADVERB}(?:{_LACKED})"
    r"(?: ?(?:[.;!,]|$)|\b[^.;:]{0,30}?\b(?:in|by|within|from) (?:the|this|these|any|my|its|"
    r"our|your|"
    r"what|all|either|that)\b|\b (?:anywhere|here|explicitly|there)\b)"
    rf"|\b(?:isn't|aren't|wasn't|weren't) {_ADVERB}(?:{_LACKED})\b"
    rf"|\b(?:has|have) not been {_ADVERB}(?:{_LACKED})\b"
    rf"|\bit (?:does not|doesn't|did not|didn't) {_ADVERB}(?:provide|contain|mention|state|include|"
    r"address|specify|disclose|indicate|say)\b"
    rf"|^(?:it's |that's |this is )?not {_ADVERB}(?:{_LACKED})\b"
    r"|\b(?:no|insufficient|not enough|inadequate|little) (?:\w+ ){0,2}?(?:information|data|"
    r"details|"
    r"evidence|context|mention|reference|answer)\b[^.;]{0,50}?\b(?:is|are|was|were|about|on|"
    r"regarding|of|"
    r"available|provided|found|given|to (?:answer|determine|calculate|say|tell|make)|in the|"
    r"for|that)\b"
    r"|\bthere (?:is|was|are) (?:no|not enough|insufficient) (?:\w+ ){0,2}?(?:information|"
    r"data|details|"
    r"mention|context)\b"
    r"|\bnone of the (?:\w+ ){0,2}?(?:documents?|passages?|sources?|texts?|contexts?|excerpts?)\b"
    rf"|\b(?:information|data|details|answer)\b[^.;:]{{0,60}}?\b(?:is|are|was|were) (?:not|"
    rf"un|missing)"
    rf" ?{_ADVERB}(?:{_LACKED}|missing)?",
    re.IGNORECASE,
)
_SORRY = re.compile(
    r"\W*(?:i'm sorry|i am sorry|sorry|i apologi[sz]e|unfortunately)\b", re.IGNORECASE
)
_WITHOUT = re.compile(
    r"^(?:\W*)without (?:access|specific|the |further|more|additional|knowing|this|that|any|"
    r"having)",
    re.IGNORECASE,
)
_TRIGGERS = (
    "n't", "not", "no ", "cannot", "unable", "without", "lack", "impossible", "none", "neither",
    "nowhere", "insufficient", "inadequate", "missing", "need access", "would need", "little",
    "knowledge", "unanswer", "kein", "nicht", "niet", "geen", "ne ", "aucun", "pas ", "non ", "não",
    "n'", "nie ", "brak", "không", "tidak", "inte", "ikke", "ingen", "není", "nevím", "nem ", "ei ",
    "nu ", "bilgi", "bilm", "bulunam", "bulamad", "belirtil", "cevap", "yer alm",
)  # fmt: skip
"""Every phrase of abstention in a Latin script has one of these; others are always searched."""

_CONTRAST = re.compile(
    r"\b(?:but|however|although|though|nevertheless|nonetheless|yet|still|instead|aber|jedoch|mais|"
    r"cependant|pero|sin embargo|ma|tuttavia|но|однако|але|αλλά|όμως|ωστόσο|אבל|אך|אולם)\b"
    r"|但|然而|不过|不過|しかし|ただし|ですが|けれど|하지만|그러나|다만|지만|لكن|लेकिन|परंतु|แต่|อย่างไรก็ตาม",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|we can conclude|can be concluded|so,|this suggests|"
    r"suggesting|suggests that|which suggests|indicating|indicates that|this means|it appears that|"
    r"it can be inferred|can infer|we can infer|overall|based on (?:this|these|the))\b",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"^\W*(?:\d{1,2}[.)] )?(?:to (?:calculate|determine|find|answer|compute|get|obtain|"
    r"identify|assess|"
    r"provide|make|know)\b|please\b|you (?:can|could|would|may|should|might|need)|i "
    r"(?:recommend|suggest"
    r"|can)|we (?:can|could|would|need)|if (?:you|i|we)\b|for (?:the most|more|accurate|"
    r"up-to-date|this)"
    r"|once (?:you|i|we)|typically|generally|in general|i'm sorry|sorry|"
    r"unfortunately|i apologi[sz]e|however, (?:i can|you|we|if|to|it's)|here(?:'s| is| are)|"
    r"the formula"
    r"|these (?:documents|figures|reports|statements|are)|this (?:information|data|is|"
    r"would)|they are|"
    r"let me know|try\b|consider\b|it is (?:recommended|advis)|it's (?:recommended|advis))"
    r"|\b(?:would (?:need|typically|have to|be (?:found|needed|required|necessary))|"
    r"is (?:needed|required|necessary)\b|(?:is|are) calculated|can (?:be|usually be|typically) "
    r"(?:calculated|found|determined)|refer to|consult|check the|annual reports? |formula"
    r"|also known as|is an? (?:useful |common |good |key |important )?(?:measure|metric|"
    r"indicator|ratio)\b"
    r"|\b(?:typically|generally|usually) )",
    re.IGNORECASE,
)
_ASKS_ABOUT_TEXT = re.compile(
    rf"^\W*(?:does|do|did|is|are|was|were|has|have) (?:the|this|these|any|that) (?:\w+ ){{0,2}}?"
    rf"(?:{_SOURCE})\b.{{0,200}}?\b(?:mention|state|specif|disclos|provide|contain|includ|list|say|"
    r"indicat|report|give)",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE_END = re.compile(r"(?<=[.!?؟։])[\"')\]*]*\s+(?=[^a-z])|(?<=[。！？｡])|\n+|(?<=[।۔])\s")
_HAS_DIGIT = re.compile(r"\d")
_MARKERS = re.compile(r"\[\^?\d{1,3}(?:, ?\d{1,3})*\]|【[^】]{0,40}】")
_POLAR_START = re.compile(r"^\W*(?:yes|no)\b[,.!:;—– -]", re.IGNORECASE)


_READ = 1000  # characters of a sentence


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    personal: bool
    impossible: bool
    lacks: bool

    @property
    def helps(self) -> bool:
        """Does it offer help or ask for more? Asked of few sentences, and slow to tell."""
        return _HELP.search(self.text[:_READ]) is not None

    @property
    def abstains(self) -> bool:
        return self.personal or self.impossible or self.lacks


def _clean(text: str) -> str:
    text = _MARKERS.sub("", text[:_LONG]).replace("\u2019", "'").replace("\u2018", "'")
    return text.replace("**", "").replace("_", " ").strip()


_OTHER_SCRIPT = re.compile("[\u0370-\u1fff\u2c00-\U0010ffff]")


def _may_abstain(text: str) -> bool:
    """A quick look, so that the patterns run only on what could match them."""
    lower = text.lower()
    return any(word in lower for word in _TRIGGERS) or _OTHER_SCRIPT.search(text) is not None


def _read(sentence: str) -> _Sentence:
    short = sentence[:_READ]
    if not _may_abstain(short):
        return _Sentence(sentence, False, False, False)
    impossible = _IMPOSSIBLE.search(short) is not None
    lacks = bool(_SOURCE_LACKS.search(short) or FOREIGN.search(short))
    # Who is sorry that the sources do not say so refuses; it is no remark on the way.
    sorry = (lacks or impossible) and _SORRY.match(short) is not None
    personal = sorry or bool(_PERSONAL.search(short) or _WITHOUT.match(short))
    return _Sentence(sentence, personal, impossible, lacks)


def _sentences(answer: str) -> list[_Sentence]:
    return [_read(part) for part in _SENTENCE_END.split(answer) if part and part.strip(" \t-*•")]


def _goes_on(sentence: str) -> bool | None:
    """Does one sentence abstain and then answer ("not stated, but it was 5")? None = perhaps."""
    contrast = _CONTRAST.search(sentence)
    if contrast is None or contrast.start() < 5:
        return False
    rest = sentence[contrast.end() :]
    if _read(rest).abstains or _HELP.search(rest):
        return False
    return True if _HAS_DIGIT.search(rest) else None


def _leading(sentences: list[_Sentence], first: int) -> bool | None:
    """An answer that begins by abstaining: what follows decides."""
    lead = sentences[first]
    on = _goes_on(lead.text)
    if on is not False:
        return False if on else None
    rest = [one for one in sentences[first + 1 :] if not one.abstains and not one.helps]
    if not rest:
        return True
    last = rest[-1] is sentences[-1] and rest[-1].text
    if any(one.impossible and _CONCLUDES.search(one.text) for one in sentences[first:][:3]):
        return True  # "… is not given. Therefore it is not possible to calculate it."
    if not lead.personal and last and _CONCLUDES.search(last) and _HAS_DIGIT.search(last):
        return False
    if any(_CONCLUDES.search(one.text) for one in rest) and not lead.personal:
        if any(_HAS_DIGIT.search(one.text) and _CONTRAST.match(one.text) for one in rest):
            return False
        return None if not sentences[-1].abstains else True
    if lead.personal:
        concluded = any(
            _CONCLUDES.search(one.text) and _HAS_DIGIT.search(one.text) for one in rest[-2:]
        )
        return None if concluded and not sentences[-1].abstains else True
    contrasts = [one for one in rest if _CONTRAST.search(one.text[:60])]
    if any(_HAS_DIGIT.search(one.text) for one in contrasts):
        return False
    if contrasts:
        return None
    # A remark on what the sources do say leaves open whether it was meant as the answer.
    return None if len(rest) == 1 and len(sentences) == 2 else None if len(rest) > 1 else True


def _is_greeting(sentence: str) -> bool:
    """A few words without a figure before what is said ("Thank you for asking.")."""
    return len(sentence) < 25 and not _HAS_DIGIT.search(sentence)


def _late(sentences: list[_Sentence], first: int) -> bool | None:
    """An answer that abstains later: explanations before it are help, claims are an answer."""
    before = sentences[:first]
    claims = [one for one in before if not one.helps and not _is_greeting(one.text)]
    after = [one for one in sentences[first + 1 :] if not one.abstains and not one.helps]
    concluded = any(
        _CONCLUDES.search(one.text) and _HAS_DIGIT.search(one.text) for one in after[-2:]
    )
    if concluded:
        return False
    helped = before[0].helps
    if sentences[first].personal and (helped or not claims):
        return True
    if helped and any(one.impossible and _CONCLUDES.search(one.text) for one in sentences[first:]):
        return True
    if sentences[first].lacks and (not claims or (helped and len(claims) <= 1)):
        return True
    last = sentences[-1]
    if last.personal and last.abstains and not _HAS_DIGIT.search(before[0].text):
        return None
    return False if not helped else None


@lru_cache(maxsize=1024)
def abstains(query: str, answer: str) -> bool | None:
    """True: the answer abstains; False: it answers; None: code cannot tell.

    An empty answer is None: it is no abstention, it is nothing. A sentence that abstains and then
    gives a value, or an answer that abstains only on a part of the question, is not one.
    """
    text = _clean(answer)
    if not text:
        return None
    bare = text.lower().strip(" .!\"'()[]*:。！")
    if bare in _WORDS_ALONE or bare in WORDS_ALONE:
        return True
    if not _may_abstain(text):
        return False
    sentences = _sentences(text)
    first = next((index for index, one in enumerate(sentences) if one.abstains), None)
    if first is None:
        return False
    if _ASKS_ABOUT_TEXT.match(query) and not sentences[first].personal:
        return None
    if _POLAR_START.match(sentences[0].text) and len(sentences) > 1:
        return False if first > 0 else None
    if first == 0 or (first == 1 and (sentences[0].helps or _is_greeting(sentences[0].text))):
        return _leading(sentences, first)
    return _late(sentences, first)


@lru_cache(maxsize=1024)
def is_abstention_reference(reference: tuple[str, ...]) -> bool:
    """Is the reference itself "not stated", so that an abstention is the right answer?"""
    return any(abstains("", one) is True for one in reference)
