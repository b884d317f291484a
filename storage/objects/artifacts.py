"""Derived files of a document, one folder per attempt: `root/ab/doc_…/a3/tree.json`. Never overwritten.

In: names and bytes. Out: a manifest {name: {"sha256", "bytes"}} that SQL publishes. SQL says which attempt may be seen;
a folder nobody published is waste, never a wrong answer.
"""

import hashlib
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from storage.objects.durable_files import (
    disk_errors,
    make_folder,
    partial_name,
    sweep_partials,
    sync_folder,
    write_synced,
)
from storage.values.crash_points import CrashPoint, crash_point
from storage.values.errors import Conflict, NotFound
from storage.values.rows import DocumentId

TREE = "tree.json"
SEMANTICS = "semantics.json"
ASSETS = "assets/"
"""Names of artifacts; pictures lie below ASSETS by their asset_ref."""

Manifest = dict[str, dict[str, Any]]
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,120}(/[A-Za-z0-9_][A-Za-z0-9._-]{0,120})?\Z")
_DOCUMENT = re.compile(r"doc_[a-z2-7]{26}\Z")


class Artifacts(Protocol):
    """Where derived files are. `read` raises NotFound; `put` raises Conflict where other bytes have that name."""

    def put(self, document_id: DocumentId, attempt: int, files: Mapping[str, bytes]) -> Manifest: ...
    def read(self, document_id: DocumentId, attempt: int, name: str) -> bytes: ...
    def delete(self, document_id: DocumentId) -> None: ...
    def delete_attempt(self, document_id: DocumentId, attempt: int) -> None: ...
    def attempts(self, document_id: DocumentId) -> list[int]: ...
    def list_older(self, older_than_s: float) -> Iterator[DocumentId]: ...
    def sweep(self, older_than_s: float) -> int: ...


def describe(files: Mapping[str, bytes]) -> Manifest:
    """The manifest of these files; raises NotFound for a name that may not be stored."""
    for name in files:
        check_name(name)
    return {name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in files.items()}


def check_name(name: str) -> None:
    """At most one folder deep, no dots in front, nothing that a file system could read another way."""
    if not _NAME.match(name):
        raise NotFound("no such file")


class LocalArtifacts:
    """Artifacts in a folder of their own (0700)."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, document_id: DocumentId, attempt: int, files: Mapping[str, bytes]) -> Manifest:
        """All of them durable when this returns. The same bytes again are no error."""
        manifest = describe(files)
        folder = self.path(document_id, attempt)
        targets = {name: folder / name for name in files}
        places = sorted({folder, *(target.parent for target in targets.values())})
        with disk_errors():
            make_folder(folder.parent.parent)
            for place in (folder.parent, *places):
                place.mkdir(mode=0o700, exist_ok=True)
            for name, data in files.items():
                _place(targets[name], data)
                crash_point(CrashPoint.BETWEEN_ARTIFACTS)
            for place in (*reversed(places), folder.parent, folder.parent.parent):
                sync_folder(place)  # after the last change: what one of them writes the next need not
        crash_point(CrashPoint.AFTER_ARTIFACTS)
        return manifest

    def read(self, document_id: DocumentId, attempt: int, name: str) -> bytes:
        check_name(name)
        try:
            with disk_errors():
                return (self.path(document_id, attempt) / name).read_bytes()
        except FileNotFoundError as error:
            raise NotFound("no such file") from error

    def delete(self, document_id: DocumentId) -> None:
        """Every attempt of the document; absent is no error."""
        self._remove(self._folder(document_id))

    def delete_attempt(self, document_id: DocumentId, attempt: int) -> None:
        self._remove(self.path(document_id, attempt))

    def attempts(self, document_id: DocumentId) -> list[int]:
        folder = self._folder(document_id)
        return sorted(int(path.name[1:]) for path in folder.glob("a*")) if folder.is_dir() else []

    def list_older(self, older_than_s: float) -> Iterator[DocumentId]:
        """Every document that has files here and got no new attempt for that long."""
        limit = time.time() - older_than_s
        for folder in self._root.glob("??/doc_*"):
            if folder.stat().st_mtime <= limit:
                yield DocumentId(folder.name)

    def sweep(self, older_than_s: float) -> int:
        return sweep_partials(self._root, older_than_s)

    def path(self, document_id: DocumentId, attempt: int) -> Path:
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
    """Write beside, then link: linking fails where the name is taken, so nothing is ever overwritten."""
    partial = partial_name(target.parent)
    try:
        write_synced(partial, data)
        target.hardlink_to(partial)
    except FileExistsError as error:
        if target.read_bytes() != data:
            raise Conflict("another attempt wrote other bytes here") from error
    finally:
        partial.unlink(missing_ok=True)  # also after a full disk, which what is left would keep full
