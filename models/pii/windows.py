"""Detection in windows: no pattern ever sees more than a few pages, so time grows with the text and not faster.

Each window reaches back a little (words before a value decide about it) and ahead by the longest value; a value belongs
to the window in which it begins. Raises `ScanTooSlow` when CPU time runs out: the scan is then incomplete.
"""

import time
from collections.abc import Iterator

from models.pii.kinds import Detect, Hit

CORE = 30_000
"""Characters whose values one window finds."""
LEAD, TAIL = 256, 9_000  # characters of a window shared with the one before and the one after
BASE_CPU_S, CPU_S_PER_WINDOW = 10.0, 0.5
"""CPU seconds a document's scan may take: ten, and half of one a window; patterns take milliseconds."""


class ScanTooSlow(Exception):
    """The detector used up its CPU time on this text."""


def detect_all(text: str, detect: Detect, cpu_s_per_window: float = CPU_S_PER_WINDOW) -> Iterator[Hit]:
    """Hits of the whole text, by their beginning. A detector with a model may take longer for each window."""
    if len(text) <= CORE + TAIL:
        yield from detect(text)
        return
    started = time.thread_time()
    for number, start in enumerate(range(0, len(text), CORE)):
        if time.thread_time() - started > BASE_CPU_S + cpu_s_per_window * number:
            raise ScanTooSlow(f"{len(text)} characters")
        first = max(0, start - LEAD)
        for hit in detect(text[first : start + CORE + TAIL]):
            if start <= hit.start + first < start + CORE:
                yield Hit(hit.kind, hit.start + first, hit.end + first)
