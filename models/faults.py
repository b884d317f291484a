"""Distinguish our own bugs from broken files by the place where an exception was raised."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

_MODELS = Path(__file__).parent
_READERS = (_MODELS / "extract" / "formats", _MODELS / "rare_formats")
_PDF = _READERS[0] / "pdf"
_LIBRARIES = ("numpy",)
"""Libraries that compute with our values and read no file: an error that they raise is ours."""
_SLIPS = (TypeError, AttributeError, NameError, AssertionError, NotImplementedError)
"""Errors that only wrong code raises; hand-written parsers raise other Python errors on a broken file."""
_PYTHON = (*_SLIPS, ValueError, LookupError, ArithmeticError, StopIteration)


def own_fault(error: BaseException) -> str | None:
    """Return the error's type and the path to the line that failed if our code is to blame, else None.

    Readers parse hostile bytes, so only a slip counts there. Other code works on reader output, so any Python error
    counts. The reader of PDFs is such code: its engines parse the file. The exception's text is left out because it
    often quotes the document.
    """
    places = [place for place in _places(error.__traceback__) if not set(_LIBRARIES) & set(place[0].parts)]
    if not places or not isinstance(error, _PYTHON):
        return None
    last = places[-1][0]
    is_parser = any(map(last.is_relative_to, _READERS)) and not last.is_relative_to(_PDF)
    if not last.is_relative_to(_MODELS) or (is_parser and not isinstance(error, _SLIPS)):
        return None
    return name_fault(error)


def name_fault(error: BaseException) -> str:
    """Return the error's type and the path through our code to the line that raised it."""
    places = [place for place in _places(error.__traceback__) if place[0].is_relative_to(_MODELS)]
    way = [f"{path.relative_to(_MODELS.parent)}:{line}" for path, line in reversed(places)]
    return f"{type(error).__name__} at {' < '.join(way)}"


def ran_out_of_memory(error: BaseException) -> bool:
    """Return whether an allocation was refused: MuPDF reports it with its code 2 and the name of the allocator."""
    text = str(error)
    return isinstance(error, MemoryError) or ("code=2" in text and "alloc" in text)


def _places(trace: TracebackType | None) -> Iterator[tuple[Path, int]]:
    """File and line of every frame; compiled code names its source from the root of the code."""
    while trace is not None:
        yield _MODELS.parent / trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
