"""How English says that it does not know, or that its sources do not say.

Every window between two words is bounded, so that the time stays linear.
"""

from __future__ import annotations

import re

SOURCE = (
    "texts?|documents?|filings?|contexts?|evidence|passages?|sources?|excerpts?|extracts?|"
    "articles?"
    "|materials?|reports?|statements?|information|data|snippets?|paragraphs?|pages?|sections?"
    "|chunks?|contents?|references?|tables?|authors?|knowledge base|search results|results|records"
    "|transcripts?|corpus"
)
_ADVERB = r"(?:\w{2,12}ly |really |just |yet |also |even |still |at present |fully ){0,2}"
_NOT = r"(?:do not|don't|did not|didn't|does not|doesn't|have not|haven't|has not|hasn't)"
_CANNOT = (
    r"(?:cannot|can't|can not|could not|couldn't|'m unable to|am unable to|are unable to|unable to"
    r"|was unable to|were unable to|'m not able to|am not able to|are not able to|not able to"
    r"|am not in a position to|'m not in a position to)"
)
_VERBS = (
    "know|provide|help|assist|find|determine|answer|locate|tell|confirm|calculate|compute|give|"
    "identify|say|assess|verify|access|offer|see any|see where|derive|establish|specify|pinpoint|"
    "respond|predict|retrieve|browse|conclude|ascertain|figure out|work out|state|share|make a|"
    "advise|explain|extract|comment|speculate|guess|infer|deduce|quote|list|summari[sz]e|elaborate"
)
_LACK = (
    "provide|contain|mention|name|include|specify|state|give|disclose|say|indicate|address|cover|"
    "list|discuss|explain|reveal|offer|present|report|show|answer|refer|clarify|have (?:any |"
    "enough |sufficient |specific |the )?(?:information|data|details)|supply|detail|describe|"
    "touch|let (?:me|us)|allow|enable|permit|suffice|speak|identify|go into|quantify|tell|define"
)
_SAYS = (
    "contains?|provides?|offers?|gives?|includes?|makes?|has|have|says?|states?|discloses?|reveals?"
)
_SAID = (
    "provided|specified|mentioned|stated|disclosed|indicated|addressed|discussed|answered|detailed"
)
"""Said only of a source: "is not stated" speaks of what was read."""
_SHOWN = (
    "given|included|found|available|contained|covered|listed|reported|present|explained|described|"
    "shown|identified|named|recorded|quoted|defined"
)
"""Said of a source and of the world: "was not found" tells of either."""
_KNOWLEDGE = (
    "information|data|details?|mention|context|reference|answer|figures?|indication|discussion"
    "|specifics|way|means|basis|idea|access|record|knowledge|sources?|passages?|documents?|"
    "numbers?|list"
)
# What stands between a source and its verb. Another's speech, or another clause, cuts it off.
_UP_TO = (
    r"(?:(?!\b(?:says?|said|states|stated|shows?|showed|notes|noted|that|because|if)\b"
    r"|, (?:the|its|his|her|their|no|a|an|it)\b)[^.;:]){0,60}?"
)
_HERE = rf"(?:in|by|within|from|on|among)\b[^.;]{{0,40}}?\b(?:{SOURCE})\b"
_END = r"\W*(?:$|[.;!,)])"

