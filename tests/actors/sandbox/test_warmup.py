"""The fork server's own sample is a document like any other; how its memory lies then changes nothing else."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType

import pytest

from actors.reading.forkserver import _ENVIRONMENT, ForkServer
from actors.reading.read_document import DocumentReader
from actors.sandbox.heap import _MOST_BATCHES, pack_code, use_huge_pages
from actors.sandbox.limits import SandboxLimits
from actors.sandbox.warmup import make_sample
from models.cdom.original import ReadOptions
from models.extract.readers import open_document

ROOT = Path(__file__).resolve().parents[3]
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
CHILDREN = """
import json, os, sys, threading
sys.path.insert(0, sys.argv[1])
from actors.sandbox.prctl import fork_alone
codes, parent = [], os.getpid()
for number in range(3):
    pid = fork_alone()
    if pid == 0:
        known = threading.current_thread() is threading.main_thread()
        read = json.loads(json.dumps({"number": number}))["number"] == number
        with threading.Lock():
            os._exit(40 + number if known and read and os.getppid() == parent else 1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(*codes)
"""
FULL = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
from actors.sandbox.prctl import fork_alone
os.setresuid(65534, 65534, 65534)
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
try:
    fork_alone()
except OSError as error:
    print(error.errno)
"""


def answers(script: str, *arguments: object) -> tuple[int, ...]:
    """Numbers that a process of its own prints: how memory lies in this one depends on the tests before."""
    command = [sys.executable, "-I", "-c", script, str(ROOT), *map(str, arguments)]
    said = subprocess.run(command, env=_ENVIRONMENT, check=True, capture_output=True, text=True).stdout
    return tuple(map(int, said.split()))


def test_the_sample_is_read_without_repair() -> None:
    document = open_document(make_sample(), ReadOptions())
    content = document.read_page(1).content
    text = " ".join(block.text for block in content.blocks)
    assert document.facts.page_count == 1
    assert "A heading" in text
    assert "Plain words that fill a line" in text


def test_a_sandbox_for_pdfs_alone_reads_them_as_one_for_everything_does() -> None:
    made = []
    for formats in ((), ("pdf",)):
        reader = DocumentReader(SandboxLimits(formats=formats))
        try:
            made.append(reader.read(io.BytesIO(make_sample()), ReadOptions()))
        finally:
            reader.close()
    assert made[0].tree_json == made[1].tree_json
    assert made[0].error is made[1].error is None


@pytest.mark.parametrize("used", [True, False])
def test_a_server_that_was_launched_is_the_one_that_starts_and_ends(used: bool) -> None:
    server = ForkServer(SandboxLimits(formats=("pdf",)))
    server.launch()
    launched = server._launched
    assert launched is not None
    if used:
        server.start()
        assert server.pid == launched.process.pid
    server.close()
    assert launched.process.poll() is not None


def test_limits_cross_to_the_server_as_they_are() -> None:
    limits = SandboxLimits(formats=("pdf",), readers={"pdf": "a:b"})
    assert SandboxLimits.load(limits.dump()) == limits


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


def test_huge_pages_hold_what_stood_there_before() -> None:
    data = [bytes([number % 256]) * 400 for number in range(20_000)]
    assert use_huge_pages() % (1 << 21) == 0
    assert all(one == bytes([number % 256]) * 400 for number, one in enumerate(data))


@pytest.mark.skipif(sys.platform != "linux", reason="the server prepares itself by /proc")
def test_what_a_reading_calls_lies_on_few_pages_of_the_server() -> None:
    called, pages = answers(SERVER)
    assert called > 200
    assert pages < called / 2  # interpreted 449 pages for 610 before, a tenth of what a child copies


@pytest.mark.skipif(sys.platform != "linux", reason="the server forks so on Linux only")
def test_children_of_a_fork_that_mends_nothing_run_python_and_are_waited_for() -> None:
    assert answers(CHILDREN) == (40, 41, 42)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="a limit of processes counts those of nobody")
def test_a_full_process_table_is_an_os_error() -> None:
    (reason,) = answers(FULL)
    assert reason > 0
