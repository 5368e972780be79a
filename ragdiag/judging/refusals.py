"""Does a reply without any object decline the work, in one of the languages models answer in?"""

from __future__ import annotations

import re

_WORK = (
    r"(?:help|assist|comply|provide|fulfil|fulfill|answer|do|process|evaluate|judge|continue|engage"
    r"|discuss|participate|complete|respond|support|generate|perform|proceed)\b"
)
_REFUSALS = re.compile(
    "|".join(
        (
            r"\b(?:i'm|i am|we're|we are) (?:very |so |really )?sorry\b",
            r"^sorry\b",
            r"\b(?:i|my) apologi[sz]e|^my apologies|^apologies\b",
            r"\bi(?:'m| am)? ?(?:can't|cannot|can not|won't|will not|unable to|not able to)"
            rf" (?:be able to |be )?(?:\w+ ){{0,2}}{_WORK}",
            r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b",
            r"\bi (?:must|have to) (?:respectfully )?(?:decline|refuse)",
            r"\bi(?:'m| am) not comfortable\b",
            r"\bagainst my (?:guidelines|programming|policies)",
            r"\bviolates? (?:our|my|the) (?:\w+ ){0,2}(?:polic(?:y|ies)|guidelines|terms)\b",
            r"\b(?:es )?tut mir leid\b|\bich kann (?:\w+ ){0,3}nicht (?:helfen|beantworten|dabei)"
            r"|\bkann ich (?:\w+ ){0,5}nicht (?:helfen|beantworten|weiterhelfen)|^entschuldigung\b"
            r"|^leider kann ich\b",
            r"\bich (?:darf|möchte) (?:\w+ ){0,3}nicht\b",
            r"\bje (?:suis )?désolée?\b|^désolée?\b|\bje ne peux pas\b|\bje ne suis pas en mesure",
            r"\blo siento\b|\bno puedo (?:ayudar|cumplir|responder|proporcionar|continuar|hacer)",
            r"\bmi dispiace\b|\bnon posso (?:aiutar|rispondere|fornire|soddisfare)",
            r"\b(?:sinto muito|desculpe|lamento)\b"
            r"|\bnão (?:posso|consigo) (?:ajudar|responder|fornecer)",
            r"\bhet spijt me\b|\bik kan (?:\w+ ){0,3}niet (?:helpen|beantwoorden)",
            r"\bprzykro mi\b|\bprzepraszam\b|\bnie mogę (?:pomóc|odpowiedzieć)",
            r"\bизвините\b|\bпростите\b|\bк сожалению\b|\bя не могу\b"
            r"|^не могу (?:помочь|ответить|выполнить|предоставить)",
            r"\bвибачте\b|\bна жаль\b",
            r"üzgünüm|yardımcı olamam|\bjag är ledsen\b|\bjeg beklager\b|\bbeklager\b",
            r"抱歉|对不起|對不起|很遗憾|很遺憾|我无法|我無法|我不能",
            r"申し訳|ごめんなさい|すみませんが|できません|お答えでき|お手伝いでき",
            r"죄송|도와드릴 수 없|할 수 없습니다",
            r"آسف|أعتذر|عذرا|عذراً|لا أستطيع|لا يمكنني|متأسفم",
            r"क्षमा करें|माफ़ करें|माफ कीजिए|मुझे खेद|xin lỗi|tôi không thể|maaf,? (?:saya|tetapi)",
        )
    ),
    re.MULTILINE,
)
_LOOKED_AT = 600  # a refusal says so at once; later words may be quoted


def is_refusal(text: str) -> bool:
    """True if the beginning of the text declines to answer."""
    head = text[:_LOOKED_AT].casefold().replace("\u2019", "'").replace("\u02bc", "'")
    return _REFUSALS.search(head) is not None
