"""Tables of the words and signs beside numbers, in the languages that reports are written in."""

from __future__ import annotations

from decimal import Decimal
from unicodedata import normalize

from ragdiag.text.word_sets import word_set

_ONE = Decimal(1)
_THOUSAND, _MILLION = Decimal(10**3), Decimal(10**6)
_BILLION, _TRILLION = Decimal(10**9), Decimal(10**12)

SCALES: dict[str, Decimal] = {
    word: factor
    for factor, words in {
        Decimal(12): "dozen dozens dutzend douzaine douzaines docena docenas dúzia dúzias "
        "dozzina dozzine дюжина дюжины дюжин dozijn tucet",
        Decimal(100): "hundred hundreds 百 백",
        _THOUSAND: "thousand thousands k tsd tsd. tausend mille mil тыс тыс. thous 千 천 हज़ार "
        "हजार ألف آلاف tusen duizend tys tys. ribu тысяч тысячи тис тис. হাজার พัน אלף אלפים "
        "هزار nghìn χιλιάδες χιλιάδων χίλια mila тысячу тысячами tisíc tisíce ezer tysięcy "
        "tysiące tuhat tuhatta tkr тисяч тисячі хиляди mii",
        Decimal(10**4): "万 萬 만 หมื่น",
        Decimal(10**5): "lakh lakhs lac lacs लाख লাখ แสน",
        _MILLION: "million millions mn mln mm mio mio. millionen millón millones milione "
        "milioni 백만 百万 milhão milhões млн млн. миллион миллиона миллионов مليون ملايين miljoen "
        "miljoner miljon milyon milionów juta triệu ล้าน מיליון מיליוני מיליונים میلیون εκατ "
        "εκατ. εκατομμύρια εκατομμύριο εκατομμυρίων мільйон мільйона мільйони мільйонів miliony "
        "milion milionu miliónov milióny millioner milj milj. miljoona miljoonaa millió "
        "milioane milioana мил мил. милиона милион миллионам",
        Decimal(10**7): "crore crores cr करोड़ কোটি",
        Decimal(10**8): "億 亿 억",
        Decimal(10**11): "खरब",
        _BILLION: "billion billions bn bln bil mrd mrd. mia mia. milliarde milliarden milliard "
        "milliards miliardi миллиард миллиардов млрд млрд. مليار مليارات mld mld. miljard "
        "miljarden miljarder milyar miliardo bilhão bilhões miliardów miliar अरब tỷ מיליארד "
        "מיליארדי מיליארדים میلیارد δισ δισ. δισεκατομμύρια δισεκατομμύριο δισεκατομμυρίων "
        "миллиарда мільярд мільярда мільярди мільярдів พันล้าน miliardy miliarda miliard "
        "milliarder miljardi miljardia milliárd miliarde милиардаพันล้าน billion-dollar mrd.eur",
        _TRILLION: "trillion trillions tn trn trln 兆 조 трлн трлн. billionen billones bilioni "
        "triliun триллион триллиона триллионов трильйонів τρισ τρισ. τρισεκατομμύρια "
        "τρισεκατομμύριο טריליון تريليون تریلیون ล้านล้าน trilhão trilhões triljoen biljoen "
        "trillionen trilyon biljoner bilionów biliony",
        Decimal(10**15): "quadrillion quadrillions 京",
    }.items()
    for word in normalize("NFC", words).split()
}
"""Scale words, lower case -> factor. "Billion" is 10^9 as in English; "Billionen" can only be
German, which means 10^12."""

ATTACHED_SCALES = {
    "k": _THOUSAND,
    "K": _THOUSAND,
    "m": _MILLION,
    "M": _MILLION,
    "MM": _MILLION,
    "b": _BILLION,
    "B": _BILLION,
    "T": _TRILLION,
}
"""Letters that are a scale only where they touch the number ("1.2T"; "5 m" is a length)."""

EXACT_SCALES = {"Md": _BILLION, "Mds": _BILLION, "Mdr": _BILLION, "Bio.": _TRILLION}
"""Scale words that are one only as spelled here ("12 Md€", but no "20 MDs")."""

