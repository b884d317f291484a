"""What a reader has just parsed, kept for the statement about the same file, which is made right after it.

Whoever takes a value has it alone and may change it: it is handed out once, and only for the very same source.
"""

from typing import Final, TypeVar

_MOST: Final = 16 << 20
"""Characters or bytes of all sources whose parses are kept; what goes beyond is parsed once more."""

T = TypeVar("T")
_kept: dict[tuple[str, bytes | str], object] = {}
_sizes: list[int] = []
_package: list[object] = []


def keep(kind: str, source: bytes | str, made: T) -> T:
    """The value, kept until it is taken or forgotten."""
    if sum(_sizes) + len(source) <= _MOST:
        _sizes.append(len(source))
        _kept[kind, source] = made
    return made


def take(kind: str, source: bytes | str) -> object | None:
    """What was made of a source like that, once."""
    return _kept.pop((kind, source), None)


def keep_package(package: object) -> None:
    """Keep the package that was opened last. The statement reads right after its reader what that has read."""
    _package[:] = [package]


def last_package() -> object | None:
    """Return the package that was opened last; None when there is none."""
    return _package[0] if _package else None


def forget() -> None:
    """Drop the values that were not taken."""
    _kept.clear()
    _sizes.clear()


def forget_document() -> None:
    """Drop everything kept of a document. A process calls this before it reads another one."""
    forget()
    _package.clear()
