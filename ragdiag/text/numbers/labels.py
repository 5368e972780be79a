"""Digits that a label, a letter or their shape makes a name: "Clause 7.2", "GPT-4", "0800 12"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragdiag.text.numbers.mark_tables import CODES
from ragdiag.text.numbers.marks import mark_after
from ragdiag.text.word_sets import word_set

_LABELS = word_set(
    "art. arts. eq. eqs. figs figs. fig. tab. abs. kap. kapitel ch. cl. clause clauses annex "
    "annexe lemma theorem equation equations rfc pep http iphone ipad ios android macos python "
    "php gpt id ids ref ref. refs. sku zip plz pmid pmcid arxiv invoice ssn ein iban apt. "
    "apartment pier isbn schedule rule item items note notes section sections table tables figure "
    "figures page pages chapter chapters exhibit exhibits article articles footnote footnotes "
    "paragraphs questions appendix artikel artículo artigo absatz ziffer abschnitt tabelle "
    "abbildung abb. anm. capítulo capitolo chapitre página pagina tableau tabla tabella figura "
    "nota статья статьи глава таблица рис. табл. стр. ст. § §§ ¶ ¶¶ páginas seiten vol. nos. n° "
    "nº № p. pp. pg. cve ticket usb hdmi wi-fi bluetooth dax cac nikkei rtx gtx omega para. paras. "
    "row column slide sheet bullet pág. pag. str. ext. extension fas sfas fasb gaap naics sic wkn "
    "iban passport docket barcode pin версия バージョン versión versão versione wersja ubuntu tls "
    "ssl http openssl html css bmw porsche peugeot mercedes ryzen pentium fortune forbes eurostoxx "
    "basel opus steuernummer kundennummer kontonummer rechnungsnummer "
    "bestellnummer vertragsnummer aktenzeichen ičo dič nif cif cnpj cpf siret siren tva ust-idnr "
    "lat latitude longitude lon lng пункт раздел страница приложение рисунок rozdział strona "
    "rysunek sección seção sezione tafel beilage ziff. rn. rz. tz. fn. anlage teil "
    "pp pg pgs pgs. apt apt acct acct. no. nr. num. núm. numéro número nummer номер port localhost "
    "satz гл. п. room capítulos rozdz. tabela załącznik bilaga liite sayfa madde bölüm tablo trang "
    "điều chương bảng صفحة المادة الفصل الجدول עמוד סעיף פרק पृष्ठ अनुच्छेद अध्याय "
    "सं. หน้า op. k. kv. bwv postfach sida sivu tabell kapittel luku artykuł čl. článek "
    "oldal cikk otp batch ver "
    "série serie saison temporada étape прим. примечание примечания примечаний пп."
)
"""Words that name what they number, in any case."""

_TITLES = word_set(
    "Unit Building Channel Grade Type Flight Gate Issue Build Model Category Zone District "
    "Area Block Lot Web Code Station Terminal Platform Season Episode Proposition Definition Slide "
    "Bus Directive Regulation Law Psalm Symphony Catch Interstate Ward Precinct Galaxy Pixel Xbox "
    "PlayStation Claude Llama Gemini Chrome Firefox Debian Box Lane Runway Row Formula Case "
    "Amendment Size Floor Suite Option Example Exercise Problem Error Java Bug Scenario Angular "
    "Kotlin Swift Ruby Perl Node Studio Fab Ex. Reg. Bullet Sheet Patent Account Passport "
    "Password Barcode Reference Order Ticket Docket Serial PO PIN Apartment Engine Gen Generation "
    "War Band Blatt Gleis Zimmer Raum Haus Release Vision Agenda Horizon Expo "
    "Patch Sprint Milestone Iteration Cohort Scene Verse Track Round Game Match Exit Hole Par Mark "
    "Mk Mk. Group Team Industry Stages Batch Radio Sputnik Voyager Lemma"
)
"""Words that do so where they are written as a title; in small letters they are mere nouns."""

_DAYS = word_set("Day Week Month Year")
"""Words that number the days of a plan; four digits after "Year" are a year."""

_STANDARDS = word_set(
    "EITF SAB SABs IEEE DIN FIN FSP APB SOP FRS SSAP IFRIC ISA PCAOB ANSI ASTM NIST FIPS NFPA ISO "
    "IEC EN ITU RFC CVE SFAS FAS FASB ASU ASC IAS IFRS GAAP GASB SSAE AICPA NACE HS UN AS COSO NT "
    "NAICS SIC ICD H.R. S."
)
"""Bodies and series whose texts bear a number, in capitals: "SAB 104", "IEEE 802.11ac"."""

_STANDARD = re.compile(r"(?:\d{1,6}(?:[.:–-]\d{1,5}){0,3}[a-z]{0,2}(?:\([A-Z]\))?)(?![\w%]|[.,]\d)")
_OUT_OF = re.compile(r"(?: of | von | de | sur | di | z |/)\d{1,4}(?![\w%]|[.,]\d| [a-z$€£¥])")
_PAGES = word_set("page pg pg. p. slide sheet seite página pagina pág. pag. стр. strana strona")
_PHONES = word_set("tel tel. telephone phone fax mobile call")
_PLURAL = ("s", "s.", "§§", "¶¶", "pp.", "pp", "seiten", "пп.")

_AFTER_WORD = re.compile(
    r"\d(?:(?<=[^\W\d_][ \u00a0.:#/+-]\d)|(?<=[^\W\d_][.:#][ #]\d)|(?<=[§¶№°º]\d)|(?<=[§¶№°º] \d)"
    r"|(?<=[\u0900-\u0963\u0e30-\u0e4e][ .]\d)|(?<=[^\W\d_] # \d)|(?<=[^\W\d_]\. # \d))"
)
_WORD = re.compile(
    r"(?<![\w-])((?:[^\W\d_]|[\u0900-\u0963\u0e30-\u0e4e])+\.?|[§¶]{1,2}|№|[Nn][°º])"
    r"[ \u00a0.:#-]{0,3}$"
)
_NUMBER = re.compile(
    r"\(?\d{1,14}(?:[./–-]\d{1,9}){0,4}(?:[A-Za-z](?:-\d{1,3})?)?\)?(?:\([a-z0-9]{1,3}\)){0,2}(?![\w%]|[.,]\d)"
)
_MORE = re.compile(
    r"(?:(?:, ?| and | und | et | y | & | ?[–-] ?| to )\d{1,4}[A-Za-z]?(?![\w%]|[.,]\d))+"
)
_MORE_PARTS = re.compile(
    r"(?:(?:, ?| and | und | et | y | & | to )\d{1,3}(?:\.\d{1,3}){1,3}(?![\w%$]|[.,]\d))+"
)
_PHONE = re.compile(r"(?:[+(0]|\d{3}[-.]\d)[\d ()./-]{2,24}\d")
_CENTS = re.compile(r"\.\d\d$")
_AMOUNT_NEXT = re.compile(r" ?(?:[\d$€£¥%(|]|million|billion|thousand|percent|bn\b|mn\b)")
SCALE_NEXT = re.compile(
    r" ?(?:%|(?:thousand|million|billion|trillion|percent|per cent|bn|mn|Mio|Mrd|Tsd|mln|mld|млн"
    r"|млрд)\b)"
)
"""What follows an amount, not the number of a thing."""

_HYPHENED = re.compile(r"-\d{1,6}[a-z]?(?:-\w{1,8}){0,3}(?![\w%]|[.,]\d)")
_CODE_WORD = re.compile(
    r"(?<![\w$€£-])([A-Z]{1,6}|[A-Z][a-z]|[A-Z][a-z]{2,9}|[A-Za-z]{1,3}\d{1,4})$"
)
# A digit that may begin one of the shapes: spares trying them at every place of a text.
_SHAPED = re.compile(
    r"\d(?<![\w.,-]\d)(?:(?<=0)\d[ .-]?\d|(?=\d{0,11}(?:[-/(–:°]| [A-Zo]|,? [raqpb][a-z]"
    r"|[A-Z] [A-Z]|(?:[.:]\d\d)? ?[apAPUhe]|\.\d{3})))"
)
_SHAPES = re.compile(
    r"(?:"
    r"(?:24/7|9/11|20/20)(?![\w/.])"
    r"|7-(?:Eleven|Up)(?!\w)"
    r"|10\.\d{4,9}/[^\s,;]{1,80}"
    r"|\d{3}-\d{2}-\d{4}(?![\w-])"
    r"|\d{2,7}-\d{2}-\d(?![\w-])"
    r"|\d{2,4}-(?-i:[A-Z])(?![\w-])"
    r"|(?:40[1-9]|457|50[1-9]|529)\([a-z]\)(?:\(\d\))?"
    r"|\d{1,5}[A-Z]? (?-i:(?:[A-Z]\w+ ){1,3})"
    r"(?-i:(?:Street|Avenue|Road|Lane|Boulevard|Drive|Court|Square|Parkway|Way)\b"
    r"|(?:St|Ave|Rd|Blvd|Dr|Ln|Pkwy)\b\.?)"
    r"|\d{1,4},? (?-i:rue|avenue|boulevard|place|allée|quai) (?:d|[A-Z])"
    r"|\d{8,12}-\d{2}-\d{4,7}(?![\w-])"
    r"|\d{4}-\d{6}-\d{2}(?![\w-])|(?:19|20)\d\d/\d{3,4}(?![\w.,%])"
    r"|\d{4}-(?=\d{0,6}0)\d{3,6}(?:-\d{1,4})?(?![\w.,%-])|\d{3}-0\d{3}(?![\w.,%-])"
    r"|\d{5} (?-i:(?:Paris|Berlin|München|Hamburg|Wien|Madrid|Barcelona|Roma|Milano|Lyon|Zürich"
    r"|Frankfurt|Köln|Stuttgart|Marseille|Warszawa|Helsinki|Stockholm))(?!\w)"
    r"|(?-i:\d[A-Z]{2})(?:(?<=[A-Z]\d \d[A-Z]{2})|(?<=[A-Z]\d[A-Z] \d[A-Z]{2}))(?!\w)"
    r"|\d{1,3}-\d{1,3}-\d{1,3} (?-i:[A-Z][a-z]{3,})"
    r"|\d{1,2}[-–:]\d{1,2}(?= (?:wins?|victory|lead|loss|defeat|vote|decision"
    r"|record|score|draw|tie)\b)"
    r"|\d{1,2}[.:]?\d{0,2} ?(?:Uhr|o'clock|heures?)(?!\w)"
    r"|\d{1,3}(?:\.\d{1,8})?° ?(?-i:[NSEW])(?!\w)"
    r"|\d{1,3}° ?\d{1,2}(?:\.\d+)?['′] ?(?:\d{1,2}(?:\.\d+)?(?:[\"″]|'') ?)?(?-i:[NSEW])?"
    r"|\d{1,4}(?-i:ers)(?!\w)"
    r"|\d{1,6}(?:-\d{1,7}){3,5}(?![\w-]|\.\d)"
    r"|(?:\d{1,2}:)?\d{2}-(?:cv|cr|md|mc|bk|ap|mj|ev)-\d{2,6}(?:-\w{1,5}){0,3}(?!\w)"
    r"|\d{1,3} (?:(?-i:U\.? ?S\.? ?C\.?|C\.? ?F\.? ?R\.?|F\. ?(?:2d|3d|4th)|F\. ?Supp\. ?(?:2d|3d)?"
    r"|S\. ?Ct\.|Fed\. ?Reg\.|Stat\.)(?: §§?| [Pp]arts?| [Ss]ec\.)?) ?\d[\w.,-]{0,12}(?<![.,-])"
    r"(?:\([a-z0-9]{1,3}\)){0,3}"
    r"|\d{2,3} (?-i:U\. ?S\.) \d{1,4}(?=[ ,] ?(?:\(|\d)|[.;]?$)"
    r"|0\d(?P<gap>[ .-])\d\d(?:(?P=gap)\d\d){3}(?![\w%]|[ .,-]\d)"
    r"|(?<!\d[ \u00a0])0\d{2,4}(?:\)? ?[ /-]\d{2,8}){1,4}(?![\w.,%])"
    r"|(?<!\d[ \u00a0])0(?=\d*[1-9])\d{2,9}(?![\w%]|[.,/-]\d)"
    r"|\d{1,2}(?:[.:]\d{2})? ?[ap]\.?m\.?(?: ?[-–] ?\d{1,2}(?:[.:]\d{2})? ?[ap]\.?m)?(?![\w/])\.?"
    r")",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"(?:(?P<score>\b(?:won|lost|beat (?:them|him|her|us)|score of|scored|defeated|win by) )"
    r"|(?P<house>(?-i:\b[A-Z][a-zäöüß]{1,14})(?:straße|strasse|str\.|weg|platz|allee|gasse) )"
    r"|(?P<zip>(?-i:\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]"
    r"|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])) )"
    r"|(?P<number>\b(?:account|passport|order|docket|serial number|password|pin|phone|fax|tel"
    r"|kontonr"
    r"|ticket|zip code|postal code|hs code|tax id|member id|customer number|s/n|p\.?o\.?):? #?)"
    r"|(?P<patent>\b(?:patents?(?: nos?\.)? |(?-i:US) ))"
    r"|(?P<war>\bworld war )|(?P<status>\b(?:errors?|status|area code|exit code|http) )"
    r"|(?P<flight>(?-i:\b[Ff]lights? [A-Z]{2}) )|(?P<group>(?-i:\bGroup of) )|(?P<big>(?-i:\bBig) )"
    r"|(?P<ending>\b(?:account|card|number|acct\.?)s? ending (?:in|with)? ?)|(?P<build>\bbuild )"
    r"|(?P<code>\b(?:\w+ )?code )|(?P<call>\bcall )"
    r"|(?P<protocol>\b(?:http|tls|ssl)/|\b(?:utc|gmt)[+-])"
    r"|(?P<isotope>\b(?:SARS-CoV|(?-i:MiG)|carbon|uranium|plutonium|cobalt|iodine)-)"
    r"|(?P<norm>\b(?-i:ISO/IEC) )|(?P<model>(?-i:\b[A-Z][a-z]{1,12} [A-Z]) )"
    r"|(?P<file>[\w-]-))$",
    re.IGNORECASE,
)
_LED = {
    "score": re.compile(r"\d{1,2}[-–:]\d{1,2}(?![\w.,%]|[-–]\d)"),
    "house": re.compile(r"\d{1,4}(?![\d.,%])"),
    "zip": re.compile(r"\d{5}(?:-\d{4})?(?![\d.,%])"),
    "number": re.compile(
        r"\d{4,20}(?:[.-]\d{2,10})?(?![\d,%]|\.\d| (?:units|shares|employees|customers|orders))"
    ),
    "patent": re.compile(r"\d{1,2},\d{3},\d{3}(?! ?(?:shares|dollars|USD|units|million)|[,.]?\d)"),
    "status": re.compile(r"\d{3}(?![\w,%]|\.\d| [a-z])"),
    "flight": re.compile(r"\d{1,4}(?![\w,%]|\.\d)"),
    "group": re.compile(r"(?:7|8|10|20|24|77)(?![\w,%]|\.\d| (?!nations|countries|leaders)[a-z])"),
    "big": re.compile(r"[3-6](?![\w,%]|\.\d)"),
    "ending": re.compile(r"\d{3,6}(?![\w,%]|\.\d)"),
    "build": re.compile(r"\d{4,9}(?:\.\d{1,5}){0,2}(?![\w,%]| [a-z])"),
    "code": re.compile(r"\d{3,8}(?![\w,%]|\.\d)"),
    "war": re.compile(r"\d(?!\w)"),
    "call": re.compile(r"(?:911|112|999)(?!\w)"),
    "protocol": re.compile(r"\d{1,2}(?:\.\d)?(?![\w.])"),
    "isotope": re.compile(r"\d{1,3}(?!\w)"),
    "norm": re.compile(r"\d{3,6}(?:[:-]\d{1,4}){0,3}(?!\w)"),
    "model": re.compile(r"\d{2,3}[A-Z](?!\w)"),
    "file": re.compile(r"\d{2,8}\.(?:pdf|csv|xlsx?|docx?|txt)\b"),
}
"""What stands before the digits of a name -> the form that the digits then have."""
_LED_US = re.compile(r" [AB]\d")
_FUSED = re.compile(  # the first letter alone stands in front, so that all others are skipped
    r"[A-Zi](?<!\w.)(?:(?<!i)[A-Z]\d{2}(?: \d{4}){3,7}(?: \d{1,3})?(?!\w)"
    r"|(?<=i)\d-\d{4,5}[A-Z]{0,2}(?!\w))",
    re.DOTALL,
)
_ID_RUN = re.compile(
    r"(?<![\w-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])"
    r"|(?<![\w:])(?:[0-9A-F]{2}:){5}[0-9A-F]{2}(?![\w:])",
    re.IGNORECASE,
)
_CJK = re.compile(
    r"第 ?\d{1,6}|(?:令和|平成|昭和|大正|明治|民国|民國) ?\d{1,3}年?"
    r"|(?:注释|注釋|脚注|附注|附註|[页頁図图表註注章節节條条款]|ページ) ?\d{1,5}"
    r"|(?<![共全计計])(?<![\d.,])\d{1,4} ?(?:ページ|页|頁)(?![数數的にの分])"
    r"|제 ?\d{1,6} ?[장절조항권회]|(?:午前|午後|上午|下午|凌晨|晚上|早上|오전|오후)"
    r" ?\d{1,2} ?[時时點点시]"
    r"(?: ?\d{1,2} ?[分분])?|\d{1,2}[時时]\d{1,2}分|(?:電話|电话|전화)[:： ]*0[\d-]{8,13}"
    r"|バージョン ?\d[\d.]{0,8}"
)
_IPV6 = re.compile(r"(?<![\w:])[0-9A-F]{0,4}(?::[0-9A-F]{0,4}){2,7}(?![\w:])", re.IGNORECASE)


_BRACKETED = re.compile(r"\(\d{1,3}[a-z]?\)")
_BRACKETED_LABEL = re.compile(
    r"(?<!\w)(?:eqs?\.|(?:equations?|formula|lemma|theorem|gl\.|gleichung|équation|ecuación)) ?$",
    re.IGNORECASE,
)
_TRUNK = re.compile(r"\(0\) ?\d{1,5}(?:[ -]\d{2,8}){1,4}(?![\w,%]|\.\d)")
_HEADING = re.compile(
    r"\d{1,2}(?<![^\n]\d)(?<![^\n]\d\d)\.\d{1,2}\.? {1,4}[A-Z][a-z]{2,20}"
    r"(?P<rest>[^\n\d|$€£%]{0,80})(?![^\n])"
)
"""A line "4.3 Liquidity and capital": a number of two levels, and a title of letters alone."""


def _headings(text: str) -> Iterator[tuple[int, int]]:
    """The number of each heading; before one last word alone it may be an amount ("4.5 Stars")."""
    for match in _HEADING.finditer(text):
        first = text.index(" ", match.start())
        title = match["rest"].strip()
        more = title or match.end() < len(text)
        if more and not title.endswith(".") and mark_after(text, first) is None:
            yield match.start(), first


def find_labelled(text: str) -> Iterator[tuple[int, int]]:
    """The span of each such name in a (flattened) text; spans of several kinds may overlap."""
    for match in _AFTER_WORD.finditer(text):
        span = _labelled(text, match.start()) or _led(text, match.start())
        if span is not None:
            yield span
    for match in _HYPHENED.finditer(text):
        word = _CODE_WORD.search(text, max(0, match.start() - 11), match.start())
        if word is not None and _is_code_word(word.group(1)):
            yield word.start(), match.end()
    for begin in _SHAPED.finditer(text):
        match = _SHAPES.match(text, begin.start())
        if match is not None:
            yield match.span()
    yield from _self_evident(text)


def _self_evident(text: str) -> Iterator[tuple[int, int]]:
    """Account numbers, hashes, addresses of machines and CJK labels, by their form alone."""
    for match in _FUSED.finditer(text):
        yield match.span()
    if text.count("-") > 3 or text.count(":") > 4:
        for match in _ID_RUN.finditer(text):
            yield match.span()
    if "::" in text:
        for match in _IPV6.finditer(text):
            if "::" in match.group():
                yield match.span()
    if "(" in text:
        for match in _BRACKETED.finditer(text):
            label = _BRACKETED_LABEL.search(text, max(0, match.start() - 13), match.start())
            if label is not None:
                yield label.start(), match.end()
        for match in _TRUNK.finditer(text):
            yield match.span()
    yield from _headings(text)
    if not text.isascii():
        for match in _CJK.finditer(text):
            yield match.span()


def _labelled(text: str, at: int) -> tuple[int, int] | None:
    """The span of label and number, if the word before the digits at `at` is a label."""
    word = _WORD.search(text, max(0, at - 16), at)
    if word is None:
        return None
    label, lower = word.group(1), word.group(1).lower()
    if lower in _PHONES:
        phone = _PHONE.match(text, at)
        return None if phone is None else (word.start(), phone.end())
    title = label in _TITLES
    if label in _STANDARDS:
        number = _STANDARD.match(text, at)
        if number is not None and not _AMOUNT_NEXT.match(text, number.end()):
            return word.start(), number.end()
    day = label in _DAYS
    title = title or day
    number = _NUMBER.match(text, at) if title or lower in _LABELS else None
    if number is None or (day and len(number.group()) > 3):
        return None
    if SCALE_NEXT.match(text, number.end()):
        return None
    if title and (_AMOUNT_NEXT.match(text, number.end()) or _CENTS.search(number.group())):
        return None  # "Unit 4.50" is a price, and "Building 12 15" a row of a table
    more = None
    if lower.endswith(_PLURAL):
        several = _MORE_PARTS if "." in number.group() else _MORE
        more = several.match(text, number.end())
    elif lower in _PAGES:
        more = _OUT_OF.match(text, number.end())
    if more is not None and SCALE_NEXT.match(text, more.end()):
        more = None
    return word.start(), (number if more is None else more).end()


def _led(text: str, at: int) -> tuple[int, int] | None:
    """The span of digits that the words before them make a score, a house or an account."""
    begin = max(0, at - 24)
    if _no_lead(text[begin:at]):
        return None
    lead = _LEADS.search(text, begin, at)
    if lead is None or lead.lastgroup is None:
        return None
    number = _LED[lead.lastgroup].match(text, at)
    if number is None:
        return None
    if lead.group() == "US " and not _LED_US.match(text, number.end()):
        return None
    return lead.start(), number.end()


_LEAD_WORDS = word_set(
    "won lost them him her us of scored defeated by account passport order docket number password "
    "pin phone fax tel kontonr ticket code id s/n p.o po. po p.o. patent patents no no. nos nos. "
    "war call iso/iec errors error status http of big in with ending build code"
)
_STREETS = ("straße", "strasse", "str.", "weg", "platz", "allee", "gasse")


def _no_lead(before: str) -> bool:
    """Is the last word before a number, which `_LEADS` then need not try, a common one?"""
    if before[-1:] not in (" ", "#"):
        return False
    word = before.rstrip(" #:").rpartition(" ")[2].lstrip("([*-\"'")
    low = word.lower()
    return len(word) > 2 and low not in _LEAD_WORDS and not low.endswith(_STREETS)


def _is_code_word(word: str) -> bool:
    """Is "GPT" of "GPT-4" the beginning of a name, and no currency or mere word?"""
    return word not in CODES and (
        len(word) <= 2 or word[-1].isdecimal() or word.isupper() or word in _TITLES
    )
