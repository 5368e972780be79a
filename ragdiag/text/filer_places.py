"""The places in which a page names its own company: patterns alone, which `filers` reads.

Line patterns are matched against one line; the others against a text of single blanks, so that a
name may stand across a line break.
"""

from __future__ import annotations

import re

FORM = (
    r"(?:Inc(?:orporated)?|Corp(?:oration)?|Company|Co|Ltd|Limited|L\.?L\.?C|L\.?P|P\.?L\.?C|"
    r"N\.?V|B\.?V|S\.?A|S\.?E|S\.?p\.?A|A\.?G|GmbH|KGaA|A/S|ASA|AB|Oyj|Pty|Bhd|Tbk|Holdings?|"
    r"Group|International|Companies)"
)
_WORD = r"(?:[^\W\d_][\w&’'./-]*|\d{1,3}[A-Z]\w*|&)"
_NAME = rf"(?:{_WORD}[ ]){{0,5}}{_WORD}"
_HANGUL_HAN = (
    r"(?:株式会社[^\s、。（(]{1,20}|[^\s、。（(]{2,20}(?:株式会社|股份有限公司|有限公司|集团|주식회사)|"
    r"주식회사\s?[^\s(]{1,20}|(?:ПАО|ООО|АО|ОАО|ЗАО)\s?[«\"][^»\"\n]{1,40}[»\"])"
)
_AND_SUBSIDIARIES = (
    r"(?:\s*(?:and|&|und|et|y|e)\s+(?:its\s+|ses\s+|sus\s+|seine\s+)?(?:consolidated\s+)?"
    r"(?:subsidiaries|subsidiary companies|tochter\w*|filiales|subsidiarias|filiali|"
    r"controllate)\b|及其?子公司|及び(?:連結)?子会社|및 종속(?:기업|회사))"
)
ALONE = re.compile(
    rf"(?:(?P<name>{_NAME}),?\s(?P<form>{FORM})\b\.?|(?P<cjk>{_HANGUL_HAN})|"
    rf"(?P<bare>{_NAME})(?={_AND_SUBSIDIARIES}))"
    rf"(?P<subs>{_AND_SUBSIDIARIES})?\s*(?:\([^()\n]{{2,40}}\))?\s*[|:.–—-]?\s*(?:\d{{1,4}})?"
    r"(?:(?:(?:un)?audited\s|condensed\s|consolidated\s)+[^.;]{4,60}|notes to [^.;]{4,60}|"
    r"(?:statements? of|balance sheets?)\b[^.;]{0,40})?",
    re.IGNORECASE,
)
"""A line that is nothing but a company's name with its legal form or its subsidiaries, perhaps with
the title of a statement behind it."""
RUNNING = re.compile(
    rf"(?:Table of Contents\s+)?(?:\d{{1,4}}\s*[|•·–-]?\s+)?"
    rf"(?P<name>{_NAME})(?:,?\s{FORM}\b\.?)?\s*(?P<bar>[|•·–—-]\s*)?"
    r"(?:Q[1-4]\s+)?(?:(?:FY\s?)?(?:19|20)\d\d\s+)?"
    r"(?P<kind>(?:Annual|Quarterly|Half-year|Interim)\s+Report|Form\s+(?:10-[KQ]|20-F|8-K)|"
    r"Geschäftsbericht|Rapport annuel|Informe anual|有価証券報告書|年度报告)\b",
    re.IGNORECASE,
)
"""A running head or foot: "Apple Inc. | Q3 2022 Form 10-Q"."""

