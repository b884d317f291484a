"""Panics of libraries that are written in Rust (obstore, LanceDB, tantivy): they are not subclasses of `Exception`."""

from collections.abc import Iterator
from contextlib import contextmanager


class NativePanic(Exception):
    """A library written in Rust panicked. This is a fault of the library or of what it was given."""

    code = "internal"


@contextmanager
def native_panics() -> Iterator[None]:
    """Raise `NativePanic` in place of a panic, so that `except Exception` handles it. Also usable as a decorator."""
    try:
        yield
    except BaseException as error:
        if type(error).__module__ != "pyo3_runtime":
            raise
        raise NativePanic(str(error)) from None
