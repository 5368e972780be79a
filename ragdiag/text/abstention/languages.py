"""How other languages say that they do not know, or that their sources do not say.

ALONE says so by itself ("ich weiß nicht", "わかりません"); what the world can do too ("enthält kein
…": a text no answer, a product no sugar) counts only where the sentence names a source.
"""

from __future__ import annotations

import re

_ALONE = (
    # German, Dutch
    r"\bkeine (?:\w+ ){0,2}?(?:informationen|angaben?|hinweise|auskunft|erwähnung)\b"
    r"|\b(?:weiß|wissen) (?:ich |wir )?(?:es |das )?(?:leider )?nicht\b"
    r"|\b(?:ich (?:kann|konnte|finde|habe)|(?:kann|konnte) ich) (?:\w+ ){0,4}?(?:nichts|nicht "
    r"(?:\w+ )?(?:beantworten|"
    r"finden|sagen|bestimmen|ermitteln|feststellen|beurteilen))\b"
    r"|\bnicht (?:\w+ )?(?:zu entnehmen|ersichtlich|beantwortet? werden|beantworten|hervor|"
    r"beantwortbar)\b"
    r"|\bgeen (?:\w+ ){0,2}?(?:informatie|gegevens|vermelding)\b|\bweet (?:ik )?(?:het )?niet\b"
    r"|\b(?:kan|kon) ik (?:\w+ ){0,4}?niet (?:beantwoorden|vinden|bepalen|zeggen)\b"
    r"|\bniet (?:\w+ )?(?:te beantwoorden|beantwoord worden)\b"
    # Swedish, Danish, Norwegian
    r"|\bfram?går inte\b|\bfremgår (?:det )?ik?ke\b|\bfremgår det ik?ke\b"
    r"|\b(?:vet|ved) (?:jag |jeg )?(?:det )?(?:inte|ik?ke)\b"
    r"|\b(?:jag|jeg) (?:kan|kunde|kunne|hittar|finder|finner) (?:inte|ik?ke|ingen|inga)\b"
    r"|\b(?:ingen|inga|inget) (?:\w+ )?(?:informa[ts]\w+|uppgift\w*|opplysning\w*|oplysning\w*)\b"
    r"|\b(?:inte|ik?ke|ej) (?:angiv\w+|angett|angitt|omnämn\w*|nævnt|nevnt|oppgitt|opplyst|"
    r"oplyst)\b"
    # Finnish, Hungarian
    r"|\bei (?:mainita|kerrota|ilmene|käy ilmi)\b|\ben (?:tiedä|löydä|löytänyt|pysty vastaamaan|"
    r"voi vastata)\b|\btietoa ei (?:\w+ )?(?:ole|löydy)\b"
    r"|\bnem (?:tudom|tudok válaszolni|derül ki|állapítható meg|találtam|válaszolható meg)\b"
    r"|\bnincs (?:\w+ ){0,2}?(?:információ|adat)\w*"
    # French
    r"|\baucune (?:information|donnée|mention|indication)|\b(?:je l'|j')ignore\b|\bje ne (?:sais|"
    r"trouve|dispose|connais) "
    r"pas\b|\bje ne peux pas (?:\w+ ){0,2}?(?:répondre|déterminer|dire|fournir|trouver)\b"
    r"|\bje n'ai (?:pas |rien )?(?:trouvé|accès|d'information|aucun)|\bpas en mesure de "
    r"(?:répondre|"
    r"déterminer|dire|fournir)|\bpas d'informations?\b|\bn'(?:est|a|ont|sont) pas (?:été )?"
    r"(?:mentionn|précis|indiqu|spécifi)"
    r"|\b(?:impossible|(?:ne|pas) permet(?:tent)? pas) (?:\w+ )?de (?:répondre|déterminer|dire|"
    r"savoir|trouver|calculer)|\bne permet(?:tent)? pas d[e'] ?(?:\w+ )?(?:répondre|déterminer|"
    r"établir|savoir|calculer|connaître)|\bne (?:mentionne|précise|spécifie)(?:nt)? (?:pas|"
    r"aucune?)\b"
    # Spanish
    r"|\bno (?:se |lo )?(?:menciona|especifica)\w*\b|\bno lo sé\b|\bno sé\b|\b(?:se )?desconoce\b"
    r"[^.]{0,40}\b(?:fragmento|documento|texto|contexto)"
    r"|\bno (?:tengo|dispongo de|hay|existe|encuentro|encontré|he encontrado) (?:\w+ ){0,2}?"
    r"(?:informaci[oó]n|datos|respuesta|acceso|mención)\b"
    r"|\bno (?:puedo|es posible|se puede|puede) (?:\w+ )?(?:determinar|responder|encontrar|saber|"
    r"contestar|calcular)"
    # Portuguese
    r"|\bnão sei\b|\bnão (?:há|tenho|existem?|encontrei|disponho de) (?:\w+ ){0,2}?(?:informaç\w+|"
    r"dados|resposta|acesso|menção)|\bnão (?:é possível|posso|consigo|se pode) (?:\w+ )?(?:"
    r"determinar|responder|encontrar|saber|calcular|dizer|afirmar)|\bnão (?:foi|é|está|são|"
    r"consta) "
    r"(?:mencionad|especificad|informad|indicad)\w+|\bnão (?:menciona|especifica)\w*\b"
    # Italian, Romanian
    r"|\bnon (?:lo so|ci sono informazioni|ho (?:trovato|accesso|informazioni))\b|\bnon (?:posso|"
    r"sono in grado di|è possibile|si può) (?:\w+ )?(?:rispondere|determinare|stabilire|dire|"
    r"trovare|sapere|calcolare)|\bnon (?:è|sono|viene|vengono) (?:\w+ )?(?:specificat|menzionat|"
    r"indicat)\w+|\bnon (?:menziona|specifica)\w*\b"
    r"|\bnu (?:știu|există (?:\w+ )?informații|am găsit|pot (?:răspunde|determina)|se (?:poate "
    r"determina|menționează)|(?:este|sunt) (?:menționa|specifica|preciza)\w+|menționeaz\w+)"
    # Polish, Czech
    r"|\bnie (?:wiem|znalazł[ae]m|podano|wspomina\w*|wspomniano|określono|wynika)\b|\bnie "
    r"(?:można|"
    r"da się|mogę|jestem w stanie|potrafię) (?:\w+ ){0,2}?(?:ustalić|określić|odpowiedzieć|"
    r"znaleźć|"
    r"stwierdzić|podać|obliczyć|udzielić)|\bnie ma (?:\w+ ){0,2}?(?:informacji|danych|wzmianki)\b"
    r"|\bbrak (?:\w+ ){0,2}?(?:informacji|danych|odpowiedzi|wzmianki)\b|\bna to pytanie nie\b"
    r"|\b(?:není|nie je|nejsou) (?:\w+ ){0,2}?(?:uveden|zmíněn|specifikov)\w*|\bne(?:vím|uvádí|"
    r"zmiňuj\w+|našel jsem|našla jsem)\b|\bnelze (?:\w+ ){0,2}?(?:určit|odpovědět|zjistit)\b"
    # Russian, Ukrainian
    r"|\bне (?:указан|упомина|упомянут|удалось найти|знаю|нашел|нашёл|нашла|приводится|приводятся|"
    r"сказано|сообщается|вказан|згаду|зазначен|наведен|знаю|знайдено|знайшов)"
    r"|\bне (?:могу|можу|можемо|удалось|вдалося|маю змоги) (?:\w+ ){0,2}?(?:ответить|определить|"
    r"найти|сказать|відповісти|визначити|знайти|сказати)"
    r"|\b(?:нет|нету|немає|не маю|не имею) (?:\w+ ){0,2}?(?:информации|данных|ответа|сведений|"
    r"упоминани\w+|інформації|даних|відомостей|відповіді|згадк\w+)"
    r"|\b(?:невозможно|нельзя|неможливо|не можна) (?:\w+ ){0,2}?(?:определить|ответить|установить|"
    r"сказать|визначити|відповісти|встановити)|\b(?:ответить|определить|установить|відповісти) "
    r"(?:\w+ ){0,3}?(?:нельзя|невозможно|неможливо|не можна)\b"
    # Turkish
    r"|\b(?:bilmiyorum|bulamadım|ulaşamadım|belirtilme\w+|belirlenemi\w+|bahsedilmi\w+|bahsetmi\w+"
    r"|değinilmi\w+|saptanam\w+|cevapla[my]\w*m\w*or\w*|yanıtla[my]\w*m\w*or\w*|cevaplayama\w+|"
    r"yanıtlayamı\w+|yanıtlayama\w+|söyleyem\w+|bilgi(?:m|ye)? yok\w*|bilgi bulunm\w+)"
    # Greek
    r"|\bδεν (?:γνωρίζω|ξέρω|προκύπτει|διευκρινίζ\w+|προσδιορίζ\w+|βρήκα|αναφέρ\w+)"
    r"|\bδεν (?:υπάρχ\w+|διαθέτω|έχω) (?:\w+ ){0,2}?(?:πληροφορ\w+|αναφορά|στοιχεία|δεδομένα)"
    r"|\bδεν (?:μπορώ|είναι δυνατό\w*|μπορεί) (?:\w+ ){0,2}?(?:απαντ|προσδιορ|καθορ|βρ|πω)\w*"
    # Vietnamese, Indonesian, Malay
    r"|\bkhông (?:\w+ )?(?:đề cập|nêu|được nêu|được nhắc|tìm thấy|thể xác định|thể trả lời|cung "
    r"cấp "
    r"thông tin|có (?:\w+ )?thông tin|có (?:\w+ )?dữ liệu)|\btôi không biết\b"
    r"|\btidak (?:menyebut\w*|disebut\w*|dijelaskan|tercantum|ditemukan|diketahui|tahu|dapat (?:"
    r"menjawab|ditentukan|menentukan|dijawab)|ada (?:\w+ )?informasi|terdapat (?:\w+ )?informasi"
    r"|memuat informasi|dinyatakan)\b"
    # Chinese
    r"|(?:无法|無法|不能|难以|難以)[^。,，]{0,10}?(?:回答|确定|確定|找到|得知|得出|判断|判斷|"
    r"计算|計算|"
    r"获知|獲知|给出|給出|作答|推断)|(?:^|我|[,，。])(?:们|們|也|并|並)?不知道|找不到(?:相关|"
    r"相關|信息|資訊|资料|資料|答案|内容|內容)"
    r"|(?:没有|沒有|并未|並未|并没有|並沒有|未|没|未能)(?:有)?(?:明确|明確|具体|具體|直接)?"
    r"(?:提到|提及|说明|說明|给出|給出|记载|記載|涉及|列出|注明|相关信息|相關資訊|找到|查到|说|說)"
    r"|(?:没有|沒有)(?:任何)?(?:关于|關於|有关|有關)[^。]{0,20}(?:信息|資訊|资料|資料|内容|內容|"
    r"记载)"
    r"|(?:没有|沒有)(?:足够|足夠|相关|相關|任何)?(?:的)?(?:信息|資訊|资料|資料|内容|內容|答案|"
    r"依据)"
    # Japanese
    r"|(?:見つかり|見つけられ|見当たり|わかり|分かり|答えられ|判断でき|お答えでき|回答でき|"
    r"特定でき|"
    r"判断いたしかね|お答えしかね)(?:ません|ませんでした|ない|ず)|回答できない|判断できない"
    r"|(?:記載|記述|言及|明記|説明)(?:が|は|も)?(?:あり|され|ござい|見られ|見当たり)?(?:ません|"
    r"ていません|"
    r"ておりません|ていない|がありません|がない|がございません)|書かれていま?せ?(?:ん|ない)"
    r"|触れられてい(?:ません|ない)|情報(?:が|は)(?:ありません|不足|ない|得られ)|不明です|"
    r"情報[^。]{0,20}"
    r"含まれてい(?:ません|ない)"
    # Korean
    r"|(?:찾을|알|답변할|답할|확인할|판단할|알아낼) 수 (?:가 )?없|찾지 못했|정보(?:가|는|도) "
    r"(?:\S+ )?(?:없|"
    r"부족|나와)|(?:나와|명시되어|언급되어|기재되어|기술되어|포함되어) 있지 않|언급(?:되지 않|"
    r"이 없|하지 않)|"
    r"모르겠|모릅니다|판단하기 어렵|답변하기 어렵|답변드리기 어렵|알기 어렵"
    # Arabic, Persian, Hebrew
    r"|لا (?:أعرف|أعلم|أستطيع (?:الإجابة|تحديد)|(?:توجد|تتوفر|تتوافر|يوجد|أملك) (?:\S+ )?"
    r"(?:معلومات|بيانات|إجابة|ذكر)|يمكن (?:تحديد|معرفة|الإجابة)|يمكنني (?:الإجابة|تحديد|تقديم))"
    r"|لم (?:أجد|أعثر|أتمكن|يُذكر|يذكر|يتم ذكر|تُذكر|يرد ذكر)|غير (?:مذكور|مذكورة)\b"
    r"|نمی‌?دانم|نمی‌?توانم (?:\S+ ){0,3}?پاسخ|اطلاعاتی .{0,30}(?:نیست|ندارد|نمی|نشده)|ذکر نشده|"
    r"اشاره‌?ای? ?(?:به \S+ )?نشده|اشاره‌ای نشده|مشخص نشده"
    r"|(?:איני|אינני|לא) (?:יודע|יודעת)|לא (?:ידוע|צוין|צוינה|מצאתי|ניתן (?:לקבוע|לענות|לדעת|"
    r"להסיק)|מוזכר|הוזכר|נאמר)|אין (?:\S+ ){0,2}?(?:מידע|נתונים|תשובה|אזכור)"
    # Hindi, Bengali, Tamil, Thai
    r"|(?:उल्लेख|पता|उपलब्ध|ज्ञात) (?:\S+ )?नहीं|जानकारी (?:\S+ )?(?:नहीं|उपलब्ध नहीं)|नहीं "
    r"(?:मिल(?:ी|ा|"
    r"त)|पता|बता)|उत्तर (?:\S+ )?नहीं|जवाब (?:\S+ )?नहीं|निर्धारित नहीं"
    r"|(?:উল্লেখ|উল্লেখিত) (?:\S+ )?(?:নেই|হয়নি|করা হয়নি|করেনি)|তথ্য(?:টি)? (?:\S+ )?(?:নেই|পাওয়া "
    r"যায়নি)"
    r"|জানি না|জানা নেই|(?:தகவல்|குறிப்பு)\S* (?:\S+ )?(?:இல்லை|கிடைக்கவில்லை)|குறிப்பிடப்படவில்லை|"
    r"தெரியவில்லை"
    r"|ไม่(?:พบ|มี)(?:ข้อมูล|การกล่าวถึง|การระบุ)|ไม่ทราบ|ไม่ได้(?:ระบุ|กล่าวถึง|บอก|ให้ข้อมูล)|ไม่สามารถ(?:ตอบ|"
    r"ระบุ|หา)"
)
FOREIGN = re.compile(_ALONE, re.IGNORECASE)
_NEGATES = (
    " kein", " nicht", " weiß", " niet", " geen", " inte ", " inte.", " ikke", " ikkje", " ingen",
    " inga", " inget", " ej ", " ei ", "eivät", " en ", " nem ", " nincs", " pas ", " pas.",
    " aucun", " rien", "impossible", " no ", " não ", " non ", " nu ", " nie ", " brak ", " ne",
    "desconoc", "ignore", " ningun", " tidak ", "bilmi", "bulun", "bulam", "ulaşam", "belirtilm",
    "belirlenem", "bahsed", "bahsetm", "değinilm", "saptanam", "cevap", "yanıt", "söyleyem", " yok",
    "geçmi", "verilm", " alm", "mevcut", "içerm", "açıklanma", "sunmu",
)  # fmt: skip
"""Every phrase in a Latin script has one of these."""
_OTHER_SCRIPT = re.compile("[\u0370-\u1eff\u2c00-\U0010ffff]")


