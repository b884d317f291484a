import pytest

from quire.models.pii.kinds import Kind
from quire.models.pii.normalise import normalise
from quire.models.pii.patterns.kind_patterns import RegexDetector

DETECTOR = RegexDetector()


def found(text: str) -> set[tuple[str, str]]:
    copy = normalise(text)
    hits = DETECTOR.detect(copy.text)
    return {(hit.kind.value, text[slice(*copy.original_span(hit.start, hit.end))]) for hit in hits}


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Kind.EMAIL, "ann.o'neil+x@mail.example.co.uk", "Write to {}."),
        (Kind.EMAIL, "jörg@bücher.example", "mail: {}, thanks"),
        (Kind.PHONE, "+33 1 84 17 61 18", "{} (office)"),
        (Kind.PHONE, "(202) 555-0143", "or {} after five"),
        (Kind.PHONE, "202-555-0143", "or {} after five"),
        (Kind.PHONE, "01.84.17.61.18", "au {} le matin"),
        (Kind.PHONE, "9472 7916", "call me on {} tonight"),
        (Kind.CREDIT_CARD, "4111 1111 1111 1111", "card {} expires"),
        (Kind.CREDIT_CARD, "378282246310005", "card {} expires"),
        (Kind.IBAN, "DE89 3704 0044 0532 0130 00", "IBAN {} BIC"),
        (Kind.IBAN, "GB29NWBK60161331926819", "to {}."),
        (Kind.SSN, "536-90-4399", "SSN {}"),
        (Kind.SSN, "536904399", "social security {}"),
        (Kind.NATIONAL_ID, "2 55 08 14 168 025 38", "NIR {}"),
        (Kind.NATIONAL_ID, "12345678Z", "DNI {}"),
        (Kind.IP, "203.0.113.77", "from {} at noon"),
        (Kind.IP, "2001:db8::8a2e:370:7334", "from {} at noon"),
        (Kind.URL, "https://example.com/a?b=c", "see {}."),
        (Kind.URL, "www.example.org", "see {}, please"),
        (Kind.PASSPORT, "X1234567", "Passport no. {}"),
        (Kind.DATE_OF_BIRTH, "12/03/1975", "Date of birth: {}"),
        (Kind.DATE_OF_BIRTH, "3 March 1975", "born on {} in"),
        (Kind.ADDRESS, "221B Baker Street", "lives at {} now"),
        (Kind.ADDRESS, "Hauptstraße 12", "wohnt {} in"),
        (Kind.ADDRESS, "27 rue Henri Rolland", "habite {}, Lyon"),
        (Kind.ADDRESS, "12 bis, rue de la paix", "habite {}, Lyon"),
        (Kind.ADDRESS, "Boulevard Haussmann", "the {}, they said"),
        (Kind.ADDRESS, "rue de l'Église", "sur la {}, là"),
        (Kind.ADDRESS, "Via Roma 12", "abita in {}, Torino"),
        (Kind.VAT_ID, "FR40303265045", "TVA {}"),
        (Kind.PLATE, "AB-123-CD", "voiture {} grise"),
        (Kind.CRYPTO_WALLET, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "pay {}"),
        (Kind.CRYPTO_WALLET, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "pay {}"),
        (Kind.SECRET, "ghp_" + "a1B2" * 9, "token {} leaked"),
        (Kind.SECRET, "hunter2secret", "password: {} ok"),
    ],
)
def test_each_kind_is_found_at_its_place(kind: Kind, value: str, text: str) -> None:
    assert (kind.value, value) in found(text.format(value))


@pytest.mark.parametrize(
    "text",
    [
        "an avenue into modernity, the spiritual place of her ancestors, via email and the route to Paris",
        "Version 1.2.3 of 2024-05-06, page 12 of 345.",
        "Total 1,234.56 EUR for 12 items at 102.88",
        "ISBN 978-3-16-148410-0 and doi 10.1000/182",
        "The years 1998-2004 and 12:30:45 h",
        "4111 1111 1111 1112 fails its checksum",
        "DE88 3704 0044 0532 0131 00 fails too",
        "000-12-3456 was never issued",
    ],
)
def test_plain_figures_are_not_personal_data(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "a\u200bnn@exam\u00adple.com",
        "ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ",
        "аnn@exаmple.com",
        "ann%40example.com",
        "ann&#64;example.com",
        "\u202emoc.elpmaxe@nna\u202c",
        "a\u0301nn@example.com",
    ],
)
def test_disguised_addresses_are_found_whole(text: str) -> None:
    ((kind, value),) = found(text)
    assert kind == "email"
    assert value.strip("\u202e\u202c") == text.strip("\u202e\u202c")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("write to ann.exam\nple@mail.example.com now", "ann.exam\nple@mail.example.com"),
        ("write to ann_exam ple@mail.example.com now", "ann_exam ple@mail.example.com"),
        ("write to annexam-\nple@mail.example.com now", "annexam-\nple@mail.example.com"),
        ("Write. ann@mail.example.com", "ann@mail.example.com"),
        ("see example.com ann@mail.example.com", "ann@mail.example.com"),
        ("write to ann@mail.example.com", "ann@mail.example.com"),
    ],
)
def test_address_broken_before_its_sign_is_found_when_unambiguous(text: str, value: str) -> None:
    assert found(text) == {("email", value)}


def test_two_addresses_in_a_row_are_two() -> None:
    assert [hit.end - hit.start for hit in DETECTOR.detect("ann@example.com\nbob@example.com")] == [15, 15]


def test_digits_of_another_script_are_digits() -> None:
    assert found("card ٤١١١ ١١١١ ١١١١ ١١١١") == {("credit_card", "٤١١١ ١١١١ ١١١١ ١١١١")}
