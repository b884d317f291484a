"""Detection in windows: no pattern ever sees more than a few pages, so time grows with the text and not faster.

Each window reaches back a little (words before a value decide about it) and ahead by the longest value; a value belongs
to the window in which it begins. Raises `ScanTooSlow` when the document's CPU time is used up.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.models.pii.kinds import Detect, Hit

CORE = 30_000
"""Characters whose values one window finds."""
LEAD, TAIL = 256, 9_000  # characters of a window shared with the one before and the one after
BASE_CPU_S, CPU_S_PER_WINDOW = 10.0, 0.5
"""CPU seconds a document's scan may take: ten, and half a second for each window; patterns take milliseconds."""
MOST_CPU_S = 900.0
"""CPU seconds of any scan, as many as a document may take to be read."""


class ScanTooSlow(Exception):
    """The document's scan used up its CPU time."""


@dataclass(slots=True)
class ScanBudget:
    """CPU time of one document's scan, counted in the thread that scans. It grows with each window that is begun.

    A detector with a language model sets a larger `cpu_s_per_window`. A short text is a part of a window.
    """

    cpu_s_per_window: float = CPU_S_PER_WINDOW
    windows: float = 0.0
    started_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.started_s = time.thread_time()

    def begin_window(self, chars: int = CORE) -> None:
        """Count a window of so many characters.

        Raises:
            ScanTooSlow: The windows before it used up the CPU time.
        """
        allowed_s = min(MOST_CPU_S, BASE_CPU_S + self.cpu_s_per_window * self.windows)
        used_s = time.thread_time() - self.started_s
        if used_s > allowed_s:
            raise ScanTooSlow(f"{used_s:.0f} s of CPU after {self.windows:.0f} windows")
        self.windows += chars / CORE


def detect_all(text: str, detect: Detect, budget: ScanBudget) -> Iterator[Hit]:
    """Yield the hits of the whole text, by their beginning. Raises `ScanTooSlow`."""
    if len(text) <= CORE + TAIL:
        budget.begin_window(len(text))
        yield from detect(text)
        return
    for start in range(0, len(text), CORE):
        budget.begin_window()
        first = max(0, start - LEAD)
        for hit in detect(text[first : start + CORE + TAIL]):
            if start <= hit.start + first < start + CORE:
                yield Hit(hit.kind, hit.start + first, hit.end + first)
