"""Counting characters by kind, equal to `str` methods one by one."""

from collections import Counter

import pytest

from quire.models.extract.coverage.account import find_missing
from quire.models.extract.layout.learned.counts import count_alnum, count_capitals, count_digits, count_letters

TEXTS = ("", "Total 1,204.50 EUR", "Größe ½ ² ٣ Ⅻ “DÉJÀ” 第3章", "\ud800 lone 1", "𝐀𝟏 math A1", "ÀÉ1é\U000f0001b2")


@pytest.mark.parametrize("text", TEXTS)
def test_kinds_of_characters_are_counted_like_str_methods(text: str) -> None:
    found = [count(text) for count in (count_digits, count_alnum, count_letters, count_capitals)]
    told = [sum(map(kind, text)) for kind in (str.isdigit, str.isalnum, str.isalpha, str.isupper)]
    assert found == told


@pytest.mark.parametrize("stated", TEXTS)
@pytest.mark.parametrize("written", TEXTS)
def test_missing_characters_are_the_difference_of_multisets(stated: str, written: str) -> None:
    assert find_missing(stated, written) == Counter(stated) - Counter(written)
