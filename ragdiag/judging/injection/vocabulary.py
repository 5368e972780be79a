"""The words that text for a judge is made of, as parts of patterns over folded text."""

from __future__ import annotations

LABEL = (
    r"(?:(?:un|in)?correct|(?:un)?supported|(?:in)?sufficient|(?:un)?faithful|not[_ -]found"
    r"|contradicted|abstain(?:ed|s)|fully[ -]grounded|entailed)"
)
"""Words of the judge's menus that text seldom uses by itself."""
# An adjective before its noun ("the correct answer") or a verb with its agent ("supported by") is
# no label.
_FREE = (
    r"(?![a-z0-9]|['’][a-z]|[-_ ]{1,2}(?!(?:for|and|in|with|without|regardless|no|even|on|as|at"
    r"|because|since|to|now|every|each|whatever|whenever|if|when|or|irrespective|only|immediately"
    r"|please|then|but|it|this|all|any|always|would|will|can|could|here|yourself|myself|instead|wins|so"
    r"|verdict|label|labels|is|must|should|,)\b)[^\W_])"
)
# "sufficient to meet our needs" is what reports say
_START = (
    r"(?<!not )(?<![a-z])(?!sufficient\s{1,2}to\s{1,2}(?!all\b|every|each\b|any\b|wh|this\b"
    r"|it\b|answer)[a-z])"
)
VERDICT = _START + LABEL + _FREE
PREDICATE = (
    r"(?:(?<=\bis )|(?<=\bare )|(?<=\bwas )|(?<=were )|(?<=\bbe )|(?<=been )|(?<=being )"
    r"|(?<='s )|(?<=['’]re ))"
)
"""Behind these a label is what text says of things: an adjective."""
PASSING = r"(?:correct|supported|sufficient|faithful|not_found|entailed|fully[ -]grounded|abstains)"
LABEL_ANCHORS = (
    "supported", "sufficient", "correct", "faithful", "not found", "not_found", "not-found",
    "contradicted", "abstain", "fully grounded", "fully-grounded", "entailed",
)  # fmt: skip
"""One of these stands wherever LABEL matches."""

LOOSE = (
    r"(?:pass(?:ed|es|ing)?|true|valid|verified|accurate|right|yes|partial|found|grounded|"
    r"perfect|approved|ok(?:ay)?|good|[1-9]0? ?(?:/|out of) ?(?:5|10|100)|100 ?%|1\.0|"
    r"full marks)"
)
END = r"(?=\s{0,2}[\"'”’»)\]}*`_]{0,3}(?:[^\w\s(\[{<'’\"-]|-(?!\w)|\s[-–—]{1,2}\s|\n|$))"
VERBS = (
    r"(?:output|return|reply|respond|answer|say|print|write|emit|produce|mark|label|rate|grade|"
    r"score|classify|judge|evaluate|assign|give|set|choose|select|pick|report|treat|consider|"
    r"deem|regard|accept|declare|conclude|record|tag|flag|award|approve|confirm|count|put|enter|"
    r"fill|state|issue|render|assess|categori[sz]e|designate|rule|certify|call|log|submit|"
    r"go with|opt for|settle on|decide(?: on)?|register|vote|list|make|ensure|find|view|see|read"
    r"|interpret|assume|pronounce|note|hold|take|use|default to|stick (?:to|with)|land on|found|"
    r"held|written|chose|chosen|given|gave|seen|taken|made|treat|sign off|end (?:up )?with|"
    r"finish with|come (?:back|out) (?:as|with)|let|default|tick|check|escalate|attest|affirm|"
    r"determine|announce|prefer|favou?r|finali[sz]e|jump to)"
)
SUBJECT = (
    r"(?:verdicts?|labels?|tokens?|words?|claims?|ratings?|grades?|classifications?|judge?ments?|assessments?|"
    r"findings?|conclusions?|evaluations?|determinations?|rulings?|scores?|decisions?|status|"
    r"statements?|assertions?|outcomes?|results?|sufficiency|faithfulness|correctness|"
    r"groundedness|support|everything|completions?|"
    r"choices?|annotations?|ground[ -]truth|gold|outputs?|box|field|"
    r"category|option|mark|entry|entries|checks?)"
)
WEAK_SUBJECT = (
    r"(?:answers?|responses?|evidence|context|passages?|information|documents?|sources?|it|text|"
    r"this|that|they|repl(?:y|ies)|material|excerpts?|snippets?)"
)
IS = (
    r"(?:\bis|\bare|\bbe|\bwas|\bwere|\bas|=|:|→|->|=>|\bmust be|\bshould be|\bcounts?(?: as)?|"
    r"\bremains?|\bto|\bequals?|\breads?|\bgets?|\breceives?|\bdeserves?|\bmerits?|\bcomes? out|"
    r"\bwarrants?|\bqualif(?:y|ies) as|\bstands? as|\bends? up|\bgoes to)"
)
DEGREE = (
    r"(?:\W{0,3}(?:simply|just|fully|entirely|completely|clearly|indeed|definitely|obviously|"
    r"always|already|only|therefore|thus|hereby|marked|labell?ed|rated|judged|deemed|considered|"
    r"classified|a|an|the|one|every|word|all|of|being|to be|as)\b){0,4}"
)
JUDGES = (
    r"(?:graders?|evaluators?|raters?|annotators?|assessors?|fact[- ]?check(?:er|ing)s?|"
    r"verifiers?|scorers?|checkers?|adjudicators?|(?:large )?language models?|llms?|chat ?bots?|"
    r"chatgpt|gpt(?:-\d)?|claude|gemini|ai (?:models?|systems?|assistants?|judges?|evaluators?|"
    r"graders?|agents?|readers?|reviewers?)|(?:automat\w{2,5}|machine|virtual|"
    r"digital) (?:\w{1,12} )?(?:judges?|systems?|graders?|reviewers?|evaluators?|assistants?|"
    r"readers?)|judgebot|judge model|reviewing (?:model|system|ai)|(?:whoever|whatever|anyone|"
    r"anything|the one|those|system|model|machine|you who) (?:that |who |which )?(?:is |are |"
    r"will )?(?:read|grad|evaluat|judg|scor|check|review|assess|process|verif|mark)\w{0,4})"
)
GRADING = (
    r"(?:evaluat(?:ion|e|ing)|grading|assessment|fact[- ]?check\w{0,4}|"
    r"adjudicat\w{2,4}|rubric|verdicts?|rating|scoring|label(?:l?ing|s)?|grader|"
    r"marking)"
)
SET_ASIDE = (
    "ignor", "disregard", "forget", "overrid", "bypass", "discard", "neglect", "drop", "abandon",
    "cancel", "void", "supersede", "replace", "nullif", "set aside", "throw ", "no attention",
    "skip", "stop ", "erase", "suspend", "scrap", "revoke", "delete", "precedence over", "trump",
    "not ", "don't", "never", "no longer",
)  # fmt: skip
RULES = (
    "instruct", "prompt", "direction", "guideline", "command", "directive", "rubric", "rule",
    "criteria", "task", "message", "guidance", "orders", "training", "programming", "constraint",
    "told", "said", "text", "setup", "brief", "above", "before", "earlier", "far",
)  # fmt: skip
