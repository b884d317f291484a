"""Windows over a long text: every value once, where it begins, and an end when CPU time runs out."""

import time
from itertools import count

import pytest

from models.pii.kinds import Hit, Kind
from models.pii.windows import CORE, LEAD, TAIL, ScanTooSlow, detect_all

LENGTH = 3 * CORE + 10


def hits_at(*places: int) -> tuple[str, list[Hit]]:
    """A text with an X at these places."""
    letters = ["."] * LENGTH
    for place in places:
        letters[place] = "X"
    return "".join(letters), [Hit(Kind.EMAIL, place, place + 1) for place in places]


def find_letters(text: str) -> list[Hit]:
    return [Hit(Kind.EMAIL, at, at + 1) for at, letter in enumerate(text) if letter == "X"]


def test_every_value_is_found_once_at_its_start() -> None:
    text, expected = hits_at(0, CORE - 1, CORE, CORE + 1, 2 * CORE - LEAD, 2 * CORE, LENGTH - 1)
    assert list(detect_all(text, find_letters)) == expected


def test_a_window_reaches_back_a_little_and_ahead_by_the_longest_value() -> None:
    seen: list[int] = []

    def measure(text: str) -> list[Hit]:
        seen.append(len(text))
        return []

    assert list(detect_all("." * LENGTH, measure)) == []
    assert seen == [CORE + TAIL, LEAD + CORE + TAIL, LEAD + CORE + 10, LEAD + 10]


def test_a_text_that_one_window_holds_is_looked_at_whole() -> None:
    assert [hit.start for hit in detect_all("." * (CORE + TAIL - 1) + "X", find_letters)] == [CORE + TAIL - 1]


@pytest.mark.parametrize(("step_s", "windows_read"), [(3.25, 4), (3.4, 3), (9.0, 1), (10.1, 0)])
def test_cpu_time_grows_with_the_windows_and_then_ends_the_scan(
    monkeypatch: pytest.MonkeyPatch, step_s: float, windows_read: int
) -> None:
    """A clock that moves by `step_s` at each look; what has passed may be ten seconds and one for each window done."""
    clock = count()
    monkeypatch.setattr(time, "thread_time", lambda: 100.0 + next(clock) * step_s)
    read: list[int] = []

    def note(text: str) -> list[Hit]:
        read.append(len(text))
        return []

    text = "." * LENGTH
    if windows_read == 4:
        assert list(detect_all(text, note, 1.0)) == []
    else:
        with pytest.raises(ScanTooSlow, match=f"{LENGTH} characters"):
            list(detect_all(text, note, 1.0))
    assert len(read) == windows_read
