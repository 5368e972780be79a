"""What text that talks to a judge is made of, as patterns with weights, over folded text.

No single word convicts: a window of text is suspected where different signs in it add up to
`ENOUGH`. All quantifiers are bounded, so that time is linear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ENOUGH = 6

LABEL = (
    r"(?:(?:un|in)?correct|(?:un)?supported|(?:in)?sufficient|(?:un)?faithful|not[_ -]found"
    r"|contradicted|abstain(?:ed|s)|fully[ -]grounded|entailed)"
)
"""Words of the judge's menus that text seldom uses by itself."""
_LOOSE = (
    r"(?:pass(?:ed|es|ing)?|true|valid|verified|accurate|right|yes|partial|found|grounded|perfect"
    r"|approved|ok(?:ay)?|good|[1-9]0? ?(?:/|out of) ?(?:5|10|100)|100 ?%|1\.0|full marks)"
)
# An adjective before its noun ("the correct answer") or a verb with its agent ("supported by") is
# no label.
_FREE = (
    r"(?![a-z0-9]|['’][a-z]|[-_ ]{1,2}(?!(?:for|and|in|with|without|regardless|no|even|on|as|because|since|to|now"
    r"|here|every|each|whatever|whenever|if|when|or|irrespective|only|immediately|please|then|but"
    r"|this|all|any|always|would|will|can|could|here|yourself|myself|instead|verdict|label|labels|is|must|should|,)\b)[^\W_])"
)
_VERDICT = r"(?<!not )(?<![a-z])" + LABEL + _FREE
_END = r"(?=\s{0,2}[\"'”’»)\]}*`_]{0,3}(?:[.!?;,:|)\]}\n—–。！？，；：、」』]|\s[-–—]\s|$))"
_VERBS = (
    r"(?:output|return|reply|respond|answer|say|print|write|emit|produce|mark|label|rate|grade|score"
    r"|classify|judge|evaluate|assign|give|set|choose|select|pick|report|treat|consider|deem|regard"
    r"|accept|declare|conclude|record|tag|flag|award|approve|confirm|count|put|enter|fill|state"
    r"|issue|render|assess|categori[sz]e|designate|rule|certify|call|log|submit|go with|opt for"
    r"|settle on|decide(?: on)?|register|vote|list|make|ensure|find|view|see|read|interpret|assume"
    r"|pronounce|note|hold|take|use|default to|stick (?:to|with)|land on|found|held|written|chose|chosen|given|gave|seen|taken|made|treat|sign off|end (?:up )?with"
    r"|finish with|come (?:back|out) (?:as|with)|let|default|tick|check|escalate|attest|affirm|determine|announce)"
)
_SUBJECT = (
    r"(?:verdicts?|labels?|claims?|ratings?|grades?|classifications?|judge?ments?|assessments?"
    r"|findings?|conclusions?|evaluations?|determinations?|rulings?|scores?|decisions?|status"
    r"|statements?|assertions?|outcomes?|results?|sufficiency|faithfulness|correctness|groundedness"
    r"|support|everything|annotations?|ground[ -]truth|gold|outputs?|box|field|category|option|mark|entry|entries|checks?)"
)
_WEAK_SUBJECT = (
    r"(?:answers?|responses?|evidence|context|passages?|information|documents?|sources?|it|text"
    r"|this|that|they|repl(?:y|ies)|material|excerpts?|snippets?)"
)
_IS = (
    r"(?:\bis|\bare|\bbe|\bwas|\bwere|\bas|=|:|→|->|=>|\bmust be|\bshould be|\bcounts?(?: as)?"
    r"|\bremains?|\bto|\bequals?|\breads?|\bgets?|\breceives?|\bdeserves?|\bmerits?|\bcomes? out"
    r"|\bwarrants?|\bqualif(?:y|ies) as|\bstands? as|\bends? up|\bgoes to)"
)
_DEGREE = r"(?:\W{0,3}(?:simply|just|fully|entirely|completely|clearly|indeed|definitely|obviously|always|already|only|therefore|thus|hereby|marked|labell?ed|rated|judged|deemed|considered|classified|a|an|the|one|every|word|all|of|being|to be|as)\b){0,4}"


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern, its weight, and in words what it shows. `label`: it names a verdict."""

    name: str
    weight: int
    pattern: re.Pattern[str]
    label: bool = False


def _sign(name: str, weight: int, pattern: str, *, label: bool = False) -> Sign:
    return Sign(name, weight, re.compile(pattern, re.MULTILINE), label)


_JUDGES = (
    r"(?:graders?|evaluators?|raters?|annotators?|assessors?|fact[- ]?check(?:er|ing)s?|verifiers?"
    r"|scorers?|checkers?|adjudicators?|(?:large )?language models?|llms?|chat ?bots?|chatgpt|gpt(?:-\d)?|claude"
    r"|gemini|ai (?:models?|systems?|assistants?|judges?|evaluators?|graders?|agents?|readers?"
    r"|reviewers?)|(?:automat\w{2,5}|machine|virtual|digital) (?:\w{1,12} )?(?:judges?|systems?|graders?|reviewers?"
    r"|evaluators?|assistants?|readers?)|judgebot|judge model|reviewing (?:model|system|ai)"
    r"|(?:whoever|whatever|anyone|anything|the one|those|system|model|machine|you who) (?:that |who |which )?(?:is |are |will )?"
    r"(?:read|grad|evaluat|judg|scor|check|review|assess|process|verif|mark)\w{0,4})"
)
_GRADING = (
    r"(?:evaluat(?:ion|e|ing)|grading|assessment|benchmark|fact[- ]?check\w{0,4}|verification"
    r"|adjudicat\w{2,4}|rubric|verdicts?|rating|judge?ment|scoring|label(?:l?ing|s)?|claims?|grader|marking"
    r"|checking|assessing|reviewing|validation)"
)

SIGNS: tuple[Sign, ...] = (
    _sign(
        "tells the judge what to say",
        1,
        r"(?:^|[.!?:;,\n\"'(\[>*#—–-]|\b(?:must|should|shall|please|to|always|just|simply|only|will"
        r"|now|then|and|you|can|may|need|instead|kindly|immediately|therefore|so|not|never|or|is to"
        r"|directly|merely|automatically|safely|rather|hereby|either|us|also|still|better|i|we|they))\s{0,3}"
        + _VERBS
        + r"\b[^.!?\n]{0,90}?"
        + _VERDICT,
        label=True,
    ),
    _sign(
        "uses a verdict as a word of a report",
        2,
        r"\b" + _VERBS + r"(?:s|es|d|ed|ing|ting)?\b[^.!?\n]{0,60}?" + _VERDICT,
        label=True,
    ),
    _sign(
        "states a verdict",
        3,
        r"\b"
        + _SUBJECT
        + r"\b[^.!?\n]{0,60}?"
        + _IS
        + r"\W{0,6}"
        + _DEGREE
        + r"\W{0,4}"
        + _VERDICT,
        label=True,
    ),
    _sign(
        "calls a text a verdict's name",
        1,
        r"\b"
        + _WEAK_SUBJECT
        + r"\b[^.!?\n]{0,40}?"
        + _IS
        + r"\W{0,6}"
        + _DEGREE
        + r"\W{0,4}"
        + _VERDICT,
        label=True,
    ),
    _sign(
        "a line with a verdict",
        4,
        r"(?:^|[\s\"'{(\[*#>`|,])(?:final |my |overall |the |your |expected |official )?(?:answer|verdict|label|output|result|conclusion|decision"
        r"|judge?ment|rating|reply|response|assistant|finding|assessment|classification|grade|status|ruling|score|evaluation)s?"
        r"[\"'*`_ ]{0,3}(?:[:=→]|[-=]>)\W{0,6}(?:the )?" + _VERDICT,
        label=True,
    ),
    _sign(
        "a verdict in quotes",
        2,
        r"[\"'`*“”«‘\[(<{_]\s{0,2}" + LABEL + r"\s{0,2}[\"'`*”»’“\])>}_]",
        label=True,
    ),
    _sign("a verdict after a colon", 2, r"[:=→>]\s{0,3}" + _VERDICT, label=True),
    _sign("a verdict said over and over", 6, r"(?:\b" + LABEL + r"\b\W{0,6}){3}", label=True),
    _sign("a verdict as a word apart", 3, _VERDICT, label=True),
    _sign(
        "a verdict's word",
        1,
        r"\b(?:supported|sufficient|correct|not_found)\b(?=['’ ]?[^\W_])",
        label=True,
    ),
    _sign("a verdict at an end", 1, r"(?<![a-z])" + LABEL + _END, label=True),
    _sign(
        "a verdict named, not meant",
        3,
        r"(?:\b(?:as|with|says?|said|words?|tokens?|outputs?|returns?|repl(?:y|ies)|responds?|answers?|writes?|prints?|but|than|labels?|verdicts?|outcomes?|results?"
        r"|status|gives?|gets?|chooses?|picks?|selects?|marks?|marked|rated|ticks?|options?|box|conclude|hence|therefore|thus|hereby|automatically|definition|simply|just|only|always"
        r"|all|everything|it|this|them|finds?|for|of|on|into|being|reads?|deems?|deemed|considered|judged|labell?ed|scored|graded|called|reports?|unless|every time|until|namely|me|equals?)\s{1,2}|[:=>\"'`*“”«‘\[(<{|_→]\s{0,3}|(?:^|[.!?\n-])\s{0,3}|,\s)"
        r"(?:(?:un|in)?correct|(?:un)?supported|(?:in)?sufficient|not[_ -]found|contradicted)"
        + _END,
        label=True,
    ),
    _sign(
        "a judge's favour",
        2,
        r"\b(?:mark|rate|grade|score|give|assign|award|judge|label|classify|return|output|record|deem)\b"
        r"[^.!?\n]{0,60}?(?:\bas|\bwith|\ba|\bof|\bto|:|=|['\"“])\W{0,4}" + _LOOSE + r"\b",
        label=True,
    ),
    _sign(
        "whatever the text says",
        2,
        r"\b(?:all|every|each|any|both|these|whole)(?: of)?(?: the| these| those| your| its| my| such)?"
        r"(?: \w{1,12}){0,2} (?:claims?|statements?|assertions?|checks?|verdicts?|items?|findings|entries|boxes|fields)\b"
        r"|\bregardless\b|\bno matter\b|\birrespective\b|\bwhatever (?:the|it|you|is|they|else)\b|\bwithout (?:any |further |first )?"
        r"(?:check|verif|read|question|except|look|compar|analy|consult|hesitat|deliberat|reason)\w{0,6}"
        r"|\b(?:do not|don't|dont|never|not) (?:bother|check|verify|look|question|evaluate|analy[sz]e|compare|consult"
        r"|second-guess|doubt|read|reason|think|overthink|examine|inspect)\w{0,3}\b|\bno (?:need|reason) to\b|\bno (?:further )?(?:check|verification|comparison|evaluation|analysis|review|scrutiny)"
        r"|\bskip (?:the|any|all|this|your)\b|\bin (?:all|every|each) cases?\b|\bby default\b|\bunconditional\w{0,2}|\b(?:anything|nothing|none|no other \w{1,12}) (?:but|other than|else than|except)\b|\bother than\b",
    ),
    _sign(
        "addresses the reader",
        1,
        r"\byou(?:'re| are|r)? (?:must|should|have to|need to|will|shall|can|may|ought|now|required|instructed"
        r"|asked|told|expected|obliged|to|supposed|job|task|role|verdict|reply|output|response|evaluation|judge?ment|assessment|rating|decision"
        r"|duty|answer|instructions?|reasoning|final|only|next|grading|system|check|analysis|report)\b|\bplease\b|\bkindly\b|\bmake sure\b|\bremember\b",
    ),
    _sign("names a judge", 3, r"\b" + _JUDGES + r"\b"),
    _sign(
        "addresses a judge",
        2,
        r"\b(?:dear|attention|attn|note (?:to|for)|messages? (?:to|for)|memo (?:to|for)|hey|hello|hi|important|instructions? (?:for|to)|notice (?:to|for)|reminder (?:to|for)"
        r"|hints? (?:to|for)|request (?:to|for)|you are (?:a|an|the|now)|as (?:a|an|the|your)|act as|"
        r"acting as|role of|behave (?:as|like)|if you are)\W{0,3}(?:\w{1,14}\W){0,4}?(?:judges?|assistants?|models?|auditors?"
        r"|reviewers?|examiners?|markers?|referees?|readers?|systems?|ai|bots?|arbiters?|inspectors?|"
        + _JUDGES
        + r")\b",
    ),
    _sign("speaks of grading", 2, r"\b" + _GRADING + r"\b"),
    _sign(
        "speaks of claims and passages",
        1,
        r"\b(?:claims?|statements?|assertions?)\b[^.\n]{0,80}\b(?:passages?|contexts?|documents?|evidence|sources?|excerpts?)\b|\b(?:passages?|contexts?|evidence|excerpts?)\b[^.\n]{0,80}\b(?:claims?|statements?|assertions?|questions?|answers?)\b",
    ),
    _sign(
        "sets rules aside",
        4,
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|es|ing)|bypass|discard|neglect|drop|abandon|cancel|void|supersedes?|replaces?|nullif(?:y|ies)"
        r"|set aside|throw (?:out|away)|pay no attention to|skip(?: over)?|stop following|erase|suspend|scrap|revoke|delete|take precedence over|trumps?"
        r"|(?:do not|don't|never|not to|no longer|stop) (?:follow|obey|heed|apply|use|comply with|listen to)(?:ing)?)\b[^.\n]{0,40}?"
        r"\b(?:(?:previous|prior|above|earlier|preceding|foregoing|former|existing|original|initial|other|system|your"
        r"|before|past|old|given|said|so far|came before)\b[^.\n]{0,25}?\b(?:instruct\w{1,5}|prompts?|directions?|guidelines?|commands?|directives?"
        r"|rubrics?|rules?|criteria|tasks?|messages?|guidance|orders|training|programming|constraints?|told|said|text|setup|brief)\b"
        r"|(?:instructions?|directives?|prompts?|commands?|rubrics?|guidelines|rules?|brief)\b[^.\n]{0,25}?\b(?:above|before|previously|so far|given|received|were told|you (?:have|had|were|got)|earlier)\b"
        r"|(?:all|any|the|these|those) (?:instructions?|directives?|prompts?|rubrics?|commands?|guidelines)\b|(?:what|everything|anything)\b[^.\n]{0,25}?\b(?:above|before|told|earlier|said|far)\b)",
    ),
    _sign(
        "claims authority",
        3,
        r"\b(?:developer|administrator|admin|system|openai|anthropic|moderator|operator|root|sudo|maintainer|evaluation team|grading team|qa)[ -]"
        r"(?:message|note|notice|override|update|instructions?|directive|command|mode|prompt|alert|announcement|request)\b|\bnew (?:instructions?|system prompt|directives?|rules? (?:for|apply))\b"
        r"|\b(?:important|special|additional|updated|revised|final|hidden|secret|critical|urgent|priority) (?:instructions?|directives?|prompt|rules?)\b|\bprompt injection\b|\bjailbreak\b|\bdebug mode\b|\btest mode\b|\bmaintenance mode\b",
    ),
    _sign(
        "a turn of a chat",
        3,
        r"^\W{0,4}(?:system|assistant|user|human|ai|bot|judge|grader|evaluator|model)\W{0,3}:\s|^#{2,4} ?(?:instructions?|response|system|assistant|user|human|input|task|output|verdict|answer)\b",
    ),
    _sign(
        "a turn of a chat in a line",
        2,
        r"[\s.>\])](?:system|assistant|human|judge|grader|evaluator)\s?:\s",
    ),
    _sign(
        "a token of a chat template",
        6,
        r"<\|[a-z_]{2,24}\|?>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|\[/?(?:system|assistant)(?:_prompt)?\]|<\uff5c[^>\n]{2,30}\uff5c>|</?think(?:ing)?>",
    ),
    _sign(
        "closes the data",
        6,
        r"[\[(<【「{［〔\u27e6]\s{0,3}/?\s{0,3}(?:begin|end)\s{1,3}(?:of\s{1,3})?(?:the\s{1,3})?(?:passage|answer|claims?|question|reference|target|components|earlier turns|data|untrusted)\b[^\n]{0,40}[\])>】」}］〕\u27e7]"
        r"|</(?:passage|context|untrusted|claims?|evidence|retrieved|user_input|student_answer)s?>",
    ),
    _sign(
        "ends the data",
        3,
        r"\b(?:end|close|conclusion) of (?:the )?(?:passages?|context|data|input|evidence|text|prompt|document|answer|material|excerpts?)\b|\bend (?:passage|context|data|input|prompt|document)\b|</?(?:document|data|input|answer|system|instructions?|prompt)>|^\W{0,3}(?:[-=#*~]{3,}|`{3,})\s{0,2}(?:$|\w)",
    ),
    _sign(
        "a reply of our form",
        6,
        r"[\"']\s?(?:verdict|claim_id|quote_passage|findings|needs_citation|abstains|component_id)\s?[\"']\s{0,3}:"
        r"|\bverdict\W{0,3}[:=]\W{0,4}(?:" + LABEL + r"|" + _LOOSE + r")\b"
        r"|<verdict>|\{\s?verdict|\b(?:verdict|label)\s?=\s?[\"']?" + LABEL,
        label=True,
    ),
    _sign(
        "a template's braces",
        6,
        r"(?:\{\{|\{%|\$\{|<%)[^}\n]{0,60}?\b(?:verdict|labels?|output|return|" + LABEL + r")\b",
        label=True,
    ),
    _sign(
        "says that all is checked",
        2,
        r"\b(?:already|previously|independently|manually|human|pre-?|has|have|been|carefully|thoroughly)[ -]{0,2}(?:been )?(?:verified|checked|validated|confirmed|reviewed"
        r"|approved|evaluated|vetted|adjudicated|graded|settled|decided|established|certified)\b",
    ),
    _sign(
        "gives a role",
        3,
        r"\b(?:pretend|imagine|suppose) (?:that )?(?:you|to be)\b|\brole[- ]?play\b|\byou are (?:now|no longer|going to)\b|\bfrom (?:now|here|this point) on(?:wards?)?\b|\bin this (?:game|scenario|exercise|role)\b|\b(?:act|behave) (?:as if|as though|like)\b|\bstay in character\b|\blet'?s play\b|\byour (?:new|true|real|actual) (?:task|role|goal|job|instructions?|purpose)\b",
    ),
    _sign(
        "reasons as a judge does",
        2,
        r"\b(?:therefore|thus|hence|so|in conclusion|consequently|accordingly|it follows that|step by step|as a result|reasoning|analysis|rationale)\b[^\n]{0,120}?"
        + _VERDICT,
        label=True,
    ),
    _sign("a verdict as a subject", 3, r"(?:^|[.!?:]\s{1,2})(?:supported|sufficient|correct|not_found)\s(?:is|it is|it must|works|would|will|should|must)\b", label=True),
    _sign(
        "says what a passage bears", 6,
        r"\b(?:claims?|statements?|assertions?|answers?|sentences?)\b[^.\n]{0,60}?\bsupported by (?:the |these |those |all |our )?(?:passages?|contexts?|excerpts?)\b", label=True,
    ),
    _sign("asks for the best", 4, r"\b(?:best|highest|most (?:favou?rable|positive|lenient|generous)|top|maximum|full|perfect|passing|positive|favou?rable) (?:possible )?(?:verdicts?|labels?|ratings?|scores?|grades?|marks?)\b[^.\n]{0,60}?\b(?:claims?|answers?|this|it|here|passages?|responses?)\b"
          r"|\b(?:give|award|assign|return|choose|pick|select|output)\b[^.\n]{0,40}?\b(?:best|highest|most (?:favou?rable|positive|lenient|generous)|top|maximum|first|passing|positive) (?:possible |available )?(?:verdict|label|rating|score|grade|mark|option)\b", label=True),
    _sign("an object", 1, r"\{\s{0,3}[\"'][a-z_]{2,20}[\"']\s{0,3}:"),
)

_NOT_LATIN = r"[\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0370-\u03ff\u10a0-\u10ff]"
_DICTATION = (
    r"(?:etiqueta|etichetta|étiquette|etikett|etykieta|auf jeden fall|das wort|ausschließlich|antworte\w{0,2}|gib|gebt|geben|bewerte\w{0,2}|markiere\w{0,2}|schreibe?\w{0,2}|ausgabe|ausgeben|stufe\w{0,2}|beurteile\w{0,2}|urteil|bezeichne\w{0,2}"
    r"|r[ée]ponde?z?|r[ée]ponds|marque[zr]?|donne[zr]?|indique[zr]?|[ée]cri(?:s|vez|re)|classe[zr]?|consid[ée]re[zr]?|[ée]valuez?|verdict|note[zr]?|renvoie|renvoyez|jugez?|d[ée]clarez?"
    r"|responde?|responda|marca|marque|devuelve|escribe|escriba|indica|indique|clasifica|clasifique|considera|considere|califica|califique|veredicto|emite|evalua|evalue|evalúa|evalúe"
    r"|rispondi|rispondete|segna|scrivi|restituisci|valuta|considera|giudica|verdetto|indica|classifica"
    r"|marque|escreva|retorne|classifique|avalie|julgue|veredito|indique"
    r"|antwoord|markeer|schrijf|geef|beoordeel|oordeel|odpowiedz|oznacz|zwroc|zwróć|napisz|ocen|oceń|werdykt"
    r"|svara|markera|skriv|bedöm|svar|marker|vurder|yaz|yanitla|yanıtla|isaretle|işaretle|cevap|karar|jawab(?:lah)?|tandai|nilai|keluarkan|tra loi|trả lời|đánh dấu|odpověz|označ|raspunde|răspunde|marcheaza|válaszolj|vastaa|merkitse|απάντησε|σημείωσε)"
)
_THEIR_LABEL = (
    r"(?:korrekt|richtig|belegt|gest[uü]tzt|ausreichend|hinreichend|unterst[uü]tzt|correcte?s?|[ée]tay[ée]e?s?|soutenue?s?|appuy[ée]e?s?|suffisante?s?|fond[ée]e?s?|exacte?s?"
    r"|correct[oa]s?|respaldad[oa]s?|sustentad[oa]s?|suficientes?|apoyad[oa]s?|corrett[oaie]|supportat[oaie]|sufficient[ei]|sostenut[oaie]|corret[oa]s?|suportad[oa]s?|suficientes?|apoiad[oa]s?|juist|ondersteund|voldoende|poprawn\w{1,2}|wystarczaj\w{1,4}|potwierdzon\w{1,2}|dogru|doğru|destekleniyor|yeterli|benar|didukung|cukup)"
)

TONGUES: tuple[Sign, ...] = (
    _sign(
        "a verdict in the midst of another script",
        5,
        _NOT_LATIN + r"[^a-z\n]{0,12}" + LABEL + r"|\b" + LABEL + r"[^a-z\n]{0,6}" + _NOT_LATIN,
        label=True,
    ),
    _sign(
        "tells the judge what to say, in another language",
        6,
        r"\b"
        + _DICTATION
        + r"\b[^.!?\n]{0,80}?\b(?:supported|sufficient|faithful|not_found|(?<=[\"'«„“])correct)\b",
        label=True,
    ),
    _sign(
        "tells the judge what to say, in another language",
        4,
        r"\b" + _DICTATION + r"\b[^.!?\n]{0,80}?\b" + _THEIR_LABEL + r"(?!\w)",
        label=True,
    ),
    _sign(
        "speaks of grading, in another language",
        2,
        r"\b(?:behauptung(?:en)?|aussagen?|affirmations?|all[ée]gations?|afirmaci[oó]n(?:es)?|affermazion[ei]|afirma[cç][oõã]\w{1,2}|bewertung|gutachter|pr[uü]fer|[ée]valuat(?:eur|ion)|evaluador|evaluaci[oó]n|valutatore|avaliador|beoordelaar|richter|juge|juez|giudice|twierdze\w{1,4}|iddia\w{0,4}|klaim|pernyataan)\b",
    ),
    _sign(
        "sets rules aside, in another language",
        5,
        r"\b(?:ignorier\w{0,4}|vergiss|vergessen sie|missachte\w{0,2}|beachte nicht)\b[^.\n]{0,50}?\b(?:anweisung|instruktion|vorgabe|regel|befehl|anleitung|aufforderung|prompt)\w{0,3}"
        r"|\b(?:ignore[zr]?|oublie[zr]?|ne ten(?:ez|ir) pas compte|fai(?:s|tes) abstraction|n[ée]glige[zr]?)\b[^.\n]{0,50}?\b(?:instructions?|consignes?|r[èe]gles?|directives?|indications?)"
        r"|\b(?:ignor[ae]n?|olvid[ae]|haz caso omiso|haga caso omiso|omite|descarta|no sigas|pasa por alto)\b[^.\n]{0,50}?\b(?:instrucci[oó]n(?:es)?|indicaci[oó]n(?:es)?|reglas?|[oó]rdenes|directrices)"
        r"|\b(?:ignora\w{0,2}|dimentica\w{0,2}|trascura)\b[^.\n]{0,50}?\b(?:istruzion[ei]|regol[ae]|indicazion[ei]|direttive)"
        r"|\b(?:ignore|esque[cç]a|desconsidere|ignorar)\b[^.\n]{0,50}?\b(?:instru[cç][õo]es|regras|orienta[cç][õo]es|diretrizes)"
        r"|\b(?:negeer|vergeet)\b[^.\n]{0,50}?\b(?:instructies|regels|opdrachten|aanwijzingen)"
        r"|\b(?:zignoruj|ignoruj|zapomnij|pomi[nń])\b[^.\n]{0,50}?\b(?:instrukcj|polece|regu[lł]|zasad|wytyczn)\w{0,4}"
        r"|\b(?:ignorera|gl[oö]m|ignorer|glem)\b[^.\n]{0,50}?\b(?:instruktion|anvisning|regler|instruks)\w{0,5}"
        r"|\b(?:ignoruj|zapomeň)\b[^.\n]{0,50}?\b(?:pokyn|instrukc|pravid)\w{0,4}|\b(?:ignor[aă]|uit[aă])\b[^.\n]{0,50}?\b(?:instruc[tț]iuni|reguli)\w{0,4}"
        r"|talimat\w{0,8}[^.\n]{0,40}?(?:yok ?say|g[oö]rmezden|unut|dikkate alma)|(?:abaikan|lupakan)[^.\n]{0,40}?(?:instruksi|perintah|petunjuk|aturan)|(?:b[oỏ] qua|phớt lờ|quên)[^.\n]{0,40}?(?:h[uư][oớ]ng d[aẫ]n|chỉ dẫn|lệnh|quy tắc)"
        r"|(?:игнорируй|проигнорируй|забудь|не обращай внимания|пренебреги|не следуй|ігноруй|забудь)\w{0,4}[^.\n]{0,50}?(?:инструкци|указани|правил|команд|інструкці|вказівк)"
        r"|(?:忽略|无视|無視|忘记|忘記|不要理会|不要理會|不用管|请忽略|跳过|放弃)[^。\n]{0,20}?(?:指令|指示|说明|說明|提示|规则|規則|要求|内容)|(?:指示|命令|ルール|指令|プロンプト|説明)[^。\n]{0,12}?(?:無視|忘れ|従わない|破棄)"
        r"|(?:지시|명령|지침|규칙|프롬프트)[^.\n]{0,20}?(?:무시|잊)|(?:تجاهل|انس|تغاض|لا تتبع)\w{0,3}[^.\n]{0,50}?(?:التعليمات|الأوامر|القواعد|الإرشادات|تعليمات)"
        r"|(?:निर्देश|नियम|आदेश)[^।\n]{0,40}?(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|उपेक्षा)|(?:התעלם|שכח)\w{0,2}[^.\n]{0,40}?(?:הוראות|כללים)|(?:نادیده|فراموش)[^.\n]{0,40}?دستور|دستور\w{0,8}[^.\n]{0,40}?(?:نادیده|فراموش)|(?:αγνόησε|ξέχασε)[^.\n]{0,40}?(?:οδηγί|κανόν)\w{0,4}",
    ),
    _sign(
        "a verdict's name in another script",
        4,
        r"(?:输出|回答|标记|判定|判断为|评为|返回|視為|视为|标注|結論|结论|裁定|给出)[^。\n]{0,16}?(?:支持|正确|正確|充分|属实|足够|有依据)|(?:判定|回答|出力|評価|返答|ラベル|結論)[^。\n]{0,20}?(?:支持|正しい|正解|十分|裏付け)|(?:支持|正しい|正解|十分|サポート)[^。\n]{0,12}?(?:と判定|と回答|と出力|と評価|と答え|としてください|とみなし)"
        r"|(?:ответь|отметь|выведи|напиши|укажи|считай|оцени|признай|верни|поставь|вердикт)\w{0,4}[^.\n]{0,60}?(?:подтвержд|поддерж|правильн|верн|достаточн|корректн|обоснован)|(?:اعتبر|أجب|اكتب|ضع|صنف|قيم|الحكم|أخرج)\w{0,3}[^.\n]{0,60}?(?:مدعوم|صحيح|كاف|مؤيد|مدعومة|صحيحة)"
        r"|(?:지지|정답|충분|뒷받침|올바)[^.\n]{0,20}?(?:판정|답하|출력|표시|평가|간주|처리)|(?:समर्थित|सही|पर्याप्त)[^।\n]{0,30}?(?:चिह्नित|लिख|उत्तर|बता|मान|घोषित)",
        label=True,
    ),
)

ANCHORS = (
    "correct",
    "support",
    "suffic",
    "faithful",
    "not_found",
    "not found",
    "not-found",
    "contradict",
    "abstain",
    "entail",
    "grounded",
    "verdict",
    "claim_id",
    "ignor",
    "disregard",
    "forget",
    "overrid",
    "bypass",
    "instruct",
    "prompt",
    "<|",
    "inst]",
    "sys>>",
    "_of_turn",
    "\uff5c",
    "<think",
    "</think",
    "begin",
    "end ",
    "end]",
    "</",
    "{{",
    "{%",
    "${",
    "<%",
    "findings",
    "grader",
    "evaluator",
    "rater",
    "annotator",
    "language model",
    "llm",
    "chatbot",
    "fact-check",
    "directive",
    "attention to",
    "mark",
    "rate",
    "grade",
    "score",
    "korrekt",
    "richtig",
    "beleg",
    "stütz",
    "stutz",
    "reichend",
    "étay",
    "etay",
    "soutenu",
    "appuy",
    "suffis",
    "fond",
    "exact",
    "respald",
    "sustent",
    "sufic",
    "apoy",
    "corret",
    "juist",
    "onderst",
    "voldoen",
    "popraw",
    "wystarcz",
    "potwierdz",
    "doğru",
    "dogru",
    "destek",
    "yeterli",
    "benar",
    "didukung",
    "cukup",
    "vergiss",
    "missacht",
    "oubli",
    "compte",
    "abstraction",
    "olvid",
    "omiso",
    "dimentic",
    "esque",
    "desconsid",
    "negeer",
    "vergeet",
    "zapom",
    "pomi",
    "glöm",
    "glom",
    "glem",
    "yok",
    "görmez",
    "gormez",
    "unut",
    "abaikan",
    "lupakan",
    "bỏ qua",
    "bo qua",
    "системн",
    "игнор",
    "забуд",
    "внимани",
    "пренебр",
    "ответ",
    "отмет",
    "вывед",
    "счита",
    "оцен",
    "верди",
    "ігнор",
    "忽略",
    "无视",
    "無視",
    "忘",
    "理会",
    "指令",
    "指示",
    "输出",
    "回答",
    "判",
    "标",
    "評",
    "评",
    "지시",
    "명령",
    "지침",
    "규칙",
    "판정",
    "답하",
    "출력",
    "표시",
    "평가",
    "간주",
    "처리",
    "تجاهل",
    "انس",
    "اعتبر",
    "أجب",
    "اكتب",
    "ضع",
    "निर्देश",
    "नियम",
    "आदेश",
    "समर्थित",
    "सही",
    "पर्याप्त",
    "התעלם",
    "שכח",
    "نادیده",
    "فراموش",
    "αγνό",
    "ξέχ",
    "返",
    "視",
    "结论",
    "結論",
    "支持",
    "正",
)
"""Where none of these stands, no sign can add up."""
