"""prctl and raw system calls through ctypes: the few the standard library does not offer."""

import ctypes
import os
from functools import cache


@cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int, pointer: int = 0) -> None:
    """Raises `OSError`."""
    zero = ctypes.c_ulong(0)
    if libc().prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(pointer), zero, zero) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def syscall(number: int, *arguments: int) -> int:
    """A system call by number; -1 when it failed, with the reason in ctypes' errno."""
    return int(libc().syscall(ctypes.c_long(number), *(ctypes.c_ulong(value) for value in arguments)))