PERSONAL = re.compile(
    rf"\b(?:i|we|this model)(?:'m| am| are| was| were)? ?,?{_ADVERB}"
    rf"(?:{_CANNOT} {_ADVERB}(?:{_VERBS})\b"
    rf"|{_NOT} {_ADVERB}(?:know|have {_ADVERB}(?:the ability|an? (?:answer|source)|access|enough|"
    r"(?:any |the |this |that |such |real-time |direct |current )?(?:\w+ ){0,2}?"
    rf"(?:{_KNOWLEDGE})\b))"
    rf"|(?:have|had|found|find|see|saw|got) (?:no|neither) (?:\w+ ){{0,2}}?(?:{_KNOWLEDGE})\b"
    r"|lack (?:the |access|sufficient|enough|information)|(?:found|find|see) nothing\b"
    rf"|{_NOT} (?:find|see) (?:it|anything|where|how much|(?:(?:that|this|any|an|the|a|enough|"
    rf"such) )?"
    rf"(?:\w+ ){{0,2}}?(?:{_KNOWLEDGE}))\b"
    r"|(?:'m|am|are) ?not (?:sure|certain|aware|familiar|able)"
    r"|(?:will not|won't|'d rather not|would rather not|prefer not to) (?:guess|speculate|say))"
    r"|\bi(?:'m| am) afraid\b(?! not\W*$)[^.]{0,80}\b(?:not|n't|cannot|unable)\b"
    r"|\byou (?:have not|haven't|did not|didn't) (?:provide|given?|include|share|specif)"
    rf"|^\W*(?:(?:based on|from|given|according to|with|using|sorry|unfortunately)\b[^.]{{0,80}}?"
    rf", ?)?{_CANNOT} {_ADVERB}(?:answer|provide|determine|locate|find)\b"
    rf"|^\W*{_CANNOT} (?:tell|say)\b(?! \w+ (?:apart|no))"
    r"|\b(?:i|we) (?:searched|looked|checked|went|read)\b[^.]{0,80}?\b(?:but|and)\b[^.]{0,30}?"
    r"\b(?:no|nothing|not|none|couldn't|didn't)\b"
    rf"|\b(?:{SOURCE}|assistant|model) (?:cannot|can't) {_ADVERB}answer\b"
    r"|\b(?:my knowledge (?:is up to date only|cutoff|does not)|^\W*no (?:real-time )?access to\b)"
    r"|\bi would need (?:access|specific|the (?:actual|specific|financial|relevant)|more|"
    r"additional"
    r"|to (?:see|have|know))|\b(?:came|come|coming) up empty\b",
    re.IGNORECASE,
)
_CONCLUDED = (
    "determined|calculated|answered|computed|derived|inferred|ascertained|concluded|deduced|"
    "established|known|assessed|worked out|told|gleaned|extracted"
)
IMPOSSIBLE = re.compile(
    r"(?:\bimpossible|(?:\bnot|n't) possible|\bnot feasible) (?:for me )?to (?:\w{2,12}ly )?(?:"
    r"determine|calculate|answer|provide|say|compute|know|tell|assess|identify|give|find|confirm|"
    r"establish|conclude|derive)"
    rf"|\b(?:cannot|can't|can not|could not|couldn't) be (?:\w+ly )?(?:{_CONCLUDED})\b"
    rf"|\b(?:information|answer|figure|value|amount|number|question|it|this|that|{SOURCE})\b"
    r"[^.;]{0,40}?\b(?:cannot|can't|can not|could not|couldn't) be (?:\w+ly )?(?:found|located|"
    r"given|verified|identified|confirmed)\b"
    rf"|\b(?:cannot|can't|could not|couldn't) be (?:\w+ly )?(?:found|located|given|verified|"
    rf"identified|confirmed)\b[^.;]{{0,30}}?{_HERE}"
    r"|\b(?:question|query) (?:is|seems|appears) (?:unanswerable|not answerable)"
    r"|\bunanswerable\b|\bno (?:\w+ )?answer (?:can|could) be\b"
    r"|\bno way (?:of|to) (?:know|tell|determin|say)",
    re.IGNORECASE,
)
NOT_YET = re.compile(
    r"\b(?:at (?:this|the|that) (?:stage|time|point|moment)|at the date|with (?:any )?certainty|"
    r"until)\b",
    re.IGNORECASE,
)
"""After "cannot be determined": the world's uncertainty, as filings state it."""

