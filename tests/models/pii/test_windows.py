"""Windows over a long text: every value once, where it begins, and an end when CPU time runs out."""

import time
from itertools import count

import pytest

from quire.models.pii.flagging.windows import CORE, LEAD, MOST_CPU_S, TAIL, ScanBudget, ScanTooSlow, detect_all
from quire.models.pii.kinds import Hit, Kind

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
    assert list(detect_all(text, find_letters, ScanBudget())) == expected


def test_a_window_reaches_back_a_little_and_ahead_by_the_longest_value() -> None:
    seen: list[int] = []

    def measure(text: str) -> list[Hit]:
        seen.append(len(text))
        return []

    assert list(detect_all("." * LENGTH, measure, ScanBudget())) == []
    assert seen == [CORE + TAIL, LEAD + CORE + TAIL, LEAD + CORE + 10, LEAD + 10]


def test_a_text_that_one_window_holds_is_looked_at_whole() -> None:
    hits = detect_all("." * (CORE + TAIL - 1) + "X", find_letters, ScanBudget())
    assert [hit.start for hit in hits] == [CORE + TAIL - 1]


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
        assert list(detect_all(text, note, ScanBudget(1.0))) == []
    else:
        with pytest.raises(ScanTooSlow, match=f"after {windows_read} windows"):
            list(detect_all(text, note, ScanBudget(1.0)))
    assert len(read) == windows_read


def test_texts_of_one_document_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count()
    monkeypatch.setattr(time, "thread_time", lambda: next(clock) * 6.0)
    budget = ScanBudget(1.0)
    assert list(detect_all("short", find_letters, budget)) == []
    with pytest.raises(ScanTooSlow):
        list(detect_all("another", find_letters, budget))


def test_no_scan_may_take_longer_than_the_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, MOST_CPU_S - 1, MOST_CPU_S + 1])
    monkeypatch.setattr(time, "thread_time", lambda: next(clock))
    budget = ScanBudget(1000.0, windows=5)
    budget.begin_window()
    with pytest.raises(ScanTooSlow):
        budget.begin_window()
