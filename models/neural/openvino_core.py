"""The one OpenVINO core of a process, which compiles all models. Imports openvino at the first call.

The CPU plugin gives the thread that loads it a signal stack of the kernel's minimum size and removes it on unload. When
the second of two plugins was unloaded, its thread kept a stack that was no longer mapped. The next signal handled in
Python on that thread (SIGTERM: drain, then end) killed the process. So the process has one core, which is never
released, and the thread keeps its former signal stack.
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
    """Return an `openvino.Core` with its CPU plugin loaded. Thread-safe."""
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
    """Return the signal stack of the calling thread; `flags` is 2 (SS_DISABLE) when it has none."""
    stack = SignalStack()
    _libc().sigaltstack(None, ctypes.byref(stack))
    return stack


@contextmanager
def same_signal_stack() -> Iterator[None]:
    """Restore the calling thread's signal stack on exit. Does nothing outside Linux."""
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
