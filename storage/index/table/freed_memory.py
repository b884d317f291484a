"""Release of freed memory that the C library keeps."""

import ctypes
import sys


def release_memory() -> None:
    """Return freed memory to the system: Lance's threads leave about 100 MB of it within an hour.

    Does nothing unless the system is Linux with glibc.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
