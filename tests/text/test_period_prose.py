"""Years of figures in prose, in many languages."""

from __future__ import annotations

import pytest

from ragdiag.text.period_places import own_years
from ragdiag.text.period_prose import years_of_figures
from tests.growth import grows_linearly


@pytest.mark.parametrize(
    ("sentence", "years"),
    [
        ("Im Jahr 2016 betrug der Umsatz 398 Millionen Euro.", {"2016"}),
        ("2016 betrug der Umsatz 398 Millionen Euro.", {"2016"}),
        ("Le chiffre d'affaires en 2016 était de 398 millions d'euros.", {"2016"}),
        ("Los ingresos en el año 2016 fueron de 398 millones de euros.", {"2016"}),
        ("A receita em 2016 foi de 398 milhões de reais.", {"2016"}),
        ("Nel 2016 i ricavi sono stati 398 milioni di euro.", {"2016"}),
        ("In het jaar 2016 bedroeg de omzet 398 miljoen euro.", {"2016"}),
        ("Omsättningen under 2016 var 398 miljoner kronor.", {"2016"}),
        ("W 2016 r. przychody wyniosły 398 mln zł.", {"2016"}),
        ("В 2016 году выручка составила 398 млн рублей.", {"2016"}),
        ("Τα έσοδα το 2016 ήταν 398 εκατομμύρια ευρώ.", {"2016"}),
        ("بلغت الإيرادات 398 مليون دولار في عام 2016.", {"2016"}),
        ("ההכנסות בשנת 2016 היו 398 מיליון דולר.", {"2016"}),
        ("2016 में राजस्व 398 करोड़ रुपये था।", {"2016"}),
        ("รายได้ในปี 2016 อยู่ที่ 398 ล้านบาท", {"2016"}),
        ("2016年公司的收入为398百万美元。", {"2016"}),
        ("2016年の売上高は398億円でした。", {"2016"}),
        ("2016년 매출은 398억 원이었습니다.", {"2016"}),
        # a founding, a due date, an aim, two years, a range, no figure: no period of a figure
        ("Die Firma wurde im Jahr 1998 gegründet und hat 900 Mitarbeiter.", set()),
        ("Die Anleihe über 500 Millionen Euro wird im Jahr 2033 fällig.", set()),
        ("L'entreprise, fondée en 1998, a 900 employés.", set()),
        ("Компания основана в 1998 году, в ней 900 сотрудников.", set()),
        ("公司成立于1998年，有900名员工。", set()),
        ("会社は1998年に設立され、従業員は900人です。", set()),
        ("2030年までに売上高は500億円になる。", set()),
        ("회사는 2030년까지 500억 원을 투자한다.", set()),
        ("В 2016 году выручка составила 398 млн, в 2017 году 412 млн рублей.", set()),
        ("Im Jahr 2016/17 betrug der Umsatz 398 Millionen Euro.", set()),
        ("Im Jahr 2016 zog die Firma um.", set()),
        ("Notes of 500 million dollars are due in 2033.", set()),
        ("", set()),
    ],
)
def test_years_of_figures(sentence: str, years: set[str]) -> None:
    assert years_of_figures(sentence) == years
    assert own_years(sentence) >= years


def test_long_prose_is_read_in_linear_time() -> None:
    assert grows_linearly(years_of_figures, "Im Jahr 2016 betrug er 3 Mio. Euro. " * 4000)
