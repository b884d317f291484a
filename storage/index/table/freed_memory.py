"""Memory that was freed and that the C library keeps for later."""

import ctypes
import sys


def give_back() -> None:
    """To the system: Lance's threads leave a hundred megabytes of holes within an hour. Elsewhere than on Linux with
    glibc nothing happens."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
