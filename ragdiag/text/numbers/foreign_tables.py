"""The number words of other languages: "zwei", "cents", "milioni"."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

_SCALES = {
    "h": Decimal(100),
    "k": Decimal(10**3),
    "m": Decimal(10**6),
    "g": Decimal(10**9),
    "t": Decimal(10**12),
    "d": Decimal(12),
}


@dataclass(frozen=True, slots=True)
class Language:
    """The number words of one language; `ones` count only before a scale ("eine Million")."""

    small: dict[str, Decimal]
    scales: dict[str, Decimal]
    links: frozenset[str]
    ones: frozenset[str]
    halves: frozenset[str]
    joins: frozenset[str] = field(default_factory=frozenset[str])


def _language(
    small: str, scales: str, *, links: str = "", ones: str = "", halves: str = "", joins: str = ""
) -> Language:
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
    return Language(values, factors, *sets)


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
LANGUAGES = {
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
"""Name of a language -> its number words."""
