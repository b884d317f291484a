"""Which files `quire extract` reads and where each result goes. Looks at names and first bytes only."""

import glob
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from models.cdom.errors import UnsupportedFormat
from models.extract.readers.sniff import sniff

_HEAD = 4096  # bytes looked at to name a format: every signature stands within them


class NoSuchFile(Exception):
    """A path that names nothing."""


def find_files(arguments: Iterable[str]) -> list[Path]:
    """Files in the order given, each once: a file itself, a folder's readable documents, what a pattern matches.

    Raises `NoSuchFile`.
    """
    found: dict[Path, None] = {}
    for argument in arguments:
        for path in _expand(argument):
            found.setdefault(path, None)
    return list(found)


def _expand(argument: str) -> Iterator[Path]:
    path = Path(argument)
    matches = [path] if path.exists() else sorted(map(Path, glob.glob(argument, recursive=True)))
    if not matches:
        raise NoSuchFile(argument)
    for match in matches:
        if match.is_dir():
            yield from (inside for inside in sorted(match.rglob("*")) if inside.is_file() and _is_document(inside))
        else:
            yield match


def _is_document(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            sniff(file.read(_HEAD))
    except (UnsupportedFormat, OSError):
        return False
    return True


def name_results(files: list[Path], suffix: str) -> list[str]:
    """A file name per file: stem and suffix, the full name when two stems clash, numbered when even that is taken."""
    stems = Counter(file.stem for file in files)
    names: list[str] = []
    taken: set[str] = set()
    for file in files:
        stem = file.stem if stems[file.stem] == 1 else file.name
        name, number = stem + suffix, 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}{suffix}"
        taken.add(name)
        names.append(name)
    return names
