"""Children for the next document: a fresh one each time, or one that has served a few documents of the same owner.

A child never meets documents of two owners.
"""

import threading
from collections import OrderedDict

from actors.reading.conversation import Conversation
from actors.reading.forkserver import ForkServer

OWNERS = 4
"""Owners whose children are kept for their next document: as many tenants take turns in one queue."""


class ChildPool:
    """At most `documents_per_child` documents of one owner pass through a child. Thread-safe."""

    def __init__(self, server: ForkServer, documents_per_child: int) -> None:
        self._server, self._most = server, documents_per_child
        self._kept: OrderedDict[str, list[Conversation]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, owner: str, *, fresh: bool = False) -> Conversation:
        """A child ready for a document; `fresh`: one that has served none. Raises `ServerGone`."""
        with self._lock:
            kept = self._kept.get(owner)
            child = kept.pop() if kept and not fresh else None
        return child or Conversation(self._server)

    def give_back(self, owner: str, child: Conversation) -> None:
        """A child whose document ended well."""
        if child.documents >= self._most:
            child.close()
            return
        with self._lock:
            self._kept.setdefault(owner, []).append(child)
            self._kept.move_to_end(owner)
            left = self._kept.popitem(last=False)[1] if len(self._kept) > OWNERS else []
        for one in left:
            one.close()

    def close(self) -> None:
        """No child is kept; the pool goes on."""
        with self._lock:
            kept = [child for children in self._kept.values() for child in children]
            self._kept.clear()
        for child in kept:
            child.close()
