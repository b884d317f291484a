"""How the fork server's memory lies: what every reading touches close together, so that a child copies few pages.

A child shares the server's pages until it writes to them, and counting references is writing: each page it meets is
copied by a fault of four microseconds, two thousand of them for one page of a document. Nothing here changes what code
does; where the interpreter or the kernel is another, the steps find nothing to do.
"""

import ctypes
import gc
import re
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise
from types import CodeType, FrameType, FunctionType
from typing import Any

_SMALLEST, _LARGEST, _STEP = 32, 512, 16  # bytes of the sizes that Python's own allocator serves
_POOL = 16384  # bytes of one of its pools, which holds objects of one size
_ARENA = 1 << 20  # bytes that it asks the system for at a time
_POOL_HEAD = 48  # bytes of a pool that hold no object
_STRAY = 8  # of a batch in new pools, not beside the one before: a second pool begins, and what this loop itself frees
_MOST_POOLS = 4096  # used up at most: 64 MB
_MOST_BATCHES = 1000  # of half a pool of one size, made at most: 8 MB
HUGE_PAGE = 1 << 21  # bytes, on x86-64 and on arm64 with pages of 4 KiB
MADV_COLLAPSE = 25  # advice of Linux 6.1: make these pages a huge one now, whatever the system's default is
_RESERVED = 42 << 20  # bytes that the interpreter asks for at once: what a server for everything fills with objects
_IMMORTAL = range(1 << 31, 1 << 32)  # what the lower half of a count is for objects that are not counted (PEP 683)
_MAPPED = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ 00:00 0 +(\[heap\])?$", re.MULTILINE)

_kept: list[object] = []
"""Never freed: holes between live objects, filled, and code that was copied away."""


def reserve_arenas() -> None:
    """Have Python's allocator ask for its memory before libraries are mapped between: it then lies in one stretch, and
    nearly all of it on huge pages. An object of each arena is kept, so that none is given back."""
    objects = _make_objects(_LARGEST, _RESERVED // _POOL * ((_POOL - _POOL_HEAD) // _LARGEST))
    _kept.extend(one for before, one in pairwise(objects) if id(before) // _ARENA != id(one) // _ARENA)


def pack_code(run: Callable[[], object], beside: Collection[str] = ()) -> int:
    """Copy the code of functions that `run` calls, and of those of modules `beside`, to one place; their number."""
    called = _called_by(run)
    functions = [
        one
        for one in gc.get_objects()
        if type(one) is FunctionType and (one.__code__ in called or one.__module__ in beside)
    ]
    for function in functions:
        _kept.append(function.__code__)
        function.__code__ = _copy(function.__code__)
    return len(functions)


def _called_by(run: Callable[[], object]) -> set[CodeType]:
    called: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            called.add(frame.f_code)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return called


def _copy(code: CodeType) -> CodeType:
    """With the code of functions inside it; those without a name of their own (`<genexpr>`) go by that alone, which is
    one object for all of them: each time one is made, a reference on its full name is counted."""
    inside = tuple(_copy(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_consts=inside, co_qualname=code.co_name if code.co_name[0] == "<" else code.co_qualname)


def make_immortal() -> int:
    """Let no reference be counted on the objects that are here: no child copies a page for it. How many were made so.

    From Python 3.12 on the interpreter counts none on objects whose count says so (PEP 683); before, nothing is done.
    They are never freed, which they would not be anyway: whoever shares them ends without tidying up.
    """
    count = ctypes.c_uint32.from_address
    immortal = count(id(...)).value
    if immortal not in _IMMORTAL or not _counts_first():
        return 0

    def mark(one: object) -> bool:
        """Whether it was counted until now."""
        place = count(id(one))
        counted = place.value != immortal
        place.value = immortal
        return counted

    made, todo = 0, gc.get_objects()
    while todo:
        fresh = list(filter(mark, todo))
        made += len(fresh)
        todo = gc.get_referents(*fresh)
        for code in fresh:
            if type(code) is CodeType:  # which does not tell the collector what it holds
                todo += code.co_consts, code.co_names
    return made


def _counts_first() -> bool:
    """An object begins with the lower half of its count: not so where threads run without the interpreter's lock."""
    is_usual = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    return is_usual and sys.byteorder == "little" and sys.maxsize > 1 << 32


def fill_pools() -> int:
    """Fill the holes between small objects, so that what a child makes lies together in pages of its own; bytes."""
    filled = 0
    for size in range(_SMALLEST, _LARGEST + 1, _STEP):
        count = (_POOL - _POOL_HEAD) // size // 2
        for _ in range(_MOST_BATCHES):
            objects = _make_objects(size, count)
            _kept.append(objects)
            filled += size * count
            beside = sum(abs(id(one) - id(other)) == size for one, other in pairwise(objects))
            if beside >= count - _STRAY:
                break
    return filled


def leave_untouched() -> None:
    """Let what a child makes begin in memory that nobody wrote to yet: a page of zeros costs half of what a copy does.

    The pools that are left are used up, so that the next one is in a new arena, and the C library's heap is cut short.
    """
    if sys.platform != "linux":
        return
    mapped = [range(start, end) for start, end in _own_data()]
    for _ in range(_MOST_POOLS):
        _kept.append(objects := _make_objects(_LARGEST, (_POOL - _POOL_HEAD) // _LARGEST))
        if not any(id(objects[-1]) in where for where in mapped):
            break
    ctypes.CDLL(None).malloc_trim(0)


def _make_objects(size: int, count: int) -> list[Any]:
    """`count` objects of `size` bytes each, of no kind that the collector looks at."""
    payload = size - sys.getsizeof(b"")
    if payload < 2:
        return [complex(1, 2) for _ in range(count)]
    return [bytes(payload) for _ in range(count)]


def use_huge_pages(places: Iterable[int]) -> int:
    """Put data on huge pages, whose tables a fork copies in no time; bytes moved."""
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return sum(HUGE_PAGE for place in places if madvise(place, HUGE_PAGE, MADV_COLLAPSE) == 0)


def find_huge_places() -> tuple[int, ...]:
    """Addresses in this process's own data at which a huge page can stand; asks `/proc`, and knows none elsewhere."""
    stretches = _own_data() if sys.platform == "linux" else []
    return tuple(place for start, end in stretches for place in huge_places(start, end))


def huge_places(start: int, end: int) -> range:
    """Addresses at which a huge page lies whole between these two."""
    return range(-(-start // HUGE_PAGE) * HUGE_PAGE, end - HUGE_PAGE + 1, HUGE_PAGE)


def _own_data() -> list[tuple[int, int]]:
    """Where memory of no file is mapped that can be written."""
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
        return [(int(found[1], 16), int(found[2], 16)) for found in _MAPPED.finditer(maps.read())]
