"""Texts made to keep patterns busy end in CPU time that grows with their length.

Without that bound a text held a reader for hours ("::::…"), because the budget is checked between windows only.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from quire.models.pii.normalise import normalise
from quire.models.pii.patterns.kind_patterns import RegexDetector

CHARACTERS, CPU_S = 8_000, 10.0
"""A hundred times what any of them needs."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} CPU seconds")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize(
    "unit",
    [
        "::", "a:", "1:1:", "@", "a@", "a.a@a.", "a.b\n", "a.b-\n", "a" * 63 + ".", "a.a.a:1/", "/", "www.", "http://",
        "0", "0 ", "1-2 ", "0.0.", "0 (0)", "(", "+1 ", "DE12 ", "AA00A ", "BE0 0 0 0 0 0 ", "id 1234567 ",
        "4111 1111 ", "12 rue a ", "1 st a ", "a" * 30 + "weg 1 ", "born 1 ", "plate A1", "P<AAA<<<<<<<<<<<", "passw: ",
        "-----BEGIN PRIVATE KEY-----", "AKIA ", "SG." + "a" * 17, "\u200b1", "%41", "&amp;", "\u0301",
    ],
)  # fmt: skip
def test_no_text_keeps_a_pattern_busy(unit: str) -> None:
    text = unit * (CHARACTERS // len(unit))
    with cpu_limit(CPU_S):
        RegexDetector().detect(normalise(text).text)
