"""Readers: from the bytes of a file to a tree."""

from pathlib import Path
from typing import Final

from quire.models.import_names import import_sources, is_compiled

HOME: Final = Path(__file__).parent
"""This folder, for weights: mypyc gives compiled modules a wrong `__file__`."""

if not is_compiled():
    import_sources()
