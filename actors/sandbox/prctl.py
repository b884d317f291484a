"""prctl and raw system calls through ctypes: the few the standard library does not offer."""

import ctypes
import os
from collections.abc import Callable
from functools import cache


@cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int, pointer: int = 0) -> None:
    """Raises `OSError`."""
    if _prctl()(option, value, pointer, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@cache
def _prctl() -> Callable[..., int]:
    function = libc().prctl
    function.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return function


@cache
def _fork() -> Callable[[], int]:
    function = ctypes.PyDLL(None, use_errno=True).fork  # keeps the interpreter's lock: nobody else would give it back
    function.argtypes = []
    return function


def fork_alone() -> int:
    """`os.fork` of a process with one thread: nothing that Python mends in a child after a fork is broken then (locks
    that a lost thread held), and mending it touches eighty pages. `random` goes on in each child from one state.

    Raises `OSError`.
    """
    pid = _fork()()
    if pid < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return pid


def syscall(number: int, *arguments: int) -> int:
    """A system call by number; -1 when it failed, with the reason in ctypes' errno."""
    return int(libc().syscall(ctypes.c_long(number), *(ctypes.c_ulong(value) for value in arguments)))
