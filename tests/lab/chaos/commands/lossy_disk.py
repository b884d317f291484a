"""A file system that loses what was not synced: `python -m tests.lab.chaos.commands.lossy_disk LIVE DURABLE MOUNT`.

It passes everything on to the folder LIVE. DURABLE gets the data of a file when the file is synced, and names, as in
the journal of ext4, with the next sync of anything or before. After a crash DURABLE is what a disk would hold: a file
that was renamed without a sync has its name and no data. Needs Linux with FUSE 3, and `pip install mfusepy`.
"""

import errno
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mfusepy import FUSE, FuseOSError, Operations, fuse_get_context  # type: ignore[import-not-found]

SYNCED = os.O_SYNC | os.O_DSYNC
STAT = ("st_mode", "st_ino", "st_nlink", "st_uid", "st_gid", "st_size", "st_blocks")


class LossyDisk(Operations):  # type: ignore[misc]  # mfusepy states no types
    """Two folders with equal names and, for what was synced, equal data."""

    use_ns = True

    def __init__(self, live: Path, durable: Path, seed: int) -> None:
        self.live, self.durable, self._dice = str(live), str(durable), random.Random(seed)
        self._names: list[Callable[[str], object]] = []
        self._written: dict[int, list[tuple[int, int]]] = {}
        self._flags: dict[int, int] = {}

    def _rename(self, change: Callable[[str], object]) -> int:
        """Change names in `live` now, and in `durable` with the journal."""
        self._run(lambda: change(self.live))
        self._names.append(change)
        if self._dice.random() < 0.5:
            self._commit()
        return 0

    def _commit(self) -> None:
        for change in self._names:
            change(self.durable)
        self._names.clear()

    @staticmethod
    def _run(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except OSError as error:
            raise FuseOSError(error.errno or errno.EIO) from None

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        found = self._run(lambda: os.lstat(self.live + path))
        times = {name: getattr(found, f"{name}_ns") for name in ("st_atime", "st_mtime", "st_ctime")}
        return {name: getattr(found, name) for name in STAT} | times

    def readdir(self, path: str, fh: int) -> list[tuple[str, dict[str, int], int]]:
        names = [".", "..", *self._run(lambda: os.listdir(self.live + path))]
        found = [(name, os.lstat(f"{self.live}{path}/{name}")) for name in names]
        return [(name, {"st_ino": stat.st_ino, "st_mode": stat.st_mode}, 0) for name, stat in found]

    def statfs(self, path: str) -> dict[str, int]:
        found = os.statvfs(self.live)
        names = (
            "f_bavail",
            "f_bfree",
            "f_blocks",
            "f_bsize",
            "f_favail",
            "f_ffree",
            "f_files",
            "f_frsize",
            "f_namemax",
        )
        return {name: getattr(found, name) for name in names}

    def readlink(self, path: str) -> str:
        return str(self._run(lambda: os.readlink(self.live + path)))

    def mkdir(self, path: str, mode: int) -> int:
        return self._rename(lambda root: os.mkdir(root + path, mode)) or self._own(path)

    def rmdir(self, path: str) -> int:
        return self._rename(lambda root: os.rmdir(root + path))

    def unlink(self, path: str) -> int:
        return self._rename(lambda root: os.unlink(root + path))

    def rename(self, old: str, new: str, flags: int = 0) -> int:
        return self._rename(lambda root: os.rename(root + old, root + new))

    def link(self, target: str, source: str) -> int:
        return self._rename(lambda root: os.link(root + source, root + target))

    def symlink(self, target: str, source: str) -> int:
        return self._rename(lambda root: os.symlink(source, root + target)) or self._own(target)

    def mknod(self, path: str, mode: int, dev: int) -> int:
        return self._rename(lambda root: os.mknod(root + path, mode, dev)) or self._own(path)

    def chmod(self, path: str, mode: int) -> int:
        return self._rename(lambda root: os.chmod(root + path, mode))

    def chown(self, path: str, uid: int, gid: int) -> int:
        return self._rename(lambda root: os.chown(root + path, uid, gid, follow_symlinks=False))

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        return int(self._run(lambda: os.utime(self.live + path, ns=times or (0, 0))) or 0)

    def _own(self, path: str) -> int:
        uid, gid = self._asker()
        return self.chown(path, uid, gid)

    @staticmethod
    def _asker() -> tuple[int, int]:
        uid, gid, _ = fuse_get_context()
        return int(uid), int(gid)

    def create(self, path: str, mode: int, fi: Any = None) -> int:
        uid, gid = self._asker()

        def make(root: str) -> None:
            os.close(os.open(root + path, os.O_RDWR | os.O_CREAT, mode))
            os.chown(root + path, uid, gid)

        self._rename(make)
        return self.open(path, os.O_RDWR)

    def open(self, path: str, flags: int) -> int:
        access = os.O_RDWR if flags & os.O_ACCMODE == os.O_WRONLY else flags & os.O_ACCMODE  # a sync reads it again
        handle = int(self._run(lambda: os.open(self.live + path, access | flags & os.O_TRUNC)))
        self._flags[handle] = flags
        if flags & os.O_TRUNC:
            self._note(handle, 0, 0)
        return handle

    def release(self, path: str, fh: int) -> int:
        self._flags.pop(fh, None)
        os.close(fh)
        return 0

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return bytes(self._run(lambda: os.pread(fh, size, offset)))

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        count = int(self._run(lambda: os.pwrite(fh, data, offset)))
        self._note(fh, offset, count)
        if self._flags.get(fh, 0) & SYNCED:
            self.fsync(path, 0, fh)
        return count

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        self._run(lambda: os.truncate(self.live + path, length))
        self._written.setdefault(os.stat(self.live + path).st_ino, []).append((length, 0))
        return 0

    def _note(self, handle: int, offset: int, count: int) -> None:
        ranges = self._written.setdefault(os.fstat(handle).st_ino, [])
        if ranges and ranges[-1][0] + ranges[-1][1] == offset:
            ranges[-1] = (ranges[-1][0], ranges[-1][1] + count)
        else:
            ranges.append((offset, count))

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        self._commit()
        ranges = self._written.pop(os.fstat(fh).st_ino, [])
        if not ranges or not os.path.lexists(self.durable + path):
            return 0
        with open(self.durable + path, "r+b") as synced:
            for offset, count in ranges:
                if not count:
                    synced.truncate(offset)
                for place in range(offset, offset + count, 1 << 20):
                    os.pwrite(synced.fileno(), os.pread(fh, min(1 << 20, offset + count - place), place), place)
            synced.truncate(os.fstat(fh).st_size)
        return 0

    def fsyncdir(self, path: str, datasync: int, fh: int) -> int:
        self._commit()
        return 0


if __name__ == "__main__":
    live, durable, mount, seed = (*sys.argv[1:4], *sys.argv[4:], "1")[:4]
    FUSE(
        LossyDisk(Path(live), Path(durable), int(seed)), mount,
        foreground=True, nothreads=True, allow_other=True, default_permissions=True, use_ino=True,
    )  # fmt: skip
