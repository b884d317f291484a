"""A disk on which one call goes wrong: the n-th of those that make, write, sync, name or rename a file."""

import os
from collections.abc import Callable
from typing import Any

import pytest

FULL = "/dev/full"  # takes no byte: what is written to it fails as on a full disk
CALLS = ("open", "fsync", "mkdir", "link", "rename")


class FailingDisk:
    """`fail_at`: which call, from 0. A file that would be made is either refused or takes no byte (`writes`)."""

    def __init__(self, fail_at: int, number: int, *, writes: bool = False) -> None:
        self._fail_at, self._number, self._writes = fail_at, number, writes
        self._calls = 0
        self.failed = False

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in CALLS:
            monkeypatch.setattr(os, name, self._instead_of(name, getattr(os, name)))

    def _instead_of(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            making = name != "open" or bool(arguments[1] & os.O_CREAT)
            if not making or not self._is_due():
                return call(*arguments, **named)
            if name == "open" and self._writes:
                return call(FULL, os.O_WRONLY)
            raise OSError(self._number, os.strerror(self._number))

        return called

    def _is_due(self) -> bool:
        due = self._calls == self._fail_at
        self._calls += 1
        self.failed = self.failed or due
        return due
