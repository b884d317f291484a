"""prctl and raw system calls through ctypes: the few the standard library does not offer."""

import ctypes
import os
from collections.abc import Callable
from functools import cache

PR_SET_PDEATHSIG = 1  # the signal that a process gets when its parent dies, from linux/prctl.h
PR_SET_NO_NEW_PRIVS = 38  # no later program gains rights, from linux/prctl.h


@cache
def libc() -> ctypes.CDLL:
    """Load the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int, pointer: int = 0) -> None:
    """Call prctl.

    Raises:
        OSError: The call failed.
    """
    if _prctl()(option, value, pointer, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@cache
def _prctl() -> Callable[..., int]:
    function = libc().prctl
    function.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    return function


def syscall(number: int, *arguments: int) -> int:
    """Make a system call by number; -1 when it failed, with the reason in ctypes' errno."""
    return int(libc().syscall(ctypes.c_long(number), *(ctypes.c_ulong(value) for value in arguments)))
