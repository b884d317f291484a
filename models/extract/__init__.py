"""Readers: from the bytes of a file to a tree."""

from pathlib import Path
from typing import Final

HOME: Final = Path(__file__).parent
"""This folder, for weights: mypyc gives compiled modules a wrong `__file__`."""
