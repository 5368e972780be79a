"""Numbers written out in languages other than English: "zwei Millionen", "trois cents"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

_HALF = Decimal("0.5")
_SCALES = {
    "h": Decimal(100),
    "k": Decimal(10**3),
    "m": Decimal(10**6),
    "g": Decimal(10**9),
    "t": Decimal(10**12),
    "d": Decimal(12),
}


@dataclass(frozen=True, slots=True)
class _Language:
    """The number words of one language; `ones` count only before a scale ("eine Million")."""

    small: dict[str, Decimal]
    scales: dict[str, Decimal]
    links: frozenset[str]
    ones: frozenset[str]
    halves: frozenset[str]
    joins: frozenset[str] = field(default_factory=frozenset[str])


def _language(
    small: str, scales: str, *, links: str = "", ones: str = "", halves: str = "", joins: str = ""
) -> _Language:
    """Read "2:zwei 3:drei" and "k:tausend m:million,millionen"."""
    values: dict[str, Decimal] = {}
    for entry in small.split():
        value, _, words = entry.partition(":")
        values |= dict.fromkeys(words.split(","), Decimal(value))
    factors: dict[str, Decimal] = {}
    for entry in scales.split():
        letter, _, words = entry.partition(":")
        factors |= dict.fromkeys(words.split(","), _SCALES[letter])
    sets = [frozenset(words.split()) for words in (links, ones, halves, joins)]
    return _Language(values, factors, *sets)


_GERMAN = (
    "2:zwei 3:drei 4:vier 5:fünf 6:sechs 7:sieben 8:acht 9:neun 10:zehn 11:elf 12:zwölf "
    "13:dreizehn 14:vierzehn 15:fünfzehn 16:sechzehn 17:siebzehn 18:achtzehn 19:neunzehn "
    "20:zwanzig 30:dreißig,dreissig 40:vierzig 50:fünfzig 60:sechzig 70:siebzig 80:achtzig "
    "90:neunzig 1.5:anderthalb,eineinhalb"
)
_ITALIAN = (
    "2:due 3:tre,tré 4:quattro 5:cinque 6:sei 7:sette 8:otto 9:nove 10:dieci 11:undici 12:dodici "
    "13:tredici 14:quattordici 15:quindici 16:sedici 17:diciassette 18:diciotto 19:diciannove "
    "20:venti 30:trenta 40:quaranta 50:cinquanta 60:sessanta 70:settanta 80:ottanta 90:novanta"
)
_DUTCH = (
    "2:twee 3:drie 4:vier 5:vijf 6:zes 7:zeven 8:acht 9:negen 10:tien 11:elf 12:twaalf "
    "13:dertien 14:veertien 15:vijftien 16:zestien 17:zeventien 18:achttien 19:negentien "
    "20:twintig 30:dertig 40:veertig 50:vijftig 60:zestig 70:zeventig 80:tachtig 90:negentig "
    "1.5:anderhalf"
)
_LANGUAGES = {
    "de": _language(
        _GERMAN,
        "h:hundert k:tausend m:million,millionen g:milliarde,milliarden t:billion,billionen "
        "d:dutzend",
        links="und",
        ones="ein eine einen einer",
        halves="halbe halbes halber halben",
    ),
    "fr": _language(
        "2:deux 3:trois 4:quatre 5:cinq 6:six 7:sept 8:huit 9:neuf 10:dix 11:onze 12:douze "
        "13:treize 14:quatorze 15:quinze 16:seize 20:vingt,vingts 30:trente 40:quarante "
        "50:cinquante 60:soixante 70:septante 90:nonante",
        "h:cent,cents k:mille m:million,millions g:milliard,milliards t:billion,billions "
        "d:douzaine,douzaines",
        links="et",
        ones="un une",
        halves="demi",
        joins="demi demie",
    ),
    "es": _language(
        "2:dos 3:tres 4:cuatro 5:cinco 6:seis 7:siete 8:ocho 9:nueve 10:diez 11:once 12:doce "
        "13:trece 14:catorce 15:quince 16:dieciséis 17:diecisiete 18:dieciocho 19:diecinueve "
        "20:veinte 21:veintiuno,veintiún 22:veintidós 23:veintitrés 24:veinticuatro "
        "25:veinticinco 26:veintiséis 27:veintisiete 28:veintiocho 29:veintinueve 30:treinta "
        "40:cuarenta 50:cincuenta 60:sesenta 70:setenta 80:ochenta 90:noventa 100:cien,ciento "
        "200:doscientos,doscientas 300:trescientos,trescientas 400:cuatrocientos,cuatrocientas "
        "500:quinientos,quinientas 600:seiscientos,seiscientas 700:setecientos,setecientas "
        "800:ochocientos,ochocientas 900:novecientos,novecientas",
        "k:mil m:millón,millones t:billón,billones d:docena,docenas",
        links="y",
        ones="un una",
        halves="medio media",
        joins="medio media",
    ),
    "pt": _language(
        "2:dois,duas 3:três 4:quatro 5:cinco 6:seis 7:sete 8:oito 9:nove 10:dez 11:onze 12:doze "
        "13:treze 14:catorze,quatorze 15:quinze 16:dezesseis,dezasseis 17:dezessete,dezassete "
        "18:dezoito 19:dezenove,dezanove 20:vinte 30:trinta 40:quarenta 50:cinquenta "
        "60:sessenta 70:setenta 80:oitenta 90:noventa 100:cem,cento 200:duzentos,duzentas "
        "300:trezentos,trezentas 400:quatrocentos,quatrocentas 500:quinhentos,quinhentas "
        "600:seiscentos,seiscentas 700:setecentos,setecentas 800:oitocentos,oitocentas "
        "900:novecentos,novecentas",
        "k:mil m:milhão,milhões g:bilhão,bilhões t:trilhão,trilhões d:dúzia,dúzias",
        links="e",
        ones="um uma",
        halves="meio meia",
        joins="meio meia",
    ),
    "it": _language(
        _ITALIAN,
        "h:cento k:mila,mille m:milione,milioni g:miliardo,miliardi d:dozzina,dozzine",
        links="e",
        ones="un una",
        halves="mezzo mezza",
        joins="mezzo mezza",
    ),
    "nl": _language(
        _DUTCH,
        "h:honderd k:duizend m:miljoen g:miljard t:biljoen d:dozijn",
        links="en",
        ones="een één",
        halves="half halve",
    ),
    "sv": _language(
        "2:två 3:tre 4:fyra,fire 5:fem 6:sex,seks 7:sju,syv 8:åtta,otte,åtte 9:nio,ni 10:tio,ti "
        "11:elva,elleve 12:tolv 13:tretton,tretten 14:fjorton,fjorten 15:femton,femten "
        "16:sexton,seksten 17:sjutton,sytten 18:arton,atten 19:nitton,nitten 20:tjugo,tjue,tyve "
        "25:tjugofem,tjuefem 30:trettio,tretti,tredive 40:fyrtio,førti,fyrre 50:femtio,femti "
        "60:sextio,seksti 70:sjuttio,sytti 80:åttio,åtti 90:nittio,nitti",
        "h:hundra,hundre,hundrede k:tusen,tusind m:miljon,miljoner,million,millioner "
        "g:miljard,miljarder,milliard,milliarder d:dussin",
        links="och og",
        ones="en ett et",
        halves="halv halvt",
    ),
    "pl": _language(
        "2:dwa,dwie 3:trzy 4:cztery 5:pięć 6:sześć 7:siedem 8:osiem 9:dziewięć 10:dziesięć "
        "11:jedenaście 12:dwanaście 13:trzynaście 15:piętnaście 20:dwadzieścia 30:trzydzieści "
        "40:czterdzieści 50:pięćdziesiąt 60:sześćdziesiąt 70:siedemdziesiąt 80:osiemdziesiąt "
        "90:dziewięćdziesiąt 100:sto 200:dwieście 300:trzysta 400:czterysta 500:pięćset "
        "600:sześćset 700:siedemset 800:osiemset 900:dziewięćset",
        "k:tysiąc,tysiące,tysięcy m:milion,miliony,milionów g:miliard,miliardy,miliardów",
        ones="jeden",
        halves="pół",
    ),
    "cs": _language(
        "2:dva,dvě 3:tři 4:čtyři 5:pět 6:šest 7:sedm 8:osm 9:devět 10:deset 12:dvanáct "
        "20:dvacet 30:třicet 40:čtyřicet 50:padesát 60:šedesát 70:sedmdesát 80:osmdesát "
        "90:devadesát 100:sto",
        "k:tisíc,tisíce m:milion,miliony,milionů g:miliarda,miliardy,miliard",
        ones="jeden jedna",
    ),
    "ru": _language(
        "2:два,две,двух 3:три,трех,трёх 4:четыре 5:пять 6:шесть 7:семь 8:восемь 9:девять "
        "10:десять 11:одиннадцать 12:двенадцать 13:тринадцать 14:четырнадцать 15:пятнадцать "
        "16:шестнадцать 17:семнадцать 18:восемнадцать 19:девятнадцать 20:двадцать 30:тридцать "
        "40:сорок 50:пятьдесят 60:шестьдесят 70:семьдесят 80:восемьдесят 90:девяносто 100:сто "
        "200:двести 300:триста 400:четыреста 500:пятьсот 600:шестьсот 700:семьсот 800:восемьсот "
        "900:девятьсот 1.5:полтора,полторы",
        "k:тысяча,тысячи,тысяч m:миллион,миллиона,миллионов g:миллиард,миллиарда,миллиардов "
        "t:триллион,триллиона,триллионов d:дюжина,дюжины",
        ones="один одна",
        halves="пол",
    ),
    "tr": _language(
        "2:iki 3:üç 4:dört 5:beş 6:altı 7:yedi 8:sekiz 9:dokuz 10:on 20:yirmi 30:otuz 40:kırk "
        "50:elli 60:altmış 70:yetmiş 80:seksen 90:doksan",
        "h:yüz k:bin m:milyon g:milyar t:trilyon d:düzine",
        ones="bir",
        halves="yarım",
    ),
    "id": _language(
        "2:dua 3:tiga 4:empat 5:lima 6:enam 7:tujuh 8:delapan 9:sembilan 10:sepuluh 11:sebelas "
        "100:seratus 1000:seribu",
        "h:ratus k:ribu m:juta g:miliar t:triliun d:lusin",
        ones="satu",
        halves="setengah",
    ),
}


def _compounds(language: _Language, unit_link: str, hundred: str, thousand: str) -> re.Pattern[str]:
    """One word for a whole number below a million: "zweihundertfünfundzwanzig"."""
    units = "|".join(
        word for word, value in language.small.items() if 2 <= value < 20 and value % 1 == 0
    )
    tens = "|".join(word for word, value in language.small.items() if value >= 20)
    below = rf"(?:(?:{units}|ein|een)(?:{unit_link})(?:{tens})|{units}|{tens}|ein|een|eins)"
    hundreds = rf"(?:(?:{units}|ein|een)?{hundred}(?:und)?)"
    return re.compile(
        rf"(?:(?P<kh>{hundreds})?(?P<kb>{below})?(?P<k>{thousand})(?:und)?)?"
        rf"(?P<h>{hundreds})?(?P<b>{below})?(?P<half>einhalb)?"
    )


_UNIT_LINKS = "und|en|ën"
_ITALIAN_BELOW = re.compile(
    r"(?P<tens>vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[ia]?"
    r"(?P<unit>uno|un|due|tre|tré|quattro|cinque|sei|sette|otto|nove)?"
)
_STEMS = {"de": ("hundert", "tausend"), "nl": ("honderd", "duizend")}
_COMPOUND = {
    name: _compounds(_LANGUAGES[name], _UNIT_LINKS, *_STEMS[name]) for name in ("de", "nl")
}
_COMPOUND_PARTS = (
    "hundert", "tausend", "honderd", "duizend", "zig", "ßig", "ssig", "tig", "einhalb", "cento",
    "enti", "ent", "anta", "ant", "mila",
)  # fmt: skip
_COMPOUND_HINT = re.compile(
    r"hundert|tausend|honderd|duizend|(?:und|en).{1,9}[zßst]ig\b|einhalb|cento|mila"
    r"|\b(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[iau]"
)


def _german_below(language: _Language, text: str) -> Decimal:
    """The value of "fünfundzwanzig", "zwölf", "ein" in a compound."""
    if text in ("ein", "eins", "een"):
        return Decimal(1)
    if text in language.small:
        return language.small[text]
    for link in ("und", "ën", "en"):
        unit, found, tens = text.partition(link)
        while found and tens not in language.small:
            more, found, tens = tens.partition(link)
            unit += link + more
        if found and (unit in language.small or unit in ("ein", "een")):
            return language.small.get(unit, Decimal(1)) + language.small[tens]
    raise KeyError(text)


def _one_word(name: str, word: str) -> Decimal | None:
    """The value of a word that is made of several number words, else None."""
    if len(word) > 60 or not any(part in word for part in _COMPOUND_PARTS):
        return None
    if name == "it":
        return _italian(word)
    match = _COMPOUND[name].fullmatch(word) if name in _COMPOUND else None
    if match is None or not any(match.group("k", "h", "b")):
        return None
    language = _LANGUAGES[name]
    hundred = _STEMS[name][0]

    def below_thousand(hundreds: str | None, rest: str | None) -> Decimal:
        value = Decimal(0)
        if hundreds:
            head = hundreds.partition(hundred)[0]
            value += (_german_below(language, head) if head else 1) * 100
        return value + (_german_below(language, rest) if rest else 0)

    value = below_thousand(match["h"], match["b"])
    if match["k"]:
        value += max(below_thousand(match["kh"], match["kb"]), Decimal(1)) * 1000
    return value + (_HALF if match["half"] else 0)


def _italian(word: str) -> Decimal | None:
    """ "ventuno", "trecento", "duemilacinquecento"."""
    small = _LANGUAGES["it"].small
    if word in small:
        return small[word]
    if "mila" in word:
        head, _, rest = word.partition("mila")
        first = _italian(head) if head else None
        second = _italian(rest) if rest else Decimal(0)
        return None if first is None or second is None else first * 1000 + second
    if "cento" in word:
        head, _, rest = word.partition("cento")
        first = small.get(head) if head else Decimal(1)
        second = _italian(rest) if rest else Decimal(0)
        return None if first is None or second is None else first * 100 + second
    match = _ITALIAN_BELOW.fullmatch(word)
    if match is None or not match["unit"]:
        return None
    tens = next(
        value for name, value in small.items() if value >= 20 and name.startswith(match["tens"])
    )
    return tens + (1 if match["unit"] in ("un", "uno") else small[match["unit"]])


_ALONE_NOT = frozenset("seize mille quince doces onces billion billions million millions".split())
_ALONE = frozenset(
    word
    for language in _LANGUAGES.values()
    for word, value in language.small.items()
    if value > 1 and (len(word) >= 5 or (len(word) >= 4 and not word.isascii()) or "ж" in word)
).difference(_ALONE_NOT)
_WHOLE = frozenset(
    word
    for language in _LANGUAGES.values()
    for word in (*language.small, *(w for w, f in language.scales.items() if f in (100, 1000)))
) - {"once"}
_SCALE_WORDS = frozenset(
    word for language in _LANGUAGES.values() for word in language.scales
) - frozenset(("cent", "cents", "bin"))
_MARKS = frozenset("prozent pour por procent euro euros persen dollari kronor kroner".split())
TRIGGERS = _ALONE | _SCALE_WORDS | _MARKS
"""Words without one of which a text (in ASCII letters) holds no such number."""

_BY_WORD: dict[str, list[str]] = {}
for _name, _known in _LANGUAGES.items():
    for _word in (*_known.small, *_known.ones, *_known.halves):
        _BY_WORD.setdefault(_word, []).append(_name)
_PER_CENT = frozenset(("cent", "ciento", "cien", "cento"))
_TOKEN = re.compile(r"[^\W\d_]+")
_MARK_NEXT = re.compile(
    r" (?:prozent|pour cent|por cien|por cent|per cento|procent|процент|persen|%|€|\$|euro|dollar"
    r"|dólar|рубл|доллар|yen|franken|kronor|kroner|zł)",
    re.IGNORECASE,
)


def may_hold_foreign_words(small: str, words: list[str]) -> bool:
    """A quick look at a lower-case text and its words: False only where nothing is found."""
    return (
        not TRIGGERS.isdisjoint(words)
        or _COMPOUND_HINT.search(small) is not None
        or small.strip(" .") in _WHOLE
    )


def find_foreign_words(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, end, value) of each number written out in one of the known languages.

    Short words that are other words elsewhere ("due", "sei", "once") count only before a scale
    word or a percent sign or currency, or as the whole text. Linear in the length of the text.
    """
    small = text.lower()
    if len(small) != len(text):
        return
    tokens = list(_TOKEN.finditer(small))
    if not may_hold_foreign_words(small, [token.group() for token in tokens]):
        return
    whole = small.strip(" .")
    at = 0
    while at < len(tokens):
        word = tokens[at].group()
        if at and word in _PER_CENT and tokens[at - 1].group() in ("por", "per", "pour"):
            at += 1
            continue
        names = _BY_WORD.get(word)
        if names is None:
            names = [n for n in ("de", "nl", "it") if _one_word(n, word) is not None]
            if not names and word in _WHOLE and word == whole:
                names = [n for n, known in _LANGUAGES.items() if word in known.scales][:1]
        best: tuple[int, Decimal] | None = None
        for name in names:
            run = _run(name, small, tokens, at, whole)
            if run is not None and (best is None or run[0] > best[0]):
                best = run
        if best is None:
            at += 1
            continue
        yield tokens[at].start(), tokens[best[0] - 1].end(), best[1]
        at = best[0]