CURRENCY_SCALES = {
    ("BRL", "mi"): _MILLION,
    ("BRL", "bi"): _BILLION,
    ("BRL", "tri"): _TRILLION,
    ("INR", "l"): Decimal(10**5),
}
"""Scale words that are one, or another one, beside a certain currency."""

CODE_SCALES = {"K": _THOUSAND, "T": _THOUSAND, "M": _MILLION, "MN": _MILLION, "BN": _BILLION}
"""What a letter that touches a currency means: "TEUR", "k€", "MUSD"."""

SYMBOLS = {
    pair.partition("=")[0]: pair.partition("=")[2]
    for pair in [
        "US$=USD",
        "A$=AUD",
        "AU$=AUD",
        "C$=CAD",
        "CA$=CAD",
        "HK$=HKD",
        "NZ$=NZD",
        "S$=SGD",
        "NT$=TWD",
        "R$=BRL",
        "$=USD",
        "€=EUR",
        "£=GBP",
        "¥=JPY",
        "₹=INR",
        "₩=KRW",
        "₽=RUB",
        "₺=TRY",
        "₪=ILS",
        "฿=THB",
        "₫=VND",
        "₱=PHP",
        "₦=NGN",
        "₴=UAH",
        "zł=PLN",
        "Rs=INR",
        "Rs.=INR",
        "SG$=SGD",
        "MX$=MXN",
        "CN¥=CNY",
        "JP¥=JPY",
        "USD$=USD",
        "U$S=USD",
        "$US=USD",
        "Cdn$=CAD",
        "RM=MYR",
        "Rp=IDR",
        "Rp.=IDR",
        "KSh=KES",
        "Fr.=CHF",
        "SFr.=CHF",
        "Kč=CZK",
        "₸=KZT",
        "₾=GEL",
        "₲=PYG",
        "₡=CRC",
        "₵=GHS",
        "৳=BDT",
    ]
}

CODES = word_set(
    "USD EUR GBP JPY CNY CHF CAD AUD NZD HKD SGD TWD INR KRW RUB TRY ILS THB VND PHP NGN UAH PLN "
    "SEK NOK DKK CZK HUF RON BRL MXN ARS CLP COP PEN ZAR EGP SAR AED QAR KWD IDR MYR PKR BDT KES "
    "RMB BGN ISK PYG UYU GHS KZT VEF LKR JOD BHD OMR HRK RSD MAD TND"
)

CURRENCY_WORDS = {
    word: code
    for code, words in {
        "USD": "dollar dollars доллар доллара доллары долларов долл долл. долар долара долари "
        "доларів دولار دولارا دولارات دلار ドル 米ドル 美元 美金 달러 डॉलर डालर ডলার ดอลลาร์ "
        "ดอลลาร์สหรัฐ "
        "δολάριο δολάρια δολαρίων דולר דולרים dólar dólares dollari dolarów doları dolares "
        "dollaro dolar",
        "EUR": "euro euros евро євро ευρώ ユーロ 欧元 歐元 유로 یورو يورو יורו אירו यूरो ইউরো ยูโร "
        "eur "
        "euroa euron eura evro",
        "GBP": "sterling ポンド 英镑 英鎊 파운드 στερλίνες στερλινών ปอนด์",
        "JPY": "yen 円 日元 日圓 엔 иен иены йен येन เยน γιεν ין",
        "CNY": "yuan renminbi 元 人民币 人民幣 人民元 위안 юаней юаня юань يوان युआन หยวน "
        "γουάν יואן",
        "HKD": "港元 港币 港幣",
        "TWD": "新台币 新臺幣 新台幣",
        "SAR": "ريال",
        "AED": "درهم",
        "EGP": "جنيه جنيها",
        "UAH": "гривень гривні гривня грн грн. hryvnia hryvnias",
        "INR": "rupee rupees रुपये रुपए रुपया रुपयों রুপি рупий рупии ルピー 卢比 루피 روبية รูปี ρουπίες",
        "BDT": "taka টাকা",
        "THB": "baht บาท",
        "ILS": 'shekel shekels שקל שקלים ש״ח ש"ח',
        "TRY": "lira liras tl lirası",
        "VND": "đồng",
        "KRW": "won 원 ウォン 韩元 韓元 вон",
        "CHF": "franken",
        "RUB": "ruble rubles рубль рубля рубли рублей руб руб. ρούβλια ルーブル 卢布 盧布 루블 "
        "روبل "
        "rouble roubles",
        "BRL": "reais",
        "PLN": "złoty złotych złote zloty zlotys",
        "CZK": "kč korun koruny",
        "HUF": "forint forints forintot",
        "BGN": "лв лв. лева lev leva",
        "RON": "lei",
        "IDR": "rupiah",
        "MYR": "ringgit",
        "ZAR": "rand",
        "NGN": "naira",
        "KZT": "тенге tenge",
    }.items()
    for word in normalize("NFC", words).split()
}

