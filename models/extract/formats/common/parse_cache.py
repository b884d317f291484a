"""Cache of parsed documents: a reader stores a parse, and the coverage statement of the same file takes it.

Each value is handed out once, and only for the same source, so its receiver may change it.
"""

from typing import Final, TypeVar

_MOST: Final = 16 << 20
"""Characters or bytes of all sources whose parses are cached; sources beyond that are parsed twice."""

T = TypeVar("T")
_kept: dict[tuple[str, bytes | str], object] = {}
_sizes: list[int] = []
_package: list[object] = []


def keep(kind: str, source: bytes | str, value: T) -> T:
    """Cache the value until it is taken or the cache is cleared; return it."""
    if sum(_sizes) + len(source) <= _MOST:
        _sizes.append(len(source))
        _kept[kind, source] = value
    return value


def take(kind: str, source: bytes | str) -> object | None:
    """Return the cached value of an equal source, if any, and remove it from the cache."""
    return _kept.pop((kind, source), None)


def keep_package(package: object) -> None:
    """Cache the package that was opened last: the statement reads it right after its reader."""
    _package[:] = [package]


def last_package() -> object | None:
    """Return the package that was opened last, if any."""
    return _package[0] if _package else None


def forget() -> None:
    """Drop the values that were not taken."""
    _kept.clear()
    _sizes.clear()


def forget_document() -> None:
    """Drop all cached values; a process calls this before it reads another document."""
    forget()
    _package.clear()
