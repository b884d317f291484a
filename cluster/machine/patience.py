"""The fair clock of all processes of a session, which limits the start of a service.

A wall clock would call a service dead on a machine that is only busy.
"""

from pathlib import Path

from quire.cluster.state import session_members
from quire.models.fair_time import FairClock, read_threads_of

LOOK_S = 1.0  # seconds between looks at all threads


def session_clock(session: int, workdir: Path) -> FairClock:
    """Return a clock that runs slower while the processes of this session wait for a processor."""
    return FairClock(
        lambda: read_threads_of(process.pid for process in session_members(session, workdir)), look_s=LOOK_S
    )
