"""Limits on one answer while it is generated: the deadline, the length cap and the loop detector, for every engine."""

import time

from quire.actors.vlm.models.contract import AnswerEnd
from quire.actors.vlm.models.repetition import finds_loop

LOOK_EVERY = 256
"""Characters between two loop checks: one check costs up to a millisecond."""


class AnswerWatch:
    """Watches one answer; used by one thread. `verdict` is cheap enough for every token."""

    def __init__(self, deadline: float) -> None:
        self._deadline, self._checked_chars = deadline, 0

    @property
    def left_s(self) -> float:
        """Seconds until the deadline."""
        return max(0.0, self._deadline - time.monotonic())

    def verdict(self, text: str) -> AnswerEnd | None:
        """Return the reason to stop generating now, or None. `text` is the whole answer so far."""
        if time.monotonic() >= self._deadline:
            return AnswerEnd.TIMEOUT
        if len(text) - self._checked_chars < LOOK_EVERY:
            return None
        self._checked_chars = len(text)
        return AnswerEnd.LOOP if finds_loop(text) else None
