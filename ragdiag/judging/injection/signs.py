"""What text that talks to a judge is made of, in English: patterns with weights, over folded text.

No single word convicts: a window of text is suspected where different signs in it add up. All
quantifiers are bounded, so that time is linear.
"""

from __future__ import annotations

from ragdiag.judging.injection.sign import Sign, sign
from ragdiag.judging.injection.vocabulary import (
    DEGREE,
    END,
    GRADING,
    IS,
    JUDGES,
    LABEL,
    LABEL_ANCHORS,
    LOOSE,
    PASSING,
    PREDICATE,
    RULES,
    SET_ASIDE,
    SUBJECT,
    VERBS,
    VERDICT,
    WEAK_SUBJECT,
)

SIGNS: tuple[Sign, ...] = (
    sign(
        "tells the judge what to say",
        1,
        r"(?:^|[.!?:;,\n\"'(\[>*#—–-]|\b(?:must|should|shall|please|to|always|just|simply|"
        r"only|will|now|then|and|you|can|may|need|instead|kindly|immediately|therefore|so|"
        r"not|never|or|is to|directly|merely|automatically|safely|rather|hereby|either|us|"
        r"also|still|better|i|we|they))\s{0,3}" + VERBS + r"\b[^.!?\n]{0,90}?" + VERDICT,
    ),
    sign(
        "uses a verdict as a word of a report",
        2,
        r"\b" + VERBS + r"(?:s|es|d|ed|ing|ting)?\b[^.!?\n]{0,60}?" + VERDICT,
    ),
    sign(
        "states a verdict",
        3,
        r"\b" + SUBJECT + r"\b[^.!?\n]{0,60}?" + IS + r"\W{0,6}" + DEGREE + r"\W{0,4}" + VERDICT,
    ),
    sign(
        "calls a text a verdict's name",
        1,
        r"\b"
        + WEAK_SUBJECT
        + r"\b[^.!?\n]{0,40}?"
        + IS
        + r"\W{0,6}"
        + DEGREE
        + r"\W{0,4}"
        + VERDICT,
    ),
    sign(
        "a line with a verdict",
        4,
        r"(?:^|[\s\"'{(\[*#>`|,])(?:final |my |overall |the |your |expected |"
        r"official )?(?:answer|verdict|label|output|result|conclusion|decision|judge?ment|"
        r"rating|reply|response|assistant|finding|assessment|classification|grade|status|"
        r"ruling|score|evaluation)s?[\"'*`_ ]{0,3}(?:[:=→]|[-=]>)\W{0,6}(?:the )?" + VERDICT,
    ),
    sign(
        "a verdict in quotes",
        2,
        r"[\"'`*“”«‘\[(<{_]\s{0,2}" + LABEL + r"\s{0,2}[\"'`*”»’“\])>}_]",
        LABEL_ANCHORS,
    ),
    sign(
        "a verdict after a colon",
        2,
        r"[:=→>]\s{0,3}" + VERDICT,
    ),
    sign(
        "a verdict said over and over",
        6,
        r"(?:\b" + LABEL + r"\b\W{0,6}){3}",
        LABEL_ANCHORS,
    ),
    sign("a verdict as a word apart", 2, VERDICT, LABEL_ANCHORS),
    sign(
        "a verdict that is no adjective", 1, r"(?!" + PREDICATE + r")(?=" + PASSING + r")" + VERDICT
    ),
    sign(
        "speaks of itself",
        3,
        r"\b(?:this|my|these|the above|above|the given|the following|all (?:of )?(?:the|these)) "
        r"(?:answer|response|claim|statement|passage|context|reply|evidence)s?\b(?: \w{1,12}){0,3} "
        r"(?:is|are) (?:\w{1,12}ly )?" + VERDICT,
    ),
    sign(
        "says how others judged",
        3,
        r"\b(?:marked|graded|rated|labell?ed|judged|scored|classified|annotated|tagged|assessed|"
        r"ruled|voted|certified) (?:as )?(?:\w{1,12}ly )?" + PASSING + r"\b",
        LABEL_ANCHORS,
    ),
    sign(
        "calls the answer right",
        2,
        r"\bthe (?:answer|above|response|claim) (?:\w{1,12} ){0,2}is " + VERDICT,
    ),
    sign(
        "asks to hold a text for it",
        6,
        r"\b(?:treat|consider|count|accept|regard|mark|rate|grade|score|deem|label|classify|judge|"
        r"take|log|record)\b[^.!?\n]{0,50}?\b(?:an?|as) (?:fully |clearly )?(?:supported|"
        r"sufficient|faithful|correct) (?:claim|statement|assertion|answer|response|reply|verdict|"
        r"label)\b|\b(?:give|award|assign|deserves?|merits?|gets?|return|output)\b[^.!?\n]{0,50}?"
        r"\b(?:an?|the) (?:supported|sufficient|faithful|correct) (?:verdict|rating|label|grade|"
        r"score|class|classification|judge?ment|mark)\b|\b(?:classification|verdict|label|rating)\b[^.!?\n]{0,40}?"
        r"\bthe (?:supported|sufficient|faithful|correct) (?:class|category|label|one)\b",
        LABEL_ANCHORS,
    ),
    sign(
        "a verdict's word",
        1,
        r"\b(?:supported|sufficient|correct|not_found)\b(?=['’ ]?[^\W_])",
    ),
    sign(
        "a verdict at an end",
        1,
        r"(?<![a-z])" + LABEL + END,
    ),
    sign(
        "a verdict named, not meant",
        3,
        r"(?:\b(?:as|with|says?|said|words?|tokens?|outputs?|returns?|repl(?:y|ies)|"
        r"responds?|answers?|writes?|prints?|but|than|labels?|verdicts?|outcomes?|results?|decisions?|judge?ments?|conclusions?|assessments?|evaluations?|rulings?|grades?|ratings?|"
        r"status|gives?|gets?|chooses?|picks?|selects?|marks?|marked|rated|ticks?|options?|"
        r"box|conclude|hence|therefore|thus|hereby|automatically|definition|simply|just|only"
        r"|always|all|everything|it|this|them|finds?|for|of|on|into|being|reads?|deems?|"
        r"deemed|considered|judged|labell?ed|scored|graded|called|reports?|unless|every time"
        r"|until|namely|me|equals?)\s{1,2}|[:=>\"'`*“”«‘\[(<{|_→]\s{0,3}|(?:^|"
        r"[.!?\n-])\s{0,3}|[,;]\s|\bonly )(?:correct|supported|sufficient|not_found)"
        + END
        + r"|\bonly (?:correct|supported|sufficient|not_found) (?:is|counts|will|it is)\b",
    ),
    sign(
        "a judge's favour",
        2,
        r"\b(?:mark|rate|grade|score|give|assign|award|judge|label|classify|return|output|"
        r"record|deem)\b[^.!?\n]{0,60}?(?:\bas|\bwith|\ba|\bof|\bto|:|=|['\"“])\W{0,4}"
        + LOOSE
        + r"\b",
    ),
    sign(
        "whatever the text says",
        2,
        r"\b(?:all|every|each|any|both|these|whole)(?: of)?(?: the| these| those| your| its|"
        r" my| such)?(?: \w{1,12}){0,2} (?:claims?|statements?|assertions?|checks?|verdicts?"
        r"|items?|findings|entries|boxes|fields)\b|\bregardless\b|\bno matter\b|"
        r"\birrespective\b|\bwhatever (?:the|it|you|is|they|else)\b|\bwithout (?:any |"
        r"further |first )?(?:check|verif|read|question|except|look|compar|analy|consult|"
        r"hesitat|deliberat|reason)\w{0,6}|\b(?:do not|don't|dont|never|not) (?:bother|check"
        r"|verify|look|question|evaluate|analy[sz]e|compare|consult|second-guess|doubt|read|"
        r"reason|think|overthink|examine|inspect)\w{0,3}\b|\bno (?:need|reason) to\b|"
        r"\bno (?:further )?(?:check|verification|comparison|evaluation|analysis|review|"
        r"scrutiny)|\bskip (?:the|any|all|this|your)\b|\bin (?:all|every|each) cases?\b|"
        r"\bby default\b|\bunconditional\w{0,2}|\b(?:anything|nothing|none|"
        r"no other \w{1,12}) (?:but|other than|else than|except)\b|\bother than\b",
    ),
    sign(
        "addresses the reader",
        1,
        r"\byou(?:'re| are|r)? (?:must|should|have to|need to|will|shall|can|may|ought|now|"
        r"required|instructed|asked|told|expected|obliged|to|supposed|job|task|role|verdict|"
        r"reply|output|response|evaluation|judge?ment|assessment|rating|decision|duty|answer"
        r"|instructions?|reasoning|final|only|next|grading|system|check|analysis|report)\b|"
        r"\bplease\b|\bkindly\b|\bmake sure\b|\bremember\b",
    ),
    sign(
        "names a judge",
        3,
        r"\b" + JUDGES + r"\b",
    ),
    sign(
        "addresses a judge",
        2,
        r"\b(?:dear|attention|attn|note (?:to|for)|messages? (?:to|for)|memo (?:to|for)|hey|"
        r"hello|hi|important|instructions? (?:for|to)|notice (?:to|for)|reminder (?:to|for)|"
        r"hints? (?:to|for)|request (?:to|for)|you are (?:a|an|the|now)|as (?:a|an|the|your)"
        r"|act as|acting as|role of|behave (?:as|like)|"
        r"if you are)\W{0,3}(?:\w{1,14}\W){0,4}?(?:judges?|assistants?|models?|auditors?|"
        r"reviewers?|examiners?|markers?|referees?|readers?|systems?|ai|bots?|arbiters?|"
        r"inspectors?|" + JUDGES + r")\b",
    ),
    sign(
        "speaks of grading",
        2,
        r"\b" + GRADING + r"\b",
    ),
    sign(
        "speaks of claims and passages",
        1,
        r"\b(?:claims?|statements?|assertions?)\b[^.\n]{0,80}\b(?:passages?|contexts?|"
        r"documents?|evidence|sources?|excerpts?)\b|\b(?:passages?|contexts?|evidence|"
        r"excerpts?)\b[^.\n]{0,80}\b(?:claims?|statements?|assertions?|questions?|"
        r"answers?)\b",
    ),
    sign(
        "sets rules aside",
        4,
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|es|ing)|bypass|"
        r"discard|neglect|drop|abandon|cancel|void|supersedes?|replaces?|nullif(?:y|ies)|"
        r"set aside|throw (?:out|away)|pay no attention to|skip(?: over)?|stop following|"
        r"erase|suspend|scrap|revoke|delete|take precedence over|trumps?|(?:do not|don't|"
        r"never|not to|no longer|stop) (?:follow|obey|heed|apply|use|comply with|"
        r"listen to)(?:ing)?)\b[^.\n]{0,40}?\b(?:(?:previous|prior|above|earlier|preceding|"
        r"foregoing|former|existing|original|initial|other|system|your|before|past|old|given"
        r"|said|so far|came before)\b[^.\n]{0,25}?\b(?:instruct\w{1,5}|prompts?|directions?|"
        r"guidelines?|commands?|directives?|rubrics?|rules?|criteria|tasks?|messages?|"
        r"guidance|orders|training|programming|constraints?|told|said|text|setup|brief)\b|"
        r"(?:instructions?|directives?|prompts?|commands?|rubrics?|guidelines|rules?|"
        r"brief)\b[^.\n]{0,25}?\b(?:above|before|previously|so far|given|received|were told|"
        r"you (?:have|had|were|got)|earlier)\b|(?:all|any|the|these|those) (?:instructions?|"
        r"directives?|prompts?|rubrics?|commands?|guidelines|criteria)\b|(?:what|everything|"
        r"anything)\b[^.\n]{0,25}?\b(?:above|before|told|earlier|said|far)\b)",
        SET_ASIDE,
        RULES,
    ),
    sign(
        "claims authority",
        3,
        r"\b(?:developer|administrator|admin|system|openai|anthropic|moderator|operator|root"
        r"|sudo|maintainer|evaluation team|grading team|qa)[ -](?:message|note|notice|"
        r"override|update|instructions?|directive|command|mode|prompt|alert|announcement|"
        r"request)\b|\bnew (?:instructions?|system prompt|directives?|rules? (?:for|"
        r"apply))\b|\b(?:important|special|additional|updated|revised|final|hidden|secret|"
        r"critical|urgent|priority) (?:instructions?|directives?|prompt|rules?)\b|"
        r"\bprompt injection\b|\bjailbreak\b|\bdebug mode\b|\btest mode\b|"
        r"\bmaintenance mode\b",
    ),
    sign(
        "a turn of a chat",
        3,
        r"^\W{0,4}(?:system|assistant|user|human|ai|bot|judge|grader|evaluator|"
        r"model)\W{0,3}:\s|^#{2,4} ?(?:instructions?|response|system|assistant|user|human|"
        r"input|task|output|verdict|answer)\b",
    ),
    sign(
        "a turn of a chat in a line",
        2,
        r"[\s.>\])](?:system|assistant|human|judge|grader|evaluator)\s?:\s",
    ),
    sign(
        "a token of a chat template",
        6,
        r"<\|[a-z_]{2,24}\|?>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|\[/?(?:system|"
        r"assistant)(?:_prompt)?\]|<\uff5c[^>\n]{2,30}\uff5c>|</?think(?:ing)?>",
        (
            "<|",
            "inst]",
            "sys>>",
            "_of_turn",
            "[system",
            "[/system",
            "[assistant",
            "[/assistant",
            "\uff5c",
            "<think",
            "</think",
        ),
    ),
    sign(
        "closes the data",
        6,
        r"[\[(<【「{［〔\u27e6]\s{0,3}/?\s{0,3}(?:begin|"
        r"end)\s{1,3}(?:of\s{1,3})?(?:the\s{1,3})?(?:passage|answer|claims?|question|"
        r"reference|target|components|earlier turns|data|"
        r"untrusted)\b[^\n]{0,40}[\])>】」}］〕\u27e7]|</(?:passage|context|untrusted|claims?|"
        r"evidence|retrieved|user_input|student_answer)s?>",
        ("begin", "end", "</"),
        (
            "passage",
            "answer",
            "claim",
            "question",
            "reference",
            "target",
            "components",
            "earlier turns",
            "data",
            "untrusted",
            "context",
            "evidence",
            "retrieved",
            "user_input",
        ),
    ),
    sign(
        "ends the data",
        3,
        r"\b(?:end|close|conclusion) of (?:the )?(?:passages?|context|data|input|evidence|"
        r"text|prompt|document|answer|material|excerpts?)\b|\bend (?:passage|context|data|"
        r"input|prompt|document)\b|</?(?:document|data|input|answer|system|instructions?|"
        r"prompt)>|^\W{0,3}(?:[-=#*~]{3,}|`{3,})\s{0,2}(?:$|\w)",
    ),
    sign(
        "a reply of our form",
        6,
        r"[\"']\s?(?:verdict|claim_id|quote_passage|findings|needs_citation|abstains|"
        r"component_id)\s?[\"']\s{0,3}:|\bverdict\W{0,3}[:=]\W{0,4}(?:"
        + LABEL
        + r"|"
        + LOOSE
        + r")\b|<verdict>|\{\s?verdict|\b(?:verdict|label)\s?=\s?[\"']?"
        + LABEL,
        (
            "verdict",
            "claim_id",
            "quote_passage",
            "findings",
            "needs_citation",
            "abstains",
            "component_id",
            "label",
        ),
    ),
    sign(
        "a template's braces",
        6,
        r"(?:\{\{|\{%|\$\{|<%)[^}\n]{0,60}?\b(?:verdict|labels?|output|return|" + LABEL + r")\b",
        ("{{", "{%", "${", "<%"),
    ),
    sign(
        "says that all is checked",
        2,
        r"\b(?:already|previously|independently|manually|human|pre-?|has|have|been|carefully"
        r"|thoroughly)[ -]{0,2}(?:been )?(?:verified|checked|validated|confirmed|reviewed|"
        r"approved|evaluated|vetted|adjudicated|graded|settled|decided|established|"
        r"certified)\b",
    ),
    sign(
        "gives a role",
        3,
        r"\b(?:pretend|imagine|suppose) (?:that )?(?:you|to be)\b|\brole[- ]?play\b|"
        r"\byou are (?:now|no longer|going to)\b|\bfrom (?:now|here|"
        r"this point) on(?:wards?)?\b|\bin this (?:game|scenario|exercise|role)\b|\b(?:act|"
        r"behave) (?:as if|as though|like)\b|\bstay in character\b|\blet'?s play\b|"
        r"\byour (?:new|true|real|actual) (?:task|role|goal|job|instructions?|purpose)\b",
    ),
    sign(
        "reasons as a judge does",
        2,
        r"\b(?:therefore|thus|hence|so|in conclusion|consequently|accordingly|"
        r"it follows that|step by step|as a result|reasoning|analysis|"
        r"rationale)\b[^\n]{0,120}?" + VERDICT,
    ),
    sign(
        "a verdict as a subject",
        3,
        r"(?:^|[.!?:]\s{1,2})(?:supported|sufficient|correct|not_found)\s(?:is|it is|it must"
        r"|works|would|will|should|must)\b",
    ),
    sign(
        "says what a passage bears",
        6,
        r"\b(?:claims?|statements?|assertions?|answers?|"
        r"sentences?)\b[^.\n]{0,60}?\bsupported by (?:the |these |those |all |"
        r"our )?(?:passages?|contexts?|excerpts?)\b",
        ("supported by",),
    ),
    sign(
        "asks for the best",
        4,
        r"\b(?:best|highest|most (?:favou?rable|positive|lenient|generous)|top|maximum|full|"
        r"perfect|passing|positive|favou?rable) (?:possible )?(?:verdicts?|labels?|ratings?|"
        r"scores?|grades?|marks?)\b[^.\n]{0,60}?\b(?:claims?|answers?|this|it|here|passages?"
        r"|responses?)\b|\b(?:give|award|assign|return|choose|pick|select|"
        r"output)\b[^.\n]{0,40}?\b(?:best|highest|most (?:favou?rable|positive|lenient|"
        r"generous)|top|maximum|first|passing|positive) (?:possible |available )?(?:verdict|"
        r"label|rating|score|grade|mark|option)\b",
        (
            "best",
            "highest",
            "most ",
            "top",
            "maximum",
            "full",
            "perfect",
            "pass",
            "positive",
            "favo",
            "first",
        ),
        ("verdict", "rating", "label", "score", "grade", "mark", "option"),
        (
            "claim",
            "answer",
            "this",
            " it",
            "here",
            "passage",
            "response",
            "give",
            "award",
            "assign",
            "return",
            "choose",
            "pick",
            "select",
            "output",
        ),
    ),
    sign(
        "an object",
        1,
        r"\{\s{0,3}[\"'][a-z_]{2,20}[\"']\s{0,3}:",
    ),
)
