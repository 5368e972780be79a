"""Phrases around what an answer states: greetings, summings-up, inferences; in many languages."""

from __future__ import annotations

import re

from ragdiag.text.tokens import language

GREETING = re.compile(
    r"^(?:hi|hello|hey|dear \w+|good (?:morning|afternoon|evening)|welcome|thanks?(?: you)?|sure"
    r"|certainly|of course|you're welcome|no problem|great question|i(?:'m| am) glad|i hope"
    r"|hope (?:this|that)|let me know|feel free|please (?:let|feel)"
    r"|if you (?:have|need) (?:any|more))"
    r"\b",
    re.IGNORECASE,
)
_GREETING_ELSEWHERE = re.compile(
    r"^\W*(?:(?:hallo|guten (?:tag|morgen|abend)|danke|gerne?|natürlich|selbstverständlich"
    r"|ich hoffe|bonjour|bonsoir|merci|bien sûr|avec plaisir|n'hésitez pas|j'espère"
    r"|hola|buen[oa]s (?:días|tardes|noches)|gracias|claro|por supuesto|espero que"
    r"|olá|bom dia|obrigad[oa]|ciao|buongiorno|grazie|certo"
    r"|здравствуйте|привет|спасибо|конечно|надеюсь|merhaba|teşekkür)\b"
    r"|(?:你好|您好|谢谢|当然|希望|如果您|こんにちは|ありがとう|もちろん|안녕하세요|감사합니다|물론"
    r"|مرحبا|شكرا|بالطبع|नमस्ते|धन्यवाद))",
    re.IGNORECASE,
)
_SUMS_UP = re.compile(
    r"^\W*(?:(?:in (?:summary|conclusion|short|sum|brief|total)|overall|to (?:sum up|summari[sz]e|"
    r"conclude)|all in all|taken together|in other words|zusammenfassend|zusammengefasst|insgesamt|"
    r"kurz gesagt|alles in allem|en (?:résumé|somme|conclusion|bref)|pour (?:résumer|conclure)|"
    r"en (?:resumen|conclusión|definitiva)|em (?:resumo|conclusão)|in (?:sintesi|conclusione)|"
    r"итак|в итоге|подводя итог|таким образом|в целом|özetle|sonuç olarak)\b"
    r"|(?:总之|总的来说|综上所述|總之|綜上所述|要するに|まとめると|以上のことから|요약하면|결론적으로"
    r"|باختصار|في الختام|خلاصة القول|संक्षेप में|कुल मिलाकर))",
    re.IGNORECASE,
)
_INFERS = re.compile(
    r"^\W*(?:(?:therefore|thus|hence|so|consequently|accordingly|as a (?:result|consequence)|"
    r"this (?:means|implies|shows|suggests|indicates|confirms)|that (?:means|implies)|it follows|"
    r"from this|daher|deshalb|somit|folglich|also|das (?:heißt|bedeutet|zeigt)|daraus folgt|"
    r"donc|ainsi|par conséquent|cela (?:signifie|montre)|por (?:lo tanto|tanto|consiguiente)|"
    r"esto (?:significa|muestra)|portanto|assim|isso significa|quindi|pertanto|dunque|"
    r"следовательно|поэтому|значит|это (?:значит|означает)|bu nedenle|dolayısıyla)\b"
    r"|(?:因此|所以|由此可见|由此可見|这意味着|從而|したがって|よって|つまり|따라서|그러므로|이는"
    r"|لذلك|وبالتالي|إذن|इसलिए|अतः|इसका मतलब))",
    re.IGNORECASE,
)
_POLAR_ALONE = re.compile(
    r"^\W*(?:yes|no|ja|nein|oui|non|sí|si|sim|não|da|да|нет|evet|hayır|是的?|不是|对|否|はい|いいえ|"
    r"예|네|아니요|نعم|لا|हाँ|हां|नहीं)\W*$",
    re.IGNORECASE,
)
_COMPUTES = re.compile(
    r"[=≈×÷%]|\b(?:differ\w*|sums?|totals?|combined|together|average|mean|ratio|margin|grow\w*|grew|"
    r"rose|rise\w*|fell|fall\w*|increas\w*|decreas\w*|declin\w*|chang\w*|drop\w*|more than|"
    r"less than|higher|lower|percent\w*|times|doubled|halved|per|differenz|unterschied|summe|"
    r"gesamt\w*|zusammen|durchschnitt\w*|verhältnis|anstieg|stieg\w*|rückgang|sank\w*|wachs\w*|wuchs|"
    r"différence|somme|au total|ensemble|moyenne|hausse|baisse|croissance|augment\w*|diminu\w*|"
    r"diferencia|suma|total|promedio|aument\w*|diferença|soma|média|differenza|somma|media|"
    r"разниц\w*|сумм\w*|итого|всего|средн\w*|рост\w*|вырос\w*|снижени\w*|снизил\w*)\b"
    r"|差|合计|合計|总共|總共|共计|平均|增长|增長|下降|增加|減少|减少|합계|차이|평균|증가|감소"
    r"|الفرق|المجموع|المتوسط|زيادة|انخفاض|अंतर|कुल|योग|औसत|वृद्धि|कमी",
    re.IGNORECASE,
)
_SAYS_MORE = re.compile(
    r"\b(?:if|unless|while|although|though|but|wenn|falls|obwohl|aber|si|bien que|mais|aunque|pero|"
    r"se|embora|mas|anche se|ma|если|хотя|но)\b|如果|虽然|但|もし|けど|하지만|إذا|لكن|यदि|लेकिन",
    re.IGNORECASE,
)
_PLANS = re.compile(
    r"^\W*(?:as an? [^,.]{1,120}, )?(?:(?:first|next|now|then|finally),? )?"
    r"(?:(?:in order )?to (?:calculate|compute|determine|find|answer|assess|evaluate|analy[sz]e|"
    r"derive|get|obtain|work out|identify|compare|estimate|address|understand)\b[^.;!?]*?,? ?"
    r"\b(?:we|i|you|one|it is)(?:'ll| will| would| can| could| need| must| have| should| first"
    r"| simply| look| use| divide| add| subtract| compare| refer| necessary|'d)\b"
    r"|(?:let's|let us|(?:we|i|you)(?:'ll| will| can| need to| must| have to| should)"
    r"(?: now| first| then| also)?) (?:calculate|compute|determine|find|look|compare|divide|add|"
    r"subtract|use|analy[sz]e|assess|identify|gather|start|begin|break)\b"
    r"|(?:calculate|compute|determine|find|divide|add|subtract|multiply|compare) the\b"
    r"|um [^.;!?]* zu (?:berechnen|bestimmen|ermitteln|finden|beantworten|vergleichen)\b"
    r"|pour (?:calculer|déterminer|trouver|répondre)\b|para (?:calcular|determinar|encontrar|"
    r"responder)\b)",
    re.IGNORECASE,
)
# Words on both sides, an operator on the right: no number but 2, 100 and the like, and years.
_FORMULA = re.compile(
    r"^\W*(?=[^\W\d_])[^=≈]{2,120}=(?=[^=≈]*(?:[-/+*×÷−]|\bover\b|\bdivided\b))(?=[^=≈]*[^\W\d_]{3})"
    r"(?![^=≈]*(?:[$€£%]|\d[.,]\d|\b\d{5,}|\b(?!(?:19|20)\d\d\b)\d{4}\b))[^=≈]{2,200}$"
)
_SOURCES = re.compile(
    r"\b(?:documents?|passages?|contexts?|sources?|texts?|evidence|filings?|reports?|statements?|"
    r"information|data|excerpts?|articles?|materials?|pages?|tables?|records?|details?|instructions?"
    r"|specifics|i|we|answer\w*|question)\b",
    re.IGNORECASE,
)
_QUESTION_END = re.compile(r"[?？؟]\W*$")
_WH = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|was|welche[rsmn]?|wer|wem|wen|wann|wo|warum|"
    r"wieso|wie|wieviel|que|quel(?:le)?s?|qui|quand|où|pourquoi|combien|comment|qué|cuál(?:es)?|"
    r"quién(?:es)?|cuándo|dónde|cuánt[oa]s?|cómo|quais|qual|quem|quando|onde|quanto|quali|chi|dove|"
    r"что|какой|какая|какие|какова|кто|когда|где|почему|сколько|как|kaç|hangi|kim|nerede|neden)\b"
    r"|什么|什麼|哪|谁|誰|何|几|幾|多少|怎么|怎麼|为什么|為什麼|いつ|どこ|どの|いくら|なぜ|무엇|누구|언제"
    r"|어디|얼마|어떤|몇|ما|متى|أين|كم|من|لماذا|क्या|कौन|कब|कहाँ|कितन",
    re.IGNORECASE,
)
_ENDING = 20


