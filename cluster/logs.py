"""The API's own log: one JSON object per request and per fault, in a file the operator may rotate. No content in it."""

import logging
import os
from contextlib import suppress
from logging.handlers import WatchedFileHandler
from pathlib import Path

LOGGERS = ("quire.access", "quire.error")


class RequestLogHandler(WatchedFileHandler):
    """Writes request lines. A line that cannot be written (full disk, missing folder) is lost without an error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line, and drop the stream after an error."""
        try:
            super().emit(record)
        except OSError:  # the file is gone and cannot be opened again, or its buffer cannot be written
            stream, self.stream = self.stream, None
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (its name is given)
        """Do nothing: a message would fill the other log."""


def write_requests(workdir: Path) -> Path:
    """Append requests of this process to WORKDIR/log/requests.jsonl (0600); replicas share it by whole lines."""
    path = workdir / "log" / "requests.jsonl"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    handler = RequestLogHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(message)s"))
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
        logger.propagate = False
    return path
