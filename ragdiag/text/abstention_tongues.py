"""Phrases by which answers in other languages than English abstain."""

from __future__ import annotations

import re

from ragdiag.text.word_sets import word_set

WORDS_ALONE = word_set(
    "άγνωστο|לא ידוע|ไม่ทราบ|ไม่มีข้อมูล|정보 없음|해당 없음|没有答案|невідомо|không rõ|tidak diketahui|"
    "okänt|ukjent|ismeretlen|tuntematon|necunoscut|অজানা",
    "|",
)
"""Whole answers."""

FOREIGN = re.compile(
    # German, Dutch
    r"\bkeine (?:\w+ ){0,2}?(?:informationen|angaben?|daten|hinweise)\b|\bnicht (?:\w+ "
    r")?(?:angegeben|"
    r"enthalten|genannt|erwähnt|gefunden|beantworte[nt]|bestimmen|bestimmt|ermittel[nt]|"
    r"finden|hervor)"
    r"\b|\bweiß (?:ich|es) nicht\b|\bgeen informatie\b|\bniet (?:\w+ )?(?:vermeld|gevonden|genoemd|"
    r"beantwoorden|vinden|bepalen)\b|\bweet (?:ik )?het niet\b"
    # French
    r"|\bne (?:\w+ )?(?:mentionne(?:nt)?|contien(?:nen)?t|précise(?:nt)?|fourni(?:ssen)?t|"
    r"indique(?:nt)?|"
    r"permet(?:tent)?|figure(?:nt)?|donne(?:nt)?) (?:pas|aucune?)\b|\baucune (?:information|donnée|"
    r"mention)|\bje ne (?:sais|peux|trouve|dispose|connais) pas\b|\bpas (?:été )?(?:mentionnée?s?|"
    r"précisée?s?|indiquée?s?|trouvée?s?|fournie?s?)\b|\bn'(?:est|ai|a|ont|y) (?:\w+ )?pas "
    r"(?:\w+ )?"
    r"(?:mention|précis|indiqu|trouv|fourni|d'information)|\bimpossible de (?:répondre|déterminer|"
    r"dire|savoir|trouver)"
    # Spanish, Portuguese, Italian
    r"|\bno (?:se |lo )?(?:menciona|especifica|indica|proporciona|contienen?|encuentr\w+|"
    r"encontr\w+|sé|"
    r"aparece|incluyen?|dice|puede determinar)\b|\bno (?:tengo|hay|dispongo de|existe) (?:\w+ )?"
    r"informaci[oó]n\b|\bno (?:puedo|es posible|se puede) (?:determinar|responder|encontrar|saber|"
    r"contestar|calcular)|\bnão (?:sei|há|tenho|consta|encontrei|foi|é possível|posso|"
    r"menciona|consigo|"
    r"especifica|informa|contém)\b|\bnon (?:lo so|è (?:specificat|menzionat|indicat|possibile|"
    r"riportat|fornit|disponibil)\w*|posso|ci sono informazioni|trovo|ho trovato|menziona|contiene|"
    r"specifica)\b"
    # Russian, Ukrainian, Polish, Turkish
    r"|\bне (?:указан|упомина|упомянут|содерж|найден|удалось|могу|знаю|нашел|нашёл|"
    r"приводится|сказано|"
    r"вказан|можу|містить|знайдено)|\bнет (?:\w+ )?(?:информации|данных|ответа|сведений)|"
    r"\bневозможно "
    r"(?:определить|ответить|установить)|\bnie (?:wiem|ma informacji|podano|można|mogę|znalazłem|"
    r"zawiera|wspomina)|\bbrak (?:informacji|danych)|\b(?:bilmiyorum|bulamadım|bulunamadı|"
    r"belirtilmemiş\w*|bilgi yok|cevaplayamam|yer almıyor)"
    # Chinese, Japanese, Korean
    r"|无法(?:回答|确定|找到|得知|判断|从|提供|计算)|無法(?:回答|確定|找到|得知|判斷|從|"
    r"提供)|(?:没有|沒有|并未|並未|未)"
    r"(?:明确|明確)?(?:提到|提及|提供|找到|说明|說明|给出|給出|包含|涉及|记载|記載|披露|"
    r"相关信息|相關資訊)|不知道|找不到"
    r"|不清楚|没有(?:相关|足够)|沒有(?:相關|足夠)|見つかりません|見つけられません|"
    r"見つかりませんでした|記載(?:が|は)?"
    r"(?:あり|され|ござい)(?:ません|ていません|ておりません)|記載されていない|"
    r"書かれていません|わかりません|分かりません"
    r"|情報(?:が|は)(?:ありません|不足|含まれてい)|回答(?:できません|できない)|"
    r"答えられません|判断できません|不明です"
    r"|言及(?:されていません|がありません)|찾을 수 없|알 수 없|정보(?:가|는) (?:없|부족)|"
    r"나와 있지 않|명시되어 있지 않"
    r"|(?:내용|언급|기재|기록|답변?|자료|데이터)(?:이|가|은|는|도)? 없(?:습|다|어|음)"
    r"|(?:기재|포함|기록|제공|공개|표시|서술)되(?:어 있)?지 않|나오지 않|나타나 있지 않"
    r"|(?:記述|記載|情報|言及|回答|データ)(?:が|は)(?:ない|無い|ございません|見当たり)"
    r"|(?:示|述べ|触れ)(?:られて|されて)?(?:いません|いない)|読み取れません"
    r"|(?:没有|沒有|并未|並未|未)(?:明确|明確)?(?:显示|顯示|列出|注明|註明|写明|寫明|公布|公佈)"
    r"|언급되지 않|언급이 없|답변할 수 없|답할 수 없|모르겠|확인할 수 없"
    # Arabic, Persian, Hebrew, Hindi
    r"|لا (?:أعرف|أعلم|توجد معلومات|تتوفر|يمكن تحديد|يمكنني|يحتوي|تحتوي|يذكر|تذكر)|لم "
    r"(?:أجد|يُذكر|يذكر|"
    r"يتم ذكر|أتمكن|تُذكر|يرد)|غير (?:مذكور|متوفر|محدد|موجود)|نمی‌?دانم|اطلاعاتی "
    r".{0,20}(?:نیست|وجود ندارد)"
    r"|ذکر نشده|לא (?:יודע|ידוע|נמצא|צוין|מצאתי)|אין מידע|नहीं (?:मिल|दे सकत|है कि|बता)|"
    r"जानकारी (?:\S+ )?नहीं"
    r"|उल्लेख नहीं|पता नहीं|नहीं पता|उपलब्ध नहीं"
    r"|मौजूद नहीं|नहीं (?:दिया|दी|बताया|लिखा) (?:गया|गई)"
    r"|(?:אינו|אינה|אינם|אינן|לא) (?:מופיע|מוזכר|מצוי[ןנ]|כולל|מכיל|מפורט|ניתן לקבוע|ניתן לענות)"
    r"|אין (?:\S+ ){0,2}(?:מידע|נתונים|תשובה)|לא ניתן (?:לקבוע|לענות|לדעת)|איני יודע|אינני יודע"
    r"|(?:لا|لم) (?:ت?ي?رد|تتضمن|يتضمن|تشير|يشير|تتناول|يظهر)|ليس(?:ت)? (?:لدي|هناك) معلومات"
    r"|لا (?:\S+ )?معلومات|مشخص نیست|(?:اشاره|بیان) نشده"
    # Greek, Thai, Bengali, Tamil
    r"|δεν (?:αναφέρ|περιλαμβάν|περιέχ|προκύπτ|υπάρχ\w* (?:\w+ )?(?:πληροφορί|στοιχεί|αναφορ)"
    r"|γνωρίζω|ξέρω|βρ[ήέ]|διευκρινίζ|προσδιορίζ|είναι (?:δυνατό|γνωστό)|μπορ(?:ώ|εί) να"
    r"|δίν|παρέχ|διαθέτω|έχω (?:\w+ )?πληροφορί)"
    r"|ไม่(?:ได้)?(?:ระบุ|กล่าวถึง|พบ|ทราบ|เปิดเผย|ให้ข้อมูล)|ไม่ปรากฏ"
    r"|ไม่มี(?:ข้อมูล|การระบุ|การกล่าวถึง|คำตอบ|ระบุ)|ไม่สามารถ(?:ตอบ|ระบุ|หา|บอก|ยืนยัน)"
    r"|উল্লেখ (?:নেই|করা হয়নি)|তথ্য (?:নেই|পাওয়া যায়নি)|জানা যায়নি|தகவல் இல்லை|குறிப்பிடப்படவில்லை"
    # Vietnamese, Indonesian, Scandinavian, Czech, Hungarian, Finnish, Romanian
    r"|\bkhông (?:có (?:thông tin|dữ liệu|đề cập)|đề cập|được (?:nêu|đề cập|nhắc)|tìm thấy|nêu|biết"
    r"|thể (?:trả lời|xác định))|\btidak (?:disebutkan|ada informasi|ditemukan|tersedia|dijelaskan"
    r"|dapat (?:menjawab|ditentukan)|diketahui|tercantum)"
    r"|\b(?:framgår|anges|nämns|fremgår|oppgis|angives|nevnes|nævnes) (?:det )?(?:inte|ikke)\b"
    r"|\bvet (?:inte|ikke)\b|\bingen (?:information|informasjon|oplysning\w*|uppgift\w*)\b"
    r"|\bnení (?:\w+ )?(?:uveden|zmíněn|možné)\w*|\bnevím\b"
    r"|\bnem (?:szerepel|tudom|található|említ)\w*"
    r"|\bei (?:mainita|kerrota|ole (?:tietoa|mainittu)|löydy|käy ilmi)\b"
    r"|\bnu (?:este|sunt) (?:menționat|specificat|precizat)\w*",
    re.IGNORECASE,
)
"""Sentences, in the order of families of languages."""
