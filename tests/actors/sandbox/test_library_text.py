"""Machine code on huge pages: the same bytes at the same addresses, never writable, and the same answers."""

import platform
import sys

import pytest

from tests.actors.sandbox.apart import answers

MOVED = """
import re, sys
sys.path.insert(0, sys.argv[1])
from models.extract.formats.pdf.engine import pymupdf
from actors.sandbox import library_text, warmup
from actors.sandbox.heap import huge_places

def mapped():
    with open("/proc/self/maps") as maps:
        return re.findall("(?m)^([0-9a-f]+)-([0-9a-f]+) (\\\\S+) (\\\\S+) \\\\S+ \\\\S+ *(.*)$", maps.read())

def rights_at(place):
    return [one[2] for one in mapped() if int(one[0], 16) <= place < int(one[1], 16)]

def bytes_at(place):
    import ctypes
    return ctypes.string_at(place, 1 << 21)

def read():
    with pymupdf.open(stream=warmup.make_sample(), filetype="pdf") as document:
        return document[0].get_text("words")

before, libraries = read(), list(library_text._find_libraries())
places = [place for whole, _ in libraries for place in huge_places(*whole)]
kept = {place: bytes_at(place) for place in places}
moved = library_text.use_huge_text(read) >> 21
own = [int(one[0], 16) for one in mapped() if one[2] == "r-xp" and not one[4] and int(one[0], 16) in kept]
print(
    moved, len(own), sum(bytes_at(place) == kept[place] for place in places) - len(places),
    sum(rights_at(place) == ["r-xp"] for place in own), int(read() == before),
)
"""
REFUSED = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox import library_text
from actors.sandbox.heap import huge_places
libc = library_text._libc()
class Refusing:
    mmap, mprotect, madvise, mremap, munmap = libc.mmap, libc.mprotect, libc.madvise, libc.mremap, libc.munmap
setattr(Refusing, sys.argv[2], staticmethod(lambda *arguments: ctypes.c_void_p(-1).value))
def mapped():
    with open("/proc/self/maps") as maps:
        return [line for line in maps if "rw-p" not in line]
library_text._libc = lambda: Refusing
place = next(one for whole, _ in library_text._find_libraries() for one in huge_places(*whole))
before = mapped()
print(int(library_text._move(place)), int(mapped() == before))
"""
UNKNOWN = """
import sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox import library_text
library_text._PAGEMAP = "/proc/self/no-such-file"
print(library_text.use_huge_text(lambda: print(1)))
"""
only_there = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="code stays where it is on other machines"
)


@only_there
def test_code_that_a_reading_runs_lies_on_huge_pages_with_the_same_bytes() -> None:
    moved, own, changed, executable, same = answers(MOVED)
    assert moved == own == executable  # none, where the machine has no huge page at hand
    assert changed == 0
    assert same == 1


@only_there
@pytest.mark.parametrize("call", ["mmap", "mprotect", "madvise", "mremap"])
def test_nothing_is_changed_where_the_system_refuses(call: str) -> None:
    assert answers(REFUSED, call) == (0, 1)


def test_nothing_is_tried_where_the_system_does_not_say_what_was_touched() -> None:
    assert answers(UNKNOWN) == (0,)