TWO_WORDS: dict[str, tuple[str, str, Decimal]] = {
    pair: (role, name, _ONE)
    for role, name, pairs in (
        ("kind", "percent", "per cent|pour cent|por ciento|por cento|per cento|phần trăm"),
        (
            "kind",
            "percentage_point",
            "percentage point|percentage points|percent points|% points|percent point|pct pts"
            "|pct points|pct. points|pct. pts|puntos porcentuales|% punkte"
            "|punto porcentual|pontos percentuais|ponto percentual|punti percentuali"
            "|punto percentuale|процентных пункта|процентных пунктов|процентный пункт"
            "|punktów procentowych|punkty procentowe|procentních bodů|procentní body",
        ),
        (
            "kind",
            "basis_point",
            "basis point|basis points|puntos básicos|punto básico|pontos base|punti base"
            "|базисных пунктов|базисных пункта|punktów bazowych|punkty bazowe",
        ),
        (
            "money",
            "USD",
            "us dollars|us dollar|u.s. dollars|american dollars|us-dollar|доллара сша",
        ),
        ("money", "USD", "долларов сша|dólares estadounidenses|dollars américains"),
        ("money", "AUD", "australian dollars|australian dollar"),
        ("money", "CAD", "canadian dollars|canadian dollar"),
        ("money", "SGD", "singapore dollars|singapore dollar"),
        ("money", "CHF", "swiss francs|swiss franc|francs suisses|schweizer franken"),
        ("money", "GBP", "pounds sterling|pound sterling|british pounds|livres sterling"),
        ("money", "DKK", "danish kroner|danish krone|danske kroner"),
        ("money", "NOK", "norwegian kroner|norwegian krone|norske kroner"),
        ("money", "SEK", "swedish kronor|swedish krona|swedish kroner|svenska kronor"),
        ("money", "CZK", "czech crowns|czech koruna"),
        ("money", "MXN", "mexican pesos|pesos mexicanos"),
        ("money", "ARS", "argentine pesos|pesos argentinos"),
        ("money", "JPY", "japanese yen"),
        ("money", "CNY", "chinese yuan"),
        ("money", "INR", "indian rupees"),
        ("money", "KRW", "korean won"),
        ("money", "BRL", "brazilian reais|brazilian real"),
        ("money", "PLN", "polish zloty"),
        ("money", "RUB", "russian rubles|russian roubles"),
        ("money", "TRY", "turkish lira|türk lirası"),
    )
    for pair in pairs.split("|")
} | {
    pair: ("kind", "percent", Decimal("0.1")) for pair in ("per thousand", "per mille", "pro mille")
}
"""Two words that are one mark, lower case -> (role, name, factor)."""

THREE_WORDS: dict[str, tuple[str, str, Decimal]] = {
    "points de pourcentage": ("kind", "percentage_point", _ONE),
    "point de pourcentage": ("kind", "percentage_point", _ONE),
    "points de base": ("kind", "basis_point", _ONE),
    "per cent points": ("kind", "percentage_point", _ONE),
    "hong kong dollars": ("money", "HKD", _ONE),
    "hong kong dollar": ("money", "HKD", _ONE),
    "new zealand dollars": ("money", "NZD", _ONE),
    "new taiwan dollars": ("money", "TWD", _ONE),
    "united states dollars": ("money", "USD", _ONE),
}
"""The same of three words."""

