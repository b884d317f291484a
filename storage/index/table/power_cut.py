"""Power cuts: Lance syncs no file, so the writer syncs its files before it answers, and a start drops what is broken.

For tables in a folder. The store of a bucket is durable by itself.
"""

import os
import shutil
from collections.abc import Set
from contextlib import suppress
from pathlib import Path

from quire.storage.index.table.upkeep import open_dataset
from quire.storage.objects.durable_files import sync_folder

_ENDS = {".lance": b"LANC", ".manifest": b"LANC", ".arrow": b"ARROW1"}
"""The last bytes of a complete file; one whose data was lost is empty, cut or ends with zeros."""
FileState = tuple[str, int, int, int]
"""Path, inode, size in bytes, and time of the last change in nanoseconds."""


def sync_files(table: Path, known: Set[FileState]) -> set[FileState]:
    """Sync the files of a table that are not `known`, and all names; return the files that are there."""
    found: set[FileState] = set()
    for folder, _, names in os.walk(table):
        for name in names:
            with suppress(FileNotFoundError):  # cleaned up since
                path = Path(folder, name)
                facts = path.stat()
                state = (str(path), facts.st_ino, facts.st_size, facts.st_mtime_ns)
                if state not in known:
                    with path.open("rb") as file:
                        os.fsync(file.fileno())
                found.add(state)
        with suppress(FileNotFoundError):
            sync_folder(Path(folder))
    return found


def drop_unsynced(index: Path) -> list[str]:
    """Take every table of an index back to its newest version that is whole; return the files that were deleted.

    No process may have the tables open. Documents whose chunks are gone are indexed again from their trees.
    """
    dropped: list[Path] = []
    for table in sorted(index.glob("*.lance")):
        broken = [path for path in table.rglob("*") if path.is_file() and not _is_whole(path)]
        if not broken:
            continue
        versions = sorted((table / "_versions").glob("*.manifest"), key=_version, reverse=True)
        while versions and (versions[0] in broken or not _is_sound(table, _version(versions[0]), broken)):
            versions[0].unlink()
            dropped.append(versions.pop(0))
        for path in broken:
            path.unlink(missing_ok=True)
        dropped += broken
        if not versions:
            shutil.rmtree(table)
    return sorted({str(path.relative_to(index)) for path in dropped})


def _is_whole(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        end = _ENDS.get(path.suffix, b"")
        file.seek(max(0, size - len(end)))
        return size > 0 and file.read() == end if end else size > 0


def _version(manifest: Path) -> int:
    """Return the number of a version: newer tables count its name down from 2**64, so that the newest comes first."""
    number = int(manifest.stem)
    return 2**64 - 1 - number if number > 2**63 else number


def _is_sound(table: Path, version: int, broken: list[Path]) -> bool:
    """Whether a version opens and names no broken or missing file."""
    try:
        dataset = open_dataset(str(table), version=version)
        parts = dataset.get_fragments()
        named = {table / "data" / file.path for part in parts for file in part.data_files()}
        named |= {table / part.deletion_file() for part in parts if part.deletion_file()}
        indexes = {table / "_indices" / str(part.uuid) for each in dataset.describe_indices() for part in each.segments}
    except (OSError, RuntimeError, ValueError):
        return False
    lost = {*broken, *(path.parent for path in broken)}
    return named.isdisjoint(lost) and indexes.isdisjoint(lost) and all(path.exists() for path in named)
