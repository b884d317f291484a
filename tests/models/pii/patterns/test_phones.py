"""Telephone numbers one by one: by prefix, grouping, the words around, over line ends and in lists."""

import pytest

from quire.models.pii.patterns.clues import Clues
from quire.models.pii.patterns.phones import find_phones


def numbers(text: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in find_phones(Clues(text))]


@pytest.mark.parametrize(
    "number",
    [
        "+44 20 7946 0958",
        "0044 20 7946 0958",
        "+49123456789",
        "(020) 7946 0958",
        "555-123-4567",
        "555 123 4567",
        "020 7946 0958",
        "01 84 17 61 18",
        "+1 (555) 123-4567",
        "+123456789012345",
        "(0) 20 79 46 09",
    ],
)
def test_unambiguous_numbers_are_found_without_context(number: str) -> None:
    assert numbers(f"see {number} then") == [number]


@pytest.mark.parametrize(
    "number",
    [
        "5551234567",
        "55-512-34567",
        "555 123 456",
        "+12345678",
        "+1234567890123456",
        "2024-03-01 12",
        "1999 - 2004",
        "000 1234 5678",
        "111 111 1111",
        "5555555",
        "020 7946095",
        "0207 94 6",
        "12 7946 0958",
        "020 7 946 0958",
        "020 79460 95 8",
    ],
)
def test_numbers_without_context_are_not_found(number: str) -> None:
    assert numbers(f"see {number} then") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [("call ", ""), ("Tel.: ", ""), ("phone number is ", ""), ("", " fax"), ("", ", office"), ("", " - mobile")],
)
def test_context_word_next_to_a_number_makes_a_phone_number(before: str, after: str) -> None:
    assert numbers(f"{before}5551234{after}") == ["5551234"]
    assert numbers(f"{before}555123{after}") == []
    assert numbers(f"{before}1111111{after}") == (["1111111"] if before else [])


@pytest.mark.parametrize("before", ["invoice ", "order no. ", "ISBN ", "page ", "ref: "])
def test_a_word_for_another_number_goes_before_its_grouping(before: str) -> None:
    assert numbers(f"{before}555-123-4567") == []
    assert numbers(f"{before}+44 20 7946 0958") == ["+44 20 7946 0958"]


@pytest.mark.parametrize("gap", ["x" * 24, " " * 24])
def test_a_word_stands_at_most_twenty_four_characters_before(gap: str) -> None:
    assert numbers(f"call {gap[1:]}5551234") == (["5551234"] if gap.isspace() else [])
    assert numbers("call" + " " * 25 + "5551234") == []


@pytest.mark.parametrize("text", ["$5551234567", "555-123-4567%", "555-123-4567.5", "a_555-123-4567", "555-123-4567 €"])
def test_amounts_and_parts_of_words_are_not_numbers(text: str) -> None:
    assert numbers(text) == []


