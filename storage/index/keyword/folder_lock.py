"""A lock between processes of a machine that change the keyword indexes: the writer, or a follower of a remote one."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quire.storage.objects.durable_files import make_folder

NAME = ".lock"


class FolderTaken(Exception):
    """Another process is changing the indexes."""


class FolderLock:
    """A lock on a folder between processes of one machine; threads of one process share it and need their own lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._holders = 0
        self._descriptor: int | None = None
        self._mutex = threading.Lock()

    @contextmanager
    def held(self, *, wait: bool = True) -> Iterator[None]:
        """Hold the lock for the block. Without `wait`, raise `FolderTaken` if another process has it."""
        self._enter(wait)
        try:
            yield
        finally:
            self._leave()

    def _enter(self, wait: bool) -> None:
        with self._mutex:
            if not self._holders:
                make_folder(self._folder)
                descriptor = os.open(self._folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                except OSError as error:
                    os.close(descriptor)
                    raise FolderTaken(str(self._folder)) from error
                self._descriptor = descriptor
            self._holders += 1

    def _leave(self) -> None:
        with self._mutex:
            self._holders -= 1
            if not self._holders and self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