def may_negate(lower: str) -> bool:
    """A quick look at a text in lower case between two spaces: can `lacking` find anything?"""
    if any(word in lower for word in _NEGATES):
        return True
    return not lower.isascii() and _OTHER_SCRIPT.search(lower) is not None


# A sentence that names a source (first) and says that something is not there (second).
_PAIRS = (
    (  # German
        r"text\w*|kontext\w*|dokument\w*|unterlagen|quellen?|auszug\w*|auszüg\w*|abschnitt\w*|"
        r"passagen?|bericht\w*|information\w*|tabelle\w*|darüber|daraus|antwort|frage",
        r"\b(?:nicht|keine[nrs]?|kein|nichts) (?:\w+ ){0,3}?(?:angegeben|enthalten|genannt|"
        r"erwähnt|"
        r"gefunden|beantwort\w*|bestimm\w+|ermittel\w+|finden|hervor\w*|aufgeführt|ausgewiesen|"
        r"beziffert|angabe\w*|auskunft|erwähnung)\b|\b(?:enthält|enthalten|nennt|nennen|erwähn\w+|"
        r"gibt|geben|liefert|liefern|macht|machen|sagt|sagen|schweigt)\b[^.]{0,40}?\b(?:nicht|"
        r"keine"
        r"[nrs]?|kein|nichts)\b|\bdaten\b[^.]{0,30}?\bnicht\b",
    ),
    (  # Dutch
        r"documenten?|teksten?|context|bron|bronnen|fragment\w*|rapport|passages?|informatie|"
        r"vraag",
        r"\b(?:vermeld\w*|noem\w*|bevat\w*|geeft|geven|zegt|zeggen)\b[^.]{0,40}?\b(?:niet|geen)\b|"
        r"\bniet (?:\w+ ){0,2}?(?:vermeld|gevonden|genoemd|beantwoord\w*|vinden|bepa\w+|opgenomen|"
        r"beschikbaar|terug)\b|\bgeen (?:\w+ )?antwoord",
    ),
    (  # Swedish, Danish, Norwegian
        r"dokument\w*|text\w*|tekst\w*|kontext\w*|kontekst\w*|käll\w+|kild\w+|utdrag\w*|uddrag\w*|"
        r"information\w*|rapport\w*|detta|dette",
        r"\b(?:nämn\w*|ange\w*|anges|innehåll\w*|indehold\w*|inneholder|nævn\w*|nevn\w*|oppgi\w*|"
        r"oplys\w*|finns|finnes|findes|står|säger|sier|siger)\b[^.]{0,20}?\b(?:inte|ik?ke|ingen|"
        r"inga|inget|ej)\b|\b(?:inte|ik?ke) (?:\w+ )?(?:svar\w*|besvar\w*|hitta\w*|find\w*)",
    ),
    (  # Finnish, Hungarian
        r"asiakirj\w+|teksti\w*|lähte\w+|konteksti\w*|tieto\w*|dokumentum\w*|szöveg\w*|forrás\w*|"
        r"kontextus\w*|információ\w*",
        r"\b(?:ei|eivät) (?:\w+ ){0,2}?(?:mainit\w*|kerro\w*|sisällä|löydy|ole|anneta|"
        r"ilmoiteta)\b|"
        r"\bnem (?:\w+ ){0,2}?(?:szerepel\w*|található\w*|említ\w*|tartalmaz\w*|ad\w*|közöl\w*)",
    ),
    (  # French
        r"documents?|texte|contexte|extraits?|passages?|sources?|rapport|information|informations|"
        r"données|réponse|tableau",
        r"\bn[e'] ?(?:\w+ )?(?:contien(?:nen)?t|fourni(?:ssen)?t|indique(?:nt)?|figure(?:nt)?|"
        r"donne"
        r"(?:nt)?|apparai(?:t|ssent)|apparaît|dit|disent|précise(?:nt)?|mentionne(?:nt)?|révèle"
        r"(?:nt)?|est|sont|a|ont)\b(?: [\w']+){0,1}? (?:pas|aucune?|rien)\b|\b(?:aucun|aucune) "
        r"des\b"
        r"|\bpas (?:été )?(?:disponible|mentionn|précis|indiqu|trouv|fourni)\w*",
    ),
    (  # Spanish
        r"documentos?|textos?|contexto|fragmentos?|pasajes?|fuentes?|informes?|informaci[oó]n|"
        r"datos|"
        r"respuesta|extractos?",
        r"\bno (?:se |lo |nos )?(?:\w+ )?(?:indican?|proporcionan?|contienen?|encuentr\w+|"
        r"encontr\w+|"
        r"aparecen?|incluyen?|dicen?|hacen? referencia|revelan?|figuran?|ofrecen?|está disponible|"
        r"precisan?|detallan?|constan?|(?:es|son) suficientes?|dan)\b|\bni?ngun[oa] de l[oa]s\b",
    ),
    (  # Portuguese
        r"documentos?|textos?|contexto|trechos?|passagens|fontes?|relatórios?|informaç\w+|dados|"
        r"resposta|excertos?",
        r"\bnão (?:se |lhe )?(?:\w+ )?(?:fornecem?|contêm|contém|consta\w*|encontr\w+|inclu\w+|"
        r"indica\w*|apresenta\w*|diz\w*|informa\w*|traz\w*|revela\w*|está disponível|(?:é|são) "
        r"(?:suficiente|informad|fornecid|dad)\w*|há|"
        r"mostra\w*)\b",
    ),
    (  # Italian, Romanian
        r"document[oi]|test[oi]|contesto|brani|brano|passaggi\w*|font[ei]|relazione|rapporto|"
        r"informazion[ei]|dati|estratt[oi]|risposta|document\w*|text\w*|context\w*|pasaj\w*|"
        r"sursel\w*",
        r"\bnon (?:\w+ )?(?:riporta\w*|fornisc\w+|conten?g\w+|contiene|indica\w*|dice|dicono|è|"
        r"sono|"
        r"viene|trovo|precisa\w*|include|cita\w*|si trova\w*|disponibil\w*|rivela\w*)\b|\bnu "
        r"(?:\w+ )"
        r"?(?:conțin\w*|ofer\w+|specific\w*|apar\w*|se regăse\w+|indic\w+|preciz\w+|spun\w*)",
    ),
    (  # Polish, Czech, Slovak
        r"dokument\w*|tekst\w*|kontekst\w*|źródł\w*|fragment\w*|informacj\w*|raport\w*|text\w*|"
        r"kontext\w*|zdroj\w*|informac\w*|úryv\w*",
        r"\bnie (?:\w+ ){0,2}?(?:podaj\w*|zawier\w*|wymieni\w*|precyzuj\w*|określa\w*|znaleziono|"
        r"mówi\w*|ma\b)|\bne(?:obsahuj\w+|uvád\w+|lze|ní|poskytuj\w+|nachází|najd\w+)|\bnie je\b",
    ),
    (  # Russian, Ukrainian
        r"документ\w*|текст\w*|контекст\w*|источник\w*|отрывк\w*|отчет\w*|отчёт\w*|фрагмент\w*|"
        r"информаци\w*|сведени\w*|ответ\w*|джерел\w*|уривк\w*|звіт\w*|інформаці\w*|відповід\w*",
        r"\bне (?:\w+ )?(?:содерж\w+|найден\w*|да[её]т|дают|приводит|приводят|раскрыва\w+|"
        r"говорит\w*"
        r"|сообща\w+|предоставл\w+|містить|містять|наводит\w*|надає|надають|говорить\w*)",
    ),
    (  # Turkish
        r"belge\w*|metin\w*|metn\w*|bağlam\w*|kaynak\w*|kayna\w+|doküman\w*|rapor\w*|bilgi\w*|"
        r"soru\w*"
        r"|pasaj\w*",
        r"\b(?:bulunm[ua]\w*|bulunamad\w*|yer alm\w+|geçmi\w+|verilmem\w+|verilmi\w+|mevcut "
        r"değil\w*|"
        r"içermi\w+|içermem\w+|yok\w*|yanıt veremi\w+|cevap veremi\w+|açıklanma\w+|sunmu\w+)",
    ),
    (  # Greek
        r"έγγραφ\w*|κείμεν\w*|κειμέν\w*|πηγ\w+|απόσπασμα\w*|αποσπάσματ\w*|πληροφορ\w+|πλαίσι\w*",
        r"\bδεν (?:\w+ )?(?:περιέχ\w+|παρέχ\w+|υπάρχ\w+|δίν\w+|βρ[έήί]\w+|περιλαμβάν\w+|"
        r"εμφανίζ\w+|"
        r"είναι διαθέσιμ\w+|λέ\w+)",
    ),
    (  # Chinese
        "文中|文本|文档|文檔|文件|资料|資料|上下文|段落|材料|信息|資訊|报告|報告|来源|來源|原文|"
        "文章|内容|內容|"
        "数据|片段",
        "(?:没有|沒有|并未|並未|未|不)(?:明确|明確|具体|具體)?(?:提供|包含|披露|包括|显示|顯示|"
        "足|足以|存在)|缺乏|"
        "不清楚|不明确|不足",
    ),
    (  # Japanese, Korean
        "文書|資料|文脈|テキスト|情報|文章|コンテキスト|報告書|本文|抜粋|문서|자료|정보|본문|"
        "문맥|텍스트|보고서|"
        "컨텍스트|내용",
        "含まれてい(?:ません|ない|ず)|ありません|ございません|できません|提供されていません|"
        "없습니다|없다|없음|없어요|"
        "포함하지 않|제공하지 않|제공되지 않|다루지 않|어렵습니다",
    ),
    (  # Arabic, Persian, Hebrew
        "(?:ال|لل|بال)?(?:وثائق|نص|نصوص|مستند|مستندات|سياق|وثيقة|مصادر|مقتطفات|تقرير|معلومات|"
        "مقاطع)|متن|"
        "سند|اسناد|منابع|گزارش|اطلاعات|מסמכים|ה?מסמך|במסמכים|במסמך|טקסט|ה?טקסט|בטקסט|מידע|"
        "ה?מידע|ההקשר|"
        "בהקשר|המקורות|במקורות|קטעים",
        r"(?:^|\s)(?:لا|لم|ليس|غير|ولا) (?:\S+ ){0,2}?(?:تتضمن|يتضمن|يحتوي|تحتوي|يذكر|تذكر|يرد|"
        r"ترد|يوفر|توفر"
        r"|يقدم|تقدم|يشير|تشير|يتوفر|تتوفر|متوفر\S*|موجود\S*|محدد\S*|يوجد|توجد|مذكور\S*)|"
        r"نمی‌?(?:دهد|دهند|کند|"
        r"کنند|گوید|شود)|نشده|ندارد|وجود ندارد|نیامده|(?:^|\s)(?:אינו|אינה|אינם|לא|אין) (?:\S+ "
        r"){0,2}?(?:"
        r"מופיע\S*|מכיל\S*|מציינ\S*|מציין|כולל\S*|נמצא\S*|מזכיר\S*|מספק\S*|מידע)",
    ),
    (  # Hindi, Bengali, Tamil, Thai, Vietnamese, Indonesian
        "दस्तावेज़\\S*|दस्तावेज\\S*|संदर्भ|पाठ|स्रोत\\S*|जानकारी|অনুচ্ছেদ\\S*|নথি\\S*|তথ্য\\S*|"
        "প্রসঙ্গ\\S*|ஆவண\\S*|"
        "உரை\\S*|தகவல்\\S*|เอกสาร|ข้อความ|ข้อมูล|บริบท|tài liệu|văn bản|ngữ cảnh|thông tin|đoạn|"
        "dokumen\\w*|"
        "teks|konteks|informasi|sumber|kutipan",
        "नहीं|নেই|হয়নি|করেনি|இல்லை|வில்லை|ไม่(?:มี|พบ|ปรากฏ|เพียงพอ|ได้)|"
        r"\bkhông (?:\w+ )?(?:có|đủ|chứa|nói|cung cấp|cho biết|đề)|\btidak (?:\w+ )?(?:ada|memuat|"
        r"mencantumkan|menyebut\w*|cukup|memberi\w*|tersedia|terdapat|menjelaskan)",
    ),
)  # fmt: skip
_COMPILED = tuple(
    (re.compile(rf"(?<!\w)(?:{source})" if ord(source.lstrip("(?:")[0]) < 0x2E80
                else source, re.IGNORECASE), re.compile(lacks, re.IGNORECASE))
    for source, lacks in _PAIRS
)  # fmt: skip


