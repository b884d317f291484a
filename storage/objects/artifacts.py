"""Derived files of a document, one folder per attempt: `root/ab/doc_…/a3/tree.json`. Never overwritten.

Takes names and bytes, and returns a manifest {name: {"sha256", "bytes"}} that SQL publishes. SQL decides which attempt
is visible; an unpublished folder is waste, never a wrong answer.
"""

import hashlib
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from quire.storage.objects.durable_files import (
    WRITE_ROOM,
    delete_older,
    disk_errors,
    hide_path,
    make_folder,
    move_path,
    partial_name,
    require_free,
    sweep_partials,
    sync_folder,
    write_synced,
)
from quire.storage.objects.marks import QUARANTINE
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.rows import DocumentId

TREE = "tree.json"
SCANNED_TREE = "tree.scanned.json"
"""The tree after the search for names that redacted outputs need. It is in no manifest and is never shown itself."""
KEPT_PAGES = "pages.kept"
"""Contents of the pages for the next file of the name. It is in no manifest and is never shown."""
SEMANTICS = "semantics.json"
CHANGES = "changes.json"
ASSETS = "assets/"
"""Names of artifacts; pictures lie below ASSETS by their asset_ref."""

Manifest = dict[str, dict[str, Any]]
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,120}(/[A-Za-z0-9_][A-Za-z0-9._-]{0,120})?\Z")
_DOCUMENT = re.compile(r"doc_[a-z2-7]{26}\Z")


class Artifacts(Protocol):
    """Store of derived files, implemented by a local folder and by a bucket."""

    def put(self, document_id: DocumentId, attempt: int, files: Mapping[str, bytes]) -> Manifest:
        """Store the files durably and return their manifest. Raises Conflict if a name exists with other bytes."""

    def read(self, document_id: DocumentId, attempt: int, name: str) -> bytes:
        """Return the bytes of one file; raise NotFound if it is missing."""

    def delete(self, document_id: DocumentId) -> None:
        """Delete every attempt of the document, also from quarantine; a missing document is accepted."""

    def delete_attempt(self, document_id: DocumentId, attempt: int) -> None:
        """Delete the files of one attempt; a missing attempt is accepted."""

    def quarantine(self, document_id: DocumentId, attempt: int) -> None:
        """Hide the files of one attempt; `empty_quarantine` deletes them later."""

    def release(self, document_id: DocumentId, attempt: int) -> bool:
        """Bring the files of one attempt back from quarantine; False if they are not there."""

    def empty_quarantine(self, older_than_s: float) -> int:
        """Delete files that were put in quarantine at least this many seconds ago and return their count."""

    def attempts(self, document_id: DocumentId) -> list[int]:
        """Return the numbers of the attempts that have files, in ascending order."""

    def list_older(self, older_than_s: float) -> Iterator[DocumentId]:
        """Yield every document whose files are at least this many seconds old."""

    def sweep(self, older_than_s: float) -> int:
        """Delete temporary files that crashes left, at least this many seconds old, and return their count."""


def describe(files: Mapping[str, bytes]) -> Manifest:
    """Return the manifest of these files; raise NotFound for a name that may not be stored."""
    for name in files:
        check_name(name)
    return {name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in files.items()}


def check_name(name: str) -> None:
    """Raise NotFound unless the name is at most one folder deep, without leading dots, and safe on any file system."""
    if not _NAME.match(name):
        raise NotFound("no such file")


class LocalArtifacts:
    """Artifacts in a local folder (mode 0700)."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, document_id: DocumentId, attempt: int, files: Mapping[str, bytes]) -> Manifest:
        """Store all files durably. Storing the same bytes again is accepted."""
        manifest = describe(files)
        folder = self.path(document_id, attempt)
        targets = {name: folder / name for name in files}
        folders = sorted({folder, *(target.parent for target in targets.values())})
        with disk_errors():
            require_free(self._root, WRITE_ROOM)
            make_folder(folder.parent.parent)
            for created in (folder.parent, *folders):
                created.mkdir(mode=0o700, exist_ok=True)
            for name, data in files.items():
                _place(targets[name], data)
                crash_point(CrashPoint.BETWEEN_ARTIFACTS)
            for changed in (*reversed(folders), folder.parent, folder.parent.parent):
                sync_folder(changed)  # after the last change, so each folder is synced once
        crash_point(CrashPoint.AFTER_ARTIFACTS)
        return manifest

    def read(self, document_id: DocumentId, attempt: int, name: str) -> bytes:
        """Return the bytes of one file; raise NotFound if it is missing."""
        check_name(name)
        try:
            with disk_errors():
                return (self.path(document_id, attempt) / name).read_bytes()
        except FileNotFoundError as error:
            raise NotFound("no such file") from error

    def delete(self, document_id: DocumentId) -> None:
        """Delete every attempt of the document, also from quarantine; a missing document is accepted."""
        self._remove(self._folder(document_id))
        self._remove(self._root / QUARANTINE / document_id)

    def delete_attempt(self, document_id: DocumentId, attempt: int) -> None:
        """Delete the files of one attempt; a missing attempt is accepted."""
        self._remove(self.path(document_id, attempt))

    def quarantine(self, document_id: DocumentId, attempt: int) -> None:
        """Hide the files of one attempt; `empty_quarantine` deletes them later."""
        hide_path(self.path(document_id, attempt), self._root / QUARANTINE / document_id / f"a{attempt}")

    def release(self, document_id: DocumentId, attempt: int) -> bool:
        """Bring the files of one attempt back from quarantine; False if they are not there."""
        return move_path(self._root / QUARANTINE / document_id / f"a{attempt}", self.path(document_id, attempt))

    def empty_quarantine(self, older_than_s: float) -> int:
        """Delete files that were put in quarantine at least this many seconds ago and return their count."""
        return delete_older(self._root.glob(f"{QUARANTINE}/*/a*"), older_than_s)

    def attempts(self, document_id: DocumentId) -> list[int]:
        """Return the numbers of the attempts that have files, in ascending order."""
        folder = self._folder(document_id)
        return sorted(int(path.name[1:]) for path in folder.glob("a*")) if folder.is_dir() else []

    def list_older(self, older_than_s: float) -> Iterator[DocumentId]:
        """Yield every document whose newest attempt is at least this many seconds old."""
        limit = time.time() - older_than_s
        for folder in self._root.glob("??/doc_*"):
            if folder.stat().st_mtime <= limit:
                yield DocumentId(folder.name)

    def sweep(self, older_than_s: float) -> int:
        """Delete temporary files at least this many seconds old and return their count."""
        return sweep_partials(self._root, older_than_s)

    def path(self, document_id: DocumentId, attempt: int) -> Path:
        """Return the folder of one attempt; raise NotFound for a malformed document id."""
        return self._folder(document_id) / f"a{attempt}"

    def _folder(self, document_id: DocumentId) -> Path:
        if not _DOCUMENT.match(document_id):
            raise NotFound("no such document")
        return self._root / document_id[4:6] / document_id

    def _remove(self, folder: Path) -> None:
        with disk_errors():
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                return
            sync_folder(folder.parent)


def _place(target: Path, data: bytes) -> None:
    """Write a temporary file and link it to its name: linking fails if the name is taken, so nothing is overwritten."""
    partial = partial_name(target.parent)
    try:
        write_synced(partial, data)
        target.hardlink_to(partial)
    except FileExistsError as error:
        if target.read_bytes() != data:
            raise Conflict("another attempt wrote other bytes here") from error
    finally:
        partial.unlink(missing_ok=True)  # also on a full disk, which a leftover file would keep full
