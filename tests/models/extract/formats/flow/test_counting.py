"""Numbers that a file states in digits: an impossible number counts nothing and is not an internal fault."""

import pytest

from quire.models.extract.formats.flow.counting import natural

ABSURD = ["", "²", "-1", "1.5", "١²", "9" * 10, "9" * 5000]
"""Among them digits that `int` refuses, and more of them than it takes."""


@pytest.mark.parametrize("text", [None, *ABSURD])
def test_an_absurd_number_is_not_taken(text: str | None) -> None:
    assert natural(text, 7) == 7


@pytest.mark.parametrize(("text", "number"), [("0", 0), (" 12 ", 12), ("٣", 3), ("9" * 9, 999_999_999)])
def test_a_stated_number_is_taken(text: str, number: int) -> None:
    assert natural(text, 7) == number
