"""A directory of this machine, behind a fence: every step of every path is opened without following links.

Nothing is ever opened by a whole path, so neither `..` nor a link nor a race that swaps a folder for a link leads out.
Only regular files with one name are read (a second hard link may be another user's file). Pseudo file systems and the
deployment's own workdir are refused.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from quire.storage.objects.blobs import BlobWriter
from quire.storage.sources.connectors.contract import Listed, Listing, Skipped, SourceRefused, SourceUnavailable

MAX_DEPTH = 64  # folders below each other; deeper is a loop of mounts
_PIECE = 1 << 20  # bytes copied at a time
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_PSEUDO = ("/proc", "/sys", "/dev", "/run")


class DirectoryConnector:
    """Lists and copies files of a folder within `fence` (None: anywhere). `workdir` is never read."""

    def __init__(self, location: str, *, fence: Path | None, workdir: Path) -> None:
        self._start, self._steps = _split(location, fence)
        self._denied = frozenset(os.stat(path).st_dev for path in _PSEUDO if os.path.isdir(path)) - {
            os.stat("/").st_dev
        }
        own = workdir.stat() if workdir.exists() else None
        self._own = (own.st_dev, own.st_ino) if own else None

    def check(self) -> None:
        """Raise SourceRefused unless it is a folder that can be read now."""
        try:
            with self._opened():
                return
        except OSError:
            raise SourceRefused("not a readable folder, or reached through a link") from None

    def list_files(self) -> Listing:
        """List all files; raise SourceUnavailable if the folder cannot be read."""
        listing = Listing()
        try:
            with self._opened() as root:
                self._walk(root, "", listing, 0)
        except (OSError, SourceRefused):
            raise SourceUnavailable("the folder cannot be read") from None
        return listing

    def copy(self, file: Listed, writer: BlobWriter) -> None:
        """Write the file's bytes; raise Skipped if it is unreadable or has changed since the listing."""
        *folders, name = file.path.split("/")
        try:
            with self._opened(folders) as folder:
                descriptor = os.open(name, _FILE, dir_fd=folder)
        except (OSError, SourceRefused):
            raise Skipped("unreadable") from None
        with os.fdopen(descriptor, "rb", buffering=0) as opened:
            _require(os.fstat(descriptor), file)
            try:
                while piece := opened.read(_PIECE):
                    writer.write(piece)
            except OSError:
                raise Skipped("unreadable") from None
            _require(os.fstat(descriptor), file)

    @contextmanager
    def _opened(self, folders: list[str] | None = None) -> Iterator[int]:
        """Open the source's folder, or one below it, step by step, and yield its descriptor."""
        descriptor = os.open(self._start, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for step in (*self._steps, *(folders or ())):
                if step in ("", ".", ".."):
                    raise SourceRefused("the path must be plain")
                below = os.open(step, _FOLDER, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
                self._require_own_files(os.fstat(descriptor))
            yield descriptor
        finally:
            os.close(descriptor)

    def _walk(self, folder: int, prefix: str, listing: Listing, depth: int) -> None:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._note(folder, entry, prefix + entry.name, listing, depth)
        except OSError:
            listing.complete = False
            listing.skipped.append((prefix, "unreadable-folder"))

    def _note(self, folder: int, entry: "os.DirEntry[str]", path: str, listing: Listing, depth: int) -> None:
        try:
            facts = entry.stat(follow_symlinks=False)
            path.encode()
        except UnicodeEncodeError:
            listing.skipped.append((path.encode("utf-8", "replace").decode(), "name-not-utf-8"))
            return
        except OSError:
            listing.complete = False
            return
        if stat.S_ISREG(facts.st_mode) and facts.st_nlink > 1:
            listing.skipped.append((path, "hard-link"))
        elif stat.S_ISREG(facts.st_mode):
            listing.files.append(Listed(path, _mark(facts), facts.st_size))
        elif stat.S_ISDIR(facts.st_mode):
            self._descend(folder, entry.name, path, listing, depth)
        else:
            listing.skipped.append((path, "link" if stat.S_ISLNK(facts.st_mode) else "not-a-file"))

    def _descend(self, folder: int, name: str, path: str, listing: Listing, depth: int) -> None:
        try:
            below = os.open(name, _FOLDER, dir_fd=folder)
        except OSError:
            listing.complete = False
            listing.skipped.append((path, "unreadable-folder"))
            return
        try:
            self._require_own_files(os.fstat(below))
            if depth >= MAX_DEPTH:
                raise SourceRefused("too deep")
            self._walk(below, path + "/", listing, depth + 1)
        except SourceRefused:
            listing.skipped.append((path, "refused-folder"))
        finally:
            os.close(below)

    def _require_own_files(self, facts: os.stat_result) -> None:
        if facts.st_dev in self._denied or (facts.st_dev, facts.st_ino) == self._own:
            raise SourceRefused("this folder must not hold documents")


def _split(location: str, fence: Path | None) -> tuple[Path, tuple[str, ...]]:
    """Return the folder to start from (trusted: the operator named it) and the plain steps below it."""
    pure = PurePosixPath(location)
    if not pure.is_absolute() or ".." in pure.parts or "\0" in location:
        raise SourceRefused("the path must be absolute and plain")
    if fence is None:
        return Path("/"), pure.parts[1:]
    real = fence.resolve()
    for start in (fence, real):
        if pure.is_relative_to(start):
            return real, pure.relative_to(start).parts
    raise SourceRefused("the path is outside SVC_SOURCE_ROOT")


def _mark(facts: os.stat_result) -> str:
    """Return a mark that changes with the content: a writer can set mtime back, but not ctime."""
    return f"{facts.st_size}:{facts.st_mtime_ns}:{facts.st_ctime_ns}:{facts.st_ino}"


def _require(facts: os.stat_result, file: Listed) -> None:
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1 or _mark(facts) != file.mark:
        raise Skipped("changed-while-reading")
