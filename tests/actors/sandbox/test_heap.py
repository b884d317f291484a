"""How the fork server's memory lies changes nothing else."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from types import CodeType

import pytest

from actors.sandbox.heap import _MOST_BATCHES, find_huge_places, pack_code, use_huge_pages
from tests.actors.sandbox.apart import ROOT, answers

PAGE = 4096
SERVER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox import server
from actors.sandbox.limits import SandboxLimits
server.drop_privileges = lambda: True
server.prepare_process(SandboxLimits())
from actors.sandbox import heap, warmup
called = heap._called_by(lambda: warmup._read(warmup.make_sample()))
print(len(called), len({id(code) // 4096 for code in called}))
"""
FILLED = """
import sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox.heap import fill_pools
payload = int(sys.argv[2]) - sys.getsizeof(b"")
scattered = [bytes(payload) for _ in range(20_000)]
del scattered[::50]
filled = fill_pools()
fresh = [bytes(payload) for _ in range(64)]
print(filled, len({id(one) // 4096 for one in fresh}))
"""
RESERVED = """
import os, re, sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox.heap import _RESERVED, reserve_arenas
reserve_arenas()
objects = [bytes(479) for _ in range(_RESERVED // 1024)]
with open("/proc/self/maps") as maps:
    found = (re.match("([0-9a-f]+)-([0-9a-f]+)", line) for line in maps)
    mapped = [range(int(one[1], 16), int(one[2], 16)) for one in found]
print(100 * max(sum(id(one) in where for one in objects) for where in mapped if len(where) > 8 << 20) // len(objects))
"""
UNTOUCHED = """
import sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox import heap
scattered = [bytes(479) for _ in range(20_000)]
del scattered[::50]
before = [range(start, end) for start, end in heap._own_data()]
heap.leave_untouched()
fresh = [bytes(479) for _ in range(500)]
print(sum(not any(id(one) in where for where in before) for one in fresh))
"""
SETTLED = """
import sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox import heap, server
scattered = [bytes(size - sys.getsizeof(b"")) for size in range(64, 513, 16) for _ in range(500)]
del scattered[::50]
before = [range(start, end) for start, end in heap._own_data()]
server.settle_heap()
fresh = [bytes(size - sys.getsizeof(b"")) for size in range(64, 513, 16)]
print(len(fresh), sum(not any(id(one) in where for where in before) for one in fresh))
"""
IMMORTAL = """
import gc, os, sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox.heap import make_immortal

class Thing:
    def __init__(self): self.text = "of a thing"

def called(one): return [one, "a constant of a function", {"key": one}]

kept = [Thing(), {"a": called}, 1234567.5]
inside = kept[0], kept[1], kept[2], called, called.__code__, called.__code__.co_consts[1], "of a thing", Thing
before = [sys.getrefcount(one) for one in inside]
made = make_immortal()
shared = [inside] * 10 + [list(inside) for _ in range(10)]
after = [sys.getrefcount(one) for one in inside]

counted = Thing()
alone = sys.getrefcount(counted)
others = [counted] * 5
assert sys.getrefcount(counted) == alone + 5, "what is made afterwards is counted"
del counted, others
kept[1]["b"] = called(kept[0])
kept[0].text += " that changes"
kept.append(Thing())
del kept[0], shared
gc.collect()
assert kept[0]["b"][0].text == "of a thing that changes"
if sys.version_info < (3, 12):
    assert made == 0 and all(new >= old + 10 for new, old in zip(after, before)), (before, after)
else:
    assert made > 1000, made
    assert len(set(after)) == 1 and after[0] == sys.getrefcount(None), after
assert make_immortal() < max(made, 1) / 10, "those that were made so once"
print("as it should be", flush=True)
os._exit(0)
"""


def _add(step: int) -> Callable[..., list[int]]:
    def add(number: int, again: int = 2) -> list[int]:
        return [one + step for one in (number for _ in range(again))]

    return add


def test_packed_functions_answer_as_before_with_all_that_is_inside_them() -> None:
    add = _add(3)
    code = add.__code__
    assert pack_code(lambda: add(1)) >= 1
    assert add.__code__ is not code
    assert add.__code__ == code
    assert (add(1), add(1, again=1)) == ([4, 4], [4])
    assert add.__code__.co_firstlineno == code.co_firstlineno
    assert add.__code__.co_qualname == code.co_qualname
    inside = [one for one in add.__code__.co_consts if isinstance(one, CodeType)]
    assert inside
    assert all(one.co_qualname is one.co_name for one in inside)


def test_functions_that_were_not_called_keep_their_code() -> None:
    code = _add.__code__
    pack_code(lambda: None)
    assert _add.__code__ is code


def test_nobody_watches_the_interpreter_after_a_run_that_failed() -> None:
    def fail() -> None:
        raise ValueError

    with pytest.raises(ValueError):
        pack_code(fail)
    assert sys.getprofile() is None


@pytest.mark.parametrize("size", [64, 256, 496])
def test_new_objects_lie_together_once_the_holes_are_filled(size: int) -> None:
    filled, pages = answers(FILLED, size)
    assert 0 < filled < 31 * _MOST_BATCHES * 8192
    assert pages <= 64 * size // PAGE + 8


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc where memory lies")
def test_objects_made_after_the_reservation_lie_in_one_stretch() -> None:
    (percent,) = answers(RESERVED)
    assert percent >= 90


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc where memory lies")
def test_objects_made_after_the_server_settled_lie_where_nobody_wrote() -> None:
    assert answers(UNTOUCHED) == (500,)


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc where memory lies")
def test_the_first_object_of_most_sizes_lies_there_too() -> None:
    sizes, outside = answers(SETTLED)
    assert outside > sizes // 2  # 1 of 29 before; the others: something of that size was freed since


def test_huge_pages_hold_what_stood_there_before() -> None:
    data = [bytes([number % 256]) * 400 for number in range(20_000)]
    assert use_huge_pages(find_huge_places()) % (1 << 21) == 0
    assert all(one == bytes([number % 256]) * 400 for number, one in enumerate(data))


@pytest.mark.skipif(sys.platform != "linux", reason="the server prepares itself by /proc")
def test_what_a_reading_calls_lies_on_few_pages_of_the_server() -> None:
    called, pages = answers(SERVER)
    assert called > 200
    assert pages < called / 2  # interpreted 449 pages for 610 before, a tenth of what a child copies


def interpreters() -> list[str]:
    """Ours, and those of later versions that start here."""
    found = [sys.executable]
    for name in ("python3.12", "python3.13"):
        path = shutil.which(name)
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            found.append(path)
    return found


@pytest.mark.parametrize("interpreter", interpreters())
def test_references_are_not_counted_from_python_3_12_on_and_everything_else_is_as_before(interpreter: str) -> None:
    command = [interpreter, "-I", "-B", "-c", IMMORTAL, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "as it should be\n"), done.stderr
