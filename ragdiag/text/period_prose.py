"""Years of figures in prose in other languages: "Im Jahr 2016 betrug der Umsatz 398 Mio. Euro",
"в 2016 году", "في عام 2016", "2016年の売上高は398億円"."""

from __future__ import annotations

import re

from ragdiag.text.numbers import parse
from ragdiag.text.sentences import split
from ragdiag.text.tokens import language

_YEAR = r"(?P<y{}>(?:19|20)\d\d)(?!\d|[.,]\d|\s?[–/-]\s?\d)"
_BEFORE = (
    r"(?:im|in|für)\s(?:das\s|dem\s)?(?:geschäfts|kalender)?jahre?",
    r"(?:en|durant|pendant|pour|de)(?:\sl['’](?:année|exercice))?",
    r"(?:en|durante)(?:\sel)?(?:\s(?:año|ejercicio))?(?:\sde)?",
    r"(?:em|durante\so|no(?=\s(?:ano|exercício)))(?:\s(?:ano|exercício))?(?:\sde)?",
    r"(?:nel|durante\sil|nell['’](?:anno|esercizio))",
    r"(?:over|in)\s(?:het\s)?(?:jaar|boekjaar)",
    r"(?:i|under|för)(?:\s(?:år|året))?",
    r"(?:w|v)(?:\sroku|\sroce)?",
    r"(?:в|во|за|у)",
    r"(?:το|στο|για\sτο|κατά\sτο|έτος)",
    r"(?:في|خلال)(?:\s(?:ال)?(?:عام|سنة))?",
    r"ב(?:שנת\s|-)?",
    r"năm",
    r"(?:pada\s)?tahun",
)
_BEHIND = (
    r"\s?年度?(?!\s?\d{1,2}\s?月|\s?(?:まで|以前|到期|满期))",
    r"\s?년(?!\s?\d{1,2}\s?월|\s?까지)",
    r"\s?में",
    r"\s?(?:yılında|yılı|['’](?:da|de|ta|te))(?!\w)",
)
_IN_YEAR = re.compile(
    rf"(?<!\w)(?:{'|'.join(_BEFORE)})\s?{_YEAR.format(1)}"
    # Thai parts no words.
    rf"|ปี\s?{_YEAR.format(2)}"
    rf"|(?<![\d到至])(?P<y4>(?:19|20)\d\d)(?:{'|'.join(_BEHIND)})"
    # A sentence may begin with its year: "2016 betrug der Umsatz …".
    rf"|^{_YEAR.format(3)}\s(?=[^\W\d_])",
    re.IGNORECASE,
)
_ANY_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Foundings, buildings and due dates give no period to the figures beside them.
_INCIDENTAL = re.compile(
    r"gegründet|gründung|errichtet|erbaut|fällig|laufzeit|fond[ée]{1,2}e?s?\b|échéan|construit|"
    r"fundad|vencimi?ento|\bvence|construid|fondat|scaden|costruit|opgericht|vervalt|grundad|"
    r"grundlagt|förfall|forfald|założon|wymagaln|základ|splatn|основан|создан|построен|погаш|"
    r"заснован|ιδρύθηκ|λήγ|λήξ|تأسس|تأسيس|استحقاق|تستحق|נוסד|הוקמ|פירעון|फेर|स्थापना|स्थापित|"
    r"परिपक्व|ก่อตั้ง|ครบกำหนด|thành lập|đáo hạn|didirikan|jatuh tempo|kurul|vade|成立|创立|創立|"
    r"到期|建成|設立|創業|満期|償還|설립|창립|만기|\bdue\b|\bfounded\b|\bmatur",
    re.IGNORECASE,
)
_LONGEST = 400  # characters of a sentence that is read


def years_of_figures(head: str) -> set[str]:
    """Years that a sentence names, as the only one, as the time of a figure that it gives.

    A sentence with two years, or of a founding or a due date, says nothing here; nor does English,
    which has narrower rules of its own. "" gives none.
    """
    if _ANY_YEAR.search(head) is None or language(head) == "en":
        return set()
    found: set[str] = set()
    for sentence in split(head):
        years = set(_ANY_YEAR.findall(sentence.text))
        if len(years) != 1 or len(sentence.text) > _LONGEST or _INCIDENTAL.search(sentence.text):
            continue
        match = _IN_YEAR.search(sentence.text)
        if match is not None and _gives_a_figure(sentence.text):
            found |= years
    return found


def _gives_a_figure(sentence: str) -> bool:
    return any(one.is_numeric and not one.year_like for one in parse(sentence))
