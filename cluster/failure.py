"""The reason of a failed start, as one line for a terminal: the supervisor writes WORKDIR/run/failure, `up` reads it.

The line names the error only; the traceback stays in the log.
"""

import contextlib
import errno
import re
from pathlib import Path

from quire.cluster.errors import ClusterError
from quire.cluster.state import run_folder
from quire.storage.objects.durable_files import replace_file

_NAME = "failure"
_MOST_CHARS = 400  # a terminal's few lines
_RAISED = re.compile(r"^(?:[A-Za-z_]\w*\.)*([A-Z]\w*): (\S.*)$")
_ADVICE = {
    "SandboxRefused": "`quire doctor` names the missing sandbox feature",
    "OutOfMemoryError": "add memory or lower SVC_WORKERS",
    "PermissionError": "start it as the user who owns the workdir",
}

_CODES = {
    errno.EEXIST: "path-in-the-way",
    errno.ENOTDIR: "path-in-the-way",
    errno.EROFS: "read-only-disk",
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
}
"""Stable codes of what the operating system refuses."""


def describe_failure(error: BaseException) -> str:
    """Return one line. If Ray passes on a replica's error, use the innermost error of that text."""
    text = str(error)
    if isinstance(error, ClusterError) and "\n" not in text:
        return text
    if isinstance(error, OSError) and error.errno in _CODES:
        return f"{_CODES[error.errno]}: {error.filename or 'a file'}: {error.strerror}"
    raised = [match for line in text.splitlines() if (match := _RAISED.match(line.strip()))]
    kind, detail = raised[-1].groups() if raised else (type(error).__name__, " ".join(text.split()))
    line = f"{kind}: {detail}"[:_MOST_CHARS]
    return f"{line}; {_ADVICE[kind]}" if kind in _ADVICE else line


def write_failure(workdir: Path, error: BaseException) -> None:
    """Store the line for `up`."""
    with contextlib.suppress(OSError):
        replace_file(run_folder(workdir) / _NAME, describe_failure(error).encode("utf-8", "replace"))


def read_failure(workdir: Path) -> str | None:
    """Return the line of the last failed start, or None."""
    try:
        return (workdir / "run" / _NAME).read_text(errors="replace").strip() or None
    except OSError:
        return None


def clear_failure(workdir: Path) -> None:
    """Remove the line of an earlier start."""
    (workdir / "run" / _NAME).unlink(missing_ok=True)
