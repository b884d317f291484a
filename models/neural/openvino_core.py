"""The one OpenVINO core of a process: models are compiled by it. Imports openvino when first asked.

Its CPU plugin gives the thread that loads it a signal stack of the kernel's least size and takes it away when it goes,
in whatever order plugins go: the second of two left its thread with a stack that is no longer mapped, and the next
signal handled in Python there (SIGTERM: drain, then end) killed the process. So one core, which is never given up, and
the thread keeps the signal stack it had.
"""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_MADE: list[Any] = []
_MAKING = Lock()


def openvino_core() -> Any:
    """An `openvino.Core` with its CPU plugin loaded. Safe to call from several threads."""
    with _MAKING:
        if not _MADE:
            import openvino

            with same_signal_stack():
                core = openvino.Core()
                core.get_property("CPU", "FULL_DEVICE_NAME")  # loads the plugin
            _MADE.append(core)
    return _MADE[0]


class SignalStack(ctypes.Structure):
    """`stack_t` of Linux: where a thread's signal handlers run when not on its own stack."""

    _fields_ = (("start", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


def signal_stack() -> SignalStack:
    """That of the calling thread; `flags` 2 (SS_DISABLE): it has none."""
    stack = SignalStack()
    _libc().sigaltstack(None, ctypes.byref(stack))
    return stack


@contextmanager
def same_signal_stack() -> Iterator[None]:
    """The calling thread leaves with the signal stack it came with. Elsewhere than on Linux nothing is done."""
    if sys.platform != "linux":
        yield
        return
    before = signal_stack()
    try:
        yield
    finally:
        _libc().sigaltstack(ctypes.byref(before), None)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