_PART = (
    r"(?:(?:[A-Z]\.){1,3}|\d{0,3}[A-Z][\w&’'-]{0,30}(?:\.[A-Za-z]\w{0,10})?|"
    r"[a-z]{1,2}[A-Z]\w{1,20}|&)"
)
PROPER = rf"(?<![\w&.’'-]){_PART}(?:[ ](?:(?<=Bank )of[ ](?:the[ ])?)?{_PART}){{0,5}}"
"""A capitalised name of one to six words, the last without a full stop."""
_FORMS = rf"(?:,?[ ](?i:{FORM})\b\.?){{0,2}}"
_SUBS = (
    r"(?:,?[ ](?:and|&|together[ ]with)[ ](?:its[ ])?(?:consolidated[ ]|wholly[ -]owned[ ])?"
    r"subsidiaries(?:,[ ][\w ]{1,40},)?)?"
)
REPORT_OF = re.compile(
    r"\b(?:Form (?:10-[KQ]|20-F|8-K|40-F)(?:/A)?|(?:annual|quarterly) report) of "
    rf"(?:the )?(?P<n>{PROPER}{_FORMS})"
)
_HOLDERS = (
    r"(?i:(?:common )?(?:stock|share)(?:holders|owners)[’'´]?s? (?:equity|deficit|investment))"
)
AFTER = (
    re.compile(
        r"[\"“](?:the )?(?:Company|Corporation),?[”\"] (?:means?|refers? to) (?:the )?"
        rf"(?P<n>{PROPER})"
    ),
    re.compile(
        r"(?i:\b(?:income|loss(?:es)?|earnings|profit)\)?(?: \(loss(?:es)?\))? attributable to )"
        rf"(?:the )?(?P<n>{PROPER})"
    ),
    re.compile(
        r"\b(?:[Bb]oard of [Dd]irectors|[Ss](?:tock|hare)holders|Certificate of Incorporation|"
        r"financial condition|trademarks?|[Cc]ommon [Ss]tock|capacity as an? (?:\w+ )?officer)"
        r"(?: and (?:the )?(?:[Bb]oard of [Dd]irectors|[Ss](?:tock|hare)holders))? of "
        rf"(?:the )?(?P<n>{PROPER}),? {FORM}\b(?!\.?,? (?:an?|where|since|until|from|which)\b)"
    ),
    re.compile(
        r"(?i:\bconsolidated (?:balance sheets?|(?:financial )?statements?) of )"
        rf"(?:the )?(?P<n>{PROPER}),? {FORM}\b"
    ),
    re.compile(
        r"(?i:\b(?:Konzernabschluss|Geschäftsbericht|Jahresabschluss) (?:der|des) |"
        r"\b(?:rapport annuel|comptes consolidés|états financiers) (?:de |du |d[’'])|"
        r"\b(?:informe anual|cuentas anuales|estados financieros) de |"
        rf"\b(?:relazione annuale|bilancio consolidato) (?:di|del) )(?P<n>{PROPER})"
    ),
    re.compile(rf"\bOfficer of (?:the )?(?P<n>{PROPER}),? {FORM}\b\.?,? pursuant to\b"),
    re.compile(rf"(?:©|\bCopyright) (?:(?:19|20)\d\d(?:[-–]\d{{4}})?,? )?(?P<n>{PROPER})"),
    re.compile(r"(?:\b|/)(?:investors?|ir)\.(?P<n>[a-z0-9-]{2,30})\.(?:com|net|org|de)\b"),
)
"""Words behind which a page's own company stands, as the group `n`."""
BEFORE = re.compile(
    r" (?:"
    r"\((?:together[^()]{0,160})?(?:the |[“\"]we,?[”\"] ?)*[“\"](?:[Tt]he )?(?:\w+ or )?"
    r"(?:Company|Registrant|Corporation)[,”\"]"
    r"|\((?:the )?(?:Company|Registrant|Corporation)\)"
    r"|(?:is|are|may be|will be) (?:\w+ ){0,2}referred to (?:[^.“\"]{0,60}? )?as (?:the )?[“\"]"
    r"(?:we|the |our|us|Company|Corporation)"
    r"|(?:[“\"][^”\"]{1,30}[”\"] )?\((?i:NYSE|NASDAQ|LSE|TSX|ASX|XETRA|OTC)[^()]{1,40}\)"
    r"(?: \([^()]{1,60}\))?,? (?:today|announced|reported)"
    r"|\((?i:exact name of registrant|registrant\))"
    r"|By:? ?/s/"
    r"|(?:\([A-Z][^()]{2,40}\) )?is an? (?:[A-Z]\w+ )?(?:corporation\b|public limited company\b|"
    r"(?:bank |financial )?holding company\b|company incorporated\b)"
    r"|\$?100(?:\.00?)? \$?\d"
    rf"|{_HOLDERS}"
    r"|(?:19|20)\d\d (?:[A-Z][\w-]+ ){1,4}Plan\b"
    r"|(?i:(?:reports|announces|posts) (?:strong |record |its )?"
    r"(?:first|second|third|fourth|q[1-4]|full|fiscal|annual|half|(?:19|20)\d\d)\b)"
    r"|(?:Q[1-4]|FY|Full[ -]Year) ?’?(?:20)?\d\d (?:Financial )?(?:Results|Earnings)\b"
    r")"
    r"|[’'](?:s )?(?:Current|Annual|Quarterly) Report on Form\b"
    r"|[’'](?:s )?(?:definitive )?[Pp]roxy [Ss]tatement\b"
    r"|[’'](?:s )?(?:[Bb]oard of [Dd]irectors|[Cc]ommon [Ss]tock|executive officers|"
    r"internal control over|disclosure controls)\b"
)
"""Words before which a page's own company stands."""
NAME_BEFORE = re.compile(
    rf"(?P<n>{PROPER}){_FORMS}{_SUBS}(?:, an? [\w ]{{3,40}}?(?:corporation|company))?,?"
    r"(?:[’']s)? ?$"
)
LOOK_BACK = 120
LEGAL_NAME = re.compile(
    rf"(?P<n>{PROPER}),? (?:Inc|INC|Incorporated|Corporation|CORPORATION|Corp|plc|PLC|Ltd|AG|SE|"
    r"N\.V|S\.A|Company|(?:International|Group|Holdings|Companies)(?! [A-Z(]))\b"
)
BOUGHT = (
    r"(?:acqui\w+|purchased?|sold|sale|divest\w*|merg\w+|invest(?:ed|ments?)|stake|interests?|lawsuit|"
    r"litigation|suit|partner\w*) (?:(?:of|by|in|with|against) )?(?:\w+ ){0,3}"
)
"""Words behind which a company is named that is not the page's own, before its name."""
OURSELVES = re.compile(
    r"(?<!\w)(?:we|our|us|the (?:company|corporation|registrant)(?:[’']s)?)(?!\w)", re.IGNORECASE
)
"""A page that speaks of its own company without a name."""
