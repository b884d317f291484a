"""A full disk while the keyword index follows the table: reported, and every word is found later."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quire.storage.values.errors import StoreUnavailable
from tests.storage.index.test_keyword_parts import ACME, Shelf

ROOM = (0, 300, 1000, 3000)
"""Bytes that each file may grow to: too few for an index's first, second or later files."""


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file of this process grows further, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", ROOM)
@pytest.mark.parametrize("already", [0, 1, 5])
def test_words_that_met_a_full_disk_are_found_when_there_is_room_again(tmp_path: Path, room: int, already: int) -> None:
    shelf = Shelf(tmp_path)
    for number in range(already):
        shelf.write(f"before{number}", f"older word{number}")
    keep, shelf.files.follow = shelf.files.follow, lambda *_: 0  # type: ignore[method-assign]
    shelf.write("late", *(f"younger {' '.join(f'w{at}x{word}' for word in range(200))}" for at in range(3)))
    for _ in range(3):
        with room_for(room), pytest.raises(StoreUnavailable):
            keep(ACME)
    shelf.files.follow = keep  # type: ignore[method-assign]
    shelf.write("after", "younger still")
    assert len(shelf.found("younger")) == 4
    assert len(shelf.found("older")) == already
    shelf.files.close()
