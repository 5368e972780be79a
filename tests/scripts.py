"""One small case in many scripts: a question, two years' passages, and answers of several kinds."""

from __future__ import annotations

from typing import Any, NamedTuple


class Told(NamedTuple):
    """One language. `right` rests on `page` (2017), `other` gives the number of `before` (2016),
    `wrong` a number that stands nowhere; `reference` is the right amount."""

    query: str
    page: str
    before: str
    right: str
    other: str
    wrong: str
    scale: str
    abstains: str
    reference: str


SCRIPTS: dict[str, Told] = {
    "en": Told(
        "What was the revenue of Norvik in 2017?",
        "The revenue of Norvik was 412 million dollars in 2017. The company has 900 employees.",
        "The revenue of Norvik was 398 million dollars in 2016. The company has 880 employees.",
        "The revenue of Norvik was 412 million dollars in 2017 [1].",
        "The revenue of Norvik was 398 million dollars in 2017 [1].",
        "The revenue of Norvik was 777 million dollars in 2017 [1].",
        "The revenue of Norvik was 412 billion dollars in 2017 [1].",
        "The documents do not say this.",
        "412 million dollars",
    ),
    "de": Told(
        "Wie hoch war der Umsatz von Norvik im Jahr 2017?",
        "Der Umsatz von Norvik betrug 2017 412 Millionen Dollar. Das Unternehmen hat 900 Mitarbeiter.",
        "Der Umsatz von Norvik betrug 2016 398 Millionen Dollar. Das Unternehmen hat 880 Mitarbeiter.",
        "Der Umsatz von Norvik betrug im Jahr 2017 412 Millionen Dollar [1].",
        "Der Umsatz von Norvik betrug im Jahr 2017 398 Millionen Dollar [1].",
        "Der Umsatz von Norvik betrug im Jahr 2017 777 Millionen Dollar [1].",
        "Der Umsatz von Norvik betrug im Jahr 2017 412 Milliarden Dollar [1].",
        "Das geht aus den Dokumenten nicht hervor.",
        "412 Millionen Dollar",
    ),
    "ru": Told(
        "Какова была выручка компании Норвик в 2017 году?",
        "Выручка компании Норвик в 2017 году составила 412 млн долларов. В компании 900 сотрудников.",
        "Выручка компании Норвик в 2016 году составила 398 млн долларов. В компании 880 сотрудников.",
        "Выручка компании Норвик в 2017 году составила 412 млн долларов [1].",
        "Выручка компании Норвик в 2017 году составила 398 млн долларов [1].",
        "Выручка компании Норвик в 2017 году составила 777 млн долларов [1].",
        "Выручка компании Норвик в 2017 году составила 412 млрд долларов [1].",
        "В документах нет информации об этом.",
        "412 млн долларов",
    ),
    "el": Told(
        "Ποια ήταν τα έσοδα της Νόρβικ το 2017;",
        "Τα έσοδα της Νόρβικ το 2017 ήταν 412 εκατομμύρια δολάρια. Η εταιρεία έχει 900 υπαλλήλους.",
        "Τα έσοδα της Νόρβικ το 2016 ήταν 398 εκατομμύρια δολάρια. Η εταιρεία έχει 880 υπαλλήλους.",
        "Τα έσοδα της Νόρβικ το 2017 ήταν 412 εκατομμύρια δολάρια [1].",
        "Τα έσοδα της Νόρβικ το 2017 ήταν 398 εκατομμύρια δολάρια [1].",
        "Τα έσοδα της Νόρβικ το 2017 ήταν 777 εκατομμύρια δολάρια [1].",
        "Τα έσοδα της Νόρβικ το 2017 ήταν 412 δισεκατομμύρια δολάρια [1].",
        "Αυτό δεν αναφέρεται στα έγγραφα.",
        "412 εκατομμύρια δολάρια",
    ),
    "ar": Told(
        "كم بلغت إيرادات شركة نورفيك في عام 2017؟",
        "بلغت إيرادات شركة نورفيك 412 مليون دولار في عام 2017. لدى الشركة 900 موظف.",
        "بلغت إيرادات شركة نورفيك 398 مليون دولار في عام 2016. لدى الشركة 880 موظفا.",
        "بلغت إيرادات شركة نورفيك 412 مليون دولار في عام 2017 [1].",
        "بلغت إيرادات شركة نورفيك 398 مليون دولار في عام 2017 [1].",
        "بلغت إيرادات شركة نورفيك 777 مليون دولار في عام 2017 [1].",
        "بلغت إيرادات شركة نورفيك 412 مليار دولار في عام 2017 [1].",
        "لا تذكر الوثائق ذلك.",
        "412 مليون دولار",
    ),
    "he": Told(
        "מה היו ההכנסות של נורוויק בשנת 2017?",
        "ההכנסות של נורוויק בשנת 2017 היו 412 מיליון דולר. לחברה יש 900 עובדים.",
        "ההכנסות של נורוויק בשנת 2016 היו 398 מיליון דולר. לחברה יש 880 עובדים.",
        "ההכנסות של נורוויק בשנת 2017 היו 412 מיליון דולר [1].",
        "ההכנסות של נורוויק בשנת 2017 היו 398 מיליון דולר [1].",
        "ההכנסות של נורוויק בשנת 2017 היו 777 מיליון דולר [1].",
        "ההכנסות של נורוויק בשנת 2017 היו 412 מיליארד דולר [1].",
        "המידע אינו מופיע במסמכים.",
        "412 מיליון דולר",
    ),
    "hi": Told(
        "2017 में नॉर्विक का राजस्व कितना था?",
        "2017 में नॉर्विक का राजस्व 412 करोड़ रुपये था। कंपनी में 900 कर्मचारी हैं।",
        "2016 में नॉर्विक का राजस्व 398 करोड़ रुपये था। कंपनी में 880 कर्मचारी हैं।",
        "2017 में नॉर्विक का राजस्व 412 करोड़ रुपये था [1]।",
        "2017 में नॉर्विक का राजस्व 398 करोड़ रुपये था [1]।",
        "2017 में नॉर्विक का राजस्व 777 करोड़ रुपये था [1]।",
        "2017 में नॉर्विक का राजस्व 412 लाख रुपये था [1]।",
        "दस्तावेज़ों में यह जानकारी नहीं है।",
        "412 करोड़ रुपये",
    ),
    "th": Told(
        "รายได้ของนอร์วิกในปี 2017 เป็นเท่าไร",
        "รายได้ของนอร์วิกในปี 2017 อยู่ที่ 412 ล้านดอลลาร์ บริษัทมีพนักงาน 900 คน",
        "รายได้ของนอร์วิกในปี 2016 อยู่ที่ 398 ล้านดอลลาร์ บริษัทมีพนักงาน 880 คน",
        "รายได้ของนอร์วิกในปี 2017 อยู่ที่ 412 ล้านดอลลาร์ [1]",
        "รายได้ของนอร์วิกในปี 2017 อยู่ที่ 398 ล้านดอลลาร์ [1]",
        "รายได้ของนอร์วิกในปี 2017 อยู่ที่ 777 ล้านดอลลาร์ [1]",
        "รายได้ของนอร์วิกในปี 2017 อยู่ที่ 412 พันล้านดอลลาร์ [1]",
        "เอกสารไม่ได้ระบุเรื่องนี้",
        "412 ล้านดอลลาร์",
    ),
    "zh": Told(
        "诺维克公司2017年的收入是多少？",
        "2017年诺维克公司的收入为412百万美元。公司有900名员工。",
        "2016年诺维克公司的收入为398百万美元。公司有880名员工。",
        "2017年诺维克公司的收入为412百万美元[1]。",
        "2017年诺维克公司的收入为398百万美元[1]。",
        "2017年诺维克公司的收入为777百万美元[1]。",
        "2017年诺维克公司的收入为412万美元[1]。",
        "文档中没有提到。",
        "412百万美元",
    ),
    "ja": Told(
        "ノルビク社の2017年の売上高はいくらですか？",
        "2017年のノルビク社の売上高は412億円でした。従業員は900人です。",
        "2016年のノルビク社の売上高は398億円でした。従業員は880人です。",
        "2017年のノルビク社の売上高は412億円でした[1]。",
        "2017年のノルビク社の売上高は398億円でした[1]。",
        "2017年のノルビク社の売上高は777億円でした[1]。",
        "2017年のノルビク社の売上高は412兆円でした[1]。",
        "文書には記載されていません。",
        "412億円",
    ),
    "ko": Told(
        "노르빅의 2017년 매출은 얼마였습니까?",
        "2017년 노르빅의 매출은 412억 원이었습니다. 직원은 900명입니다.",
        "2016년 노르빅의 매출은 398억 원이었습니다. 직원은 880명입니다.",
        "2017년 노르빅의 매출은 412억 원이었습니다 [1].",
        "2017년 노르빅의 매출은 398억 원이었습니다 [1].",
        "2017년 노르빅의 매출은 777억 원이었습니다 [1].",
        "2017년 노르빅의 매출은 412조 원이었습니다 [1].",
        "문서에 해당 내용이 없습니다.",
        "412억 원",
    ),
}  # fmt: skip

KINDS = ("right", "other", "wrong", "scale", "abstains", "missed", "blind")


def samples(name: str) -> list[dict[str, Any]]:
    """The case of one language, a sample a kind. missed: only last year's page was retrieved, and
    its number is given; blind: the right answer rests on nothing that was retrieved."""
    told = SCRIPTS[name]
    page = {"passage_id": "p17", "doc_id": "r17", "page": 3, "text": told.page}
    before = {"passage_id": "p16", "doc_id": "r16", "page": 3, "text": told.before}
    base = {
        "query": told.query,
        "reference": [told.reference],
        "gold": [[{"doc_id": "r17", "page": 3}]],
        "target": {"period": "2017"},
    }
    answers = {kind: getattr(told, kind) for kind in KINDS[:5]}
    rows = [
        {**base, "query_id": f"{name}-{kind}", "retrieved": [page, before], "answer": answer}
        for kind, answer in answers.items()
    ]
    return [
        *rows,
        {**base, "query_id": f"{name}-missed", "retrieved": [before], "answer": told.other},
        {**base, "query_id": f"{name}-blind", "retrieved": [before], "answer": told.right},
    ]
