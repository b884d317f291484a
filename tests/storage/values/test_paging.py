"""Cursors: opaque, signed, good for one listing of one scope."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.storage.values.errors import InvalidCursor
from quire.storage.values.paging import Cursors
from quire.storage.values.rows import Scope
from quire.storage.values.signing import Signer

SIGNER = Signer(b"sixteen bytes at least")
CURSORS = Cursors(SIGNER, "jobs", Scope(tenant="acme"))


@given(st.lists(st.one_of(st.integers(), st.text())))
def test_a_cursor_gives_back_its_key(key: list[int | str]) -> None:
    assert CURSORS.read(CURSORS.write(key)) == key


@pytest.mark.parametrize(
    "foreign",
    [
        Cursors(SIGNER, "audit", Scope(tenant="acme")),
        Cursors(SIGNER, "jobs", Scope(tenant="other")),
        Cursors(SIGNER, "jobs", Scope(tenant="acme", org="two")),
        Cursors(Signer(b"another key, long enough"), "jobs", Scope(tenant="acme")),
    ],
)
def test_a_cursor_of_another_listing_scope_or_deployment_is_refused(foreign: Cursors) -> None:
    with pytest.raises(InvalidCursor):
        CURSORS.read(foreign.write([7]))


@given(st.one_of(st.text(), st.binary().map(lambda raw: base64.urlsafe_b64encode(raw).decode())))
def test_a_forged_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        CURSORS.read(cursor)


def test_a_changed_cursor_is_refused() -> None:
    raw = bytearray(base64.urlsafe_b64decode(CURSORS.write([41]) + "=="))
    raw[-2] ^= 1
    with pytest.raises(InvalidCursor):
        CURSORS.read(base64.urlsafe_b64encode(raw).decode().rstrip("="))


def test_the_item_too_many_makes_the_next_page() -> None:
    page = CURSORS.page([9, 8, 7], 2, lambda item: (item,))
    assert page.items == (9, 8)
    assert page.next_cursor is not None
    assert CURSORS.read(page.next_cursor) == [8]
    assert CURSORS.page([9, 8], 2, lambda item: (item,)).next_cursor is None
    assert CURSORS.page([], 2, lambda item: (item,)).next_cursor is None


def test_a_short_signing_key_is_refused() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        Signer(b"short")
