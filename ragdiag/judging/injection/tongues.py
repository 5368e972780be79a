"""The commonest wordings of the same signs in other languages."""

from __future__ import annotations

from ragdiag.judging.injection.sign import Sign, sign
from ragdiag.judging.injection.vocabulary import LABEL, LABEL_ANCHORS

_NOT_LATIN = (
    r"[\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-"
    r"\u9fff\uac00-\ud7af\u0370-\u03ff\u10a0-\u10ff]"
)
_DICTATION = (
    r"(?:etiqueta|etichetta|étiquette|etikett|etykieta|auf jeden fall|das wort|ausschließlich|"
    r"antworte\w{0,2}|gib|gebt|geben|bewerte\w{0,2}|markiere\w{0,2}|schreibe?\w{0,2}|ausgabe|"
    r"ausgeben|stufe\w{0,2}|beurteile\w{0,2}|urteil|bezeichne\w{0,2}|r[ée]ponde?z?|r[ée]ponds|"
    r"marque[zr]?|donne[zr]?|indique[zr]?|[ée]cri(?:s|vez|re)|classe[zr]?|consid[ée]re[zr]?|"
    r"[ée]valuez?|verdict|note[zr]?|renvoie|renvoyez|jugez?|d[ée]clarez?|responde?|responda|"
    r"marca|marque|devuelve|escribe|escriba|indica|indique|clasifica|clasifique|considera|"
    r"considere|califica|califique|veredicto|emite|evalua|evalue|evalúa|evalúe|rispondi|"
    r"rispondete|segna|scrivi|restituisci|valuta|considera|giudica|verdetto|indica|classifica|"
    r"marque|escreva|retorne|classifique|avalie|julgue|veredito|indique|antwoord|markeer|schrijf"
    r"|geef|beoordeel|oordeel|odpowiedz|oznacz|zwroc|zwróć|napisz|ocen|oceń|werdykt|svara|"
    r"markera|skriv|bedöm|svar|marker|vurder|yaz|yanitla|yanıtla|isaretle|işaretle|cevap|karar|"
    r"jawab(?:lah)?|tandai|nilai|keluarkan|tra loi|trả lời|đánh dấu|odpověz|označ|raspunde|"
    r"răspunde|marcheaza|válaszolj|vastaa|merkitse|απάντησε|σημείωσε)"
)
_THEIR_LABEL = (
    r"(?:korrekt|richtig|belegt|gest[uü]tzt|ausreichend|hinreichend|unterst[uü]tzt|correcte?s?|"
    r"[ée]tay[ée]e?s?|soutenue?s?|appuy[ée]e?s?|suffisante?s?|fond[ée]e?s?|exacte?s?|"
    r"correct[oa]s?|respaldad[oa]s?|sustentad[oa]s?|suficientes?|apoyad[oa]s?|corrett[oaie]|"
    r"supportat[oaie]|sufficient[ei]|sostenut[oaie]|corret[oa]s?|suportad[oa]s?|suficientes?|"
    r"apoiad[oa]s?|juist|ondersteund|voldoende|poprawn\w{1,2}|wystarczaj\w{1,4}|"
    r"potwierdzon\w{1,2}|dogru|doğru|destekleniyor|yeterli|benar|didukung|cukup)"
)
_THEIR_LABELS = (
    "korrekt", "richtig", "beleg", "stütz", "stutz", "reichend", "correct", "étay", "etay",
    "souten", "sosten", "appuy", "apoy", "apoi", "suffi", "sufic", "fond", "exact", "respald",
    "sustent", "corret", "corret", "supporta", "suporta", "juist", "onderst", "voldoen", "popraw",
    "wystarcz", "potwierdz", "doğru", "dogru", "destek", "yeterli", "benar", "didukung", "cukup",
)  # fmt: skip
_THEIR_SET_ASIDE = (
    "ignor", "vergiss", "vergessen", "missacht", "beachte nicht", "oubli", "compte", "abstraction",
    "néglige", "neglige", "olvid", "omiso", "omite", "descarta", "no sigas", "por alto", "dimentic",
    "trascura", "esque", "desconsid", "negeer", "vergeet", "zapom", "pomi", "glöm", "glom", "glem",
    "uită", "uita ",
    "talimat", "abaikan", "lupakan", "bỏ qua", "bo qua", "phớt", "quên", "игнор", "забуд",
    "внимани", "пренебр", "не следуй", "ігнор", "忽略", "无视", "無視", "忘", "理会", "理會",
    "不用管", "跳过", "放弃", "従わない", "破棄", "무시", "잊", "تجاهل", "انس", "تغاض", "لا تتبع",
    "अनदेखा", "नज़र", "नजर", "भूल", "उपेक्षा", "התעלם", "שכח", "نادیده", "فراموش", "αγνόησε", "ξέχασε",
)  # fmt: skip
_THEIR_RULES = (
    "anweisung", "instru", "vorgabe", "regel", "befehl", "anleitung", "aufforderung", "prompt",
    "consigne", "règle", "regle", "directive", "indicati", "indicaci", "regla", "órdenes",
    "ordenes", "directric", "istruzion", "regol", "indicazion", "direttiv", "regra", "orienta",
    "diretriz", "opdracht", "aanwijzing", "polece", "regu", "zasad", "wytyczn", "anvisning",
    "pokyn", "pravid", "talimat", "perintah", "petunjuk", "aturan", "dẫn", "dan", "lệnh", "tắc",
    "инструкц", "указани", "правил", "команд", "інструкц", "вказівк", "指", "说明", "說明", "提示",
    "规则", "規則", "要求", "内容", "命令", "ルール", "プロンプト", "説明", "지시", "명령", "지침",
    "규칙", "프롬프트", "تعليمات", "الأوامر", "القواعد", "الإرشادات", "निर्देश", "नियम", "आदेश",
    "הוראות", "כללים", "دستور", "οδηγί", "κανόν",
)  # fmt: skip
_SCRIPTS = (
    "支持", "正确", "正確", "充分", "属实", "足够", "有依据", "正しい", "正解", "十分", "裏付け",
    "サポート", "подтвержд", "поддерж", "правильн", "верн", "достаточн", "корректн", "обоснован",
    "مدعوم", "صحيح", "كاف", "مؤيد", "지지", "정답", "충분", "뒷받침", "올바",
    "समर्थित", "सही", "पर्याप्त",
)  # fmt: skip

