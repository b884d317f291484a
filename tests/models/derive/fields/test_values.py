"""Values: dates, amounts, accounts as people write them, and what must not be taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.models.derive.fields.values import (
    ValueType,
    decimal_string,
    find_amounts,
    find_currency,
    find_dates,
    find_ibans,
    normalise,
)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2018-12-25", "2018-12-25"), ("25/12/2018", "2018-12-25"), ("25.12.18", "2018-12-25"),
        ("12/25/2018", "2018-12-25"),
        ("OCT 3, 2016 12:16:25 PM", "2016-10-03"), ("7. Mai 2014", "2014-05-07"), ("02 Juillet 2015", "2015-07-02"),
        ("3 de marzo de 2020", "2020-03-03"), ("21-05-17", "2017-05-21"), ("20180428", "2018-04-28"),
        ("2021年3月4日", "2021-03-04"), ("1st of June 1999", "1999-06-01"), ("4 februari 2023", "2023-02-04"),
    ],
)  # fmt: skip
def test_dates_are_read_as_written_in_seven_languages(text: str, iso: str) -> None:
    assert [found.normal for found in find_dates(text)] == [iso]


@pytest.mark.parametrize(
    "text", ["32/13/2018", "1.2.3.4", "10.00", "03-40210276", "12345678901", "MAR 2018", "99/99/99"]
)
def test_invalid_calendar_day_is_not_a_date(text: str) -> None:
    assert list(find_dates(text)) == []


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("RM 20.80", "20.80"), ("1.234,56 €", "1234.56"), ("$1,234.50", "1234.50"), ("1 234,50", "1234.50"),
        (".20", "0.20"),
        ("-0.02", "-0.02"), ("12'345.00 CHF", "12345.00"), ("€ 5", "5"), ("(12.00)", "-12.00"),
    ],
)  # fmt: skip
def test_amounts_become_decimal_strings(text: str, amount: str) -> None:
    assert [found.normal for found in find_amounts(text)] == [amount]


@pytest.mark.parametrize("text", ["12:30", "6%", "03-40210276", "15/01/2018", "1.2.3", "page 7", "192.168.1.1"])
def test_clocks_shares_phones_and_dates_are_not_amounts(text: str) -> None:
    assert list(find_amounts(text)) == []


@given(st.decimals(0, 10**9, places=2, allow_nan=False))
def test_an_amount_written_with_thousands_reads_back_as_itself(value: object) -> None:
    english = f"{value:,}"
    german = english.translate(str.maketrans(",.", ".,"))
    assert decimal_string(english) == decimal_string(german) == str(value)


def test_an_iban_counts_only_with_right_check_digits() -> None:
    assert [found.normal for found in find_ibans("IBAN DE89 3704 0044 0532 0130 00")] == ["DE89370400440532013000"]
    assert list(find_ibans("DE88 3704 0044 0532 0130 00")) == []


def test_currencies_have_iso_codes() -> None:
    assert [find_currency(text) for text in ("RM 5", "5 €", "US$ 1", "zł 3", "kroner", "farm 5")] == [
        "MYR", "EUR", "USD", "PLN", None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "value", "normal"),
    [
        (ValueType.DATE, "on 25/12/2018", "2018-12-25"), (ValueType.AMOUNT, "319", "319"),
        (ValueType.NUMBER, "3 pcs", "3"),
        (ValueType.IDENTIFIER, "# blr-2015 10", "BLR-201510"), (ValueType.EMAIL, "Me@X.example", "me@x.example"),
        (ValueType.PHONE, "+49 6051 916 44 10", "+4960519164410"), (ValueType.CURRENCY, "in EUR", "EUR"),
        (ValueType.TEXT, " a  b ", "a b"), (ValueType.DATE, "soon", None), (ValueType.AMOUNT, "none", None),
    ],
)  # fmt: skip
def test_every_type_has_its_comparable_form(kind: ValueType, value: str, normal: str | None) -> None:
    assert normalise(value, kind) == normal


@given(st.text(max_size=80))
def test_no_text_breaks_the_finders(text: str) -> None:
    for kind in ValueType:
        normalise(text, kind)
