"""How long a service really had to start: a clock that stands still while its processes wait for a core.

Takes the processes of one session from /proc. A wall clock would call a service dead on a machine that is only busy.
"""

import time
from pathlib import Path

from cluster.state import session_members

LOOK_S = 1.0  # seconds between looks at all threads
_NS = 1e9  # nanoseconds in a second


class FairClock:
    """Seconds since the first look, weighted by the share of time in which the threads that wanted to run did run."""

    def __init__(self, session: int, workdir: Path) -> None:
        self._session, self._workdir = session, workdir
        self._seconds, self._looked_at = 0.0, time.monotonic()
        self._ran, self._waited = self._sums()

    @property
    def cpu_s(self) -> float:
        """CPU seconds that the living processes had used at the last look."""
        return self._ran

    def seconds(self) -> float:
        """Return the weighted seconds until the last look."""
        if time.monotonic() < self._looked_at + LOOK_S:
            return self._seconds
        now, (ran, waited) = time.monotonic(), self._sums()
        more_ran, more_waited = max(0.0, ran - self._ran), max(0.0, waited - self._waited)
        wanted = more_ran + more_waited
        self._seconds += (now - self._looked_at) * (more_ran / wanted if wanted else 1.0)
        self._looked_at, self._ran, self._waited = now, ran, waited
        return self._seconds

    def _sums(self) -> tuple[float, float]:
        """Return the seconds that all threads ran and waited for a core; zeros where the kernel does not count them."""
        ran = waited = 0
        for process in session_members(self._session, self._workdir):
            for path in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
                try:
                    running, waiting, _ = path.read_text().split()
                except (OSError, ValueError):
                    continue
                ran, waited = ran + int(running), waited + int(waiting)
        return ran / _NS, waited / _NS
