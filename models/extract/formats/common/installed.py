"""Readers that separate packages bring: their entry points, looked up for a format that the core does not read."""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final

from quire.models.cdom.errors import UnsupportedFormat

READERS: Final = "quire.formats"
"""Group of entry points, each named by its format: functions that open files of it."""
COUNTERS: Final = "quire.format_counters"
"""Group of entry points, each named by its format: functions that count its characters."""


@cache
def find_installed(group: str) -> dict[str, str]:
    """Return the entry points of a group: name → "module:function". Those of others are plugins (`SVC_PLUGINS`)."""
    return {point.name: point.value for point in entry_points(group=group) if point.value.startswith("quire.")}


def load(target: str) -> Any:
    """Import and return the function of "module:function"."""
    module, name = target.split(":")
    return getattr(import_module(module), name)


def load_reader(name: str) -> Any:
    """Return the function of a separate package that reads files of this format.

    Raises:
        UnsupportedFormat: No such package is installed.
    """
    target = find_installed(READERS).get(name)
    if target is None:
        raise UnsupportedFormat(f"{name} files are read by a separate package: pip install quire-formats")
    return load(target)
