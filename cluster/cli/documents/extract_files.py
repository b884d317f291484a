"""Finds the files that `quire extract` reads and names their results. Uses names and first bytes only."""

import glob
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_HEAD = 4096  # bytes looked at to name a format: every signature stands within them


class NoSuchFile(Exception):
    """A path that names nothing."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file and its place below the folder in which it was found: results keep it."""

    path: Path
    place: Path


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is not read, and the reason."""

    path: Path
    reason: str


@dataclass(slots=True)
class FoundFiles:
    """Files that arguments name, each once, in the given order, and files skipped because they are not documents."""

    files: list[FoundFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)


def find_files(arguments: Iterable[str]) -> FoundFiles:
    """Return a named file, a folder's readable documents, or the matches of a pattern.

    Raises:
        NoSuchFile: An argument matches nothing.
    """
    selection, seen = FoundFiles(), set[Path]()
    for argument in arguments:
        for file in _expand(argument, selection.skipped):
            if file.path not in seen:
                seen.add(file.path)
                selection.files.append(file)
    return selection


def reason_to_skip(path: Path) -> str | None:
    """Return None when the first bytes are of a supported format, else why the file is not read."""
    from quire.models.cdom.errors import UnsupportedFormat
    from quire.models.extract.formats.sniffing.signatures import (
        check_head,  # with a guesser of charsets: for folders only
    )

    try:
        with path.open("rb") as file:
            check_head(file.read(_HEAD))
    except UnsupportedFormat as error:
        return f"{error.code.value}: {error.detail}"
    except OSError as error:
        return f"cannot open the file: {error.strerror}"
    return None


def _expand(argument: str, skipped: list[SkippedFile]) -> Iterator[FoundFile]:
    path = Path(argument)
    pattern = not path.exists()
    matches = sorted(map(Path, glob.glob(argument, recursive=True))) if pattern else [path]
    if not matches:
        raise NoSuchFile(argument)
    root = _fixed_part(path) if pattern else None
    for match in matches:
        if not match.is_dir():
            yield FoundFile(match, match.relative_to(root) if root else Path(match.name))
            continue
        for inside in sorted(match.rglob("*")):
            if not inside.is_file():
                continue
            if reason := reason_to_skip(inside):
                skipped.append(SkippedFile(inside, reason))
            else:
                yield FoundFile(inside, inside.relative_to(root or match))


def _fixed_part(pattern: Path) -> Path:
    """Return the folders before the first wildcard."""
    parts = []
    for part in pattern.parts[:-1]:
        if glob.has_magic(part):
            break
        parts.append(part)
    return Path(*parts)


def name_results(places: list[Path], suffix: str) -> list[Path]:
    """Return a result path per file in its folder: stem and suffix, or the full name and a number where stems clash."""
    stems = Counter(place.with_suffix("") for place in places)
    names: list[Path] = []
    taken: set[Path] = set()
    for place in places:
        stem = place.stem if stems[place.with_suffix("")] == 1 else place.name
        name, number = place.with_name(stem + suffix), 1
        while name in taken:
            number += 1
            name = place.with_name(f"{stem}-{number}{suffix}")
        taken.add(name)
        names.append(name)
    return names