def greets(sentence: str) -> bool:
    """A greeting, thanks, or an offer of help."""
    return bool(GREETING.match(sentence) or _GREETING_ELSEWHERE.match(sentence))


def asks(sentence: str) -> bool:
    """Does it end as a question?"""
    return _QUESTION_END.search(sentence[-_ENDING:]) is not None


def leads_in(sentence: str) -> bool:
    """ "There are three reasons:"."""
    return sentence.rstrip(" *_").endswith((":", "："))


def plans(sentence: str) -> bool:
    """ "To find the ratio, we need to divide A by B", "ratio = A / B": says what is to be done or
    how, not what is."""
    return _PLANS.match(sentence) is not None or _FORMULA.match(sentence) is not None


def sums_up(sentence: str) -> bool:
    """ "In summary, …"."""
    return _SUMS_UP.match(sentence) is not None


def infers(sentence: str) -> bool:
    """ "Therefore …", or nothing but a yes or no."""
    return _INFERS.match(sentence) is not None or _POLAR_ALONE.match(sentence) is not None


def of_sources_alone(sentence: str) -> bool:
    """Does a sentence that says that something is missing speak of sources or of who answers, and
    of nothing else beside? (In other languages than English only the latter is asked.)"""
    if _SAYS_MORE.search(sentence) is not None:
        return False
    return language(sentence) != "en" or _SOURCES.search(sentence) is not None


def computes(sentence: str) -> bool:
    """Does it speak as of something worked out: a difference, a sum, a share, "="?"""
    return _COMPUTES.search(sentence) is not None


def asks_openly(query: str) -> bool:
    """Does a question hold a word such as "what" or "when", so that yes or no is no answer?"""
    return _WH.search(query) is not None
