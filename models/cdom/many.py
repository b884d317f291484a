"""Tuples of data that may come from strangers: validation stops at the first wrong item.

Without it every wrong item costs an error of a kilobyte: five megabytes of zeros where cells should stand took four
gigabytes.
"""

from typing import Annotated, TypeVar

from pydantic import FailFast

T = TypeVar("T")
Many = Annotated[tuple[T, ...], FailFast()]
