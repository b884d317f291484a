"""Why a start failed, as one line for a terminal: WORKDIR/run/failure (0600), written by the supervisor, read by `up`.

In comes an exception, out goes a line that says what it was; the traceback stays in the log.
"""

import contextlib
import re
from pathlib import Path

from cluster.errors import ClusterError
from cluster.state import run_folder, write_private

_NAME = "failure"
_MOST_CHARS = 400  # a terminal's few lines
_RAISED = re.compile(r"^(?:[A-Za-z_]\w*\.)*([A-Z]\w*): (\S.*)$")
_ADVICE = {
    "SandboxRefused": "`quire doctor` names the missing sandbox feature",
    "OutOfMemoryError": "add memory or lower SVC_WORKERS",
    "PermissionError": "start it as the user who owns the workdir",
}


def describe_failure(error: BaseException) -> str:
    """One line. Where Ray passes on what failed in a replica, the innermost error of that text."""
    text = str(error)
    if isinstance(error, ClusterError) and "\n" not in text:
        return text
    raised = [found for line in text.splitlines() if (found := _RAISED.match(line.strip()))]
    kind, detail = raised[-1].groups() if raised else (type(error).__name__, " ".join(text.split()))
    line = f"{kind}: {detail}"[:_MOST_CHARS]
    return f"{line}; {_ADVICE[kind]}" if kind in _ADVICE else line


def write_failure(workdir: Path, error: BaseException) -> None:
    """Leave it for `up`."""
    with contextlib.suppress(OSError):
        write_private(run_folder(workdir) / _NAME, describe_failure(error).encode("utf-8", "replace"))


def read_failure(workdir: Path) -> str | None:
    """What the last start left, or None."""
    try:
        return (workdir / "run" / _NAME).read_text(errors="replace").strip() or None
    except OSError:
        return None


def clear_failure(workdir: Path) -> None:
    """A new start has failed at nothing yet."""
    (workdir / "run" / _NAME).unlink(missing_ok=True)
