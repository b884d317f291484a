"""A vision-language model that reads nothing: each page takes a fixed time, and an engine takes so many at once."""

import json
import threading
import time
from collections.abc import Sequence

from quire.actors.vlm.models.contract import Answer, Ask
from quire.actors.vlm.models.dots import Dots
from quire.actors.vlm.page_reader import VlmReader

TEXT = "Read by the stub at"
"""Followed by the time at which the page was begun, in seconds since the epoch."""


class StubEngine:
    """Implements `VlmEngine`. Its own rate is `at_once / page_s` pages a second."""

    name, version = "stub", "1"

    def __init__(self, page_s: float, at_once: int) -> None:
        self._page_s, self._places = page_s, threading.BoundedSemaphore(at_once)

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        answers = []
        for _ in asks:
            with self._places:
                text = f"{TEXT} {time.time():.3f}"
                time.sleep(self._page_s)
            answers.append(Answer(text=json.dumps([{"bbox": [10, 10, 100, 60], "category": "Text", "text": text}])))
        return answers

    def healthy(self) -> bool:
        return True

    def close(self) -> None:
        pass


def make_stub_reader(page_s: float, at_once: int) -> VlmReader:
    """The page reader of a replica."""
    return VlmReader(Dots(), StubEngine(page_s, at_once))
