"""Reading whole folders: files in batches, a few jobs at a time, with progress."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quire_client import types
from quire_client.errors import ApiError, Invalid, TooLarge

BATCH = 10
"""Files in one job; the service accepts 10 unless its operator changed SVC_MAX_BATCH_FILES."""
AHEAD = 4
"""Jobs that are sent before the oldest is waited for."""


@dataclass
class FolderProgress:
    """State of a folder: `done` of `total` files have ended, `failed` of them without a result."""

    total: int
    done: int = 0
    failed: int = 0
    newest: types.DocumentAlone | None = None


@dataclass
class FolderReport:
    """Result of reading a folder: documents by relative path, and refusals of files that were never accepted."""

    documents: dict[str, types.DocumentAlone] = field(default_factory=dict)
    refused: dict[str, ApiError] = field(default_factory=dict)
    job_ids: list[str] = field(default_factory=list)

    @property
    def succeeded(self) -> list[types.DocumentAlone]:
        """Documents that were read."""
        return [document for document in self.documents.values() if document["status"] == "succeeded"]

    @property
    def failed(self) -> list[types.DocumentAlone]:
        """Documents that could not be read; `error` says why."""
        return [document for document in self.documents.values() if document["status"] != "succeeded"]


OnProgress = Callable[[FolderProgress], None]
Send = Callable[[list[Path]], str]
"""Sends files as one job and returns its id."""
Collect = Callable[[str], Iterable[types.DocumentAlone]]
"""Waits for a job and returns its documents."""


def find_files(folder: str | os.PathLike[str], pattern: str) -> list[Path]:
    """Return the files of a folder that match, in the order of their paths. Hidden files are skipped."""
    root = Path(folder)
    if not root.is_dir():
        raise NotADirectoryError(str(root))
    paths = (path for path in root.glob(pattern) if path.is_file())
    return sorted(path for path in paths if not any(part.startswith(".") for part in path.relative_to(root).parts))


class FolderReader:
    """Sends the files of a folder in batches and collects their documents."""

    def __init__(self, send: Send, collect: Collect, root: Path, on_progress: OnProgress | None) -> None:
        self._send_job, self._collect_job, self._root, self._on_progress = send, collect, root, on_progress
        self._report = FolderReport()
        self._sent: deque[tuple[str, list[Path]]] = deque()

    def read(self, paths: Sequence[Path], batch: int) -> FolderReport:
        """Read all files and return the report."""
        self._progress = FolderProgress(total=len(paths))
        for group in _batches(paths, batch):
            self._send(group)
            if len(self._sent) > AHEAD:
                self._collect(*self._sent.popleft())
        while self._sent:
            self._collect(*self._sent.popleft())
        return self._report

    def _send(self, paths: list[Path]) -> None:
        """Send one batch. A refused batch is sent in halves, so that one refused file stops no other."""
        try:
            job_id = self._send_job(list(paths))
        except (TooLarge, Invalid) as error:
            if len(paths) == 1:
                self._report.refused[self._name(paths[0])] = error
                self._note(None, failed=True)
                return
            middle = len(paths) // 2
            self._send(paths[:middle])
            self._send(paths[middle:])
            return
        self._report.job_ids.append(job_id)
        self._sent.append((job_id, paths))

    def _collect(self, job_id: str, paths: list[Path]) -> None:
        """Wait for a job and note its documents; the first ones are the files in the order they were sent."""
        sent = [item for item in self._collect_job(job_id) if item["parent_document_id"] is None]
        for path, document in zip(paths, sent, strict=True):
            self._report.documents[self._name(path)] = document
            self._note(document, failed=document["status"] != "succeeded")

    def _note(self, document: types.DocumentAlone | None, *, failed: bool) -> None:
        self._progress.done += 1
        self._progress.failed += failed
        self._progress.newest = document
        if self._on_progress:
            self._on_progress(self._progress)

    def _name(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()


def _batches(paths: Sequence[Path], size: int) -> Iterator[list[Path]]:
    for start in range(0, len(paths), size):
        yield list(paths[start : start + size])
