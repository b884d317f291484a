"""Sandboxed children for the next document: documents of one job may share a child, one after the other.

The caller names the job, with its tenant. A child never meets documents of two jobs.
"""

import threading
from collections import OrderedDict

from quire.actors.reading.conversation import Conversation
from quire.actors.reading.forkserver import ForkServer

DOCUMENTS_PER_CHILD = 16
"""Documents of one job that a child reads where no setting says otherwise: a fork costs as much as two reads."""
_MOST_JOBS = 4
"""Jobs whose idle children are kept. A group of claims can hold documents of more jobs than that."""


class ChildPool:
    """At most `documents_per_child` documents of one job pass through a child. Thread-safe."""

    def __init__(self, server: ForkServer, documents_per_child: int) -> None:
        self._server, self._documents_per_child = server, documents_per_child
        self._idle: OrderedDict[str, list[Conversation]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, job: str | None, *, fresh: bool = False) -> Conversation:
        """Return a child ready for a document of this job.

        Args:
            job: Name of the job; None shares no child.
            fresh: Take a child that has read no document.

        Raises:
            ServerGone: No child can be had.
        """
        with self._lock:
            idle = self._idle.get(job) if job is not None and not fresh else None
            child = idle.pop() if idle else None
        return child or Conversation(self._server)

    def give_back(self, job: str | None, child: Conversation) -> None:
        """Keep a child whose document ended well for the next document of the job, or end it."""
        if job is None or child.documents >= self._documents_per_child or not child.is_reusable():
            child.close()
            return
        with self._lock:
            self._idle.setdefault(job, []).append(child)
            self._idle.move_to_end(job)
            evicted = self._idle.popitem(last=False)[1] if len(self._idle) > _MOST_JOBS else []
        for other in evicted:
            other.close()

    def end_job(self, job: str) -> None:
        """End the idle children of a job."""
        with self._lock:
            idle = self._idle.pop(job, [])
        for child in idle:
            child.close()

    def close(self) -> None:
        """End all idle children. The pool stays usable."""
        with self._lock:
            idle = [child for children in self._idle.values() for child in children]
            self._idle.clear()
        for child in idle:
            child.close()
