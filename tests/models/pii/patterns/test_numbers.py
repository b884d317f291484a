"""Checksums and ranges at their edges; the vectors of BIP 173 and BIP 350 for bech32."""

import re

import pytest

from quire.models.pii.kinds import Kind
from quire.models.pii.patterns.national import NATIONAL_NUMBERS, load_checks
from quire.models.pii.patterns.numbers import (
    is_base58_wallet,
    is_bech32,
    is_card,
    is_iban,
    is_ip,
    is_national_id,
    is_ssn,
    is_strong_national_id,
    is_vat,
)

BECH32 = (
    "A12UEL5L",
    "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
    "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
    "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
    "?1ezyfcl",
    "A1LQFN3A",
    "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx",
    "split1checkupstagehandshakeupstreamerranterredcaperredlc445v",
    "?1v759aa",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
)


@pytest.mark.parametrize("value", BECH32)
def test_bech32_checksum_detects_any_changed_character(value: str) -> None:
    assert is_bech32(value)
    assert not is_bech32(value + "b")  # no character of its alphabet
    for at in range(len(value)):
        other = "q" if value[at].lower() != "q" else "p"
        assert not is_bech32(value[:at] + other + value[at + 1 :]), at


@pytest.mark.parametrize(
    "value", ["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "1111111111111111111114oLvT2"]
)
def test_base58_checksum_detects_any_changed_character(value: str) -> None:
    assert is_base58_wallet(value)
    assert not is_base58_wallet(value[:-1])
    assert not is_base58_wallet("z" * 40)
    for at in range(1, len(value)):
        other = "2" if value[at] != "2" else "3"
        assert not is_base58_wallet(value[:at] + other + value[at + 1 :]), at


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("203.0.113.77", True),
        ("203.000.113.077", True),
        ("010.001.002.003", True),
        ("256.0.0.1", False),
        ("1.2.3", False),
        ("2001:db8::1", True),
        ("::1", False),
        ("::12", False),
        ("::abc", True),
        ("12:30:45", False),
        ("1:2:3:4:5:6:7:8", True),
        ("::1.2.3.4", True),
        ("1::2", False),
        ("1::23", False),
        ("1::2345678", False),
        ("1234::5678", True),
    ],
)
def test_addresses_and_times_that_look_alike(value: str, right: bool) -> None:
    assert is_ip(value) is right


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("4111 1111 1111 1111", True),
        ("4111-1111.1111/1111", True),
        ("4111111111111112", False),
        ("4222222222222", True),
        ("42222222222222", False),
        ("0000000000000000", False),
        ("5555555555554444", True),
        ("2223003122003222", True),
        ("9111111111111111", False),
        ("6011111111111117", True),
    ],
)
def test_card_has_issuer_length_and_checksum(value: str, right: bool) -> None:
    assert is_card(value) is right


@pytest.mark.parametrize(
    ("value", "right"),
    [("DE89 3704 0044 0532 0130 00", True), ("de89370400440532013000", True), ("DE88370400440532013000", False)],
)
def test_an_iban_has_its_countrys_length_and_checksum(value: str, right: bool) -> None:
    assert is_iban(value) is right


def test_social_security_numbers_were_issued() -> None:
    assert is_ssn("536-90-4399")
    assert is_ssn("536 90 4399")
    assert is_ssn("536.90.4399")
    assert not is_ssn("000-90-4399")
    assert not is_ssn("536-00-4399")


@pytest.mark.parametrize("value", ["2 55 08 14 168 025 38", "131052-308T", "X2482300W", "756.9217.0769.85"])
def test_national_ids_with_strong_checksum_need_no_context(value: str) -> None:
    assert is_strong_national_id(value)
    assert is_national_id(value)
    wrong = value[:-1] + ("0" if value[-1] != "0" else "1")
    assert not is_strong_national_id(wrong)


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ("12345678Z", True),
        ("12345678A", False),
        ("QQ123456C", False),
        ("AB123456C", True),
        ("BG123456C", False),
        ("1234567", False),
        ("943 476 5919", True),
        ("943 476 5918", False),
        ("abc", False),
    ],
)
def test_numbers_that_need_a_word(value: str, known: bool) -> None:
    assert is_national_id(value) is known
    assert not is_strong_national_id(value)


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("FR40303265045", True),
        ("fr 40 303 265 045", True),
        ("FR41303265045", False),
        ("RO123456", False),
        ("RO18547290", True),
    ],
)
def test_vat_number_has_country_and_checksum(value: str, right: bool) -> None:
    assert is_vat(value) is right


def test_table_of_national_numbers_has_rows_that_can_match() -> None:
    """Each row has a country, words, a shape that compiles and, where it names one, an installed check."""
    load_checks()
    for number in NATIONAL_NUMBERS:
        assert re.fullmatch("[A-Z]{2}", number.country)
        assert number.labels.heads or number.labels.stems or number.labels.unspaced
        assert re.search("[A9X\\]]", number.shapes)
        assert number.kind in {Kind.NATIONAL_ID, Kind.SSN}
    assert len({(number.country, number.shapes, number.check) for number in NATIONAL_NUMBERS}) > 140