KINDS = {
    word: kind
    for kind, words in {
        "percent": "% ‰ percent pct pct. prozent procent percento процент процента процентов "
        "promille 퍼센트 パーセント "
        "prosenttia prosent prosenta procenta procentów persen százalék प्रतिशत "
        "เปอร์เซ็นต์ بالمئة بالمائة درصد אחוז אחוזים v.h. 割 成",
        "percentage_point": "pp pps ppt ppts %-points %pts percentage-points percentage-point "
        "%-punkte %p prozentpunkte prozentpunkten prozentpunkt procentenheter procentenhet "
        "procentpoint procentpunt procentpunten prosentpoeng prosenttiyksikköä п.п. p.p. "
        "个百分点 個百分點 %ポイント パーセントポイント 퍼센트포인트",
        "basis_point": "bps bp bpts basispunkte basispunkten basispunkt basispunten basis-points "
        "basis-point pontos-base б.п. 个基点 個基點 基点 ベーシスポイント räntepunkter",
        "multiple": "x × times fold 倍 배 fois veces vezes volte раза раз krát kali lần razy",
    }.items()
    for word in words.split()
}

COUNTS = word_set(
    "employees people persons shares stores units items customers members users patients students "
    "households vehicles cars stations countries states children 人 名 个 個 명"
)

_MEASURE_WORDS = {
    "g": "mg:0.001 g:1 gram:1 grams:1 kg:1000 kilogram:1000 kilograms:1000 kilos:1000 t:1000000 "
    "tonne:1000000 tonnes:1000000 µg:0.000001 公斤:1000 kt:1000000000 lb:453.59237 lbs:453.59237 "
    "oz:28.349523125 mt:1000000000000",
    "m": "mm:0.001 cm:0.01 m:1 metre:1 metres:1 meter:1 meters:1 km:1000 kilometres:1000 "
    "kilometers:1000 mile:1609.344 miles:1609.344 ft:0.3048 foot:0.3048 feet:0.3048 "
    "inch:0.0254 inches:0.0254 yards:0.9144 公里:1000",
    "l": "ml:0.001 cl:0.01 l:1 litre:1 litres:1 liter:1 liters:1 hl:100 m³:1000 gallon:3.785411784 "
    "gallons:3.785411784 cbm:1000",
    "Wh": "wh:1 kwh:1000 mwh:1000000 gwh:1000000000 twh:1000000000000",
    "W": "w:1 kw:1000 mw:1000000 gw:1000000000 watts:1 megawatts:1000000 gigawatts:1000000000",
    "B": "kb:1000 mb:1000000 gb:1000000000 tb:1000000000000",
    "boe": "boe:1 mboe:1000 kboe:1000 mmboe:1000000",
    "bbl": "bbl:1 bbls:1 barrel:1 barrels:1 mbbl:1000 kbbl:1000 mmbbl:1000000",
    "boe/d": "boe/d:1 boe/day:1 boed:1 mboe/d:1000 mboe/day:1000 kboe/d:1000 kboed:1000 "
    "mboed:1000 mmboe/d:1000000",
    "bbl/d": "bbl/d:1 bbl/day:1 bpd:1 mbbl/d:1000 kbbl/d:1000 mb/d:1000 mmbbl/d:1000000 kbd:1000",
    "s": "sec:1 secs:1 s:1 seconds:1 minute:60 minutes:60 min:60 hour:3600 hours:3600 hrs:3600",
    "day": "day:1 days:1 week:7 weeks:7 日間:1 天:1",
    "month": "month:1 months:1 year:12 years:12 yrs:12 个月:1",
    "°C": "°c:1",
    "°F": "°f:1",
    "m/s": "mph:0.44704 m/s:1 km/h:0.277777777777777778 kmh:0.277777777777777778",
    "m2": "ha:10000 hectare:10000 hectares:10000 acre:4046.8564224 acres:4046.8564224 sqm:1 "
    "sqft:0.09290304 sqkm:1000000 qm:1 m²:1",
}

MEASURES: dict[str, tuple[str, Decimal]] = {
    word: (base, Decimal(factor))
    for base, words in _MEASURE_WORDS.items()
    for word, _, factor in (entry.rpartition(":") for entry in words.split())
}
"""Unit words, lower case -> (base unit, factor to it); a base unit names its dimension."""