def lacking(sentence: str) -> int:
    """Where a sentence in a language other than English says that something is not known; -1."""
    found = FOREIGN.search(sentence)
    if found is not None:
        return found.start()
    for source, lacks in _COMPILED:
        missing = lacks.search(sentence)
        if missing is not None and source.search(sentence):
            return missing.start()
    return -1


CONTRAST_WORDS = (
    "aber|jedoch|allerdings|obwohl|maar|men|mais|cependant|toutefois|bien que|pero|sin embargo|"
    "aunque|mas|porém|embora|ma|tuttavia|sebbene|dar|ale|choć|avšak|но|однако|але|проте|хотя|хоча|"
    "ama|ancak|fakat|αλλά|ωστόσο|nhưng|tuy nhiên|tetapi|namun|لكن|ولكن|اما|ولی|אבל|אך|लेकिन|किन्तु|"
    "কিন্তু"
)
CONTRAST_SIGNS = "但|然而|不过|不過|しかし|ただし|하지만|그러나|แต่"
POLAR_WORDS = (
    "yes|no|ja|nein|oui|non|sí|no|sim|não|sì|nee|nej|nei|kyllä|tak|nie|ano|ne|igen|nem|да|нет|так|"
    "ні|evet|hayır|ναι|όχι|có|không|ya|tidak|はい|いいえ|네|예|아니요|아니오|نعم|لا|بله|خیر|כן|"
    "לא|हाँ|नहीं|হ্যাঁ|"
    "না|ใช่|ไม่|是的|是|不是|没有|沒有|不"
)
