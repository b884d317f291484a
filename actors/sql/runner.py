"""Runs SQL queries, each in a separate locked process with limits on memory and CPU time.

After the first query the process of the next one is started ahead: its libraries take seconds on a busy machine.
"""

import importlib.util
import json
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from quire.actors.reading.child_usage import IdleClock
from quire.models.cdom.ports import PortUnavailable, SqlAnswer, SqlRefused

PORT = "sql"
LOOK_S = 1.0  # seconds between two looks at a running query
STALL_IDLE_S = 60.0  # seconds without any use of a processor after which a query is stuck
_MODULE = "quire.actors.sql.process"
_SLOW = "the query needs more time or memory than one query may use"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlLimits:
    """Limits of one query: CPU seconds, bytes of memory beyond the loaded cells, queries at once.

    `timeout_s`: seconds for which a query waits for its turn.
    """

    cpu_s: int = 10
    timeout_s: float = 30.0
    memory_bytes: int = 512 << 20
    at_once: int = 2


def has_engine() -> bool:
    """Return whether DuckDB is installed."""
    return importlib.util.find_spec("duckdb") is not None


class SqlRunner:
    """Implements `RunSql`. Thread-safe; blocks."""

    def __init__(self, limits: SqlLimits | None = None) -> None:
        self._limits = limits or SqlLimits()
        self._places = threading.BoundedSemaphore(self._limits.at_once)
        self._lock, self._ahead = threading.Lock(), list[subprocess.Popen[bytes]]()
        weakref.finalize(self, _end, self._ahead)

    def run(self, statement: str, cells: Iterable[bytes], *, max_rows: int) -> SqlAnswer:
        """Return the answer.

        Raises:
            SqlRefused: The statement is not allowed or wrong, or exceeds a limit.
            PortUnavailable: Too many queries run.
            Exception: `cells` failed.
        """
        if not self._places.acquire(timeout=self._limits.timeout_s):
            raise PortUnavailable(PORT, "full")
        try:
            written = self._run(json.dumps({"statement": statement, "max_rows": max_rows}).encode(), cells)
        finally:
            self._places.release()
        answer = json.loads(written)
        if "code" in answer:
            raise SqlRefused(answer["code"], answer["text"])
        return SqlAnswer(
            columns=tuple((name, kind) for name, kind in answer["columns"]),
            rows=tuple(tuple(row) for row in answer["rows"]),
            is_truncated=answer["is_truncated"],
        )

    def _run(self, asked: bytes, cells: Iterable[bytes]) -> bytes:
        """Return what the process writes. Raises `SqlRefused` if it exceeds a limit, and errors of `cells`."""
        with self._taken() as process, ThreadPoolExecutor(2, thread_name_prefix=PORT) as threads:
            idle, is_loading = IdleClock(process.pid), threading.Event()
            sent = threads.submit(_send, process, asked + b"\n", cells, is_loading)
            answer = threads.submit(_receive, process)
            while True:
                try:
                    written = answer.result(LOOK_S)
                except TimeoutError:
                    if is_loading.is_set():  # the process waits for cells
                        idle = IdleClock(process.pid)
                    if idle.read() < STALL_IDLE_S:
                        continue
                    process.kill()  # which ends both threads
                    raise SqlRefused("sql-over-limit", _SLOW) from None
                if (failed := sent.exception()) is not None:
                    raise failed
                if process.wait():
                    raise SqlRefused("sql-over-limit", _SLOW)
                return written

    @contextmanager
    def _taken(self) -> Iterator[subprocess.Popen[bytes]]:
        """Lend a process for one query, and start the next one ahead."""
        with self._lock:
            process = self._ahead.pop() if self._ahead else self._start()
            if process.poll() is not None:  # it waited for too long
                _end([process])
                process = self._start()
            self._ahead.append(self._start())
        try:
            yield process
        finally:
            _end([process])

    def _start(self) -> subprocess.Popen[bytes]:
        limits = [str(self._limits.cpu_s), str(self._limits.memory_bytes)]
        paths = os.pathsep.join(path for path in sys.path if path)
        return subprocess.Popen(
            [sys.executable, "-P", "-m", _MODULE, *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": os.defpath, "PYTHONPATH": paths},
        )


def _send(process: subprocess.Popen[bytes], asked: bytes, cells: Iterable[bytes], is_loading: threading.Event) -> None:
    """Write the request piece by piece; `is_loading` is set while a piece is made.

    If the pieces end with an error, the process is ended.
    """
    assert process.stdin is not None
    try:
        with suppress(BrokenPipeError), process.stdin as stream:
            stream.write(asked)
            is_loading.set()
            for piece in cells:
                is_loading.clear()
                stream.write(piece)
                is_loading.set()
    except BaseException:
        process.kill()
        raise
    finally:
        is_loading.clear()


def _receive(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return process.stdout.read()


def _end(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
        with process:  # closes the pipes and waits
            pass
