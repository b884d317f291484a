"""One answer while it is being written: the clock, the cap and the loop detector that every engine asks alike."""

import time

from models.neural.vlm.contract import AnswerEnd
from models.neural.vlm.repetition import finds_loop

LOOK_EVERY = 256
"""Characters between two looks for a loop: a look costs up to a millisecond."""


class AnswerWatch:
    """One per answer, used by one thread. `verdict` is cheap enough for every token."""

    def __init__(self, deadline: float) -> None:
        self._deadline, self._seen = deadline, 0

    @property
    def left_s(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    def verdict(self, text: str) -> AnswerEnd | None:
        """Why writing must end now, or None. `text` is all that was written so far."""
        if time.monotonic() >= self._deadline:
            return AnswerEnd.TIMEOUT
        if len(text) - self._seen < LOOK_EVERY:
            return None
        self._seen = len(text)
        return AnswerEnd.LOOP if finds_loop(text) else None
