"""The parent's side of the process that searches long documents for personal data.

Trees go in as JSON and come back flagged. The process starts with the first tree and serves many. A document that
exceeds the limits of the process ends it, and the next document gets a new one.
"""

import os
import pickle
import select
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import cast

from quire.actors.reading.child_usage import wait_until_ready

STALL_IDLE_S = 120.0
"""Seconds without any use of a processor after which the process counts as stuck."""


class ScanFailed(Exception):
    """The process ended or got stuck during the scan; its text says how and quotes no document."""


class ScanProcess:
    """One scan at a time, from one thread."""

    def __init__(self, flag_tree: object, module: str = "quire.actors.reader.scan_worker") -> None:
        self._flag_tree, self._module = flag_tree, module
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The process id; None while no process runs."""
        return self._process.pid if self._process else None

    def scan(self, tree_json: bytes, check: Callable[[], None] = lambda: None) -> bytes:
        """Return the flagged tree as JSON. An exception of `check`, called about once a second, ends the process.

        Raises:
            ScanFailed: The process exceeded its limits, failed or got stuck.
        """
        try:
            return self._ask(tree_json, check)
        except (OSError, EOFError, TimeoutError, pickle.UnpicklingError) as error:
            code = self._end()
            raise ScanFailed(f"{type(error).__name__}, exit status {code}") from None
        except BaseException:
            self._end()
            raise

    def close(self) -> None:
        """End the process."""
        self._end()

    def _ask(self, tree_json: bytes, check: Callable[[], None]) -> bytes:
        if self._process is None or self._process.poll() is not None:
            self._start()
        channel, process = self._channel, self._process
        assert channel is not None
        assert process is not None
        with channel.makefile("rwb") as stream:
            pickle.dump(tree_json, stream)
            stream.flush()
            wait_until_ready(channel, select.POLLIN, process.pid, STALL_IDLE_S, check)
            return cast(bytes, pickle.load(stream))  # noqa: S301  (our own process)

    def _start(self) -> None:
        self._end()
        self._channel, theirs = socket.socketpair()
        paths = os.pathsep.join(path for path in sys.path if path)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", self._module, str(theirs.fileno())],
                env={"PATH": os.defpath, "PYTHONPATH": paths},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        with self._channel.makefile("wb") as stream:
            pickle.dump(self._flag_tree, stream)

    def _end(self) -> int | None:
        """End the process and return its exit status; None without a process."""
        if self._channel is not None:
            self._channel.close()
        code = None
        if self._process is not None:
            code = self._process.poll()
            self._process.kill()
            code = self._process.wait() if code is None else code
        self._process = self._channel = None
        return code