def _opening(name: str, tokens: list[re.Match[str]], at: int) -> tuple[int, Decimal] | None:
    """(tokens taken, value) of the word that a number begins with; 0 = it begins with a scale."""
    language, word = _LANGUAGES[name], tokens[at].group()
    value = language.small.get(word)
    value = _one_word(name, word) if value is None else value
    if value is not None:
        return 1, value
    if word in language.scales:
        return 0, Decimal(0)
    if word in language.halves:
        return 1, _HALF
    if word in language.ones:
        half = at + 1 < len(tokens) and tokens[at + 1].group() in language.halves
        return (2, _HALF) if half else (1, Decimal(1))
    return None


def _run(
    name: str, small: str, tokens: list[re.Match[str]], at: int, whole: str
) -> tuple[int, Decimal] | None:
    """(index behind the last token, value) of the longest number that begins at token `at`."""
    language, first = _LANGUAGES[name], tokens[at].group()
    opening = _opening(name, tokens, at)
    if opening is None:
        return None
    taken, current = opening
    total, largest, last = Decimal(0), Decimal(0), current
    number = taken > 0 and first not in language.ones and first not in language.halves
    end, scaled = at + taken if number else at, False
    for position in range(at + taken, min(len(tokens), at + 24)):
        if position > at and not _adjoin(small, tokens, position):
            break
        word = tokens[position].group()
        value = _small_value(name, word, last)
        if word in language.scales:
            factor = language.scales[word]
            if factor == 100:
                current, last = (current or Decimal(1)) * 100, factor
            elif factor > largest:
                total, current = ((total + current) or Decimal(1)) * factor, Decimal(0)
                largest = last = factor
            else:
                total, current, last = total + (current or 1) * factor, Decimal(0), factor
            end, scaled = position + 1, scaled or position > at
        elif value is not None:
            if name == "fr" and value == 20 and current % 100 == 4:
                current, value = current - 4, Decimal(80)
            elif not _follows(name, value, last):
                break
            current, last, end, scaled = current + value, value, position + 1, True
        elif word in language.joins and largest:
            total, end = total + largest / 2, position + 1
            break
        elif word not in language.links:
            break
    if end == at:
        return None
    sure = scaled or first in _ALONE or (number and first not in language.small) or first == whole
    if not sure and _MARK_NEXT.match(small, tokens[end - 1].end()) is None:
        return None
    return end, total + current


def _adjoin(small: str, tokens: list[re.Match[str]], position: int) -> bool:
    """Does one space or hyphen alone part a token from the one before?"""
    between = small[tokens[position - 1].end() : tokens[position].start()]
    return between in (" ", "-", "\u00a0")


def _small_value(name: str, word: str, last: Decimal) -> Decimal | None:
    """The value of a word inside a number: "un" of "vingt et un" too."""
    language = _LANGUAGES[name]
    if word in language.ones and last >= 20:
        return Decimal(1)
    value = language.small.get(word)
    return _one_word(name, word) if value is None else value


def _follows(name: str, value: Decimal, last: Decimal) -> bool:
    """May a word of this value stand behind one of that value: "vingt deux", "cent trois"?"""
    if name == "fr" and ((last in (60, 80) and 10 <= value < 20) or (last == 10 and value > 6)):
        return value < 20
    return last >= 20 and value < last and (value < 10 or last >= 100)
