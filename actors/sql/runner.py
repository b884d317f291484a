"""Runs SQL queries, each in a separate locked process with limits on memory, CPU time and duration."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass

from models.cdom.ports import PortUnavailable, SqlAnswer, SqlRefused

PORT = "sql"
_MODULE = "actors.sql.process"
_SLOW = "the query needs more time or memory than one query may use"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlLimits:
    """Limits of one query: CPU seconds, seconds in all, bytes of memory beyond the loaded cells, queries at once."""

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

    def run(self, statement: str, cells: bytes | memoryview, *, max_rows: int) -> SqlAnswer:
        """Return the answer. Raises `SqlRefused`, and `PortUnavailable` while too many queries run."""
        if not self._places.acquire(timeout=self._limits.timeout_s):
            raise PortUnavailable(PORT, "full")
        try:
            done = self._run(json.dumps({"statement": statement, "max_rows": max_rows}).encode(), cells)
        finally:
            self._places.release()
        if done.returncode:
            raise SqlRefused("sql-over-limit", _SLOW)
        answer = json.loads(done.stdout)
        if "code" in answer:
            raise SqlRefused(answer["code"], answer["text"])
        return SqlAnswer(
            columns=tuple((name, kind) for name, kind in answer["columns"]),
            rows=tuple(tuple(row) for row in answer["rows"]),
            is_truncated=answer["is_truncated"],
        )

    def _run(self, asked: bytes, cells: bytes | memoryview) -> subprocess.CompletedProcess[bytes]:
        limits = [str(self._limits.cpu_s), str(self._limits.memory_bytes)]
        paths = os.pathsep.join(path for path in sys.path if path)
        with tempfile.TemporaryFile() as request:  # a pipe would need a second copy of the cells in memory
            for part in (asked, b"\n", cells):
                request.write(part)
            request.seek(0)
            try:
                return subprocess.run(
                    [sys.executable, "-P", "-m", _MODULE, *limits],
                    stdin=request,
                    stdout=subprocess.PIPE,
                    env={"PATH": os.defpath, "PYTHONPATH": paths},
                    check=False,
                    timeout=self._limits.timeout_s,
                )
            except subprocess.TimeoutExpired:
                raise SqlRefused("sql-over-limit", _SLOW) from None
