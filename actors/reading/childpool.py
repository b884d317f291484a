"""Children for the next document: a fresh one each time, or one that has served a few documents of the same owner."""

import threading

from actors.reading.conversation import Conversation
from actors.reading.forkserver import ForkServer


class ChildPool:
    """`documents_per_child` is 1 wherever documents have different owners. Thread-safe."""

    def __init__(self, server: ForkServer, documents_per_child: int) -> None:
        self._server, self._most = server, documents_per_child
        self._kept: list[Conversation] = []
        self._lock = threading.Lock()

    def take(self, *, fresh: bool = False) -> Conversation:
        """A child ready for a document; `fresh`: one that has served none. Raises `ServerGone`."""
        with self._lock:
            kept = self._kept.pop() if self._kept and not fresh else None
        return kept or Conversation(self._server)

    def give_back(self, child: Conversation) -> None:
        """A child whose document ended well."""
        if child.documents < self._most:
            with self._lock:
                self._kept.append(child)
        else:
            child.close()

    def close(self) -> None:
        with self._lock:
            for child in self._kept:
                child.close()
            self._kept.clear()
