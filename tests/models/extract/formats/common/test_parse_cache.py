"""A reader's parse result is handed to the statement once, and none of it stays for the next file."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from quire.models.cdom.original import ReadOptions
from quire.models.extract.coverage.account import find_missing
from quire.models.extract.formats.common import parse_cache as kept
from quire.models.extract.formats.common.parse_cache import forget, keep, take
from quire.models.extract.registry import open_document

PAGE = b"<html><body><p>Twelve ropes</p></body></html>"


def test_cached_parse_is_taken_once() -> None:
    forget()
    assert keep("xml", b"<a/>", ["made"]) == ["made"]
    assert take("html", b"<a/>") is None
    assert take("xml", b"<a/>") == ["made"]
    assert take("xml", b"<a/>") is None


def test_large_sources_are_not_kept() -> None:
    forget()
    keep("xml", b"x" * (17 << 20), "made")
    assert take("xml", b"x" * (17 << 20)) is None


def test_nothing_stays_of_a_file_that_was_read_and_counted() -> None:
    document = open_document(PAGE, ReadOptions())
    assert kept._kept
    document.read_page(1)
    assert not kept._kept


def test_a_file_read_twice_has_the_same_statement() -> None:
    first, second = (open_document(PAGE, ReadOptions()).read_page(1).content.coverage for _ in range(2))
    assert first == second
    assert first is not None
    assert first.characters.placed == len("Twelveropes")


@given(st.text(alphabet="abé中\U0001f600 \ue000", max_size=40), st.text(alphabet="abé中\U0001f600 \ue000", max_size=40))
def test_missing_characters_are_those_of_a_difference_of_multisets(stated: str, written: str) -> None:
    assert find_missing(stated, written) == Counter(stated) - Counter(written)
