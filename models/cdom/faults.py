"""Distinguish our own bugs from broken files by the place where an exception was raised."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

_MODELS = Path(__file__).parents[1]
_READERS = _MODELS / "extract" / "formats"
_SLIPS = (TypeError, AttributeError, NameError, AssertionError, NotImplementedError)
"""Errors that only wrong code raises; hand-written parsers raise other Python errors on a broken file."""
_PYTHON = (*_SLIPS, ValueError, LookupError, ArithmeticError)


def own_fault(error: BaseException) -> str | None:
    """Return the error's type and the path to the line that failed if our code is to blame, else None.

    Readers parse hostile bytes, so only a slip counts there. Other code works on reader output, so any Python error
    counts. The exception's text is left out because it often quotes the document.
    """
    places = list(_places(error.__traceback__))
    if not places or not isinstance(error, _PYTHON):
        return None
    last = places[-1][0]
    if not last.is_relative_to(_MODELS) or (last.is_relative_to(_READERS) and not isinstance(error, _SLIPS)):
        return None
    way = [f"{path.relative_to(_MODELS.parent)}:{line}" for path, line in places if path.is_relative_to(_MODELS)]
    return f"{type(error).__name__} at {' < '.join(reversed(way))}"


def _places(trace: TracebackType | None) -> Iterator[tuple[Path, int]]:
    """File and line of every frame; compiled code names its source from the root of the code."""
    while trace is not None:
        yield _MODELS.parent / trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
