"""The API's own log: one JSON object per request and per fault, in a file the operator may rotate. No content in it."""

import logging
import os
from contextlib import suppress
from logging.handlers import WatchedFileHandler
from pathlib import Path

LOGGERS = ("quire.access", "quire.error")


class RequestLogHandler(WatchedFileHandler):
    """A line that cannot be written (a full disk, a folder that went) is lost; the request goes on."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
        except OSError:  # the file went and cannot be opened anew, or what was left for it cannot be written
            stream, self.stream = self.stream, None
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (its name is given)
        """Says nothing: it would fill the other log."""


def write_requests(workdir: Path) -> Path:
    """From now on this process appends to WORKDIR/log/requests.jsonl (0600); replicas share it by whole lines."""
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
