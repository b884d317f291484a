"""Machine code of libraries on huge pages: a child need not map what a reading runs, and the processor finds it sooner.

A fork does not copy the tables of what is mapped from files, so each child would fault its code in anew, sixteen pages
at a time. Here the code that a reading touches is copied to memory that is no file's, and put where it was: the same
bytes at the same addresses. Never writable and executable at once; where something is refused, nothing is changed.
"""

import ctypes
import os
import platform
import re
import struct
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import BinaryIO

from actors.sandbox.heap import HUGE_PAGE, MADV_COLLAPSE, huge_places

_PAGE = 4096  # bytes, on x86-64
_LEAST_TOUCHED = 128  # pages of a huge one that a reading must touch: eight faults, each maps sixteen
_READ, _WRITE, _EXECUTE = 1, 2, 4  # bits of protection, PROT_… of linux/mman.h
_PRIVATE_ANONYMOUS = 0x22  # MAP_PRIVATE | MAP_ANONYMOUS of linux/mman.h
_MADV_DONTNEED = 4  # advice of linux/mman.h
_MREMAP_TO_ADDRESS = 3  # flags MREMAP_MAYMOVE | MREMAP_FIXED of linux/mman.h
_PAGEMAP = "/proc/self/pagemap"
_ENTRY = 8  # bytes of one of its entries
_PRESENT = 1 << 63  # the highest bit of an entry: the page is in the tables
_MAPPED = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (r-[x-]p) \S+ \S+ \d+ +(/\S.*)$", re.MULTILINE)

Stretch = tuple[int, int]
"""First address and the one after the last."""


def use_huge_text(run: Callable[[], object]) -> int:
    """Move the libraries' code that `run` touches; bytes moved. Needs `/proc` and a process with one thread."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or not os.access(_PAGEMAP, os.R_OK):
        return 0
    libraries = list(_find_libraries())
    for start, end in (text for _, texts in libraries for text in texts):
        _libc().madvise(start, end - start, _MADV_DONTNEED)  # pages of a file, only read: they come back when touched
    run()
    with open(_PAGEMAP, "rb", buffering=0) as pagemap:
        touched = [
            place
            for whole, texts in libraries
            for place in huge_places(*whole)
            if _count_touched(pagemap, place, texts) >= _LEAST_TOUCHED
        ]
    return sum(HUGE_PAGE for place in touched if _move(place))


def _find_libraries() -> Iterator[tuple[Stretch, list[Stretch]]]:
    """Each unbroken stretch of read-only mappings of one file, and those in it that are code."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        mapped = [(int(one[1], 16), int(one[2], 16), one[3], one[4]) for one in _MAPPED.finditer(maps.read())]
    for _, group in groupby(mapped, key=lambda one: one[3]):
        parts = list(group)
        whole = parts[0][0], parts[-1][1]
        if sum(end - start for start, end, _, _ in parts) == whole[1] - whole[0]:
            yield whole, [(start, end) for start, end, rights, _ in parts if rights == "r-xp"]


def _count_touched(pagemap: BinaryIO, place: int, texts: list[Stretch]) -> int:
    """Pages of code in a huge page's place that this process has in its tables."""
    touched = 0
    for start, end in texts:
        first, last = max(start, place) // _PAGE, min(end, place + HUGE_PAGE) // _PAGE
        if first < last:
            pagemap.seek(first * _ENTRY)
            entries = struct.iter_unpack("=Q", pagemap.read((last - first) * _ENTRY))
            touched += sum(entry >= _PRESENT for (entry,) in entries)
    return touched


def _move(place: int) -> bool:
    """Copy the bytes of a huge page and put the copy in their place. False where the system refuses."""
    libc = _libc()
    room = libc.mmap(None, 2 * HUGE_PAGE, _READ | _WRITE, _PRIVATE_ANONYMOUS, -1, 0)
    if room in (None, ctypes.c_void_p(-1).value):
        return False
    copy = huge_places(room, room + 2 * HUGE_PAGE)[0]
    ctypes.memmove(copy, place, HUGE_PAGE)
    moved: bool = (
        libc.mprotect(copy, HUGE_PAGE, _READ | _EXECUTE) == 0
        and libc.madvise(copy, HUGE_PAGE, MADV_COLLAPSE) == 0
        and libc.mremap(copy, HUGE_PAGE, HUGE_PAGE, _MREMAP_TO_ADDRESS, place) == place
    )
    left = [(room, copy), (copy + HUGE_PAGE, room + 2 * HUGE_PAGE), *([] if moved else [(copy, copy + HUGE_PAGE)])]
    for start, end in left:
        if end > start:
            libc.munmap(start, end - start)
    return moved


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    address, size = ctypes.c_void_p, ctypes.c_size_t
    libc.mmap.restype = libc.mremap.restype = address
    libc.mmap.argtypes = [address, size, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mremap.argtypes = [address, size, size, ctypes.c_int, address]
    libc.madvise.argtypes = libc.mprotect.argtypes = [address, size, ctypes.c_int]
    libc.munmap.argtypes = [address, size]
    return libc