SOURCE_LACKS = re.compile(
    rf"\b(?:{SOURCE})\b{_UP_TO}\b(?:(?:do|does|did) not|doesn't|don't|didn't|fails? to|failed to) "
    rf"{_ADVERB}(?:seem to |appear to )?(?:{_LACK})\b"
    rf"|\b(?:{SOURCE})\b{_UP_TO}\b(?:{_SAYS}) (?:no|neither|not enough|insufficient|too little|"
    r"very little|nothing)\b"
    rf"|\b(?:{SOURCE})\b{_UP_TO}\b(?:(?:is|are|was|were) (?:\w+ly )?(?:silent|mute)|lacks"
    r"|lack (?:any|the|enough|this|that)|omits?"
    r"|leaves? (?:it|this|that|these|the \w+)(?: \w+)? (?:open|unanswered|unclear))\b"
    rf"|\b(?:{SOURCE})\b{_UP_TO}\b(?:is|are|was|were) not\W*$"
    rf"|\b(?:{_SAID}|{_SHOWN})\b[^.;]{{0,30}}?\b(?:{SOURCE})[;,] (?:but )?(?:the|that|this) "
    r"(?:\w+ ){1,3}(?:is|are|was|were) not\W*$"
    rf"|\b(?:is|are|was|were|been|be)(?: not|n't| neither| nowhere) {_ADVERB}(?:{_SAID})"
    rf"(?:{_END}|\b[^.;:]{{0,30}}?\b(?:in|by|within|from) (?:the|this|these|any|my|its|our|your|"
    r"what|all|either|that)\b|\b (?:anywhere|here|explicitly|there|for)\b)"
    rf"|\b(?:is|are|was|were|been|be)(?: not|n't| neither| nowhere) {_ADVERB}(?:{_SHOWN}|to be "
    rf"found)\b(?:[^.;:]{{0,40}}?\b{_HERE}| (?:anywhere|here|explicitly)\b)"
    rf"|\b(?:isn't|aren't|wasn't|weren't) {_ADVERB}(?:{_SAID})\b"
    rf"|\b(?:has|have)(?: not|n't) been {_ADVERB}(?:{_SAID})\b"
    rf"|\bit (?:does not|doesn't|did not|didn't) {_ADVERB}(?:mention|state|address|specify|"
    rf"disclose|indicate|say\b|(?:provide|contain|include|give) (?:\w+ ){{0,3}}?(?:{_KNOWLEDGE}))"
    rf"|^(?:it's |that's |this is )?not {_ADVERB}(?:{_SAID}|{_SHOWN})\b(?!,)"
    r"|(?:^\W*|[,;:(] ?|\b(?:there(?:'s| is| are| was| were)(?: simply| just)?|but|and|because|as"
    r"|since|so|with|find|found|see|contains?|provides?|gives?|has|have|includes?|offers?|"
    r"makes?) )"
    r"(?:no|insufficient|not enough|inadequate|little) (?:\w+ ){0,2}?(?:information|data|details|"
    r"context|mention|reference|answer)\b(?! (?:was |were |is )?available to (?:the|its|their)\b)"
    r"[^.;]{0,50}?\b(?:(?:is|are|was|were)(?! collected| kept| recorded)|about|on|regarding|of|"
    r"available|provided|found|given|"
    r"to (?:answer|determine|calculate|say|tell|make)|in the|for|that)\b"
    rf"|\b(?:no|insufficient|not enough) (?:\w+ )?evidence\b[^.;]{{0,60}}?\b(?:{_HERE}|to "
    rf"(?:answer|"
    r"determine|say|tell|conclude|support an answer))"
    r"|\bthere(?:'s| is| was| are) (?:simply |just )?(?:no|not enough|insufficient|too little) "
    r"(?:\w+ ){0,2}?(?:information|data|details|mention|context|here|to go on)\b"
    rf"|\bnone of the (?:\w+ ){{0,2}}?(?:{SOURCE})\b"
    rf"|\bnothing (?:(?:relevant|useful|specific) )?(?:in|within|"
    rf"from)\b[^.;:]{{0,40}}?\b(?:{SOURCE})"
    r"\b|\bsays? nothing (?:about|on|of|regarding|concerning|as to)\b"
    rf"|\b(?:is|are|was|were) (?:\w+ly )?(?:missing|absent|omitted|left out|lacking)\b"
    rf"[^.;:]{{0,20}}?\b{_HERE}"
    rf"|\b(?:does|do|did)(?: not|n't) {_ADVERB}appear\b[^.;:]{{0,20}}?\b{_HERE}"
    rf"|\b(?:outside|beyond)(?: of)? (?:what|the (?:scope|coverage|reach))\b[^.;]{{0,30}}?\b"
    rf"(?:{SOURCE})\b"
    r"|\b(?:unclear|not clear|unknown|unspecified|undisclosed|unstated|uncertain) (?:from|in|"
    r"within"
    rf"|based on|given|on the basis of)\b[^.;]{{0,30}}?\b(?:{SOURCE})\b"
    rf"|(?:\bnot|n't) (?:in|part of|among|something|anything) (?:the|this|these|those|any of the|"
    rf"what)\b[^.;]{{0,30}}?\b(?:{SOURCE})\b"
    rf"|\b(?:information|data|details|answer)\b[^.;:]{{0,60}}?\b(?:is|are|was|were)(?: unavailable"
    rf"|(?: not|n't) {_ADVERB}(?:{_SAID}|{_SHOWN}))\b"
    rf"|\b(?:{SOURCE})\b[^.;:]{{0,60}}?\bbut not (?:when|how|who|what|where|why|whether|which)\b"
    rf"|\bno (?:\w+ ){{1,3}}(?:is|are|was|were) {_ADVERB}(?:{_SAID})\b"
    rf"|\bno (?:\w+ ){{1,3}}(?:is|are|was|were) {_ADVERB}(?:{_SHOWN})\b[^.;]{{0,20}}?\b{_HERE}",
    re.IGNORECASE,
)
_DONE = "given|named|included|listed|shown|described|explained|defined|quoted"
"""Done by a source or in the world alike."""
DONE = re.compile(rf"\b(?:{_DONE})\b")
LACKS_BARELY = re.compile(
    rf"\b(?:is|are|was|were)(?: not|n't) {_ADVERB}(?:{_DONE}){_END}"
    rf"|\b(?:figure|value|amount|number|date|name|answer|detail|reason)s?\b[^.;]{{0,40}}?\b"
    rf"(?:is|are|was|were|could)(?: not|n't) (?:be )?{_ADVERB}(?:{_SHOWN}){_END}"
    rf"|\bno (?:\w+ ){{1,3}}(?:is|are|was|were) {_ADVERB}(?:given|named)\b|\bis missing{_END}",
    re.IGNORECASE,
)
"""Without a word of a source: the sources' silence, unless the question asks for yes or no."""
SORRY = re.compile(
    r"\W*(?:i'm sorry|i am sorry|sorry|sadly|i apologi[sz]e|my apologies|unfortunately)\b", re.I
)
WITHOUT = re.compile(
    r"^(?:\W*)without (?:access|specific|the |further|more|additional|knowing|this|that|any|"
    r"having)",
    re.IGNORECASE,
)
SPEECH = re.compile(
    r"\b(?:said|says|told|stated|answered|replied|claimed|wrote|added|announced|testified|admitted"
    r"|believes?|argued?)\b",
    re.IGNORECASE,
)
IF = re.compile(r"\b(?:if|when|whenever|unless|in case|because|where)\b[^,;]*$", re.IGNORECASE)
ANY_SOURCE = re.compile(rf"\b(?:{SOURCE})\b", re.IGNORECASE)
CONTRAST_WORDS = "but|however|although|though|nevertheless|nonetheless|instead|so|hence"
CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|we can conclude|can be concluded|this suggests|"
    r"suggesting|suggests that|which suggests|indicating|indicates that|this means|it appears "
    r"that|"
    r"it can be inferred|can infer|we can infer|overall|based on (?:this|these|the))\b",
    re.IGNORECASE,
)
HELP = re.compile(
    r"^\W*(?:\d{1,2}[.)] )?(?:to (?:calculate|determine|find|answer|compute|get|obtain|"
    r"identify|assess|provide|make|know)\b|please\b|you (?:can|could|would|may|should|might|need)|"
    r"i (?:recommend|suggest|can)|we (?:can|could|would|need)|if (?:you|i|we)\b|for (?:the most|"
    r"more|accurate|up-to-date|this)|once (?:you|i|we)|typically|generally|in general|i'm sorry|"
    r"sorry|unfortunately|i apologi[sz]e|however, (?:i can|you|we|if|to|it's)|here(?:'s| is| are)|"
    r"the formula|these (?:documents|figures|reports|statements|are)|this (?:information|data|is|"
    r"would)|they are|let me know|try\b|consider\b|it is (?:recommended|advis)|"
    r"it's (?:recommended|advis))"
    r"|\b(?:would (?:need|typically|have to|be (?:found|needed|required|necessary))|"
    r"is (?:needed|required|necessary)\b|(?:is|are) calculated|can (?:be|usually be|typically) "
    r"(?:calculated|found|determined)|refer to|consult|check the|annual reports? |formula"
    r"|also known as|is an? (?:useful |common |good |key |important )?(?:measure|metric|"
    r"indicator|ratio)\b|\b(?:typically|generally|usually) )",
    re.IGNORECASE,
)
REFERS = re.compile(r"^\W*(?:please|you\b|i (?:recommend|suggest)|try|consult|refer|check)\b", re.I)
DIRECTS = re.compile(
    r"\bto (?:provide|get|find|determine|give|obtain|know|answer|calculate|compute)"
    r"\b[^.]{0,200}?\b(?:you|one|we|i)(?:'d| would) (?:need|have) to (?:check|consult|review|see|"
    r"look|refer|access|examine|know)\b"
    r"|\bto (?:find|get|obtain|know|determine)\b[^.]{0,100}?\bplease (?:look|refer|consult|check|"
    r"see|visit)\b",
    re.IGNORECASE,
)
"""Sends the reader to look elsewhere for the very thing that was asked."""
REMARK = re.compile(
    rf"^\W*(?:instead, )?(?:(?:it|they) (?:only|mainly|primarily|solely|merely)\b|"
    rf"(?:(?:all|both|each) )?(?:of )?(?:the|"
    rf"these|this|those)? ?(?:\w+ ){{0,2}}(?:{SOURCE})(?: \w+)? (?:only|mainly|primarily|solely|"
    r"merely|instead|rather)\b)",
    re.IGNORECASE,
)
"""What the sources do hold, said to show that it is not what was asked."""
COVERS = re.compile(
    rf"^\W*(?:the|these|this|those) (?:\w+ ){{0,3}}(?:{SOURCE}) (?:only |mainly |do |does )?"
    r"(?:covers?|discuss(?:es)?|mentions?|describes?|talks?|includes?|lists?|(?:is|are) about|"
    r"relates?|focus(?:es)?|starts?|ends?|dates?)\b",
    re.IGNORECASE,
)
ASKS_ABOUT_TEXT = re.compile(
    rf"^\W*(?:does|do|did|is|are|was|were|has|have) (?:the|this|these|any|that) (?:\w+ ){{0,2}}?"
    rf"(?:{SOURCE})\b.{{0,200}}?\b(?:mention|state|specif|disclos|provide|contain|includ|list|say|"
    r"indicat|report|give)",
    re.IGNORECASE | re.DOTALL,
)
ASKS_WHAT_LACKS = re.compile(
    r"^\W*(?:what|which|who|why|where|how)\b(?:(?!\bif\b)[^.?;,]){0,80}?\b(?:(?:do|does|did|is|"
    r"are|was"
    r"|were|has|have)(?: \w+){0,5}? not|\w+n't|missing|lacks?|lacking|omit\w*|absent|"
    r"undisclosed)\b",
    re.IGNORECASE,
)
ASKS_NUMBER = re.compile(
    r"\bhow (?:much|many|large|high|long|big|far|old|often|fast|deep|tall)\b"
    r"|\b(?:calculate|compute)\b|\b(?:what|which)\b.{0,120}?\b(?:amount|number|ratio|margin|rate|"
    r"percentage|percent|total|value|price|cost|costs|expenditure|revenues?|income|profit|sales|"
    r"figure|balance|population|dpo|capex|ebitda|eps|headcount|limit|length|height|"
    r"weight|size|speed|distance|share|score|age|temperature)\b",
    re.IGNORECASE | re.DOTALL,
)
IS_POLAR = re.compile(
    r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|may|must)"
    r"(?:n't)? ",
    re.IGNORECASE,
)