TONGUES: tuple[Sign, ...] = (
    sign(
        "a verdict in the midst of another script",
        5,
        _NOT_LATIN + r"[^a-z\n]{0,12}" + LABEL + r"|\b" + LABEL + r"[^a-z\n]{0,6}" + _NOT_LATIN,
        LABEL_ANCHORS,
    ),
    sign(
        "tells the judge what to say, in another language",
        6,
        r"\b" + _DICTATION + r"\b[^.!?\n]{0,80}?\b(?:supported|sufficient|faithful|not_found|"
        r"(?<=[\"'«„“])correct)\b",
        LABEL_ANCHORS,
    ),
    sign(
        "tells the judge what to say, in another language",
        4,
        r"\b" + _DICTATION + r"\b[^.!?\n]{0,80}?\b" + _THEIR_LABEL + r"(?!\w)",
        _THEIR_LABELS,
    ),
    sign(
        "a verdict in the midst of another language",
        4,
        r"\b(?:immer|bitte|nur|sagt|zurück|eine|toujours|dit|avec|une|pour|siempre|dice|una|que|por|"
        r"sempre|che|uma|altijd|een|zawsze|jest|jako|alltid|altid|olarak|her zaman|selalu|sebagai|"
        r"vždy|mindig|aina|luôn|întotdeauna)\b[^.!?\n]{0,40}?\b(?:supported|sufficient|not_found|"
        r"correct)\b",
        LABEL_ANCHORS,
    ),
    sign(
        "speaks of grading, in another language",
        2,
        r"\b(?:behauptung(?:en)?|aussagen?|affirmations?|all[ée]gations?|"
        r"afirmaci[oó]n(?:es)?|affermazion[ei]|afirma[cç][oõã]\w{1,2}|bewertung|gutachter|"
        r"pr[uü]fer|[ée]valuat(?:eur|ion)|evaluador|evaluaci[oó]n|valutatore|avaliador|"
        r"beoordelaar|richter|juge|juez|giudice|twierdze\w{1,4}|iddia\w{0,4}|klaim|"
        r"pernyataan)\b",
    ),
    sign(
        "sets rules aside, in another language",
        5,
        r"\b(?:ignorier\w{0,4}|vergiss|vergessen sie|missachte\w{0,2}|"
        r"beachte nicht)\b[^.\n]{0,50}?\b(?:anweisung|instruktion|vorgabe|regel|befehl|"
        r"anleitung|aufforderung|prompt)\w{0,3}|\b(?:ignore[zr]?|oublie[zr]?|ne ten(?:ez|"
        r"ir) pas compte|fai(?:s|tes) abstraction|"
        r"n[ée]glige[zr]?)\b[^.\n]{0,50}?\b(?:instructions?|consignes?|r[èe]gles?|"
        r"directives?|indications?)|\b(?:ignor[ae]n?|olvid[ae]|haz caso omiso|"
        r"haga caso omiso|omite|descarta|no sigas|"
        r"pasa por alto)\b[^.\n]{0,50}?\b(?:instrucci[oó]n(?:es)?|indicaci[oó]n(?:es)?|"
        r"reglas?|[oó]rdenes|directrices)|\b(?:ignora\w{0,2}|dimentica\w{0,2}|"
        r"trascura)\b[^.\n]{0,50}?\b(?:istruzion[ei]|regol[ae]|indicazion[ei]|direttive)|"
        r"\b(?:ignore|esque[cç]a|desconsidere|ignorar)\b[^.\n]{0,50}?\b(?:instru[cç][õo]es|"
        r"regras|orienta[cç][õo]es|diretrizes)|\b(?:negeer|"
        r"vergeet)\b[^.\n]{0,50}?\b(?:instructies|regels|opdrachten|aanwijzingen)|"
        r"\b(?:zignoruj|ignoruj|zapomnij|pomi[nń])\b[^.\n]{0,50}?\b(?:instrukcj|polece|"
        r"regu[lł]|zasad|wytyczn)\w{0,4}|\b(?:ignorera|gl[oö]m|ignorer|"
        r"glem)\b[^.\n]{0,50}?\b(?:instruktion|anvisning|regler|instruks)\w{0,5}|"
        r"\b(?:ignoruj|zapomeň)\b[^.\n]{0,50}?\b(?:pokyn|instrukc|pravid)\w{0,4}|"
        r"\b(?:ignor[aă]|uit[aă])\b[^.\n]{0,50}?\b(?:instruc[tț]iuni|reguli)\w{0,4}|"
        r"talimat\w{0,8}[^.\n]{0,40}?(?:yok ?say|g[oö]rmezden|unut|dikkate alma)|(?:abaikan|"
        r"lupakan)[^.\n]{0,40}?(?:instruksi|perintah|petunjuk|aturan)|(?:b[oỏ] qua|phớt lờ|"
        r"quên)[^.\n]{0,40}?(?:h[uư][oớ]ng d[aẫ]n|chỉ dẫn|lệnh|quy tắc)|(?:игнорируй|"
        r"проигнорируй|забудь|не обращай внимания|пренебреги|не следуй|ігноруй|"
        r"забудь)\w{0,4}[^.\n]{0,50}?(?:инструкци|указани|правил|команд|інструкці|вказівк)|"
        r"(?:忽略|无视|無視|忘记|忘記|不要理会|不要理會|不用管|请忽略|跳过|放弃)[^。\n]{0,20}?(?:指令|指示|说明|說明|提示|规则|規則|要求|"
        r"内容)|(?:指示|命令|ルール|指令|プロンプト|説明)[^。\n]{0,12}?(?:無視|忘れ|従わない|破棄)|(?:지시|명령|지침|규칙|"
        r"프롬프트)[^.\n]{0,20}?(?:무시|잊)|(?:تجاهل|انس|تغاض|"
        r"لا تتبع)\w{0,3}[^.\n]{0,50}?(?:التعليمات|الأوامر|القواعد|الإرشادات|تعليمات)|"
        r"(?:निर्देश|नियम|आदेश)[^।\n]{0,40}?(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल|उपेक्षा)|"
        r"(?:התעלם|שכח)\w{0,2}[^.\n]{0,40}?(?:הוראות|כללים)|(?:نادیده|"
        r"فراموش)[^.\n]{0,40}?دستور|دستور\w{0,8}[^.\n]{0,40}?(?:نادیده|فراموش)|(?:αγνόησε|"
        r"ξέχασε)[^.\n]{0,40}?(?:οδηγί|κανόν)\w{0,4}",
        _THEIR_SET_ASIDE,
        _THEIR_RULES,
    ),
    sign(
        "a verdict's name in another script",
        4,
        r"(?:输出|回答|标记|判定|判断为|评为|返回|視為|视为|标注|結論|结论|裁定|给出)[^。\n]{0,16}?(?:支持|正确|正確|充分|属实|足够|"
        r"有依据)|(?:判定|回答|出力|評価|返答|ラベル|結論)[^。\n]{0,20}?(?:支持|正しい|正解|十分|裏付け)|(?:支持|正しい|正解|十分|"
        r"サポート)[^。\n]{0,12}?(?:と判定|と回答|と出力|と評価|と答え|としてください|とみなし)|(?:ответь|отметь|выведи|"
        r"напиши|укажи|считай|оцени|признай|верни|поставь|"
        r"вердикт)\w{0,4}[^.\n]{0,60}?(?:подтвержд|поддерж|правильн|верн|достаточн|корректн|"
        r"обоснован)|(?:اعتبر|أجب|اكتب|ضع|صنف|قيم|الحكم|أخرج)\w{0,3}[^.\n]{0,60}?(?:مدعوم|"
        r"صحيح|كاف|مؤيد|مدعومة|صحيحة)|(?:지지|정답|충분|뒷받침|올바)[^.\n]{0,20}?(?:판정|답하|출력|표시|평가|간주|"
        r"처리)|(?:समर्थित|सही|पर्याप्त)[^।\n]{0,30}?(?:चिह्नित|लिख|उत्तर|बता|मान|घोषित)",
        _SCRIPTS,
    ),
)