def test_an_extension_belongs_to_its_number() -> None:
    assert numbers("555-123-4567 ext. 12, then") == ["555-123-4567 ext. 12"]
    assert numbers("555-123-4567x9 then") == ["555-123-4567x9"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("+44 20\n7946 0958 then", ["+44 20\n7946 0958"]),
        ("+44\n20\n7946\n0958 then", ["+44\n20\n7946\n0958"]),
        ("+44 20 79\n46 09\n58 then", ["+44 20 79\n46 09\n58"]),
        ("+44 20 79\n46 0 958\n5812 then", ["+44 20 79\n46 0 958"]),
        ("+44 20 79\n46 0\n58 1 then", ["+44 20 79\n46 0\n58 1"]),
        ("+44 20 79\n46 0\n58 12 then", ["+44 20 79\n46 0"]),
        ("+44 20\nRope", []),
        ("+44 20\n79460 95812 345 678 then", []),
        ("+44 20\n7946 0958%", []),
    ],
)
def test_international_number_continues_after_a_line_end(text: str, found: list[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("call 5551234, 5559876 or 5554321", ["5551234", "5559876", "5554321"]),
        ("call 5551234 and 5559876", ["5551234", "5559876"]),
        ("call 5551234. The 5559876", ["5551234"]),
        ("call 555 1234 555 9876 by", ["555 1234 555 9876"]),
        ("call 555 123 4567 555 987 6543 by", ["555 123 4567", "555 987 6543"]),
        ("see 555 123 4567 555 987 6543 by", ["555 123 4567", "555 987 6543"]),
        ("call 555 123 4567 555 987 6543 and 5554321", ["555 123 4567", "555 987 6543", "5554321"]),
        ("call 555 1234 555 9876 555 by", ["555 1234", "555 9876"]),
        ("see 555 12 34567 555 98 76543 by", []),
        ("call 12345678 - 123456789012 by", ["12345678", "123456789012"]),
        ("see 12345678 - 123456789012 by", []),
    ],
)
def test_a_list_of_numbers_is_each_of_them(text: str, found: list[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # equal groups: the longest pieces first, at least two, of seven to fifteen digits, the rest left out
        ("see 020 1234 5678 020 9876 5432 by", ["020 1234 5678", "020 9876 5432"]),
        ("call 1234567 7654321 12 by", ["1234567 7654321 12"]),
        ("call 12345678 12345679 12345680 by", ["12345678", "12345679", "12345680"]),
        ("call 123 4567 8901 123 4567 8901 by", ["123 4567 8901", "123 4567 8901"]),
        ("see 1111111 1111111 1111111 by", []),
        ("see 123456 654321 123456 654321 by", []),
        ("see 12.03.2024 12.03.2025 by", []),
        # a known list is split at wide gaps, also with one number on either side
        ("call 1234567 - 12345678901 by", ["1234567", "12345678901"]),
        ("call 12345678 / 123456789012 by", ["12345678", "123456789012"]),
        ("call 12345678 - 1234567890 - 123456 by", ["12345678", "1234567890", "123456"]),
        ("call 12345-67890-12345-678901 by", ["12345-67890-12345-678901"]),
        ("see 12345-67890-12345-678901 by", []),
    ],
)
def test_long_run_of_figures_is_split_into_numbers(text: str, found: list[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("number", "is_grouped"),
    [
        ("07911 123456", True), ("07911 12345", False), ("7911 123456", False),
        ("555 123 4567", True), ("55 5123 4567", False), ("555 1234 567", False), ("5551 234 567", False),
        ("(030) 123456", True), ("(03) 123456", False), ("(030) 1234 567890", True), ("(030) 1234 5678901", False),
        ("(1) 23 45 67 89", True), ("(1) 23 45 67 89 0", False), ("123456789 (12)", False),
        ("0301 / 123456", True), ("0301/12345", True), ("030/12345", False), ("0301/12345678", True),
        ("0301/123456789", False), ("0301-123456", True), ("0301-1234567", False), ("01-23456789", True),
        ("01-2345678", False), ("030-1234567", True),
        ("01 23 45 67 8", False), ("01 23 45 67 89", True), ("01 23 45 67", False),
        ("012 345 678", True), ("12 345 678 90", False),
        ("0123 4567 8901", True), ("0123 4567 89012", False), ("01 234 56789", False), ("01 2 345678 90", False),
        ("012345 67890", False),
    ],
)  # fmt: skip
def test_unannounced_number_needs_dialled_groups(number: str, *, is_grouped: bool) -> None:
    assert numbers(f"see {number} then") == ([number] if is_grouped else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("+12345678 then", []), ("+123456789 then", ["+123456789"]), ("call +1234567 then", ["+1234567"]),
        ("call 123456 then", []), ("call 1234567 then", ["1234567"]),
        ("call 123456789012345 then", ["123456789012345"]),
        ("call 001 1234567 then", ["001 1234567"]), ("+49 12.03.2024 123 then", ["+49 12.03.2024 123"]),
    ],
)  # fmt: skip
def test_count_of_digits_limits_each_kind_of_number(text: str, found: list[str]) -> None:
    assert numbers(text) == found
