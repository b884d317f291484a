"""Numbers, dates and texts as a sheet shows them (ECMA-376 18.8.31)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quire.models.extract.formats.sheets.dates import HASHES
from quire.models.extract.formats.sheets.formats import show, show_text


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1, '"£"0', "£1"), (0.125, "0.00%", "12.50%"), (1234567.891, "#,##0.00", "1,234,567.89"),
        (-5, "#,##0;(#,##0)", "(5)"),
        (12345, "0.00E+00", "1.23E+04"), (12345.678, "##0.0E+0", "12.3E+3"), (0.5, "# ?/?", "1/2"),
        (1.5, "# ?/?", "1 1/2"),
        (12, "000-00", "000-12"), (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (1500000, '0.0,,"M"', "1.5M"),
        (0, '0;-0;"zero"', "zero"), (3, '[<5]"lo";[>=5]"hi"', "lo"), (2.5, "0", "3"), (1.005, "0.00", "1.01"),
        (0, "#,###", ""),
        (1234.5, "#,##0.0#", "1,234.5"),
        (100000, "#,##0", "100,000"), (7, "[Red]0", "7"), (7, "[$€-407] 0.00", "€ 7.00"),
    ],
)  # fmt: skip
def test_a_number_is_shown_by_its_format(value: float, code: str, shown: str) -> None:
    assert show(value, code).strip() == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1 + 0.2, "0.3"),
        (1e20, "1E+20"),
        (4006381333931, "4006381333931"),
        (1e17, "1E+17"),
        (0.00001234, "0.00001234"),
        (1.0, "1"),
        (-2.50, "-2.5"),
    ],
)
def test_general_shows_as_much_as_a_cell_holds(value: float, shown: str) -> None:
    assert show(value, "General") == shown


@pytest.mark.parametrize(
    ("serial", "code", "shown"),
    [
        (46085, "dd-mmm-yy", "04-Mar-26"), (44562.75, "m/d/yy h:mm", "1/1/22 18:00"), (0.75, "h:mm AM/PM", "6:00 PM"),
        (1.25, "[h]:mm", "30:00"),
        (-1.25, "[h]:mm", "-30:00"), (60, "m/d/yy", "2/29/00"), (1, "yyyy\\-mm\\-dd", "1900-01-01"),
        (45000.5, "dddd", "Wednesday"),
        (0.5 / 86400, "ss.0", "00.5"), (45000, "mmmmm", "M"),
    ],
)  # fmt: skip
def test_a_date_is_shown_by_its_format(serial: float, code: str, shown: str) -> None:
    assert show(serial, code) == shown


def test_dates_of_the_1904_system_begin_four_years_later() -> None:
    assert show(0, "yyyy-mm-dd", epoch_1904=True) == "1904-01-01"


@pytest.mark.parametrize("serial", [-1, 3_000_000])
def test_a_date_outside_the_calendar_is_hashes(serial: float) -> None:
    assert show(serial, "yyyy") == HASHES


def test_the_half_of_a_day_may_be_all_that_is_shown() -> None:
    assert [show(value, "A/P") for value in (1, 0.75, -1)] == ["A", "P", HASHES]


def test_a_text_format_wraps_a_text() -> None:
    assert show_text("Mole", '"Dr. "@') == "Dr. Mole"
    assert show_text("Mole", "0.00") == "Mole"
    assert show_text("Mole", "[<0]General;[>9]General;General;General\\ ") == "Mole "


def test_a_section_for_negative_numbers_only_shows_no_sign() -> None:
    code = "[Red][<-25]General;[Blue][>25]General;General"
    assert [show(value, code) for value in (-26, -25, 26)] == ["26", "-25", "26"]


@pytest.mark.parametrize("code", ["E+0", "E+", "?E+0E+0", "/0E+0"])
def test_an_exponent_without_digits_before_it_is_text(code: str) -> None:
    assert isinstance(show(7.0, code), str)


@example(0.0, "E+0")
@given(st.floats(allow_nan=False, allow_infinity=False), st.text(alphabet='0#?.,%E+-/;"[]@ymdhs \\_*', max_size=20))
def test_no_code_and_no_number_fails(value: float, code: str) -> None:
    assert isinstance(show(value, code), str)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("[$-410]dddd d mmmm yyyy", "mercoledì 4 marzo 2026"),
        ("[$-407]dddd, d. mmmm yyyy", "Mittwoch, 4. März 2026"),
        ("[$-C07]ddd d.m.yy", "Mi 4.3.26"),
        ("[$-40C]dddd d mmmm yyyy", "mercredi 4 mars 2026"),
        ("[$-80C]mmm yyyy", "mars 2026"),
        ('[$-C0A]dddd, d "de" mmmm "de" yyyy', "miércoles, 4 de marzo de 2026"),
        ('[$-416]dddd, d "de" mmmm', "quarta-feira, 4 de março"),
        ("[$-413]dddd d mmmm yyyy", "woensdag 4 maart 2026"),
        ("[$-415]d mmmm yyyy", "4 marca 2026"),
        ("[$-415]mmmm yyyy", "marzec 2026"),
        ("[$-405]d. mmmm", "4. března"),
        ("[$-405]mmmm", "březen"),
        ('[$-419]d mmmm yyyy\\ "г.";@', "4 марта 2026 г."),
        ("[$-419]mmmm yyyy", "март 2026"),
        ("[$-408]d mmmm yyyy", "4 Μαρτίου 2026"),
        ("[$-41F]dd mmmm yyyy dddd", "04 Mart 2026 Çarşamba"),
        ("[$-41D]dddd d mmmm", "onsdag 4 mars"),
        ("[$-40B]d. mmmm yyyy", "4. maaliskuuta 2026"),
        ("[$-40E]yyyy. mmmm d.", "2026. március 4."),
        ('[$-411]ggge"年"m"月"d"日"', "令和8年3月4日"),
        ("[$-411]ge.m.d", "R8.3.4"),
        ("[$-411]dddd", "水曜日"),
        ("[$-412]dddd", "수요일"),
        ("[$-x-sysdate]dddd", "Wednesday"),
        ("[$-it-IT]mmmm", "marzo"),
        ("[$-1010410]mmmm", "marzo"),
        ("[$-F800]mmmm", "March"),
        ("[$-404]e/m/d", "2026/3/4"),
    ],
)
def test_dates_are_in_the_language_that_their_format_states(code: str, shown: str) -> None:
    assert show(46085, code) == shown


@pytest.mark.parametrize(
    ("serial", "shown"),
    [(43585, "平成31"), (43586, "令和1"), (32515, "昭和64"), (32516, "平成1"), (9855, "大正15"), (9856, "昭和1")],
)
def test_eras_of_japan_change_on_their_first_day(serial: int, shown: str) -> None:
    assert show(serial, "[$-411]ggge") == shown
